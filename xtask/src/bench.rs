//! `cargo xtask bench`: ours beside the peers in each language, and `cargo xtask measure`: evenness and movement.
//!
//! A language's program measures in its own process, in interleaved rounds, and prints JSON. Here it becomes tables.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::screen::{right, spoken, table, timed};
use crate::workshop::Workshop;

/// Whose figures the others are compared with: the first of an operation.
const OURS: &str = "keystead";

pub(crate) fn bench(quick: bool, verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    let (programs, time) = timed(|| build(&mut workshop));
    let mut programs = programs?;
    workshop
        .screen
        .say(&format!("built and installed in {}; other load on this machine spoils what follows\n", spoken(time)));
    let mut reports = Vec::new();
    for (language, command) in &mut programs {
        if quick {
            command.arg("--quick");
        }
        workshop
            .screen
            .begin(&format!("measuring {language}"), &workshop.project.kept(&format!("logs/bench-{language}.log")))?;
        let lines = workshop.run(command);
        workshop.screen.end();
        let lines = lines?;
        let report = lines
            .iter()
            .rev()
            .find(|line| line.starts_with('{'))
            .with_context(|| format!("the {language} program printed no JSON"))?;
        let report: Value = serde_json::from_str(report)?;
        show(&report)?;
        reports.push(report);
    }
    let machine = machine(&workshop);
    let command = format!("cargo xtask bench{}", if quick { " --quick" } else { "" });
    println!("machine: {machine}\ncommand: {command}");
    let file = workshop.project.kept("bench.json");
    let text = serde_json::to_string_pretty(&json!({ "machine": machine, "command": command, "reports": reports }))?;
    std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    println!("rounds:  {}", file.display());
    Ok(())
}

/// Everything that is measured, built and installed before the first measurement.
fn build(workshop: &mut Workshop) -> Result<Vec<(&'static str, Command)>> {
    workshop.screen.say("building the programs and installing the peers …");
    workshop.screen.begin("building", &workshop.project.kept("logs/bench-build.log"))?;
    let mut command = workshop.cargo(&["build", "--release", "--locked", "--manifest-path", "benches/rust/Cargo.toml"]);
    workshop.run(&mut command)?;
    let rust = workshop.program(
        workshop.project.target().join("release").join(format!("benches-rust{}", std::env::consts::EXE_SUFFIX)),
    );

    let wheel = workshop.wheel()?;
    let environment = workshop.environment("bench", true)?;
    workshop
        .pip_install(&environment, &[&wheel.to_string_lossy(), "--requirement", "benches/python/requirements.txt"])?;
    let mut python = workshop.python(&environment.python());
    python.arg("benches/python/bench.py");

    let tarball = workshop.tarball()?;
    let folder = workshop.project.empty("node/bench")?;
    std::fs::copy(workshop.project.source("benches/node/package.json"), folder.join("package.json"))?;
    let mut command = workshop.npm(&folder, &["install", "--no-audit", "--no-fund", "--no-package-lock"]);
    workshop.run(command.arg(tarball))?;
    let mut node = workshop.program("node");
    node.current_dir(&folder).arg(workshop.project.source("benches/node/bench.mjs"));
    workshop.screen.end();
    Ok(vec![("Rust", rust), ("Python", python), ("Node", node)])
}

/// The tables of one language.
fn show(report: &Value) -> Result<()> {
    let versions = report["versions"].as_object().context("a report without versions")?;
    let versions: Vec<String> =
        versions.iter().map(|(name, version)| format!("{name} {}", version.as_str().unwrap_or("?"))).collect();
    println!("{}: {}", report["language"].as_str().unwrap_or("?"), versions.join(", "));

    let mut times = table(&["operation", "", "median", "least", "time / ours"]);
    let mut previous = "";
    let mut ours: Vec<f64> = Vec::new();
    for row in report["rows"].as_array().context("a report without rows")? {
        let (Some(operation), Some(who)) = (row["operation"].as_str(), row["who"].as_str()) else {
            bail!("a row without operation: {row}")
        };
        let rounds = rounds(row)?;
        let first = operation != previous;
        if first {
            ours.clone_from(&rounds);
        }
        // Of each round by itself: what disturbs a round disturbs both sides of its ratio.
        let ratio = median(rounds.iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect());
        times.add_row([
            if first { operation.to_owned() } else { String::new() },
            who.to_owned(),
            nanoseconds(median(rounds.clone())),
            nanoseconds(rounds.iter().copied().fold(f64::INFINITY, f64::min)),
            if first && who == OURS { String::new() } else { format!("{ratio:.2}") },
        ]);
        previous = operation;
    }
    right(&mut times, &[2, 3, 4]);
    println!("{times}\n");

    let memory = report["memory"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !memory.is_empty() {
        let mut sizes = table(&["memory", "", "bytes", "for each"]);
        for row in memory {
            let text = |name: &str| row[name].as_str().unwrap_or("?").to_owned();
            let each = row["bytes_per_piece"].as_f64().unwrap_or(f64::NAN);
            sizes.add_row([
                text("what"),
                text("who"),
                row["bytes"].to_string(),
                format!("{each:.1} a {}", text("per")),
            ]);
        }
        right(&mut sizes, &[2, 3]);
        println!("{sizes}\n");
    }
    Ok(())
}

fn rounds(row: &Value) -> Result<Vec<f64>> {
    let rounds: Vec<f64> = row["rounds"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    if rounds.is_empty() {
        bail!("a row without rounds: {row}");
    }
    Ok(rounds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// Three figures, in the unit that fits.
fn nanoseconds(time: f64) -> String {
    let (value, unit) = match time {
        time if time < 1e3 => (time, "ns"),
        time if time < 1e6 => (time / 1e3, "µs"),
        time if time < 1e9 => (time / 1e6, "ms"),
        time => (time / 1e9, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

/// What ran it: processor, cores, system, and the three languages.
fn machine(workshop: &Workshop) -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    format!(
        "{}, {cores} cores, {system}, {}",
        processor.as_deref().unwrap_or("processor not named"),
        workshop.toolchain
    )
}

/// Evenness and movement of every algorithm, as Markdown.
pub(crate) fn measure(verbose: bool) -> Result<()> {
    let mut workshop = Workshop::open(verbose)?;
    let program = workshop.example("measure")?;
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
    fn medians_are_of_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
        assert!(median(vec![]).is_nan());
    }

    #[test]
    fn times_have_three_figures() {
        assert_eq!(
            [1.234, 48.4, 350.2, 12_345.0, 2.5e6, 3e9].map(nanoseconds),
            ["1.23 ns", "48.4 ns", "350 ns", "12.3 µs", "2.50 ms", "3.00 s"]
        );
    }

    #[test]
    fn rejects_reports_that_are_not_whole() {
        assert!(
            show(&json!({ "versions": {}, "rows": [{ "operation": "owner", "who": "keystead", "rounds": [] }] }))
                .is_err()
        );
        assert!(show(&json!({ "rows": [] })).is_err());
        assert!(show(&json!({ "versions": { "keystead": "0.1.0" }, "rows": [{ "operation": "owner", "who": "keystead", "rounds": [1.0, 2.0] }] })).is_ok());
    }
}
