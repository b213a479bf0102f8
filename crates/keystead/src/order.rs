//! The order of scored candidates: cost, exact comparison, ranking.
//!
//! Candidate *a* ranks before *b* when `cost(a) × weight(b) < cost(b) × weight(a)`, exactly; else when its score is larger; else
//! when its id is smaller. −log2 of a uniform score over the weight is an exponential race, so a candidate wins with probability
//! weight / total.

use core::cmp::Ordering;

/// −log2 of `(score | 1) / 2^64`, rounded up in fixed point with 56 fraction bits: 1 … 2^62.
///
/// By repeated squaring: with `n = score | 1`, `e` the index of its highest set bit, `m = n << (63 − e)` and `r = e`, repeat 56
/// times: take the upper 64 bits `h` and the lower 64 bits `l` of `m × m`; if `h ≥ 2^63`, append the bit 1 to `r` and let `m = h`;
/// else append 0 and let `m = h << 1 | l >> 63`. The cost is `2^62 − r`. It never rises as the score rises.
///
/// ```
/// assert_eq!(keystead::cost(u64::MAX), 1);
/// assert_eq!(keystead::cost(0), 1 << 62);            // −log2(1 / 2^64) = 64
/// assert_eq!(keystead::cost(1 << 63), (1 << 56));    // −log2(1/2 + 2^-64), rounded up to 1
/// ```
///
/// # Complexity
/// 56 multiplications of 64 bits, some 100 ns: the library takes it only where a bound does not decide.
///
/// # Source
/// D. Knuth, *The Art of Computer Programming*, vol. 1, section 1.2.2 (logarithms by repeated squaring).
#[expect(clippy::cast_possible_truncation, reason = "the two halves of a 128-bit product are meant")]
pub const fn cost(score: u64) -> u64 {
    let n = score | 1;
    let e = n.ilog2();
    let mut m = n << (63 - e);
    let mut r = e as u64;
    let mut step = 0;
    while step < 56 {
        let square = m as u128 * m as u128;
        let (high, low) = ((square >> 64) as u64, square as u64);
        if high >> 63 == 1 {
            r = 2 * r + 1;
            m = high;
        } else {
            r *= 2;
            m = (high << 1) | (low >> 63);
        }
        step += 1;
    }
    (1 << 62) - r
}

/// `log2(1 + k / 256)` in 56 fraction bits, rounded down, for k = 0 … 256: the knots of [`cost_bounds`].
static LOG2: [u64; 257] = {
    let mut table = [1 << 56; 257];
    let mut k = 0;
    while k < 256 {
        // The score with mantissa 1 + k / 256 and exponent 63; `cost` counts down from 2^62, of which 63 units are the exponent.
        table[k] = (1 << 56) - cost((1 << 63) + ((k as u64) << 55));
        k += 1;
    }
    table[0] = 0;
    table
};

/// How far the upper bound of [`cost_bounds`] can lie above the cost: a chord of log2 over 1/256 lies at most 2.75e-6 × 2^56 =
/// 1.98e11 below the curve; cutting the mantissa to 15 bits between knots adds at most 2^34, and rounding less than 8.
const COST_BOUND: u64 = 1 << 38;

/// Bounds on the cost from a table of 257 logarithms and one multiplication: `low ≤ cost(score) ≤ high`.
///
/// They only skip what cannot matter. Where two candidates' bounds overlap, [`cost`] judges.
#[inline]
pub(crate) fn cost_bounds(score: u64) -> (u64, u64) {
    let n = score | 1;
    let e = n.ilog2();
    let mantissa = (n << (63 - e)) & ((1 << 63) - 1);
    let k = (mantissa >> 55) as usize;
    let between = (mantissa >> 40) & 0x7FFF;
    let chord = LOG2[k] + (((LOG2[k + 1] - LOG2[k]) * between) >> 15);
    let high = (1 << 62) - ((u64::from(e) << 56) + chord) + 4;
    (high.saturating_sub(COST_BOUND), high)
}

/// Compares `cost_a / weight_a` with `cost_b / weight_b`, exactly. Weights are sums of node weights, below 2^53.
#[inline]
fn compare_ratios(cost_a: u64, weight_a: u64, cost_b: u64, weight_b: u64) -> Ordering {
    (u128::from(cost_a) * u128::from(weight_b)).cmp(&(u128::from(cost_b) * u128::from(weight_a)))
}

/// A score and its weight (above 0), with bounds on its cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub(crate) score: u64,
    pub(crate) weight: u64,
    low: u64,
    high: u64,
}

impl Scored {
    #[inline]
    pub(crate) fn new(score: u64, weight: u64) -> Scored {
        let (low, high) = cost_bounds(score);
        Scored { score, weight, low, high }
    }

    /// `Less` when this ranks before `other`, ids not considered.
    #[inline]
    pub(crate) fn compare(&self, other: &Scored) -> Ordering {
        if self.weight == other.weight {
            // The cost never rises as the score rises, so among equal weights the larger score is first.
            return other.score.cmp(&self.score);
        }
        if compare_ratios(self.high, self.weight, other.low, other.weight).is_lt() {
            return Ordering::Less;
        }
        if compare_ratios(self.low, self.weight, other.high, other.weight).is_gt() {
            return Ordering::Greater;
        }
        compare_ratios(cost(self.score), self.weight, cost(other.score), other.weight)
            .then_with(|| other.score.cmp(&self.score))
    }
}

#[cfg(feature = "alloc")]
mod candidates;
#[cfg(feature = "alloc")]
mod ranked;
#[cfg(feature = "alloc")]
mod weighted;
#[cfg(feature = "alloc")]
mod weights;
#[cfg(feature = "alloc")]
pub(crate) use {
    candidates::{Candidates, Order},
    ranked::{Few, SHORT},
};

#[cfg(feature = "alloc")]
pub use given::rank_scores;

#[cfg(feature = "alloc")]
mod given {
    use alloc::vec::Vec;

    use super::Scored;
    use crate::{
        error::{Error, error},
        node::{shown, validate_id},
    };

    /// Ranks given scores by the order of `rendezvous-1`: (id, score, weight), best first, as positions in the input.
    ///
    /// Weight 0 is left out. Scores may be equal; then the smaller id, compared by bytes, is first.
    ///
    /// ```
    /// let ranked = keystead::rank_scores([("n-b", 7, 1), ("n-a", 7, 1), ("n-c", 3, 1), ("n-d", 9, 0)])?;
    /// assert_eq!(ranked, [1, 0, 2]);
    /// # Ok::<(), keystead::Error>(())
    /// ```
    ///
    /// # Errors
    /// `invalid_id`, and `duplicate_node` for a repeated id.
    ///
    /// # Complexity
    /// A sort, O(n log n).
    pub fn rank_scores<'a>(candidates: impl IntoIterator<Item = (&'a str, u64, u32)>) -> Result<Vec<usize>, Error> {
        let candidates: Vec<(&str, u64, u32)> = candidates.into_iter().collect();
        let mut by_id: Vec<&str> = Vec::with_capacity(candidates.len());
        for (id, ..) in &candidates {
            validate_id(id)?;
            by_id.push(id);
        }
        by_id.sort_unstable();
        if let Some([id, ..]) = by_id.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(error!(DuplicateNode, "node {} is given twice", shown(id)));
        }
        let mut ranked: Vec<(usize, Scored)> = candidates
            .iter()
            .enumerate()
            .filter(|(_, (.., weight))| *weight > 0)
            .map(|(position, (_, score, weight))| (position, Scored::new(*score, u64::from(*weight))))
            .collect();
        ranked.sort_unstable_by(|(a, scored_a), (b, scored_b)| {
            scored_a.compare(scored_b).then_with(|| candidates[*a].0.cmp(candidates[*b].0))
        });
        Ok(ranked.into_iter().map(|(position, _)| position).collect())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The order to the letter of the specification, without bounds.
    pub(crate) fn compare_plainly(a: (u64, u64), b: (u64, u64)) -> Ordering {
        compare_ratios(cost(a.0), a.1, cost(b.0), b.1).then_with(|| b.0.cmp(&a.0))
    }

    pub(crate) fn scores() -> impl Iterator<Item = u64> {
        let edges = (0..64).flat_map(|e| {
            let power = 1u64 << e;
            [power - 1, power, power + 1, power | (power >> 1), u64::MAX - power]
        });
        edges.chain((0..20_000).map(|i| crate::hash::draw(7, i) >> (i % 40)))
    }

    #[test]
    fn bounds_hold_the_cost() {
        for score in scores() {
            let (low, high) = cost_bounds(score);
            assert!(low <= cost(score) && cost(score) <= high, "score {score}");
        }
    }

    #[test]
    fn value_stability_costs() {
        assert_eq!(
            [cost(0), cost(1), cost(2), cost(3)],
            [1 << 62, 1 << 62, 4_497_477_433_985_083_769, 4_497_477_433_985_083_769]
        );
        assert_eq!(cost(1 << 62), 1 << 57);
    }

    #[test]
    fn matches_naive_comparison() {
        let scores: [u64; 64] = core::array::from_fn(|i| crate::hash::draw(3, i as u64) >> (i % 7));
        for a in scores {
            for b in scores {
                for (wa, wb) in [(1, 1), (1, 2), (3, 2), (1 << 52, 1), (4_294_967_295, 4_294_967_294)] {
                    let (x, y) = (Scored::new(a, wa), Scored::new(b, wb));
                    assert_eq!(x.compare(&y), compare_plainly((a, wa), (b, wb)));
                }
            }
        }
        // Costs over weights that tie exactly: −log2(1/2) / 1 = −log2(1/4) / 2.
        assert_eq!(Scored::new(1 << 63, 1).compare(&Scored::new(1 << 62, 2)), Ordering::Less);
    }
}
