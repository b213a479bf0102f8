'use strict'

// The class Transition over the addon, which answers with indices into the ids of `before` and, behind them, those of `after`.
// index.d.ts says what everything means.

const { readFileSync } = require('node:fs')
const { inspect } = require('node:util')

const addon = require('./binding.js')
const check = require('./arguments.js')
const { handleOf: clusterOf, wrap: wrapCluster } = require('./cluster.js')
const { described, register } = require('./described.js')
const { diff, diffKeys } = require('./difference.js')
const { named } = require('./names.js')

// With it as its first argument the constructor takes a transition that the addon has made, and its sides.
const MADE = Symbol('made')

/** The addon's description of a Transition; null for any other value. */
let describe

class Transition {
  #handle
  // Null where `before` is a function, whose ids are not known.
  #ids = null
  #owner = null
  #properties

  static {
    describe = (value, use) => (typeof value === 'object' && value !== null && #handle in value ? value.#describe(use) : null)
  }

  constructor (before, after, part, of, options) {
    const made = before === MADE
    this.#handle = made ? part : create(before, after, part, of, options)
    this.#properties = check.bare(addon.transitionProperties(this.#handle))
    // Their own and enumerable, so that what compares objects by their properties compares transitions by them.
    this.before = made ? after.before : before
    this.after = made ? after.after : after
    this.part = this.#properties.part
    this.of = this.#properties.of
    if (typeof this.before !== 'function') {
      this.#ids = this.before.ids.concat(this.after.ids)
      this.#owner = addon.bindTransitionOwner(this.#handle)
      Object.defineProperty(this, 'fingerprint', { value: this.#properties.fingerprint, enumerable: true })
    }
    Object.freeze(this)
  }

  static load (path, options) {
    const file = check.path(path)
    const secrets = check.secrets(options)
    return read(readFileSync(file), secrets)
  }

  static fromJson (text, options) {
    return read(check.fileText(text), check.secrets(options))
  }

  // Only of a transition from a function: between two clusters it is an own property.
  get fingerprint () {
    this.#needClusters('a fingerprint')
  }

  get epoch () {
    return this.#properties.epoch ?? null
  }

  get comment () {
    return this.#properties.comment ?? null
  }

  passes (key) {
    return this.#passes(key)
  }

  #passes (key) {
    return this.#ids === null ? addon.gatePasses(this.#handle, key) : addon.transitionPasses(this.#handle, key)
  }

  owner (key, options) {
    const exclude = check.exclusion(options)
    if (this.#ids === null) {
      // Refused for every key, not only for those that the function answers: else it would be found out late.
      if (exclude !== undefined) this.#needClusters('exclude')
      return this.#passes(key) ? this.after.owner(key) : this.#ask(key)
    }
    return this.#ids[exclude === undefined ? this.#owner(key) : addon.transitionOwnerWithout(this.#handle, key, exclude)]
  }

  candidates (key) {
    if (this.#ids !== null) return addon.transitionCandidates(this.#handle, key)
    const passed = this.#passes(key)
    const [old, next] = [this.#ask(key), this.after.owner(key)]
    if (old === next) return [old]
    return passed ? [next, old] : [old, next]
  }

  ranking (key, limit, options) {
    if (check.isOptions(limit, options)) [limit, options] = [undefined, limit]
    this.#needClusters('a ranking')
    const most = check.given(limit, value => check.count(value, 'limit')) ?? this.#ids.length
    const exclude = check.exclusion(options)
    return named(this.#ids, most, out => addon.transitionRanking(this.#handle, key, most, exclude, out))
  }

  replicas (key, r, options) {
    this.#needClusters('copies')
    const copies = check.count(r, 'r')
    const asked = check.choice(copies, options)
    if (asked === null) return []
    return named(this.#ids, copies, out => addon.transitionReplicas(this.#handle, key, copies, asked, out))
  }

  explain (key, r, options) {
    if (check.isOptions(r, options)) [r, options] = [undefined, r]
    this.#needClusters('an explanation')
    return JSON.parse(addon.transitionExplain(this.#handle, key, ...check.explanation(r, options)))
  }

  at (part, of) {
    return wrap(this, addon.transitionAt(this.#handle, check.integer(part, 'part'), check.integer(of, 'of')))
  }

  withEpoch (epoch) {
    return wrap(this, addon.transitionWithEpoch(this.#handle, check.newEpoch(epoch)))
  }

  compare (other) {
    return addon.compare(this.#describe('a comparison'), described(other, 'other', 'a comparison'))
  }

  diff (after, options) {
    return diff(this.#describe('a difference'), after, options)
  }

  diffKeys (after, keys, options) {
    return diffKeys(this.#describe('a difference'), after, keys, options)
  }

  toJson () {
    return this.#file()
  }

  toJSON () {
    return JSON.parse(this.#file())
  }

  get [Symbol.toStringTag] () {
    return 'Transition'
  }

  [inspect.custom] () {
    // The prototype is no transition.
    if (!(#handle in this)) return this
    const side = value => (typeof value === 'function' ? 'a function' : `${value.algorithm} of ${value.size} ${value.size === 1 ? 'node' : 'nodes'}`)
    const epoch = this.epoch === null ? '' : `, epoch ${this.epoch}`
    const fingerprint = this.#ids === null ? '' : `, fingerprint ${this.fingerprint}`
    return `Transition(${this.part}/${this.of}, ${side(this.before)} to ${side(this.after)}${epoch}${fingerprint})`
  }

  /** What the function says of a key, which it gets as the caller wrote it. */
  #ask (key) {
    const { before } = this
    return check.text(before(key), 'what before returns')
  }

  #file () {
    this.#needClusters('a file')
    return addon.transitionToJson(this.#handle)
  }

  #describe (use) {
    this.#needClusters(use)
    return addon.describeTransition(this.#handle)
  }

  /** Refuses what no function can answer. */
  #needClusters (what) {
    if (this.#ids === null) throw check.fault('unsupported', `${what} cannot be had from a transition whose before is a function`)
  }
}

function create (before, after, part, of, options) {
  const entered = clusterOf(after)
  if (entered === null) throw check.wrongType('after', 'a Cluster', after)
  // For a function the addon is given `after` in its place: it is asked for the gate and the epoch only.
  const left = typeof before === 'function' ? entered : clusterOf(before)
  if (left === null) throw check.wrongType('before', 'a Cluster or a function from a key to an id', before)
  const fraction = [check.integer(part, 'part'), check.integer(of, 'of')]
  const { epoch } = check.options(options, ['epoch'])
  return addon.createTransition(left, entered, ...fraction, check.given(epoch, value => check.integer(value, 'epoch')))
}

function read (text, secrets) {
  return wrapFile(addon.transitionFromJson(text, ...secrets))
}

/** The Transition of a transition that the addon has read, and with it its sides. */
function wrapFile (handle) {
  return wrap({ before: wrapCluster(addon.transitionBefore(handle)), after: wrapCluster(addon.transitionAfter(handle)) }, handle)
}

/** The Transition of a transition that the addon has made, between these sides. */
function wrap (sides, handle) {
  return new Transition(MADE, sides, handle)
}

register(describe)

module.exports = { Transition, wrapFile }
