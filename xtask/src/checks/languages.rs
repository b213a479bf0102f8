//! What crosses languages: the oracle, its vectors, and random cases through every front.

use anyhow::Result;

use crate::workshop::Workshop;

pub(super) fn oracle(workshop: &mut Workshop) -> Result<()> {
    let python = workshop.toolchain.python.clone();
    for arguments in [&["tests/test_reference.py"][..], &["tests/generate.py", "--check"]] {
        let mut command = workshop.python(&python);
        workshop.run(command.args(arguments))?;
    }
    Ok(())
}

pub(super) fn cross(workshop: &mut Workshop) -> Result<()> {
    let rust = workshop.example("cross")?;
    let command_line = workshop.command()?;
    let environment = workshop.wheel_environment()?;
    let package = workshop.consumer()?.package();
    let mut command = workshop.python(&environment.python());
    command.args(["tests/cross.py", "--cases", "20000", "--rust"]).arg(rust).arg("--cli").arg(command_line);
    command.arg("--python").arg(environment.python()).env("KEYSTEAD_PACKAGE", package);
    let lines = workshop.run(&mut command)?;
    // The seed is what repeats a run.
    for line in lines.iter().filter(|line| line.contains("seed")) {
        workshop.screen.say(line);
    }
    Ok(())
}
