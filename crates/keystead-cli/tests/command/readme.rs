//! README.md says what the command says. `KEYSTEAD_UPDATE=1` writes it instead of comparing.

use crate::run::{Folder, command, keystead};
use std::{fmt::Write as _, fs, path::Path, process::Command};

const VERBS: [&str; 11] =
    ["", "owner", "explain", "show", "check", "change", "diff", "plan", "balance", "completions", "man"];

/// The text between two marks.
fn between<'a>(text: &'a str, name: &str) -> (&'a str, &'a str, &'a str) {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let at = text.find(&begin).expect("the mark is there") + begin.len();
    let to = at + text[at..].find(&end).expect("the mark is closed");
    (&text[..at], &text[at..to], &text[to..])
}

/// Every line of the session that begins with `$` is run, and what it prints follows it.
fn session(block: &str) -> String {
    let folder = Folder::new();
    folder.file("live.json", include_bytes!("../live.json"));
    let binary = Path::new(env!("CARGO_BIN_EXE_keystead"));
    let path = std::env::join_paths(
        binary
            .parent()
            .map(Path::to_path_buf)
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut written = "```console\n".to_owned();
    for line in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let output = Command::new("sh")
            .args(["-c", &format!("{line} 2>&1")])
            .env("PATH", path.as_ref().expect("folders without colons"))
            .env("COLUMNS", "100")
            .env_remove("KEYSTEAD_SECRET_FILE")
            .env_remove("CLICOLOR_FORCE")
            .current_dir(folder.path(""))
            .output()
            .expect("a shell");
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        write!(written, "$ {line}\n{printed}").expect("memory");
    }
    written + "```\n"
}

fn help() -> String {
    let mut written = String::new();
    for verb in VERBS {
        let arguments: Vec<&str> = [verb, "--help"].into_iter().filter(|argument| !argument.is_empty()).collect();
        let run = keystead(&arguments);
        let text: Vec<&str> = run.ok().lines().map(str::trim_end).collect();
        let command = ["keystead", verb].join(" ");
        writeln!(written, "### {}\n\n```text\n{}\n```\n", command.trim_end(), text.join("\n")).expect("memory");
    }
    written
}

#[test]
#[cfg(unix)]
fn readme_says_what_the_command_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).expect("README.md");
    let (before, block, after) = between(&readme, "session");
    let current = [before, &session(block), after].concat();
    let (before, _, after) = between(&current, "help");
    let current = [before, &help(), after].concat();
    if std::env::var_os("KEYSTEAD_UPDATE").is_some() {
        fs::write(&path, &current).expect("README.md can be written");
    } else {
        assert_eq!(readme, current, "run: KEYSTEAD_UPDATE=1 cargo test -p keystead-cli readme");
    }
}

#[test]
fn every_verb_has_examples_in_its_help() {
    for verb in VERBS.into_iter().filter(|verb| !verb.is_empty()) {
        for option in ["-h", "--help"] {
            let run = keystead([verb, option]);
            assert!(run.ok().contains(&format!("\nExamples:\n  keystead {verb} ")), "{verb} {option}");
        }
    }
    let version = command().arg("--version").output().expect("the command runs");
    assert_eq!(version.stdout, format!("keystead {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
}
