//! The difference of two descriptions: reasons, totals, exact expectations, moved arcs and slots, and what is provably the same.

#![cfg(feature = "alloc")]

mod cases;
mod expected;
mod identical;
#[cfg(feature = "json")]
mod json;

use std::collections::BTreeMap;

use keystead::{
    Change, Cluster, ClusterBuilder, Constraints, Count, Description, Diff, DiffSummary, Node, Reason, Transition, draw,
};

fn node(id: &str, weight: u32) -> Node {
    Node::new(id).unwrap().weight(weight)
}

fn zoned(id: &str, zone: &str) -> Node {
    Node::new(id).unwrap().location([zone]).unwrap()
}

fn ring(tokens: &[(&str, &[u64])], space: u64) -> Cluster {
    let nodes = tokens.iter().map(|(id, tokens)| Node::new(*id).unwrap().tokens(tokens.iter().copied()).unwrap());
    Cluster::builder().algorithm("ring-1").space(space).nodes(nodes).build().unwrap()
}

/// The difference, over so many keys of one byte each.
fn diff_of(before: impl Into<Description>, after: impl Into<Description>, r: u64, keys: u64) -> Diff {
    diff_under(before, after, r, keys, &Constraints::new())
}

fn diff_under(
    before: impl Into<Description>,
    after: impl Into<Description>,
    r: u64,
    keys: u64,
    constraints: &Constraints,
) -> Diff {
    let mut diff = Diff::new(&before.into(), &after.into(), r, constraints).unwrap();
    for key in 0..keys {
        diff.add(key.to_be_bytes(), 1).unwrap();
    }
    diff
}

fn summary(before: impl Into<Description>, after: impl Into<Description>, r: u64, keys: u64) -> DiffSummary {
    diff_of(before, after, r, keys).summary().unwrap()
}

#[expect(clippy::cast_precision_loss, reason = "counts are compared with theory, which is in floats")]
fn float(count: u64) -> f64 {
    count as f64
}

/// Whether a count is within five standard deviations of what is expected of so many keys.
fn is_near(count: u64, share: f64, keys: u64) -> bool {
    let keys = float(keys);
    (float(count) - keys * share).abs() <= 5.0 * (keys * share * (1.0 - share)).sqrt().max(1.0)
}

// What moves, and why.

#[test]
fn a_joining_token_moves_one_arc_and_every_move_names_source_and_target() {
    let before = ring(&[("A", &[1]), ("B", &[8]), ("C", &[16]), ("D", &[24])], 32);
    let joined = before.with_node(Node::new("E").unwrap().tokens([12]).unwrap()).unwrap();
    let found = summary(&before, &joined, 1, 0);
    let arcs = |found: &DiffSummary| -> Vec<(u64, u64, u128, String, String)> {
        let arcs = found.arcs.clone().unwrap();
        arcs.into_iter().map(|arc| (arc.start, arc.end, arc.length, arc.from, arc.to)).collect()
    };
    assert_eq!(arcs(&found), [(8, 12, 4, "C".to_owned(), "E".to_owned())]);
    assert_eq!(found.least.unwrap().fraction, Some((1, 8)));
    assert_eq!((found.expected.method, found.expected.moved, found.expected.standard_error), ("exact", 0.125, 0.0));

    let left = joined.without_node("B").unwrap();
    assert_eq!(arcs(&summary(&joined, &left, 1, 0)), [(1, 8, 7, "B".to_owned(), "E".to_owned())]);

    // The mapping is not the data: coordinate 10 is E's at once, and what E must copy is on C.
    let key = (0..100_000_u64).find(|key| joined.digest(key) >> 59 == 10).unwrap();
    let mut diff = diff_of(&before, &joined, 1, 0);
    let moved = diff.add(key, 1).unwrap();
    assert_eq!((moved.from, moved.to, moved.reason), ("C", "E", Reason::Gained));
    assert_eq!((moved.dropped().collect::<Vec<_>>(), moved.added().collect::<Vec<_>>()), (vec!["C"], vec!["E"]));
}

#[test]
fn arcs_through_0_and_whole_circles_are_one_arc() {
    let one = |id, token: u64| ring(&[(id, &[token])], 32);
    let arcs = summary(one("A", 5), one("B", 9), 1, 0).arcs.unwrap();
    assert_eq!((arcs.len(), arcs[0].start, arcs[0].end, arcs[0].length), (1, 9, 9, 32));
    let before = ring(&[("A", &[10]), ("B", &[20])], 32);
    let arcs = summary(&before, ring(&[("A", &[4]), ("B", &[20])], 32), 1, 0).arcs.unwrap();
    assert_eq!((arcs.len(), arcs[0].start, arcs[0].end, arcs[0].length), (1, 4, 10, 6));
    let arcs = summary(&before, ring(&[("A", &[10]), ("B", &[30])], 32), 1, 0).arcs.unwrap();
    assert_eq!((arcs.len(), arcs[0].start, arcs[0].end, arcs[0].length), (1, 20, 30, 10));
    assert_eq!((&*arcs[0].from, &*arcs[0].to), ("A", "B"));
    let arcs = summary(&before, ring(&[("A", &[15]), ("B", &[3])], 32), 1, 0).arcs.unwrap();
    let ends: Vec<_> = arcs.iter().map(|arc| (arc.start, arc.end, arc.length, &*arc.from, &*arc.to)).collect();
    assert_eq!(ends, [(20, 3, 15, "A", "B"), (10, 15, 5, "B", "A")]);
}

#[test]
fn moved_arcs_match_every_coordinate() {
    for seed in 0..300 {
        let space = 2 + draw(seed, 0) % 60;
        let random = |side: u64| {
            let mut tokens: BTreeMap<u64, u64> = BTreeMap::new();
            for i in 0..=draw(seed, side) % 9 {
                tokens.insert(draw(seed, side + 10 + i) % space, draw(seed, side + 20 + i) % 4);
            }
            let nodes = (0..4).filter_map(|n| {
                let own: Vec<u64> = tokens.iter().filter(|(_, node)| **node == n).map(|(token, _)| *token).collect();
                Some(Node::new(format!("n{n}")).unwrap().tokens(own).ok()?.weight(u32::from(side + n != 101)))
            });
            Cluster::builder().algorithm("ring-1").space(space).nodes(nodes.collect::<Vec<_>>()).build()
        };
        let (Ok(before), Ok(after)) = (random(100), random(200)) else { continue };
        let found = summary(&before, &after, 1, 0);
        let mut owners = BTreeMap::new();
        let arcs = found.arcs.unwrap();
        for arc in &arcs {
            let base = if arc.start < arc.end { 0 } else { space };
            assert_eq!(arc.length, u128::from(base + arc.end - arc.start));
            for step in 1..=u64::try_from(arc.length).unwrap() {
                let coordinate = (arc.start + step) % space;
                assert!(owners.insert(coordinate, (arc.from.clone(), arc.to.clone())).is_none());
            }
        }
        assert!(arcs.windows(2).all(|pair| pair[0].end < pair[1].end));
        for coordinate in 0..space {
            let owner = |cluster: &Cluster| cluster.owner_at(coordinate).unwrap().id().to_owned();
            let (from, to) = (owner(&before), owner(&after));
            let moved = owners.get(&coordinate).cloned();
            assert_eq!(moved, (from != to).then_some((from, to)), "seed {seed}, coordinate {coordinate}");
        }
        assert!((found.expected.moved * float(space) - float(owners.len() as u64)).abs() < 1e-9);
    }
}

#[test]
fn reasons_follow_weights() {
    let before = Cluster::rendezvous([node("a", 2), node("b", 2), node("c", 2)]).unwrap();
    let reasons = |after: &Cluster| {
        let reasons = summary(&before, after, 1, 3000).counted.unwrap().reasons;
        [reasons.gained, reasons.lost, reasons.both, reasons.reshuffled].map(|count| count.keys > 0)
    };
    assert_eq!(reasons(&before.with_node("d").unwrap()), [true, false, false, false]);
    assert_eq!(reasons(&before.with_weight("a", 3).unwrap()), [true, false, false, false]);
    for after in [before.without_node("a"), before.with_weight("a", 0), before.with_weight("a", 1)] {
        assert_eq!(reasons(&after.unwrap()), [false, true, false, false]);
    }
    let both = before.change(&Change::new().drain("a").add(node("d", 2))).unwrap();
    assert_eq!(reasons(&both), [true, true, true, false]);
    let reseeded = Cluster::builder().seed(1).nodes(before.nodes()).build().unwrap();
    assert_eq!(reasons(&reseeded), [false, false, false, true]);
}

#[test]
fn a_list_that_changes_behind_its_owner_is_told_apart() {
    let before = Cluster::rendezvous(["a", "b", "c", "d"]).unwrap();
    let after = before.without_node("c").unwrap();
    let mut diff = diff_of(&before, &after, 2, 0);
    let mut seen = 0;
    for key in 0..2000 {
        let (old, new) = (before.replicas(key, 2).unwrap(), after.replicas(key, 2).unwrap());
        let moved = diff.add(key, 10).unwrap();
        let expected = match (old[0].id(), old[1].id()) {
            ("c", _) => Reason::Lost,
            (_, "c") => Reason::Candidates,
            _ => Reason::Unchanged,
        };
        assert_eq!((moved.from, moved.to, moved.reason), (old[0].id(), new[0].id(), expected));
        // The copy that is dropped is c's, and the one added is the next in the ranking.
        let (dropped, added): (Vec<_>, Vec<_>) = (moved.dropped().collect(), moved.added().collect());
        if expected == Reason::Unchanged {
            assert!(dropped.is_empty() && added.is_empty());
        } else {
            assert_eq!((dropped, added), (vec!["c"], vec![new[1].id()]));
            seen += 1;
        }
    }
    let found = diff.summary().unwrap();
    let counted = found.counted.unwrap();
    assert_eq!(counted.reasons.lost.keys + counted.reasons.candidates.keys, seen);
    let copies = counted.copies.unwrap();
    assert_eq!(copies.moved, Count { keys: seen, bytes: u128::from(10 * seen) });
    assert_eq!(copies.nodes.iter().map(|node| node.before.keys).sum::<u64>(), 4000);
    assert_eq!((copies.nodes[2].moved_out.keys, copies.nodes[2].after.keys), (seen, 0));
    // Without a spread, a removal changes the list of every key that has the node in it: r / n of them.
    let copies = found.expected.copies.unwrap();
    assert!((copies.changed - 0.5).abs() < 5.0 * copies.standard_error && copies.samples == 65_536);
}

/// Four nodes in each of three zones, in an algorithm.
fn algorithms() -> [(&'static str, ClusterBuilder); 5] {
    let builder = |name: &str| Cluster::builder().algorithm(name);
    [
        ("rendezvous", builder("rendezvous-1")),
        ("ring", builder("ring-1").tokens_per_weight(16)),
        ("slots", builder("slots-1").slots(500)),
        ("hierarchy", builder("hierarchy-1")),
        ("slots with headroom", builder("slots-1").slots(500).headroom(3)),
    ]
}

/// A random change of a cluster of up to twelve nodes in three zones.
fn random_change(builder: &ClusterBuilder, seed: u64) -> (Cluster, Cluster) {
    let side = |side: u64| {
        let nodes = (0..12).filter(|i| *i == 0 || !draw(seed, side + i).is_multiple_of(3)).map(|i| {
            // Weights mostly stay.
            let side = if draw(seed, 900 + i).is_multiple_of(3) { side } else { 0 };
            let weight = draw(seed, side + 50 + i) % 4;
            zoned(&format!("n{i:02}"), &format!("z{}", i % 3))
                .weight(u32::try_from(weight).unwrap() + u32::from(i == 0))
        });
        builder.clone().nodes(nodes).build().unwrap()
    };
    (side(100), side(300))
}

#[test]
fn reshuffled_is_nothing_where_the_guarantees_say_so_and_shown_where_not() {
    for (name, builder) in algorithms() {
        let mut reshuffled = 0;
        for seed in 0..60 {
            let (before, after) = random_change(&builder, seed);
            reshuffled += summary(&before, &after, 1, 1000).counted.unwrap().reasons.reshuffled.keys;
        }
        assert_eq!(reshuffled > 0, matches!(name, "hierarchy" | "slots with headroom"), "{name}: {reshuffled}");
    }
}

#[test]
fn tokens_count_instead_of_weights_on_one_circle() {
    let before = ring(&[("A", &[1, 17]), ("B", &[9, 25])], 32);
    let after = ring(&[("A", &[1, 13]), ("B", &[9, 25])], 32);
    let counted = summary(&before, &after, 1, 2000).counted.unwrap();
    // A lost token 17 and has token 13 now: keys go to B from A, which lost, and from B to A, which gained.
    assert_eq!(counted.reasons.reshuffled, Count::default());
    assert!(counted.reasons.gained.keys + counted.reasons.lost.keys == counted.moved.keys && counted.moved.keys > 0);
    let denser = |tokens| Cluster::builder().algorithm("ring-1").tokens_per_weight(tokens).nodes(["a", "b"]).build();
    let counted = summary(denser(20).unwrap(), denser(30).unwrap(), 1, 2000).counted.unwrap();
    assert_eq!(counted.reasons.gained, counted.moved);
    let counted = summary(denser(30).unwrap(), denser(20).unwrap(), 1, 2000).counted.unwrap();
    assert_eq!(counted.reasons.lost, counted.moved);
}

// Totals.

#[test]
fn totals_add_up_exactly() {
    for (_, builder) in algorithms() {
        for (seed, r) in [(1, 1), (2, 2), (3, 3)] {
            let (before, after) = random_change(&builder, seed);
            let spread = Constraints::new().spread(0).relaxed(true);
            let mut diff = Diff::new(&(&before).into(), &(&after).into(), r, &spread).unwrap();
            for key in 0..3000_u64 {
                diff.add(key, draw(7, key) >> 8).unwrap();
            }
            let counted = diff.summary().unwrap().counted.unwrap();
            let sum = |counts: &mut dyn Iterator<Item = Count>| {
                counts.fold(Count::default(), |sum, count| Count {
                    keys: sum.keys + count.keys,
                    bytes: sum.bytes + count.bytes,
                })
            };
            let bytes = (0..3000).map(|key| u128::from(draw(7, key) >> 8)).sum();
            assert_eq!(counted.total, Count { keys: 3000, bytes });
            let reasons = counted.reasons;
            let moved = [reasons.gained, reasons.lost, reasons.both, reasons.reshuffled];
            let stayed = [reasons.candidates, reasons.unchanged];
            assert_eq!(sum(&mut moved.into_iter()), counted.moved);
            assert_eq!(sum(&mut moved.into_iter().chain(stayed)), counted.total);
            assert_eq!(sum(&mut counted.moves.iter().map(|pair| pair.count)), counted.moved);
            for node in &counted.nodes {
                let pairs = |from: bool| {
                    counted.moves.iter().filter(move |pair| *if from { &pair.from } else { &pair.to } == node.id)
                };
                assert_eq!(sum(&mut pairs(true).map(|pair| pair.count)), node.moved_out);
                assert_eq!(sum(&mut pairs(false).map(|pair| pair.count)), node.moved_in);
                assert_eq!(
                    sum(&mut [node.before, node.moved_in].into_iter()),
                    sum(&mut [node.after, node.moved_out].into_iter())
                );
            }
            assert_eq!(sum(&mut counted.nodes.iter().map(|node| node.before)), counted.total);
            if let Some(copies) = counted.copies {
                assert_eq!(sum(&mut copies.nodes.iter().map(|node| node.before)).keys, 3000 * r);
                assert_eq!(sum(&mut copies.nodes.iter().map(|node| node.after)).keys, 3000 * r);
                assert_eq!(sum(&mut copies.nodes.iter().map(|node| node.moved_in)), copies.moved);
                assert_eq!(sum(&mut copies.nodes.iter().map(|node| node.moved_out)), copies.moved);
            }
        }
    }
}

// Questions that cannot be put.

#[test]
fn rejects_questions_that_a_side_cannot_answer() {
    let before = Cluster::rendezvous([zoned("a", "x"), zoned("b", "y")]).unwrap();
    let after = before.without_node("b").unwrap();
    let code = |r, constraints: &Constraints| {
        Diff::new(&(&before).into(), &(&after).into(), r, constraints).map(|_| ()).map_err(|error| error.code())
    };
    assert_eq!(code(0, &Constraints::new()), Err("invalid_parameter"));
    assert_eq!(code(1, &Constraints::new()), Ok(()));
    assert_eq!(code(2, &Constraints::new()), Err("not_enough_nodes"));
    assert_eq!(code(1, &Constraints::new().exclude(["a"])), Err("no_nodes"));
    assert_eq!(code(1, &Constraints::new().spread(3)), Err("uneven_locations"));
    assert_eq!(code(1, &Constraints::new().spread("zone")), Err("invalid_parameter"));
}
