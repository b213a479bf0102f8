//! `owner`: which node owns a key, and its copies.

use crate::{
    cli::{Asked, Format, OutputArgs},
    copies::ChoiceArgs,
    failure::{Failure, Outcome},
    keys::{Answer, Given, formats},
    output::{Out, buffered},
    shown::{excerpt, name},
    sides::{answering, only_cluster},
    source::{ANY, ClusterArgs, number},
};
use clap::Args;
use keystead::{Cluster, Constraints, Description, ErrorKind, Hash, KeyBytes};
use std::{io::Write as _, ops::RangeInclusive};

const EXAMPLES: &str = concat!(
    "\
Examples:
  keystead owner live.json user:42
  keystead owner live.json user:42 -r 3 --spread zone --exclude cache-b
  keystead owner --nodes a,b,c user:42
  zcat keys.gz | keystead owner live.json --keys - | cut -f 2 | sort | uniq -c
  keystead owner live.json --keys-format json '[\"tenant-7\", 42]'    a composite key
  keystead owner step-2.json user:42 --candidates  both places during a change
  keystead owner ring.json --at 12                 the node of a coordinate
  keystead owner --jump 10 user:42                 a numbered bucket

",
    formats!(),
    "

For one KEY argument the names alone are written, two spaces apart; else a line each: key TAB names, TAB-separated. \
A key that is not UTF-8, holds control characters, or begins with `\"` or `{` is shown as JSON, and so is every key that was \
given as JSON. Programs should read --json: a line each, described by docs/json/owner.schema.json."
);

/// Which node owns a key, or which nodes hold its copies
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = "keystead owner [OPTIONS] CLUSTER [KEY]...\n       keystead owner [OPTIONS] --nodes A,B,C [KEY]...")]
pub(crate) struct OwnerArgs {
    #[command(flatten)]
    asked: Asked,

    #[command(flatten)]
    choice: ChoiceArgs,

    /// Where the key can be during a transition: its owner, then the other cluster's owner where that is another node
    #[arg(long, help_heading = "Copies", conflicts_with_all = ["replicas", "exclude", "spread", "relaxed", "at", "jump", "modulo"])]
    candidates: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    numbers: NumberArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Questions without names or without hashing.
#[derive(Args)]
#[command(next_help_heading = "Numbers")]
struct NumberArgs {
    /// KEYs are numbers below 2^64 in place of a key's digest: coordinates of a ring, digests that choose a slot, or jump's keys
    #[arg(long, conflicts_with_all = ["replicas", "exclude", "spread", "relaxed", "modulo"])]
    at: bool,

    /// Number of the key's bucket among N by jump hash, without a cluster; takes --hash, --seed and --secret-file
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with_all = ["replicas", "exclude", "spread", "relaxed", "modulo"])]
    jump: Option<String>,

    /// Number of the key's bucket among N by remainder, without a cluster: something to compare with
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with_all = ["replicas", "exclude", "spread", "relaxed"])]
    modulo: Option<String>,
}

/// How many buckets there can be.
const BUCKETS: RangeInclusive<u64> = 1..=(1 << 31) - 1;

/// Runs the verb.
pub(crate) fn run(args: &OwnerArgs) -> Outcome {
    if args.numbers.at && !args.asked.keys.are_lines() {
        return Err(Failure::wrong_use("--at takes numbers: no --keys-format goes with it"));
    }
    let bucket = match (&args.numbers.jump, &args.numbers.modulo) {
        (Some(count), _) => {
            Some((Function::Jump { at: args.numbers.at }, number("number of buckets", count, BUCKETS)?))
        }
        (_, Some(count)) => Some((Function::Modulo, number("number of buckets", count, BUCKETS)?)),
        _ => None,
    };
    if let Some((_, buckets)) = &bucket {
        // Said once, and not of the first key.
        keystead::jump(0, *buckets)?;
    }
    let (file, keys) = args.asked.split(bucket.is_none() && args.cluster.wants_file())?;
    let question = if let Some((function, buckets)) = bucket {
        if let Some(option) = args.cluster.first_cluster_parameter() {
            return Err(Failure::wrong_use(format!(
                "{option} is of no use with --jump and --modulo, which need no cluster"
            )));
        }
        Question::Bucket { function, buckets, hash: args.cluster.hash()? }
    } else {
        let source = args.cluster.open(file)?;
        let constraints = args.choice.constraints()?;
        let description = source.description;
        match args.choice.copies.count()? {
            Some(count) => {
                if let Description::Cluster(cluster) = &description {
                    cluster.check_replicas(count, &constraints)?;
                }
                let with_limit = args.choice.copies.has_spread() && args.output.format() == Format::Json;
                Question::Replicas { description, count, constraints, with_limit }
            }
            None if args.candidates => Question::Candidates { description },
            None if args.numbers.at => {
                Question::At { cluster: only_cluster(&description, &source.name, "--at")?.clone() }
            }
            None => {
                Question::Owner { description, constraints: (!args.choice.exclude.is_empty()).then_some(constraints) }
            }
        }
    };
    let mut verb = Owner::new(question, args.output.format(), args.asked.keys.is_single(&keys));
    verb.header()?;
    args.asked.keys.each(&keys, &mut verb)?;
    verb.flush()
}

/// What is asked of every key.
enum Question {
    Owner { description: Description, constraints: Option<Constraints> },
    Replicas { description: Description, count: u64, constraints: Constraints, with_limit: bool },
    Candidates { description: Description },
    At { cluster: Cluster },
    Bucket { function: Function, buckets: u64, hash: Hash },
}

enum Function {
    Jump { at: bool },
    Modulo,
}

/// What is known of one key: positions among the names of all clusters, or the number of a bucket.
#[derive(Default)]
struct Found {
    picked: Vec<u32>,
    limit: Option<u32>,
    slot: Option<u32>,
}

impl Question {
    fn clusters(&self) -> Vec<&Cluster> {
        match self {
            Question::Owner { description, .. }
            | Question::Replicas { description, .. }
            | Question::Candidates { description } => description.clusters(),
            Question::At { cluster } => vec![cluster],
            Question::Bucket { .. } => Vec::new(),
        }
    }

    /// The word for the answer, as in the other languages.
    fn word(&self) -> &'static str {
        match self {
            Question::Owner { .. } | Question::At { .. } => "owner",
            Question::Replicas { .. } => "replicas",
            Question::Candidates { .. } => "candidates",
            Question::Bucket { .. } => "bucket",
        }
    }

    /// Where the answer is a list, how long it can be, and what one of it is called.
    fn list(&self) -> Option<(u64, &'static str)> {
        match self {
            // More copies than nodes are refused with the first key.
            Question::Replicas { count, .. } => {
                let most = self.clusters().iter().map(|cluster| cluster.len() as u64).max().unwrap_or(0);
                Some(((*count).min(most), "replica"))
            }
            Question::Candidates { description } => Some((description.clusters().len() as u64, "candidate")),
            _ => None,
        }
    }

    /// Whether keys are numbers.
    fn is_at(&self) -> bool {
        matches!(self, Question::At { .. } | Question::Bucket { function: Function::Jump { at: true }, .. })
    }

    /// Whether answers come with the key's slot, where the cluster that answers has slots.
    fn has_slot(&self) -> bool {
        !self.is_at() && self.clusters().iter().any(|cluster| cluster.slots().is_some())
    }

    /// The slot of the key in the cluster that answers.
    fn slot(&self, key: KeyBytes<'_>) -> Option<u32> {
        match self {
            Question::Owner { description, .. }
            | Question::Replicas { description, .. }
            | Question::Candidates { description } => answering(description, key).1.slot(key).ok(),
            Question::At { .. } | Question::Bucket { .. } => None,
        }
    }

    fn ask(&self, given: &Given<'_>, found: &mut Found) -> Outcome {
        let key = given.key;
        found.picked.clear();
        match self {
            Question::Owner { description, constraints } => {
                let (side, cluster) = answering(description, key);
                let index = match constraints {
                    None => cluster.owner_index(key),
                    Some(constraints) => cluster.owner_index_with(key, constraints)?,
                };
                found.picked.push(offset(description, side) + index);
            }
            Question::Replicas { description, count, constraints, with_limit } => {
                let (side, cluster) = answering(description, key);
                if *with_limit {
                    let replicas = cluster.replicas_with(key, *count, constraints)?;
                    found.picked.extend(replicas.nodes().iter().filter_map(|node| cluster.index_of(node.id())));
                    found.limit = Some(replicas.limit());
                } else {
                    found.picked = cluster.replica_indices_with(key, *count, constraints)?;
                }
                let offset = offset(description, side);
                found.picked.iter_mut().for_each(|index| *index += offset);
            }
            Question::Candidates { description } => {
                let (side, _) = answering(description, key);
                let sides = [side, 1 - side];
                let clusters = description.clusters();
                for (node, side) in description.candidates(key).into_iter().zip(sides) {
                    found
                        .picked
                        .extend(clusters[side].index_of(node.id()).map(|index| offset(description, side) + index));
                }
            }
            Question::At { cluster } => found.picked.push(cluster.owner_index_at(coordinate(given)?)?),
            Question::Bucket { function, buckets, hash } => found.picked.push(match function {
                Function::Jump { at: true } => keystead::jump(coordinate(given)?, *buckets)?,
                Function::Jump { at: false } => keystead::jump_bucket(key, *buckets, hash)?,
                Function::Modulo => keystead::modulo(key, *buckets, hash)?,
            }),
        }
        Ok(())
    }
}

/// Where the names of a side begin: those of `before` come first.
fn offset(description: &Description, side: usize) -> u32 {
    match description {
        Description::Transition(transition) if side == 1 => {
            u32::try_from(transition.before().len()).unwrap_or(u32::MAX)
        }
        _ => 0,
    }
}

/// A key that is a number.
fn coordinate(given: &Given<'_>) -> Outcome<u64> {
    let written = given.key.bytes();
    match std::str::from_utf8(written) {
        Ok(text) => number("coordinate", text, ANY),
        Err(_) => {
            Err(Failure::new(ErrorKind::InvalidParameter, format!("coordinate {} is not a number", excerpt(written))))
        }
    }
}

/// Where answers go: CSV has a buffer of its own.
enum Sink {
    Plain(Out),
    Csv(Box<csv::Writer<Out>>),
}

struct Owner {
    question: Question,
    found: Found,
    /// Of all clusters by index, as they are written: plain, or as JSON strings. None for buckets.
    names: Vec<String>,
    sink: Sink,
    format: Format,
    /// Names only: the one key is before the reader's eyes.
    bare: bool,
    with_slot: bool,
}

impl Owner {
    fn new(question: Question, format: Format, single: bool) -> Owner {
        let clusters = question.clusters();
        let ids = clusters.iter().flat_map(|cluster| cluster.ids());
        let names = ids.map(|id| name(id, format)).collect();
        let sink = if format == Format::Csv {
            Sink::Csv(Box::new(csv::Writer::from_writer(buffered())))
        } else {
            Sink::Plain(buffered())
        };
        let with_slot = question.has_slot() && format != Format::Text;
        Owner { question, found: Found::default(), names, sink, format, bare: single, with_slot }
    }

    /// The first line of CSV: a column a copy.
    fn header(&mut self) -> Outcome {
        let Sink::Csv(csv) = &mut self.sink else { return Ok(()) };
        csv.write_field(if self.question.is_at() { "at" } else { "key" })?;
        match self.question.list() {
            Some((most, one)) => {
                for number in 1..=most {
                    csv.write_field(format!("{one}_{number}"))?;
                }
            }
            None => csv.write_field(self.question.word())?,
        }
        if self.with_slot {
            csv.write_field("slot")?;
        }
        Ok(csv.write_record(None::<&[u8]>)?)
    }

    fn write(&mut self, given: &Given<'_>) -> Outcome {
        let Owner { question, found, names, sink, .. } = self;
        match (sink, self.format) {
            (Sink::Csv(csv), _) => {
                csv.write_field(given.shown.csv())?;
                for &index in &found.picked {
                    match names.get(index as usize) {
                        Some(name) => csv.write_field(name)?,
                        None => csv.write_field(index.to_string())?,
                    }
                }
                // A key that is in one place has one candidate.
                let missing = question.list().map_or(0, |(most, _)| most.saturating_sub(found.picked.len() as u64));
                for _ in 0..missing {
                    csv.write_field("")?;
                }
                if self.with_slot {
                    csv.write_field(found.slot.map(|slot| slot.to_string()).unwrap_or_default())?;
                }
                csv.write_record(None::<&[u8]>)?;
            }
            (Sink::Plain(out), Format::Json) => {
                out.write_all(if question.is_at() { b"{\"at\":" } else { b"{\"key\":" })?;
                given.shown.write_json(out)?;
                write!(out, ",\"{}\":", question.word())?;
                let is_list = question.list().is_some();
                out.write_all(if is_list { b"[" } else { b"" })?;
                write_names(out, names, &found.picked, b",")?;
                out.write_all(if is_list { b"]" } else { b"" })?;
                if let Some(limit) = found.limit {
                    write!(out, ",\"limit\":{limit}")?;
                }
                if let Some(slot) = found.slot {
                    write!(out, ",\"slot\":{slot}")?;
                }
                out.write_all(b"}\n")?;
            }
            (Sink::Plain(out), _) => {
                if !self.bare {
                    out.write_all(given.shown.text().as_bytes())?;
                    if !found.picked.is_empty() {
                        out.write_all(b"\t")?;
                    }
                }
                write_names(out, names, &found.picked, if self.bare { b"  " } else { b"\t" })?;
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}

/// The names of the picked nodes; a bucket has none but its number.
fn write_names(out: &mut Out, names: &[String], picked: &[u32], between: &[u8]) -> Outcome {
    for (place, &index) in picked.iter().enumerate() {
        if place > 0 {
            out.write_all(between)?;
        }
        match names.get(index as usize) {
            Some(name) => out.write_all(name.as_bytes())?,
            None => write!(out, "{index}")?,
        }
    }
    Ok(())
}

impl Answer for Owner {
    fn answer(&mut self, given: &Given<'_>) -> Outcome {
        self.question.ask(given, &mut self.found)?;
        if self.with_slot {
            self.found.slot = self.question.slot(given.key);
        }
        self.write(given)
    }

    fn flush(&mut self) -> Outcome {
        match &mut self.sink {
            Sink::Plain(out) => out.flush()?,
            Sink::Csv(csv) => csv.flush()?,
        }
        Ok(())
    }
}
