//! Contenders prepared for many contests, and the order of one contest.

use alloc::{boxed::Box, vec::Vec};
use core::hint::select_unpredictable;

use keystead_avx512::{Avx512, KEYS};

use super::{
    ranked::{Buckets, Contest, Few, SHORT},
    weighted::{WeightedContest, WeightedOrder},
    weights::Weights,
};
use crate::hash::{GOLDEN, SETTLED, finish_mix64, mix64, mix64_unfinished};

/// Contenders prepared for many contests: nodes for the keys of a cluster or the slots of a table, domains of one level.
///
/// A contender's score for a digest is `draw(digest, nd)`; `nd × GOLDEN` is kept, so it costs one addition and `mix64` on a contiguous
/// array. Positions are in the order of ids, and the caller answers for distinct `nd`: so no two scores of one contest are equal.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    addends: Vec<u64>,
    /// Absent where all weights are equal: then the order is that of the scores alone.
    weights: Option<Box<Weights>>,
    /// Where the processor has wide instructions: they give the same answers in less time.
    avx512: Option<Avx512>,
}

/// The k-th contender is better than all before it once in k times: among so many first ones, a branch on that would be mispredicted too
/// often to be worth it.
const BRANCH_FREE: usize = 16;

/// From so many contenders on, wide instructions keep a core busy for half of the time of a scan. A single answer they have as soon only from
/// some thirty on.
const WIDE: usize = 24;

impl Candidates {
    /// From pairs of digest and weight, weights above 0.
    pub(crate) fn new(contenders: impl IntoIterator<Item = (u64, u64)>) -> Candidates {
        let (addends, weights): (Vec<u64>, Vec<u64>) =
            contenders.into_iter().map(|(digest, weight)| (digest.wrapping_mul(GOLDEN), weight)).unzip();
        let equal = weights.windows(2).all(|pair| pair[0] == pair[1]);
        let weights = (!equal).then(|| Box::new(Weights::new(weights)));
        Candidates { addends, weights, avx512: Avx512::detect() }
    }

    /// Without AVX-512, wherever this runs.
    #[cfg(test)]
    pub(crate) fn narrow(self) -> Candidates {
        Candidates { avx512: None, ..self }
    }

    pub(crate) fn len(&self) -> usize {
        self.addends.len()
    }

    fn scores(&self, digest: u64) -> impl ExactSizeIterator<Item = u64> {
        self.addends.iter().map(move |addend| mix64(digest.wrapping_add(*addend)))
    }

    fn weighted<'a>(&'a self, digest: u64, weights: &'a Weights) -> WeightedContest<'a> {
        WeightedContest { addends: &self.addends, weights, digest, avx512: self.avx512 }
    }

    /// The position of the first by rank. There must be at least one contender.
    #[inline]
    pub(crate) fn best(&self, digest: u64) -> usize {
        match &self.weights {
            None => match self.avx512 {
                Some(avx512) if self.len() >= WIDE => avx512.best(digest, &self.addends),
                _ => self.best_score(digest),
            },
            Some(weights) => self.weighted(digest, weights).best(),
        }
    }

    /// From how many contests on, at most [`KEYS`], it is quicker to decide [`KEYS`] of them at a time than one by one; `None` where it is not.
    pub(crate) fn many(&self) -> Option<usize> {
        match (&self.weights, self.avx512) {
            (None, Some(_)) => Some(if self.len() < WIDE { KEYS / 2 } else { KEYS - 4 }),
            _ => None,
        }
    }

    /// As [`best`](Candidates::best), for each of the digests.
    pub(crate) fn best_of_each(&self, digests: &[u64; KEYS]) -> [u32; KEYS] {
        if let (None, Some(avx512)) = (&self.weights, self.avx512) {
            return avx512.best_of_each(digests, &self.addends);
        }
        let mut positions = [0; KEYS];
        for (position, digest) in positions.iter_mut().zip(digests) {
            #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^20 contenders")]
            let best = self.best(*digest) as u32;
            *position = best;
        }
        positions
    }

    /// By itself: it needs many registers, which the way to a ring's or a table's answer would save and restore for nothing.
    #[inline(never)]
    fn best_score(&self, digest: u64) -> usize {
        let (first, rest) = self.addends.split_at(self.len().min(BRANCH_FREE));
        let (mut best, mut at) = (i64::MIN, 0);
        for (position, addend) in first.iter().enumerate() {
            let score = signed(mix64(digest.wrapping_add(*addend)));
            // "At least", since no two scores are equal and the least there is may be one.
            let better = score >= best;
            best = select_unpredictable(better, score, best);
            at = select_unpredictable(better, position, at);
        }
        if rest.is_empty() { at } else { best_of_rest(digest, rest, unsigned(best), at) }
    }

    /// The first `count` positions by other names, best first, of which there may be at most [`SHORT`]: one pass over the contenders, and no
    /// memory of its own where weights are equal.
    #[inline]
    pub(crate) fn few(&self, digest: u64, count: usize, name: impl Fn(u32) -> u32) -> Few {
        match &self.weights {
            None => Few::of_scores(self.scores(digest), self.len(), count, name),
            Some(weights) => self.weighted(digest, weights).few(count, name),
        }
    }

    /// All positions, best first, each found when it is asked for.
    pub(crate) fn order(&self, digest: u64) -> Order<'_> {
        if let Some(weights) = &self.weights {
            return Order::Weighted(self.weighted(digest, weights).order());
        }
        if self.len() <= SHORT {
            return Order::Few(self.few(digest, self.len(), |position| position));
        }
        Order::Scores(Buckets::new(Contest::new(&self.addends, digest)))
    }
}

/// Scores in the same order as signed numbers: to select by those is one step of a core and not two.
#[inline]
fn signed(score: u64) -> i64 {
    (score ^ (1 << 63)).cast_signed()
}

#[inline]
fn unsigned(signed: i64) -> u64 {
    signed.cast_unsigned() ^ (1 << 63)
}

/// The position of the best, given the score and position of the best of the [`BRANCH_FREE`] that come before these.
///
/// A score's upper bits are known before its last step, and nearly always tell that it is not the best.
#[inline(never)]
fn best_of_rest(digest: u64, addends: &[u64], mut best: u64, mut at: usize) -> usize {
    let mut settled = best & SETTLED;
    let mut look = |addend: u64, position: usize| {
        let unfinished = mix64_unfinished(digest.wrapping_add(addend));
        if unfinished >= settled {
            let score = finish_mix64(unfinished);
            if score > best {
                (best, settled, at) = (score, score & SETTLED, position);
            }
        }
    };
    // By eights, so that counting is a small part of the work.
    let (eights, rest) = addends.as_chunks::<8>();
    let mut position = BRANCH_FREE;
    for eight in eights {
        for (within, addend) in eight.iter().enumerate() {
            look(*addend, position + within);
        }
        position += eight.len();
    }
    for (within, addend) in rest.iter().enumerate() {
        look(*addend, position + within);
    }
    at
}

/// The order of one contest, found lazily.
#[derive(Clone, Debug)]
pub(crate) enum Order<'a> {
    /// Equal weights, and so few that all were put in order at once.
    Few(Few),
    /// Equal weights: the larger score is first.
    Scores(Buckets<'a>),
    /// Unequal weights.
    Weighted(WeightedOrder<'a>),
}

impl Iterator for Order<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Order::Few(few) => few.next(),
            Order::Scores(buckets) => buckets.next(),
            Order::Weighted(order) => order.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match self {
            Order::Few(few) => few.len(),
            Order::Scores(buckets) => buckets.len(),
            Order::Weighted(order) => order.len(),
        };
        (left, Some(left))
    }

    #[inline]
    fn fold<A, F: FnMut(A, u32) -> A>(self, start: A, f: F) -> A {
        match self {
            Order::Few(few) => few.fold(start, f),
            Order::Scores(buckets) => buckets.fold(start, f),
            Order::Weighted(order) => order.fold(start, f),
        }
    }
}

impl ExactSizeIterator for Order<'_> {}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::{hash::draw, order::tests::compare_plainly};

    #[test]
    fn best_top_and_order_match_naive() {
        for count in [1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 65, 300] {
            for weighted in [false, true] {
                let digests = (0..count).map(|i| draw(1, i));
                let weight = |digest: u64| if weighted { 1 + digest % 5 } else { 9 };
                let candidates = Candidates::new(digests.map(|digest| (digest, weight(digest))));
                for key in 0..200 {
                    let digest = draw(2, key);
                    let scores: Vec<u64> = candidates.scores(digest).collect();
                    let weights =
                        candidates.weights.as_ref().map_or(vec![1; scores.len()], |weights| weights.all().to_vec());
                    let mut naive: Vec<u32> = (0..).take(candidates.len()).collect();
                    let ratio = |at: u32| (scores[at as usize], weights[at as usize]);
                    naive.sort_by(|a, b| compare_plainly(ratio(*a), ratio(*b)).then(a.cmp(b)));
                    assert_eq!(candidates.best(digest), naive[0] as usize);
                    assert!(candidates.order(digest).eq(naive.iter().copied()));
                    for r in [0, 1, 2, 3, 16] {
                        assert!(candidates.few(digest, r, |position| position).eq(naive.iter().copied().take(r)));
                    }
                }
            }
        }
    }
}
