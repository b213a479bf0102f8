'use strict'

// The names of the package, and the functions over the addon that need no cluster. index.d.ts says what everything means.

const addon = require('./binding.js')
const check = require('./arguments.js')
const { Cluster } = require('./cluster.js')
const { LiveCluster } = require('./live.js')
const { version } = require('./package.json')
const { plan } = require('./plan.js')
const { Transition } = require('./transition.js')

function encodeKey (key) {
  return addon.encodeKey(key)
}

function jump (key, n) {
  return addon.jump(check.word(key, 'key'), check.integer(n, 'n'))
}

function jumpBucket (key, n, options) {
  return addon.jumpBucket(key, check.integer(n, 'n'), ...check.hash(options))
}

function modulo (key, n, options) {
  return addon.modulo(key, check.integer(n, 'n'), ...check.hash(options))
}

function rankScores (candidates) {
  const ids = []
  const scores = []
  const weights = []
  check.someItems(candidates, 'candidates', '[id, score] or [id, score, weight]', candidate => {
    if (!Array.isArray(candidate) || candidate.length < 2 || candidate.length > 3) {
      throw check.wrongType('a candidate', '[id, score] or [id, score, weight]', candidate)
    }
    const [id, score, weight] = candidate
    ids.push(check.text(id, 'id'))
    scores.push(check.word(score, 'score'))
    weights.push(weight === undefined ? 1 : check.integer(weight, 'weight'))
  })
  return addon.rankScores(ids, scores, weights).map(position => ids[position])
}

module.exports = { Cluster, encodeKey, jump, jumpBucket, LiveCluster, modulo, plan, rankScores, Transition, version }
