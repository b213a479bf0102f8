//! Runs the examples of a page, and compares what they print with what the page says.
//!
//! `console` blocks are commands after `$ ` with their output below; `python`, `js` and `rust` blocks are programs, and what stands behind
//! `prints: ` in a comment is a line of their output, in order. All of them start in the root of the sources.

use std::collections::BTreeMap;
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

/// Whether the block is a Rust program; `no_run` and `compile_fail` are for rustdoc.
pub(super) fn is_program(block: &Block) -> bool {
    block.language() == "rust" && !["ignore", "no_run", "compile_fail"].iter().any(|word| block.is(word))
}

/// The Rust examples of all pages, compiled as the programs of one crate outside the workspace, as a user's crate is.
pub(super) struct RustExamples {
    folder: PathBuf,
    programs: BTreeMap<String, String>,
}

impl RustExamples {
    pub(super) fn build(workshop: &mut Workshop, pages: &[(String, Vec<Block>)]) -> Result<Self> {
        let folder = workshop.project.empty("rust-examples")?;
        let sources = folder.join("src").join("bin");
        std::fs::create_dir_all(&sources)?;
        let core = workshop.project.source("crates/keystead");
        let core = core.display();
        let manifest = format!(
            "[package]\nname = \"examples\"\nedition = \"2024\"\n\n[dependencies]\nkeystead = {{ path = '{core}', features = [\"json\"] }}\n\n[workspace]\n"
        );
        std::fs::write(folder.join("Cargo.toml"), manifest)?;
        // The versions that the rest is tested with.
        std::fs::copy(workshop.project.source("Cargo.lock"), folder.join("Cargo.lock"))?;
        let mut programs = BTreeMap::new();
        for (page, blocks) in pages {
            for block in blocks.iter().filter(|block| is_program(block)) {
                let place = format!("{page}:{}", block.line);
                let program = format!("example_{}", programs.len() + 1);
                std::fs::write(
                    sources.join(format!("{program}.rs")),
                    format!("// {place}\n{}", as_program(&block.text)),
                )?;
                programs.insert(place, program);
            }
        }
        if !programs.is_empty() {
            let mut command = workshop.cargo(&["build", "--bins", "--manifest-path"]);
            workshop.run(command.arg(folder.join("Cargo.toml")))?;
        }
        Ok(Self { folder: workshop.project.target().join("debug"), programs })
    }

    pub(super) fn run(&self, workshop: &mut Workshop, block: &Block, place: &str) -> Result<&'static str> {
        let program = self.programs.get(place).with_context(|| format!("{place} was not compiled"))?;
        let mut command = workshop.program(self.folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)));
        let printed = run(workshop, &mut command, place)?;
        compare(place, &block.promised(), &printed)?;
        Ok("rust")
    }
}

/// An example as a whole program, by rustdoc's rules: `# ` hides a line, and `main` is added where there is none.
fn as_program(text: &str) -> String {
    let visible: Vec<&str> =
        text.lines().map(|line| line.strip_prefix("# ").unwrap_or(if line == "#" { "" } else { line })).collect();
    let code = visible.join("\n");
    if code.contains("fn main()") {
        code
    } else if code.trim_end().ends_with("(())") {
        format!(
            "fn main() {{\nfn example() -> Result<(), impl core::fmt::Debug> {{\n{code}\n}}\nexample().unwrap()\n}}\n"
        )
    } else {
        format!("fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{code}\nOk(())\n}}\n")
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
    fn examples_become_programs_as_in_rustdoc() {
        assert_eq!(as_program("fn main() {}\n"), "fn main() {}");
        assert!(as_program("# use std::fmt;\nlet x = 1;").contains("\nuse std::fmt;\nlet x = 1;\nOk(())\n"));
        assert!(
            as_program("let x = 1;\n# Ok::<(), keystead::Error>(())\n")
                .contains("fn example() -> Result<(), impl core::fmt::Debug>")
        );
        assert!(as_program("#[derive(Debug)]\nstruct A;").contains("\n#[derive(Debug)]\n"));
    }

    #[test]
    fn a_difference_shows_both_sides() {
        let message = compare("README.md:7", &["cache-a".to_owned()], &["cache-b".to_owned()]).unwrap_err().to_string();
        assert_eq!(
            message,
            "README.md:7 prints something else than the page says\nthe page:\n  cache-a\nthe program:\n  cache-b"
        );
    }
}
