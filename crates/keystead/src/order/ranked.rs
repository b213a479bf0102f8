//! Contenders in the order of their scores: a few at once, many as they are asked for.

use alloc::{vec, vec::Vec};
use core::{cmp::Reverse, hint::select_unpredictable};

use crate::hash::{mix64, mix64_unfinished};

/// Up to this many, the first r are kept in a sorted list while the contenders pass by.
pub(crate) const SHORT: usize = 16;

/// The first positions of a ranking, at most [`SHORT`], without memory of their own.
#[derive(Clone, Debug)]
pub(crate) struct Few {
    positions: [u32; SHORT],
    next: usize,
    end: usize,
}

impl Few {
    /// The first of what is given, best first.
    pub(crate) fn of(positions: impl Iterator<Item = u32>) -> Few {
        let mut few = Few { positions: [0; SHORT], next: 0, end: 0 };
        for (place, position) in few.positions.iter_mut().zip(positions) {
            *place = position;
            few.end += 1;
        }
        few
    }

    /// The first `wanted` of `count` scores by position, by other names; no two scores are equal.
    #[inline]
    pub(super) fn of_scores(
        scores: impl Iterator<Item = u64>,
        count: usize,
        wanted: usize,
        name: impl Fn(u32) -> u32,
    ) -> Few {
        let wanted = wanted.min(count).min(SHORT);
        if count <= SHORT && 2 * wanted > count {
            return Few::of_most(scores, count, wanted, name);
        }
        let mut kept = [(0, 0); SHORT];
        let list = &mut kept[..wanted];
        if count <= SHORT {
            // So few that whether one is kept at all could not be predicted.
            scores.zip(0..).for_each(|entrant| insert(list, entrant));
        } else if wanted > 0 {
            scores.zip(0..).for_each(|entrant| {
                if entrant.0 >= list[wanted - 1].0 {
                    insert(list, entrant);
                }
            });
        }
        Few::of(list.iter().map(|(_, position)| name(*position)))
    }

    /// The same of at most [`SHORT`]: each has the place that so many are above it, which takes no branch that could be mispredicted.
    #[inline]
    fn of_most(scores: impl Iterator<Item = u64>, count: usize, wanted: usize, name: impl Fn(u32) -> u32) -> Few {
        let mut all = [0; SHORT];
        all.iter_mut().zip(scores).for_each(|(place, score)| *place = score);
        let all = &all[..count];
        let mut few = Few { positions: [0; SHORT], next: 0, end: wanted };
        for (position, score) in (0..).zip(all) {
            let above: usize = all.iter().map(|other| usize::from(other > score)).sum();
            few.positions[above] = name(position);
        }
        few
    }

    /// What is left, best first.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.positions[self.next..self.end]
    }
}

impl Iterator for Few {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let position = self.positions[..self.end].get(self.next)?;
        self.next += 1;
        Some(*position)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }

    #[inline]
    fn fold<A, F: FnMut(A, u32) -> A>(self, start: A, f: F) -> A {
        self.as_slice().iter().copied().fold(start, f)
    }
}

impl ExactSizeIterator for Few {}

/// Puts an entrant into a list that is sorted, greatest first, and pushes the last one out. No two scores are equal, so what
/// meets its like is a place that is empty, and takes it.
#[inline]
fn insert(list: &mut [(u64, u32)], (mut score, mut position): (u64, u32)) {
    for place in list {
        // Selects instead of a branch: where the entrant belongs could not be predicted.
        let first = score >= place.0;
        let further = (select_unpredictable(first, place.0, score), select_unpredictable(first, place.1, position));
        *place = (select_unpredictable(first, score, place.0), select_unpredictable(first, position, place.1));
        (score, position) = further;
    }
}

/// One contest of contenders with equal weights: the larger score is first.
///
/// A contender is *packed* into one number, the upper bits of its score and in place of the lowest its position, since numbers are sorted in half
/// the time of pairs. Two that agree in those upper bits, which of random scores one pair in 2^44 or more does, are *unclear*: then the
/// scores themselves decide.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contest<'a> {
    addends: &'a [u64],
    digest: u64,
    /// The bits that hold the position.
    places: u64,
}

impl<'a> Contest<'a> {
    pub(super) fn new(addends: &'a [u64], digest: u64) -> Contest<'a> {
        Contest { addends, digest, places: addends.len().next_power_of_two() as u64 - 1 }
    }

    fn len(&self) -> usize {
        self.addends.len()
    }

    fn scores(&self) -> impl Iterator<Item = u64> + use<'a> {
        let digest = self.digest;
        self.addends.iter().map(move |addend| mix64(digest.wrapping_add(*addend)))
    }

    fn packed(&self) -> impl Iterator<Item = u64> + use<'a> {
        let places = self.places;
        self.scores().zip(0..).map(move |(score, position)| (score & !places) | position)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^20 contenders")]
    fn position(&self, packed: u64) -> u32 {
        (packed & self.places) as u32
    }

    #[cold]
    fn sort_by_score(&self, packed: &mut [u64]) {
        let score = |packed: &u64| mix64(self.digest.wrapping_add(self.addends[self.position(*packed) as usize]));
        packed.sort_unstable_by_key(|packed| Reverse(score(packed)));
    }
}

/// Scores are uniform, so a counting pass over their top bits puts each within a step or two of its place; what is left is done by
/// insertion when it is reached.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<'a> {
    contest: Contest<'a>,
    /// Packed contenders bucket by bucket, greatest scores first.
    packed: Vec<u64>,
    /// A score without its lowest `shift` bits says which bucket it is in.
    shift: u32,
    next: usize,
    /// Up to where `packed` is sorted.
    sorted: usize,
}

/// Up to so many buckets are counted on the stack.
const NEAR: usize = 256;

/// So many are sorted at a time.
const STEP: usize = 32;

impl<'a> Buckets<'a> {
    /// Of at least two contenders.
    pub(super) fn new(contest: Contest<'a>) -> Buckets<'a> {
        let buckets = contest.len().next_power_of_two();
        let shift = 64 - buckets.ilog2();
        // The complement, so that the greatest scores come first.
        let bucket = |score: u64| usize::try_from(!score >> shift).unwrap_or(usize::MAX);
        let (mut near, mut far) = ([0_u32; NEAR], Vec::new());
        let starts = if buckets > NEAR {
            far.resize(buckets, 0);
            far.as_mut_slice()
        } else {
            &mut near[..buckets]
        };
        // There are at most 2^20 contenders, so the bits that are settled before a score's last step say which bucket it is in.
        let digest = contest.digest;
        let tops = contest.addends.iter().map(|addend| mix64_unfinished(digest.wrapping_add(*addend)));
        tops.for_each(|top| starts[bucket(top)] += 1);
        let mut start = 0;
        for place in &mut *starts {
            start += core::mem::replace(place, start);
        }
        let mut placed = vec![0; contest.len()];
        for packed in contest.packed() {
            let place = &mut starts[bucket(packed)];
            placed[*place as usize] = packed;
            *place += 1;
        }
        Buckets { contest, packed: placed, shift, next: 0, sorted: 0 }
    }

    /// How many are left.
    pub(super) fn len(&self) -> usize {
        self.packed.len() - self.next
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u32> {
        if self.next == self.sorted {
            self.sort_on();
        }
        let packed = self.packed.get(self.next)?;
        self.next += 1;
        Some(self.contest.position(*packed))
    }

    /// All that is left, one after the other.
    pub(super) fn fold<A>(mut self, start: A, mut f: impl FnMut(A, u32) -> A) -> A {
        let mut all = start;
        while self.next < self.packed.len() {
            if self.next == self.sorted {
                self.sort_on();
            }
            let stretch = &self.packed[self.next..self.sorted];
            all = stretch.iter().fold(all, |all, packed| f(all, self.contest.position(*packed)));
            self.next = self.sorted;
        }
        all
    }

    /// Sorts some more, up to the end of a bucket.
    #[inline(never)]
    fn sort_on(&mut self) {
        let start = self.sorted;
        let mut end = self.packed.len().min(start + STEP);
        let bucket = |at: usize| self.packed[at] >> self.shift;
        while end < self.packed.len() && bucket(end) == bucket(end - 1) {
            end += 1;
        }
        let stretch = &mut self.packed[start..end];
        // Those that agree in so many upper bits are in one bucket.
        if !sort(stretch, self.contest.places) {
            self.contest.sort_by_score(stretch);
        }
        self.sorted = end;
    }
}

/// Greatest first. Whether all is clear: no two are equal but for the bits of `places`.
///
/// Hostile digests can put everything into one bucket: then a sort that is never quadratic takes over.
fn sort(list: &mut [u64], places: u64) -> bool {
    if list.len() > 2 * STEP {
        list.sort_unstable_by_key(|one| Reverse(*one));
        return list.windows(2).all(|pair| pair[0] > pair[1] | places);
    }
    // First what is one place off, by selects; whatever is further off is so seldom that a branch on it is predicted well.
    for first in 0..2.min(list.len()) {
        for pair in list[first..].as_chunks_mut::<2>().0 {
            let [a, b] = *pair;
            *pair = [a.max(b), a.min(b)];
        }
    }
    let mut clear = true;
    for end in 1..list.len() {
        let one = list[end];
        let mut at = end;
        while at > 0 && list[at - 1] <= one | places {
            clear &= list[at - 1] | places != one | places;
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = one;
    }
    clear
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_what_nobody_sends() {
        let lists: [Vec<u64>; 3] = [vec![5, 9], (0..1_000).rev().collect(), (0..1_000).map(|i| u64::MAX - i).collect()];
        for mut list in lists {
            let mut sorted = list.clone();
            sorted.sort_by_key(|one| Reverse(*one));
            assert!(sort(&mut list, 0));
            assert_eq!(list, sorted);
            assert!(!sort(&mut list, 15));
        }
    }
}
