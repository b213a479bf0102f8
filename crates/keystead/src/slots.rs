//! `slots-1`: the key space is cut into a fixed number of pieces, and a table says which node owns each.
//!
//! Source: pieces of equal size apart from placement are strategy 3 of *Dynamo: Amazon's highly available key-value
//! store*, SOSP 2007; the order within a slot is that of [`rendezvous`](crate::rendezvous).

mod quota;

use alloc::{boxed::Box, vec, vec::Vec};

use keystead_avx512::KEYS;

pub use self::quota::caps;
use self::quota::deal;
use crate::{
    fate::{Fate, GONE, fates},
    hash::{Domain, Hash, draw, mulhi},
    node::Entry,
    order::Scored,
    rendezvous::Rendezvous,
};

/// The table of a cluster: the owner of every slot.
///
/// A slot's digest is that of its number as u32 in domain 3, and its ranking is that of `rendezvous-1` for this
/// digest. Without headroom the first of it owns the slot; with headroom, slots are taken in ascending order and each
/// goes to the first of its ranking that has fewer than its [cap](caps).
pub(crate) struct Slots {
    hash: Hash,
    nodes: Rendezvous,
    owners: Box<[u32]>,
    /// With headroom, the percentage and the first of each slot's ranking whether or not it is below its cap.
    headroom: Option<(u32, Box<[u32]>)>,
}

impl Slots {
    /// The table of these nodes, of which at least one must have a weight above 0; at least one slot, and at most
    /// 2^22.
    ///
    /// # Complexity
    /// O(slots × nodes), an addition and `mix64` for each.
    pub(crate) fn new(hash: &Hash, entries: &[Entry<'_>], slots: u32, headroom: Option<u32>) -> Slots {
        let nodes = Rendezvous::new(entries);
        let piece = |first: u32| {
            let mut digests = [0; KEYS];
            digests.iter_mut().zip(first..).for_each(|(place, slot)| *place = digest(hash, slot));
            nodes.owners(&digests)
        };
        let firsts = (0..slots).step_by(KEYS).flat_map(piece);
        let firsts = firsts.take(slots as usize).collect();
        Slots::fitted(hash, nodes, entries, firsts, headroom)
    }

    /// The table after a change: what [`Slots::new`] gives for the nodes `after`, made from this table of the nodes
    /// `before`.
    ///
    /// # Complexity
    /// O(slots × new or heavier nodes), since the others keep their order, and O(nodes) for each slot of a node that
    /// left or became lighter. With headroom the slots are dealt out anew, as every cap depends on the sum of the
    /// weights.
    pub(crate) fn changed(&self, hash: &Hash, before: &[Entry<'_>], after: &[Entry<'_>]) -> Slots {
        let nodes = Rendezvous::new(after);
        // The new index of each old node, GONE where its slots must be looked at afresh; and the nodes that may take
        // slots of others.
        let mut kept = vec![GONE; before.len()];
        let mut challengers = Vec::new();
        for fate in fates(before, after) {
            match fate {
                Fate::Kept { before: old, after: new } => {
                    let (was, is) = (before[old as usize].weight, after[new as usize].weight);
                    if is >= was {
                        kept[old as usize] = new;
                    }
                    if is > was {
                        challengers.push(new);
                    }
                }
                Fate::New { after: new } if after[new as usize].weight > 0 => challengers.push(new),
                Fate::New { .. } | Fate::Gone { .. } => {}
            }
        }
        if challengers.len() > after.len() / 8 {
            return Slots::new(hash, after, self.count(), self.headroom());
        }
        let score = |digest: u64, node: u32| {
            let entry = &after[node as usize];
            Scored::new(draw(digest, entry.digest), u64::from(entry.weight))
        };
        let first = |(slot, &old): (u32, &u32)| {
            let digest = digest(hash, slot);
            let holder = kept[old as usize];
            if holder == GONE {
                return nodes.owner(digest);
            }
            // Every node that is neither new nor heavier ranked behind the holder, and still does.
            let mut best = (score(digest, holder), holder);
            for &challenger in &challengers {
                let scored = score(digest, challenger);
                if scored.compare(&best.0).then(challenger.cmp(&best.1)).is_lt() {
                    best = (scored, challenger);
                }
            }
            best.1
        };
        let firsts = (0..).zip(self.firsts()).map(first).collect();
        Slots::fitted(hash, nodes, after, firsts, self.headroom())
    }

    /// The table in which the firsts own their slots, as far as caps let them.
    fn fitted(
        hash: &Hash,
        nodes: Rendezvous,
        entries: &[Entry<'_>],
        firsts: Box<[u32]>,
        headroom: Option<u32>,
    ) -> Slots {
        let Some(headroom) = headroom else {
            return Slots { hash: *hash, nodes, owners: firsts, headroom: None };
        };
        let owners = deal(entries, &firsts, headroom, |slot| digest(hash, slot));
        Slots { hash: *hash, nodes, owners, headroom: Some((headroom, firsts)) }
    }

    fn headroom(&self) -> Option<u32> {
        self.headroom.as_ref().map(|(headroom, _)| *headroom)
    }

    /// The number of slots.
    #[expect(clippy::cast_possible_truncation, reason = "the table was made for a number that is a u32")]
    fn count(&self) -> u32 {
        self.owners.len() as u32
    }

    /// The first of each slot's ranking, caps not considered.
    fn firsts(&self) -> &[u32] {
        self.headroom.as_ref().map_or(&self.owners, |(_, firsts)| firsts)
    }

    /// The slot of a digest: the upper 64 bits of its product with the number of slots.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of slots, which is a u32")]
    pub(crate) fn slot(&self, kd: u64) -> u32 {
        mulhi(kd, self.owners.len() as u64) as u32
    }

    /// The owner of a slot, which must be one.
    #[inline]
    pub(crate) fn owner(&self, slot: u32) -> u32 {
        self.owners[slot as usize]
    }

    /// The owner of every slot.
    pub(crate) fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// The ranking of a slot: its owner, then the others by rank.
    pub(crate) fn ranking(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let owner = self.owner(slot);
        // Nothing is scored unless more than the owner is asked for.
        let others = core::iter::once(slot).flat_map(|slot| self.nodes.ranking(digest(&self.hash, slot)));
        core::iter::once(owner).chain(others.filter(move |&node| node != owner))
    }

    /// For each node the number of its slots.
    pub(crate) fn counts(&self, nodes: usize) -> Vec<u32> {
        let mut counts = vec![0; nodes];
        self.owners.iter().for_each(|&owner| counts[owner as usize] += 1);
        counts
    }
}

#[inline]
fn digest(hash: &Hash, slot: u32) -> u64 {
    hash.digest(Domain::Slot, &slot.to_le_bytes())
}
