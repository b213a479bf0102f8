//! How many instructions ten operations of the core take: a figure that no load on the machine disturbs, so that a slowdown shows
//! where times cannot show it.
//!
//! An operation is run under valgrind's callgrind once and then twice as often; the difference is the operation alone. valgrind's processor has no
//! AVX-512, so the figures are those of the scan without it, whatever the machine.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};

use super::debian::Packaged;
use crate::screen::{right, table};
use crate::workshop::Workshop;

/// The figures, with the compiler that made the program.
const RECORDED: &str = "benches/instructions.json";

/// What an operation may take more than recorded, in percent.
const ALLOWANCE: u64 = 3;

/// The command that writes the figures anew.
const RECORD: &str = "cargo xtask instructions --record";

/// The step: no operation takes more instructions than recorded, as far as the compiler is the same.
pub(super) fn check(workshop: &mut Workshop) -> Result<()> {
    let file = workshop.project.source(RECORDED);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}: {RECORD}", file.display()))?;
    let recorded: Value = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", file.display()))?;
    let compiler = compiler(workshop)?;
    if recorded["compiler"] != json!(compiler) {
        workshop.screen.say(&format!(
            "not compared: the figures are of {}, and this is {compiler}; anew: {RECORD}",
            recorded["compiler"].as_str().unwrap_or("no compiler")
        ));
        return Ok(());
    }
    let figures = recorded["instructions"].as_object().context("no instructions are recorded")?;
    let lines = judge(figures, &count(workshop)?)?;
    workshop.screen.say(&lines);
    Ok(())
}

/// `cargo xtask instructions`: counts, and writes what it counted where asked to.
pub(crate) fn instructions(record: bool, verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    workshop.screen.begin("counting", &workshop.project.kept("logs/instructions.log"))?;
    let counted = compiler(&mut workshop).and_then(|compiler| Ok((compiler, count(&mut workshop)?)));
    workshop.screen.end();
    let (compiler, counted) = counted?;
    let mut shown = table(&["operation", "instructions"]);
    for (name, number) in &counted {
        shown.add_row([name.clone(), number.to_string()]);
    }
    right(&mut shown, &[1]);
    println!("{compiler}\n{shown}");
    if record {
        let file = workshop.project.source(RECORDED);
        let text = serde_json::to_string_pretty(&json!({ "compiler": compiler, "instructions": counted }))? + "\n";
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        println!("written to {RECORDED}");
    }
    Ok(())
}

/// Version, commit and target of the compiler: any of them can change a figure.
fn compiler(workshop: &mut Workshop) -> Result<String> {
    let mut command = workshop.program("rustc");
    let lines = workshop.run(command.arg("-vV"))?;
    let host = lines.iter().find_map(|line| line.strip_prefix("host: ")).context("rustc -vV names no host")?;
    Ok(format!("{} for {host}", lines[0]))
}

/// Instructions of each operation, for one time.
fn count(workshop: &mut Workshop) -> Result<Map<String, Value>> {
    workshop.debian(&[Packaged::new("valgrind", "valgrind")])?;
    let program = workshop.example("instructions")?;
    let mut command = workshop.program(&program);
    let mut counted = Map::new();
    for line in workshop.run(&mut command)? {
        let (times, name) = line.split_once('\t').with_context(|| format!("no operation: {line}"))?;
        let times: u64 = times.parse()?;
        let once = collected(workshop, &program, name, times)?;
        let twice = collected(workshop, &program, name, 2 * times)?;
        counted.insert(name.to_owned(), json!(twice.saturating_sub(once) / times));
    }
    Ok(counted)
}

/// The instructions of the whole program.
fn collected(workshop: &mut Workshop, program: &Path, name: &str, times: u64) -> Result<u64> {
    let mut command = workshop.program("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args([name, &times.to_string()]);
    let lines = workshop.run(&mut command)?;
    let figure = lines.iter().find_map(|line| line.split_once("Collected :")).context("callgrind counted nothing")?;
    figure.1.trim().parse().with_context(|| format!("callgrind counted {:?}", figure.1))
}

/// Compares; the answer says what has become cheaper.
fn judge(recorded: &Map<String, Value>, counted: &Map<String, Value>) -> Result<String> {
    if !recorded.keys().eq(counted.keys()) {
        bail!("{RECORDED} has other operations than the program: {RECORD}");
    }
    let (mut more, mut fewer) = (Vec::new(), Vec::new());
    for ((name, before), now) in recorded.iter().zip(counted.values()) {
        let (Some(before), Some(now)) = (before.as_u64().filter(|before| *before > 0), now.as_u64()) else {
            bail!("{RECORDED} says {before} of {name:?}: {RECORD}");
        };
        let line = format!("{name}: {now} instructions, recorded {before}");
        if 100 * now > (100 + ALLOWANCE) * before {
            more.push(line);
        } else if 100 * now < (100 - ALLOWANCE) * before {
            fewer.push(line);
        }
    }
    if !more.is_empty() {
        bail!(
            "slower by more than {ALLOWANCE} %:\n{}\nif it must be, say why in the commit and record it: {RECORD}",
            more.join("\n")
        );
    }
    if fewer.is_empty() {
        return Ok(format!("{} operations within {ALLOWANCE} % of what is recorded", counted.len()));
    }
    Ok(format!("cheaper, and better recorded ({RECORD}):\n{}", fewer.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(owner: u64, ranking: u64) -> Map<String, Value> {
        [("owner".to_owned(), json!(owner)), ("ranking".to_owned(), json!(ranking))].into_iter().collect()
    }

    #[test]
    fn three_percent_are_allowed_and_no_more() {
        assert!(judge(&figures(1000, 100), &figures(1030, 100)).unwrap().starts_with("2 operations within"));
        let message = judge(&figures(1000, 100), &figures(1031, 100)).unwrap_err().to_string();
        assert!(message.contains("owner: 1031 instructions, recorded 1000"), "{message}");
        assert!(!message.contains("ranking"), "{message}");
    }

    #[test]
    fn what_became_cheaper_is_said() {
        assert!(judge(&figures(1000, 100), &figures(500, 100)).unwrap().contains("owner: 500"));
    }

    #[test]
    fn rejects_figures_of_other_operations() {
        let mut other = figures(1, 1);
        other.insert("top".to_owned(), json!(1));
        assert!(judge(&other, &figures(1, 1)).is_err());
        assert!(judge(&figures(0, 1), &figures(1, 1)).is_err());
    }
}
