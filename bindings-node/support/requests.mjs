// What a request of the vectors and of the cross-check is made of, as the package takes it: tests/README.md describes it.

import { keystead } from './package.mjs'

const { Cluster, Transition } = keystead

const LONE_SURROGATE = '\ud800'

// What is no key, by the word that stands for it.
const BAD_KEYS = { float: 1.5, nan: NaN, bool: true, null: null, object: {}, lone_surrogate: LONE_SURROGATE }

export function readText (text) {
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
export function readNumber (text) {
  return text === undefined ? undefined : Number(text)
}

export function readBig (text) {
  return text === undefined ? undefined : BigInt(text)
}

export function readSecret (hex) {
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}

export function readNode (node) {
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

export function readHash ({ hash, seed, secret }) {
  return given({ hash, seed: readBig(seed), secret: readSecret(secret) })
}

export function readExclude ({ exclude }) {
  return exclude === undefined ? undefined : { exclude: exclude.map(readText) }
}

export function readConstraints ({ exclude, spread, relaxed }) {
  const level = spread && ('level' in spread ? readNumber(spread.level) : readText(spread.name))
  return given({ exclude: exclude?.map(readText), spread: level, relaxed })
}

export function given (members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** The secrets of a file as options, of a group or of a query. */
export function readSecrets ({ secret, before_secret: before, after_secret: after }) {
  return given({ secret: readSecret(secret), beforeSecret: readSecret(before), afterSecret: readSecret(after) })
}

export function readTransition ({ before, after, part, of, epoch }) {
  const left = 'always' in before ? () => before.always : readCluster(before)
  return new Transition(left, readCluster(after), readNumber(part), readNumber(of), given({ epoch: readNumber(epoch) }))
}

export function readFile ({ text, hex }) {
  return text === undefined ? Buffer.from(hex, 'hex') : text
}

export function readOther (other) {
  return 'transition' in other ? readTransition(other.transition) : readCluster(other)
}
