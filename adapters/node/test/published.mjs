// A cluster file that programs follow. The adapters and the packages are found where a program would have them: the folder in KEYSTEAD_ADAPTERS.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const require = createRequire(join(process.env.KEYSTEAD_ADAPTERS, 'here.js'))
const { Cluster } = require('keystead')
const { STANDS_FOR } = require('./placement.js')

export class Published {
  #folder = mkdtempSync(join(tmpdir(), 'keystead-published-'))
  #epoch = 0
  path = join(this.#folder, 'live.json')

  publish(what) {
    this.#epoch++
    writeFileSync(`${this.path}.new`, what.withEpoch(this.#epoch).toJson())
    renameSync(`${this.path}.new`, this.path)
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The same nodes as standing for a function. */
export function standIn(addresses) {
  const nodes = addresses.map((address, index) => ({ id: `cache-${index}`, address, meta: { [STANDS_FOR]: 'hashring' } }))
  return new Cluster(nodes, { seed: 1 })
}

export function cluster(addresses, options) {
  return new Cluster(addresses.map((address, index) => ({ id: `cache-${index}`, address })), options)
}
