//! What holds for every cluster and every key, tried on random ones.

#![cfg(feature = "alloc")]

use std::collections::BTreeSet;

use keystead::{Cluster, Constraints, KeyPart, Node, encode_key};
use proptest::{collection::vec, prelude::*};

/// Distinct ids with weights; short, so that prefixes of each other are common.
fn members() -> impl Strategy<Value = Vec<(String, u32)>> {
    let weight = prop_oneof![Just(0_u32), Just(1), Just(2), 1..9_u32, Just(100_000), Just(u32::MAX)];
    let ids = proptest::collection::btree_map("[abé𝔘\u{FF5E}]{1,3}", weight, 1..9);
    ids.prop_map(|map| map.into_iter().collect::<Vec<_>>())
        .prop_filter("one of weight above 0", |all| all.iter().any(|(_, weight)| *weight > 0))
}

fn cluster(members: &[(String, u32)]) -> Cluster {
    let nodes = members.iter().map(|(id, weight)| Node::new(id.as_str()).unwrap().weight(*weight));
    Cluster::rendezvous(nodes).unwrap()
}

fn ranking(cluster: &Cluster, key: &[u8]) -> Vec<String> {
    cluster.ranking(key).map(|node| node.id().to_owned()).collect()
}

fn part() -> impl Strategy<Value = KeyPart> {
    let leaf = prop_oneof![
        vec(any::<u8>(), 0..5).prop_map(KeyPart::Bytes),
        (i128::from(i64::MIN)..=i128::from(u64::MAX)).prop_map(KeyPart::Integer),
        (-3_i128..3).prop_map(KeyPart::Integer),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| vec(inner, 0..4).prop_map(KeyPart::Sequence))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_order_of_nodes_never_matters(members in members(), shuffled in any::<prop::sample::Index>(), key in vec(any::<u8>(), 0..20)) {
        let mut other = members.clone();
        let turn = shuffled.index(other.len());
        other.rotate_left(turn);
        other.reverse();
        let (a, b) = (cluster(&members), cluster(&other));
        prop_assert_eq!(a.fingerprint(), b.fingerprint());
        prop_assert_eq!(ranking(&a, &key), ranking(&b, &key));
    }

    #[test]
    fn scaling_all_weights_changes_nothing(members in members(), factor in 2_u32..1_000, key in vec(any::<u8>(), 0..20)) {
        prop_assume!(members.iter().all(|(_, weight)| weight.checked_mul(factor).is_some()));
        let scaled: Vec<_> = members.iter().map(|(id, weight)| (id.clone(), weight * factor)).collect();
        prop_assert_eq!(ranking(&cluster(&members), &key), ranking(&cluster(&scaled), &key));
    }

    #[test]
    fn exclusion_equals_removal(members in members(), which in any::<prop::sample::Index>(), key in vec(any::<u8>(), 0..20)) {
        let id = members[which.index(members.len())].0.clone();
        let whole = cluster(&members);
        let constraints = Constraints::new().exclude([id.as_str(), "not there"]);
        match whole.without_node(&id) {
            Err(error) => {
                prop_assert_eq!(error.code(), "no_nodes");
                prop_assert_eq!(whole.owner_with(&key, &constraints).unwrap_err().code(), "no_nodes");
                prop_assert_eq!(whole.ranking_with(&key, &constraints).unwrap_err().code(), "no_nodes");
            }
            Ok(without) => {
                prop_assert_eq!(whole.owner_with(&key, &constraints).unwrap().id(), without.owner(&key).id());
                let left: Vec<&str> = whole.ranking_with(&key, &constraints).unwrap().map(Node::id).collect();
                prop_assert_eq!(left, ranking(&without, &key));
            }
        }
    }

    #[test]
    fn the_owner_is_first_and_the_top_r_is_a_prefix(members in members(), key in vec(any::<u8>(), 0..20)) {
        let cluster = cluster(&members);
        let all = ranking(&cluster, &key);
        prop_assert_eq!(cluster.owner(&key).id(), &all[0]);
        let live = members.iter().filter(|(_, weight)| *weight > 0).count();
        prop_assert_eq!(all.len(), live);
        prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), live);
        for r in 0..=live {
            let picked: Vec<&str> = cluster.replicas(&key, r as u64).unwrap().into_iter().map(Node::id).collect();
            prop_assert_eq!(&picked[..], &all[..r]);
        }
        prop_assert_eq!(cluster.replicas(&key, live as u64 + 1).unwrap_err().code(), "not_enough_nodes");
    }

    #[test]
    fn no_two_values_share_an_encoding_and_none_is_a_prefix(a in part(), b in part()) {
        let (x, y) = (encode_key(&a).unwrap(), encode_key(&b).unwrap());
        prop_assert_eq!(a == b, x == y);
        if a != b {
            prop_assert!(!x.as_bytes().starts_with(y.as_bytes()) && !y.as_bytes().starts_with(x.as_bytes()));
        }
    }

    #[test]
    fn any_sequence_of_changes_equals_a_fresh_build(members in members(), steps in vec((any::<prop::sample::Index>(), 0..4_u32, 0..4_u32), 0..8)) {
        let mut state = members.clone();
        let mut changed = cluster(&members);
        for (which, kind, weight) in steps {
            let index = which.index(state.len());
            let mut next = state.clone();
            let result = match kind {
                0 => {
                    let id = format!("new{weight}");
                    next.push((id.clone(), weight));
                    changed.with_node(Node::new(id).unwrap().weight(weight))
                }
                1 => {
                    let (id, _) = next.remove(index);
                    changed.without_node(&id)
                }
                _ => {
                    next[index].1 = weight;
                    changed.with_weight(&state[index].0, weight)
                }
            };
            if let Ok(result) = result {
                (state, changed) = (next, result);
            }
        }
        let fresh = cluster(&state);
        prop_assert_eq!(changed.description(), fresh.description());
        for key in 0..20_u8 {
            prop_assert_eq!(ranking(&changed, &[key]), ranking(&fresh, &[key]));
        }
    }
}

#[test]
fn shares_are_proportional_within_five_standard_deviations() {
    const KEYS: u32 = 200_000;
    for weights in [&[1, 2, 4, 7, 1][..], &[1, 10], &[100_000, 1]] {
        let nodes = (0..).zip(weights).map(|(i, weight)| Node::new(format!("node-{i}")).unwrap().weight(*weight));
        let cluster = Cluster::rendezvous(nodes).unwrap();
        let mut counts = vec![0_u32; weights.len()];
        (0..KEYS).for_each(|i| counts[cluster.owner_index(format!("key-{i}")) as usize] += 1);
        let total = f64::from(weights.iter().sum::<u32>());
        for (weight, count) in weights.iter().zip(counts) {
            let p = f64::from(*weight) / total;
            let deviation = (f64::from(KEYS) * p * (1.0 - p)).sqrt();
            assert!((f64::from(count) - f64::from(KEYS) * p).abs() <= 5.0 * deviation, "weight {weight}: {count}");
        }
    }
}

#[test]
fn checks_of_replicas_run_in_their_order() {
    let node = |id, location: &[&str]| Node::new(id).unwrap().location(location.iter().copied()).unwrap();
    let cluster = Cluster::builder().nodes([node("a", &["z1"]), node("b", &["z1"]), node("c", &[])]).levels(["zone"]);
    let cluster = cluster.build().unwrap();
    let code = |r, constraints: Constraints| cluster.replicas_with("k", r, &constraints).map_err(|e| e.code()).err();
    let all = Constraints::new().exclude(["a", "b", "c"]);
    assert_eq!(code(0, all.clone().spread("no such level")), None);
    assert_eq!(code(9, all.clone().spread("no such level")), Some("invalid_parameter"));
    assert_eq!(code(9, all.clone().spread(8)), Some("invalid_parameter"));
    assert_eq!(code(9, all.clone().spread("zone")), Some("uneven_locations"));
    assert_eq!(code(9, all), Some("no_nodes"));
    assert_eq!(code(9, Constraints::new()), Some("not_enough_nodes"));
    let drained = cluster.with_weight("c", 0).unwrap();
    let code = |r, constraints: Constraints| drained.replicas_with("k", r, &constraints).map_err(|e| e.code()).err();
    assert_eq!(code(2, Constraints::new().spread("zone")), Some("not_enough_domains"));
    assert_eq!(code(3, Constraints::new().spread("zone")), Some("not_enough_nodes"));
    assert_eq!(drained.replicas_with("k", 2, &Constraints::new().spread(0).relaxed(true)).unwrap().limit(), 2);
}

#[test]
fn relaxed_spread_matches_the_passes_of_the_specification() {
    let nodes = (0..14).map(|i| Node::new(format!("n{i}")).unwrap().location([["x", "y", "z", "x"][i % 4]]).unwrap());
    let cluster = Cluster::rendezvous(nodes).unwrap();
    for key in 0..300 {
        let all: Vec<&Node> = cluster.ranking(key).collect();
        for r in 1..=14 {
            // The loop of section 9, to the letter.
            let (mut limit, mut picked): (u32, Vec<&Node>) = (1, Vec::new());
            'picking: loop {
                for node in &all {
                    let domain = picked.iter().filter(|other| other.get_location() == node.get_location()).count();
                    if picked.iter().any(|other| other.id() == node.id()) || domain as u64 >= u64::from(limit) {
                        continue;
                    }
                    picked.push(node);
                    if picked.len() == r {
                        break 'picking;
                    }
                }
                limit += 1;
            }
            let found = cluster.replicas_with(key, r as u64, &Constraints::new().spread(0).relaxed(true)).unwrap();
            assert_eq!((found.nodes(), found.limit()), (&picked[..], limit));
        }
    }
}
