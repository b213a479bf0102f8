'use strict'

// Many keys in one call, in pieces that stay in the processor's caches. Strings are joined, and cut apart in the addon: to walk them one
// by one from there costs twice as much.

const { types } = require('node:util')

const { fault, isPlain, iterable, lengthOf, options, someItems, word, wrongType, MOST_ITEMS } = require('./arguments.js')

const PIECE_KEYS = 4096
const PIECE_UNITS = 2 ** 16

/**
 * Keys that cross the border together: joined while all are strings, one behind the other in memory while all are numbers, else as
 * they are. Each piece has its own, since the caller's code may run while a key is read, and come back here.
 */
class Piece {
  constructor (room) {
    this.room = Math.min(room, PIECE_KEYS)
    this.ends = new Uint32Array(this.room + 1)
    this.first = 0
    this.begin()
  }

  begin () {
    this.count = 0
    this.joined = ''
    this.numbers = null
    this.others = null
  }

  get full () {
    return this.count === this.room || this.joined.length >= PIECE_UNITS
  }

  add (key) {
    // A key that alone is more than a piece is not joined: there is a longest string.
    if (typeof key === 'string' && this.others === null && this.numbers === null && key.length < PIECE_UNITS) {
      this.joined += key
      this.ends[++this.count] = this.joined.length
    } else {
      this.#addOther(key)
    }
  }

  #addOther (key) {
    if (typeof key === 'number' && this.others === null && (this.count === 0 || this.numbers !== null)) {
      this.numbers ??= new Float64Array(this.room)
      this.numbers[this.count++] = key
      return
    }
    this.others ??= this.#separate()
    this.others.push(key)
    this.count++
  }

  /** The keys so far, from what they have become: read again, they could be others. */
  #separate () {
    if (this.numbers !== null) return Array.from(this.numbers.subarray(0, this.count))
    return Array.from({ length: this.count }, (_, index) => this.joined.slice(this.ends[index], this.ends[index + 1]))
  }

  /** Hands the keys to `pass(keys, offsets, first)`, and begins again behind them. */
  pass (pass) {
    if (this.others !== null) pass(this.others, null, this.first)
    else if (this.numbers !== null) pass(this.numbers.subarray(0, this.count), null, this.first)
    else pass(this.joined, this.ends.subarray(0, this.count + 1), this.first)
    this.first += this.count
    this.begin()
  }
}

/**
 * The answers to keys, `width` numbers for each. `ask(keys, offsets, first, out)` answers those of a piece, of which the first has the
 * number `first` for messages. `seen` gets the keys as they were read.
 */
function answerAll (keys, width, ask, seen = null) {
  const column = columnOf(keys)
  if (column !== null) return answerColumn(column, width, ask, seen)
  const list = Array.isArray(keys) ? keys : someItems(keys, 'keys', 'keys', key => key)
  // Of a proxy it can be anything: made a number once, it stays the same.
  const length = Number(list.length)
  if (!(length <= MOST_ITEMS)) throw fault('invalid_parameter', `keys has more than ${MOST_ITEMS} items`)
  const out = new Uint32Array(length * width)
  const piece = new Piece(length)
  const pass = (keys, offsets, first) => ask(keys, offsets, first, out.subarray(first * width, (first + piece.count) * width))
  for (let index = 0; index < length; index++) {
    const key = list[index]
    piece.add(key)
    if (seen !== null) seen.push(key)
    if (piece.full) piece.pass(pass)
  }
  if (piece.count > 0) piece.pass(pass)
  return out
}

/** The same of a column. */
function answerColumn ({ keys, offsets, length, key }, width, ask, seen = null) {
  const out = new Uint32Array(length * width)
  ask(keys, offsets, 0, out)
  if (seen !== null) for (let index = 0; index < length; index++) seen.push(key(index))
  return out
}

/**
 * Hands out keys and their sizes (null for none) piece by piece: none is kept, so that they may be more than memory holds.
 * `take(keys, offsets, first, sizes)` takes those of a piece.
 */
function passAll (keys, sizes, take) {
  const column = columnOf(keys)
  if (column === null) iterable(keys, 'keys', 'keys')
  const measures = sizes === null ? null : new Measures(sizes)
  try {
    if (column === null) passPieces(keys, measures, take)
    else take(column.keys, column.offsets, 0, measures?.of(column.length) ?? null)
  } finally {
    measures?.stop()
  }
}

function passPieces (keys, measures, take) {
  const piece = new Piece(PIECE_KEYS)
  const pass = (keys, offsets, first) => take(keys, offsets, first, measures?.read() ?? null)
  for (const key of keys) {
    measures?.next()
    piece.add(key)
    if (piece.full) piece.pass(pass)
  }
  measures?.end()
  piece.pass(pass)
}

/** The sizes of keys, of which there must be as many. */
class Measures {
  #iterator
  #count = 0
  #piece = []

  constructor (sizes) {
    this.#iterator = walk(iterable(sizes, 'sizes', 'numbers or bigints'))
  }

  /** Reads the size of the next key. */
  next () {
    const { done, value } = this.#iterator.next()
    if (done) throw fault('invalid_parameter', `there are ${this.#count} sizes and more keys: each key has one size`)
    this.#piece.push(word(value, 'size'))
    this.#count++
  }

  /** The sizes read since they were asked for last. */
  read () {
    const piece = BigUint64Array.from(this.#piece)
    this.#piece = []
    return piece
  }

  of (count) {
    while (this.#count < count) this.next()
    this.end()
    return this.read()
  }

  /** Says so where sizes are left over. */
  end () {
    if (!this.#iterator.next().done) throw fault('invalid_parameter', `there are ${this.#count} keys and more sizes: each key has one size`)
  }

  stop () {
    this.#iterator.return()
  }
}

/** An iterator over an iterable that can be ended at any time. */
function * walk (iterable) {
  yield * iterable
}

/** Keys that stand one behind the other in memory already, for the addon and to be read; null for others. */
function columnOf (keys) {
  // A Uint8Array is bytes: one key.
  if (types.isTypedArray(keys)) return types.isUint8Array(keys) ? null : { keys, offsets: null, length: lengthOf(keys), key: index => keys[index] }
  if (!isPlain(keys) || !(Object.hasOwn(keys, 'bytes') || Object.hasOwn(keys, 'offsets'))) return null
  const { bytes, offsets } = options(keys, ['bytes', 'offsets'], 'keys')
  return packed(bytes, offsets)
}

/** Keys that stand one behind the other in `bytes`, key i from `offsets[i]` to `offsets[i + 1]`. */
function packed (bytes, offsets) {
  if (!types.isUint8Array(bytes)) throw wrongType('bytes', 'a Uint8Array', bytes)
  if (!types.isUint32Array(offsets) && !types.isInt32Array(offsets)) throw wrongType('offsets', 'a Uint32Array or an Int32Array', offsets)
  const length = lengthOf(offsets) - 1
  if (length < 0) throw fault('invalid_parameter', 'offsets are empty: n keys have n + 1 of them')
  return { keys: bytes, offsets, length, key: index => bytes.subarray(offsets[index], offsets[index + 1]) }
}

module.exports = { answerAll, answerColumn, packed, passAll }
