//! Keys in a column of a CSV file, and what other columns say of them.

use super::{
    Answer, Given,
    strict::{Fault, Strict, without_mark},
};
use crate::{
    failure::{Failure, Outcome},
    progress::Progress,
    shown::{Shown, excerpt},
};
use keystead::{ErrorKind, KeyBytes};
use std::io::Read;

/// Columns beside the key's.
#[derive(Clone, Copy, Default)]
pub(crate) struct Columns<'a> {
    /// How many bytes a key stands for.
    pub(crate) bytes: Option<&'a str>,
    /// How many times it counts.
    pub(crate) count: Option<&'a str>,
}

impl Columns<'_> {
    /// The first of the options that name columns, if one is given.
    pub(super) fn first_option(&self) -> Option<&'static str> {
        self.bytes.map(|_| "--bytes-column").or(self.count.map(|_| "--count-column"))
    }
}

/// Hands every record's key to `verb`.
pub(super) fn each_record(
    name: &str,
    key_column: &str,
    columns: Columns<'_>,
    source: impl Read,
    progress: &mut Progress,
    verb: &mut impl Answer,
) -> Outcome {
    let invalid = |line: u64, message: String| Failure::new(ErrorKind::InvalidKey, format!("{name}:{line}: {message}"));
    let broken = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        match error.into_kind() {
            csv::ErrorKind::Io(error) => match Fault::of(&error) {
                Some(fault) => invalid(fault.line, fault.to_string()),
                None => Failure::unreadable(name, &error),
            },
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                let fields = if len == 1 { "field" } else { "fields" };
                invalid(line, format!("{len} {fields}, where the header has {expected_len}"))
            }
            kind => invalid(line, format!("broken CSV: {kind:?}")),
        }
    };
    let source = without_mark(source).map_err(|error| Failure::unreadable(name, &error))?;
    let mut reader = csv::ReaderBuilder::new().buffer_capacity(1 << 16).from_reader(Strict::new(source));
    let header = reader.byte_headers().map_err(broken)?;
    if header.is_empty() {
        return Err(invalid(1, "the file is empty: the first line names the columns".to_owned()));
    }
    let column = |option: &str, wanted: &str| {
        let named: Vec<usize> = (0..header.len()).filter(|&column| &header[column] == wanted.as_bytes()).collect();
        let message = match named.as_slice() {
            &[column] => return Ok(column),
            [] => format!("no column is named `{wanted}` ({option}); the first line names {}", columns_of(header)),
            several => format!("{} columns are named `{wanted}` ({option})", several.len()),
        };
        Err(Failure::new(ErrorKind::InvalidParameter, format!("{name}:1: {message}")))
    };
    let key = column("--key-column", key_column)?;
    let numbers = |option: &str, wanted: Option<&'_ str>| -> Outcome<Option<(String, usize)>> {
        wanted.map(|title| Ok((title.to_owned(), column(option, title)?))).transpose()
    };
    let bytes = numbers("--bytes-column", columns.bytes)?;
    let count = numbers("--count-column", columns.count)?;
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(broken)? {
        let line = || record.position().map_or(1, csv::Position::line);
        let number = |what: &str, column: &Option<(String, usize)>, absent: u64| match column {
            Some((title, column)) => number(&record[*column]).ok_or_else(|| {
                let value = excerpt(&record[*column]);
                let message = format!("{what} {value} (column `{title}`) is not an integer from 0 to {LARGEST}");
                Failure::new(ErrorKind::InvalidParameter, format!("{name}:{}: {message}", line()))
            }),
            None => Ok(absent),
        };
        let (bytes, count) = (number("bytes", &bytes, 0)?, number("count", &count, 1)?);
        let field = &record[key];
        if let Err(error) = std::str::from_utf8(field) {
            let (value, from) = (excerpt(field), error.valid_up_to() + 1);
            let message = format!("{key_column} {value} is not well-formed UTF-8 from byte {from} on; {AS_HEX}");
            return Err(Failure::new(ErrorKind::InvalidText, format!("{name}:{}: {message}", line())));
        }
        verb.answer(&Given { key: KeyBytes::plain(field), shown: Shown::Bytes(field), bytes, count })
            .map_err(|failure| failure.of_key(format_args!("{name}:{}", line())))?;
        progress.add(record.as_slice().len() + record.len());
    }
    Ok(())
}

/// CSV is text. In another encoding the key would be another one than services ask for.
const AS_HEX: &str = "give keys that are no text with --keys-format hex";

/// The names of the columns, as far as they fit a line.
fn columns_of(header: &csv::ByteRecord) -> String {
    const NAMED: usize = 12;
    let mut names: Vec<String> = header.iter().take(NAMED).map(excerpt).collect();
    if header.len() > NAMED {
        names.push(format!("and {} more", header.len() - NAMED));
    }
    names.join(", ")
}

/// Up to here JSON readers keep integers apart, and sums of very many fit 64 bits or are noticed.
const LARGEST: u64 = (1 << 53) - 1;

fn number(field: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(field).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().filter(|number| *number <= LARGEST)
}
