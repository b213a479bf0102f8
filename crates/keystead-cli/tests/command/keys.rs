//! Keys in every form: as arguments, lines, NUL-terminated, hex, JSON, CSV.

use crate::run::{Folder, Run, hex, keystead, with_input};

const ONE: [&str; 2] = ["owner", "--nodes=a"];

/// The keys as the command shows them, of a cluster whose one node owns them all.
fn shown(run: &Run) -> Vec<String> {
    run.ok().lines().map(|line| line.strip_suffix("\ta").expect(line).to_owned()).collect()
}

fn read(format: &str, input: &[u8]) -> Run {
    with_input(ONE.iter().copied().chain(["--keys=-", "--keys-format", format]), input)
}

/// The hex of the bytes that are hashed, and whether they are an encoding.
fn hashed(format: &str, input: &[u8]) -> Vec<(String, String)> {
    let run = with_input(["explain", "--nodes=a", "--json", "--keys=-", "--keys-format", format], input);
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    run.json_lines().iter().map(|line| (text(&line["key"]["kind"]), text(&line["key"]["hex"]))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(kind, hex)| ((*kind).to_owned(), (*hex).to_owned())).collect()
}

#[test]
fn lines_are_taken_as_they_are() {
    assert_eq!(shown(&read("lines", b"a\n\n b \nc")), ["a", "", " b ", "c"]);
    // A CR belongs to the key, and is shown so that it can be seen.
    assert_eq!(shown(&read("lines", b"c\na\r\n\xef\xbb\xbfb\n")), ["c", "\"a\\r\"", "\"\\ufeffb\""]);
    assert_eq!(hashed("lines", b"c\na\r\n\xff\n"), pairs(&[("text", "63"), ("text", "610d"), ("bytes", "ff")]));
}

#[test]
fn nul_keys_may_hold_line_ends() {
    assert_eq!(shown(&read("nul", b"a\nb\0\0c")), ["\"a\\nb\"", "", "c"]);
}

#[test]
fn hex_keys_are_bytes() {
    assert_eq!(hashed("hex", b"00FF\n\n61\r\n"), pairs(&[("bytes", "00ff"), ("text", ""), ("text", "61")]));
    assert_eq!(shown(&read("hex", b"00ff\n61\n")), ["{\"hex\":\"00ff\"}", "a"]);
    assert!(read("hex", b"00\n0g\n").refused(2, "invalid_key").starts_with("standard input:2: "));
    read("hex", b"000\n").refused(2, "invalid_key");
    assert_eq!(
        keystead(["explain", "--nodes=a", "--json", "--keys-format=hex", "00ff"]).json_lines()[0]["key"]["hex"],
        "00ff"
    );
}

#[test]
fn json_keys_are_text_bytes_integers_and_arrays() {
    let input = br#""a"
 {"hex": "00FF"}
"\ud83d\ude00"
42
-9223372036854775808
18446744073709551615
[]
["a", [ {"hex":"62"}, -1 ]]
"42"
-0
"#;
    assert_eq!(
        shown(&read("json", input)),
        [
            r#""a""#,
            r#"{"hex":"00ff"}"#,
            "\"😀\"",
            "42",
            r#"{"int":"-9223372036854775808"}"#,
            r#"{"int":"18446744073709551615"}"#,
            "[]",
            r#"["a",[{"hex":"62"},-1]]"#,
            r#""42""#,
            "0"
        ]
    );
    let encodings = hashed("json", b"\"a\"\n{\"hex\": \"ff\"}\n[]\n-2\n[\"a\"]\n[{\"hex\":\"61\"}]\n");
    let array = "03010000000000000001010000000000000061";
    assert_eq!(
        encodings,
        pairs(&[
            ("text", "61"),
            ("bytes", "ff"),
            ("composite", "030000000000000000"),
            ("composite", "02feffffffffffffffffffffffffffffff"),
            ("composite", array),
            ("composite", array),
        ])
    );
}

#[test]
fn integers_are_exact_for_readers_and_writers_that_have_doubles_only() {
    let same = [
        ("9007199254740992", r#"{"int":"9007199254740992"}"#),
        ("-1", r#"{"int":"-1"}"#),
        ("[0]", r#"[{"int":"00"}]"#),
    ];
    for (plain, tagged) in same {
        assert_eq!(hashed("json", plain.as_bytes()), hashed("json", tagged.as_bytes()));
    }
    let shown_of = |value: &str| shown(&read("json", value.as_bytes()));
    assert_eq!(shown_of("9007199254740991"), ["9007199254740991"]);
    assert_eq!(shown_of("[9007199254740992]"), [r#"[{"int":"9007199254740992"}]"#]);
    assert_eq!(shown_of(r#"{"int":"-9007199254740991"}"#), ["-9007199254740991"]);
    for wrong in [
        r#"{"int":42}"#,
        r#"{"int":""}"#,
        r#"{"int":"-"}"#,
        r#"{"int":"+1"}"#,
        r#"{"int":"1.0"}"#,
        r#"{"int":"18446744073709551616"}"#,
    ] {
        read("json", wrong.as_bytes()).refused(2, "invalid_key");
    }
}

#[test]
fn rejects_what_is_no_key_with_its_line() {
    let refused = [
        "1.5",
        "1e3",
        "1.0",
        "true",
        "false",
        "null",
        "{}",
        r#"{"hex":"0"}"#,
        r#"{"hex":"zz"}"#,
        r#"{"hex":1}"#,
        r#"{"hex":"00","x":1}"#,
        r#"{"hex":"00","hex":"00"}"#,
        r#"{"text":"a"}"#,
        "18446744073709551616",
        "-9223372036854775809",
        "340282366920938463463374607431768211456",
        "",
        "01",
        "+1",
        "\"a",
        "[1",
        "\"a\" \"b\"",
        "[1.5]",
        "[null]",
        "NaN",
        "'a'",
        "\"\u{1}\"",
        r#""\x""#,
    ];
    for value in refused {
        let run = read("json", format!("\"good\"\n{value}\n").as_bytes());
        assert!(run.refused(2, "invalid_key").starts_with("standard input:2: "), "{value}: {run:?}");
        // What came before is answered.
        assert_eq!(run.text(), "\"good\"\ta\n");
        keystead(["owner", "--nodes=a", "--keys-format=json", "--", value]).refused(2, "invalid_key");
    }
}

#[test]
fn rejects_text_that_is_no_text() {
    for value in [r#""\ud800""#, r#""\udc00x""#, r#"["a", "\ud83d"]"#, r#""\ud83d\u0041""#] {
        let run = read("json", value.as_bytes());
        assert!(run.refused(2, "invalid_text").starts_with("standard input:1: "), "{value}: {run:?}");
    }
    read("json", b"\"\xff\"\n").refused(2, "invalid_text");
}

#[test]
fn nesting_is_limited_and_hostile_nesting_is_harmless() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(shown(&read("json", nested(32).as_bytes())), [nested(32)]);
    for depth in [33, 200, 100_000] {
        read("json", nested(depth).as_bytes()).refused(2, "invalid_key");
    }
    read("json", "[".repeat(1_000_000).as_bytes()).refused(2, "invalid_key");
}

#[test]
fn csv_keys_come_from_a_column() {
    let input = b"id,key,bytes\n1,\"a,b\",5\n2,\"c\nd\",6\n3,e,7\n";
    assert_eq!(shown(&read("csv", input)), ["a,b", "\"c\\nd\"", "e"]);
    let named = |name: &str, input: &[u8]| {
        with_input(["owner", "--nodes=a", "--keys=-", "--keys-format=csv", "--key-column", name], input)
    };
    assert_eq!(shown(&named("id", input)), ["1", "2", "3"]);
    assert_eq!(shown(&named("key", b"\xef\xbb\xbfkey\r\nx\r\n")), ["x"]);
    assert_eq!(shown(&named("key", "key\n\"a \"\"b\"\"\"\n\"\"\n\u{e9}\n".as_bytes())), ["a \"b\"", "", "\u{e9}"]);
    // The last record may lack its end.
    assert_eq!(shown(&named("key", b"key\n\"x\"")), ["x"]);
}

#[test]
fn a_key_is_never_shown_as_another() {
    let folder = Folder::new();
    let keys: [&[u8]; 9] = [b"", b"\t", b"\"a\"", b"{}", b"\xff", b"\x7f", "\u{9b}".as_bytes(), b"\\u0009", b"[1]"];
    let file = folder.file("keys", keys.join(&0));
    let shown = shown(&keystead(["owner", "--nodes=a", "--keys", &file, "--keys-format=nul"]));
    let expected =
        ["", r#""\t""#, r#""\"a\"""#, r#""{}""#, r#"{"hex":"ff"}"#, r#""\u007f""#, r#""\u009b""#, "\\u0009", "[1]"];
    assert_eq!(shown, expected);
    // What is shown as JSON is the key when read as JSON.
    for (key, shown) in keys.iter().zip(&shown).filter(|(_, shown)| shown.starts_with(['"', '{'])) {
        assert_eq!(hashed("json", shown.as_bytes())[0].1, hex(key));
    }
}

#[test]
fn text_and_its_bytes_are_one_key_and_nothing_is_normalised() {
    let digests = |format: &str, keys: &[&str]| -> Vec<serde_json::Value> {
        let input = keys.join("\n");
        let run = with_input(["explain", "--nodes=a", "--json", "--keys=-", "--keys-format", format], input.as_bytes());
        run.json_lines().iter().map(|line| line["digest"].clone()).collect()
    };
    let composed = digests("lines", &["cart:\u{e9}:7", "cart:e\u{301}:7", "\u{1d518}"]);
    assert_ne!(composed[0], composed[1]);
    assert_eq!(composed, digests("hex", &["636172743ac3a93a37", "636172743a65cc813a37", "f09d9498"]));
    assert_eq!(composed, digests("json", &[r#""cart:\u00e9:7""#, r#""cart:e\u0301:7""#, r#""\ud835\udd18""#]));
}

#[test]
fn rejects_keys_given_twice_or_not_at_all() {
    keystead(["owner", "--nodes=a"]).refused(2, "wrong_use");
    with_input(["owner", "--nodes=a", "k", "--keys=-"], b"k").refused(2, "wrong_use");
    keystead(["owner", "--nodes=a", "k", "--keys-format=csv"]).refused(2, "wrong_use");
    with_input(["owner", "-", "--keys=-"], b"k").refused(2, "wrong_use");
    let unknown = keystead(["owner", "--nodes=a", "k", "--keys-format=yaml"]);
    assert!(unknown.refused(2, "wrong_use").ends_with(" [possible values: lines, nul, hex, json, csv]; see --help"));
    keystead(["owner", "--nodes=a", "--at", "k", "--keys-format=hex"]).refused(2, "wrong_use");
}

#[cfg(unix)]
#[test]
fn arguments_are_bytes() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let bytes = OsStr::from_bytes(b"\xff");
    let run = keystead([OsStr::new("owner"), OsStr::new("--nodes=a"), bytes, OsStr::new("--json")]);
    assert_eq!(run.json_lines()[0]["key"]["hex"], "ff");
    let run = keystead([OsStr::new("owner"), OsStr::new("--nodes=a"), OsStr::new("k"), OsStr::new("--exclude"), bytes]);
    run.refused(2, "invalid_text");
}

/// A file whose lines are not the keys that are meant gives answers that look right: it is said once, and is no error.
#[test]
fn lines_that_are_hardly_the_keys_are_doubted() {
    let folder = Folder::new();
    let said = |name: &str, content: &str, options: &[&str]| {
        let file = folder.file(name, content);
        let run = keystead([&["owner", crate::owner::LIVE, "--keys", &file], options].concat());
        assert_eq!((run.status, run.text().lines().count()), (Some(0), 2), "{run:?}");
        assert!(run.stderr.lines().count() < 2 && (run.stderr.is_empty() || run.stderr.contains(&file)), "{run:?}");
        run.stderr.strip_prefix("keystead: WARN: ").unwrap_or_default().to_owned()
    };
    for (name, content, option) in [
        ("keys.csv", "a,1\nb,2\n", "--keys-format csv"),
        ("KEYS.CSV", "a,1\r\nb,2\r\n", "--keys-format csv"),
        ("keys.tsv", "a\t1\nb\t2\n", "cut -f 1"),
        ("keys.json", "\"a\"\n\"b\"\n", "--keys-format json"),
        ("keys.ndjson", "\"a\"\n\"b\"\n", "--keys-format json"),
        ("keys.txt", "a\r\nb\r\n", "tr -d '\\r'"),
    ] {
        let warning = said(name, content, &[]);
        assert!(warning.contains(option), "{name}: {warning}");
    }
    assert_eq!(said("keys.txt", "a\nb\r\n", &[]), "");
    assert_eq!(said("keys.csv", "key\na\nb\n", &["--keys-format=csv"]), "");
    assert_eq!(said("keys.json", "\"a\"\n\"b\"\n", &["--keys-format=json"]), "");
    assert_eq!(said("keys.json", "61\r\n62\r\n", &["--keys-format=hex"]), "");
}
