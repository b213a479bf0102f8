// Node's owner beside other packages, in one process and in interleaved rounds.
// bench.mjs [--quick], or bench.mjs point PLOT WHO NODES for one point of a growth plot. Prints JSON; `cargo xtask bench` makes it readable.
// Started in the folder that has the packages.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'start.js'))
const { Cluster } = require('keystead')

const PEERS = ['hashring', 'consistent-hash', 'node-hashring', 'ketama', 'skeleton-rendezvous', 'xxhash-wasm']

// A peer that does not install here is left out and said to be.
const packages = {}
const missing = {}
for (const name of PEERS) {
  try {
    packages[name] = require(name)
  } catch (error) {
    missing[name] = `not installed: ${error.message.split('\n')[0]}`
  }
}
const xxhash = packages['xxhash-wasm'] && await packages['xxhash-wasm']()

const quick = process.argv.includes('--quick')
// Every case has its turn in each round, so that what the machine does meanwhile hits all alike.
const [ROUNDS, TURN] = quick ? [5, 8e6] : [15, 30e6]
const rows = []
const leftOut = []

const now = () => Number(process.hrtime.bigint())

// How often a case fits into its turn, at least once. Warms up as well: the compiler needs some thousand calls.
function repetitions(work) {
  const begin = now()
  while (now() - begin < 4 * TURN) work()
  const start = now()
  work()
  return Math.max(1, Math.floor(TURN / (now() - start)))
}

// Measures the cases of one operation, ours first; a call of a case is an operation for each of `keys` keys.
function measure(topic, operation, keys, cases) {
  const ready = cases.filter(([who, , needs]) => {
    if (needs in missing) leftOut.push({ topic, operation, who, reason: missing[needs] })
    return !(needs in missing)
  }).map(([who, make]) => [who, make()])
  const times = ready.map(([, work]) => repetitions(work))
  const rounds = ready.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    ready.forEach(([, work], i) => {
      const start = now()
      for (let n = 0; n < times[i]; n++) work()
      rounds[i].push((now() - start) / times[i] / keys)
    })
  }
  ready.forEach(([who], i) => rows.push({ topic, operation, who, rounds: rounds[i] }))
  console.error(`${topic}, ${operation}`)
}

// A loop over keys with code of its own for each case, so that the compiler learns of one case only and can inline it: a loop that all
// cases share would slow all of them, and those most that have least to do.
let made = 0
function loop(call, owner, keys) {
  const code = `let sink = 0
    return () => { /* ${made++} */
      for (let i = 0; i < keys.length; i++) { const key = keys[i]; sink += ${call}.length }
      return sink
    }`
  return new Function('owner', 'keys', code)(owner, keys)
}

// How ours and each peer answer for one key, as their documentation says: the call, what it is a call of, and the package.
const ours = (algorithm) => (ids) => ['owner.owner(key)', new Cluster(ids, { algorithm })]
const ANSWERS = {
  'rendezvous-1': ours('rendezvous-1'),
  'ring-1': ours('ring-1'),
  'slots-1': ours('slots-1'),
  hashring: (ids) => ['owner.get(key)', new packages.hashring(ids)],
  'consistent-hash': (ids) => {
    // Its default range has room for 100,003 tokens.
    const ring = new packages['consistent-hash'](ids.length > 1_000 ? { range: 100_000_007 } : {})
    for (const id of ids) ring.add(id)
    return ['owner.get(key)', ring]
  },
  'node-hashring': (ids) => ['owner.findNode(key)', new packages['node-hashring'](ids)],
  ketama: (ids) => ['owner.getNode(key)', new packages.ketama.HashRing(ids)],
  'skeleton-rendezvous': (ids) => ['owner.findSite(key)', new packages['skeleton-rendezvous']({ sites: ids })],
  // No consistent hashing: nearly every key moves when a node joins.
  'nodes[h32(k) % n]': (ids) => ['owner.ids[owner.h32(key) % owner.ids.length]', { ids, h32: xxhash.h32 }],
  'max of h32(node + k)': (ids) => {
    const { h32 } = xxhash
    const highest = (key) => {
      let best = -1
      let found
      for (const id of ids) {
        const score = h32(id + key)
        if (score > best) {
          best = score
          found = id
        }
      }
      return found
    }
    return ['owner(key)', highest]
  }
}
const NEEDS = { 'nodes[h32(k) % n]': 'xxhash-wasm', 'max of h32(node + k)': 'xxhash-wasm' }

const each = (who, ids, keys) => loop(...ANSWERS[who](ids), keys)
const peer = (who, ids, keys, name = who) => [name, () => each(who, ids, keys), NEEDS[who] ?? who]

const ids = (count) => Array.from({ length: count }, (_, i) => `node-${i}`)
const keys = (count) => Array.from({ length: count }, (_, i) => `user:${String(i).padStart(11, '0')}`)

// hashring keeps its last 5,000 answers: fewer keys all hit, more keys in a circle all miss. (Its size 0, which should switch the cache off, crashes.)
const few = keys(1_000)
const many = keys(20_000)

function single() {
  for (const nodes of [10, 100]) {
    const names = ids(nodes)
    const others = ['consistent-hash', 'node-hashring', 'ketama', 'skeleton-rendezvous', 'nodes[h32(k) % n]', 'max of h32(node + k)']
    measure('owner(string), rendezvous-1', `${nodes.toLocaleString('en')} nodes`, many.length, [
      ['keystead', () => each('rendezvous-1', names, many)],
      peer('hashring', names, many, 'hashring, keys missing its cache'),
      ...others.map((who) => peer(who, names, many))
    ])
    measure('owner(string) again and again, rendezvous-1', `${nodes.toLocaleString('en')} nodes`, few.length, [
      ['keystead', () => each('rendezvous-1', names, few)],
      peer('hashring', names, few, 'hashring, keys in its cache'),
      peer('consistent-hash', names, few)
    ])
  }
  for (const algorithm of ['slots-1', 'ring-1']) {
    for (const nodes of [10, 100, 1_000]) {
      const names = ids(nodes)
      measure(`owner(string), ${algorithm}`, `${nodes.toLocaleString('en')} nodes`, many.length, [
        ['keystead', () => each(algorithm, names, many)],
        peer('hashring', names, many, 'hashring, keys missing its cache'),
        peer('consistent-hash', names, many),
        peer('nodes[h32(k) % n]', names, many)
      ])
    }
  }
}

// Many keys in one call, and the peers in a loop.
function batches() {
  const names = ids(10)
  const cluster = new Cluster(names)
  let sink = 0
  const loops = () => [
    peer('hashring', names, many, 'hashring, keys missing its cache'),
    peer('consistent-hash', names, many),
    peer('nodes[h32(k) % n]', names, many)
  ]
  measure('ownerIndices(string[]), a key', '10 nodes', many.length, [
    ['keystead', () => () => { sink += cluster.ownerIndices(many).length }],
    ...loops()
  ])
  measure('ownerMany(string[]), a key', '10 nodes', many.length, [
    ['keystead', () => () => { sink += cluster.ownerMany(many).length }],
    ...loops()
  ])
  const bytes = Buffer.from(many.join(''))
  const offsets = Uint32Array.from({ length: many.length + 1 }, (_, i) => 16 * i)
  measure('ownersPacked, a key', '10 nodes', many.length, [
    ['keystead', () => () => { sink += cluster.ownersPacked(bytes, offsets).length }],
    ...loops()
  ])
  const numbers = BigUint64Array.from(many, (_, i) => BigInt(i))
  try {
    cluster.ownerIndices(numbers)
  } catch (error) {
    leftOut.push({ topic: 'ownerIndices(BigUint64Array), a key', operation: '10 nodes', who: 'keystead', reason: error.message })
    return
  }
  measure('ownerIndices(BigUint64Array), a key', '10 nodes', many.length, [
    ['keystead', () => () => { sink += cluster.ownerIndices(numbers).length }],
    ...loops()
  ])
}

// One point of a growth plot.
function point(who, nodes) {
  const needs = NEEDS[who] ?? who
  if (needs in missing) {
    console.error(`left out: ${missing[needs]}`)
    process.exitCode = 1
    return
  }
  const names = ids(nodes)
  const before = process.memoryUsage().rss
  const start = now()
  const [call, owner] = ANSWERS[who](names)
  // Some are not ready before the first question.
  loop(call, owner, ['a key'])()
  const build = now() - start
  const bytes = Math.max(0, process.memoryUsage().rss - before)
  let work = loop(call, owner, many)
  const first = now()
  loop(call, owner, few.slice(0, 20))()
  if ((now() - first) / 20 > 50_000) work = loop(call, owner, few.slice(0, 100))
  const length = (now() - first) / 20 > 50_000 ? 100 : many.length
  const times = []
  for (let round = 0; round < 5; round++) {
    const begin = now()
    work()
    times.push((now() - begin) / length)
  }
  console.log(JSON.stringify({ build, lookup: Math.min(...times), bytes }))
}

if (process.argv[2] === 'point') {
  point(process.argv[4], Number(process.argv[5]))
} else {
  single()
  batches()
  // Not through `require`: a package need not export its package.json.
  const version = (name) => JSON.parse(readFileSync(join(process.cwd(), 'node_modules', name, 'package.json'), 'utf8')).version
  const versions = Object.fromEntries(['keystead', ...Object.keys(packages)].map((name) => [name, version(name)]))
  console.log(JSON.stringify({ language: 'Node', versions, rows, memory: [], left_out: leftOut }))
}
