// The README's examples, each run as a program of its own in the root of the sources: what they print is what the comments say.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { project, sources } from '../support/package.mjs'

const text = readFileSync(join(sources, 'README.md'), 'utf8')
const blocks = [...text.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, block]) => block)

test('the README has examples', () => {
  assert.ok(blocks.length >= 6)
})

blocks.forEach((block, index) => {
  test(`example ${index + 1}`, t => {
    const program = join(project(t), 'example.cjs')
    writeFileSync(program, block)
    const printed = execFileSync(process.execPath, [program], { cwd: join(sources, '..'), encoding: 'utf8' })
    const promised = [...block.matchAll(/\/\/ prints: (.*)$/gm)].map(([, line]) => line)
    assert.deepEqual(printed.trimEnd().split('\n'), promised)
  })
})
