//! Arrays with Python's buffer protocol: one dimension of integers or of bytes of one width.

use pyo3::buffer::{ElementType, PyUntypedBuffer};
use pyo3::exceptions::{PyBufferError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

use super::layout::{Integers, Layout};
use crate::fault::Fault;

/// How many bytes are copied at a time: they stay in the cache until they are read.
const BLOCK: usize = 1 << 14;

/// An array, read block by block into memory of our own: another thread may write to the array meanwhile, and what is looked at must not
/// change between two looks.
pub(super) struct Array {
    buffer: PyUntypedBuffer,
    stride: isize,
    rows: usize,
    next: usize,
}

impl Array {
    /// None for what is no such array: it has its own way of being iterated over.
    pub(super) fn read(keys: &Bound<'_, PyAny>) -> Result<Option<(Layout, Array)>, Fault> {
        #[expect(unsafe_code, reason = "pyo3 does not offer this question")]
        // SAFETY: any object may be asked, and `keys` is one.
        let has_buffer = unsafe { ffi::PyObject_CheckBuffer(keys.as_ptr()) } == 1;
        if !has_buffer {
            return Ok(None);
        }
        let buffer = match PyUntypedBuffer::get(keys) {
            Ok(buffer) => buffer,
            // Arrays of dates and the like have the protocol and no format in it.
            Err(error) if refuses(keys.py(), &error) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if buffer.dimensions() != 1 || buffer.suboffsets().is_some_and(|suboffsets| suboffsets[0] >= 0) {
            return Ok(None);
        }
        let Some(layout) = layout(&buffer) else { return Ok(None) };
        let (stride, rows) = (buffer.strides()[0], buffer.shape()[0]);
        Ok(Some((layout, Array { buffer, stride, rows, next: 0 })))
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The next block: the bytes of its rows and their number.
    #[expect(unsafe_code, reason = "a buffer is a pointer with strides")]
    pub(super) fn next(&mut self) -> Result<Option<(Vec<u8>, usize)>, Fault> {
        let width = self.buffer.item_size();
        let rows = (BLOCK / width.max(1)).max(1).min(self.rows - self.next);
        if rows == 0 {
            return Ok(None);
        }
        let mut copied: Vec<u8> = Vec::new();
        if copied.try_reserve_exact(rows * width).is_err() {
            return Err(PyMemoryError::new_err("no memory for a block of keys").into());
        }
        let start = self.buffer.buf_ptr().cast::<u8>().cast_const();
        // Rows that touch are copied in one go.
        let (pieces, size) = if self.stride == width.cast_signed() { (1, rows * width) } else { (rows, width) };
        for piece in 0..pieces {
            let row = (self.next + piece).cast_signed();
            // SAFETY: the exporter says that its items of `width` bytes lie `stride` apart from `start` on, and keeps them there until the
            // buffer is released. The target has room for `pieces` times `size`, and is no part of the array.
            unsafe {
                let source = start.offset(self.stride.wrapping_mul(row));
                let length = copied.len();
                source.copy_to_nonoverlapping(copied.as_mut_ptr().add(length), size);
                copied.set_len(length + size);
            }
        }
        self.next += rows;
        Ok(Some((copied, rows)))
    }
}

/// What an exporter raises that has nothing to offer.
fn refuses(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyBufferError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyTypeError>(py)
}

/// None for items that are no keys, or are iterated over in another form: a `c` is one byte, a `w` a character.
fn layout(buffer: &PyUntypedBuffer) -> Option<Layout> {
    let format = buffer.format().to_bytes();
    if let Some(width) = format.strip_suffix(b"s") {
        let width = str::from_utf8(width).ok()?;
        let width = if width.is_empty() { 1 } else { width.parse::<usize>().ok()? };
        return (width == buffer.item_size()).then_some(Layout::Fixed { width, padded: true });
    }
    if format.ends_with(b"c") {
        return None;
    }
    let swapped = match format.first() {
        Some(b'<') => cfg!(target_endian = "big"),
        Some(b'>' | b'!') => cfg!(target_endian = "little"),
        _ => false,
    };
    let (width, signed) = match ElementType::from_format(buffer.format()) {
        ElementType::SignedInteger { bytes } => (bytes, true),
        ElementType::UnsignedInteger { bytes } => (bytes, false),
        _ => return None,
    };
    // Single bytes are left to their own iterators: what is behind them may be a text, as in a mapped file.
    let known = matches!(width, 2 | 4 | 8) && width == buffer.item_size();
    known.then_some(Layout::Integers(Integers { width, signed, swapped }))
}
