// A method asks its own object and nothing else: called on another value, or where a subclass has put another method in place of its
// neighbour, it never comes to call what it found there.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keystead } from '../support/package.mjs'

const { Cluster, LiveCluster, Transition } = keystead

// A constructor called without `new`, and what an object has of Object.prototype.
const OTHERS = new Set(['constructor', Symbol.toStringTag, Symbol.for('nodejs.util.inspect.custom')])

/** The methods and getters of a class, each as a function of the object and arguments. */
function methods ({ prototype }) {
  return Reflect.ownKeys(prototype).filter(name => !OTHERS.has(name)).map(name => {
    const { value, get } = Object.getOwnPropertyDescriptor(prototype, name)
    return [String(name), value ?? get]
  })
}

test('called on a value of another kind, every method is a TypeError and calls nothing of it', () => {
  const called = []
  const hostile = new Proxy({}, {
    get: (_, name) => (...given) => { called.push([name, given]) },
    has: () => true
  })
  for (const type of [Cluster, LiveCluster, Transition]) {
    const found = methods(type)
    assert.ok(found.length > 7)
    for (const [name, method] of found) {
      for (const other of [hostile, {}, undefined, null, type, type.prototype]) {
        for (const given of [[], ['k', {}], ['k', 1, {}], [['k'], 1]]) assert.throws(() => method.apply(other, given), { name: 'TypeError' }, `${type.name}.${name}`)
      }
    }
  }
  assert.deepEqual(called, [])
})

test('a method that a subclass puts in place of another changes no other answer', () => {
  const plain = new Cluster(['a', 'b', 'c'], { algorithm: 'slots-1', slots: 8 })
  const step = new Transition(plain, plain.withNode('d'), 1, 2)
  const asked = object => ({
    ranking: object.ranking('k', { exclude: ['a'] }),
    explain: object.explain('k', { exclude: ['a'] }),
    text: object.toJson?.(),
    file: object.toJSON(),
    owner: object.owner?.('k')
  })
  const cut = type => class extends type {
    get size () { return 0 }
    get slots () { return null }
    get space () { return null }
    ownerIndices () { return [] }
    passes () { return null }
    toJson () { return 'mine' }
  }
  const own = new (cut(Cluster))(['a', 'b', 'c'], { algorithm: 'slots-1', slots: 8 })
  assert.deepEqual({ ...asked(own), text: '' }, { ...asked(plain), text: '' })
  assert.deepEqual(own.ownerMany(['k', 'l']), plain.ownerMany(['k', 'l']))
  assert.deepEqual(own.slotRanking(7), plain.slotRanking(7))
  assert.throws(() => own.slotRanking(8), { code: 'invalid_parameter' })
  const moving = new (cut(Transition))(plain, plain.withNode('d'), 1, 2)
  assert.deepEqual({ ...asked(moving), text: '' }, { ...asked(step), text: '' })
  const placed = new (cut(Transition))(key => `old ${key}`, plain, 1, 1)
  assert.deepEqual([placed.owner('k'), placed.candidates('k')], [plain.owner('k'), [plain.owner('k'), 'old k']])
})

test('without new, no class makes anything', () => {
  for (const type of [Cluster, LiveCluster, Transition]) assert.throws(() => type(['a']), { name: 'TypeError' })
})
