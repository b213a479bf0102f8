// LiveCluster: a file that is replaced while a service runs. The rules are in the project's tests/live.json; here is what is Node's own.

import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

import { keystead, shared } from '../support/package.mjs'
import { refused, wrongType } from '../support/errors.mjs'

const { Cluster, LiveCluster, Transition } = keystead

const OLD = new Cluster([{ id: 'a', weight: 2, location: ['x'] }, { id: 'b', location: ['y'] }, { id: 'c', location: ['x'] }], { epoch: 1, levels: ['zone'] })
const NEW = OLD.change({ add: [{ id: 'd', weight: 3, location: ['y'] }], drain: ['b'] }).withEpoch(2)
const STEP = new Transition(OLD, NEW, 1, 2, { epoch: 2 })
const KEYS = [...Array.from({ length: 60 }, (_, index) => `user:${index}`), 7, ['t', 1], Buffer.from('x')]

function folder (t) {
  const root = mkdtempSync(join(tmpdir(), 'keystead-live-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  return root
}

/** Whole or not at all, as files are published. */
function put (path, text) {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

for (const { name, start, steps } of shared('live.json').cases) {
  test(name, t => {
    const root = folder(t)
    const path = join(root, 'cluster.json')
    put(path, start)
    const live = new LiveCluster(path)
    steps.forEach(({ file, link, remove, says, error, in_force: epoch, nodes }, number) => {
      if (file !== undefined) put(path, file)
      if (link !== undefined) {
        writeFileSync(join(root, `target-${number}`), link)
        symlinkSync(join(root, `target-${number}`), join(root, 'link'))
        renameSync(join(root, 'link'), path)
      }
      if (remove) rmSync(path, { force: true })
      const kept = live.current
      if (error === undefined) {
        assert.equal(live.refresh(), says)
      } else {
        assert.throws(() => live.refresh(), { code: error === 'io' ? 'ENOENT' : error })
        assert.equal(live.current, kept)
      }
      const answering = live.current instanceof Transition ? live.current.after : live.current
      assert.deepEqual([live.current.epoch, [...answering.ids]], [epoch, nodes])
    })
  })
}

test('answers are those of what is in force', t => {
  const path = join(folder(t), 'naïve live.json')
  put(path, OLD.toJson())
  const live = new LiveCluster(path)
  for (const wanted of [OLD, STEP, NEW.withEpoch(3)]) {
    put(path, wanted.toJson())
    assert.equal(live.refresh(), wanted === OLD ? 'same' : 'newer')
    assert.equal(live.current.constructor, wanted.constructor)
    assert.deepEqual([live.current.fingerprint, live.current.epoch], [wanted.fingerprint, wanted.epoch])
    for (const key of KEYS) {
      assert.equal(live.owner(key), wanted.owner(key))
      assert.equal(live.owner(key, { exclude: ['a'] }), wanted.owner(key, { exclude: ['a'] }))
      assert.deepEqual(live.ranking(key, 2, { exclude: ['a'] }), wanted.ranking(key, 2, { exclude: ['a'] }))
      assert.deepEqual(live.ranking(key, { exclude: ['a'] }), wanted.ranking(key, { exclude: ['a'] }))
      assert.deepEqual(live.replicas(key, 2, { spread: 'zone' }), wanted.replicas(key, 2, { spread: 'zone' }))
      assert.deepEqual(live.explain(key, { exclude: ['a'] }), wanted.explain(key, { exclude: ['a'] }))
      assert.deepEqual(live.candidates(key), wanted === STEP ? wanted.candidates(key) : [wanted.owner(key)])
    }
  }
})

test('the object stays where the file says nothing new, and carries what is new', t => {
  const path = join(folder(t), 'cluster.json')
  put(path, OLD.toJson())
  const live = new LiveCluster(path)
  const first = live.current
  put(path, JSON.stringify(OLD))
  assert.equal(live.refresh(), 'same')
  assert.equal(live.current, first)
  const file = OLD.toJSON()
  file.nodes[0] = { ...file.nodes[0], address: '10.0.0.1:1' }
  put(path, JSON.stringify(file))
  assert.equal(live.refresh(), 'same')
  assert.equal(live.current.node('a').address, '10.0.0.1:1')
  assert.equal(first.node('a').address, undefined)
})

test('a path of every kind', t => {
  const path = join(folder(t), 'cluster.json')
  put(path, OLD.toJson())
  for (const given of [path, Buffer.from(path), pathToFileURL(path)]) {
    const live = new LiveCluster(given)
    assert.deepEqual(live.path, given)
    if (typeof given !== 'string') assert.notEqual(live.path, given)
    assert.equal(live.refresh(), 'same')
  }
  // What becomes of the caller's object plays no part.
  const url = pathToFileURL(path)
  const live = new LiveCluster(url)
  url.pathname += '-gone'
  assert.equal(live.refresh(), 'same')
})

test('secrets are kept for every file, and never shown', t => {
  const path = join(folder(t), 'cluster.json')
  const keyed = (nodes, secret) => new Cluster(nodes, { hash: 'sip13', secret, epoch: nodes.length })
  const [one, other] = [Buffer.from('0123456789abcdef'), Buffer.from('TOPSECRET1234567')]
  put(path, keyed(['a'], one).toJson())
  refused(() => new LiveCluster(path), 'missing_secret')
  refused(() => new LiveCluster(path, { secret: one.subarray(1) }), 'invalid_parameter')
  refused(() => new LiveCluster(path, { secret: one, afterSecret: other }), 'unexpected_secret')
  const given = Buffer.from(one)
  const live = new LiveCluster(path, { secret: given })
  given.fill(0)
  put(path, keyed(['a', 'b'], one).toJson())
  assert.equal(live.refresh(), 'newer')
  assert.equal(live.current.fingerprint, keyed(['a', 'b'], one).fingerprint)
  const step = new Transition(keyed(['a'], one), keyed(['a', 'b'], other), 1, 2)
  put(path, step.toJson())
  const moving = new LiveCluster(path, { beforeSecret: one, afterSecret: other })
  assert.equal(moving.current.fingerprint, step.fingerprint)
  for (const shown of [inspect(moving, { showHidden: true, depth: 9 }), JSON.stringify(moving), String(moving)]) assert.doesNotMatch(shown, /TOPSECRET|544f50/i)
})

test('what is no path and no file is refused', t => {
  for (const path of [undefined, null, 5, {}]) wrongType(() => new LiveCluster(path), /^path must be/)
  wrongType(() => new LiveCluster('x', { secrets: null }), /has no "secrets"/)
  assert.throws(() => new LiveCluster(join(folder(t), 'none.json')), { code: 'ENOENT', syscall: 'open' })
  assert.equal(inspect(LiveCluster.prototype).includes('LiveCluster'), true)
  assert.throws(() => LiveCluster.prototype.refresh.call({}), TypeError)
})
