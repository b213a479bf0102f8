//! One door to the prepared form of every algorithm. All node numbers are indices.

use alloc::{boxed::Box, vec::Vec};

use crate::{
    Node,
    builder::{Algorithm, Parameters},
    cluster::Share,
    error::Error,
    hierarchy::Hierarchy,
    node::Entry,
    rendezvous::{Rendezvous, RendezvousRanking},
    ring::Ring,
    slots::Slots,
};

/// Node indices, best first, found as they are asked for.
pub(crate) enum Ranks<'a> {
    /// By far the most common, and worth a type of its own: a step is a few nanoseconds.
    Rendezvous(RendezvousRanking<'a>),
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
            Ranks::Boxed(ranking) => ranking.next(),
        }
    }
}

/// The nodes of a cluster as its algorithm prepares them.
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

    pub(crate) fn ranking(&self, digest: u64) -> Ranks<'_> {
        match self {
            Placement::Rendezvous(rendezvous) => Ranks::Rendezvous(rendezvous.ranking(digest)),
            Placement::Ring(ring) => Ranks::Boxed(Box::new(ring.walk(ring.coordinate(digest)))),
            Placement::Slots(slots) => Ranks::slot(slots, slots.slot(digest)),
            Placement::Hierarchy(hierarchy) => Ranks::Boxed(Box::new(hierarchy.ranking(digest))),
        }
    }

    /// The first `count` of the ranking.
    pub(crate) fn top(&self, digest: u64, count: usize) -> Vec<u32> {
        match self {
            Placement::Rendezvous(rendezvous) => rendezvous.top(digest, count),
            _ => self.ranking(digest).take(count).collect(),
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
