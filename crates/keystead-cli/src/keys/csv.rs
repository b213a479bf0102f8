//! Keys in a column of a CSV file, and what other columns say of them.

use super::{Answer, Given};
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
            csv::ErrorKind::Io(error) => Failure::unreadable(name, &error),
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                invalid(line, format!("{len} fields, where the header has {expected_len}"))
            }
            kind => invalid(line, format!("broken CSV: {kind:?}")),
        }
    };
    let mut reader = csv::ReaderBuilder::new().buffer_capacity(1 << 16).from_reader(source);
    let header = reader.byte_headers().map_err(broken)?;
    let column = |option: &str, wanted: &str| {
        let named: Vec<usize> = (0..header.len()).filter(|&column| &header[column] == wanted.as_bytes()).collect();
        let columns: Vec<_> = header.iter().map(String::from_utf8_lossy).collect();
        match named.as_slice() {
            &[column] => Ok(column),
            [] => Err(invalid(1, format!("no column `{wanted}` ({option}) among `{}`", columns.join("`, `")))),
            several => Err(invalid(1, format!("{} columns are named `{wanted}`", several.len()))),
        }
    };
    let key = column("--key-column", key_column)?;
    let bytes = columns.bytes.map(|name| column("--bytes-column", name)).transpose()?;
    let count = columns.count.map(|name| column("--count-column", name)).transpose()?;
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(broken)? {
        let number = |what: &str, column: Option<usize>, absent: u64| match column {
            Some(column) => {
                let line = record.position().map_or(1, csv::Position::line);
                number(&record[column]).ok_or_else(|| {
                    let message = format!("{what} {} is not an integer from 0 to {LARGEST}", excerpt(&record[column]));
                    Failure::new(ErrorKind::InvalidParameter, format!("{name}:{line}: {message}"))
                })
            }
            None => Ok(absent),
        };
        let (bytes, count) = (number("bytes", bytes, 0)?, number("count", count, 1)?);
        let field = &record[key];
        verb.answer(&Given { key: KeyBytes::plain(field), shown: Shown::Bytes(field), bytes, count })?;
        progress.add(record.as_slice().len() + record.len());
    }
    Ok(())
}

/// Up to here JSON readers keep integers apart, and sums of very many fit 64 bits or are noticed.
const LARGEST: u64 = (1 << 53) - 1;

fn number(field: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(field).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().filter(|number| *number <= LARGEST)
}
