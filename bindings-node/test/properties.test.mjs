// What holds for every cluster and key: the guarantees of SPEC.md, on random input. A failure prints its seed and its smallest example.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'

import { keystead } from '../support/package.mjs'
import { seed } from '../support/seed.mjs'

const { Cluster, encodeKey } = keystead

const RUNS = { numRuns: 200, seed: seed() }

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const id = fc.string({ unit: fc.constantFrom('a', 'b', '-', '1', 'é', '日', '\u{1F600}', '\uffff'), minLength: 1, maxLength: 6 })
const integer = fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }))
const plain = fc.oneof(text, fc.uint8Array({ maxLength: 20 }), integer)
const { key } = fc.letrec(tie => ({ key: fc.oneof({ maxDepth: 4 }, plain, fc.array(tie('key'), { maxLength: 4 })) }))
const weight = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(100000, 2 ** 32 - 1))
const nodes = fc.uniqueArray(fc.record({ id, weight, location: fc.tuple(fc.constantFrom('r1', 'r2'), fc.constantFrom('z1', 'z2', 'z3')) }), { minLength: 1, maxLength: 12, selector: node => node.id })
  .filter(nodes => nodes.some(node => node.weight > 0))
const small = fc.record({
  nodes: nodes.map(nodes => nodes.map(node => ({ ...node, weight: Math.min(node.weight, 7) }))),
  options: fc.oneof(
    fc.record({ seed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), hash: fc.constantFrom('xxh3', 'xxh64') }),
    fc.record({ hash: fc.constant('sip13'), secret: fc.uint8Array({ minLength: 16, maxLength: 16 }) }),
    fc.record({ algorithm: fc.constant('ring-1'), tokensPerWeight: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ algorithm: fc.constant('slots-1'), slots: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ algorithm: fc.constant('slots-1'), slots: fc.integer({ min: 1, max: 300 }), headroom: fc.integer({ min: 0, max: 1000 }) }),
    fc.record({ algorithm: fc.constant('hierarchy-1') })
  )
})
// What keeps the other nodes' order for every key: the first column of the table of guarantees.
const stable = small.filter(({ options }) => options.algorithm !== 'hierarchy-1' && options.headroom === undefined)

function check (name, ...rest) {
  const body = rest.pop()
  test(name, () => fc.assert(fc.property(...rest, body), RUNS))
}

const shown = key => (Array.isArray(key) ? key.map(shown) : key instanceof Uint8Array ? Buffer.from(key).toString('latin1') : key)

check('the ways to ask agree', small, fc.array(key, { minLength: 1, maxLength: 5 }), ({ nodes, options }, keys) => {
  const cluster = new Cluster(nodes, options)
  const owners = keys.map(key => cluster.owner(key))
  assert.deepEqual(cluster.ownerMany(keys), owners)
  assert.deepEqual(Array.from(cluster.ownerIndices(new Set(keys)), index => cluster.ids[index]), [...new Set(keys)].map(key => cluster.owner(key)))
  keys.forEach((key, index) => {
    const ranking = cluster.ranking(key)
    assert.equal(ranking[0], owners[index])
    assert.equal(cluster.explain(key).picked[0], owners[index])
    assert.deepEqual(cluster.explain(key).candidates.map(node => node.id), ranking)
    assert.deepEqual([...ranking].sort(), cluster.nodes.filter(node => node.weight > 0).map(node => node.id).sort())
  })
  const groups = cluster.groupByOwner(keys)
  assert.deepEqual([...groups.keys()], [...cluster.ids])
  for (const [id, group] of groups) assert.deepEqual(group.map(shown), keys.filter(key => cluster.owner(key) === id).map(shown))
})

check('packed keys are the same keys', small, fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 12 }), ({ nodes, options }, keys) => {
  const cluster = new Cluster(nodes, options)
  const offsets = new Uint32Array(keys.length + 1)
  keys.forEach((key, index) => { offsets[index + 1] = offsets[index] + key.length })
  assert.deepEqual(cluster.ownersPacked(Buffer.concat(keys), offsets), cluster.ownerIndices(keys))
})

check('texts in a batch are the texts alone', small, fc.array(text, { maxLength: 20 }), ({ nodes, options }, keys) => {
  const cluster = new Cluster(nodes, options)
  assert.deepEqual(cluster.ownerMany(keys), keys.map(key => cluster.owner(key)))
  assert.deepEqual(cluster.ownerMany(keys), cluster.ownerMany(keys.map(key => Buffer.from(key))))
})

check('replicas are the first of the ranking', small, key, ({ nodes, options }, key) => {
  const cluster = new Cluster(nodes, options)
  const ranking = cluster.ranking(key)
  const most = options.algorithm === 'hierarchy-1' ? 1 : ranking.length
  for (let r = 0; r <= most; r++) {
    assert.deepEqual(cluster.replicas(key, r), ranking.slice(0, r))
    assert.deepEqual(Array.from(cluster.replicaIndices([key], r), index => cluster.ids[index]), ranking.slice(0, r))
    assert.deepEqual(cluster.ranking(key, r), ranking.slice(0, r))
  }
})

check('the order of the nodes never matters', small, key, fc.infiniteStream(fc.nat()), ({ nodes, options }, key, dice) => {
  const cluster = new Cluster(nodes, options)
  const shuffled = nodes.map(node => [dice.next().value, node]).sort(([a], [b]) => a - b).map(([, node]) => node)
  const other = new Cluster(shuffled, options)
  assert.equal(other.fingerprint, cluster.fingerprint)
  assert.deepEqual(other.ranking(key), cluster.ranking(key))
})

check('multiplying all weights changes no answer', nodes, fc.integer({ min: 2, max: 1000 }), key, (nodes, factor, key) => {
  const light = nodes.map(node => ({ ...node, weight: node.weight % 100 }))
  if (light.every(node => node.weight === 0)) light[0].weight = 1
  const heavy = light.map(node => ({ ...node, weight: node.weight * factor }))
  assert.deepEqual(new Cluster(heavy).ranking(key), new Cluster(light).ranking(key))
})

check('excluding a node gives the answers of removing it', stable, key, fc.nat(), ({ nodes, options }, key, pick) => {
  const cluster = new Cluster(nodes, options)
  const { id } = nodes[pick % nodes.length]
  if (cluster.nodes.every(node => node.weight === 0 || node.id === id)) return
  const without = cluster.withoutNode(id)
  assert.deepEqual(cluster.ranking(key, { exclude: [id] }), without.ranking(key))
  assert.equal(cluster.owner(key, { exclude: [id] }), without.owner(key))
})

check('a removal drops a node, an addition inserts it, the others keep their order', stable, key, fc.nat(), ({ nodes, options }, key, pick) => {
  const cluster = new Cluster(nodes, options)
  const node = cluster.nodes[pick % nodes.length]
  if (cluster.nodes.every(other => other.weight === 0 || other.id === node.id)) return
  const without = cluster.withoutNode(node.id)
  assert.deepEqual(without.ranking(key), cluster.ranking(key).filter(id => id !== node.id))
  const again = without.withNode(node)
  assert.equal(again.fingerprint, cluster.fingerprint)
  assert.deepEqual(again.ranking(key), cluster.ranking(key))
})

check('a drained node is as absent', stable, key, fc.nat(), ({ nodes, options }, key, pick) => {
  const cluster = new Cluster(nodes, options)
  const { id } = nodes[pick % nodes.length]
  if (cluster.nodes.every(node => node.weight === 0 || node.id === id)) return
  assert.deepEqual(cluster.withWeight(id, 0).ranking(key), cluster.withoutNode(id).ranking(key))
  assert.deepEqual(cluster.change({ drain: [id] }).ranking(key), cluster.withoutNode(id).ranking(key))
})

check('what is written is read back', small, fc.option(fc.maxSafeInteger().map(Math.abs)), ({ nodes, options }, epoch) => {
  const cluster = new Cluster(nodes, { ...options, epoch })
  const { secret } = options
  for (const text of [cluster.toJson(), Buffer.from(cluster.toJson()), JSON.stringify(cluster)]) {
    const read = Cluster.fromJson(text, { secret })
    assert.deepEqual([read.fingerprint, read.epoch, read.nodes, read.compare(cluster)], [cluster.fingerprint, epoch, cluster.nodes, 'same'])
  }
})

check('shares add up to one', small, ({ nodes, options }) => {
  const cluster = new Cluster(nodes, options)
  const shares = cluster.shares()
  assert.deepEqual([...shares.keys()], [...cluster.ids])
  const common = [...shares.values()].reduce((product, [, denominator]) => product * denominator, 1n)
  assert.equal([...shares.values()].reduce((sum, [numerator, denominator]) => sum + (numerator * common) / denominator, 0n), common)
  for (const node of cluster.nodes) if (node.weight === 0) assert.deepEqual(shares.get(node.id), [0n, 1n])
})

check('copies are spread over distinct domains, or it is an error', small, key, fc.boolean(), fc.constantFrom(0, 1), ({ nodes, options }, key, relaxed, spread) => {
  const cluster = new Cluster(nodes, options)
  const domain = id => cluster.node(id).location.slice(0, spread + 1).join('/')
  const ranking = cluster.ranking(key)
  const domains = new Set(ranking.map(domain)).size
  let previous = []
  for (let r = 1; r <= ranking.length; r++) {
    if (r > domains && !relaxed) {
      assert.throws(() => cluster.replicas(key, r, { spread }), { code: 'not_enough_domains' })
      continue
    }
    const picked = cluster.replicas(key, r, { spread, relaxed })
    assert.equal(new Set(picked).size, r)
    assert.equal(new Set(picked.map(domain)).size, Math.min(r, domains))
    assert.deepEqual(picked.slice(0, -1), previous)
    previous = picked
  }
  assert.throws(() => cluster.replicas(key, ranking.length + 1, { spread, relaxed }), { code: 'not_enough_nodes' })
})

check('no two keys share an encoding, and none is the start of another', key, key, (a, b) => {
  const same = canonical(a) === canonical(b)
  const [first, second] = [encodeKey(a), encodeKey(b)].map(bytes => Buffer.from(bytes).toString('latin1'))
  assert.equal(first === second, same)
  if (!same) assert.ok(!first.startsWith(second) && !second.startsWith(first))
})

/** What a key is, as text: bytes in hex, so that a text and its bytes are one. */
function canonical (key) {
  if (Array.isArray(key)) return `[${key.map(canonical).join()}]`
  if (typeof key === 'string' || key instanceof Uint8Array) return `'${Buffer.from(key).toString('hex')}'`
  return String(BigInt(key))
}

check('a table of slots is what its slots say', fc.integer({ min: 1, max: 200 }), fc.option(fc.integer({ min: 0, max: 1000 })), nodes, plain, (slots, headroom, nodes, key) => {
  const cluster = new Cluster(nodes, { algorithm: 'slots-1', slots, headroom })
  const owners = cluster.slotOwners()
  assert.equal(owners.length, slots)
  assert.equal(owners[cluster.slot(key)], cluster.owner(key))
  assert.deepEqual(cluster.slotRanking(cluster.slot(key)), cluster.ranking(key))
  for (const id of cluster.ids) assert.deepEqual(cluster.slotsOf(id), owners.flatMap((owner, slot) => (owner === id ? [slot] : [])))
})

check('arcs fill the ring exactly, and say who owns a coordinate', nodes, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (nodes, at) => {
  const cluster = new Cluster(nodes.map(node => ({ ...node, weight: node.weight % 8 })).concat({ id: 'last', weight: 1 }), { algorithm: 'ring-1', tokensPerWeight: 3 })
  const arcs = cluster.arcs()
  assert.equal(arcs.reduce((sum, { length }) => sum + length, 0n), 2n ** 64n)
  for (const { start, end, owner } of arcs) {
    assert.equal(cluster.ownerAt(end), owner)
    if (start !== end) assert.equal(cluster.ownerAt((start + 1n) % 2n ** 64n), owner)
  }
  assert.equal((arcs.find(({ end }) => end >= at) ?? arcs[0]).owner, cluster.ownerAt(at))
})
