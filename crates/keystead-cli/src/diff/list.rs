//! What becomes of every key, a line each.

use super::Which;
use crate::{
    cli::Format,
    failure::Outcome,
    keys::{Answer, Given},
    output::{Out, buffered},
    shown::{json_string, name},
};
use keystead::{Diff, Reason};
use std::io::Write as _;

enum Sink {
    Plain(Out),
    Csv(Box<csv::Writer<Out>>),
}

pub(super) struct List {
    diff: Diff,
    which: Which,
    /// Whether lists of copies are compared, and not owners alone.
    has_copies: bool,
    format: Format,
    sink: Sink,
    pub(super) any_changed: bool,
}

impl List {
    pub(super) fn new(diff: Diff, which: Which, count: u64, format: Format) -> Outcome<List> {
        let has_copies = count > 1;
        let sink = if format == Format::Csv {
            let mut csv = csv::Writer::from_writer(buffered());
            let more = if has_copies { &["dropped", "added"][..] } else { &[] };
            csv.write_record(["key", "from", "to", "reason"].iter().chain(more))?;
            Sink::Csv(Box::new(csv))
        } else {
            Sink::Plain(buffered())
        };
        Ok(List { diff, which, has_copies, format, sink, any_changed: false })
    }
}

/// Ids as a JSON array: they may hold anything that could stand between them.
fn array<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", ids.map(json_string).collect::<Vec<_>>().join(","))
}

impl Answer for List {
    fn answer(&mut self, given: &Given<'_>) -> Outcome {
        let moved = self.diff.add(given.key, given.bytes)?;
        let is_changed = moved.reason != Reason::Unchanged;
        self.any_changed |= is_changed;
        if !is_changed && self.which == Which::Changed {
            return Ok(());
        }
        let reason = moved.reason.as_str();
        let copies = self.has_copies.then(|| [array(moved.dropped()), array(moved.added())]);
        let (from, to) = (name(moved.from, self.format), name(moved.to, self.format));
        match &mut self.sink {
            Sink::Csv(csv) => {
                csv.write_field(given.shown.csv())?;
                for field in [from.as_str(), &to, reason].into_iter().chain(copies.iter().flatten().map(String::as_str))
                {
                    csv.write_field(field)?;
                }
                csv.write_record(None::<&[u8]>)?;
            }
            Sink::Plain(out) if self.format == Format::Json => {
                out.write_all(b"{\"key\":")?;
                given.shown.write_json(out)?;
                write!(out, ",\"from\":{from},\"to\":{to},\"reason\":\"{reason}\"")?;
                if let Some([dropped, added]) = copies {
                    write!(out, ",\"dropped\":{dropped},\"added\":{added}")?;
                }
                out.write_all(b"}\n")?;
            }
            Sink::Plain(out) => {
                write!(out, "{}\t{from}\t{to}\t{reason}", given.shown.text())?;
                for list in copies.iter().flatten() {
                    write!(out, "\t{}", crate::shown::on_one_line(list))?;
                }
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Outcome {
        match &mut self.sink {
            Sink::Plain(out) => out.flush()?,
            Sink::Csv(csv) => csv.flush()?,
        }
        Ok(())
    }
}
