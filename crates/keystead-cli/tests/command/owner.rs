//! `owner`: forms of output, copies, numbers. Literal answers are the oracle's (tests/reference.py).

use crate::run::{Folder, keystead, with_input};

/// Zones 1a to 1d, one node drained.
pub(crate) const LIVE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/live.json");

/// The ring of 32 positions whose answers are known by hand.
pub(crate) const RING: &str = r#"{"keystead": 1, "algorithm": "ring-1", "space": "32", "nodes": [
    {"id": "A", "tokens": ["1"]}, {"id": "B", "tokens": ["8"]}, {"id": "C", "tokens": ["16"]}, {"id": "D", "tokens": ["24"]}]}"#;

#[test]
fn one_key_gives_names_and_several_give_lines() {
    assert_eq!(keystead(["owner", LIVE, "user:42"]).ok(), "cache-d\n");
    assert_eq!(keystead(["owner", LIVE, "user:42", "-r", "2"]).ok(), "cache-d  cache-g\n");
    assert_eq!(
        keystead(["owner", LIVE, "user:42", "user:3", "-r", "2"]).ok(),
        "user:42\tcache-d\tcache-g\nuser:3\tcache-e\tcache-g\n"
    );
    assert_eq!(keystead(["owner", LIVE, "user:42", "-r", "0"]).ok(), "\n");
    assert_eq!(with_input(["owner", LIVE, "--keys", "-"], b"user:42").ok(), "user:42\tcache-d\n");
    assert_eq!(with_input(["owner", LIVE, "--keys", "-"], b"").ok(), "");
}

#[test]
fn json_is_an_object_a_line_with_the_word_of_the_question() {
    assert_eq!(keystead(["owner", LIVE, "user:42", "--json"]).ok(), "{\"key\":\"user:42\",\"owner\":\"cache-d\"}\n");
    assert_eq!(
        keystead(["owner", LIVE, "a", "--json", "-r", "2"]).ok(),
        "{\"key\":\"a\",\"replicas\":[\"cache-e\",\"cache-a\"]}\n"
    );
    let relaxed = ["owner", LIVE, "user:42", "--json", "-r", "5", "--spread", "zone", "--relaxed"];
    assert_eq!(keystead(relaxed).json_lines()[0]["limit"], 2);
    let strict = ["owner", LIVE, "user:42", "--json", "-r", "4", "--spread", "1"];
    assert_eq!(keystead(strict).json_lines()[0]["limit"], 1);
    let slots = ["owner", "--nodes=a,b", "--algorithm=slots-1", "--slots=1", "k", "--json", "-r", "2"];
    assert_eq!(keystead(slots).json_lines()[0]["slot"], 0);
}

#[test]
fn csv_has_a_header_and_quotes_what_needs_it() {
    let run = keystead(["owner", LIVE, "--csv", "-r", "2", "user:42", "a,\"b\"\n"]);
    assert_eq!(run.ok(), "key,replica_1,replica_2\nuser:42,cache-d,cache-g\n\"a,\"\"b\"\"\n\",cache-b,cache-h\n");
    let slots = ["owner", "--nodes=a", "--algorithm=slots-1", "--slots=1", "--csv", "k"];
    assert_eq!(keystead(slots).ok(), "key,owner,slot\nk,a,0\n");
    assert_eq!(with_input(["owner", LIVE, "--csv", "--keys=-"], b"").ok(), "key,owner\n");
    // Bytes of any kind stand in CSV as they are.
    assert_eq!(with_input(["owner", "--nodes=a", "--csv", "--keys=-"], b"\xff\t\n").stdout, b"key,owner\n\xff\t,a\n");
}

#[test]
fn excluded_nodes_are_passed_over_and_unknown_ones_ignored() {
    assert_eq!(keystead(["owner", LIVE, "user:42", "--exclude", "cache-d"]).ok(), "cache-g\n");
    assert_eq!(keystead(["owner", LIVE, "user:42", "--exclude", "nobody"]).ok(), "cache-d\n");
    let all = ["owner", "--nodes=a,b", "k", "--exclude=a", "--exclude=b"];
    let run = keystead(all);
    assert!(run.refused(2, "no_nodes").contains("of 2 nodes 0 are drained and 2 are excluded"), "{run:?}");
}

#[test]
fn copies_keep_apart_or_the_error_says_why_not() {
    let picked = keystead(["owner", LIVE, "user:42", "-r", "4", "--spread", "zone", "--json"]).json_lines();
    assert_eq!(picked[0]["replicas"].as_array().map(Vec::len), Some(4));
    keystead(["owner", LIVE, "user:42", "-r", "5", "--spread", "zone"]).refused(2, "not_enough_domains");
    keystead(["owner", LIVE, "user:42", "-r", "8"]).refused(2, "not_enough_nodes");
    keystead(["owner", LIVE, "user:42", "-r", "2", "--spread", "rack"]).refused(2, "invalid_parameter");
    keystead(["owner", LIVE, "user:42", "-r", "2", "--spread", "2"]).refused(2, "uneven_locations");
    keystead(["owner", LIVE, "user:42", "-r", "2", "--spread", "8"]).refused(2, "invalid_parameter");
    keystead(["owner", LIVE, "user:42", "-r", "2", "--spread", "-1"]).refused(2, "invalid_parameter");
    keystead(["owner", LIVE, "user:42", "-r", "-1"]).refused(2, "invalid_parameter");
    keystead(["owner", LIVE, "user:42", "-r", "two"]).refused(2, "invalid_parameter");
    keystead(["owner", LIVE, "user:42", "--spread", "zone"]).refused(2, "wrong_use");
}

#[test]
fn numbers_ask_a_ring_and_jump_without_hashing() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    assert_eq!(keystead(["owner", &ring, "--at", "12"]).ok(), "C\n");
    assert_eq!(keystead(["owner", &ring, "--at", "8", "9", "25", "0x1f"]).ok(), "8\tB\n9\tC\n25\tA\n0x1f\tA\n");
    keystead(["owner", &ring, "--at", "32"]).refused(2, "invalid_parameter");
    keystead(["owner", &ring, "--at", "x"]).refused(2, "invalid_parameter");
    keystead(["owner", &ring, "--at", "+1"]).refused(2, "invalid_parameter");
    keystead(["owner", LIVE, "--at", "12"]).refused(2, "unsupported");
    keystead(["owner", &ring, "--at", "12", "-r", "2"]).refused(2, "wrong_use");

    // Published pairs of jump hash.
    let pairs = [
        ("0", "1", "0"),
        ("1", "10", "6"),
        ("9007199254740993", "1000", "446"),
        ("18446744073709551615", "1000", "313"),
    ];
    for (key, buckets, bucket) in pairs {
        assert_eq!(keystead(["owner", "--jump", buckets, "--at", key]).ok(), format!("{bucket}\n"));
    }
    keystead(["owner", "--jump", "10", "--at", "18446744073709551616"]).refused(2, "invalid_parameter");
    keystead(["owner", "--jump", "0", "k"]).refused(2, "invalid_parameter");
    keystead(["owner", "--jump", "2147483648", "k"]).refused(2, "invalid_parameter");
    keystead(["owner", "--jump", "10", "--nodes=a", "k"]).refused(2, "wrong_use");
    let seeded = |seed: &str| keystead(["owner", "--modulo", "1000000", "--seed", seed, "k"]).ok().to_owned();
    assert_ne!(seeded("0"), seeded("1"));
}

#[test]
fn parameters_of_the_command_line_are_those_of_a_file() {
    let folder = Folder::new();
    let cases: [(&[&str], &str); 4] = [
        (&["--algorithm=ring-1", "--tokens-per-weight=3"], r#""algorithm": "ring-1", "tokens_per_weight": 3"#),
        (&["--algorithm=slots-1", "--slots=7", "--headroom=0"], r#""algorithm": "slots-1", "slots": 7, "headroom": 0"#),
        (&["--hash=xxh64", "--seed=9007199254740993"], r#""hash": "xxh64", "seed": "0x0020000000000001""#),
        (&["--seed=0xfFffffffffffffff"], r#""seed": "0xffffffffffffffff""#),
    ];
    for (options, members) in cases {
        let file = folder.file("cluster.json", format!(r#"{{"keystead": 1, {members}, "nodes": ["a", "b", "c"]}}"#));
        let fingerprint = |arguments: &[&str]| keystead(arguments).json()["fingerprint"].clone();
        let named = [&["show", "--json", "--nodes=c,a,b"], options].concat();
        assert_eq!(fingerprint(&named), fingerprint(&["show", "--json", &file]), "{options:?}");
    }
}

#[test]
fn rejects_parameters_out_of_range_and_out_of_place() {
    let ring =
        |tokens: &str| keystead(["owner", "--nodes=a,b", "--algorithm=ring-1", "--tokens-per-weight", tokens, "k"]);
    for tokens in ["0", "-1", "65537", "4294967296", "18446744073709551616", "1.5", ""] {
        ring(tokens).refused(2, "invalid_parameter");
    }
    keystead(["owner", "--nodes=a,b", "--tokens-per-weight=1", "k"]).refused(2, "invalid_parameter");
    keystead(["owner", "--nodes=a,b", "--algorithm=modulo", "k"]).refused(2, "invalid_parameter");
    keystead(["owner", "--nodes=a,b", "--hash=md5", "k"]).refused(2, "invalid_parameter");
    keystead(["owner", "--nodes=a,b,a", "k"]).refused(2, "duplicate_node");
    keystead(["owner", "--nodes=a,,b", "k"]).refused(2, "invalid_id");
    keystead(["owner", "--nodes=", "k"]).refused(2, "no_nodes");
    keystead(["owner", LIVE, "--seed=1", "k"]).refused(2, "wrong_use");
    keystead(["owner", LIVE, "--tokens-per-wait=1", "k"]).refused(2, "wrong_use");
}
