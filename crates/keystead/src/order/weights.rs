//! The weights of one contest, and quick bounds on cost / weight.

use alloc::vec::Vec;

use super::{COST_BOUND, Scored};
use crate::hash::mulhi;

/// Weights of contenders, above 0 and below 2^53, with what takes the place of dividing by them.
///
/// Ratios of cost to weight are in units that fit the least of the weights, so that they are as exact as 64 bits allow.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    all: Vec<u64>,
    /// 2^63 × unit / weight, rounded down; the unit is the greatest power of two that is not above any weight.
    inverses: Vec<u64>,
    most_slack: i64,
    /// The same with 31 bits: 2^31 × unit × 2^shift / weight, rounded down, and above these 32 bits the shift, by which that is not below 2^30.
    rough: Vec<u64>,
}

impl Weights {
    pub(super) fn new(weights: Vec<u64>) -> Weights {
        let unit = weights.iter().min().map_or(0, |least| least.ilog2());
        #[expect(clippy::cast_possible_truncation, reason = "the unit is not above the weight")]
        let inverse = |weight: &u64| ((1 << 63 << unit) / u128::from(*weight)) as u64;
        let inverses: Vec<u64> = weights.iter().map(inverse).collect();
        let most_slack = inverses.iter().copied().map(slack).max().unwrap_or(0);
        #[expect(clippy::cast_possible_truncation, reason = "2^shift × unit is not above the weight")]
        let rough = |weight: &u64| {
            let shift = weight.ilog2() - unit;
            ((1 << 31 << unit << shift) / u128::from(*weight)) as u64 | u64::from(shift) << 32
        };
        let rough = weights.iter().map(rough).collect();
        Weights { all: weights, inverses, most_slack, rough }
    }

    pub(super) fn all(&self) -> &[u64] {
        &self.all
    }

    pub(super) fn inverses(&self) -> &[u64] {
        &self.inverses
    }

    /// The greatest of all [`slack`]s.
    pub(super) fn most_slack(&self) -> i64 {
        self.most_slack
    }

    /// For [`is_behind`].
    pub(super) fn rough(&self) -> &[u64] {
        &self.rough
    }

    /// A limit for [`is_behind`] that holds back none who could rank before this one.
    pub(super) fn limit(&self, scored: &Scored, position: usize) -> u64 {
        let ratio = ratio(scored.high, self.inverses[position]).cast_unsigned() + 2;
        // 89 / 128 is above the natural logarithm of 2.
        ratio.saturating_mul(89)
    }
}

/// Cost / weight, of an upper bound on the cost: rounded down by less than 2, since the inverse is too low by less than 1, which counts at
/// most half, and the product as well.
#[inline]
pub(super) fn ratio(cost: u64, inverse: u64) -> i64 {
    // An upper bound on a cost is at most 2^62 + 4, so this is below 2^63.
    mulhi(cost << 1, inverse).cast_signed()
}

/// By how much a [`ratio`] must at least be below another of this inverse, so that its cost / weight certainly is: as far as the bound on the
/// other's cost can be too high, rounded down by less than 2; and both ratios were rounded down by less than 2.
#[inline]
pub(super) fn slack(inverse: u64) -> i64 {
    (inverse >> (63 - COST_BOUND.trailing_zeros())).cast_signed() + 4
}

/// Whether a contender certainly ranks behind the one whose [`limit`](Weights::limit) this is: −log2(u) ≥ (1 − u) / ln 2, so the complement of
/// a score bounds its cost from below, and no logarithm is taken for what cannot matter. What is rounded down only lets pass more.
#[inline]
pub(super) fn is_behind(limit: u64, score: u64, rough: u64) -> bool {
    // The complement is (1 − u) × 2^32.
    ((!score >> 32) * (rough & u64::from(u32::MAX))) >> (rough >> 32) > limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::{cost, tests::scores};

    const SETS: [&[u64]; 6] =
        [&[1, 2], &[3, 5, 1 << 20], &[1 << 52, 1], &[4_294_967_295, 4_294_967_294], &[7, 1 << 52], &[1 << 40, 3 << 40]];

    #[test]
    fn ratios_bound_cost_over_weight() {
        for set in SETS {
            let (weights, least) = (Weights::new(set.to_vec()), *set.iter().min().unwrap());
            for (weight, inverse) in set.iter().zip(weights.inverses()) {
                for score in scores() {
                    let (scored, cost) = (Scored::new(score, *weight), i128::from(cost(score)) << least.ilog2());
                    let (ratio, slack) = (i128::from(ratio(scored.high, *inverse)), i128::from(slack(*inverse)));
                    let times = |ratio: i128| ratio * i128::from(*weight);
                    assert!(
                        times(ratio) <= i128::from(scored.high) << least.ilog2(),
                        "score {score} of weight {weight}"
                    );
                    assert!(cost < times(ratio + 2), "score {score} of weight {weight}");
                    // Of two of which one is `slack` or more below the other, not even its upper end reaches the other's lower.
                    assert!(times(ratio - slack + 2) < cost, "score {score} of weight {weight}");
                }
            }
        }
    }

    #[test]
    fn what_is_behind_ranks_behind() {
        let mut behind = 0;
        for set in SETS {
            let weights = Weights::new(set.to_vec());
            for a in scores().step_by(97) {
                for (position, weight) in set.iter().enumerate() {
                    let scored = Scored::new(a, *weight);
                    let limit = weights.limit(&scored, position);
                    for b in scores().step_by(89) {
                        for (other, rough) in set.iter().zip(weights.rough()) {
                            if is_behind(limit, b, *rough) {
                                behind += 1;
                                assert!(scored.compare(&Scored::new(b, *other)).is_lt(), "{a}, {weight}; {b}, {other}");
                            }
                        }
                    }
                }
            }
        }
        assert!(behind > 100_000, "so many pairs were told apart: {behind}");
    }

    /// However far the weights of nodes are apart, few contenders need more than the simple bound. (Sums of weights in a hierarchy can be
    /// further apart: then more do.)
    #[test]
    fn few_pass_the_simple_bound() {
        for set in [&[1, 2][..], &[3, 5, 1 << 20], &[1, 1 << 31], &[1, 77_777, u32::MAX.into()], &[1 << 31, 1]] {
            let weights = Weights::new(set.to_vec());
            for (position, weight) in set.iter().enumerate() {
                // The best of some hundred has such a score; others of this weight with u up to 1 − 1/90 are told to be behind.
                let best = u64::MAX / 100 * 99;
                let limit = weights.limit(&Scored::new(best, *weight), position);
                assert!(!is_behind(limit, best, weights.rough()[position]), "{weight} of {set:?}");
                assert!(is_behind(limit, u64::MAX / 90 * 89, weights.rough()[position]), "{weight} of {set:?}");
            }
        }
    }
}
