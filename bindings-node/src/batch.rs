//! The keys of one call, in each of the shapes in which `columns.js` hands them over.

use keystead::{ErrorKind, Key, KeyBytes};

use crate::fault::{Fallible, Fault};
use crate::keys::{safe_integer, with_key};
use crate::packing::Packing;
use crate::value::{BytesFault, Column, ItemKind, Value};

/// What the core makes of a key.
pub(crate) type Answered = Result<(), keystead::Error>;

/// Keys that came in one call.
#[derive(Clone, Copy)]
pub(crate) struct Batch {
    /// An array of any keys, a typed array of integers, or strings that have been packed; with offsets the bytes of keys, one behind the
    /// other.
    pub(crate) keys: Value,
    /// Key i goes from offset i to offset i + 1.
    pub(crate) offsets: Option<Value>,
    /// The number of the first key, for messages.
    pub(crate) first: f64,
}

impl Batch {
    /// Calls `take` with each key and its place among them.
    pub(crate) fn each(self, take: impl FnMut(usize, KeyBytes<'_>) -> Answered) -> Fallible<()> {
        match self.offsets {
            Some(offsets) => packed(self.keys, offsets, take),
            None if self.keys.is_array() => self.listed(take),
            None => match self.keys.external::<Packing>() {
                Some(packing) => packing.borrow().each(take),
                None => self.column(take),
            },
        }
    }

    fn listed(self, mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered) -> Fallible<()> {
        for index in 0..self.keys.length() {
            let place = index as usize;
            let taken = with_key(self.keys.element(index)?, |key| take(place, key));
            taken.map_err(|fault| self.at(place, fault))??;
        }
        Ok(())
    }

    fn column(self, mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered) -> Fallible<()> {
        let taken = self.keys.with_column(|Column { items, bytes }| match items {
            ItemKind::I8 => integers(bytes, i8::from_ne_bytes, take),
            ItemKind::Clamped => integers(bytes, u8::from_ne_bytes, take),
            ItemKind::I16 => integers(bytes, i16::from_ne_bytes, take),
            ItemKind::U16 => integers(bytes, u16::from_ne_bytes, take),
            ItemKind::I32 => integers(bytes, i32::from_ne_bytes, take),
            ItemKind::U32 => integers(bytes, u32::from_ne_bytes, take),
            ItemKind::I64 => integers(bytes, i64::from_ne_bytes, take),
            ItemKind::U64 => integers(bytes, u64::from_ne_bytes, take),
            ItemKind::F32 => self.numbers(bytes, |item| f64::from(f32::from_ne_bytes(item)), &mut take),
            ItemKind::F64 => self.numbers(bytes, f64::from_ne_bytes, &mut take),
        });
        taken.unwrap_or_else(|fault| Err(unread(fault)))
    }

    fn numbers<const N: usize>(
        self,
        bytes: &[u8],
        read: impl Fn([u8; N]) -> f64,
        mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered,
    ) -> Fallible<()> {
        for (index, item) in bytes.as_chunks().0.iter().enumerate() {
            let integer = safe_integer(read(*item)).map_err(|fault| self.at(index, fault))?;
            integer.with_bytes(|key| take(index, key))?;
        }
        Ok(())
    }

    #[cold]
    #[expect(clippy::cast_precision_loss, reason = "no array has 2^53 items")]
    fn at(self, index: usize, fault: Fault) -> Fault {
        fault.at(&format!("keys[{}]", self.first + index as f64))
    }
}

fn integers<const N: usize, I: Key>(
    bytes: &[u8],
    read: impl Fn([u8; N]) -> I,
    mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered,
) -> Fallible<()> {
    for (index, item) in bytes.as_chunks().0.iter().enumerate() {
        read(*item).with_bytes(|key| take(index, key))?;
    }
    Ok(())
}

fn packed(keys: Value, offsets: Value, mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered) -> Fallible<()> {
    let taken = keys.with_bytes(|bytes| {
        borders(offsets, bytes.len(), |index, start, end| Ok(take(index, KeyBytes::plain(&bytes[start..end]))?))
    });
    taken.unwrap_or_else(|fault| Err(unread(fault)))
}

/// Calls `take` with the place, the start and the end of each key, none of which is outside `length`.
fn borders(offsets: Value, length: usize, mut take: impl FnMut(usize, usize, usize) -> Fallible<()>) -> Fallible<()> {
    let taken = offsets.with_column(|Column { items, bytes }| {
        // A negative offset, which Arrow's columns could hold, is as far out of bounds as any.
        let read = |item: [u8; 4]| match items {
            ItemKind::I32 => i64::from(i32::from_ne_bytes(item)),
            _ => i64::from(u32::from_ne_bytes(item)),
        };
        for (index, border) in bytes.as_chunks().0.windows(2).enumerate() {
            let (start, end) = (read(border[0]), read(border[1]));
            match (usize::try_from(start), usize::try_from(end)) {
                (Ok(start), Ok(end)) if start <= end && end <= length => take(index, start, end)?,
                _ => return Err(out_of_bounds(index, start, end, length)),
            }
        }
        Ok(())
    });
    taken.unwrap_or_else(|fault| Err(unread(fault)))
}

#[cold]
fn unread(fault: BytesFault) -> Fault {
    match fault {
        BytesFault::Detached => {
            Fault::core(ErrorKind::InvalidKey, "the bytes of the keys are detached: they have been transferred away")
        }
        BytesFault::NoBytes => Fault::core(ErrorKind::InvalidKey, "no keys that can be read"),
    }
}

#[cold]
fn out_of_bounds(index: usize, start: i64, end: i64, length: usize) -> Fault {
    let message = format!(
        "key {index} from offset {start} to {end} is out of bounds: offsets must not fall, nor pass the {length} bytes"
    );
    Fault::core(ErrorKind::InvalidParameter, message)
}
