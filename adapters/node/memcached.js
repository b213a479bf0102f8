// @ts-check
'use strict'

/** keystead for `memcached` (npm): a client that keeps a cache warm through a transition. */

const { promisify, isDeepStrictEqual } = require('node:util')
const Memcached = require('memcached')

/** @typedef {InstanceType<typeof import('./placement').Placement>} Placement */

/**
 * One server, with promises in place of callbacks.
 *
 * @typedef {object} Server
 * @property {(keys: string[]) => Promise<Record<string, any>>} getMulti
 * @property {(key: string, value: any, lifetime: number) => Promise<boolean>} set
 * @property {(key: string, value: any, lifetime: number) => Promise<boolean>} add
 * @property {(key: string) => Promise<boolean>} del
 * @property {() => void} end
 */

/**
 * @param {string} address
 * @param {Memcached.options} options
 * @returns {Server}
 */
function connect(address, options) {
  const client = new Memcached(address, options)
  const add = promisify(client.add.bind(client))
  return {
    getMulti: promisify(client.getMulti.bind(client)),
    set: promisify(client.set.bind(client)),
    // That something is there already is an answer, not a failure.
    add: (key, value, lifetime) => add(key, value, lifetime).catch(error => {
      if (/not stored/i.test(error.message)) return false
      throw error
    }),
    del: promisify(client.del.bind(client)),
    end: () => client.end(),
  }
}

/**
 * A memcached client by a cluster file, which may be replaced while it is in use.
 *
 * While a transition is published a key can be at two places. A read that misses at the first looks at the second, and fills the first; a write
 * goes to the first and deletes at the second; a delete goes to both. So no value is lost on the way, and no old one is found again.
 */
class ClusterMemcached {
  #placement
  #fillLifetime
  #options
  /** @type {Map<string, Server>} */
  #servers = new Map()

  /**
   * @param {Placement} placement - where a key is.
   * @param {Memcached.options & { fillLifetime?: number }} [options] - those of `memcached`, and `fillLifetime`: seconds for which a value lives
   *   that is carried to its new place; memcached does not tell how long it had left. Take what you write with.
   */
  constructor(placement, { fillLifetime = 0, ...options } = {}) {
    this.#placement = placement
    this.#fillLifetime = fillLifetime
    this.#options = options
  }

  /**
   * Takes over the cluster file if it has changed, as `Placement.refresh`. Call it every few seconds, or when told to.
   *
   * @returns {'same' | 'newer'}
   */
  refresh() {
    const answer = this.#placement.refresh()
    const addresses = new Set(this.#placement.addresses.values())
    for (const [address, server] of this.#servers) {
      if (addresses.has(address)) continue
      this.#servers.delete(address)
      server.end()
    }
    return answer
  }

  /** @param {string} address */
  #at(address) {
    let server = this.#servers.get(address)
    if (!server) this.#servers.set(address, server = connect(address, this.#options))
    return server
  }

  /**
   * What is there of these keys at their first places, or at their second.
   *
   * @param {string[]} keys
   * @param {0 | 1} which
   * @returns {Promise<Map<string, any>>}
   */
  async #read(keys, which) {
    /** @type {Map<string, string[]>} */
    const groups = new Map()
    for (const key of keys) {
      const address = this.#placement.places(key)[which]
      if (address === undefined) continue
      const group = groups.get(address)
      if (group) group.push(key)
      else groups.set(address, [key])
    }
    const found = new Map()
    await Promise.all(Array.from(groups, async ([address, group]) => {
      const values = await this.#at(address).getMulti(group)
      for (const key of group) if (values[key] !== undefined) found.set(key, values[key])
    }))
    return found
  }

  /**
   * @param {string} key
   * @returns {Promise<any>} undefined where it is not there.
   */
  async get(key) {
    return (await this.getMany([key])).get(key)
  }

  /**
   * What is there, by key.
   *
   * @param {Iterable<string>} keys
   * @returns {Promise<Map<string, any>>}
   */
  async getMany(keys) {
    const all = [...keys]
    const found = await this.#read(all, 0)
    const moving = all.filter(key => !found.has(key) && this.#placement.places(key).length > 1)
    if (moving.length) for (const [key, value] of await this.#fill(moving)) found.set(key, value)
    return found
  }

  /** @param {string[]} keys */
  async #fill(keys) {
    const found = await this.#read(keys, 1)
    /** @type {string[]} */
    const filled = []
    await Promise.all(Array.from(found, async ([key, value]) => {
      // `add` puts nothing over what was written at the new place meanwhile.
      if (await this.#at(this.#placement.places(key)[0]).add(key, value, this.#fillLifetime)) filled.push(key)
    }))
    // A program that is a step behind writes to the other place, and deletes at this one, perhaps just before we filled it: then what we filled is old.
    const now = await this.#read(filled, 1)
    await Promise.all(filled.map(async key => {
      if (!isDeepStrictEqual(now.get(key), found.get(key))) await this.#at(this.#placement.places(key)[0]).del(key)
    }))
    return found
  }

  /**
   * @param {string} key
   * @param {any} value
   * @param {number} [lifetime] - in seconds; 0 for no end.
   * @returns {Promise<boolean>}
   */
  async set(key, value, lifetime = 0) {
    const [first, second] = this.#placement.places(key)
    const written = await this.#at(first).set(key, value, lifetime)
    if (second !== undefined) await this.#at(second).del(key)
    return written
  }

  /**
   * @param {string} key
   * @returns {Promise<boolean>} true if it was there.
   */
  async delete(key) {
    let there = false
    // Where reads fill from comes first, else one could fill again in between.
    for (const address of this.#placement.places(key).reverse()) there = await this.#at(address).del(key) || there
    return there
  }

  /** Ends all connections. */
  end() {
    for (const server of this.#servers.values()) server.end()
    this.#servers.clear()
  }
}

module.exports = { ClusterMemcached }
