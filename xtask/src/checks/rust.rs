//! What is checked with cargo alone.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::languages::seed;
use crate::process::Failed;
use crate::workshop::Workshop;

/// Workspaces beside the main one, which therefore never shape its lock file or its features.
const OTHER_WORKSPACES: [&str; 3] = ["tests/no-std/Cargo.toml", "fuzz/Cargo.toml", "benches/rust/Cargo.toml"];

pub(super) fn fmt(workshop: &mut Workshop) -> Result<()> {
    for manifest in ["Cargo.toml"].iter().chain(&OTHER_WORKSPACES) {
        let mut command =
            workshop.cargo(&["fmt", "--all", "--check", "--manifest-path", manifest, "--", "--color", "never"]);
        workshop.run(&mut command)?;
    }
    Ok(())
}

pub(super) fn clippy(workshop: &mut Workshop) -> Result<()> {
    let strict = ["--", "-D", "warnings"];
    let mut command = workshop.cargo(&["clippy", "--locked", "--workspace", "--all-targets", "--all-features"]);
    workshop.run(command.args(strict))?;
    // Fewer features are other code: an import that only `json` needs is unused without it.
    for features in [&["--no-default-features"][..], &[]] {
        let mut command = workshop.cargo(&["clippy", "--locked", "-p", "keystead", "--all-targets"]);
        workshop.run(command.args(features).args(strict))?;
    }
    let mut command = workshop.cargo(&["clippy", "--locked", "--all-targets", "--manifest-path", "fuzz/Cargo.toml"]);
    workshop.run(command.args(strict))?;
    let mut command =
        workshop.cargo(&["clippy", "--locked", "--all-targets", "--manifest-path", "benches/rust/Cargo.toml"]);
    workshop.run(command.args(strict))?;
    Ok(())
}

/// `cargo test`. Random cases are the same in every run unless others are asked for: a change is to be judged by what it does.
fn cargo_test(workshop: &Workshop, arguments: &[&str]) -> Result<Command> {
    const PROPTEST: &str = "PROPTEST_RNG_SEED";
    let mut command = workshop.cargo(&["test", "--locked"]);
    command.args(arguments);
    if let (Some(seed), None) = (seed()?, std::env::var_os(PROPTEST)) {
        command.env(PROPTEST, seed.to_string());
    }
    Ok(command)
}

pub(super) fn all_features(workshop: &mut Workshop) -> Result<()> {
    // `--all-targets` leaves the doc tests to their own step, and builds the examples.
    let mut command = cargo_test(workshop, &["--workspace", "--all-features", "--all-targets"])?;
    workshop.run(&mut command)?;
    Ok(())
}

pub(super) fn default_features(workshop: &mut Workshop) -> Result<()> {
    // Alone: another package's wishes would switch features on.
    let mut command = cargo_test(workshop, &["-p", "keystead", "--all-targets"])?;
    workshop.run(&mut command)?;
    Ok(())
}

pub(super) fn no_features(workshop: &mut Workshop) -> Result<()> {
    let mut command = cargo_test(workshop, &["-p", "keystead", "--no-default-features"])?;
    workshop.run(&mut command)?;
    Ok(())
}

pub(super) fn doc_tests(workshop: &mut Workshop) -> Result<()> {
    let mut command = workshop.cargo(&["test", "--locked", "--doc", "--all-features"]);
    workshop.run(command.args(["-p", "keystead", "-p", "keystead-avx512"]))?;
    Ok(())
}

pub(super) fn rustdoc(workshop: &mut Workshop) -> Result<()> {
    let mut command = workshop.cargo(&["doc", "--locked", "--workspace", "--no-deps", "--all-features"]);
    workshop.run(command.env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(())
}

/// Builds and runs the core in a program that has no std, then makes sure that the same build would notice std.
pub(super) fn no_std(workshop: &mut Workshop) -> Result<()> {
    const MANIFEST: &str = "tests/no-std/Cargo.toml";
    for features in ["", "alloc", "json"] {
        let mut command = workshop.cargo(&["run", "--locked", "--manifest-path", MANIFEST, "--features", features]);
        workshop.run(&mut command)?;
    }
    let mut command = workshop.cargo(&["build", "--locked", "--manifest-path", MANIFEST, "--features", "leak"]);
    // Shown to nobody: this failure is the success.
    match crate::process::run(&mut command, None, &mut |_| {}) {
        Ok(_) => bail!("a dependency on std went unnoticed: tests/no-std built with its feature `leak`"),
        Err(error) if error.downcast_ref::<Failed>().is_some_and(|failed| failed.printed("panic_impl")) => Ok(()),
        Err(error) => {
            Err(error
                .context("tests/no-std with its feature `leak` failed for another reason than a second panic handler"))
        }
    }
}

pub(super) fn fuzz_corpus(workshop: &mut Workshop) -> Result<()> {
    let mut command = workshop.cargo(&["test", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    workshop.run(&mut command)?;
    Ok(())
}

pub(super) fn deny(workshop: &mut Workshop) -> Result<()> {
    let tool = workshop.cargo_deny()?;
    let mut command = workshop.program(tool);
    workshop.run(command.args(["--all-features", "check", "bans", "licenses", "sources"]))?;
    Ok(())
}

pub(super) fn package(workshop: &mut Workshop) -> Result<()> {
    // Dirty, since a check before a commit is the one that is needed most.
    let package = ["package", "--locked", "--allow-dirty", "-p", "keystead-avx512"];
    let folder = workshop.project.empty("package")?;
    let mut command = workshop.cargo(&package);
    workshop.run(command.args(["--no-verify", "--target-dir"]).arg(&folder))?;
    // The core is built with the other crate as packaged, which cargo unpacks below its home under the name of this folder, and never again:
    // so another content must have another name.
    let archives: Vec<_> = fs::read_dir(folder.join("package"))?.collect::<std::io::Result<_>>()?;
    let archive =
        archives.iter().map(fs::DirEntry::path).find(|path| path.extension().is_some_and(|end| end == "crate"));
    let mut content = DefaultHasher::new();
    content.write(&fs::read(archive.context("no crate was packaged")?)?);
    let mut command = workshop.cargo(&package);
    command.args(["-p", "keystead", "--target-dir"]).arg(folder.join(format!("{:016x}", content.finish())));
    workshop.run(&mut command)?;
    Ok(())
}
