//! The scan of rendezvous hashing for x86-64 processors with AVX-512, apart from keystead's core, which forbids unsafe code.
//!
//! A score is `mix64(digest + addend)` modulo 2^64, `mix64` being `SplitMix64`'s finaliser: a digest for each key, an addend for each
//! contender. The largest score wins; of equal ones, which only equal addends give, the first. With unequal weights keystead compares scores
//! itself, and has those passed over here that a product of 32 bits tells to be behind.
//!
//! ```
//! use keystead_avx512::{Avx512, KEYS};
//! // None where the processor or the system has no AVX-512.
//! if let Some(avx512) = Avx512::detect() {
//!     let addends = [0x9E37_79B9_7F4A_7C15, 0x3C6E_F372_FE94_F82A, 0xDAA6_6D2C_7DDF_743F];
//!     assert_eq!(avx512.best(0, &addends), 0);
//!     assert_eq!(avx512.best_of_each(&[0; KEYS], &addends), [0; KEYS]);
//! }
//! ```

#![no_std]

/// The number of keys that [`Avx512::best_of_each`] answers in one pass: four vectors of eight. While one is multiplied the others are at
/// work, and what all need fits the processor's 32 registers.
pub const KEYS: usize = 32;

/// For the few that are left when all eights are done.
#[cfg(target_arch = "x86_64")]
fn mix64(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(target_arch = "x86_64")]
mod kernels;
#[cfg(target_arch = "x86_64")]
pub use kernels::Avx512;

#[cfg(not(target_arch = "x86_64"))]
mod absent {
    use super::KEYS;

    /// A processor with AVX-512, of which there is none here.
    #[derive(Clone, Copy, Debug)]
    pub enum Avx512 {}

    impl Avx512 {
        /// None.
        pub fn detect() -> Option<Avx512> {
            None
        }

        /// The position of the largest score.
        pub fn best(self, _digest: u64, _addends: &[u64]) -> usize {
            match self {}
        }

        /// The position of the first that is not certainly behind.
        pub fn next_within(self, _digest: u64, _addends: &[u64], _factors: &[u64], _limit: u64) -> Option<usize> {
            match self {}
        }

        /// The position of the largest score for each of the digests.
        pub fn best_of_each(self, _digests: &[u64; KEYS], _addends: &[u64]) -> [u32; KEYS] {
            match self {}
        }
    }
}
#[cfg(not(target_arch = "x86_64"))]
pub use absent::Avx512;
