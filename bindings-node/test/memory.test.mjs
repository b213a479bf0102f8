// Clusters that are dropped are freed: not only what JavaScript sees of them, also the tables behind them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'

import { folder, keystead } from '../support/package.mjs'

const { Cluster, Transition } = keystead

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const MEGABYTE = 2 ** 20

/** How much more memory is in use after `count` calls of `body` than after half of them, in megabytes. */
async function growth (count, body, { turn = 500 } = {}) {
  let half = 0
  for (let done = 0; done < count; done++) {
    body(done)
    // Node frees what an addon has made between the turns of its event loop only.
    if (done % turn === 0) await setImmediate()
    if (done === count / 2) half = await settled()
  }
  return (await settled() - half) / MEGABYTE
}

async function settled () {
  for (let round = 0; round < 5; round++) {
    collect()
    await setImmediate()
  }
  return process.memoryUsage().rss
}

test('100,000 clusters built and dropped', async t => {
  const ids = Array.from({ length: 10 }, (_, index) => `node-${index}`)
  const grown = await growth(100000, round => {
    const cluster = new Cluster(ids, { seed: round })
    if (cluster.owner('k') === undefined) throw new Error('no owner')
  })
  t.diagnostic(`${grown.toFixed(1)} MB more after 100,000 than after 50,000`)
  assert.ok(grown < 40, `${grown} MB`)
})

test('large rings built, changed and dropped', async t => {
  const ids = Array.from({ length: 100 }, (_, index) => `node-${index}`)
  const grown = await growth(1000, round => {
    // 25,600 tokens, 400 kB and more each.
    const ring = new Cluster(ids, { algorithm: 'ring-1', seed: round })
    ring.withoutNode('node-7').owner('k')
  }, { turn: 10 })
  t.diagnostic(`${grown.toFixed(1)} MB more after 1,000 than after 500`)
  assert.ok(grown < 80, `${grown} MB`)
})

test('errors and answers dropped', async t => {
  const cluster = new Cluster(['a', 'b', 'c'])
  const table = new Cluster(['a', 'b', 'c'], { algorithm: 'slots-1', slots: 1000 })
  const grown = await growth(30000, round => {
    for (const key of [null, '\ud800', [[{}]], 1.5]) {
      try { cluster.owner(key) } catch {}
    }
    cluster.explain(round)
    cluster.description()
    cluster.replicas(String(round), 2, { exclude: ['a'] })
    table.slotOwners()
  })
  t.diagnostic(`${grown.toFixed(1)} MB more after 30,000 than after 15,000`)
  assert.ok(grown < 40, `${grown} MB`)
})

test('batches of every kind asked and dropped', async t => {
  const cluster = new Cluster(['a', 'b', 'c'])
  const texts = Array.from({ length: 1000 }, (_, index) => `kéy:${index}`)
  const kinds = [texts, texts.map(text => text.length), texts.map((_, index) => BigInt(index)), [...texts, 7], BigUint64Array.from(texts, (_, index) => BigInt(index)), { bytes: Buffer.from('abc'), offsets: Uint32Array.of(0, 1, 3) }, [...texts, '\ud800'], [...texts, 0.5]]
  const grown = await growth(1000, () => {
    for (const keys of kinds) {
      for (const ask of [() => cluster.ownerMany(keys), () => cluster.replicaIndices(keys, 2), () => cluster.groupByOwner(keys)]) {
        try { ask() } catch {}
      }
    }
  }, { turn: 10 })
  t.diagnostic(`${grown.toFixed(1)} MB more after 1,000 than after 500`)
  assert.ok(grown < 40, `${grown} MB`)
})

test('transitions made and dropped', async t => {
  const before = new Cluster(['a', 'b', 'c'])
  const text = new Transition(before, before.withNode('d'), 1, 4).toJson()
  const grown = await growth(30000, round => {
    const step = Transition.fromJson(text).at(round % 5, 4)
    step.candidates(round)
    step.compare(before)
    new Transition(key => `${key}`, before, 1, 2).owner(round)
  })
  t.diagnostic(`${grown.toFixed(1)} MB more after 30,000 than after 15,000`)
  assert.ok(grown < 40, `${grown} MB`)
})

test('differences made and dropped', async t => {
  const before = new Cluster(['a', 'b', 'c'])
  const after = before.withNode('d')
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`)
  const grown = await growth(20000, () => {
    before.diff(after, { keys, sizes: keys.map(key => key.length) })
    for (const { source } of before.diffKeys(after, keys)) if (source === 'a') break
  })
  t.diagnostic(`${grown.toFixed(1)} MB more after 20,000 than after 10,000`)
  assert.ok(grown < 40, `${grown} MB`)
})

test('workers that come and go', { timeout: 120000 }, async t => {
  const work = `
    const { Cluster } = require(${JSON.stringify(folder)})
    for (let round = 0; round < 200; round++) new Cluster(['a', 'b', String(round)]).ownerMany(['k', 'l', 1])`
  const run = () => new Promise((resolve, reject) => new Worker(work, { eval: true }).once('error', reject).once('exit', resolve))
  for (let round = 0; round < 10; round++) assert.equal(await run(), 0)
  const warm = await settled()
  for (let round = 0; round < 40; round++) assert.equal(await run(), 0)
  const grown = (await settled() - warm) / MEGABYTE
  t.diagnostic(`${grown.toFixed(1)} MB more after 50 workers than after 10`)
  assert.ok(grown < 80, `${grown} MB`)
})
