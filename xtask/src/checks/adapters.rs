//! The adapters, against real memcached and Redis servers that their tests start and stop.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::debian::Packaged;
use crate::workshop::Workshop;

const PYTHON: &str = "adapters/python";
const NODE: &str = "adapters/node";

pub(super) fn check(workshop: &mut Workshop) -> Result<()> {
    workshop.debian(&[
        Packaged::new("memcached", "memcached"),
        Packaged::new("redis-server", "redis-server"),
        // With the C library, whose ketama ring others claim to have.
        Packaged::new("memccp", "libmemcached-tools"),
    ])?;
    let python = workshop.environment_with("adapters", &format!("{PYTHON}/requirements.txt"))?.python();
    // The adapters are copied beside the packages that they need, as a program of a user's would have them.
    let copied = workshop.modules_with("adapters", &format!("{NODE}/package.json"))?;
    let node = workshop.project.source(NODE);
    for file in files(&node, &[".js", "tsconfig.json"])? {
        std::fs::copy(node.join(&file), copied.join(&file)).with_context(|| format!("cannot copy {NODE}/{file}"))?;
    }

    let mut command = workshop.npm(&copied, &["exec", "--", "tsc", "--project", "."]);
    workshop.run(&mut command)?;
    let mut command = workshop.program("node");
    command.arg("--test").env("KEYSTEAD_ADAPTERS", &copied);
    for file in files(&node.join("test"), &[".test.mjs"])? {
        command.arg(format!("{NODE}/test/{file}"));
    }
    workshop.run(&mut command)?;

    let folder = workshop.project.source(PYTHON);
    let mut command = workshop.python(&python);
    command
        .current_dir(&folder)
        .env("MYPYPATH", ".")
        .args(["-m", "mypy", "--strict", "--cache-dir"])
        .arg(workshop.project.kept("python/mypy-adapters"))
        .args(files(&folder, &[".py"])?);
    workshop.run(&mut command)?;
    let mut command = workshop.python(&python);
    // As for the package's own tests: without a cache among the sources.
    command.current_dir(folder.join("tests")).env("KEYSTEAD_ADAPTERS", &copied).args([
        "-P",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
    ]);
    let lines = workshop.run(&mut command)?;
    // The table of the fleet that grows while it is warm.
    let table =
        lines.iter().skip_while(|line| !line.starts_with("five memcached servers")).take_while(|line| !line.is_empty());
    for line in table {
        workshop.screen.say(line);
    }
    Ok(())
}

/// The names of the files in `folder` that end so, in order.
fn files(folder: &Path, endings: &[&str]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(name);
        }
    }
    if found.is_empty() {
        bail!("{} holds no file that ends in {}", folder.display(), endings.join(" or "));
    }
    found.sort();
    Ok(found)
}
