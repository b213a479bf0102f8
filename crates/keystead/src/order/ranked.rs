//! Contenders in the order of their scores: a few at once, many as they are asked for.

use alloc::{vec, vec::Vec};
use core::cmp::Reverse;

/// A contender with its score, ordered as their scores are.
pub(super) type Entrant = (u64, u32);

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

    /// The first `wanted` of `count` entrants by score.
    #[inline]
    pub(super) fn of_scores(entrants: impl Iterator<Item = Entrant>, count: usize, wanted: usize) -> Few {
        let wanted = wanted.min(count).min(SHORT);
        let mut kept = [(0, 0); SHORT];
        let list = &mut kept[..wanted];
        if count <= SHORT {
            // So few that whether one is kept at all could not be predicted.
            entrants.enumerate().for_each(|(before, entrant)| insert(&mut list[..wanted.min(before + 1)], entrant));
        } else if wanted > 0 {
            entrants.for_each(|entrant| {
                if entrant.0 >= list[wanted - 1].0 {
                    insert(list, entrant);
                }
            });
        }
        let mut few = Few { positions: [0; SHORT], next: 0, end: wanted };
        for (position, kept) in few.positions.iter_mut().zip(&kept[..wanted]) {
            *position = kept.1;
        }
        few
    }

    /// What is left, best first.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.positions[self.next..self.end]
    }

    /// With other names for the positions.
    #[inline]
    pub(crate) fn renamed(mut self, names: &[u32]) -> Few {
        self.positions[..self.end].iter_mut().for_each(|position| *position = names[*position as usize]);
        self
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
}

impl ExactSizeIterator for Few {}

/// Puts an entrant into a list that is sorted, greatest first, and pushes the last one out. No two scores are equal, so what
/// meets its like is a place that is empty, and takes it.
#[inline]
fn insert(list: &mut [Entrant], mut entrant: Entrant) {
    for place in list {
        // Selects instead of a branch: where the entrant belongs could not be predicted.
        let (here, further) = if entrant.0 >= place.0 { (entrant, *place) } else { (*place, entrant) };
        (*place, entrant) = (here, further);
    }
}

/// The greatest `count` of what passes by, greatest first.
pub(super) fn top<T: Copy + Ord>(passing: impl Iterator<Item = T>, count: usize) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(count + 1);
    for one in passing {
        if kept.len() == count && kept.last().is_none_or(|last| one <= *last) {
            continue;
        }
        let at = kept.iter().rposition(|other| *other > one).map_or(0, |above| above + 1);
        kept.insert(at, one);
        kept.truncate(count);
    }
    kept
}

/// Scores are uniform, so a counting pass over their top bits puts each within a step or two of its place; what is left is done by
/// insertion when it is reached.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    /// Bucket by bucket, greatest scores first.
    entrants: Vec<Entrant>,
    /// A score without its lowest `shift` bits says which bucket it is in.
    shift: u32,
    next: usize,
    /// Up to where `entrants` is sorted.
    sorted: usize,
}

/// So many are sorted at a time.
const STEP: usize = 32;

impl Buckets {
    /// Of at least two entrants, before whom come their scores alone, of which only the upper bits need be right.
    pub(super) fn new(
        tops: impl Iterator<Item = u64>,
        entrants: impl Iterator<Item = Entrant>,
        count: usize,
    ) -> Buckets {
        let buckets = count.next_power_of_two();
        let shift = 64 - buckets.ilog2();
        // The complement, so that the greatest scores come first.
        let bucket = |score: u64| usize::try_from(!score >> shift).unwrap_or(usize::MAX);
        let mut starts = vec![0_u32; buckets];
        tops.for_each(|top| starts[bucket(top)] += 1);
        let mut start = 0;
        for place in &mut starts {
            start += core::mem::replace(place, start);
        }
        let mut placed = vec![(0, 0); count];
        for entrant in entrants {
            let place = &mut starts[bucket(entrant.0)];
            placed[*place as usize] = entrant;
            *place += 1;
        }
        Buckets { entrants: placed, shift, next: 0, sorted: 0 }
    }

    /// How many are left.
    pub(super) fn len(&self) -> usize {
        self.entrants.len() - self.next
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<u32> {
        if self.next == self.sorted {
            self.sort_on();
        }
        let (_, position) = self.entrants.get(self.next)?;
        self.next += 1;
        Some(*position)
    }

    /// Sorts some more, up to the end of a bucket.
    fn sort_on(&mut self) {
        let start = self.sorted;
        let mut end = self.entrants.len().min(start + STEP);
        let bucket = |at: usize| self.entrants[at].0 >> self.shift;
        while end < self.entrants.len() && bucket(end) == bucket(end - 1) {
            end += 1;
        }
        sort(&mut self.entrants[start..end]);
        self.sorted = end;
    }
}

/// Greatest first. Hostile digests can put everything into one bucket: then a sort that is never quadratic takes over.
fn sort(entrants: &mut [Entrant]) {
    if entrants.len() > 2 * STEP {
        entrants.sort_unstable_by_key(|entrant| Reverse(*entrant));
        return;
    }
    // First what is one place off, by selects; whatever is further off is so seldom that a branch on it is predicted well.
    for first in 0..2.min(entrants.len()) {
        for pair in entrants[first..].as_chunks_mut::<2>().0 {
            let [a, b] = *pair;
            *pair = if a.0 < b.0 { [b, a] } else { [a, b] };
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_sort_hostile_scores() {
        let scores: [Vec<u64>; 3] =
            [vec![5, 9], (0..1_000).rev().collect(), (0..1_000).map(|i| u64::MAX - i).collect()];
        for scores in scores {
            let entrants: Vec<Entrant> = scores.iter().copied().zip(0..).collect();
            let mut buckets = Buckets::new(scores.iter().copied(), entrants.iter().copied(), entrants.len());
            let mut sorted = entrants.clone();
            sorted.sort_by_key(|entrant| Reverse(entrant.0));
            assert!(core::iter::from_fn(|| buckets.next()).eq(sorted.iter().map(|entrant| entrant.1)));
        }
    }
}
