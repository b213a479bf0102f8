// What the arguments other than keys may be, and the errors of those that they may not.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

import { refused, wrongType } from '../support/errors.mjs'
import { keystead } from '../support/package.mjs'

const { Cluster, encodeKey, jump, jumpBucket, modulo, rankScores, Transition } = keystead

const SECRET = Uint8Array.from({ length: 16 }, (_, index) => index + 100)
const cluster = new Cluster(['a', 'b', 'c', { id: 'd', weight: 0 }])
const slots = new Cluster(['a', 'b'], { algorithm: 'slots-1', slots: 8 })
const ring = new Cluster(['a', 'b'], { algorithm: 'ring-1', tokensPerWeight: 4 })

const NO_ITERABLES = [undefined, null, 'abc', 1, true, {}, () => [], Symbol('a'), 1n, new Uint8Array(2), Buffer.from('ab'), new ArrayBuffer(2)]
const NO_STRINGS = [undefined, null, 1, true, {}, [], Symbol('a'), 1n, Buffer.from('a'), () => 'a', { toString: () => 'a' }]
const NO_NUMBERS = [null, '1', true, {}, [], 1n, Symbol('a'), () => 1, new Date(0), { valueOf: () => 1 }]
const NO_OPTIONS = ['a', 1, true, [], Symbol('a'), 1n, () => 1, new Set(['a']), new Map(), new Date(0), new Uint8Array(1)]

test('nodes', () => {
  for (const nodes of NO_ITERABLES) wrongType(() => new Cluster(nodes))
  wrongType(() => new Cluster(cluster), /property nodes/)
  for (const id of NO_STRINGS) wrongType(() => new Cluster([{ id }]))
  for (const node of [undefined, null, 1, true, ['a'], Symbol('a'), () => 1, 1n, {}, new Date(0)]) wrongType(() => new Cluster([node]))
  wrongType(() => new Cluster([{ id: 'a', weigth: 2 }]), /"weigth": known are id, weight/)
  const built = [['b', 'a'], new Set(['a', 'b']), (function * () { yield 'b'; yield 'a' })(), new Map([['a', 1], ['b', 2]]).keys()]
  for (const nodes of built) assert.deepEqual([...new Cluster(nodes)], ['a', 'b'])
  refused(() => new Cluster([]), 'no_nodes')
  refused(() => new Cluster([{ id: 'a', weight: 0 }]), 'no_nodes')
  refused(() => new Cluster(['a', 'a']), 'duplicate_node', /"?a"?/)
  refused(() => new Cluster(['']), 'invalid_id')
  refused(() => new Cluster(['\ud800']), 'invalid_text')
  refused(() => new Cluster([{ id: 'a', location: ['\udc00'] }]), 'invalid_text')
  refused(() => new Cluster([{ id: 'a', comment: '\udc00' }]), 'invalid_text')
  refused(() => new Cluster([{ id: 'a', meta: { '\udc00': '' } }]), 'invalid_text')
})

test('endless nodes end with an error', { timeout: 60000 }, () => {
  refused(() => new Cluster((function * () { for (let index = 0; ; index++) yield `n${index}` })()), 'too_many_nodes')
  refused(() => new Cluster([{ id: 'a', location: (function * () { for (;;) yield 'z' })() }]), 'invalid_location')
  refused(() => new Cluster(['a'], { levels: (function * () { for (let index = 0; ; index++) yield `l${index}` })() }), 'invalid_parameter')
})

test('weights', () => {
  for (const weight of NO_NUMBERS) wrongType(() => new Cluster(['b', { id: 'a', weight }]))
  for (const weight of [-1, 1.5, NaN, Infinity, -Infinity, 2 ** 32, 2 ** 53, 1e308, 5e-324]) refused(() => new Cluster(['b', { id: 'a', weight }]), 'invalid_weight', /0 to 4294967295/)
  refused(() => cluster.withWeight('a', 4294967296), 'invalid_weight', /^weight 4294967296 is out of range: an integer from 0 to 4294967295$/)
  for (const weight of [0, -0, 1, 4294967295]) assert.equal(new Cluster(['b', { id: 'a', weight }]).node('a').weight, Math.abs(weight))
  assert.equal(new Cluster([{ id: 'a', weight: undefined }]).node('a').weight, 1)
})

test('the other members of a node', () => {
  for (const location of ['eu', 1, {}, true]) wrongType(() => new Cluster([{ id: 'a', location }]))
  for (const text of NO_STRINGS.slice(2)) {
    wrongType(() => new Cluster([{ id: 'a', location: [text] }]))
    wrongType(() => new Cluster([{ id: 'a', address: text }]))
    wrongType(() => new Cluster([{ id: 'a', comment: text }]))
    wrongType(() => new Cluster([{ id: 'a', meta: { k: text } }]))
  }
  for (const meta of ['a', 1, [], [['a', 'b']], new Map([['a', 'b']]), true]) wrongType(() => new Cluster([{ id: 'a', meta }]))
  const node = { id: 'a', weight: 2, location: ['eu', 'eu-1'], address: '10.7.0.2:80', meta: { rack: 'r7', ['__proto__']: 'x' }, comment: 'ssd' }
  const [kept] = new Cluster([node]).nodes
  assert.deepEqual(kept, node)
  assert.deepEqual(new Cluster(new Cluster([node]).nodes).nodes, [node])
  assert.deepEqual(new Cluster([{ id: 'a', location: null, tokens: null, address: null, meta: null, comment: null }]).nodes, [{ id: 'a', weight: 1, location: [] }])
})

test('tokens', () => {
  const build = (tokens, options) => new Cluster([{ id: 'a', tokens }], { algorithm: 'ring-1', ...options })
  assert.deepEqual(build([5, 2n ** 64n - 1n, 0n]).nodes[0].tokens, [0n, 5n, 2n ** 64n - 1n])
  for (const tokens of ['12', 1, {}, [null], ['1'], [true], [undefined], [[1]]]) wrongType(() => build(tokens))
  for (const token of [-1n, 2n ** 64n, -(2n ** 64n), 2n ** 5000n, -1, 0.5, NaN, 2 ** 53]) refused(() => build([token]), 'invalid_tokens')
  refused(() => build([]), 'invalid_tokens')
  refused(() => build([1, 1n]), 'invalid_tokens')
  refused(() => build([32n], { space: 32 }), 'invalid_tokens')
})

test('parameters', () => {
  const build = options => new Cluster(['a', 'b'], options)
  for (const options of NO_OPTIONS) wrongType(() => build(options))
  wrongType(() => build({ tokens_per_weight: 1 }), /"tokens_per_weight": known are algorithm/)
  for (const name of ['algorithm', 'hash']) for (const value of NO_STRINGS.slice(2)) wrongType(() => build({ [name]: value }))
  for (const name of ['epoch', 'tokensPerWeight', 'slots', 'headroom']) {
    for (const value of NO_NUMBERS.slice(1)) wrongType(() => build({ [name]: value }))
    for (const value of [-1, 0.5, NaN, Infinity, 2 ** 53]) refused(() => build({ [name]: value, algorithm: ALGORITHM[name] }), 'invalid_parameter')
  }
  for (const name of ['seed', 'space']) {
    for (const value of ['1', true, {}, []]) wrongType(() => build({ [name]: value }))
    for (const value of [-1n, 2n ** 64n, 2n ** 5000n, -1, 0.5, NaN, 2 ** 53]) refused(() => build({ [name]: value }), 'invalid_parameter')
  }
  for (const levels of ['zone', 1, {}]) wrongType(() => build({ levels }))
  refused(() => build({ levels: [] }), 'invalid_parameter')
  refused(() => build({ algorithm: 'rendezvous' }), 'invalid_parameter')
  refused(() => build({ algorithm: '\ud800' }), 'invalid_text')
  refused(() => build({ slots: 8 }), 'invalid_parameter', /slots/)
  const absent = { algorithm: null, hash: null, seed: null, secret: null, epoch: null, levels: null, tokensPerWeight: null, space: null, slots: null, headroom: null }
  assert.equal(build(absent).fingerprint, build().fingerprint)
  assert.equal(build(null).fingerprint, build({}).fingerprint)
  for (const seed of [1, 1n]) assert.equal(build({ seed }).seed, 1n)
  assert.equal(build({ seed: 2n ** 64n - 1n }).seed, 2n ** 64n - 1n)
  assert.equal(build({ epoch: Number.MAX_SAFE_INTEGER }).epoch, Number.MAX_SAFE_INTEGER)
})

const ALGORITHM = { epoch: undefined, tokensPerWeight: 'ring-1', slots: 'slots-1', headroom: 'slots-1' }

test('properties are what is in force', () => {
  const { seed, epoch, levels, tokensPerWeight, space, slots: none, headroom, comment, hasSecret, algorithm, hash, size } = cluster
  assert.deepEqual({ seed, epoch, levels, tokensPerWeight, space, none, headroom, comment, hasSecret, algorithm, hash, size },
    { seed: 0n, epoch: null, levels: null, tokensPerWeight: null, space: null, none: null, headroom: null, comment: null, hasSecret: false, algorithm: 'rendezvous-1', hash: 'xxh3', size: 4 })
  assert.equal(ring.tokensPerWeight, 4)
  assert.equal(slots.slots, 8)
  assert.deepEqual(new Cluster(['a'], { levels: new Set(['region', 'zone']) }).levels, ['region', 'zone'])
})

test('secrets stay secret', () => {
  const secret = Buffer.from('a secret of mine')
  const hidden = new Cluster(['a', 'b'], { hash: 'sip13', secret })
  assert.equal(hidden.hasSecret, true)
  assert.equal(hidden.seed, null)
  for (const shown of [inspect(hidden, { showHidden: true, depth: 9, getters: true }), JSON.stringify(hidden), hidden.toJson(), String(hidden), `${Object.entries(hidden)}`]) {
    assert.ok(!shown.includes('a secret of mine') && !shown.includes(secret.toString('hex')) && !shown.includes('97, 32, 115'), shown)
  }
  for (const secret of ['a secret of mine', 1, {}, [1], new Uint16Array(8), new ArrayBuffer(16), true]) {
    assert.throws(() => new Cluster(['a'], { hash: 'sip13', secret }), error => error instanceof TypeError && !error.message.includes('a secret'))
  }
  refused(() => new Cluster(['a'], { hash: 'sip13', secret: Buffer.from('short') }), 'invalid_parameter', /5/)
  assert.throws(() => new Cluster(['a'], { hash: 'sip13', secret: Buffer.from('short') }), error => !error.message.includes('short'))
  refused(() => new Cluster(['a'], { hash: 'sip13' }), 'missing_secret')
  refused(() => new Cluster(['a'], { secret: SECRET }), 'unexpected_secret')
  refused(() => new Cluster(['a'], { hash: 'sip13', secret: SECRET, seed: 0 }), 'invalid_parameter')
  const detached = new Uint8Array(16)
  structuredClone(detached, { transfer: [detached.buffer] })
  refused(() => new Cluster(['a'], { hash: 'sip13', secret: detached }), 'invalid_parameter')
  const own = Uint8Array.from(secret)
  const before = new Cluster(['a', 'b'], { hash: 'sip13', secret: own })
  own.fill(0)
  assert.equal(before.fingerprint, hidden.fingerprint, 'the secret is copied')
})

test('exclude', () => {
  for (const options of NO_OPTIONS) wrongType(() => cluster.owner('k', options))
  for (const exclude of ['a', 1, {}, true, Buffer.from('a')]) for (const ask of [() => cluster.owner('k', { exclude }), () => cluster.ranking('k', 2, { exclude }), () => cluster.replicas('k', 1, { exclude })]) wrongType(ask)
  for (const id of NO_STRINGS) wrongType(() => cluster.owner('k', { exclude: [id] }))
  refused(() => cluster.owner('k', { exclude: ['\ud800'] }), 'invalid_text')
  wrongType(() => cluster.owner('k', { exlude: ['a'] }), /"exlude": known are exclude/)
  wrongType(() => cluster.owner('k', { spread: 0 }))
  wrongType(() => cluster.ranking('k', 1, { relaxed: true }))
  const [first, second] = cluster.ranking('k')
  for (const exclude of [[first], new Set([first, 'unknown']), (function * () { yield first })(), [first, first]]) assert.equal(cluster.owner('k', { exclude }), second)
  assert.equal(cluster.owner('k', { exclude: [] }), first)
  assert.equal(cluster.owner('k', { exclude: null }), first)
  assert.equal(cluster.owner('k', null), first)
  refused(() => cluster.owner('k', { exclude: ['a', 'b', 'c'] }), 'no_nodes', /1.*drained.*3.*excluded/)
  refused(() => cluster.ranking('k', 1, { exclude: cluster }), 'no_nodes')
  assert.deepEqual(cluster.ranking('k', 0, { exclude: cluster }), [])
})

test('limits and numbers of copies', () => {
  for (const number of NO_NUMBERS) {
    wrongType(() => cluster.replicas('k', number))
    wrongType(() => cluster.replicaIndices(['k'], number))
    if (number === null) continue
    wrongType(() => slots.slotRanking(0, number))
    // An object in the place of a number that can be left out is the options.
    if (inspect(number) !== '{}') wrongType(() => cluster.ranking('k', number))
  }
  wrongType(() => cluster.replicas('k'))
  wrongType(() => cluster.explain('k', null))
  for (const number of [-1, 0.5, NaN, Infinity, -Infinity, -(2 ** 60)]) {
    for (const ask of [() => cluster.replicas('k', number), () => cluster.ranking('k', number), () => cluster.explain('k', number), () => cluster.replicaIndices(['k'], number)]) refused(ask, 'invalid_parameter')
  }
  assert.deepEqual(cluster.ranking('k', 2), cluster.ranking('k').slice(0, 2))
  for (const all of [undefined, null, 3, 4, 1000, 2 ** 53, 1e300]) assert.equal(cluster.ranking('k', all).length, 3)
  refused(() => cluster.replicas('k', 4), 'not_enough_nodes', /4.*3/)
  refused(() => cluster.replicas('k', 1e300), 'not_enough_nodes')
  refused(() => cluster.replicaIndices(['k'], 2 ** 40), 'not_enough_nodes')
  assert.deepEqual(cluster.replicas('k', 0), [])
  assert.deepEqual(cluster.replicaIndices(['k', 'l'], 0), new Uint32Array(0))
})

test('options in the place of a number that is left out', () => {
  const exclude = [cluster.owner('k')]
  assert.deepEqual(cluster.ranking('k', { exclude }), cluster.ranking('k', undefined, { exclude }))
  assert.deepEqual(cluster.explain('k', { exclude }), cluster.explain('k', 1, { exclude }))
  wrongType(() => cluster.ranking('k', { exlude: [] }))
  wrongType(() => cluster.ranking('k', {}, {}))
})

test('spread', () => {
  const zoned = new Cluster(['a', 'b', 'c'].map((id, index) => ({ id, location: [`z${index % 2}`] })), { levels: ['zone'] })
  for (const spread of [true, {}, [], 1n, Symbol('a')]) wrongType(() => zoned.replicas('k', 2, { spread }))
  for (const relaxed of ['yes', 1, {}, []]) wrongType(() => zoned.replicas('k', 2, { spread: 0, relaxed }))
  for (const spread of [-1, 0.5, NaN, 8, 2 ** 40, 'rack', '']) refused(() => zoned.replicas('k', 2, { spread }), 'invalid_parameter')
  refused(() => zoned.replicas('k', 2, { spread: '\ud800' }), 'invalid_text')
  refused(() => zoned.replicas('k', 2, { spread: 1 }), 'uneven_locations')
  refused(() => zoned.replicas('k', 3, { spread: 0 }), 'not_enough_domains', /3.*2/)
  assert.equal(zoned.replicas('k', 3, { spread: 'zone', relaxed: true }).length, 3)
  assert.deepEqual(zoned.replicas('k', 2, { spread: 0 }), zoned.replicas('k', 2, { spread: 'zone', relaxed: null, exclude: null }))
  assert.deepEqual(zoned.replicas('k', 2, { spread: null }), zoned.replicas('k', 2))
})

test('the order of the checks of replicas', () => {
  const nested = new Cluster([{ id: 'a', location: ['x'] }, { id: 'b', location: ['y'] }], { algorithm: 'hierarchy-1' })
  assert.deepEqual(nested.replicas(null, 0, { spread: NaN }), [])
  refused(() => nested.replicas(null, 2), 'invalid_parameter')
  refused(() => nested.replicas(null, 2, { spread: 'rack' }), 'invalid_parameter')
  refused(() => nested.replicas(null, 2, { spread: 4 }), 'uneven_locations')
  refused(() => nested.replicas(null, 9, { spread: 0, exclude: ['a', 'b'] }), 'invalid_key')
  refused(() => nested.replicas('k', 9, { spread: 0, exclude: ['a', 'b'] }), 'no_nodes')
  refused(() => nested.replicas('k', 9, { spread: 0 }), 'not_enough_nodes')
  refused(() => nested.replicaIndices([null], 2), 'invalid_parameter')
})

test('batches', () => {
  for (const keys of NO_ITERABLES) {
    for (const ask of [() => cluster.ownerMany(keys), () => cluster.ownerIndices(keys), () => cluster.replicaIndices(keys, 1), () => slots.slotIndices(keys), () => cluster.groupByOwner(keys)]) wrongType(ask)
  }
  assert.deepEqual(cluster.ownerMany([]), [])
  assert.deepEqual(cluster.ownerIndices(new Set(['k', 1n, Buffer.from('x')])), cluster.ownerIndices(['k', 1, 'x']))
  assert.deepEqual(cluster.ownerIndices(new BigUint64Array([1n, 2n])), cluster.ownerIndices([1, 2]))
  assert.deepEqual(cluster.groupByOwner([]), new Map([['a', []], ['b', []], ['c', []], ['d', []]]))
  refused(() => cluster.ownerMany(new Array(2 ** 32 - 1)), 'invalid_parameter')
  refused(() => cluster.slotIndices([]), 'unsupported')
})

test('packed keys', () => {
  const bytes = Buffer.from('abcdef')
  for (const other of [undefined, null, 'abc', [1], new Uint16Array(2), new ArrayBuffer(2)]) wrongType(() => cluster.ownersPacked(other, Uint32Array.of(0)))
  for (const other of [undefined, null, [0, 1], new Uint8Array(2), new Float32Array(2), new BigUint64Array(2)]) wrongType(() => cluster.ownersPacked(bytes, other))
  refused(() => cluster.ownersPacked(bytes, Int32Array.of(-1, 2)), 'invalid_parameter', /key 0 from offset -1 to 2 is out of bounds/)
  for (const offsets of [[0, 7], [3, 2], [0, 2 ** 32 - 1], [7, 7], [0, 3, 2], [6, 7]]) refused(() => cluster.ownersPacked(bytes, Uint32Array.from(offsets)), 'invalid_parameter')
  refused(() => cluster.ownersPacked(bytes, new Uint32Array(0)), 'invalid_parameter', /n \+ 1/)
  assert.deepEqual(cluster.ownersPacked(bytes, Uint32Array.of(9)), new Uint32Array(0))
  for (const Offsets of [Uint32Array, Int32Array]) assert.deepEqual(cluster.ownersPacked(bytes, Offsets.of(1, 1, 3, 6)), cluster.ownerIndices(['', 'bc', 'def']))
})

test('questions about nodes, slots and coordinates', () => {
  for (const id of NO_STRINGS) for (const ask of [() => cluster.node(id), () => cluster.has(id), () => slots.slotsOf(id), () => cluster.withoutNode(id), () => cluster.withWeight(id, 1)]) wrongType(ask)
  refused(() => cluster.node('x'), 'unknown_node', /x/)
  refused(() => cluster.node('\ud800'), 'invalid_text')
  assert.deepEqual([cluster.has('a'), cluster.has('d'), cluster.has('x')], [true, true, false])
  for (const slot of [undefined, ...NO_NUMBERS]) wrongType(() => slots.slotRanking(slot))
  for (const slot of [-1, 0.5, NaN, 8, 2 ** 40]) refused(() => slots.slotRanking(slot), 'invalid_parameter')
  for (const at of [undefined, null, '1', true, {}]) wrongType(() => ring.ownerAt(at))
  for (const at of [-1n, 2n ** 64n, -1, 0.5, NaN, 2 ** 53]) refused(() => ring.ownerAt(at), 'invalid_parameter')
  assert.equal(ring.ownerAt(5), ring.ownerAt(5n))
  const asks = { slot: c => c.slot('k'), slotOwners: c => c.slotOwners(), slotsOf: c => c.slotsOf('a'), slotRanking: c => c.slotRanking(0), ownerAt: c => c.ownerAt(0), arcs: c => c.arcs() }
  for (const ask of Object.values(asks)) refused(() => ask(cluster), 'unsupported')
})

test('changes', () => {
  for (const changes of NO_OPTIONS) wrongType(() => cluster.change(changes))
  wrongType(() => cluster.change({ added: ['x'] }), /"added": known are add, remove, weight, drain/)
  for (const name of ['add', 'remove', 'drain']) for (const value of ['a', 1, {}, true]) wrongType(() => cluster.change({ [name]: value }))
  for (const weight of ['a', 1, ['a'], true]) wrongType(() => cluster.change({ weight }))
  for (const weight of NO_NUMBERS) wrongType(() => cluster.change({ weight: { a: weight } }))
  refused(() => cluster.change({ weight: { a: -1 } }), 'invalid_weight')
  for (const change of [{ remove: ['x'] }, { drain: ['x'] }, { weight: { x: 1 } }]) refused(() => cluster.change(change), 'unknown_node', /x/)
  refused(() => cluster.change({ add: ['a'] }), 'duplicate_node')
  const changed = cluster.change({ add: ['e', { id: 'f', weight: 3 }], remove: ['a'], weight: new Map([['b', 5]]), drain: ['c'] })
  assert.deepEqual(changed.nodes.map(({ id, weight }) => [id, weight]), [['b', 5], ['c', 0], ['d', 0], ['e', 1], ['f', 3]])
  assert.equal(cluster.change({ weight: { b: 5 } }).fingerprint, cluster.withWeight('b', 5).fingerprint)
  assert.equal(cluster.change().fingerprint, cluster.fingerprint)
  assert.equal(cluster.withNode('x').withoutNode('x').fingerprint, cluster.fingerprint)
  wrongType(() => cluster.withEpoch())
  for (const epoch of ['1', 1n, true, {}]) wrongType(() => cluster.withEpoch(epoch))
  for (const epoch of [-1, 0.5, NaN, 2 ** 53]) refused(() => cluster.withEpoch(epoch), 'invalid_parameter')
  assert.equal(cluster.withEpoch(7).withEpoch(null).epoch, null)
})

test('compare', () => {
  for (const other of [undefined, null, 'a', {}, Cluster, Cluster.prototype, Object.create(Cluster.prototype)]) wrongType(() => cluster.compare(other))
  const [one, two] = [cluster.withEpoch(1), cluster.withNode('x').withEpoch(2)]
  assert.deepEqual([cluster.compare(one), one.compare(two), two.compare(one), two.compare(one.withEpoch(2)), two.compare(cluster)], ['same', 'older', 'newer', 'conflict', 'different'])
})

test('files', t => {
  const folder = mkdtempSync(join(tmpdir(), 'keystead-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'cluster.json')
  const hidden = new Cluster(['a', { id: 'b', meta: { k: 'v' }, comment: '' }], { hash: 'sip13', secret: SECRET, epoch: 3 })
  writeFileSync(path, hidden.toJson())
  for (const name of [path, pathToFileURL(path), Buffer.from(path)]) {
    const read = Cluster.load(name, { secret: SECRET })
    assert.deepEqual([read.fingerprint, read.epoch, read.nodes], [hidden.fingerprint, 3, hidden.nodes])
  }
  for (const name of [undefined, null, 0, {}, []]) wrongType(() => Cluster.load(name))
  assert.throws(() => Cluster.load(join(folder, 'none.json')), { code: 'ENOENT' })
  assert.throws(() => Cluster.load(folder), { code: 'EISDIR' })
  refused(() => Cluster.load(path), 'missing_secret')
  wrongType(() => Cluster.load(path, { sekret: SECRET }))
  for (const text of [undefined, null, 1, {}, [], new ArrayBuffer(2)]) wrongType(() => Cluster.fromJson(text))
  refused(() => Cluster.fromJson('{"keystead": 1, "nodes": ["\ud800"]}'), 'invalid_text')
  refused(() => Cluster.fromJson('{"keystead": 1, "nodes": ["\\ud800"]}'), 'invalid_text')
  refused(() => Cluster.fromJson('\ufeff{"keystead": 1, "nodes": ["a"]}'), 'invalid_file')
  refused(() => Cluster.fromJson(''), 'invalid_file')
  refused(() => Cluster.fromJson('{"keystead": 2}'), 'unsupported_version')
  assert.throws(() => Cluster.fromJson('{"keystead": 1,\n "nodes": ["a", null]}'), { code: 'invalid_file', line: 2, column: 17 })
  assert.equal(Cluster.fromJson(Buffer.from('{"keystead": 1, "nodes": ["é"]}')).ids[0], 'é')
  assert.equal(Cluster.fromJson(JSON.stringify(hidden), { secret: SECRET }).fingerprint, hidden.fingerprint)
})

test('functions', () => {
  for (const key of [undefined, null, '1', true, {}, Buffer.alloc(8)]) wrongType(() => jump(key, 10))
  for (const key of [-1, -1n, 2n ** 64n, 2 ** 53, 0.5, NaN]) refused(() => jump(key, 10), 'invalid_parameter')
  for (const ask of [n => jump(1n, n), n => jumpBucket('k', n), n => modulo('k', n)]) {
    for (const n of [undefined, ...NO_NUMBERS]) wrongType(() => ask(n))
    for (const n of [0, -1, 0.5, NaN, Infinity, 2 ** 31, 2 ** 53]) refused(() => ask(n), 'invalid_parameter')
    assert.equal(ask(1), 0)
  }
  for (const options of NO_OPTIONS) wrongType(() => modulo('k', 5, options))
  wrongType(() => modulo('k', 5, { sed: 1 }))
  refused(() => modulo('k', 5, { hash: 'md5' }), 'invalid_parameter')
  refused(() => jumpBucket('k', 5, { hash: 'sip13' }), 'missing_secret')
  assert.equal(jumpBucket('k', 1000, { seed: 5 }), jumpBucket('k', 1000, { seed: 5n, hash: 'xxh3' }))
  assert.ok(encodeKey('a') instanceof Uint8Array)
})

test('given scores', () => {
  for (const candidates of NO_ITERABLES) wrongType(() => rankScores(candidates))
  for (const candidate of [null, 'ab', {}, [], ['a'], ['a', 1, 1, 1], [1, 1], ['a', '1'], ['a', 1, '1'], ['a', null], ['a', 1, null]]) wrongType(() => rankScores([candidate]))
  for (const score of [-1, -1n, 2n ** 64n, 2 ** 53, 0.5, NaN]) refused(() => rankScores([['a', score]]), 'invalid_parameter')
  refused(() => rankScores([['a', 1, -1]]), 'invalid_weight')
  refused(() => rankScores([['a', 1], ['a', 2]]), 'duplicate_node')
  refused(() => rankScores([['', 1]]), 'invalid_id')
  refused(() => rankScores([['\ud800', 1]]), 'invalid_text')
  assert.deepEqual(rankScores(new Set([['n-b', 7], ['n-a', 7n], ['n-c', 3, 1], ['n-d', 9, 0]])), ['n-a', 'n-b', 'n-c'])
})

test('a cluster cannot be changed', () => {
  const own = new Cluster(['a', 'b'])
  assert.ok([own, own.ids, own.nodes, own.nodes[0], own.nodes[0].location].every(Object.isFrozen))
  assert.throws(() => { own.fingerprint = '' }, TypeError)
  assert.throws(() => { own.extra = 1 }, TypeError)
  assert.throws(() => { own.ids.push('c') }, TypeError)
  assert.equal(own.ids, own.ids)
  assert.equal(own.nodes, own.nodes)
  assert.throws(() => Cluster(['a']), TypeError)
  assert.throws(() => Cluster.prototype.owner.call({}, 'k'), TypeError)
  assert.throws(() => own.owner.call(Object.create(own), 'k'), TypeError)
})

test('how a cluster looks', () => {
  assert.equal(inspect(new Cluster(['a'])), `Cluster(rendezvous-1, 1 node, fingerprint ${new Cluster(['a']).fingerprint})`)
  assert.match(inspect(new Cluster(['a', 'b'], { hash: 'sip13', secret: SECRET })), /^Cluster\(rendezvous-1, 2 nodes, with a secret, fingerprint [0-9a-f]{32}\)$/)
  assert.match(inspect(Cluster.prototype), /Cluster/)
  assert.equal(String(cluster), '[object Cluster]')
  // What compares objects by their own properties compares clusters by their fingerprint.
  assert.deepEqual(new Cluster(['a', 'b']), new Cluster(['b', 'a']))
  assert.notDeepEqual(new Cluster(['a', 'b']), new Cluster(['a', 'c']))
})

test('a subclass', () => {
  class Pool extends Cluster {
    first (key) { return this.owner(key) }
  }
  assert.equal(new Pool(['a']).first('k'), 'a')
})

test('no copies: nothing further is looked at', () => {
  const cluster = new Cluster(['a', 'b'])
  for (const subject of [cluster, new Transition(cluster, cluster, 1, 2)]) {
    for (const options of [{ exclude: ['\ud800'] }, { spread: {} }, { spread: -1 }, { spread: '\ud800' }, { relaxed: 5 }]) assert.deepEqual(subject.replicas('k', 0, options), [])
    assert.deepEqual(subject.replicas(true, 0), [])
    wrongType(() => subject.replicas('k', 0, { spred: 0 }))
    for (const spread of [-1, 1.5, 8]) {
      refused(() => subject.replicas('k', 1, { spread }), 'invalid_parameter')
      refused(() => subject.explain('k', 1, { spread }), 'invalid_parameter')
      assert.deepEqual(subject.explain('k', 0, { spread }).picked, [])
    }
    refused(() => subject.explain(true, 0), 'invalid_key')
  }
})

test('messages name the value that was given, and the limit that holds', () => {
  const cluster = new Cluster(['a', 'b'])
  refused(() => cluster.replicas('k', 2 ** 53), 'not_enough_nodes', /9007199254740992/)
  refused(() => cluster.replicas('k', 2 ** 60), 'not_enough_nodes', /1152921504606846976/)
  refused(() => cluster.replicas('k', Infinity), 'invalid_parameter', /^r Infinity is out of range: /)
  refused(() => cluster.owner(Infinity), 'invalid_key', /^the number Infinity is no key/)
  refused(() => cluster.owner(-Infinity), 'invalid_key', /^the number -Infinity is no key/)
  refused(() => cluster.owner(NaN), 'invalid_key', /^the number NaN is no key/)
  refused(() => cluster.owner(2 ** 53), 'invalid_key', /^the number 9007199254740992 is no key/)
  refused(() => cluster.owner(0.5), 'invalid_key', /^the number 0.5 is no key/)
  refused(() => cluster.owner(-(2n ** 70n)), 'invalid_key', /-0x40….*2 words.*: an integer from -9223372036854775808 to 18446744073709551615$/)
  refused(() => jump(2n ** 200n, 5), 'invalid_parameter', /^key 0x1000000000000000… \(51 hex digits\) is out of range: an integer from 0 to 18446744073709551615$/)
  refused(() => new Cluster(['a'], { seed: -(2n ** 200n) }), 'invalid_parameter', /^seed -0x1000000000000000… /)
  const table = new Cluster(['a', 'b'], { algorithm: 'slots-1', slots: 8 })
  for (const slot of [-1, 0.5]) refused(() => table.slotRanking(slot), 'invalid_parameter', /to 7$/)
  refused(() => table.slotRanking(8), 'invalid_parameter', /7/)
  const ring = new Cluster([{ id: 'a', tokens: [1] }], { algorithm: 'ring-1', space: 32 })
  for (const at of [-1, -1n, 0.5, 2n ** 64n]) refused(() => ring.ownerAt(at), 'invalid_parameter', /to 31$/)
  refused(() => ring.ownerAt(32), 'invalid_parameter', /below 32$/)
  refused(() => table.ownerAt(-1n), 'invalid_parameter', /to 18446744073709551615$/)
  for (const slot of [0, -1]) refused(() => ring.slotRanking(slot), 'unsupported', /^slotRanking is not supported by ring-1$/)
  refused(() => ring.slotOwners(), 'unsupported', /^slotOwners /)
  refused(() => ring.slotsOf('a'), 'unsupported', /^slotsOf /)
  refused(() => cluster.ownerAt(5), 'unsupported', /^ownerAt /)
  refused(() => new Cluster(['a'], { algorithm: 'ring-1', tokensPerWeight: 65537 }), 'invalid_parameter', /^tokensPerWeight 65537 /)
  // Of a file the member has its name there.
  refused(() => Cluster.fromJson('{"keystead": 1, "algorithm": "ring-1", "tokens_per_weight": 65537, "nodes": ["a"]}'), 'invalid_parameter', /tokens_per_weight/)
  wrongType(() => cluster.change({ add: 'abc' }), /^add must be/)
})

test('only own members count', () => {
  const wanted = new Cluster(['a', 'b'])
  const inherited = { seed: 5, weight: 7, exclude: ['a', 'b'], epoch: 9, spread: 3, address: 'x', tokens: [1] }
  for (const [name, value] of Object.entries(inherited)) Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
  try {
    const cluster = new Cluster(['b', { id: 'a' }], {})
    assert.deepEqual([cluster.fingerprint, cluster.epoch, cluster.node('a').weight], [wanted.fingerprint, null, 1])
    assert.equal(cluster.owner('k', {}), wanted.owner('k'))
    assert.equal(cluster.replicas('k', 1, { relaxed: true }).length, 1)
  } finally {
    for (const name of Object.keys(inherited)) delete Object.prototype[name]
  }
  wrongType(() => new Cluster([Object.create({ id: 'a' })]), /^id must be a string, not undefined/)
})
