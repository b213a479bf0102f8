//! Contenders prepared for many contests, and the order of one contest.

use alloc::{collections::BinaryHeap, vec, vec::Vec};
use core::cmp::{Ordering, Reverse};

use super::Scored;
use crate::hash::{GOLDEN, mix64};

/// Contenders prepared for many contests: nodes for the keys of a cluster or the slots of a table, domains of one level.
///
/// A contender's score for a digest is `draw(digest, nd)`; `nd × GOLDEN` is kept, so it costs one addition and `mix64` on a contiguous
/// array. Positions are in the order of ids, and the caller answers for distinct `nd`: so no two scores of one contest are equal.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    addends: Vec<u64>,
    /// Absent where all weights are equal: then the order is that of the scores alone.
    weights: Option<Vec<u64>>,
}

/// A contender with its score, ordered as their scores are.
type Entrant = (u64, u32);

/// Up to this many, the first r are kept in a sorted list while the contenders pass by.
const SHORT: usize = 16;

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

    fn scores(&self, digest: u64) -> impl ExactSizeIterator<Item = u64> {
        self.addends.iter().map(move |addend| mix64(digest.wrapping_add(*addend)))
    }

    fn entrants(&self, digest: u64) -> impl Iterator<Item = Entrant> {
        self.scores(digest).zip(0..)
    }

    fn scored(&self, digest: u64) -> impl Iterator<Item = Ranked> {
        let weights = self.weights.iter().flatten().copied();
        (0..)
            .zip(self.scores(digest).zip(weights))
            .map(|(position, (score, weight))| Ranked { scored: Scored::new(score, weight), position })
    }

    /// The position of the first by rank. There must be at least one contender.
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
        for (position, score) in self.scores(digest).enumerate() {
            // Two selects instead of a branch: for few nodes the branch would be mispredicted about as often as taken.
            let better = score > best;
            best = if better { score } else { best };
            at = if better { position } else { at };
        }
        at
    }

    fn best_weighted(&self, digest: u64, weights: &[u64]) -> usize {
        let mut contenders = self.scores(digest).zip(weights).enumerate();
        let Some((_, (score, weight))) = contenders.next() else { return 0 };
        let (mut best, mut at) = (Scored::new(score, *weight), 0);
        for (position, (score, &weight)) in contenders {
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

    /// The first `count` positions, best first: one pass over the contenders while the count is small.
    pub(crate) fn top(&self, digest: u64, count: usize) -> Vec<u32> {
        if count > SHORT {
            return self.order(digest).take(count).collect();
        }
        if self.weights.is_some() {
            return top(self.scored(digest), count, |ranked, last| ranked > last, |ranked| ranked.position);
        }
        top(self.entrants(digest), count, |entrant, last| entrant.0 > last.0, |entrant| entrant.1)
    }

    /// All positions, best first, each found when it is asked for.
    pub(crate) fn order(&self, digest: u64) -> Order {
        if self.weights.is_some() {
            return Order::Weighted(self.scored(digest).collect());
        }
        Order::Scores(Buckets::new(self.entrants(digest), self.len()))
    }
}

/// The greatest `count` of what passes by, greatest first.
fn top<T: Copy>(
    passing: impl Iterator<Item = T>,
    count: usize,
    greater: impl Fn(&T, &T) -> bool,
    position: impl Fn(&T) -> u32,
) -> Vec<u32> {
    let mut kept: Vec<T> = Vec::with_capacity(count + 1);
    for one in passing {
        if kept.len() == count && !kept.last().is_some_and(|last| greater(&one, last)) {
            continue;
        }
        let at = kept.iter().rposition(|other| greater(other, &one)).map_or(0, |above| above + 1);
        kept.insert(at, one);
        kept.truncate(count);
    }
    kept.iter().map(position).collect()
}

/// The order of one contest, found lazily.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// Equal weights: the larger score is first.
    Scores(Buckets),
    /// A heap, made in linear time; each step takes one from its top.
    Weighted(BinaryHeap<Ranked>),
}

impl Iterator for Order {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Order::Scores(buckets) => buckets.next(),
            Order::Weighted(heap) => heap.pop().map(|ranked| ranked.position),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match self {
            Order::Scores(buckets) => buckets.entrants.len() - buckets.next,
            Order::Weighted(heap) => heap.len(),
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Order {}

/// Scores are uniform, so a counting pass over their top bits puts each within a step or two of its place; a bucket is sorted by
/// insertion when it is reached.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    /// Bucket by bucket, greatest scores first.
    entrants: Vec<Entrant>,
    /// The ends of the buckets in `entrants`.
    ends: Vec<u32>,
    next: usize,
    /// Up to where `entrants` is sorted, and how many buckets that is.
    sorted: usize,
    reached: usize,
}

/// So few that insertion alone is quickest.
const ONE_BUCKET: usize = 16;

impl Buckets {
    fn new(entrants: impl Iterator<Item = Entrant>, count: usize) -> Buckets {
        if count <= ONE_BUCKET {
            let all = u32::try_from(count).unwrap_or(u32::MAX);
            return Buckets { entrants: entrants.collect(), ends: vec![all], next: 0, sorted: 0, reached: 0 };
        }
        let buckets = count.next_power_of_two();
        let shift = 64 - buckets.ilog2();
        // The complement, so that the greatest scores come first.
        let bucket = |score: u64| usize::try_from(!score >> shift).unwrap_or(usize::MAX);
        let mut ends = vec![0_u32; buckets];
        let unsorted: Vec<Entrant> = entrants.inspect(|(score, _)| ends[bucket(*score)] += 1).collect();
        let mut start = 0;
        for end in &mut ends {
            start += core::mem::replace(end, start);
        }
        let mut entrants = vec![(0, 0); count];
        for entrant in unsorted {
            let place = &mut ends[bucket(entrant.0)];
            entrants[*place as usize] = entrant;
            *place += 1;
        }
        Buckets { entrants, ends, next: 0, sorted: 0, reached: 0 }
    }

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.next == self.sorted && !self.sort_next_bucket() {
            return None;
        }
        let (_, position) = self.entrants[self.next];
        self.next += 1;
        Some(position)
    }

    /// Sorts the next bucket that holds anything; says whether there was one.
    #[inline]
    fn sort_next_bucket(&mut self) -> bool {
        let start = self.sorted;
        while let Some(&end) = self.ends.get(self.reached) {
            self.reached += 1;
            self.sorted = end as usize;
            if self.sorted > start {
                insertion_sort(&mut self.entrants[start..self.sorted]);
                return true;
            }
        }
        false
    }
}

/// Greatest first. Some buckets are longer than expected, and hostile digests can make them all one: then a sort that is never
/// quadratic takes over.
fn insertion_sort(entrants: &mut [Entrant]) {
    if entrants.len() > 2 * ONE_BUCKET {
        entrants.sort_unstable_by_key(|entrant| Reverse(*entrant));
        return;
    }
    for end in 1..entrants.len() {
        let one = entrants[end];
        let mut at = end;
        while at > 0 && entrants[at - 1].0 < one.0 {
            entrants[at] = entrants[at - 1];
            at -= 1;
        }
        entrants[at] = one;
    }
}

/// A weighted contender, greatest where it ranks first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked {
    scored: Scored,
    position: u32,
}

impl Ord for Ranked {
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

#[cfg(test)]
mod tests {
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
                    let weights = candidates.weights.clone().unwrap_or_else(|| vec![1; scores.len()]);
                    let mut naive: Vec<u32> = (0..).take(candidates.len()).collect();
                    let ratio = |at: u32| (scores[at as usize], weights[at as usize]);
                    naive.sort_by(|a, b| compare_plainly(ratio(*a), ratio(*b)).then(a.cmp(b)));
                    assert_eq!(candidates.best(digest), naive[0] as usize);
                    assert!(candidates.order(digest).eq(naive.iter().copied()));
                    for r in [0, 1, 2, 3, 16, 17, naive.len()] {
                        assert_eq!(candidates.top(digest, r), naive[..r.min(naive.len())]);
                    }
                }
            }
        }
    }

    #[test]
    fn buckets_sort_hostile_scores() {
        for scores in [vec![5; 0], (0..1_000).rev().collect(), (0..1_000).map(|i| u64::MAX - i).collect::<Vec<u64>>()] {
            let entrants: Vec<Entrant> = scores.iter().copied().zip(0..).collect();
            let mut buckets = Buckets::new(entrants.iter().copied(), entrants.len());
            let mut sorted = entrants.clone();
            sorted.sort_by_key(|entrant| Reverse(entrant.0));
            assert!(core::iter::from_fn(|| buckets.next()).eq(sorted.iter().map(|entrant| entrant.1)));
        }
    }
}
