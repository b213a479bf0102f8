//! What it was measured on. A figure without its machine says nothing.

use std::fmt;
use std::process::Command;

use serde::Serialize;

use crate::workshop::Workshop;

#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    processor: String,
    cores: usize,
    system: String,
    /// Compiler and interpreters.
    tools: String,
    /// Programs that wanted a core in the minute before, in the mean: whether the machine was ours alone.
    load: Option<f64>,
    day: String,
}

impl Machine {
    pub(crate) fn look(workshop: &Workshop) -> Self {
        let named = |path: &str, name: &str| {
            let text = std::fs::read_to_string(path).ok()?;
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(['=', ':'])?.1.trim().trim_matches('"').to_owned())
        };
        let release = named("/etc/os-release", "PRETTY_NAME").unwrap_or_else(|| std::env::consts::OS.to_owned());
        Self {
            processor: named("/proc/cpuinfo", "model name").unwrap_or_else(|| "processor not named".to_owned()),
            cores: std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
            system: format!("{release}, {}", std::env::consts::ARCH),
            tools: workshop.toolchain.to_string(),
            load: load(),
            day: day(),
        }
    }

    /// Whether other programs took time from what was measured.
    pub(crate) fn is_busy(&self) -> bool {
        self.load.is_some_and(|load| load > 0.5)
    }
}

#[cfg(test)]
impl Machine {
    pub(crate) fn named(processor: &str, load: f64) -> Self {
        let text = |text: &str| text.to_owned();
        Self {
            processor: text(processor),
            cores: 2,
            system: text("a system"),
            tools: text("tools"),
            load: Some(load),
            day: text("2026-01-01"),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} cores; {}; {}", self.processor, self.cores, self.system, self.tools)?;
        if let Some(load) = self.load {
            write!(f, "; load before: {load:.2}")?;
        }
        write!(f, "; {}", self.day)
    }
}

fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// The date, from whoever knows the calendar.
fn day() -> String {
    let output = Command::new("date").arg("+%Y-%m-%d").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if text.is_empty() { "date unknown".to_owned() } else { text }
}
