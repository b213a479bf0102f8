//! The kernels. Every function that uses the instructions is compiled for them, and is called by [`Avx512`] alone.

#![expect(
    unsafe_code,
    reason = "the processor must have the instructions, and vectors are read from memory and written to it"
)]

use core::arch::x86_64::{
    __m512i, _mm256_storeu_si256, _mm512_add_epi64, _mm512_cmpeq_epu64_mask, _mm512_cmpgt_epu64_mask,
    _mm512_cmple_epu64_mask, _mm512_cvtepi64_epi32, _mm512_loadu_epi64, _mm512_mask_mov_epi64,
    _mm512_mask_reduce_min_epu64, _mm512_max_epu64, _mm512_mul_epu32, _mm512_mullo_epi64, _mm512_reduce_max_epu64,
    _mm512_set_epi64, _mm512_set1_epi64, _mm512_slli_epi64, _mm512_srli_epi64, _mm512_srlv_epi64, _mm512_xor_si512,
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
    /// O(addends). Below some thirty, a scan without vectors has a single answer sooner; from ten on it keeps the processor busy for longer.
    #[inline]
    pub fn best(self, digest: u64, addends: &[u64]) -> usize {
        // SAFETY: the processor has the features, as `self` shows.
        unsafe { best(digest, addends) }
    }

    /// The position of the first for which `((!score >> 32) * factor) >> shift` is at most the limit. Each has a factor and a shift of its own,
    /// in the lower and the upper 32 bits of a number: there must be as many of these as addends.
    ///
    /// # Complexity
    /// O(addends up to it).
    #[inline]
    pub fn next_within(self, digest: u64, addends: &[u64], factors: &[u64], limit: u64) -> Option<usize> {
        debug_assert_eq!(addends.len(), factors.len());
        // SAFETY: the processor has the features, as `self` shows.
        unsafe { next_within(digest, addends, factors, limit) }
    }

    /// The position of the largest score for each of the digests; 0 where there is no addend. There may be 2^32 addends.
    ///
    /// # Complexity
    /// O(addends). For ten addends a third of the time of a scan for each, for a thousand that of [`best`](Avx512::best) for each.
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

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn load(eight: &[u64; LANES]) -> __m512i {
    // SAFETY: eight numbers are read.
    unsafe { _mm512_loadu_epi64(eight.as_ptr().cast()) }
}

/// The scores of eight contenders.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn scores(digest: __m512i, addends: &[u64; LANES]) -> __m512i {
    mix64(_mm512_add_epi64(digest, load(addends)))
}

/// Every lane has the best of each eighth addend, and in which round that was.
#[target_feature(enable = "avx512f,avx512dq")]
fn best(digest: u64, addends: &[u64]) -> usize {
    let (eights, rest) = addends.as_chunks();
    let (mut best, mut round_of_best) = (of(0), of(0));
    let mut round = of(0);
    for eight in eights {
        let score = scores(of(digest), eight);
        let better = _mm512_cmpgt_epu64_mask(score, best);
        round_of_best = _mm512_mask_mov_epi64(round_of_best, better, round);
        best = _mm512_max_epu64(score, best);
        round = _mm512_add_epi64(round, of(1));
    }
    let greatest = _mm512_reduce_max_epu64(best);
    let leading = _mm512_cmpeq_epu64_mask(best, of(greatest));
    let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    let positions = _mm512_add_epi64(_mm512_slli_epi64::<3>(round_of_best), lanes);
    // One lane, but where addends are equal.
    let position = _mm512_mask_reduce_min_epu64(leading, positions);
    let (mut greatest, mut position) = (greatest, usize::try_from(position).unwrap_or(0));
    for (further, addend) in rest.iter().enumerate() {
        let score = super::mix64(digest.wrapping_add(*addend));
        if score > greatest {
            (greatest, position) = (score, eights.len() * LANES + further);
        }
    }
    position
}

#[target_feature(enable = "avx512f,avx512dq")]
fn next_within(digest: u64, addends: &[u64], factors: &[u64], limit: u64) -> Option<usize> {
    let ((eights, rest), (eight_factors, rest_factors)) = (addends.as_chunks(), factors.as_chunks());
    for (round, (eight, factors)) in eights.iter().zip(eight_factors).enumerate() {
        let complement = _mm512_srli_epi64::<32>(_mm512_xor_si512(scores(of(digest), eight), of(u64::MAX)));
        let (factors, shifts) = (load(factors), _mm512_srli_epi64::<32>(load(factors)));
        // Only the lower halves are multiplied.
        let product = _mm512_srlv_epi64(_mm512_mul_epu32(complement, factors), shifts);
        let within = _mm512_cmple_epu64_mask(product, of(limit));
        if within != 0 {
            return Some(round * LANES + within.trailing_zeros() as usize);
        }
    }
    let within = rest.iter().zip(rest_factors).position(|(addend, factor)| {
        let complement = !super::mix64(digest.wrapping_add(*addend)) >> 32;
        (complement * (factor & u64::from(u32::MAX))) >> (factor >> 32) <= limit
    });
    within.map(|further| eights.len() * LANES + further)
}

/// Every lane belongs to a key.
#[target_feature(enable = "avx512f,avx512dq")]
fn best_of_each(digests: &[u64; KEYS], addends: &[u64]) -> [u32; KEYS] {
    const VECTORS: usize = KEYS / LANES;
    let eights = digests.as_chunks::<LANES>().0;
    let digests: [__m512i; VECTORS] = array::from_fn(|i| load(&eights[i]));
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
    use crate::mix64 as mix64_plainly;

    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

    fn draw(seed: u64, i: u64) -> u64 {
        mix64_plainly(seed.wrapping_add(i.wrapping_mul(GOLDEN)))
    }

    /// The first of the largest.
    fn plain_best(digest: u64, addends: &[u64]) -> usize {
        let scores: Vec<u64> = addends.iter().map(|addend| mix64_plainly(digest.wrapping_add(*addend))).collect();
        let most = scores.iter().max().copied().unwrap_or(0);
        scores.iter().position(|score| *score == most).unwrap_or(0)
    }

    fn compare(avx512: Avx512, digests: &[u64; KEYS], addends: &[u64]) {
        let plain = digests.map(|digest| plain_best(digest, addends));
        assert_eq!(digests.map(|digest| avx512.best(digest, addends)), plain, "{addends:?}");
        assert_eq!(avx512.best_of_each(digests, addends).map(|at| at as usize), plain, "{addends:?}");
    }

    /// Walks from one to the next, as whoever calls these does.
    fn walk(length: usize, mut next: impl FnMut(usize) -> Option<usize>) -> Vec<usize> {
        let (mut from, mut found) = (0, Vec::new());
        while let Some(further) = next(from) {
            found.push(from + further);
            from += further + 1;
        }
        assert!(from <= length);
        found
    }

    fn compare_walks(avx512: Avx512, digest: u64, addends: &[u64], factors: &[u64]) {
        let scores: Vec<u64> = addends.iter().map(|addend| mix64_plainly(digest.wrapping_add(*addend))).collect();
        let product = |(score, factor): (&u64, &u64)| ((!score >> 32) * (factor & 0xFFFF_FFFF)) >> (factor >> 32);
        let products: Vec<u64> = scores.iter().zip(factors).map(product).collect();
        // Limits that some meet exactly, and by one.
        for at in (0..scores.len()).step_by(1 + scores.len() / 8) {
            for by in [0, 1, u64::MAX] {
                let limit = products[at].wrapping_add(by);
                let within: Vec<usize> = (0..scores.len()).filter(|i| products[*i] <= limit).collect();
                let next = |from: usize| avx512.next_within(digest, &addends[from..], &factors[from..], limit);
                assert_eq!(walk(scores.len(), next), within);
            }
        }
    }

    /// What `mix64` makes the least and the greatest score of.
    const OF_LEAST: u64 = 0;
    const OF_GREATEST: u64 = 0xCF9A_04AF_FA6B_ADC0;

    #[test]
    fn matches_plain_scan() {
        assert_eq!((mix64_plainly(OF_LEAST), mix64_plainly(OF_GREATEST)), (0, u64::MAX));
        let Some(avx512) = Avx512::detect() else {
            std::println!("skipped: no AVX-512 on this processor");
            return;
        };
        for count in (0..70).chain([127, 128, 129, 255, 256, 257, 1_000]) {
            for seed in 0..40 {
                let mut addends: Vec<u64> = (0..count).map(|i| draw(seed, i)).collect();
                let mut digests = array::from_fn(|i| draw(!seed, i as u64));
                compare(avx512, &digests, &addends);
                let factors: Vec<u64> = (0..count).map(|i| (draw(seed ^ 7, i) >> 32) | (i % 54) << 32).collect();
                compare_walks(avx512, digests[0], &addends, &factors);
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
