//! `check`: what it warns of, and with which numbers.

use crate::{
    owner::LIVE,
    run::{Folder, keystead},
};
use serde_json::Value;

/// Runs `check` and gives its failures and warnings as `code: message`.
fn check(arguments: &[&str]) -> (i32, Vec<String>, Vec<String>) {
    let run = keystead([&["check", "--json"], arguments].concat());
    assert_eq!(run.stderr, "");
    let report: Value = serde_json::from_str(run.text()).expect("JSON");
    assert_eq!(report["valid"], true);
    let said = |name: &str| -> Vec<String> {
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        report[name]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| text(&one["code"]) + ": " + &text(&one["message"]))
            .collect()
    };
    (run.status.expect("a status"), said("failures"), said("warnings"))
}

fn warnings(arguments: &[&str]) -> Vec<String> {
    let (status, failures, warnings) = check(arguments);
    assert_eq!((status, failures), (0, vec![]));
    warnings
}

/// A cluster file of nodes that are written as JSON.
fn cluster(folder: &Folder, members: &str, nodes: &[&str]) -> String {
    folder.file("cluster.json", format!(r#"{{"keystead": 1, "epoch": 1, {members} "nodes": [{}]}}"#, nodes.join(", ")))
}

fn node(id: &str, weight: u32, location: &str) -> String {
    format!(r#"{{"id": "{id}", "weight": {weight}, "location": ["{location}"]}}"#)
}

#[test]
fn a_plain_cluster_has_nothing_to_warn_of() {
    assert_eq!(warnings(&["--nodes=cache-a,cache-b,cache-c"]), [""; 0]);
    assert_eq!(warnings(&["--nodes=cache-a,cache-b,cache-c", "-r", "2"]), [""; 0]);
    let run = keystead(["check", "--nodes=a,b"]);
    assert!(
        run.ok().starts_with("OK    --nodes: rendezvous-1, xxh3, seed 0, no epoch, 2 nodes, fingerprint "),
        "{run:?}"
    );
}

#[test]
fn an_invalid_cluster_is_1_with_its_place() {
    let folder = Folder::new();
    let file = folder.file("bad.json", "{\"keystead\": 1,\n  \"nodes\": [\"a\", \"a\"]}");
    assert!(keystead(["check", &file]).refused(1, "duplicate_node").contains("\"a\""));
    let file = folder.file("worse.json", "{\"keystead\": 1,\n  \"nodes\": [\"a\",]}");
    let run = keystead(["check", &file, "--json"]);
    assert!(run.refused(1, "invalid_file").contains("worse.json:2:17: "));
    let report: Value = serde_json::from_str(run.text()).expect("JSON");
    let failure = &report["failures"][0];
    assert_eq!((&report["valid"], &failure["line"], &failure["column"]), (&false.into(), &2.into(), &17.into()));
    keystead(["check", "--nodes=a,a"]).refused(1, "duplicate_node");
    // That it cannot be read says nothing about the file.
    keystead(["check", &folder.path("absent.json")]).refused(2, "unreadable");
    keystead(["check", "--nodes=a", "--seed=x"]).refused(2, "invalid_parameter");
}

#[test]
fn impossible_copies_fail() {
    for (options, code) in [
        (&["-r", "8"][..], "not_enough_nodes: "),
        (&["-r", "5", "--spread", "zone"], "not_enough_domains: "),
        (&["-r", "2", "--spread", "rack"], "invalid_parameter: "),
        (&["-r", "2", "--spread", "4"], "uneven_locations: "),
    ] {
        let (status, failures, _) = check(&[&[LIVE], options].concat());
        assert_eq!((status, failures.len()), (1, 1));
        assert!(failures[0].starts_with(code), "{failures:?}");
    }
    let run = keystead(["check", LIVE, "-r", "5", "--spread", "zone"]);
    assert_eq!(run.status, Some(1));
    assert!(run.text().contains("\nFAIL  5 replicas "), "{run:?}");
    let (_, _, relaxed) = check(&[LIVE, "-r", "5", "--spread", "zone", "--relaxed"]);
    assert!(
        relaxed.iter().any(|said| said.contains("5 copies in 4 domains (zone): one holds up to 2 copies")),
        "{relaxed:?}"
    );
}

#[test]
fn drained_and_heavy_nodes() {
    let found = warnings(&[LIVE, "-r", "3", "--spread", "zone"]);
    assert!(found.contains(&"drained: 1 node is drained and will own no key: cache-c".to_owned()), "{found:?}");
    let heavy =
        "heavy_domain: zone eu-1 / 1b has 41.7 % of the weight; with 3 copies a zone holds at most 33.3 % of them";
    assert!(found.contains(&heavy.to_owned()), "{found:?}");

    // One node of ten in fifteen: it holds 0.9048 of the pairs and 0.9780 of the triples, that is 45.2 % and 32.6 % of the copies.
    let folder = Folder::new();
    let file =
        cluster(&folder, "", &[r#"{"id": "n0", "weight": 10}"#, "\"n1\"", "\"n2\"", "\"n3\"", "\"n4\"", "\"n5\""]);
    for (r, most, expected) in [("2", "50.0", "45.2"), ("3", "33.3", "32.6")] {
        let said = format!(
            "n0 has 66.7 % of the weight; with {r} copies a node holds at most {most} % of them, expected: {expected} %"
        );
        assert_eq!(warnings(&[&file, "-r", r]), [format!("heavy_node: {said}")]);
    }
    assert_eq!(warnings(&[&file]), [""; 0]);
    let file = cluster(&folder, "", &["\"a\"", r#"{"id": "b", "weight": 0}"#]);
    assert!(
        warnings(&[&file])
            .iter()
            .any(|said| said == "single_node: a is the only node that is not drained: it owns every key")
    );
}

#[test]
fn zones_that_are_too_few_or_uneven() {
    let folder = Folder::new();
    let nodes = [node("a", 1, "1"), node("b", 1, "1"), node("c", 1, "2"), node("d", 2, "3"), node("e", 3, "3")];
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let file = cluster(&folder, r#""levels": ["zone"],"#, &nodes);
    let found = warnings(&[&file, "-r", "3", "--spread", "zone"]);
    assert!(
        found.iter().any(|said| said.starts_with("few_domains: 3 copies in 3 domains (zone): each holds every key")),
        "{found:?}"
    );
    assert!(
        found.contains(&"light_domain: zone 2 has 12.5 % of the weight and holds 33.3 % of the copies".to_owned()),
        "{found:?}"
    );
    let found = warnings(&[&file, "-r", "2"]);
    assert!(
        found.contains(&"no_spread: 2 copies without --spread may share a zone, of which there are 3".to_owned()),
        "{found:?}"
    );

    let file = cluster(&folder, "", &[&node("a", 1, "1"), &node("b", 1, "1")]);
    assert!(warnings(&[&file])[0].starts_with("single_place: all 2 nodes are in one place, 1"));
    let file = cluster(&folder, "", &[&node("a", 1, "1"), "\"b\""]);
    assert!(warnings(&[&file])[0].starts_with("uneven_locations: locations are 0 to 1 levels deep"));
}

#[test]
fn ids_that_will_not_last() {
    for ids in ["10.7.0.1:11211,10.7.0.2:11211", "http://w1:8000,http://w2:8000", "::1,::2", "h1:1,h2:1"] {
        let found = warnings(&["--nodes", ids]);
        assert!(found[0].starts_with("address_as_id: 2 of 2 ids look like addresses"), "{ids}: {found:?}");
    }
    assert!(
        warnings(&["--nodes=0,1,2"])[0].starts_with("position_as_id: the ids look like positions in a list (0, 1, 2)")
    );
    assert_eq!(warnings(&["--nodes=shard-0,shard-1,osd.2"]), [""; 0]);
    assert_eq!(warnings(&["--nodes=a, b"]), ["padded_id: white space belongs to an id, and begins or ends \" b\""]);
    let found = warnings(&["--nodes=h1:8080,h1:8081,h2:8080", "-r", "2"]);
    assert!(
        found[1].starts_with("shared_host: 2 copies may share a machine: 2 ids have the host h1 (h1:8080, h1:8081)"),
        "{found:?}"
    );
    let folder = Folder::new();
    let file = cluster(
        &folder,
        "",
        &[r#"{"id": "n1", "address": "10.7.0.1:80"}"#, r#"{"id": "n2", "address": "10.7.0.1:80"}"#],
    );
    assert_eq!(warnings(&[&file]), ["shared_address: n1, n2 have the address 10.7.0.1:80"]);
}

#[test]
fn rings_and_tables_that_are_too_coarse() {
    let ring =
        |tokens: &str| warnings(&["--nodes=hist-0,hist-1,hist-2", "--algorithm=ring-1", "--tokens-per-weight", tokens]);
    let found = ring("40");
    assert!(found[0].starts_with("few_tokens: 3 nodes have fewer than 100 tokens, 40 at least"), "{found:?}");
    assert!(found[0].contains("off by 16 %"), "{found:?}");
    assert_eq!(ring("100"), [""; 0]);
    let table = |slots: &str, more: &[&str]| {
        warnings(&[&["--nodes=w-0,w-1,w-2,w-3", "--algorithm=slots-1", "--slots", slots], more].concat())
    };
    assert!(table("100", &[])[0].contains("100 slots are 25 a node: shares are expected to be off by 20 %"));
    assert!(table("100", &[])[0].ends_with("take 400 slots, or a headroom"));
    assert_eq!(table("400", &[]), [""; 0]);
    assert_eq!(table("100", &["--headroom=0"]), [""; 0]);
    assert!(table("3", &["--headroom=0"])[0].starts_with("no_slot: 1 of 4 nodes own no slot"));
    // Tokens that were placed by hand, evenly.
    let folder = Folder::new();
    let even = r#""algorithm": "ring-1", "space": "4","#;
    let file = cluster(&folder, even, &[r#"{"id": "a", "tokens": ["1"]}"#, r#"{"id": "b", "tokens": ["3"]}"#]);
    assert_eq!(warnings(&[&file]), [""; 0]);
}

#[test]
fn csv_and_text_say_the_same() {
    let run = keystead(["check", LIVE, "-r", "5", "--spread=zone", "--csv"]);
    assert_eq!(run.status, Some(1));
    let rows: Vec<&str> = run.text().lines().collect();
    assert_eq!(rows[0], "level,code,message");
    assert!(rows[1].starts_with("failure,not_enough_domains,"), "{run:?}");
    assert!(rows[2].starts_with("warning,drained,"), "{run:?}");
}

/// What services make of a next file, before it is published.
#[test]
fn a_file_that_services_would_refuse_must_not_follow() {
    let folder = Folder::new();
    let file = |name: &str, epoch: Option<u64>, nodes: &str| {
        let epoch = epoch.map(|epoch| format!(r#""epoch": {epoch}, "#)).unwrap_or_default();
        folder.file(name, format!(r#"{{"keystead": 1, {epoch}"nodes": [{nodes}]}}"#))
    };
    let live = file("live.json", Some(5), r#""a", "b""#);
    for (epoch, nodes, code) in [
        (Some(4), r#""a", "c""#, "stale_epoch"),
        (Some(4), r#""a", "b""#, "stale_epoch"),
        (None, r#""a", "c""#, "stale_epoch"),
        (Some(5), r#""a", "c""#, "epoch_conflict"),
    ] {
        let next = file("next.json", epoch, nodes);
        let (status, failures, _) = check(&[&next, "--after", &live]);
        assert_eq!((status, failures.len()), (1, 1));
        assert!(failures[0].starts_with(&format!("{code}: must not follow {live}")), "{failures:?}");
        let run = keystead(["check", &next, "--after", &live]);
        assert!(run.status == Some(1) && run.text().contains("\nFAIL  must not follow "), "{run:?}");
        let report: Value =
            serde_json::from_str(keystead(["check", &next, "--after", &live, "--json"]).text()).expect("JSON");
        assert_eq!((&report["follows"]["epoch"], &report["follows"]["refresh"]), (&5.into(), &Value::Null));
    }
    for (epoch, nodes, refresh, said) in [
        (6, r#""a", "c""#, "newer", "epoch 5 → 6, another description"),
        (6, r#""a", "b""#, "same", "epoch 5 → 6, the same answers"),
        (5, r#""b", "a""#, "same", "epoch 5 → 5, the same answers"),
    ] {
        let next = file("next.json", Some(epoch), nodes);
        let run = keystead(["check", &next, "--after", &live]);
        assert!(run.ok().contains(&format!("\nOK    can follow {live}: {said}\n")), "{run:?}");
        assert_eq!(keystead(["check", &next, "--after", &live, "--json"]).json()["follows"]["refresh"], refresh);
        assert!(keystead(["check", &next, "--after", &live, "--csv"]).ok().contains("info,follows,"));
    }
    let unnumbered = file("old.json", None, r#""a""#);
    let run = keystead(["check", &live, "--after", &unnumbered]);
    assert!(run.ok().contains("epoch none → 5, another description"), "{run:?}");
    // The file that is checked is invalid: 1. The one in force cannot be read or is invalid: nothing is found out.
    let bad = folder.file("bad.json", r#"{"keystead": 1, "nodes": ["a", "a"]}"#);
    keystead(["check", &bad, "--after", &live]).refused(1, "duplicate_node");
    keystead(["check", &live, "--after", &bad]).refused(2, "duplicate_node");
    keystead(["check", &live, "--after", &folder.path("absent.json")]).refused(2, "unreadable");
    keystead(["check", "--nodes=a", "--after", &live]).refused(2, "wrong_use");
    keystead(["check", &live, "--nodes=a", "--after", &live]).refused(2, "wrong_use");
    keystead(["check", "-", "--after", "-"]).refused(2, "wrong_use");
}

#[test]
fn a_level_that_is_unknown_is_no_missing_spread() {
    let (_, failures, warnings) = check(&[LIVE, "-r", "3", "--spread", "rack"]);
    assert!(failures[0].ends_with("spread level \"rack\" is unknown; the levels are: region, zone"), "{failures:?}");
    assert!(!warnings.iter().any(|said| said.starts_with("no_spread")), "{warnings:?}");
}

#[test]
fn files_without_an_epoch() {
    let folder = Folder::new();
    let file = folder.file("file.json", r#"{"keystead": 1, "nodes": ["a", "b"]}"#);
    assert_eq!(warnings(&[&file]), ["no_epoch: no epoch: services cannot tell which file is newer"]);
    let file = folder.file("file.json", r#"{"keystead": 1, "epoch": 0, "nodes": ["a", "b"]}"#);
    assert_eq!(warnings(&[&file]), [""; 0]);
}
