// The package as a user's project loads it.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { folder, project, shared, sources } from '../support/package.mjs'

function run (root, name, text) {
  writeFileSync(join(root, name), text)
  return execFileSync(process.execPath, [name], { cwd: root, encoding: 'utf8' }).trim()
}

test('require and import both work', t => {
  const root = project(t)
  const ask = "console.log(new Cluster(['cache-a', 'cache-b', 'cache-c']).owner('user:42'))"
  assert.equal(run(root, 'required.cjs', `const { Cluster } = require('keystead'); ${ask}`), 'cache-c')
  assert.equal(run(root, 'named.mjs', `import { Cluster } from 'keystead'; ${ask}`), 'cache-c')
  assert.equal(run(root, 'default.mjs', `import keystead from 'keystead'; const { Cluster } = keystead; ${ask}`), 'cache-c')
})

test('import and require give one class, with every name', t => {
  const same = `
    import { createRequire } from 'node:module'
    import * as imported from 'keystead'
    const required = createRequire(import.meta.url)('keystead')
    const names = Object.keys(required)
    console.log(names.every(name => imported[name] === required[name]), names.join(' '))`
  assert.equal(run(project(t), 'same.mjs', same), 'true Cluster encodeKey jump jumpBucket LiveCluster modulo plan rankScores Transition version')
})

test('only the package and its description can be loaded', t => {
  const hidden = "try { require('keystead/binding.js') } catch (error) { console.log(error.code) }; console.log(require('keystead/package.json').name)"
  assert.equal(run(project(t), 'hidden.cjs', hidden), 'ERR_PACKAGE_PATH_NOT_EXPORTED\nkeystead')
})

test('the package is whole, with the licences of the project', () => {
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const there = readdirSync(folder)
  for (const file of files.filter(file => !file.includes('*'))) assert.ok(there.includes(file), file)
  // What a file of the package loads is in the package too.
  for (const file of files.filter(file => file.endsWith('.js'))) {
    for (const [, loaded] of readFileSync(join(folder, file), 'utf8').matchAll(/^const .* = require\('\.\/([\w.]+)'\)/gm)) assert.ok(loaded === 'package.json' || files.includes(loaded), `${loaded}, loaded by ${file}`)
  }
  assert.ok(there.some(name => /^keystead\..*\.node$/.test(name)), 'the addon')
  for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) assert.equal(readFileSync(join(folder, name), 'utf8'), readFileSync(join(sources, '..', name), 'utf8'))
})

test('the version is one', () => {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const workspace = readFileSync(join(sources, '..', 'Cargo.toml'), 'utf8')
  assert.equal(/\[workspace\.package\]\nversion = "(.*)"/.exec(workspace)[1], version)
})

test('two processes agree', t => {
  const root = project(t)
  const { input } = shared('cases', 'field-cases.json').cases.find(({ id }) => id === 'B13')
  const ask = `
    const { Cluster } = require('keystead')
    const cluster = new Cluster(${JSON.stringify(input.nodes)})
    console.log(cluster.ownerMany(Array.from({ length: 500 }, (_, index) => 'k' + index)).join())`
  assert.equal(run(root, 'once.cjs', ask), run(root, 'twice.cjs', ask))
})
