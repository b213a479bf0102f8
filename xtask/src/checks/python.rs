//! What is checked with the installed wheel and the source distribution.

use anyhow::Result;

use crate::python::PACKAGE;
use crate::workshop::Workshop;

pub(super) fn wheel(workshop: &mut Workshop) -> Result<()> {
    workshop.wheel()?;
    Ok(())
}

/// Compiles the package for a Python without the GIL, whatever Python is here: pyo3 is told about one that is not. (Its stable ABI is another, so
/// a wheel for it would be one of its own.)
pub(super) fn free_threaded(workshop: &mut Workshop) -> Result<()> {
    const PYTHON: &str = "implementation=CPython\nversion=3.14\nshared=true\nbuild_flags=Py_GIL_DISABLED\n\
                          suppress_build_script_link_lines=true\n";
    let folder = workshop.project.kept("free-threaded");
    std::fs::create_dir_all(&folder)?;
    let told = folder.join("python.txt");
    std::fs::write(&told, PYTHON)?;
    let mut command = workshop.cargo(&["check", "--locked", "-p", "bindings-python"]);
    // In a folder of its own, or pyo3 would be built anew for each of the two in every run.
    command.env("PYO3_CONFIG_FILE", told).env("CARGO_TARGET_DIR", folder);
    workshop.run(&mut command)?;
    Ok(())
}

pub(super) fn tests(workshop: &mut Workshop) -> Result<()> {
    let environment = workshop.wheel_environment()?;
    let mut command = workshop.python(&environment.python());
    // Without its cache, which would lie among the sources, and without the sources on Python's path: the wheel is what is tested.
    command.current_dir(workshop.project.source(PACKAGE)).args(["-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    workshop.run(&mut command)?;
    Ok(())
}

pub(super) fn stubtest(workshop: &mut Workshop) -> Result<()> {
    let environment = workshop.wheel_environment()?;
    let folder = workshop.project.empty("python/stubtest")?;
    let mut command = workshop.python(&environment.python());
    workshop.run(command.current_dir(folder).args(["-m", "mypy.stubtest", "keystead"]))?;
    Ok(())
}

pub(super) fn mypy(workshop: &mut Workshop) -> Result<()> {
    let environment = workshop.wheel_environment()?;
    let program = workshop.project.source(PACKAGE).join("tests").join("typed.py");
    let cache = workshop.project.kept("python/mypy");
    let mut command = workshop.python(&environment.python());
    command.args(["-m", "mypy", "--strict", "--cache-dir"]).arg(cache).arg(program);
    workshop.run(&mut command)?;
    Ok(())
}

/// Builds the wheel from the source distribution in pip's own clean environment, as a user's pip would, and asks it one question.
pub(super) fn sdist(workshop: &mut Workshop) -> Result<()> {
    let sdist = workshop.sdist()?;
    let environment = workshop.environment("sdist", true)?;
    workshop.pip_install(&environment, &["--no-cache-dir", &sdist.to_string_lossy()])?;
    let question = "import keystead\n\
                    owner = keystead.Cluster(['cache-a', 'cache-b', 'cache-c']).owner('user:42')\n\
                    assert owner == 'cache-c', owner\n\
                    print('keystead', keystead.__version__, 'from the source distribution answers')";
    let mut command = workshop.python(&environment.python());
    let lines = workshop.run(command.args(["-c", question]))?;
    workshop.screen.say(&lines.join("\n"));
    Ok(())
}
