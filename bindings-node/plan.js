'use strict'

// A change in steps that keep a limit, over the addon. index.d.ts says what everything means.

const addon = require('./binding.js')
const check = require('./arguments.js')
const { described } = require('./described.js')
const { addAll, isGiven } = require('./difference.js')

function plan (before, after, options) {
  const { keys, sizes, limit } = check.options(options, ['keys', 'sizes', 'limit'])
  const [left, entered] = [described(before, 'before', 'a plan'), described(after, 'after', 'a plan')]
  const planning = addon.createPlan(left, entered, check.text(limit, 'limit'), isGiven(keys) ? isGiven(sizes) : null)
  addAll(keys, sizes, (keys, offsets, first, sizes) => addon.planAdd(planning, keys, offsets, first, sizes))
  return JSON.parse(addon.planSummary(planning))
}

module.exports = { plan }
