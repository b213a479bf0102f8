//! Reading the rows of a column: lengths, offsets and indices are believed only as far as they agree.

use std::ops::Range;

use keystead::{ErrorKind, Key as _, KeyBytes};

use super::arrow::malformed;
use super::layout::Integers;
use super::{Cell, Question};
use crate::fault::Fault;

/// A stretch of rows.
pub(super) struct Rows<'a> {
    pub(super) length: usize,
    /// The nulls of the table around the column.
    pub(super) outer: Option<Bits<'a>>,
    pub(super) part: Part<'a>,
}

pub(super) struct Part<'a> {
    pub(super) offset: usize,
    pub(super) valid: Option<&'a [u8]>,
    pub(super) values: Values<'a>,
}

pub(super) enum Values<'a> {
    Nothing,
    Offsets { offsets: Offsets<'a>, data: &'a [u8], text: Text },
    Views { views: &'a [u8], data: Vec<&'a [u8]>, text: Text },
    Fixed { bytes: &'a [u8], width: usize, padded: bool },
    Integers { kind: Integers, bytes: &'a [u8] },
    Dictionary { kind: Integers, bytes: &'a [u8], keys: Box<Part<'a>>, rows: usize },
}

/// Whether bytes are declared to be text, and if so whether they are known to be.
#[derive(Clone, Copy)]
pub(super) enum Text {
    No,
    Known,
    Unknown,
}

pub(super) struct Bits<'a> {
    pub(super) bits: &'a [u8],
    pub(super) offset: usize,
}

impl Bits<'_> {
    fn get(&self, row: usize) -> bool {
        is_set(self.bits, self.offset + row)
    }
}

#[inline]
fn is_set(bits: &[u8], at: usize) -> bool {
    bits.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}

impl Rows<'_> {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Asks about each of these rows, which are below `len`.
    pub(super) fn answers(
        &self,
        rows: Range<usize>,
        question: &mut impl Question,
        answers: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        let part = &self.part;
        let places = part.offset + rows.start..part.offset + rows.end;
        // The most common columns have loops of their own, which do not ask at every row what it is that they read.
        match &part.values {
            _ if self.outer.is_some() => {}
            Values::Integers { kind, bytes } => {
                for at in places {
                    if part.is_null(at) {
                        question.pass(answers)?;
                    } else {
                        kind.key(bytes, at).with_bytes(|key| question.ask(key, answers))?;
                    }
                }
                return Ok(());
            }
            // NumPy's, which are never without a key.
            Values::Fixed { bytes, width, padded: true } => {
                for at in places {
                    question.ask(KeyBytes::plain(unpadded(&bytes[at * width..(at + 1) * width])), answers)?;
                }
                return Ok(());
            }
            Values::Offsets { offsets, data, text: Text::No | Text::Known } => {
                for at in places {
                    if part.is_null(at) {
                        question.pass(answers)?;
                    } else {
                        question.ask(KeyBytes::plain(offsets.key(data, at)?), answers)?;
                    }
                }
                return Ok(());
            }
            _ => {}
        }
        for row in rows {
            match self.get(row)? {
                Some(cell) => cell.with_bytes(|key| question.ask(key, answers))?,
                None => question.pass(answers)?,
            }
        }
        Ok(())
    }

    /// The key of a row below `len`; None where it has none.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Result<Option<Cell<'_>>, Fault> {
        if self.outer.as_ref().is_some_and(|outer| !outer.get(row)) {
            return Ok(None);
        }
        self.part.get(row)
    }
}

impl Part<'_> {
    #[inline]
    fn get(&self, row: usize) -> Result<Option<Cell<'_>>, Fault> {
        let at = self.offset + row;
        if self.is_null(at) {
            return Ok(None);
        }
        match &self.values {
            Values::Dictionary { kind, bytes, keys, rows } => {
                let index = kind.index(bytes, at).filter(|index| index < rows);
                let index =
                    index.ok_or_else(|| malformed(format_args!("row {row} points beyond its dictionary of {rows}")))?;
                let place = index + keys.offset;
                if keys.is_null(place) { Ok(None) } else { keys.plain(row, place) }
            }
            _ => self.plain(row, at),
        }
    }

    #[inline]
    fn is_null(&self, at: usize) -> bool {
        self.valid.is_some_and(|valid| !is_set(valid, at))
    }

    /// The key at a place of the buffers, whatever the layout but a dictionary.
    #[inline]
    fn plain(&self, row: usize, at: usize) -> Result<Option<Cell<'_>>, Fault> {
        let (bytes, text) = match &self.values {
            Values::Offsets { offsets, data, text } => (offsets.key(data, at)?, *text),
            Values::Views { views, data, text } => {
                let key = view(views, data, at);
                (key.ok_or_else(|| malformed(format_args!("the view of row {row} points beyond its buffer")))?, *text)
            }
            Values::Fixed { bytes, width, padded } => {
                let key = &bytes[at * width..(at + 1) * width];
                (if *padded { unpadded(key) } else { key }, Text::No)
            }
            Values::Integers { kind, bytes } => return Ok(Some(kind.key(bytes, at))),
            Values::Nothing | Values::Dictionary { .. } => return Ok(None),
        };
        match text {
            Text::No => Ok(Some(Cell::Bytes(bytes))),
            Text::Known => Ok(Some(Cell::Text(bytes))),
            Text::Unknown => match std::str::from_utf8(bytes) {
                Ok(_) => Ok(Some(Cell::Text(bytes))),
                Err(error) => Err(ill_formed(row, error)),
            },
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Offsets<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) wide: bool,
}

impl Offsets<'_> {
    /// None where it is negative.
    #[inline]
    pub(super) fn at(&self, at: usize) -> Option<usize> {
        if self.wide {
            usize::try_from(i64::from_ne_bytes(first(&self.bytes[at * 8..]))).ok()
        } else {
            usize::try_from(i32::from_ne_bytes(first(&self.bytes[at * 4..]))).ok()
        }
    }

    /// The key at a place of the data.
    #[inline]
    fn key<'a>(&self, data: &'a [u8], at: usize) -> Result<&'a [u8], Fault> {
        let key = match (self.at(at), self.at(at + 1)) {
            (Some(start), Some(end)) => data.get(start..end),
            _ => None,
        };
        key.ok_or_else(|| self.malformed(at, at + 1))
    }

    #[cold]
    pub(super) fn malformed(&self, from: usize, to: usize) -> Fault {
        let shown = |at| self.at(at).map_or_else(|| "below 0".to_owned(), |offset| offset.to_string());
        malformed(format_args!("offsets go from {} to {}", shown(from), shown(to)))
    }
}

/// The key of a view; None where it is not to be had.
#[inline]
fn view<'a>(views: &'a [u8], data: &[&'a [u8]], at: usize) -> Option<&'a [u8]> {
    const INLINE: usize = 12;
    let view = &views[at * 16..(at + 1) * 16];
    let number = |from: usize| usize::try_from(i32::from_ne_bytes(first(&view[from..]))).ok();
    let length = number(0)?;
    if length <= INLINE {
        return view.get(4..4 + length);
    }
    let (buffer, offset) = (number(8)?, number(12)?);
    data.get(buffer)?.get(offset..offset.checked_add(length)?)
}

/// Without the NUL bytes at the end, which NumPy takes for padding too.
#[inline]
fn unpadded(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..length]
}

impl Integers {
    /// The integer at a place. A signed type means its signed value.
    #[inline]
    fn key<'a>(self, bytes: &[u8], at: usize) -> Cell<'a> {
        let bytes = &bytes[at * self.width..(at + 1) * self.width];
        macro_rules! number {
            ($type:ty) => {{
                let number = <$type>::from_ne_bytes(first(bytes));
                if self.swapped { number.swap_bytes() } else { number }
            }};
        }
        match (self.width, self.signed) {
            (8, true) => Cell::Signed(number!(i64)),
            (8, false) => Cell::Unsigned(number!(u64)),
            (4, true) => Cell::Signed(number!(i32).into()),
            (4, false) => Cell::Unsigned(number!(u32).into()),
            (2, true) => Cell::Signed(number!(i16).into()),
            (2, false) => Cell::Unsigned(number!(u16).into()),
            (_, true) => Cell::Signed(number!(i8).into()),
            (_, false) => Cell::Unsigned(number!(u8).into()),
        }
    }

    #[inline]
    fn index(self, bytes: &[u8], at: usize) -> Option<usize> {
        match self.key(bytes, at) {
            Cell::Signed(index) => usize::try_from(index).ok(),
            Cell::Unsigned(index) => usize::try_from(index).ok(),
            Cell::Text(_) | Cell::Bytes(_) => None,
        }
    }
}

/// The first bytes of a slice that is long enough.
#[inline]
pub(super) fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

#[cold]
fn ill_formed(row: usize, error: std::str::Utf8Error) -> Fault {
    let at = error.valid_up_to();
    let message = format!("the key of row {row} is declared to be text and is not well-formed UTF-8: byte {at}");
    Fault::core(ErrorKind::InvalidText, message)
}
