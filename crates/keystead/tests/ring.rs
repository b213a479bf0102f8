//! `ring-1`: literal answers of the oracle, a naive ring to compare with, arcs, and what is refused.

#![cfg(feature = "alloc")]

use keystead::{Cluster, ClusterBuilder, Domain, Error, Node, draw};

const NAMES: [&str; 4] = ["cache-a", "cache-b", "cache-c", "cache-d"];
const KEYS: [&[u8]; 6] = [b"", b"a", b"user:42", b"user:43", "é".as_bytes(), b"\x00\xff"];

fn ring() -> ClusterBuilder {
    Cluster::builder().algorithm("ring-1")
}

fn node(id: &str, weight: u32) -> Node {
    Node::new(id).unwrap().weight(weight)
}

fn with_tokens(id: &str, tokens: impl IntoIterator<Item = u64>) -> Node {
    node(id, 1).tokens(tokens).unwrap()
}

fn rankings(cluster: &Cluster) -> Vec<Vec<u32>> {
    KEYS.iter().map(|key| cluster.ranking(*key).indices().collect()).collect()
}

fn code(result: Result<Cluster, Error>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "no error")
}

/// Numerators over a space of 2^64, which is what they need not be reduced to.
fn lengths(cluster: &Cluster, space: u128) -> Vec<u128> {
    cluster.shares().iter().map(|share| share.numerator * (space / share.denominator)).collect()
}

#[test]
fn value_stability_drawn_tokens() {
    let weighted = || ring().nodes(NAMES.iter().zip([1, 2, 1, 0]).map(|(id, weight)| node(id, weight)));
    let xxh3 = weighted().build().unwrap();
    assert_eq!(rankings(&xxh3), [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]]);
    assert_eq!(xxh3.fingerprint().to_string(), "b5f84e4ce061dc0e362b5499395a4a4b");
    let shares = [5_028_175_235_422_032_827, 8_882_815_065_862_816_460, 4_535_753_772_424_702_329, 0];
    assert_eq!(lengths(&xxh3, 1 << 64), shares);
    let lowest = xxh3.arcs().unwrap()[0];
    let (start, end) = (18_400_442_574_519_676_666, 10_225_377_077_320_226);
    assert_eq!((lowest.start, lowest.end, lowest.length, lowest.node), (start, end, 56_526_876_267_195_176, 1));

    let xxh64 = weighted().hash("xxh64").seed(7).build().unwrap();
    assert_eq!(rankings(&xxh64), [[0, 1, 2], [0, 1, 2], [0, 2, 1], [2, 1, 0], [1, 0, 2], [1, 0, 2]]);
    let secret: [u8; 16] = std::array::from_fn(|i| u8::try_from(i).unwrap());
    let sip13 = weighted().hash("sip13").secret(&secret).build().unwrap();
    assert_eq!(rankings(&sip13), [[2, 0, 1], [0, 1, 2], [0, 1, 2], [1, 2, 0], [0, 1, 2], [1, 2, 0]]);
    assert_eq!(sip13.fingerprint().to_string(), "877c93ff09d1631660f2c9265c66c54e");
}

#[test]
fn value_stability_few_tokens() {
    let ring = ring().tokens_per_weight(2).nodes(NAMES).build().unwrap();
    let arcs: Vec<(u64, u32)> = ring.arcs().unwrap().iter().map(|arc| (arc.end, arc.node)).collect();
    let expected = [
        (799_570_162_276_733_988, 0),
        (2_485_460_966_832_745_579, 3),
        (3_085_441_040_903_479_055, 1),
        (7_299_552_635_494_873_030, 0),
        (8_977_717_056_519_966_797, 2),
        (10_287_223_493_757_717_660, 2),
        (14_936_609_918_224_517_896, 3),
        (17_254_790_307_098_067_248, 1),
    ];
    assert_eq!(arcs, expected);
}

#[test]
fn value_stability_given_tokens_at_both_ends_of_the_space() {
    let tokens: [&[u64]; 4] = [&[0, 1 << 62, u64::MAX - 1], &[1, 1 << 63], &[(1 << 63) + 1], &[5]];
    let nodes = || NAMES.iter().zip(tokens).map(|(id, tokens)| with_tokens(id, tokens.iter().copied()));
    let drained = nodes().map(|node| if node.id() == "cache-d" { node.weight(0) } else { node });
    for space in [None, Some(u64::MAX)] {
        let builder = ring().nodes(drained.clone());
        let ring = if let Some(space) = space { builder.space(space) } else { builder }.build().unwrap();
        assert_eq!(rankings(&ring), [[0, 1, 2], [1, 2, 0], [0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]]);
        let at = [0, 1, 2, 5, 1 << 62, (1 << 62) + 1, (1 << 63) + 1, (1 << 63) + 2, u64::MAX - 1];
        assert_eq!(at.map(|at| ring.owner_index_at(at).unwrap()), [0, 1, 0, 0, 0, 1, 2, 0, 0]);
        // The last coordinate, above every token, is there only where the space is 2^64.
        let last = ring.owner_index_at(u64::MAX).map_err(|error| error.code());
        assert_eq!(last, if space.is_none() { Ok(0) } else { Err("invalid_parameter") });
        let lowest = ring.arcs().unwrap()[0];
        let length = if space.is_none() { 2 } else { 1 };
        assert_eq!((lowest.start, lowest.end, lowest.length, lowest.node), (u64::MAX - 1, 0, length, 0));
    }
}

#[test]
fn value_stability_shared_coordinates_go_to_the_smaller_id() {
    // Made so that their digests under xxh64 differ by GOLDEN: token 2 of one is token 1 of the next.
    let ids = ["n0000017}nokTV}'", "n00002036sQqZq}b'", r"n0007640VhN\8_sc"];
    let ring = ring().hash("xxh64").tokens_per_weight(3).nodes(ids).build().unwrap();
    let arcs = ring.arcs().unwrap();
    assert_eq!(arcs.len(), 8, "nine tokens on eight coordinates");
    assert_eq!(arcs.iter().map(|arc| arc.node).collect::<Vec<_>>(), [0, 0, 1, 2, 0, 1, 2, 1]);
    assert_eq!(arcs.iter().map(|arc| arc.length).sum::<u128>(), 1 << 64);
    for arc in arcs {
        assert_eq!(ring.owner_index_at(arc.end).unwrap(), arc.node);
    }
    let shares = [3_172_338_796_244_703_471, 9_559_855_362_572_290_334, 5_714_549_914_892_557_811];
    assert_eq!(lengths(&ring, 1 << 64), shares);
}

/// A ring to the letter: all tokens in a list, in no order.
struct Naive {
    tokens: Vec<(u64, u32)>,
    nodes: usize,
}

impl Naive {
    fn new(cluster: &Cluster, tokens_per_weight: u32) -> Naive {
        let mut tokens = Vec::new();
        for (index, node) in (0..).zip(cluster.nodes()).filter(|(_, node)| !node.is_drained()) {
            let digest = cluster.hash().digest(Domain::Node, node.id().as_bytes());
            match node.get_tokens() {
                Some(given) => tokens.extend(given.iter().map(|token| (*token, index))),
                None => tokens
                    .extend((1..=u64::from(node.get_weight() * tokens_per_weight)).map(|j| (draw(digest, j), index))),
            }
        }
        Naive { tokens, nodes: cluster.nodes().iter().filter(|node| !node.is_drained()).count() }
    }

    /// Tokens from the coordinate upwards, then the others; of each node the first.
    fn ranking(&self, coordinate: u64) -> Vec<u32> {
        let mut tokens = self.tokens.clone();
        tokens.sort_by_key(|(token, node)| (*token < coordinate, *token, *node));
        let mut ranking = Vec::new();
        for (_, node) in tokens {
            if !ranking.contains(&node) {
                ranking.push(node);
            }
        }
        assert_eq!(ranking.len(), self.nodes);
        ranking
    }
}

#[test]
fn matches_naive_ring() {
    for seed in 0..40 {
        let number = |i, bound| draw(seed, i) % bound;
        let tokens_per_weight = u32::try_from(1 + number(0, 30)).unwrap();
        let nodes = (0..=number(1, 12)).map(|i| {
            let weight = if i == 0 { 1 } else { number(2 + i, 4) };
            node(&format!("n{i:02}"), weight.try_into().unwrap())
        });
        let ring = ring().tokens_per_weight(tokens_per_weight.into()).nodes(nodes).build().unwrap();
        let naive = Naive::new(&ring, tokens_per_weight);
        for key in 0..50_u64 {
            let (digest, ranking) = (ring.digest(key), ring.ranking(key).indices().collect::<Vec<_>>());
            assert_eq!(ranking, naive.ranking(digest));
            assert_eq!(ring.owner_index(key), ranking[0]);
        }
        check_arcs(&ring, &naive, u64::MAX);
    }
}

#[test]
fn matches_naive_ring_of_given_tokens_in_small_spaces() {
    for seed in 0..60 {
        let number = |i, bound| draw(seed, i) % bound;
        let space = 2 + number(0, 90);
        let mut nodes: Vec<Vec<u64>> = vec![Vec::new(); usize::try_from(1 + number(1, 7)).unwrap()];
        for coordinate in 0..space {
            let node = usize::try_from(number(100 + coordinate, 20)).unwrap();
            if node < nodes.len() || coordinate == space - 1 {
                let count = nodes.len();
                nodes[node % count].push(coordinate);
            }
        }
        let given = nodes.into_iter().enumerate().filter(|(_, tokens)| !tokens.is_empty());
        let ring = ring().space(space).nodes(given.map(|(i, tokens)| with_tokens(&format!("n{i}"), tokens)));
        let ring = ring.build().unwrap();
        let naive = Naive::new(&ring, 0);
        for key in 0..50_u64 {
            let coordinate = (u128::from(ring.digest(key)) * u128::from(space)) >> 64;
            let ranking = naive.ranking(coordinate.try_into().unwrap());
            assert_eq!(ring.ranking(key).indices().collect::<Vec<_>>(), ranking);
        }
        for coordinate in 0..space {
            assert_eq!(ring.owner_index_at(coordinate).unwrap(), naive.ranking(coordinate)[0]);
        }
        assert_eq!(ring.owner_index_at(space).unwrap_err().code(), "invalid_parameter");
        check_arcs(&ring, &naive, space - 1);
    }
}

/// Every token serves the coordinates above its predecessor up to itself, and the arcs add up to the space and to the
/// shares.
fn check_arcs(ring: &Cluster, naive: &Naive, last: u64) {
    let arcs = ring.arcs().unwrap();
    let mut coordinates: Vec<u64> = naive.tokens.iter().map(|(token, _)| *token).collect();
    coordinates.sort_unstable();
    coordinates.dedup();
    assert_eq!(arcs.iter().map(|arc| arc.end).collect::<Vec<_>>(), coordinates);
    assert_eq!(arcs[0].start, arcs[arcs.len() - 1].end);
    let mut lengths = vec![0; ring.len()];
    for (i, arc) in arcs.iter().enumerate() {
        let owner = |coordinate| ring.owner_index_at(coordinate).unwrap();
        let first = if arc.start == last { 0 } else { arc.start + 1 };
        assert_eq!([owner(first), owner(arc.end)], [arc.node; 2], "the first and the last coordinate");
        assert_eq!(naive.ranking(arc.end)[0], arc.node);
        let before = arcs[(i + arcs.len() - 1) % arcs.len()];
        assert_eq!((arc.start, owner(arc.start)), (before.end, before.node), "the start belongs to the arc before");
        assert!(arc.length > 0);
        lengths[arc.node as usize] += arc.length;
    }
    let space = u128::from(last) + 1;
    assert_eq!(lengths.iter().sum::<u128>(), space);
    for (share, length) in ring.shares().iter().zip(lengths) {
        assert_eq!(share.numerator * space, length * share.denominator);
    }
}

#[test]
fn a_single_token_serves_the_whole_circle() {
    for token in [0, 1, 1 << 32, u64::MAX] {
        let ring = ring().node(with_tokens("a", [token])).build().unwrap();
        let arc = ring.arcs().unwrap()[0];
        assert_eq!((arc.start, arc.end, arc.length), (token, token, 1 << 64));
    }
    let smallest = ring().space(2).node(with_tokens("a", [1])).build().unwrap();
    assert_eq!(smallest.arcs().unwrap()[0].length, 2);
}

#[test]
fn a_heavier_node_only_gains_tokens_and_a_lighter_only_loses() {
    let ring = ring().tokens_per_weight(50).nodes(NAMES).build().unwrap();
    let ends = |ring: &Cluster| -> Vec<u64> { ring.arcs().unwrap().iter().map(|arc| arc.end).collect() };
    let heavier = ring.with_weight("cache-b", 3).unwrap();
    assert_eq!((ends(&ring).len(), ends(&heavier).len()), (200, 300));
    assert!(ends(&ring).iter().all(|end| ends(&heavier).binary_search(end).is_ok()));
    assert_eq!(ends(&heavier.with_weight("cache-b", 1).unwrap()), ends(&ring));
}

#[test]
fn rejects_tokens_by_rule() {
    let a = || with_tokens("a", [1, 7]);
    let cases: [(&str, Vec<Node>, Option<u64>); 9] = [
        ("no error", vec![a(), with_tokens("b", [2])], Some(8)),
        ("invalid_tokens", vec![a(), node("b", 1)], None),
        ("invalid_tokens", vec![a(), node("b", 0)], None),
        ("invalid_tokens", vec![a()], Some(7)),
        ("invalid_weight", vec![a().weight(2)], None),
        ("token_collision", vec![a(), with_tokens("b", [3, 7])], None),
        ("token_collision", vec![a(), with_tokens("b", [3, 7]).weight(0)], None),
        ("token_collision", vec![a(), with_tokens("b", [7]).weight(0), with_tokens("c", [9])], None),
        ("no_nodes", vec![a().weight(0)], None),
    ];
    for (expected, nodes, space) in cases {
        let builder = ring().nodes(nodes.clone());
        let result = if let Some(space) = space { builder.space(space) } else { builder }.build();
        assert_eq!(code(result), expected, "{nodes:?}");
    }
    let message = ring().nodes([a(), with_tokens("b", [3, 7])]).build().unwrap_err().to_string();
    assert_eq!(message, r#"token 7 is given by node "a" and by node "b""#);
}

#[test]
fn rejects_the_same_by_change() {
    let ring = ring().space(100).nodes([with_tokens("a", (0..40).step_by(2)), with_tokens("b", [1]).weight(0)]);
    let ring = ring.build().unwrap();
    assert_eq!(code(ring.with_node(with_tokens("c", [50, 51]))), "no error");
    assert_eq!(code(ring.with_node(with_tokens("c", [4]))), "token_collision");
    assert_eq!(code(ring.with_node(with_tokens("c", [4]).weight(0))), "token_collision");
    assert_eq!(code(ring.with_node(with_tokens("c", [1]))), "token_collision", "a drained node keeps its tokens");
    assert_eq!(code(ring.with_node(with_tokens("c", [100]))), "invalid_tokens");
    assert_eq!(code(ring.with_node("c")), "invalid_tokens");
    assert_eq!(code(ring.with_weight("a", 2)), "invalid_weight");
    assert_eq!(code(ring.with_weight("a", 0)), "no_nodes");
    let freed = ring.without_node("b").unwrap();
    assert_eq!(code(freed.with_node(with_tokens("c", [1]))), "no error");
}

#[test]
fn rejects_parameters_that_do_not_belong_together() {
    let given = || ring().node(with_tokens("a", [1]));
    assert_eq!(code(given().tokens_per_weight(256).build()), "invalid_parameter");
    assert_eq!(code(ring().node("a").space(32).build()), "invalid_parameter");
    for space in [0, 1] {
        assert_eq!(code(ring().node(with_tokens("a", [0])).space(space).build()), "invalid_parameter");
    }
    for tokens in [0, 65_537, u64::MAX] {
        assert_eq!(code(ring().node("a").tokens_per_weight(tokens).build()), "invalid_parameter");
    }
    assert_eq!(code(Cluster::builder().node(with_tokens("a", [1])).build()), "invalid_parameter");
}

#[test]
fn rejects_too_many_tokens_without_wrapping() {
    let full = |weights: &[u32]| {
        let nodes = weights.iter().enumerate().map(|(i, weight)| node(&format!("n{i}"), *weight));
        code(ring().tokens_per_weight(65_536).nodes(nodes).build())
    };
    assert_eq!(full(&[1025]), "too_many_tokens");
    assert_eq!(full(&[1000, 25]), "too_many_tokens");
    // 2^16 nodes of weight 2^32 − 1 have 2^64 − 2^32 tokens, and a few more nodes have 2^64 and above.
    assert_eq!(full(&vec![u32::MAX; 65_540]), "too_many_tokens");
}

#[test]
fn other_algorithms_have_no_coordinates() {
    let cluster = Cluster::rendezvous(["a"]).unwrap();
    assert_eq!(cluster.arcs().unwrap_err().code(), "unsupported");
    assert_eq!(cluster.owner_at(0).unwrap_err().code(), "unsupported");
}
