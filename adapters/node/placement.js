// @ts-check
'use strict'

/**
 * Where a key is while a cluster changes: a cluster file that is followed and, when coming from another placement, today's function in it.
 * The other modules of this folder take a `Placement`; copy this file beside the one that you need.
 */

const { Cluster, LiveCluster, Transition } = require('keystead')

/** The name in a node's `meta` that marks a cluster as standing for a function. Whoever has no function must not place by it. */
const STANDS_FOR = 'stands-for'

/**
 * What stays the same until the file changes, so that answers that belong together come from one state.
 *
 * @typedef {object} Step
 * @property {Cluster | Transition} published
 * @property {Cluster | Transition} placed - the same, with the function in it
 * @property {Map<string, string>} addresses - by id
 */

/**
 * @param {Cluster | Transition<Cluster>} published
 * @param {((key: any) => string) | undefined} before
 * @returns {Step}
 */
function stepOf(published, before) {
  // The new side comes last: a node that is on both has the address that the new one gives it.
  const sides = published instanceof Transition ? [published.before, published.after] : [published]
  const standIn = sides[0].nodes.map(node => node.meta?.[STANDS_FOR]).find(Boolean)
  if (standIn && published instanceof Cluster) {
    throw new Error(`the published cluster only stands for ${standIn}, and places no key: publish a transition that begins with it`)
  }
  if (standIn && !before) {
    throw new Error(`the published transition begins with what only stands for ${standIn}: give its function as before`)
  }
  /** @type {Map<string, string>} */
  const addresses = new Map()
  for (const { id, address } of sides.flatMap(side => side.nodes)) {
    if (!address) throw new Error(`node "${id}" has no address in the cluster file`)
    addresses.set(id, address)
  }
  // Any other transition begins with a cluster of ours: a function that a program still has from coming here is no part of it.
  const placed = published instanceof Transition && standIn && before
    ? new Transition(before, published.after, published.part, published.of)
    : published
  return { published, placed, addresses }
}

/** Where a key is, by a cluster file. */
class Placement {
  #live
  #before
  /** @type {Step} */
  #step

  /**
   * @param {string} path - a cluster file or a transition file in which every node has an address.
   * @param {object} [options]
   * @param {(key: any) => string} [options.before] - when coming from another placement, its function from a key to a node's id. It takes the
   *   place of `before` in a published transition whose nodes there are marked with `STANDS_FOR`: they only list today's nodes with their
   *   addresses. In all else that is published it is not asked. It is given each key as it comes.
   * @param {Uint8Array} [options.secret] - as for `LiveCluster`.
   */
  constructor(path, { before, secret } = {}) {
    this.#live = new LiveCluster(path, secret ? { secret } : {})
    this.#before = before
    this.#step = stepOf(this.#live.current, before)
  }

  /**
   * Takes over the file if it has changed. Throws as `LiveCluster.refresh`, or where an address is missing, or the function; then the old state is kept.
   *
   * @returns {'same' | 'newer'}
   */
  refresh() {
    const answer = this.#live.refresh()
    if (this.#live.current !== this.#step.published) this.#step = stepOf(this.#live.current, this.#before)
    return answer
  }

  /** What the file says. Its `fingerprint` and `epoch` are what a program reports. */
  get published() {
    return this.#step.published
  }

  /** The address of every node by its id; during a transition of the nodes on both sides. */
  get addresses() {
    return new Map(this.#step.addresses)
  }

  /**
   * The addresses at which the key can be, its owner's first: one, or two during a transition.
   *
   * @param {string} key
   * @returns {string[]}
   */
  places(key) {
    const { placed, addresses } = this.#step
    const ids = placed instanceof Transition ? placed.candidates(key) : [placed.owner(key)]
    // Two ids may be one server, and then there is one place.
    return [...new Set(ids.map(id => {
      const address = addresses.get(id)
      if (address === undefined) throw new Error(`"${id}", which the function answers, is no node of the cluster file`)
      return address
    }))]
  }
}

module.exports = { Placement, STANDS_FOR }
