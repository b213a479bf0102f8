// Trouble that people who place keys have met in the field: tests/cases/field-cases.json, each case by its number.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keystead, shared } from '../support/package.mjs'

const { Cluster, encodeKey, jump, rankScores } = keystead

const cases = new Map(shared('cases', 'field-cases.json').cases.map(one => [one.id, one]))
const tested = new Set()

function field (id, body) {
  const { symptom, input, expected } = cases.get(id)
  tested.add(id)
  test(`${id}: ${symptom}`, () => body(input, expected.check))
}

/** The keys of a case's generator: `fmt % i`. */
function generated ({ gen, fmt, from = 0, step = 1, n }) {
  assert.ok(['seq', 'step'].includes(gen), gen)
  return Array.from({ length: n }, (_, index) => fmt.replace(/%(?:0(\d+))?d/, (_, width) => String(from + index * step).padStart(Number(width ?? 0), '0')))
}

function orders (list) {
  return list.length < 2 ? [list] : list.flatMap((item, index) => orders(list.toSpliced(index, 1)).map(rest => [item, ...rest]))
}

function shareOf (owners, id) {
  return owners.filter(owner => owner === id).length / owners.length
}

/** What moved between two lists of owners: [from, to]. */
function moves (before, after) {
  return before.flatMap((from, index) => (from === after[index] ? [] : [[from, after[index]]]))
}

function assertMoved (moved, keys, { moved_p: wanted, tol_hrw: tolerance }) {
  const share = moved.length / keys.length
  assert.ok(Math.abs(share - wanted) <= tolerance, `${share} of the keys moved, not ${wanted} ± ${tolerance}`)
}

function assertShares (owners, wanted, tolerance) {
  for (const [id, share] of Object.entries(wanted)) {
    const found = shareOf(owners, id)
    assert.ok(Math.abs(found - share) <= tolerance, `${id} has ${found}, not ${share} ± ${tolerance}`)
  }
}

const equalShares = nodes => Object.fromEntries(nodes.map(({ id }) => [id, 1 / nodes.length]))

field('B04', ({ nodes, keys_utf8: keys }) => {
  const cluster = new Cluster(nodes)
  const table = new Cluster(nodes, { algorithm: 'slots-1', slots: 1 })
  for (const key of keys) assert.ok(cluster.has(cluster.owner(key)))
  // Zeros that are answers: the first index, the first slot, bucket 0, weight 0, level 0.
  assert.ok([...cluster.ownerIndices(generated({ gen: 'seq', fmt: '%d', n: 50 }))].includes(0))
  assert.equal(table.slot(keys[0]), 0)
  assert.deepEqual(table.slotRanking(0, 1), [table.owner(keys[0])])
  assert.equal(jump(0, 1), 0)
  assert.equal(cluster.withWeight('c0', 0).node('c0').weight, 0)
})

field('B05', ({ pairs }, { exact }) => {
  assert.deepEqual(pairs.map(([key, n]) => jump(BigInt(key), n)), exact)
  assert.throws(() => jump(9007199254740993, 1000), { code: 'invalid_parameter' })
})

field('B08', ({ nodes, keys_utf8: keys, bytes_hex: bytes }) => {
  const cluster = new Cluster(nodes)
  for (const key of keys) assert.deepEqual(cluster.ranking(key), cluster.ranking(Buffer.from(key)))
  for (const hex of bytes) assert.equal(cluster.ranking(Buffer.from(hex, 'hex')).length, 5)
  assert.notDeepEqual(encodeKey(keys[0]), encodeKey(keys[1]), 'two forms of é are two keys')
  assert.throws(() => cluster.owner('\ud83d'), { code: 'invalid_text' })
})

field('B11', ({ nodes, prefix, keys }) => {
  const cluster = new Cluster(nodes)
  const [packed, ends] = [Buffer.from(prefix + generated(keys).join(prefix)), [0]]
  for (const key of generated(keys)) ends.push(ends.at(-1) + prefix.length + key.length)
  assert.deepEqual(cluster.ownersPacked(packed, Uint32Array.from(ends)), cluster.ownerIndices(generated(keys).map(key => prefix + key)))
  assert.throws(() => new Cluster(nodes, { prefix }), TypeError)
})

field('B12', ({ composite_keys: pairs }) => {
  for (const [a, b] of pairs) assert.notDeepEqual(encodeKey(a), encodeKey(b))
})

field('B13', ({ nodes, keys }) => {
  const byName = new Cluster(nodes.map(({ id }) => id))
  class Server { constructor (id) { this.id = id } }
  const byObject = new Cluster(nodes.map(({ id }) => new Server(id)))
  assert.deepEqual(byName.ownerMany(generated(keys)), byObject.ownerMany(generated(keys)))
  for (const opaque of [Object.create(null), { name: 's:11211' }, { toString: () => 's:11211' }, new URL('http://s:11211')]) assert.throws(() => new Cluster([opaque]), TypeError)
})

field('B15', ({ nodes }, { error, message_names: named }) => {
  assert.throws(() => new Cluster(nodes), { code: error, message: new RegExp(named) })
  assert.deepEqual(new Cluster(nodes.slice(0, 2)).nodes.map(({ address }) => address), ['10.7.0.1:80', '10.7.0.1:80'])
})

field('B18', ({ nodes, change, keys: generator }, check) => {
  const keys = generated(generator)
  const before = new Cluster(nodes).ownerMany(keys)
  const placeholder = { id: '127.0.0.1:1', weight: 0 }
  for (const order of [...orders(nodes), ...nodes.map((_, index) => nodes.toSpliced(index, 0, placeholder))]) {
    assert.deepEqual(new Cluster(order).ownerMany(keys), before)
  }
  const moved = moves(before, new Cluster(nodes).change(change).ownerMany(keys))
  assert.ok(moved.every(([, to]) => to === change.add[0].id))
  assertMoved(moved, keys, check)
})

field('B20', ({ forced_scores: scores }, { exact_rank: ranking }) => {
  for (const order of orders(Object.entries(scores))) assert.deepEqual(rankScores(order), ranking)
})

field('B21', () => {
  const ring = { algorithm: 'ring-1', tokensPerWeight: 160 }
  const ids = Array.from({ length: 1500 }, (_, index) => `cache-${index}`)
  const all = new Cluster(ids, ring)
  let changing = all
  for (const id of ['cache-115', 'cache-599', 'cache-494', 'cache-681', 'cache-0', 'cache-1499']) {
    changing = changing.withoutNode(id)
    assert.deepEqual(changing, new Cluster(ids.filter(other => changing.has(other)), ring))
  }
  for (const id of ids.filter(id => !changing.has(id)).reverse()) changing = changing.withNode(id)
  assert.deepEqual(changing.arcs(), all.arcs())
  assert.equal(new Cluster(Array.from({ length: 10000 }, (_, index) => `cache-${index}`), { algorithm: 'ring-1', tokensPerWeight: 16 }).size, 10000)
})

field('B23', ({ nodes, change, keys: generator }, check) => {
  const keys = generated(generator)
  const cluster = new Cluster(nodes)
  const before = cluster.ownerMany(keys)
  const grown = cluster.change(change)
  const moved = moves(before, grown.ownerMany(keys))
  assert.ok(moved.every(([, to]) => to === 'mc9'))
  assertMoved(moved, keys, check)
  assert.deepEqual(grown.withoutNode('mc9').ownerMany(keys), before)
  for (const factor of check.scale_invariant) assert.deepEqual(new Cluster(nodes.map(({ id, weight }) => ({ id, weight: weight * factor }))).ownerMany(keys), before)
})

field('B24', ({ nodes, change, keys: generator, ring_sizes: sizes }, check) => {
  const keys = generated(generator)
  for (const options of [{}, ...sizes.slice(0, 2).map(tokensPerWeight => ({ algorithm: 'ring-1', tokensPerWeight }))]) {
    const cluster = new Cluster(nodes, options)
    const moved = moves(cluster.ownerMany(keys), cluster.change(change).ownerMany(keys))
    assert.ok(moved.every(([from]) => from === 'C'))
    if (!options.algorithm) assertMoved(moved, keys, check)
  }
})

field('B25', ({ equal_weight_node_counts: counts, points }) => {
  for (const count of counts) {
    for (const tokensPerWeight of points) {
      const arcs = new Cluster(Array.from({ length: count }, (_, index) => `n${index}`), { algorithm: 'ring-1', tokensPerWeight }).arcs()
      const tokens = new Map()
      for (const { owner } of arcs) tokens.set(owner, (tokens.get(owner) ?? 0) + 1)
      assert.deepEqual([...tokens.values()], new Array(count).fill(tokensPerWeight))
    }
  }
})

field('B26', ({ nodes, change, keys: generator }, check) => {
  const keys = generated(generator)
  const cluster = new Cluster(nodes)
  const moved = moves(cluster.ownerMany(keys), cluster.change(change).ownerMany(keys))
  assert.ok(moved.every(([from]) => from === 'n4'))
  assertMoved(moved, keys, check)
})

field('B27', ({ nodes, change, keys: generator }, check) => {
  const keys = generated(generator)
  const cluster = new Cluster(nodes)
  const before = cluster.ownerMany(keys)
  const during = keys.map(key => cluster.owner(key, { exclude: change.down }))
  const moved = moves(before, during)
  assert.ok(moved.every(([from]) => change.down.includes(from)))
  assertMoved(moved, keys, check)
  during.forEach((owner, index) => assert.equal(owner, cluster.ranking(keys[index]).find(id => !change.down.includes(id))))
  assert.deepEqual(cluster.ownerMany(keys), before)
})

field('B29', ({ nodes, change, keys: generator }, check) => {
  const keys = generated(generator)
  const cluster = new Cluster(nodes)
  const moved = moves(cluster.ownerMany(keys), cluster.change({ weight: change.reweight }).ownerMany(keys))
  assert.ok(moved.every(([, to]) => check.only_gainers.includes(to)))
  assertMoved(moved, keys, check)
})

for (const id of ['B30', 'B31', 'B32']) {
  field(id, ({ nodes, keys, more_keys: more = [] }, { tol_hrw: tolerance }) => {
    for (const generator of [keys, ...more]) assertShares(new Cluster(nodes).ownerMany(generated(generator)), equalShares(nodes), tolerance)
  })
}

field('B34', ({ nodes, keys, vnodes }, check) => {
  const spread = options => {
    const groups = new Cluster(nodes, options).groupByOwner(generated(keys))
    return Math.sqrt([...groups.values()].reduce((sum, { length }) => sum + (length - check.mean) ** 2, 0) / nodes.length)
  }
  assert.ok(spread({}) <= check.sd_hrw_max)
  for (const tokensPerWeight of vnodes) assert.ok(spread({ algorithm: 'ring-1', tokensPerWeight }) > 0)
})

field('B35', ({ nodes, keys, more }) => {
  for (const same of [keys, ...more]) assert.equal(new Set(new Cluster(nodes).ownerMany(same)).size, 1)
})

field('B37', ({ nodes, bad_weights: weights }, { reject }) => {
  const keys = generated({ gen: 'seq', fmt: 'k%d', n: 1000 })
  const cluster = new Cluster(nodes)
  const numbers = { NaN, Infinity, '-Infinity': -Infinity }
  for (const given of weights) {
    const weight = typeof given === 'string' ? numbers[given] ?? given : given
    const build = () => cluster.withNode({ id: 'n4', weight })
    const refused = reject.includes(given) || weight === 1e308
    if (refused) assert.throws(build, error => (typeof weight === 'number' ? error.code === 'invalid_weight' : error instanceof TypeError), String(weight))
    else assert.deepEqual(build().ownerMany(keys), cluster.ownerMany(keys), '0 is as absent')
  }
  assert.throws(() => new Cluster(nodes.map(({ id }) => ({ id, weight: 0 }))), { code: 'no_nodes' })
  assert.deepEqual(rankScores([['a', 0], ['b', 2n ** 64n - 1n]]), ['b', 'a'])
})

field('B38', ({ nodes, keys: generator }, { inclusion_p: inclusion, tol_hrw: tolerance }) => {
  const keys = generated(generator)
  const cluster = new Cluster(nodes)
  for (const [r, wanted] of Object.entries(inclusion)) {
    const held = keys.map(key => cluster.replicas(key, Number(r)))
    for (const { id } of nodes) {
      const share = held.filter(ids => ids.includes(id)).length / keys.length
      const theory = wanted[id] ?? wanted['n1..n5']
      assert.ok(Math.abs(share - theory) <= tolerance, `${id} holds ${share} at r = ${r}, not ${theory} ± ${tolerance}`)
    }
  }
})

field('B39', ({ nodes, keys }, { share_p: shares, tol_hrw: tolerance }) => {
  assertShares(new Cluster(nodes).ownerMany(generated(keys)), shares, tolerance)
})

field('B41', ({ cases, keys: generator }) => {
  for (const { nodes, replicas } of cases) {
    if (nodes.length === 0) {
      assert.throws(() => new Cluster(nodes), { code: 'no_nodes' })
      continue
    }
    const cluster = new Cluster(nodes)
    for (const key of generated(generator)) {
      if (replicas > nodes.length) assert.throws(() => cluster.replicas(key, replicas), { code: 'not_enough_nodes' })
      else assert.equal(new Set(cluster.replicas(key, replicas)).size, replicas)
    }
  }
})

field('B43', ({ nodes, replicas, keys }) => {
  const located = new Cluster(nodes.map(({ id, host, zone }) => ({ id, location: [zone, host] })), { levels: ['zone', 'host'] })
  for (const r of replicas) {
    for (const spread of ['zone', 'host', 0, 1]) {
      for (const key of generated(keys)) assert.equal(new Set(located.replicas(key, r, { spread }).map(id => id.split(':')[0])).size, r)
    }
  }
})

field('B47', ({ nodes, tenants, sizes, change }) => {
  const located = list => list.map(({ id, zone }) => ({ id, location: [zone] }))
  const cluster = new Cluster(located(nodes), { levels: ['zone'] })
  const grown = cluster.change({ add: located(change.add_zone) })
  const zoneOf = new Map(nodes.map(({ id, zone }) => [id, zone]))
  const relaxed = { spread: 'zone', relaxed: true }
  for (const tenant of generated(tenants)) {
    let previous = []
    for (const size of sizes) {
      if (size > nodes.length) {
        assert.throws(() => cluster.replicas(tenant, size, relaxed), { code: 'not_enough_nodes' })
        continue
      }
      const subset = cluster.replicas(tenant, size, relaxed)
      assert.equal(new Set(subset).size, size)
      assert.deepEqual(subset.slice(0, previous.length), previous)
      const counts = ['z0', 'z1', 'z2'].map(zone => subset.filter(id => zoneOf.get(id) === zone).length)
      // One zone has three nodes only, so that from ten on it can give no more.
      if (size <= 9) assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `${counts} of ${size}`)
      const [member] = change.add_zone
      const after = grown.replicas(tenant, size, relaxed)
      if (size <= 3) assert.ok(subset.filter(id => !after.includes(id)).length <= (after.includes(member.id) ? 1 : 0))
      previous = subset
    }
  }
})

field('B51', ({ nodes, vnodes, keys }, { reject }) => {
  const build = tokensPerWeight => new Cluster(nodes, { algorithm: 'ring-1', tokensPerWeight })
  assert.notDeepEqual(build(1).ownerMany(generated(keys)), build(160).ownerMany(generated(keys)))
  for (const tokens of vnodes.filter(tokens => ![1, 160].includes(tokens))) {
    assert.ok(reject.includes(tokens) || tokens === 4294967296)
    assert.throws(() => build(tokens), error => (typeof tokens === 'string' ? error instanceof TypeError : error.code === 'invalid_parameter'))
  }
  assert.throws(() => new Cluster(nodes, { algorithm: 'ring-1', vnodes: 160 }), TypeError)
})

test('every case is tested', () => {
  assert.deepEqual([...cases.keys()].filter(id => !tested.has(id)), [])
})
