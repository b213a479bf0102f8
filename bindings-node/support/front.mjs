// One request of the vectors and of the cross-check, answered by the package: tests/README.md describes both.

import { createHash } from 'node:crypto'

import { keystead } from './package.mjs'

const { Cluster, encodeKey, jump, jumpBucket, modulo, rankScores } = keystead

const LONE_SURROGATE = '\ud800'

// What is no key, by the word that stands for it.
const BAD_KEYS = { float: 1.5, nan: NaN, bool: true, null: null, object: {}, lone_surrogate: LONE_SURROGATE }

/** The answers to a group's queries, or the error with which its cluster is refused. */
export function answerRequest (request) {
  let subject = null
  try {
    subject = readSubject(request)
  } catch (error) {
    return refusal(error, 'file' in request)
  }
  return { answers: answerQueries(subject, request.queries ?? []) }
}

function readSubject ({ cluster, file, secret }) {
  if (cluster !== undefined) return { cluster: readCluster(cluster), secret: readSecret(cluster.secret) }
  if (file === undefined) return null
  const text = file.text === undefined ? Buffer.from(file.hex, 'hex') : file.text
  const bytes = readSecret(secret)
  return { cluster: Cluster.fromJson(text, { secret: bytes }), secret: bytes }
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
  const ask = OPERATIONS[query.op]
  if (ask === undefined) throw new Error(`unknown op ${query.op}`)
  return ask(query, subject?.cluster, subject?.secret)
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
  compare: (query, cluster) => cluster.compare(readCluster(query.other)),
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
  change: (query, cluster, secret) => {
    const ids = list => list?.map(readText)
    const weight = query.weight && new Map(query.weight.map(([id, weight]) => [readText(id), readNumber(weight)]))
    const changed = cluster.change({ add: query.add?.map(readNode), remove: ids(query.remove), weight, drain: ids(query.drain) })
    return answerQueries({ cluster: changed, secret }, query.queries)
  },
  with_node: (query, cluster, secret) => answerQueries({ cluster: cluster.withNode(readNode(query.node)), secret }, query.queries),
  without_node: (query, cluster, secret) => answerQueries({ cluster: cluster.withoutNode(readText(query.id)), secret }, query.queries),
  with_weight: (query, cluster, secret) =>
    answerQueries({ cluster: cluster.withWeight(readText(query.id), readNumber(query.weight)), secret }, query.queries),
  with_epoch: (query, cluster, secret) => {
    const epoch = query.epoch === null ? null : readNumber(query.epoch)
    return answerQueries({ cluster: cluster.withEpoch(epoch), secret }, query.queries)
  },
  rewrite: (query, cluster, secret) =>
    answerQueries({ cluster: Cluster.fromJson(cluster.toJson(), { secret }), secret }, query.queries),
  encode_key: query => hex(encodeKey(readKey(query.key))),
  rank_scores: query =>
    rankScores(query.candidates.map(([id, score, weight]) => [readText(id), BigInt(score), readNumber(weight)])),
  jump: query => String(jump(BigInt(query.key), readNumber(query.n))),
  jump_bucket: query => String(jumpBucket(readKey(query.key), readNumber(query.n), readHash(query))),
  modulo: query => String(modulo(readKey(query.key), readNumber(query.n), readHash(query)))
}

function readText (text) {
  if (typeof text === 'string') return text
  if (text.bad !== undefined) return LONE_SURROGATE
  return text.repeat.repeat(Number(text.times))
}

export function readKey (key) {
  if ('text' in key) return readText(key.text)
  if ('hex' in key) return Buffer.from(key.hex, 'hex')
  if ('seq' in key) return key.seq.map(readKey)
  if ('bad' in key) return BAD_KEYS[key.bad]
  const number = Number(key.int)
  return Number.isSafeInteger(number) ? number : BigInt(key.int)
}

/** What is not given is not passed on. */
function readNumber (text) {
  return text === undefined ? undefined : Number(text)
}

function readBig (text) {
  return text === undefined ? undefined : BigInt(text)
}

function readSecret (hex) {
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}

function readNode (node) {
  return given({
    id: readText(node.id),
    weight: readNumber(node.weight),
    location: node.location?.map(readText),
    tokens: node.tokens?.map(readBig),
    address: node.address,
    meta: node.meta && Object.fromEntries(node.meta),
    comment: node.comment
  })
}

export function readCluster (cluster) {
  const { prefix = '', count = '0' } = cluster.generated_nodes ?? {}
  const generated = Array.from({ length: Number(count) }, (_, index) => `${prefix}${index}`)
  return new Cluster(cluster.nodes.map(readNode).concat(generated), given({
    algorithm: cluster.algorithm,
    hash: cluster.hash,
    seed: readBig(cluster.seed),
    secret: readSecret(cluster.secret),
    epoch: readNumber(cluster.epoch),
    levels: cluster.levels?.map(readText),
    tokensPerWeight: readNumber(cluster.tokens_per_weight),
    space: readBig(cluster.space),
    slots: readNumber(cluster.slots),
    headroom: readNumber(cluster.headroom)
  }))
}

function readHash ({ hash, seed, secret }) {
  return given({ hash, seed: readBig(seed), secret: readSecret(secret) })
}

function readExclude ({ exclude }) {
  return exclude === undefined ? undefined : { exclude: exclude.map(readText) }
}

function readConstraints ({ exclude, spread, relaxed }) {
  const level = spread && ('level' in spread ? readNumber(spread.level) : readText(spread.name))
  return given({ exclude: exclude?.map(readText), spread: level, relaxed })
}

function given (members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
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
