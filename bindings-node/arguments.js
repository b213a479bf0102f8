'use strict'

// What an argument may be. A wrong type is a TypeError, the right type out of range an Error with the core's code. Everything is read
// once and copied, so that an object that changes while it is read changes the call, and nothing else. No message shows more of a
// value than its type, except the numbers and texts whose rule is broken: a secret must never be in one.

const { types } = require('node:util')

const MAX_U64 = 2n ** 64n - 1n

// The code of a value out of range, and the range that the core accepts at most; the core knows the exact rule.
const RANGES = {
  weight: ['invalid_weight', 0, 4294967295],
  epoch: ['invalid_parameter', 0, Number.MAX_SAFE_INTEGER],
  part: ['invalid_parameter', 0, 4294967295],
  of: ['invalid_parameter', 1, 4294967295],
  tokensPerWeight: ['invalid_parameter', 1, 65536],
  slots: ['invalid_parameter', 1, 4194304],
  headroom: ['invalid_parameter', 0, 1000],
  size: ['invalid_parameter', 0n, MAX_U64],
  r: ['invalid_parameter', 0, Number.MAX_SAFE_INTEGER],
  limit: ['invalid_parameter', 0, Number.MAX_SAFE_INTEGER],
  'spread level': ['invalid_parameter', 0, 7],
  slot: ['invalid_parameter', 0],
  n: ['invalid_parameter', 1, 2147483647],
  seed: ['invalid_parameter', 0n, MAX_U64],
  space: ['invalid_parameter', 2n, MAX_U64],
  token: ['invalid_tokens', 0n, MAX_U64],
  coordinate: ['invalid_parameter', 0n],
  key: ['invalid_parameter', 0n, MAX_U64],
  score: ['invalid_parameter', 0n, MAX_U64]
}

const MOST_NODES = 2 ** 20
const MOST_TOKENS = 2 ** 26
const MOST_TEXTS = 8
const MOST_ITEMS = 2 ** 26

const CONSTRAINTS = ['exclude', 'spread', 'relaxed']
const NODE_MEMBERS = ['id', 'weight', 'location', 'tokens', 'address', 'meta', 'comment']

/** An error of the core's, for what only JavaScript can see. */
function fault (code, message) {
  const error = new Error(message)
  error.code = code
  return error
}

function wrongType (what, wanted, value) {
  const error = new TypeError(`${what} must be ${wanted}, not ${kind(value)}`)
  error.code = 'ERR_INVALID_ARG_TYPE'
  return error
}

function kind (value) {
  if (value === null) return 'null'
  if (value === undefined) return 'undefined'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Well-formed text: a lone surrogate has no UTF-8, and replaced by U+FFFD different texts would become one. */
function text (value, what) {
  if (typeof value !== 'string') throw wrongType(what, 'a string', value)
  if (!value.isWellFormed()) throw fault('invalid_text', `${what} is not well-formed text: it holds a lone surrogate`)
  return value
}

const typedLength = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'length').get

/** How many items a typed array has, whatever its `length` has been made to say. */
function lengthOf (array) {
  return Reflect.apply(typedLength, array, [])
}

/** An iterable, and none that is one key or one text itself. */
function iterable (value, what, of) {
  const bare = typeof value !== 'object' || value === null || types.isUint8Array(value)
  if (bare || typeof value[Symbol.iterator] !== 'function') throw wrongType(what, `an array or another iterable of ${of}`, value)
  return value
}

/**
 * The items of an iterable, each read as it comes, so that the first that is none ends it; at most `most` and one, since an endless
 * iterable must not be the end of the memory.
 */
function items (value, what, of, most, read) {
  iterable(value, what, of)
  const list = []
  for (const item of value) {
    list.push(read(item))
    if (list.length > most) break
  }
  return list
}

/** The same where the core does not judge how many there are. */
function someItems (value, what, of, read) {
  const list = items(value, what, of, MOST_ITEMS, read)
  if (list.length > MOST_ITEMS) throw fault('invalid_parameter', `${what} has more than ${MOST_ITEMS} items`)
  return list
}

function texts (value, what, most) {
  return items(value, what, 'strings', most, item => text(item, `an item of ${what}`))
}

function someTexts (value, what) {
  return someItems(value, what, 'strings', item => text(item, `an item of ${what}`))
}

/** An integer that a number holds exactly; `most` where the limit is the caller's. */
function integer (value, name, most) {
  if (typeof value !== 'number') throw wrongType(name, 'a number', value)
  const [code, low, high = most] = RANGES[name]
  if (!Number.isSafeInteger(value) || value < 0 || (name === 'weight' && value > high)) throw outOfRange(code, name, value, low, high)
  return value
}

/** How many: beyond the safe integers it is more than any cluster has either way, and goes on as it is for the message. */
function count (value, name) {
  return typeof value === 'number' && value > Number.MAX_SAFE_INTEGER && value < Infinity ? value : integer(value, name)
}

/** An integer of 64 bits as a BigInt; `most` where the limit is the caller's. */
function word (value, name, most) {
  const [code, low, high = most] = RANGES[name]
  if (typeof value === 'bigint') {
    if (value < 0n || value > MAX_U64) throw outOfRange(code, name, shown(value), low, high)
    return value
  }
  if (typeof value !== 'number') throw wrongType(name, 'a bigint or a number', value)
  if (!Number.isSafeInteger(value) || value < 0) {
    throw outOfRange(code, name, value, low, high > Number.MAX_SAFE_INTEGER ? `${high}, a bigint above 2^53 - 1` : high)
  }
  return BigInt(value)
}

function outOfRange (code, name, value, low, high) {
  return fault(code, `${name} ${value} is out of range: an integer from ${low} to ${high}`)
}

/** The digits of a BigInt, where they are few: of a million it takes seconds to find the decimal ones. */
function shown (value) {
  if (value > -(2n ** 128n) && value < 2n ** 128n) return `${value}`
  const digits = (value < 0n ? -value : value).toString(16)
  return `${value < 0n ? '-' : ''}0x${digits.slice(0, 16)}… (${digits.length} hex digits)`
}

/** The path of a file, as Node's own functions take it. */
function path (value) {
  if (typeof value !== 'string' && !types.isUint8Array(value) && !(value instanceof URL)) throw wrongType('path', 'a string, a Buffer or a URL', value)
  return value
}

/** The text of a file, as bytes. */
function fileText (value) {
  if (types.isUint8Array(value)) return value
  if (typeof value !== 'string') throw wrongType('text', 'a string or a Uint8Array', value)
  return Buffer.from(text(value, 'text'))
}

/** Whether options stand where a number can be left out. */
function isOptions (value, options) {
  return options === undefined && typeof value === 'object' && value !== null
}

/** The options, refused if there is a name that is none: a misspelt `exlude` must not be ignored. */
function options (value, names, what = 'options') {
  if (value === undefined || value === null) return {}
  if (!isPlain(value)) throw wrongType(what, 'a plain object', value)
  refuseOthers(value, names, what)
  return own(value, names)
}

/** An object's own members of these names, each read once: what a library hangs on Object.prototype is nobody's option. */
function own (value, names) {
  const members = { __proto__: null }
  for (const name of names) if (Object.hasOwn(value, name)) members[name] = value[name]
  return members
}

/** Whether a value is an object as `{}` makes it, of any realm: a Set in the place of options would else be options without any. */
function isPlain (value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** What the addon gives leaves out what is absent: there too nothing of Object.prototype's may be taken for it. */
function bare (made) {
  return { __proto__: null, ...made }
}

function refuseOthers (value, names, what) {
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue
    const error = new TypeError(`${what} has no ${JSON.stringify(name)}: known are ${names.join(', ')}`)
    error.code = 'ERR_INVALID_ARG_TYPE'
    throw error
  }
}

function given (value, read) {
  return value === undefined || value === null ? undefined : read(value)
}

/** A secret, or null. It is handed on as it is and never kept here. */
function secret (value, name = 'secret') {
  if (value === undefined || value === null) return null
  if (!types.isUint8Array(value)) throw wrongType(name, 'a Uint8Array', value)
  return value
}

/** The secrets beside a file that can hold two clusters: one that serves both, one for `before`, one for `after`. */
function secrets (value) {
  const asked = options(value, ['secret', 'beforeSecret', 'afterSecret'])
  const [one, before, after] = [secret(asked.secret), secret(asked.beforeSecret, 'beforeSecret'), secret(asked.afterSecret, 'afterSecret')]
  if (one !== null && (before !== null || after !== null)) {
    throw fault('unexpected_secret', 'secret serves both clusters: beside it neither beforeSecret nor afterSecret is used')
  }
  return [one, before, after]
}

function nodes (value, what = 'nodes') {
  return items(value, what, 'strings or objects with an id', MOST_NODES, node)
}

/** A node for the addon: its id alone, or an object with everything that it can have. */
function node (value) {
  if (typeof value === 'string') return text(value, 'id')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType('a node', 'a string or an object with an id', value)
  refuseOthers(value, NODE_MEMBERS, 'a node')
  const { id, weight, location, tokens, address, meta, comment } = own(value, NODE_MEMBERS)
  return {
    id: text(id, 'id'),
    weight: weight === undefined ? 1 : integer(weight, 'weight'),
    location: given(location, location => texts(location, 'location', MOST_TEXTS)) ?? [],
    tokens: given(tokens, tokens => items(tokens, 'tokens', 'bigints', MOST_TOKENS, token => word(token, 'token'))),
    address: given(address, address => text(address, 'address')),
    meta: given(meta, textPairs),
    comment: given(comment, comment => text(comment, 'comment'))
  }
}

function textPairs (value) {
  if (!isPlain(value)) throw wrongType('meta', 'a plain object of strings', value)
  return Object.entries(value).map(([name, item]) => [text(name, 'a name in meta'), text(item, 'a value in meta')])
}

/** Weights by id, of an object or a Map, as two lists. */
function weights (value) {
  const isMap = types.isMap(value)
  if (!isMap && !isPlain(value)) throw wrongType('weight', 'a plain object or a Map of weights by id', value)
  const pairs = isMap ? [...value] : Object.entries(value)
  return [pairs.map(([id]) => text(id, 'id')), pairs.map(([, weight]) => integer(weight, 'weight'))]
}

/** What a choice of nodes must respect, for the addon; undefined for nothing. */
function constraints (value) {
  return value === undefined || value === null ? undefined : constraintsOf(options(value, CONSTRAINTS))
}

function constraintsOf ({ exclude, spread, relaxed }) {
  if (relaxed !== undefined && relaxed !== null && typeof relaxed !== 'boolean') throw wrongType('relaxed', 'a boolean', relaxed)
  if (spread !== undefined && spread !== null && typeof spread !== 'number' && typeof spread !== 'string') {
    throw wrongType('spread', 'the number or the name of a level', spread)
  }
  return { exclude: excluded(exclude), spread: spread ?? undefined, relaxed: relaxed ?? false }
}

/** The rule of a spread's value, which comes after r = 0. */
function checkSpread (asked) {
  if (typeof asked?.spread === 'number') integer(asked.spread, 'spread level')
  if (typeof asked?.spread === 'string') text(asked.spread, 'spread')
}

/** What a choice of copies must respect, for the addon; null for no copies, which nothing further is asked of. */
function choice (copies, value) {
  if (copies === 0) {
    given(value, value => options(value, CONSTRAINTS))
    return null
  }
  const asked = constraints(value)
  checkSpread(asked)
  return asked
}

/** How many copies are explained, and what they must respect. Of none no spread is judged. */
function explanation (r, options) {
  const copies = r === undefined ? 1 : count(r, 'r')
  const asked = constraints(options)
  if (copies > 0) checkSpread(asked)
  else if (asked !== undefined) asked.spread = undefined
  return [copies, asked]
}

/** Only `exclude`, for what knows no copies. */
function exclusion (value) {
  return value === undefined || value === null ? undefined : excluded(options(value, ['exclude']).exclude)
}

function excluded (value) {
  return given(value, value => someTexts(value, 'exclude'))
}

/** The parameters of a new cluster but its secret, for the addon. */
function parameters (asked) {
  return {
    algorithm: given(asked.algorithm, value => text(value, 'algorithm')),
    hash: given(asked.hash, value => text(value, 'hash')),
    seed: given(asked.seed, value => word(value, 'seed')),
    epoch: given(asked.epoch, value => integer(value, 'epoch')),
    levels: given(asked.levels, value => texts(value, 'levels', MOST_TEXTS)),
    tokensPerWeight: given(asked.tokensPerWeight, value => integer(value, 'tokensPerWeight')),
    space: given(asked.space, value => word(value, 'space')),
    slots: given(asked.slots, value => integer(value, 'slots')),
    headroom: given(asked.headroom, value => integer(value, 'headroom'))
  }
}

/** The epoch of a description that is published again, undefined for none: asked for, since to leave it out would be to take it away. */
function newEpoch (value) {
  if (value === undefined) throw wrongType('epoch', 'a number or null', value)
  return given(value, value => integer(value, 'epoch'))
}

/** The hash of a function that takes one: name, seed and secret. */
function hash (value) {
  const asked = options(value, ['hash', 'seed', 'secret'])
  return [given(asked.hash, value => text(value, 'hash')), given(asked.seed, value => word(value, 'seed')), secret(asked.secret)]
}

module.exports = {
  bare,
  checkSpread,
  choice,
  constraintsOf,
  count,
  exclusion,
  explanation,
  fault,
  fileText,
  given,
  hash,
  integer,
  isOptions,
  isPlain,
  iterable,
  lengthOf,
  MOST_ITEMS,
  newEpoch,
  node,
  nodes,
  options,
  parameters,
  path,
  secret,
  secrets,
  someItems,
  someTexts,
  text,
  weights,
  word,
  wrongType
}
