// The Node.js half of python/tests/test_fleet.py: does what it is told on standard input, a JSON line each, and answers with one.

import { createInterface } from 'node:readline'
import { require } from './published.mjs'

const { Placement } = require('./placement.js')
const { ClusterMemcached } = require('./memcached.js')

const placement = new Placement(process.argv[2])
const caches = new ClusterMemcached(placement)
// As in Python: a service asks for some keys at a time.
const AT_ONCE = 100

const orders = {
  refresh: () => ({ answer: caches.refresh(), fingerprint: placement.published.fingerprint }),
  async read({ expected }) {
    let hits = 0
    const keys = Object.keys(expected)
    for (let start = 0; start < keys.length; start += AT_ONCE) {
      for (const [key, value] of await caches.getMany(keys.slice(start, start + AT_ONCE))) if (value === expected[key]) hits++
    }
    return { hits }
  },
  async write({ values }) {
    for (const [key, value] of Object.entries(values)) await caches.set(key, value)
    return {}
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line)
  console.log(JSON.stringify(await orders[order.do](order)))
}
caches.end()
