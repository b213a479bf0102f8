// plan: a change in steps that keep a limit, put to the test with the transitions that the steps stand for.

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { refused, wrongType } from '../support/errors.mjs'
import { keystead } from '../support/package.mjs'

const { Cluster, plan, Transition } = keystead

const NODES = Array.from({ length: 8 }, (_, index) => ({ id: `n${index}`, weight: 1 + index % 3, location: [`z${index % 3}`] }))
const KINDS = { 'rendezvous-1': {}, 'ring-1': { tokensPerWeight: 16 }, 'slots-1': { slots: 271 }, 'hierarchy-1': {} }
const KEYS = [...Array.from({ length: 2000 }, (_, index) => `user:${index}`), ...Array.from({ length: 200 }, (_, index) => ['t', index])]
const SIZES = KEYS.map((_, index) => 10 + index % 90)

function changed (algorithm) {
  const before = new Cluster(NODES, { algorithm, ...KINDS[algorithm] })
  return [before, before.change({ add: [{ id: 'n8', weight: 3, location: ['z1'] }, { id: 'n9', location: ['z2'] }], remove: ['n1'], weight: { n2: 1 }, drain: ['n6'] })]
}

for (const algorithm of Object.keys(KINDS)) {
  for (const [limit, mostKeys, mostBytes] of [['300keys', 300, Infinity], ['20kB', Infinity, 20_000], ['7.5%', 165, Infinity], ['250keys,15KiB', 250, 15 * 1024]]) {
    test(`${algorithm} in steps of ${limit}`, () => {
      const [before, after] = changed(algorithm)
      const planned = plan(before, after, { keys: KEYS, sizes: SIZES, limit })
      assert.equal(planned.figures, 'counted')
      assert.deepEqual(planned.difference, before.diff(after, { keys: KEYS, sizes: SIZES }))
      let owners = before.ownerMany(KEYS)
      const moves = new Array(KEYS.length).fill(0)
      planned.steps.forEach(({ step, part, of, fingerprint, moved, oversize }, index) => {
        const transition = new Transition(before, after, part, of, { epoch: index + 1 })
        assert.deepEqual([step, fingerprint], [index + 1, transition.fingerprint])
        const now = KEYS.map(key => transition.owner(key))
        const moving = [...KEYS.keys()].filter(key => now[key] !== owners[key])
        const bytes = moving.reduce((sum, key) => sum + SIZES[key], 0)
        assert.deepEqual([moved.keys, moved.bytes], [String(moving.length), String(bytes)])
        if (oversize === null) assert.ok(moving.length <= mostKeys && bytes <= mostBytes)
        for (const key of moving) moves[key]++
        owners = now
      })
      assert.deepEqual(owners, after.ownerMany(KEYS))
      assert.equal(Math.max(...moves), 1)
      assert.equal(planned.last.fingerprint, after.fingerprint)
      assert.deepEqual([planned.checks.followed, planned.checks.moved_twice, planned.checks.sum_is_difference], ['keys', '0', true])
    })
  }
}

test('without keys the limit is a share', () => {
  for (const [algorithm, figures] of [['rendezvous-1', 'expected'], ['ring-1', 'expected'], ['slots-1', 'slots'], ['hierarchy-1', 'expected']]) {
    const [before, after] = changed(algorithm)
    const planned = plan(before, after, { limit: '5%,4%/node' })
    assert.deepEqual([planned.figures, planned.limits], [figures, ['5%', '4%/node']])
    assert.ok(planned.steps.length > 2 && planned.steps.every(({ moved }) => moved.keys === null && moved.share <= 0.05 + 1e-9))
    refused(() => plan(before, after, { limit: '5keys' }), 'invalid_parameter')
    // A list of no keys is no expectation: nothing moves. Sizes of 0 are sizes.
    const none = plan(before, after, { keys: [], limit: '5keys' })
    assert.deepEqual([none.figures, none.steps.length], ['counted', 0])
    assert.equal(plan(before, after, { keys: KEYS, sizes: KEYS.map(() => 0), limit: '5MB' }).figures, 'counted')
    refused(() => plan(before, after, { keys: KEYS, limit: '5MB' }), 'invalid_parameter', /needs the sizes of the keys/)
  }
})

test('a key above the limit is named, and has a step of its own', () => {
  const before = new Cluster(['a', 'b'])
  const after = before.withNode('c')
  const keys = ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']
  const large = keys.find(key => after.owner(key) === 'c')
  const { steps, checks } = plan(before, after, { keys, sizes: keys.map(key => (key === large ? 2n ** 40n : 1)), limit: '1GB' })
  const [step] = steps.filter(({ oversize }) => oversize !== null)
  assert.deepEqual([step.oversize.key.text, step.moved.keys, step.moved.bytes, checks.above_limit], [large, '1', String(2 ** 40), 1])
})

test('from a transition on, and back', () => {
  const [before, after] = changed('rendezvous-1')
  const half = new Transition(before, after, 1, 2)
  const [on, back] = [plan(half, after, { keys: KEYS, limit: '300keys' }), plan(half, before, { keys: KEYS, limit: '300keys' })]
  assert.equal(new Transition(before, after, on.steps.at(-1).part, on.steps.at(-1).of).owner('k'), after.owner('k'))
  assert.equal(back.steps.at(-1).passed, 0)
  assert.deepEqual(plan(half.at(1, 1), after, { keys: KEYS, limit: '300keys' }).steps, [])
  refused(() => plan(half, new Cluster(['q']), { limit: '5%' }), 'unsupported')
  refused(() => plan(new Transition(() => 'a', after, 1, 2), after, { limit: '5%' }), 'unsupported')
})

test('arguments', () => {
  const before = new Cluster(['a', 'b'])
  const after = before.withNode('c')
  for (const options of [undefined, null, {}, { limit: 5 }, { limit: null }, '5%']) wrongType(() => plan(before, after, options))
  wrongType(() => plan(before, after, { limit: '5%', limits: 5 }), /has no "limits"/)
  wrongType(() => plan('a', after, { limit: '5%' }), /^before must be a Cluster or a Transition/)
  wrongType(() => plan(before, undefined, { limit: '5%' }), /^after must be a Cluster or a Transition/)
  wrongType(() => plan(before, after, { limit: '5%', sizes: [1] }), /^keys must be/)
  wrongType(() => plan(before, after, { limit: '5%', keys: 'abc' }), /^keys must be/)
  for (const limit of ['', '5', '0keys', '-1keys', '101%', '5 parsecs', '0%']) refused(() => plan(before, after, { keys: ['k'], limit }), 'invalid_parameter')
  refused(() => plan(before, after, { limit: '\ud800' }), 'invalid_text')
  refused(() => plan(before, after, { keys: ['k', true], limit: '5keys' }), 'invalid_key', /^keys\[1\]|key 1/)
  refused(() => plan(before, after, { keys: ['k', 'l'], sizes: [1], limit: '5keys' }), 'invalid_parameter', /1 sizes and more keys/)
  assert.throws(() => plan(before, after, { limit: '5keys', keys: (function * () { yield 'k'; throw new RangeError('mine') })() }), RangeError)
})
