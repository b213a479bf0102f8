//! Digests by domain, and the one generator that makes every derived number. The only file that mixes bits.

use core::fmt;

use siphasher::sip::SipHasher13;
use xxhash_rust::{xxh3::xxh3_64_with_seed, xxh64::xxh64};

use crate::error::{Error, error};
use crate::node::shown;

/// The increment of `SplitMix64`: 2^64 over the golden ratio, rounded to odd.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finaliser of `SplitMix64`, a bijection on 64 bits.
///
/// `x ^= x >> 30; x *= 0xBF58476D1CE4E5B9; x ^= x >> 27; x *= 0x94D049BB133111EB; x ^= x >> 31`, modulo 2^64.
///
/// Source: Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014 (constants by D. Stafford, mix 13).
#[inline]
pub const fn mix64(x: u64) -> u64 {
    finish_mix64(mix64_unfinished(x))
}

/// [`mix64`] without its last step, which leaves the bits of [`SETTLED`] as they are.
#[inline]
pub(crate) const fn mix64_unfinished(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)
}

/// The last step of [`mix64`].
#[inline]
pub(crate) const fn finish_mix64(x: u64) -> u64 {
    x ^ (x >> 31)
}

/// The bits that the last step of [`mix64`] leaves as they are: the upper 31.
#[cfg(feature = "alloc")]
pub(crate) const SETTLED: u64 = u64::MAX << 33;

/// The `i`-th output of `SplitMix64` seeded with `seed`: `mix64(seed + i × GOLDEN)`, modulo 2^64.
///
/// For one seed, different `i` give different outputs, since `mix64` is a bijection and [`GOLDEN`] is odd.
///
/// ```
/// assert_eq!(keystead::draw(0, 1), 0xE220_A839_7B1D_CDAF); // the first output of SplitMix64 seeded with 0
/// ```
#[inline]
pub const fn draw(seed: u64, i: u64) -> u64 {
    mix64(seed.wrapping_add(i.wrapping_mul(GOLDEN)))
}

/// The upper 64 bits of the 128-bit product, both factors unsigned: a digest scaled to 0 … `b` − 1.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) const fn mulhi(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// What a digest is taken of. Domains are separated by seed, so that the input is hashed as it is, without copying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Domain {
    /// A key's bytes.
    Key = 1,
    /// A node's id.
    Node = 2,
    /// A slot's number as u32, little-endian.
    Slot = 3,
    /// The encoding of a composite key.
    CompositeKey = 4,
    /// The encoding of a domain's path.
    Location = 5,
    /// Two fixed inputs in the description, which show that two clusters hash alike without telling a secret.
    Check = 6,
    /// The gate of a transition.
    Gate = 7,
}

/// A hash with its seed or secret: `xxh3` (default), `xxh64` or `sip13`.
///
/// The `xxh` hashes are for keys that you trust: collisions that hold for every seed are known. Where strangers choose keys,
/// use `sip13` with a secret of 16 bytes from a cryptographic random source.
///
/// # Stability
/// A digest never changes.
#[derive(Clone, Copy)]
pub struct Hash {
    function: Function,
}

#[derive(Clone, Copy)]
enum Function {
    // The seeds of the two key domains are drawn once: a lookup takes one of them on every call.
    Xxh3(Seeds),
    Xxh64(Seeds),
    // Likewise the keyed states: deriving one costs two hashes.
    Sip13 { secret: [u8; 16], key: SipHasher13, composite: SipHasher13 },
}

#[derive(Clone, Copy)]
struct Seeds {
    seed: u64,
    key: u64,
    composite: u64,
}

impl Seeds {
    const fn new(seed: u64) -> Seeds {
        Seeds { seed, key: draw(seed, Domain::Key as u64), composite: draw(seed, Domain::CompositeKey as u64) }
    }

    #[inline]
    const fn of(&self, domain: Domain) -> u64 {
        match domain {
            Domain::Key => self.key,
            Domain::CompositeKey => self.composite,
            other => draw(self.seed, other as u64),
        }
    }
}

fn sip13_in(secret: &[u8; 16], domain: Domain) -> SipHasher13 {
    let main = SipHasher13::new_with_key(secret);
    SipHasher13::new_with_keys(main.hash(&[domain as u8, 0]), main.hash(&[domain as u8, 1]))
}

/// XXH3-64 of 17 bytes, which an encoded integer has: where keys are numbers, it is a third of a lookup.
///
/// An integer has just been written as a byte and two words. The words of XXH3 lie across them, and a core waits for such a read until what
/// was written has reached its cache; so the bytes are read as they were written, and the words made of them.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the two halves of a 128-bit product are meant")]
fn xxh3_of_17(bytes: &[u8; 17], seed: u64) -> u64 {
    // The first 32 bytes of the default secret, little-endian.
    const SECRET: [u64; 4] =
        [0xBE4B_A423_396C_FEB8, 0x1CAD_21F7_2C81_017C, 0xDB97_9083_E96D_D4DE, 0x1F67_B3B7_A4A4_4072];
    const PRIME: u64 = 0x9E37_79B1_85EB_CA87;
    let [tag, words @ ..] = bytes;
    let word = |at: usize| words.as_chunks::<8>().0.get(at).map_or(0, |word| u64::from_le_bytes(*word));
    let (low, high) = (word(0), word(1));
    let mix = |a: u64, b: u64, secret: [u64; 2]| {
        let product = u128::from(a ^ secret[0].wrapping_add(seed)) * u128::from(b ^ secret[1].wrapping_sub(seed));
        (product >> 64) as u64 ^ product as u64
    };
    let first = mix(u64::from(*tag) | (low << 8), (low >> 56) | (high << 8), [SECRET[0], SECRET[1]]);
    let last = mix(low, high, [SECRET[2], SECRET[3]]);
    let mut sum = PRIME.wrapping_mul(17).wrapping_add(first).wrapping_add(last);
    sum = (sum ^ (sum >> 37)).wrapping_mul(0x1656_6791_9E37_79F9);
    sum ^ (sum >> 32)
}

/// By itself: it needs every register of a core, which the way to the other hashes would save and restore for nothing.
#[inline(never)]
fn sip13(keyed: &SipHasher13, bytes: &[u8]) -> u64 {
    keyed.hash(bytes)
}

impl Hash {
    /// XXH3-64 (xxHash 0.8, default secret) with seed `draw(seed, domain)`.
    pub const fn xxh3(seed: u64) -> Hash {
        Hash { function: Function::Xxh3(Seeds::new(seed)) }
    }

    /// XXH64 with seed `draw(seed, domain)`: for clients in languages without XXH3.
    pub const fn xxh64(seed: u64) -> Hash {
        Hash { function: Function::Xxh64(Seeds::new(seed)) }
    }

    /// SipHash-1-3 with a key of its own for each domain: SipHash-1-3 of the bytes `domain, 0` and `domain, 1` under the secret
    /// (its bytes 0–7 and 8–15, little-endian, as k0 and k1) are the domain's k0 and k1.
    pub fn sip13(secret: [u8; 16]) -> Hash {
        let (key, composite) = (sip13_in(&secret, Domain::Key), sip13_in(&secret, Domain::CompositeKey));
        Hash { function: Function::Sip13 { secret, key, composite } }
    }

    /// A hash from its parts as they stand in a file or in the arguments of a constructor; `xxh3` with seed 0 where none is given.
    ///
    /// # Errors
    /// `invalid_parameter` for an unknown name, a seed given with `sip13` (0 included) and a secret that has not 16 bytes;
    /// `missing_secret` for `sip13` without one; `unexpected_secret` for a secret with another hash.
    pub fn from_parts(name: Option<&str>, seed: Option<u64>, secret: Option<&[u8]>) -> Result<Hash, Error> {
        let keyed = match name.unwrap_or("xxh3") {
            "xxh3" => None,
            "xxh64" => Some(false),
            "sip13" => Some(true),
            other => {
                return Err(error!(InvalidParameter, "hash {} is unknown: one of xxh3, xxh64, sip13", shown(other)));
            }
        };
        if keyed == Some(true) {
            if let Some(seed) = seed {
                return Err(error!(InvalidParameter, "seed {seed} is given with hash sip13, which takes a secret"));
            }
            let Some(secret) = secret else {
                return Err(error!(MissingSecret, "hash sip13 needs a secret of 16 bytes, and none is given"));
            };
            let Ok(secret) = <[u8; 16]>::try_from(secret) else {
                return Err(error!(InvalidParameter, "secret has {} bytes: it must have exactly 16", secret.len()));
            };
            return Ok(Hash::sip13(secret));
        }
        if secret.is_some() {
            return Err(error!(UnexpectedSecret, "a secret is given, and only hash sip13 uses one"));
        }
        let seed = seed.unwrap_or(0);
        Ok(if keyed.is_some() { Hash::xxh64(seed) } else { Hash::xxh3(seed) })
    }

    /// The digest of `bytes` in a domain.
    #[inline]
    pub fn digest(&self, domain: Domain, bytes: &[u8]) -> u64 {
        match &self.function {
            Function::Xxh3(seeds) => xxh3_64_with_seed(bytes, seeds.of(domain)),
            Function::Xxh64(seeds) => xxh64(bytes, seeds.of(domain)),
            Function::Sip13 { secret, key, composite } => match domain {
                Domain::Key => sip13(key, bytes),
                Domain::CompositeKey => sip13(composite, bytes),
                other => sip13(&sip13_in(secret, other), bytes),
            },
        }
    }

    /// The digest of an encoded integer, in the domain of composite keys.
    #[inline]
    pub(crate) fn digest_of_integer(&self, bytes: &[u8; 17]) -> u64 {
        match &self.function {
            Function::Xxh3(seeds) => xxh3_of_17(bytes, seeds.composite),
            _ => self.digest(Domain::CompositeKey, bytes),
        }
    }

    /// `xxh3`, `xxh64` or `sip13`.
    pub const fn name(&self) -> &'static str {
        match self.function {
            Function::Xxh3(_) => "xxh3",
            Function::Xxh64(_) => "xxh64",
            Function::Sip13 { .. } => "sip13",
        }
    }

    /// The seed; `None` for `sip13`, which has a secret instead.
    pub const fn seed(&self) -> Option<u64> {
        match &self.function {
            Function::Xxh3(seeds) | Function::Xxh64(seeds) => Some(seeds.seed),
            Function::Sip13 { .. } => None,
        }
    }

    /// The hash's number in a description: 1, 2 or 3.
    #[cfg(feature = "alloc")]
    pub(crate) const fn number(&self) -> u8 {
        match self.function {
            Function::Xxh3(_) => 1,
            Function::Xxh64(_) => 2,
            Function::Sip13 { .. } => 3,
        }
    }
}

impl Default for Hash {
    fn default() -> Hash {
        Hash::xxh3(0)
    }
}

impl PartialEq for Hash {
    /// The same function with the same seed or secret.
    fn eq(&self, other: &Hash) -> bool {
        match (&self.function, &other.function) {
            (Function::Xxh3(a), Function::Xxh3(b)) | (Function::Xxh64(a), Function::Xxh64(b)) => a.seed == b.seed,
            (Function::Sip13 { secret: a, .. }, Function::Sip13 { secret: b, .. }) => a == b,
            _ => false,
        }
    }
}

impl Eq for Hash {}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seed() {
            Some(seed) => write!(f, "Hash({}, seed {seed:#018x})", self.name()),
            None => write!(f, "Hash({}, secret hidden)", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_stability_published_digests() {
        // XXH3-64 and XXH64 of the empty input with seed 0, from xxHash's own sanity tests.
        assert_eq!(xxh3_64_with_seed(b"", 0), 0x2D06_8005_38D3_94C2);
        assert_eq!(xxh64(b"", 0), 0xEF46_DB37_51D8_E999);
        assert_eq!(draw(0, 2), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn integers_are_hashed_as_all_else() {
        for i in 0..1_000_000 {
            let mut bytes = [0; 17];
            for (part, word) in (0..).zip(bytes.chunks_mut(8)) {
                word.copy_from_slice(&draw(part, i).to_le_bytes()[..word.len()]);
            }
            let seed = draw(3, i);
            assert_eq!(xxh3_of_17(&bytes, seed), xxh3_64_with_seed(&bytes, seed));
        }
        for hash in [Hash::xxh3(5), Hash::xxh64(5), Hash::sip13([5; 16])] {
            assert_eq!(hash.digest_of_integer(&[2; 17]), hash.digest(Domain::CompositeKey, &[2; 17]));
        }
    }

    #[test]
    #[cfg(feature = "alloc")]
    fn debug_hides_the_secret() {
        let shown = alloc::format!("{:?}", Hash::sip13([0xAB; 16]));
        assert_eq!(shown, "Hash(sip13, secret hidden)");
    }

    #[test]
    fn rejects_parts_that_do_not_belong_together() {
        let code = |name, seed, secret| Hash::from_parts(name, seed, secret).map_err(|e| e.code()).err();
        assert_eq!(code(Some("md5"), None, None), Some("invalid_parameter"));
        assert_eq!(code(Some("sip13"), None, None), Some("missing_secret"));
        assert_eq!(code(Some("sip13"), Some(0), Some(&[0; 16])), Some("invalid_parameter"));
        assert_eq!(code(Some("sip13"), None, Some(&[0; 15])), Some("invalid_parameter"));
        assert_eq!(code(Some("xxh64"), None, Some(&[0; 16])), Some("unexpected_secret"));
        assert_eq!(code(None, None, None), None);
    }
}
