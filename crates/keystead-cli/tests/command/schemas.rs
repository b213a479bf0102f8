//! The schemas of docs/json, against what the command prints.

use crate::{
    owner::{LIVE, RING},
    run::{Folder, Run, keystead, lines, project},
    transition::step,
};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs};

fn schema(name: &str) -> Validator {
    let path = project().join(format!("docs/json/{name}.schema.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A transition file, half-way.
fn transition(folder: &Folder) -> String {
    let cluster = |ids: &str| format!(r#"{{"keystead": 1, "nodes": [{ids}]}}"#);
    folder.file("step.json", step(1, 2, &cluster("\"a\", \"b\""), &cluster("\"b\", \"c\"")))
}

fn judge(name: &str, schema: &Validator, value: &Value) {
    if let Err(error) = schema.validate(value) {
        panic!("{name}: {error} at {}\n{value:#}", error.instance_path());
    }
}

/// Judges a run whose lines are one value each.
fn judge_lines(name: &str, runs: &[Run]) {
    let schema = schema(name);
    for run in runs {
        let lines = run.json_lines();
        assert!(!lines.is_empty());
        for line in &lines {
            judge(name, &schema, line);
        }
    }
}

#[test]
fn owner_lines() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    let slots = ["owner", "--nodes=a,b", "--algorithm=slots-1", "--json", "k", "-r2"];
    let every_key = [
        "owner",
        LIVE,
        "--json",
        "--keys-format=json",
        "\"a\"",
        "{\"hex\":\"ff\"}",
        "42",
        "18446744073709551615",
        "[[],\"a\"]",
    ];
    judge_lines(
        "owner",
        &[
            keystead(["owner", LIVE, "--json", "user:42", "a\tb", ""]),
            keystead(every_key),
            keystead(["owner", LIVE, "--json", "k", "-r3", "--spread=zone"]),
            keystead(["owner", LIVE, "--json", "k", "-r6", "--spread=zone", "--relaxed"]),
            keystead(["owner", LIVE, "--json", "k", "-r0"]),
            keystead(&slots[..5]),
            keystead(slots),
            keystead(["owner", &ring, "--json", "--at", "12", "0x1f"]),
            keystead(["owner", "--jump=10", "--json", "k"]),
            keystead(["owner", "--jump=10", "--json", "--at", "7"]),
            keystead(["owner", "--modulo=10", "--json", "k"]),
            keystead(["owner", "--nodes=a,b", "--candidates", "--json", "k"]),
            keystead(["owner", &transition(&folder), "--candidates", "--json", "k", "l", "m", "n"]),
        ],
    );
}

#[test]
fn explain_lines() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    let secret = folder.file("secret", "00112233445566778899aabbccddeeff");
    let hierarchy = folder.file(
        "hierarchy.json",
        r#"{"keystead": 1, "algorithm": "hierarchy-1", "nodes": [{"id": "a", "location": ["1", "x"]}, {"id": "b", "location": ["2", "y"]}]}"#,
    );
    judge_lines(
        "explain",
        &[
            keystead(["explain", LIVE, "--json", "user:3", "-r3", "--spread=zone", "--exclude=cache-a"]),
            keystead(["explain", LIVE, "--json", "k", "-r0"]),
            keystead(["explain", LIVE, "--json", "--keys-format=json", "42", "{\"hex\":\"ff\"}"]),
            keystead(["explain", &ring, "--json", "k", "-r2"]),
            keystead(["explain", &transition(&folder), "--json", "k", "l"]),
            keystead(["explain", &hierarchy, "--json", "k", "-r2", "--spread=0"]),
            keystead(["explain", "--nodes=a,b", "--algorithm=slots-1", "--headroom=0", "--json", "k"]),
            keystead(["explain", "--nodes=a,b", "--hash=sip13", "--secret-file", &secret, "--json", "k"]),
        ],
    );
}

#[test]
fn show_in_whole_and_in_part() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    let secret = folder.file("secret", "00112233445566778899aabbccddeeff");
    let whole = schema("show");
    for run in [
        keystead(["show", "--json", LIVE]),
        keystead(["show", "--json", &ring]),
        keystead(["show", "--json", "--nodes=a,b", "--algorithm=slots-1", "--headroom=5"]),
        keystead(["show", "--json", "--nodes=a,b", "--hash=sip13", "--secret-file", &secret]),
    ] {
        judge("show", &whole, &run.json());
    }
    judge("show", &schema("show-transition"), &keystead(["show", "--json", &transition(&folder)]).json());
    judge_lines(
        "arc",
        &[
            keystead(["show", "--json", &ring, "--arcs"]),
            keystead(["show", "--json", "--nodes=a", "--algorithm=ring-1", "--arcs"]),
        ],
    );
    let slots = |option| keystead(["show", "--json", "--nodes=a,b", "--algorithm=slots-1", option]);
    judge_lines("slot", &[slots("--slot-owners"), slots("--slots-of=a")]);
    judge_lines("slot-ranking", &[slots("--slot-ranking=3")]);
}

#[test]
fn check_reports() {
    let folder = Folder::new();
    let bad = folder.file("bad.json", "{}");
    let step = transition(&folder);
    let answers = folder.file("answers.tsv", "user:42\tcache-d\nnaïve\tcache-q\n{\"hex\":\"ff\"}\ta\tb\n");
    let schema = schema("check");
    for (arguments, status) in [
        (vec!["check", "--json", LIVE, "-r3", "--spread=zone"], 0),
        (vec!["check", "--json", LIVE, "-r9"], 1),
        (vec!["check", "--json", LIVE, "--after", LIVE], 0),
        (vec!["check", "--json", LIVE, "--after", &step], 1),
        (vec!["check", "--json", "--nodes=a,a"], 1),
        (vec!["check", "--json", &bad], 1),
        (vec!["check", "--json", &step, "-r3"], 1),
        (vec!["check", "--json", LIVE, "--answers", &answers, "--answers", &answers], 1),
    ] {
        let run = keystead(&arguments);
        assert_eq!(run.status, Some(status), "{run:?}");
        judge("check", &schema, &serde_json::from_str(run.text()).expect("JSON"));
    }
}

#[test]
fn change_reports() {
    let folder = Folder::new();
    let schema = schema("change");
    let nodes = r#"{"id": "a", "location": ["x"]}, {"id": "b", "location": ["y"]}"#;
    let hierarchy =
        folder.file("h.json", format!(r#"{{"keystead": 1, "algorithm": "hierarchy-1", "nodes": [{nodes}]}}"#));
    for run in [
        keystead(["change", LIVE, "--json", "--drain=cache-d", "--add=k", "-o", &folder.path("next.json")]),
        keystead(["change", LIVE, "--json", "--address=cache-d=x"]),
        keystead(["change", &hierarchy, "--json", "--weight=a=2"]),
    ] {
        judge("change", &schema, &run.json());
    }
}

#[test]
fn balance_reports() {
    let folder = Folder::new();
    let schema = schema("balance");
    let keys = folder.file("keys.txt", lines((0..500).map(|number| format!("k{number}"))));
    let odd = folder.file("odd.txt", "1\n[1]\n{\"hex\":\"ff\"}\n1\n".repeat(30));
    let csv = folder.file("keys.csv", "key,n,b\nx,5,7\ny,1,0\n");
    let csv = ["--keys", &csv, "--keys-format=csv", "--count-column=n", "--bytes-column=b"];
    for run in [
        keystead(["balance", LIVE, "--json", "--keys", &keys, "--baseline=jump", "--baseline=modulo"]),
        keystead(["balance", LIVE, "--json", "--keys", &odd, "--keys-format=json"]),
        keystead([&["balance", &transition(&folder), "--json"][..], &csv].concat()),
    ] {
        judge("balance", &schema, &run.json());
    }
}

#[test]
fn diff_reports_and_lines() {
    let folder = Folder::new();
    let schema = schema("diff");
    let next = folder.path("next.json");
    keystead(["change", LIVE, "--drain=cache-d", "--add=k", "--location=eu-1/1a", "-o", &next]).ok();
    let (ring, grown) = (folder.file("ring.json", RING), folder.path("grown.json"));
    keystead(["change", &ring, "--add=E", "--tokens=12", "-o", &grown]).ok();
    let table = |name: &str, ids: &str| {
        folder.file(name, format!(r#"{{"keystead": 1, "algorithm": "slots-1", "slots": 64, "nodes": [{ids}]}}"#))
    };
    let (table, other) = (table("a.json", "\"a\", \"b\""), table("b.json", "\"a\", \"b\", \"c\""));
    let keys = folder.file("keys.txt", lines((0..300).map(|number| format!("k{number}"))));
    let step = transition(&folder);
    for run in [
        keystead(["diff", "--json", LIVE, &next]),
        keystead(["diff", "--json", LIVE, &next, "--keys", &keys, "-r3", "--spread=zone", "--exclude=cache-a"]),
        keystead(["diff", "--json", LIVE, &next, "-r6", "--spread=zone", "--relaxed"]),
        keystead(["diff", "--json", LIVE, LIVE]),
        keystead(["diff", "--json", LIVE, &table]),
        keystead(["diff", "--json", &step, &table, "--keys", &keys]),
        keystead(["diff", "--json", &ring, &grown]),
        keystead(["diff", "--json", &table, &other]),
    ] {
        judge("diff", &schema, &run.json());
    }
    judge_lines(
        "diff-key",
        &[
            keystead(["diff", "--json", LIVE, &next, "--keys", &keys, "--list"]),
            keystead(["diff", "--json", LIVE, &next, "--keys", &keys, "--list=all", "-r2"]),
            keystead(["diff", "--json", LIVE, &next, "--keys-format=json", "{\"hex\":\"ff\"}", "[1,\"a\"]"]),
        ],
    );
    judge_lines("moved-arc", &[keystead(["diff", "--json", &ring, &grown, "--arcs"])]);
    judge_lines("moved-slot", &[keystead(["diff", "--json", &table, &other, "--slots"])]);
}

#[test]
fn plan_reports() {
    let folder = Folder::new();
    let schema = schema("plan");
    let next = folder.path("next.json");
    keystead(["change", LIVE, "--drain=cache-d", "--add=k", "-o", &next]).ok();
    let table = |name: &str, ids: &str| {
        folder.file(name, format!(r#"{{"keystead": 1, "algorithm": "slots-1", "slots": 64, "nodes": [{ids}]}}"#))
    };
    let (table, other) = (table("a.json", "\"a\", \"b\""), table("b.json", "\"a\", \"b\", \"c\""));
    let keys: String = (0..300).map(|number| format!("k{number},{}\n", 1 + number % 7 * 1_000)).collect();
    let keys = folder.file("keys.csv", format!("key,b\n{keys}"));
    let keys = ["--keys", &keys, "--keys-format=csv", "--bytes-column=b"];
    for run in [
        keystead(["plan", "--json", LIVE, &next, "--limit=3%"]),
        keystead([&["plan", "--json", LIVE, &next, "--limit=5kB"][..], &keys].concat()),
        keystead([&["plan", "--json", LIVE, &next, "--limit=4kB"][..], &keys].concat()),
        keystead(["plan", "--json", LIVE, &next, "--limit=3%", "--by=weights"]),
        keystead(["plan", "--json", LIVE, LIVE, "--limit=3%"]),
        keystead(["plan", "--json", &table, &other, "--limit=5%"]),
    ] {
        judge("plan", &schema, &run.json());
    }
}

/// Nothing that a schema would let through by being too wide: unknown members and numbers for 64-bit values are refused.
#[test]
fn schemas_refuse_what_the_command_does_not_say() {
    let owner = schema("owner");
    assert!(owner.is_valid(&json!({"key": "a", "owner": "b"})));
    for wrong in [
        json!({"key": "a"}),
        json!({"key": "a", "owner": "b", "x": 1}),
        json!({"key": 1.5, "owner": "b"}),
        json!({"at": 12, "owner": "b"}),
    ] {
        assert!(!owner.is_valid(&wrong), "{wrong}");
    }
    let arc = schema("arc");
    assert!(!arc.is_valid(&json!({"start": 1, "end": 2, "length": 1, "owner": "a"})));
}

#[test]
fn every_schema_is_tested() {
    let names: BTreeSet<String> = fs::read_dir(project().join("docs/json"))
        .expect("docs/json")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let tested = [
        "arc",
        "balance",
        "change",
        "check",
        "diff",
        "diff-key",
        "explain",
        "moved-arc",
        "moved-slot",
        "owner",
        "plan",
        "show",
        "show-transition",
        "slot",
        "slot-ranking",
    ];
    assert_eq!(names, tested.map(|name| format!("{name}.schema.json")).into());
}
