/* Written by `npm run build`: what the addon gives to index.js. The interface of the package is index.d.ts. */

/** What only the addon looks into. */
declare class Cluster { private constructor() }


export declare class ExternalObject<T> {
  readonly '': {
    readonly '': unique symbol
    [K: symbol]: T
  }
}

/**
 * Which binding artifact the generated loader actually loaded: `'native'` for
 * a native addon, otherwise the `platformArchABI` of the WASI flavor. Every
 * flavor napi-rs can build is listed, because `NAPI_RS_NATIVE_LIBRARY_PATH`
 * can point the loader at a WASI artifact this package does not build itself.
 */
export declare const __napiBindingTarget: 'native' | 'wasm32-wasi' | 'wasm32-wasip1'

/** The arcs of a ring. */
export declare function arcs(cluster: ExternalObject<Cluster>): Arcs

/** The arcs of a ring, one column for each of their parts. */
export interface Arcs {
  /** The coordinates before the arcs. */
  starts: BigUint64Array
  /** The last coordinates. */
  ends: BigUint64Array
  /** The lengths, modulo 2^64: 0 is 2^64. */
  lengths: BigUint64Array
  /** The owners' indices. */
  owners: Uint32Array
}

/**
 * The hot path: a function that knows its cluster, takes a key and gives the owner's index. A class method, or a function that takes
 * the cluster as an argument, costs two to five times as much.
 */
export declare function bindOwner(cluster: ExternalObject<Cluster>): (key: unknown) => number

/**
 * A function that packs its arguments, and says whether it could: not where one is no string, or not well-formed.
 *
 * Arguments are at hand. To fetch an element of an array takes four times as long as to read it.
 */
export declare function bindPack(packing: ExternalObject<Packing>): (...keys: unknown[]) => boolean

/** The hot path, as a cluster's: a function that knows its transition, takes a key and gives the owner's index. */
export declare function bindTransitionOwner(transition: ExternalObject<Transition>): (key: unknown) => number

/** Several changes at once. */
export declare function changeCluster(cluster: ExternalObject<Cluster>, add: Array<NodeLike>, remove: Array<string>, weighed: Array<string>, weights: Array<number>, drain: Array<string>): ExternalObject<Cluster>

/** The checks of `replicas` that come before the keys. */
export declare function checkReplicas(cluster: ExternalObject<Cluster>, r: number): void

/** Reads a cluster file. */
export declare function clusterFromJson(text: Uint8Array, secret?: Uint8Array | null): ExternalObject<Cluster>

/** The text of a cluster file. */
export declare function clusterToJson(cluster: ExternalObject<Cluster>): string

/** The same description under another epoch, or none. */
export declare function clusterWithEpoch(cluster: ExternalObject<Cluster>, epoch?: number | undefined | null): ExternalObject<Cluster>

/** Whether two descriptions agree. */
export declare function compare(description: ExternalObject<Description>, other: ExternalObject<Description>): string

/** What a choice of nodes must respect. */
export interface ConstraintsInput {
  /** Ids to leave out. */
  exclude?: Array<string>
  /** The level whose domains copies must not share. */
  spread?: SpreadInput
  /** Whether a domain may take a second copy once all have one. */
  relaxed: boolean
}

/** A new cluster. */
export declare function createCluster(nodes: Array<NodeLike>, parameters: ParametersInput, secret?: Uint8Array | null): ExternalObject<Cluster>

/** The difference of two descriptions, before any key; `counts` says that keys are given, be it none. */
export declare function createDiff(before: ExternalObject<Description>, after: ExternalObject<Description>, r: number, asked: ConstraintsInput | undefined | null, counts: boolean): ExternalObject<Counting>

/** Room for the strings of a piece. */
export declare function createPacking(): ExternalObject<Packing>

/** A plan before any key; `limit` as people write it; `sized` says that keys are given, be it none, and whether with sizes. */
export declare function createPlan(before: ExternalObject<Description>, after: ExternalObject<Description>, limit: string, sized?: boolean | undefined | null): ExternalObject<Planning>

/** A new transition. */
export declare function createTransition(before: ExternalObject<Cluster>, after: ExternalObject<Cluster>, part: number, of: number, epoch?: number | undefined | null): ExternalObject<Transition>

/** A cluster as a description. */
export declare function describeCluster(cluster: ExternalObject<Cluster>): ExternalObject<Description>

/** The cluster, where the description is one. */
export declare function describedCluster(description: ExternalObject<Description>): ExternalObject<Cluster> | null

/** The transition, where the description is one. */
export declare function describedTransition(description: ExternalObject<Description>): ExternalObject<Transition> | null

/** A transition as a description. */
export declare function describeTransition(transition: ExternalObject<Transition>): ExternalObject<Description>

/** The canonical description. */
export declare function description(cluster: ExternalObject<Cluster>): Uint8Array

/** Reads a file of a cluster or a transition; `secret` serves each cluster, the others one each. */
export declare function descriptionFromJson(text: Uint8Array, secret?: Uint8Array | null, beforeSecret?: Uint8Array | null, afterSecret?: Uint8Array | null): ExternalObject<Description>

/** Adds keys, each with its size or with 0; `first` is the number of the first one, for messages. */
export declare function diffAdd(diff: ExternalObject<Counting>, keys: unknown, offsets: Uint32Array | Int32Array | null, first: number, sizes?: BigUint64Array | undefined | null): void

/** Adds one key and says what becomes of it. */
export declare function diffKey(diff: ExternalObject<Counting>, key: unknown): Moved

/** What is known of the difference, as JSON. */
export declare function diffSummary(diff: ExternalObject<Counting>): string

/** The canonical encoding of a key. */
export declare function encodeKey(key: unknown): Uint8Array

/** Why a key goes where it goes, as JSON. */
export declare function explain(cluster: ExternalObject<Cluster>, key: unknown, r: number, asked?: ConstraintsInput | undefined | null): string

/** The fingerprint in hex. */
export declare function fingerprint(cluster: ExternalObject<Cluster>): string

/** Whether one description may follow another in a running service: `same` or `newer`. */
export declare function followedBy(current: ExternalObject<Description>, next: ExternalObject<Description>): string

/** Whether a key is passed where `before` is a function, which has no slots: the key's own bytes decide, whatever `after` is. */
export declare function gatePasses(transition: ExternalObject<Transition>, key: unknown): boolean

/** Whether an id is in the cluster. */
export declare function hasNode(cluster: ExternalObject<Cluster>, id: string): boolean

/** The ids by index. */
export declare function ids(cluster: ExternalObject<Cluster>): Array<string>

/** The jump hash. */
export declare function jump(key: bigint, n: number): number

/** The jump hash of a key's digest. */
export declare function jumpBucket(key: unknown, n: number, hash?: string | undefined | null, seed?: bigint | undefined | null, secret?: Uint8Array | null): number

/** A key's digest modulo n. */
export declare function modulo(key: unknown, n: number, hash?: string | undefined | null, seed?: bigint | undefined | null, secret?: Uint8Array | null): number

/** What becomes of one key. */
export interface Moved {
  /** The id of the owner before. */
  source: string
  /** The id of the owner after. */
  target: string
  /** Why. */
  reason: string
}

/** The node of an id. */
export declare function node(cluster: ExternalObject<Cluster>, id: string): NodeOutput

/** A node as `index.js` has checked it. */
export interface NodeInput {
  /** The identity. */
  id: string
  /** Relative capacity. */
  weight: number
  /** The path of failure domains, widest first. */
  location: Array<string>
  /** Explicit tokens of a ring. */
  tokens?: Array<bigint>
  /** Carried. */
  address?: string
  /** Carried: pairs of texts. */
  meta?: Array<Array<string>>
  /** Carried. */
  comment?: string
}

/** What a node is given as: its id alone, or all of it. */
export type NodeLike = string | NodeInput

/** A node as it is handed back. */
export interface NodeOutput {
  /** The identity. */
  id: string
  /** Relative capacity. */
  weight: number
  /** The path of failure domains, widest first. */
  location: Array<string>
  /** Explicit tokens of a ring, ascending. */
  tokens?: BigUint64Array
  /** Carried. */
  address?: string
  /** Carried: pairs of texts, ascending by the first. */
  meta: Array<Array<string>>
  /** Carried. */
  comment?: string
}

/** All nodes by index. */
export declare function nodes(cluster: ExternalObject<Cluster>): Array<NodeOutput>

/** The owner of a coordinate of a ring, or of a number in place of the key's digest. */
export declare function ownerAt(cluster: ExternalObject<Cluster>, at: bigint): number

/** The owners of keys. `first` is the number of the first one, for messages. */
export declare function ownerIndices(cluster: ExternalObject<Cluster>, keys: unknown, offsets: Uint32Array | Int32Array | null, first: number, out: Uint32Array): void

/** The owner when some nodes are excluded. */
export declare function ownerWithout(cluster: ExternalObject<Cluster>, key: unknown, exclude: Array<string>): number

/** The parameters of a cluster but its secret. */
export interface ParametersInput {
  /** The name of the algorithm. */
  algorithm?: string
  /** The name of the hash. */
  hash?: string
  /** The seed of the hash. */
  seed?: bigint
  /** The number of the description. */
  epoch?: number
  /** The names of the levels of locations. */
  levels?: Array<string>
  /** Tokens for each unit of weight. */
  tokensPerWeight?: number
  /** The space of explicit tokens. */
  space?: bigint
  /** The number of slots. */
  slots?: number
  /** Percent above the proportional part. */
  headroom?: number
}

/** Adds keys, each with its size or with 0; `first` is the number of the first one, for messages. */
export declare function planAdd(plan: ExternalObject<Planning>, keys: unknown, offsets: Uint32Array | Int32Array | null, first: number, sizes?: BigUint64Array | undefined | null): void

/** The plan, as JSON. */
export declare function planSummary(plan: ExternalObject<Planning>): string

/** What the cluster says of itself. */
export declare function properties(cluster: ExternalObject<Cluster>): Properties

/** The parameters of a cluster as they are in force, and what else it says of itself. */
export interface Properties {
  /** The name of the algorithm. */
  algorithm: string
  /** The name of the hash. */
  hash: string
  /** The seed of the hash. */
  seed?: bigint
  /** The number of the description. */
  epoch?: number
  /** The names of the levels of locations. */
  levels?: Array<string>
  /** Tokens for each unit of weight. */
  tokensPerWeight?: number
  /** The space of explicit tokens. */
  space?: bigint
  /** The number of slots. */
  slots?: number
  /** Percent above the proportional part. */
  headroom?: number
  /** Carried. */
  comment?: string
  /** Whether the hash has a secret. */
  hasSecret: boolean
}

/** The ranking, written into `out` as far as it has room; gives how many there are. */
export declare function ranking(cluster: ExternalObject<Cluster>, key: unknown, limit: number, exclude: Array<string> | undefined | null, out: Uint32Array): number

/** The order of `rendezvous-1` over given scores, as positions. */
export declare function rankScores(ids: Array<string>, scores: Array<bigint>, weights: Array<number>): Array<number>

/** The replicas of keys, r for each. */
export declare function replicaIndices(cluster: ExternalObject<Cluster>, r: number, keys: unknown, offsets: Uint32Array | Int32Array | null, first: number, out: Uint32Array): void

/** The first r of the ranking under constraints, written into `out`; gives how many there are. */
export declare function replicas(cluster: ExternalObject<Cluster>, key: unknown, r: number, asked: ConstraintsInput | undefined | null, out: Uint32Array): number

/** Each node's share by index: numerator and denominator. */
export declare function shares(cluster: ExternalObject<Cluster>): Array<Array<bigint>>

/** The slot of a key. */
export declare function slot(cluster: ExternalObject<Cluster>, key: unknown): number

/** The slots of keys. */
export declare function slotIndices(cluster: ExternalObject<Cluster>, keys: unknown, offsets: Uint32Array | Int32Array | null, first: number, out: Uint32Array): void

/** The index of each slot's owner. */
export declare function slotOwners(cluster: ExternalObject<Cluster>): Uint32Array

/** The ranking of a slot, written into `out`; gives how many there are. */
export declare function slotRanking(cluster: ExternalObject<Cluster>, slot: number, limit: number, out: Uint32Array): number

/** The slots of a node. */
export declare function slotsOf(cluster: ExternalObject<Cluster>, id: string): Uint32Array

/** A level to spread over: its number or its name. */
export type SpreadInput = number | string

/** The cluster that is entered. */
export declare function transitionAfter(transition: ExternalObject<Transition>): ExternalObject<Cluster>

/** The same transition further on, or back. */
export declare function transitionAt(transition: ExternalObject<Transition>, part: number, of: number): ExternalObject<Transition>

/** The cluster that is left. */
export declare function transitionBefore(transition: ExternalObject<Transition>): ExternalObject<Cluster>

/** The owner's id and, where it differs, the one in the other cluster. */
export declare function transitionCandidates(transition: ExternalObject<Transition>, key: unknown): Array<string>

/** Why a key goes where it goes, as JSON. */
export declare function transitionExplain(transition: ExternalObject<Transition>, key: unknown, r: number, asked?: ConstraintsInput | undefined | null): string

/** Reads a transition file; `secret` serves both clusters, the others one each. */
export declare function transitionFromJson(text: Uint8Array, secret?: Uint8Array | null, beforeSecret?: Uint8Array | null, afterSecret?: Uint8Array | null): ExternalObject<Transition>

/** The owner when some nodes are excluded. */
export declare function transitionOwnerWithout(transition: ExternalObject<Transition>, key: unknown, exclude: Array<string>): number

/** Whether a key is passed. */
export declare function transitionPasses(transition: ExternalObject<Transition>, key: unknown): boolean

/** What the transition says of itself. */
export declare function transitionProperties(transition: ExternalObject<Transition>): TransitionProperties

/** What a transition says of itself beside its two sides. */
export interface TransitionProperties {
  /** How many parts have passed. */
  part: number
  /** Of how many. */
  of: number
  /** The number of the step. */
  epoch?: number
  /** Carried. */
  comment?: string
  /** In hex. */
  fingerprint: string
}

/** The ranking, written into `out` as far as it has room; gives how many there are. */
export declare function transitionRanking(transition: ExternalObject<Transition>, key: unknown, limit: number, exclude: Array<string> | undefined | null, out: Uint32Array): number

/** The first r of the ranking under constraints, written into `out`; gives how many there are. */
export declare function transitionReplicas(transition: ExternalObject<Transition>, key: unknown, r: number, asked: ConstraintsInput | undefined | null, out: Uint32Array): number

/** The text of a transition file. */
export declare function transitionToJson(transition: ExternalObject<Transition>): string

/** The same step under another epoch, or none. */
export declare function transitionWithEpoch(transition: ExternalObject<Transition>, epoch?: number | undefined | null): ExternalObject<Transition>
