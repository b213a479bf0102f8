//! A transition file where one cluster file may stand.

use crate::run::{Folder, keystead, lines, with_input};
use serde_json::{Value, json};

const BEFORE: &str = r#"{"keystead": 1, "epoch": 42, "nodes": ["a", "b", {"id": "old", "weight": 0}]}"#;
const AFTER: &str = r#"{"keystead": 1, "epoch": 43, "nodes": ["a", "b", "c"]}"#;

/// A transition file of two cluster files.
pub(crate) fn step(part: u32, of: u32, before: &str, after: &str) -> String {
    format!(
        r#"{{"keystead": 1, "epoch": 44, "comment": "step", "transition": {{"part": {part}, "of": {of}, "before": {before}, "after": {after}}}}}"#
    )
}

fn names(file: &str, options: &[&str], keys: &str) -> Vec<Vec<String>> {
    let run = with_input([&["owner", file, "--keys=-"], options].concat(), keys.as_bytes());
    run.ok().lines().map(|line| line.split('\t').skip(1).map(str::to_owned).collect()).collect()
}

#[test]
fn every_key_has_one_of_two_answers_and_passes_once() {
    let folder = Folder::new();
    let (before, after) = (folder.file("before.json", BEFORE), folder.file("after.json", AFTER));
    let keys = lines((0..2_000).map(|number| format!("user:{number}")));
    let (old, new) = (names(&before, &[], &keys), names(&after, &[], &keys));
    let mut passed = vec![false; old.len()];
    for part in 0..=4 {
        let file = folder.file("step.json", step(part, 4, BEFORE, AFTER));
        let now = names(&file, &[], &keys);
        let candidates = names(&file, &["--candidates"], &keys);
        for at in 0..now.len() {
            let moved = old[at] != new[at];
            assert!(now[at] == old[at] || now[at] == new[at]);
            if moved {
                assert!(!passed[at] || now[at] == new[at], "a key that has passed stays passed");
                passed[at] = now[at] == new[at];
                let other = if passed[at] { &old[at] } else { &new[at] };
                assert_eq!(candidates[at], [now[at].clone(), other.clone()].concat());
            } else {
                assert_eq!(candidates[at], now[at]);
            }
        }
        let count = passed.iter().filter(|passed| **passed).count();
        let expected = usize::try_from(part).expect("small") * 2_000 / 12;
        assert!(count.abs_diff(expected) < 80, "{count} of 2,000 moved at {part}/4");
    }
    assert_eq!(names(&after, &["--candidates"], "user:1\n"), new[1..2]);
}

#[test]
fn forms_of_output_are_those_of_a_cluster() {
    let folder = Folder::new();
    let file = folder
        .file("step.json", step(0, 1, r#"{"keystead": 1, "nodes": ["a"]}"#, r#"{"keystead": 1, "nodes": ["b"]}"#));
    assert_eq!(keystead(["owner", &file, "k", "--candidates"]).ok(), "a  b\n");
    assert_eq!(
        keystead(["owner", &file, "k", "--candidates", "--json"]).ok(),
        "{\"key\":\"k\",\"candidates\":[\"a\",\"b\"]}\n"
    );
    assert_eq!(keystead(["owner", &file, "k", "--candidates", "--csv"]).ok(), "key,candidate_1,candidate_2\nk,a,b\n");
    let same = folder
        .file("same.json", step(0, 1, r#"{"keystead": 1, "nodes": ["a"]}"#, r#"{"keystead": 1, "nodes": ["a"]}"#));
    assert_eq!(keystead(["owner", &same, "k", "--candidates", "--csv"]).ok(), "key,candidate_1,candidate_2\nk,a,\n");
    assert_eq!(keystead(["owner", &file, "k", "-r1", "--csv"]).ok(), "key,replica_1\nk,a\n");
    keystead(["owner", &file, "k", "--candidates", "-r2"]).refused(2, "wrong_use");
    keystead(["owner", &file, "1", "--at"]).refused(2, "unsupported");

    // Slots on one side only: their number stands where the cluster that answers has them.
    let slots = r#"{"keystead": 1, "algorithm": "slots-1", "slots": 1, "nodes": ["a", "b"]}"#;
    let file = folder.file("step.json", step(1, 2, slots, AFTER));
    let keys = lines((0..50).map(|number| format!("k{number}")));
    let json = with_input(["owner", &file, "--json", "--keys=-"], keys.as_bytes()).json_lines();
    let with_slot = json.iter().filter(|line| line.get("slot").is_some()).count();
    assert!((5..45).contains(&with_slot), "{with_slot}");
    let csv = with_input(["owner", &file, "--csv", "--keys=-"], keys.as_bytes());
    assert_eq!(csv.ok().lines().filter(|line| line.ends_with(",0")).count(), with_slot);
}

#[test]
fn excluding_stays_in_the_cluster_that_answers() {
    let folder = Folder::new();
    let file = folder
        .file("step.json", step(0, 1, r#"{"keystead": 1, "nodes": ["a"]}"#, r#"{"keystead": 1, "nodes": ["b"]}"#));
    keystead(["owner", &file, "k", "--exclude=a"]).refused(2, "no_nodes");
    assert_eq!(keystead(["owner", &file, "k", "--exclude=b"]).ok(), "a\n");
}

#[test]
fn explain_says_which_cluster_answers() {
    let folder = Folder::new();
    for (part, said, side) in [(0, "not passed yet", "before"), (1, "passed", "after")] {
        let file = folder.file("step.json", step(part, 1, BEFORE, AFTER));
        let run = keystead(["explain", &file, "user:42"]);
        let line = run.ok().lines().nth(1).expect("a second line");
        assert!(
            line.starts_with(&format!("transition {part}/1: {said}, so `{side}` answers · epoch 44 · ")),
            "{run:?}"
        );
        let explanation = keystead(["explain", &file, "user:42", "--json"]).json();
        assert_eq!(explanation["transition"]["passed"], json!(part == 1));
        assert_eq!(explanation["epoch"], json!(42 + part));
    }
}

#[test]
fn show_has_both_clusters() {
    let folder = Folder::new();
    let file = folder.file("step.json", step(2, 6, BEFORE, AFTER));
    let run = keystead(["show", &file]);
    assert!(run.ok().starts_with(&format!("{file}: transition 2/6, epoch 44, fingerprint ")), "{run:?}");
    for part in [
        "\nstep\n",
        "\nbefore: rendezvous-1, xxh3, seed 0, epoch 42\n",
        "\nafter: rendezvous-1, xxh3, seed 0, epoch 43\n",
    ] {
        assert!(run.ok().contains(part), "{run:?}");
    }
    let shown = keystead(["show", &file, "--json"]).json();
    let side = |name: &str| shown["transition"][name]["nodes"].as_array().map(Vec::len);
    assert_eq!((side("before"), side("after"), &shown["comment"]), (Some(3), Some(3), &json!("step")));
    let csv = keystead(["show", &file, "--csv"]);
    assert_eq!(csv.ok().lines().filter(|line| line.starts_with("before,")).count(), 3);
    assert_eq!(
        csv.ok().lines().next(),
        Some("side,id,weight,share_numerator,share_denominator,share_percent,address,comment")
    );
    for part in ["--slot-owners", "--slots-of=a", "--slot-ranking=1", "--arcs"] {
        assert!(keystead(["show", &file, part]).refused(2, "unsupported").contains("transition"));
    }
}

#[test]
fn check_says_of_which_side_a_finding_is() {
    let folder = Folder::new();
    let file = folder.file("step.json", step(2, 6, BEFORE, AFTER));
    let run = keystead(["check", &file, "-r", "3"]);
    assert_eq!(run.status, Some(1));
    let text = run.text();
    assert!(text.starts_with(&format!("OK    {file}: transition 2/6, epoch 44, 3 → 3 nodes, fingerprint ")), "{text}");
    assert!(
        text.contains("\nFAIL  before: 3 replicas ") && text.contains("\nWARN  before: 1 node is drained"),
        "{text}"
    );
    // What holds for both is said once, and of neither.
    let one = r#"{"keystead": 1, "nodes": ["1", "2"]}"#;
    let file = folder.file("step.json", step(2, 6, one, one));
    let report: Value = keystead(["check", &file, "--json"]).json();
    assert_eq!(report["warnings"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["warnings"][0]["code"], "position_as_id");
    assert_eq!((&report["cluster"], &report["transition"]["part"]), (&Value::Null, &json!(2)));
    let bad = folder.file("bad.json", step(7, 6, one, one));
    keystead(["check", &bad]).refused(1, "invalid_parameter");
    keystead(["owner", &bad, "k"]).refused(2, "invalid_parameter");
}

#[test]
fn a_secret_serves_both_sides_or_each_has_its_own() {
    let folder = Folder::new();
    let sip = |ids: &str| format!(r#"{{"keystead": 1, "hash": "sip13", "nodes": [{ids}]}}"#);
    let one = folder.file("one", "00112233445566778899aabbccddeeff");
    let other = folder.file("other", "ffeeddccbbaa99887766554433221100");
    let file = folder.file("step.json", step(1, 2, &sip("\"a\", \"b\""), &sip("\"a\", \"c\"")));
    let fingerprint = |options: &[&str]| {
        keystead([&["show", &file, "--json"], options].concat()).json()["fingerprint"]
            .as_str()
            .expect("text")
            .to_owned()
    };
    let together = fingerprint(&["--secret-file", &one]);
    assert_eq!(together, fingerprint(&["--before-secret-file", &one, "--after-secret-file", &one]));
    assert_ne!(together, fingerprint(&["--before-secret-file", &one, "--after-secret-file", &other]));
    keystead(["show", &file]).refused(2, "missing_secret");
    keystead(["show", &file, "--before-secret-file", &one]).refused(2, "missing_secret");
    keystead(["show", &file, "--before-secret-file", &one, "--secret-file", &one]).refused(2, "wrong_use");
    keystead(["owner", "--nodes=a", "k", "--after-secret-file", &one]).refused(2, "wrong_use");
    // One cluster alone has one secret; one of a transition that neither uses is a mistake.
    let cluster = folder.file("cluster.json", sip("\"a\""));
    keystead(["show", &cluster, "--before-secret-file", &one]).refused(2, "unexpected_secret");
    let half = folder.file("half.json", step(1, 2, BEFORE, &sip("\"a\"")));
    assert_eq!(keystead(["show", &half, "--secret-file", &one]).status, Some(0));
    let plain = folder.file("plain.json", step(1, 2, BEFORE, AFTER));
    keystead(["show", &plain, "--secret-file", &one]).refused(2, "unexpected_secret");
}
