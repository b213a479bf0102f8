#![expect(
    unsafe_code,
    reason = "the processor must have the instructions, and vectors are read from memory and written to it"
)]

use core::arch::x86_64::{
    __m512i, _mm256_storeu_si256, _mm512_add_epi64, _mm512_cmpeq_epu64_mask, _mm512_cmpgt_epu64_mask,
    _mm512_cvtepi64_epi32, _mm512_loadu_epi64, _mm512_mask_cmpgt_epu64_mask, _mm512_mask_mov_epi64,
    _mm512_mask_reduce_min_epu64, _mm512_maskz_loadu_epi64, _mm512_max_epu64, _mm512_mullo_epi64,
    _mm512_permutex_epi64, _mm512_set_epi64, _mm512_set1_epi64, _mm512_shuffle_i64x2, _mm512_slli_epi64,
    _mm512_srli_epi64, _mm512_xor_si512,
};
use core::array;

use super::KEYS;

// The functions below are compiled for these two features.
cpufeatures::new!(features, "avx512f", "avx512dq");

/// The numbers of a vector.
const LANES: usize = 8;

/// A processor with AVX-512 (F and DQ): whoever has this value may run its instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

impl Avx512 {
    /// The processor that runs this, where it has AVX-512 and the system saves its registers.
    ///
    /// Compiled with `--cfg keystead_scalar` in `RUSTFLAGS` it is None everywhere: to measure what is gained.
    #[inline]
    pub fn detect() -> Option<Avx512> {
        (!cfg!(keystead_scalar) && features::get()).then_some(Avx512(()))
    }

    /// The position of the largest score; 0 where there is no addend.
    ///
    /// # Complexity
    /// O(addends). Up to some thirty, a scan without vectors has an answer as soon, though it keeps the processor busy for longer.
    #[inline]
    pub fn best(self, digest: u64, addends: &[u64]) -> usize {
        // SAFETY: the processor has the features, as `self` shows.
        unsafe { best(digest, addends) }
    }

    /// The position of the largest score for each of the digests; 0 where there is no addend. There may be 2^32 addends.
    ///
    /// # Complexity
    /// O(addends), and for so many digests a third of the time of a scan for each.
    #[inline]
    pub fn best_of_each(self, digests: &[u64; KEYS], addends: &[u64]) -> [u32; KEYS] {
        // SAFETY: the processor has the features, as `self` shows.
        unsafe { best_of_each(digests, addends) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn of(number: u64) -> __m512i {
    _mm512_set1_epi64(number.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn mix64(x: __m512i) -> __m512i {
    let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64::<30>(x)), of(0xBF58_476D_1CE4_E5B9));
    let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64::<27>(x)), of(0x94D0_49BB_1331_11EB));
    _mm512_xor_si512(x, _mm512_srli_epi64::<31>(x))
}

/// Every lane has the best of each eighth addend, and in which round that was.
#[target_feature(enable = "avx512f,avx512dq")]
fn best(digest: u64, addends: &[u64]) -> usize {
    let digest = of(digest);
    let (mut best, mut round_of_best) = (of(0), of(0));
    let mut round = of(0);
    let (eights, rest) = addends.as_chunks::<LANES>();
    for eight in eights {
        // SAFETY: eight numbers are read.
        let addends = unsafe { _mm512_loadu_epi64(eight.as_ptr().cast()) };
        let score = mix64(_mm512_add_epi64(digest, addends));
        let better = _mm512_cmpgt_epu64_mask(score, best);
        round_of_best = _mm512_mask_mov_epi64(round_of_best, better, round);
        best = _mm512_max_epu64(score, best);
        round = _mm512_add_epi64(round, of(1));
    }
    if !rest.is_empty() {
        let present = (1 << rest.len()) - 1;
        // SAFETY: the numbers that are present are read, no others.
        let addends = unsafe { _mm512_maskz_loadu_epi64(present, rest.as_ptr().cast()) };
        let score = mix64(_mm512_add_epi64(digest, addends));
        let better = _mm512_mask_cmpgt_epu64_mask(present, score, best);
        round_of_best = _mm512_mask_mov_epi64(round_of_best, better, round);
        best = _mm512_mask_mov_epi64(best, better, score);
    }
    let top = _mm512_cmpeq_epu64_mask(best, greatest(best));
    let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    let positions = _mm512_add_epi64(_mm512_slli_epi64::<3>(round_of_best), lanes);
    // One lane, but where addends are equal.
    usize::try_from(_mm512_mask_reduce_min_epu64(top, positions)).unwrap_or(0)
}

/// The greatest number, in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn greatest(x: __m512i) -> __m512i {
    let x = _mm512_max_epu64(x, _mm512_shuffle_i64x2::<0b01_00_11_10>(x, x));
    let x = _mm512_max_epu64(x, _mm512_shuffle_i64x2::<0b10_11_00_01>(x, x));
    _mm512_max_epu64(x, _mm512_permutex_epi64::<0b10_11_00_01>(x))
}

/// Every lane belongs to a key.
#[target_feature(enable = "avx512f,avx512dq")]
fn best_of_each(digests: &[u64; KEYS], addends: &[u64]) -> [u32; KEYS] {
    const VECTORS: usize = KEYS / LANES;
    let eights = digests.as_chunks::<LANES>().0;
    // SAFETY: eight numbers are read.
    let digests: [__m512i; VECTORS] = array::from_fn(|i| unsafe { _mm512_loadu_epi64(eights[i].as_ptr().cast()) });
    let (mut best, mut position_of_best) = ([of(0); VECTORS], [of(0); VECTORS]);
    let mut position = of(0);
    for addend in addends {
        for i in 0..VECTORS {
            let score = mix64(_mm512_add_epi64(digests[i], of(*addend)));
            let better = _mm512_cmpgt_epu64_mask(score, best[i]);
            position_of_best[i] = _mm512_mask_mov_epi64(position_of_best[i], better, position);
            best[i] = _mm512_max_epu64(score, best[i]);
        }
        position = _mm512_add_epi64(position, of(1));
    }
    let mut positions = [0; KEYS];
    for (eight, position) in positions.as_chunks_mut::<LANES>().0.iter_mut().zip(position_of_best) {
        // SAFETY: eight numbers of 32 bits are written.
        unsafe { _mm256_storeu_si256(eight.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(position)) };
    }
    positions
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;

    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

    fn plain_mix64(mut x: u64) -> u64 {
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    fn draw(seed: u64, i: u64) -> u64 {
        plain_mix64(seed.wrapping_add(i.wrapping_mul(GOLDEN)))
    }

    /// The first of the largest.
    fn plain_best(digest: u64, addends: &[u64]) -> usize {
        let scores: Vec<u64> = addends.iter().map(|addend| plain_mix64(digest.wrapping_add(*addend))).collect();
        let most = scores.iter().max().copied().unwrap_or(0);
        scores.iter().position(|score| *score == most).unwrap_or(0)
    }

    fn compare(avx512: Avx512, digests: &[u64; KEYS], addends: &[u64]) {
        let plain = digests.map(|digest| plain_best(digest, addends));
        assert_eq!(digests.map(|digest| avx512.best(digest, addends)), plain, "{addends:?}");
        assert_eq!(avx512.best_of_each(digests, addends).map(|at| at as usize), plain, "{addends:?}");
    }

    /// What `mix64` makes the least and the greatest score of.
    const OF_LEAST: u64 = 0;
    const OF_GREATEST: u64 = 0xCF9A_04AF_FA6B_ADC0;

    #[test]
    fn matches_plain_scan() {
        assert_eq!((plain_mix64(OF_LEAST), plain_mix64(OF_GREATEST)), (0, u64::MAX));
        let Some(avx512) = Avx512::detect() else {
            std::println!("skipped: no AVX-512 on this processor");
            return;
        };
        for count in (0..70).chain([127, 128, 129, 255, 256, 257, 1_000]) {
            for seed in 0..40 {
                let mut addends: Vec<u64> = (0..count).map(|i| draw(seed, i)).collect();
                let mut digests = array::from_fn(|i| draw(!seed, i as u64));
                compare(avx512, &digests, &addends);
                // Every other addend equal to one before it; then, for the first key, the least and the greatest score anywhere.
                for at in (1..addends.len()).step_by(2) {
                    addends[at] = addends[at / 2];
                }
                compare(avx512, &digests, &addends);
                digests[0] = 0;
                for (of, at) in [(OF_LEAST, seed), (OF_GREATEST, seed / 2), (OF_GREATEST, seed / 3)] {
                    if let Some(addend) = addends.get_mut(usize::try_from(at).unwrap()) {
                        *addend = of;
                    }
                    compare(avx512, &digests, &addends);
                }
                addends.fill(OF_LEAST);
                compare(avx512, &digests, &addends);
            }
        }
    }
}
