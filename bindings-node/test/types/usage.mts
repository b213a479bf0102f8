// Compiled in a strict project, not run: what the types promise, and what they refuse.

import keystead, { Cluster, encodeKey, jump, jumpBucket, modulo, rankScores, version } from 'keystead'
import type { Arc, ClusterNode, ClusterOptions, ErrorCode, Explanation, Key, KeysteadError, NodeSpec } from 'keystead'

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
const nodes: readonly ClusterNode[] = cluster.nodes
const again: Cluster = new Cluster(nodes)
const shares: Map<string, [bigint, bigint]> = cluster.shares()
const arcs: Arc[] = cluster.arcs()
const seed: bigint | null = cluster.seed
const ids: readonly string[] = [...cluster]
const changed: Cluster = cluster.change({ add: ['x', spec], remove: ['y'], weight: { z: 3 }, drain: new Set(['w']) }).withEpoch(null)
const relation: 'same' | 'newer' | 'older' | 'conflict' | 'different' = cluster.compare(changed)
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
// @ts-expect-error a score is a number or a bigint
rankScores([['a', '7']])
// @ts-expect-error the numbers of a share are bigints
const share: Map<string, [number, number]> = cluster.shares()

export { again, arcs, best, bucket, bytes, copies, flat, groups, heavy, ids, indices, loaded, misspelt, nameless, names, owner, packed, ranking, read, relation, same, score, secret, seed, share, shares, snake, text, unknown }
