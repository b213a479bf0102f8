//! The Python package: its wheel, its source distribution, and environments to install them into.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::workshop::{Workshop, only_file};

/// The folder of the package.
pub(crate) const PACKAGE: &str = "bindings-python";

/// What builds the wheel; the range is that of `[build-system]` in its pyproject.toml.
const BUILD_TOOLS: &[&str] = &["maturin>=1.9.4,<2"];
/// Names what the package's own tests need.
const TEST_TOOLS: &str = "bindings-python/tests/requirements.txt";

/// A virtual environment.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// A program that was installed into it.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        let (folder, ending) = if cfg!(windows) { ("Scripts", ".exe") } else { ("bin", "") };
        self.folder.join(folder).join(format!("{name}{ending}"))
    }

    /// The environment's interpreter.
    pub(crate) fn python(&self) -> PathBuf {
        self.tool("python")
    }
}

impl Workshop {
    /// An environment; `clean` without anything that an earlier run has installed.
    pub(crate) fn environment(&mut self, name: &str, clean: bool) -> Result<Environment> {
        let folder = self.project.kept(&format!("python/{name}"));
        let environment = Environment { folder };
        if clean || !environment.python().is_file() {
            let python = self.toolchain.python.clone();
            let mut command = self.program(python);
            self.run(command.args(["-m", "venv", "--clear"]).arg(&environment.folder))?;
        }
        Ok(environment)
    }

    /// An interpreter's command, in the root of the sources; it writes no bytecode beside them and sees no package outside its environment.
    pub(crate) fn python(&self, python: &Path) -> Command {
        let mut command = self.program(python);
        command
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONUTF8", "1")
            .env_remove("PYTHONPATH")
            .env_remove("VIRTUAL_ENV");
        command
    }

    /// Installs with pip.
    pub(crate) fn pip_install(&mut self, environment: &Environment, arguments: &[&str]) -> Result<()> {
        let mut command = self.python(&environment.python());
        command
            .args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"])
            .args(arguments);
        self.run(&mut command)?;
        Ok(())
    }

    /// maturin's command, in the folder of the package. The environment that holds it is kept from run to run.
    fn maturin(&mut self, arguments: &[&str]) -> Result<Command> {
        let tools = self.environment("build-tools", false)?;
        self.pip_install(&tools, BUILD_TOOLS)?;
        let mut command = self.python(&tools.python());
        command.current_dir(self.project.source(PACKAGE)).args(["-m", "maturin"]).args(arguments);
        Ok(command)
    }

    /// The wheel, built in the release profile.
    pub(crate) fn wheel(&mut self) -> Result<PathBuf> {
        if let Some(wheel) = &self.made.wheel {
            return Ok(wheel.clone());
        }
        let folder = self.project.empty("wheel")?;
        let interpreter = self.toolchain.python.clone();
        let mut command = self.maturin(&["build", "--release", "--locked", "--out"])?;
        self.run(command.arg(&folder).arg("--interpreter").arg(interpreter))?;
        let wheel = only_file(&folder, ".whl")?;
        self.made.wheel = Some(wheel.clone());
        Ok(wheel)
    }

    /// A clean environment that holds the wheel and what its tests need.
    pub(crate) fn wheel_environment(&mut self) -> Result<Environment> {
        if let Some(environment) = &self.made.environment {
            return Ok(environment.clone());
        }
        let environment = self.environment_with("wheel", TEST_TOOLS)?;
        self.made.environment = Some(environment.clone());
        Ok(environment)
    }

    /// A clean environment that holds the wheel and the packages that a file of requirements names.
    pub(crate) fn environment_with(&mut self, name: &str, requirements: &str) -> Result<Environment> {
        let wheel = self.wheel()?;
        let environment = self.environment(name, true)?;
        self.pip_install(&environment, &[&wheel.to_string_lossy(), "--requirement", requirements])?;
        Ok(environment)
    }

    /// The source distribution.
    pub(crate) fn sdist(&mut self) -> Result<PathBuf> {
        let folder = self.project.empty("sdist")?;
        let mut command = self.maturin(&["sdist", "--out"])?;
        self.run(command.arg(&folder))?;
        only_file(&folder, ".tar.gz")
    }
}
