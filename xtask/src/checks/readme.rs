//! Runs the examples of the front page, the core's README and `docs`, and compares what they print with what the page says.
//!
//! In a page, `console` blocks are commands after `$ ` with their output below; `python`, `js` and `rust` blocks are programs, and what
//! stands behind `prints: ` in a comment is a line of their output, in order. All of them start in the root of the sources.
//! Nothing else is run, nor a block with the word `ignore`; `no_run` and `compile_fail` are for rustdoc.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::examples::{RustExamples, Tools, is_program};
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
