//! The field cases and worked examples of tests/cases, as far as a verb can answer them.

use crate::run::{Folder, Run, hex, keystead, lines, project, with_input};
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
            None => assert!(!run.ok().contains("WARN"), "{run:?}"),
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
