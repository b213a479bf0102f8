//! The structure as JSON.

use super::*;

#[test]
fn the_structure_is_stable() {
    let before = ring(&[("A", &[0]), ("B", &[2])], 4).with_epoch(Some(7)).unwrap();
    let after = ring(&[("A", &[0]), ("B", &[1])], 4);
    let mut diff = diff_of(&before, &after, 1, 0);
    let key = (0..100_000_u64).find(|key| before.owner(key).id() == "B" && after.owner(key).id() == "A").unwrap();
    diff.add(key, u64::MAX).unwrap();
    let found: serde_json::Value = serde_json::from_str(&diff.summary().unwrap().to_json()).unwrap();
    let one = serde_json::json!({"keys": "1", "bytes": "18446744073709551615"});
    let none = serde_json::json!({"keys": "0", "bytes": "0"});
    let side = |cluster: &Cluster| {
        serde_json::json!({
            "algorithm": "ring-1", "hash": "xxh3", "nodes": 2, "epoch": cluster.epoch(),
            "fingerprint": cluster.fingerprint().to_string(), "transition": null,
        })
    };
    let expected = serde_json::json!({
        "before": side(&before),
        "after": side(&after),
        "r": 1, "spread": null, "relaxed": false, "excluded": [],
        "identical": false,
        "least": {"fraction": ["1", "4"], "share": 0.25},
        "expected": {
            "method": "exact", "samples": null, "moved": 0.25, "standard_error": 0.0,
            "moves": [{"from": "B", "to": "A", "share": 0.25}],
            "nodes": [
                {"id": "A", "before": 0.5, "after": 0.75, "moved_in": 0.25, "moved_out": 0.0},
                {"id": "B", "before": 0.5, "after": 0.25, "moved_in": 0.0, "moved_out": 0.25},
            ],
            "copies": null,
        },
        "counted": {
            "total": one, "moved": one,
            "reasons": {"gained": none, "lost": none, "both": none, "reshuffled": none, "candidates": none, "unchanged": none},
            "moves": [{"from": "B", "to": "A", "keys": "1", "bytes": "18446744073709551615"}],
            "nodes": [
                {"id": "A", "before": none, "after": one, "moved_in": one, "moved_out": none},
                {"id": "B", "before": one, "after": none, "moved_in": none, "moved_out": one},
            ],
            "copies": null,
        },
        "arcs": [{"start": "1", "end": "2", "length": "1", "from": "B", "to": "A", "share": 1.0}],
        "slots": null,
    });
    let mut expected = expected;
    // B lost token 2, and A has no token that it lacked.
    expected["counted"]["reasons"]["lost"] = one;
    assert_eq!(found, expected);
}

#[test]
fn a_transition_says_how_far_it_has_gone() {
    let before = Cluster::rendezvous(["a", "b"]).unwrap();
    let after = before.with_node("c").unwrap();
    let step = Transition::new(&before, &after, 2, 6).unwrap().with_epoch(Some(44)).unwrap();
    let found: serde_json::Value = serde_json::from_str(&summary(&before, &step, 2, 10).to_json()).unwrap();
    assert_eq!(
        found["after"],
        serde_json::json!({
            "algorithm": "rendezvous-1", "hash": "xxh3", "nodes": 3, "epoch": 44,
            "fingerprint": step.fingerprint().to_string(),
            "transition": {"part": 2, "of": 6, "before": before.fingerprint().to_string(), "after": after.fingerprint().to_string()},
        })
    );
    assert_eq!(found["least"]["fraction"], serde_json::json!(["1", "9"]));
    assert!(found["expected"]["copies"]["nodes"].as_array().unwrap().len() == 3);
}
