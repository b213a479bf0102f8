//! The figures as text, JSON and CSV.

use super::{ChiSquare, HotKey, Report, Verdict};
use crate::{
    cli::Format,
    draw::{self, Both},
    failure::Outcome,
    figures::{bytes, count, keys},
    output::{GOOD, Paint, WARN, buffered},
    shown::on_one_line,
    table::Side,
};
use std::io::Write as _;

pub(super) fn write(report: &Report, format: Format) -> Outcome {
    match format {
        Format::Text => text(report),
        Format::Json => {
            let mut out = buffered();
            serde_json::to_writer_pretty(&mut out, report)?;
            writeln!(out)?;
            Ok(out.flush()?)
        }
        Format::Csv => csv(report),
    }
}

fn text(report: &Report) -> Outcome {
    let paint = Paint::for_stdout();
    let mut out = buffered();
    let mut said = vec![format!("{}, {} distinct", keys(report.keys), count(report.distinct))];
    // Of one key many times neither a mean nor a test says anything.
    if report.verdict != Verdict::EqualKeys {
        said.push(format!("max/mean {:.3}", report.max_mean));
        said.extend(report.chi_square.as_ref().map(p_value));
    }
    let style = if report.verdict == Verdict::Chance || report.verdict == Verdict::EqualKeys { GOOD } else { WARN };
    let message = paint.paint(style, on_one_line(&report.message));
    writeln!(out, "{}: {message}", said.join(" · "))?;
    if let (Some(total), Some(max_mean)) = (&report.bytes, report.bytes_max_mean) {
        writeln!(out, "{} · max/mean {max_mean:.3}", bytes(total))?;
    }
    for key in &report.hot {
        writeln!(out, " hot: {}", on_one_line(&hot(key)))?;
    }
    for other in &report.baselines {
        let p = other.chi_square.as_ref().map(|test| format!(" · {}", p_value(test))).unwrap_or_default();
        writeln!(out, " {} over {} buckets: max/mean {:.3}{p}", other.name, other.buckets, other.max_mean)?;
    }
    writeln!(out)?;
    let mut columns = vec![("node", Side::Left), ("weight", Side::Right), ("keys", Side::Right), ("", Side::Right)];
    columns.extend([("of its share", Side::Right), ("distinct", Side::Right)]);
    if report.bytes.is_some() {
        columns.push(("bytes", Side::Right));
    }
    let columns: Vec<(String, Side)> = columns.into_iter().map(|(name, side)| (name.to_owned(), side)).collect();
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    let total = super::float(report.keys);
    for node in &report.nodes {
        let part = super::float(node.keys) / total;
        let mut cells = vec![node.id.clone(), percent(node.fair), count(node.keys), percent(part)];
        cells.push(if node.fair > 0.0 { format!("{:.3}", part / node.fair) } else { "drained".to_owned() });
        cells.push(count(node.distinct));
        cells.extend(node.bytes.as_deref().map(bytes));
        rows.push(cells);
        bars.push(Both { before: node.fair, after: part });
    }
    // What the bars say too is left out first: distinct keys, the weight, the part, the ratio.
    let (lines, left_out) = draw::fitted(&columns, &rows, &[5, 1, 3, 4]);
    draw::with_bars(&mut out, paint, &lines, &bars, ["keys", "above what the weight asks for", "below"])?;
    draw::left_out(&mut out, &left_out)?;
    Ok(out.flush()?)
}

pub(super) fn percent(part: f64) -> String {
    format!("{:.2} %", part * 100.0)
}

pub(super) fn p_value(test: &ChiSquare) -> String {
    match test.p {
        p if p < 0.001 => "chi-square p < 0.001".to_owned(),
        p if p < 0.01 => format!("chi-square p = {p:.3}"),
        p => format!("chi-square p = {p:.2}"),
    }
}

fn hot(key: &HotKey) -> String {
    let name = key.key.as_ref().map_or("a very long key", |json| json.get());
    let measured = match (&key.bytes, key.by) {
        (Some(of_bytes), "bytes") => bytes(of_bytes),
        _ => keys(key.keys),
    };
    format!("{name} has {measured}, {} of all, on {}", percent(key.part), key.node)
}

fn csv(report: &Report) -> Outcome {
    let mut csv = csv::Writer::from_writer(buffered());
    let has_bytes = report.bytes.is_some();
    csv.write_record(["id", "fair", "share", "keys", "distinct"].into_iter().chain(has_bytes.then_some("bytes")))?;
    for node in &report.nodes {
        csv.write_field(&node.id)?;
        csv.write_field(node.fair.to_string())?;
        csv.write_field(node.share.to_string())?;
        csv.write_field(node.keys.to_string())?;
        csv.write_field(node.distinct.to_string())?;
        if let Some(bytes) = &node.bytes {
            csv.write_field(bytes)?;
        }
        csv.write_record(None::<&[u8]>)?;
    }
    Ok(csv.flush()?)
}
