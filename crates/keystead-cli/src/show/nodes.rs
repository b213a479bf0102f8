//! The nodes of a cluster as a table, as JSON, as CSV.

use super::{bars::bar, json, level_name};
use crate::{
    cli::Format,
    draw,
    failure::Outcome,
    output::{GOOD, HEADER, Out, Paint, buffered, width},
    share::{fraction, percent, percent_digits},
    shown::on_one_line,
    sides::{SIDES, step},
    source::Source,
    table::Side,
};
use keystead::{Cluster, Description, Node, Share};
use std::io::Write as _;

/// Longer fractions (a ring's have up to twenty digits on each side) are left to the machine formats.
const LONGEST_FRACTION: usize = 21;
const WIDEST_BAR: usize = 40;

/// Shows the whole cluster, or both of a transition.
pub(crate) fn show(source: &Source, format: Format) -> Outcome {
    match (format, &source.description) {
        (Format::Text, _) => text(source),
        (Format::Json, Description::Cluster(cluster)) => json::cluster(cluster),
        (Format::Json, Description::Transition(transition)) => json::transition(transition),
        (Format::Csv, description) => csv(&description.clusters()),
    }
}

/// `rendezvous-1, xxh3, seed 0, epoch 42`: what shapes answers, and the number it was published under.
pub(crate) fn parameters(cluster: &Cluster) -> String {
    let mut said = vec![cluster.algorithm().to_owned()];
    said.extend(cluster.tokens_per_weight().map(|count| format!("{count} tokens a weight")));
    said.extend(cluster.space().map(|space| format!("space {space}")));
    said.extend(cluster.slots().map(|count| format!("{count} slots")));
    said.extend(cluster.headroom().map(|percent| format!("headroom {percent} %")));
    said.push(cluster.hash().name().to_owned());
    said.push(cluster.hash().seed().map_or("secret".to_owned(), |seed| format!("seed {seed}")));
    said.push(cluster.epoch().map_or("no epoch".to_owned(), |epoch| format!("epoch {epoch}")));
    said.join(", ")
}

/// The columns of locations.
fn level_names(cluster: &Cluster) -> Vec<String> {
    let depth = cluster.nodes().iter().map(|node| node.get_location().len()).max().unwrap_or(0);
    (0..depth).map(|level| level_name(cluster, level)).collect()
}

fn text(source: &Source) -> Outcome {
    let mut out = buffered();
    let paint = Paint::for_stdout();
    let name = paint.paint(HEADER, on_one_line(&source.name));
    match &source.description {
        Description::Cluster(cluster) => table(&mut out, paint, &name, cluster)?,
        Description::Transition(transition) => {
            let epoch = transition.epoch().map_or("no epoch".to_owned(), |epoch| format!("epoch {epoch}"));
            writeln!(out, "{name}: {}, {epoch}, fingerprint {}", step(transition), transition.fingerprint())?;
            if let Some(comment) = transition.comment() {
                writeln!(out, "{}", on_one_line(comment))?;
            }
            for (side, cluster) in SIDES.into_iter().zip([transition.before(), transition.after()]) {
                writeln!(out)?;
                table(&mut out, paint, &paint.paint(HEADER, side), cluster)?;
            }
        }
    }
    Ok(out.flush()?)
}

fn table(out: &mut Out, paint: Paint, name: &str, cluster: &Cluster) -> Outcome {
    writeln!(out, "{name}: {}", parameters(cluster))?;
    let drained = cluster.nodes().iter().filter(|node| node.is_drained()).count();
    let total: u64 = cluster.nodes().iter().map(|node| u64::from(node.get_weight())).sum();
    writeln!(
        out,
        "{} nodes, {drained} drained · total weight {total} · fingerprint {}",
        cluster.len(),
        cluster.fingerprint()
    )?;
    if let Some(comment) = cluster.comment() {
        writeln!(out, "{}", on_one_line(comment))?;
    }
    writeln!(out)?;

    let shares = cluster.shares();
    let fractions: Vec<String> = shares.iter().map(|share| fraction(*share)).collect();
    let layout = Layout {
        cluster,
        with_addresses: cluster.nodes().iter().any(|node| node.get_address().is_some()),
        levels: level_names(cluster),
        with_fractions: fractions.iter().all(|text| text.len() <= LONGEST_FRACTION),
    };
    let cells = cluster.nodes().iter().zip(shares.iter().zip(fractions));
    let rows: Vec<Vec<String>> = cells.map(|(node, (share, fraction))| layout.cells(node, *share, fraction)).collect();
    let (lines, left_out) = draw::fitted(&layout.columns(), &rows, &layout.spare());
    let used = lines.iter().map(|line| unicode_width::UnicodeWidthStr::width(line.as_str())).max().unwrap_or(0);
    let room = width().saturating_sub(used + 2).min(WIDEST_BAR);
    let largest = shares.iter().map(|share| scaled(*share)).max().unwrap_or(0);
    // Below the header, which is the first line, there is one line a node.
    for (number, line) in lines.iter().enumerate() {
        match number.checked_sub(1).and_then(|index| shares.get(index)) {
            None => writeln!(out, "{}", paint.paint(HEADER, line))?,
            Some(share) if room >= draw::NARROWEST && share.numerator > 0 => {
                let padding = used + 2 - unicode_width::UnicodeWidthStr::width(line.as_str());
                writeln!(
                    out,
                    "{line}{:padding$}{}",
                    "",
                    paint.paint(GOOD, bar(scaled(*share), largest, room, draw::only_ascii()))
                )?;
            }
            Some(_) => writeln!(out, "{line}")?,
        }
    }
    draw::left_out(out, &left_out)?;
    if !layout.with_fractions {
        writeln!(out, "\nexact shares, as fractions: --json or --csv")?;
    }
    Ok(())
}

/// A share in parts of 2^32, for drawing.
fn scaled(share: Share) -> u128 {
    (share.numerator << 32) / share.denominator
}

/// Which columns there are; found once, since it needs a look at every node.
struct Layout<'a> {
    cluster: &'a Cluster,
    with_addresses: bool,
    levels: Vec<String>,
    with_fractions: bool,
}

impl Layout<'_> {
    fn columns(&self) -> Vec<(String, Side)> {
        let mut columns = vec![("node", Side::Left)];
        if self.with_addresses {
            columns.push(("address", Side::Left));
        }
        columns.extend(self.levels.iter().map(|name| (name.as_str(), Side::Left)));
        columns.push(("weight", Side::Right));
        match self.cluster.algorithm() {
            "ring-1" => columns.push(("tokens", Side::Right)),
            "slots-1" => columns.push(("slots", Side::Right)),
            _ => {}
        }
        if self.with_fractions {
            columns.push(("share", Side::Right));
        }
        columns.push((if self.with_fractions { "" } else { "share" }, Side::Right));
        columns.into_iter().map(|(name, side)| (name.to_owned(), side)).collect()
    }

    /// What a narrow screen can do without, the first first: fractions beside per cents, addresses, locations from the innermost.
    fn spare(&self) -> Vec<usize> {
        let first_level = 1 + usize::from(self.with_addresses);
        let fractions = self.columns().len() - 2;
        let mut spare: Vec<usize> = self.with_fractions.then_some(fractions).into_iter().collect();
        spare.extend(self.with_addresses.then_some(1));
        spare.extend((first_level..first_level + self.levels.len()).rev());
        spare
    }

    fn cells(&self, node: &Node, share: Share, fraction: String) -> Vec<String> {
        let mut cells = vec![node.id().to_owned()];
        if self.with_addresses {
            cells.push(on_one_line(node.get_address().unwrap_or_default()).into_owned());
        }
        let location = node.get_location();
        cells.extend(
            (0..self.levels.len()).map(|level| location.get(level).map_or_else(String::new, ToString::to_string)),
        );
        cells.push(node.get_weight().to_string());
        match self.cluster.algorithm() {
            "ring-1" => cells.push(tokens(self.cluster, node).to_string()),
            "slots-1" => cells.push(slots_of_share(self.cluster, share).to_string()),
            _ => {}
        }
        if self.with_fractions {
            cells.push(fraction);
        }
        cells.push(if node.is_drained() { "drained".to_owned() } else { percent(share) });
        cells
    }
}

/// How many tokens of a ring a node has.
pub(crate) fn tokens(cluster: &Cluster, node: &Node) -> u64 {
    match node.get_tokens() {
        Some(tokens) => tokens.len() as u64,
        None => u64::from(node.get_weight()) * cluster.tokens_per_weight().map_or(0, u64::from),
    }
}

/// How many slots a share of them is.
pub(crate) fn slots_of_share(cluster: &Cluster, share: Share) -> u128 {
    share.numerator * cluster.slots().map_or(0, u128::from) / share.denominator
}

/// A row a node; of a transition with a column that says which cluster it is in.
fn csv(clusters: &[&Cluster]) -> Outcome {
    let is_transition = clusters.len() > 1;
    let deepest = clusters.iter().map(|cluster| level_names(cluster)).max_by_key(Vec::len).unwrap_or_default();
    let mut csv = csv::Writer::from_writer(buffered());
    let fixed = ["id", "weight", "share_numerator", "share_denominator", "share_percent", "address", "comment"];
    let side = is_transition.then_some("side");
    csv.write_record(side.into_iter().chain(fixed).chain(deepest.iter().map(String::as_str)))?;
    for (side, cluster) in SIDES.into_iter().zip(clusters) {
        for (node, share) in cluster.nodes().iter().zip(cluster.shares()) {
            if is_transition {
                csv.write_field(side)?;
            }
            csv.write_field(node.id())?;
            csv.write_field(node.get_weight().to_string())?;
            csv.write_field(share.numerator.to_string())?;
            csv.write_field(share.denominator.to_string())?;
            csv.write_field(percent_digits(share))?;
            csv.write_field(node.get_address().unwrap_or_default())?;
            csv.write_field(node.get_comment().unwrap_or_default())?;
            for level in 0..deepest.len() {
                csv.write_field(node.get_location().get(level).map_or("", |text| text))?;
            }
            csv.write_record(None::<&[u8]>)?;
        }
    }
    Ok(csv.flush()?)
}
