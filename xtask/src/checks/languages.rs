//! What crosses languages: the oracle, its vectors, and random cases through every front.

use anyhow::{Context as _, Result};

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
    if let Some(seed) = seed()? {
        command.args(["--seed", &seed.to_string()]);
    }
    let lines = workshop.run(&mut command)?;
    // The seed is what repeats a run.
    for line in lines.iter().filter(|line| line.contains("seed")) {
        workshop.screen.say(line);
    }
    Ok(())
}

/// The variable that chooses the random cases of every step: a number, or `random`.
const SEED: &str = "KEYSTEAD_SEED";

/// Where the variable names none, the same cases in every run: a change is to be judged by what it does, not by the luck of the day.
pub(super) fn seed() -> Result<Option<u64>> {
    match std::env::var(SEED) {
        Err(_) => Ok(Some(1)),
        Ok(word) if word == "random" => Ok(None),
        Ok(number) => number
            .parse()
            .map(Some)
            .with_context(|| format!("{SEED} is {number:?}: a number below 2^64, or the word random")),
    }
}
