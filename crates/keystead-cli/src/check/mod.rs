//! `check`: is it valid, and is there anything to worry about?

mod answers;
mod follows;
mod grain;
mod names;
mod places;
mod weights;

use crate::{
    cli::{Format, OutputArgs},
    copies::CopyArgs,
    failure::{Failure, Outcome, Said},
    output::{BAD, GOOD, Paint, WARN, buffered},
    show::parameters,
    shown::on_one_line,
    sides::{SIDES, step},
    source::{ClusterArgs, Source},
};
use answers::{AnswerArgs, Answers};
use clap::Args;
use follows::Follows;
use keystead::{Cluster, Described as _, Description};
use serde::Serialize;
use std::{ffi::OsString, io::Write as _, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  keystead check live.json
  keystead check live.json -r 3 --spread zone    can three copies be in three zones?
  keystead check next.json --after live.json && mv next.json live.json    valid, and newer?
  keystead check live.json --answers python.tsv --answers node.tsv    do two services really agree?

A file of answers is what `owner` writes for several keys: key TAB names, a line each; a key that begins with `\"` or `{` is JSON. \
Without -r a line is compared with as many copies as it names.

Exit status: 0 if the cluster is valid, with warnings (WARN) or without; 1 if it is invalid, which standard error says with file, \
line and column, if services that have LIVE would refuse it, if the copies asked for are impossible or an answer is wrong (FAIL); 2 if a file cannot be read or a secret is missing. \
The JSON is described by docs/json/check.schema.json.";

/// Whether a cluster is valid, and what there is to worry about
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = "keystead check [OPTIONS] CLUSTER\n       keystead check [OPTIONS] --nodes A,B,C")]
pub(crate) struct CheckArgs {
    /// Cluster or transition file, `-` for standard input; left out with --nodes
    #[arg(value_name = "CLUSTER")]
    file: Option<OsString>,

    /// Whether the file may take the place of this one in running services, which refuse an older epoch, none where there was one,
    /// and another description under the same epoch
    #[arg(long, value_name = "LIVE")]
    after: Option<PathBuf>,

    #[command(flatten)]
    answers: AnswerArgs,

    #[command(flatten)]
    copies: CopyArgs,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// The structure of docs/json/check.schema.json.
#[derive(Serialize)]
struct Report<'a> {
    valid: bool,
    cluster: Option<Checked>,
    transition: Option<CheckedTransition>,
    follows: Option<&'a Follows>,
    failures: &'a [Finding],
    warnings: &'a [Finding],
    answers: &'a [Answers],
}

/// A cluster that is valid.
#[derive(Serialize)]
struct Checked {
    algorithm: &'static str,
    nodes: usize,
    drained: usize,
    epoch: Option<u64>,
    fingerprint: String,
}

impl Checked {
    fn new(cluster: &Cluster) -> Checked {
        Checked {
            algorithm: cluster.algorithm(),
            nodes: cluster.len(),
            drained: cluster.nodes().iter().filter(|node| node.is_drained()).count(),
            epoch: cluster.epoch(),
            fingerprint: cluster.fingerprint().to_string(),
        }
    }
}

/// A transition that is valid.
#[derive(Serialize)]
struct CheckedTransition {
    part: u32,
    of: u32,
    epoch: Option<u64>,
    fingerprint: String,
    before: Checked,
    after: Checked,
}

/// Something to say about a cluster.
#[derive(Serialize, PartialEq, Eq)]
pub(crate) struct Finding {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
}

impl Finding {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Finding {
        Finding { code, message: message.into(), line: None, column: None }
    }
}

/// How many copies are to be where: what the warnings are measured against.
pub(crate) struct Wanted {
    /// The number of copies; 1 where none is given.
    pub(crate) copies: u64,
    /// The number of the level to spread over.
    pub(crate) level: Option<usize>,
    pub(crate) is_relaxed: bool,
    /// Whether they are to be spread at all, be it over a level that is not there.
    pub(crate) is_spread: bool,
}

/// Runs the verb.
pub(crate) fn run(args: &CheckArgs) -> Outcome {
    let format = args.output.format();
    let (live, opened) = match (&args.after, args.file.as_deref()) {
        (None, file) => (None, args.cluster.open(file)),
        (Some(_), None) => return Err(Failure::wrong_use("--after needs the file that is to follow")),
        (Some(live), Some(next)) => {
            args.cluster.reject_parameters()?;
            let [live, next] = args.cluster.open_both(live, next)?;
            (Some(live?), next)
        }
    };
    let source = match opened {
        Ok(source) => source,
        Err(failure) => {
            if let (Failure::Said(said), Format::Json) = (&failure, format)
                && said.is_of_cluster
            {
                write_invalid(said)?;
            }
            return Err(failure.into_check());
        }
    };
    let mut failures = Vec::new();
    let mut warnings = Vec::new();
    for cluster in source.description.clusters() {
        let (failed, warned) = check(cluster, &args.copies)?;
        failures.push(failed);
        warnings.push(warned);
    }
    let (mut failures, mut warnings) = (of_all(failures), of_all(warnings));
    if args.file.is_some() && source.description.epoch().is_none() {
        warnings.push(Finding::new("no_epoch", "no epoch: services cannot tell which file is newer"));
    }
    // Where the copies are impossible, every answer is wrong.
    let answers = if args.answers.is_given() && failures.is_empty() {
        args.answers.compare(&source.description, args.copies.count()?, &args.copies.constraints()?)?
    } else {
        Vec::new()
    };
    let follows = live.map(|live| Follows::new(&live, &source.description));
    failures.extend(follows.iter().filter_map(Follows::failure));
    write(
        &source,
        &Findings { follows: follows.as_ref(), failures: &failures, warnings: &warnings, answers: &answers },
        format,
    )?;
    if failures.is_empty() && answers.iter().all(Answers::all_agree) { Ok(()) } else { Err(Failure::Check) }
}

/// What is wrong with a cluster, and what there is to worry about.
fn check(cluster: &Cluster, copies: &CopyArgs) -> Outcome<(Vec<Finding>, Vec<Finding>)> {
    let count = copies.count()?;
    let constraints = copies.constraints()?;
    let mut failures = Vec::new();
    if let Some(count) = count {
        // Whether there are enough nodes and domains is the same for every key.
        if let Err(error) = cluster.replicas_with("", count, &constraints) {
            failures.push(Finding::new(error.code(), error.to_string()));
        }
    }
    let level = copies.level(cluster)?;
    let wanted =
        Wanted { copies: count.unwrap_or(1), level, is_relaxed: copies.is_relaxed(), is_spread: copies.has_spread() };
    Ok((failures, warnings(cluster, &wanted)))
}

/// The findings of all clusters: what holds for both sides of a transition is said once, what holds for one is said of it.
fn of_all(sides: Vec<Vec<Finding>>) -> Vec<Finding> {
    let mut sides = sides.into_iter();
    let first = sides.next().unwrap_or_default();
    let (before, after) = match sides.next() {
        Some(second) => (first, second),
        None => return first,
    };
    let (both, before): (Vec<Finding>, Vec<Finding>) = before.into_iter().partition(|finding| after.contains(finding));
    let after: Vec<Finding> = after.into_iter().filter(|finding| !both.contains(finding)).collect();
    let of_one = SIDES.into_iter().zip([before, after]).flat_map(|(side, findings)| {
        findings.into_iter().map(move |finding| Finding { message: format!("{side}: {}", finding.message), ..finding })
    });
    both.into_iter().chain(of_one).collect()
}

fn warnings(cluster: &Cluster, wanted: &Wanted) -> Vec<Finding> {
    let mut found = weights::warnings(cluster, wanted);
    found.extend(places::warnings(cluster, wanted));
    found.extend(names::warnings(cluster, wanted));
    found.extend(grain::warnings(cluster));
    found
}

/// All that there is to say.
struct Findings<'a> {
    follows: Option<&'a Follows>,
    failures: &'a [Finding],
    warnings: &'a [Finding],
    answers: &'a [Answers],
}

fn write(source: &Source, findings: &Findings<'_>, format: Format) -> Outcome {
    let Findings { follows, failures, warnings, answers } = *findings;
    let Source { description, name } = source;
    let mut out = buffered();
    match format {
        Format::Text => {
            let paint = Paint::for_stdout();
            let said = format!("{name}: {}", summary(description));
            writeln!(out, "{}    {}", paint.paint(GOOD, "OK"), on_one_line(&said))?;
            if let Some(said) = follows.and_then(Follows::said) {
                writeln!(out, "{}    {}", paint.paint(GOOD, "OK"), on_one_line(&said))?;
            }
            for (style, tag, findings) in [(BAD, "FAIL", failures), (WARN, "WARN", warnings)] {
                for finding in findings {
                    writeln!(out, "{}  {}", paint.paint(style, tag), on_one_line(&finding.message))?;
                }
            }
            for of_file in answers {
                let tag = if of_file.all_agree() { paint.paint(GOOD, "OK  ") } else { paint.paint(BAD, "FAIL") };
                let mut said = of_file.said().into_iter();
                let first = said.next().unwrap_or_default();
                writeln!(out, "{tag}  {}  {}", on_one_line(&of_file.file), on_one_line(&first))?;
                for line in said {
                    writeln!(out, "      {}", on_one_line(&line))?;
                }
            }
        }
        Format::Json => {
            let report = Report {
                valid: true,
                cluster: match description {
                    Description::Cluster(cluster) => Some(Checked::new(cluster)),
                    Description::Transition(_) => None,
                },
                transition: match description {
                    Description::Cluster(_) => None,
                    Description::Transition(transition) => Some(CheckedTransition {
                        part: transition.gate().part(),
                        of: transition.gate().of(),
                        epoch: transition.epoch(),
                        fingerprint: transition.fingerprint().to_string(),
                        before: Checked::new(transition.before()),
                        after: Checked::new(transition.after()),
                    }),
                },
                follows,
                failures,
                warnings,
                answers,
            };
            serde_json::to_writer_pretty(&mut out, &report)?;
            writeln!(out)?;
        }
        Format::Csv => {
            let mut csv = csv::Writer::from_writer(out);
            csv.write_record(["level", "code", "message"])?;
            for (level, findings) in [("failure", failures), ("warning", warnings)] {
                for finding in findings {
                    csv.write_record([level, finding.code, &finding.message])?;
                }
            }
            if let Some(said) = follows.and_then(Follows::said) {
                csv.write_record(["info", "follows", &said])?;
            }
            for of_file in answers {
                let level = if of_file.all_agree() { "info" } else { "failure" };
                for line in of_file.said() {
                    csv.write_record([level, "answers", &format!("{}  {line}", of_file.file)])?;
                }
            }
            return Ok(csv.flush()?);
        }
    }
    Ok(out.flush()?)
}

/// `rendezvous-1, xxh3, seed 0, epoch 42, 8 nodes, fingerprint …`.
fn summary(description: &Description) -> String {
    match description {
        Description::Cluster(cluster) => {
            format!("{}, {} nodes, fingerprint {}", parameters(cluster), cluster.len(), cluster.fingerprint())
        }
        Description::Transition(transition) => {
            let epoch = transition.epoch().map_or("no epoch".to_owned(), |epoch| format!("epoch {epoch}"));
            let nodes = format!("{} → {} nodes", transition.before().len(), transition.after().len());
            format!("{}, {epoch}, {nodes}, fingerprint {}", step(transition), transition.fingerprint())
        }
    }
}

fn write_invalid(said: &Said) -> Outcome {
    let (line, column) = said.position.map(|at| (at.line, at.column)).unzip();
    let failure = Finding { line, column, ..Finding::new(said.code, &said.message) };
    let mut out = buffered();
    let report = Report {
        valid: false,
        cluster: None,
        transition: None,
        follows: None,
        failures: &[failure],
        warnings: &[],
        answers: &[],
    };
    serde_json::to_writer_pretty(&mut out, &report)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// `n` parts of `whole` in per cent, with one digit.
pub(crate) fn percent(n: u64, whole: u64) -> String {
    let thousandths = (u128::from(n) * 2_000).checked_div(u128::from(whole)).unwrap_or(0).div_ceil(2);
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}
