//! Values of the right form that are out of range, and faults between nodes.

use keystead::Cluster;

use super::{assert_refused, refused, with, with_node};

#[test]
fn values_of_right_form_have_their_own_codes() {
    let huge = "9".repeat(23);
    for (members, code) in [
        ("\"algorithm\": §\"rendezvous-2\"", "invalid_parameter"),
        ("\"algorithm\": §\"\"", "invalid_parameter"),
        ("\"hash\": §\"md5\"", "invalid_parameter"),
        ("\"hash\": §\"XXH3\"", "invalid_parameter"),
        ("\"hash\": \"sip13\", \"seed\": §\"0x0000000000000000\"", "invalid_parameter"),
        ("\"seed\": §\"0x0000000000000000\", \"hash\": \"sip13\"", "invalid_parameter"),
        ("\"epoch\": §9007199254740992", "invalid_parameter"),
        ("\"epoch\": §HUGE", "invalid_parameter"),
        ("\"levels\": §[]", "invalid_parameter"),
        ("\"levels\": §[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]", "invalid_parameter"),
        ("\"levels\": [\"zone\", §\"\"]", "invalid_parameter"),
        ("\"levels\": [\"zone\", \"rack\", §\"zone\"]", "invalid_parameter"),
        ("\"algorithm\": \"slots-1\", \"slots\": §0", "invalid_parameter"),
        ("\"slots\": §4194305, \"algorithm\": \"slots-1\"", "invalid_parameter"),
        ("\"algorithm\": \"slots-1\", \"slots\": §HUGE", "invalid_parameter"),
        ("\"algorithm\": \"slots-1\", \"headroom\": §1001", "invalid_parameter"),
        ("\"algorithm\": \"ring-1\", \"tokens_per_weight\": §0", "invalid_parameter"),
        ("\"algorithm\": \"ring-1\", \"tokens_per_weight\": §65537", "invalid_parameter"),
        ("\"algorithm\": \"ring-1\", \"space\": §\"1\"", "invalid_parameter"),
        ("\"algorithm\": \"ring-1\", \"space\": §\"18446744073709551616\"", "invalid_parameter"),
        ("\"algorithm\": \"ring-1\", \"space\": §\"HUGE\"", "invalid_parameter"),
        // Parameters of another algorithm, before or after it is named, or by default.
        ("\"slots\": §5", "invalid_parameter"),
        ("\"headroom\": §0, \"algorithm\": \"ring-1\"", "invalid_parameter"),
        ("\"algorithm\": \"hierarchy-1\", \"tokens_per_weight\": §1", "invalid_parameter"),
        ("\"algorithm\": \"slots-1\", \"space\": §\"2\"", "invalid_parameter"),
    ] {
        assert_refused(&with(&members.replace("HUGE", &huge)), code);
    }
    for (node, code) in [
        ("§\"\"", "invalid_id"),
        ("§\"a\\u0000\"", "invalid_id"),
        ("{\"weight\": 1, \"id\": §\"\\u007f\"}", "invalid_id"),
        ("{\"id\": \"b\", \"weight\": §4294967296}", "invalid_weight"),
        ("{\"id\": \"b\", \"weight\": §18446744073709551617}", "invalid_weight"),
        ("{\"id\": \"b\", \"weight\": §HUGE}", "invalid_weight"),
        ("{\"id\": \"b\", \"location\": [\"x\", \"x\", §\"\"]}", "invalid_location"),
        (
            "{\"id\": \"b\", \"location\": §[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]}",
            "invalid_location",
        ),
        ("{\"id\": \"b\", \"tokens\": §[]}", "invalid_tokens"),
        ("{\"id\": \"b\", \"tokens\": §[\"1\", \"1\"]}", "invalid_tokens"),
        ("{\"id\": \"b\", \"tokens\": [\"1\", §\"18446744073709551616\"]}", "invalid_tokens"),
        ("{\"id\": \"b\", \"tokens\": [§\"HUGE\"]}", "invalid_tokens"),
    ] {
        assert_refused(&with_node(&node.replace("HUGE", &huge)), code);
    }
}

#[test]
fn messages_hold_the_digits_and_stay_short() {
    let message =
        |digits: &str| refused(with_node(&format!("{{\"id\": \"b\", \"weight\": {digits}}}")).as_bytes()).to_string();
    let said = message("99999999999999999999999");
    assert!(said.contains("weight 99999999999999999999999 ") && said.contains("0 to 4294967295"), "{said}");
    let said = message(&"123456789".repeat(1_000));
    assert!(said.contains("12345678912345") && said.contains("9000") && said.len() < 200, "{said}");
    for text in [
        with(&format!("\"{}\": 1", "x".repeat(1_000_000))),
        with(&format!("\"algorithm\": \"{}\"", "é".repeat(1_000_000))),
    ] {
        let said = refused(text.as_bytes()).to_string();
        assert!(said.len() < 400, "{} bytes", said.len());
    }
}

#[test]
fn faults_between_nodes_and_of_secrets_have_no_place() {
    for (text, secret, code) in [
        (r#"{"keystead": 1, "nodes": []}"#, None, "no_nodes"),
        (r#"{"keystead": 1, "nodes": [{"id": "a", "weight": 0}]}"#, None, "no_nodes"),
        (r#"{"keystead": 1, "nodes": ["a", {"id": "a"}]}"#, None, "duplicate_node"),
        (r#"{"keystead": 1, "hash": "sip13", "nodes": ["a"]}"#, None, "missing_secret"),
        (r#"{"keystead": 1, "hash": "sip13", "nodes": ["a"]}"#, Some(&[1; 15][..]), "invalid_parameter"),
        (r#"{"keystead": 1, "nodes": ["a"]}"#, Some(&[1; 16][..]), "unexpected_secret"),
        (r#"{"keystead": 1, "algorithm": "hierarchy-1", "nodes": ["a"]}"#, None, "uneven_locations"),
        (
            r#"{"keystead": 1, "algorithm": "ring-1", "nodes": [{"id": "a", "tokens": ["1"]}, {"id": "b", "tokens": ["1"]}]}"#,
            None,
            "token_collision",
        ),
        (
            r#"{"keystead": 1, "algorithm": "ring-1", "space": "5", "nodes": [{"id": "a", "tokens": ["5"]}]}"#,
            None,
            "invalid_tokens",
        ),
        (
            r#"{"keystead": 1, "algorithm": "ring-1", "nodes": [{"id": "a", "weight": 2, "tokens": ["5"]}]}"#,
            None,
            "invalid_weight",
        ),
    ] {
        let error = Cluster::from_json(text.as_bytes(), secret).unwrap_err();
        assert_eq!((error.code(), error.position()), (code, None), "{text}");
    }
}
