//! Files that are cut, damaged, huge, or arbitrary.

use keystead::{Cluster, Position};
use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::refused;

const GOOD: &str = "{\"keystead\": 1, \"algorithm\": \"ring-1\", \"hash\": \"xxh64\", \"seed\": \"0x00000000000000ff\",\n \"epoch\": 42, \
    \"levels\": [\"région\", \"zone\"], \"space\": \"1000\", \"comment\": \"\\u0000 \\ud83d\\ude00 😀\",\n \"nodes\": [{\"id\": \"ä\", \
    \"weight\": 0, \"location\": [\"eu\", \"1\"], \"tokens\": [\"1\", \"999\"], \"address\": \"\", \"meta\": {\"k\": \"v\"}, \
    \"comment\": \"\"},\n {\"tokens\": [\"0\"], \"id\": \"b\"}]}";

#[test]
fn rejects_a_file_cut_anywhere() {
    Cluster::from_json(GOOD.as_bytes(), None).unwrap();
    for end in 0..GOOD.len() {
        let error = refused(&GOOD.as_bytes()[..end]);
        let lines = GOOD.as_bytes()[..end].split(|byte| *byte == b'\n').count() as u64;
        assert_eq!(error.code(), "invalid_file", "cut at {end}: {error}");
        assert_eq!(error.position().map(|place| place.line), Some(lines), "cut at {end}: {error}");
    }
}

#[test]
fn a_damaged_file_is_an_error_or_another_cluster() {
    let mut bytes = GOOD.as_bytes().to_vec();
    for at in 0..bytes.len() {
        let before = bytes[at];
        for after in (0..8).map(|bit| before ^ (1 << bit)).chain(*b"\0\"\\{}[]:,0 u\xff") {
            bytes[at] = after;
            match Cluster::from_json(&bytes, None) {
                Ok(cluster) => assert_eq!(cluster.len(), 2),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        bytes[at] = before;
    }
    for at in 0..bytes.len() {
        let without: Vec<u8> = [&bytes[..at], &bytes[at + 1..]].concat();
        let doubled: Vec<u8> = [&bytes[..=at], &bytes[at..]].concat();
        let _ = (Cluster::from_json(&without, None), Cluster::from_json(&doubled, None));
    }
}

// Anything that is not linear in the length, or recurses, would show here as a test that hangs or a stack that overflows.
#[test]
fn rejects_10_megabytes_of_anything_quickly() {
    const SIZE: usize = 10_000_000;
    let filled = |before: &str, unit: &str, after: &str| format!("{before}{}{after}", unit.repeat(SIZE / unit.len()));
    let x = "{\"keystead\": 1, \"x\": ";
    let nested = |open: &str, close: &str| {
        format!("{}{}", open.repeat(SIZE / 2 / open.len()), close.repeat(SIZE / 2 / open.len()))
    };
    for (text, code, place) in [
        (filled("", "[", ""), "invalid_file", (1, 1)),
        (filled("", "{", ""), "invalid_file", (1, 2)),
        (filled("", " ", ""), "invalid_file", (1, SIZE + 1)),
        (filled("", "\n", ""), "invalid_file", (SIZE + 1, 1)),
        (filled("", "{\"a\":", ""), "invalid_file", (1, SIZE + 1)),
        (filled(x, "[", ""), "invalid_file", (1, SIZE + 22)),
        (filled(x, "[[],", ""), "invalid_file", (1, SIZE + 22)),
        (format!("{x}{}}}", nested("[", "]")), "invalid_file", (1, 22 + 15)),
        (format!("{{\"keystead\": 2, \"x\": {}}}", nested("[", "]")), "unsupported_version", (1, 14)),
        (
            format!("{{\"keystead\": 2, \"x\": {}1{}}}", "{\"a\":".repeat(SIZE / 6), "}".repeat(SIZE / 6)),
            "unsupported_version",
            (1, 14),
        ),
        (filled("{\"keystead\": ", "9", "}"), "unsupported_version", (1, 14)),
        (filled("{\"keystead\": 1.", "0", "1}"), "unsupported_version", (1, 14)),
        (filled("{\"keystead\": 1e", "9", "}"), "unsupported_version", (1, 14)),
        (filled("{\"keystead\": 1e", "0", "}"), "invalid_file", (1, 14)),
        (filled("{\"", "k", "\": 1}"), "invalid_file", (1, 2)),
        (filled("{\"", "\\u0041", "\": 1}"), "invalid_file", (1, 2)),
        (filled("{\"keystead\": 1, \"comment\": \"", "\\", ""), "invalid_file", (1, 28)),
        (filled("{\"keystead\": 1, \"comment\": \"", "😀", ""), "invalid_file", (1, 28)),
        (filled("{\"keystead\": 1, \"comment\": \"", "\\ud800", "\"}"), "invalid_text", (1, 28)),
        (filled("{\"keystead\": 1, \"nodes\": [", "\"a\",", "\"a\"]}"), "too_many_nodes", (1, 27 + 4 * (1 << 20))),
        (filled("{\"keystead\": 1, \"nodes\": [", "{},", "{}]}"), "invalid_file", (1, 27)),
        (filled("{\"keystead\": 1, \"nodes\": [{\"id\": \"a\", \"weight\": ", "7", "}]}"), "invalid_weight", (1, 49)),
        (
            filled("{\"keystead\": 1, \"nodes\": [{\"id\": \"a\", \"tokens\": [", "\"1\",", "\"1\"]}]}"),
            "invalid_tokens",
            (1, 49),
        ),
        (
            filled("{\"keystead\": 1, \"nodes\": [{\"id\": \"a\", \"location\": [", "\"x\",", "\"x\"]}]}"),
            "invalid_location",
            (1, 51),
        ),
        (
            filled("{\"keystead\": 1, \"nodes\": [\"a\"], \"levels\": [", "\"x\",", "\"x\"]}"),
            "invalid_parameter",
            (1, 43),
        ),
        (filled("{\"keystead\": 1, \"nodes\": [\"", "a", "\"]}"), "invalid_id", (1, 27)),
    ] {
        let error = refused(text.as_bytes());
        let place = Position { line: place.0 as u64, column: place.1 as u64 };
        assert_eq!((error.code(), error.position()), (code, Some(place)), "{}… {error}", &text[..40]);
        assert!(error.to_string().len() < 400);
    }
    // Names of one object are compared with all others of it.
    let meta: Vec<String> = (0..SIZE / 20).map(|name| format!("\"{name}\":\"value\"")).collect();
    let text = format!(
        "{{\"keystead\": 1, \"nodes\": [{{\"id\": \"a\", \"meta\": {{{},\"0\":\"again\"}}}}]}}",
        meta.join(",")
    );
    assert_eq!(refused(text.as_bytes()).code(), "invalid_file");
}

/// Strings of tokens that are JSON more often than chance would have it.
fn token_soup() -> impl Strategy<Value = String> {
    const TOKENS: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"a\"",
        "\"b\":",
        "1",
        "0",
        "-0.5e+7",
        "01",
        "1.",
        "-",
        "true",
        "false",
        "null",
        "nul",
        "\"",
        "\\",
        " ",
        "\n",
        "\"\\ud800\"",
        "\"\\u00e9\\n\"",
        "\"\\x\"",
        "\"\t\"",
        "[]",
        "{}",
        "[1,2]",
        "{\"a\":[]}",
        "\u{a0}",
        "é",
        "e5",
        ".5",
    ];
    proptest::collection::vec(proptest::sample::select(TOKENS), 0..8).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    // A file of another version is told from one that is no JSON, as serde_json tells them.
    #[test]
    fn matches_serde_json_on_what_is_well_formed(soup in token_soup()) {
        for text in [format!("{{\"keystead\": 2, \"x\": {soup}}}"), format!("{{\"keystead\": 2{soup}}}")] {
            let well_formed = serde_json::from_str::<IgnoredAny>(&text).is_ok();
            let code = refused(text.as_bytes()).code();
            prop_assert_eq!(code, if well_formed { "unsupported_version" } else { "invalid_file" }, "{}", text);
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused_with_a_place(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(refused(&bytes).position().is_some());
    }
}
