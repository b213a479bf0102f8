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
    { answers: ['6', '030000000000000000'] }
  ])
})
