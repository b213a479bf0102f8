//! Runs the examples of the guide for those who come from another placement, beside the real packages of that placement.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};

use super::debian::Packaged;
use super::examples::{RustExamples, Tools, is_program};
use crate::markdown::blocks;
use crate::workshop::Workshop;

/// The guide.
pub(super) const PAGE: &str = "docs/migrating.md";
/// The packages that it comes from, each at the version that its examples were written with.
const PYTHON_PACKAGES: &str = "docs/migrating/requirements.txt";
const NODE_PACKAGES: &str = "docs/migrating/package.json";

pub(super) fn check(workshop: &mut Workshop) -> Result<()> {
    let text = std::fs::read_to_string(workshop.project.source(PAGE)).with_context(|| format!("cannot read {PAGE}"))?;
    // One of the packages is compiled when it is installed.
    let headers = Packaged::new(headers(workshop)?, "python3-dev");
    workshop.debian(&[headers])?;
    let python = workshop.environment_with("migrating", PYTHON_PACKAGES)?.python();
    let modules = workshop.modules_with("migrating", NODE_PACKAGES)?;
    let tools = Tools::new(workshop, python, modules)?;
    let page = [(PAGE.to_owned(), blocks(&text))];
    let rust = RustExamples::build(workshop, &page)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for block in page[0].1.iter().filter(|block| !block.is("ignore")) {
        let place = format!("{PAGE}:{}", block.line);
        let kind = match tools.run(workshop, block, &place)? {
            Some(kind) => kind,
            None if is_program(block) => rust.run(workshop, block, &place)?,
            None => continue,
        };
        *counts.entry(kind).or_default() += 1;
    }
    if let Some(missing) = ["console", "node", "python", "rust"].into_iter().find(|kind| !counts.contains_key(kind)) {
        bail!("{PAGE} has no {missing} example");
    }
    let counted: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    workshop.screen.say(&format!("{PAGE}: {} examples passed", counted.join(", ")));
    Ok(())
}

/// Where Python's headers are, or would be.
fn headers(workshop: &mut Workshop) -> Result<String> {
    let python = workshop.toolchain.python.clone();
    let mut command = workshop.python(&python);
    let lines =
        workshop.run(command.args(["-c", "import sysconfig; print(sysconfig.get_path('include') + '/Python.h')"]))?;
    lines.into_iter().last().context("Python does not say where its headers are")
}
