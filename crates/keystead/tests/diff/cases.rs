//! Field cases and worked examples through differences: `tests/cases/*.json` at the top of the tree.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

fn field(id: &str) -> Value {
    let text = include_str!("../../../../tests/cases/field-cases.json");
    let cases: Value = serde_json::from_str(text).unwrap();
    cases["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap().clone()
}

fn nodes(values: &Value) -> Vec<Node> {
    let one = |value: &Value| {
        let node = node(value["id"].as_str().unwrap(), u32::try_from(value["weight"].as_u64().unwrap()).unwrap());
        let path = [value["zone"].as_str(), value["host"].as_str()];
        node.location(path.into_iter().flatten()).unwrap()
    };
    values.as_array().unwrap().iter().map(one).collect()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().map(|texts| texts.iter().map(|text| text.as_str().unwrap()).collect()).unwrap_or_default()
}

/// The cluster of a case and the one after its change.
fn clusters(case: &Value) -> (Cluster, Cluster) {
    let input = &case["input"];
    let before = Cluster::rendezvous(nodes(&input["nodes"])).unwrap();
    let wanted = &input["change"];
    let mut change = Change::new();
    for node in wanted["add"].as_array().map(|_| nodes(&wanted["add"])).unwrap_or_default() {
        change = change.add(node);
    }
    for id in texts(&wanted["remove"]).into_iter().chain(texts(&wanted["down"])) {
        change = change.remove(id);
    }
    for (id, weight) in wanted["reweight"].as_object().into_iter().flatten() {
        change = change.weight(id, u32::try_from(weight.as_u64().unwrap()).unwrap());
    }
    let after = before.change(&change).unwrap();
    (before, after)
}

fn keys(spec: &Value) -> Vec<String> {
    let from = spec["from"].as_u64().unwrap();
    let key = |i: u64| spec["fmt"].as_str().unwrap().replace("%d", &i.to_string());
    (from..from + spec["n"].as_u64().unwrap()).map(key).collect()
}

fn over(before: &Cluster, after: &Cluster, r: u64, constraints: &Constraints, keys: &[String]) -> DiffSummary {
    let mut diff = Diff::new(&before.into(), &after.into(), r, constraints).unwrap();
    for key in keys {
        diff.add(key, 1).unwrap();
    }
    diff.summary().unwrap()
}

#[test]
fn b23_b24_b26_b27_b29_only_the_changed_node_gains_or_loses() {
    for id in ["B23", "B24", "B26", "B27", "B29"] {
        let case = field(id);
        let (before, after) = clusters(&case);
        let keys = keys(&case["input"]["keys"]);
        let found = over(&before, &after, 1, &Constraints::new(), &keys);
        let check = &case["expected"]["check"];
        let counted = found.counted.unwrap();
        let (moved, tolerance) = (check["moved_p"].as_f64().unwrap(), check["tol_hrw"].as_f64().unwrap());
        assert!((found.expected.moved - moved).abs() < 1e-5, "{id}: {} is expected", found.expected.moved);
        assert!((found.least.unwrap().share - moved).abs() < 1e-5, "{id}: no placement could move less");
        assert!((float(counted.moved.keys) / float(counted.total.keys) - moved).abs() < tolerance, "{id}");
        let only =
            if check["only_removed_nodes_keys_move"] == true { counted.reasons.lost } else { counted.reasons.gained };
        assert_eq!(only, counted.moved, "{id}");
        assert_eq!(counted.nodes.iter().filter(|node| node.moved_in.keys > 0 && node.moved_out.keys > 0).count(), 0);

        // Undone, every key goes back the same way.
        let back = over(&after, &before, 1, &Constraints::new(), &keys);
        let returned: BTreeSet<_> =
            back.counted.unwrap().moves.into_iter().map(|pair| (pair.to, pair.from, pair.count)).collect();
        assert_eq!(returned, counted.moves.into_iter().map(|pair| (pair.from, pair.to, pair.count)).collect(), "{id}");

        for factor in check["scale_invariant"].as_array().into_iter().flatten() {
            let factor = u32::try_from(factor.as_u64().unwrap()).unwrap();
            let scaled = after.nodes().iter().map(|node| node.clone().weight(node.get_weight() * factor));
            let scaled = Cluster::rendezvous(scaled).unwrap();
            let found = over(&after, &scaled, 1, &Constraints::new(), &keys);
            assert!(found.identical && found.counted.unwrap().moved.keys == 0);
        }
    }
}

#[test]
fn b25_equal_weights_have_equal_shares_of_tokens_whatever_their_number() {
    let case = field("B25");
    for n in case["input"]["equal_weight_node_counts"].as_array().unwrap() {
        let ids = |n: u64| (0..n).map(|i| format!("n{i}"));
        let n = n.as_u64().unwrap();
        let ring = |n| Cluster::builder().algorithm("ring-1").tokens_per_weight(40).nodes(ids(n)).build().unwrap();
        // One more node changes no token of the others: each arc that moves goes to it, 40 at most.
        let arcs = summary(ring(n), ring(n + 1), 1, 0).arcs.unwrap();
        assert!(arcs.len() <= 40 && arcs.iter().all(|arc| arc.to == format!("n{n}")));
        assert_eq!(ring(n).arcs().unwrap().len() as u64, 40 * n);
    }
}

#[test]
fn b34_a_ring_of_few_tokens_is_uneven_and_says_so_exactly() {
    let case = field("B34");
    let nodes = nodes(&case["input"]["nodes"]);
    let spread = |tokens| {
        let ring =
            Cluster::builder().algorithm("ring-1").tokens_per_weight(tokens).nodes(nodes.clone()).build().unwrap();
        let found = summary(&ring, &ring, 1, 0);
        let mean = 1.0 / float(nodes.len() as u64);
        let squares: f64 = found.expected.nodes.iter().map(|node| (node.before / mean - 1.0).powi(2)).sum();
        (squares / float(nodes.len() as u64)).sqrt()
    };
    assert!(spread(3) > 0.2 && spread(500) < 0.1);
}

#[test]
fn b35_one_key_six_times_is_six_keys_on_one_node() {
    let case = field("B35");
    let (before, after) = clusters(&case);
    let found = over(&before, &after, 1, &Constraints::new(), &vec![String::new(); 6]);
    let counted = found.counted.unwrap();
    assert_eq!(counted.nodes.iter().filter(|node| node.before.keys > 0).count(), 1);
    assert_eq!((counted.total.keys, counted.reasons.unchanged.keys), (6, 6));
}

#[test]
fn b38_copies_are_flatter_than_weights_and_both_numbers_are_told() {
    let case = field("B38");
    let (before, after) = clusters(&case);
    let keys = keys(&case["input"]["keys"]);
    for r in [2, 3] {
        let found = over(&before, &after, r, &Constraints::new(), &keys);
        let (counted, copies) = (found.counted.unwrap().copies.unwrap(), found.expected.copies.unwrap());
        let expected = &case["expected"]["check"]["inclusion_p"][r.to_string()];
        for (node, counts) in copies.nodes.iter().zip(&counted.nodes) {
            let name = if node.id == "n0" { "n0" } else { "n1..n5" };
            let (inclusion, tolerance) = (expected[name].as_f64().unwrap(), 0.01732);
            assert!((node.after - inclusion).abs() < 0.01, "{r}: {} has {}", node.id, node.after);
            assert!((float(counts.after.keys) / float(keys.len() as u64) - inclusion).abs() < tolerance);
            let proportional = float(r) * if name == "n0" { 10.0 } else { 1.0 } / 15.0;
            assert!((node.proportional.unwrap() - proportional).abs() < 1e-12);
        }
    }
}

#[test]
fn b43_copies_that_move_stay_on_distinct_zones() {
    let case = field("B43");
    let before = Cluster::rendezvous(nodes(&case["input"]["nodes"])).unwrap();
    let after = before.without_node("h1:8080").unwrap();
    for r in [2, 3] {
        let mut diff = Diff::new(&(&before).into(), &(&after).into(), r, &Constraints::new().spread(0)).unwrap();
        for key in keys(&case["input"]["keys"]) {
            let moved = diff.add(&key, 1).unwrap();
            let (dropped, added): (Vec<_>, Vec<_>) = (moved.dropped().collect(), moved.added().collect());
            // One node changes at most one member of the list.
            assert!(dropped.is_empty() && added.is_empty() || dropped == ["h1:8080"] && added.len() == 1);
        }
        let copies = diff.summary().unwrap().counted.unwrap().copies.unwrap();
        let node = &copies.nodes[0];
        assert_eq!((&*node.id, node.moved_out, node.after), ("h1:8080", copies.moved, Count::default()));
    }
}

#[test]
fn b47_a_new_zone_replaces_only_the_members_that_go_to_it() {
    let case = field("B47");
    let before = Cluster::rendezvous(nodes(&case["input"]["nodes"])).unwrap();
    let after = before.with_node(nodes(&case["input"]["change"]["add_zone"]).remove(0)).unwrap();
    for r in 1..=11 {
        let spread = Constraints::new().spread(0).relaxed(true);
        let mut diff = Diff::new(&(&before).into(), &(&after).into(), r, &spread).unwrap();
        for key in keys(&case["input"]["tenants"]) {
            let moved = diff.add(&key, 1).unwrap();
            assert!(moved.added().all(|id| id == "sg12") && moved.dropped().len() <= 1);
        }
    }
}

/// No cluster can be given scores, so each of the six keys is played by one that ranks the five nodes in its order.
#[test]
fn worked_scores_with_e_joining_and_c_leaving_name_their_reasons() {
    let text = include_str!("../../../../tests/cases/worked-examples.json");
    let examples: Value = serde_json::from_str(text).unwrap();
    let scores = &examples["scores"];
    let all = Cluster::rendezvous(["A", "B", "C", "D", "E"]).unwrap();
    let four = all.without_node("E").unwrap();
    let three = four.without_node("C").unwrap();
    let mut joining = diff_of(&four, &all, 1, 0);
    let mut leaving = diff_of(&four, &three, 2, 0);
    for (name, key) in scores["keys"].as_object().unwrap() {
        let ids = ["A", "B", "C", "D", "E"];
        let ranked = keystead::rank_scores(ids.iter().map(|id| (*id, key[*id].as_u64().unwrap(), 1))).unwrap();
        let order: Vec<&str> = ranked.into_iter().map(|position| ids[position]).collect();
        let actor = (0..100_000).find(|key: &u64| all.ranking(key).map(Node::id).eq(order.iter().copied())).unwrap();

        let moved = joining.add(actor, 1).unwrap();
        let expected = scores["add_E"]["moved"].get(name);
        assert_eq!(expected.map(texts), (moved.from != moved.to).then(|| vec![moved.from, moved.to]), "{name}");
        assert_eq!(moved.reason, if expected.is_some() { Reason::Gained } else { Reason::Unchanged });
        assert_eq!((moved.from, moved.to), (key["owner"].as_str().unwrap(), key["owner_with_E"].as_str().unwrap()));

        let moved = leaving.add(actor, 1).unwrap();
        let expected = scores["remove_C"]["moved"].get(name);
        assert_eq!(expected.map(texts), (moved.from != moved.to).then(|| vec![moved.from, moved.to]), "{name}");
        let only = scores["remove_C"]["candidates_only"].get(name);
        if let Some(only) = only {
            let top = |cluster: &Cluster| -> Vec<String> {
                cluster.replicas(actor, 2).unwrap().into_iter().map(|node| node.id().to_owned()).collect()
            };
            assert_eq!((top(&four), top(&three)), (owned(&only["top2_before"]), owned(&only["top2_after"])));
            assert_eq!((moved.reason, moved.from), (Reason::Candidates, only["owner_unchanged"].as_str().unwrap()));
        } else {
            let second = order.iter().filter(|id| **id != "E").nth(1) == Some(&"C");
            let behind = if second { Reason::Candidates } else { Reason::Unchanged };
            assert_eq!(moved.reason, if expected.is_some() { Reason::Lost } else { behind }, "{name}");
        }
    }
    let counted = joining.counted();
    assert_eq!((counted.moved.keys, counted.total.keys, counted.reasons.gained.keys), (2, 6, 2));
    assert_eq!(leaving.counted().moved.keys, 2);
}

fn owned(value: &Value) -> Vec<String> {
    texts(value).into_iter().map(ToOwned::to_owned).collect()
}
