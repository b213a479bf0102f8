//! The summary of a difference, for people.

use super::matrix;
use crate::{
    amount::Amount,
    draw::{self, Both},
    failure::Outcome,
    figures::{bytes, count, keys},
    output::{GOOD, HEADER, Out, Paint, WARN, buffered},
    share::{exact_percent, percent_of},
    shown::on_one_line,
    source::Source,
    table::Side,
};
use keystead::{Comparison, Count, Counted, CountedNode, Described as _, DiffSide, DiffSummary, Expected};
use std::io::Write as _;

/// Writes it.
pub(super) fn text(sides: &[&Source; 2], summary: &DiffSummary, with_matrix: bool) -> Outcome {
    let paint = Paint::for_stdout();
    let mut out = buffered();
    let [before, after] = sides;
    let names = format!("{} → {}", before.name, after.name);
    writeln!(out, "{}: {}", paint.paint(HEADER, on_one_line(&names)), heading(summary))?;
    for warning in warnings(sides) {
        writeln!(out, "{}  {warning}", paint.paint(WARN, "WARN"))?;
    }
    if summary.identical {
        let said = "no key moves: both give the same answer to every key";
        writeln!(out, "{}", paint.paint(GOOD, said))?;
    }
    match &summary.counted {
        Some(counted) => moved(&mut out, summary, counted)?,
        None if summary.identical => {}
        None => writeln!(out, "moves  {}", expectation(summary))?,
    }
    if summary.identical && summary.counted.is_none() {
        return Ok(out.flush()?);
    }
    copies(&mut out, summary)?;
    nodes(&mut out, paint, summary)?;
    if with_matrix {
        matrix::text(&mut out, paint, summary)?;
    } else {
        matrix::small(&mut out, paint, summary)?;
    }
    let moves = summary.counted.as_ref().map_or(summary.expected.moved > 0.0, |counted| counted.moved.keys > 0);
    if moves {
        let more = if with_matrix { "" } else { "; --matrix and --list name source and target" };
        writeln!(out, "\na new owner starts empty: copy, or let reads fill it{more}")?;
    }
    Ok(out.flush()?)
}

/// `epoch 42 → 43 · 8 → 9 nodes · rendezvous-1, xxh3`.
pub(super) fn heading(summary: &DiffSummary) -> String {
    let (before, after) = (&summary.before, &summary.after);
    let epoch = |side: &DiffSide| side.epoch.map_or("none".to_owned(), |epoch| epoch.to_string());
    let mut said = Vec::new();
    said.push(if before.epoch.is_none() && after.epoch.is_none() {
        "no epoch".to_owned()
    } else {
        format!("epoch {} → {}", epoch(before), epoch(after))
    });
    said.push(format!("{} → {} nodes", before.nodes, after.nodes));
    let placed = |side: &DiffSide| format!("{}, {}", side.algorithm, side.hash);
    let (old, new) = (placed(before), placed(after));
    said.push(if old == new { old } else { format!("{old} → {new}") });
    if before.transition.is_some() || after.transition.is_some() {
        said.push(format!("transition {} → {}", reached(before, after), reached(after, before)));
    }
    if summary.r > 1 {
        said.push(format!("{} copies", summary.r));
    }
    said.join(" · ")
}

/// How far a side has gone: a transition says it; a cluster beside one is where that begins or ends, or is no part of it.
fn reached(side: &DiffSide, other: &DiffSide) -> String {
    match (&side.transition, &other.transition) {
        (Some(step), _) => format!("{}/{}", step.part, step.of),
        (None, Some(step)) if side.fingerprint == step.before => "0".to_owned(),
        (None, Some(step)) if side.fingerprint == step.after => "1/1".to_owned(),
        (None, _) => "another cluster".to_owned(),
    }
}

pub(super) fn warnings(sides: &[&Source; 2]) -> Vec<String> {
    let [before, after] = sides.map(|side| &side.description);
    let [old, new] = [before.epoch(), after.epoch()].map(Option::unwrap_or_default);
    match after.compare(before) {
        Comparison::Conflict => {
            vec![format!("both carry epoch {old}, and are not the same: services refuse the second as epoch_conflict")]
        }
        Comparison::Older => vec![format!("epoch {new} is below {old}: services refuse the second as stale_epoch")],
        _ if before.epoch().is_some() && after.epoch().is_none() => {
            vec!["the second carries no epoch: services refuse it as stale_epoch".to_owned()]
        }
        _ => Vec::new(),
    }
}

/// `15.385 % of keys, least possible 8.333 %`.
fn expectation(summary: &DiffSummary) -> String {
    let least = summary.least.map(|least| format!(", least possible {}", exact_percent(least.share)));
    format!("{}{}", expected(&summary.expected), least.unwrap_or_default())
}

fn expected(expected: &Expected) -> String {
    let share = exact_percent(expected.moved);
    match expected.samples {
        Some(samples) => {
            let error = exact_percent(expected.standard_error);
            format!("{share} ± {error} of all keys expected, from a sample of {}", count(samples.into()))
        }
        None => format!("{share} of all keys expected"),
    }
}

fn moved(out: &mut Out, summary: &DiffSummary, counted: &Counted) -> Outcome {
    let Counted { total, moved, reasons, .. } = counted;
    let part = percent(moved.keys.into(), total.keys.into());
    let of_bytes = amount_of_bytes(total, moved);
    writeln!(out, "moves  {} of {}  {part}{of_bytes} · {}", count(moved.keys), keys(total.keys), expectation(summary))?;
    let named = [
        ("gained", reasons.gained),
        ("lost", reasons.lost),
        ("both", reasons.both),
        ("reshuffled", reasons.reshuffled),
        ("candidates", reasons.candidates),
        ("unchanged", reasons.unchanged),
    ];
    let said = named.iter().filter(|(_, of_reason)| of_reason.keys > 0);
    let said: Vec<String> = said.map(|(name, of_reason)| format!("{name} {}", count(of_reason.keys))).collect();
    Ok(writeln!(out, "why    {}", said.join(" · "))?)
}

fn amount_of_bytes(total: &Count, part: &Count) -> String {
    if total.bytes == 0 {
        return String::new();
    }
    let [part_shown, total_shown] = [part, total].map(|count| bytes(&count.bytes.to_string()));
    format!("  {part_shown} of {total_shown}  {}", percent(part.bytes, total.bytes))
}

/// `n` parts of `whole`, with two digits.
fn percent(n: u128, whole: u128) -> String {
    let points = (n * 20_000).checked_div(whole).unwrap_or(0).div_ceil(2);
    format!("{}.{:02} %", points / 100, points % 100)
}

fn copies(out: &mut Out, summary: &DiffSummary) -> Outcome {
    if let Some(copies) = summary.counted.as_ref().and_then(|counted| counted.copies.as_ref()) {
        let made = copies.moved;
        let of_bytes = if made.bytes > 0 { format!("  {}", bytes(&made.bytes.to_string())) } else { String::new() };
        writeln!(out, "copies to make: {}{of_bytes}", count(made.keys))?;
    } else if let Some(copies) = &summary.expected.copies {
        writeln!(
            out,
            "copies to make: {:.4} a key; the list of {} ± {} of keys changes, from a sample of {}",
            copies.moved,
            exact_percent(copies.changed),
            exact_percent(copies.standard_error),
            count(copies.samples.into())
        )?;
    }
    Ok(())
}

/// Who gets and gives: keys where there are any, shares of all keys else; copies of keys where there are several.
fn nodes(out: &mut Out, paint: Paint, summary: &DiffSummary) -> Outcome {
    let mut bars = Vec::new();
    let (columns, rows, all): (Vec<(String, Side)>, Vec<Vec<String>>, usize) =
        match (&summary.counted, &summary.expected.copies) {
            (Some(counted), _) => {
                let nodes = counted.copies.as_ref().map_or(&counted.nodes, |copies| &copies.nodes);
                let moving = nodes.iter().filter(|node| node.moved_in.keys > 0 || node.moved_out.keys > 0);
                bars.extend(moving.map(|node| Both {
                    before: Amount::Keys(node.before.keys).float(),
                    after: Amount::Keys(node.after.keys).float(),
                }));
                let (columns, rows) = counted_rows(nodes, counted.total.bytes > 0);
                (columns, rows, nodes.len())
            }
            (None, Some(copies)) => {
                let rows = copies.nodes.iter().filter(|node| node.moved_in > 0.0 || node.moved_out > 0.0).map(|node| {
                    bars.push(Both { before: node.before, after: node.after });
                    let asked = node.proportional.map(percent_of).unwrap_or_default();
                    let shares = [node.before, node.after].map(percent_of);
                    let moves = [node.moved_in, node.moved_out].map(percent_of);
                    vec![
                        node.id.clone(),
                        shares[0].clone(),
                        shares[1].clone(),
                        asked,
                        moves[0].clone(),
                        moves[1].clone(),
                    ]
                });
                let columns = ["node", "before", "after", "by weight", "in", "out"].map(column);
                (columns.to_vec(), rows.collect(), copies.nodes.len())
            }
            (None, None) => {
                let nodes = &summary.expected.nodes;
                let mut rows = Vec::new();
                for node in nodes.iter().filter(|node| node.moved_in > 0.0 || node.moved_out > 0.0) {
                    bars.push(Both { before: node.before, after: node.after });
                    let figures = [node.before, node.after, node.moved_in, node.moved_out].map(percent_of);
                    rows.push([node.id.clone()].into_iter().chain(figures).collect());
                }
                (["node", "before", "after", "in", "out"].map(column).to_vec(), rows, nodes.len())
            }
        };
    // The bars say what a node has before and after; bytes and what its weight asks for are the first to go.
    let extra = columns
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| ["by weight", "bytes in", "bytes out"].contains(&name.as_str()));
    let spare: Vec<usize> = extra.map(|(position, _)| position).chain([1, 2]).collect();
    let (lines, left_out) = draw::fitted(&columns, &rows, &spare);
    let shown = rows.len();
    if shown > 0 {
        writeln!(out)?;
        draw::with_bars(out, paint, &lines, &bars, ["before and after", "only after", "only before"])?;
        draw::left_out(out, &left_out)?;
    }
    if shown < all {
        let (who, verb) = if all - shown == 1 {
            ("1 node".to_owned(), "neither gets nor gives")
        } else {
            (format!("{} nodes", all - shown), "neither get nor give")
        };
        writeln!(out, "{}{who} {verb}", if shown == 0 { "\n" } else { "" })?;
    }
    Ok(())
}

fn column(name: &str) -> (String, Side) {
    (name.to_owned(), if name == "node" { Side::Left } else { Side::Right })
}

fn counted_rows(nodes: &[CountedNode], with_bytes: bool) -> (Vec<(String, Side)>, Vec<Vec<String>>) {
    let more = if with_bytes { &["bytes in", "bytes out"][..] } else { &[] };
    let names = ["node", "before", "after", "in", "out"].iter().chain(more).copied();
    let mut rows = Vec::new();
    for node in nodes.iter().filter(|node| node.moved_in.keys > 0 || node.moved_out.keys > 0) {
        let figures = [node.before, node.after, node.moved_in, node.moved_out].map(|figure| count(figure.keys));
        let of_bytes = [node.moved_in, node.moved_out].map(|figure| bytes(&figure.bytes.to_string()));
        let of_bytes = of_bytes.into_iter().filter(|_| with_bytes);
        rows.push([node.id.clone()].into_iter().chain(figures).chain(of_bytes).collect());
    }
    (names.map(column).collect(), rows)
}

/// The nodes as CSV, all of them.
pub(super) fn csv(summary: &DiffSummary) -> Outcome {
    let mut csv = csv::Writer::from_writer(buffered());
    if let Some(counted) = &summary.counted {
        let keys = ["id", "keys_before", "keys_after", "keys_in", "keys_out"];
        csv.write_record(keys.into_iter().chain(["bytes_before", "bytes_after", "bytes_in", "bytes_out"]))?;
        for node in counted.copies.as_ref().map_or(&counted.nodes, |copies| &copies.nodes) {
            let figures = [node.before, node.after, node.moved_in, node.moved_out];
            let keys = figures.map(|figure| figure.keys.to_string());
            let of_bytes = figures.map(|figure| figure.bytes.to_string());
            csv.write_record([&node.id].into_iter().chain(&keys).chain(&of_bytes))?;
        }
    } else {
        csv.write_record(["id", "share_before", "share_after", "share_in", "share_out"])?;
        let copies = summary.expected.copies.as_ref();
        let of_copies = copies.into_iter().flat_map(|copies| &copies.nodes);
        let of_copies = of_copies.map(|node| (&node.id, [node.before, node.after, node.moved_in, node.moved_out]));
        let of_owners = summary.expected.nodes.iter().filter(|_| copies.is_none());
        let of_owners = of_owners.map(|node| (&node.id, [node.before, node.after, node.moved_in, node.moved_out]));
        for (id, figures) in of_copies.chain(of_owners) {
            let figures = figures.map(|figure| figure.to_string());
            csv.write_record([id].into_iter().chain(&figures))?;
        }
    }
    Ok(csv.flush()?)
}
