// Arguments that nobody would pass on purpose, drawn from a seed.

/** What a hostile object throws: it must come out as it went in. */
export class Hostility extends Error {}

/** A generator of numbers from a seed (mulberry32): small, and the same on every platform. */
export function dice (seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = limit => Math.floor(next() * limit)
  const pick = list => list[below(list.length)]
  return { below, pick, chance: share => next() < share, list: (most, make) => Array.from({ length: below(most + 1) }, make) }
}

const NUMBERS = [0, -0, 1, 2, 3, 5, 7, 8, 100, -1, -5, 0.5, 1.5, NaN, Infinity, -Infinity, 255, 256, 65536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e308, 5e-324]
const BIGINTS = [0n, 1n, -1n, 42n, 2n ** 31n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n, -(2n ** 500n), 2n ** 20000n]
const TEXTS = ['', 'a', 'b', 'n1', 'user:42', 'é', '日本語', '\u{1F600}', '\ud800', 'a\udc00', '\udc00\ud800', '\0', '\n', '\x7f', 'zone', 'xxh3', 'xxh64', 'sip13', 'rendezvous-1', 'ring-1', 'slots-1', 'hierarchy-1', '__proto__', 'constructor', 'x'.repeat(255), 'x'.repeat(256), 'é'.repeat(300), 'y'.repeat(70000)]
const NAMES = ['id', 'weight', 'location', 'tokens', 'address', 'meta', 'comment', 'exclude', 'spread', 'relaxed', 'secret', 'seed', 'hash', 'algorithm', 'epoch', 'levels', 'tokensPerWeight', 'space', 'slots', 'headroom', 'add', 'remove', 'drain', 'beforeSecret', 'afterSecret', 'length', 'toString', 'constructor', '__proto__', 'then']

/** Makes hostile values. `meddle` is called now and then while one is read. */
export function hostility (roll, meddle) {
  const { below, pick, chance, list } = roll

  function any (depth = 0) {
    return pick(depth < 3 ? [simple, simple, bytes, array, object, iterable, proxy, meddling] : [simple, bytes])(depth + 1)
  }

  function simple () {
    return pick([
      () => undefined, () => null, () => chance(0.5), () => pick(NUMBERS), () => pick(BIGINTS), () => pick(TEXTS), () => Symbol(pick(TEXTS)), () => () => pick(TEXTS),
      // eslint-disable-next-line no-new-wrappers
      () => new Date(pick(NUMBERS)), () => /a/g, () => new String(pick(TEXTS)), () => Object(1n), () => new Map(), () => new WeakMap(), () => Promise.resolve(1),
      () => new Array(2 ** 32 - 1), () => ({ length: 2 ** 53 - 1 }), () => globalThis, () => new Error('x'), () => class {}
    ])()
  }

  function bytes () {
    const length = pick([0, 1, 3, 8, 16, 300])
    return pick([
      () => Buffer.alloc(length, below(256)), () => new Uint8Array(length), () => new Uint8Array(new SharedArrayBuffer(length)), () => new Uint8Array(length + 2).subarray(1, length),
      () => new Uint32Array(length), () => Uint32Array.of(0, 1, 1, length), () => Uint32Array.of(5, 2), () => new Uint32Array(new SharedArrayBuffer(8)), () => new Float64Array(length),
      () => new BigUint64Array(length), () => new ArrayBuffer(length), () => new DataView(new ArrayBuffer(length)), () => detached(new Uint8Array(length)), () => detached(new Uint32Array(length)),
      () => { const buffer = new ArrayBuffer(length, { maxByteLength: 512 }); const view = new Uint8Array(buffer); buffer.resize(below(512)); return view }
    ])()
  }

  function array (depth) {
    const items = list(4, () => any(depth))
    if (chance(0.1)) items[below(4)] = items
    if (chance(0.1)) items[below(2 ** 20)] = any(depth)
    if (chance(0.5)) Object.defineProperty(items, below(4), { get: () => acting(items, depth), configurable: true })
    if (chance(0.05)) items[Symbol.iterator] = simple()
    return items
  }

  function object (depth) {
    const made = chance(0.2) ? Object.create(null) : {}
    for (const name of list(4, () => pick(NAMES))) {
      if (chance(0.4)) Object.defineProperty(made, name, { get: () => acting(made, depth), enumerable: true, configurable: true })
      else made[name] = any(depth)
    }
    if (chance(0.1)) made[Symbol.toPrimitive] = () => acting(made, depth)
    return made
  }

  function iterable (depth) {
    return {
      [Symbol.iterator]: () => {
        let left = chance(0.05) ? 5000 : below(5)
        if (chance(0.1)) return any(depth)
        return { next: () => (chance(0.3) ? acting({}, depth) : { done: left-- <= 0, value: any(depth) }), return: () => (chance(0.5) ? {} : acting({}, depth)) }
      }
    }
  }

  function proxy (depth) {
    if (chance(0.2)) {
      const { proxy, revoke } = Proxy.revocable(chance(0.5) ? [] : {}, {})
      revoke()
      return proxy
    }
    const target = pick([array, object, () => function () {}])(depth)
    const traps = {}
    for (const trap of list(3, () => pick(['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'apply']))) traps[trap] = () => acting(target, depth)
    return new Proxy(target, traps)
  }

  function meddling (depth) {
    const held = chance(0.5) ? array(depth) : bytes()
    return [held, { get id () { return acting(held, depth) } }, held]
  }

  /** What a getter does: throw, change what is being read, call back, or give something. */
  function acting (held, depth) {
    switch (below(6)) {
      case 0: throw new Hostility('thrown on purpose')
      case 1: if (Array.isArray(held) && !Object.isFrozen(held)) held.length = 0; break
      case 2: if (ArrayBuffer.isView(held)) detached(held); break
      case 3: if (Array.isArray(held)) held.push(simple()); break
      case 4: meddle(); break
    }
    return depth > 3 ? simple() : any(depth)
  }

  return { any, simple, bytes, array, object }
}

function detached (view) {
  try {
    structuredClone(view.buffer, { transfer: [view.buffer] })
  } catch {
    // Shared memory cannot be transferred, and what is gone not again.
  }
  return view
}
