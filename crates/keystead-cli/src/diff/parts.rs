//! Long lists of what a store has to copy: arcs and slots, a line each.

use crate::{
    cli::Format,
    failure::{Failure, Outcome},
    output::buffered,
    shown::name,
};
use keystead::{DiffSummary, ErrorKind};
use serde::Serialize;
use std::io::Write as _;

pub(super) fn arcs(summary: &DiffSummary, format: Format) -> Outcome {
    let arcs = summary.arcs.as_deref().ok_or_else(|| unsupported("--arcs", "rings on one circle"))?;
    let header = ["start", "end", "length", "from", "to", "share"];
    lines(arcs, format, header, |arc| {
        let [start, end] = [arc.start, arc.end].map(|at| at.to_string());
        let [from, to] = [&arc.from, &arc.to].map(|id| name(id, format));
        [start, end, arc.length.to_string(), from, to, arc.share.to_string()]
    })
}

pub(super) fn slots(summary: &DiffSummary, format: Format) -> Outcome {
    let slots = summary.slots.as_deref().ok_or_else(|| unsupported("--slots", "tables of the same slots"))?;
    lines(slots, format, ["slot", "from", "to"], |slot| {
        [slot.slot.to_string(), name(&slot.from, format), name(&slot.to, format)]
    })
}

fn unsupported(what: &str, of: &str) -> Failure {
    Failure::new(ErrorKind::Unsupported, format!("{what} is for two {of}, with equal hash and seed, and these are not"))
}

/// An item a line. The share of an arc is 1 but between steps of a transition, and left out of text where it is.
fn lines<T: Serialize, const N: usize>(
    items: &[T],
    format: Format,
    header: [&str; N],
    fields: impl Fn(&T) -> [String; N],
) -> Outcome {
    let mut out = buffered();
    match format {
        Format::Text => {
            for item in items {
                let fields = fields(item);
                let shown =
                    if fields[N - 1] == "1" && header[N - 1] == "share" { &fields[..N - 1] } else { &fields[..] };
                writeln!(out, "{}", shown.join("\t"))?;
            }
        }
        Format::Json => {
            for item in items {
                serde_json::to_writer(&mut out, item)?;
                writeln!(out)?;
            }
        }
        Format::Csv => {
            let mut csv = csv::Writer::from_writer(out);
            csv.write_record(header)?;
            for item in items {
                csv.write_record(fields(item))?;
            }
            return Ok(csv.flush()?);
        }
    }
    Ok(out.flush()?)
}
