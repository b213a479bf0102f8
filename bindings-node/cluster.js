'use strict'

// The class Cluster over the addon. The addon answers with node indices; the ids are made once for a cluster and handed out by
// reference. index.d.ts says what everything means.

const { readFileSync } = require('node:fs')
const { inspect } = require('node:util')

const addon = require('./binding.js')
const check = require('./arguments.js')
const { answerAll, answerColumn, packed } = require('./columns.js')
const { described, register } = require('./described.js')
const { diff, diffKeys } = require('./difference.js')
const { named, namesOf } = require('./names.js')

// With it as its first argument the constructor takes a cluster that the addon has made.
const MADE = Symbol('made')

const PARAMETERS = ['algorithm', 'hash', 'seed', 'secret', 'epoch', 'levels', 'tokensPerWeight', 'space', 'slots', 'headroom']

/** The addon's cluster behind a Cluster; null for any other value. */
let handleOf

class Cluster {
  #handle
  #ids
  #names
  #owner
  #properties = null
  #nodes = null

  static {
    handleOf = value => (typeof value === 'object' && value !== null && #handle in value ? value.#handle : null)
  }

  constructor (nodes, options) {
    this.#handle = nodes === MADE ? options : create(nodes, options)
    // The answers are read from an array without holes that is not frozen, which V8 does in line.
    this.#names = Array.from(addon.ids(this.#handle))
    this.#ids = Object.freeze(this.#names.slice())
    this.#owner = addon.bindOwner(this.#handle)
    // Its own and enumerable, so that what compares objects by their properties compares clusters by it.
    this.fingerprint = addon.fingerprint(this.#handle)
    Object.freeze(this)
  }

  static load (path, options) {
    const file = check.path(path)
    const { secret } = check.options(options, ['secret'])
    return read(readFileSync(file), secret)
  }

  static fromJson (text, options) {
    const bytes = check.fileText(text)
    const { secret } = check.options(options, ['secret'])
    return read(bytes, secret)
  }

  get size () {
    return this.#ids.length
  }

  get ids () {
    return this.#ids
  }

  get nodes () {
    this.#nodes ??= Object.freeze(addon.nodes(this.#handle).map(showNode))
    return this.#nodes
  }

  get algorithm () {
    return this.#said().algorithm
  }

  get hash () {
    return this.#said().hash
  }

  get seed () {
    return this.#said().seed ?? null
  }

  get epoch () {
    return this.#said().epoch ?? null
  }

  get levels () {
    return this.#said().levels ?? null
  }

  get tokensPerWeight () {
    return this.#said().tokensPerWeight ?? null
  }

  get space () {
    return this.#said().space ?? null
  }

  get slots () {
    return this.#said().slots ?? null
  }

  get headroom () {
    return this.#said().headroom ?? null
  }

  get comment () {
    return this.#said().comment ?? null
  }

  get hasSecret () {
    return this.#said().hasSecret
  }

  #said () {
    if (this.#properties === null) {
      const properties = check.bare(addon.properties(this.#handle))
      if (properties.levels) Object.freeze(properties.levels)
      this.#properties = properties
    }
    return this.#properties
  }

  owner (key, options) {
    if (options === undefined) return this.#names[this.#owner(key)]
    const exclude = check.exclusion(options)
    return this.#ids[exclude === undefined ? this.#owner(key) : addon.ownerWithout(this.#handle, key, exclude)]
  }

  ranking (key, limit, options) {
    if (check.isOptions(limit, options)) [limit, options] = [undefined, limit]
    const most = check.given(limit, value => check.count(value, 'limit')) ?? this.#ids.length
    const exclude = check.exclusion(options)
    return named(this.#ids, most, out => addon.ranking(this.#handle, key, most, exclude, out))
  }

  replicas (key, r, options) {
    const copies = check.count(r, 'r')
    const asked = check.choice(copies, options)
    if (asked === null) return []
    return named(this.#ids, copies, out => addon.replicas(this.#handle, key, copies, asked, out))
  }

  explain (key, r, options) {
    if (check.isOptions(r, options)) [r, options] = [undefined, r]
    return JSON.parse(addon.explain(this.#handle, key, ...check.explanation(r, options)))
  }

  ownerMany (keys) {
    return namesOf(this.#names, this.#owners(keys, null))
  }

  ownerIndices (keys) {
    return this.#owners(keys, null)
  }

  #owners (keys, seen) {
    return answerAll(keys, 1, this.#askOwners(), seen)
  }

  ownersPacked (bytes, offsets) {
    return answerColumn(packed(bytes, offsets), 1, this.#askOwners())
  }

  #askOwners () {
    const handle = this.#handle
    return (keys, offsets, first, out) => addon.ownerIndices(handle, keys, offsets, first, out)
  }

  replicaIndices (keys, r) {
    const handle = this.#handle
    const copies = check.count(r, 'r')
    addon.checkReplicas(handle, copies)
    // More than there are nodes is an error at the first key: no need to make room for them.
    return answerAll(keys, Math.min(copies, this.#ids.length),
      (keys, offsets, first, out) => addon.replicaIndices(handle, copies, keys, offsets, first, out))
  }

  slotIndices (keys) {
    const handle = this.#handle
    // Says so where there are no slots, even if there are no keys.
    addon.slot(handle, '')
    return answerAll(keys, 1, (keys, offsets, first, out) => addon.slotIndices(handle, keys, offsets, first, out))
  }

  groupByOwner (keys) {
    const list = []
    const owners = this.#owners(keys, list)
    const groups = this.#ids.map(() => [])
    for (let index = 0; index < owners.length; index++) groups[owners[index]].push(list[index])
    return new Map(this.#ids.map((id, index) => [id, groups[index]]))
  }

  node (id) {
    return showNode(addon.node(this.#handle, check.text(id, 'id')))
  }

  has (id) {
    return addon.hasNode(this.#handle, check.text(id, 'id'))
  }

  [Symbol.iterator] () {
    return this.#ids[Symbol.iterator]()
  }

  shares () {
    const shares = addon.shares(this.#handle)
    return new Map(this.#ids.map((id, index) => [id, shares[index]]))
  }

  slot (key) {
    return addon.slot(this.#handle, key)
  }

  slotOwners () {
    return namesOf(this.#ids, addon.slotOwners(this.#handle))
  }

  slotsOf (id) {
    return Array.from(addon.slotsOf(this.#handle, check.text(id, 'id')))
  }

  slotRanking (slot, limit) {
    // Other algorithms have no slots: the addon says so of any.
    const { slots } = this.#said()
    const number = slots === undefined ? 0 : check.integer(slot, 'slot', slots - 1)
    const most = check.given(limit, value => check.count(value, 'limit')) ?? this.#ids.length
    return named(this.#ids, most, out => addon.slotRanking(this.#handle, number, most, out))
  }

  ownerAt (at) {
    return this.#ids[addon.ownerAt(this.#handle, check.word(at, 'coordinate', (this.#said().space ?? 2n ** 64n) - 1n))]
  }

  arcs () {
    const { starts, ends, lengths, owners } = addon.arcs(this.#handle)
    // A length comes modulo 2^64, and none is 0.
    return Array.from(owners, (owner, index) => (
      { start: starts[index], end: ends[index], length: lengths[index] || 2n ** 64n, owner: this.#ids[owner] }
    ))
  }

  withNode (node) {
    return this.#changed([check.node(node)], [], [], [], [])
  }

  withoutNode (id) {
    return this.#changed([], [check.text(id, 'id')], [], [], [])
  }

  withWeight (id, weight) {
    return this.#changed([], [], [check.text(id, 'id')], [check.integer(weight, 'weight')], [])
  }

  change (changes) {
    const { add, remove, weight, drain } = check.options(changes, ['add', 'remove', 'weight', 'drain'], 'a change')
    const ids = (value, what) => check.given(value, value => check.someTexts(value, what)) ?? []
    const [weighed, weights] = check.given(weight, check.weights) ?? [[], []]
    return this.#changed(check.given(add, value => check.nodes(value, 'add')) ?? [], ids(remove, 'remove'), weighed, weights, ids(drain, 'drain'))
  }

  #changed (add, remove, weighed, weights, drain) {
    return wrap(addon.changeCluster(this.#handle, add, remove, weighed, weights, drain))
  }

  withEpoch (epoch) {
    return wrap(addon.clusterWithEpoch(this.#handle, check.newEpoch(epoch)))
  }

  compare (other) {
    return addon.compare(addon.describeCluster(this.#handle), described(other, 'other', 'a comparison'))
  }

  diff (after, options) {
    return diff(addon.describeCluster(this.#handle), after, options)
  }

  diffKeys (after, keys, options) {
    return diffKeys(addon.describeCluster(this.#handle), after, keys, options)
  }

  description () {
    return addon.description(this.#handle)
  }

  toJson () {
    return addon.clusterToJson(this.#handle)
  }

  toJSON () {
    return JSON.parse(addon.clusterToJson(this.#handle))
  }

  get [Symbol.toStringTag] () {
    return 'Cluster'
  }

  [inspect.custom] () {
    // The prototype is no cluster.
    if (!(#handle in this)) return this
    const secret = this.hasSecret ? ', with a secret' : ''
    return `Cluster(${this.algorithm}, ${this.size} ${this.size === 1 ? 'node' : 'nodes'}${secret}, fingerprint ${this.fingerprint})`
  }
}

function create (nodes, options) {
  if (nodes instanceof Cluster) throw check.wrongType('nodes', 'an array of nodes (a cluster has them in its property nodes)', nodes)
  const asked = check.options(options, PARAMETERS)
  return addon.createCluster(check.nodes(nodes), check.parameters(asked), check.secret(asked.secret))
}

function read (text, secret) {
  return wrap(addon.clusterFromJson(text, check.secret(secret)))
}

function showNode (node) {
  const { id, weight, location, tokens, address, meta, comment } = check.bare(node)
  const shown = { id, weight, location: Object.freeze(location) }
  if (tokens !== undefined) shown.tokens = Object.freeze(Array.from(tokens))
  if (address !== undefined) shown.address = address
  if (meta.length > 0) shown.meta = Object.freeze(Object.fromEntries(meta))
  if (comment !== undefined) shown.comment = comment
  return Object.freeze(shown)
}

/** The Cluster of a cluster that the addon has made. */
function wrap (handle) {
  return new Cluster(MADE, handle)
}

register(value => {
  const handle = handleOf(value)
  return handle === null ? null : addon.describeCluster(handle)
})

module.exports = { Cluster, handleOf, wrap }
