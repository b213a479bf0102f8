//! `change`: the next file of a cluster, in the layout of this one.

mod args;
mod layout;
mod undo;

pub(crate) use layout::republished;
pub(crate) use undo::word;

use crate::{
    failure::{Failure, Outcome, name_of},
    output::buffered,
    secret::SecretArgs,
    share::expected_percent,
    show::level_name,
    shown::{json_string, on_one_line},
    sides::only_cluster,
    source::{EPOCHS, Source, number, read},
    write,
};
use args::{Additions, NodeArgs, Wanted};
use clap::Args;
use keystead::{Change, Cluster, Constraints, Diff, DiffSummary, ErrorKind, Node};
use layout::Changed;
use serde::Serialize;
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};
use undo::Undo;

const EXAMPLES: &str = "\
Examples:
  keystead change live.json --drain cache-c                                what would move? Nothing is written
  keystead change live.json --drain cache-c -o next.json
  keystead change live.json --add cache-k@10.7.0.11:11211 --location eu-1/1c -o next.json
  keystead change live.json --add cache-k --weight cache-k=4 --weight cache-a=2 -o next.json
  keystead change live.json --address cache-c=10.7.0.12:11211 -o next.json    another machine, the same keys
  keystead change live.json --remove cache-c -o next.json                  after its keys have left
  keystead change ring.json --add E --tokens 12 -o next.json               a ring with explicit tokens

Changes take effect together, in the order remove, add, weight, drain. The file keeps its order and layout, comments, addresses and \
meta; its epoch grows by 1. It appears whole or not at all. With `-o -` it is written to standard output and the report to standard \
error. The share that moves is that of owners: exact where `diff` says so, else from a sample with its standard error. The JSON is \
described by docs/json/change.schema.json.";

/// The next cluster file: nodes added, removed, drained, reweighted, and the epoch counted on
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ChangeArgs {
    /// Cluster file, `-` for standard input
    #[arg(value_name = "CLUSTER")]
    file: PathBuf,

    #[command(flatten)]
    additions: Additions,

    #[command(flatten)]
    nodes: NodeArgs,

    /// Publish under this number, above the file's, instead of the next one
    #[arg(long, value_name = "N", help_heading = "Changes", allow_negative_numbers = true)]
    epoch: Option<String>,

    /// File with the secret of sip13, as in the other verbs
    #[arg(long, value_name = "FILE", help_heading = "Cluster")]
    secret_file: Option<PathBuf>,

    /// Write the file; without this only what would move is said
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write the report as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// The structure of docs/json/change.schema.json.
#[derive(Serialize)]
struct Report {
    written: Option<String>,
    before: Side,
    after: Side,
    /// Whether it is provable that no key moves.
    identical: bool,
    moved: Moved,
    least: Option<Least>,
    hints: Vec<String>,
    /// To be run before the undo is needed, where there is one.
    keep: Option<String>,
    undo: Option<String>,
}

#[derive(Serialize)]
struct Side {
    epoch: Option<u64>,
    fingerprint: String,
    nodes: usize,
}

#[derive(Serialize)]
struct Moved {
    method: &'static str,
    share: f64,
    standard_error: f64,
    samples: Option<u32>,
}

#[derive(Serialize)]
struct Least {
    share: f64,
    fraction: Option<[String; 2]>,
}

/// Runs the verb.
pub(crate) fn run(args: &ChangeArgs) -> Outcome {
    let to_stdout = args.output.as_deref() == Some(Path::new("-"));
    if to_stdout && args.json {
        return Err(Failure::wrong_use(
            "standard output cannot be the file and the report as well: leave out --json or name a file with -o",
        ));
    }
    let text = read(&args.file)?;
    let secret = SecretArgs::one(args.secret_file.clone());
    let source = Source::parse(&text, &args.file, &secret)?;
    let before = only_cluster(&source.description, &source.name, "change")?;
    let wanted = Wanted::new(&args.additions, &args.nodes, before)?;
    if wanted.is_empty() && args.epoch.is_none() {
        return Err(Failure::wrong_use("no change is given: --add, --remove, --weight, --drain, --address or --epoch"));
    }
    let after = changed(before, &wanted, args.epoch.as_deref())?;
    let written = written(&text, before, &after, &wanted, &args.file, &secret)?;

    let constraints = Constraints::new();
    let summary = Diff::new(&before.clone().into(), &after.clone().into(), 1, &constraints)?.summary()?;
    let undo = match args.output.as_deref() {
        Some(path) if !to_stdout => {
            // Asked before the file is written, which may be the one that was read.
            Some(undo::undo(before, &after, &wanted, &args.file, path, args.secret_file.as_deref()))
        }
        _ => None,
    };
    match args.output.as_deref() {
        Some(path) if !to_stdout => write::whole(path, written.as_bytes())?,
        Some(_) => {
            let mut out = buffered();
            out.write_all(written.as_bytes())?;
            out.flush()?;
        }
        None => {}
    }
    let report = Report::new(args, before, &after, &wanted, &summary, undo.as_ref());
    if args.json {
        let mut out = buffered();
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    let is_in_place = args.output.as_deref().is_some_and(|path| undo::same_file(path, &args.file));
    let text = report.text(undo.as_ref(), is_in_place);
    if to_stdout {
        // There is nobody to tell that nobody reads this.
        let _ = io::stderr().write_all(text.as_bytes());
        return Ok(());
    }
    let mut out = buffered();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// The cluster after the change, under its number.
fn changed(before: &Cluster, wanted: &Wanted, epoch: Option<&str>) -> Outcome<Cluster> {
    let mut change = Change::new();
    for id in &wanted.remove {
        change = change.remove(id);
    }
    for node in &wanted.add {
        change = change.add(node.clone());
    }
    for (id, address) in &wanted.address {
        if wanted.remove.contains(id) {
            return Err(Failure::new(ErrorKind::UnknownNode, format!("node \"{id}\" is removed, and gets an address")));
        }
        let node = before.node(id)?;
        change = change.remove(id).add(match address {
            Some(address) => node.clone().address(address),
            None => without_address(node)?,
        });
    }
    for (id, weight) in &wanted.weight {
        change = change.weight(id, *weight);
    }
    for id in &wanted.drain {
        change = change.drain(id);
    }
    let after = before.change(&change)?;
    let epoch = match (epoch, before.epoch()) {
        (Some(text), old) => {
            let epoch = number("epoch", text, EPOCHS)?;
            if let Some(old) = old.filter(|old| epoch <= *old) {
                let message = format!("epoch {epoch} is not above {old}, the file's: services would refuse it");
                return Err(Failure::new(ErrorKind::StaleEpoch, message));
            }
            Some(epoch)
        }
        (None, old) => old.map(|old| old + 1),
    };
    Ok(after.with_epoch(epoch)?)
}

/// The node as it is, but for the address.
fn without_address(node: &Node) -> Outcome<Node> {
    let mut plain = Node::new(node.id())?.weight(node.get_weight());
    plain = plain.location(node.get_location().iter().map(ToString::to_string))?;
    if let Some(tokens) = node.get_tokens() {
        plain = plain.tokens(tokens.iter().copied())?;
    }
    for (name, value) in node.get_meta() {
        plain = plain.meta(name, value);
    }
    Ok(match node.get_comment() {
        Some(comment) => plain.comment(comment),
        None => plain,
    })
}

/// The file's text after the change, read again to make sure that it says what was asked for.
fn written(
    text: &[u8],
    before: &Cluster,
    after: &Cluster,
    wanted: &Wanted,
    path: &Path,
    secret: &SecretArgs,
) -> Outcome<String> {
    let changed = Changed {
        before,
        after,
        removed: wanted.remove.iter().map(String::as_str).collect(),
        added: wanted.add.iter().map(Node::id).collect(),
    };
    let edited = std::str::from_utf8(text).ok().and_then(|text| layout::edited(text, &changed));
    let unable = || Failure::new(ErrorKind::InvalidFile, format!("{}: its text cannot be edited", name_of(path)));
    let edited = edited.ok_or_else(unable)?;
    let read = Source::parse(edited.as_bytes(), path, secret)?;
    let read = only_cluster(&read.description, &read.name, "change")?;
    let carried = |cluster: &Cluster| -> Vec<Node> { cluster.nodes().to_vec() };
    if read != after || read.epoch() != after.epoch() || carried(read) != carried(after) {
        return Err(unable());
    }
    Ok(edited)
}

impl Report {
    fn new(
        args: &ChangeArgs,
        before: &Cluster,
        after: &Cluster,
        wanted: &Wanted,
        summary: &DiffSummary,
        undo: Option<&Result<Undo, String>>,
    ) -> Report {
        let side = |cluster: &Cluster| Side {
            epoch: cluster.epoch(),
            fingerprint: cluster.fingerprint().to_string(),
            nodes: cluster.len(),
        };
        let expected = &summary.expected;
        let way = undo.and_then(|undo| undo.as_ref().ok());
        Report {
            written: undo.is_some().then(|| args.output.as_deref().map(name_of)).flatten(),
            before: side(before),
            after: side(after),
            identical: summary.identical,
            moved: Moved {
                method: expected.method,
                share: expected.moved,
                standard_error: expected.standard_error,
                samples: expected.samples,
            },
            least: summary.least.map(|least| Least {
                share: least.share,
                fraction: least
                    .fraction
                    .map(|(numerator, denominator)| [numerator.to_string(), denominator.to_string()]),
            }),
            hints: hints(args, wanted, before, after, way.and_then(|undo| undo.keep.as_deref())),
            keep: way.and_then(|undo| undo.keep.clone()),
            undo: way.map(|undo| undo.line.clone()),
        }
    }

    fn text(&self, undo: Option<&Result<Undo, String>>, is_in_place: bool) -> String {
        let epoch = match (self.before.epoch, self.after.epoch) {
            (Some(old), Some(new)) => format!("epoch {old} → {new}"),
            (None, Some(new)) => format!("epoch {new}"),
            _ => "no epoch".to_owned(),
        };
        let moved = if self.identical || (self.moved.method == "exact" && self.moved.share == 0.0) {
            "0 keys move".to_owned()
        } else {
            let share = expected_percent(self.moved.share, self.moved.standard_error);
            let sample = self.moved.samples.map(|samples| format!(" (of a sample of {samples})")).unwrap_or_default();
            let least = self.least.as_ref().map(|least| expected_percent(least.share, 0.0));
            let least = least.map(|least| format!("; {least} is the least any placement could move"));
            format!("{share} of keys move{sample}{}", least.unwrap_or_default())
        };
        let said = format!("{epoch} · {moved}");
        let undo = undo.map(|undo| match undo {
            Ok(undo) => format!(" undo: {}", undo.line),
            Err(why) => format!(" undo: {why}"),
        });
        // After `mv next.json live.json` the file that the undo names is no more.
        let elsewhere = self.written.as_ref().filter(|_| self.undo.is_some() && self.keep.is_none());
        let elsewhere = elsewhere.filter(|_| !is_in_place);
        let elsewhere = elsewhere.map(|file| format!("       (for {file} the live file's name, once it is published)"));
        let hints = self.hints.iter().map(|hint| format!(" hint: {hint}"));
        let keep = self.keep.iter().map(|keep| format!(" keep: {keep}"));
        let way_back = keep.chain(undo).chain(elsewhere);
        [said].into_iter().chain(hints).chain(way_back).map(|line| on_one_line(&line).into_owned() + "\n").collect()
    }
}

fn hints(args: &ChangeArgs, wanted: &Wanted, before: &Cluster, after: &Cluster, keep: Option<&str>) -> Vec<String> {
    let mut hints = Vec::new();
    // Of a node that was drained before, nothing was left to keep in place.
    let had_keys = |id: &str| before.node(id).is_ok_and(|node| !node.is_drained());
    let leaving = wanted.drain.iter().chain(&wanted.remove);
    let leaving = leaving.filter(|id| had_keys(id) && wanted.add.iter().all(|node| node.id() != **id));
    for (new, old) in wanted.add.iter().map(Node::id).zip(leaving) {
        hints.push(format!("if {new} is a new machine for {old}, keep the id and change its address: 0 keys move"));
    }
    hints.extend(wanted.add.iter().filter_map(|node| place(node, before)));
    let named: Vec<&str> =
        wanted.add.iter().map(Node::id).chain(wanted.address.iter().map(|(id, _)| id.as_str())).collect();
    for node in after.nodes().iter().filter(|node| named.contains(&node.id())) {
        let others = after.nodes().iter().filter(|other| other.id() != node.id());
        let mut others =
            others.filter(|other| node.get_address().is_some() && other.get_address() == node.get_address());
        if let (Some(other), Some(address)) = (others.next(), node.get_address()) {
            hints.push(format!("{} has the address of {}, {address}", node.id(), other.id()));
        }
    }
    if after.epoch().is_none() {
        hints.push("the file has no epoch, so services cannot tell which is newer: --epoch 1 gives it one".to_owned());
    }
    if keep.is_some() {
        hints.push(format!(
            "keep {}: only it has the meta or comment of what is removed, and the way back is its content under a higher epoch",
            name_of(&args.file)
        ));
    }
    if args.output.is_none() {
        hints.push("nothing is written: -o FILE writes the file".to_owned());
    }
    hints
}

/// What is odd in the place of an added node, where the others have places.
fn place(node: &Node, before: &Cluster) -> Option<String> {
    let others = || before.nodes().iter().map(Node::get_location).filter(|location| !location.is_empty());
    others().next()?;
    let location = node.get_location();
    if location.is_empty() {
        return Some(format!("{} has no location, and others have one: --location says where it stands", node.id()));
    }
    let is_known = |level: usize| others().any(|other| other.starts_with(&location[..=level]));
    let level = (0..location.len()).find(|level| !is_known(*level))?;
    Some(format!("{} {} is new", level_name(before, level), json_string(&location[level])))
}
