//! `hierarchy-1`: literal answers of the oracle, a naive hierarchy to compare with, and what is refused.

#![cfg(feature = "alloc")]

use std::collections::BTreeMap;

use keystead::{Cluster, ClusterBuilder, Domain, Error, Hash, KeyEncoder, Node, draw};

const KEYS: [&[u8]; 6] = [b"", b"a", b"user:42", b"user:43", "é".as_bytes(), b"\x00\xff"];

fn hierarchy() -> ClusterBuilder {
    Cluster::builder().algorithm("hierarchy-1")
}

fn node(id: &str, weight: u32, location: &[&str]) -> Node {
    Node::new(id).unwrap().weight(weight).location(location.iter().copied()).unwrap()
}

fn code(nodes: impl IntoIterator<Item = Node>) -> &'static str {
    let built: Result<Cluster, Error> = hierarchy().nodes(nodes).build();
    built.map_or_else(|error| error.code(), |_| "no error")
}

fn regions() -> ClusterBuilder {
    hierarchy().nodes([
        node("n0", 1, &["eu", "eu-1"]),
        node("n1", 2, &["eu", "eu-2"]),
        node("n2", 1, &["us", "us-1"]),
        node("n3", 3, &["us", "us-1"]),
        node("n4", 0, &["ap", "ap-1"]),
        node("n5", 1, &["ap", "ap-2"]),
    ])
}

fn rankings(cluster: &Cluster) -> Vec<Vec<u32>> {
    KEYS.iter().map(|key| cluster.ranking(*key).indices().collect()).collect()
}

#[test]
fn value_stability_two_levels() {
    let xxh3 = rankings(&regions().build().unwrap());
    let expected =
        [[3, 2, 0, 1, 5], [2, 3, 1, 0, 5], [3, 2, 1, 0, 5], [3, 2, 1, 0, 5], [3, 2, 5, 0, 1], [3, 2, 1, 0, 5]];
    assert_eq!(xxh3, expected);
    let xxh64 = rankings(&regions().hash("xxh64").seed(9).build().unwrap());
    let expected =
        [[3, 2, 1, 0, 5], [3, 2, 5, 0, 1], [2, 3, 1, 0, 5], [0, 1, 3, 2, 5], [1, 0, 3, 2, 5], [1, 0, 3, 2, 5]];
    assert_eq!(xxh64, expected);
}

#[test]
fn value_stability_one_domain_is_rendezvous() {
    let nodes = || (0..4).map(|i| node(&format!("n{i}"), 1, &["r"]));
    let expected = [[3, 1, 0, 2], [1, 2, 3, 0], [1, 3, 2, 0], [1, 0, 3, 2], [2, 0, 3, 1], [3, 1, 0, 2]];
    assert_eq!(rankings(&hierarchy().nodes(nodes()).build().unwrap()), expected);
    assert_eq!(rankings(&Cluster::rendezvous(nodes()).unwrap()), expected);
}

/// A location's digest, by the encoding that keys have too.
fn location_digest(hash: &Hash, path: &[Box<str>]) -> u64 {
    let mut encoder = KeyEncoder::new();
    encoder.begin(path.len() as u64).unwrap();
    for text in path {
        encoder.bytes(text.as_bytes());
    }
    encoder.end();
    hash.digest(Domain::Location, encoder.finish().as_bytes())
}

/// The nodes at these indices, ranked to the letter from this level on.
fn naive(cluster: &Cluster, kd: u64, indices: &[u32], level: usize) -> Vec<u32> {
    let node = |index: &u32| &cluster.nodes()[*index as usize];
    let live: Vec<u32> = indices.iter().copied().filter(|index| node(index).get_weight() > 0).collect();
    let Some(first) = live.first() else { return Vec::new() };
    let mut ranked: Vec<(u64, u64, Vec<u32>)> = Vec::new();
    if node(first).get_location().len() == level {
        for index in live {
            let score = draw(kd, cluster.hash().digest(Domain::Node, node(&index).id().as_bytes()));
            ranked.push((score, node(&index).get_weight().into(), vec![index]));
        }
    } else {
        let mut domains: BTreeMap<&Box<str>, Vec<u32>> = BTreeMap::new();
        for index in live {
            domains.entry(&node(&index).get_location()[level]).or_default().push(index);
        }
        for beneath in domains.into_values() {
            let score = draw(kd, location_digest(cluster.hash(), &node(&beneath[0]).get_location()[..=level]));
            let weight = beneath.iter().map(|index| u64::from(node(index).get_weight())).sum();
            ranked.push((score, weight, naive(cluster, kd, &beneath, level + 1)));
        }
    }
    // By cost over weight, exactly. Scores of siblings differ.
    ranked.sort_by(|(score_a, weight_a, _), (score_b, weight_b, _)| {
        let [a, b] = [(*score_a, *weight_b), (*score_b, *weight_a)]
            .map(|(score, weight)| u128::from(keystead::cost(score)) * u128::from(weight));
        a.cmp(&b).then(score_b.cmp(score_a))
    });
    ranked.into_iter().flat_map(|(_, _, nodes)| nodes).collect()
}

#[test]
fn matches_naive_hierarchy_of_any_depth() {
    for seed in 0..80 {
        let number = |i, bound| draw(seed, i) % bound;
        let depth = 1 + number(0, 8);
        let nodes = (0..=number(1, 20)).map(|i| {
            // Few branches, so that paths are shared; the same text at several levels.
            let location = (0..depth).map(|level| format!("d{}", number(100 * i + level + 10, 3)));
            let weight = if i == 0 { 2 } else { u32::try_from(number(5000 + i, 5)).unwrap() };
            Node::new(format!("n{i:02}")).unwrap().weight(weight).location(location).unwrap()
        });
        let cluster = hierarchy().nodes(nodes).build().unwrap();
        let all: Vec<u32> = (0..u32::try_from(cluster.len()).unwrap()).collect();
        for key in 0..40_u64 {
            let expected = naive(&cluster, cluster.digest(key), &all, 0);
            assert_eq!(cluster.ranking(key).indices().collect::<Vec<_>>(), expected);
            assert_eq!(cluster.owner_index(key), expected[0]);
        }
    }
}

#[test]
fn a_ranking_lists_one_domain_after_another() {
    let cluster = regions().build().unwrap();
    for key in 0..200_u64 {
        let ranked: Vec<&Node> = cluster.ranking(key).collect();
        for level in 0..2 {
            let mut domains: Vec<_> = ranked.iter().map(|node| &node.get_location()[..=level]).collect();
            domains.dedup();
            let count = domains.len();
            domains.sort_unstable();
            domains.dedup();
            assert_eq!(domains.len(), count, "no domain is left and entered again");
        }
    }
}

#[test]
fn shares_are_by_weight_and_keys_follow_them() {
    let cluster = regions().build().unwrap();
    let shares: Vec<_> = cluster.shares().iter().map(|share| (share.numerator, share.denominator)).collect();
    assert_eq!(shares, [(1, 8), (1, 4), (1, 8), (3, 8), (0, 1), (1, 8)]);
    let mut counts = [0_i32; 6];
    (0..16_000_u64).for_each(|key| counts[cluster.owner_index(key) as usize] += 1);
    // Five standard deviations of the largest: sqrt(16000 × 3/8 × 5/8) = 61.
    for (count, expected) in counts.iter().zip([2000, 4000, 2000, 6000, 0, 2000]) {
        assert!((count - expected).abs() < 306, "{counts:?}");
    }
}

#[test]
fn more_than_one_replica_needs_a_spread() {
    let cluster = regions().build().unwrap();
    let spread = |level: u64| keystead::Constraints::new().spread(level);
    assert_eq!(cluster.replicas("key", 2).unwrap_err().code(), "invalid_parameter");
    assert_eq!(cluster.replicas("key", 1).unwrap(), [cluster.owner("key")]);
    assert_eq!(cluster.replicas_with("key", 3, &spread(0)).unwrap().nodes().len(), 3);
    assert_eq!(cluster.replicas_with("key", 4, &spread(0)).unwrap_err().code(), "not_enough_domains");
    assert_eq!(cluster.replicas_with("key", 4, &spread(1)).unwrap().nodes().len(), 4);
    assert_eq!(cluster.replicas_with("key", 2, &spread(2)).unwrap_err().code(), "uneven_locations");
}

#[test]
fn excluding_a_whole_domain_goes_on_to_the_next() {
    let cluster = regions().build().unwrap();
    let without = keystead::Constraints::new().exclude(["n2", "n3"]);
    for key in 0..100_u64 {
        let expected = cluster.ranking(key).find(|node| *node.get_location()[0] != *"us").unwrap();
        assert_eq!(cluster.owner_with(key, &without).unwrap(), expected);
    }
}

#[test]
fn rejects_uneven_locations() {
    assert_eq!(code([node("a", 1, &[])]), "uneven_locations");
    assert_eq!(code([node("a", 1, &["r"]), node("b", 1, &[])]), "uneven_locations");
    assert_eq!(code([node("a", 1, &["r"]), node("b", 1, &["r", "z"])]), "uneven_locations");
    assert_eq!(code([node("a", 1, &["r"]), node("b", 0, &["r", "z"])]), "uneven_locations", "drained ones too");
    assert_eq!(code([node("a", 1, &["x"; 8]), node("b", 1, &["x"; 8])]), "no error");
    let cluster = regions().build().unwrap();
    assert_eq!(cluster.with_node(node("n6", 1, &["eu"])).map(|_| ()).unwrap_err().code(), "uneven_locations");
}

/// Two texts that XXH64 with seed 0 cannot tell apart as locations of depth 1: they differ in one lane of two stripes
/// of 32 bytes, and the second difference takes the first one back.
#[test]
fn rejects_siblings_with_one_digest() {
    let fill = "x".repeat(24);
    let one = format!("xxxxxxxxxxxxxxmmjntzig{fill}lllwtmrt{fill}");
    let two = format!("xxxxxxxxxxxxxxdaqyubti{fill}'XA-gEW[{fill}");
    let built = |weight, hash, below: [&str; 2]| {
        let nodes = [&one, &two].into_iter().zip(below).enumerate();
        let nodes = nodes.map(|(i, (text, below))| {
            let location = if below.is_empty() { vec![text.as_str()] } else { vec![below, text.as_str()] };
            node(&format!("n{i}"), if i == 0 { 1 } else { weight }, &location)
        });
        hierarchy().hash(hash).nodes(nodes).build().map(|_| ()).map_err(|error| error.code())
    };
    assert_eq!(built(1, "xxh64", ["", ""]), Err("digest_collision"));
    assert_eq!(built(0, "xxh64", ["", ""]), Err("digest_collision"), "drained ones too");
    assert_eq!(built(1, "xxh3", ["", ""]), Ok(()));
    assert_eq!(built(1, "xxh64", ["r", "s"]), Ok(()), "no siblings");
}
