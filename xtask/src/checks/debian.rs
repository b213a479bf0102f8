//! What tests need and Debian has packages of.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

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

/// A file of a program's, and the package that brings it.
#[derive(Debug)]
pub(super) struct Packaged {
    /// A name to be found on `PATH`, or a whole path.
    file: PathBuf,
    package: &'static str,
}

impl Packaged {
    pub(super) fn new(file: impl Into<PathBuf>, package: &'static str) -> Self {
        Self { file: file.into(), package }
    }

    fn is_there(&self) -> bool {
        // Joined to a folder, a whole path stays what it is.
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .any(|folder| folder.join(&self.file).is_file())
    }
}

impl Workshop {
    /// Installs what is missing. Where that cannot be done the error is [`Skipped`], except in CI, which is to notice.
    pub(super) fn debian(&mut self, needed: &[Packaged]) -> Result<()> {
        let missing: Vec<&Packaged> = needed.iter().filter(|each| !each.is_there()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let packages: Vec<&str> = missing.iter().map(|each| each.package).collect();
        if !Packaged::new("apt-get", "apt").is_there() || !is_root() {
            let files: Vec<String> = missing.iter().map(|each| each.file.display().to_string()).collect();
            return give_up(format!(
                "{} not found; as root on Debian: apt-get install -y --no-install-recommends {}",
                files.join(", "),
                packages.join(" ")
            ));
        }
        self.screen.say(&format!("installing {}", packages.join(", ")));
        let mut update = self.program("apt-get");
        update.arg("update");
        let mut install = self.program("apt-get");
        install.args(["install", "-y", "--no-install-recommends"]).args(&packages);
        for command in [&mut update, &mut install] {
            if let Err(error) = self.run(command.env("DEBIAN_FRONTEND", "noninteractive")) {
                return give_up(format!("cannot install {}: {error:#}", packages.join(", ")));
            }
        }
        match missing.iter().find(|each| !each.is_there()) {
            None => Ok(()),
            Some(each) => give_up(format!("Debian's package {} has brought no {}", each.package, each.file.display())),
        }
    }
}

fn give_up(reason: String) -> Result<()> {
    if std::env::var("CI").is_ok_and(|value| value == "true") {
        bail!("{reason} (where CI=true no step is skipped)");
    }
    Err(Skipped(reason).into())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_for_on_the_path_and_paths_where_they_lead() {
        assert!(Packaged::new("cargo", "cargo").is_there());
        assert!(!Packaged::new("keystead-has-no-such-tool", "none").is_there());
        let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(Packaged::new(manifest.join("Cargo.toml"), "none").is_there());
        assert!(!Packaged::new(manifest.join("no-such-file"), "none").is_there());
    }
}
