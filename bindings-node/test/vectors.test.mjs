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
  const groups = (shared('vectors', name).groups ?? []).filter(isOurs).map(group => ({ ...group, queries: (group.queries ?? []).filter(isOurs) }))
  const count = groups.reduce((sum, group) => sum + group.queries.length + (group.error === undefined ? 0 : 1), 0)
  if (count === 0) continue
  test(`${count} vectors of ${name}`, () => {
    for (const group of groups) {
      const given = answerRequest(group)
      if (group.error !== undefined) {
        const wanted = { error: group.error }
        for (const place of ['line', 'column']) {
          if (group[place] !== undefined) wanted[place] = group[place]
          else delete given[place]
        }
        assert.deepEqual(given, wanted, show(group))
        continue
      }
      assert.equal(given.error, undefined, show(group))
      group.queries.forEach((query, index) => {
        assert.deepEqual(given.answers[index], query.answer, `${show(query)} of ${show(group)}: ${show(given.answers[index])}`)
      })
    }
  })
}

function isOurs ({ only, op }) {
  return (only === undefined || only.includes('node')) && !RUST_ONLY.includes(op)
}

function show (value) {
  return JSON.stringify(value).slice(0, 1000)
}

test('there are vectors', () => {
  assert.ok(files.length > 10, `${files.length} files`)
})
