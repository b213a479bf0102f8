//! `explain`: why a key goes where it goes.

use crate::{
    cli::{Asked, Format, OutputArgs},
    copies::ChoiceArgs,
    failure::Outcome,
    keys::{Answer, Given, formats},
    output::{GOOD, HEADER, Out, Paint, buffered},
    show::level_name,
    shown::on_one_line,
    sides::{SIDES, answering},
    source::ClusterArgs,
    table::{Side, Table},
};
use clap::Args;
use keystead::{Cluster, Constraints, Description, ExplainedNode, Explanation};
use std::io::Write as _;

const EXAMPLES: &str = concat!(
    "\
Examples:
  keystead explain live.json user:42
  keystead explain live.json user:42 -r 3 --spread zone
  keystead explain live.json user:42 --json | jq -r '.candidates[].id'    the ranking

",
    formats!(),
    "

Nodes rank by cost over weight, the lowest first; the cost is -log2 of the score as a fraction of 2^64. A ring has no scores: its \
nodes rank by their first token at or above the key's coordinate. The table ends soon after the last copy; --json has the whole \
ranking, in the structure that `explain` gives in every language: docs/json/explain.schema.json."
);

/// How many rows a table has, if the ranking is that long.
const AT_LEAST: usize = 10;
/// How many rows follow the last copy.
const AFTER_THE_LAST: usize = 2;

/// Why a key goes where it goes: digest, scores, what was skipped and for what
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = "keystead explain [OPTIONS] CLUSTER [KEY]...\n       keystead explain [OPTIONS] --nodes A,B,C [KEY]...")]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    asked: Asked,

    #[command(flatten)]
    choice: ChoiceArgs,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
pub(crate) fn run(args: &ExplainArgs) -> Outcome {
    let (file, keys) = args.asked.split(args.cluster.wants_file())?;
    let description = args.cluster.open(file)?.description;
    let constraints = args.choice.constraints()?;
    let count = args.choice.copies.count()?.unwrap_or(1);
    if let Description::Cluster(cluster) = &description {
        cluster.check_replicas(count, &constraints)?;
    }
    let sink = match args.output.format() {
        Format::Text => Sink::Text { out: buffered(), paint: Paint::for_stdout(), first: true },
        Format::Json => Sink::Json(buffered()),
        Format::Csv => {
            let mut csv = csv::Writer::from_writer(buffered());
            csv.write_record(["key", "rank", "node", "weight", "score", "cost", "token", "copy", "skipped"])?;
            Sink::Csv(Box::new(csv))
        }
    };
    let mut verb = Explain { description, constraints, count, sink };
    args.asked.keys.each(&keys, &mut verb)?;
    verb.flush()
}

enum Sink {
    Text { out: Out, paint: Paint, first: bool },
    Json(Out),
    Csv(Box<csv::Writer<Out>>),
}

struct Explain {
    description: Description,
    constraints: Constraints,
    count: u64,
    sink: Sink,
}

impl Answer for Explain {
    fn answer(&mut self, given: &Given<'_>) -> Outcome {
        let explanation = self.description.explain(given.key, self.count, &self.constraints)?;
        match &mut self.sink {
            Sink::Text { out, paint, first } => {
                if !std::mem::take(first) {
                    writeln!(out)?;
                }
                text(out, *paint, answering(&self.description, given.key).1, given, &explanation)
            }
            Sink::Json(out) => Ok(writeln!(out, "{}", explanation.to_json())?),
            Sink::Csv(csv) => rows(csv, given, &explanation),
        }
    }

    fn flush(&mut self) -> Outcome {
        match &mut self.sink {
            Sink::Text { out, .. } | Sink::Json(out) => out.flush()?,
            Sink::Csv(csv) => csv.flush()?,
        }
        Ok(())
    }
}

fn rows(csv: &mut csv::Writer<Out>, given: &Given<'_>, explanation: &Explanation) -> Outcome {
    let or_empty = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    for node in &explanation.candidates {
        csv.write_field(given.shown.csv())?;
        csv.write_record([
            node.rank.to_string(),
            node.id.clone(),
            node.weight.to_string(),
            node.score.map(|score| format!("{score:#018x}")).unwrap_or_default(),
            or_empty(node.cost),
            or_empty(node.token),
            or_empty(node.copy),
            node.skipped.unwrap_or_default().to_owned(),
        ])?;
    }
    Ok(())
}

fn text(out: &mut Out, paint: Paint, cluster: &Cluster, given: &Given<'_>, explanation: &Explanation) -> Outcome {
    writeln!(out, "{}  {}", paint.paint(HEADER, given.shown.text()), summary(explanation))?;
    if let Some(transition) = &explanation.transition {
        let passed = if transition.passed { "passed" } else { "not passed yet" };
        let side = SIDES[usize::from(transition.passed)];
        let mut said = vec![format!("transition {}/{}: {passed}, so `{side}` answers", transition.part, transition.of)];
        said.extend(transition.epoch.map(|epoch| format!("epoch {epoch}")));
        said.push(format!("{}…", transition.fingerprint.get(..8).unwrap_or(&transition.fingerprint)));
        writeln!(out, "{}", said.join(" · "))?;
    }
    let candidates = &explanation.candidates;
    let last_copy = candidates.iter().rposition(|node| node.copy.is_some()).map_or(0, |position| position + 1);
    let rows = candidates.len().min(AT_LEAST.max(last_copy + AFTER_THE_LAST));
    let depth = candidates.iter().map(|node| node.location.len()).max().unwrap_or(0);
    let mut table = Table::new(columns(cluster, depth, explanation));
    for node in &candidates[..rows] {
        table.row(cells(cluster, depth, explanation, node));
    }
    for (number, line) in table.lines().into_iter().enumerate() {
        let style = match number.checked_sub(1).and_then(|index| candidates.get(index)) {
            None => Some(HEADER),
            Some(node) => node.copy.map(|_| GOOD),
        };
        match style {
            Some(style) => writeln!(out, "{}", paint.paint(style, line))?,
            None => writeln!(out, "{line}")?,
        }
    }
    if rows < candidates.len() {
        writeln!(out, "   … {} more", candidates.len() - rows)?;
    }
    for note in notes(cluster, explanation) {
        writeln!(out, "{note}")?;
    }
    Ok(())
}

/// `text, 7 bytes · digest 0x… · rendezvous-1, xxh3, seed 0 · epoch 42 · 9f3c1a7b…`
fn summary(explanation: &Explanation) -> String {
    let Explanation { key, digest, algorithm, hash, seed, epoch, fingerprint, coordinate, slot, .. } = explanation;
    let plural = if key.length == 1 { "" } else { "s" };
    let mut said = vec![format!("{}, {} byte{plural}", key.kind, key.length), format!("digest {digest:#018x}")];
    said.extend(coordinate.map(|coordinate| format!("coordinate {coordinate}")));
    said.extend(slot.map(|slot| format!("slot {slot}")));
    said.push(match seed {
        Some(seed) => format!("{algorithm}, {hash}, seed {seed}"),
        None => format!("{algorithm}, {hash}"),
    });
    said.extend(epoch.map(|epoch| format!("epoch {epoch}")));
    said.push(format!("{}…", fingerprint.get(..8).unwrap_or(fingerprint)));
    said.join(" · ")
}

fn columns(cluster: &Cluster, depth: usize, explanation: &Explanation) -> Vec<(String, Side)> {
    let mut columns = vec![("rank".to_owned(), Side::Right), ("node".to_owned(), Side::Left)];
    columns.extend((0..depth).map(|level| (level_name(cluster, level), Side::Left)));
    columns.push(("weight".to_owned(), Side::Right));
    if explanation.coordinate.is_some() {
        columns.push(("token".to_owned(), Side::Right));
    } else {
        columns.push(("score".to_owned(), Side::Left));
        columns.push(("cost/weight".to_owned(), Side::Right));
    }
    columns.push(("picked".to_owned(), Side::Left));
    columns
}

fn cells(cluster: &Cluster, depth: usize, explanation: &Explanation, node: &ExplainedNode) -> Vec<String> {
    let mut cells = vec![node.rank.to_string(), node.id.clone()];
    cells.extend((0..depth).map(|level| {
        let name = node.location.get(level).map_or("", String::as_str);
        match node.domains.get(level) {
            Some(domain) => format!("{name} ({})", cost_over_weight(domain.cost, domain.weight)),
            None => name.to_owned(),
        }
    }));
    cells.push(node.weight.to_string());
    if explanation.coordinate.is_some() {
        cells.push(node.token.map(|token| token.to_string()).unwrap_or_default());
    } else {
        cells.push(node.score.map(|score| format!("{:#010x}…", score >> 32)).unwrap_or_default());
        cells.push(node.cost.map(|cost| cost_over_weight(cost, node.weight.into())).unwrap_or_default());
    }
    cells.push(match (node.copy, node.skipped, explanation.spread) {
        (Some(1), ..) if explanation.r == 1 => "owner".to_owned(),
        (Some(copy), ..) => format!("{} copy", ordinal(copy)),
        (None, Some("domain_taken"), Some(level)) => {
            let level = usize::try_from(level).unwrap_or(usize::MAX);
            let domain = node.location.get(level).map_or("", String::as_str);
            format!("no: {} {domain} is taken", level_name(cluster, level))
        }
        (None, Some(reason), _) => format!("no: {reason}"),
        (None, None, _) => String::new(),
    });
    cells
}

/// A cost in bits over a weight, for people: the exact numbers are in the JSON.
fn cost_over_weight(cost: u64, weight: u64) -> String {
    /// Costs have 56 fraction bits: 2^56.
    const ONE_BIT: f64 = 72_057_594_037_927_936.0;
    #[expect(clippy::cast_precision_loss, reason = "a figure of four digits")]
    let value = cost as f64 / ONE_BIT / weight as f64;
    if value < 0.001 { format!("{value:.1e}") } else { format!("{value:.4}") }
}

fn ordinal(number: u64) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// What the table does not show.
fn notes(cluster: &Cluster, explanation: &Explanation) -> Vec<String> {
    let mut notes = Vec::new();
    if cluster.algorithm() == "hierarchy-1" {
        notes.push("in brackets: cost/weight of the domain; the best domain's nodes come first".to_owned());
    }
    if explanation.limit > 1 {
        notes.push(format!("relaxed: up to {} copies a domain", explanation.limit));
    }
    if let Some(first) = explanation.candidates.first()
        && explanation.slot.is_some()
        && explanation.candidates.iter().any(|node| costs_less(node, first))
    {
        notes.push(format!(
            "headroom: {} owns the slot, since the nodes of lower cost were at their caps when it was assigned",
            first.id
        ));
    }
    if !explanation.excluded.is_empty() {
        notes.push(format!("excluded: {}", explanation.excluded.join("  ")));
    }
    if !explanation.drained.is_empty() {
        notes.push(format!("drained: {}", explanation.drained.join("  ")));
    }
    notes.iter().map(|note| on_one_line(note).into_owned()).collect()
}

fn costs_less(node: &ExplainedNode, than: &ExplainedNode) -> bool {
    let scaled = |cost: Option<u64>, weight: u32| u128::from(cost.unwrap_or(0)) * u128::from(weight);
    scaled(node.cost, than.weight) < scaled(than.cost, node.weight)
}
