//! Field cases of copies: how many, where, and what no placement can do.

use super::{field_case, file, keys, list, names, node, number, part, string};
use crate::run::{Folder, keystead};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn copies_of_unequal_nodes() {
    let case = field_case("B38");
    let folder = Folder::new();
    let (cluster, keys) = (file(&folder, "cluster.json", list(&case["input"]["nodes"])), keys(&case["input"]["keys"]));
    for (r, expected) in case["expected"]["check"]["inclusion_p"].as_object().expect("an object") {
        let picked = names(&cluster, &["-r", r], &keys);
        for (id, p) in [("n0", "n0"), ("n1", "n1..n5"), ("n5", "n1..n5")] {
            let count = picked.iter().filter(|names| names.iter().any(|name| name == id)).count();
            let difference = part(count, keys.len()) - number(&expected[p]);
            assert!(difference.abs() <= number(&case["expected"]["check"]["tol_hrw"]), "{id} at r = {r}: {count}");
        }
        // The limit that no placement can lift is told: of two copies a node holds at most half.
        let run = keystead(["check", &cluster, "-r", r]);
        let most = match r.as_str() {
            "1" => None,
            "2" => Some("50.0 %"),
            _ => Some("33.3 %"),
        };
        let said = most.map(|most| {
            format!("WARN  n0 has 66.7 % of the weight; with {r} copies a node holds at most {most} of them")
        });
        match said {
            Some(said) => assert!(run.ok().contains(&said), "{said} {run:?}"),
            None => assert!(!run.ok().contains("WARN  n0"), "{run:?}"),
        }
    }
}

#[test]
fn copies_are_distinct_and_counted() {
    let case = field_case("B41");
    let keys = keys(&case["input"]["keys"]);
    for case in list(&case["input"]["cases"]) {
        let ids: Vec<&str> = list(&case["nodes"]).iter().map(string).collect();
        let (nodes, r) = (format!("--nodes={}", ids.join(",")), case["replicas"].to_string());
        let ask = |key: &str| keystead(["owner", &nodes, "-r", &r, key]);
        let wanted: usize = r.parse().expect("a number");
        match ids.len() {
            0 => drop(ask("k").refused(2, "no_nodes").to_owned()),
            count if count < wanted => drop(ask("k").refused(2, "not_enough_nodes").to_owned()),
            _ => {
                for names in names(&nodes, &["-r", &r], &keys) {
                    assert_eq!(names.len(), wanted);
                    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), wanted);
                }
            }
        }
    }
}

#[test]
fn copies_in_failure_domains() {
    let case = field_case("B43");
    let folder = Folder::new();
    let nodes = list(&case["input"]["nodes"]);
    let text = json!({"keystead": 1, "levels": ["zone", "host"], "nodes": nodes.iter().map(node).collect::<Vec<_>>()})
        .to_string();
    let (cluster, keys) = (folder.file("cluster.json", text), keys(&case["input"]["keys"]));
    for (r, level) in [("2", "host"), ("3", "host"), ("2", "zone"), ("3", "zone")] {
        for names in names(&cluster, &["-r", r, "--spread", level], &keys) {
            let hosts: BTreeSet<&str> = names.iter().filter_map(|name| name.split(':').next()).collect();
            assert_eq!(hosts.len().to_string(), r, "{names:?}");
        }
    }
    // Without a topology the ids tell that copies may meet on one machine.
    let ids: Vec<&str> = nodes.iter().map(|node| string(&node["id"])).collect();
    let run = keystead(["check", "--nodes", &ids.join(","), "-r", "2"]);
    assert!(run.ok().contains("WARN  2 copies may share a machine: 6 ids have the host h1"), "{run:?}");
}

#[test]
fn subsets_grow_one_by_one() {
    let case = field_case("B47");
    let folder = Folder::new();
    let nodes = list(&case["input"]["nodes"]);
    let zone_of: BTreeMap<&str, &str> = nodes.iter().map(|node| (string(&node["id"]), string(&node["zone"]))).collect();
    let (cluster, keys) = (file(&folder, "cluster.json", nodes), keys(&case["input"]["tenants"]));
    let added = list(&case["input"]["change"]["add_zone"]);
    let wider = file(&folder, "wider.json", &[nodes, added].concat());
    let mut smaller: Vec<Vec<String>> = vec![Vec::new(); keys.len()];
    for size in list(&case["input"]["sizes"]) {
        let options = ["-r", &size.to_string(), "--spread", "0", "--relaxed"];
        let wanted = usize::try_from(size.as_u64().expect("a size")).expect("a small one");
        if wanted > nodes.len() {
            keystead([&["owner", &cluster, "k"], &options[..]].concat()).refused(2, "not_enough_nodes");
            continue;
        }
        let larger = names(&cluster, &options, &keys);
        for (smaller, larger) in smaller.iter().zip(&larger) {
            assert_eq!(larger.len(), wanted);
            assert!(larger.starts_with(smaller), "{smaller:?} {larger:?}");
            let mut counts = BTreeMap::from([("z0", 0), ("z1", 0), ("z2", 0)]);
            for name in larger {
                *counts.entry(zone_of[name.as_str()]).or_default() += 1;
            }
            // z0 has three nodes where the others have four: from nine on it cannot keep up.
            let least = counts.values().min().copied().unwrap_or(0);
            assert!(counts.values().all(|count| *count <= least + 1), "{counts:?}");
        }
        // A zone more takes at most one place of each, and gives it to its own node.
        let with_zone = names(&wider, &options, &keys);
        for (old, new) in larger.iter().zip(&with_zone) {
            let (old, new): (BTreeSet<&String>, BTreeSet<&String>) = (old.iter().collect(), new.iter().collect());
            let (gone, come) = (old.difference(&new).count(), new.difference(&old).collect::<Vec<_>>());
            assert!(gone == come.len() && come.iter().all(|id| **id == "sg12"), "{old:?} {new:?}");
        }
        smaller = larger;
    }
}
