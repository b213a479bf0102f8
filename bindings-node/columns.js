'use strict'

// Many keys in one call, in pieces that stay in the processor's caches. Strings are joined and encoded once: to walk them one by one
// from the addon costs twice as much.

const { fault, iterable, someItems, word, MOST_ITEMS } = require('./arguments.js')

const PIECE_KEYS = 4096
const PIECE_BYTES = 2 ** 18

const encoder = new TextEncoder()
let packedBytes = null
let packedOffsets = null

/**
 * The answers to keys, `width` numbers for each. `packed(bytes, offsets, out)` answers keys that stand one behind the other,
 * `listed(keys, first, out)` an array of any keys, of which the first has the number `first` for messages. `seen` gets the keys as
 * they were read.
 */
function answerAll (keys, width, packed, listed, seen = null) {
  const list = Array.isArray(keys) ? keys : someItems(keys, 'keys', 'keys', key => key)
  const { length } = list
  if (!(length <= MOST_ITEMS)) throw fault('invalid_parameter', `keys has more than ${MOST_ITEMS} items`)
  const out = new Uint32Array(length * width)
  let next = 0
  while (next < length) {
    const first = next
    // The caller's code may run here, in a getter, and call back: so the piece is a copy, and nothing shared is touched yet.
    const piece = []
    let joined = ''
    let onlyText = true
    while (next < length && piece.length < PIECE_KEYS && joined.length < PIECE_BYTES / 2) {
      const key = list[next++]
      piece.push(key)
      if (typeof key === 'string') joined += key
      else onlyText = false
    }
    const part = out.subarray(first * width, next * width)
    if (!(onlyText && answerText(piece, joined, packed, part))) listed(piece, first, part)
    if (seen !== null) for (const key of piece) seen.push(key)
  }
  return out
}

/**
 * Hands out keys and their sizes (null for none) piece by piece: none is kept, so that they may be more than memory holds.
 * `packed(bytes, offsets, sizes)` takes keys that stand one behind the other, `listed(keys, first, sizes)` an array of any keys.
 */
function passAll (keys, sizes, packed, listed) {
  iterable(keys, 'keys', 'keys')
  const measures = sizes === null ? null : walk(iterable(sizes, 'sizes', 'numbers or bigints'))
  let [first, piece, measured, joined, onlyText] = [0, [], [], '', true]
  const pass = () => {
    const passed = measures === null ? null : BigUint64Array.from(measured)
    if (!(onlyText && answerText(piece, joined, packed, passed))) listed(piece, first, passed)
    ;[first, piece, measured, joined, onlyText] = [first + piece.length, [], [], '', true]
  }
  try {
    for (const key of keys) {
      if (measures !== null) {
        const { done, value } = measures.next()
        if (done) throw fault('invalid_parameter', `there are ${first + piece.length} sizes and more keys: each key has one size`)
        measured.push(word(value, 'size'))
      }
      piece.push(key)
      if (typeof key === 'string') joined += key
      else onlyText = false
      if (piece.length === PIECE_KEYS || joined.length >= PIECE_BYTES / 2) pass()
    }
    if (measures !== null && !measures.next().done) {
      throw fault('invalid_parameter', `there are ${first + piece.length} keys and more sizes: each key has one size`)
    }
  } finally {
    measures?.return()
  }
  pass()
}

/** An iterator over an iterable that can be ended at any time. */
function * walk (iterable) {
  yield * iterable
}

/**
 * Answers a piece of strings if they are ASCII. Others are left to the addon, which looks at each alone: joined, a surrogate at the
 * end of one and at the start of the next would become a character that neither has.
 */
function answerText (piece, joined, packed, out) {
  if (joined.length > PIECE_BYTES) return false
  packedBytes ??= new Uint8Array(PIECE_BYTES)
  packedOffsets ??= new Uint32Array(PIECE_KEYS + 1)
  const { read, written } = encoder.encodeInto(joined, packedBytes)
  // A character that is not ASCII has more bytes than code units.
  if (read !== joined.length || written !== joined.length) return false
  let end = 0
  for (let index = 0; index < piece.length; index++) {
    end += piece[index].length
    packedOffsets[index + 1] = end
  }
  packed(packedBytes, packedOffsets.subarray(0, piece.length + 1), out)
  return true
}

module.exports = { answerAll, passAll }
