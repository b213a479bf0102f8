//! The vectors that every language runs, on the core: every file, every case that can be put to Rust.

#![cfg(feature = "json")]

// The function that answers the cross-check answers the vectors.
#[path = "../examples/cross/front.rs"]
mod front;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use serde_json::{Value, json};

/// Ops over many keys at once, which only the bindings have.
const OF_BINDINGS: [&str; 2] = ["owner_many", "slot_indices"];

/// What questions can be put to.
const SUBJECTS: [&str; 4] = ["cluster", "file", "transition", "transition_file"];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors")
}

/// The groups of a file that can be put to Rust, without the queries that cannot.
fn groups(name: &str) -> Vec<Value> {
    let path = folder().join(name);
    let text = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let Ok(Value::Object(mut file)) = serde_json::from_slice(&text) else { panic!("{name} is no JSON object") };
    let Some(Value::Array(mut groups)) = file.remove("groups") else { panic!("{name} has no groups") };
    groups.retain(is_for_rust);
    for queries in groups.iter_mut().filter_map(|group| group.get_mut("queries")?.as_array_mut()) {
        queries.retain(|query| is_for_rust(query) && !OF_BINDINGS.iter().any(|op| query["op"] == *op));
    }
    groups
}

fn is_for_rust(case: &Value) -> bool {
    case.get("only").and_then(Value::as_array).is_none_or(|fronts| fronts.contains(&json!("rust")))
}

fn queries(group: &Value) -> &[Value] {
    group.get("queries").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// What was asked, and whether the answer is the one that was frozen.
struct Case {
    asked: String,
    answer: Value,
    is_right: bool,
}

fn check(group: &Value) -> Vec<Case> {
    let answer = front::answer(group);
    if let Some(code) = group.get("error") {
        // Where a group names no place, none is compared.
        let is_frozen = |name: &str| group.get(name).is_none_or(|place| answer.get(name) == Some(place));
        let is_right = answer.get("error") == Some(code) && is_frozen("line") && is_frozen("column");
        return vec![Case { asked: group.to_string(), answer, is_right }];
    }
    let subject = SUBJECTS.iter().find_map(|name| group.get(name)).unwrap_or(&Value::Null);
    let answers = answer["answers"].as_array().unwrap_or_else(|| panic!("{subject}\n  answer: {answer}"));
    let queries = queries(group);
    assert_eq!(answers.len(), queries.len(), "{subject}");
    let case = |(query, answer): (&Value, &Value)| Case {
        asked: format!("{subject}\n  {query}"),
        is_right: query.get("answer") == Some(answer),
        answer: answer.clone(),
    };
    queries.iter().zip(answers).map(case).collect()
}

/// Judges the cases of a file. Cases are only ever added, so fewer than there were once means that some are lost.
fn judge(name: &str, cases: &[Case], least: usize) {
    let wrong: Vec<&Case> = cases.iter().filter(|case| !case.is_right).collect();
    let shown: Vec<String> =
        wrong.iter().take(5).map(|case| format!("{}\n  says {}", case.asked, case.answer)).collect();
    assert!(wrong.is_empty(), "{name}: {} of {} cases differ\n{}", wrong.len(), cases.len(), shown.join("\n"));
    assert!(cases.len() >= least, "{name}: {} cases, and there were {least} once", cases.len());
}

macro_rules! vectors {
    ($($name:ident: $least:literal,)*) => {
        $(
            #[test]
            fn $name() {
                let name = concat!(stringify!($name), ".json");
                let cases: Vec<Case> = groups(name).iter().flat_map(check).collect();
                judge(name, &cases, $least);
            }
        )*

        #[test]
        fn no_file_is_left_out() {
            let run: BTreeSet<String> = ["caps.json", $(concat!(stringify!($name), ".json")),*].map(String::from).into();
            let there = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let there: BTreeSet<String> = there.filter(|name| name.ends_with(".json") && name != PUBLISHED).collect();
            assert_eq!(run, there);
        }
    };
}

/// Pins the oracle, and is in a form of its own; the published numbers that the core is held to stand beside its hashes.
const PUBLISHED: &str = "published.json";

vectors! {
    changes: 159,
    description: 754,
    digests: 1_368,
    encoding: 222,
    files: 556,
    functions: 934,
    hierarchy: 1_447,
    order: 405,
    refused: 136,
    rendezvous: 2_256,
    replicas: 1_051,
    ring: 1_411,
    slots: 1_506,
    transition: 3_389,
}

/// Caps alone, of more slots and weights than a table could be built for.
#[test]
fn caps() {
    fn number<T: FromStr>(value: &Value) -> T {
        value
            .as_str()
            .and_then(|digits| digits.parse().ok())
            .unwrap_or_else(|| panic!("{value} is no number that fits"))
    }
    let case = |query: &Value| {
        let weights: Vec<u32> = query["weights"].as_array().unwrap().iter().map(number).collect();
        let caps = keystead::caps(number(&query["slots"]), &weights, number(&query["headroom"]));
        let answer: Value = caps.into_iter().map(|cap| cap.to_string()).collect();
        Case { asked: query.to_string(), is_right: query["op"] == "caps" && query["answer"] == answer, answer }
    };
    let cases: Vec<Case> = groups("caps.json").iter().flat_map(queries).map(case).collect();
    judge("caps.json", &cases, 540);
}
