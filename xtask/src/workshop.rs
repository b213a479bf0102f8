//! What every command works with: the project, the tools, the screen, and what has been built so far.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::node::Consumer;
use crate::project::{self, Project};
use crate::python::Environment;
use crate::screen::Screen;
use crate::toolchain::Toolchain;

/// Made once in a run, on first need, so that steps can be run alone and in any order.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) wheel: Option<PathBuf>,
    pub(crate) environment: Option<Environment>,
    pub(crate) npm_packages: bool,
    pub(crate) addon: bool,
    pub(crate) tarball: Option<PathBuf>,
    pub(crate) consumer: Option<Consumer>,
}

#[derive(Debug)]
pub(crate) struct Workshop {
    pub(crate) project: Project,
    pub(crate) toolchain: Toolchain,
    pub(crate) screen: Screen,
    pub(crate) made: Made,
}

impl Workshop {
    /// Finds the project and the tools; says which.
    pub(crate) fn open(verbose: bool) -> Result<Self> {
        let toolchain = Toolchain::find()?;
        let project = Project::find()?;
        let screen = Screen::new(verbose);
        screen.say(&toolchain.to_string());
        Ok(Self { project, toolchain, screen, made: Made::default() })
    }

    /// A cargo command in the workspace.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(project::cargo());
        command.args(arguments);
        command
    }

    /// Any program, in the root of the sources, with cargo's target folder handed on and without what `cargo run` set for us alone.
    pub(crate) fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project.root()).env("CARGO_TARGET_DIR", self.project.target());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_")
                || text.starts_with("CARGO_MANIFEST_")
                || text == "CARGO_BIN_NAME"
                || text == "CARGO_CRATE_NAME"
            {
                command.env_remove(&name);
            }
        }
        command
    }

    /// Runs it; its lines are in the answer, in the log, and the closing ones on the screen.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<Vec<String>> {
        self.screen.run(command)
    }

    /// Builds in the release profile, gives the path of what was built.
    pub(crate) fn release(&mut self, arguments: &[&str], built: &str) -> Result<PathBuf> {
        let mut command = self.cargo(&["build", "--release", "--locked"]);
        self.run(command.args(arguments))?;
        let path = self.project.target().join("release").join(format!("{built}{}", std::env::consts::EXE_SUFFIX));
        if !path.is_file() {
            bail!("cargo built no {}", path.display());
        }
        Ok(path)
    }

    /// The command `keystead`.
    pub(crate) fn command(&mut self) -> Result<PathBuf> {
        self.release(&["-p", "keystead-cli"], "keystead")
    }

    /// An example program of the core.
    pub(crate) fn example(&mut self, name: &str) -> Result<PathBuf> {
        self.release(&["-p", "keystead", "--features", "json", "--example", name], &format!("examples/{name}"))
    }
}

/// The only file in `folder` whose name ends in `ending`.
pub(crate) fn only_file(folder: &std::path::Path, ending: &str) -> Result<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        count => bail!("{} holds {count} files that end in {ending}, not 1", folder.display()),
    }
}
