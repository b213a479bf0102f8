// Which package is under test: the one in this folder, or an installed one, whose folder KEYSTEAD_PACKAGE names.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the sources. */
export const sources = dirname(dirname(fileURLToPath(import.meta.url)))

/** The folder of the package under test. */
export const folder = process.env.KEYSTEAD_PACKAGE ? resolve(process.env.KEYSTEAD_PACKAGE) : sources

export const keystead = createRequire(join(folder, 'package.json'))('keystead')

/** A JSON file of what crosses languages. */
export function shared (...path) {
  return JSON.parse(readFileSync(join(sources, '..', 'tests', ...path), 'utf8'))
}

/** A temporary folder in which `keystead` is the package under test, as in a user's project. Removed when the test ends. */
export function project (test) {
  const root = mkdtempSync(join(tmpdir(), 'keystead-'))
  test.after(() => rmSync(root, { recursive: true, force: true }))
  const modules = join(root, 'node_modules')
  mkdirSync(modules)
  // A junction needs no rights on Windows; elsewhere the kind is ignored.
  symlinkSync(folder, join(modules, 'keystead'), 'junction')
  return root
}

/** A tool of this folder's node_modules. */
export function tool (...path) {
  const file = join(sources, 'node_modules', ...path)
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm ci in ${sources}`)
  return file
}
