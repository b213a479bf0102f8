import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

import { sources } from '../support/package.mjs'

test('the front of the cross-check answers a line for a line', () => {
  const requests = [
    { cluster: { nodes: [{ id: 'cache-a' }, { id: 'cache-b' }, { id: 'cache-c' }] }, queries: [{ op: 'owner', key: { text: 'user:42' } }, { op: 'owner', key: { bad: 'bool' } }] },
    { cluster: { nodes: [] } },
    { file: { text: '{"keystead": 1,\n "nodes": [null]}' } },
    { transition: { before: { nodes: [{ id: 'a' }] }, after: { nodes: [{ id: 'b' }] }, part: '1', of: '1' }, queries: [{ op: 'candidates', key: { text: 'k' } }, { op: 'at', part: '0', of: '1', queries: [{ op: 'owner', key: { text: 'k' } }] }, { op: 'compare', other: { nodes: [{ id: 'a' }] } }] },
    { transition: { before: { always: 'old' }, after: { nodes: [{ id: 'b' }] }, part: '0', of: '1', epoch: '4' }, queries: [{ op: 'owner', key: { text: 'k' } }, { op: 'fingerprint' }, { op: 'before', queries: [{ op: 'ids' }] }, { op: 'step' }] },
    { transition_file: { text: '{"keystead": 1, "nodes": ["a"]}' } },
    { queries: [{ op: 'jump', key: '1', n: '10' }, { op: 'encode_key', key: { seq: [] } }] }
  ]
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(sources, 'test', 'cross-front.mjs')], {
    input: requests.map(request => `${JSON.stringify(request)}\n`).join(''),
    encoding: 'utf8',
    env
  })
  assert.deepEqual([stderr, status], ['', 0])
  assert.deepEqual(stdout.trimEnd().split('\n').map(line => JSON.parse(line)), [
    { answers: ['cache-c', { error: 'invalid_key' }] },
    { error: 'no_nodes' },
    { error: 'invalid_file', line: '2', column: '12' },
    { answers: [['b', 'a'], ['a'], 'different'] },
    { answers: ['old', { error: 'unsupported' }, { error: 'unsupported' }, { part: '0', of: '1', epoch: '4', comment: null }] },
    { error: 'invalid_file', line: '1', column: '1' },
    { answers: ['6', '030000000000000000'] }
  ])
})
