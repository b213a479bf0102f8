'use strict'

// What moves from one description to another, over the addon.

const addon = require('./binding.js')
const check = require('./arguments.js')
const { passAll } = require('./columns.js')
const { described } = require('./described.js')

const QUESTION = ['r', 'spread', 'relaxed', 'exclude']

/** The summary of a difference, with what the keys come to where some are given. */
function diff (before, after, options) {
  const { keys, sizes, ...question } = read(options, ['keys', 'sizes', ...QUESTION])
  const counting = open(before, after, question, isGiven(keys))
  addAll(keys, sizes, (keys, offsets, first, sizes) => addon.diffAdd(counting, keys, offsets, first, sizes))
  return JSON.parse(addon.diffSummary(counting))
}

/** What becomes of each key, one by one. */
function diffKeys (before, after, keys, options) {
  check.iterable(keys, 'keys', 'keys')
  return moves(open(before, after, read(options, QUESTION), true), keys)
}

function * moves (counting, keys) {
  for (const key of keys) {
    const { source, target, reason } = addon.diffKey(counting, key)
    yield { key, source, target, reason }
  }
}

/** Each option read once. */
function read (options, names) {
  return { ...check.options(options, names) }
}

function open (before, after, { r, ...constraints }, counts) {
  const entered = described(after, 'after', 'a difference')
  const copies = check.given(r, value => check.count(value, 'r')) ?? 1
  const asked = check.constraintsOf(constraints)
  check.checkSpread(asked)
  return addon.createDiff(before, entered, copies, asked, counts)
}

/** Hands out the keys that are given, if any are, with their sizes. */
function addAll (keys, sizes, take) {
  if (isGiven(keys)) passAll(keys, isGiven(sizes) ? sizes : null, take)
  else if (isGiven(sizes)) throw check.wrongType('keys', 'an array or another iterable of keys where there are sizes', keys)
}

function isGiven (value) {
  return value !== undefined && value !== null
}

module.exports = { addAll, diff, diffKeys, isGiven }
