//! What it was measured on. A figure without its machine says nothing.

use std::fmt;
use std::process::Command;
use std::time::Duration;

use serde::Serialize;

use crate::workshop::Workshop;

#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    processor: String,
    /// Whether keystead uses AVX-512 on it.
    avx512: bool,
    cores: usize,
    system: String,
    /// Compiler and interpreters.
    tools: String,
    /// The greatest share of the cores that other programs took just before a language was measured: whether the machine was ours alone.
    others: Option<f64>,
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
            avx512: uses_avx512(),
            cores: std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
            system: format!("{release}, {}", std::env::consts::ARCH),
            tools: workshop.toolchain.to_string(),
            others: None,
            day: day(),
        }
    }

    /// Does nothing for a while, and sees what others do meanwhile.
    pub(crate) fn listen(&mut self) {
        let Some(before) = Ticks::now() else { return };
        std::thread::sleep(Duration::from_millis(1500));
        if let Some(share) = Ticks::now().and_then(|after| after.busy_since(before)) {
            self.others = Some(self.others.map_or(share, |others| others.max(share)));
        }
    }

    /// Whether other programs took time from what was measured.
    pub(crate) fn is_busy(&self) -> bool {
        self.others.is_some_and(|share| share > 0.05)
    }
}

#[cfg(test)]
impl Machine {
    pub(crate) fn named(processor: &str, others: f64) -> Self {
        let text = |text: &str| text.to_owned();
        Self {
            processor: text(processor),
            avx512: true,
            cores: 2,
            system: text("a system"),
            tools: text("tools"),
            others: Some(others),
            day: text("2026-01-01"),
        }
    }
}

/// As keystead decides; what runs this is compiled with the same flags.
fn uses_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    let here = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
    #[cfg(not(target_arch = "x86_64"))]
    let here = false;
    here && !cfg!(keystead_scalar)
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let avx512 = if self.avx512 { "AVX-512 in use" } else { "no AVX-512 in use" };
        write!(f, "{}, {avx512}, {} cores; {}; {}", self.processor, self.cores, self.system, self.tools)?;
        if let Some(share) = self.others {
            write!(f, "; other programs took up to {:.0} % of the cores just before", share * 100.0)?;
        }
        write!(f, "; {}", self.day)
    }
}

/// The processors' time since the start, where the system tells.
#[derive(Debug, Clone, Copy)]
struct Ticks {
    idle: u32,
    all: u32,
}

impl Ticks {
    fn now() -> Option<Self> {
        Self::read(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    /// The line of all processors: user, nice, system, idle, waiting, and kinds of interruption.
    fn read(text: &str) -> Option<Self> {
        let numbers: Option<Vec<u64>> =
            text.lines().next()?.split_whitespace().skip(1).map(|tick| tick.parse().ok()).collect();
        let numbers = numbers?;
        // Only differences count, so that the last 32 bits do.
        let last = |ticks: u64| u32::try_from(ticks & u64::from(u32::MAX)).ok();
        Some(Self { idle: last(numbers.get(3..5)?.iter().sum())?, all: last(numbers.iter().take(8).sum())? })
    }

    fn busy_since(self, before: Self) -> Option<f64> {
        let (idle, all) = (self.idle.wrapping_sub(before.idle), self.all.wrapping_sub(before.all));
        (all > 0).then(|| 1.0 - f64::from(idle) / f64::from(all))
    }
}

/// The date, from whoever knows the calendar.
fn day() -> String {
    let output = Command::new("date").arg("+%Y-%m-%d").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if text.is_empty() { "date unknown".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_others_is_what_is_not_idle() {
        let before = Ticks::read("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4").unwrap();
        let after = Ticks::read("cpu  130 0 70 930 70 0 0 0 0 0\n").unwrap();
        assert!((after.busy_since(before).unwrap() - 0.25).abs() < 1e-9);
        assert_eq!(before.busy_since(before), None);
        assert!(
            Ticks::read("cpu  1 2 3").is_none() && Ticks::read("").is_none() && Ticks::read("cpu a b c d e").is_none()
        );
    }

    #[test]
    fn a_machine_says_whether_it_was_ours_alone() {
        assert!(Machine::named("a processor", 0.2).is_busy() && !Machine::named("a processor", 0.01).is_busy());
        assert!(Machine::named("a processor", 0.2).to_string().contains("up to 20 % of the cores"));
    }
}
