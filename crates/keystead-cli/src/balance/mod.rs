//! `balance`: is the load uneven by luck, by the keys, or by fault?

mod chance;
mod distinct;
mod hot;
mod page;
mod report;
mod verdict;

use crate::{
    cli::{Asked, OutputArgs},
    failure::{Failure, Outcome},
    html::{self, HtmlArgs},
    keys::{Answer, Columns, Given, formats},
    sides::answering,
    source::{ClusterArgs, Source},
};
use chance::{ChiSquare, chi_square, float};
use clap::{Args, ValueEnum};
use distinct::{Distinct, Entry, find};
use hot::Hot;
use keystead::{Cluster, Description, Hash, Share};
use serde::Serialize;
use serde_json::value::RawValue;
use verdict::Verdict;

const EXAMPLES: &str = concat!(
    "\
Examples:
  keystead balance live.json --keys keys.txt
  keystead balance live.json --keys log.csv --keys-format csv --count-column hits --bytes-column bytes
  keystead balance live.json --keys keys.txt --baseline modulo --baseline jump
  keystead balance live.json --keys keys.txt --html balance.html

",
    formats!(),
    "

max/mean is the heaviest node's load over what its weight asks for. The chi-square test asks how likely random keys are to be spread \
as unevenly as the distinct keys are: a p of 0.5 is ordinary, one below 0.001 is no chance. A key is hot when it has more than a tenth \
of an average node's load, and four times an average key's. At most 40 bytes are held for each distinct key. The JSON is described by \
docs/json/balance.schema.json."
);

/// Whether keys are spread evenly: luck, hot or equal keys, or a fault
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = "keystead balance [OPTIONS] CLUSTER --keys FILE\n       keystead balance [OPTIONS] --nodes A,B,C --keys FILE")]
pub(crate) struct BalanceArgs {
    #[command(flatten)]
    asked: Asked,

    /// The column of a CSV file that says how many times a key counts
    #[arg(long, value_name = "NAME", help_heading = "Keys")]
    count_column: Option<String>,

    /// The column of a CSV file that says how many bytes a key stands for
    #[arg(long, value_name = "NAME", help_heading = "Keys")]
    bytes_column: Option<String>,

    /// Also spread the keys over as many numbered buckets as nodes own keys, for comparison; weights play no part; repeatable
    #[arg(long, value_name = "NAME", value_enum, help_heading = "Comparison")]
    baseline: Vec<Baseline>,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    page: HtmlArgs,
}

/// Placements by number.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Baseline {
    Modulo,
    Jump,
}

/// The structure of docs/json/balance.schema.json.
#[derive(Serialize)]
struct Report {
    fingerprint: String,
    #[serde(serialize_with = "text")]
    keys: u64,
    #[serde(serialize_with = "text")]
    distinct: u64,
    /// None where nothing says how many.
    bytes: Option<String>,
    verdict: Verdict,
    message: String,
    max_mean: f64,
    bytes_max_mean: Option<f64>,
    chi_square: Option<ChiSquare>,
    nodes: Vec<Loaded>,
    hot: Vec<HotKey>,
    baselines: Vec<Compared>,
}

/// A node with what it owns.
#[derive(Serialize)]
struct Loaded {
    id: String,
    /// The part that its weight asks for.
    fair: f64,
    /// The part of the key space that it owns.
    share: f64,
    #[serde(serialize_with = "text")]
    keys: u64,
    #[serde(serialize_with = "text")]
    distinct: u64,
    bytes: Option<String>,
}

#[derive(Serialize)]
struct HotKey {
    key: Option<Box<RawValue>>,
    node: String,
    #[serde(serialize_with = "text")]
    keys: u64,
    bytes: Option<String>,
    /// Its part of what it is hot in.
    part: f64,
    by: &'static str,
}

#[derive(Serialize)]
struct Compared {
    name: &'static str,
    buckets: u32,
    max_mean: f64,
    chi_square: Option<ChiSquare>,
}

/// Counts can be above what JSON readers keep apart.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn text<S: serde::Serializer>(count: &u64, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(count)
}

/// Runs the verb.
pub(crate) fn run(args: &BalanceArgs) -> Outcome {
    let page = args.page.file()?;
    let (file, keys) = args.asked.split(args.cluster.wants_file())?;
    if !args.asked.keys.has_file() || !keys.is_empty() {
        return Err(Failure::wrong_use("a few keys say nothing about balance: name a file with --keys"));
    }
    let Source { description, name } = args.cluster.open(file)?;
    let columns = Columns { bytes: args.bytes_column.as_deref(), count: args.count_column.as_deref() };
    let mut counting = Counting::new(description, columns.bytes.is_some());
    args.asked.keys.each_of_file(columns, &mut counting)?;
    let report = counting.finish(&args.baseline)?;
    if let Some(file) = page {
        html::publish(file, &page::page(&report, &name))?;
    }
    report::write(&report, args.output.format())
}

/// What is counted while keys go by.
struct Counting {
    description: Description,
    /// Where each side's names begin among [`Counting::names`].
    places: Vec<Vec<u32>>,
    names: Vec<String>,
    distinct: Distinct,
    /// The digests are those of `jump` and `modulo`, so that these can be asked for at the end.
    hash: Hash,
    other_hash: Hash,
    by_keys: Hot,
    by_bytes: Option<Hot>,
}

impl Counting {
    fn new(description: Description, has_bytes: bool) -> Counting {
        let mut names: Vec<String> =
            description.clusters().iter().flat_map(|cluster| cluster.ids()).map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        let place =
            |id: &str| names.binary_search_by(|name| (**name).cmp(id)).ok().and_then(|at| u32::try_from(at).ok());
        let places = description.clusters().iter().map(|cluster| cluster.ids().filter_map(place).collect()).collect();
        Counting {
            description,
            places,
            names,
            distinct: Distinct::default(),
            hash: Hash::xxh3(0),
            other_hash: Hash::xxh64(1),
            by_keys: Hot::default(),
            by_bytes: has_bytes.then(Hot::default),
        }
    }

    /// A part of the key space for each name; in a transition each side counts for as much as has passed.
    fn parts(&self, part_of: impl Fn(&Cluster) -> Vec<f64>) -> Vec<f64> {
        let passed = match &self.description {
            Description::Cluster(_) => 0.0,
            Description::Transition(step) => f64::from(step.gate().part()) / f64::from(step.gate().of()),
        };
        let mut parts = vec![0.0; self.names.len()];
        for ((cluster, places), weight) in
            self.description.clusters().iter().zip(&self.places).zip([1.0 - passed, passed])
        {
            for (part, place) in part_of(cluster).into_iter().zip(places) {
                parts[*place as usize] += weight * part;
            }
        }
        parts
    }

    fn finish(self, baselines: &[Baseline]) -> Outcome<Report> {
        let fair = self.parts(|cluster| {
            let total: f64 = cluster.nodes().iter().map(|node| f64::from(node.get_weight())).sum();
            // A ring with explicit tokens has no weights but 0 and 1.
            cluster.nodes().iter().map(|node| f64::from(node.get_weight()) / total).collect()
        });
        let share = self.parts(|cluster| cluster.shares().into_iter().map(ratio).collect());
        let fingerprint = keystead::Described::fingerprint(&self.description).to_string();
        let has_bytes = self.by_bytes.is_some();
        let entries = self.distinct.finish()?;
        let mut loads = vec![Load::default(); self.names.len()];
        for entry in &entries {
            loads[entry.node as usize].add(entry)?;
        }
        let mut total = Load::default();
        for load in &loads {
            total.add_load(load)?;
        }
        if total.keys == 0 {
            return Err(Failure::new(
                keystead::ErrorKind::InvalidParameter,
                "every count is 0: there is nothing to spread",
            ));
        }
        let cells = |load: &dyn Fn(&Load) -> f64| -> Vec<(f64, f64)> {
            loads.iter().map(load).zip(fair.iter().copied()).collect()
        };
        let max_mean = max_mean(&cells(&|load| float(load.keys)));
        let bytes_max_mean = has_bytes.then(|| max_mean_of_bytes(&cells(&|load| bytes_float(load.bytes))));
        let chi_square = chi_square(loads.iter().map(|load| load.distinct).zip(share.iter().copied()));
        let live = fair.iter().filter(|part| **part > 0.0).count();
        let mut hot = hot_keys(self.by_keys, "keys", &entries, &total, live, has_bytes, &self.names)?;
        if let Some(by_bytes) = self.by_bytes {
            hot.extend(hot_keys(by_bytes, "bytes", &entries, &total, live, has_bytes, &self.names)?);
        }
        let baselines = baselines.iter().map(|name| name.compare(&entries, live)).collect::<Outcome<_>>()?;
        let bytes = |bytes: u128| has_bytes.then(|| bytes.to_string());
        let nodes = self.names.into_iter().zip(&loads).zip(fair.into_iter().zip(share));
        let nodes = nodes.map(|((id, load), (fair, share))| {
            let &Load { keys, distinct, bytes: of_bytes } = load;
            Loaded { id, fair, share, keys, distinct, bytes: bytes(of_bytes) }
        });
        let mut report = Report {
            fingerprint,
            keys: total.keys,
            distinct: total.distinct,
            bytes: bytes(total.bytes),
            verdict: Verdict::Chance,
            message: String::new(),
            max_mean,
            bytes_max_mean,
            chi_square,
            nodes: nodes.collect(),
            hot,
            baselines,
        };
        (report.verdict, report.message) = verdict::judge(&report);
        Ok(report)
    }
}

impl Answer for Counting {
    fn answer(&mut self, given: &Given<'_>) -> Outcome {
        let (side, cluster) = answering(&self.description, given.key);
        let node = self.places[side][cluster.owner_index(given.key) as usize];
        let digest = given.key.digest(&self.hash);
        let [a, b, c, d, ..] = given.key.digest(&self.other_hash).to_le_bytes();
        let more = u32::from_le_bytes([a, b, c, d]);
        self.by_keys.add((digest, more), given.count, given.shown);
        if let Some(by_bytes) = &mut self.by_bytes {
            by_bytes.add((digest, more), given.bytes, given.shown);
        }
        self.distinct.add(Entry { digest, more, node, keys: given.count, bytes: given.bytes });
        Ok(())
    }

    fn flush(&mut self) -> Outcome {
        Ok(())
    }
}

/// What a node owns.
#[derive(Clone, Copy, Default)]
struct Load {
    keys: u64,
    distinct: u64,
    bytes: u128,
}

impl Load {
    fn add(&mut self, entry: &Entry) -> Outcome {
        self.add_load(&Load { keys: entry.keys, distinct: 1, bytes: entry.bytes.into() })
    }

    fn add_load(&mut self, other: &Load) -> Outcome {
        self.keys = self.keys.checked_add(other.keys).ok_or_else(|| {
            let message = format!("counts add up to more than {}", u64::MAX);
            Failure::new(keystead::ErrorKind::InvalidParameter, message)
        })?;
        self.distinct += other.distinct;
        self.bytes += other.bytes;
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn ratio(share: Share) -> f64 {
    share.numerator as f64 / share.denominator as f64
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn bytes_float(bytes: u128) -> f64 {
    bytes as f64
}

/// The largest of load over fair load, among all that are to have any.
fn max_mean(cells: &[(f64, f64)]) -> f64 {
    let total: f64 = cells.iter().map(|(load, _)| load).sum();
    let relative = |(load, fair): &(f64, f64)| load / (total * fair);
    cells.iter().filter(|(_, fair)| *fair > 0.0).map(relative).fold(0.0, f64::max)
}

/// The same where there may be no load at all.
fn max_mean_of_bytes(cells: &[(f64, f64)]) -> f64 {
    if cells.iter().all(|(load, _)| *load == 0.0) { 1.0 } else { max_mean(cells) }
}

fn hot_keys(
    hot: Hot,
    by: &'static str,
    entries: &[Entry],
    total: &Load,
    live: usize,
    has_bytes: bool,
    names: &[String],
) -> Outcome<Vec<HotKey>> {
    const NAMED: usize = 5;
    let weight = |entry: &Entry| if by == "bytes" { entry.bytes } else { entry.keys };
    let whole = if by == "bytes" { bytes_float(total.bytes) } else { float(total.keys) };
    let average_node = whole / float(live as u64);
    let average_key = whole / float(total.distinct);
    let is_hot = |weight: u64| float(weight) > average_node / 10.0 && float(weight) > 4.0 * average_key;
    let mut found: Vec<(&Entry, hot::Candidate)> = hot
        .candidates()
        .filter_map(|(id, candidate)| Some((find(entries, id)?, candidate)))
        .filter(|(entry, _)| is_hot(weight(entry)) || (total.distinct == 1 && entry.keys > 1))
        .collect();
    found.sort_by_key(|(entry, _)| (std::cmp::Reverse(weight(entry)), entry.digest));
    found
        .into_iter()
        .take(NAMED)
        .map(|(entry, candidate)| {
            let key = candidate.key.map(|json| RawValue::from_string(json.into())).transpose()?;
            Ok(HotKey {
                key,
                node: names[entry.node as usize].clone(),
                keys: entry.keys,
                bytes: has_bytes.then(|| entry.bytes.to_string()),
                part: float(weight(entry)) / whole,
                by,
            })
        })
        .collect()
}

impl Baseline {
    /// Spreads the keys over the buckets, by the digest that `jump_bucket` and `modulo` take as well.
    fn compare(self, entries: &[Entry], buckets: usize) -> Outcome<Compared> {
        let buckets = u32::try_from(buckets).unwrap_or(u32::MAX);
        let mut loads = vec![(0_u64, 0_u64); buckets as usize];
        for entry in entries {
            let bucket = match self {
                Baseline::Jump => keystead::jump(entry.digest, buckets.into())?,
                Baseline::Modulo => u32::try_from(entry.digest % u64::from(buckets)).unwrap_or(0),
            };
            let load = &mut loads[bucket as usize];
            // Together they are at most the total, which fits.
            *load = (load.0 + entry.keys, load.1 + 1);
        }
        let fair = 1.0 / f64::from(buckets);
        let cells: Vec<(f64, f64)> = loads.iter().map(|(keys, _)| (float(*keys), fair)).collect();
        Ok(Compared {
            name: match self {
                Baseline::Modulo => "modulo",
                Baseline::Jump => "jump",
            },
            buckets,
            max_mean: max_mean(&cells),
            chi_square: chi_square(loads.iter().map(|(_, distinct)| (*distinct, fair))),
        })
    }
}
