// Every vector that a front can run: the frozen answers of the oracle.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { answerRequest } from '../support/front.mjs'
import { shared, sources } from '../support/package.mjs'

// What only Rust's interface has.
const RUST_ONLY = ['limit', 'digest', 'draw', 'cost', 'caps']

const files = readdirSync(join(sources, '..', 'tests', 'vectors')).filter(name => name.endsWith('.json'))

for (const name of files) {
  const groups = shared('vectors', name).groups ?? []
  const cases = groups.flatMap(group => (isOurs(group) ? [group] : []))
  if (cases.length === 0) continue
  test(`vectors of ${name}`, t => {
    let count = 0
    for (const group of cases) {
      const queries = (group.queries ?? []).filter(query => isOurs(query) && !RUST_ONLY.includes(query.op))
      const given = answerRequest({ ...group, queries })
      if (group.error !== undefined) {
        count++
        const wanted = { error: group.error }
        for (const place of ['line', 'column']) {
          if (group[place] !== undefined) wanted[place] = group[place]
          else delete given[place]
        }
        assert.deepEqual(given, wanted, show(group))
        continue
      }
      assert.equal(given.error, undefined, show(group))
      queries.forEach((query, index) => {
        count++
        assert.deepEqual(given.answers[index], query.answer, `${show(query)} of ${show(group)}: ${show(given.answers[index])}`)
      })
    }
    t.diagnostic(`${count} cases`)
  })
}

function isOurs ({ only }) {
  return only === undefined || only.includes('node')
}

function show (value) {
  return JSON.stringify(value).slice(0, 1000)
}

test('there are vectors', () => {
  assert.ok(files.length > 10, `${files.length} files`)
})
