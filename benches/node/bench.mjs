// Node's owner beside other packages, in one process and in interleaved rounds.
// bench.mjs [--quick]: prints JSON; `cargo xtask bench` makes it readable. Started in the folder that has the packages.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'start.js'))
const { Cluster } = require('keystead')
const HashRing = require('hashring')

const PEERS = ['keystead', 'hashring']

// Every case has its turn in each round, so that what the machine does meanwhile hits all alike.
const quick = process.argv.includes('--quick')
const [ROUNDS, TURN] = quick ? [7, 20e6] : [21, 60e6]
const rows = []

const now = () => Number(process.hrtime.bigint())

// How often a case fits into its turn, at least once. Warms up as well: the compiler needs some thousand calls.
function repetitions(work) {
  const begin = now()
  while (now() - begin < TURN) work()
  const start = now()
  work()
  return Math.max(1, Math.floor(TURN / (now() - start)))
}

// Measures the cases of one operation, ours first; a call of a case is an operation for each of `keys` keys.
function measure(operation, keys, cases) {
  const times = cases.map(([, work]) => repetitions(work))
  const rounds = cases.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    cases.forEach(([, work], i) => {
      const start = now()
      for (let n = 0; n < times[i]; n++) work()
      rounds[i].push((now() - start) / times[i] / keys)
    })
  }
  cases.forEach(([who], i) => rows.push({ operation, who, unit: 'ns', rounds: rounds[i] }))
  console.error(operation)
}

let sink = 0
const each = (owner, keys) => () => {
  for (let i = 0; i < keys.length; i++) sink += owner(keys[i]).length
}

const ids = (count) => Array.from({ length: count }, (_, i) => `node-${i}`)
const keys = (count) => Array.from({ length: count }, (_, i) => `user:${String(i).padStart(11, '0')}`)

// hashring keeps its last 5,000 answers: fewer keys all hit, more keys in a circle all miss.
const few = keys(1_000)
const many = keys(20_000)
for (const nodes of [10, 100]) {
  const cluster = new Cluster(ids(nodes))
  const ring = new HashRing(ids(nodes))
  const ours = (key) => cluster.owner(key)
  const theirs = (key) => ring.get(key)
  measure(`owner(string), ${nodes} nodes, keys that hit hashring's cache`, few.length, [
    ['keystead', each(ours, few)],
    ['hashring, hit', each(theirs, few)]
  ])
  measure(`owner(string), ${nodes} nodes, keys that miss hashring's cache`, many.length, [
    ['keystead', each(ours, many)],
    ['hashring, miss', each(theirs, many)]
  ])
  measure(`ownerIndices(string[]), ${nodes} nodes, a key`, many.length, [
    ['keystead', () => { sink += cluster.ownerIndices(many).length }],
    ['hashring, miss, in a loop', each(theirs, many)]
  ])
}

// Not through `require`: a package need not export its package.json.
const version = (name) => JSON.parse(readFileSync(join(process.cwd(), 'node_modules', name, 'package.json'), 'utf8')).version
const versions = Object.fromEntries(PEERS.map((name) => [name, version(name)]))
console.log(JSON.stringify({ language: 'Node', versions, rows, memory: [], checked: sink > 0 }))
