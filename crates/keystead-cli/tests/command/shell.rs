//! Completions and manual pages, which shells and `man` have to understand.

use crate::run::{Folder, keystead};
use std::process::Command;

/// The verbs that the help of the command lists.
fn verbs() -> Vec<String> {
    let help = keystead(["--help"]);
    let list = help.ok().lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let named = list.filter(|line| !line.starts_with("   "));
    named.filter_map(|line| line.split_whitespace().next()).filter(|verb| *verb != "help").map(str::to_owned).collect()
}

#[test]
fn every_verb_and_option_is_completed() {
    assert!(verbs().len() >= 7, "{:?}", verbs());
    for shell in ["bash", "zsh", "fish"] {
        let run = keystead(["completions", shell]);
        let script = run.ok();
        for word in verbs().iter().map(String::as_str).chain(["candidates", "secret-file", "keys-format", "answers"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(keystead(["completions", "tcsh"]).refused(2, "wrong_use").contains("bash, zsh, fish"));
}

/// A bash that completes as at the keyboard.
#[cfg(unix)]
fn complete(line: &str) -> Option<Vec<String>> {
    let folder = Folder::new();
    let script = folder.file("keystead.bash", keystead(["completions", "bash"]).ok());
    let program = format!(
        "source {script}; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _keystead keystead \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let output = Command::new("bash").args(["-c", &program]).output().ok()?;
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect())
}

#[test]
#[cfg(unix)]
fn bash_completes() {
    // Where there is no bash there is nobody to complete for.
    let Some(verbs) = complete("keystead ch") else { return };
    assert_eq!(verbs, ["check", "change"]);
    assert_eq!(complete("keystead owner live.json --keys-format c"), Some(vec!["csv".to_owned()]));
    assert_eq!(complete("keystead change live.json --dra"), Some(vec!["--drain".to_owned()]));
}

#[test]
fn every_verb_has_a_manual_page() {
    let folder = Folder::new();
    keystead(["man", "--dir", &folder.path("")]).ok();
    let mut expected: Vec<String> = verbs().iter().map(|verb| format!("keystead-{verb}.1")).collect();
    expected.push("keystead.1".to_owned());
    expected.sort();
    assert_eq!(folder.names(), expected);
    for verb in verbs() {
        let page = std::fs::read_to_string(folder.path(&format!("keystead-{verb}.1"))).expect("a page");
        assert_eq!(page, keystead(["man", &verb]).ok());
        for part in [".SH NAME\n", ".SH SYNOPSIS\n", ".SH EXAMPLES\n.nf\nkeystead ", "\n.fi\n"] {
            assert!(page.contains(part), "{verb}: {part} {page}");
        }
    }
    assert!(keystead(["man"]).ok().contains(".SH EXAMPLES\n.nf\nkeystead owner live.json user:42"));
    keystead(["man", "nothing"]).refused(2, "wrong_use");
    keystead(["man", "--dir", &folder.path("absent")]).refused(2, "unwritable");
}
