// One request of the vectors and of the cross-check, answered by the package: tests/README.md describes both.

import { createHash } from 'node:crypto'

import { keystead } from './package.mjs'
import {
  given, readBig, readCluster, readConstraints, readExclude, readFile, readHash, readKey, readNode, readNumber, readOther, readSecrets, readText, readTransition
} from './requests.mjs'

const { Cluster, encodeKey, jump, jumpBucket, modulo, rankScores, Transition } = keystead

/** The answers to a group's queries, or the error with which its subject is refused. */
export function answerRequest (request) {
  let subject = null
  try {
    subject = readSubject(request)
  } catch (error) {
    return refusal(error, 'file' in request || 'transition_file' in request)
  }
  return { answers: answerQueries(subject, request.queries ?? []) }
}

function readSubject (request) {
  const { cluster, file, transition, transition_file: transitionFile } = request
  if (cluster !== undefined) return readCluster(cluster)
  if (transition !== undefined) return readTransition(transition)
  if (file !== undefined) return Cluster.fromJson(readFile(file), readSecrets(request))
  return transitionFile === undefined ? null : Transition.fromJson(readFile(transitionFile), readSecrets(request))
}

function answerQueries (subject, queries) {
  return queries.map(query => {
    try {
      return answer(subject, query)
    } catch (error) {
      return refusal(error, false)
    }
  })
}

function refusal (error, ofFile) {
  if (error instanceof TypeError && error.code === 'ERR_INVALID_ARG_TYPE') return { error: 'type_error' }
  if (typeof error.code !== 'string' || !/^[a-z_]+$/.test(error.code)) return { error: `crash: ${error.stack}` }
  const place = number => (number === undefined ? null : String(number))
  return ofFile ? { error: error.code, line: place(error.line), column: place(error.column) } : { error: error.code }
}

function answer (subject, query) {
  const ask = (subject instanceof Transition ? TRANSITION_OPERATIONS : OPERATIONS)[query.op]
  if (ask === undefined) throw new Error(`unknown op ${query.op}`)
  return ask(query, subject)
}

const OPERATIONS = {
  owner: (query, cluster) => cluster.owner(readKey(query.key), readExclude(query)),
  ranking: (query, cluster) => cluster.ranking(readKey(query.key), readNumber(query.limit), readExclude(query)),
  replicas: (query, cluster) => cluster.replicas(readKey(query.key), readNumber(query.r), readConstraints(query)),
  explain: (query, cluster) => cluster.explain(readKey(query.key), readNumber(query.r), readConstraints(query)),
  owner_many: (query, cluster) => cluster.ownerMany(query.keys.map(readKey)),
  owner_indices: (query, cluster) => texts(cluster.ownerIndices(query.keys.map(readKey))),
  replica_indices: (query, cluster) => {
    const r = readNumber(query.r)
    const indices = texts(cluster.replicaIndices(query.keys.map(readKey), r))
    return query.keys.map((_, row) => indices.slice(row * r, (row + 1) * r))
  },
  ids: (_, cluster) => [...cluster],
  nodes: (_, cluster) => cluster.nodes.map(showNode),
  node: (query, cluster) => showNode(cluster.node(readText(query.id))),
  properties: (_, cluster) => ({
    algorithm: cluster.algorithm,
    hash: cluster.hash,
    seed: showNumber(cluster.seed),
    epoch: showNumber(cluster.epoch),
    levels: cluster.levels,
    tokens_per_weight: showNumber(cluster.tokensPerWeight),
    space: showNumber(cluster.space),
    slots: showNumber(cluster.slots),
    headroom: showNumber(cluster.headroom)
  }),
  fingerprint: (_, cluster) => cluster.fingerprint,
  description: (_, cluster) => hex(cluster.description()),
  shares: (_, cluster) => Array.from(cluster.shares().values(), texts),
  compare: (query, cluster) => cluster.compare(readOther(query.other)),
  slot: (query, cluster) => String(cluster.slot(readKey(query.key))),
  slot_indices: (query, cluster) => texts(cluster.slotIndices(query.keys.map(readKey))),
  slot_owners: (_, cluster) => {
    const owners = cluster.slotOwners()
    const index = new Map(cluster.ids.map((id, index) => [id, index]))
    const bytes = Buffer.alloc(owners.length * 4)
    owners.forEach((owner, slot) => bytes.writeUInt32LE(index.get(owner), slot * 4))
    return { slots: String(owners.length), sha256: createHash('sha256').update(bytes).digest('hex') }
  },
  slots_of: (query, cluster) => texts(cluster.slotsOf(readText(query.id))),
  slot_ranking: (query, cluster) => cluster.slotRanking(readNumber(query.slot), readNumber(query.limit)),
  owner_at: (query, cluster) => cluster.ownerAt(BigInt(query.at)),
  arcs: (_, cluster) => cluster.arcs().map(({ start, end, length, owner }) => [...texts([start, end, length]), owner]),
  change: (query, cluster) => {
    const ids = list => list?.map(readText)
    const weight = query.weight && new Map(query.weight.map(([id, weight]) => [readText(id), readNumber(weight)]))
    const changed = cluster.change({ add: query.add?.map(readNode), remove: ids(query.remove), weight, drain: ids(query.drain) })
    return answerQueries(changed, query.queries)
  },
  with_node: (query, cluster) => answerQueries(cluster.withNode(readNode(query.node)), query.queries),
  without_node: (query, cluster) => answerQueries(cluster.withoutNode(readText(query.id)), query.queries),
  with_weight: (query, cluster) =>
    answerQueries(cluster.withWeight(readText(query.id), readNumber(query.weight)), query.queries),
  with_epoch: (query, cluster) => {
    const epoch = query.epoch === null ? null : readNumber(query.epoch)
    return answerQueries(cluster.withEpoch(epoch), query.queries)
  },
  rewrite: (query, cluster) =>
    answerQueries(Cluster.fromJson(cluster.toJson(), readSecrets(query)), query.queries),
  encode_key: query => hex(encodeKey(readKey(query.key))),
  rank_scores: query =>
    rankScores(query.candidates.map(([id, score, weight]) => [readText(id), BigInt(score), readNumber(weight)])),
  jump: query => String(jump(BigInt(query.key), readNumber(query.n))),
  jump_bucket: query => String(jumpBucket(readKey(query.key), readNumber(query.n), readHash(query))),
  modulo: query => String(modulo(readKey(query.key), readNumber(query.n), readHash(query)))
}

const { owner, ranking, replicas, explain, fingerprint, compare, with_epoch: withEpoch } = OPERATIONS

const TRANSITION_OPERATIONS = {
  owner,
  ranking,
  replicas,
  explain,
  fingerprint,
  compare,
  with_epoch: withEpoch,
  candidates: (query, step) => step.candidates(readKey(query.key)),
  passes: (query, step) => step.passes(readKey(query.key)),
  step: (_, { part, of, epoch, comment }) => ({ part: String(part), of: String(of), epoch: showNumber(epoch), comment }),
  // A function cannot be asked as a cluster is.
  before: (query, { before }) => (typeof before === 'function' ? { error: 'unsupported' } : answerQueries(before, query.queries)),
  after: (query, { after }) => answerQueries(after, query.queries),
  at: (query, step) => answerQueries(step.at(readNumber(query.part), readNumber(query.of)), query.queries),
  rewrite: (query, step) => answerQueries(Transition.fromJson(step.toJson(), readSecrets(query)), query.queries)
}

function showNode ({ id, weight, location, tokens, address, meta, comment }) {
  return given({
    id,
    weight: String(weight),
    location: location.length > 0 ? location : undefined,
    tokens: tokens && texts(tokens),
    address,
    meta: meta && Object.entries(meta).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    comment
  })
}

function showNumber (number) {
  return number === null ? null : String(number)
}

function texts (numbers) {
  return Array.from(numbers, String)
}

function hex (bytes) {
  return Buffer.from(bytes).toString('hex')
}
