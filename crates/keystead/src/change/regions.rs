//! What moves between two rings on one circle: exact, and what a store needs to copy.

use alloc::vec::Vec;
use core::iter::Peekable;

use crate::{Cluster, RingArc, placement::Placement};

/// An arc `(start, end]` of a ring that moves, by the numbers of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) length: u128,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// The owners on a ring, walking up from the lowest coordinate.
struct Owners<'a, I: Iterator<Item = RingArc>> {
    arcs: Peekable<I>,
    names: &'a [u32],
    /// The owner of the lowest arc, which is met again above the highest token.
    lowest: u32,
    highest: u64,
}

impl<'a, I: Iterator<Item = RingArc>> Owners<'a, I> {
    fn new(arcs: I, names: &'a [u32]) -> Owners<'a, I> {
        let mut arcs = arcs.peekable();
        let (lowest, highest) = arcs.peek().map_or((0, 0), |arc| (arc.node, arc.start));
        Owners { arcs, names, lowest, highest }
    }

    /// The next token, if one is left.
    fn next_token(&mut self) -> Option<u64> {
        self.arcs.peek().map(|arc| arc.end)
    }

    /// The owner of what lies before the next token, and a step past that token if it is this one.
    fn owner_up_to(&mut self, token: u64) -> u32 {
        let node = self.arcs.peek().map_or(self.lowest, |arc| arc.node);
        self.arcs.next_if(|arc| arc.end == token);
        self.names[node as usize]
    }
}

/// The arcs whose owner changes between two rings on one circle, ascending by end; neighbours that move between the same two nodes are
/// one. Each ring comes with the names of its nodes.
///
/// # Complexity
/// One walk along both rings.
pub(super) fn moved_arcs(before: (&Cluster, &[u32]), after: (&Cluster, &[u32])) -> Vec<Arc> {
    let (Placement::Ring(old), Placement::Ring(new)) = (&before.0.inner.placement, &after.0.inner.placement) else {
        return Vec::new();
    };
    let space = old.space().map_or(1 << 64, u128::from);
    let (mut old, mut new) = (Owners::new(old.arcs(), before.1), Owners::new(new.arcs(), after.1));
    let highest = old.highest.max(new.highest);
    let mut moved: Vec<Arc> = Vec::new();
    let mut start = highest;
    while let Some(end) = [old.next_token(), new.next_token()].into_iter().flatten().min() {
        let (from, to) = (old.owner_up_to(end), new.owner_up_to(end));
        // Only the first piece begins above its end: it runs through 0.
        let base = if start < end { 0 } else { space };
        let length = base + u128::from(end) - u128::from(start);
        match moved.last_mut() {
            _ if from == to => {}
            Some(arc) if (arc.end, arc.from, arc.to) == (start, from, to) => {
                arc.end = end;
                arc.length += length;
            }
            _ => moved.push(Arc { start, end, length, from, to }),
        }
        start = end;
    }
    if let [first, .., last] = &mut *moved
        && (last.end, last.from, last.to) == (first.start, first.from, first.to)
    {
        first.start = last.start;
        first.length += last.length;
        moved.pop();
    }
    moved
}
