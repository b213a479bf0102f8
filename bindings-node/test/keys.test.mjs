// What counts as a key, and that nothing else does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

import { keystead } from '../support/package.mjs'

const { Cluster, encodeKey } = keystead

const cluster = new Cluster(Array.from({ length: 50 }, (_, index) => `node-${index}`))

// Same owner and same ranking: the same key, but for a chance too small to matter.
function assertSameKey (a, b) {
  assert.deepEqual(cluster.ranking(a), cluster.ranking(b))
  assert.deepEqual(encodeKey(a), encodeKey(b))
}

function refused (key, code) {
  const ways = [
    () => cluster.owner(key),
    () => cluster.owner(key, { exclude: ['node-1'] }),
    () => cluster.owner([key]),
    () => cluster.ranking(key, 0),
    () => cluster.replicas(key, 1),
    () => cluster.explain(key),
    () => cluster.ownerMany([key]),
    () => cluster.ownerIndices(['a', key]),
    () => cluster.replicaIndices([key], 2),
    () => cluster.groupByOwner([key]),
    () => encodeKey(key),
    () => encodeKey(['a', [key]]),
    () => keystead.jumpBucket(key, 10),
    () => keystead.modulo(key, 10)
  ]
  for (const ask of ways) assert.throws(ask, error => error.code === code && !(error instanceof TypeError), `${code} by ${ask}`)
}

test('text is its UTF-8 bytes', () => {
  for (const text of ['', 'a', 'user:42', ' a ', 'é', 'e\u0301', '€', '日本語', '\u{1F600}', 'a\0b', '\ufeff', '\ufffd', '\uffff', 'مفتاح', '\u{1D518}']) {
    assertSameKey(text, Buffer.from(text))
    assertSameKey(text, new TextEncoder().encode(text))
  }
})

test('no normalisation, no case folding, no trimming', () => {
  for (const [a, b] of [['é', 'e\u0301'], ['A', 'a'], ['a', ' a'], ['a', 'a\n']]) assert.notDeepEqual(encodeKey(a), encodeKey(b))
})

test('texts of every length around the sizes of the buffers', () => {
  for (const unit of ['a', 'é', '€', '\u{1F600}']) {
    for (const length of [1, 63, 64, 127, 128, 253, 254, 255, 256, 257, 300, 511, 512, 513, 1024, 100000]) {
      assertSameKey(unit.repeat(length), Buffer.from(unit.repeat(length)))
      assertSameKey(`${unit.repeat(length)}é`, Buffer.from(`${unit.repeat(length)}é`))
    }
  }
})

test('views of bytes: subarrays, offsets, all of 0 to 255', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
  assertSameKey(bytes.subarray(10, 20), Buffer.from([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]))
  assertSameKey(new Uint8Array(bytes.buffer, 250), Buffer.from([250, 251, 252, 253, 254, 255]))
  assertSameKey(bytes.subarray(5, 5), '')
  assertSameKey(Buffer.alloc(0), '')
  class Bytes extends Uint8Array {}
  assertSameKey(Bytes.of(97), 'a')
})

test('bytes that other threads may write', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8), 2, 3)
  shared.set([97, 98, 99])
  assertSameKey(shared, 'abc')
  assertSameKey([shared], ['abc'])
  assert.deepEqual(cluster.ownersPacked(shared, Uint32Array.of(0, 3)), cluster.ownerIndices(['abc']))
  const offsets = new Uint32Array(new SharedArrayBuffer(8))
  offsets[1] = 3
  assert.deepEqual(cluster.ownersPacked(shared, offsets), cluster.ownerIndices(['abc']))
})

test('bytes written by another thread meanwhile', async () => {
  const shared = new Uint8Array(new SharedArrayBuffer(4096))
  const writer = new Worker('const { workerData } = require("node:worker_threads"); for (;;) workerData.fill(Math.random() * 256)', { eval: true, workerData: shared })
  await new Promise(resolve => writer.once('online', resolve))
  for (let index = 0; index < 2000; index++) assert.ok(cluster.has(cluster.owner(shared)))
  await writer.terminate()
})

test('detached bytes are refused', () => {
  const bytes = new Uint8Array([1, 2, 3])
  structuredClone(bytes, { transfer: [bytes.buffer] })
  refused(bytes, 'invalid_key')
  assert.throws(() => cluster.ownersPacked(bytes, Uint32Array.of(0, 1)), { code: 'invalid_key' })
})

test('resizable buffers', () => {
  const buffer = new ArrayBuffer(4, { maxByteLength: 16 })
  const tracking = new Uint8Array(buffer)
  tracking.set([97, 98, 99, 100])
  assertSameKey(tracking, 'abcd')
  buffer.resize(2)
  assertSameKey(tracking, 'ab')
})

test('integers: numbers and bigints are one', () => {
  for (const integer of [0, 1, -1, 42, 2 ** 31, -(2 ** 31), 2 ** 32, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) assertSameKey(integer, BigInt(integer))
  assertSameKey(-0, 0)
  assertSameKey(-0, 0n)
  for (const integer of [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]) assert.equal(encodeKey(integer).length, 17)
  assert.notDeepEqual(encodeKey(2n ** 63n), encodeKey(-(2n ** 63n)))
  assert.notDeepEqual(cluster.ranking(42), cluster.ranking('42'))
  assert.notDeepEqual(cluster.ranking(['a']), cluster.ranking('a'))
})

test('integers out of range are refused, not cut', () => {
  for (const integer of [-(2n ** 63n) - 1n, 2n ** 64n, 2n ** 64n + 1n, -(2n ** 64n), 2n ** 128n, -(2n ** 1000n), 2n ** 100000n]) refused(integer, 'invalid_key')
})

test('numbers that are no safe integers are refused', () => {
  for (const number of [0.5, -1.5, NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e300, Number.MIN_VALUE]) refused(number, 'invalid_key')
})

test('arrays', () => {
  assertSameKey(['a'], [Buffer.from('a')])
  assertSameKey([1, [2n, []]], [1n, [2, []]])
  assertSameKey(Object.freeze(['tenant-7', 42]), ['tenant-7', 42n])
  class List extends Array {}
  assertSameKey(List.from(['a', 'b']), ['a', 'b'])
  const nested = depth => (depth === 0 ? [] : [nested(depth - 1)])
  assert.equal(encodeKey(nested(31)).length, 32 * 9)
  refused(nested(32), 'invalid_key')
})

test('arrays that hold themselves are refused', () => {
  const one = []
  one.push(one)
  refused(one, 'invalid_key')
  const [a, b] = [[], []]
  a.push('x', b)
  b.push(a)
  refused(a, 'invalid_key')
})

test('an array whose copies fill the memory is refused', { timeout: 120000 }, () => {
  // 32 arrays, each of the next twice: 2^31 leaves of a megabyte.
  let array = ['x'.repeat(2 ** 20)]
  for (let depth = 0; depth < 30; depth++) array = [array, array]
  assert.throws(() => cluster.owner(array), { code: 'invalid_key', message: /2\^30/ })
})

test('holes and missing items are no keys', () => {
  // eslint-disable-next-line no-sparse-arrays
  refused([, 'a'], 'invalid_key')
  refused(new Array(3), 'invalid_key')
  refused(new Array(2 ** 32 - 1), 'invalid_key')
})

test('everything else is refused with a hint', () => {
  const others = [
    undefined, null, true, false, Symbol('a'), () => 'a', {}, { toString: () => 'a' }, new Date(0), /a/, new Map(), new Set(['a']), new Error('a'),
    // eslint-disable-next-line no-new-wrappers
    new String('a'), new Number(1), Object(1n), new ArrayBuffer(2), new SharedArrayBuffer(2), new DataView(new ArrayBuffer(2)),
    new Int8Array(2), new Uint8ClampedArray(2), new Uint16Array(2), new Uint32Array(2), new Float64Array(2), new BigUint64Array(2),
    Promise.resolve('a'), Object.create(null), new Proxy({}, {}), new Proxy([], {}), (function () { return arguments })('a'), cluster, globalThis, Math
  ]
  for (const other of others) refused(other, 'invalid_key')
  assert.throws(() => cluster.owner(undefined), { message: 'undefined is no key: a missing key has no owner; the empty string is a key' })
  assert.throws(() => cluster.owner(), { code: 'invalid_key' })
  assert.throws(() => cluster.owner(new Uint16Array(1)), { message: /new Uint8Array\(buffer, byteOffset, byteLength\)/ })
  assert.throws(() => cluster.owner({}), { message: /of a UUID its text or its 16 bytes/ })
  assert.throws(() => cluster.ownerMany(['a', 'b', true]), { message: /^keys\[2\]: a boolean/ })
})

test('ill-formed text is refused, never replaced', () => {
  const high = '\ud83d'
  const low = '\ude00'
  for (const text of [high, low, `a${high}`, `${low}a`, `${high}a`, low + high, 'x'.repeat(300) + high, `${'é'.repeat(300)}${low}`, `\ufffd${high}`]) refused(text, 'invalid_text')
  assertSameKey(high + low, Buffer.from('\u{1F600}'))
  assertSameKey('\ufffd', Buffer.from([0xef, 0xbf, 0xbd]))
})

test('surrogates do not merge over the border of two keys', () => {
  const high = '\ud83d'
  const low = '\ude00'
  for (const keys of [[high, low], [`a${high}`, `${low}b`], ['a', high, low, 'b']]) {
    for (const ask of [() => cluster.ownerIndices(keys), () => cluster.ownerMany(keys), () => cluster.groupByOwner(keys), () => cluster.replicaIndices(keys, 2)]) {
      assert.throws(ask, { code: 'invalid_text' })
    }
  }
})

test('getters and proxies that throw pass their own exception on', () => {
  const thrown = new RangeError('mine')
  const throwing = Object.defineProperty(['a', 'b'], 1, { get () { throw thrown } })
  for (const ask of [() => cluster.owner(throwing), () => cluster.ownerMany([throwing]), () => cluster.ownerMany(throwing), () => encodeKey(throwing)]) {
    assert.throws(ask, error => error === thrown)
  }
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  assert.throws(() => cluster.owner(proxy), { code: 'invalid_key' })
  assert.throws(() => cluster.ownerMany(proxy), TypeError)
})

test('getters that change the key meanwhile change nothing else', () => {
  const shrinking = ['a', 'b', 'c']
  Object.defineProperty(shrinking, 0, { get () { shrinking.length = 1; return 'a' } })
  assert.throws(() => cluster.owner(shrinking), { code: 'invalid_key' })
  const growing = ['a', 'b']
  Object.defineProperty(growing, 0, { get () { growing.push('c'); return 'a' }, configurable: true })
  assertSameKey(growing.slice(0, 0), [])
  assert.deepEqual(cluster.ranking(growing), cluster.ranking(['a', 'b']))
  const bytes = new Uint8Array([1, 2, 3])
  const detaching = [bytes]
  Object.defineProperty(detaching, 1, { get () { structuredClone(bytes, { transfer: [bytes.buffer] }); return bytes }, enumerable: true })
  assert.throws(() => cluster.owner(detaching), { code: 'invalid_key' })
})

test('getters that call back', () => {
  const keys = ['x', 'y', 'z']
  const wanted = cluster.ownerIndices(keys)
  const calling = [...keys]
  Object.defineProperty(calling, 1, {
    get () {
      assert.deepEqual(cluster.ownerIndices(keys), wanted)
      assert.equal(cluster.ranking('other').length, 50)
      return 'y'
    }
  })
  assert.deepEqual(cluster.ownerIndices(calling), wanted)
  const composite = ['a']
  Object.defineProperty(composite, 0, { get: () => cluster.ranking('other')[0] && 'a' })
  assert.deepEqual(cluster.ranking(composite), cluster.ranking(['a']))
  assert.deepEqual(cluster.replicas(composite, 3), cluster.replicas(['a'], 3))
})
