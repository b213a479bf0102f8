//! Real input for the demo: files of this machine as keys, with their sizes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Fewer keys than this show no distribution.
const ENOUGH: usize = 1_000;
/// As many keys as three languages rank in some seconds each.
const MOST: usize = 100_000;

/// Keys and their sizes in bytes, ascending by key.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) from: &'static str,
    pub(super) sizes: BTreeMap<String, u64>,
    /// How many were found before some were left out.
    pub(super) found: usize,
}

impl Keys {
    /// The sources of cargo's registry folder; where there are few, the files of this workspace.
    pub(super) fn collect(root: &Path, target: &Path) -> Result<Self> {
        let mut sizes = BTreeMap::new();
        if let Some(cargo) = cargo_home() {
            // A folder for each index, in it one for each package: the key is `PACKAGE/PATH`, the same whatever the index is called.
            for index in folders(&cargo.join("registry").join("src")) {
                walk(&index, &index, &[], &mut sizes);
            }
        }
        let mut from = "the sources in cargo's registry folder";
        if sizes.len() < ENOUGH {
            sizes.clear();
            from = "the files of this workspace";
            walk(root, root, &[target, &root.join(".git")], &mut sizes);
        }
        if sizes.is_empty() {
            bail!("found no file to use as a key, neither in cargo's registry folder nor in {}", root.display());
        }
        let found = sizes.len();
        if found > MOST {
            // Every n-th, so that what stays is spread over all packages.
            let step = found.div_ceil(MOST);
            sizes = sizes.into_iter().step_by(step).collect();
        }
        Ok(Self { from, sizes, found })
    }

    /// One a line.
    pub(super) fn text(&self) -> String {
        self.sizes.keys().flat_map(|key| [key.as_str(), "\n"]).collect()
    }
}

fn cargo_home() -> Option<PathBuf> {
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os(home)?).join(".cargo")))
}

/// The folders in a folder; none where it cannot be read.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Adds the files below `folder`. What cannot be read, is no UTF-8, or has a control character in its name is left out; links are not followed.
fn walk(folder: &Path, top: &Path, left_out: &[&Path], sizes: &mut BTreeMap<String, u64>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if !left_out.contains(&path.as_path()) && entry.file_name() != "node_modules" {
                walk(&path, top, left_out, sizes);
            }
        } else if kind.is_file() {
            let (Ok(metadata), Some(key)) = (entry.metadata(), key(&path, top)) else { continue };
            sizes.entry(key).or_insert(metadata.len());
        }
    }
}

/// The path below `top` with `/` between its parts, the same on every system.
fn key(path: &Path, top: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> =
        path.strip_prefix(top).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
    let key = parts?.join("/");
    (!key.chars().any(char::is_control)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_paths_with_slashes() {
        let top = Path::new("registry").join("src");
        assert_eq!(key(&top.join("serde-1.0").join("lib.rs"), &top).as_deref(), Some("serde-1.0/lib.rs"));
        assert_eq!(key(&top.join("a\nb"), &top), None);
        assert_eq!(key(Path::new("elsewhere"), &top), None);
    }

    #[test]
    fn the_workspace_itself_is_found() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut sizes = BTreeMap::new();
        walk(folder, folder, &[&folder.join("demo")], &mut sizes);
        assert!(sizes["src/main.rs"] > 0);
        assert!(!sizes.contains_key("demo/cluster.json"));
    }
}
