// What moves, and why: of keys one by one, counted, and expected. The core's own tests judge the numbers; here they are held against
// what the clusters answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { refused, wrongType } from '../support/errors.mjs'
import { keystead, shared } from '../support/package.mjs'

const { Cluster, Transition } = keystead

const before = new Cluster(['a', 'b', { id: 'c', weight: 2 }])
const after = before.change({ add: ['d'], drain: ['a'] })
const KEYS = [...Array.from({ length: 5000 }, (_, index) => `user:${index}`), 'é', 7, -8n, ['t', 1], Buffer.from([255])]

/** Where each key is and will be. */
const moves = (before, after, keys) => keys.map(key => [before.owner(key), after.owner(key)])

function count (pairs) {
  const counted = new Map()
  for (const [from, to] of pairs) if (from !== to) counted.set(`${from} ${to}`, (counted.get(`${from} ${to}`) ?? 0) + 1)
  return [...counted].map(([pair, keys]) => [...pair.split(' '), keys]).sort()
}

test('key by key', () => {
  const found = [...before.diffKeys(after, KEYS)]
  assert.deepEqual(found.map(({ key }) => key), KEYS)
  assert.deepEqual(found.map(({ source, target }) => [source, target]), moves(before, after, KEYS))
  for (const { source, target, reason } of found) {
    const wanted = source === target ? 'unchanged' : source === 'a' ? (target === 'd' ? 'both' : 'lost') : 'gained'
    assert.equal(reason, wanted)
    assert.ok(source === target || source === 'a' || target === 'd')
  }
  assert.deepEqual(Object.keys(found[0]), ['key', 'source', 'target', 'reason'])
})

test('keys are taken one by one', () => {
  let asked = 0
  let closed = false
  function * endless () {
    try {
      for (;;) yield `k${asked++}`
    } finally {
      closed = true
    }
  }
  for (const { key } of before.diffKeys(after, endless())) if (key === 'k9') break
  assert.deepEqual([asked, closed], [10, true])
})

test('counted', () => {
  const sizes = KEYS.map((_, index) => (index % 2 === 0 ? index : BigInt(index)))
  const { counted } = before.diff(after, { keys: KEYS, sizes })
  const pairs = moves(before, after, KEYS)
  assert.deepEqual(counted.moves.map(({ from, to, keys }) => [from, to, Number(keys)]), count(pairs))
  assert.equal(counted.total.keys, String(KEYS.length))
  assert.equal(counted.total.bytes, String(sizes.reduce((sum, size) => sum + Number(size), 0)))
  for (const measure of ['keys', 'bytes']) {
    const sum = counts => counts.reduce((sum, count) => sum + BigInt(count[measure]), 0n)
    assert.equal(sum(counted.moves), BigInt(counted.moved[measure]))
    assert.equal(sum(Object.values(counted.reasons)), BigInt(counted.total[measure]))
    assert.equal(sum(counted.nodes.map(node => node.moved_in)), BigInt(counted.moved[measure]))
    assert.equal(sum(counted.nodes.map(node => node.moved_out)), BigInt(counted.moved[measure]))
    assert.equal(sum(counted.nodes.map(node => node.after)), BigInt(counted.total[measure]))
    for (const node of counted.nodes) assert.equal(sum([node.before, node.moved_in]), sum([node.after, node.moved_out]))
  }
  assert.equal(counted.moved.bytes, String(pairs.reduce((sum, [from, to], index) => sum + (from === to ? 0 : Number(sizes[index])), 0)))
  assert.equal(counted.copies, null)
})

test('any number of keys, in any iterable, packed or not', () => {
  const total = keys => before.diff(after, { keys }).counted?.moves
  const texts = KEYS.filter(key => typeof key === 'string' && key !== 'é')
  const many = Array.from({ length: 20000 }, (_, index) => `${index}`)
  const wanted = keys => count(moves(before, after, keys)).map(([from, to, keys]) => ({ from, to, keys: String(keys), bytes: '0' }))
  for (const keys of [texts, many, [1, ...many], [...many, 'é'], many.slice(0, 4096), many.slice(0, 4097), ['x'.repeat(200000), 'y', 'x'.repeat(300000)]]) {
    assert.deepEqual(total(keys), wanted(keys))
    assert.deepEqual(total(new Set(keys)), wanted(keys))
    assert.deepEqual(total((function * () { yield * keys })()), wanted(keys))
  }
  // A list of no keys is counted too; where no list is given there is nothing to count.
  assert.deepEqual(total([]), [])
  assert.deepEqual(before.diff(after, { keys: new BigUint64Array(0) }).counted.total, { keys: '0', bytes: '0' })
  for (const keys of [undefined, null]) assert.equal(before.diff(after, { keys }).counted, null)
  // Sizes reach their keys in every piece.
  const sizes = many.map((_, index) => index)
  const bytes = before.diff(after, { keys: many, sizes: sizes.values() }).counted.moved.bytes
  assert.equal(bytes, String(moves(before, after, many).reduce((sum, [from, to], index) => sum + (from === to ? 0 : index), 0)))
  assert.equal(before.diff(after, { keys: ['k', 'l'], sizes: [2n ** 64n - 1n, 2n ** 64n - 1n] }).counted.total.bytes, String(2n ** 65n - 2n))
})

test('expected', () => {
  const { expected, least, identical, counted, r, spread, relaxed, excluded, arcs, slots } = before.diff(after)
  assert.deepEqual([identical, counted, r, spread, relaxed, excluded, arcs, slots], [false, null, 1, null, false, [], null, null])
  assert.equal(expected.method, 'exact')
  const { length } = KEYS
  const share = Number(before.diff(after, { keys: KEYS }).counted.moved.keys) / length
  assert.ok(Math.abs(share - expected.moved) < 5 * Math.sqrt(expected.moved * (1 - expected.moved) / length))
  assert.deepEqual(least, { fraction: ['1', '4'], share: 0.25 })
  assert.ok(least.share <= expected.moved)
  assert.deepEqual(expected.nodes.map(({ id, before, after }) => [id, before, after]), [['a', 0.25, 0], ['b', 0.25, 0.25], ['c', 0.5, 0.5], ['d', 0, 0.25]])
  const doubled = new Cluster(before.nodes.map(node => ({ ...node, weight: 2 * node.weight })))
  assert.equal(before.diff(doubled).identical, true)
  assert.equal(before.diff(before).identical, true)
  assert.equal(before.diff(new Cluster(before.nodes, { seed: 1 })).expected.method, 'independent')
})

test('sides', () => {
  const { before: left, after: entered } = before.withEpoch(41).diff(new Transition(before, after, 1, 3, { epoch: 42 }))
  assert.deepEqual(left, { algorithm: 'rendezvous-1', hash: 'xxh3', nodes: 3, epoch: 41, fingerprint: before.fingerprint, transition: null })
  assert.deepEqual(entered.transition, { part: 1, of: 3, before: before.fingerprint, after: after.fingerprint })
  assert.deepEqual([entered.epoch, entered.fingerprint], [42, new Transition(before, after, 1, 3).fingerprint])
})

test('the steps of a transition add up', () => {
  const sides = [before, new Transition(before, after, 1, 3), new Transition(before, after, 2, 3), after]
  const whole = count(moves(before, after, KEYS))
  const summed = new Map()
  for (let step = 0; step < 3; step++) {
    const { counted, expected } = sides[step].diff(sides[step + 1], { keys: KEYS })
    assert.deepEqual(counted.moves.map(({ from, to, keys }) => [from, to, Number(keys)]), count(moves(sides[step], sides[step + 1], KEYS)))
    assert.ok(Math.abs(expected.moved - before.diff(after).expected.moved / 3) < 1e-9)
    for (const { from, to, keys } of counted.moves) summed.set(`${from} ${to}`, (summed.get(`${from} ${to}`) ?? 0) + Number(keys))
  }
  assert.deepEqual([...summed].map(([pair, keys]) => [...pair.split(' '), keys]).sort(), whole)
  const [{ source, target, reason }] = sides[1].diffKeys(sides[2], ['user:1'])
  assert.ok(typeof source === 'string' && typeof target === 'string' && typeof reason === 'string')
})

test('copies', () => {
  const zoned = new Cluster(['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) => ({ id, location: [`z${index % 3}`] })), { levels: ['zone'] })
  const less = zoned.withoutNode('f')
  const question = { r: 2, spread: 'zone' }
  const list = (cluster, key) => cluster.replicas(key, 2, { spread: 'zone' })
  for (const { key, source, target, reason } of zoned.diffKeys(less, KEYS, question)) {
    const [old, next] = [list(zoned, key), list(less, key)]
    assert.deepEqual([source, target], [old[0], next[0]])
    assert.equal(reason, source !== target ? 'lost' : old[1] === next[1] ? 'unchanged' : 'candidates')
  }
  const { counted, expected, r, spread, relaxed } = zoned.diff(less, { keys: KEYS, ...question, relaxed: true })
  assert.deepEqual([r, spread, relaxed], [2, 0, true])
  const made = KEYS.reduce((sum, key) => sum + list(less, key).filter(id => !list(zoned, key).includes(id)).length, 0)
  assert.equal(counted.copies.moved.keys, String(made))
  assert.ok(Math.abs(expected.copies.moved - made / KEYS.length) < 0.05)
  const { excluded } = zoned.diff(less, { exclude: ['a', 'none'] })
  assert.deepEqual(excluded, ['a'])
  for (const { source, target } of zoned.diffKeys(less, KEYS.slice(0, 100), { exclude: ['a'] })) assert.ok(source !== 'a' && target !== 'a')
})

test('arcs and slots', () => {
  const { ring: { tokens, space, add_E_at_12: added }, mapping_is_not_data: mapping } = shared('cases', 'worked-examples.json')
  const ring = new Cluster(Object.entries(tokens).map(([id, tokens]) => ({ id, tokens })), { algorithm: 'ring-1', space })
  const { arcs, expected, least } = ring.diff(ring.withNode({ id: 'E', tokens: [12] }))
  assert.deepEqual(arcs, [{ start: '8', end: '12', length: '4', from: mapping.before, to: mapping.after, share: 1 }])
  assert.equal(arcs[0].length, String(Object.keys(added.moved).length))
  assert.deepEqual([expected.moved, least.fraction], [4 / 32, ['1', '8']])
  const table = new Cluster(['a', 'b'], { algorithm: 'slots-1', slots: 32 })
  const grown = table.withNode('c')
  const owners = [table.slotOwners(), grown.slotOwners()]
  const wanted = owners[0].flatMap((from, slot) => (from === owners[1][slot] ? [] : [{ slot, from, to: owners[1][slot] }]))
  assert.deepEqual(table.diff(grown).slots, wanted)
})

test('the six keys of the worked example', () => {
  const { scores: { nodes, keys, add_E: added, remove_C: removed } } = shared('cases', 'worked-examples.json')
  // The example gives scores; keys with the same order of nodes are looked for.
  const order = (ids, key) => keystead.rankScores(ids.map(id => [id, keys[key][id]]))
  const find = (cluster, wanted) => {
    for (let index = 0; ; index++) if (cluster.ranking(`key-${index}`).join() === wanted.join()) return `key-${index}`
  }
  const all = new Cluster([...nodes, 'E'])
  const four = all.withoutNode('E')
  const alike = Object.fromEntries(Object.keys(keys).map(key => [find(all, order([...nodes, 'E'], key)), key]))
  assert.equal(Object.keys(alike).length, 6)
  const told = (before, after, question) => Object.fromEntries(Array.from(before.diffKeys(after, Object.keys(alike), question), ({ key, source, target, reason }) => [alike[key], [source, target, reason]]))
  const joined = told(four, all)
  for (const [key, [source, target, reason]] of Object.entries(joined)) {
    assert.deepEqual([source, target, reason], key in added.moved ? [...added.moved[key], 'gained'] : [source, source, 'unchanged'])
  }
  const left = told(four, four.withoutNode('C'), { r: 2 })
  for (const [key, pair] of Object.entries(removed.moved)) assert.deepEqual(left[key], [...pair, 'lost'])
  for (const [key, { owner_unchanged: owner }] of Object.entries(removed.candidates_only)) assert.deepEqual(left[key], [owner, owner, 'candidates'])
})

test('what is refused', () => {
  for (const other of [undefined, null, 'a', {}, before.toJSON(), () => 'a']) {
    wrongType(() => before.diff(other), /^after must be a Cluster or a Transition/)
    wrongType(() => before.diffKeys(other, []), /^after must be a Cluster or a Transition/)
  }
  for (const keys of ['abc', Buffer.from('abc'), 1, true, {}, () => []]) {
    wrongType(() => before.diff(after, { keys }), /^keys must be/)
    wrongType(() => before.diffKeys(after, keys), /^keys must be/)
  }
  for (const keys of [undefined, null]) {
    wrongType(() => before.diffKeys(after, keys), /^keys must be/)
    assert.equal(before.diff(after, { keys }).counted, null)
    wrongType(() => before.diff(after, { keys, sizes: [] }), /where there are sizes/)
  }
  for (const sizes of ['12', Buffer.from('a'), 1, true, {}]) wrongType(() => before.diff(after, { keys: ['k'], sizes }), /^sizes must be/)
  for (const size of ['1', null, undefined, true, {}]) wrongType(() => before.diff(after, { keys: ['k'], sizes: [size] }), /^size must be/)
  for (const size of [-1, 0.5, NaN, Infinity, 2 ** 53, -1n, 2n ** 64n]) refused(() => before.diff(after, { keys: ['k'], sizes: [size] }), 'invalid_parameter', /^size/)
  refused(() => before.diff(after, { keys: ['k', 'l'], sizes: [1] }), 'invalid_parameter', /1 sizes and more keys/)
  refused(() => before.diff(after, { keys: ['k'], sizes: [1, 2] }), 'invalid_parameter', /1 keys and more sizes/)
  refused(() => before.diff(after, { keys: ['k', 'l', null] }), 'invalid_key', /keys\[2\]/)
  refused(() => before.diff(after, { keys: [...Array(5000).fill('k'), 1.5] }), 'invalid_key', /keys\[5000\]/)
  refused(() => [...before.diffKeys(after, ['k', '\ud800'])], 'invalid_text')
  refused(() => before.diff(after, { r: 0 }), 'invalid_parameter')
  refused(() => before.diff(after, { r: 9 }), 'not_enough_nodes')
  refused(() => before.diffKeys(after, [], { r: -1 }), 'invalid_parameter')
  refused(() => before.diff(after, { spread: 8 }), 'invalid_parameter')
  refused(() => before.diff(after, { exclude: ['a', 'b', 'c', 'd'] }), 'no_nodes')
  wrongType(() => before.diff(after, { key: ['k'] }), /"key": known are keys, sizes, r/)
  wrongType(() => before.diff(after, ['k']))
  wrongType(() => before.diffKeys(after, [], { sizes: [] }), /"sizes": known are r/)
  const legacy = new Transition(() => 'old', after, 1, 2)
  for (const ask of [() => legacy.diff(after), () => before.diff(legacy), () => legacy.diffKeys(after, []), () => before.diffKeys(legacy, [])]) refused(ask, 'unsupported', /difference/)
})

test('what the caller throws passes through, and sizes are closed', () => {
  const error = new Error('of the keys')
  let closed = 0
  const sizes = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }), return: () => { closed++; return {} } }) }
  const failing = function * () { yield 'k'; throw error }
  assert.throws(() => before.diff(after, { keys: failing(), sizes }), thrown => thrown === error)
  refused(() => before.diff(after, { keys: ['k'], sizes }), 'invalid_parameter')
  assert.equal(closed, 2)
  assert.throws(() => [...before.diffKeys(after, failing())], thrown => thrown === error)
  // A key that asks the same difference while it is read.
  const moving = before.diffKeys(after, [Object.defineProperty(['a'], 0, { get: () => moving.next().value })])
  assert.throws(() => moving.next(), TypeError)
})
