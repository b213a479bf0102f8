//! Which plots there are, and what they show.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::growth::{Point, Series};
use super::plot::{Kind, Line, Plot};
use super::report::{bytes, nanoseconds};

/// Where they are, seen from the project's root.
pub(crate) const FOLDER: &str = "docs/growth";

/// A plot of the growth of something.
struct Sheet {
    file: &'static str,
    plot: &'static str,
    title: &'static str,
    about: &'static str,
    value: fn(&Point) -> f64,
    y: fn(f64) -> String,
}

const SHEETS: &[Sheet] = &[
    Sheet {
        file: "lookup",
        plot: "nodes",
        title: "One lookup in Rust, by number of nodes",
        about: "time of owner for a 16-byte key; lower is better; thick lines are ours",
        value: |point| point.lookup,
        y: time,
    },
    Sheet {
        file: "build",
        plot: "nodes",
        title: "Building a cluster in Rust, by number of nodes",
        about: "time from ids to the first lookup; lower is better; thick lines are ours",
        value: |point| point.build,
        y: time,
    },
    Sheet {
        file: "memory",
        plot: "nodes",
        title: "Memory of a cluster in Rust, by number of nodes",
        about: "bytes held after the build; ours (thick) keep the ids, the others but for pingora-ketama only borrow them",
        value: |point| point.bytes,
        y: space,
    },
    Sheet {
        file: "ring-lookup",
        plot: "rings",
        title: "One lookup on a ring in Rust, by number of tokens",
        about: "time of owner for a 16-byte key, 160 tokens a node; lower is better; the thick line is ours",
        value: |point| point.lookup,
        y: time,
    },
    Sheet {
        file: "ring-build",
        plot: "rings",
        title: "Building and changing a ring in Rust, by number of tokens",
        about: "time of a build, 160 tokens a node; lower is better; thick lines are ours",
        value: |point| point.build,
        y: time,
    },
    Sheet {
        file: "ring-memory",
        plot: "rings",
        title: "Memory of a ring in Rust for each token, by number of tokens",
        about: "bytes held after the build, 160 tokens a node; lower is better; the thick line is ours",
        value: |point| point.bytes / (160.0 * f64::from(point.nodes)),
        y: space,
    },
    Sheet {
        file: "python",
        plot: "python",
        title: "One lookup in Python, by number of nodes",
        about: "time of owner(str) for a 16-byte key; lower is better; thick lines are ours",
        value: |point| point.lookup,
        y: time,
    },
    Sheet {
        file: "node",
        plot: "node",
        title: "One lookup in Node.js, by number of nodes",
        about: "time of owner(string) for 20,000 keys in turn; lower is better; thick lines are ours",
        value: |point| point.lookup,
        y: time,
    },
];

fn time(value: f64) -> String {
    rounded(nanoseconds(value))
}

fn space(value: f64) -> String {
    rounded(bytes(value))
}

/// `10.0 ns` is 10 ns at an axis.
fn rounded(text: String) -> String {
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// `100,000`, `4M`.
fn count(value: f64) -> String {
    match value {
        value if value >= 1e6 => rounded(format!("{:.2} M", value / 1e6)).replace(' ', ""),
        value if value >= 1e3 => format!("{},{:03}", (value / 1e3).floor(), value % 1e3),
        value => format!("{value}"),
    }
}

fn is_ours(who: &str) -> bool {
    who.ends_with("-1")
}

impl Sheet {
    fn plot(&self, series: &[Series]) -> Plot {
        let tokens = if self.plot == "rings" { 160.0 } else { 1.0 };
        let mut lines = Vec::new();
        for series in series.iter().filter(|series| series.plot == self.plot) {
            let mut line = |name: String, value: &dyn Fn(&Point) -> Option<f64>| {
                let points =
                    series.points.iter().filter_map(|point| Some((f64::from(point.nodes) * tokens, value(point)?)));
                lines.push(Line {
                    name,
                    kind: Kind::of(series.who),
                    ours: is_ours(series.who),
                    points: points.filter(|point| point.1 > 0.0).collect(),
                    left_out: series.left_out.is_some(),
                });
            };
            line(series.who.to_owned(), &|point| Some((self.value)(point)));
            if self.file == "ring-build" && series.points.iter().any(|point| point.change.is_some()) {
                line("one node more or less".to_owned(), &|point| point.change);
            }
        }
        let left_out = lines.iter().any(|line| line.left_out);
        let note = if left_out { "×  left out beyond: see the table of reasons in benches/RESULTS.md" } else { "" };
        Plot {
            title: self.title,
            about: format!("{} · both axes are logarithmic", self.about),
            lines,
            across: if self.plot == "rings" { "tokens" } else { "nodes" },
            x: count,
            y: self.y,
            note: note.to_owned(),
        }
    }

    /// The plot in words: where the lines begin and end.
    fn alternative(&self, series: &[Series]) -> String {
        let mut words = format!("{}. ", self.title);
        let parts: Vec<String> = series
            .iter()
            .filter(|series| series.plot == self.plot)
            .filter_map(|series| {
                let (first, last) = (series.points.first()?, series.points.last()?);
                let value = |point: &Point| (self.y)((self.value)(point));
                Some(format!(
                    "{}: {} at {}, {} at {} nodes",
                    series.who,
                    value(first),
                    count(f64::from(first.nodes)),
                    value(last),
                    count(f64::from(last.nodes))
                ))
            })
            .collect();
        words.push_str(&parts.join("; "));
        words.push('.');
        words.replace(['[', ']'], "")
    }
}

/// Writes every plot.
pub(crate) fn write(root: &Path, series: &[Series]) -> Result<()> {
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for sheet in SHEETS {
        let file = folder.join(format!("{}.svg", sheet.file));
        std::fs::write(&file, sheet.plot(series).draw()?)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// The plots as Markdown, for a file one folder below the root, and what was left out of them.
pub(crate) fn markdown(series: &[Series]) -> String {
    let mut text = String::new();
    for sheet in SHEETS {
        let _ = write!(text, "![{}](../{FOLDER}/{}.svg)\n\n", sheet.alternative(series), sheet.file);
    }
    let mut reasons: BTreeMap<(&str, u32), Vec<String>> = BTreeMap::new();
    for series in series {
        if let Some((nodes, reason)) = &series.left_out {
            reasons.entry((reason, *nodes)).or_default().push(format!("{} ({})", series.who, language(series.plot)));
        }
    }
    if !reasons.is_empty() {
        text.push_str("| left out (× in the plots) | from | because |\n|---|---:|---|\n");
        for ((reason, nodes), who) in reasons {
            let _ = writeln!(text, "| {} | {} nodes | {reason} |", who.join(", "), count(f64::from(nodes)));
        }
    }
    text
}

fn language(plot: &str) -> &'static str {
    match plot {
        "python" => "Python",
        "node" => "Node",
        "rings" => "Rust, rings",
        _ => "Rust",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::growth::LINES;

    fn series() -> Vec<Series> {
        let point = |nodes, lookup| Point { nodes, build: 1e6, lookup, bytes: 0.0, change: None };
        let points = vec![point(3, 10.0), point(100_000, 2e6)];
        vec![Series { plot: "nodes", who: "hrw", points, left_out: Some((300_000, "it sleeps".to_owned())) }]
    }

    #[test]
    fn numbers_at_axes_are_short() {
        assert_eq!([3.0, 1_000.0, 100_000.0, 4e6].map(count), ["3", "1,000", "100,000", "4M"]);
        assert_eq!([10.0, 1e3, 1e8].map(time), ["10 ns", "1 µs", "100 ms"]);
        assert_eq!(space(1e6), "1 MB");
    }

    #[test]
    fn what_was_left_out_is_named_with_its_reason() {
        let text = markdown(&series());
        assert!(text.contains("| hrw (Rust) | 300,000 nodes | it sleeps |"), "{text}");
        assert!(text.contains("hrw: 10 ns at 3, 2 ms at 100,000 nodes"), "{text}");
        assert!(SHEETS[0].plot(&series()).lines[0].left_out);
    }

    #[test]
    fn nothing_has_no_place_on_a_logarithmic_axis() {
        let memory = SHEETS.iter().find(|sheet| sheet.file == "memory").unwrap();
        assert!(memory.plot(&series()).lines[0].points.is_empty());
    }

    #[test]
    fn every_plot_has_lines() {
        for sheet in SHEETS {
            assert!(LINES.iter().any(|(_, plot, _)| *plot == sheet.plot), "{}", sheet.file);
        }
    }
}
