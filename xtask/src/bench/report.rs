//! What the programs of the three languages print, and the figures drawn from it.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

/// One language's program.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) language: String,
    /// Of ours and of every peer.
    pub(crate) versions: BTreeMap<String, String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) memory: Vec<Memory>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// One way to do one operation. Rows of the same topic and operation stand together, ours first, and were measured in turn.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) topic: String,
    pub(crate) operation: String,
    pub(crate) who: String,
    /// Nanoseconds for one operation, by round.
    pub(crate) rounds: Vec<f64>,
}

/// What something holds in memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) what: String,
    pub(crate) who: String,
    pub(crate) bytes: f64,
    /// Of what it has many: tokens or nodes.
    pub(crate) pieces: u32,
    pub(crate) piece: String,
}

impl Memory {
    pub(crate) fn each(&self) -> f64 {
        self.bytes / f64::from(self.pieces)
    }
}

/// What was not measured, and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    pub(crate) topic: String,
    pub(crate) operation: String,
    pub(crate) who: String,
    pub(crate) reason: String,
}

impl Report {
    /// Reads it, and refuses what could not be compared.
    pub(crate) fn read(text: &str) -> Result<Self> {
        let report: Self = serde_json::from_str(text)?;
        for row in &report.rows {
            let ours = report.ours(row);
            if row.rounds.is_empty() || row.rounds.len() != ours.rounds.len() {
                bail!("{}: {}, {}, {}: rounds do not pair", report.language, row.topic, row.operation, row.who);
            }
            if row.rounds.iter().any(|time| !time.is_finite() || *time <= 0.0) {
                bail!("{}: {}, {}, {}: no time is below 0", report.language, row.topic, row.operation, row.who);
            }
        }
        Ok(report)
    }

    /// The row that the others of its operation are compared with.
    pub(crate) fn ours<'a>(&'a self, row: &'a Row) -> &'a Row {
        let same = |other: &&Row| other.topic == row.topic && other.operation == row.operation;
        self.rows.iter().find(same).unwrap_or(row)
    }

    pub(crate) fn is_ours(&self, row: &Row) -> bool {
        std::ptr::eq(self.ours(row), row)
    }

    pub(crate) fn row(&self, topic: &str, operation: &str, who: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.topic == topic && row.operation == operation && row.who == who)
    }

    /// How much longer than ours it took: the median of the rounds' ratios, since what disturbs a round disturbs both sides of its ratio.
    pub(crate) fn ratio(&self, row: &Row) -> f64 {
        median(row.rounds.iter().zip(&self.ours(row).rounds).map(|(theirs, ours)| theirs / ours).collect())
    }

    /// Topics and, of each, its operations and its participants, all in the order of the rows.
    pub(crate) fn topics(&self) -> Vec<Topic<'_>> {
        let mut topics: Vec<Topic<'_>> = Vec::new();
        for row in &self.rows {
            let position = topics.iter().position(|topic| topic.name == row.topic).unwrap_or_else(|| {
                topics.push(Topic { name: &row.topic, operations: Vec::new(), who: Vec::new() });
                topics.len() - 1
            });
            let topic = &mut topics[position];
            for (list, name) in [(&mut topic.operations, &row.operation), (&mut topic.who, &row.who)] {
                if !list.contains(&name.as_str()) {
                    list.push(name);
                }
            }
        }
        topics
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Topic<'a> {
    pub(crate) name: &'a str,
    pub(crate) operations: Vec<&'a str>,
    pub(crate) who: Vec<&'a str>,
}

impl Row {
    pub(crate) fn median(&self) -> f64 {
        median(self.rounds.clone())
    }

    pub(crate) fn least(&self) -> f64 {
        self.rounds.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// Three figures, in the unit that fits.
pub(crate) fn nanoseconds(time: f64) -> String {
    match time {
        time if time < 999.5 => format!("{} ns", figures(time)),
        time if time < 999.5e3 => format!("{} µs", figures(time / 1e3)),
        time if time < 999.5e6 => format!("{} ms", figures(time / 1e6)),
        time => format!("{} s", figures(time / 1e9)),
    }
}

/// The same of memory.
pub(crate) fn bytes(count: f64) -> String {
    match count {
        count if count < 999.5 => format!("{count:.0} B"),
        count if count < 999.5e3 => format!("{} kB", figures(count / 1e3)),
        count if count < 999.5e6 => format!("{} MB", figures(count / 1e6)),
        count => format!("{} GB", figures(count / 1e9)),
    }
}

/// Three figures; beyond a thousand, the whole number.
pub(crate) fn figures(value: f64) -> String {
    let decimals = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn report() -> Report {
        Report::read(
            r#"{"language": "Rust", "versions": {"keystead": "0.1.0", "hrw": "0.1.2"}, "memory": [], "left_out": [], "rows": [
            {"topic": "owner", "operation": "3 nodes", "who": "keystead", "rounds": [10, 20, 10]},
            {"topic": "owner", "operation": "3 nodes", "who": "hrw", "rounds": [50, 100, 70]},
            {"topic": "owner", "operation": "10 nodes", "who": "keystead", "rounds": [4]},
            {"topic": "owner", "operation": "10 nodes", "who": "hrw", "rounds": [2]}]}"#,
        )
        .unwrap()
    }

    #[test]
    fn medians_are_of_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-12);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-12);
        assert!(median(vec![]).is_nan());
    }

    #[test]
    fn ratios_are_of_rounds_and_not_of_medians() {
        let report = report();
        // 5, 5 and 7; the medians' ratio would be 7.
        assert!((report.ratio(&report.rows[1]) - 5.0).abs() < 1e-12);
        assert!((report.rows[1].least() - 50.0).abs() < 1e-12);
        assert!(report.is_ours(&report.rows[0]) && !report.is_ours(&report.rows[1]));
    }

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!(
            [1.234, 48.4, 350.2, 999.7, 12_345.0, 2.5e6, 3e9].map(nanoseconds),
            ["1.23 ns", "48.4 ns", "350 ns", "1.00 µs", "12.3 µs", "2.50 ms", "3.00 s"]
        );
        assert_eq!([12.0, 999.9, 45_678.0, 2.5e9].map(bytes), ["12 B", "1.00 kB", "45.7 kB", "2.50 GB"]);
    }

    #[test]
    fn topics_keep_the_order_of_the_rows() {
        assert_eq!(
            report().topics(),
            [Topic { name: "owner", operations: vec!["3 nodes", "10 nodes"], who: vec!["keystead", "hrw"] }]
        );
    }

    #[test]
    fn rejects_rounds_that_do_not_pair_and_times_that_are_none() {
        let text = |rounds: &str| {
            format!(
                r#"{{"language": "Rust", "versions": {{}}, "memory": [], "left_out": [], "rows": [
                {{"topic": "owner", "operation": "3 nodes", "who": "keystead", "rounds": [1, 2]}},
                {{"topic": "owner", "operation": "3 nodes", "who": "hrw", "rounds": {rounds}}}]}}"#
            )
        };
        assert!(Report::read(&text("[1, 2]")).is_ok());
        assert!(Report::read(&text("[1]")).is_err());
        assert!(Report::read(&text("[]")).is_err());
        assert!(Report::read(&text("[1, 0]")).is_err());
        assert!(Report::read("{}").is_err());
    }
}
