//! The examples of every verb's help run as they stand there.
#![cfg(unix)]

use crate::{
    owner::LIVE,
    run::{Folder, command, finish, keystead, lines, project},
};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

const VERBS: [&str; 10] =
    ["owner", "explain", "show", "check", "change", "diff", "plan", "balance", "completions", "man"];

/// The commands of a verb, without what is said behind them. The manual page has them as they are written, on one line each.
fn examples(verb: &str) -> Vec<String> {
    let page = keystead(["man", verb]);
    let page = page.ok().replace("\\-", "-").replace("\\*(Aq", "'").replace("\\(aq", "'").replace("\\\\", "\\");
    let section =
        page.split("\n.SH ").find(|section| section.trim_matches('"').starts_with("EXAMPLES")).expect("examples");
    let is_example = |line: &&str| !line.starts_with('.') && (line.contains("keystead "));
    let commands = section.lines().filter(is_example).map(|line| match line.split_once("  ") {
        Some((command, _)) => command.to_owned(),
        None => line.to_owned(),
    });
    commands.collect()
}

/// Everything that the examples name.
fn furnish(folder: &Folder) {
    let live = fs::read_to_string(LIVE).expect("the cluster of the tests");
    folder.file("live.json", live);
    keystead(["change", LIVE, "--add=cache-k", "--location=eu-1/1c", "-o", &folder.path("next.json")]).ok();
    let ring = |tokens: &str| {
        format!(
            r#"{{"keystead": 1, "algorithm": "ring-1", "space": "32", "nodes": [{{"id": "A", "tokens": ["3", "17"]}}, {tokens}]}}"#
        )
    };
    folder.file("ring.json", ring(r#"{"id": "B", "tokens": ["9", "28"]}"#));
    folder.file("next-ring.json", ring(r#"{"id": "B", "tokens": ["9", "28", "12"]}"#));
    folder.file(
        "slots.json",
        r#"{"keystead": 1, "algorithm": "slots-1", "slots": 128, "nodes": ["worker-1", "worker-2", "worker-3"]}"#,
    );
    let users: Vec<String> = (0..2_000).map(|number| format!("user:{number}")).collect();
    let keys = folder.file("keys.txt", lines(&users));
    folder.file("keys.csv", format!("key,size\n{}", lines(users.iter().map(|user| format!("{user},1000")))));
    folder.file("log.csv", format!("key,hits,bytes\n{}", lines(users.iter().map(|user| format!("{user},3,1000")))));
    for name in ["python.tsv", "node.tsv"] {
        folder.file(name, keystead(["owner", LIVE, "--keys", &keys]).ok());
    }
    let [next, plan] = ["next.json", "plan"].map(|name| folder.path(name));
    keystead(["plan", LIVE, &next, "--limit=2%", "-o", &plan]).ok();
    fs::copy(format!("{plan}/step-2.json"), folder.path("step-2.json")).expect("a step");
    for dir in [
        ".local/share/bash-completion/completions",
        ".zfunc",
        ".config/fish/completions",
        ".local/share/man/man1",
        "bin",
    ] {
        fs::create_dir_all(folder.path(dir)).expect("a new folder");
    }
    // Programs of others, that not every machine has: what they are given is not theirs to judge here.
    for (name, script) in [("jq", "cat > /dev/null"), ("man", "cat > /dev/null"), ("zcat", "cat keys.txt")] {
        let path = folder.file(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
}

#[test]
fn every_example_runs() {
    let binary = Path::new(env!("CARGO_BIN_EXE_keystead")).parent().expect("a folder");
    for verb in VERBS {
        let examples = examples(verb);
        assert!(examples.len() > 2, "{verb}: {examples:?}");
        for example in examples {
            let folder = Folder::new();
            furnish(&folder);
            if !example.contains("plan/") {
                fs::remove_dir_all(folder.path("plan")).expect("it was made");
            }
            let paths =
                format!("{}:{}:{}", folder.path("bin"), binary.display(), std::env::var("PATH").unwrap_or_default());
            let script = format!("set -e; {example}");
            let mut shell = Command::new("sh");
            shell.args(["-c", &script]).current_dir(folder.path("")).env("PATH", paths).env("HOME", folder.path(""));
            let run = finish(&mut shell, b"");
            let expected = i32::from(example.ends_with("--exit-code"));
            assert_eq!((run.status, run.stderr.as_str()), (Some(expected), ""), "{example}: {run:?}");
            let is_quiet =
                ["> ", "-o ", "--html ", "| man ", "| jq ", "--dir "].iter().any(|part| example.contains(part));
            assert!(is_quiet || !run.stdout.is_empty(), "{example}");
        }
    }
    // The overview's are among these, or like these.
    let overview = finish(command().arg("--help").current_dir(project()), b"");
    assert_eq!(overview.ok().matches("\n  keystead ").count(), 10);
}
