// A change put into force key by key: what holds for every pair of clusters, what a function in the place of one can and cannot do, files.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

import { refused, wrongType } from '../support/errors.mjs'
import { keystead } from '../support/package.mjs'

const { Cluster, Transition } = keystead

const SECRET = Uint8Array.from({ length: 16 }, (_, index) => index + 100)
const OTHER_SECRET = new Uint8Array(16)

const KEYS = [...Array.from({ length: 400 }, (_, index) => `k${index}`), 'é', '\u{1F600}', 7, 7n, -1n, 2n ** 64n - 1n, ['t', 1, ['u']], [], Buffer.from([255]), new Uint8Array(0), 'x'.repeat(1000)]

const small = new Cluster(['a', 'b', 'c'])
const large = small.change({ add: ['d'], remove: ['a'] })
const half = new Transition(small, large, 1, 2)

/** Clusters of every algorithm, before and after. */
function pairs () {
  const nodes = count => Array.from({ length: count }, (_, index) => ({ id: `n${index}`, weight: 1 + index % 3, location: [`z${index % 3}`] }))
  const kinds = [{}, { algorithm: 'ring-1', tokensPerWeight: 8 }, { algorithm: 'slots-1', slots: 50, headroom: 0 }, { algorithm: 'hierarchy-1' }, { hash: 'sip13', secret: SECRET }]
  return kinds.flatMap(left => kinds.map(right => [new Cluster(nodes(5), left), new Cluster(nodes(7), right)]))
}

test('every key passes once, and the steps add up to the difference', () => {
  for (const [before, after] of pairs()) {
    const steps = Array.from({ length: 7 }, (_, part) => new Transition(before, after, part, 6))
    for (const key of KEYS) {
      const passed = steps.map(step => step.passes(key))
      assert.deepEqual(passed, [...passed].sort((a, b) => a - b))
      assert.deepEqual([passed[0], passed[6]], [false, true])
      const [old, next] = [before.owner(key), after.owner(key)]
      for (const [part, step] of steps.entries()) {
        const answer = passed[part] ? next : old
        assert.equal(step.owner(key), answer)
        assert.deepEqual(step.candidates(key), old === next ? [old] : passed[part] ? [next, old] : [old, next])
      }
    }
  }
})

test('the cluster that answers answers every question', () => {
  for (const [before, after] of pairs()) {
    const step = new Transition(before, after, 1, 3)
    for (const key of KEYS.slice(380)) {
      const side = step.passes(key) ? after : before
      const exclude = side.ranking(key, 2)
      assert.deepEqual(step.ranking(key), side.ranking(key))
      assert.deepEqual(step.ranking(key, 2, { exclude }), side.ranking(key, 2, { exclude }))
      assert.deepEqual(step.ranking(key, { exclude }), side.ranking(key, { exclude }))
      assert.equal(step.owner(key, { exclude }), side.owner(key, { exclude }))
      assert.equal(step.owner(key, { exclude: null }), side.owner(key))
      assert.deepEqual(step.replicas(key, 3, { spread: 0 }), side.replicas(key, 3, { spread: 0 }))
      const { transition, ...explained } = step.explain(key, 2, { spread: 0, exclude })
      assert.deepEqual(explained, side.explain(key, 2, { spread: 0, exclude }))
      assert.deepEqual(transition, { part: 1, of: 3, passed: step.passes(key), epoch: null, fingerprint: step.fingerprint })
      assert.equal(step.explain(key, { exclude }).excluded.length, 2)
      assert.equal(step.explain(key).r, 1)
    }
  }
})

test('the longest answers have room', () => {
  const many = new Cluster(Array.from({ length: 300 }, (_, index) => `n${index}`))
  for (const [before, after] of [[small, many], [many, small]]) {
    const step = new Transition(before, after, 1, 2)
    for (const key of KEYS.slice(0, 20)) {
      const side = step.passes(key) ? after : before
      assert.deepEqual(step.ranking(key), side.ranking(key))
      assert.deepEqual(step.replicas(key, side.size), side.ranking(key))
      refused(() => step.replicas(key, side.size + 1), 'not_enough_nodes', /\d/)
    }
  }
})

test('a slot is never cut', () => {
  const slots = { algorithm: 'slots-1', slots: 20 }
  const before = new Cluster(['a', 'b'], slots)
  const after = new Cluster(['a', 'b', 'c'], { ...slots, headroom: 5 })
  const cut = (before, after) => {
    const passed = new Map()
    const step = new Transition(before, after, 1, 2)
    return KEYS.some(key => {
      const slot = after.slot(key)
      if (!passed.has(slot)) passed.set(slot, step.passes(key))
      return passed.get(slot) !== step.passes(key)
    })
  }
  assert.equal(cut(before, after), false)
  for (const other of [{ slots: 21 }, { seed: 1 }, { hash: 'xxh64' }]) assert.equal(cut(new Cluster(['a', 'b'], { ...slots, ...other }), after), true)
  assert.equal(cut(key => before.owner(key), after), true, 'a function has no slots')
})

test('fractions', () => {
  for (const value of [null, undefined, '1', 1n, {}, true]) {
    wrongType(() => new Transition(small, large, value, 2))
    wrongType(() => new Transition(small, large, 1, value))
    wrongType(() => half.at(value, 2))
    wrongType(() => half.at(1, value))
  }
  for (const [part, of] of [[0, 0], [-1, 2], [3, 2], [0, 2 ** 32], [2 ** 32, 2 ** 32], [0.5, 1], [NaN, 1], [1, Infinity], [0, 2 ** 53]]) {
    refused(() => new Transition(small, large, part, of), 'invalid_parameter', /^(part|of) /)
    refused(() => half.at(part, of), 'invalid_parameter', /^(part|of) /)
  }
  assert.ok(new Transition(small, large, 2 ** 32 - 1, 2 ** 32 - 1).passes('k'))
  const quarters = half.at(2, 4)
  assert.deepEqual([quarters.part, quarters.of, quarters.before, quarters.after], [2, 4, small, large])
  assert.deepEqual(KEYS.map(key => quarters.owner(key)), KEYS.map(key => half.owner(key)))
  assert.notEqual(quarters.fingerprint, half.fingerprint)
  assert.equal(half.at(1, 2).fingerprint, half.fingerprint)
})

test('sides', () => {
  for (const before of [undefined, null, 'a', ['a', 'b'], {}, half, Object.create(Cluster.prototype), Object.create(small)]) wrongType(() => new Transition(before, large, 1, 2), /^before must be a Cluster or a function/)
  for (const after of [undefined, null, 'a', ['a'], {}, () => 'a', half, Object.create(Cluster.prototype)]) wrongType(() => new Transition(small, after, 1, 2), /^after must be a Cluster/)
  assert.equal(half.before, small)
  assert.equal(half.after, large)
  assert.equal(half.withEpoch(3).before, small)
})

test('epochs and agreement', () => {
  assert.equal(half.epoch, null)
  const numbered = new Transition(small, large, 1, 2, { epoch: 44 })
  assert.equal(numbered.epoch, 44)
  assert.equal(numbered.fingerprint, half.fingerprint)
  assert.equal(numbered.withEpoch(null).epoch, null)
  assert.equal(half.withEpoch(Number.MAX_SAFE_INTEGER).epoch, Number.MAX_SAFE_INTEGER)
  assert.equal(numbered.at(2, 2).epoch, null, 'only who publishes numbers')
  for (const epoch of [-1, 0.5, 2 ** 53]) {
    refused(() => half.withEpoch(epoch), 'invalid_parameter', /^epoch/)
    refused(() => new Transition(small, large, 1, 2, { epoch }), 'invalid_parameter', /^epoch/)
  }
  wrongType(() => half.withEpoch())
  wrongType(() => half.withEpoch('1'))
  wrongType(() => new Transition(small, large, 1, 2, { epocs: 1 }), /"epocs": known are epoch/)
  wrongType(() => new Transition(small, large, 1, 2, 44))
  assert.equal(new Transition(small, large, 1, 2, null).epoch, null)

  assert.equal(half.compare(numbered), 'same')
  assert.equal(half.compare(large), 'different')
  assert.equal(large.compare(half), 'different')
  assert.equal(numbered.compare(large.withEpoch(43)), 'newer')
  assert.equal(large.withEpoch(43).compare(numbered), 'older')
  assert.equal(numbered.compare(large.withEpoch(44)), 'conflict')
  assert.equal(large.withEpoch(44).compare(numbered), 'conflict')
  assert.equal(new Transition(small.withEpoch(1), large.withEpoch(2), 1, 2).compare(half), 'same')
  for (const other of [undefined, null, {}, half.toJSON(), half.fingerprint, Object.create(Transition.prototype), Object.create(half)]) {
    wrongType(() => half.compare(other), /^other must be a Cluster or a Transition/)
    wrongType(() => small.compare(other), /^other must be a Cluster or a Transition/)
  }
})

test('keys and exclusions are judged as everywhere', () => {
  for (const ask of ['owner', 'candidates', 'passes', 'ranking', 'explain']) {
    refused(() => half[ask](null), 'invalid_key')
    refused(() => half[ask]('\ud800'), 'invalid_text')
  }
  refused(() => half.replicas(1.5, 9), 'invalid_key')
  wrongType(() => half.owner('k', { exlude: [] }))
  wrongType(() => half.owner('k', { exclude: 'a' }))
  wrongType(() => half.replicas('k'))
  refused(() => half.replicas('k', -1), 'invalid_parameter')
  refused(() => half.replicas('k', 1, { spread: 8 }), 'invalid_parameter')
  refused(() => half.ranking('k', -1), 'invalid_parameter')
  assert.deepEqual(half.replicas(null, 0), [])
  assert.deepEqual(half.ranking('k', 0, { exclude: ['a', 'b', 'c', 'd'] }), [])
  // Nothing falls back to the other cluster.
  const apart = new Transition(new Cluster(['a']), new Cluster(['b']), 1, 2)
  const passed = KEYS.find(key => apart.passes(key))
  assert.equal(apart.owner(passed), 'b')
  refused(() => apart.owner(passed, { exclude: ['b'] }), 'no_nodes')
  refused(() => apart.ranking(passed, 3, { exclude: ['b'] }), 'no_nodes')
  assert.equal(apart.owner(passed, { exclude: ['a'] }), 'b')
})

test('a function in the place of before', () => {
  const seen = []
  const before = function (key) {
    assert.equal(this, undefined)
    assert.equal(arguments.length, 1)
    seen.push(key)
    return 'old'
  }
  const after = new Cluster(['a', 'b'])
  const step = new Transition(before, after, 1, 2)
  assert.equal(step.before, before)
  const between = new Transition(new Cluster(['old']), after, 1, 2)
  for (const key of KEYS) {
    seen.length = 0
    assert.equal(step.passes(key), between.passes(key))
    assert.equal(step.owner(key), between.owner(key))
    assert.deepEqual(seen, step.passes(key) ? [] : [key], 'asked only where it answers, with the key as it was given')
    assert.deepEqual(step.candidates(key), between.candidates(key))
    assert.equal(seen.at(-1), key)
  }
  assert.deepEqual(new Transition(() => 'a', new Cluster(['a']), 1, 2).candidates('k'), ['a'])
  seen.length = 0
  refused(() => step.owner(1.5), 'invalid_key')
  refused(() => step.candidates('\ud800'), 'invalid_text')
  assert.deepEqual(seen, [], 'what is no key is never asked about')
})

test('what a function answers', () => {
  const answering = value => new Transition(() => value, small, 0, 1)
  for (const value of [undefined, null, 1, 1n, {}, ['a'], Buffer.from('a'), Promise.resolve('a')]) {
    wrongType(() => answering(value).owner('k'), /^what before returns must be a string, not /)
    wrongType(() => answering(value).candidates('k'))
  }
  refused(() => answering('\ud800').owner('k'), 'invalid_text', /^what before returns/)
  const error = new Error('of the ring before')
  const throwing = new Transition(() => { throw error }, small, 0, 1)
  assert.throws(() => throwing.owner('k'), thrown => thrown === error)
  assert.throws(() => throwing.candidates('k'), thrown => thrown === error)
  // What it is for: another library's placement, whatever its keys are.
  const modulo = new Transition(key => `old-${key.length % 3}`, small, 1, 2)
  for (const key of KEYS.filter(key => typeof key === 'string')) assert.ok(modulo.passes(key) || modulo.owner(key) === `old-${key.length % 3}`)
  // It may ask the transition itself, about another key.
  const chained = new Transition(key => (key.length > 1 ? chained.owner(key.slice(1)) : 'end'), small, 0, 1)
  assert.equal(chained.owner('abc'), 'end')
})

test('what needs two clusters is unsupported for a function', () => {
  const step = new Transition(() => 'old', small, 1, 2, { epoch: 7 })
  for (const key of KEYS.slice(0, 8)) {
    refused(() => step.owner(key, { exclude: ['a'] }), 'unsupported', /exclude/)
    refused(() => step.ranking(key), 'unsupported')
    refused(() => step.replicas(key, 0), 'unsupported')
    refused(() => step.explain(key), 'unsupported')
  }
  assert.equal(step.owner('k', {}), step.owner('k'))
  for (const ask of [() => step.fingerprint, () => step.toJson(), () => JSON.stringify(step), () => step.compare(step), () => step.compare(small), () => small.compare(step), () => half.compare(step)]) refused(ask, 'unsupported', /function/)
  assert.equal(step.epoch, 7)
  assert.equal(step.comment, null)
  const further = step.at(2, 2)
  assert.deepEqual([further.part, further.epoch, further.before, further.owner('k')], [2, null, step.before, small.owner('k')])
  assert.equal(step.withEpoch(8).epoch, 8)
  assert.equal(inspect(step), 'Transition(1/2, a function to rendezvous-1 of 3 nodes, epoch 7)')
})

test('files', t => {
  const folder = mkdtempSync(join(tmpdir(), 'keystead-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const before = small.withEpoch(42)
  const text = `{"keystead": 1, "epoch": 44, "comment": "why", "transition": {"part": 2, "of": 6, "before": ${before.toJson()}, "after": ${large.toJson()}}}`
  const step = Transition.fromJson(text)
  assert.deepEqual([step.part, step.of, step.epoch, step.comment, step.before.epoch, step.after.epoch], [2, 6, 44, 'why', 42, null])
  assert.deepEqual([step.before.fingerprint, step.after.fingerprint], [small.fingerprint, large.fingerprint])
  assert.equal(step.fingerprint, new Transition(small, large, 2, 6).fingerprint)
  for (const key of KEYS) assert.equal(step.owner(key), half.at(2, 6).owner(key))
  const path = join(folder, 'step.json')
  writeFileSync(path, step.toJson())
  for (const place of [path, Buffer.from(path), pathToFileURL(path)]) {
    const again = Transition.load(place)
    assert.deepEqual([again.fingerprint, again.epoch, again.comment], [step.fingerprint, 44, 'why'])
  }
  assert.deepEqual(JSON.parse(JSON.stringify(step)), JSON.parse(step.toJson()))
  assert.equal(step.at(3, 6).comment, 'why')

  assert.throws(() => Transition.load(join(folder, 'none.json')), { code: 'ENOENT', syscall: 'open' })
  assert.throws(() => Transition.load(folder), { code: 'EISDIR' })
  for (const path of [undefined, null, 3, {}]) wrongType(() => Transition.load(path))
  for (const text of [undefined, null, 3, {}]) wrongType(() => Transition.fromJson(text))
  assert.throws(() => Transition.fromJson(small.toJson()), { code: 'invalid_file', line: 1, column: 1, message: /cluster file/ })
  assert.throws(() => Cluster.fromJson(text), { code: 'invalid_file', line: 1 })
  assert.throws(() => Transition.fromJson(text.replace('"part": 2', '"part": 7')), { code: 'invalid_parameter', line: 1 })
  assert.throws(() => Transition.fromJson(text.replace('"of": 6, ', '')), { code: 'invalid_file' })
  assert.throws(() => Transition.fromJson(text.replace('"keystead": 1', '"keystead": 2')), { code: 'unsupported_version' })
  assert.throws(() => Transition.fromJson('\ud800'), { code: 'invalid_text' })
})

test('secrets of files', () => {
  const secret = SECRET
  const keyed = new Cluster(['a', 'b'], { hash: 'sip13', secret })
  const otherwise = new Cluster(['a', 'b'], { hash: 'sip13', secret: OTHER_SECRET })
  const text = (before, after) => new Transition(before, after, 1, 2).toJson()
  const fingerprint = (before, after) => new Transition(before, after, 1, 2).fingerprint
  for (const [before, after] of [[small, keyed], [keyed, small], [keyed, keyed]]) assert.equal(Transition.fromJson(text(before, after), { secret }).fingerprint, fingerprint(before, after))
  const own = { beforeSecret: SECRET, afterSecret: OTHER_SECRET }
  assert.equal(Transition.fromJson(text(keyed, otherwise), own).fingerprint, fingerprint(keyed, otherwise))
  assert.equal(Transition.fromJson(text(small, otherwise), { afterSecret: OTHER_SECRET }).fingerprint, fingerprint(small, otherwise))
  refused(() => Transition.fromJson(text(small, keyed)), 'missing_secret')
  refused(() => Transition.fromJson(text(keyed, otherwise), { beforeSecret: SECRET }), 'missing_secret')
  refused(() => Transition.fromJson(text(small, large), { secret }), 'unexpected_secret')
  refused(() => Transition.fromJson(text(small, large), { beforeSecret: secret }), 'unexpected_secret')
  refused(() => Transition.fromJson(text(keyed, keyed), { secret, afterSecret: secret }), 'unexpected_secret', /beside it/)
  wrongType(() => Transition.fromJson(text(small, keyed), { secret: 'text' }))
  wrongType(() => Transition.fromJson(text(small, keyed), { afterSecret: 'text' }), /^afterSecret/)
  wrongType(() => Transition.fromJson(text(small, keyed), { after_secret: secret }), /known are secret, beforeSecret, afterSecret/)
  const detached = new Uint8Array(16)
  structuredClone(detached.buffer, { transfer: [detached.buffer] })
  refused(() => Transition.fromJson(text(small, keyed), { secret: detached }), 'invalid_parameter')
  const step = new Transition(keyed, small, 1, 2)
  const shown = [inspect(step, { showHidden: true, depth: 9 }), JSON.stringify(step), step.toJson(), String(step)].join('\n')
  for (const leak of [Buffer.from(secret).toString('hex'), '100, 101', 'ZGVm']) assert.ok(!shown.includes(leak))
})

test('as an object', () => {
  assert.equal(inspect(half), `Transition(1/2, rendezvous-1 of 3 nodes to rendezvous-1 of 3 nodes, fingerprint ${half.fingerprint})`)
  assert.equal(String(half), '[object Transition]')
  assert.ok(inspect(Transition.prototype).length > 0)
  assert.deepEqual(Object.keys(half), ['before', 'after', 'part', 'of', 'fingerprint'])
  assert.ok(Object.isFrozen(half))
  assert.deepEqual(half, new Transition(new Cluster(['c', 'b', 'a']), large, 1, 2))
  assert.notDeepEqual(half, half.at(1, 3))
  assert.notDeepEqual(new Transition(() => 'a', small, 1, 2), new Transition(() => 'b', small, 1, 2))
  assert.throws(() => Transition(small, large, 1, 2), TypeError)
  assert.throws(() => { 'use strict'; half.part = 2 }, TypeError)
  assert.throws(() => structuredClone(new Transition(() => 'a', small, 1, 2)), { name: 'DataCloneError' })
})
