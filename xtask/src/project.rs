//! Where things are: the sources, and the one folder into which everything is built and installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// The workspace and its target folder.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    root: PathBuf,
    target: PathBuf,
}

impl Project {
    /// Asks cargo, which knows `CARGO_TARGET_DIR` and every configuration file.
    pub(crate) fn find() -> Result<Self> {
        let manifest = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let output = Command::new(cargo())
            .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
            .arg(Path::new(&manifest).join("Cargo.toml"))
            .output()
            .context("cannot start cargo")?;
        if !output.status.success() {
            bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let metadata: serde_json::Value =
            serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")?;
        let folder = |name: &str| {
            metadata[name].as_str().map(PathBuf::from).with_context(|| format!("cargo metadata names no {name}"))
        };
        Ok(Self { root: folder("workspace_root")?, target: folder("target_directory")? })
    }

    /// A path within the sources.
    pub(crate) fn source(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The root of the sources.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target folder.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// A path below the folder in which these commands keep what they install: environments, packages, logs.
    pub(crate) fn kept(&self, path: &str) -> PathBuf {
        self.target.join("xtask").join(path)
    }

    /// The same, as an empty folder: what an earlier run left there is removed.
    pub(crate) fn empty(&self, path: &str) -> Result<PathBuf> {
        let folder = self.kept(path);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }
}

/// The cargo that started us, so that a toolchain chosen by `cargo +x xtask` is kept.
pub(crate) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
