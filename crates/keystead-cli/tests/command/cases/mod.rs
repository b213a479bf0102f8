//! The field cases and worked examples of tests/cases, as far as a verb can answer them.

mod changes;
mod copies;
mod rings;

use crate::run::{Folder, hex, keystead, lines, project, with_input};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

fn read(name: &str) -> Value {
    let path = project().join("tests/cases").join(name);
    serde_json::from_slice(&fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .expect("JSON")
}

fn field_case(id: &str) -> Value {
    let cases = read("field-cases.json");
    let found = cases["cases"].as_array().expect("a list").iter().find(|case| case["id"] == id);
    found.unwrap_or_else(|| panic!("no case {id}")).clone()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("expected a list: {value}"))
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("expected text: {value}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("expected a number: {value}"))
}

/// A node of a case in the words of a cluster file: `zone` and `host` are levels of the location.
fn node(node: &Value) -> Value {
    let mut said = json!({"id": node["id"], "weight": node["weight"]});
    let location: Vec<&Value> = ["zone", "host"].into_iter().filter_map(|level| node.get(level)).collect();
    if !location.is_empty() {
        said["location"] = json!(location);
    }
    if let Some(address) = node.get("address") {
        said["address"] = address.clone();
    }
    said
}

/// A cluster file of these nodes.
fn file(folder: &Folder, name: &str, nodes: &[Value]) -> String {
    folder.file(name, json!({"keystead": 1, "nodes": nodes.iter().map(node).collect::<Vec<_>>()}).to_string())
}

/// The keys of a generator.
fn keys(generator: &Value) -> Vec<String> {
    let (count, from) = (
        generator["n"].as_u64().expect("a count"),
        generator.get("from").map_or(0, |from| from.as_u64().expect("a start")),
    );
    let step = generator.get("step").map_or(1, |step| step.as_u64().expect("a step"));
    (0..count)
        .map(|index| match string(&generator["fmt"]) {
            "%08d" => format!("{:08}", from + index * step),
            format => format.replace("%d", &(from + index * step).to_string()),
        })
        .collect()
}

/// The names that a cluster gives for each key, in one run.
fn names(cluster: &str, options: &[&str], keys: &[String]) -> Vec<Vec<String>> {
    let input = lines(keys);
    let run = with_input([&["owner", cluster, "--keys=-"], options].concat(), input.as_bytes());
    run.ok().lines().map(|line| line.split('\t').skip(1).map(str::to_owned).collect()).collect()
}

fn owners(cluster: &str, keys: &[String]) -> Vec<String> {
    names(cluster, &[], keys).into_iter().flatten().collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
fn part(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}

#[test]
fn equal_keys_are_told_apart_from_uneven_nodes() {
    let case = field_case("B35");
    let ids: Vec<&str> = list(&case["input"]["nodes"]).iter().map(|node| string(&node["id"])).collect();
    for keys in [&case["input"]["keys"], &case["input"]["more"][0]] {
        let keys = lines(list(keys).iter().map(string));
        let run = with_input(["balance", &format!("--nodes={}", ids.join(",")), "--keys=-"], keys.as_bytes());
        assert!(run.ok().starts_with("6 keys, 1 distinct: your keys are equal, the nodes are fine\n"), "{run:?}");
    }
}

#[test]
fn shares_are_even() {
    for id in ["B30", "B31", "B32"] {
        let case = field_case(id);
        let input = &case["input"];
        let (folder, nodes) = (Folder::new(), list(&input["nodes"]));
        let cluster = file(&folder, "cluster.json", nodes);
        for generator in [&input["keys"]].into_iter().chain(input.get("more_keys").map_or(&[][..], list)) {
            let keys = keys(generator);
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for owner in owners(&cluster, &keys) {
                *counts.entry(owner).or_default() += 1;
            }
            assert_eq!(counts.len(), nodes.len(), "{id}: nodes without a key");
            for (owner, count) in counts {
                let difference = part(count, keys.len()) - 1.0 / part(nodes.len(), 1);
                assert!(difference.abs() <= number(&case["expected"]["check"]["tol_hrw"]), "{id}: {owner} has {count}");
            }
        }
    }
}

#[test]
fn jump_on_numbers() {
    for case in [&field_case("B05")["input"]["pairs"], &read("worked-examples.json")["jump"]["pairs"]] {
        let expected = [0, 6, 446, 313, 6, 7118];
        assert_eq!(list(case).len(), expected.len());
        for (pair, bucket) in list(case).iter().zip(expected) {
            let buckets = pair[1].to_string();
            assert_eq!(keystead(["owner", "--at", "--jump", &buckets, string(&pair[0])]).ok(), format!("{bucket}\n"));
        }
    }
}

#[test]
fn keys_in_many_scripts() {
    let case = field_case("B08");
    let folder = Folder::new();
    let cluster = file(&folder, "cluster.json", list(&case["input"]["nodes"]));
    let ask = |value: &str| keystead(["owner", &cluster, "--keys-format=json", "--", value]);
    let mut digests = BTreeSet::new();
    for key in list(&case["input"]["keys_utf8"]) {
        let hex = hex(string(key).as_bytes());
        assert_eq!(ask(&key.to_string()).ok(), ask(&format!("{{\"hex\":\"{hex}\"}}")).ok(), "{key}");
        let run = keystead(["explain", &cluster, "--json", "--keys-format=json", "--", &key.to_string()]);
        assert!(digests.insert(run.json()["digest"].to_string()), "{key} is another key than those before");
    }
    for hex in list(&case["input"]["bytes_hex"]) {
        assert_eq!(keystead(["owner", &cluster, "--keys-format=hex", string(hex)]).status, Some(0));
    }
    ask("\"\\ud83d\"").refused(2, "invalid_text");
}

#[test]
fn composite_keys_do_not_run_together() {
    for pairs in [&field_case("B12")["input"]["composite_keys"], &read("worked-examples.json")["framing"]["pairs"]] {
        for pair in list(pairs) {
            let encoded = |key: &Value| {
                keystead(["explain", "--nodes=a", "--json", "--keys-format=json", &key.to_string()]).json()["key"]["hex"].to_string()
            };
            assert_ne!(encoded(&pair[0]), encoded(&pair[1]), "{pair}");
        }
    }
}

#[test]
fn a_repeated_id_is_named() {
    let case = field_case("B15");
    let folder = Folder::new();
    let nodes = list(&case["input"]["nodes"]);
    let run = keystead(["owner", &file(&folder, "cluster.json", nodes), "k"]);
    assert!(run.refused(2, "duplicate_node").contains("n2"), "{run:?}");
    // Two nodes may share an address; `check` says so.
    let run = keystead(["check", &file(&folder, "cluster.json", &nodes[..2])]);
    assert!(run.ok().contains("WARN  n1, n2 have the address 10.7.0.1:80"), "{run:?}");
}

#[test]
fn weights_that_are_none() {
    let case = field_case("B37");
    let folder = Folder::new();
    let with_weight = |weight: &str| {
        let text = format!(r#"{{"keystead": 1, "nodes": ["n1", {{"id": "n2", "weight": {weight}}}, "n3"]}}"#);
        keystead([
            "owner",
            &folder.file("cluster.json", text),
            "--keys-format=json",
            "1",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "8",
        ])
    };
    for weight in list(&case["expected"]["check"]["reject"]) {
        // `"1"` is text in the file; NaN and Infinity have no form in JSON at all.
        let written = weight
            .as_str()
            .filter(|text| text.contains('N') || text.contains('I'))
            .map_or(weight.to_string(), str::to_owned);
        let code = if written == "9007199254740993" { "invalid_weight" } else { "invalid_file" };
        with_weight(&written).refused(2, code);
    }
    assert_eq!(
        with_weight("0").ok(),
        keystead(["owner", "--nodes=n1,n3", "--keys-format=json", "1", "2", "3", "4", "5", "6", "7", "8"]).ok()
    );
    let drained = folder.file("drained.json", r#"{"keystead": 1, "nodes": [{"id": "n1", "weight": 0}]}"#);
    keystead(["owner", &drained, "k"]).refused(2, "no_nodes");
}
