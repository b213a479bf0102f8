//! How many slots a node may have, and who gets them.

use alloc::{boxed::Box, vec::Vec};
use core::cmp::Reverse;

use crate::{node::Entry, order::Candidates};

/// The most slots that each node may have, by weight, with `headroom` percent above its proportional share.
///
/// With `total` the sum of the weights, in exact arithmetic: for a headroom above 0, `ceil(slots × weight × (100 +
/// headroom) / (100 × total))`. For headroom 0 the caps are quotas that add up to the slots: `floor(slots × weight /
/// total)`, and the slots left over go one each to the largest remainders of this division, equal remainders by
/// position. A weight of 0 has the cap 0.
///
/// ```
/// # use keystead::caps;
/// assert_eq!(caps(10, &[1, 1, 2, 0], 0), [3, 2, 5, 0]);  // 2.5, 2.5 and 5: one is left over
/// assert_eq!(caps(10, &[1, 1, 2, 0], 25), [4, 4, 7, 0]); // 3.125, 3.125 and 6.25
/// ```
///
/// # Source
/// For headroom: V. Mirrokni, M. Thorup and M. Zadimoghaddam, *Consistent hashing with bounded loads*, SODA 2018,
/// arXiv:1608.01350. For quotas: the method of largest remainders (Hamilton, Hare–Niemeyer).
pub fn caps(slots: u32, weights: &[u32], headroom: u32) -> Vec<u64> {
    let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
    if total == 0 {
        return weights.iter().map(|_| 0).collect();
    }
    if headroom > 0 {
        let share = |&weight: &u32| ceiling(slots, weight, headroom, total);
        return weights.iter().map(share).collect();
    }
    let products = || weights.iter().map(|&weight| u64::from(slots) * u64::from(weight));
    let mut caps: Vec<u64> = products().map(|product| product / total).collect();
    let mut remainders: Vec<(Reverse<u64>, usize)> =
        products().map(|product| Reverse(product % total)).zip(0..).collect();
    remainders.sort_unstable();
    // As many as the remainders add up to totals, so fewer than there are nodes with a remainder.
    let left_over = u64::from(slots) - caps.iter().sum::<u64>();
    for (_, (_, node)) in (0..left_over).zip(remainders) {
        caps[node] += 1;
    }
    caps
}

/// The numerator needs up to 65 bits. The quotient does not, as a weight is at most the total.
#[expect(clippy::cast_possible_truncation, reason = "at most slots × (100 + headroom) / 100, rounded up")]
fn ceiling(slots: u32, weight: u32, headroom: u32, total: u64) -> u64 {
    (u128::from(slots) * u128::from(weight) * (100 + u128::from(headroom))).div_ceil(100 * u128::from(total)) as u64
}

/// Deals the slots out in ascending order: each to the first of its ranking that has fewer slots than its cap.
///
/// `firsts` are the first of each ranking, `digest` gives a slot's. There is always somebody left, since caps add up
/// to the slots at least.
pub(super) fn deal(entries: &[Entry<'_>], firsts: &[u32], headroom: u32, digest: impl Fn(u32) -> u64) -> Box<[u32]> {
    let weights: Vec<u32> = entries.iter().map(|entry| entry.weight).collect();
    let slots = u32::try_from(firsts.len()).unwrap_or(u32::MAX);
    let mut left = caps(slots, &weights, headroom);
    let mut open = Open::new(entries, &left);
    let deal_one = |(slot, &first): (u32, &u32)| {
        let mut owner = first;
        if left[owner as usize] == 0 {
            if open.is_stale {
                open = Open::new(entries, &left);
            }
            owner = open.first(digest(slot)).unwrap_or(owner);
        }
        left[owner as usize] -= 1;
        open.is_stale |= left[owner as usize] == 0;
        owner
    };
    (0..).zip(firsts).map(deal_one).collect()
}

/// The nodes that are below their caps.
struct Open {
    candidates: Candidates,
    nodes: Vec<u32>,
    /// Whether one of them has reached its cap since.
    is_stale: bool,
}

impl Open {
    fn new(entries: &[Entry<'_>], left: &[u64]) -> Open {
        let open = || (0..).zip(entries).zip(left).filter(|(_, left)| **left > 0).map(|(entry, _)| entry);
        Open {
            candidates: Candidates::new(open().map(|(_, entry)| (entry.digest, u64::from(entry.weight)))),
            nodes: open().map(|(node, _)| node).collect(),
            is_stale: false,
        }
    }

    fn first(&self, digest: u64) -> Option<u32> {
        self.nodes.get(self.candidates.best(digest)).copied()
    }
}
