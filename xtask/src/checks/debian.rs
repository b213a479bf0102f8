//! Programs that tests run and that Debian has packages of.

use std::fmt;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::workshop::Workshop;

/// Why a step was not done although nothing is wrong with the project. In CI there is no such reason.
#[derive(Debug)]
pub(super) struct Skipped(String);

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Skipped {}

/// A program, and the package that brings it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packaged {
    pub(super) program: &'static str,
    pub(super) package: &'static str,
}

impl Workshop {
    /// Installs what is missing. Where that cannot be done the error is [`Skipped`], except in CI, which is to notice.
    pub(super) fn debian(&mut self, needed: &[Packaged]) -> Result<()> {
        let missing: Vec<Packaged> = needed.iter().copied().filter(|each| !is_there(each.program)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let packages: Vec<&str> = missing.iter().map(|each| each.package).collect();
        let install = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
        if !is_there("apt-get") || !is_root() {
            let programs: Vec<&str> = missing.iter().map(|each| each.program).collect();
            return give_up(format!("{} not found; as root on Debian: {install}", programs.join(", ")));
        }
        self.screen.say(&format!("installing {}", packages.join(", ")));
        let mut update = self.program("apt-get");
        let mut installation = self.program("apt-get");
        installation.args(["install", "-y", "--no-install-recommends"]).args(&packages);
        for command in [update.arg("update"), &mut installation] {
            if let Err(error) = self.run(command.env("DEBIAN_FRONTEND", "noninteractive")) {
                return give_up(format!("cannot install {}: {error:#}", packages.join(", ")));
            }
        }
        match needed.iter().find(|each| !is_there(each.program)) {
            None => Ok(()),
            Some(each) => bail!("Debian's package {} has brought no program {}", each.package, each.program),
        }
    }
}

fn give_up(reason: String) -> Result<()> {
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        bail!("{reason} (a step is not skipped where CI=true)");
    }
    Err(Skipped(reason).into())
}

fn is_there(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .context("cannot ask id")
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_looked_for_on_the_path() {
        assert!(is_there("cargo"));
        assert!(!is_there("keystead-has-no-such-tool"));
    }
}
