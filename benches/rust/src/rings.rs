//! Rings of tokens: lookup, build, one node added.

use std::hash::{BuildHasher, Hash, Hasher};
use std::net::{Ipv4Addr, SocketAddr};

use hashring::HashRing;
use keystead::{Cluster, Node, mix64};
use pingora_ketama::{Bucket, Continuum};

use crate::harness::{Bench, Case, keys, numbers};
use crate::memory::held;

/// pingora-ketama has 160 points for a node of weight 1, so all rings have; but for the smallest, where it is 320 points against 300.
const TOKENS: usize = 160;

pub(crate) fn run(bench: &mut Bench) {
    for tokens in [300, 16_000, 160_000, 1_600_000] {
        let (nodes, each) = if tokens == 300 { (3, 100) } else { (tokens / TOKENS, TOKENS) };
        one_size(bench, tokens, nodes, each);
    }
}

fn one_size(bench: &mut Bench, tokens: usize, nodes: usize, each: usize) {
    let size = if tokens < 1_000 { format!("{tokens} tokens") } else { format!("{}k tokens", tokens / 1_000) };
    let (ring, ring_bytes) = held(|| ours(nodes, each));
    let (hashring, hashring_bytes) = held(|| theirs(tokens_of(&ring)));
    let (ketama, ketama_bytes) = held(|| Continuum::new(&buckets(nodes.min(tokens / TOKENS + 1))));

    let numbers = numbers(1 << 16);
    let number = |i: u64| numbers[i as usize % numbers.len()];
    bench.measure(
        &format!("ring owner_at, {size}"),
        vec![
            Case::new("keystead", |n| (0..n).map(|i| u64::from(ring.owner_index_at(number(i)).unwrap_or(0))).sum()),
            Case::new("hashring, identity hasher", |n| {
                (0..n).map(|i| hashring.get(&number(i)).map_or(0, |token| u64::from(token.node))).sum()
            }),
        ],
    );
    let keys = keys(1 << 16);
    let key = |i: u64| keys[i as usize % keys.len()].as_str();
    bench.measure(
        &format!("ring owner, 16-byte key, {size}"),
        vec![
            Case::new("keystead", |n| (0..n).map(|i| u64::from(ring.owner_index(key(i)))).sum()),
            Case::new("pingora-ketama", |n| {
                (0..n).map(|i| ketama.node(key(i).as_bytes()).map_or(0, |address| u64::from(address.port()))).sum()
            }),
        ],
    );
    let given = tokens_of(&ring);
    let fewer = buckets(nodes);
    let more = buckets(nodes + 1);
    bench.measure(
        &format!("ring build, {size}"),
        vec![
            Case::new("keystead", |n| (0..n).map(|_| ours(nodes, each).len() as u64).sum()),
            Case::new("pingora-ketama", |n| (0..n).map(|_| Continuum::new(&fewer).node_idx(b"key") as u64).sum()),
            Case::new("hashring, tokens given", |n| (0..n).map(|_| theirs(given.clone()).len() as u64).sum()),
        ],
    );
    bench.measure(
        &format!("ring with one node added, {size}"),
        vec![
            Case::new("keystead", |n| {
                (0..n).map(|_| ring.with_node("newcomer").map_or(0, |ring| ring.len() as u64)).sum()
            }),
            Case::new("pingora-ketama, built anew", |n| {
                (0..n).map(|_| Continuum::new(&more).node_idx(b"key") as u64).sum()
            }),
        ],
    );
    let what = format!("ring, {size}");
    bench.remember(&what, "keystead", ring_bytes, tokens, "token");
    bench.remember(&what, "hashring", hashring_bytes, tokens, "token");
    bench.remember(&what, "pingora-ketama", ketama_bytes, nodes.min(tokens / TOKENS + 1) * TOKENS, "token");
}

fn ours(nodes: usize, each: usize) -> Cluster {
    let ids = (0..nodes).map(|i| Node::new(format!("node-{i}")).expect("a good id"));
    Cluster::builder().algorithm("ring-1").tokens_per_weight(each as u64).nodes(ids).build().expect("a good ring")
}

fn buckets(nodes: usize) -> Vec<Bucket> {
    let address = |i: usize| SocketAddr::from((Ipv4Addr::from(0x0A00_0000 + i as u32), 11211));
    (0..nodes).map(|i| Bucket::new(address(i), 1)).collect()
}

/// A token of `hashring`, which keeps whatever it is given and hashes it by itself: the hash is the coordinate.
#[derive(Debug, Clone)]
struct Token {
    coordinate: u64,
    node: u32,
}

impl Hash for Token {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.coordinate);
    }
}

fn tokens_of(ring: &Cluster) -> Vec<Token> {
    let mut tokens: Vec<Token> =
        ring.arcs().expect("a ring").into_iter().map(|arc| Token { coordinate: arc.end, node: arc.node }).collect();
    // Arcs ascend, and what is in order is sorted at no cost: hashes come in any order.
    tokens.sort_by_key(|token| mix64(token.coordinate));
    tokens
}

fn theirs(tokens: Vec<Token>) -> HashRing<Token, Identity> {
    let mut ring = HashRing::with_hasher(Identity);
    ring.batch_add(tokens);
    ring
}

/// Leaves a u64 as it is, so that only the search is measured.
#[derive(Clone)]
struct Identity;

impl BuildHasher for Identity {
    type Hasher = Same;

    fn build_hasher(&self) -> Same {
        Same(0)
    }
}

struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
