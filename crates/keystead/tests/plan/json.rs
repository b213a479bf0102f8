//! The structure as JSON.

use serde_json::{Value, json};

use super::*;

#[test]
fn the_structure_is_stable() {
    let before = Cluster::rendezvous(["a"]).unwrap().with_epoch(Some(4)).unwrap();
    let after = Cluster::rendezvous(["b"]).unwrap();
    let keys = [("x".to_owned(), 3), ("y".to_owned(), 4)];
    let plan = planned(&(&before).into(), &(&after).into(), &"3B".parse().unwrap(), &keys);
    let mut found: Value = serde_json::from_str(&plan.summary().to_json()).unwrap();
    let difference: Value = serde_json::from_str(&plan.summary().difference.to_json()).unwrap();
    assert_eq!(found["difference"].take(), difference);
    let order = in_order_of_gates(keys.iter());
    let amount = |size: u64| json!({"share": 0.5, "keys": "1", "bytes": size.to_string()});
    let none = json!({"share": 0.0, "keys": "0", "bytes": "0"});
    let step = |at: usize| {
        let (key, size) = order[at];
        let oversize = json!({
            "key": {"kind": "text", "text": key, "length": 1, "hex": if key == "x" { "78" } else { "79" }},
            "slot": null, "keys": "1", "bytes": size.to_string(),
        });
        json!({
            "step": at + 1, "part": at + 1, "of": 2,
            "fingerprint": Transition::new(&before, &after, at as u64 + 1, 2).unwrap().fingerprint().to_string(),
            "moved": amount(*size),
            "nodes": [
                {"id": "a", "moved_in": none, "moved_out": amount(*size)},
                {"id": "b", "moved_in": amount(*size), "moved_out": none},
            ],
            "passed": if at == 0 { 0.5 } else { 1.0 },
            "oversize": if *size > 3 { oversize } else { Value::Null },
        })
    };
    let mut expected = json!({
        "difference": null,
        "by": "share",
        "figures": "counted",
        "limits": ["3B"],
        "even": true,
        "steps": [step(0), step(1)],
        "last": {
            "algorithm": "rendezvous-1", "hash": "xxh3", "nodes": 1, "epoch": null,
            "fingerprint": after.fingerprint().to_string(), "transition": null,
        },
        "checks": {
            "followed": "keys", "count": "2", "moved_twice": "0", "sum_is_difference": true, "reshuffled": "0", "above_limit": 1,
        },
    });
    // Where the two keys' gates lie decides whether 1/2 parts them.
    if !plan.summary().even {
        expected["even"] = false.into();
        for at in 0..2 {
            for member in ["part", "of", "passed", "fingerprint"] {
                expected["steps"][at][member] = found["steps"][at][member].clone();
            }
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn weights_are_told_by_weights_only() {
    let before = Cluster::rendezvous(["a", "b"]).unwrap();
    let after = before.with_node("c").unwrap();
    let plan = Plan::by_weights(&before, &after, &"20%".parse().unwrap()).unwrap();
    let found: Value = serde_json::from_str(&plan.summary().to_json()).unwrap();
    let steps = found["steps"].as_array().unwrap();
    assert_eq!(
        steps[1]["weights"],
        json!([{"id": "a", "weight": 1}, {"id": "b", "weight": 1}, {"id": "c", "weight": 1}])
    );
    assert_eq!((&steps[0]["part"], &steps[0]["passed"], &found["last"]), (&Value::Null, &Value::Null, &Value::Null));
    assert_eq!(steps[0]["moved"]["keys"], Value::Null);
}
