//! `check --answers`: what services answered, against what they should have.

use crate::{
    owner::LIVE,
    run::{Folder, Run, keystead, lines, with_input},
    transition::step,
};
use serde_json::{Value, json};

fn check(options: &[&str], answers: &[u8]) -> Run {
    with_input([&["check", LIVE, "--answers", "-"], options].concat(), answers)
}

/// The only disagreement of a file.
fn wrong(options: &[&str], answers: &str) -> Value {
    let run = check(&[&["--json"], options].concat(), answers.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""), "{run:?}");
    let report: Value = serde_json::from_str(run.text()).expect("JSON");
    let wrong = report["answers"][0]["disagreements"].as_array().expect("a list").clone();
    assert_eq!(wrong.len(), 1, "{report}");
    wrong[0].clone()
}

#[test]
fn what_owner_writes_agrees() {
    let keys = lines((0..3_000).map(|number| format!("user:{number}")));
    for options in
        [&[][..], &["-r", "3"], &["-r", "3", "--spread", "zone"], &["-r", "6", "--spread", "zone", "--relaxed"]]
    {
        let answers = with_input([&["owner", LIVE, "--keys=-"], options].concat(), keys.as_bytes());
        let run = check(options, answers.ok().as_bytes());
        assert!(run.ok().ends_with("\nOK    standard input  3,000 of 3,000\n"), "{run:?}");
    }
    // In every form in which keys are written.
    let odd = b"a\tb\0\"quoted\"\0{\0\xff\xfe\0\0line\nbreak".as_slice();
    let answers = with_input(["owner", LIVE, "--keys=-", "--keys-format=nul", "-r2"], odd);
    let run = check(&[], answers.ok().as_bytes());
    assert!(run.ok().ends_with("  6 of 6\n"), "{run:?}");
    let json =
        with_input(["owner", LIVE, "--keys=-", "--keys-format=json"], b"42\n[\"a\",1]\n\"42\"\n{\"hex\":\"ff\"}\n");
    assert!(check(&["--keys-format=json"], json.ok().as_bytes()).ok().ends_with("  4 of 4\n"));
    assert!(check(&["--keys-format=hex"], b"757365723a3432\tcache-d\n").ok().ends_with("  1 of 1\n"));
}

#[test]
fn a_wrong_answer_fails_with_its_key() {
    let folder = Folder::new();
    let good = folder.file("python.tsv", "user:42\tcache-d\nuser:1\tcache-b\n");
    let bad = folder.file("node.tsv", "user:42\tcache-d\nuser:1\tcache-a\n");
    let run = keystead(["check", LIVE, "--answers", &good, "--answers", &bad]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let expected = format!("\nOK    {good}  2 of 2\nFAIL  {bad}  1 of 2: \"user:1\" says cache-a, is cache-b\n");
    assert!(run.text().ends_with(&expected), "{run:?}");
    let csv = keystead(["check", LIVE, "--answers", &bad, "--csv"]);
    assert!(csv.text().contains("failure,answers,") && csv.status == Some(1), "{csv:?}");

    let many = lines((0..1_200).map(|number| format!("user:{number}\tcache-c")));
    let run = check(&[], many.as_bytes());
    let told: Vec<&str> = run.text().lines().skip_while(|line| !line.starts_with("FAIL")).collect();
    assert_eq!(told.len(), 6, "{run:?}");
    assert!(told[0].starts_with("FAIL  standard input  0 of 1,200: \"user:0\" says cache-c, is "), "{run:?}");
    assert!(told[1].starts_with("      \"user:1\" says cache-c, is cache-b"), "{run:?}");
    assert_eq!(told[5], "      and 1,195 more");
    assert!(check(&[], b"").text().ends_with("FAIL  standard input  0 of 0: no answer is in it\n"));
}

#[test]
fn the_number_of_names_and_their_order_count() {
    let answer =
        |options: &[&str]| keystead([&["owner", LIVE, "user:42"], options].concat()).ok().trim().replace("  ", "\t");
    let three = answer(&["-r3"]);
    let names: Vec<&str> = three.split('\t').collect();
    let turned = format!("user:42\t{}\t{}\t{}\n", names[1], names[0], names[2]);
    assert_eq!(wrong(&[], &turned)["is"], json!(names));
    assert_eq!(wrong(&["-r3"], &format!("user:42\t{}\n", names[0]))["is"], json!(names));
    assert_eq!(wrong(&["-r1"], &format!("user:42\t{three}\n"))["is"], json!([names[0]]));
    let eight = wrong(&[], &format!("user:42{}\n", "\tcache-a".repeat(8)));
    assert!(eight["hint"].as_str().expect("text").contains("8 replicas") && eight["is"] == json!([]), "{eight}");
    check(&["-r0"], b"k\ta\n").refused(2, "wrong_use");
    // Impossible copies are the finding, not every line.
    let run = check(&["-r9"], b"k\ta\n");
    assert!(run.status == Some(1) && !run.text().contains("standard input"), "{run:?}");
}

#[test]
fn hints_name_what_is_likely() {
    let owner = |key: &str| keystead(["owner", LIVE, "--keys-format=json", "--", key]).ok().trim().to_owned();
    let hint = |key: &str, said: &str| wrong(&[], &format!("{key}\t{said}\n"))["hint"].clone();
    // The file's key is decomposed, as macOS writes names; the service answered for what was typed.
    let decomposed = "nai\u{308}ve-3";
    assert_ne!(owner("\"na\u{ef}ve-3\""), owner(&format!("\"{decomposed}\"")));
    assert_eq!(
        hint(decomposed, &owner("\"na\u{ef}ve-3\"")),
        "6e 61 69 cc 88 76 65 2d 33: decomposed form in the file?"
    );
    let said = owner(&format!("\"{decomposed}\""));
    assert_eq!(hint("na\u{ef}ve-3", &said), "6e 61 c3 af 76 65 2d 33; the answer of the decomposed form?");
    let other = |key: &str, is: &str| {
        (0..1_000).map(|n| format!("{key}{n}")).find(|key| owner(&format!("\"{key}\"")) != is).expect("some")
    };
    // An integer is another key than its digits.
    let number = (100..1_000).find(|n| owner(&n.to_string()) != owner(&format!("\"{n}\""))).expect("some").to_string();
    assert_eq!(
        hint(&number, &owner(&number)),
        json!(format!("the answer of the integer {number}, which is another key than the text?"))
    );
    let spaced = (0..1_000)
        .map(|n| format!("k{n}"))
        .find(|key| owner(&format!("\"{key}\"")) != owner(&format!("\"{key} \"")))
        .expect("some");
    assert_eq!(
        hint(&format!("{spaced} "), &owner(&format!("\"{spaced}\""))),
        "the answer of the key without the white space around it?"
    );
    assert_eq!(hint("user:42", "cache-d\r"), "the line ends with CR LF");
    assert_eq!(hint("user:42", "cache-z"), "no node is called \"cache-z\"");
    assert_eq!(hint(&other("plain", "cache-b"), "cache-b"), Value::Null);
}

#[test]
fn a_transition_is_one_step_for_all() {
    let folder = Folder::new();
    let (before, after) = (r#"{"keystead": 1, "nodes": ["a"]}"#, r#"{"keystead": 1, "nodes": ["b"]}"#);
    let file = folder.file("step.json", step(0, 1, before, after));
    let run = with_input(["check", &file, "--answers=-"], b"k\ta\nl\tb\n");
    let said = "FAIL  standard input  1 of 2: \"l\" says b, is a (the answer of `after`: at another step?)\n";
    assert!(run.text().ends_with(said), "{run:?}");
}

#[test]
fn files_that_are_none_are_refused_with_the_line() {
    let refused = |answers: &[u8], code: &str| check(&[], answers).refused(2, code).to_owned();
    assert!(refused(b"user:42\tcache-d\nuser:1 cache-a\n", "invalid_file").starts_with("standard input:2: no TAB"));
    assert!(refused(b"k\t\xff\n", "invalid_file").contains("standard input:1: names that are not"));
    assert!(refused(b"{broken\ta\n", "invalid_key").starts_with("standard input:1: "));
    assert!(refused(&b"x".repeat(10_000_000), "invalid_file").len() < 100);
    keystead(["check", LIVE, "--answers", "/nonexistent"]).refused(2, "unreadable");
    let run = keystead(["check", "--nodes=a,b", "--answers", "/dev/null"]);
    assert!(run.status == Some(1) && run.text().contains("0 of 0"), "{run:?}");
}

/// A service that excludes a node gives wrong answers to that node's keys and to no others: the one cause is told, and not a step.
#[test]
fn a_node_that_a_service_excludes_is_named() {
    let folder = Folder::new();
    let keys = lines((0..3_000).map(|number| format!("user:{number}")));
    let nodes = |ids: &str| format!(r#"{{"keystead": 1, "nodes": [{ids}]}}"#);
    let file = folder.file("step.json", step(1, 2, &nodes(r#""a", "b", "c""#), &nodes(r#""a", "b", "c", "d""#)));
    for (file, excluded) in [(LIVE, "cache-b"), (file.as_str(), "d")] {
        let answers = with_input(["owner", file, "--keys=-", "--exclude", excluded], keys.as_bytes());
        let run = with_input(["check", file, "--answers=-"], answers.ok().as_bytes());
        let last = run.text().lines().last().expect("a line");
        assert!(
            last.starts_with("      all ")
                && last.ends_with(&format!(" wrong lines belong to {excluded}: does the service exclude it?")),
            "{run:?}"
        );
        assert!(run.status == Some(1) && !run.text().contains("at another step"), "{run:?}");
        let run = with_input(["check", file, "--answers=-", "--json"], answers.ok().as_bytes());
        let report: Value = serde_json::from_str(run.text()).expect("JSON");
        let of_file = &report["answers"][0];
        let number = |value: &Value| value.as_str().expect("text").parse::<u64>().expect("a count");
        assert_eq!(of_file["missed"]["node"], excluded);
        assert_eq!(number(&of_file["missed"]["lines"]), number(&of_file["lines"]) - number(&of_file["agree"]));
    }
    // Two nodes are none of one, and answers of another step are of many.
    let answers = with_input(["owner", LIVE, "--keys=-", "--exclude=cache-a", "--exclude=cache-b"], keys.as_bytes());
    assert!(!check(&[], answers.ok().as_bytes()).text().contains("exclude it"));
}

#[test]
fn answers_to_another_question_are_told() {
    let keys = lines((0..200).map(|number| format!("user:{number}")));
    let owner = |options: &[&str]| {
        with_input([&["owner", LIVE, "--keys=-"], options].concat(), keys.as_bytes()).ok().to_owned()
    };
    let run = check(&[], owner(&["-r3", "--spread=zone"]).as_bytes());
    assert!(run.text().contains("(the answer with -r 3 --spread 1?)"), "{run:?}");
    let run = check(&["-r3", "--spread=zone"], owner(&["-r3"]).as_bytes());
    assert!(run.text().contains("(the answer without --spread?)"), "{run:?}");
    let run = check(&["-r3"], owner(&["-r1"]).as_bytes());
    assert!(run.text().contains("(3 copies asked for, 1 copy named)"), "{run:?}");
}
