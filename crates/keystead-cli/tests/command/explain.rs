//! `explain`: the table, and the structure of every language.

use crate::{
    owner::{LIVE, RING},
    run::{Folder, keystead},
};

#[test]
fn the_table_says_who_holds_copies_and_who_was_skipped() {
    let run = keystead(["explain", LIVE, "user:3", "-r", "3", "--spread", "zone"]);
    let lines: Vec<&str> = run.ok().lines().collect();
    assert!(lines[0].starts_with("user:3  text, 6 bytes · digest 0x"), "{run:?}");
    assert!(lines[0].contains(" · rendezvous-1, xxh3, seed 0 · epoch 42 · "), "{run:?}");
    assert!(lines[1].starts_with("rank  node     region  zone  weight  score"), "{run:?}");
    let picked: Vec<&str> = lines[2..].iter().filter(|line| line.ends_with(" copy")).copied().collect();
    assert_eq!(picked.len(), 3);
    assert!(lines.iter().any(|line| line.contains("no: zone 1") && line.ends_with(" is taken")), "{run:?}");
    assert_eq!(lines.last(), Some(&"drained: cache-c"));
    // The table and `owner` agree.
    let owner = keystead(["owner", LIVE, "user:3", "-r", "3", "--spread", "zone"]);
    let from_table: Vec<&str> = picked.iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(owner.ok().trim_end(), from_table.join("  "));
}

#[test]
fn one_copy_is_the_owner_and_several_keys_are_several_tables() {
    let run = keystead(["explain", LIVE, "a", "b", "--exclude=cache-a"]);
    let blocks: Vec<&str> = run.ok().split("\n\n").collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        assert_eq!(block.matches("  owner").count(), 1);
        assert!(block.contains("\nexcluded: cache-a\n"), "{block}");
    }
}

#[test]
fn long_rankings_are_cut_and_json_has_all() {
    let nodes = (0..100).map(|number| format!("n{number}")).collect::<Vec<_>>().join(",");
    let nodes = format!("--nodes={nodes}");
    let run = keystead(["explain", &nodes, "k"]);
    assert_eq!(run.ok().lines().count(), 2 + 10 + 1);
    assert!(run.ok().ends_with("   … 90 more\n"), "{run:?}");
    let run = keystead(["explain", &nodes, "k", "-r", "50"]);
    assert_eq!(run.ok().lines().count(), 2 + 52 + 1);
    let whole = keystead(["explain", &nodes, "k", "--json"]).json_lines();
    assert_eq!(whole[0]["candidates"].as_array().map(Vec::len), Some(100));
}

#[test]
fn rings_slots_and_hierarchies_have_columns_of_their_own() {
    let folder = Folder::new();
    let ring = folder.file("ring.json", RING);
    let run = keystead(["explain", &ring, "k"]);
    assert!(run.ok().contains(" · coordinate "), "{run:?}");
    assert!(run.ok().contains("rank  node  weight  token  picked"), "{run:?}");
    let slots = ["explain", "--nodes=a,b,c", "--algorithm=slots-1", "--slots=12", "--headroom=0", "user:8"];
    let run = keystead(slots);
    assert!(run.ok().contains(" · slot 11 · "), "{run:?}");
    assert!(run.ok().contains("headroom: c owns the slot"), "{run:?}");
    let hierarchy = folder.file(
        "hierarchy.json",
        r#"{"keystead": 1, "algorithm": "hierarchy-1", "levels": ["zone"], "nodes": [
            {"id": "a", "location": ["1"]}, {"id": "b", "location": ["1"]}, {"id": "c", "location": ["2"], "weight": 3}]}"#,
    );
    let run = keystead(["explain", &hierarchy, "k", "-r", "2", "--spread", "zone"]);
    assert!(run.ok().contains("\nin brackets: "), "{run:?}");
    keystead(["explain", &hierarchy, "k", "-r", "2"]).refused(2, "invalid_parameter");
}

#[test]
fn csv_has_a_row_a_candidate() {
    let run = keystead(["explain", LIVE, "user:3", "--csv", "-r", "3", "--spread", "zone"]);
    let rows: Vec<&str> = run.ok().lines().collect();
    assert_eq!(rows[0], "key,rank,node,weight,score,cost,token,copy,skipped");
    assert_eq!(rows.len(), 1 + 7);
    assert!(rows.iter().any(|row| row.ends_with(",domain_taken")), "{run:?}");
}

#[test]
fn relaxing_is_reported() {
    let run = keystead(["explain", LIVE, "k", "-r", "6", "--spread", "zone", "--relaxed"]);
    assert!(run.ok().contains("\nrelaxed: up to 2 copies a domain\n"), "{run:?}");
}
