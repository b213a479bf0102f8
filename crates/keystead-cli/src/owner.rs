//! `owner`: which node owns a key, and its copies.

use crate::{
    cli::{Asked, Format, OutputArgs},
    copies::ChoiceArgs,
    failure::{Failure, Outcome},
    keys::{Answer, Given, formats},
    output::{Out, buffered},
    shown::{excerpt, json_string},
    source::{ClusterArgs, number},
};
use clap::Args;
use keystead::{Cluster, Constraints, ErrorKind, Hash};
use std::io::Write as _;

const EXAMPLES: &str = concat!(
    "\
Examples:
  keystead owner live.json user:42
  keystead owner live.json user:42 -r 3 --spread zone --exclude cache-b
  keystead owner --nodes a,b,c user:42
  zcat keys.gz | keystead owner live.json --keys - | cut -f 2 | sort | uniq -c
  keystead owner live.json --keys-format json '[\"tenant-7\", 42]'    a composite key
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

/// Runs the verb.
pub(crate) fn run(args: &OwnerArgs) -> Outcome {
    if args.numbers.at && !args.asked.keys.are_lines() {
        return Err(Failure::wrong_use("--at takes numbers: no --keys-format goes with it"));
    }
    let bucket = match (&args.numbers.jump, &args.numbers.modulo) {
        (Some(count), _) => Some((Function::Jump { at: args.numbers.at }, number("n", count)?)),
        (_, Some(count)) => Some((Function::Modulo, number("n", count)?)),
        _ => None,
    };
    let (file, keys) = args.asked.split(bucket.is_none() && args.cluster.wants_file())?;
    let question = if let Some((function, buckets)) = bucket {
        if let Some(option) = args.cluster.first_cluster_parameter() {
            return Err(Failure::wrong_use(format!(
                "{option} is of no use with --jump and --modulo, which need no cluster"
            )));
        }
        Question::Bucket { function, buckets, hash: args.cluster.hash()? }
    } else {
        let cluster = args.cluster.open(file)?.cluster;
        let constraints = args.choice.constraints()?;
        match args.choice.copies.count()? {
            Some(count) => {
                cluster.check_replicas(count, &constraints)?;
                Question::Replicas {
                    cluster,
                    count,
                    constraints,
                    with_limit: args.choice.copies.has_spread() && args.output.format() == Format::Json,
                }
            }
            None if args.numbers.at => Question::At { cluster },
            None => Question::Owner { cluster, constraints: (!args.choice.exclude.is_empty()).then_some(constraints) },
        }
    };
    let mut verb = Owner::new(question, args.output.format(), args.asked.keys.is_single(&keys));
    verb.header()?;
    args.asked.keys.each(&keys, &mut verb)?;
    verb.flush()
}

/// What is asked of every key.
enum Question {
    Owner { cluster: Cluster, constraints: Option<Constraints> },
    Replicas { cluster: Cluster, count: u64, constraints: Constraints, with_limit: bool },
    At { cluster: Cluster },
    Bucket { function: Function, buckets: u64, hash: Hash },
}

enum Function {
    Jump { at: bool },
    Modulo,
}

/// What is known of one key: positions of nodes, or the number of a bucket.
#[derive(Default)]
struct Found {
    picked: Vec<u32>,
    limit: Option<u32>,
    slot: Option<u32>,
}

impl Question {
    fn cluster(&self) -> Option<&Cluster> {
        match self {
            Question::Owner { cluster, .. } | Question::Replicas { cluster, .. } | Question::At { cluster } => {
                Some(cluster)
            }
            Question::Bucket { .. } => None,
        }
    }

    /// The word for the answer, as in the other languages.
    fn word(&self) -> &'static str {
        match self {
            Question::Owner { .. } | Question::At { .. } => "owner",
            Question::Replicas { .. } => "replicas",
            Question::Bucket { .. } => "bucket",
        }
    }

    /// Whether keys are numbers.
    fn is_at(&self) -> bool {
        matches!(self, Question::At { .. } | Question::Bucket { function: Function::Jump { at: true }, .. })
    }

    /// Whether an answer comes with the key's slot.
    fn has_slot(&self) -> bool {
        !self.is_at() && self.cluster().is_some_and(|cluster| cluster.slots().is_some())
    }

    fn ask(&self, given: &Given<'_>, found: &mut Found) -> Outcome {
        let key = given.key;
        found.picked.clear();
        match self {
            Question::Owner { cluster, constraints: None } => found.picked.push(cluster.owner_index(key)),
            Question::Owner { cluster, constraints: Some(constraints) } => {
                found.picked.push(cluster.owner_index_with(key, constraints)?);
            }
            Question::Replicas { cluster, count, constraints, with_limit: false } => {
                found.picked = cluster.replica_indices_with(key, *count, constraints)?;
            }
            Question::Replicas { cluster, count, constraints, with_limit: true } => {
                let replicas = cluster.replicas_with(key, *count, constraints)?;
                found.picked.extend(replicas.nodes().iter().filter_map(|node| cluster.index_of(node.id())));
                found.limit = Some(replicas.limit());
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

/// A key that is a number.
fn coordinate(given: &Given<'_>) -> Outcome<u64> {
    let written = given.key.bytes();
    match std::str::from_utf8(written) {
        Ok(text) => number("coordinate", text),
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
    /// By index, as they are written: plain, or as JSON strings. None for buckets.
    names: Vec<String>,
    sink: Sink,
    format: Format,
    /// Names only: the one key is before the reader's eyes.
    bare: bool,
    with_slot: bool,
}

impl Owner {
    fn new(question: Question, format: Format, single: bool) -> Owner {
        let names = question.cluster().map_or_else(Vec::new, |cluster| {
            cluster.ids().map(|id| if format == Format::Json { json_string(id) } else { id.to_owned() }).collect()
        });
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
        match &self.question {
            // More copies than nodes are refused with the first key.
            Question::Replicas { cluster, count, .. } => {
                for copy in 1..=(*count).min(cluster.len() as u64) {
                    csv.write_field(format!("replica_{copy}"))?;
                }
            }
            question => csv.write_field(question.word())?,
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
                if let Some(slot) = found.slot {
                    csv.write_field(slot.to_string())?;
                }
                csv.write_record(None::<&[u8]>)?;
            }
            (Sink::Plain(out), Format::Json) => {
                out.write_all(if question.is_at() { b"{\"at\":" } else { b"{\"key\":" })?;
                given.shown.write_json(out)?;
                write!(out, ",\"{}\":", question.word())?;
                let is_list = matches!(question, Question::Replicas { .. });
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
            self.found.slot = self.question.cluster().map(|cluster| cluster.slot(given.key)).transpose()?;
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
