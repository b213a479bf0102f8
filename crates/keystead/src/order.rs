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

    /// Whether a candidate of this weight and score certainly ranks behind: −log2(u) > 1 − u, so the complement of the score
    /// bounds its cost from below.
    #[cfg(feature = "alloc")]
    #[inline]
    fn certainly_before(&self, score: u64, weight: u64) -> bool {
        compare_ratios(self.high, self.weight, !score >> 8, weight).is_lt()
    }
}

#[cfg(feature = "alloc")]
pub(crate) use prepared::{Candidates, Order};

#[cfg(feature = "alloc")]
pub use given::rank_scores;

#[cfg(feature = "alloc")]
mod prepared {
    use alloc::{collections::BinaryHeap, vec::Vec};
    use core::cmp::{Ordering, Reverse};

    use super::Scored;
    use crate::hash::{GOLDEN, mix64};

    /// Contenders prepared for many contests: nodes for the keys of a cluster or the slots of a table, domains of one level.
    ///
    /// A contender's score for a digest is `draw(digest, nd)`; `nd × GOLDEN` is kept, so it costs one addition and `mix64` on a
    /// contiguous array. Positions are in the order of ids, and the caller answers for distinct `nd`.
    #[derive(Clone, Debug)]
    pub(crate) struct Candidates {
        addends: Vec<u64>,
        /// Absent where all weights are equal: then the order is that of the scores alone.
        weights: Option<Vec<u64>>,
    }

    impl Candidates {
        /// From pairs of digest and weight, weights above 0.
        pub(crate) fn new(contenders: impl IntoIterator<Item = (u64, u64)>) -> Candidates {
            let (addends, weights): (Vec<u64>, Vec<u64>) =
                contenders.into_iter().map(|(digest, weight)| (digest.wrapping_mul(GOLDEN), weight)).unzip();
            let equal = weights.windows(2).all(|pair| pair[0] == pair[1]);
            Candidates { addends, weights: (!equal).then_some(weights) }
        }

        pub(crate) fn len(&self) -> usize {
            self.addends.len()
        }

        /// The position of the first by rank.
        ///
        /// There must be at least one contender.
        #[inline]
        pub(crate) fn best(&self, digest: u64) -> usize {
            match &self.weights {
                None => self.best_score(digest),
                Some(weights) => self.best_weighted(digest, weights),
            }
        }

        #[inline]
        fn best_score(&self, digest: u64) -> usize {
            let (mut best, mut at) = (0, 0);
            for (position, addend) in self.addends.iter().enumerate() {
                let score = mix64(digest.wrapping_add(*addend));
                // Two selects instead of a branch: for few nodes the branch would be mispredicted about as often as taken.
                let better = score > best;
                best = if better { score } else { best };
                at = if better { position } else { at };
            }
            at
        }

        fn best_weighted(&self, digest: u64, weights: &[u64]) -> usize {
            let mut contenders = self.addends.iter().zip(weights);
            let Some((addend, weight)) = contenders.next() else { return 0 };
            let mut best = Scored::new(mix64(digest.wrapping_add(*addend)), *weight);
            let mut at = 0;
            for (position, (addend, &weight)) in (1..).zip(contenders) {
                let score = mix64(digest.wrapping_add(*addend));
                if best.certainly_before(score, weight) {
                    continue;
                }
                let scored = Scored::new(score, weight);
                if scored.compare(&best).is_lt() {
                    (best, at) = (scored, position);
                }
            }
            at
        }

        /// The score of one contender.
        #[inline]
        pub(crate) fn score(&self, digest: u64, position: usize) -> u64 {
            mix64(digest.wrapping_add(self.addends[position]))
        }

        /// The weight of one contender; 1 where all weights are equal, which ranks alike.
        pub(crate) fn weight(&self, position: usize) -> u64 {
            self.weights.as_ref().map_or(1, |weights| weights[position])
        }

        /// All positions, best first, each found when it is asked for.
        pub(crate) fn order(&self, digest: u64) -> Order {
            if self.weights.is_none() {
                let scores = (0..self.len()).map(|position| (self.score(digest, position), Reverse(position)));
                return Order { heap: Heap::Scores(scores.collect()) };
            }
            let ranked = (0..self.len()).map(|position| Ranked {
                scored: Scored::new(self.score(digest, position), self.weight(position)),
                position,
            });
            Order { heap: Heap::Weighted(ranked.collect()) }
        }
    }

    /// The order of one contest, found lazily: a heap is made in linear time, and each step takes one from its top.
    #[derive(Clone, Debug)]
    pub(crate) struct Order {
        heap: Heap,
    }

    #[derive(Clone, Debug)]
    enum Heap {
        Scores(BinaryHeap<(u64, Reverse<usize>)>),
        Weighted(BinaryHeap<Ranked>),
    }

    #[derive(Clone, Copy, Debug)]
    struct Ranked {
        scored: Scored,
        position: usize,
    }

    impl Ord for Ranked {
        /// The greatest is the one that ranks first.
        fn cmp(&self, other: &Ranked) -> Ordering {
            other.scored.compare(&self.scored).then_with(|| other.position.cmp(&self.position))
        }
    }

    impl PartialOrd for Ranked {
        fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl PartialEq for Ranked {
        fn eq(&self, other: &Ranked) -> bool {
            self.cmp(other).is_eq()
        }
    }

    impl Eq for Ranked {}

    impl Iterator for Order {
        type Item = usize;

        fn next(&mut self) -> Option<usize> {
            match &mut self.heap {
                Heap::Scores(heap) => heap.pop().map(|(_, Reverse(position))| position),
                Heap::Weighted(heap) => heap.pop().map(|ranked| ranked.position),
            }
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            let left = match &self.heap {
                Heap::Scores(heap) => heap.len(),
                Heap::Weighted(heap) => heap.len(),
            };
            (left, Some(left))
        }
    }

    impl ExactSizeIterator for Order {}
}

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
mod tests {
    use super::*;

    /// The order to the letter of the specification, without bounds.
    fn compare_plainly(a: (u64, u64), b: (u64, u64)) -> Ordering {
        compare_ratios(cost(a.0), a.1, cost(b.0), b.1).then_with(|| b.0.cmp(&a.0))
    }

    fn scores() -> impl Iterator<Item = u64> {
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
            assert!(!score >> 8 <= cost(score), "score {score}");
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
                    assert!(!x.certainly_before(b, wb) || x.compare(&y).is_lt());
                }
            }
        }
        // Costs over weights that tie exactly: −log2(1/2) / 1 = −log2(1/4) / 2.
        assert_eq!(Scored::new(1 << 63, 1).compare(&Scored::new(1 << 62, 2)), Ordering::Less);
    }

    #[test]
    #[cfg(feature = "alloc")]
    fn best_is_the_first_of_the_order_and_matches_naive() {
        for (count, weighted) in [(1, false), (2, true), (17, false), (17, true), (300, true)] {
            let digests = (0..count).map(|i| crate::hash::draw(1, i));
            let candidates = Candidates::new(digests.map(|digest| (digest, if weighted { 1 + digest % 5 } else { 9 })));
            for key in 0..500 {
                let digest = crate::hash::draw(2, key);
                let mut naive: alloc::vec::Vec<usize> = (0..candidates.len()).collect();
                let scored = |i: usize| (candidates.score(digest, i), candidates.weight(i));
                naive.sort_by(|a, b| compare_plainly(scored(*a), scored(*b)).then(a.cmp(b)));
                assert_eq!(candidates.best(digest), naive[0]);
                assert!(candidates.order(digest).eq(naive));
            }
        }
    }
}
