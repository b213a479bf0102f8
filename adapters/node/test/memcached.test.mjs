// The client for `memcached` (npm), against real servers.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { promisify } from 'node:util'
import { cluster, Published, require, standIn } from './published.mjs'
import { memcached } from './servers.mjs'

const { Cluster, Transition } = require('keystead')
const HashRing = require('hashring')
const Memcached = require('memcached')
const { Placement } = require('./placement.js')
const { ClusterMemcached } = require('./memcached.js')

const KEYS = Array.from({ length: 500 }, (_, index) => `user:${index}`)
const VALUES = new Map(KEYS.map(key => [key, `value of ${key}`]))

let servers, addresses, direct, published, clients
before(async () => {
  servers = await memcached(4)
  addresses = servers.addresses
  direct = new Map(addresses.map(address => [address, new Memcached(address)]))
})
after(async () => {
  for (const client of direct?.values() ?? []) client.end()
  await servers?.stop()
})
beforeEach(async () => {
  for (const client of direct.values()) await promisify(client.flush.bind(client))()
  published = new Published()
  clients = []
})
afterEach(() => {
  for (const client of clients) client.end()
  published.remove()
})

function client(options) {
  const made = new ClusterMemcached(new Placement(published.path, options))
  clients.push(made)
  return made
}

/** At which servers each key is, as they say themselves. */
async function where(keys) {
  const found = new Map()
  for (const [address, each] of direct) {
    for (const key of Object.keys(await promisify(each.getMulti.bind(each))(keys))) found.set(key, [...found.get(key) ?? [], address])
  }
  return found
}

async function fill(client) {
  for (const [key, value] of VALUES) assert.equal(await client.set(key, value), true)
}

test('every key is where the cluster says', async () => {
  const placed = cluster(addresses)
  published.publish(placed)
  const caches = client()
  await fill(caches)
  assert.deepEqual(await caches.getMany(KEYS), VALUES)
  assert.deepEqual(await where(KEYS), new Map([...(await where(KEYS)).keys()].map(key => [key, [placed.node(placed.owner(key)).address]])))
  assert.equal((await where(KEYS)).size, KEYS.length)
})

test('every hit survives every step of a transition', async () => {
  const before = cluster(addresses.slice(0, 3))
  const after = cluster(addresses)
  published.publish(before)
  const caches = client()
  await fill(caches)
  for (let part = 0; part <= 4; part++) {
    published.publish(new Transition(before, after, part, 4))
    assert.equal(caches.refresh(), 'newer')
    assert.deepEqual(await caches.getMany(KEYS), VALUES, `part ${part}`)
  }
  published.publish(after)
  caches.refresh()
  assert.deepEqual(await caches.getMany(KEYS), VALUES)
})

test('a fleet that memcached (npm) has filled by itself stays warm', async () => {
  const own = new Memcached(addresses)
  for (const [key, value] of VALUES) await promisify(own.set.bind(own))(key, value, 0)
  own.end()
  const ring = new HashRing(addresses)
  const ids = new Map(addresses.map((address, index) => [address, `cache-${index}`]))
  const today = standIn(addresses)
  const after = cluster(addresses)
  published.publish(new Transition(today, after, 0, 3))
  const caches = client({ before: key => ids.get(ring.get(key)) })
  for (let part = 0; part <= 3; part++) {
    published.publish(new Transition(today, after, part, 3))
    caches.refresh()
    assert.deepEqual(await caches.getMany(KEYS), VALUES, `part ${part}`)
  }
  published.publish(after)
  caches.refresh()
  assert.deepEqual(await caches.getMany(KEYS), VALUES)
})

test('a client a step behind loses nothing and finds nothing old', async () => {
  const before = cluster(addresses.slice(0, 3))
  const after = cluster(addresses)
  published.publish(new Transition(before, after, 0, 4))
  const [behind, ahead] = [client(), client()]
  const step = new Transition(before, after, 2, 4)
  published.publish(step)
  ahead.refresh()
  const key = KEYS.find(key => after.owner(key) === 'cache-3' && step.passes(key))
  for (const [writer, reader] of [[behind, ahead], [ahead, behind]]) {
    await writer.set(key, 'first')
    assert.equal(await reader.get(key), 'first')
    await writer.set(key, 'second')
    assert.deepEqual([await reader.get(key), await writer.get(key)], ['second', 'second'])
    assert.equal(await reader.delete(key), true)
    assert.deepEqual([await writer.get(key), await reader.get(key)], [undefined, undefined])
    assert.equal((await where([key])).size, 0)
    assert.equal(await writer.delete(key), false)
  }
})

test('a write between reading the old place and filling the new one is not hidden', async () => {
  const before = cluster(addresses.slice(0, 3))
  const after = cluster(addresses)
  published.publish(new Transition(before, after, 0, 1))
  const behind = client()
  published.publish(new Transition(before, after, 1, 1))
  const ahead = client()
  const key = KEYS.find(key => after.owner(key) === 'cache-3')
  await behind.set(key, 'old')
  const add = Memcached.prototype.add
  Memcached.prototype.add = function (...parameters) {
    Memcached.prototype.add = add
    behind.set(key, 'new').then(() => add.apply(this, parameters))
  }
  await ahead.get(key)
  assert.equal(Memcached.prototype.add, add)
  assert.deepEqual([await ahead.get(key), await behind.get(key)], ['new', 'new'])
})

test('two names of one server are one place', async () => {
  const today = new Cluster([{ id: addresses[0], address: addresses[0] }])
  published.publish(new Transition(today, cluster(addresses.slice(0, 1)), 1, 2))
  const caches = client()
  for (const key of KEYS.slice(0, 50)) {
    assert.equal(await caches.set(key, 'x'), true)
    assert.equal(await caches.get(key), 'x')
  }
})

test('a file that cannot be used leaves the client as it was', async () => {
  published.publish(cluster(addresses))
  const caches = client()
  await caches.set('a', '1')
  published.publish(cluster(addresses).withNode('without-address'))
  assert.throws(() => caches.refresh(), /node "without-address" has no address/)
  assert.equal(await caches.get('a'), '1')
})

test('a function that answers no node of the file is named', async () => {
  published.publish(new Transition(standIn(addresses), cluster(addresses), 0, 1))
  await assert.rejects(client({ before: () => 'cache-9' }).get('a'), /"cache-9", which the function answers/)
})

test('a stand-in is never taken for the function', async () => {
  const after = cluster(addresses)
  published.publish(after)
  const caches = client()
  await caches.set('a', '1')
  published.publish(new Transition(standIn(addresses), after, 0, 2))
  for (const use of [() => caches.refresh(), () => client()]) assert.throws(use, /only stands for hashring/)
  assert.equal(await caches.get('a'), '1')
  const places = new Placement(published.path, { before: () => 'cache-2' }).places('a')
  assert.deepEqual(new Set(places), new Set([addresses[2], after.node(after.owner('a')).address]))
})

test('a stand-in alone is no cluster, and a function that is left over is no part of another transition', () => {
  const [before, after] = [cluster(addresses.slice(0, 3)), cluster(addresses)]
  const leftOver = { before: () => 'cache-2' }
  published.publish(standIn(addresses))
  for (const options of [{}, leftOver]) assert.throws(() => new Placement(published.path, options), /only stands for hashring, and places no key/)
  published.publish(new Transition(before, after, 1, 2))
  for (const key of KEYS) {
    assert.deepEqual(new Placement(published.path, leftOver).places(key), new Placement(published.path).places(key))
  }
})
