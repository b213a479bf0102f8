//! Runs the examples of a page, and compares what they print with what the page says.
//!
//! `console` blocks are commands after `$ ` with their output below; `python` and `js` blocks are programs, and what stands behind
//! `prints: ` in a comment is a line of their output, in order. All of them start in the root of the sources.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::markdown::{Block, matches};
use crate::workshop::Workshop;

/// What examples are run with.
pub(super) struct Tools {
    python: PathBuf,
    /// The folder in which Node finds its packages.
    modules: PathBuf,
    /// `PATH` with the command and the environment's Python in front.
    path: std::ffi::OsString,
}

impl Tools {
    pub(super) fn new(workshop: &mut Workshop, python: PathBuf, modules: PathBuf) -> Result<Self> {
        let command = workshop.command()?;
        let mut folders: Vec<PathBuf> =
            [&command, &python].into_iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        Ok(Self { python, modules, path: std::env::join_paths(folders)? })
    }

    /// Runs a block and compares what it prints; says what kind it was, nothing where these tools run no such block.
    pub(super) fn run(&self, workshop: &mut Workshop, block: &Block, place: &str) -> Result<Option<&'static str>> {
        match block.language() {
            "console" => self.console(workshop, block, place).map(Some),
            "python" => self.python(workshop, block, place).map(Some),
            "js" => self.node(workshop, block, place).map(Some),
            _ => Ok(None),
        }
    }

    fn console(&self, workshop: &mut Workshop, block: &Block, place: &str) -> Result<&'static str> {
        let commands = block.commands();
        if commands.is_empty() {
            bail!("{place}: a console block without a line that begins with `$ `");
        }
        for command in commands {
            // A page may show a command that fails; what it prints is then compared all the same.
            let mut shell = workshop.program("sh");
            shell
                .env("PATH", &self.path)
                .env("NO_COLOR", "1")
                .args(["-c", &format!("{{ {}\n}} || true", command.text)]);
            let printed = run(workshop, &mut shell, place)?;
            compare(&format!("{place}: $ {}", command.text), &command.expected, &printed)?;
        }
        Ok("console")
    }

    fn python(&self, workshop: &mut Workshop, block: &Block, place: &str) -> Result<&'static str> {
        let mut command = workshop.python(&self.python);
        let printed = run(workshop, command.args(["-c", &block.text]), place)?;
        compare(place, &block.promised(), &printed)?;
        Ok("python")
    }

    fn node(&self, workshop: &mut Workshop, block: &Block, place: &str) -> Result<&'static str> {
        let ending = if block.text.contains("require(") { "cjs" } else { "mjs" };
        // Beside the installed package, which is where Node looks for it.
        let file = self.modules.join(format!("example.{ending}"));
        std::fs::write(&file, &block.text)?;
        let mut command = workshop.program("node");
        let printed = run(workshop, command.arg(&file), place)?;
        compare(place, &block.promised(), &printed)?;
        Ok("node")
    }
}

pub(super) fn run(workshop: &mut Workshop, command: &mut Command, place: &str) -> Result<Vec<String>> {
    workshop.run(command).with_context(|| format!("{place} failed"))
}

pub(super) fn compare(place: &str, expected: &[String], printed: &[String]) -> Result<()> {
    if matches(expected, printed) {
        return Ok(());
    }
    let mut message = format!("{place} prints something else than the page says\nthe page:\n");
    for line in expected {
        let _ = writeln!(message, "  {line}");
    }
    message.push_str("the program:\n");
    for line in printed {
        let _ = writeln!(message, "  {line}");
    }
    bail!("{}", message.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_both_sides() {
        let message = compare("README.md:7", &["cache-a".to_owned()], &["cache-b".to_owned()]).unwrap_err().to_string();
        assert_eq!(
            message,
            "README.md:7 prints something else than the page says\nthe page:\n  cache-a\nthe program:\n  cache-b"
        );
    }
}
