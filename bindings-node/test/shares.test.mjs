// How evenly keys fall: within five standard deviations of the exact shares.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keystead } from '../support/package.mjs'

const { Cluster } = keystead

const KEYS = 200000

for (const weights of [[1, 2, 4, 7, 1], [1, 10], [100000, 1], [1, 1, 1]]) {
  test(`shares of ${weights.join(':')}`, () => {
    const cluster = new Cluster(weights.map((weight, index) => ({ id: `n${index}`, weight })))
    const keys = Array.from({ length: KEYS }, (_, index) => `key:${index}`)
    const groups = cluster.groupByOwner(keys)
    for (const [id, [numerator, denominator]] of cluster.shares()) {
      const share = Number(numerator) / Number(denominator)
      const deviation = Math.sqrt(KEYS * share * (1 - share))
      const off = Math.abs(groups.get(id).length - KEYS * share)
      assert.ok(off <= 5 * deviation, `${id} has ${groups.get(id).length} of ${KEYS} keys, ${KEYS * share} ± ${5 * deviation} were to be expected`)
    }
  })
}
