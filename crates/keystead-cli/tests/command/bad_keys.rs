//! Files of keys that are not what they should be, through every verb that reads keys: one line of error that names the line of the
//! file, and nothing written that is not whole.

use crate::{
    owner::LIVE,
    run::{Folder, keystead, with_input},
};

/// Each verb that reads keys, with its files; the options for the format of keys follow.
fn verbs(next: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["owner", LIVE],
        vec!["owner", LIVE, "-r", "2"],
        vec!["explain", LIVE],
        vec!["balance", LIVE],
        vec!["diff", LIVE, next],
        vec!["diff", LIVE, next, "--list"],
        vec!["plan", LIVE, next, "--limit=50%"],
    ]
}

/// Runs every verb with this file of keys; it must be refused at this line, with words that say why.
fn refused(options: &[&str], content: &[u8], code: &str, line: u64, why: &str) {
    let folder = Folder::new();
    let next = folder.path("next.json");
    keystead(["change", LIVE, "--drain=cache-d", "-o", &next]).ok();
    let (keys, plan) = (folder.file("keys", content), folder.path("plan"));
    for verb in verbs(&next) {
        let mut arguments = verb.clone();
        arguments.extend(["--keys", &keys]);
        arguments.extend(options);
        if verb[0] == "plan" {
            arguments.extend(["-o", &plan]);
        }
        let run = keystead(&arguments);
        let message = run.refused(2, code).to_owned();
        let place = if line == 0 { format!("{keys}: ") } else { format!("{keys}:{line}: ") };
        let said = message.strip_prefix(&place).unwrap_or_else(|| panic!("{place} {run:?}"));
        assert!(said.contains(why), "{why}: {run:?}");
        assert!(message.len() < place.len() + 300, "{run:?}");
        // Whole answers of the lines before, or nothing.
        assert!(run.stdout.is_empty() || run.stdout.ends_with(b"\n"), "{run:?}");
        assert!(
            verb[0] == "owner" || verb[0] == "explain" || verb.contains(&"--list") || run.stdout.is_empty(),
            "{run:?}"
        );
    }
    assert_eq!(folder.names(), ["keys", "next.json"], "nothing else is left behind");
}

const CSV: &[&str] = &["--keys-format=csv"];

#[test]
fn broken_csv_is_refused_at_its_line() {
    let quoted = "quotes in them doubled";
    for (content, line, why) in [
        ("key,bytes\na,1\nb\"c,2\n", 3, quoted),
        ("key,bytes\na,1\nb,\"2\n", 3, "a quote that nothing closes"),
        ("key,bytes\na,1\n\"b,2\nc,3\n", 3, "a quote that nothing closes"),
        ("key,bytes\na,1\n\"b\"c,2\n", 3, "text behind the closing quote of a field; "),
        // Two stray quotes make a field of three lines; the second is where it shows.
        ("key,bytes\na,1\n\"b,2\nc,3\nd\"x,4\n", 5, "behind the closing quote of a field of line 3"),
        ("key,bytes\na,1\n\"b\" ,2\n", 3, "text behind the closing quote"),
        ("key,bytes\na,1\n \"b\",2\n", 3, quoted),
        ("key,bytes\na,1\nb\n", 3, "1 field, where the header has 2"),
        ("key,bytes\na,1\nb,2,3\n", 3, "3 fields, where the header has 2"),
        ("key,bytes\n\"a\n\n\",1\nb\n", 5, "1 field, where the header has 2"),
        ("key\na\n\nb\n", 3, "an empty line; an empty key is written \"\""),
        ("key\r\na\r\n\r\nb\r\n", 3, "an empty line"),
        ("key,bytes\na,1\n\n", 3, "an empty line"),
        ("\nkey\na\n", 1, "an empty line"),
        ("key\na\rb\n", 2, "a CR without LF"),
        ("key\na\nb\r", 3, "a CR without LF"),
        ("\"key\na\n", 1, "a quote that nothing closes"),
        ("", 1, "the file is empty"),
        ("\u{feff}", 1, "the file is empty"),
    ] {
        refused(CSV, content.as_bytes(), "invalid_key", line, why);
    }
    refused(
        CSV,
        b"key\na\nna\xefve\n",
        "invalid_text",
        3,
        "key `na\u{fffd}ve` is not well-formed UTF-8 from byte 3 on",
    );
    // Only what is asked for is looked at.
    assert_eq!(with_input(["owner", LIVE, "--keys=-", "--keys-format=csv"], b"key,note\na,\xff\n").status, Some(0));
}

#[test]
fn a_column_that_is_not_there_is_met_with_those_that_are() {
    let mut options = vec!["--keys-format=csv", "--key-column=id"];
    refused(
        &options,
        b"key,bytes\na,1\n",
        "invalid_parameter",
        1,
        "no column is named `id` (--key-column); the first line names `key`, `bytes`",
    );
    // Names are compared as they are.
    refused(&options, b"ID\na\n", "invalid_parameter", 1, "names `ID`");
    refused(&options, b" id\na\n", "invalid_parameter", 1, "names ` id`");
    refused(&options, b"id,id\na,b\n", "invalid_parameter", 1, "2 columns are named `id`");
    let many: String = (0..1_000).map(|number| format!("column-{number},")).collect::<String>() + "key\n";
    refused(&options, many.as_bytes(), "invalid_parameter", 1, "`column-11`, and 989 more");
    options[1] = "--key-column=key";
    let columns_are_apart = with_input([&["owner", LIVE, "--keys=-"], &options[..]].concat(), b"key,id,id\na,1,2\n");
    assert_eq!(columns_are_apart.status, Some(0), "columns that nobody asks for may have one name");
}

#[test]
fn sizes_and_counts_are_plain_integers() {
    let folder = Folder::new();
    let next = folder.path("next.json");
    keystead(["change", LIVE, "--drain=cache-d", "-o", &next]).ok();
    let plan = folder.path("plan");
    for size in [
        "-1",
        "+1",
        " 1",
        "1 ",
        "",
        "1.5",
        "1e3",
        "0x10",
        "1_000",
        "9007199254740992",
        "99999999999999999999999",
        "\u{661}",
    ] {
        let keys = folder.file("keys.csv", format!("key,size\na,7\nb,\"{size}\"\n"));
        let with = |verb: &[&str], column: &str| {
            keystead([verb, &["--keys", &keys, "--keys-format=csv", column, "size"]].concat())
        };
        for run in [
            with(&["diff", LIVE, &next], "--bytes-column"),
            with(&["diff", LIVE, &next, "--list"], "--bytes-column"),
            with(&["plan", LIVE, &next, "--limit=1kB", "-o", &plan], "--bytes-column"),
            with(&["balance", LIVE], "--bytes-column"),
            with(&["balance", LIVE], "--count-column"),
        ] {
            let message = run.refused(2, "invalid_parameter");
            let expected = format!(" `{size}` (column `size`) is not an integer from 0 to 9007199254740991");
            let said = message.strip_prefix(&format!("{keys}:3: ")).and_then(|said| said.strip_suffix(&expected));
            assert!(matches!(said, Some("bytes" | "count")), "{run:?}");
        }
        assert!(!folder.names().contains(&"plan".to_owned()));
    }
    // Sums are not bounded as one size is.
    let largest = (1_u64 << 53) - 1;
    let rows: String = (0..4_096).map(|number| format!("user:{number},{largest}\n")).collect();
    let keys = folder.file("keys.csv", format!("key,size\n{rows}"));
    let total = (u128::from(largest) * 4_096).to_string();
    let options = ["--keys", &keys, "--keys-format=csv", "--bytes-column=size", "--json"];
    let difference = keystead([&["diff", LIVE, &next], &options[..]].concat()).json();
    assert_eq!(difference["counted"]["total"]["bytes"], *total);
    assert_eq!(keystead([&["balance", LIVE], &options[..]].concat()).json()["bytes"], *total);
}

#[test]
fn other_formats_are_refused_at_their_line() {
    refused(&["--keys-format=hex"], b"00\n0\n", "invalid_key", 2, "`0` is not an even number of hex digits");
    refused(&["--keys-format=hex"], b"00\nzz\n", "invalid_key", 2, "hex digits");
    refused(
        &["--keys-format=json"],
        b"\"a\"\n\n\"b\"\n",
        "invalid_key",
        2,
        "an empty line is no JSON value; an empty key is written \"\"",
    );
    refused(&["--keys-format=json"], b"\"a\"\n'b'\n", "invalid_key", 2, "no JSON value (column 1)");
    refused(&["--keys-format=json"], b"\"a\"\n\"\xff\"\n", "invalid_text", 2, "not well-formed UTF-8 from byte 2 on");
    refused(&["--keys-format=json"], b"\"a\"\n1.5\n", "invalid_key", 2, "a float");
}

#[test]
fn long_lines_are_shortened_in_messages() {
    let long = "k".repeat(10_000_000);
    refused(CSV, format!("key\na\n{long}\",1\n").as_bytes(), "invalid_key", 3, "a quote within a field");
    refused(CSV, format!("{long}\na\n").as_bytes(), "invalid_parameter", 1, "names `kkkk");
    refused(&["--keys-format=hex"], format!("00\n{long}\n").as_bytes(), "invalid_key", 2, "hex digits");
    let run =
        with_input(["owner", "--nodes=a", "--keys=-", "--keys-format=csv"], format!("key\n{long}\n\"x\"\n").as_bytes());
    assert_eq!(run.ok().len(), long.len() + 7, "and are keys like others");
}

#[test]
fn options_about_keys_need_keys() {
    let folder = Folder::new();
    let next = folder.path("next.json");
    keystead(["change", LIVE, "--drain=cache-d", "-o", &next]).ok();
    let keys = folder.file("keys", "a\n");
    for option in ["--key-column=key", "--bytes-column=size", "--count-column=hits"] {
        let name = option.split('=').next().unwrap_or_default();
        for verb in verbs(&next) {
            let has = match name {
                "--key-column" => true,
                "--bytes-column" => ["diff", "plan", "balance"].contains(&verb[0]),
                _ => verb[0] == "balance",
            };
            if !has {
                continue;
            }
            let run = keystead([&verb[..], &["--keys", &keys, option]].concat());
            assert_eq!(run.refused(2, "wrong_use"), format!("{name} needs --keys-format csv"), "{verb:?}");
            if ["diff", "plan"].contains(&verb[0]) && !verb.contains(&"--list") {
                keystead([&verb[..], &["--keys-format=csv", option]].concat()).refused(2, "wrong_use");
            }
        }
    }
    for verb in [vec!["diff", LIVE, &next], vec!["plan", LIVE, &next, "--limit=50%"]] {
        let run = keystead([&verb[..], &["--keys-format=hex"]].concat());
        assert_eq!(run.refused(2, "wrong_use"), "--keys-format is about keys in a file: name it with --keys");
    }
}

#[test]
fn a_file_without_a_key_says_so() {
    let folder = Folder::new();
    let next = folder.path("next.json");
    keystead(["change", LIVE, "--drain=cache-d", "-o", &next]).ok();
    for (format, content) in [("lines", ""), ("nul", ""), ("hex", ""), ("json", ""), ("csv", "key\n")] {
        let keys = folder.file("keys", content);
        for verb in [vec!["balance", LIVE], vec!["diff", LIVE, &next], vec!["plan", LIVE, &next, "--limit=50%"]] {
            let run = keystead([&verb[..], &["--keys", &keys, "--keys-format", format]].concat());
            assert_eq!(run.refused(2, "invalid_key"), format!("{keys}: no key is in it"));
        }
        // Nothing asked, nothing answered: a stream may be empty.
        for verb in ["owner", "explain"] {
            assert_eq!(keystead([verb, LIVE, "--keys", &keys, "--keys-format", format]).ok(), "");
        }
    }
}
