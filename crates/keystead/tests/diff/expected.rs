//! What is expected of keys that nobody gave, against counts of keys that were.

use super::*;

/// Every cell of an expectation against counts: sources, targets, pairs, and the sum.
fn check_cells(found: &DiffSummary, what: &str) -> u64 {
    let counted = found.counted.as_ref().unwrap();
    let keys = counted.total.keys;
    let mut cells = 0;
    let mut check = |count: u64, share: f64, cell: &str| {
        if share == 0.0 {
            assert_eq!(count, 0, "{what}: {cell}");
        }
        // A cell of fewer is too skewed for a normal bound.
        if share * float(keys) >= 25.0 && (1.0 - share) * float(keys) >= 25.0 {
            assert!(is_near(count, share, keys), "{what}: {cell} has {count} of {keys}, expected {share}");
            cells += 1;
        }
    };
    check(counted.moved.keys, found.expected.moved, "moved");
    let moves: BTreeMap<(&str, &str), u64> =
        counted.moves.iter().map(|pair| ((&*pair.from, &*pair.to), pair.count.keys)).collect();
    let expected = found.expected.moves.as_ref().unwrap();
    for pair in expected {
        let count = moves.get(&(&*pair.from, &*pair.to)).copied().unwrap_or(0);
        check(count, pair.share, &format!("{} to {}", pair.from, pair.to));
    }
    for pair in moves.keys() {
        assert!(expected.iter().any(|other| (&*other.from, &*other.to) == *pair), "{what}: {pair:?} was not expected");
    }
    for (node, counts) in found.expected.nodes.iter().zip(&counted.nodes) {
        assert_eq!(node.id, counts.id);
        check(counts.before.keys, node.before, &format!("before {}", node.id));
        check(counts.after.keys, node.after, &format!("after {}", node.id));
        check(counts.moved_in.keys, node.moved_in, &format!("into {}", node.id));
        check(counts.moved_out.keys, node.moved_out, &format!("out of {}", node.id));
        assert!((node.before + node.moved_in - node.after - node.moved_out).abs() < 1e-12);
    }
    cells
}

#[test]
fn the_closed_form_matches_a_million_keys_for_200_random_changes() {
    let mut cells = 0;
    for seed in 0..200 {
        let count = 2 + draw(seed, 0) % 5;
        let largest = [1, 3, 100, 4_294_967_295][usize::try_from(draw(seed, 1) % 4).unwrap()];
        let side = |side: u64| {
            let present = |i: &u64| *i == draw(seed, 2) % count || !draw(seed, side + i).is_multiple_of(4);
            let nodes = (0..count).filter(present).map(|i| {
                let weight = 1 + draw(seed, side + 100 + i) % largest;
                node(&format!("n{i}"), u32::try_from(weight).unwrap())
            });
            Cluster::builder().seed(seed / 2).nodes(nodes).build().unwrap()
        };
        let (before, after) = (side(1000), side(2000));
        let found = summary(&before, &after, 1, 1_000_000);
        assert_eq!(found.expected.method, "exact");
        cells += check_cells(&found, &format!("change {seed}"));
        assert!(found.expected.moved >= found.least.unwrap().share - 1e-12);
    }
    assert!(cells > 3000, "{cells} cells");
}

#[test]
fn every_method_matches_counts() {
    let nodes = || (0..7_u32).map(|i| zoned(&format!("n{i}"), ["x", "y"][usize::from(i > 2)]).weight(1 + i % 3));
    let built = |algorithm: &str, seed| {
        Cluster::builder().algorithm(algorithm).seed(seed).nodes(nodes().chain([zoned("only", "x")])).build().unwrap()
    };
    let other = |cluster: &Cluster| cluster.change(&Change::new().remove("only").weight("n3", 5).drain("n1")).unwrap();
    let mut methods = BTreeMap::new();
    let all = ["rendezvous-1", "ring-1", "slots-1", "hierarchy-1"];
    for old in all {
        for new in all {
            for seed in [0, 1] {
                let (before, after) = (built(old, 0), other(&built(new, seed)));
                let found = summary(&before, &after, 1, 100_000);
                methods.insert((old, new, seed), found.expected.method);
                if found.expected.method == "sample" {
                    // Both are samples: the difference has twice the variance.
                    let share = float(found.counted.as_ref().unwrap().moved.keys) / 1e5;
                    assert!((found.expected.moved - share).abs() < 8.0 * found.expected.standard_error);
                    assert_eq!(found.expected.samples, Some(65_536));
                } else {
                    check_cells(&found, &format!("{old} to {new}, seed {seed}"));
                }
            }
        }
    }
    let method = |old, new, seed| methods[&(old, new, seed)];
    for algorithm in ["rendezvous-1", "ring-1", "slots-1"] {
        assert_eq!(method(algorithm, algorithm, 0), "exact");
        assert_eq!(method(algorithm, algorithm, 1), "independent");
    }
    assert_eq!(method("hierarchy-1", "hierarchy-1", 0), "sample");
    assert_eq!(method("hierarchy-1", "hierarchy-1", 1), "independent");
    assert_eq!(method("rendezvous-1", "ring-1", 0), "independent");
    assert_eq!(method("ring-1", "slots-1", 0), "sample");
}

#[test]
fn transitions_are_expected_by_the_gates_they_share() {
    for (name, builder) in algorithms() {
        let (before, after) = random_change(&builder, 5);
        let third = after.with_weight("n00", 7).unwrap();
        let step = |from: &Cluster, to: &Cluster, part, of| -> Description {
            Transition::new(from, to, part, of).unwrap().into()
        };
        let sides: [(Description, Description); 7] = [
            ((&before).into(), step(&before, &after, 1, 3)),
            (step(&before, &after, 1, 3), step(&before, &after, 1, 2)),
            (step(&before, &after, 1, 2), step(&before, &after, 1, 3)),
            (step(&before, &after, 2, 3), (&after).into()),
            (step(&before, &after, 2, 3), (&before).into()),
            (step(&before, &after, 1, 4), step(&after, &third, 3, 4)),
            (step(&after, &third, 3, 4), step(&before, &after, 0, 9)),
        ];
        for (at, (old, new)) in sides.into_iter().enumerate() {
            let found = summary(old, new, 1, 200_000);
            if found.expected.method == "sample" {
                assert_eq!(name, "hierarchy");
                let share = float(found.counted.as_ref().unwrap().moved.keys) / 2e5;
                assert!((found.expected.moved - share).abs() < 8.0 * found.expected.standard_error);
            } else {
                check_cells(&found, &format!("{name}, sides {at}"));
            }
            // A ring's arcs say the same, with the share of each that moves.
            if let Some(arcs) = &found.arcs {
                #[expect(clippy::cast_precision_loss, reason = "compared with an expectation in floats")]
                let moved: f64 =
                    arcs.iter().map(|arc| arc.share * arc.length as f64 / 18_446_744_073_709_551_616.0).sum();
                assert!((moved - found.expected.moved).abs() < 1e-12);
            }
            assert_eq!(found.arcs.is_some(), name == "ring");
            assert_eq!(found.slots.is_some(), name.starts_with("slots"));
        }
    }
}

#[test]
fn excluded_nodes_are_left_out_of_every_figure() {
    let exclude = Constraints::new().exclude(["n00", "n04", "nobody"]);
    for (name, builder) in algorithms() {
        let (before, after) = random_change(&builder, 9);
        let found = diff_under(&before, &after, 1, 300_000, &exclude).summary().unwrap();
        assert!(found.excluded.iter().all(|id| ["n00", "n04"].contains(&&**id)) && !found.excluded.is_empty());
        if name == "hierarchy" {
            assert_eq!((found.expected.method, found.least), ("sample", None));
        } else {
            check_cells(&found, name);
        }
        assert_eq!(found.counted.unwrap().nodes[0].before, Count::default());
    }
}

#[test]
fn moved_slots_match_both_tables() {
    for (name, builder) in algorithms().into_iter().filter(|(name, _)| name.starts_with("slots")) {
        let (before, after) = random_change(&builder, 3);
        let step = Transition::new(&before, &after, 2, 5).unwrap();
        for half in [false, true] {
            let target: Description = if half { (&step).into() } else { (&after).into() };
            let found = summary(&before, target, 1, 50_000);
            let slots = found.slots.as_ref().unwrap();
            let owners = |cluster: &Cluster, slot: u32| {
                cluster.nodes()[cluster.slot_owners().unwrap()[slot as usize] as usize].id().to_owned()
            };
            let passes = |slot: u32| !half || step.gate().passes(slot.to_le_bytes());
            let moved = (0..500).filter(|slot| passes(*slot) && owners(&before, *slot) != owners(&after, *slot));
            let moved: Vec<_> = moved.map(|slot| (slot, owners(&before, slot), owners(&after, slot))).collect();
            let listed: Vec<_> = slots.iter().map(|slot| (slot.slot, slot.from.clone(), slot.to.clone())).collect();
            assert_eq!(listed, moved, "{name}");
            assert!((found.expected.moved - float(listed.len() as u64) / 500.0).abs() < 1e-12);
            check_cells(&found, name);
        }
    }
}

#[test]
fn a_few_nodes_at_the_largest_sizes_and_weights() {
    let before = Cluster::rendezvous([node("a", u32::MAX), node("b", u32::MAX), node("c", 1)]).unwrap();
    let after = before.change(&Change::new().weight("a", 1).weight("c", u32::MAX)).unwrap();
    let mut diff = diff_of(&before, &after, 1, 0);
    for key in 0..10 {
        diff.add(key, u64::MAX).unwrap();
    }
    let found = diff.summary().unwrap();
    let counted = found.counted.unwrap();
    assert_eq!(counted.total.bytes, 10 * u128::from(u64::MAX));
    // A key stays on b with probability 1 / (1 + 1 + 1), and nearly all of a's leave.
    assert!((found.expected.moved - 2.0 / 3.0).abs() < 1e-6);
    assert_eq!(found.least.unwrap().fraction, Some((4_294_967_294, 8_589_934_591)));
}

#[test]
fn a_thousand_nodes_of_which_all_change_are_summed_without_their_matrix() {
    let weigh =
        |side: u64| (0..1000).map(move |i| node(&format!("n{i:04}"), u32::try_from(1 + draw(side, i) % 1000).unwrap()));
    let (before, after) = (Cluster::rendezvous(weigh(1)).unwrap(), Cluster::rendezvous(weigh(2)).unwrap());
    let found = summary(&before, &after, 1, 20_000);
    assert!(found.expected.moves.is_none());
    assert!(is_near(found.counted.unwrap().moved.keys, found.expected.moved, 20_000));
    let sum: f64 = found.expected.nodes.iter().map(|node| node.moved_in).sum();
    assert!((sum - found.expected.moved).abs() < 1e-12);
}
