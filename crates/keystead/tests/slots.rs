//! `slots-1`: literal answers of the oracle, a naive table to compare with, caps and quotas.

#![cfg(feature = "alloc")]

use keystead::{Cluster, ClusterBuilder, Domain, Error, Node, caps, draw, rank_scores};

const NAMES: [&str; 4] = ["cache-a", "cache-b", "cache-c", "cache-d"];

fn table(slots: u64, headroom: Option<u64>) -> ClusterBuilder {
    let builder = Cluster::builder().algorithm("slots-1").slots(slots);
    if let Some(headroom) = headroom { builder.headroom(headroom) } else { builder }
}

fn nodes(weights: &[u32]) -> Vec<Node> {
    weights.iter().enumerate().map(|(i, weight)| Node::new(format!("n{i:02}")).unwrap().weight(*weight)).collect()
}

fn weighted(slots: u64, headroom: Option<u64>) -> Cluster {
    let nodes = NAMES.iter().zip([1, 2, 1, 0]).map(|(id, weight)| Node::new(*id).unwrap().weight(weight));
    table(slots, headroom).nodes(nodes).build().unwrap()
}

fn counts(cluster: &Cluster) -> Vec<u64> {
    let mut counts = vec![0; cluster.len()];
    cluster.slot_owners().unwrap().iter().for_each(|owner| counts[*owner as usize] += 1);
    counts
}

#[test]
fn value_stability_tables() {
    let cluster = weighted(16, None);
    assert_eq!(cluster.slot_owners().unwrap(), [1, 1, 1, 2, 0, 1, 0, 0, 1, 1, 2, 1, 1, 1, 0, 1]);
    let keys: [&[u8]; 6] = [b"", b"a", b"user:42", b"user:43", "é".as_bytes(), b"\x00\xff"];
    assert_eq!(keys.map(|key| cluster.slot(key).unwrap()), [1, 6, 13, 3, 0, 9]);
    assert_eq!(cluster.slots_of("cache-c").unwrap(), [3, 10]);
    assert_eq!(cluster.slots_of("cache-d").unwrap(), [0_u32; 0]);
    assert_eq!(cluster.slots_of("cache-e").unwrap_err().code(), "unknown_node");
    assert_eq!(cluster.fingerprint().to_string(), "c3e9d73a94291cf0f5457d6eda24f7c1");

    let quotas = weighted(16, Some(0));
    assert_eq!(quotas.slot_owners().unwrap(), [1, 1, 1, 2, 0, 1, 0, 0, 1, 1, 2, 1, 1, 2, 0, 2]);
    assert_eq!(quotas.fingerprint().to_string(), "0e09e05257af37e61ecb2b4c8003b08c");
    let rankings = (0..16).map(|slot| quotas.slot_ranking(slot).unwrap().indices().collect::<Vec<_>>());
    let expected = [
        [1, 0, 2],
        [1, 2, 0],
        [1, 0, 2],
        [2, 1, 0],
        [0, 1, 2],
        [1, 0, 2],
        [0, 1, 2],
        [0, 1, 2],
        [1, 2, 0],
        [1, 0, 2],
        [2, 1, 0],
        [1, 2, 0],
        [1, 0, 2],
        [2, 1, 0],
        [0, 1, 2],
        [2, 1, 0],
    ];
    assert!(rankings.eq(expected), "slots 13 and 15 are led by the node they were dealt to");
    let capped = weighted(16, Some(5));
    assert_eq!(capped.slot_owners().unwrap(), [1, 1, 1, 2, 0, 1, 0, 0, 1, 1, 2, 1, 1, 1, 0, 0]);
}

#[test]
fn value_stability_counts() {
    let all = |slots| [None, Some(0), Some(5)].map(|headroom| counts(&weighted(slots, headroom)));
    assert_eq!(all(1), [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]);
    assert_eq!(all(2), [[0, 2, 0, 0], [1, 1, 0, 0], [0, 2, 0, 0]]);
    assert_eq!(all(271), [[67, 136, 68, 0], [68, 135, 68, 0], [67, 136, 68, 0]]);
}

#[test]
fn value_stability_caps() {
    const MAX: u32 = u32::MAX;
    // The first numerators have 65 bits.
    assert_eq!(caps(1 << 22, &[MAX, MAX, MAX], 1000), [15_379_115; 3]);
    assert_eq!(caps(1 << 22, &[MAX, MAX - 1, 3], 925), [21_495_808, 21_495_808, 1]);
    assert_eq!(caps(1 << 22, &[MAX, 1, 2], 413), [21_516_780, 1, 1]);
    assert_eq!(caps(5, &[1; 6], 25), [2; 6]);
    assert_eq!(caps(3, &[1, 0, 1000], 1), [1, 0, 4]);
    assert_eq!(caps(10, &[1, 1, 1], 0), [4, 3, 3]);
    assert_eq!(caps(10, &[1, 2, 0, 4], 0), [1, 3, 0, 6]);
    assert_eq!(caps(7, &[MAX, MAX, 1], 0), [4, 3, 0]);
    assert_eq!(caps(7, &[0, 0], 5), [0, 0]);
}

/// A table to the letter: every slot ranks all nodes, by the order given scores have.
fn naive(cluster: &Cluster, headroom: Option<u32>) -> Vec<Vec<u32>> {
    let slots = cluster.slots().unwrap();
    let weights: Vec<u32> = cluster.nodes().iter().map(Node::get_weight).collect();
    let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    let mut left = match headroom {
        None => vec![u128::MAX; weights.len()],
        Some(0) => {
            let product = |i: &usize| u128::from(slots) * u128::from(weights[*i]);
            let mut by_remainder: Vec<usize> = (0..weights.len()).collect();
            by_remainder.sort_by_key(|i| (total - product(i) % total, *i));
            let mut quotas: Vec<u128> = (0..weights.len()).map(|i| product(&i) / total).collect();
            let short = u128::from(slots) - quotas.iter().sum::<u128>();
            by_remainder[..usize::try_from(short).unwrap()].iter().for_each(|i| quotas[*i] += 1);
            quotas
        }
        Some(percent) => {
            let share = |weight: &u32| u128::from(slots) * u128::from(*weight) * u128::from(100 + percent);
            weights.iter().map(|weight| share(weight).div_ceil(100 * total)).collect()
        }
    };
    (0..slots)
        .map(|slot| {
            let digest = cluster.hash().digest(Domain::Slot, &slot.to_le_bytes());
            let score = |node: &Node| draw(digest, cluster.hash().digest(Domain::Node, node.id().as_bytes()));
            let scored = cluster.nodes().iter().map(|node| (node.id(), score(node), node.get_weight()));
            let mut ranking = rank_scores(scored).unwrap();
            let at = ranking.iter().position(|node| left[*node] > 0).unwrap();
            let owner = ranking.remove(at);
            left[owner] -= 1;
            ranking.insert(0, owner);
            ranking.into_iter().map(|node| u32::try_from(node).unwrap()).collect()
        })
        .collect()
}

#[test]
fn matches_naive_table() {
    for seed in 0..60 {
        let number = |i, bound| u32::try_from(draw(seed, i) % bound).unwrap();
        let weights: Vec<u32> =
            (0..=number(0, 12)).map(|i| if i == 0 { 1 } else { number(10 + u64::from(i), 4) }).collect();
        let slots = 1 + number(1, 120);
        let headroom = [None, Some(0), Some(1), Some(30), Some(1000)][number(2, 5) as usize];
        let cluster = table(slots.into(), headroom.map(u64::from)).nodes(nodes(&weights)).build().unwrap();
        let naive = naive(&cluster, headroom);
        for slot in 0..slots {
            let ranking = cluster.slot_ranking(slot.into()).unwrap().indices();
            assert_eq!(ranking.collect::<Vec<_>>(), naive[slot as usize], "{weights:?} {slots} {headroom:?}");
        }
        assert!(naive.iter().map(|ranking| &ranking[0]).eq(cluster.slot_owners().unwrap()));
        for key in 0..20_u64 {
            let slot = cluster.slot(key).unwrap();
            assert_eq!(u128::from(slot), (u128::from(cluster.digest(key)) * u128::from(slots)) >> 64);
            assert!(cluster.ranking(key).indices().eq(naive[slot as usize].iter().copied()));
            assert_eq!(cluster.owner_index(key), naive[slot as usize][0]);
            assert_eq!(cluster.owner_index_at(cluster.digest(key)).unwrap(), naive[slot as usize][0]);
        }
    }
}

/// All headrooms, all numbers of nodes from 1 to 40, and of slots from 1 to 500 every ninth, a different one for
/// each.
#[test]
fn no_node_is_above_its_cap_and_all_slots_are_owned() {
    for count in 1..=40_u32 {
        for slots in 1..=500_u32 {
            for headroom in [0, 1, 5, 25, 100_u64] {
                let weights: Vec<u32> =
                    (0..count).map(|i| if slots % 2 == 0 { 1 } else { 1 + (i * 7 + slots) % 5 }).collect();
                let cluster = table(slots.into(), Some(headroom)).nodes(nodes(&weights)).build().unwrap();
                let counts = counts(&cluster);
                assert_eq!(counts.iter().sum::<u64>(), u64::from(slots));
                let total = weights.iter().map(|weight| u64::from(*weight)).sum::<u64>();
                for (owned, weight) in counts.iter().zip(&weights) {
                    let product = u64::from(slots) * u64::from(*weight);
                    if headroom == 0 {
                        // A quota is the exact share, rounded down or up.
                        assert!((product / total..=product.div_ceil(total)).contains(owned));
                    } else {
                        assert!(*owned <= (product * (100 + headroom)).div_ceil(100 * total));
                    }
                }
            }
        }
    }
}

#[test]
fn equal_weights_are_within_one_slot_of_each_other_at_headroom_0() {
    for count in 1..=40 {
        for slots in [1, 2, 3, 39, 40, 41, 271, 500] {
            let counts = counts(&table(slots, Some(0)).nodes(nodes(&vec![9; count])).build().unwrap());
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{count} nodes, {slots} slots: {counts:?}");
        }
    }
}

#[test]
fn absent_headroom_is_not_headroom_0() {
    let table = |headroom| table(500, headroom).nodes(nodes(&[1; 10])).build().unwrap();
    assert_eq!(counts(&table(Some(0))), [50; 10]);
    assert_ne!(counts(&table(None)), [50; 10]);
    assert_ne!(table(None).fingerprint(), table(Some(0)).fingerprint());
}

#[test]
fn shares_and_lists_of_slots_are_the_table() {
    for headroom in [None, Some(10)] {
        let cluster = table(1000, headroom).nodes(nodes(&[3, 0, 1, 2])).build().unwrap();
        let mut listed = 0;
        for ((share, count), id) in cluster.shares().iter().zip(counts(&cluster)).zip(cluster.ids()) {
            assert_eq!(share.numerator * 1000, u128::from(count) * share.denominator);
            let slots = cluster.slots_of(id).unwrap();
            assert_eq!(slots.len() as u64, count);
            assert!(
                slots.iter().all(|slot| cluster.slot_ranking(u64::from(*slot)).unwrap().next().unwrap().id() == id)
            );
            listed += slots.len();
        }
        assert_eq!(listed, 1000);
    }
}

#[test]
fn exclusion_does_not_assign_anew() {
    let cluster = table(64, Some(0)).nodes(nodes(&[1; 4])).build().unwrap();
    let without = keystead::Constraints::new().exclude(["n02"]);
    for key in 0..200_u64 {
        let ranking: Vec<&str> = cluster.ranking(key).map(Node::id).collect();
        let next = ranking.iter().find(|id| **id != "n02").unwrap();
        assert_eq!(cluster.owner_with(key, &without).unwrap().id(), *next);
    }
}

#[test]
fn changed_tables_equal_new_ones_and_come_back() {
    for headroom in [None, Some(3)] {
        let start = table(400, headroom).nodes(nodes(&[2, 1, 4, 0, 1])).build().unwrap();
        let mut cluster = start.clone();
        for step in 0..40 {
            let id = format!("n{:02}", draw(1, step) % 5);
            let weight = u32::try_from(draw(2, step) % 5).unwrap();
            let Ok(changed) = cluster.with_weight(&id, weight) else { continue };
            let anew = table(400, headroom).nodes(changed.nodes().iter()).build().unwrap();
            assert_eq!(changed.slot_owners().unwrap(), anew.slot_owners().unwrap());
            cluster = changed;
        }
        for node in start.nodes() {
            // Heavier first: a table in which all are drained is refused.
            cluster = cluster.with_weight(node.id(), node.get_weight() + 1).unwrap();
        }
        for node in start.nodes() {
            cluster = cluster.with_weight(node.id(), node.get_weight()).unwrap();
        }
        assert_eq!(cluster.slot_owners().unwrap(), start.slot_owners().unwrap());
    }
}

#[test]
fn rejects_slots_and_headroom_out_of_range() {
    let code = |result: Result<Cluster, Error>| result.map_or_else(|error| error.code(), |_| "no error");
    let build = |slots, headroom| code(table(slots, headroom).node("a").build());
    for (slots, headroom) in [(0, None), ((1 << 22) + 1, None), (u64::MAX, None), (1, Some(1001)), (1, Some(u64::MAX))]
    {
        assert_eq!(build(slots, headroom), "invalid_parameter");
    }
    assert_eq!(build(1, Some(1000)), "no error");
    assert_eq!(code(Cluster::builder().node("a").slots(16).build()), "invalid_parameter");
    assert_eq!(code(Cluster::builder().node("a").headroom(5).build()), "invalid_parameter");
    let cluster = weighted(16, None);
    assert_eq!(cluster.slot_ranking(16).map(|_| ()).unwrap_err().code(), "invalid_parameter");
    assert_eq!(cluster.slot_ranking(1 << 32).map(|_| ()).unwrap_err().code(), "invalid_parameter");
    let other = Cluster::rendezvous(["a"]).unwrap();
    assert_eq!(other.slot("key").unwrap_err().code(), "unsupported");
    assert_eq!(other.slot_owners().unwrap_err().code(), "unsupported");
    assert_eq!(other.slots_of("a").unwrap_err().code(), "unsupported");
    assert_eq!(other.slot_ranking(0).map(|_| ()).unwrap_err().code(), "unsupported");
}
