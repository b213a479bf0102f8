// From where random tests begin: the same cases in every run, since a change is to be judged by what it does, not by the luck of the
// day. KEYSTEAD_SEED asks others: a number, or `random`.

import { randomInt } from 'node:crypto'

const MOST = 2n ** 64n - 1n

/** A seed of 32 bits. */
export function seed (word = process.env.KEYSTEAD_SEED) {
  if (word === undefined) return 1
  if (word === 'random') return randomInt(2 ** 32)
  const number = /^\d{1,20}$/.test(word) ? BigInt(word) : MOST + 1n
  if (number > MOST) throw new Error(`KEYSTEAD_SEED is ${JSON.stringify(word)}: a number below 2^64, or the word random`)
  return Number(number & 0xffffffffn)
}
