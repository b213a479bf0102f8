//! `benches/RESULTS.md`: what was measured, for a person to read.

use std::fmt::Write as _;

use super::growth::Series;
use super::machine::Machine;
use super::plots;
use super::report::{Memory, Report, Row, bytes, figures, nanoseconds};
use super::targets::{Outcome, Targets};

/// All of a run.
pub(crate) struct Run<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) command: &'a str,
    pub(crate) reports: &'a [Report],
    pub(crate) growth: &'a [Series],
    pub(crate) targets: &'a Targets,
}

const HOW: &str = "\
Each language's program measures in one process. A *round* gives every participant of an operation one turn of the same length, ours among \
them; there are several rounds, so that whatever else the machine does hits all alike. A cell shows the **median** time of the rounds and, in \
brackets, the **ratio**: the peer's time over ours in the same round, median of the rounds. Above 1, ours is faster. The tables at the end have the least \
times too, and `results.json` beside this file every round.

All participants get the same keys of 16 bytes (`user:00000000042` or 16 hexadecimal digits) and are used as their documentation says ([how each](README.md#how-each-peer-is-used)). In Rust the answer is a reference, which \
neither side reads; in Python and Node it is the node's name. Rust is built with `lto = \"thin\"` and one codegen unit for all. \
\"hrw, foldhash\" and \"anchorhash, foldhash\" are these crates with a fast hasher in place of their default, SipHash. \"identity hasher\" means that \
neither side hashes, and a number stands for the key. \"keystead, owner_indices\" is a key's part of one call for many, as an index; its \
ratio is to \"keystead\", a call for each. Where AVX-512 is in use, `rendezvous-1` is scanned with it. Rings have 160 tokens a node, as many as pingora-ketama has. \"One node more or less\" adds and removes a node in turn and shows \
the mean of both; pingora-ketama builds anew for both. While Rust runs, memory that was freed stays with the process (`MALLOC_MMAP_MAX_=0`), so that \
neither side pays for pages that the system gives afresh; the growth plots show builds in a fresh process.
";

impl Run<'_> {
    pub(crate) fn markdown(&self) -> String {
        let mut text =
            format!("# Results\n\nWritten by `{}`; do not edit. Machine: {}.\n\n", self.command, self.machine);
        if self.machine.is_busy() {
            text.push_str(
                "Other programs ran at the same time, so single times are too long. Ratios of rounds suffer least.\n\n",
            );
        }
        text.push_str("## How to read this\n\n");
        text.push_str(HOW);
        self.targets_table(&mut text);
        self.losses(&mut text);
        for report in self.reports {
            language(&mut text, report);
        }
        text.push_str("\n## Growth\n\n");
        text.push_str(
            "Each point in a process of its own: time of a lookup and of a build (the least of some), and the bytes held afterwards. A participant whose build \
             takes more than 10 s or 1 GB is left out from there on.\n\n",
        );
        text.push_str(&plots::markdown(self.growth));
        self.left_out(&mut text);
        text.push_str("\n## Every time\n");
        for report in self.reports {
            every_time(&mut text, report);
        }
        text
    }

    /// In one line, for the end of the command.
    pub(crate) fn summary(&self) -> String {
        let (mut met, mut missed, mut unknown) = (0, 0, 0);
        for target in &self.targets.targets {
            match target.outcome(self.reports) {
                Outcome::Met(_) => met += 1,
                Outcome::Missed(_) => missed += 1,
                Outcome::NotMeasured => unknown += 1,
            }
        }
        let rest = if unknown == 0 { String::new() } else { format!(", {unknown} not measured") };
        format!("{met} targets met, {missed} missed{rest}")
    }

    fn targets_table(&self, text: &mut String) {
        let _ = write!(
            text,
            "\n## Targets\n\n{} **{}.**\n\n| | operation | peer | at least | measured | |\n|---|---|---|---:|---:|---|\n",
            self.targets.note,
            self.summary()
        );
        for target in &self.targets.targets {
            let (measured, word) = match target.outcome(self.reports) {
                Outcome::Met(ratio) => (figures(ratio), "met"),
                Outcome::Missed(ratio) => (figures(ratio), "**missed**"),
                Outcome::NotMeasured => ("–".to_owned(), "not measured"),
            };
            let _ = writeln!(
                text,
                "| {} | {}, {} | {} | {} | {measured} | {word} |",
                target.language, target.topic, target.operation, target.who, target.at_least
            );
        }
    }

    /// In words what is known to lose, with the figures of this run; then everything that lost, whatever we know of it.
    fn losses(&self, text: &mut String) {
        text.push_str("\n## Known losses\n\nTimes in these sentences are the least of the rounds, in the table below the medians.\n\n");
        for sentence in [
            self.ring_memory(),
            self.node_memory(),
            self.node_build(),
            self.scan(),
            self.hot_key(),
            self.plain_remainder(),
        ]
        .into_iter()
        .flatten()
        {
            let _ = writeln!(text, "- {sentence}");
        }
        let mut lost = String::new();
        for report in self.reports {
            for row in &report.rows {
                let ratio = report.ratio(row);
                // Of our own algorithms among each other, the tables tell.
                if ratio < 0.995 && !report.is_ours(row) && row.topic != OWN && !row.who.starts_with("keystead") {
                    let ours = report.ours(row);
                    let _ = writeln!(
                        lost,
                        "| {} | {}, {} | {} | {} | {} | {} |",
                        report.language,
                        row.topic,
                        row.operation,
                        row.who,
                        nanoseconds(row.median()),
                        nanoseconds(ours.median()),
                        figures(ratio)
                    );
                }
            }
        }
        text.push_str(if lost.is_empty() {
            "\nIn no operation of this run was a peer faster.\n"
        } else {
            "\nEverything in this run in which a peer was faster:\n\n| | operation | peer | peer's time | ours | ratio |\n|---|---|---|---:|---:|---:|\n"
        });
        text.push_str(&lost);
    }

    fn report(&self, language: &str) -> Option<&Report> {
        self.reports.iter().find(|report| report.language == language)
    }

    fn ring_memory(&self) -> Option<String> {
        let memory = &self.report("Rust")?.memory;
        let each = |who: &str| {
            let mut list: Vec<f64> =
                memory.iter().filter(|memory| memory.piece == "token" && memory.who == who).map(Memory::each).collect();
            list.sort_by(f64::total_cmp);
            Some((*list.first()?, *list.last()?))
        };
        let ((least, most), (theirs, _)) = (each("keystead")?, each("pingora-ketama")?);
        Some(format!(
            "**A ring's memory**: {} to {} bytes a token, against {} in pingora-ketama, whose points have 32 bits and no index. Ours are 64-bit coordinates, \
             which practically never meet, and an index, which is what makes the lookup short.",
            figures(least),
            figures(most),
            figures(theirs)
        ))
    }

    fn node_memory(&self) -> Option<String> {
        let each = |who: &str| {
            let line = self.growth.iter().find(|series| series.plot == "nodes" && series.who == who)?;
            let point = line.points.iter().find(|point| point.nodes == 1_000)?;
            Some(figures(point.bytes / f64::from(point.nodes)))
        };
        Some(format!(
            "**A node's memory**: {} bytes at 1,000 nodes under `rendezvous-1`, against {} in hrw and {} in hrw-hash. Ours keeps id, weight, location, tokens, address and notes of each \
             node, and finds it by id; theirs borrow the ids and keep nothing else.",
            each("rendezvous-1")?,
            each("hrw")?,
            each("hrw-hash")?
        ))
    }

    fn node_build(&self) -> Option<String> {
        let time = |who: &str| {
            let line = self.growth.iter().find(|series| series.plot == "nodes" && series.who == who)?;
            let point = line.points.iter().find(|point| point.nodes == 1_000)?;
            Some(nanoseconds(point.build))
        };
        Some(format!(
            "**Building a cluster**: {} at 1,000 nodes under `rendezvous-1`, against {} in hrw. Ours copies, checks and sorts what it is given, digests every id, and takes a fingerprint of \
             it all.",
            time("rendezvous-1")?,
            time("hrw")?
        ))
    }

    fn scan(&self) -> Option<String> {
        let report = self.report("Rust")?;
        let time = |nodes: &str, who: &str| report.row(OWN, nodes, who).map(|row| nanoseconds(row.least()));
        let part = |nodes: &str| {
            let (rendezvous, ring, slots) = (
                time(nodes, "rendezvous-1")?,
                time(nodes, "ring-1, 256 tokens a node")?,
                time(nodes, "slots-1, 16,384 slots")?,
            );
            Some(format!("at {nodes} {rendezvous} against {ring} and {slots}"))
        };
        Some(format!(
            "**`rendezvous-1` looks at every node**, a ring and a slot table do not: {}, {}, {}. From some 15 to 30 nodes on, in a hot path, take `slots-1`.",
            part("10 nodes")?,
            part("30 nodes")?,
            part("1,000 nodes")?
        ))
    }

    fn hot_key(&self) -> Option<String> {
        let report = self.report("Node")?;
        let topic = "owner(string) again and again, rendezvous-1";
        let time = |topic: &str, who: &str| report.row(topic, "10 nodes", who).map(|row| nanoseconds(row.least()));
        Some(format!(
            "**A short string in Node whose answer is still in a cache**: hashring remembers its last 5,000 answers and repeats one in {}, where `owner` takes {}; every \
             call into native code costs that. A key that is not in its cache takes it {}.",
            time(topic, "hashring, keys in its cache")?,
            time(topic, "keystead")?,
            time("owner(string), rendezvous-1", "hashring, keys missing its cache")?
        ))
    }

    fn plain_remainder(&self) -> Option<String> {
        let report = self.report("Node")?;
        let row = report.row("owner(string), rendezvous-1", "100 nodes", "nodes[h32(k) % n]")?;
        Some(format!(
            "**A remainder of a hash** needs no more than the hash: {} in Node at any number of nodes, {} times the time of `owner` at 100. When a node joins, it moves nearly every \
             key; it is in the tables for scale.",
            nanoseconds(row.least()),
            figures(report.ratio(row))
        ))
    }

    fn left_out(&self, text: &mut String) {
        let mut lines = String::new();
        for report in self.reports {
            for left in &report.left_out {
                let _ = writeln!(
                    lines,
                    "| {} | {}, {} | {} | {} |",
                    report.language, left.topic, left.operation, left.who, left.reason
                );
            }
        }
        text.push_str("\n## Left out\n\n");
        if lines.is_empty() {
            text.push_str("Every peer was installed and measured.\n");
        } else {
            text.push_str("| | what | who | because |\n|---|---|---|---|\n");
            text.push_str(&lines);
        }
    }
}

/// The topic in which our own algorithms stand beside each other.
const OWN: &str = "owner by algorithm";

/// A table for each topic: who below each other, sizes beside each other.
fn language(text: &mut String, report: &Report) {
    let versions: Vec<String> = report.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let _ = write!(text, "\n## {}\n\n{}.\n", report.language, versions.join(", "));
    for topic in report.topics() {
        let _ = write!(text, "\n**{}**\n\n| |", topic.name);
        for operation in &topic.operations {
            let _ = write!(text, " {operation} |");
        }
        let _ = write!(text, "\n|---|{}\n", "---:|".repeat(topic.operations.len()));
        for who in &topic.who {
            let _ = write!(text, "| {who} |");
            for operation in &topic.operations {
                let cell =
                    report.row(topic.name, operation, who).map_or_else(|| "–".to_owned(), |row| cell(report, row));
                let _ = write!(text, " {cell} |");
            }
            text.push('\n');
        }
    }
    if !report.memory.is_empty() {
        text.push_str("\n**Memory**, counted by the allocator\n\n| | | held | for each |\n|---|---|---:|---:|\n");
        for memory in &report.memory {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} B a {} |",
                memory.what,
                memory.who,
                bytes(memory.bytes),
                figures(memory.each()),
                memory.piece
            );
        }
    }
}

fn cell(report: &Report, row: &Row) -> String {
    let time = nanoseconds(row.median());
    if report.is_ours(row) { time } else { format!("{time} ({})", figures(report.ratio(row))) }
}

fn every_time(text: &mut String, report: &Report) {
    let _ = write!(
        text,
        "\n<details><summary>{}</summary>\n\n| operation | | median | least | ratio |\n|---|---|---:|---:|---:|\n",
        report.language
    );
    for row in &report.rows {
        let ratio = if report.is_ours(row) { String::new() } else { figures(report.ratio(row)) };
        let _ = writeln!(
            text,
            "| {}, {} | {} | {} | {} | {ratio} |",
            row.topic,
            row.operation,
            row.who,
            nanoseconds(row.median()),
            nanoseconds(row.least())
        );
    }
    text.push_str("\n</details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::tests::report;

    fn with_run(check: impl FnOnce(&Run<'_>)) {
        let machine: Machine = Machine::named("a processor", 0.2);
        let target = |operation: &str, at_least: f64| {
            format!(
                r#"{{"language": "Rust", "topic": "owner", "operation": "{operation}", "who": "hrw", "at_least": {at_least}}}"#
            )
        };
        let text = format!(
            r#"{{"note": "Ours.", "targets": [{}, {}, {}]}}"#,
            target("3 nodes", 4.0),
            target("10 nodes", 4.0),
            target("7 nodes", 4.0)
        );
        let targets: Targets = serde_json::from_str(&text).unwrap();
        check(&Run {
            machine: &machine,
            command: "cargo xtask bench",
            reports: &[report()],
            growth: &[],
            targets: &targets,
        });
    }

    #[test]
    fn targets_are_counted_by_what_became_of_them() {
        with_run(|run| {
            assert_eq!(run.summary(), "1 targets met, 1 missed, 1 not measured");
            let text = run.markdown();
            assert!(text.contains("| Rust | owner, 3 nodes | hrw | 4 | 5.00 | met |"), "{text}");
            assert!(text.contains("| Rust | owner, 10 nodes | hrw | 4 | 0.50 | **missed** |"), "{text}");
            assert!(text.contains("| Rust | owner, 7 nodes | hrw | 4 | – | not measured |"), "{text}");
        });
    }

    #[test]
    fn a_faster_peer_is_among_the_losses_and_a_slower_one_is_not() {
        with_run(|run| {
            let text = run.markdown();
            let losses = &text[text.find("## Known losses").unwrap()..text.find("## Rust").unwrap()];
            assert!(losses.contains("| Rust | owner, 10 nodes | hrw | 2.00 ns | 4.00 ns | 0.50 |"), "{losses}");
            assert!(!losses.contains("3 nodes"), "{losses}");
        });
    }

    #[test]
    fn tables_have_median_and_ratio_and_at_the_end_the_least() {
        with_run(|run| {
            let text = run.markdown();
            assert!(text.contains("| | 3 nodes | 10 nodes |\n|---|---:|---:|\n| keystead | 10.0 ns | 4.00 ns |\n| hrw | 70.0 ns (5.00) | 2.00 ns (0.50) |"), "{text}");
            assert!(text.contains("| owner, 3 nodes | hrw | 70.0 ns | 50.0 ns | 5.00 |"), "{text}");
            assert!(text.contains("a processor"));
            assert!(text.contains("Every peer was installed and measured."));
        });
    }
}
