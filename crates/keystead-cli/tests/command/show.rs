//! `show`: the cluster, and its slots and arcs.

use crate::{
    owner::{LIVE, RING},
    run::{Folder, keystead},
};
use serde_json::json;

#[test]
fn the_table_has_exact_shares_and_bars() {
    let run = keystead(["show", LIVE]);
    let lines: Vec<&str> = run.ok().lines().collect();
    assert!(lines[1].starts_with("8 nodes, 1 drained · total weight 12 · fingerprint "), "{run:?}");
    assert!(lines.contains(&"cache-c  10.7.0.3:11211  eu-1    1a         0      0  drained"), "{run:?}");
    let heaviest = lines.iter().find(|line| line.starts_with("cache-b")).expect("it is listed");
    assert!(heaviest.contains("  1/3  33.33 %  █"), "{heaviest}");
    // The longest bar ends within the width that is there.
    let width = |line: &str| line.chars().count();
    assert_eq!(lines.iter().map(|line| width(line)).max(), Some(width(heaviest)));
    assert!(width(heaviest) <= 100);
}

#[test]
fn wide_names_keep_the_columns_straight() {
    let run = keystead(["show", "--nodes=日本,b"]);
    let table: Vec<&str> = run.ok().lines().skip(3).collect();
    assert_eq!(table[1].split('1').next(), Some("b          "));
    assert_eq!(table[2].split('1').next(), Some("日本       "));
}

#[test]
fn json_has_what_a_service_compares() {
    let folder = Folder::new();
    let file = folder.file(
        "c.json",
        r#"{"keystead": 1, "epoch": 7, "levels": ["zone"], "comment": "c", "seed": "0x00000000000000fF",
            "nodes": [{"id": "b", "weight": 2, "location": ["z"], "address": "x:1", "meta": {"k": "v"}, "comment": "n"}, "a"]}"#,
    );
    let shown = keystead(["show", &file, "--json"]).json();
    let expected = json!({
        "algorithm": "rendezvous-1", "hash": "xxh3", "seed": "0x00000000000000ff", "epoch": 7, "levels": ["zone"],
        "tokens_per_weight": null, "space": null, "slots": null, "headroom": null, "comment": "c",
        "fingerprint": shown["fingerprint"],
        "nodes": [
            {"id": "a", "weight": 1, "share": ["1", "3"], "location": [], "tokens": null, "address": null, "meta": {}, "comment": null},
            {"id": "b", "weight": 2, "share": ["2", "3"], "location": ["z"], "tokens": null, "address": "x:1", "meta": {"k": "v"}, "comment": "n"},
        ],
    });
    assert_eq!(shown, expected);
}

#[test]
fn csv_has_a_column_for_every_level() {
    let rows = keystead(["show", LIVE, "--csv"]).ok().to_owned();
    let mut rows = rows.lines();
    assert_eq!(
        rows.next(),
        Some("id,weight,share_numerator,share_denominator,share_percent,address,comment,region,zone")
    );
    assert_eq!(rows.next(), Some("cache-a,1,1,12,8.33,10.7.0.1:11211,,eu-1,1a"));
}

#[test]
fn arcs_of_the_worked_ring() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    assert_eq!(keystead(["show", &ring, "--arcs"]).ok(), "24\t1\t9\tA\n1\t8\t7\tB\n8\t16\t8\tC\n16\t24\t8\tD\n");
    assert_eq!(keystead(["show", &ring, "--arcs", "--csv"]).ok().lines().next(), Some("start,end,length,owner"));
    let one =
        keystead(["show", "--nodes=a", "--algorithm=ring-1", "--tokens-per-weight=1", "--arcs", "--json"]).json_lines();
    assert_eq!(one[0]["length"], "18446744073709551616");
    keystead(["show", LIVE, "--arcs"]).refused(2, "unsupported");
    assert!(keystead(["show", &ring]).ok().contains("9/32  28.13 %"));
}

#[test]
fn slots_by_slot_and_by_node() {
    const TABLE: [&str; 4] = ["show", "--nodes=a,b,c", "--algorithm=slots-1", "--slots=12"];
    let show = |options: &[&str]| keystead([&TABLE, options].concat());
    let owners = show(&["--headroom=0", "--slot-owners"]).ok().to_owned();
    assert_eq!(owners.lines().count(), 12);
    for id in ["a", "b", "c"] {
        let of_table: Vec<&str> = owners.lines().filter_map(|line| line.strip_suffix(&format!("\t{id}"))).collect();
        let own = show(&["--headroom=0", "--slots-of", id]).ok().to_owned();
        assert_eq!(own.lines().collect::<Vec<_>>(), of_table);
        assert_eq!(of_table.len(), 4);
    }
    let ranking = show(&["--slot-ranking=0"]).ok().to_owned();
    assert_eq!(ranking.trim_end().split("  ").count(), 3);
    assert!(
        show(&["--slot-owners"]).ok().starts_with(&format!("0\t{}\n", ranking.split("  ").next().expect("a name")))
    );
    show(&["--slots-of=x"]).refused(2, "unknown_node");
    show(&["--slot-ranking=12"]).refused(2, "invalid_parameter");
    show(&["--slots-of=a", "--slot-owners"]).refused(2, "wrong_use");
    assert_eq!(show(&["--slot-owners", "--csv"]).ok().lines().next(), Some("slot,owner"));
}

/// Ids may hold characters that a terminal obeys: it is shown them, and nothing else.
#[test]
fn names_are_shown_and_not_obeyed() {
    for (id, shown) in [("a\u{9b}31mX", "a\\u009b31mX"), ("a\u{202e}b", "a\\u202eb")] {
        let nodes = format!("{id},{id}2");
        for run in [
            keystead(["owner", "--nodes", &nodes, "k"]),
            keystead(["show", "--nodes", &nodes]),
            keystead(["explain", "--nodes", &nodes, "k"]),
            keystead(["check", "--nodes", &nodes]),
        ] {
            assert!(!run.text().contains(id), "{run:?}");
        }
        assert!(keystead(["show", "--nodes", &nodes]).ok().contains(shown));
        assert_eq!(keystead(["owner", "--nodes", id, "k", "--json"]).json()["owner"], id);
    }
}

#[test]
fn a_secret_in_the_place_of_its_file_is_not_repeated() {
    let secret = "000102030405060708090a0b0c0d0e0f";
    let run = keystead(["owner", "--nodes", "a", "--hash", "sip13", "--secret-file", secret, "k"]);
    assert!(!run.refused(2, "wrong_use").contains(secret));
}
