// Places every key of a file, before and after a node is added: one of the three programs of `cargo xtask demo`.
// rankings.mjs CLUSTER KEYS FOLDER ID WEIGHT LOCATION…: what crates/keystead/examples/rankings.rs does, in Node.

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

// The package stands in the folder in which this program is started, not beside this file.
const { Cluster } = createRequire(join(process.cwd(), 'start.js'))('keystead')

const table = (cluster, keys) => keys.map((key) => [cluster.owner(key), ...cluster.ranking(key)].join('\t') + '\n').join('')

const [clusterFile, keyFile, folder, id, weight, ...location] = process.argv.slice(2)
const keys = readFileSync(keyFile, 'utf8').split('\n').slice(0, -1)

const before = Cluster.load(clusterFile)
const after = before.withNode({ id, weight: Number(weight), location })

for (const [when, cluster] of [['before', before], ['after', after]]) {
  writeFileSync(join(folder, `${when}.tsv`), table(cluster, keys))
  console.log(`fingerprint-${when} ${cluster.fingerprint}`)
}
for (const [node, [numerator, denominator]] of after.shares()) {
  console.log(`share ${node} ${numerator} ${denominator}`)
}

const start = process.hrtime.bigint()
for (const key of keys) before.owner(key)
console.log(`owner-nanoseconds ${(process.hrtime.bigint() - start) / BigInt(Math.max(keys.length, 1))}`)
