'use strict'

// Where a Cluster and a Transition are equally welcome, the addon is given a description of either.

const { wrongType } = require('./arguments.js')

/** For each class: the description that a value of it is, null for any other value; `use` says for what, where there is none to be had. */
const kinds = []

function register (describe) {
  kinds.push(describe)
}

function described (value, name, use) {
  for (const describe of kinds) {
    const description = describe(value, use)
    if (description !== null) return description
  }
  throw wrongType(name, 'a Cluster or a Transition', value)
}

module.exports = { described, register }
