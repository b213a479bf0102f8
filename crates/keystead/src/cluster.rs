//! `Cluster`: one type over every algorithm, and its answers.

use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::fmt;

use crate::{
    Comparison, Described, Key, Node,
    batch::OwnerIndices,
    builder::{ClusterBuilder, Parameters},
    description::{self, Fingerprint},
    encode::KeyBytes,
    error::{Error, error},
    hash::{Domain, Hash},
    node::{Entry, shown},
    placement::{Placement, Ranks},
    ring::RingArc,
};

/// The most nodes of a cluster.
pub(crate) const MAX_NODES: usize = 1 << 20;

/// A description of a cluster that answers which node owns a key and who is next in line.
///
/// Immutable and cheap to clone and share between threads. A change gives a new `Cluster`; readers keep theirs. The order in which
/// nodes are given never matters: they are listed by id, compared by bytes, and a node's *index* is its position in that list.
///
/// ```
/// use keystead::{Cluster, Node};
/// let cluster = Cluster::rendezvous(["cache-a", "cache-b", "cache-c"])?;
/// assert_eq!(cluster.owner("user:42").id(), "cache-c");
/// let grown = cluster.with_node(Node::new("cache-d")?.weight(2))?;
/// assert_eq!(grown.shares()[3].numerator, 2); // of 5
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone)]
pub struct Cluster {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) parameters: Parameters,
    pub(crate) nodes: Vec<Node>,
    /// The digest of each node's id, by index.
    pub(crate) digests: Vec<u64>,
    pub(crate) epoch: Option<u64>,
    pub(crate) placement: Placement,
    /// How many nodes have a weight above 0.
    pub(crate) live: usize,
    /// How many texts the shortest location of a node of weight above 0 has.
    pub(crate) depth: usize,
    fingerprint: Fingerprint,
}

impl Inner {
    pub(crate) fn entries(&self) -> Vec<Entry<'_>> {
        entries(&self.nodes, &self.digests)
    }
}

fn entries<'a>(nodes: &'a [Node], digests: &[u64]) -> Vec<Entry<'a>> {
    nodes.iter().zip(digests).map(|(node, digest)| Entry::new(node, *digest)).collect()
}

/// A node's part of the key space, exact and in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Above the line.
    pub numerator: u128,
    /// Below the line.
    pub denominator: u128,
}

impl Share {
    pub(crate) fn new(numerator: u128, denominator: u128) -> Share {
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Share { numerator: numerator / a, denominator: denominator / a }
    }
}

impl Cluster {
    /// A `rendezvous-1` cluster with the default hash: every node scores the key, the best score by weight owns it.
    ///
    /// # Errors
    /// `invalid_id`, `duplicate_node`, `no_nodes`, `too_many_nodes`, `digest_collision`.
    pub fn rendezvous<N>(nodes: impl IntoIterator<Item = N>) -> Result<Cluster, Error>
    where
        N: TryInto<Node>,
        Error: From<N::Error>,
    {
        Cluster::builder().nodes(nodes).build()
    }

    /// A builder with every parameter; its words and checks are those of a cluster file.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    /// Checks what concerns the nodes together, and prepares them. `before` is a cluster with the same parameters, of which as
    /// much is kept as the algorithm allows.
    pub(crate) fn assemble(
        parameters: Parameters,
        mut nodes: Vec<Node>,
        epoch: Option<u64>,
        before: Option<&Inner>,
    ) -> Result<Cluster, Error> {
        if nodes.len() > MAX_NODES {
            return Err(error!(TooManyNodes, "{} nodes are given: at most {MAX_NODES}", nodes.len()));
        }
        if !nodes.is_sorted_by(|a, b| a.id() < b.id()) {
            nodes.sort_by(|a, b| a.id().cmp(b.id()));
            if let Some(pair) = nodes.windows(2).find(|pair| pair[0].id() == pair[1].id()) {
                return Err(error!(DuplicateNode, "node {} is given twice", shown(pair[0].id())));
            }
        }
        let live = nodes.iter().filter(|node| !node.is_drained()).count();
        if live == 0 {
            let count = nodes.len();
            return Err(error!(NoNodes, "no node can own a key: {count} given, {count} of them drained"));
        }
        let digests = digest_ids(&parameters.hash, &nodes, before);
        reject_equal_digests(&nodes, &digests)?;
        let entries = entries(&nodes, &digests);
        parameters.check_tokens(&entries)?;
        let placement = match before {
            None => Placement::new(&parameters, &entries)?,
            Some(before) => before.placement.changed(&parameters, &before.entries(), &entries)?,
        };
        let depth =
            nodes.iter().filter(|node| !node.is_drained()).map(|node| node.get_location().len()).min().unwrap_or(0);
        let fingerprint = Fingerprint::of(&description::description(&parameters, &nodes));
        let inner = Inner { parameters, nodes, digests, epoch, placement, live, depth, fingerprint };
        Ok(Cluster { inner: Arc::new(inner) })
    }

    /// The number of nodes, drained ones included; at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a cluster is never empty")]
    pub fn len(&self) -> usize {
        self.inner.nodes.len()
    }

    /// The nodes by index, drained ones included.
    pub fn nodes(&self) -> &[Node] {
        &self.inner.nodes
    }

    /// The ids by index.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.inner.nodes.iter().map(Node::id)
    }

    /// The node of this id.
    ///
    /// # Errors
    /// `unknown_node`.
    pub fn node(&self, id: &str) -> Result<&Node, Error> {
        self.require(id).map(|index| &self.inner.nodes[index as usize])
    }

    /// The index of this id.
    pub fn index_of(&self, id: &str) -> Option<u32> {
        let position = self.inner.nodes.binary_search_by(|node| node.id().cmp(id)).ok()?;
        u32::try_from(position).ok()
    }

    pub(crate) fn require(&self, id: &str) -> Result<u32, Error> {
        self.index_of(id).ok_or_else(|| error!(UnknownNode, "node {} is not in the cluster", shown(id)))
    }

    /// Whether a node of this id is in the cluster, drained or not.
    pub fn contains(&self, id: &str) -> bool {
        self.index_of(id).is_some()
    }

    /// `rendezvous-1`, `ring-1`, `slots-1` or `hierarchy-1`.
    pub fn algorithm(&self) -> &'static str {
        self.inner.parameters.algorithm.name()
    }

    /// The hash with its seed.
    pub fn hash(&self) -> &Hash {
        &self.inner.parameters.hash
    }

    /// Whether the hash has a secret.
    pub fn has_secret(&self) -> bool {
        self.hash().seed().is_none()
    }

    /// The epoch, if this description was published under a number.
    pub fn epoch(&self) -> Option<u64> {
        self.inner.epoch
    }

    /// The names of the levels of locations, widest first.
    pub fn levels(&self) -> Option<&[Box<str>]> {
        self.inner.parameters.levels.as_deref()
    }

    /// The comment that the description carries.
    pub fn comment(&self) -> Option<&str> {
        self.inner.parameters.comment.as_deref()
    }

    /// Tokens for each unit of weight, for a ring whose tokens are derived.
    pub fn tokens_per_weight(&self) -> Option<u32> {
        self.inner.parameters.tokens_per_weight(&self.inner.nodes)
    }

    /// The space of a ring with explicit tokens; `None` for 2^64.
    pub fn space(&self) -> Option<u64> {
        self.inner.parameters.space()
    }

    /// The number of slots of a slot table.
    pub fn slots(&self) -> Option<u32> {
        self.inner.parameters.slots()
    }

    /// The headroom of a slot table in percent, if caps are kept.
    pub fn headroom(&self) -> Option<u32> {
        self.inner.parameters.headroom()
    }

    /// The key's digest, `kd`: in domain 1 for bytes and text, in domain 4 for a composite key's encoding.
    pub fn digest<K: Key>(&self, key: K) -> u64 {
        key.with_bytes(|key: KeyBytes<'_>| key.digest(self.hash()))
    }

    /// The node that owns the key: the first of its ranking.
    ///
    /// # Complexity
    /// `rendezvous-1` scores every node; `ring-1` and `slots-1` look into a table, whatever the number of nodes; `hierarchy-1`
    /// scores the domains and nodes on one path.
    #[inline]
    pub fn owner<K: Key>(&self, key: K) -> &Node {
        &self.inner.nodes[self.owner_index(key) as usize]
    }

    /// The index of the node that owns the key.
    #[inline]
    pub fn owner_index<K: Key>(&self, key: K) -> u32 {
        self.inner.placement.owner(self.digest(key))
    }

    /// The index of the node that owns each key, in their order: as [`owner_index`](Cluster::owner_index) for each, and sooner where
    /// [`OwnerBatch`](crate::OwnerBatch) says so. Nothing is allocated; up to 32 keys are taken ahead of the answers.
    ///
    /// ```
    /// use keystead::Cluster;
    /// let cluster = Cluster::rendezvous(["cache-a", "cache-b", "cache-c"])?;
    /// let owners: Vec<u32> = cluster.owner_indices(["user:1", "user:42"]).collect();
    /// assert_eq!(owners, [cluster.owner_index("user:1"), cluster.owner_index("user:42")]);
    /// # Ok::<(), keystead::Error>(())
    /// ```
    pub fn owner_indices<K: Key, I: IntoIterator<Item = K>>(&self, keys: I) -> OwnerIndices<'_, I::IntoIter> {
        OwnerIndices::new(self, keys.into_iter())
    }

    /// The nodes of weight above 0, best first for the key, each once. Lazy: the first few cost much less than all.
    pub fn ranking<K: Key>(&self, key: K) -> Ranking<'_> {
        self.ranking_of_digest(self.digest(key))
    }

    pub(crate) fn ranking_of_digest(&self, digest: u64) -> Ranking<'_> {
        Ranking { nodes: &self.inner.nodes, indices: self.inner.placement.ranking(digest), excluded: Vec::new() }
    }

    /// Each node's exact share of the key space, by index: weight over total weight; a ring's arcs over its space; a table's slots
    /// over all slots. A drained node's is 0.
    pub fn shares(&self) -> Vec<Share> {
        self.inner.placement.shares(&self.inner.nodes)
    }

    /// The canonical bytes of which [`fingerprint`](Cluster::fingerprint) is the digest.
    pub fn description(&self) -> Vec<u8> {
        description::description(&self.inner.parameters, &self.inner.nodes)
    }

    /// The first 16 bytes of SHA-256 of the canonical description. Equal fingerprints mean equal answers to every call.
    pub fn fingerprint(&self) -> Fingerprint {
        self.inner.fingerprint
    }

    /// Whether two services agree: `Same` if the fingerprints are equal; else by epoch, when both carry one.
    pub fn compare(&self, other: &impl Described) -> Comparison {
        Comparison::between(self, other)
    }

    /// The owner without hashing: of a ring's coordinate, or of a u64 in place of `kd` for slots.
    ///
    /// # Errors
    /// `unsupported` for other algorithms; `invalid_parameter` for a coordinate outside the ring's space.
    pub fn owner_at(&self, coordinate: u64) -> Result<&Node, Error> {
        self.owner_index_at(coordinate).map(|index| &self.inner.nodes[index as usize])
    }

    /// The index of the owner without hashing, as [`owner_at`](Cluster::owner_at).
    ///
    /// # Errors
    /// As [`owner_at`](Cluster::owner_at).
    #[inline]
    pub fn owner_index_at(&self, coordinate: u64) -> Result<u32, Error> {
        self.inner.placement.owner_at(coordinate).ok_or_else(|| self.no_owner_at(coordinate))
    }

    #[cold]
    fn no_owner_at(&self, coordinate: u64) -> Error {
        match self.space() {
            Some(space) => error!(InvalidParameter, "coordinate {coordinate} is outside the space: below {space}"),
            None => self.unsupported("owner_at"),
        }
    }

    /// The arcs of a ring in ascending order of their ends: token *t* serves `(pred(t), t]`.
    ///
    /// # Errors
    /// `unsupported` for other algorithms.
    pub fn arcs(&self) -> Result<Vec<RingArc>, Error> {
        match &self.inner.placement {
            Placement::Ring(ring) => Ok(ring.arcs().collect()),
            _ => Err(self.unsupported("arcs")),
        }
    }

    /// The slot of a key: `mulhi(kd, slots)`.
    ///
    /// # Errors
    /// `unsupported` for other algorithms than `slots-1`.
    pub fn slot<K: Key>(&self, key: K) -> Result<u32, Error> {
        match &self.inner.placement {
            Placement::Slots(slots) => Ok(slots.slot(self.digest(key))),
            _ => Err(self.unsupported("slot")),
        }
    }

    /// The index of each slot's owner: the whole table.
    ///
    /// # Errors
    /// `unsupported` for other algorithms than `slots-1`.
    pub fn slot_owners(&self) -> Result<&[u32], Error> {
        match &self.inner.placement {
            Placement::Slots(slots) => Ok(slots.owners()),
            _ => Err(self.unsupported("slot_owners")),
        }
    }

    /// The slots that a node owns, ascending: what a worker asks for.
    ///
    /// # Errors
    /// `unsupported` for other algorithms than `slots-1`; `unknown_node`.
    pub fn slots_of(&self, id: &str) -> Result<Vec<u32>, Error> {
        match &self.inner.placement {
            Placement::Slots(slots) => {
                let node = self.require(id)?;
                let owned = (0u32..).zip(slots.owners()).filter(|(_, owner)| **owner == node);
                Ok(owned.map(|(slot, _)| slot).collect())
            }
            _ => Err(self.unsupported("slots_of")),
        }
    }

    /// The ranking of a slot, led by its owner.
    ///
    /// # Errors
    /// `unsupported` for other algorithms than `slots-1`; `invalid_parameter` for a slot that the table does not have.
    pub fn slot_ranking(&self, slot: u64) -> Result<Ranking<'_>, Error> {
        let Placement::Slots(slots) = &self.inner.placement else {
            return Err(self.unsupported("slot_ranking"));
        };
        let count = slots.owners().len();
        let known = u32::try_from(slot).ok().filter(|slot| (*slot as usize) < count);
        let slot =
            known.ok_or_else(|| error!(InvalidParameter, "slot {slot} is out of range: from 0 to {}", count - 1))?;
        Ok(Ranking { nodes: &self.inner.nodes, indices: Ranks::slot(slots, slot), excluded: Vec::new() })
    }

    #[cold]
    fn unsupported(&self, what: &str) -> Error {
        error!(Unsupported, "{what} is not supported by {}", self.algorithm())
    }
}

/// Digests the ids, taking those of nodes that were there before from where they stand.
fn digest_ids(hash: &Hash, nodes: &[Node], before: Option<&Inner>) -> Vec<u64> {
    let mut known = before.map(|before| before.nodes.iter().zip(&before.digests).peekable());
    let digest = |node: &Node| {
        // Both lists are in the order of ids.
        if let Some(known) = &mut known {
            while let Some((old, digest)) = known.next_if(|(old, _)| old.is(node) || old.id() <= node.id()) {
                if old.is(node) || old.id() == node.id() {
                    return *digest;
                }
            }
        }
        hash.digest(Domain::Node, node.id().as_bytes())
    };
    nodes.iter().map(digest).collect()
}

/// Two nodes with one digest would score every key alike; about one cluster in 2^65 / N² has such a pair.
fn reject_equal_digests(nodes: &[Node], digests: &[u64]) -> Result<(), Error> {
    let mut sorted = digests.to_vec();
    sorted.sort_unstable();
    let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) else { return Ok(()) };
    let equal = nodes.iter().zip(digests).filter(|(_, digest)| **digest == pair[0]);
    let equal: Vec<&str> = equal.map(|(node, _)| node.id()).collect();
    Err(error!(
        DigestCollision,
        "nodes {} and {} have the same digest: use another seed",
        shown(equal[0]),
        shown(equal[1])
    ))
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("algorithm", &self.algorithm())
            .field("hash", self.hash())
            .field("nodes", &self.len())
            .field("epoch", &self.epoch())
            .field("fingerprint", &format_args!("{}", self.fingerprint()))
            .finish()
    }
}

impl PartialEq for Cluster {
    /// Equal fingerprints: equal answers to every call. Epochs and what is only carried may differ.
    fn eq(&self, other: &Cluster) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

impl Eq for Cluster {}

/// The nodes of one key, best first, found as they are asked for.
pub struct Ranking<'a> {
    nodes: &'a [Node],
    indices: Ranks<'a>,
    /// Indices to leave out, ascending.
    pub(crate) excluded: Vec<u32>,
}

impl<'a> Ranking<'a> {
    /// The same ranking as node indices.
    pub fn indices(self) -> impl Iterator<Item = u32> + 'a {
        let Ranking { indices, excluded, .. } = self;
        indices.filter(move |index| excluded.binary_search(index).is_err())
    }
}

impl<'a> Iterator for Ranking<'a> {
    type Item = &'a Node;

    #[inline]
    fn next(&mut self) -> Option<&'a Node> {
        let excluded = &self.excluded;
        let index = if excluded.is_empty() {
            self.indices.next()?
        } else {
            self.indices.find(|index| excluded.binary_search(index).is_err())?
        };
        Some(&self.nodes[index as usize])
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.indices.size_hint();
        (least.saturating_sub(self.excluded.len()), most)
    }

    #[inline]
    fn fold<A, F: FnMut(A, &'a Node) -> A>(self, start: A, mut f: F) -> A {
        let Ranking { nodes, indices, excluded } = self;
        if excluded.is_empty() {
            return indices.fold(start, |all, index| f(all, &nodes[index as usize]));
        }
        let indices = indices.filter(|index| excluded.binary_search(index).is_err());
        indices.fold(start, |all, index| f(all, &nodes[index as usize]))
    }
}

impl fmt::Debug for Ranking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ranking").field("excluded", &self.excluded).finish_non_exhaustive()
    }
}
