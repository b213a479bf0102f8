//! The pages of `--html` in the Chromium that Debian packages, and what the command draws in a terminal, which is tmux.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::debian::Packaged;
use crate::workshop::Workshop;

const FOLDER: &str = "tests/browser";

pub(super) fn check(workshop: &mut Workshop) -> Result<()> {
    chromium(workshop)?;
    workshop.debian(&[Packaged::new("tmux", "tmux")])?;
    let command = workshop.command()?;
    let tests = installed(workshop)?;
    let mut node = workshop.program("node");
    node.current_dir(&tests).env("KEYSTEAD_COMMAND", command);
    workshop.run(node.args(["--test", "pages.test.mjs", "terminal.test.mjs"]))?;
    Ok(())
}

/// Takes the pictures of the gallery and of the front page anew.
pub(crate) fn pictures(verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    chromium(&mut workshop)?;
    workshop.debian(&[Packaged::new("tmux", "tmux")])?;
    let command = workshop.command()?;
    let tests = installed(&mut workshop)?;
    let gallery = workshop.project.source("docs/gallery");
    std::fs::create_dir_all(&gallery).with_context(|| format!("cannot make {}", gallery.display()))?;
    let mut node = workshop.program("node");
    node.current_dir(&tests).env("KEYSTEAD_COMMAND", command);
    workshop.run(node.arg("pictures.mjs").arg(&gallery))?;
    workshop.screen.say("docs/gallery holds the pictures: look at them");
    Ok(())
}

/// The browser, and a font with which every page has the same width everywhere.
fn chromium(workshop: &mut Workshop) -> Result<()> {
    workshop.debian(&[
        Packaged::new("chromium", "chromium"),
        Packaged::new("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core"),
    ])
}

/// The tests beside the packages that they need, as the lock file says, outside the sources.
fn installed(workshop: &mut Workshop) -> Result<PathBuf> {
    let source = workshop.project.source(FOLDER);
    let folder = workshop.project.empty("node/browser")?;
    for entry in std::fs::read_dir(&source).with_context(|| format!("cannot list {}", source.display()))? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| path.is_file()) {
            std::fs::copy(&path, folder.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    let mut command = workshop.npm(&folder, &["ci", "--no-audit", "--no-fund"]);
    workshop.run(&mut command)?;
    Ok(folder)
}
