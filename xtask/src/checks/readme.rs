//! Runs the examples of the front page, the core's README and `docs`, and compares what they print with what the page says.
//!
//! In a page, `console` blocks are commands after `$ ` with their output below; `python`, `js` and `rust` blocks are programs, and what
//! stands behind `prints: ` in a comment is a line of their output, in order. All of them start in the root of the sources.
//! Nothing else is run, nor a block with the word `ignore`; `no_run` and `compile_fail` are for rustdoc.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::examples::{self, Tools};
use crate::markdown::{Block, blocks};
use crate::workshop::Workshop;

/// The page that must have an example in every language.
const FRONT_PAGE: &str = "README.md";

pub(super) fn check(workshop: &mut Workshop) -> Result<()> {
    let pages = pages(workshop)?;
    let rust = RustExamples::build(workshop, &pages)?;
    let python = workshop.wheel_environment()?.python();
    let modules = workshop.consumer()?.folder;
    let tools = Tools::new(workshop, python, modules)?;
    let mut passed = 0;
    for (name, blocks) in &pages {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for block in blocks.iter().filter(|block| !block.is("ignore")) {
            let place = format!("{name}:{}", block.line);
            let kind = match tools.run(workshop, block, &place)? {
                Some(kind) => kind,
                None if is_program(block) => rust.run(workshop, block, &place)?,
                None => continue,
            };
            *counts.entry(kind).or_default() += 1;
            passed += 1;
        }
        let counted: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        workshop
            .screen
            .say(&format!("{name}: {}", if counted.is_empty() { "no example".to_owned() } else { counted.join(", ") }));
        if name == FRONT_PAGE
            && let Some(missing) =
                ["console", "node", "python", "rust"].into_iter().find(|kind| !counts.contains_key(kind))
        {
            bail!("{name} has no {missing} example");
        }
    }
    workshop.screen.say(&format!("examples: {passed} passed, 0 failed"));
    Ok(())
}

fn is_program(block: &Block) -> bool {
    block.language() == "rust" && !["ignore", "no_run", "compile_fail"].iter().any(|word| block.is(word))
}

/// The front page, the core's README, and the pages below `docs`. The other packages' own tests run theirs, and the guide that needs other people's packages has a step of its own.
fn pages(workshop: &Workshop) -> Result<Vec<(String, Vec<Block>)>> {
    let mut names = vec![FRONT_PAGE.to_owned(), "crates/keystead/README.md".to_owned()];
    if let Ok(entries) = std::fs::read_dir(workshop.project.source("docs")) {
        let mut found = Vec::new();
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let page = format!("docs/{name}");
            if page != super::migrating::PAGE && Path::new(&name).extension().is_some_and(|extension| extension == "md")
            {
                found.push(page);
            }
        }
        found.sort();
        names.extend(found);
    }
    let mut pages = Vec::new();
    for name in names {
        let text =
            std::fs::read_to_string(workshop.project.source(&name)).with_context(|| format!("cannot read {name}"))?;
        pages.push((name, blocks(&text)));
    }
    Ok(pages)
}

/// The Rust examples of all pages, compiled as the programs of one crate outside the workspace, as a user's crate is.
struct RustExamples {
    folder: PathBuf,
    programs: BTreeMap<String, String>,
}

impl RustExamples {
    fn build(workshop: &mut Workshop, pages: &[(String, Vec<Block>)]) -> Result<Self> {
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

    fn run(&self, workshop: &mut Workshop, block: &Block, place: &str) -> Result<&'static str> {
        let program = self.programs.get(place).with_context(|| format!("{place} was not compiled"))?;
        let mut command = workshop.program(self.folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)));
        let printed = examples::run(workshop, &mut command, place)?;
        examples::compare(place, &block.promised(), &printed)?;
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
}
