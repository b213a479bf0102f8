//! One contest of contenders with unequal weights: by cost / weight.
//!
//! [`ratio`]s bound cost / weight from below and above, and nearly always tell who is first. Where two are so near that they do not, the
//! exact comparison of [`Ranked`] does.

use alloc::vec::Vec;
use core::{
    cmp::{Ordering, Reverse},
    hint::select_unpredictable,
    iter,
    ops::Range,
};

use keystead_avx512::Avx512;

use super::{
    Scored, cost_bounds,
    ranked::Few,
    weights::{Weights, is_behind, ratio, slack},
};
use crate::hash::mix64;

/// Among so many first ones, a branch on who is better would be mispredicted too often to be worth it.
const BRANCH_FREE: usize = 16;

/// So many are put in order at first, then as many as there have been.
const STEP: usize = 32;

/// Of up to so many, the first few are found sooner by sorting than by passing them one by one. And among so many first ones those that may
/// lead are too many for wide instructions, whose way from one to the next is long.
const NEAR: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightedContest<'a> {
    pub(super) addends: &'a [u64],
    /// As many.
    pub(super) weights: &'a Weights,
    pub(super) digest: u64,
    pub(super) avx512: Option<Avx512>,
}

impl<'a> WeightedContest<'a> {
    fn len(&self) -> usize {
        self.addends.len()
    }

    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^20 contenders")]
    fn ranked(&self, position: usize) -> Ranked {
        let score = mix64(self.digest.wrapping_add(self.addends[position]));
        Ranked { scored: Scored::new(score, self.weights.all()[position]), position: position as u32 }
    }

    /// The [`ratio`]s of the first contenders, each with its inverse.
    fn ratios(&self, count: usize) -> impl Iterator<Item = (i64, u64)> + use<'a> {
        let digest = self.digest;
        self.addends[..count].iter().zip(&self.weights.inverses()[..count]).map(move |(addend, inverse)| {
            let (_, cost) = cost_bounds(mix64(digest.wrapping_add(*addend)));
            (ratio(cost, *inverse), *inverse)
        })
    }

    /// The position of the first by rank: the first [`BRANCH_FREE`] by bounds; the rest, most of which a simpler bound tells to be behind,
    /// one by one.
    pub(super) fn best(&self) -> usize {
        let all = self.len();
        let near = all.min(BRANCH_FREE);
        let leader = self.best_by_bounds(near).unwrap_or_else(|| self.best_from(0, 1..near, None));
        if near == all {
            return leader;
        }
        let middle = if self.avx512.is_some() { all.min(NEAR) } else { all };
        let leader = self.best_from(leader, near..middle, None);
        if middle == all { leader } else { self.best_from(leader, middle..all, self.avx512) }
    }

    /// The position of the best of the first contenders, if bounds tell: no branch that could be mispredicted.
    #[inline(never)]
    fn best_by_bounds(&self, count: usize) -> Option<usize> {
        let (mut at, mut best, mut least_of_best) = (0, i64::MAX, i64::MAX);
        // The least that any other can be.
        let mut others = i64::MAX;
        for (position, (ratio, inverse)) in self.ratios(count).enumerate() {
            let least = ratio - slack(inverse);
            let better = ratio < best;
            others = others.min(select_unpredictable(better, least_of_best, least));
            best = select_unpredictable(better, ratio, best);
            least_of_best = select_unpredictable(better, least, least_of_best);
            at = select_unpredictable(better, position, at);
        }
        (best <= others).then_some(at)
    }

    /// The position of the best of a leader and some contenders.
    #[inline(never)]
    fn best_from(&self, leader: usize, mut contenders: Range<usize>, avx512: Option<Avx512>) -> usize {
        let (mut at, mut best) = (leader, self.ranked(leader));
        while let Some(next) = self.next_within(contenders.clone(), self.weights.limit(&best.scored, at), avx512) {
            contenders.start = next + 1;
            let contender = self.ranked(next);
            if contender > best {
                (at, best) = (next, contender);
            }
        }
        at
    }

    /// The position of the next contender that is not certainly behind the limit.
    #[inline]
    fn next_within(&self, contenders: Range<usize>, limit: u64, avx512: Option<Avx512>) -> Option<usize> {
        let digest = self.digest;
        let (addends, rough) = (&self.addends[contenders.clone()], &self.weights.rough()[contenders.clone()]);
        let may_lead = |(addend, rough): (&u64, &u64)| !is_behind(limit, mix64(digest.wrapping_add(*addend)), *rough);
        let further = match avx512 {
            Some(avx512) => avx512.next_within(digest, addends, rough, limit),
            None => addends.iter().zip(rough).position(may_lead),
        };
        further.map(|further| contenders.start + further)
    }

    /// The first `count` positions by other names, best first, of which there may be at most [`SHORT`](super::SHORT).
    pub(super) fn few(&self, count: usize, name: impl Fn(u32) -> u32) -> Few {
        let count = count.min(self.len());
        if self.len() <= NEAR {
            let mut order = self.order();
            return Few::of(iter::from_fn(|| order.next()).take(count).map(name));
        }
        let mut few: Vec<Ranked> = (0..count).map(|position| self.ranked(position)).collect();
        few.sort_unstable_by_key(|ranked| Reverse(*ranked));
        if let Some(mut last) = few.last().copied() {
            // What may be among the first is too frequent for wide instructions.
            let mut contenders = count..self.len();
            let limit = |last: &Ranked| self.weights.limit(&last.scored, last.position as usize);
            while let Some(next) = self.next_within(contenders.clone(), limit(&last), None) {
                contenders.start = next + 1;
                let contender = self.ranked(next);
                if contender > last {
                    few.pop();
                    few.insert(few.partition_point(|other| *other > contender), contender);
                    last = few[count - 1];
                }
            }
        }
        Few::of(few.iter().map(|ranked| name(ranked.position)))
    }

    /// All positions, best first, each found when it is asked for.
    pub(super) fn order(&self) -> WeightedOrder<'a> {
        let places = self.len().next_power_of_two() as u64 - 1;
        let ratios = self.ratios(self.len()).zip(0..);
        let packed = ratios.map(|((ratio, _), position)| ((ratio.cast_unsigned() << 1) & !places) | position).collect();
        // Twice, as ratios are packed; and each has lost at most `places`.
        let gap = 2 * (self.weights.most_slack().cast_unsigned() + places);
        WeightedOrder { contest: *self, packed, places, gap, next: 0, settled: 0, sorted: 0 }
    }
}

/// Contenders in their order, found as far as it is asked for.
///
/// Each is *packed* into one number: twice its ratio, and in place of the lowest bits its position. Sorted, they are in their order wherever
/// the gap between two is wide enough; what lies between two such gaps is compared exactly.
#[derive(Clone, Debug)]
pub(crate) struct WeightedOrder<'a> {
    contest: WeightedContest<'a>,
    packed: Vec<u64>,
    /// The bits that hold the position.
    places: u64,
    /// So far apart, two are certainly in their order.
    gap: u64,
    next: usize,
    /// Up to where all are in their order.
    settled: usize,
    /// Up to where `packed` is sorted.
    sorted: usize,
}

impl WeightedOrder<'_> {
    /// How many are left.
    pub(super) fn len(&self) -> usize {
        self.packed.len() - self.next
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u32> {
        if self.next == self.settled {
            self.settle(STEP);
        }
        let packed = self.packed.get(self.next)?;
        self.next += 1;
        Some(self.position(*packed))
    }

    /// All that is left, one after the other.
    pub(super) fn fold<A>(mut self, start: A, mut f: impl FnMut(A, u32) -> A) -> A {
        let mut all = start;
        while self.next < self.packed.len() {
            if self.next == self.settled {
                self.settle(self.packed.len());
            }
            let stretch = &self.packed[self.next..self.settled];
            all = stretch.iter().fold(all, |all, packed| f(all, self.position(*packed)));
            self.next = self.settled;
        }
        all
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^20 contenders")]
    fn position(&self, packed: u64) -> u32 {
        (packed & self.places) as u32
    }

    /// Sorts so many further ones at least, as many again as there have been, and more until the next is known.
    #[inline(never)]
    fn settle(&mut self, step: usize) {
        let all = self.packed.len();
        while self.settled == self.next && self.sorted < all {
            let (start, end) = (self.sorted, all.min(self.sorted.saturating_add(step.max(self.sorted))));
            if end < all {
                self.packed[start..].select_nth_unstable(end - start);
            }
            self.packed[start..end].sort_unstable();
            self.sorted = end;
            // What follows the last wide gap could yet have another before it.
            let mut group = self.next;
            for at in self.next + 1..=end {
                if at == all || (at < end && self.packed[at] - self.packed[at - 1] >= self.gap) {
                    if at - group > 1 {
                        self.compare(group..at);
                    }
                    group = at;
                }
            }
            self.settled = group;
        }
    }

    #[cold]
    fn compare(&mut self, group: Range<usize>) {
        let (contest, places) = (self.contest, self.places);
        let place = |packed: &u64| usize::try_from(packed & places).unwrap_or(usize::MAX);
        self.packed[group].sort_by_cached_key(|packed| Reverse(contest.ranked(place(packed))));
    }
}

/// A weighted contender, greatest where it ranks first.
#[derive(Clone, Copy, Debug)]
struct Ranked {
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
