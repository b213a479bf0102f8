//! The Node package: its addon, its tarball, and a folder to install it into.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::toolchain::npm_program;
use crate::workshop::{Workshop, only_file};

/// The folder of the package.
pub(crate) const PACKAGE: &str = "bindings-node";

/// A folder with nothing but the installed package, as a user of it has.
#[derive(Debug, Clone)]
pub(crate) struct Consumer {
    pub(crate) folder: PathBuf,
}

impl Consumer {
    /// The installed package.
    pub(crate) fn package(&self) -> PathBuf {
        self.folder.join("node_modules").join("keystead")
    }
}

impl Workshop {
    /// An npm command in a folder.
    pub(crate) fn npm(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = self.program(npm_program());
        command.current_dir(folder).args(arguments);
        command
    }

    /// The tools of the package's own folder, as its lock file says. Left alone while the lock file is what it was at the last installation.
    pub(crate) fn npm_packages(&mut self) -> Result<()> {
        if self.made.npm_packages {
            return Ok(());
        }
        let folder = self.project.source(PACKAGE);
        let lock =
            std::fs::read(folder.join("package-lock.json")).context("cannot read bindings-node/package-lock.json")?;
        let stamp = folder.join("node_modules").join(".keystead-lock");
        if std::fs::read(&stamp).ok().as_deref() != Some(&lock) {
            let mut command = self.npm(&folder, &["ci", "--no-audit", "--no-fund"]);
            self.run(&mut command)?;
            std::fs::create_dir_all(folder.join("node_modules"))?;
            std::fs::write(&stamp, &lock).with_context(|| format!("cannot write {}", stamp.display()))?;
        }
        self.made.npm_packages = true;
        Ok(())
    }

    /// The addon, built in the release profile beside the package's sources; with it `binding.js` and `binding.d.ts` are generated again.
    pub(crate) fn addon(&mut self) -> Result<()> {
        if self.made.addon {
            return Ok(());
        }
        self.npm_packages()?;
        let mut command = self.npm(&self.project.source(PACKAGE), &["run", "build"]);
        self.run(&mut command)?;
        self.made.addon = true;
        Ok(())
    }

    /// The packed package.
    pub(crate) fn tarball(&mut self) -> Result<PathBuf> {
        if let Some(tarball) = &self.made.tarball {
            return Ok(tarball.clone());
        }
        self.addon()?;
        let folder = self.project.empty("tarball")?;
        let mut command = self.npm(&self.project.source(PACKAGE), &["pack", "--pack-destination"]);
        self.run(command.arg(&folder))?;
        let tarball = only_file(&folder, ".tgz")?;
        self.made.tarball = Some(tarball.clone());
        Ok(tarball)
    }

    /// A folder with the packed package and what a package.json names beside it.
    pub(crate) fn modules_with(&mut self, name: &str, packages: &str) -> Result<PathBuf> {
        let tarball = self.tarball()?;
        let folder = self.project.empty(&format!("node/{name}"))?;
        std::fs::copy(self.project.source(packages), folder.join("package.json"))
            .with_context(|| format!("cannot copy {packages}"))?;
        let mut command = self.npm(&folder, &["install", "--no-audit", "--no-fund", "--no-package-lock"]);
        self.run(command.arg(tarball))?;
        Ok(folder)
    }

    /// An empty folder with the packed package installed into it.
    pub(crate) fn consumer(&mut self) -> Result<Consumer> {
        if let Some(consumer) = &self.made.consumer {
            return Ok(consumer.clone());
        }
        let tarball = self.tarball()?;
        let folder = self.project.empty("node/consumer")?;
        std::fs::write(folder.join("package.json"), "{\"name\": \"consumer\", \"private\": true}\n")?;
        let mut command = self.npm(&folder, &["install", "--no-audit", "--no-fund", "--no-package-lock"]);
        self.run(command.arg(&tarball))?;
        let consumer = Consumer { folder };
        self.made.consumer = Some(consumer.clone());
        Ok(consumer)
    }
}
