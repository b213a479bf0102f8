//! `rendezvous-1`: every node scores the key, the best score by weight owns it (highest random weight, HRW).
//!
//! The score of a node is `draw(kd, nd)`. The order is that of [`order`](crate::order): a node wins with probability weight / total.
//! A new or heavier node only takes keys, a removed or lighter one only gives its own, and the others keep their order.
//!
//! Source: D. Thaler and C. Ravishankar, *Using name-based mappings to increase hit rates*, IEEE/ACM Transactions on Networking 6(1),
//! 1998; the weights as in C. Schindelhauer and G. Schomaker, *Weighted distributed hash tables*, SPAA 2005.

use core::cmp::Ordering;

#[cfg(feature = "alloc")]
pub(crate) use cluster::{Rendezvous, RendezvousRanking};

use crate::{
    error::Error,
    hash::{Domain, GOLDEN, Hash, mix64},
    node::validate_id,
    order::Scored,
};

/// A node prepared for scoring, in memory that the caller owns: for programs without an allocator.
#[derive(Clone, Copy, Debug)]
pub struct PreparedNode<'a> {
    id: &'a str,
    weight: u32,
    addend: u64,
}

impl<'a> PreparedNode<'a> {
    /// Digests the id once; afterwards a node costs an addition and `mix64` a key.
    ///
    /// # Errors
    /// `invalid_id`.
    pub fn new(hash: &Hash, id: &'a str, weight: u32) -> Result<PreparedNode<'a>, Error> {
        validate_id(id)?;
        let addend = hash.digest(Domain::Node, id.as_bytes()).wrapping_mul(GOLDEN);
        Ok(PreparedNode { id, weight, addend })
    }

    /// The id.
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// The weight.
    pub const fn weight(&self) -> u32 {
        self.weight
    }

    /// The node's score for a key's digest: `draw(kd, nd)`.
    #[inline]
    pub const fn score(&self, key_digest: u64) -> u64 {
        mix64(key_digest.wrapping_add(self.addend))
    }
}

/// The owner of a key among prepared nodes; `None` where none has a weight above 0.
///
/// The order of the slice never matters. Two nodes with one id answer alike, so a repeated id does no harm here.
///
/// ```
/// use keystead::{Domain, Hash, PreparedNode, rendezvous_owner};
/// let hash = Hash::xxh3(0);
/// let nodes = [PreparedNode::new(&hash, "cache-a", 1)?, PreparedNode::new(&hash, "cache-b", 2)?];
/// let owner = rendezvous_owner(hash.digest(Domain::Key, b"user:42"), &nodes);
/// assert_eq!(owner.map(PreparedNode::id), Some("cache-b"));
/// # Ok::<(), keystead::Error>(())
/// ```
pub fn rendezvous_owner<'n, 'a>(key_digest: u64, nodes: &'n [PreparedNode<'a>]) -> Option<&'n PreparedNode<'a>> {
    let mut best: Option<(Scored, &PreparedNode<'a>)> = None;
    for node in nodes.iter().filter(|node| node.weight > 0) {
        let scored = Scored::new(node.score(key_digest), u64::from(node.weight));
        let first = match &best {
            None => true,
            Some((leader, owner)) => match scored.compare(leader) {
                Ordering::Less => true,
                Ordering::Equal => node.id < owner.id,
                Ordering::Greater => false,
            },
        };
        if first {
            best = Some((scored, node));
        }
    }
    best.map(|(_, node)| node)
}

#[cfg(feature = "alloc")]
mod cluster {
    use alloc::vec::Vec;

    use keystead_avx512::KEYS;

    use crate::{
        node::Entry,
        order::{Candidates, Few, Order},
    };

    /// The nodes of a cluster prepared for scoring.
    #[derive(Clone, Debug)]
    pub(crate) struct Rendezvous {
        candidates: Candidates,
        /// The node index of each contender; drained nodes are none.
        indices: Vec<u32>,
    }

    impl Rendezvous {
        pub(crate) fn new(entries: &[Entry<'_>]) -> Rendezvous {
            let live = || (0u32..).zip(entries).filter(|(_, entry)| entry.weight > 0);
            Rendezvous {
                candidates: Candidates::new(live().map(|(_, entry)| (entry.digest, u64::from(entry.weight)))),
                indices: live().map(|(index, _)| index).collect(),
            }
        }

        #[inline]
        pub(crate) fn owner(&self, digest: u64) -> u32 {
            self.indices[self.candidates.best(digest)]
        }

        /// From how many digests on [`owners`](Rendezvous::owners) is quicker than an `owner` for each; `None` where it is not.
        pub(crate) fn many(&self) -> Option<usize> {
            self.candidates.many()
        }

        #[inline]
        pub(crate) fn owners(&self, digests: &[u64; KEYS]) -> [u32; KEYS] {
            let mut owners = self.candidates.best_of_each(digests);
            for owner in &mut owners {
                *owner = self.indices[*owner as usize];
            }
            owners
        }

        /// The first `count` nodes, at most [`SHORT`](crate::order::SHORT).
        #[inline]
        pub(crate) fn few(&self, digest: u64, count: usize) -> Few {
            self.candidates.few(digest, count, |position| self.indices[position as usize])
        }

        /// The number of contenders.
        #[inline]
        pub(crate) fn len(&self) -> usize {
            self.indices.len()
        }

        pub(crate) fn ranking(&self, digest: u64) -> RendezvousRanking<'_> {
            RendezvousRanking { indices: &self.indices, order: self.candidates.order(digest) }
        }
    }

    /// Node indices, best first.
    #[derive(Clone, Debug)]
    pub(crate) struct RendezvousRanking<'a> {
        indices: &'a [u32],
        order: Order<'a>,
    }

    impl Iterator for RendezvousRanking<'_> {
        type Item = u32;

        #[inline]
        fn next(&mut self) -> Option<u32> {
            self.order.next().map(|position| self.indices[position as usize])
        }

        #[inline]
        fn size_hint(&self) -> (usize, Option<usize>) {
            self.order.size_hint()
        }

        #[inline]
        fn fold<A, F: FnMut(A, u32) -> A>(self, start: A, mut f: F) -> A {
            let indices = self.indices;
            self.order.fold(start, |all, position| f(all, indices[position as usize]))
        }
    }
}
