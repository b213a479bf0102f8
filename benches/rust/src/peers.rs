//! Ours and the peers, made as their documentation says, for `n` nodes.

use std::hash::{BuildHasher, Hash, Hasher};
use std::net::{Ipv4Addr, SocketAddr};

use hashring::HashRing;
use hrw_hash::HrwNode;
use keystead::{Cluster, Node, mix64};
use pingora_ketama::Bucket;
use rendezvous_hash::{Capacity, DefaultNodeHasher, RendezvousNodes, WeightedNode};

pub(crate) fn ids(nodes: usize) -> Vec<String> {
    (0..nodes).map(|i| format!("node-{i}")).collect()
}

pub(crate) fn cluster(algorithm: &str, nodes: usize) -> Cluster {
    // About as many zones as nodes in a zone, as suits a hierarchy, and all of one size; the others take no notice of locations.
    let zones = (1..=nodes.isqrt().max(1)).rev().find(|zones| nodes.is_multiple_of(*zones)).unwrap_or(1);
    let list = (0..nodes).map(|i| {
        let node = Node::new(format!("node-{i}")).expect("a good id");
        if algorithm == "hierarchy-1" {
            node.location([format!("zone-{}", i % zones)]).expect("a good location")
        } else {
            node
        }
    });
    Cluster::builder().algorithm(algorithm).nodes(list).build().expect("a good cluster")
}

/// A ring with a number of tokens for each node.
pub(crate) fn ring(nodes: usize, each: usize) -> Cluster {
    let list = ids(nodes);
    Cluster::builder()
        .algorithm("ring-1")
        .tokens_per_weight(each as u64)
        .nodes(list.iter().map(String::as_str))
        .build()
        .expect("a good ring")
}

/// The addresses that pingora-ketama takes for nodes; each of weight 1 gets 160 points.
pub(crate) fn buckets(nodes: usize) -> Vec<Bucket> {
    let address = |i: usize| SocketAddr::from((Ipv4Addr::from(0x0A00_0000 + i as u32), 11211));
    (0..nodes).map(|i| Bucket::new(address(i), 1)).collect()
}

/// The crate's documentation inserts node by node.
pub(crate) fn rendezvous_hash(ids: &[String]) -> RendezvousNodes<&str, DefaultNodeHasher> {
    let mut nodes = RendezvousNodes::default();
    for id in ids {
        nodes.insert(id.as_str());
    }
    nodes
}

pub(crate) fn rendezvous_hash_weighted(ids: &[String]) -> RendezvousNodes<WeightedNode<&str>, DefaultNodeHasher> {
    let mut nodes = RendezvousNodes::default();
    for (i, id) in ids.iter().enumerate() {
        nodes.insert(WeightedNode::new(id.as_str(), Capacity::new(f64::from(weight(i))).expect("a positive weight")));
    }
    nodes
}

/// Weights 1 to 8 in turn.
pub(crate) fn weight(i: usize) -> u32 {
    i as u32 % 8 + 1
}

/// A node of `hrw-hash` with a weight.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Weighted<'a> {
    pub(crate) id: &'a str,
    pub(crate) weight: u32,
}

impl HrwNode for Weighted<'_> {
    fn capacity(&self) -> usize {
        self.weight as usize
    }
}

/// A virtual node of `hashring`, which hashes whatever it is given: as in its documentation, an id and a replica's number.
#[derive(Debug, Clone, Hash)]
pub(crate) struct VirtualNode {
    pub(crate) id: u32,
    replica: u32,
}

pub(crate) fn hashring(nodes: usize, each: usize) -> HashRing<VirtualNode> {
    let mut ring = HashRing::new();
    let replicas = |id| (0..each as u32).map(move |replica| VirtualNode { id, replica });
    ring.batch_add((0..nodes as u32).flat_map(replicas).collect());
    ring
}

/// A virtual node of `hashring` whose hash is its coordinate: only the search is measured.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    coordinate: u64,
    pub(crate) node: u32,
}

impl Hash for Token {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.coordinate);
    }
}

/// The tokens of a ring of ours, not in order: hashes come in any.
pub(crate) fn tokens(ring: &Cluster) -> Vec<Token> {
    let mut tokens: Vec<Token> =
        ring.arcs().expect("a ring").into_iter().map(|arc| Token { coordinate: arc.end, node: arc.node }).collect();
    tokens.sort_by_key(|token| mix64(token.coordinate));
    tokens
}

pub(crate) fn hashring_of(tokens: Vec<Token>) -> HashRing<Token, Identity> {
    let mut ring = HashRing::with_hasher(Identity);
    ring.batch_add(tokens);
    ring
}

/// Leaves a u64 as it is.
#[derive(Clone, Copy)]
pub(crate) struct Identity;

impl BuildHasher for Identity {
    type Hasher = Same;

    fn build_hasher(&self) -> Same {
        Same(0)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Same(pub(crate) u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    /// maglev's seed, which goes before the number that counts.
    fn write_u32(&mut self, _: u32) {}

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
