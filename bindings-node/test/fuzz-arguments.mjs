// Calls with hostile arguments, from this thread and from others: whatever they are, a call answers or throws, and the process goes on.
//
//   node test/fuzz-arguments.mjs [calls] [seed]
//
// The seed is a number or `random`; where none is given, KEYSTEAD_SEED's or 1.

import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

import { dice, hostility, Hostility } from '../support/hostile.mjs'
import { keystead } from '../support/package.mjs'
import { seed } from '../support/seed.mjs'

const { Cluster, encodeKey, jump, jumpBucket, LiveCluster, modulo, plan, rankScores, Transition } = keystead

const CODES = new Set(['no_nodes', 'too_many_nodes', 'duplicate_node', 'unknown_node', 'invalid_id', 'invalid_weight', 'invalid_location', 'uneven_locations', 'invalid_tokens', 'token_collision', 'too_many_tokens', 'digest_collision', 'invalid_text', 'invalid_key', 'invalid_parameter', 'missing_secret', 'unexpected_secret', 'not_enough_nodes', 'not_enough_domains', 'unsupported', 'invalid_file', 'unsupported_version', 'ERR_INVALID_ARG_TYPE'])
const WORKERS = 3

/** Makes `calls` calls and gives how they ended. Throws at the first that ended as none should. */
function fuzz (calls, seed) {
  const roll = dice(seed)
  const { below, pick, chance, list } = roll
  let depth = 0
  const { any, bytes, object } = hostility(roll, () => {
    // A getter that calls back, but not for ever.
    if (depth < 3) attempt()
  })
  const ends = { answered: 0, refused: 0, hostility: 0, language: 0 }

  const sometimes = (value, share = 0.6) => (chance(share) ? value : any())
  const id = () => `n${below(6)}`
  const key = () => sometimes(pick(['k', 'user:42', 7, 8n, Buffer.from('k'), ['a', 1, ['b']], 'é', '\u{1F600}']))
  const node = () => sometimes(pick([id, () => ({ id: id(), weight: pick([0, 1, 2, 4294967295]), location: ['r', pick(['x', 'y'])] }), () => ({ id: id(), tokens: [below(100)] }), () => Object.assign(object(0), { id: id() })])(), 0.9)
  const nodes = () => sometimes([id(), ...list(5, node)], 0.85)
  const number = () => sometimes(pick([0, 1, 2, 3, 5]))
  const exclude = () => sometimes(list(3, id))
  const constraints = () => sometimes(pick([undefined, null, {}, { exclude: exclude() }, { exclude: exclude(), spread: sometimes(0), relaxed: sometimes(true) }]))
  const hash = () => sometimes(pick([undefined, {}, { hash: 'xxh64', seed: sometimes(5n) }, { hash: 'sip13', secret: sometimes(Buffer.alloc(16)) }]))
  const parameters = () => sometimes(pick([
    () => undefined, () => ({}), hash, () => ({ algorithm: 'ring-1', tokensPerWeight: sometimes(4) }), () => ({ algorithm: 'ring-1', space: sometimes(1000) }),
    () => ({ algorithm: 'slots-1', slots: sometimes(16), headroom: sometimes(5) }), () => ({ algorithm: 'hierarchy-1', levels: sometimes(['r', 'z']) }), () => ({ epoch: sometimes(3), levels: sometimes(['r']) })
  ])(), 0.9)
  const packed = () => [sometimes(Buffer.from('abcdefgh')), sometimes(pick([Uint32Array, Int32Array]).of(0, below(9), below(12)))]
  const column = () => pick([
    () => BigUint64Array.of(0n, 2n ** 63n, 2n ** 64n - 1n), () => BigInt64Array.of(-1n, 5n), () => Float64Array.from(list(3, () => pick([-0, 7, 2 ** 53, 0.5, NaN]))), () => Int32Array.of(-1, 2), () => Uint8ClampedArray.of(1, 2),
    () => { const [bytes, offsets] = packed(); return { bytes, offsets } }, () => Object.assign(object(0), { bytes: bytes(), offsets: bytes() })
  ])()
  const keys = () => sometimes(pick([list(5, key), new Set(list(3, key)), ['a', 'b', 'c'], list(4, () => pick(['é', '\u{1F600}', '\ud83d', '\ude00', 'a'])), list(3, () => pick([1, -0, 0.5, 'a'])), [], column()]))

  const question = () => sometimes(pick([undefined, null, {}, { r: number(), exclude: exclude() }, { r: number(), spread: sometimes(0), relaxed: sometimes(true) }]))
  const differing = () => sometimes(pick([...clusters, ...transitions]), 0.9)
  const differences = [
    c => c.diff(differing(), question()), c => c.diff(differing(), { keys: keys(), sizes: sometimes(pick([undefined, [1, 2n], list(4, number)])) }),
    c => { for (const { key: _ } of c.diffKeys(differing(), keys(), question())) if (chance(0.3)) break }
  ]
  const questions = [
    c => c.owner(key()), c => c.owner(key(), constraints()), c => c.owner(key(), { exclude: exclude() }), c => c.ranking(key(), number(), constraints()), c => c.replicas(key(), number(), constraints()),
    c => c.explain(key(), number(), constraints()), c => c.ownerMany(keys()), c => c.ownerIndices(keys()), c => c.ownersPacked(...packed()), c => c.replicaIndices(keys(), number()), c => c.slotIndices(keys()),
    c => c.groupByOwner(keys()), c => c.node(sometimes(id())), c => c.has(sometimes(id())), c => c.slot(key()), c => c.slotOwners(), c => c.slotsOf(sometimes(id())), c => c.slotRanking(number(), number()),
    c => c.ownerAt(number()), c => c.arcs(), c => c.shares(), c => c.withNode(node()), c => c.withoutNode(sometimes(id())), c => c.withWeight(sometimes(id()), number()), c => c.withEpoch(number()),
    c => c.change(sometimes({ add: sometimes(list(2, node)), remove: sometimes([id()]), weight: sometimes({ [id()]: number() }), drain: sometimes([id()]) })), c => c.compare(sometimes(c)),
    ...differences, c => c.description(), c => c.toJson(), c => JSON.stringify(c), c => inspect(c), c => c.nodes, c => [...c], c => Cluster.prototype[pick(Object.getOwnPropertyNames(Cluster.prototype))]?.call?.(any(), any(), any())
  ]
  const secrets = () => sometimes(pick([undefined, {}, { secret: bytes() }, { beforeSecret: bytes(), afterSecret: sometimes(Buffer.alloc(16)) }]))
  const placement = () => pick([() => id(), () => any(), key => key, key => pick(transitions).owner(key)])
  const fraction = () => pick([[1, 2], [0, 1], [1, 1], [2 ** 32 - 1, 2 ** 32 - 1]]).map(value => sometimes(value, 0.9))
  const steps = [
    ...differences,
    t => t.owner(key()), t => t.owner(key(), sometimes({ exclude: exclude() })), t => t.candidates(key()), t => t.passes(key()), t => t.ranking(key(), number(), constraints()), t => t.replicas(key(), number(), constraints()),
    t => t.explain(key(), number(), constraints()), t => t.at(...fraction()), t => t.withEpoch(number()), t => t.compare(sometimes(pick([...clusters, ...transitions]))), t => pick(clusters).compare(t),
    t => Transition.fromJson(sometimes(t.toJson()), secrets()), t => JSON.stringify(t), t => inspect(t), t => t.fingerprint,
    () => Transition.prototype[pick(Object.getOwnPropertyNames(Transition.prototype))]?.call?.(any(), any(), any())
  ]
  const beginnings = [
    () => new Transition(sometimes(chance(0.6) ? pick(clusters) : placement()), sometimes(pick(clusters), 0.9), ...fraction(), sometimes(pick([undefined, {}, { epoch: sometimes(3) }]))), () => Transition.load(any(), secrets()),
    () => new Cluster(nodes(), parameters()), () => Cluster.fromJson(sometimes('{"keystead": 1, "nodes": ["a"]}'), sometimes({ secret: bytes() })), () => Cluster.load(any(), any()),
    () => encodeKey(key()), () => jump(number(), number()), () => jumpBucket(key(), number(), hash()), () => modulo(key(), number(), hash()), () => rankScores(sometimes(list(3, () => [id(), number(), number()]))),
    () => plan(differing(), differing(), sometimes({ limit: sometimes(pick(['5%', '2keys', '1kB/node'])), keys: sometimes(pick([undefined, keys()])), sizes: sometimes(pick([undefined, [1, 2n]])) })),
    () => new LiveCluster(any(), secrets()), () => LiveCluster.prototype[pick(Object.getOwnPropertyNames(LiveCluster.prototype))]?.call?.(any(), any(), any()),
    () => Reflect.apply(pick([Cluster, encodeKey, jump, plan, rankScores]), any(), list(4, () => any())), () => Reflect.construct(pick([Cluster, LiveCluster, Transition]), list(3, () => any()))
  ]

  let clusters = [new Cluster(['n0', 'n1', 'n2'])]
  let transitions = [new Transition(clusters[0], clusters[0].withNode('n3'), 1, 2)]
  function attempt () {
    depth++
    try {
      const answer = chance(0.25) ? pick(beginnings)() : chance(0.3) ? pick(steps)(pick(transitions)) : pick(questions)(pick(clusters))
      ends.answered++
      if (answer instanceof Cluster) clusters = [...clusters.slice(-20), answer]
      if (answer instanceof Transition) transitions = [...transitions.slice(-20), answer]
    } catch (error) {
      if (error instanceof Hostility) ends.hostility++
      else if (CODES.has(error?.code)) ends.refused++
      else if (isLanguages(error)) ends.language++
      else throw error
    } finally {
      depth--
    }
  }

  for (let call = 0; call < calls; call++) {
    try {
      attempt()
    } catch (error) {
      throw new Error(`call ${call} of seed ${seed} ended with ${inspect(error)}`)
    }
  }
  return ends
}

/** Errors that JavaScript itself throws at such arguments, a revoked proxy's say: TypeErrors and RangeErrors without a code, and a missing file's. */
function isLanguages (error) {
  if (typeof error !== 'object' || error === null) return false
  if (['ENOENT', 'EISDIR', 'ENAMETOOLONG', 'ENOTDIR', 'ERR_INVALID_ARG_VALUE', 'ERR_INVALID_URL_SCHEME', 'ERR_INVALID_FILE_URL_PATH'].includes(error.code)) return true
  return error.code === undefined && (error instanceof TypeError || error instanceof RangeError)
}

if (isMainThread) {
  const calls = Number(process.argv[2] ?? 100000)
  const first = seed(process.argv[3])
  console.log(`seed ${first}`)
  const workers = Array.from({ length: WORKERS }, (_, index) => new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { calls: Math.ceil(calls / WORKERS), seed: first + 1 + index } })
    worker.once('message', resolve).once('error', reject).once('exit', code => reject(new Error(`a worker has ended with ${code}`)))
  }))
  console.log(`main thread, ${calls} calls: ${inspect(fuzz(calls, first))}`)
  for (const ends of await Promise.all(workers)) console.log(`worker, ${Math.ceil(calls / WORKERS)} calls: ${inspect(ends)}`)
} else {
  const { parentPort } = await import('node:worker_threads')
  parentPort.postMessage(fuzz(workerData.calls, workerData.seed))
}
