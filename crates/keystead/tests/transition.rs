//! A change put into force key by key: what holds at every step, for every algorithm, number of copies and spread.

#![cfg(feature = "alloc")]

use std::collections::{BTreeMap, BTreeSet};

use keystead::{
    Cluster, ClusterBuilder, Comparison, Constraints, Count, Counted, Description, Diff, Gate, Node, Transition, draw,
};

fn node(i: u64, weight: u32) -> Node {
    let node = Node::new(format!("n{i:02}")).unwrap().weight(weight);
    node.location([format!("z{}", i % 3), format!("z{}-r{}", i % 3, i % 6)]).unwrap()
}

fn algorithms() -> [(&'static str, ClusterBuilder); 6] {
    let builder = |name: &str| Cluster::builder().algorithm(name);
    [
        ("rendezvous", builder("rendezvous-1")),
        ("ring", builder("ring-1").tokens_per_weight(12)),
        ("slots", builder("slots-1").slots(120)),
        ("slots with headroom", builder("slots-1").slots(120).headroom(4)),
        ("hierarchy", builder("hierarchy-1")),
        ("another seed", builder("rendezvous-1").seed(77)),
    ]
}

/// About three quarters of twelve nodes, with weights up to 3; one in each zone is always there.
fn cluster(builder: &ClusterBuilder, seed: u64) -> Cluster {
    let nodes = (0..12).filter(|i| *i < 3 || !draw(seed, *i).is_multiple_of(4));
    let weight = |i| u32::try_from(draw(seed, 50 + i) % 4).unwrap() + u32::from(i < 3);
    builder.clone().nodes(nodes.map(|i| node(i, weight(i)))).build().unwrap()
}

/// The numbers of copies and the spreads that are asked for.
fn questions() -> [(u64, Constraints); 5] {
    let none = Constraints::new;
    [
        (1, none()),
        (1, none().exclude(["n01", "n05"])),
        (2, none().spread(0)),
        (3, none().spread(0)),
        (4, none().spread(1).relaxed(true).exclude(["n02"])),
    ]
}

fn keys() -> impl Iterator<Item = String> {
    (0..400).map(|i| format!("key-{i}"))
}

fn steps(before: &Cluster, after: &Cluster, of: u64) -> Vec<Transition> {
    (0..=of).map(|part| Transition::new(before, after, part, of).unwrap()).collect()
}

/// Every pair of algorithms, on random clusters.
fn for_each_change(mut check: impl FnMut(&str, &Cluster, &Cluster)) {
    for (seed, (old, from)) in (0..).zip(algorithms()) {
        for (new, to) in algorithms() {
            check(&format!("{old} to {new}"), &cluster(&from, seed), &cluster(&to, seed + 100));
        }
    }
}

fn list(transition: &Transition, key: &str, r: u64, constraints: &Constraints) -> Vec<String> {
    let picked = transition.replicas_with(key, r, constraints).unwrap();
    picked.nodes().iter().map(|node| node.id().to_owned()).collect()
}

#[test]
fn every_answer_changes_at_most_once_and_from_before_to_after() {
    for_each_change(|what, before, after| {
        let steps = steps(before, after, 7);
        for (r, constraints) in questions() {
            for key in keys() {
                let lists: Vec<Vec<String>> = steps.iter().map(|step| list(step, &key, r, &constraints)).collect();
                let of = |cluster: &Cluster| -> Vec<String> {
                    let picked = cluster.replicas_with(&key, r, &constraints).unwrap();
                    picked.nodes().iter().map(|node| node.id().to_owned()).collect()
                };
                assert_eq!((lists.first(), lists.last()), (Some(&of(before)), Some(&of(after))), "{what}");
                let changes = lists.windows(2).filter(|pair| pair[0] != pair[1]).count();
                assert_eq!(changes, usize::from(lists.first() != lists.last()), "{what}, {r} of {key}");
                let passes: Vec<bool> = steps.iter().map(|step| step.passes(&key)).collect();
                assert!(passes.is_sorted() && !passes[0] && passes[7], "{what}: {key} does not pass once");
            }
        }
    });
}

fn counted(before: &Description, after: &Description, r: u64, constraints: &Constraints) -> Counted {
    let mut diff = Diff::new(before, after, r, constraints).unwrap();
    for (i, key) in keys().enumerate() {
        diff.add(key, 1 + i as u64).unwrap();
    }
    diff.counted()
}

/// What moves by source and target, which names the copies too.
type Moved = (BTreeMap<(String, String), Count>, BTreeMap<String, [Count; 2]>);

fn moved(counted: Counted) -> Moved {
    let pairs = counted.moves.into_iter().map(|pair| ((pair.from, pair.to), pair.count)).collect();
    let copies = counted.copies.map(|copies| copies.nodes).unwrap_or_default();
    let nodes = copies.into_iter().map(|node| (node.id, [node.moved_in, node.moved_out]));
    (pairs, nodes.filter(|(_, flow)| *flow != [Count::default(); 2]).collect())
}

#[test]
fn the_steps_add_up_to_exactly_the_difference() {
    for_each_change(|what, before, after| {
        let steps: Vec<Description> = steps(before, after, 4).into_iter().map(Description::from).collect();
        for (r, constraints) in questions().into_iter().take(4) {
            let mut sum: Moved = Moved::default();
            for pair in steps.windows(2) {
                let (pairs, nodes) = moved(counted(&pair[0], &pair[1], r, &constraints));
                for (pair, count) in pairs {
                    *sum.0.entry(pair).or_default() += count;
                }
                for (node, [moved_in, moved_out]) in nodes {
                    let flow = sum.1.entry(node).or_default();
                    flow[0] += moved_in;
                    flow[1] += moved_out;
                }
            }
            let whole = moved(counted(&before.into(), &after.into(), r, &constraints));
            assert_eq!(sum, whole, "{what}, {r} copies");
        }
    });
}

#[test]
fn clients_at_any_two_steps_disagree_about_two_names_at_most() {
    for_each_change(|what, before, after| {
        let steps = steps(before, after, 5);
        for key in keys() {
            let names = BTreeSet::from([before.owner(&key).id(), after.owner(&key).id()]);
            for step in &steps {
                let candidates: Vec<&str> = step.candidates(&key).into_iter().map(Node::id).collect();
                assert_eq!(candidates[0], step.owner(&key).id(), "{what}");
                // The same names at every step, so every client's owner is among every other's candidates.
                assert!(
                    candidates.len() <= 2 && candidates.iter().copied().collect::<BTreeSet<_>>() == names,
                    "{what}"
                );
            }
        }
    });
}

#[test]
fn a_slot_is_never_cut() {
    let builder = || Cluster::builder().algorithm("slots-1").slots(50);
    let (before, after) = (cluster(&builder(), 1), cluster(&builder().headroom(3), 2));
    for step in steps(&before, &after, 9) {
        let mut of_slots: BTreeMap<u32, bool> = BTreeMap::new();
        for key in (0..2000).map(|i| i.to_string()) {
            let slot = before.slot(&key).unwrap();
            let passes = step.passes(&key);
            assert_eq!(*of_slots.entry(slot).or_insert(passes), passes);
            assert_eq!(passes, step.gate().passes(slot.to_le_bytes()));
        }
        assert_eq!(of_slots.len(), 50);
    }
    // Under another hash or number of slots a key has two slots, so keys pass by themselves.
    for other in [builder().seed(1), builder().slots(51)] {
        let step = Transition::new(&before, &cluster(&other, 2), 1, 2).unwrap();
        assert!((0..500).all(|key| step.passes(key) == step.gate().passes(key)));
        let cut =
            (0..500).filter(|key| before.slot(key).unwrap() == 7).map(|key| step.passes(key)).collect::<BTreeSet<_>>();
        assert_eq!(cut.len(), 2);
    }
}

#[test]
fn every_step_is_an_even_sample_of_every_pair() {
    let before = Cluster::rendezvous((0..4).map(|i| node(i, 1))).unwrap();
    let after = before.without_node("n03").unwrap().with_node(node(9, 2)).unwrap();
    let count = 60_000_u32;
    let step = Transition::new(&before, &after, 1, 3).unwrap();
    let mut pairs: BTreeMap<(&str, &str), [f64; 2]> = BTreeMap::new();
    for key in 0..count {
        let pair = pairs.entry((before.owner(key).id(), after.owner(key).id())).or_default();
        pair[usize::from(step.passes(key))] += 1.0;
    }
    assert!(pairs.len() > 8);
    for (pair, [left, passed]) in pairs {
        let all: f64 = left + passed;
        let deviation = (all * 2.0 / 9.0).sqrt();
        assert!((passed - all / 3.0).abs() < 5.0 * deviation, "{pair:?}: {passed} of {all}");
    }
}

#[test]
fn exclusion_does_not_fall_back_to_the_other_cluster() {
    let before = Cluster::rendezvous(["a", "b"]).unwrap();
    let after = before.without_node("b").unwrap().with_node("c").unwrap();
    let step = Transition::new(&before, &after, 1, 2).unwrap();
    let without = |ids: &[&str]| Constraints::new().exclude(ids.iter().copied());
    for key in 0..200 {
        let answering = step.answering(key);
        let owner = step.owner_with(key, &without(&["a"])).unwrap();
        assert_eq!(owner.id(), answering.owner_with(key, &without(&["a"])).unwrap().id());
        let refused = step.owner_with(key, &without(&["a", "b"])).map_err(|error| error.code());
        assert_eq!(refused.map(Node::id), if step.passes(key) { Ok("c") } else { Err("no_nodes") });
    }
}

#[test]
fn the_ends_are_the_clusters_and_fractions_keep_their_form() {
    let (before, after) = (cluster(&Cluster::builder(), 1), cluster(&Cluster::builder(), 2));
    let step = |part, of| Transition::new(&before, &after, part, of).unwrap();
    for key in keys() {
        assert_eq!(step(0, 1).owner(&key), before.owner(&key));
        assert_eq!(step(u32::MAX.into(), u32::MAX.into()).owner(&key), after.owner(&key));
        assert_eq!(step(1, 2).owner(&key), step(2, 4).owner(&key));
    }
    assert_ne!(step(1, 2).fingerprint(), step(2, 4).fingerprint());
    assert_eq!(step(1, 2), step(1, 2));
    let published = step(1, 2).with_epoch(Some(44)).unwrap();
    assert_eq!((published.epoch(), published.fingerprint()), (Some(44), step(1, 2).fingerprint()));
    // Whoever publishes numbers, so a step onward has none.
    assert_eq!(published.at(2, 2).unwrap().epoch(), None);
    let later = published.at(2, 2).unwrap().with_epoch(Some(45)).unwrap();
    assert_eq!((later.compare(&published), published.compare(&later)), (Comparison::Newer, Comparison::Older));
    // The clusters' own epochs play no part, and comparing works between clusters and transitions alike.
    let plain = after.with_epoch(Some(46)).unwrap();
    assert_eq!((plain.compare(&later), later.compare(&plain)), (Comparison::Newer, Comparison::Older));
    assert_eq!(step(1, 2).compare(&plain), Comparison::Different);
    assert_eq!(plain.with_epoch(Some(45)).unwrap().compare(&later), Comparison::Conflict);
}

#[test]
fn composite_keys_pass_by_their_encoding() {
    let gate = Gate::new(1, 2).unwrap();
    let passed = (0..1000_u64).filter(|key| gate.passes(key)).count();
    assert!((400..600).contains(&passed));
    let encoded = |key: u64| keystead::encode_key(&keystead::KeyPart::Integer(key.into())).unwrap();
    assert!((0..1000_u64).all(|key| gate.passes(key) == gate.passes(encoded(key).as_bytes())));
    assert_eq!(gate.passes("user:42"), gate.passes(b"user:42"));
}

#[test]
fn rejects_fractions_out_of_range() {
    let cluster = Cluster::rendezvous(["a"]).unwrap();
    for (part, of) in [(0, 0), (1, 0), (2, 1), (1, 1 << 32), (u64::MAX, u64::MAX), (0, u64::MAX)] {
        let error = Transition::new(&cluster, &cluster, part, of).unwrap_err();
        assert_eq!(error.code(), "invalid_parameter", "{part} of {of}");
    }
    assert!(Transition::new(&cluster, &cluster, 0, 1).unwrap().with_epoch(Some(1 << 53)).is_err());
}

#[cfg(feature = "json")]
#[test]
fn steps_survive_their_files_and_explain_themselves() {
    use keystead::Secrets;
    let secret = [7; 16];
    let hidden = Cluster::builder().hash("sip13").secret(&secret);
    let (before, after) = (cluster(&Cluster::builder(), 3), cluster(&hidden, 4));
    let step = Transition::new(&before, &after, 3, 8).unwrap().with_epoch(Some(9)).unwrap();
    let text = step.to_json();
    assert!(!text.contains("0707") && !text.contains("secret"));
    let read = Transition::from_json(text.as_bytes(), Secrets::one_for_all(Some(&secret))).unwrap();
    assert_eq!((read.fingerprint(), read.epoch(), read.gate()), (step.fingerprint(), Some(9), step.gate()));
    for key in keys() {
        assert_eq!(read.owner(&key), step.owner(&key));
        let why = read.explain(&key, 1, &Constraints::new()).unwrap();
        let transition = why.transition.unwrap();
        assert_eq!((transition.passed, transition.part, transition.of), (step.passes(&key), 3, 8));
        assert_eq!((transition.epoch, transition.fingerprint), (Some(9), step.fingerprint().to_string()));
        assert_eq!(why.picked, [step.owner(&key).id()]);
    }
}
