//! `diff`: what moves, from where to where, and why; and that its figures add up.

use crate::{
    owner::{LIVE, RING},
    run::{Folder, keystead, lines, with_input},
    transition::step,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write as _};

/// The cluster after a change, beside the cluster before.
fn changed(folder: &Folder, file: &str, options: &[&str]) -> String {
    let next = folder.path("next.json");
    keystead([&["change", file, "-o", &next], options].concat()).ok();
    next
}

fn users(count: u32) -> String {
    lines((0..count).map(|number| format!("user:{number}")))
}

fn owners(file: &str, keys: &str) -> Vec<String> {
    let run = with_input(["owner", file, "--keys=-"], keys.as_bytes());
    run.ok().lines().map(|line| line.split('\t').nth(1).expect("an owner").to_owned()).collect()
}

fn number(value: &Value) -> u64 {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no number: {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

#[test]
fn a_side_of_a_transition_says_how_far_it_has_gone() {
    let folder = Folder::new();
    let [before, after] = ["3", "4"].map(|weight| {
        let nodes = format!(r#"["a", {{"id": "b", "weight": {weight}}}]"#);
        folder.file(&format!("{weight}.json"), format!(r#"{{"keystead": 1, "epoch": {weight}, "nodes": {nodes}}}"#))
    });
    let dir = folder.path("plan");
    keystead(["plan", &before, &after, "--limit=3%", "-o", &dir]).ok();
    let step = format!("{dir}/step-1.json");
    let other = folder.file("other.json", r#"{"keystead": 1, "nodes": ["z"]}"#);
    for (from, to, said) in [
        (&before, &step, "transition 0 → 1/2"),
        (&step, &after, "transition 1/2 → 1/1"),
        (&step, &before, "transition 1/2 → 0"),
        (&after, &step, "transition 1/1 → 1/2"),
        (&step, &other, "transition 1/2 → another cluster"),
    ] {
        let run = keystead(["diff", from, to]);
        assert!(run.ok().lines().next().is_some_and(|line| line.ends_with(said)), "{said} {run:?}");
    }
}

#[test]
fn every_figure_can_be_recomputed_and_adds_up() {
    let folder = Folder::new();
    let next =
        changed(&folder, LIVE, &["--drain=cache-d", "--add=cache-k", "--location=eu-1/1c", "--weight=cache-a=2"]);
    let mut csv = "key,size\n".to_owned();
    for number in 0..5_000_u64 {
        writeln!(csv, "user:{number},{}", number * 7_919 % 10_000).expect("memory");
    }
    let keys = ["--keys=-", "--keys-format=csv", "--bytes-column=size"];
    let report = with_input([&["diff", LIVE, &next, "--json"], &keys[..]].concat(), csv.as_bytes()).json();
    let counted = &report["counted"];
    let (before, after) = (owners(LIVE, &users(5_000)), owners(&next, &users(5_000)));
    let mut cells: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for (index, (old, new)) in (0_u64..).zip(before.iter().zip(&after)) {
        if old != new {
            let cell = cells.entry((old, new)).or_default();
            *cell = (cell.0 + 1, cell.1 + index * 7_919 % 10_000);
        }
    }
    let expected: Vec<Value> = cells
        .iter()
        .map(|((from, to), (keys, bytes))| json!({"from": from, "to": to, "keys": keys.to_string(), "bytes": bytes.to_string()}))
        .collect();
    assert_eq!(counted["moves"], json!(expected));
    for what in ["keys", "bytes"] {
        let sum = |cells: &[Value]| cells.iter().map(|cell| number(&cell[what])).sum::<u64>();
        let moved = number(&counted["moved"][what]);
        assert_eq!(sum(list(&counted["moves"])), moved);
        let reasons = counted["reasons"].as_object().expect("an object");
        assert_eq!(reasons.values().map(|count| number(&count[what])).sum::<u64>(), number(&counted["total"][what]));
        assert_eq!(number(&reasons["unchanged"][what]), number(&counted["total"][what]) - moved);
        let nodes = list(&counted["nodes"]);
        for (side, total) in [("before", "total"), ("after", "total"), ("moved_in", "moved"), ("moved_out", "moved")] {
            assert_eq!(nodes.iter().map(|node| number(&node[side][what])).sum::<u64>(), number(&counted[total][what]));
        }
        for node in nodes {
            let of = |side: &str| number(&node[side][what]);
            assert_eq!(of("before") + of("moved_in"), of("after") + of("moved_out"), "{node}");
        }
    }
    // The text shows these numbers.
    let text = with_input([&["diff", LIVE, &next, "--matrix"], &keys[..]].concat(), csv.as_bytes());
    let moved = indicatif(number(&counted["moved"]["keys"]));
    assert!(text.ok().contains(&format!("\nmoves  {moved} of 5,000 keys  ")), "{text:?}");
    assert!(text.ok().contains("\nkeys: from ↓ to →") && text.ok().contains("\nbytes: from ↓ to →"), "{text:?}");
    let all = text.ok().lines().find(|line| line.starts_with("all  ")).expect("sums");
    assert!(all.ends_with(&moved), "{all}");
}

/// `1,234`.
fn indicatif(number: u64) -> String {
    if number < 1_000 { number.to_string() } else { format!("{},{:03}", number / 1_000, number % 1_000) }
}

#[test]
fn keys_on_the_command_line_are_told_one_by_one() {
    let folder = Folder::new();
    let next = changed(&folder, LIVE, &["--drain=cache-d"]);
    let (old, new) = (keystead(["owner", LIVE, "user:42"]), keystead(["owner", &next, "user:42"]));
    assert_eq!(old.ok(), "cache-d\n");
    let run = keystead(["diff", LIVE, &next, "user:42", "user:1"]);
    assert_eq!(run.ok(), format!("user:42\tcache-d\t{}\tlost\nuser:1\tcache-b\tcache-b\tunchanged\n", new.ok().trim()));
    let csv = keystead(["diff", LIVE, &next, "user:1", "--csv", "-r2"]);
    assert!(csv.ok().starts_with("key,from,to,reason,dropped,added\nuser:1,cache-b,"), "{csv:?}");
    // A file lists what changes, or all.
    let keys = users(500);
    let lines = |option: &str| with_input(["diff", LIVE, &next, "--keys=-", option], keys.as_bytes()).ok().to_owned();
    assert_eq!(lines("--list=all").lines().count(), 500);
    let changed = lines("--list");
    assert!(changed.lines().all(|line| line.contains("\tcache-d\t") && line.ends_with("\tlost")), "{changed}");
    assert_eq!(changed.lines().count(), owners(LIVE, &keys).iter().filter(|owner| *owner == "cache-d").count());
    keystead(["diff", LIVE, &next, "--list"]).refused(2, "wrong_use");
    keystead(["diff", LIVE, &next, "k", "--matrix"]).refused(2, "wrong_use");
}

#[test]
fn candidates_say_which_copies_go_where() {
    let folder = Folder::new();
    let next = changed(&folder, LIVE, &["--drain=cache-g"]);
    let lines =
        with_input(["diff", LIVE, &next, "--keys=-", "--list", "-r2", "--json"], users(300).as_bytes()).json_lines();
    let candidates: Vec<&Value> = lines.iter().filter(|line| line["reason"] == "candidates").collect();
    assert!(!candidates.is_empty());
    for line in candidates {
        assert_eq!((&line["from"], &line["dropped"]), (&line["to"], &json!(["cache-g"])), "{line}");
        let key = line["key"].as_str().expect("text");
        let names = keystead(["owner", &next, key, "-r2"]);
        let second = names.ok().trim().split("  ").nth(1).expect("two").to_owned();
        assert_eq!(line["added"], json!([second]));
    }
    let run = with_input(["diff", LIVE, &next, "--keys=-", "-r2"], users(300).as_bytes());
    assert!(run.ok().contains(" · candidates ") && run.ok().contains("\ncopies to make: "), "{run:?}");
}

#[test]
fn expectations_say_how_they_were_found() {
    let folder = Folder::new();
    let file = folder.file("live.json", r#"{"keystead": 1, "epoch": 1, "nodes": ["a", "b", "c", "d", "e"]}"#);
    let next = changed(&folder, &file, &["--add=f"]);
    let run = keystead(["diff", &file, &next]);
    let expected = format!(
        "{file} → {next}: epoch 1 → 2 · 5 → 6 nodes · rendezvous-1, xxh3\nmoves  16.667 % of all keys expected, least possible 16.667 %\n\n"
    );
    assert!(run.ok().starts_with(&expected), "{run:?}");
    assert!(run.ok().contains("\nf      0.00 %  16.67 %  16.67 %  0.00 %\n"), "{run:?}");
    assert!(run.ok().ends_with(
        "a new owner starts empty: copy, or let reads fill it; --matrix and --list name source and target\n"
    ));
    let copies = keystead(["diff", &file, &next, "-r2"]);
    assert!(copies.ok().contains(" of keys changes, from a sample of 65,536\n"), "{copies:?}");
    let run = keystead(["diff", &file, &file]);
    assert!(run.ok().ends_with("\nno key moves: both give the same answer to every key\n"), "{run:?}");
    // A change of hash places every key anew: 1 − Σ share² = 80 %.
    let other = folder
        .file("other.json", r#"{"keystead": 1, "epoch": 2, "hash": "xxh64", "nodes": ["a", "b", "c", "d", "e"]}"#);
    let run = keystead(["diff", &file, &other]);
    assert!(
        run.ok().contains(
            "rendezvous-1, xxh3 → rendezvous-1, xxh64\nmoves  80.000 % of all keys expected, least possible 0.000 %"
        ),
        "{run:?}"
    );
}

#[test]
fn publishing_that_services_would_refuse_is_said() {
    let folder = Folder::new();
    let file = |epoch: &str, ids: &str| format!(r#"{{"keystead": 1, {epoch} "nodes": [{ids}]}}"#);
    let before = folder.file("before.json", file("\"epoch\": 5,", "\"a\", \"b\""));
    for (epoch, said) in [
        ("\"epoch\": 5,", "epoch_conflict"),
        ("\"epoch\": 4,", "stale_epoch"),
        ("", "stale_epoch"),
        ("\"epoch\": 6,", ""),
    ] {
        let after = folder.file("after.json", file(epoch, "\"a\", \"c\""));
        let run = keystead(["diff", &before, &after]);
        assert_eq!(run.ok().contains("\nWARN  "), !said.is_empty(), "{run:?}");
        assert!(run.ok().contains(said), "{run:?}");
    }
}

#[test]
fn moved_arcs_of_the_ring_of_32_positions() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    let grown = changed(&folder, &ring, &["--add=E", "--tokens=12"]);
    assert_eq!(keystead(["diff", &ring, &grown, "--arcs"]).ok(), "8\t12\t4\tC\tE\n");
    assert_eq!(
        keystead(["diff", &ring, &grown, "--arcs", "--csv"]).ok(),
        "start,end,length,from,to,share\n8,12,4,C,E,1\n"
    );
    let report = keystead(["diff", &ring, &grown, "--json"]).json();
    assert_eq!((&report["expected"]["moved"], &report["least"]["fraction"]), (&json!(0.125), &json!(["1", "8"])));
    let third = folder.path("third.json");
    keystead(["change", &grown, "--remove=B", "-o", &third]).ok();
    assert_eq!(keystead(["diff", &grown, &third, "--arcs"]).ok(), "1\t8\t7\tB\tE\n");
    // Half-way there half of the arc's keys have passed.
    let text = |file: &str| std::fs::read_to_string(file).expect("a file");
    let half = folder.file("half.json", step(1, 2, &text(&ring), &text(&grown)));
    assert_eq!(keystead(["diff", &ring, &half, "--arcs"]).ok(), "8\t12\t4\tC\tE\t0.5\n");
    let run = keystead(["diff", &ring, &half]);
    assert!(run.ok().contains(" · transition 0 → 1/2\nmoves  6.250 % of all keys expected"), "{run:?}");
    keystead(["diff", LIVE, LIVE, "--arcs"]).refused(2, "unsupported");
}

#[test]
fn moved_slots_are_those_whose_owner_changes() {
    let folder = Folder::new();
    let table = |name: &str, ids: &str| {
        folder.file(
            name,
            format!(r#"{{"keystead": 1, "algorithm": "slots-1", "slots": 40, "headroom": 10, "nodes": [{ids}]}}"#),
        )
    };
    let (before, after) = (table("a.json", r#""a", "b", "c""#), table("b.json", r#""a", "b", "c", "d""#));
    let owners = |file: &str| keystead(["show", file, "--slot-owners"]).ok().to_owned();
    let (old, new) = (owners(&before), owners(&after));
    let expected: String = old
        .lines()
        .zip(new.lines())
        .filter(|(old, new)| old != new)
        .map(|(old, new)| format!("{old}\t{}\n", new.split('\t').nth(1).expect("an owner")))
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(keystead(["diff", &before, &after, "--slots"]).ok(), expected);
    keystead(["diff", &before, LIVE, "--slots"]).refused(2, "unsupported");
}

#[test]
fn exit_code_is_1_where_anything_moves() {
    let folder = Folder::new();
    let next = changed(&folder, LIVE, &["--drain=cache-g"]);
    let moved = changed_address(&folder);
    let status = |arguments: &[&str], keys: &str| {
        with_input([&["diff", "--exit-code"], arguments].concat(), keys.as_bytes()).status.expect("a status")
    };
    assert_eq!(status(&[LIVE, &next], ""), 1);
    assert_eq!(status(&[LIVE, &moved], ""), 0);
    assert_eq!(status(&[LIVE, &next, "--keys=-"], "user:1\n"), 0, "the owner of this key stays");
    assert_eq!(status(&[LIVE, &next, "--keys=-"], &users(200)), 1);
    assert_eq!(status(&[LIVE, &next, "--keys=-", "--list"], "user:1\n"), 0);
    assert_eq!(status(&[LIVE, &next, "--keys=-", "--list", "-r7"], "user:1\n"), 2, "too few nodes are left");
    assert_eq!(keystead(["diff", LIVE, &next]).status, Some(0));
}

fn changed_address(folder: &Folder) -> String {
    let path = folder.path("moved.json");
    keystead(["change", LIVE, "--address=cache-g=10.7.0.99:11211", "-o", &path]).ok();
    path
}

#[test]
fn two_files_have_a_secret_or_one_each() {
    let folder = Folder::new();
    let sip = |ids: &str| format!(r#"{{"keystead": 1, "hash": "sip13", "nodes": [{ids}]}}"#);
    let (one, other) = (
        folder.file("one", "00112233445566778899aabbccddeeff"),
        folder.file("other", "ffeeddccbbaa99887766554433221100"),
    );
    let (before, after) =
        (folder.file("before.json", sip("\"a\", \"b\"")), folder.file("after.json", sip("\"a\", \"b\", \"c\"")));
    let plain = folder.file("plain.json", r#"{"keystead": 1, "nodes": ["a", "b", "c"]}"#);
    let transition = folder.file("step.json", step(1, 2, &sip("\"a\", \"b\""), &sip("\"a\", \"b\", \"c\"")));
    let moved = |files: [&str; 2], options: &[&str]| {
        let run = keystead([&["diff", "--json"], &files[..], options].concat()).json();
        format!("{:.4}", run["expected"]["moved"].as_f64().expect("a share"))
    };
    let each = |after| ["--before-secret-file", &one, "--after-secret-file", after];
    assert_eq!(moved([&before, &after], &["--secret-file", &one]), "0.3333");
    assert_eq!(moved([&before, &after], &each(&one)), "0.3333");
    // Another secret is another placement: 1 − Σ share · share.
    assert_eq!(moved([&before, &after], &each(&other)), "0.6667");
    // One side alone has a use for it.
    assert_eq!(moved([&plain, &after], &["--secret-file", &one]), "0.6667");
    assert_eq!(moved([&plain, &after], &["--after-secret-file", &one]), "0.6667");
    assert_eq!(moved([&before, &transition], &["--secret-file", &one]), "0.1667");
    assert_eq!(moved([&transition, &after], &each(&one)), "0.1667");
    keystead(["diff", &before, &after]).refused(2, "missing_secret");
    keystead(["diff", &before, &after, "--before-secret-file", &one]).refused(2, "missing_secret");
    keystead(["diff", &plain, &plain, "--secret-file", &one]).refused(2, "unexpected_secret");
}

#[test]
fn input_that_is_none_is_refused() {
    let folder = Folder::new();
    let next = changed(&folder, LIVE, &["--drain=cache-g"]);
    keystead(["diff", LIVE]).refused(2, "wrong_use");
    keystead(["diff", "-", "-"]).refused(2, "wrong_use");
    keystead(["diff", "-", LIVE, "--keys=-"]).refused(2, "wrong_use");
    keystead(["diff", LIVE, &folder.path("absent.json")]).refused(2, "unreadable");
    let bad = folder.file("bad.json", "{}");
    assert!(keystead(["diff", LIVE, &bad]).refused(2, "invalid_file").contains("bad.json:1:"));
    assert!(keystead(["diff", &bad, LIVE]).refused(2, "invalid_file").contains("bad.json:1:"));
    with_input(["diff", LIVE, &next, "--keys=-"], b"").refused(2, "invalid_key");
    keystead(["diff", LIVE, &next, "--bytes-column=b"]).refused(2, "wrong_use");
    keystead(["diff", LIVE, &next, "-r0"]).refused(2, "invalid_parameter");
    keystead(["diff", LIVE, &next, "-r9"]).refused(2, "not_enough_nodes");
    let csv = |text: &str| {
        with_input(["diff", LIVE, &next, "--keys=-", "--keys-format=csv", "--bytes-column=b"], text.as_bytes())
    };
    assert!(csv("key,b\nx,-1\n").refused(2, "invalid_parameter").starts_with("standard input:2: bytes `-1`"));
    assert!(csv("key,b\nx,18446744073709551616\n").refused(2, "invalid_parameter").contains(":2: "));
    // A total above 64 bits is exact.
    let most = 9_007_199_254_740_991_u128;
    let rows: String = (0..3_000).map(|n| format!("k{n},{most}\n")).collect();
    let run = with_input(
        ["diff", LIVE, &next, "--keys=-", "--keys-format=csv", "--bytes-column=b", "--json"],
        format!("key,b\n{rows}").as_bytes(),
    );
    assert_eq!(run.json()["counted"]["total"]["bytes"], json!((most * 3_000).to_string()));
}
