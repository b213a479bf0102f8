//! How runs end: exit status, one line of error, closed pipes, streams without end.

use crate::{
    owner::LIVE,
    run::{Folder, command, finish, keystead, lines, project, with_input},
};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::Stdio,
};

#[test]
fn errors_are_one_line_with_a_code_and_a_place() {
    let folder = Folder::new();
    let file =
        folder.file("bad.json", "{\"keystead\": 1,\n \"nodes\": [\"é\", {\"id\": \"b\", \"weight\": 4294967296}]}");
    let run = keystead(["owner", &file, "k"]);
    let message = run.refused(2, "invalid_weight");
    assert_eq!(message, format!("{file}:2:39: weight 4294967296 is out of range: an integer from 0 to 4294967295"));
    assert!(keystead(["owner", &folder.path("absent.json"), "k"]).refused(2, "unreadable").contains("absent.json"));
    keystead(["owner", LIVE, "--keys", &folder.path("absent.txt")]).refused(2, "unreadable");
    let old = folder.file("old.json", "{\"keystead\": 2, \"what\": null}");
    keystead(["owner", &old, "k"]).refused(2, "unsupported_version");
    let truncated = folder.file("truncated.json", "{\"keystead\": 1, \"nodes\": [");
    assert!(keystead(["owner", &truncated, "k"]).refused(2, "invalid_file").contains(":1:27: "));
    assert!(with_input(["owner", "-", "k"], b"[]").refused(2, "invalid_file").starts_with("standard input:1:1: "));
}

#[test]
fn wrong_use_is_2_and_says_what_is_wrong() {
    keystead(["owner"]).refused(2, "wrong_use");
    keystead(["owner", LIVE]).refused(2, "wrong_use");
    keystead(["remove", LIVE]).refused(2, "wrong_use");
    keystead(["show", LIVE, "--nodes=a"]).refused(2, "wrong_use");
    keystead(["show", LIVE, "extra"]).refused(2, "wrong_use");
    keystead(["show", LIVE, "--json", "--csv"]).refused(2, "wrong_use");
    let message = keystead(["owner", LIVE, "--exlude=a", "k"]).refused(2, "wrong_use").to_owned();
    assert!(message.contains("--exclude"), "a misspelt option is met with the right one: {message}");
    // Nothing but help where nothing is asked.
    let run = keystead::<&str>([]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("Usage: keystead"), "{run:?}");
}

#[test]
fn messages_keep_control_characters_off_the_terminal() {
    let run = keystead(["owner", "--nodes=a,\u{1b}[31m\u{9b}31mb\nc", "k"]);
    let message = run.refused(2, "invalid_id");
    assert!(!message.contains(char::is_control), "{message:?}");
    let folder = Folder::new();
    let file =
        folder.file("c.json", r#"{"keystead":1,"comment":"\u001b[2J","nodes":[{"id":"a","address":"\u009b2J"}]}"#);
    let run = keystead(["show", &file]);
    assert!(!run.ok().contains(|char: char| char.is_control() && char != '\n'), "{run:?}");
}

/// Runs a command whose reader leaves after `lines` lines.
fn with_reader_that_leaves(arguments: &[&str], lines: usize) {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built with this test");
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || while stdin.write_all(&b"key\n".repeat(10_000)).is_ok() {});
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    for _ in 0..lines {
        stdout.read_line(&mut line).expect("UTF-8");
    }
    drop(stdout);
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("UTF-8");
    assert_eq!((child.wait().expect("it ends").code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    writer.join().expect("writing ends with the reader");
}

#[test]
fn a_closed_pipe_is_success() {
    for format in ["", "--json", "--csv"] {
        for verb in ["owner", "explain"] {
            let arguments: Vec<&str> =
                [verb, LIVE, "--keys=-", format].into_iter().filter(|word| !word.is_empty()).collect();
            with_reader_that_leaves(&arguments, 1);
        }
    }
    with_reader_that_leaves(&["show", "--nodes=a,b", "--algorithm=slots-1", "--slots=4194304", "--slot-owners"], 1);
    with_reader_that_leaves(
        &["show", "--nodes=a,b", "--algorithm=ring-1", "--tokens-per-weight=65536", "--arcs", "--json"],
        1,
    );
    with_reader_that_leaves(&["show", LIVE], 0);
    with_reader_that_leaves(&["check", LIVE], 0);
    with_reader_that_leaves(&["--help"], 0);
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    let shell = |redirection: &str, words: &str| {
        let script = format!("\"$0\" {words} {redirection}");
        let mut shell = std::process::Command::new("sh");
        finish(shell.args(["-c", &script, env!("CARGO_BIN_EXE_keystead")]).current_dir(project()), b"")
    };
    let next = folder.path("next.json");
    for words in [
        "owner docs/cluster.json k",
        "owner docs/cluster.json k --csv",
        "explain docs/cluster.json k --json",
        "show docs/cluster.json",
        "check docs/cluster.json",
        "change docs/cluster.json --drain cache-d",
        "diff docs/cluster.json docs/cluster.json",
        "plan docs/cluster.json docs/cluster.json --limit 1%",
        "completions bash",
        "man",
        "--help",
        "owner --help",
        "--version",
    ] {
        assert_eq!(shell(">&-", words).refused(2, "unwritable"), "standard output: it is closed", "{words}");
        assert!(
            shell("> /dev/full", words).refused(2, "unwritable").starts_with("standard output: No space"),
            "{words}"
        );
        assert_eq!(shell("> /dev/null", words).ok(), "", "what is thrown away on purpose is written: {words}");
    }
    // Files need no standard output, and what is written to one is whole.
    let run = shell(">&-", &format!("man --dir '{}'", folder.path("")));
    assert_eq!(run.ok(), "");
    shell(">&-", &format!("change docs/cluster.json --drain cache-d -o '{next}'")).refused(2, "unwritable");
    keystead(["check", &next]).ok();
}

#[test]
fn numbers_out_of_range_are_met_with_the_range() {
    let refused = |arguments: &[&str]| keystead(arguments).refused(2, "invalid_parameter").to_owned();
    for (arguments, name, least, most) in [
        (&["owner", "--nodes=a", "k", "--algorithm=slots-1", "--headroom"][..], "headroom", 0, 1_000_u64),
        (&["owner", "--nodes=a", "k", "--algorithm=slots-1", "--slots"], "slots", 1, 1 << 22),
        (&["owner", "--nodes=a", "k", "--algorithm=ring-1", "--tokens-per-weight"], "tokens_per_weight", 1, 65_536),
        (&["owner", "--nodes=a", "k", "-r1", "--spread"], "spread level", 0, 7),
        (&["owner", "k", "--jump"], "number of buckets", 1, (1 << 31) - 1),
        (&["owner", "k", "--modulo"], "number of buckets", 1, (1 << 31) - 1),
        (&["change", LIVE, "--epoch"], "epoch", 0, (1 << 53) - 1),
        (&["owner", "--nodes=a", "k", "--seed"], "seed", 0, u64::MAX),
    ] {
        let with = |value: &str| refused(&[arguments, &[value]].concat());
        // A level may be called anything that is no number.
        let others = if name == "spread level" { &[][..] } else { &["+1", "1.5", ""] };
        for value in ["-1", "18446744073709551616"].iter().chain(others) {
            let message = with(value);
            assert!(
                message.ends_with(&format!("{name} `{value}` is not an integer from {least} to {most}")),
                "{message}"
            );
        }
        if let Some(above) = most.checked_add(1) {
            // The core says so: its limit is the one above.
            let message = with(&above.to_string());
            let (_, said) = message.split_once(&format!("{name} {above} is out of range: ")).expect(&message);
            assert!(said.ends_with(&format!("from {least} to {most}")), "{message}");
        }
    }
    let run = keystead(["owner", "--nodes=a", "--at", "--algorithm=ring-1", "7", "x"]);
    assert!(run.refused(2, "invalid_parameter").starts_with("key 2: coordinate `x` is not an integer"), "{run:?}");
}

#[test]
fn answers_come_before_the_next_key_is_written() {
    let mut child = command()
        .args(["owner", LIVE, "--keys=-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary was built with this test");
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    for _ in 0..3 {
        stdin.write_all(b"user:42\n").expect("it reads");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("UTF-8");
        assert_eq!(line, "user:42\tcache-d\n");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

/// The most memory that a running process has had, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_of_keys_takes_no_memory() {
    let folder = Folder::new();
    let next = folder.path("next.json");
    keystead(["change", LIVE, "--drain=cache-d", "-o", &next]).ok();
    for (verb, files, format, batches) in [
        ("owner", &[LIVE][..], "lines", 200),
        ("owner", &[LIVE], "json", 100),
        ("explain", &[LIVE], "lines", 20),
        ("diff", &[LIVE, &next, "--list=all"], "lines", 100),
    ] {
        let mut child = command()
            .arg(verb)
            .args(files)
            .args(["--keys=-", "--json", "--keys-format", format])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary was built with this test");
        let mut stdin = child.stdin.take().expect("piped");
        let mut stdout = child.stdout.take().expect("piped");
        let reader = std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()).expect("it writes"));
        let batch = lines((0..5_000).map(|number| format!("\"user:{number}\"")));
        let mut write = |batches: u32| (0..batches).for_each(|_| stdin.write_all(batch.as_bytes()).expect("it reads"));
        write(4);
        let early = peak_memory(child.id());
        write(batches);
        let late = peak_memory(child.id());
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
        assert!(reader.join().expect("read to the end") > u64::from(batches) * 100_000);
        assert!(
            late < early + 1024,
            "{verb}: {early} KiB after 20,000 keys, {late} KiB after {} more",
            batches * 5_000
        );
    }
}

#[test]
fn a_line_of_ten_megabytes_is_a_key() {
    let mut input = b"k".repeat(10_000_000);
    input.extend(b"\nshort\n");
    let run = with_input(["owner", "--nodes=a", "--keys=-"], &input);
    assert_eq!(run.ok().len(), input.len() + 4);
    let quoted = format!("\"{}\"\n1.5\n", "k".repeat(10_000_000));
    let run = with_input(["owner", "--nodes=a", "--keys=-", "--keys-format=json"], quoted.as_bytes());
    assert!(run.refused(2, "invalid_key").starts_with("standard input:2: "));
    // A message shows the beginning only.
    let run = with_input(["owner", "--nodes=a", "--keys=-", "--keys-format=hex"], &b"x".repeat(10_000_000));
    assert!(run.refused(2, "invalid_key").len() < 200);
}

#[test]
fn secrets_come_from_files_and_show_nowhere() {
    let folder = Folder::new();
    let cluster = folder.file("sip.json", r#"{"keystead": 1, "hash": "sip13", "nodes": ["a", "b", "c"]}"#);
    let plain = folder.file("plain.json", r#"{"keystead": 1, "nodes": ["a", "b", "c"]}"#);
    let digits = "00112233445566778899aabbccddeeff";
    let secret = folder.file("secret", format!("  {digits}\r\n"));
    let bad = folder.file("bad", "00112233445566778899aabbccddee");
    let worse = folder.file("worse", "00112233445566778899aabbccddeefg");

    let owner = keystead(["owner", &cluster, "k", "--secret-file", &secret]);
    assert_eq!(owner.ok(), keystead(["owner", "--nodes=a,b,c", "--hash=sip13", "--secret-file", &secret, "k"]).ok());
    let from_environment =
        |arguments: &[&str], file: &str| finish(command().args(arguments).env("KEYSTEAD_SECRET_FILE", file), b"");
    assert_eq!(from_environment(&["owner", &cluster, "k"], &secret).ok(), owner.ok());
    assert_eq!(from_environment(&["owner", "--jump=7", "--hash=sip13", "k"], &secret).status, Some(0));
    // The variable is for all commands: where no secret is needed, its file is not even read.
    assert_eq!(from_environment(&["owner", &plain, "k"], &folder.path("absent")).status, Some(0));
    from_environment(&["owner", &cluster, "k"], &folder.path("absent")).refused(2, "unreadable");
    let empty = from_environment(&["owner", &cluster, "k"], "");
    assert!(
        empty.refused(2, "missing_secret").ends_with("give --secret-file FILE or set KEYSTEAD_SECRET_FILE"),
        "{empty:?}"
    );

    let missing = keystead(["owner", &cluster, "k"]);
    assert!(missing.refused(2, "missing_secret").contains("--secret-file"), "{missing:?}");
    keystead(["check", &cluster]).refused(2, "missing_secret");
    keystead(["owner", &plain, "k", "--secret-file", &secret]).refused(2, "unexpected_secret");
    for file in [&bad, &worse] {
        let run = keystead(["owner", &cluster, "k", "--secret-file", file]);
        assert!(!run.refused(2, "invalid_parameter").contains("0011"), "{run:?}");
    }
    for verb in ["show", "check"] {
        for format in ["--json", "--csv", "--secret-file"] {
            let run = keystead(
                [verb, &cluster, "--secret-file", &secret, format].into_iter().take(if format == "--secret-file" {
                    4
                } else {
                    5
                }),
            );
            assert!(!run.ok().contains("0011"), "{run:?}");
        }
    }
}

#[test]
fn colours_obey_no_color() {
    let show = |variables: &[(&str, &str)]| {
        finish(command().args(["show", LIVE]).envs(variables.iter().copied()), b"").ok().to_owned()
    };
    assert!(!show(&[]).contains('\u{1b}'), "a pipe is no terminal");
    assert!(show(&[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'));
    assert!(!show(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).contains('\u{1b}'));
}
