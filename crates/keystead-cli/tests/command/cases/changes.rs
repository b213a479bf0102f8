//! Field cases of changes: what moves, why, and back.

use super::{field_case, file, keys, list, names, number, owners, part, string};
use crate::run::{Folder, keystead, lines, with_input};
use serde_json::{Value, json};
use std::fs;

#[test]
fn changes_of_membership_move_what_they_must() {
    for id in ["B18", "B23", "B24", "B26", "B27", "B29"] {
        let case = field_case(id);
        let (input, check) = (&case["input"], &case["expected"]["check"]);
        let (folder, keys) = (Folder::new(), keys(&input["keys"]));
        let nodes = list(&input["nodes"]);
        let before = owners(&file(&folder, "before.json", nodes), &keys);

        let change = &input["change"];
        let mut changed = nodes.to_vec();
        changed.extend(change.get("add").map_or(&[][..], list).iter().cloned());
        changed.retain(|node| !change.get("remove").is_some_and(|ids| list(ids).contains(&node["id"])));
        for node in &mut changed {
            if let Some(weight) = change.get("reweight").and_then(|weights| weights.get(string(&node["id"]))) {
                node["weight"] = weight.clone();
            }
        }
        let after_file = file(&folder, "after.json", &changed);
        let down = change.get("down").map_or(&[][..], list);
        let exclude: Vec<String> = down.iter().map(|id| format!("--exclude={}", string(id))).collect();
        let after: Vec<String> = names(&after_file, &exclude.iter().map(String::as_str).collect::<Vec<_>>(), &keys)
            .into_iter()
            .flatten()
            .collect();

        let moved: Vec<(&String, &String)> = before.iter().zip(&after).filter(|(old, new)| old != new).collect();
        let is_named = |ids: &Value, id: &str| list(ids).iter().any(|one| one == id);
        for (old, new) in &moved {
            let gains = change.get("add").is_some_and(|nodes| list(nodes).iter().any(|node| node["id"] == **new))
                || check.get("only_gainers").is_some_and(|ids| is_named(ids, new));
            let loses = ["remove", "down"].iter().any(|how| change.get(how).is_some_and(|ids| is_named(ids, old)));
            assert!(gains || loses, "{id}: {old} → {new}");
        }
        let difference = part(moved.len(), keys.len()) - number(&check["moved_p"]);
        assert!(difference.abs() <= number(&check["tol_hrw"]), "{id}: {} of {} moved", moved.len(), keys.len());

        // Every order of the nodes, and a drained node more, give the same.
        let mut others: Vec<Value> = nodes.iter().rev().cloned().collect();
        others.insert(1, json!({"id": "127.0.0.1:1", "weight": 0}));
        assert_eq!(owners(&file(&folder, "others.json", &others), &keys), before, "{id}");
    }
}

/// The same changes through `change` and `diff`: what moves, why, and that taking the change back restores every answer.
#[test]
fn differences_have_the_reasons_that_the_change_gives() {
    for (id, options, reason) in [
        ("B23", "--add=mc9 --weight=mc9=500", "gained"),
        ("B24", "--remove=C", "lost"),
        ("B26", "--remove=n4", "lost"),
        ("B27", "--drain=r3", "lost"),
        ("B29", "--weight=osd.2=3", "gained"),
    ] {
        let case = field_case(id);
        let (input, check) = (&case["input"], &case["expected"]["check"]);
        let (folder, keys) = (Folder::new(), lines(keys(&input["keys"])));
        let before = file(&folder, "before.json", list(&input["nodes"]));
        let after = folder.path("after.json");
        let written = keystead(["change", &before, "-o", &after].into_iter().chain(options.split(' ')));
        let diff = |from: &str, to: &str| with_input(["diff", from, to, "--keys=-", "--json"], keys.as_bytes()).json();
        let report = diff(&before, &after);
        let counted = &report["counted"];
        let keys_of = |count: &Value| string(&count["keys"]).parse::<usize>().expect("a count");
        let (total, moved) = (keys_of(&counted["total"]), keys_of(&counted["moved"]));
        let expected = number(&report["expected"]["moved"]);
        assert!((part(moved, total) - expected).abs() <= number(&check["tol_hrw"]), "{id}: {moved} of {total}");
        assert!((expected - number(&check["moved_p"])).abs() < 1e-5, "{id}: {expected}");
        assert!((number(&report["least"]["share"]) - expected).abs() < 1e-12, "{id}: no more than the least moves");
        assert_eq!(keys_of(&counted["reasons"][reason]), moved, "{id}: {report:#}");
        assert_eq!(keys_of(&counted["reasons"]["reshuffled"]), 0, "{id}");
        // The offered way back restores every answer.
        let undo = written.ok().lines().find_map(|line| line.strip_prefix(" undo: keystead ")).expect("a way back");
        let words = undo.split(' ').map(|word| if word == "undo.json" { folder.path(word) } else { word.to_owned() });
        keystead(words).ok();
        let back = diff(&after, &folder.path("undo.json"));
        assert_eq!(keys_of(&back["counted"]["moved"]), moved, "{id}");
        let there_and_back = diff(&before, &folder.path("undo.json"));
        assert_eq!(
            (&there_and_back["identical"], keys_of(&there_and_back["counted"]["moved"])),
            (&json!(true), 0),
            "{id}"
        );
        // In steps it is the same: each key moves once, and only as the change says.
        let plan =
            with_input(["plan", &before, &after, "--limit=500keys", "--keys=-", "--json"], keys.as_bytes()).json();
        let steps: usize = list(&plan["steps"]).iter().map(|step| keys_of(&step["moved"])).sum();
        assert_eq!(
            (steps, &plan["checks"]["moved_twice"], &plan["checks"]["reshuffled"]),
            (moved, &json!("0"), &json!("0"))
        );
    }
}

/// What leaves takes only its own keys along in tables and rings of any size as well.
#[test]
fn a_node_that_leaves_moves_only_its_keys() {
    let case = field_case("B24");
    let (input, keys) = (&case["input"], keys(&case["input"]["keys"]));
    let ids: Vec<&str> = list(&input["nodes"]).iter().map(|node| string(&node["id"])).collect();
    let sizes = list(&input["ring_sizes"]).iter().map(ToString::to_string);
    let tables =
        sizes.clone().map(|size| ["slots-1", "--slots"].map(str::to_owned).into_iter().chain([size]).collect());
    // No ring has more tokens a unit of weight than 65,536.
    let rings = sizes
        .filter(|size| size.len() < 5)
        .map(|size| ["ring-1", "--tokens-per-weight"].map(str::to_owned).into_iter().chain([size]).collect());
    for options in tables.chain(rings).collect::<Vec<Vec<String>>>() {
        let ask = |ids: &[&str]| {
            let nodes = format!("--nodes={}", ids.join(","));
            let mut words = vec![format!("--algorithm={}", options[0])];
            words.extend_from_slice(&options[1..]);
            names(&nodes, &words.iter().map(String::as_str).collect::<Vec<_>>(), &keys).concat()
        };
        let (before, after) = (ask(&ids), ask(&ids[..2]));
        assert_eq!(ids[2], "C");
        for (old, new) in before.iter().zip(&after) {
            assert!(old == new || old == "C", "{options:?}: {old} → {new}");
        }
        assert!(before.iter().any(|owner| owner == "C") && !after.iter().any(|owner| owner == "C"));
    }
}

#[test]
fn scaled_weights_change_nothing() {
    let case = field_case("B23");
    let (folder, keys) = (Folder::new(), keys(&case["input"]["keys"]));
    let scaled = |factor: u64| {
        let mut nodes = list(&case["input"]["nodes"]).to_vec();
        for node in &mut nodes {
            node["weight"] = json!(node["weight"].as_u64().expect("a weight") * factor);
        }
        owners(&file(&folder, "scaled.json", &nodes), &keys)
    };
    for factor in list(&case["expected"]["check"]["scale_invariant"]) {
        assert_eq!(scaled(factor.as_u64().expect("a factor")), scaled(1));
        let others = folder.path("others.json");
        fs::copy(folder.path("scaled.json"), &others).expect("it was written");
        scaled(factor.as_u64().expect("a factor"));
        let run = keystead(["diff", &others, &folder.path("scaled.json")]);
        assert!(run.ok().contains("\nno key moves: both give the same answer to every key\n"), "{run:?}");
    }
}
