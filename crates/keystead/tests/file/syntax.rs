//! One JSON object in UTF-8, and nothing else.

use keystead::Position;

use super::{assert_refused, refused, unmarked, with};

#[test]
fn rejects_what_is_not_one_object() {
    for marked in [
        "§",
        " \n \n  §",
        "§[]",
        "§\"keystead\"",
        "§1",
        "§null",
        "\n §true",
        "§}",
        "§,",
        "§\u{FEFF}{\"keystead\": 1, \"nodes\": [\"a\"]}",
        "{\"keystead\": 1, \"nodes\": [\"a\"]} §{}",
        "{\"keystead\": 1, \"nodes\": [\"a\"]}\n§x",
        "{\"keystead\": 1, \"nodes\": [\"a\"]}\n§\0",
        "{\"keystead\": 1, \"nodes\": [\"a\"]}§\u{FEFF}",
        "{\"keystead\": 1, \"nodes\": [\"a\"]}§\u{A0}",
        "{\"keystead\": 1, \"nodes\": [\"a\"]}§}",
        "{\"keystead\": 1, \"nodes\": [\"a\"]§",
        "{\"keystead\": 1, \"nodes\": [\"a\"\n§",
        "{\"keystead\": 1, \"nodes\": [\"a\"§}",
        "{\"keystead\": 1, \"nodes\": [\"a\",§]}",
        "{\"keystead\": 1, \"nodes\": [§,\"a\"]}",
        "{\"keystead\": 1, \"nodes\": [\"a\" §\"b\"]}",
        "{\"keystead\": 1, \"nodes\": [\"a\"],§}",
        "{\"keystead\": 1 §\"nodes\": [\"a\"]}",
        "{\"keystead\": 1,, \"nodes\": [\"a\"]}".replacen(",,", ",§,", 1).as_str(),
        "{\"keystead\"§, 1}",
        "{\"keystead\": §}",
        "{§keystead: 1}",
        "{§'keystead': 1}",
        "{§1: 1}",
        "{\"keystead\": 1, §// comment\n \"nodes\": [\"a\"]}",
    ] {
        assert_refused(marked, "invalid_file");
    }
}

#[test]
fn rejects_malformed_texts_numbers_and_words_where_they_begin() {
    for value in [
        "\"open",
        "\"open\\\"",
        "\"raw\ttab\"",
        "\"raw\nline\"",
        "\"\\x41\"",
        "\"\\u12\"",
        "\"\\u12G4\"",
        "\"\\",
        "\"\\u",
        "\"\\U0041\"",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "-01",
        "00",
        "--1",
        "0.1.2",
        "1e1e1",
        "NaN",
        "Infinity",
        "-Infinity",
        "True",
        "nul",
        "'a'",
    ] {
        assert_refused(&format!("{{\"keystead\": 1, \"comment\": §{value}"), "invalid_file");
        assert_refused(&with(&format!("\"comment\": §{value}")), "invalid_file");
    }
    // What follows a whole token is a fault of its own.
    for value in ["1§x", "0§x10", "true§x", "null§s", "\"a\"§\"b\"", "1 §2"] {
        let (text, _) = unmarked(&with(&format!("\"comment\": {value}")));
        assert_eq!(refused(text.as_bytes()).code(), "invalid_file", "{text}");
    }
    assert_refused(&with("\"epoch\": 1§x"), "invalid_file");
}

#[test]
fn rejects_ill_formed_utf8_at_the_first_bad_byte() {
    for (bytes, line, column) in [
        (&b"\xff\xfe{\x00"[..], 1, 1),
        (b"{\"keystead\": 1, \"comment\": \"\xc3\xa9\xe2\x82\"}", 1, 30),
        (b"{\"keystead\": 1,\n \"nodes\": [\"\xf0\x9f\x98\x80\xff\"]}", 2, 14),
        (b"{\"keystead\": 1, \"nodes\": [\"a\xed\xa0\x80\"]}", 1, 29),
        (b"{\"keystead\": 1, \"nodes\": [\"a\"]}\n\xc0\xaf", 2, 1),
        (b"{\"keystead\": 2, \"nodes\": [\"\x80\"]}", 1, 28),
    ] {
        let error = refused(bytes);
        assert_eq!((error.code(), error.position()), ("invalid_file", Some(Position { line, column })), "{error}");
    }
}

#[test]
fn places_count_lines_at_lf_and_columns_in_code_points() {
    for (text, line, column) in [
        ("{\"keystead\": 1,\r\n \"nodes\": [null]}", 2, 12),
        ("{\"keystead\": 1,\r \"nodes\": [null]}", 1, 28),
        ("{\"comment\": \"\u{2028}\u{85}naïve e\u{301} 😀\", \"nodes\": null}", 1, 38),
        ("\n\n\n{\"keystead\"\n:\n1", 6, 2),
        ("\n\n\n{\"keystead\"\n:\n1\n", 7, 1),
        ("", 1, 1),
    ] {
        let error = refused(text.as_bytes());
        assert_eq!(
            (error.code(), error.position()),
            ("invalid_file", Some(Position { line, column })),
            "{text:?} {error}"
        );
    }
}
