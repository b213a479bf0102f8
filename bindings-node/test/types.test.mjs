// The types of the package under test, compiled as a user's strict project compiles them.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { folder, keystead, project, sources, tool } from '../support/package.mjs'

test('the types compile, and refuse what they should', { timeout: 120000 }, t => {
  const root = project(t)
  cpSync(join(sources, 'test', 'types'), root, { recursive: true })
  symlinkSync(tool('@types'), join(root, 'node_modules', '@types'), 'junction')
  const { stdout, stderr, status } = spawnSync(process.execPath, [tool('typescript', 'bin', 'tsc'), '--project', root], { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

const declared = readFileSync(join(folder, 'index.d.ts'), 'utf8')

test('every name of the package is declared, and nothing else', () => {
  const exported = [...declared.matchAll(/^export declare (?:function|class|const) (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(exported.sort(), Object.keys(keystead).sort())
})

// Each with the properties that its objects have of their own.
const classes = { Cluster: ['fingerprint'], LiveCluster: [], Transition: ['before', 'after', 'part', 'of'] }

for (const [name, own] of Object.entries(classes)) {
  test(`every method and property of a ${name} is declared, and nothing else`, () => {
    const body = new RegExp(`export declare class ${name}\\b[^]*?\n}\n`).exec(declared)[0]
    const members = new Set([...body.matchAll(/^ {2}(?:static |get |readonly )?(\w+)(?:<[^>]*>)?[(:]/gm)].map(([, name]) => name))
    const real = [keystead[name].prototype, keystead[name]].flatMap(Object.getOwnPropertyNames)
    const wanted = new Set([...own, ...real].filter(name => !['length', 'name', 'prototype'].includes(name)))
    assert.deepEqual([...members].sort(), [...wanted].sort())
  })
}

test('every class is looked at', () => {
  const declaredClasses = [...declared.matchAll(/^export declare class (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(Object.keys(classes).sort(), declaredClasses.sort())
})

test('every code is declared', () => {
  const specified = /## 11\.[^]*?(?=\n## )/.exec(readFileSync(join(sources, '..', 'SPEC.md'), 'utf8'))?.[0] ?? ''
  const codes = [...specified.matchAll(/`([a-z]+_[a-z_]+|unsupported)`/g)].map(([, code]) => code)
  const union = /export type ErrorCode =([^]*?)\n\n/.exec(declared)[1].match(/[a-z_]+/g)
  assert.ok(codes.length > 20, 'SPEC.md names the codes in its section 11')
  assert.deepEqual([...new Set(codes)].sort(), union.sort())
})
