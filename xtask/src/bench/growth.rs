//! How time and memory grow with the nodes: each point in a process of its own, which is ended when it takes too much.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

/// What a build may take. A peer that needs more is left out from there on, and marked.
const TIME: Duration = Duration::from_secs(10);
const MEMORY: u64 = 1 << 30;
/// What the measurement after the build may take.
const AFTERWARDS: Duration = Duration::from_secs(8);

/// One line of a plot.
#[derive(Debug, Serialize)]
pub(crate) struct Series {
    pub(crate) plot: &'static str,
    pub(crate) who: &'static str,
    pub(crate) points: Vec<Point>,
    /// Where it stopped before the end, and why.
    pub(crate) left_out: Option<(u32, String)>,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Point {
    pub(crate) nodes: u32,
    /// Nanoseconds.
    pub(crate) build: f64,
    pub(crate) lookup: f64,
    pub(crate) bytes: f64,
    /// One node more or less, where it is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) change: Option<f64>,
}

/// What a program prints of a point.
#[derive(Debug, Deserialize)]
struct Printed {
    build: f64,
    lookup: f64,
    bytes: f64,
    change: Option<f64>,
}

/// The lines of each language, by the names that its program knows.
pub(crate) const LINES: &[(&str, &str, &[&str])] = &[
    (
        "Rust",
        "nodes",
        &[
            "rendezvous-1",
            "ring-1",
            "slots-1",
            "hierarchy-1",
            "hrw",
            "hrw-hash",
            "rendezvous_hash",
            "pingora-ketama",
            "hashring",
            "consistent_hash_ring",
            "jumphash",
            "maglev",
            "anchorhash",
        ],
    ),
    ("Rust", "rings", &["ring-1", "pingora-ketama", "hashring", "consistent_hash_ring"]),
    (
        "Python",
        "python",
        &[
            "rendezvous-1",
            "ring-1",
            "slots-1",
            "uhashring",
            "hash-ring-rs",
            "max() over xxhash",
            "clandestined",
            "pymemcache",
            "jump-consistent-hash",
        ],
    ),
    (
        "Node",
        "node",
        &[
            "rendezvous-1",
            "ring-1",
            "slots-1",
            "hashring",
            "consistent-hash",
            "node-hashring",
            "ketama",
            "skeleton-rendezvous",
            "max of h32(node + k)",
        ],
    ),
];

/// Numbers of nodes; a ring's tokens are 160 times as many.
fn sizes(plot: &str, quick: bool) -> &'static [u32] {
    match (plot, quick) {
        ("rings", false) => &[2, 6, 20, 60, 200, 600, 2_000, 6_000, 25_000],
        ("rings", true) => &[2, 200],
        ("nodes", false) => &[3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000],
        (_, false) => &[3, 10, 30, 100, 300, 1_000, 3_000, 10_000],
        (_, true) => &[10, 300],
    }
}

/// Measures every line of a language.
pub(crate) fn measure(
    language: &str,
    quick: bool,
    program: &Command,
    said: &mut dyn FnMut(&str),
) -> Result<Vec<Series>> {
    let mut all = Vec::new();
    for (_, plot, lines) in LINES.iter().filter(|(of, ..)| *of == language) {
        for who in *lines {
            said(&format!("{language}, growth of {who}"));
            all.push(one(plot, who, sizes(plot, quick), program)?);
        }
    }
    Ok(all)
}

fn one(plot: &'static str, who: &'static str, sizes: &[u32], program: &Command) -> Result<Series> {
    let mut series = Series { plot, who, points: Vec::new(), left_out: None };
    for &nodes in sizes {
        match point(&mut command(program, plot, who, nodes), TIME, MEMORY)? {
            Measured::Point(printed) => {
                let Printed { build, lookup, bytes, change } = printed;
                series.points.push(Point { nodes, build, lookup, bytes, change });
            }
            Measured::LeftOut(reason) => {
                series.left_out = Some((nodes, reason));
                break;
            }
        }
    }
    Ok(series)
}

fn command(program: &Command, plot: &str, who: &str, nodes: u32) -> Command {
    let mut command = again(program);
    command.args(["point", plot, who, &nodes.to_string()]);
    command
}

/// The same command once more, to which arguments can be added.
pub(crate) fn again(program: &Command) -> Command {
    let mut command = Command::new(program.get_program());
    command.args(program.get_args());
    if let Some(folder) = program.get_current_dir() {
        command.current_dir(folder);
    }
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[derive(Debug)]
enum Measured {
    Point(Printed),
    LeftOut(String),
}

fn point(command: &mut Command, time: Duration, memory: u64) -> Result<Measured> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start a point")?;
    let long = format!("a build takes more than {} s", time.as_secs());
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let reason = if start.elapsed() > time + AFTERWARDS {
            Some(long.clone())
        } else if resident(child.id()).is_some_and(|bytes| bytes > memory) {
            Some(format!("a build takes more than {} GB", memory >> 30))
        } else {
            None
        };
        if let Some(reason) = reason {
            child.kill()?;
            child.wait()?;
            return Ok(Measured::LeftOut(reason));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    // A line or a short complaint: less than a pipe holds.
    let mut text = String::new();
    child.stdout.take().context("no output")?.read_to_string(&mut text)?;
    if !status.success() {
        let mut complaint = String::new();
        child.stderr.take().context("no output")?.read_to_string(&mut complaint)?;
        return match complaint.trim().lines().last() {
            // The program says what a peer cannot do at all.
            Some(line) if line.starts_with("left out: ") => {
                Ok(Measured::LeftOut(line["left out: ".len()..].to_owned()))
            }
            last => bail!("a point failed: {}", last.unwrap_or("it said nothing")),
        };
    }
    let printed: Printed = serde_json::from_str(&text).context("a point printed no figures")?;
    if printed.build > time.as_secs_f64() * 1e9 { Ok(Measured::LeftOut(long)) } else { Ok(Measured::Point(printed)) }
}

/// The memory of a process, where the system tells.
fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    #[cfg(unix)]
    fn a_point_is_what_the_program_prints() {
        let line = r#"echo '{"build": 5, "lookup": 2.5, "bytes": 100}'"#;
        match point(&mut shell(line), TIME, MEMORY).unwrap() {
            Measured::Point(printed) => assert!((printed.lookup - 2.5).abs() < 1e-12 && printed.change.is_none()),
            Measured::LeftOut(reason) => panic!("{reason}"),
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_takes_too_long_or_cannot_is_left_out_with_the_reason() {
        let reason = |script: &str| match point(&mut shell(script), TIME, MEMORY).unwrap() {
            Measured::LeftOut(reason) => reason,
            Measured::Point(printed) => panic!("{printed:?}"),
        };
        assert_eq!(reason(r#"echo '{"build": 1e11, "lookup": 1, "bytes": 1}'"#), "a build takes more than 10 s");
        assert_eq!(reason("echo 'left out: 16 bits' >&2; exit 1"), "16 bits");
        assert!(point(&mut shell("echo broken >&2; exit 1"), TIME, MEMORY).is_err());
        assert!(point(&mut shell("echo nothing"), TIME, MEMORY).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_takes_too_much_memory_is_ended() {
        match point(&mut shell("sleep 30"), TIME, 0).unwrap() {
            Measured::LeftOut(reason) => assert_eq!(reason, "a build takes more than 0 GB"),
            Measured::Point(printed) => panic!("{printed:?}"),
        }
    }
}
