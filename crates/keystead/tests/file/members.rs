//! The version, and the form of every member.

use super::{accepted, assert_refused, refused, unmarked, with, with_node};

#[test]
fn judges_the_version_first() {
    for version in [
        "2",
        "0",
        "-1",
        "-0",
        "2.5",
        "1e3",
        "10",
        "11e-1",
        "1e-1",
        "1.000000000000000000000000001",
        "1e99999999999999999999",
        "99999999999999999999999",
    ] {
        for rest in [
            "",
            ", \"nodes\": null",
            ", \"x\": [\"\\ud800\", {\"\\udfff\": -0.5e+7}]",
            ", \"nodes\": [], \"nodes\": []",
            ", \"seed\": 1",
            &format!(", \"x\": {}{}", "[".repeat(100_000), "]".repeat(100_000)),
            ", \"x\": {\"keystead\": 1}",
        ] {
            assert_refused(&format!("{{\"\\u006beystead\": §{version}{rest}}}"), "unsupported_version");
        }
        // Not well-formed, or not one version: then the file is at fault.
        assert_refused(&format!("{{\"keystead\": {version}}} §x"), "invalid_file");
        assert_refused(&format!("{{\"keystead\": {version}§"), "invalid_file");
        assert_eq!(refused(format!("{{\"keystead\": {version}, \"keystead\": 2}}").as_bytes()).code(), "invalid_file");
        assert_refused(&format!("§[{{\"keystead\": {version}}}]"), "invalid_file");
    }
    // One that is not at the top is no version.
    assert_refused("{§\"x\": {\"keystead\": 2}, \"keystead\": 1, \"nodes\": [\"a\"]}", "invalid_file");
    for version in ["1.0", "1e0", "10e-1", "0.1e1", "1E+0", "1.00000000000000000000e0", "100000000000000000000e-20"] {
        assert_refused(&format!("{{\"keystead\": §{version}, \"nodes\": [\"a\"]}}"), "invalid_file");
    }
    for version in ["\"2\"", "\"1\"", "true", "null", "[2]", "{\"keystead\": 2}"] {
        assert_refused(&format!("{{\"keystead\": §{version}, \"nodes\": [\"a\"]}}"), "invalid_file");
    }
    assert_refused("{\"keystead\": 1, §\"keystead\": 1, \"nodes\": [\"a\"]}", "invalid_file");
    assert_refused("{\"keystead\": 1, §\"\\u006beystead\": 2, \"nodes\": [\"a\"]}", "invalid_file");
}

#[test]
fn rejects_unknown_repeated_and_missing_members() {
    for marked in [
        with("§\"colour\": 1"),
        with("§\"\": 1"),
        with("§\"Epoch\": 1"),
        with("§\"epoch\\u0000\": 1"),
        with("§\"secret\": \"000102\""),
        with("§\"transition\": {\"part\": 1}"),
        with("\"epoch\": 1,\n §\"epoch\": 1"),
        with("\"epoch\": 1,\n §\"\\u0065poch\": 1"),
        with_node("{\"id\": \"b\", §\"zone\": \"z\"}"),
        with_node("{\"id\": \"b\", \"weight\": 1, §\"weight\": 1}"),
        with_node("{\"id\": \"b\", \"meta\": {\"é\": \"1\", §\"\\u00e9\": \"2\"}}"),
        with_node("§{}"),
        with_node("§{\"weight\": 1}"),
        "§{}".into(),
        "\n §{\"nodes\": [\"a\"]}".into(),
        "\n §{\"keystead\": 1}".into(),
    ] {
        assert_refused(&marked, "invalid_file");
    }
    // Two spellings of one letter are two names: nothing is normalised.
    accepted(&with_node("{\"id\": \"b\", \"meta\": {\"\\u00e9\": \"1\", \"e\\u0301\": \"2\"}}"));
    let said = |text: String| refused(text.as_bytes()).to_string();
    assert!(said(with("\"secret\": \"000102\"")).contains("hands the secret over"));
    assert!(!said(with("\"secret\": \"000102\"")).contains("000102"));
    assert!(said(with("\"transition\": {}")).contains("transition file"));
    assert!(said("{\"keystead\": 1}".into()).contains("nodes is missing"));
}

#[test]
fn rejects_null_and_wrong_types() {
    let values = ["null", "true", "false", "1", "\"x\"", "[]", "{}"];
    for (member, right) in [
        ("algorithm", "\"x\""),
        ("hash", "\"x\""),
        ("seed", "\"x\""),
        ("epoch", "1"),
        ("levels", "[]"),
        ("tokens_per_weight", "1"),
        ("space", "\"x\""),
        ("slots", "1"),
        ("headroom", "1"),
        ("comment", "\"x\""),
    ] {
        for value in values.iter().filter(|value| **value != right) {
            assert_refused(&with(&format!("\"{member}\":\n§{value}")), "invalid_file");
        }
    }
    for (member, right) in [
        ("id", "\"x\""),
        ("weight", "1"),
        ("location", "[]"),
        ("tokens", "[]"),
        ("address", "\"x\""),
        ("meta", "{}"),
        ("comment", "\"x\""),
    ] {
        for value in values.iter().filter(|value| **value != right) {
            assert_refused(&with_node(&format!("{{\"{member}\":\n§{value}}}")), "invalid_file");
        }
    }
    for value in values.iter().filter(|value| **value != "\"x\"") {
        if *value != "{}" {
            assert_refused(&with_node(&format!("§{value}")), "invalid_file");
        }
        assert_refused(&with(&format!("\"levels\": [\"zone\", §{value}]")), "invalid_file");
        assert_refused(&with_node(&format!("{{\"id\": \"b\", \"location\": [§{value}]}}")), "invalid_file");
        assert_refused(&with_node(&format!("{{\"id\": \"b\", \"tokens\": [\"1\", §{value}]}}")), "invalid_file");
        assert_refused(&with_node(&format!("{{\"id\": \"b\", \"meta\": {{\"a\": §{value}}}}}")), "invalid_file");
        if *value != "[]" {
            assert_refused(&format!("{{\"keystead\": 1, \"nodes\": §{value}}}"), "invalid_file");
        }
    }
}

#[test]
fn rejects_other_forms_of_numbers() {
    for form in ["-1", "-0", "1.0", "1.5", "1e0", "1E2", "0.0", "0e0", "-1e-1"] {
        assert_refused(&with(&format!("\"epoch\": §{form}")), "invalid_file");
        assert_refused(&with(&format!("\"slots\": §{form}")), "invalid_file");
        assert_refused(&with_node(&format!("{{\"id\": \"b\", \"weight\": §{form}}}")), "invalid_file");
    }
    for form in ["", "-1", "+1", "01", "00", "1.0", "1e3", " 1", "1 ", "0x1", "1_0", "١"] {
        assert_refused(&with(&format!("\"space\": §\"{form}\"")), "invalid_file");
        assert_refused(&with_node(&format!("{{\"id\": \"b\", \"tokens\": [\"1\", §\"{form}\"]}}")), "invalid_file");
    }
    for form in [
        "",
        "0",
        "0x",
        "0x000000000000000",
        "0x00000000000000000",
        "0X0000000000000000",
        "0x000000000000000g",
        "0000000000000000",
        "0x+000000000000001",
        "0x00000000000000é",
    ] {
        assert_refused(&with(&format!("\"seed\": §\"{form}\"")), "invalid_file");
    }
}

#[test]
fn rejects_nesting_above_16() {
    let nested = |depth: usize| {
        format!("{{\"keystead\": 1, \"x\": {}§{}{}}}", "[".repeat(depth - 2), "[", "]".repeat(depth - 1))
    };
    assert_refused(&nested(17), "invalid_file");
    assert!(refused(unmarked(&nested(17)).0.as_bytes()).to_string().contains("deeper than 16"));
    // At depth 16 nothing is wrong with the nesting; the member is.
    assert!(refused(unmarked(&nested(16)).0.as_bytes()).to_string().contains("\"x\""));
    let objects = format!("{{\"keystead\": 1, \"x\": {}§{}1{}}}", "{\"a\": ".repeat(15), "{\"a\": ", "}".repeat(16));
    assert_refused(&objects, "invalid_file");
}

#[test]
fn rejects_escaped_lone_surrogates_as_text() {
    for lone in ["\\ud800", "\\uDFFF", "x\\ud83dx", "\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00", "\\ud83d\\n"] {
        assert_refused(&with(&format!("\"comment\": §\"{lone}\"")), "invalid_text");
        assert_refused(&with(&format!("\"levels\": [§\"{lone}\"]")), "invalid_text");
        assert_refused(&with(&format!("§\"{lone}\": 1")), "invalid_text");
        assert_refused(&with_node(&format!("§\"{lone}\"")), "invalid_text");
        assert_refused(&with_node(&format!("{{\"id\": \"b\", \"meta\": {{§\"{lone}\": \"\"}}}}")), "invalid_text");
    }
}
