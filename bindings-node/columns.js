'use strict'

// Many keys in one call, in pieces that stay in the processor's caches. The strings of a piece cross the border as the arguments of one
// call: to walk an array from the addon costs four times as much, and joined they would leave the garbage collector a part for each.

const { types } = require('node:util')

const addon = require('./binding.js')
const { fault, isPlain, iterable, lengthOf, options, someItems, word, wrongType, MOST_ITEMS } = require('./arguments.js')

const { apply } = Reflect

const PIECE_KEYS = 4096
const PIECE_UNITS = 2 ** 16

// Of one piece at a time. All pieces share them, so nothing of the caller's may run between writing and reading: not even what may have
// been put in the place of a method of JavaScript's own.
const packing = addon.createPacking()
const pack = addon.bindPack(packing)
const numbers = new Float64Array(PIECE_KEYS)
// For few answers: V8 keeps a small array where it can move, and has to make an ArrayBuffer of it for an addon.
const few = new Uint32Array(new ArrayBuffer(64))
const FEW = few.length

/** Keys that cross the border together. Each call has its own, since the caller's code may run while a key is read, and come back here. */
class Piece {
  constructor (room) {
    this.room = Math.min(room, PIECE_KEYS)
    this.keys = new Array(this.room)
    this.first = 0
    this.begin()
  }

  begin () {
    this.count = 0
    this.texts = 0
    this.units = 0
    this.numbers = 0
  }

  get full () {
    return this.count === this.room || this.units >= PIECE_UNITS
  }

  add (key) {
    if (typeof key === 'string') {
      this.texts++
      this.units += key.length
    } else if (typeof key === 'number') {
      this.numbers++
    }
    this.keys[this.count++] = key
  }

  /** Begins again behind the keys so far. */
  next () {
    this.first += this.count
    this.begin()
  }

  /**
   * The keys for the addon, at once: packed if all are strings, one behind the other in memory if all are numbers, else as they are. That
   * also where they cannot be packed, to be judged one by one, and where a string is so long that its memory must not be kept.
   */
  ready () {
    const { keys, count } = this
    if (keys.length !== count) keys.length = count
    if (this.texts === count) return this.units < 2 * PIECE_UNITS && apply(pack, undefined, keys) ? packing : keys
    if (this.numbers !== count) return keys
    const column = numbers.subarray(0, count)
    for (let index = 0; index < count; index++) numbers[index] = keys[index]
    return column
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
  // Of a proxy it can be anything: made an integer once, it stays the same.
  const length = Math.trunc(list.length)
  if (!(length <= MOST_ITEMS)) throw fault('invalid_parameter', `keys has more than ${MOST_ITEMS} items`)
  const out = new Uint32Array(length * width)
  const piece = new Piece(length)
  const answer = () => {
    const { first, count } = piece
    fill(out, first * width, count * width, part => ask(piece.ready(), null, first, part))
    piece.next()
  }
  for (let index = 0; index < length; index++) {
    const key = list[index]
    piece.add(key)
    if (seen !== null) seen.push(key)
    if (piece.full) answer()
  }
  if (piece.count > 0) answer()
  return out
}

/** The same of a column. */
function answerColumn ({ keys, offsets, length, key }, width, ask, seen = null) {
  const out = new Uint32Array(length * width)
  fill(out, 0, out.length, part => ask(keys, offsets, 0, part))
  if (seen !== null) for (let index = 0; index < length; index++) seen.push(key(index))
  return out
}

/** Fills `size` items of `out` with what `ask` writes into the array that it is given. */
function fill (out, start, size, ask) {
  if (out.length > FEW) {
    ask(size === out.length ? out : out.subarray(start, start + size))
    return
  }
  ask(few)
  for (let index = 0; index < size; index++) out[start + index] = few[index]
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
  const pass = () => {
    const sizes = measures?.read() ?? null
    take(piece.ready(), null, piece.first, sizes)
    piece.next()
  }
  for (const key of keys) {
    measures?.next()
    piece.add(key)
    if (piece.full) pass()
  }
  measures?.end()
  pass()
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
