//! Field cases and worked examples of rings and their tokens.

use super::{field_case, keys, list, names, number, owners, read, string};
use crate::run::{Folder, Run, keystead, lines, with_input};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Equal weights are equal numbers of tokens, whatever the number of nodes is.
#[test]
fn tokens_of_a_node_do_not_depend_on_the_others() {
    let case = field_case("B25");
    for count in list(&case["input"]["equal_weight_node_counts"]) {
        let count = count.as_u64().expect("a count");
        let ids: Vec<String> = (0..count).map(|number| format!("n{number}")).collect();
        for points in list(&case["input"]["points"]) {
            let nodes = format!("--nodes={}", ids.join(","));
            let arcs =
                keystead(["show", &nodes, "--algorithm=ring-1", "--tokens-per-weight", &points.to_string(), "--arcs"]);
            // An arc ends at each token.
            let mut of_node: BTreeMap<&str, u64> = BTreeMap::new();
            for line in arcs.ok().lines() {
                *of_node.entry(line.rsplit('\t').next().expect("a node")).or_default() += 1;
            }
            assert_eq!(of_node.len() as u64, count);
            assert!(of_node.values().all(|arcs| Some(*arcs) == points.as_u64()), "{of_node:?}");
        }
    }
}

/// 4,096 shards on nine hosts: rendezvous is even, a ring is as uneven as its tokens are few.
#[test]
fn tokens_that_are_too_few_are_to_blame() {
    let case = field_case("B34");
    let ids: Vec<&str> = list(&case["input"]["nodes"]).iter().map(|node| string(&node["id"])).collect();
    let (nodes, keys) = (format!("--nodes={}", ids.join(",")), lines(keys(&case["input"]["keys"])));
    let verdict = |options: &[&str]| {
        let run = with_input([&["balance", &nodes, "--keys=-", "--json"], options].concat(), keys.as_bytes());
        run.json()["verdict"].clone()
    };
    assert_eq!(verdict(&[]), "chance");
    let check = &case["expected"]["check"];
    let deviation = |options: &[&str]| -> f64 {
        let run = with_input([&["balance", &nodes, "--keys=-", "--json"], options].concat(), keys.as_bytes());
        let report = run.json();
        let loads: Vec<f64> =
            list(&report["nodes"]).iter().map(|node| string(&node["keys"]).parse().expect("a count")).collect();
        let mean = loads.iter().sum::<f64>() / 9.0;
        assert!((mean - number(&check["mean"])).abs() < 0.1);
        (loads.iter().map(|load| (load - mean).powi(2)).sum::<f64>() / 9.0).sqrt()
    };
    assert!(deviation(&[]) <= number(&check["sd_hrw_max"]));
    // A deviation that is itself of nine loads is uncertain by a quarter; three times that is allowed.
    for (tokens, about) in [("100", &check["sd_ring100_about"]), ("500", &check["sd_ring500_about"])] {
        let relative = deviation(&["--algorithm=ring-1", "--tokens-per-weight", tokens]) / number(about);
        assert!((0.25..1.75).contains(&relative), "{tokens}: {relative}");
    }
    // What to expect of so many tokens is said beforehand.
    for (tokens, expected) in [("3", Some("58 %")), ("40", Some("16 %")), ("100", None), ("500", None)] {
        let run = keystead(["check", &nodes, "--algorithm=ring-1", "--tokens-per-weight", tokens]);
        match expected {
            Some(expected) => {
                let said = format!("fewer than 100 tokens, {tokens} at least");
                let off = format!("shares are expected to be off by {expected}, and lie between ");
                assert!(run.ok().contains(&said) && run.ok().contains(&off), "{run:?}");
            }
            None => assert!(!run.ok().contains("WARN"), "{run:?}"),
        }
    }
    for tokens in ["3", "40", "100"] {
        assert_eq!(verdict(&["--algorithm=ring-1", "--tokens-per-weight", tokens]), "uneven_shares", "{tokens}");
    }
}

#[test]
fn tokens_have_an_effect_and_absurd_ones_are_refused() {
    let case = field_case("B51");
    let folder = Folder::new();
    let ids: Vec<&str> = list(&case["input"]["nodes"]).iter().map(|node| string(&node["id"])).collect();
    let (nodes, keys) = (format!("--nodes={}", ids.join(",")), keys(&case["input"]["keys"]));
    let by_flag = |tokens: &str| names(&nodes, &["--algorithm=ring-1", "--tokens-per-weight", tokens], &keys);
    let file = |tokens: &str| {
        let text = format!(
            r#"{{"keystead": 1, "algorithm": "ring-1", "tokens_per_weight": {tokens}, "nodes": {}}}"#,
            json!(ids)
        );
        folder.file("cluster.json", text)
    };
    assert_ne!(by_flag("1"), by_flag("160"));
    for tokens in ["1", "160"] {
        assert_eq!(by_flag(tokens).concat(), owners(&file(tokens), &keys));
    }
    for tokens in ["0", "-1", "4294967296"] {
        keystead(["owner", &nodes, "--algorithm=ring-1", "--tokens-per-weight", tokens, "k"])
            .refused(2, "invalid_parameter");
        let code = if tokens == "-1" { "invalid_file" } else { "invalid_parameter" };
        keystead(["owner", &file(tokens), "k"]).refused(2, code);
    }
    keystead(["owner", &file("\"160\""), "k"]).refused(2, "invalid_file");
    let unknown = folder.file("unknown.json", r#"{"keystead": 1, "vnodes": 160, "nodes": ["a"]}"#);
    keystead(["owner", &unknown, "k"]).refused(2, "invalid_file");
}

/// A ring of explicit tokens from a worked example.
fn ring(folder: &Folder, space: &Value, tokens: &Value) -> String {
    let nodes: Vec<Value> = tokens
        .as_object()
        .expect("tokens by node")
        .iter()
        .map(|(id, tokens)| json!({"id": id, "tokens": list(tokens).iter().map(ToString::to_string).collect::<Vec<_>>()}))
        .collect();
    folder.file(
        "ring.json",
        json!({"keystead": 1, "algorithm": "ring-1", "space": space.to_string(), "nodes": nodes}).to_string(),
    )
}

/// The owner of every coordinate.
fn map_of(ring: &str) -> Vec<String> {
    let coordinates: Vec<String> = (0..32).map(|coordinate| coordinate.to_string()).collect();
    names(ring, &["--at"], &coordinates).concat()
}

#[test]
fn the_ring_of_32_positions() {
    let example = &read("worked-examples.json")["ring"];
    let (folder, space) = (Folder::new(), &example["space"]);
    let mut tokens = example["tokens"].clone();
    let before = map_of(&ring(&folder, space, &tokens));
    for (id, owned) in example["owned"].as_object().expect("by node") {
        let found: BTreeSet<usize> =
            before.iter().enumerate().filter(|(_, owner)| *owner == id).map(|(at, _)| at).collect();
        let expected =
            list(owned).iter().map(|at| usize::try_from(at.as_u64().expect("a coordinate")).expect("a small one"));
        assert_eq!(found, expected.collect(), "{id}");
    }
    let counts = |map: &[String]| -> Value {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for owner in map {
            *counts.entry(owner).or_default() += 1;
        }
        json!(counts)
    };
    tokens["E"] = json!([12]);
    let joined = map_of(&ring(&folder, space, &tokens));
    for (at, (old, new)) in before.iter().zip(&joined).enumerate() {
        match example["add_E_at_12"]["moved"].get(at.to_string()) {
            Some(moved) => assert_eq!(json!([old, new]), *moved),
            None => assert_eq!(old, new),
        }
    }
    assert_eq!(counts(&joined), example["add_E_at_12"]["counts"]);
    tokens.as_object_mut().expect("by node").remove("B");
    assert_eq!(counts(&map_of(&ring(&folder, space, &tokens))), example["then_remove_B"]["counts"]);

    assert_eq!(counts(&map_of(&ring(&folder, space, &example["one_token"]["tokens"]))), example["one_token"]["counts"]);
    let twice: Run = keystead(["owner", &ring(&folder, space, &example["duplicate_token"]["tokens"]), "k"]);
    twice.refused(2, string(&example["duplicate_token"]["error"]));
}

#[test]
fn four_nodes_of_two_tokens() {
    let example = &read("worked-examples.json")["virtual_nodes"];
    let folder = Folder::new();
    let ring = ring(&folder, &example["space"], &example["tokens"]);
    let shown = keystead(["show", &ring, "--json"]).json();
    assert!(list(&shown["nodes"]).iter().all(|node| node["share"] == json!(["1", "4"])));
    let keys: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let copies = example["distinct_replicas"]["replicas"].to_string();
    assert!(names(&ring, &["-r", &copies], &keys).iter().all(|names| names.iter().collect::<BTreeSet<_>>().len() == 3));
    let too_many = example["too_many"]["replicas"].to_string();
    keystead(["owner", &ring, "k", "-r", &too_many]).refused(2, string(&example["too_many"]["error"]));
}
