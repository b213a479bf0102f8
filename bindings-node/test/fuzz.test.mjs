import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

import { sources } from '../support/package.mjs'

test('hostile arguments never end the process: 100,000 calls here, as many in worker threads', { timeout: 600000 }, t => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, [join(sources, 'test', 'fuzz-arguments.mjs')], { encoding: 'utf8', env })
  for (const line of stdout.trimEnd().split('\n')) t.diagnostic(line)
  assert.deepEqual([status, signal], [0, null], stdout + stderr)
})
