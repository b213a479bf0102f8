// Many keys in one call: in each shape in which they can come, the answers are those that one key at a time has.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { refused, wrongType } from '../support/errors.mjs'
import { keystead, shared } from '../support/package.mjs'
import { readKey } from '../support/requests.mjs'

const { Cluster, plan } = keystead

const IDS = ['a', 'b', 'c', { id: 'd', weight: 3 }, { id: 'e', weight: 0 }]
const clusters = [{}, { hash: 'sip13', secret: new Uint8Array(16) }, { algorithm: 'ring-1' }, { algorithm: 'slots-1', slots: 97 }].map(options => new Cluster(IDS, options))
const [cluster, , , slots] = clusters
// Of equal weights: there many keys are scored at once where the processor can.
const even = new Cluster(Array.from({ length: 40 }, (_, index) => `node-${index}`))
clusters.push(even)
const grown = cluster.withNode('f')

// As many keys as have few answers, as are scored at once and as fill a piece, and one beside.
const AROUND = [0, 1, 2, 3, 11, 12, 15, 16, 17, 31, 32, 33, 65, 4095, 4096, 4097, 8193]

/** `keys`, in whatever shape they are, against `singles`, the same ones each alone. */
function assertSame (keys, singles) {
  for (const asked of clusters) {
    const owners = singles.map(key => asked.owner(key))
    assert.deepEqual(asked.ownerMany(keys), owners)
    assert.deepEqual(Array.from(asked.ownerIndices(keys), index => asked.ids[index]), owners)
    const copies = asked.replicaIndices(keys, 2)
    assert.deepEqual(singles.map((_, index) => Array.from(copies.subarray(2 * index, 2 * index + 2), node => asked.ids[node])), singles.map(key => asked.replicas(key, 2)))
    const groups = asked.groupByOwner(keys)
    assert.deepEqual([...groups.keys()], [...asked.ids])
    for (const [id, group] of groups) assert.deepEqual(group.map(plain), singles.filter((_, index) => owners[index] === id).map(plain))
  }
  assert.deepEqual(slots.slotIndices(keys), Uint32Array.from(singles, key => slots.slot(key)))
  const [apart, together] = [singles, keys].map(keys => cluster.diff(grown, { keys, sizes: singles.map((_, index) => index) }))
  assert.deepEqual(together, apart)
}

const plain = key => (key instanceof Uint8Array ? Buffer.from(key).toString('latin1') : key)

function pack (texts, Offsets = Uint32Array) {
  const parts = texts.map(text => Buffer.from(text))
  const offsets = new Offsets(parts.length + 1)
  parts.forEach((part, index) => { offsets[index + 1] = offsets[index] + part.length })
  return { bytes: Buffer.concat(parts), offsets }
}

test("the vectors' keys, in every shape that holds them", () => {
  const found = new Set()
  const walk = value => {
    if (typeof value !== 'object' || value === null) return
    if ('key' in value && value.key !== null) found.add(JSON.stringify(value.key))
    for (const item of Object.values(value)) walk(item)
  }
  walk(shared('vectors', 'rendezvous.json'))
  const keys = [...found].map(text => readKey(JSON.parse(text))).filter(key => {
    try { return cluster.owner(key) } catch { return false }
  })
  assert.ok(keys.length > 50, `${keys.length} keys`)
  assertSame(keys, keys)
  assertSame(new Set(keys), keys)
  const texts = keys.filter(key => typeof key === 'string')
  const bytes = keys.filter(key => key instanceof Uint8Array)
  const integers = keys.filter(key => typeof key === 'bigint' || typeof key === 'number').map(BigInt)
  assert.ok(texts.length > 5 && bytes.length > 0 && integers.length > 2, `${texts.length} texts, ${bytes.length} of bytes, ${integers.length} integers`)
  assertSame(texts, texts)
  assertSame(pack(texts), texts.map(text => Buffer.from(text)))
  assertSame(pack(bytes, Int32Array), bytes)
  for (const [Column, low, high] of [[BigUint64Array, 0n, 2n ** 64n], [BigInt64Array, -(2n ** 63n), 2n ** 63n]]) {
    const fitting = integers.filter(integer => integer >= low && integer < high)
    assertSame(Column.from(fitting), fitting)
  }
  const safe = integers.map(Number).filter(Number.isSafeInteger)
  assertSame(safe, safe)
  assertSame(Float64Array.from(safe), safe)
})

test('integers at the ends of every type of array', () => {
  const columns = [
    BigUint64Array.of(0n, 1n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n), BigInt64Array.of(0n, -1n, 1n, -(2n ** 63n), 2n ** 63n - 1n), Int8Array.of(-128, -1, 0, 127),
    Uint8ClampedArray.of(0, 255), Int16Array.of(-32768, -1, 0, 32767), Uint16Array.of(0, 65535), Int32Array.of(-(2 ** 31), -1, 0, 2 ** 31 - 1), Uint32Array.of(0, 2 ** 31, 2 ** 32 - 1),
    Float32Array.of(-0, 0, -1, 2 ** 24), Float64Array.of(-0, 0, -(2 ** 53 - 1), 2 ** 53 - 1)
  ]
  for (const column of columns) {
    assertSame(column, [...column])
    assertSame(column.subarray(1), [...column.subarray(1)])
  }
  // The bits of a negative integer are not another key: its value is.
  assert.notDeepEqual(cluster.ranking(-1n), cluster.ranking(2n ** 64n - 1n))
  assert.deepEqual(cluster.ownerMany(BigInt64Array.of(-1n)), [cluster.owner(-1)])
})

test('numbers that are no key, wherever they stand', () => {
  for (const number of [0.5, NaN, Infinity, 2 ** 53, -(2 ** 53)]) {
    for (const Column of [Float64Array, Array]) {
      const keys = Column.of(1, 2, number)
      for (const ask of [() => cluster.ownerMany(keys), () => cluster.replicaIndices(keys, 1), () => slots.slotIndices(keys), () => cluster.groupByOwner(keys), () => cluster.diff(grown, { keys })]) {
        refused(ask, 'invalid_key', /^keys\[2\]: the number/)
      }
    }
  }
  refused(() => cluster.ownerMany([...Array(5000).keys(), 0.5]), 'invalid_key', /^keys\[5000\]: /)
})

test('lists of one kind, and of several, around the size of a piece', () => {
  const kinds = [
    index => `user:${index}`, index => `usér:${index}`, index => '\u{1F600}'.repeat(index % 3), index => index, index => BigInt(index) << 40n, index => Buffer.from(`b${index}`), index => ['a', index],
    index => (index % 2 ? `k${index}` : index), index => (index % 1000 === 999 ? [index] : `k${index}`), index => (index % 1000 === 999 ? 'text' : index), index => (index < 3 ? 'é' : index < 5 ? 7 : [8])
  ]
  for (const kind of kinds) {
    for (const count of AROUND) {
      const keys = Array.from({ length: count }, (_, index) => kind(index))
      for (const asked of [cluster, even]) {
        const owners = keys.map(key => asked.owner(key))
        assert.deepEqual(asked.ownerMany(keys), owners)
        assert.deepEqual(asked.ownerMany(keys.values()), owners)
      }
      assert.deepEqual(cluster.diff(grown, { keys }), cluster.diff(grown, { keys: keys.values() }))
    }
  }
})

test('long keys among short ones, and pieces that are full of text before they are full of keys', () => {
  for (const unit of ['x', 'é', '\u{1F600}']) {
    const keys = [1, 30000, 65535, 65535, 65536, 65537, 2, 200000, 3, 70000, 70000].map(length => unit.repeat(length))
    assertSame(keys, keys)
    const halves = Array.from({ length: 600 }, (_, index) => unit.repeat(200 + index))
    assertSame(halves, halves)
  }
})

test('a lone surrogate at the border of two keys is an error in both, and said of the right one', () => {
  const [high, low] = ['\ud83d', '\ude00']
  const texts = [['ok', high, low], ['ok', `x${high}`, `${low}y`], ['é', high + low + high, low], ['ok', low], ['ok', `${high}${high}`, low + low]]
  for (const keys of texts) {
    for (const ask of [() => cluster.ownerMany(keys), () => cluster.ownerIndices(keys), () => cluster.replicaIndices(keys, 1), () => slots.slotIndices(keys), () => cluster.groupByOwner(keys), () => cluster.diff(grown, { keys })]) {
      refused(ask, 'invalid_text', /^keys\[1\]: the key is not well-formed text: a lone surrogate at index /)
    }
  }
  refused(() => cluster.ownerMany(['ok', `é\u{1F600}${high}`, low]), 'invalid_text', /surrogate at index 3$/)
  refused(() => cluster.ownerMany([...Array(5000).fill('é'), high]), 'invalid_text', /^keys\[5000\]: /)
  assertSame(['', high + low, '', `${high}${low}`], ['', '\u{1F600}', '', '\u{1F600}'])
})

test('strings in every shape that V8 gives them', () => {
  const flat = Array.from({ length: 30 }, (_, index) => Buffer.from(`user:${index}:${'x'.repeat(20)}`).toString('latin1'))
  const rope = flat.map((text, index) => text + index + text)
  const wide = flat.map(text => `${text}日本`)
  const shapes = [flat, rope, wide, wide.map(text => text.slice(0, 20)), flat.map(text => text.slice(3)), flat.map(text => Object.keys({ [text]: 1 })[0]), flat.map(text => `${text}\0ÿ`)]
  const texts = shapes.flat()
  assert.deepEqual(cluster.ownerMany(texts), texts.map(text => cluster.owner(Buffer.from(text))))
  assertSame(texts, texts)
})

test('columns that are shared, detached, empty or lie about their length', () => {
  const shared = new BigUint64Array(new SharedArrayBuffer(24), 8, 2)
  shared.set([7n, 8n])
  assertSame(shared, [7n, 8n])
  for (const Column of [BigUint64Array, BigInt64Array, Int32Array, Float64Array]) {
    assertSame(new Column(0), [])
    const gone = new Column(2)
    structuredClone(gone, { transfer: [gone.buffer] })
    refused(() => cluster.ownerIndices(gone), 'invalid_key', /detached/)
  }
  const lying = BigUint64Array.of(1n, 2n, 3n)
  Object.defineProperty(lying, 'length', { value: 5 })
  assertSame(lying, [1n, 2n, 3n])
  const offsets = Uint32Array.of(0, 1, 2)
  Object.defineProperty(offsets, 'length', { value: 2 })
  assertSame({ bytes: Buffer.from('ab'), offsets }, [Buffer.from('a'), Buffer.from('b')])
})

test('packed keys wherever keys are many', () => {
  const texts = ['a', '', 'user:42', 'é', '\u{1F600}']
  for (const Offsets of [Uint32Array, Int32Array]) assertSame(pack(texts, Offsets), texts.map(text => Buffer.from(text)))
  assertSame(pack([]), [])
  const { bytes, offsets } = pack(texts)
  const asked = [keys => cluster.ownerMany(keys), keys => cluster.replicaIndices(keys, 1), keys => slots.slotIndices(keys), keys => cluster.groupByOwner(keys), keys => cluster.diff(grown, { keys }), keys => plan(cluster, grown, { limit: '50%', keys })]
  for (const ask of asked) {
    for (const other of [{}, { bytes }, { offsets }, { bytes: 'ab', offsets }, { bytes, offsets: [0, 1] }, { bytes, offsets, length: 2 }, Object.create({ bytes, offsets })]) wrongType(() => ask(other))
    refused(() => ask({ bytes, offsets: Uint32Array.of(0, 99) }), 'invalid_parameter', /key 0 from offset 0 to 99/)
    refused(() => ask({ bytes, offsets: new Int32Array(0) }), 'invalid_parameter', /n \+ 1/)
  }
  assert.deepEqual(plan(cluster, grown, { limit: '50%', keys: pack(texts) }), plan(cluster, grown, { limit: '50%', keys: texts }))
  refused(() => cluster.diff(grown, { keys: pack(texts), sizes: [1] }), 'invalid_parameter', /1 sizes and more keys/)
  refused(() => cluster.diff(grown, { keys: pack(texts), sizes: [1, 2, 3, 4, 5, 6] }), 'invalid_parameter', /5 keys and more sizes/)
})

test('an array that changes while it is read: each key is read once', () => {
  const reads = []
  const keys = ['a', 'b', 3, 'd']
  for (const [index, key] of keys.entries()) Object.defineProperty(keys, index, { get: () => { reads.push(index); return key } })
  const groups = cluster.groupByOwner(keys)
  assert.deepEqual(reads, [0, 1, 2, 3])
  assert.deepEqual([...groups.values()].flat().sort(), [3, 'a', 'b', 'd'])
})

test('what comes back here while keys are read changes no answer', () => {
  const texts = Array.from({ length: 5000 }, (_, index) => `user:${index}`)
  const numbers = texts.map((_, index) => index * 3)
  const others = texts.map(text => `other:${text}`)
  const come = () => { cluster.ownerMany(others); cluster.replicaIndices(numbers, 2); cluster.ownerIndices(['x', 1]); cluster.diff(grown, { keys: others }) }
  const meddling = keys => {
    const list = keys.slice()
    for (const index of [0, 1, 4095, 4096, 4500, 4999]) Object.defineProperty(list, index, { get: () => { come(); return keys[index] } })
    return list
  }
  const nested = key => Object.defineProperty([key, 0], 1, { get: () => { come(); return 7 } })
  for (const keys of [texts, numbers]) {
    const owners = keys.map(key => cluster.owner(key))
    assert.deepEqual(cluster.ownerMany(meddling(keys)), owners)
    assert.deepEqual(cluster.ownerMany(new Set(meddling(keys))), owners)
    assert.deepEqual(cluster.ownerMany(meddling(keys.slice(0, 2).concat(keys))), keys.slice(0, 2).concat(keys).map(key => cluster.owner(key)))
    for (const mixed of [[nested('a'), ...keys.slice(0, 9)], [nested('a'), ...keys]]) assert.deepEqual(cluster.ownerMany(mixed), mixed.map(key => cluster.owner(key)))
    const sizes = { * [Symbol.iterator] () { for (const index of keys.keys()) { if (index % 1000 === 0) come(); yield index } } }
    assert.deepEqual(cluster.diff(grown, { keys, sizes }), cluster.diff(grown, { keys, sizes: keys.map((_, index) => index) }))
  }
})

test("what has been put in the place of JavaScript's own methods changes no answer", () => {
  const texts = Array.from({ length: 5000 }, (_, index) => `user:${index}`)
  const numbers = texts.map((_, index) => index)
  const few = texts.slice(0, 3)
  const expected = [texts, numbers, few].map(keys => cluster.ownerMany(keys))
  const sizes = numbers.slice()
  const moved = cluster.diff(grown, { keys: texts, sizes })
  const { apply } = Reflect
  const typedArrays = Object.getPrototypeOf(Uint8Array)
  const places = [
    [Array.prototype, 'join'], [Array.prototype, 'push'], [Array.prototype, 'slice'], [Array.prototype, Symbol.iterator], [String.prototype, 'concat'], [String.prototype, 'toString'],
    [Function.prototype, 'apply'], [Function.prototype, 'call'], [Reflect, 'apply'], [typedArrays.prototype, 'subarray'], [typedArrays.prototype, 'set'], [typedArrays, 'from']
  ]
  for (const [object, name] of places) {
    const own = object[name]
    let busy = false
    let answers
    // It does what the method does, but comes back here before.
    Object.defineProperty(object, name, {
      configurable: true,
      writable: true,
      value: new Proxy(own, {
        apply (method, self, values) {
          if (!busy) {
            busy = true
            for (const keys of [['y', 'z'], [5, 6]]) cluster.ownerIndices(keys)
            busy = false
          }
          return apply(method, self, values)
        }
      })
    })
    try {
      answers = [[texts, numbers, few].map(keys => cluster.ownerMany(keys)), cluster.diff(grown, { keys: texts, sizes })]
    } finally {
      object[name] = own
    }
    assert.deepEqual(answers, [expected, moved], String(name))
  }
})
