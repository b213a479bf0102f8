// Compiled in a strict project, not run: what the types promise, and what they refuse.

import keystead, { Cluster, encodeKey, jump, jumpBucket, LiveCluster, modulo, plan, rankScores, Transition, version } from 'keystead'
import type { Arc, ClusterNode, ClusterOptions, Comparison, DiffSummary, ErrorCode, Explanation, Key, Keys, KeysteadError, Move, NodeSpec, PackedKeys, PlacementFunction, Reason } from 'keystead'

const spec: NodeSpec = { id: 'cache-c', weight: 2, location: ['eu', 'eu-1a'], tokens: [1n, 2], meta: { rack: 'r7' } }
const options: ClusterOptions = { algorithm: 'ring-1', hash: 'sip13', secret: new Uint8Array(16), levels: new Set(['region']), space: 2n ** 32n }
const cluster: Cluster = new Cluster(['cache-a', spec], options)
const same: typeof Cluster = keystead.Cluster

const owner: string = cluster.owner('user:42')
const keys: Key[] = ['text', Buffer.from([0, 255]), 42, 42n, ['tenant-7', 42, ['nested']]]
const frozen: Key = ['tenant-7', 42] as const
cluster.owner(frozen, { exclude: new Set(['cache-a']) })
const ranking: string[] = cluster.ranking('k', 3, { exclude: ['cache-a'] })
cluster.ranking('k', { exclude: ['cache-a'] })
const copies: string[] = cluster.replicas('k', 3, { spread: 'zone', relaxed: true, exclude: [] })
const why: Explanation = cluster.explain('k', 2, { spread: 0 })
const score: string | undefined = why.candidates[0]?.score
const names: string[] = cluster.ownerMany(keys)
const indices: Uint32Array = cluster.ownerIndices(new Set(keys))
const packed: Uint32Array = cluster.ownersPacked(new Uint8Array(3), Uint32Array.of(0, 3))
const flat: Uint32Array = cluster.replicaIndices(keys, 3)
const groups: Map<string, number[]> = cluster.groupByOwner([1, 2, 3])
const column: PackedKeys = { bytes: Buffer.from('ab'), offsets: Int32Array.of(0, 1, 2) }
const parts: Map<string, Uint8Array[]> = cluster.groupByOwner(column)
const byId: Map<string, bigint[]> = cluster.groupByOwner(BigUint64Array.of(1n, 2n))
for (const many of [column, keys, BigInt64Array.of(-1n), new Set(['a'])] satisfies Keys[]) cluster.diff(cluster, { keys: many })
const nodes: readonly ClusterNode[] = cluster.nodes
const again: Cluster = new Cluster(nodes)
const shares: Map<string, [bigint, bigint]> = cluster.shares()
const arcs: Arc[] = cluster.arcs()
const seed: bigint | null = cluster.seed
const ids: readonly string[] = [...cluster]
const changed: Cluster = cluster.change({ add: ['x', spec], remove: ['y'], weight: { z: 3 }, drain: new Set(['w']) }).withEpoch(null)
const relation: 'same' | 'newer' | 'older' | 'conflict' | 'different' = cluster.compare(changed)
const step = new Transition(cluster, changed, 1, 4, { epoch: 44 })
const left: Cluster = step.before
const modern: Transition<(key: string) => string> = new Transition((key: string) => `old-${key.length % 3}`, cluster, 1, 4).at(2, 4)
const legacy: PlacementFunction = modern.before
const anyStep: Transition = [step, modern][0] ?? step.withEpoch(null)
const owners: string[] = [anyStep.owner('k'), ...anyStep.candidates(7), ...step.ranking('k', 2), ...step.replicas('k', 2, { spread: 'zone' })]
const passed: boolean = step.passes('k') || (step.explain('k').transition?.passed ?? false)
const agreed: Comparison = step.compare(cluster) || cluster.compare(step)
const summary: DiffSummary = cluster.diff(step, { keys: new Set(keys), sizes: [1, 2n], r: 2, spread: 'zone', exclude: ['x'] })
const movedKeys: string | undefined = step.diff(cluster).counted?.moves[0]?.keys
const gained: number = Number(summary.counted?.reasons.gained.bytes) + summary.expected.moved
const whyMoved: Reason[] = Array.from(cluster.diffKeys(changed, [1, 2n], { r: 3 }), ({ key: _, source: __, target: ___, reason }: Move<number | bigint>) => reason)
const live: LiveCluster = new LiveCluster(new URL('file:///x.json'), { secret: null })
const told: 'same' | 'newer' = live.refresh()
const inForce: Cluster | Transition<Cluster> = live.current
const planned: string[] = plan(step, changed, { limit: '5%', keys: ['k'], sizes: [1n] }).steps.map(step => step.moved.keys ?? step.fingerprint)
const fromFile: Transition<Cluster> = Transition.load('step.json', { beforeSecret: Buffer.alloc(16), afterSecret: null })
const fromText: Cluster = Transition.fromJson(step.toJson(), { secret: new Uint8Array(16) }).after
const loaded: Cluster = Cluster.load(new URL('file:///cluster.json'), { secret: Buffer.alloc(16) })
const read: Cluster = Cluster.fromJson(cluster.toJson())
const bucket: number = jump(1n, 10) + jumpBucket('k', 10, { hash: 'xxh64', seed: 1 }) + modulo('k', 10)
const best: string[] = rankScores([['a', 7n], ['b', 7, 2]])
const bytes: Uint8Array = encodeKey(['a', 1])
const text: string = version

try {
  cluster.owner('k')
} catch (error) {
  const code: ErrorCode = (error as KeysteadError).code
  if (code === 'no_nodes') throw error
}

// @ts-expect-error a float is a number, but a boolean is no key
cluster.owner(true)
// @ts-expect-error nothing is no key
cluster.owner(undefined)
// @ts-expect-error other typed arrays are no keys
cluster.owner(new Uint16Array(2))
// @ts-expect-error offsets are a column too
cluster.ownerIndices({ bytes: new Uint8Array(2), offsets: [0, 2] })
// @ts-expect-error packed keys are many
cluster.owner(column)
// @ts-expect-error an object is no key
cluster.owner({ id: 1 })
// @ts-expect-error a misspelt option
cluster.owner('k', { exlude: ['a'] })
// @ts-expect-error a choice of one node knows no spread
cluster.owner('k', { spread: 0 })
// @ts-expect-error r is asked for
cluster.replicas('k')
// @ts-expect-error r is a number
cluster.replicas('k', 3n)
// @ts-expect-error a misspelt member
const misspelt: NodeSpec = { id: 'a', weigth: 1 }
// @ts-expect-error an id is asked for
const nameless: NodeSpec = { weight: 1 }
// @ts-expect-error a weight is a number
const heavy: NodeSpec = { id: 'a', weight: 2n }
// @ts-expect-error a secret is bytes
const secret: ClusterOptions = { hash: 'sip13', secret: 'password' }
// @ts-expect-error an unknown algorithm
const unknown: ClusterOptions = { algorithm: 'rendezvous' }
// @ts-expect-error the file's name for it
const snake: ClusterOptions = { tokens_per_weight: 256 }
// @ts-expect-error the ids cannot be changed
cluster.ids.push('x')
// @ts-expect-error nor the nodes
cluster.nodes[0]!.weight = 3
// @ts-expect-error nor the fingerprint
cluster.fingerprint = ''
// @ts-expect-error a cluster, not its text
cluster.compare('{}')
// @ts-expect-error a function is asked for an id, and gives one at once
const late = new Transition(async (key: string) => key, cluster, 1, 2)
// @ts-expect-error what is entered is a cluster
const aimless = new Transition(cluster, () => 'a', 1, 2)
// @ts-expect-error a transition cannot be changed
step.part = 2
// @ts-expect-error the file's name for it
Transition.load('step.json', { before_secret: new Uint8Array(16) })
// @ts-expect-error sizes belong to keys, in the options
cluster.diff(changed, ['k'], [1])
// @ts-expect-error a limit is asked for
plan(cluster, changed, {})
// @ts-expect-error a file is swapped, not what it held
live.current = cluster
// @ts-expect-error keys are asked for
cluster.diffKeys(changed)
// @ts-expect-error a score is a number or a bigint
rankScores([['a', '7']])
// @ts-expect-error the numbers of a share are bigints
const share: Map<string, [number, number]> = cluster.shares()

export { again, agreed, aimless, arcs, best, bucket, byId, bytes, copies, flat, fromFile, fromText, gained, groups, heavy, ids, inForce, indices, late, left, legacy, loaded, misspelt, movedKeys, nameless, names, owner, owners, packed, parts, passed, planned, ranking, read, relation, same, score, secret, seed, share, shares, snake, summary, text, told, unknown, whyMoved }
