// A panic that leaves a native function ends the process: so each has a net under it, which makes it an Error.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { sources } from '../support/package.mjs'

const folder = join(sources, 'src')

test('every native function has its net', () => {
  let count = 0
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, attribute, wanted] of text.matchAll(/^#\[napi(\([^)]*\))?[^\]]*\]\n(?:#\[.*\n)*pub fn (\w+)/gm)) {
      count++
      assert.match(attribute ?? '', /\bcatch_unwind\b/, `${wanted} in ${name}`)
    }
    assert.doesNotMatch(text, /extern "C" fn/, `${name}: the closures of napi have a net, others have none`)
  }
  const declared = readFileSync(join(sources, 'binding.d.ts'), 'utf8').match(/^export declare function /gm).length
  assert.equal(count, declared)
})

test('no profile takes the net away', () => {
  assert.doesNotMatch(readFileSync(join(sources, '..', 'Cargo.toml'), 'utf8'), /panic\s*=/)
})
