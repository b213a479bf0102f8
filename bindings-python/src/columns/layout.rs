//! How a column's keys lie in memory, by its type.

use keystead::ErrorKind;

use super::arrow::{ArrowArray, ArrowSchema, malformed};
use super::rows::{Bits, Offsets, Part, Rows, Text, Values, first};
use crate::fault::Fault;

/// How one kind of column lies in memory, without its numbers.
pub(super) enum Layout {
    /// No row has a key.
    Nothing,
    /// The keys one after the other, and where each begins, in 4 bytes or in 8.
    Offsets {
        wide: bool,
        text: bool,
    },
    /// 16 bytes for each key: short ones themselves, or where a longer one is.
    Views {
        text: bool,
    },
    /// Keys of one width. With `padded`, NUL bytes at the end are no part of them.
    Fixed {
        width: usize,
        padded: bool,
    },
    Integers(Integers),
    /// Each key once, and an integer for each row that says which.
    Dictionary {
        indices: Integers,
        keys: Box<Layout>,
    },
    /// A table of this one column.
    Table(Box<Layout>),
    /// Values that are no keys, by Arrow's name of their type. Without a row there is nothing wrong yet: an empty result is often of any type.
    NoKeys(String),
}

/// Integers of 1, 2, 4 or 8 bytes.
#[derive(Clone, Copy)]
pub(super) struct Integers {
    pub(super) width: usize,
    pub(super) signed: bool,
    /// In the other byte order than the machine's.
    pub(super) swapped: bool,
}

impl Layout {
    pub(super) fn read(schema: &ArrowSchema) -> Result<Layout, Fault> {
        let format = schema.format()?;
        if let Some(keys) = schema.dictionary() {
            let indices = Integers::of(format)
                .ok_or_else(|| malformed(format_args!("a dictionary whose indices are of format {format:?}")))?;
            return Ok(Layout::Dictionary { indices, keys: Box::new(Layout::plain(keys)?) });
        }
        if format != "+s" {
            return Layout::plain(schema);
        }
        if schema.children() != 1 {
            let n = schema.children();
            return Err(no_keys(&format!("a table of {n} columns"), "pass the one that holds the keys"));
        }
        let column = schema.only_child()?;
        if column.format()? == "+s" {
            return Err(no_keys("a table within a table", "pass the column that holds the keys"));
        }
        Ok(Layout::Table(Box::new(Layout::read(column)?)))
    }

    /// What is neither a dictionary nor a table.
    fn plain(schema: &ArrowSchema) -> Result<Layout, Fault> {
        let format = schema.format()?;
        if schema.dictionary().is_some() {
            return Err(no_keys("a dictionary of dictionaries", "decode it"));
        }
        Ok(match format {
            "n" => Layout::Nothing,
            "u" => Layout::Offsets { wide: false, text: true },
            "U" => Layout::Offsets { wide: true, text: true },
            "z" => Layout::Offsets { wide: false, text: false },
            "Z" => Layout::Offsets { wide: true, text: false },
            "vu" => Layout::Views { text: true },
            "vz" => Layout::Views { text: false },
            _ => {
                if let Some(integers) = Integers::of(format) {
                    return Ok(Layout::Integers(integers));
                }
                match format.strip_prefix("w:").map(str::parse) {
                    Some(Ok(width)) => Layout::Fixed { width, padded: false },
                    Some(Err(_)) => return Err(malformed(format_args!("fixed-width bytes of format {format:?}"))),
                    None => Layout::NoKeys(format.to_owned()),
                }
            }
        })
    }

    /// The rows of an array that is said to lie like this.
    pub(super) fn rows<'a>(&self, array: &'a ArrowArray) -> Result<Rows<'a>, Fault> {
        let (length, offset) = array.rows()?;
        let Layout::Table(column) = self else {
            return Ok(Rows { length, outer: None, part: self.part(array, offset, length)? });
        };
        let outer = if array.buffers() == 0 { None } else { array.validity(offset + length)? };
        let outer = outer.map(|bits| Bits { bits, offset });
        // A slice of the table is one of its columns: row 0 is the column's row `offset`.
        let child = array.only_child()?;
        let (rows, begin) = child.rows()?;
        if rows < offset + length {
            return Err(malformed(format_args!("a table of {} rows over a column of {rows}", offset + length)));
        }
        Ok(Rows { length, outer, part: column.part(child, begin + offset, length)? })
    }

    /// Rows that were copied out of an array: keys of one width.
    pub(super) fn copied<'a>(&self, bytes: &'a [u8], rows: usize) -> Rows<'a> {
        let values = match self {
            Layout::Fixed { width, padded } => Values::Fixed { bytes, width: *width, padded: *padded },
            Layout::Integers(kind) => Values::Integers { kind: *kind, bytes },
            _ => Values::Nothing,
        };
        Rows { length: rows, outer: None, part: Part { offset: 0, valid: None, values } }
    }

    /// The rows from `offset` on, as many as `length`.
    fn part<'a>(&self, array: &'a ArrowArray, offset: usize, length: usize) -> Result<Part<'a>, Fault> {
        let nothing = Part { offset, valid: None, values: Values::Nothing };
        if length == 0 || matches!(self, Layout::Nothing) {
            return Ok(nothing);
        }
        let end = offset + length;
        let bytes_of = |width: usize| {
            end.checked_mul(width).ok_or_else(|| malformed(format_args!("an array of {end} rows of {width} bytes")))
        };
        let values = match self {
            Layout::Nothing | Layout::Table(_) => Values::Nothing,
            Layout::NoKeys(format) => return Err(of_no_key(format)),
            Layout::Offsets { wide, text } => {
                let width = if *wide { 8 } else { 4 };
                let offsets = Offsets { bytes: array.buffer(1, bytes_of(width)? + width)?, wide: *wide };
                let (first, last) = (offsets.at(offset), offsets.at(end));
                let data = array.buffer(2, last.unwrap_or(0))?;
                let (Some(first), Some(last)) = (first, last) else { return Err(offsets.malformed(offset, end)) };
                let region = data.get(first..last).ok_or_else(|| offsets.malformed(offset, end))?;
                // Where all is ASCII, which is quickly seen, no key need be looked at alone.
                let text = if !text {
                    Text::No
                } else if region.is_ascii() {
                    Text::Known
                } else {
                    Text::Unknown
                };
                Values::Offsets { offsets, data, text }
            }
            Layout::Views { text } => Values::Views {
                views: array.buffer(1, bytes_of(16)?)?,
                data: view_data(array)?,
                text: if *text { Text::Unknown } else { Text::No },
            },
            Layout::Fixed { width, padded } => {
                Values::Fixed { bytes: array.buffer(1, bytes_of(*width)?)?, width: *width, padded: *padded }
            }
            Layout::Integers(kind) => Values::Integers { kind: *kind, bytes: array.buffer(1, bytes_of(kind.width)?)? },
            Layout::Dictionary { indices, keys } => {
                let dictionary = array.dictionary()?;
                let (rows, begin) = dictionary.rows()?;
                Values::Dictionary {
                    kind: *indices,
                    bytes: array.buffer(1, bytes_of(indices.width)?)?,
                    keys: Box::new(keys.part(dictionary, begin, rows)?),
                    rows,
                }
            }
        };
        Ok(Part { valid: array.validity(end)?, values, ..nothing })
    }
}

/// The buffers of a column of views, whose sizes are in the last one.
fn view_data(array: &ArrowArray) -> Result<Vec<&[u8]>, Fault> {
    let n = array.buffers().checked_sub(3).ok_or_else(|| malformed(format_args!("views without their buffers")))?;
    let sizes = array.buffer(n + 2, n.saturating_mul(8))?;
    let sizes = sizes.chunks_exact(8).map(|size| usize::try_from(i64::from_ne_bytes(first(size))));
    (2..)
        .zip(sizes)
        .map(|(index, size)| {
            array.buffer(index, size.map_err(|_| malformed(format_args!("a buffer of negative size")))?)
        })
        .collect()
}

impl Integers {
    /// By Arrow's format of the type.
    fn of(format: &str) -> Option<Integers> {
        let width = match format {
            "c" | "C" => 1,
            "s" | "S" => 2,
            "i" | "I" => 4,
            "l" | "L" => 8,
            _ => return None,
        };
        Some(Integers { width, signed: format.as_bytes()[0].is_ascii_lowercase(), swapped: false })
    }
}

/// The refusal of a type whose values are no keys.
#[cold]
fn of_no_key(format: &str) -> Fault {
    let (name, hint) = match format.as_bytes() {
        [b'b'] => ("a column of booleans", "pass text or integers, the same in every service"),
        [b'e' | b'f' | b'g'] => {
            ("a column of floats", "pass integers or their text (in pandas, integers with missing values are Int64)")
        }
        [b'd', ..] => ("a column of decimals", "pass their text or integers"),
        [b't', ..] => ("a column of dates or times", "pass their text or integers, the same in every service"),
        [b'+', ..] => ("a column of nested values", "pass composite keys as a list of tuples"),
        _ => ("a column of another type", "pass text, bytes or integers"),
    };
    no_keys(&format!("{name} (Arrow's format {format:?})"), hint)
}

#[cold]
fn no_keys(what: &str, hint: &str) -> Fault {
    Fault::core(ErrorKind::InvalidKey, format!("{what} has no keys: {hint}"))
}
