//! The figures that we set ourselves, beside what was measured.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::report::Report;

/// Where they stand.
pub(crate) const FILE: &str = "benches/targets.json";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Targets {
    /// Whose they are.
    pub(crate) note: String,
    pub(crate) targets: Vec<Target>,
}

/// A peer's time over ours.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    pub(crate) language: String,
    pub(crate) topic: String,
    pub(crate) operation: String,
    pub(crate) who: String,
    pub(crate) at_least: f64,
}

/// What became of a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome {
    Met(f64),
    Missed(f64),
    NotMeasured,
}

impl Targets {
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    pub(crate) fn find(&self, language: &str, topic: &str, operation: &str, who: &str) -> Option<&Target> {
        self.targets.iter().find(|target| {
            target.language == language && target.topic == topic && target.operation == operation && target.who == who
        })
    }
}

impl Target {
    pub(crate) fn outcome(&self, reports: &[Report]) -> Outcome {
        let measured = reports.iter().filter(|report| report.language == self.language).find_map(|report| {
            report
                .row(&self.topic, &self.operation, &self.who)
                .map(|row| report.ratio(row))
                .filter(|ratio| ratio.is_finite())
        });
        match measured {
            None => Outcome::NotMeasured,
            // What is shown decides: 2.996 is shown as 3.00.
            Some(ratio) if (ratio * 100.0).round() / 100.0 >= self.at_least => Outcome::Met(ratio),
            Some(ratio) => Outcome::Missed(ratio),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::tests::report;

    fn target(operation: &str, at_least: f64) -> Target {
        let [language, topic, operation, who] = ["Rust", "owner", operation, "hrw"].map(str::to_owned);
        Target { language, topic, operation, who, at_least }
    }

    #[test]
    fn a_target_is_met_missed_or_not_measured() {
        let reports = [report()];
        assert!(matches!(target("3 nodes", 5.0).outcome(&reports), Outcome::Met(_)));
        assert!(matches!(target("3 nodes", 5.01).outcome(&reports), Outcome::Missed(_)));
        assert_eq!(target("4 nodes", 5.0).outcome(&reports), Outcome::NotMeasured);
        assert_eq!(target("3 nodes", 5.0).outcome(&[]), Outcome::NotMeasured);
    }

    /// A name that no program measures would be a target that nothing can miss.
    #[test]
    fn every_target_names_what_a_program_measures() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let targets = Targets::load(&root.join(FILE)).unwrap();
        let folder = |name: &str| {
            let mut text = String::new();
            for entry in std::fs::read_dir(root.join("benches").join(name)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    text.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
            text
        };
        let programs = [("Rust", folder("rust/src")), ("Python", folder("python")), ("Node", folder("node"))];
        for target in &targets.targets {
            let (_, program) = programs.iter().find(|(language, _)| *language == target.language).unwrap();
            assert!(program.contains(&target.who), "{target:?}");
            // `owner(str), slots-1` is made of the operation and the algorithm.
            for part in target.topic.split(", ") {
                assert!(program.contains(part), "{target:?}");
            }
            assert!(target.at_least > 1.0, "{target:?}");
        }
    }
}
