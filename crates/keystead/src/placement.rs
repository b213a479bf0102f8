//! One door to the prepared form of every algorithm. All node numbers are indices.

use alloc::{boxed::Box, vec::Vec};

use crate::{
    Node,
    builder::{Algorithm, Parameters},
    cluster::Share,
    error::Error,
    hierarchy::Hierarchy,
    node::Entry,
    order::{Few, SHORT},
    rendezvous::{Rendezvous, RendezvousRanking},
    ring::Ring,
    slots::Slots,
};

/// Node indices, best first, found as they are asked for.
pub(crate) enum Ranks<'a> {
    /// By far the most common, and worth a type of its own: a step is a few nanoseconds.
    Rendezvous(RendezvousRanking<'a>),
    /// Where a few were asked for.
    Few(Few),
    Boxed(Box<dyn Iterator<Item = u32> + 'a>),
}

impl<'a> Ranks<'a> {
    pub(crate) fn slot(slots: &'a Slots, slot: u32) -> Ranks<'a> {
        Ranks::Boxed(Box::new(slots.ranking(slot)))
    }
}

impl Iterator for Ranks<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Ranks::Rendezvous(ranking) => ranking.next(),
            Ranks::Few(few) => few.next(),
            Ranks::Boxed(ranking) => ranking.next(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Ranks::Rendezvous(ranking) => ranking.size_hint(),
            Ranks::Few(few) => few.size_hint(),
            Ranks::Boxed(ranking) => ranking.size_hint(),
        }
    }

    /// Which kind it is, is asked once and not at every step.
    #[inline]
    fn fold<A, F: FnMut(A, u32) -> A>(self, start: A, f: F) -> A {
        match self {
            Ranks::Rendezvous(ranking) => ranking.fold(start, f),
            Ranks::Few(few) => few.fold(start, f),
            Ranks::Boxed(ranking) => ranking.fold(start, f),
        }
    }
}

/// The nodes of a cluster as its algorithm prepares them.
// With a tag of its own, which a lookup reads quicker than one hidden in what a field cannot be.
#[repr(u8)]
pub(crate) enum Placement {
    Rendezvous(Rendezvous),
    Ring(Ring),
    Slots(Slots),
    Hierarchy(Hierarchy),
}

impl Placement {
    pub(crate) fn new(parameters: &Parameters, entries: &[Entry<'_>]) -> Result<Placement, Error> {
        Ok(match parameters.algorithm {
            Algorithm::Rendezvous => Placement::Rendezvous(Rendezvous::new(entries)),
            Algorithm::Ring { space, .. } => Placement::Ring(Ring::new(entries, parameters.tokens_each(), space)?),
            Algorithm::Slots { slots, headroom } => {
                Placement::Slots(Slots::new(&parameters.hash, entries, slots, headroom))
            }
            Algorithm::Hierarchy => Placement::Hierarchy(Hierarchy::new(&parameters.hash, entries)?),
        })
    }

    /// The placement of other nodes under the same parameters: a ring merges, a slot table rescans only what it must.
    pub(crate) fn changed(
        &self,
        parameters: &Parameters,
        before: &[Entry<'_>],
        after: &[Entry<'_>],
    ) -> Result<Placement, Error> {
        match (self, parameters.algorithm) {
            (Placement::Ring(ring), Algorithm::Ring { space, .. }) => {
                ring.changed(before, after, parameters.tokens_each(), space).map(Placement::Ring)
            }
            (Placement::Slots(slots), Algorithm::Slots { .. }) => {
                Ok(Placement::Slots(slots.changed(&parameters.hash, before, after)))
            }
            _ => Placement::new(parameters, after),
        }
    }

    #[inline]
    pub(crate) fn owner(&self, digest: u64) -> u32 {
        match self {
            Placement::Rendezvous(rendezvous) => rendezvous.owner(digest),
            Placement::Ring(ring) => ring.owner_at(ring.coordinate(digest)),
            Placement::Slots(slots) => slots.owner(slots.slot(digest)),
            Placement::Hierarchy(hierarchy) => hierarchy.owner(digest),
        }
    }

    /// The nodes, where many keys are quicker answered [`KEYS`](keystead_avx512::KEYS) at a time than one by one, and from how many keys on.
    pub(crate) fn wide(&self) -> Option<(&Rendezvous, usize)> {
        let Placement::Rendezvous(rendezvous) = self else { return None };
        rendezvous.many().map(|many| (rendezvous, many))
    }

    /// The owner of a coordinate of a ring, or of a digest of a slot table; `None` outside a ring's space and of other algorithms.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would take half as long again as the look into the table")]
    pub(crate) fn owner_at(&self, coordinate: u64) -> Option<u32> {
        match self {
            Placement::Slots(slots) => Some(slots.owner(slots.slot(coordinate))),
            Placement::Ring(ring) if coordinate <= ring.last() => Some(ring.owner_at(coordinate)),
            _ => None,
        }
    }

    pub(crate) fn ranking(&self, digest: u64) -> Ranks<'_> {
        match self {
            Placement::Rendezvous(rendezvous) if rendezvous.len() <= SHORT => {
                Ranks::Few(rendezvous.few(digest, rendezvous.len()))
            }
            Placement::Rendezvous(rendezvous) => Ranks::Rendezvous(rendezvous.ranking(digest)),
            Placement::Ring(ring) => Ranks::Boxed(Box::new(ring.walk(ring.coordinate(digest)))),
            Placement::Slots(slots) => Ranks::slot(slots, slots.slot(digest)),
            Placement::Hierarchy(hierarchy) => Ranks::Boxed(Box::new(hierarchy.ranking(digest))),
        }
    }

    /// What `make` makes of the first `count` of the ranking.
    #[inline]
    pub(crate) fn top<T>(&self, digest: u64, count: usize, make: impl Fn(u32) -> T) -> Vec<T> {
        match self {
            Placement::Rendezvous(rendezvous) if count <= SHORT => {
                rendezvous.few(digest, count).as_slice().iter().map(|node| make(*node)).collect()
            }
            _ => self.ranking(digest).take(count).map(make).collect(),
        }
    }

    pub(crate) fn shares(&self, nodes: &[Node]) -> Vec<Share> {
        match self {
            Placement::Ring(ring) => {
                let space = ring.space().map_or(1 << 64, u128::from);
                ring.lengths(nodes.len()).into_iter().map(|length| Share::new(length, space)).collect()
            }
            Placement::Slots(slots) => {
                let all = slots.owners().len() as u128;
                slots.counts(nodes.len()).into_iter().map(|count| Share::new(count.into(), all)).collect()
            }
            // A domain's share is its weight over its siblings', so along a path the products shorten to weight over total.
            Placement::Rendezvous(_) | Placement::Hierarchy(_) => {
                let total = nodes.iter().map(|node| u128::from(node.get_weight())).sum();
                nodes.iter().map(|node| Share::new(node.get_weight().into(), total)).collect()
            }
        }
    }
}
