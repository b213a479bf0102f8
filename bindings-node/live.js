'use strict'

// The class LiveCluster: the last good cluster or transition of a file. What may follow what is the core's to say. index.d.ts says what
// everything means.

const { readFileSync } = require('node:fs')
const { inspect, types } = require('node:util')

const addon = require('./binding.js')
const check = require('./arguments.js')
const { wrap: wrapCluster } = require('./cluster.js')
const { described } = require('./described.js')
const { Transition, wrapFile } = require('./transition.js')

class LiveCluster {
  #path
  #secrets
  #current

  constructor (path, options) {
    // Copies, since both are needed for as long as the service runs.
    this.#path = copied(check.path(path))
    this.#secrets = check.secrets(options).map(copied)
    this.#current = wrap(this.#read())
  }

  get path () {
    return copied(this.#path)
  }

  get current () {
    return this.#current
  }

  refresh () {
    const read = this.#read()
    const said = addon.followedBy(described(this.#current, 'current', 'a comparison'), read)
    const next = wrap(read)
    // What is only carried may be new behind the same fingerprint; where nothing is, the object stays.
    if (said === 'newer' || next.toJson() !== this.#current.toJson()) this.#current = next
    return said
  }

  owner (key, options) {
    return this.#current.owner(key, options)
  }

  candidates (key) {
    return this.#current instanceof Transition ? this.#current.candidates(key) : [this.#current.owner(key)]
  }

  ranking (key, limit, options) {
    return this.#current.ranking(key, limit, options)
  }

  replicas (key, r, options) {
    return this.#current.replicas(key, r, options)
  }

  explain (key, r, options) {
    return this.#current.explain(key, r, options)
  }

  get [Symbol.toStringTag] () {
    return 'LiveCluster'
  }

  [inspect.custom] () {
    // The prototype is none itself.
    if (!(#path in this)) return this
    return `LiveCluster(${inspect(this.#path)}, ${inspect(this.#current)})`
  }

  #read () {
    return addon.descriptionFromJson(readFileSync(this.#path), ...this.#secrets)
  }
}

function copied (value) {
  if (types.isUint8Array(value)) return Buffer.from(value)
  return value instanceof URL ? new URL(value) : value
}

/** The Cluster or Transition of a description that the addon has read. */
function wrap (description) {
  const cluster = addon.describedCluster(description)
  return cluster === null ? wrapFile(addon.describedTransition(description)) : wrapCluster(cluster)
}

module.exports = { LiveCluster }
