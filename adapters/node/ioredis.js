// @ts-check
'use strict'

/**
 * keystead for `ioredis`: one client for many Redis servers that know nothing of each other. They must *not* be in cluster mode: such a server
 * refuses keys of slots that it does not hold.
 */

const { Redis } = require('ioredis')

/** @typedef {InstanceType<typeof import('./placement').Placement>} Placement */

/**
 * A client by a cluster file, which may be replaced while it is in use.
 *
 * While a transition is published a key can be at two places. `get` that misses at the first looks at the second and carries the value over, with
 * what is left of its time to live; `set` writes to the first and deletes at the second; `delete` deletes at both. Any other command is one of
 * `on(key)`, which carries the key over before.
 */
class ClusterRedis {
  #placement
  #connect
  /** @type {Map<string, { client: Redis, carrier?: Redis, carrying: Promise<unknown> }>} */
  #servers = new Map()

  /**
   * @param {Placement} placement - where a key is.
   * @param {(address: string) => Redis} [connect] - makes the client of an address, once for each server; by default of `host:port`.
   */
  constructor(placement, connect = address => {
    const colon = address.lastIndexOf(':')
    return new Redis(Number(address.slice(colon + 1)), address.slice(0, colon))
  }) {
    this.#placement = placement
    this.#connect = connect
  }

  /**
   * Takes over the cluster file if it has changed, as `Placement.refresh`. Call it every few seconds, or when told to.
   *
   * @returns {'same' | 'newer'}
   */
  refresh() {
    const answer = this.#placement.refresh()
    const addresses = new Set(this.#placement.addresses.values())
    for (const address of this.#servers.keys()) if (!addresses.has(address)) this.#drop(address)
    return answer
  }

  /** @param {string} address */
  #server(address) {
    let server = this.#servers.get(address)
    if (!server) this.#servers.set(address, server = { client: this.#connect(address), carrying: Promise.resolve() })
    return server
  }

  /** @param {string} address */
  #drop(address) {
    const server = this.#servers.get(address)
    this.#servers.delete(address)
    server?.client.disconnect()
    server?.carrier?.disconnect()
  }

  /**
   * The client of the server that owns the key. What is still at the old place is carried over first, and removed there:
   * `await (await redis.on('cart:42')).hset('cart:42', 'apples', 3)`.
   *
   * @param {string} key
   * @returns {Promise<Redis>}
   */
  async on(key) {
    const [first, second] = this.#placement.places(key)
    if (second !== undefined) await this.#carry(key, second, first, false)
    return this.#server(first).client
  }

  /**
   * Brings what is stored, whatever its type, to the new place, unless something is there.
   *
   * @param {string} key
   * @param {string} from
   * @param {string} to
   * @param {boolean} leaveCopy
   */
  #carry(key, from, to, leaveCopy) {
    const server = this.#server(from)
    // What is watched belongs to a connection: it has one of its own, and one key after the other.
    const carried = server.carrying.then(() => this.#carryAlone(key, server.carrier ??= server.client.duplicate(), this.#server(to).client, leaveCopy))
    server.carrying = carried.catch(() => {})
    return carried
  }

  /**
   * @param {string} key
   * @param {Redis} old
   * @param {Redis} fresh
   * @param {boolean} leaveCopy
   */
  async #carryAlone(key, old, fresh, leaveCopy) {
    for (;;) {
      await old.watch(key)
      const [left, stored] = await Promise.all([old.pttl(key), old.dumpBuffer(key)])
      if (stored === null) {
        await old.unwatch()
        return
      }
      const filled = await fresh.restore(key, Math.max(left, 0), stored).then(() => true, error => {
        if (error.message.startsWith('BUSYKEY')) return false
        throw error
      })
      const last = old.multi()
      if (await (leaveCopy ? last.exists(key) : last.del(key)).exec() !== null) return
      // A program that is a step behind has written to the old place, and has deleted at the new one perhaps just before we filled it.
      if (filled) await fresh.del(key)
    }
  }

  /**
   * @param {string} key
   * @returns {Promise<string | null>}
   */
  async get(key) {
    const [first, second] = this.#placement.places(key)
    const { client } = this.#server(first)
    const value = await client.get(key)
    if (value !== null || second === undefined) return value
    await this.#carry(key, second, first, true)
    return client.get(key)
  }

  /**
   * What is there, by key.
   *
   * @param {Iterable<string>} keys
   * @returns {Promise<Map<string, string>>}
   */
  async getMany(keys) {
    const found = new Map()
    // ioredis sends what is asked for at once in one go.
    await Promise.all(Array.from(keys, async key => {
      const value = await this.get(key)
      if (value !== null) found.set(key, value)
    }))
    return found
  }

  /**
   * @param {string} key
   * @param {string | number | Buffer} value
   * @param {number} [seconds] - for which it lives; without, it has no end.
   */
  async set(key, value, seconds) {
    const [first, second] = this.#placement.places(key)
    const { client } = this.#server(first)
    await (seconds === undefined ? client.set(key, value) : client.set(key, value, 'EX', seconds))
    if (second !== undefined) await this.#server(second).client.del(key)
  }

  /**
   * @param {string} key
   * @returns {Promise<boolean>} true if it was there.
   */
  async delete(key) {
    let there = false
    // Where reads fill from comes first, else one could fill again in between.
    for (const address of this.#placement.places(key).reverse()) there = await this.#server(address).client.del(key) > 0 || there
    return there
  }

  /** Ends all connections. */
  disconnect() {
    for (const address of [...this.#servers.keys()]) this.#drop(address)
  }
}

module.exports = { ClusterRedis }
