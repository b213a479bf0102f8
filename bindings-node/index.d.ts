/**
 * Which node owns this key, and who is next in line: the same answer in Rust, Python and Node, byte for byte, for ever.
 *
 * A {@link Cluster} describes nodes with weights and locations and answers any key with simple calls. Nothing is stored and nobody is
 * asked: two programs with the same description agree.
 *
 * Integers of 64 bits (seeds, tokens, coordinates, scores) are `bigint`; on the way in a safe integer `number` is as good.
 *
 * **Errors.** A value that breaks a rule is an `Error` whose `code` is the same word in every language, see {@link KeysteadError}. A
 * wrong type is a `TypeError` with the code `ERR_INVALID_ARG_TYPE`, and so is an unknown option or member, so that a misspelt one is
 * never ignored; only an object's own members are read, never inherited ones. An exception of the caller's own code (a getter's, an iterator's) passes through unchanged.
 *
 * @packageDocumentation
 */

/**
 * What can be a key. Text is its UTF-8 bytes, so `'a'` and `Buffer.from('a')` are the same key; no trimming, no normalisation, no case
 * folding. Integers (−2^63 … 2^64 − 1; a `number` must be a safe integer, −0 is 0) and arrays of keys (nested up to 32 deep) are
 * composite keys: `42` is not `'42'`, and `['ab', 'c']` is not `['a', 'bc']`.
 *
 * Everything else is `invalid_key`: booleans, fractions, null, objects, other typed arrays than `Uint8Array`. Of a UUID pass the text or
 * the 16 bytes, the same in every service. A string with a lone surrogate is `invalid_text`.
 */
export type Key = string | Uint8Array | bigint | number | readonly Key[]

/**
 * Keys that stand one behind the other in memory: key i is the bytes from `offsets[i]` to `offsets[i + 1]`, so n keys have n + 1 offsets.
 * The two are what a column of texts or bytes has in Apache Arrow, and are read where they are.
 */
export interface PackedKeys {
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array | Int32Array
}

/**
 * Many keys in one call: an array or another iterable of keys, each as it would be alone; a typed array, which holds integer keys
 * (`BigUint64Array` and `BigInt64Array` ids at a fraction of the cost of bigints); or {@link PackedKeys}. A `Uint8Array` alone is one key.
 */
export type Keys = Iterable<Key> | PackedKeys

/** The names of the algorithms. A name ends in its version, and no release changes an answer of a published name. */
export type Algorithm = 'rendezvous-1' | 'ring-1' | 'slots-1' | 'hierarchy-1'

/**
 * The names of the hashes. `xxh3` (the default) and `xxh64` take a seed and are for trusted keys; where strangers choose the keys take
 * `sip13`, with a secret of 16 random bytes.
 */
export type HashName = 'xxh3' | 'xxh64' | 'sip13'

/** The codes of {@link KeysteadError}: stable, never reused, the same in every language. */
export type ErrorCode =
  | 'no_nodes'
  | 'too_many_nodes'
  | 'duplicate_node'
  | 'unknown_node'
  | 'invalid_id'
  | 'invalid_weight'
  | 'invalid_location'
  | 'uneven_locations'
  | 'invalid_tokens'
  | 'token_collision'
  | 'too_many_tokens'
  | 'digest_collision'
  | 'invalid_text'
  | 'invalid_key'
  | 'invalid_parameter'
  | 'missing_secret'
  | 'unexpected_secret'
  | 'not_enough_nodes'
  | 'not_enough_domains'
  | 'unsupported'
  | 'invalid_file'
  | 'unsupported_version'
  | 'stale_epoch'
  | 'epoch_conflict'

/** The shape of the errors that are thrown: a plain `Error` with a code. Its message names the value and the limit, never a secret. */
export interface KeysteadError extends Error {
  code: ErrorCode
  /** Of an error in a cluster file: the line, from 1. */
  line?: number
  /** Of an error in a cluster file: the column, from 1, counted in code points. */
  column?: number
}

/** A node as it is given. Unknown members are a `TypeError`. */
export interface NodeSpec {
  /**
   * The identity: 1 … 65,535 bytes of UTF-8 without control characters, unique in its cluster. Renaming a machine is removing one node
   * and adding another; its address is no part of the identity.
   */
  id: string
  /** Capacity relative to the other weights: an integer 0 … 4294967295. 0 drains the node: it takes part in no answer. @defaultValue 1 */
  weight?: number | undefined
  /** The path of failure domains, widest first, such as region, zone, rack: up to 8 texts. */
  location?: Iterable<string> | null | undefined
  /** Explicit tokens of a `ring-1`, distinct; all nodes of a cluster give them or none does. */
  tokens?: Iterable<bigint | number> | null | undefined
  /** Carried and given back; shapes no answer and no fingerprint. */
  address?: string | null | undefined
  /** Carried and given back; shapes no answer and no fingerprint. */
  meta?: Readonly<Record<string, string>> | null | undefined
  /** Carried and given back; shapes no answer and no fingerprint. */
  comment?: string | null | undefined
}

/** A node of a cluster, frozen. It can be given to another cluster as it is. */
export interface ClusterNode {
  readonly id: string
  readonly weight: number
  readonly location: readonly string[]
  /** Ascending. Only where the cluster has explicit tokens. */
  readonly tokens?: readonly bigint[]
  readonly address?: string
  readonly meta?: Readonly<Record<string, string>>
  readonly comment?: string
}

/** The hash of keys and ids. */
export interface HashOptions {
  /** @defaultValue 'xxh3' */
  hash?: HashName | null | undefined
  /** Of `xxh3` and `xxh64`: 0 … 2^64 − 1. @defaultValue 0n */
  seed?: bigint | number | null | undefined
  /** Of `sip13`: 16 bytes from a cryptographic random source, never a password. It is in no file, no message and no inspection. */
  secret?: Uint8Array | null | undefined
}

/** The parameters of a cluster. `null` is absence; a parameter of another algorithm is `invalid_parameter`. */
export interface ClusterOptions extends HashOptions {
  /** @defaultValue 'rendezvous-1' */
  algorithm?: Algorithm | null | undefined
  /** The number under which the description is published: an integer 0 … 2^53 − 1. */
  epoch?: number | null | undefined
  /** Names for the levels of locations, widest first: 1 … 8 distinct texts. */
  levels?: Iterable<string> | null | undefined
  /** `ring-1`: tokens for each unit of weight, 1 … 65536. @defaultValue 256 */
  tokensPerWeight?: number | null | undefined
  /** `ring-1` with explicit tokens: coordinates are 0 … space − 1; 2 … 2^64 − 1. Absent for 2^64. */
  space?: bigint | number | null | undefined
  /** `slots-1`: the number of slots, 1 … 4194304; fixed for the life of the data. @defaultValue 16384 */
  slots?: number | null | undefined
  /** `slots-1`: no node gets more than its proportional part and this many percent, 0 … 1000. Absent for no caps. */
  headroom?: number | null | undefined
}

/** What a choice of one node must respect. */
export interface ExcludeOptions {
  /** Ids to leave out, unhealthy ones say, without changing the cluster. Ids that are not in the cluster are ignored. */
  exclude?: Iterable<string> | null | undefined
}

/** What a choice of copies must respect. */
export interface ReplicaOptions extends ExcludeOptions {
  /** Copies in distinct domains at this level of the location: its number, 0 the widest, or its name in `levels`. */
  spread?: number | string | null | undefined
  /** Once every domain has a copy, each may take a second, and so on, instead of `not_enough_domains`. @defaultValue false */
  relaxed?: boolean | null | undefined
}

/** The secret of a cluster file whose hash is `sip13`. */
export interface SecretOptions {
  secret?: Uint8Array | null | undefined
}

/** The secrets of a file that can hold two clusters: `secret` serves each whose hash is `sip13`, or each has its own. */
export interface TransitionSecretOptions extends SecretOptions {
  /** Of `before` alone; not beside `secret`. */
  beforeSecret?: Uint8Array | null | undefined
  /** Of `after` alone; not beside `secret`. */
  afterSecret?: Uint8Array | null | undefined
}

/** What a new transition can have beside its sides and its fraction. */
export interface TransitionOptions {
  /** The number under which this step is published: an integer 0 … 2^53 − 1. Those of the two clusters play no part. */
  epoch?: number | null | undefined
}

/** What comparing two descriptions says of the first. */
export type Comparison = 'same' | 'newer' | 'older' | 'conflict' | 'different'

/** Any placement from which a transition can start: the id of the node that has the key today. It is given the key as the caller wrote it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- so that a function of strings alone is one
export type PlacementFunction = (key: any) => string

/** Several changes at once, in the order remove, add, weight, drain. An id may be removed and added again, but be named once by each. */
export interface Changes {
  add?: Iterable<string | NodeSpec> | null | undefined
  remove?: Iterable<string> | null | undefined
  /** New weights by id. */
  weight?: Readonly<Record<string, number>> | ReadonlyMap<string, number> | null | undefined
  /** Ids whose weight becomes 0. */
  drain?: Iterable<string> | null | undefined
}

/** One arc of a ring: the token `end` serves the coordinates `(start, end]`, `start` excluded, `end` included. */
export interface Arc {
  start: bigint
  end: bigint
  /** How many coordinates: 1n … 2n ** 64n. */
  length: bigint
  /** The id of the node whose token it is. */
  owner: string
}

/** Why a key goes where it goes: the same structure as JSON in every language. Digests, scores and seeds are hex text, large integers decimal text. */
export interface Explanation {
  /** The key as it is hashed. */
  key: {
    kind: 'text' | 'bytes' | 'composite'
    /** The text, for the kind `text`. */
    text?: string
    /** How many bytes are hashed. */
    length: number
    hex: string
  }
  digest: string
  algorithm: Algorithm
  hash: HashName
  /** Null for `sip13`. */
  seed: string | null
  epoch: number | null
  fingerprint: string
  /** The transition that chose this cluster, where a transition was asked. */
  transition?: ExplainedTransition
  /** Rings: the key's coordinate. */
  coordinate?: string
  /** Slot tables: the key's slot. */
  slot?: number
  r: number
  /** The number of the level that copies are spread over. */
  spread: number | null
  relaxed: boolean
  /** How many copies a domain was allowed in the end: 1, unless a relaxed spread had to go on. */
  limit: number
  /** The ids that hold the copies, in the order in which they were picked. */
  picked: string[]
  /** The ranking without excluded nodes, best first. */
  candidates: ExplainedNode[]
  /** The ids of weight 0. */
  drained: string[]
  /** The ids that were excluded and are in the cluster. */
  excluded: string[]
}

/** The transition in an {@link Explanation}. */
export interface ExplainedTransition {
  part: number
  of: number
  /** Whether the key has passed, and so is answered by `after`. */
  passed: boolean
  epoch: number | null
  fingerprint: string
}

/** A node in an {@link Explanation}. */
export interface ExplainedNode {
  /** Its place in the ranking, from 1. */
  rank: number
  id: string
  weight: number
  location: string[]
  /** Its score; rings have none. */
  score?: string
  /** The cost of the score. By cost over weight it is ranked. */
  cost?: string
  /** Rings: its first token at or above the key's coordinate. */
  token?: string
  /** Hierarchies: the domains on its path, widest first. */
  domains?: Array<{ name: string; weight: string; score: string; cost: string }>
  /** Which copy it holds, from 1. */
  copy: number | null
  /** Why it holds none although it ranks before one that does. */
  skipped: 'domain_taken' | null
}

/** Of which nodes of a key a difference is. */
export interface DiffQuestion extends ReplicaOptions {
  /** The first r nodes of a key's ranking: 1 … @defaultValue 1 */
  r?: number | null | undefined
}

/** What is put to a difference. */
export interface DiffOptions extends DiffQuestion {
  /** Keys to count, taken one by one and not kept. Without any, what is expected of all keys is known all the same. */
  keys?: Keys | null | undefined
  /** The size of each key in bytes, 0 … 2^64 − 1; as many as keys. */
  sizes?: Iterable<number | bigint> | null | undefined
}

/**
 * Why a key moves, or does not.
 *
 * - `gained`: the new owner was added, made heavier, or has ring tokens that it lacked;
 * - `lost`: the old owner was removed, drained, made lighter, or lost tokens;
 * - `both`; `reshuffled`: neither, only where the algorithm allows it, or the two sides differ in algorithm, hash or parameters;
 * - `candidates`: the owner stays, and the list of the first r nodes is another;
 * - `unchanged`: the same answer.
 */
export type Reason = 'gained' | 'lost' | 'both' | 'reshuffled' | 'candidates' | 'unchanged'

/** What becomes of one key. The mapping is not the data: a new owner starts empty, so a move names source and target. */
export interface Move<K = Key> {
  /** As it was given. */
  key: K
  /** The id of the owner before. */
  source: string
  /** The id of the owner after. */
  target: string
  reason: Reason
}

/**
 * The difference of two descriptions, the same structure as JSON in every language. Numbers of 64 bits and more are decimal text; shares
 * are floats, for people.
 */
export interface DiffSummary {
  before: DiffSide
  after: DiffSide
  r: number
  /** The number of the level that copies are spread over. */
  spread: number | null
  relaxed: boolean
  /** The ids that are excluded and are on some side. */
  excluded: string[]
  /** Whether it is provable that no key gets another answer. Where it is false, some may, or none does all the same. */
  identical: boolean
  /** The least movement of owners that any placement with the same shares needs; null for a hierarchy with excluded nodes. */
  least: {
    /** Numerator and denominator in lowest terms; null where a transition's do not fit 128 bits. */
    fraction: [string, string] | null
    share: number
  } | null
  /** What is expected of all keys. */
  expected: ExpectedDiff
  /** What was counted of the keys that were given; of an empty list all counts are 0, and without a list there are none. */
  counted: CountedDiff | null
  /** Between rings on one circle: the arcs whose owner changes, ascending by end; what a store has to copy. */
  arcs: MovedArc[] | null
  /** Between tables of the same slots: those whose owner changes, ascending; what a store has to copy. */
  slots: MovedSlot[] | null
}

/** One side of a {@link DiffSummary}; of a transition, algorithm, hash and nodes are those of the cluster that is entered. */
export interface DiffSide {
  algorithm: Algorithm
  hash: HashName
  /** How many, drained ones included. */
  nodes: number
  epoch: number | null
  fingerprint: string
  /** How far a transition has gone, and its clusters' fingerprints; null for a cluster. */
  transition: { part: number; of: number; before: string; after: string } | null
}

/** What is expected of all keys, as shares of them. */
export interface ExpectedDiff {
  /**
   * `exact`: in closed form for rendezvous, by the arcs of rings, the slots of tables; `independent`: in closed form where the sides place
   * keys without regard to each other, as under different hashes; `sample`: counted among generated keys.
   */
  method: 'exact' | 'independent' | 'sample'
  /** How many keys a sample has. */
  samples: number | null
  /** The share of the keys whose owner changes. */
  moved: number
  /** Of this share: 0 unless it comes from a sample. */
  standard_error: number
  /** From where to where, ascending by ids; null for more than 65,536 pairs. */
  moves: Array<{ from: string; to: string; share: number }> | null
  /** Every node of either side, ascending by id. */
  nodes: Array<{ id: string; before: number; after: number; moved_in: number; moved_out: number }>
  /** The copies, for r above 1; always from a sample. */
  copies: {
    samples: number
    /** The share of the keys whose list changes, behind the same owner or with it. */
    changed: number
    standard_error: number
    /** How many copies a key has to be given on average. */
    moved: number
    /** The shares of all keys of which a node holds a copy; `proportional` is what its weight asks for after. */
    nodes: Array<{ id: string; before: number; after: number; proportional: number | null; moved_in: number; moved_out: number }>
  } | null
}

/** Keys, and their sizes together, in decimal. */
export interface Count {
  keys: string
  bytes: string
}

/** What a node has on either side, gets from others and gives to others. */
export interface CountedNode {
  id: string
  before: Count
  after: Count
  moved_in: Count
  moved_out: Count
}

/** What is planned. */
export interface PlanOptions {
  /**
   * What a step may move: `'50000keys'`, `'80MB'` (also B, kB, GB, TB, KiB, MiB, GiB, TiB; it needs sizes), or `'3%'` of all keys; with
   * `/node` behind it what may move into or out of any one node, such as `'20MB/node'`; several with commas between them.
   */
  limit: string
  /** Keys of which the figures are exact. Without any they are expected, and the limit has to be a share. */
  keys?: Keys | null | undefined
  /** The size of each key in bytes, 0 … 2^64 − 1; as many as keys. */
  sizes?: Iterable<number | bigint> | null | undefined
}

/** A change in steps, the same structure as JSON in every language. Numbers of 64 bits and more are decimal text; shares are floats. */
export interface Plan {
  /** What moves in all. */
  difference: DiffSummary
  by: 'share'
  /** `counted`: of the keys that were given. `slots`: exact, of a table's slots. `expected`: of all keys, as the difference says. */
  figures: 'counted' | 'slots' | 'expected'
  limits: string[]
  /** Whether the steps are equal fractions of the way; else their ends were shifted so that all keep the limits. */
  even: boolean
  /** In order; none where nothing moves. */
  steps: PlanStep[]
  /** What is published when the last step is done, and moves nothing; null where the last step is that already. */
  last: DiffSide | null
  /** What was counted, not assumed. */
  checks: {
    /** What was followed through all steps: the given keys that move, the slots that move, or generated keys. */
    followed: 'keys' | 'slots' | 'sample'
    count: string
    /** Always 0. */
    moved_twice: string
    /** Whether the moves of the steps add up to exactly the difference: always. */
    sum_is_difference: boolean
    /** How many move although neither the new owner gained nor the old one lost; null where there is no guarantee of 0. */
    reshuffled: string | null
    /** How many steps are above a limit: those with one undivided thing above it. */
    above_limit: number
  }
}

/** A step: `new Transition(before, after, part, of, { epoch })` is what to publish for it. */
export interface PlanStep {
  /** Its number, from 1. */
  step: number
  part: number
  of: number
  /** Of what is published: all services must show it before the step counts as done. */
  fingerprint: string
  moved: PlanAmount
  /** The nodes that take part, ascending by id. */
  nodes: Array<{ id: string; moved_in: PlanAmount; moved_out: PlanAmount }>
  /** The share of all keys that are answered by the cluster that is entered, after it. */
  passed: number
  /** What is above a limit and cannot be divided: such a step has it alone. */
  oversize: { key: Explanation['key'] | null; slot: number | null; keys: string; bytes: string } | null
}

/** What moves in a step: keys and bytes where keys were given. */
export interface PlanAmount {
  /** Of all keys: of those that were given, else as expected. */
  share: number
  keys: string | null
  bytes: string | null
}

/** What was counted of the keys that were given; a key that is given twice counts twice. */
export interface CountedDiff {
  total: Count
  /** Those whose owner changes. */
  moved: Count
  /** All of them. */
  reasons: Record<Reason, Count>
  /** From where to where, ascending by ids. */
  moves: Array<{ from: string; to: string } & Count>
  /** Every node of either side, ascending by id. */
  nodes: CountedNode[]
  /** The copies that have to be made, for r above 1. */
  copies: { moved: Count; nodes: CountedNode[] } | null
}

/** An arc `(start, end]` of a ring whose owner changes, through 0 where `start` is not below `end`; decimal text. */
export interface MovedArc {
  start: string
  end: string
  length: string
  from: string
  to: string
  /** The share of the arc's keys that move: 1, unless a side is a transition. */
  share: number
}

/** A slot whose owner changes. */
export interface MovedSlot {
  slot: number
  from: string
  to: string
}

/**
 * A cluster: an algorithm, a hash and nodes. Immutable; a change gives a new cluster, and readers keep theirs.
 *
 * The order in which nodes are given never matters: they are listed by id, compared by UTF-8 bytes, and a node's *index* is its position
 * in that list, the same in every language.
 *
 * Iterating gives the ids. `JSON.stringify(cluster)` is the text of its cluster file, without a secret. `structuredClone` and
 * `postMessage` carry no methods: hand a worker `cluster.toJson()`, and the secret if there is one, and read it there with
 * {@link Cluster.fromJson}.
 *
 * @example
 * ```js
 * const cluster = new Cluster(['cache-a', 'cache-b', 'cache-c'])
 * cluster.owner('user:42')                        // 'cache-c'
 * cluster.replicas('user:42', 2)                  // [ 'cache-c', 'cache-b' ]
 * const grown = cluster.withNode({ id: 'cache-d', weight: 2 })
 * ```
 */
export declare class Cluster implements Iterable<string> {
  /**
   * @param nodes - Ids, or nodes with more than an id; 1 … 2^20, at least one of weight above 0.
   *
   * Errors: `no_nodes`, `too_many_nodes`, `duplicate_node`, `invalid_id`, `invalid_weight`, `invalid_location`, `uneven_locations`,
   * `invalid_tokens`, `token_collision`, `too_many_tokens`, `digest_collision`, `invalid_text`, `invalid_parameter`, `missing_secret`,
   * `unexpected_secret`.
   */
  constructor(nodes: Iterable<string | NodeSpec>, options?: ClusterOptions | null)

  /**
   * Reads a cluster file, the same that the other languages read. Synchronous; in a running service read it with `fs.promises` and use
   * {@link Cluster.fromJson}.
   *
   * Errors: those of Node's `fs` (`ENOENT` …), and those of {@link Cluster.fromJson}.
   */
  static load(path: string | URL | Uint8Array, options?: SecretOptions | null): Cluster

  /**
   * Reads the text of a cluster file, or its bytes.
   *
   * Errors: `invalid_file` with `line` and `column` (without them for detached bytes), `unsupported_version`, `invalid_text`, and those
   * of the constructor.
   */
  static fromJson(text: string | Uint8Array, options?: SecretOptions | null): Cluster

  /** The SHA-256 of the canonical description, its first 16 bytes in hex. Equal fingerprints mean equal answers to every call. */
  readonly fingerprint: string
  /** The number of nodes, drained ones included. */
  get size(): number
  /** The ids by index, frozen. */
  get ids(): readonly string[]
  /** The nodes by index, frozen; drained ones included. */
  get nodes(): readonly ClusterNode[]
  get algorithm(): Algorithm
  get hash(): HashName
  /** Null with a secret. */
  get seed(): bigint | null
  get epoch(): number | null
  get levels(): readonly string[] | null
  /** Null where there are none or tokens are explicit. */
  get tokensPerWeight(): number | null
  /** Null for 2^64, and where there is no ring. */
  get space(): bigint | null
  get slots(): number | null
  get headroom(): number | null
  /** The comment that the cluster file carries. */
  get comment(): string | null
  get hasSecret(): boolean

  /**
   * The id of the node that owns the key: the first of its ranking.
   *
   * Errors: `invalid_key`, `invalid_text`; `no_nodes` if all are excluded.
   */
  owner(key: Key, options?: ExcludeOptions | null): string

  /**
   * Up to `limit` ids of nodes of weight above 0, best first; all without a limit. Never an error for being short.
   *
   * Errors: as {@link Cluster.owner}; `invalid_parameter` for a limit below 0 or with a fraction.
   */
  ranking(key: Key, limit?: number | null, options?: ExcludeOptions | null): string[]
  ranking(key: Key, options: ExcludeOptions): string[]

  /**
   * Exactly `r` ids, the first r of the ranking, in distinct failure domains with `spread`. The list for r is a prefix of that for r + 1.
   *
   * Errors, in this order: `r` of 0 is the empty list, whatever the key and the values of the options; `invalid_parameter` for a bad spread, or none in `hierarchy-1` at r above 1;
   * `uneven_locations`; `invalid_key`, `invalid_text`; `no_nodes`; `not_enough_nodes`; `not_enough_domains`, the last two with both numbers.
   */
  replicas(key: Key, r: number, options?: ReplicaOptions | null): string[]

  /**
   * Why the key goes where it goes: digest, scores and costs, and which nodes hold the `r` copies or were skipped, and for what.
   *
   * Errors: as {@link Cluster.replicas}, but with `r` of 0 the key and `exclude` are judged all the same, and only `spread` is not.
   */
  explain(key: Key, r?: number, options?: ReplicaOptions | null): Explanation
  explain(key: Key, options: ReplicaOptions): Explanation

  /**
   * The owner's id of each key. One call for many keys is several times as fast as many calls.
   *
   * Errors: as {@link Cluster.owner}, naming the key's number; `invalid_parameter` for a list of more than 2^26 keys in one call, here and
   * in the other calls for many keys: ask for more in several, or for a typed array or packed keys, of which there may be any number; for
   * offsets that fall or pass the end; `invalid_key` for detached memory. A bare string or `Uint8Array` is a `TypeError`: it is one key.
   */
  ownerMany(keys: Keys): string[]

  /** The owner's index of each key, a position in `ids`. Errors: as {@link Cluster.ownerMany}. */
  ownerIndices(keys: Keys): Uint32Array

  /** The owner's index of each of n keys that stand one behind the other: `ownerIndices({ bytes, offsets })`. */
  ownersPacked(bytes: Uint8Array, offsets: Uint32Array | Int32Array): Uint32Array

  /** The indices of the first `r` of each key's ranking, r for each key, one behind the other. Errors: as {@link Cluster.replicas}. */
  replicaIndices(keys: Keys, r: number): Uint32Array

  /** The slot of each key. Errors: as {@link Cluster.ownerMany}; `unsupported` for other algorithms than `slots-1`. */
  slotIndices(keys: Keys): Uint32Array

  /**
   * The keys by their owner's id, packed ones as the parts of `bytes` that they are. Every id is there in index order, drained ones with
   * an empty list. Errors: as {@link Cluster.ownerMany}.
   */
  groupByOwner(keys: PackedKeys): Map<string, Uint8Array[]>
  groupByOwner<K extends Key>(keys: Iterable<K>): Map<string, K[]>

  /** The node of an id. Errors: `unknown_node`. */
  node(id: string): ClusterNode

  /** Whether a node of this id is in the cluster, drained or not. */
  has(id: string): boolean

  [Symbol.iterator](): IterableIterator<string>

  /**
   * Each node's exact share of the key space as [numerator, denominator], reduced: weight over total weight, a ring's arcs over its
   * space, a table's slots over all slots. In index order; a drained node's is [0n, 1n].
   */
  shares(): Map<string, [bigint, bigint]>

  /** The slot of a key. Errors: `unsupported` for other algorithms than `slots-1`; as {@link Cluster.owner}. */
  slot(key: Key): number

  /** The id of each slot's owner: the whole table. Errors: `unsupported` for other algorithms than `slots-1`. */
  slotOwners(): string[]

  /** The slots that a node owns, ascending. Errors: `unsupported` for other algorithms than `slots-1`; `unknown_node`. */
  slotsOf(id: string): number[]

  /** Up to `limit` ids of a slot's ranking, led by its owner. Errors: `unsupported` for other algorithms than `slots-1`; `invalid_parameter`. */
  slotRanking(slot: number, limit?: number | null): string[]

  /**
   * The owner without hashing: of a ring's coordinate, or of a u64 in place of the key's digest for slots.
   *
   * Errors: `unsupported` for other algorithms; `invalid_parameter` for a coordinate outside the ring's space.
   */
  ownerAt(at: bigint | number): string

  /** The arcs of a ring, ascending by their ends; their lengths add up to the space. Errors: `unsupported` for other algorithms. */
  arcs(): Arc[]

  /** With one node more. A changed cluster carries no epoch. Errors: `duplicate_node`, and those of the constructor. */
  withNode(node: string | NodeSpec): Cluster

  /** Without the node of this id. Errors: `unknown_node`; `no_nodes`. */
  withoutNode(id: string): Cluster

  /** With another weight of the node of this id; 0 drains it. Errors: `unknown_node`; `invalid_weight`; `no_nodes`. */
  withWeight(id: string, weight: number): Cluster

  /** After several changes at once. Errors: `unknown_node`, `duplicate_node`, and those of the constructor. */
  change(changes: Changes): Cluster

  /** The same description published under a number, or under none. Errors: `invalid_parameter`. */
  withEpoch(epoch: number | null): Cluster

  /**
   * Whether two services agree: `same` if the fingerprints are equal; else, when both carry an epoch, `newer` if this one's is larger,
   * `older` if smaller, `conflict` if equal; else `different`.
   *
   * Errors: `unsupported` for a transition whose `before` is a function.
   */
  compare(other: Cluster | Transition): Comparison

  /**
   * What moves from this cluster to another cluster or a transition, from where to where and why: counted of the keys that are given, and
   * expected of all keys; with `r` above 1 also of the copies.
   *
   * Errors: `invalid_parameter` for r of 0, a size out of range, and not one size for each key; what {@link Cluster.replicas} says of
   * either side; as {@link Cluster.ownerMany}; `unsupported` for a transition whose `before` is a function.
   */
  diff(after: Cluster | Transition, options?: DiffOptions | null): DiffSummary

  /** What becomes of each key, and why: an iterator that takes the keys one by one. Errors: as {@link Cluster.diff}. */
  diffKeys<K extends Key>(after: Cluster | Transition, keys: Iterable<K>, options?: DiffQuestion | null): Generator<Move<K>, void, undefined>

  /** The canonical bytes of which `fingerprint` is the digest. */
  description(): Uint8Array

  /** The text of the cluster file, without the secret. What is read back has the same fingerprint, epoch and carried members. */
  toJson(): string

  /** For `JSON.stringify`: the object of the cluster file. */
  toJSON(): object
}

/**
 * A change of membership that is put into force key by key: two clusters, and how far the change has gone. Immutable.
 *
 * A key that has *passed* is answered by `after`, any other by `before`. As part / of grows every key passes once at most, and the
 * steps add up to exactly the difference of the two clusters. Where both are `slots-1` with equal hash, seed or secret and number of
 * slots, whole slots pass. Excluded nodes are left out of the cluster that answers; there is no falling back to the other.
 *
 * `before` may be any function from a key to an id, for coming from another placement with a warm cache. Such a transition answers
 * `owner` (without `exclude`), `candidates` and `passes`; whatever else needs a second cluster is `unsupported`. Errors that the
 * function throws pass through.
 *
 * `JSON.stringify(transition)` is the text of its file, without secrets.
 *
 * @typeParam B - What `before` is.
 *
 * @example
 * ```js
 * const before = new Cluster(['cache-a', 'cache-b'])
 * const step = new Transition(before, before.withNode('cache-c'), 1, 4)
 * step.owner('user:42')                           // of the keys that will move to cache-c, a quarter has
 * step.candidates('user:42')                      // where else it can be while other services are at another step
 * ```
 */
export declare class Transition<B extends Cluster | PlacementFunction = Cluster | PlacementFunction> {
  /**
   * @param part - 0 … `of`: how many parts of the keys have passed.
   * @param of - 1 … 2^32 − 1.
   *
   * Errors: `invalid_parameter`.
   */
  constructor(before: B, after: Cluster, part: number, of: number, options?: TransitionOptions | null)

  /**
   * Reads a transition file, the same that the other languages read. Synchronous, as {@link Cluster.load}.
   *
   * Errors: those of Node's `fs` (`ENOENT` …), and those of {@link Transition.fromJson}.
   */
  static load(path: string | URL | Uint8Array, options?: TransitionSecretOptions | null): Transition<Cluster>

  /**
   * Reads the text of a transition file, or its bytes.
   *
   * Errors: as {@link Cluster.fromJson}; `invalid_file` for a cluster file; `unexpected_secret` if neither cluster uses one.
   */
  static fromJson(text: string | Uint8Array, options?: TransitionSecretOptions | null): Transition<Cluster>

  /** The cluster that is left, or the function in its place. */
  readonly before: B
  /** The cluster that is entered. */
  readonly after: Cluster
  readonly part: number
  readonly of: number
  /**
   * Of both clusters' fingerprints, part and of. The fraction is not reduced: 1/2 and 2/4 answer alike under different fingerprints.
   *
   * Errors: `unsupported` where `before` is a function.
   */
  readonly fingerprint: string
  get epoch(): number | null
  /** The comment that the transition file carries. */
  get comment(): string | null

  /** Whether the key has passed, and so is answered by `after`. Errors: `invalid_key`, `invalid_text`. */
  passes(key: Key): boolean

  /**
   * The id of the node that owns the key.
   *
   * Errors: as {@link Cluster.owner}; `unsupported` for `exclude` where `before` is a function, and a `TypeError` if that gives no string.
   */
  owner(key: Key, options?: ExcludeOptions | null): string

  /**
   * Where the key can be while clients are at different steps: its owner, then its owner on the other side, or one id where both agree.
   * A cache fills the first from the second, and sends deletes to both. Errors: as {@link Transition.owner}.
   */
  candidates(key: Key): string[]

  /** As {@link Cluster.ranking}, of the cluster that answers. Errors: `unsupported` where `before` is a function. */
  ranking(key: Key, limit?: number | null, options?: ExcludeOptions | null): string[]
  ranking(key: Key, options: ExcludeOptions): string[]

  /**
   * As {@link Cluster.replicas}, of the cluster that answers. Errors: the same, those of the key first, since by it a cluster is picked,
   * except that `r` of 0 is the empty list whatever the key; `unsupported` where `before` is a function.
   */
  replicas(key: Key, r: number, options?: ReplicaOptions | null): string[]

  /** As {@link Cluster.explain}, of the cluster that answers, with the `transition` beside it. Errors: as {@link Transition.replicas}. */
  explain(key: Key, r?: number, options?: ReplicaOptions | null): Explanation
  explain(key: Key, options: ReplicaOptions): Explanation

  /** The same transition further on, or back; it carries no epoch. Errors: `invalid_parameter`. */
  at(part: number, of: number): Transition<B>

  /** The same step published under a number, or under none. Errors: `invalid_parameter`. */
  withEpoch(epoch: number | null): Transition<B>

  /** Whether two services agree, as {@link Cluster.compare}. Errors: `unsupported` where either's `before` is a function. */
  compare(other: Cluster | Transition): Comparison

  /** What moves from this step to another, or to a cluster, as {@link Cluster.diff}. */
  diff(after: Cluster | Transition, options?: DiffOptions | null): DiffSummary

  /** What becomes of each key, and why, as {@link Cluster.diffKeys}. */
  diffKeys<K extends Key>(after: Cluster | Transition, keys: Iterable<K>, options?: DiffQuestion | null): Generator<Move<K>, void, undefined>

  /**
   * The text of the transition file, without secrets. What is read back has the same fingerprint, epoch and carried members.
   *
   * Errors: `unsupported` where `before` is a function.
   */
  toJson(): string

  /** For `JSON.stringify`: the object of the transition file. */
  toJSON(): object
}

/**
 * The last good cluster or transition of a file that is replaced while a service runs.
 *
 * Nothing happens by itself, there is no watcher and no timer: a service calls {@link LiveCluster.refresh} when it likes. Questions that
 * belong together and stand apart in time are put to one `current`.
 *
 * @example
 * ```js
 * const live = new LiveCluster('/etc/service/cluster.json')
 * process.on('SIGHUP', () => {
 *   try { console.log(live.refresh()) } catch (error) { console.error(error) } // The last good one is kept.
 * })
 * live.owner('user:42')
 * ```
 */
export declare class LiveCluster {
  /**
   * Reads the file, which holds a cluster or a transition. The secrets are copied, for this file and all that follow it under its name.
   *
   * Errors: as {@link Cluster.load} and {@link Transition.load}.
   */
  constructor(path: string | URL | Uint8Array, options?: TransitionSecretOptions | null)

  /** The path of the file, as it was given. */
  get path(): string | URL | Uint8Array

  /** The cluster or transition in use. It never changes; after a refresh there may be another one here. */
  get current(): Cluster | Transition<Cluster>

  /**
   * Reads the file again, synchronously, and takes over what it holds. The content is compared, not the time, and through links.
   *
   * `newer`: another fingerprint, under a larger epoch, or where there was none. `same`: the same fingerprint, hence the same answers;
   * what is only carried, such as addresses, and the epoch may be new. All else throws, and **the last good one is kept**.
   *
   * Errors: as the constructor; `stale_epoch` for a smaller epoch or one that has disappeared; `epoch_conflict` for another fingerprint
   * under the same epoch.
   */
  refresh(): 'same' | 'newer'

  /** As {@link Cluster.owner}, of `current`. */
  owner(key: Key, options?: ExcludeOptions | null): string

  /** Where the key can be: its owner, and during a transition the other side's where it differs. Errors: as {@link LiveCluster.owner}. */
  candidates(key: Key): string[]

  /** As {@link Cluster.ranking}, of `current`. */
  ranking(key: Key, limit?: number | null, options?: ExcludeOptions | null): string[]
  ranking(key: Key, options: ExcludeOptions): string[]

  /** As {@link Cluster.replicas}, of `current`. */
  replicas(key: Key, r: number, options?: ReplicaOptions | null): string[]

  /** As {@link Cluster.explain}, of `current`. */
  explain(key: Key, r?: number, options?: ReplicaOptions | null): Explanation
  explain(key: Key, options: ReplicaOptions): Explanation
}

/**
 * A change in the smallest number of steps that keep a limit. Either side may be a transition between the same two clusters, to go on
 * from there, to end there, or to go back.
 *
 * For each step copy what moves or let reads fill it, publish, wait until every service shows its fingerprint, and until no reader needs
 * the old place; then the next, and after all of them `last`. To go back, publish an earlier fraction under a *higher* epoch.
 *
 * Errors: `invalid_parameter` for a limit that is not understood, that needs keys or sizes where none are given, or that takes more than
 * 10,000 steps; `unsupported` for a transition that does not belong to the other side; as {@link Cluster.diff}.
 */
export declare function plan(before: Cluster | Transition, after: Cluster | Transition, options: PlanOptions): Plan

/** The canonical encoding of a key: no two keys share one, and none is a prefix of another. Errors: `invalid_key`, `invalid_text`. */
export declare function encodeKey(key: Key): Uint8Array

/**
 * The jump hash of Lamping and Veach: the bucket 0 … n − 1 of a 64-bit key. For buckets that are numbered and of which only the last
 * can leave.
 *
 * Errors: `invalid_parameter` for n outside 1 … 2^31 − 1 or a key outside 0 … 2^64 − 1.
 */
export declare function jump(key: bigint | number, n: number): number

/** The jump hash of a key's digest. Errors: as {@link jump}; `invalid_key`, `invalid_text`; those of the hash. */
export declare function jumpBucket(key: Key, n: number, options?: HashOptions | null): number

/** A key's digest modulo n, the baseline: n + 1 moves nearly every key. Errors: as {@link jumpBucket}. */
export declare function modulo(key: Key, n: number, options?: HashOptions | null): number

/**
 * Ids ranked by given scores in the order of `rendezvous-1`, best first: by the cost of the score over the weight, then the larger
 * score, then the smaller id. Weight 0 is left out; the weight is 1 where none is given.
 *
 * Errors: `invalid_id`, `invalid_weight`, `duplicate_node`; `invalid_parameter` for a score outside 0 … 2^64 − 1.
 */
export declare function rankScores(candidates: Iterable<readonly [id: string, score: bigint | number, weight?: number]>): string[]

/** The version of this package. */
export declare const version: string
