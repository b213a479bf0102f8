// The client for `ioredis`, against real servers.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { cluster, Published, require } from './published.mjs'
import { redis } from './servers.mjs'

const { Transition } = require('keystead')
const { Redis } = require('ioredis')
const { Placement } = require('./placement.js')
const { ClusterRedis } = require('./ioredis.js')

const KEYS = Array.from({ length: 300 }, (_, index) => `user:${index}`)
const VALUES = new Map(KEYS.map(key => [key, `value of ${key}`]))

let servers, addresses, direct, published, clients
before(async () => {
  servers = await redis(3)
  addresses = servers.addresses
  direct = addresses.map(address => new Redis(Number(address.split(':')[1]), '127.0.0.1'))
})
after(async () => {
  for (const each of direct ?? []) each.disconnect()
  await servers?.stop()
})
beforeEach(async () => {
  for (const each of direct) await each.flushall()
  published = new Published()
  clients = []
})
afterEach(() => {
  for (const each of clients) each.disconnect()
  published.remove()
})

function client(connect) {
  const made = new ClusterRedis(new Placement(published.path), connect)
  clients.push(made)
  return made
}

function steps() {
  return [cluster(addresses.slice(0, 2)), cluster(addresses)]
}

test('every hit survives every step of a transition', async () => {
  const [before, after] = steps()
  published.publish(before)
  const caches = client()
  for (const [key, value] of VALUES) await caches.set(key, value)
  for (let part = 0; part <= 3; part++) {
    published.publish(new Transition(before, after, part, 3))
    assert.equal(caches.refresh(), 'newer')
    assert.deepEqual(await caches.getMany(KEYS), VALUES, `part ${part}`)
  }
  published.publish(after)
  caches.refresh()
  assert.deepEqual(await caches.getMany(KEYS), VALUES)
  assert.equal(await direct[2].dbsize(), KEYS.filter(key => after.owner(key) === 'cache-2').length)
})

test('a value is carried with its type and the time it has left', async () => {
  const [before, after] = steps()
  published.publish(before)
  const caches = client()
  const moved = KEYS.filter(key => after.owner(key) === 'cache-2')
  await caches.set(moved[0], 'soon', 100)
  await (await caches.on(moved[1])).hset(moved[1], 'apples', 3)
  published.publish(new Transition(before, after, 1, 1))
  caches.refresh()
  assert.equal(await caches.get(moved[0]), 'soon')
  const left = await direct[2].ttl(moved[0])
  assert.ok(left > 90 && left <= 100, String(left))
  assert.equal(await (await caches.on(moved[1])).hincrby(moved[1], 'apples', 1), 4)
  // What may be changed at its new place has left no copy behind.
  assert.deepEqual(await Promise.all(direct.map(each => each.exists(moved[1]))), [0, 0, 1])
})

test('a client a step behind loses nothing and finds nothing old', async () => {
  const [before, after] = steps()
  published.publish(new Transition(before, after, 0, 1))
  const behind = client()
  published.publish(new Transition(before, after, 1, 1))
  const ahead = client()
  const key = KEYS.find(key => after.owner(key) === 'cache-2')
  for (const [writer, reader] of [[behind, ahead], [ahead, behind]]) {
    await writer.set(key, 'first')
    assert.equal(await reader.get(key), 'first')
    await writer.set(key, 'second')
    assert.deepEqual([await reader.get(key), await writer.get(key)], ['second', 'second'])
    assert.equal(await reader.delete(key), true)
    assert.deepEqual([await writer.get(key), await reader.get(key)], [null, null])
    assert.equal(await writer.delete(key), false)
  }
})

for (const on of [false, true]) {
  test(`a write while a value is carried is not hidden, ${on ? 'on' : 'get'}`, async () => {
    const [before, after] = steps()
    published.publish(new Transition(before, after, 0, 1))
    const behind = client()
    published.publish(new Transition(before, after, 1, 1))
    const key = KEYS.find(key => after.owner(key) === 'cache-2')
    await behind.set(key, 'old')
    let interrupted = 0
    const ahead = client(address => {
      const made = new Redis(Number(address.split(':')[1]), '127.0.0.1')
      const restore = made.restore.bind(made)
      made.restore = async (...parameters) => {
        if (interrupted++ === 0) await behind.set(key, 'new')
        return restore(...parameters)
      }
      return made
    })
    const seen = on ? await (await ahead.on(key)).get(key) : await ahead.get(key)
    assert.deepEqual([seen, await behind.get(key), interrupted], ['new', 'new', 2])
  })
}
