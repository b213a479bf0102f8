//! `cargo xtask bench`: ours beside the peers in each language, and `cargo xtask measure`: evenness and movement.
//!
//! A language's program measures in its own process, in interleaved rounds, and prints JSON. Here it becomes tables, plots and files.

mod growth;
mod machine;
mod plot;
mod plots;
mod report;
mod results;
mod targets;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::screen::{right, spoken, table, timed};
use crate::workshop::Workshop;

use self::growth::Series;
use self::machine::Machine;
use self::report::{Report, figures, nanoseconds};
use self::results::Run;
use self::targets::Targets;

/// What a full run writes beside the plots.
const RESULTS: &str = "benches/RESULTS.md";
const ROUNDS: &str = "benches/results.json";

pub(crate) fn bench(quick: bool, write: bool, verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    let targets = Targets::load(&workshop.project.source(targets::FILE))?;
    let (programs, time) = timed(|| build(&mut workshop));
    let mut programs = programs?;
    workshop
        .screen
        .say(&format!("built and installed in {}; other programs on this machine spoil what follows\n", spoken(time)));
    let mut machine = Machine::look(&workshop);
    let (mut reports, mut growth) = (Vec::new(), Vec::new());
    let (outcome, time) = timed(|| {
        for (language, program) in &mut programs {
            machine.listen();
            let (report, series) = one_language(&mut workshop, language, program, quick)?;
            show(&report, &targets);
            reports.push(report);
            growth.extend(series);
        }
        anyhow::Ok(())
    });
    outcome?;
    let command = format!("cargo xtask bench{}", if quick { " --quick" } else { "" });
    let run = Run { machine: &machine, command: &command, reports: &reports, growth: &growth, targets: &targets };
    println!("machine: {machine}\n{}; measured in {}", run.summary(), spoken(time));
    if machine.is_busy() {
        println!("this machine was not ours alone: only the ratios are worth something");
    }
    // A short run is for a look; what is kept is from a long one.
    let root = if write || !quick { workshop.project.root().to_owned() } else { workshop.project.kept("bench") };
    plots::write(&root, &growth)?;
    write_file(&root.join(RESULTS), &run.markdown())?;
    write_file(&root.join(ROUNDS), &json(&run)?)?;
    println!("written: {RESULTS}, {ROUNDS} and {} in {}", plots::FOLDER, root.display());
    Ok(())
}

/// The rounds of one language's program, and its points of the growth plots.
fn one_language(
    workshop: &mut Workshop,
    language: &str,
    program: &Command,
    quick: bool,
) -> Result<(Report, Vec<Series>)> {
    let log = workshop.project.kept(&format!("logs/bench-{language}.log"));
    workshop.screen.begin(&format!("measuring {language}"), &log)?;
    let mut command = growth::again(program);
    if quick {
        command.arg("--quick");
    }
    let lines = workshop.run(&mut command);
    workshop.screen.end();
    let lines = lines?;
    let report = lines
        .iter()
        .rev()
        .find(|line| line.starts_with('{'))
        .with_context(|| format!("the {language} program printed no JSON"))?;
    let report = Report::read(report)?;
    workshop.screen.begin(&format!("growth in {language}"), &log.with_extension("growth.log"))?;
    let series = growth::measure(language, quick, program, &mut |line| workshop.screen.tell(line));
    workshop.screen.end();
    Ok((report, series?))
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Everything that is measured, built and installed before the first measurement.
fn build(workshop: &mut Workshop) -> Result<Vec<(&'static str, Command)>> {
    workshop.screen.say("building the programs and installing the peers …");
    workshop.screen.begin("building", &workshop.project.kept("logs/bench-build.log"))?;
    let rust = rust(workshop)?;
    let python = python(workshop)?;
    let node = node(workshop)?;
    workshop.screen.end();
    Ok(vec![("Rust", rust), ("Python", python), ("Node", node)])
}

fn rust(workshop: &mut Workshop) -> Result<Command> {
    let mut command = workshop.cargo(&["build", "--release", "--locked", "--manifest-path", "benches/rust/Cargo.toml"]);
    workshop.run(&mut command)?;
    let built = format!("benches-rust{}", std::env::consts::EXE_SUFFIX);
    let mut program = workshop.program(workshop.project.target().join("release").join(built));
    // Freed memory stays with the process, for all participants alike (glibc; elsewhere nobody reads it).
    program.env("MALLOC_MMAP_MAX_", "0").env("MALLOC_TRIM_THRESHOLD_", "1000000000000");
    Ok(program)
}

/// The environment is kept from run to run, so that only a changed list of peers is installed again.
fn python(workshop: &mut Workshop) -> Result<Command> {
    let wheel = workshop.wheel()?;
    let environment = workshop.environment("bench", false)?;
    let list = "benches/python/requirements.txt";
    if workshop.pip_install(&environment, &["--requirement", list]).is_err() {
        // One by one: a peer that does not install here is left out, and the program says so.
        let text = std::fs::read_to_string(workshop.project.source(list))?;
        for peer in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            if workshop.pip_install(&environment, &[peer]).is_err() {
                workshop.screen.say(&format!("{peer} does not install here: it is left out"));
            }
        }
    }
    workshop.pip_install(&environment, &["--force-reinstall", "--no-deps", &wheel.to_string_lossy()])?;
    let mut python = workshop.python(&environment.python());
    python.arg("benches/python/bench.py");
    Ok(python)
}

fn node(workshop: &mut Workshop) -> Result<Command> {
    let tarball = workshop.tarball()?;
    let folder = workshop.project.kept("node/bench");
    // npm takes a tarball of the same version for the one that it has installed.
    let packages = folder.join("node_modules");
    for old in [packages.join("keystead"), packages.join(".package-lock.json")] {
        let _ = if old.is_dir() { std::fs::remove_dir_all(&old) } else { std::fs::remove_file(&old) };
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::copy(workshop.project.source("benches/node/package.json"), folder.join("package.json"))?;
    let mut command = workshop.npm(&folder, &["install", "--no-audit", "--no-fund", "--no-package-lock"]);
    workshop.run(command.arg(tarball))?;
    let mut node = workshop.program("node");
    node.current_dir(&folder).arg(workshop.project.source("benches/node/bench.mjs"));
    Ok(node)
}

/// The table of one language.
fn show(report: &Report, targets: &Targets) {
    let versions: Vec<String> = report.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    println!("{}: {}", report.language, versions.join(", "));
    let mut times = table(&["operation", "", "median", "least", "time / ours", "target"]);
    for row in &report.rows {
        let first = report.is_ours(row);
        let ratio = report.ratio(row);
        let target =
            targets.find(&report.language, &row.topic, &row.operation, &row.who).map_or_else(String::new, |target| {
                let met = matches!(target.outcome(std::slice::from_ref(report)), targets::Outcome::Met(_));
                format!("{} {}", target.at_least, if met { "met" } else { "MISSED" })
            });
        times.add_row([
            if first { format!("{}, {}", row.topic, row.operation) } else { String::new() },
            row.who.clone(),
            nanoseconds(row.median()),
            nanoseconds(row.least()),
            if first { String::new() } else { figures(ratio) },
            target,
        ]);
    }
    right(&mut times, &[2, 3, 4]);
    println!("{times}\n");
    for left in &report.left_out {
        println!("left out: {}, {}, {}: {}", left.topic, left.operation, left.who, left.reason);
    }
    if !report.memory.is_empty() {
        let mut sizes = table(&["memory", "", "bytes", "for each"]);
        for memory in &report.memory {
            sizes.add_row([
                memory.what.clone(),
                memory.who.clone(),
                memory.bytes.to_string(),
                format!("{:.1} a {}", memory.each(), memory.piece),
            ]);
        }
        right(&mut sizes, &[2, 3]);
        println!("{sizes}\n");
    }
}

/// Every round, a row on a line; times in four figures, which is more than they are worth.
fn json(run: &Run<'_>) -> Result<String> {
    fn lines<T: Serialize>(list: &[T]) -> Result<String> {
        let lines: Vec<String> = list.iter().map(|item| Ok(format!("  {}", short(item)?))).collect::<Result<_>>()?;
        Ok(if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", lines.join(",\n")) })
    }
    let mut text = format!(
        "{{\n\"command\": {},\n\"machine\": {},\n\"languages\": [\n",
        short(&run.command)?,
        short(&run.machine)?
    );
    for (position, report) in run.reports.iter().enumerate() {
        let _ = write!(
            text,
            "{}{{\"language\": {}, \"versions\": {},\n\"rows\": {},\n\"memory\": {},\n\"left_out\": {}}}",
            if position == 0 { "" } else { ",\n" },
            short(&report.language)?,
            short(&report.versions)?,
            lines(&report.rows)?,
            lines(&report.memory)?,
            lines(&report.left_out)?
        );
    }
    let _ = write!(text, "\n],\n\"growth\": {}\n}}\n", lines(run.growth)?);
    Ok(text)
}

/// JSON with its numbers cut to four figures.
fn short(value: &impl Serialize) -> Result<String> {
    fn cut(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Number(number) if number.is_f64() => {
                let text = format!("{:.3e}", number.as_f64().unwrap_or_default());
                if let Some(cut) = text.parse().ok().and_then(serde_json::Number::from_f64) {
                    *number = cut;
                }
            }
            serde_json::Value::Array(list) => list.iter_mut().for_each(cut),
            serde_json::Value::Object(members) => members.values_mut().for_each(cut),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(value)?;
    cut(&mut value);
    Ok(value.to_string())
}

/// Evenness and movement of every algorithm, as Markdown.
pub(crate) fn measure(verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    let program: PathBuf = workshop.example("measure")?;
    workshop.screen.begin("measuring", &workshop.project.kept("logs/measure.log"))?;
    let mut command = workshop.program(program);
    let lines = workshop.run(&mut command);
    workshop.screen.end();
    println!("{}", lines?.join("\n"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_rounds_is_json_in_short_numbers() {
        let mut report = report::tests::report();
        report.rows[0].rounds[0] = 1.234_567_8;
        let machine = Machine::named("a \"processor\"", 0.0);
        let targets = Targets { note: String::new(), targets: Vec::new() };
        let reports = [report];
        let run =
            Run { machine: &machine, command: "cargo xtask bench", reports: &reports, growth: &[], targets: &targets };
        let value: serde_json::Value = serde_json::from_str(&json(&run).unwrap()).unwrap();
        assert_eq!(value["languages"][0]["rows"][0]["rounds"][0], 1.235);
        assert_eq!(value["languages"][0]["rows"][3]["who"], "hrw");
        assert_eq!(value["machine"]["processor"], "a \"processor\"");
        assert_eq!(value["growth"], serde_json::json!([]));
    }
}
