// Examples with answers known by hand: tests/cases/worked-examples.json.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keystead, shared } from '../support/package.mjs'

const { Cluster, encodeKey, jump, modulo, rankScores } = keystead

const examples = shared('cases', 'worked-examples.json')

function ringOf (tokens, space = examples.ring.space) {
  return new Cluster(Object.entries(tokens).map(([id, tokens]) => ({ id, tokens })), { algorithm: 'ring-1', space })
}

/** The owner of each coordinate. */
function table (cluster) {
  return Array.from({ length: Number(cluster.space) }, (_, at) => cluster.ownerAt(at))
}

function counts (cluster) {
  const found = {}
  for (const owner of table(cluster)) found[owner] = (found[owner] ?? 0) + 1
  return found
}

test('scores', () => {
  const { nodes, keys, add_E: added, remove_C: removed, membership_disagreement: views } = examples.scores
  const first = (key, ids) => rankScores(ids.map(id => [id, keys[key][id]]))[0]
  const moved = (from, to) => Object.fromEntries(Object.keys(keys).flatMap(key => (first(key, from) === first(key, to) ? [] : [[key, [first(key, from), first(key, to)]]])))
  for (const [key, { owner, owner_with_E: withE }] of Object.entries(keys)) {
    assert.equal(first(key, nodes), owner)
    assert.equal(first(key, [...nodes, 'E']), withE)
  }
  assert.deepEqual(moved(nodes, [...nodes, 'E']), added.moved)
  assert.equal(Object.keys(added.moved).length, added.moved_count)
  assert.equal(Object.keys(keys).length, added.of)
  const withoutC = nodes.filter(id => id !== 'C')
  assert.deepEqual(moved(nodes, withoutC), removed.moved)
  for (const [key, { top2_before: before, top2_after: after, owner_unchanged: owner }] of Object.entries(removed.candidates_only)) {
    const top = ids => rankScores(ids.map(id => [id, keys[key][id]])).slice(0, 2)
    assert.deepEqual([top(nodes), top(withoutC), top(withoutC)[0]], [before, after, owner])
  }
  assert.equal(first(views.key, ['A', 'B', 'D']), views.view_ABD)
  assert.equal(first(views.key, ['B', 'D']), views.view_BD)
})

test('framing', () => {
  for (const [a, b] of examples.framing.pairs) {
    assert.equal(a.join(''), b.join(''))
    assert.notDeepEqual(encodeKey(a), encodeKey(b))
  }
})

test('weights are no factors of scores', () => {
  // One node's scores against the other's, each 1/400 apart and in the middle of its step.
  const steps = 400
  const score = step => (2n ** 64n * (2n * BigInt(step) + 1n)) / BigInt(2 * steps)
  let [multiplied, proportional] = [0, 0]
  for (let a = 0; a < steps; a++) {
    for (let b = 0; b < steps; b++) {
      if (2 * (a + 0.5) > b + 0.5) multiplied++
      if (rankScores([['a', score(a), 2], ['b', score(b), 1]])[0] === 'a') proportional++
    }
  }
  const fraction = text => text.split('/').map(Number).reduce((a, b) => a / b)
  assert.ok(Math.abs(multiplied / steps ** 2 - fraction(examples.naive_weight.multiplied_score_share)) < 0.005)
  assert.ok(Math.abs(proportional / steps ** 2 - fraction(examples.naive_weight.proportional_share)) < 0.005)
})

test('a ring of 32 positions', () => {
  const { tokens, owned, add_E_at_12: added, then_remove_B: removed, duplicate_token: duplicate, one_token: alone } = examples.ring
  const ring = ringOf(tokens)
  for (const [id, coordinates] of Object.entries(owned)) for (const at of coordinates) assert.equal(ring.ownerAt(at), id)
  const before = table(ring)
  const grown = ring.withNode({ id: 'E', tokens: [12] })
  const moved = Object.fromEntries(table(grown).flatMap((owner, at) => (owner === before[at] ? [] : [[at, [before[at], owner]]])))
  assert.deepEqual(moved, added.moved)
  assert.deepEqual(counts(grown), added.counts)
  assert.equal(`${Object.keys(moved).length}/${ring.space}`, added.moved_share)
  assert.deepEqual(grown.shares().get('E'), [1n, 8n])
  const shrunk = grown.withoutNode('B')
  assert.deepEqual(table(shrunk).flatMap((owner, at) => (owner === table(grown)[at] ? [] : [at])), removed.moved)
  for (const at of removed.moved) assert.deepEqual([grown.ownerAt(at), shrunk.ownerAt(at)], removed.from_to)
  assert.deepEqual(counts(shrunk), removed.counts)
  assert.throws(() => ringOf(duplicate.tokens), { code: duplicate.error, message: /A.*B/ })
  assert.deepEqual(counts(ringOf(alone.tokens)), alone.counts)
  assert.deepEqual(ringOf(alone.tokens).arcs(), [{ start: 5n, end: 5n, length: 32n, owner: 'A' }])
})

test('several tokens a node', () => {
  const { space, tokens, counts: wanted, distinct_replicas: distinct, too_many: tooMany } = examples.virtual_nodes
  const ring = ringOf(tokens, space)
  assert.deepEqual(counts(ring), wanted)
  for (let key = 0; key < 1000; key++) assert.equal(new Set(ring.replicas(key, distinct.replicas)).size, distinct.distinct_owners)
  assert.throws(() => ring.replicas('k', tooMany.replicas), { code: tooMany.error })
})

test('modulo moves nearly everything, a stable order only its part', () => {
  const { add_one_to_n: wanted, top_r_changed_on_add: copies } = examples.modulo_contrast
  assert.deepEqual([wanted, copies], [{ modulo: 'n/(n+1)', stable: '1/(n+1)' }, 'r/(n+1)'])
  const keys = Array.from({ length: 20000 }, (_, index) => `key-${index}`)
  const near = (count, share) => Math.abs(count / keys.length - share) < 5 * Math.sqrt(share * (1 - share) / keys.length)
  for (const [n, r] of [[4, 2], [9, 3]]) {
    const cluster = new Cluster(Array.from({ length: n }, (_, index) => `n${index}`))
    const grown = cluster.withNode('new')
    assert.ok(near(keys.filter(key => modulo(key, n) !== modulo(key, n + 1)).length, n / (n + 1)))
    assert.ok(near(keys.filter(key => cluster.owner(key) !== grown.owner(key)).length, 1 / (n + 1)))
    assert.ok(near(keys.filter(key => grown.replicas(key, r).includes('new')).length, r / (n + 1)))
  }
})

test('a mapping is no data', () => {
  const { key_coordinate: at, before, after } = examples.mapping_is_not_data
  const ring = ringOf(examples.ring.tokens)
  assert.equal(ring.ownerAt(at), before)
  assert.equal(ring.withNode({ id: 'E', tokens: [12] }).ownerAt(at), after)
})

test('jump', () => {
  assert.deepEqual(examples.jump.pairs.map(([key, n]) => jump(BigInt(key), n)), examples.jump.buckets)
})
