//! Cluster files: what is read, what is refused and where. In the tables `§` marks the place that an error names and is no part of
//! the file.

#![cfg(feature = "json")]

mod hostile;
mod members;
mod round_trip;
mod syntax;
mod values;

use keystead::{Cluster, Error, Position};

fn refused(text: &[u8]) -> Error {
    let shown = String::from_utf8_lossy(&text[..text.len().min(200)]).into_owned();
    Cluster::from_json(text, None).map(|_| ()).expect_err(&shown)
}

/// The text without its mark, and the place of the mark.
fn unmarked(marked: &str) -> (String, Position) {
    let (before, after) = marked.split_once('§').expect(marked);
    let line = before.split('\n').count() as u64;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u64 + 1;
    (format!("{before}{after}"), Position { line, column })
}

#[track_caller]
fn assert_refused(marked: &str, code: &str) {
    let (text, place) = unmarked(marked);
    let error = refused(text.as_bytes());
    assert_eq!((error.code(), error.position()), (code, Some(place)), "{text}\n{error}");
    let said = format!("line {}, column {}", place.line, place.column);
    assert!(error.to_string().contains(&said), "{error}");
}

/// A good file with these members beside the required ones.
fn with(members: &str) -> String {
    format!("{{\"keystead\": 1,\n {members},\n \"nodes\": [\"a\"]}}")
}

fn with_node(node: &str) -> String {
    format!("{{\"keystead\": 1, \"nodes\": [\"a\",\n  {node}\n]}}")
}

fn accepted(text: &str) -> Cluster {
    Cluster::from_json(text.as_bytes(), None).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

#[test]
fn the_example_of_the_specification_is_read() {
    let text = r#"{
      "keystead": 1, "algorithm": "rendezvous-1", "hash": "xxh3", "seed": "0x0000000000000000", "epoch": 42,
      "levels": ["region", "zone"], "comment": "free text",
      "nodes": ["cache-a", {"id": "cache-b", "weight": 2, "location": ["eu-1", "eu-1a"], "address": "10.7.0.2:11211",
                            "meta": {"rack": "r7"}, "comment": "ssd"}]
    }"#;
    let cluster = accepted(text);
    assert_eq!(cluster.ids().collect::<Vec<_>>(), ["cache-a", "cache-b"]);
    assert_eq!((cluster.epoch(), cluster.comment()), (Some(42), Some("free text")));
    let node = cluster.node("cache-b").unwrap();
    assert_eq!((node.get_weight(), node.get_address(), node.get_comment()), (2, Some("10.7.0.2:11211"), Some("ssd")));
    assert_eq!(node.get_meta().collect::<Vec<_>>(), [("rack", "r7")]);
    assert_eq!(node.get_location().len(), 2);
}

#[test]
fn every_member_of_every_algorithm_is_read() {
    let ring = accepted(&with(r#""algorithm": "ring-1", "tokens_per_weight": 7, "seed": "0x00000000DEADbeef""#));
    assert_eq!((ring.tokens_per_weight(), ring.hash().seed()), (Some(7), Some(0xDEAD_BEEF)));
    let explicit = accepted(
        r#"{"keystead": 1, "algorithm": "ring-1", "space": "18446744073709551615",
            "nodes": [{"id": "a", "tokens": ["18446744073709551614", "0"]}, {"id": "b", "weight": 0, "tokens": ["5"]}]}"#,
    );
    assert_eq!((explicit.space(), explicit.tokens_per_weight()), (Some(u64::MAX), None));
    assert_eq!(explicit.node("a").unwrap().get_tokens(), Some(&[0, u64::MAX - 1][..]));
    let slots = accepted(&with(r#""algorithm": "slots-1", "slots": 4194304, "headroom": 1000, "hash": "xxh64""#));
    assert_eq!((slots.slots(), slots.headroom(), slots.hash().name()), (Some(1 << 22), Some(1000), "xxh64"));
    let hierarchy =
        br#"{"nodes": [{"location": ["eu"], "id": "a"}], "hash": "sip13", "algorithm": "hierarchy-1", "keystead": 1}"#;
    let hierarchy = Cluster::from_json(hierarchy, Some(&[7; 16])).unwrap();
    assert_eq!((hierarchy.algorithm(), hierarchy.has_secret()), ("hierarchy-1", true));
}

#[test]
fn limits_themselves_are_accepted() {
    assert_eq!(accepted(&with_node(r#"{"id": "b", "weight": 4294967295}"#)).node("b").unwrap().get_weight(), u32::MAX);
    assert_eq!(accepted(&with("\"epoch\": 9007199254740991")).epoch(), Some((1 << 53) - 1));
    assert_eq!(accepted(&with("\"epoch\": 0")).epoch(), Some(0));
    assert_eq!(accepted(" \t\r\n{\"keystead\":1,\"nodes\":[\"a\"]}\n\r\t ").len(), 1);
    // Names are compared after their escapes are resolved.
    assert_eq!(
        accepted(r#"{"k\u0065ystead": 1, "nod\u0065s": [{"\u0069d": "\u0061"}]}"#).ids().collect::<Vec<_>>(),
        ["a"]
    );
    // Any text is carried, the empty one and U+0000 included.
    let carried = accepted(&with_node(
        r#"{"id": "b", "address": "", "comment": "\u0000\ud83d\ude00", "meta": {"": "", "\u0000": "\u007f"}}"#,
    ));
    let node = carried.node("b").unwrap();
    assert_eq!((node.get_address(), node.get_comment()), (Some(""), Some("\0😀")));
    assert_eq!(node.get_meta().collect::<Vec<_>>(), [("", ""), ("\0", "\u{7f}")]);
}
