//! Long lists, a line an item: slots and arcs.

use crate::{cli::Format, failure::Outcome, output::buffered, shown::name};
use keystead::{Cluster, RingArc};
use std::io::Write as _;

/// Names by index, in the form in which they are written.
fn names(cluster: &Cluster, format: Format) -> Vec<String> {
    cluster.ids().map(|id| name(id, format)).collect()
}

/// Slots with the index of their owner, which is named in text only where it is not known already.
pub(crate) fn slots(
    cluster: &Cluster,
    slots: impl Iterator<Item = (u32, u32)>,
    with_owner: bool,
    format: Format,
) -> Outcome {
    let names = names(cluster, format);
    let mut out = buffered();
    if format == Format::Csv {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["slot", "owner"])?;
        for (slot, owner) in slots {
            csv.write_record([&slot.to_string(), &names[owner as usize]])?;
        }
        return Ok(csv.flush()?);
    }
    for (slot, owner) in slots {
        let name = &names[owner as usize];
        match (format, with_owner) {
            (Format::Json, _) => writeln!(out, "{{\"slot\":{slot},\"owner\":{name}}}")?,
            (_, true) => writeln!(out, "{slot}\t{name}")?,
            (_, false) => writeln!(out, "{slot}")?,
        }
    }
    Ok(out.flush()?)
}

/// The ranking of one slot.
pub(crate) fn ranking<'a>(slot: u64, ids: impl Iterator<Item = &'a str>, format: Format) -> Outcome {
    let ids: Vec<&str> = ids.collect();
    let mut out = buffered();
    match format {
        Format::Text => {
            let names: Vec<String> = ids.iter().map(|id| name(id, format)).collect();
            writeln!(out, "{}", names.join("  "))?;
        }
        Format::Json => writeln!(out, "{}", serde_json::json!({"slot": slot, "ranking": ids}))?,
        Format::Csv => {
            let mut csv = csv::Writer::from_writer(out);
            csv.write_record(["rank", "node"])?;
            for (rank, id) in (1_usize..).zip(ids) {
                csv.write_record([&rank.to_string(), id])?;
            }
            return Ok(csv.flush()?);
        }
    }
    Ok(out.flush()?)
}

/// The arcs `(start, end]` of a ring.
pub(crate) fn arcs(cluster: &Cluster, arcs: &[RingArc], format: Format) -> Outcome {
    let names = names(cluster, format);
    let mut out = buffered();
    if format == Format::Csv {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["start", "end", "length", "owner"])?;
        for RingArc { start, end, length, node } in arcs {
            csv.write_record([&start.to_string(), &end.to_string(), &length.to_string(), &names[*node as usize]])?;
        }
        return Ok(csv.flush()?);
    }
    for RingArc { start, end, length, node } in arcs {
        let name = &names[*node as usize];
        if format == Format::Json {
            writeln!(out, "{{\"start\":\"{start}\",\"end\":\"{end}\",\"length\":\"{length}\",\"owner\":{name}}}")?;
        } else {
            writeln!(out, "{start}\t{end}\t{length}\t{name}")?;
        }
    }
    Ok(out.flush()?)
}
