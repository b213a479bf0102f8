//! Columns: many keys that lie side by side in memory, read without making an object of each. Two kinds are known: what has the Arrow
//! `PyCapsule` interface (pyarrow, Polars, pandas, `DuckDB`), and one-dimensional arrays of integers or fixed-width bytes with Python's buffer
//! protocol (NumPy, `array`, `memoryview`).
//!
//! A row answers as its value does alone: text and bytes as such keys, an integer as an integer key.

mod array;
mod arrow;
mod layout;
mod rows;

use std::ops::Range;

use keystead::{Key, KeyBytes, OwnerBatch};
use pyo3::exceptions::{PyImportError, PyMemoryError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};

use crate::fault::Fault;
use array::Array;
use arrow::{ArrowArray, ArrowArrayStream, Owned};
use layout::Layout;
use rows::Rows;

/// The answer for a row without a key, in the place of a position or a slot: no cluster has as many.
pub(crate) const NO_KEY: u32 = OwnerBatch::NO_KEY;

/// From so many rows on, other threads of Python's run meanwhile. Below, waiting for one's turn again can take longer than the answers.
const LARGE: usize = 1 << 12;

/// How many rows go by without Python between two looks at whether the user has pressed Ctrl-C: some tenths of a second.
const LOOK_UP: usize = 1 << 24;

/// The key of a row.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    /// Known to be UTF-8.
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Signed(i64),
    Unsigned(u64),
}

impl Key for Cell<'_> {
    #[inline]
    fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
        match self {
            Cell::Text(bytes) | Cell::Bytes(bytes) => f(KeyBytes::plain(bytes)),
            Cell::Signed(integer) => integer.with_bytes(f),
            Cell::Unsigned(integer) => integer.with_bytes(f),
        }
    }
}

impl Cell<'_> {
    /// The key as Python's own object.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Fault> {
        Ok(match self {
            Cell::Text(bytes) => PyString::from_bytes(py, bytes)?.into_any(),
            // `new` would panic where there is no memory.
            Cell::Bytes(bytes) => PyBytes::new_with(py, bytes.len(), |object| {
                object.copy_from_slice(bytes);
                Ok(())
            })?
            .into_any(),
            Cell::Signed(integer) => PyInt::new(py, *integer).into_any(),
            Cell::Unsigned(integer) => PyInt::new(py, *integer).into_any(),
        })
    }
}

/// What is asked about every key of many. Answers come in the order of the keys, and may come some keys later.
pub(crate) trait Question {
    /// How many answers a key has.
    fn width(&self) -> usize;

    /// Adds the answers that are known with this key.
    fn ask(&mut self, key: KeyBytes<'_>, answers: &mut Vec<u32>) -> Result<(), Fault>;

    /// Adds the answers that are known with a place without a key, whose own are `NO_KEY`.
    fn pass(&mut self, answers: &mut Vec<u32>) -> Result<(), Fault>;

    /// Adds all answers that are left.
    fn finish(&mut self, answers: &mut Vec<u32>) -> Result<(), Fault>;
}

/// Makes room for so many more answers, or says that there is none: Rust's own growth would end the process.
#[inline]
pub(crate) fn make_room(answers: &mut Vec<u32>, more: Option<usize>) -> Result<(), Fault> {
    let made = more.is_some_and(|more| answers.try_reserve(more).is_ok());
    if made { Ok(()) } else { Err(PyMemoryError::new_err("no memory for as many answers").into()) }
}

/// Keys in a column, to be read once.
pub(crate) struct Column {
    layout: Layout,
    source: Source,
}

enum Source {
    Stream(Owned<ArrowArrayStream>),
    Whole(Option<Owned<ArrowArray>>),
    Array(Array),
}

/// A stretch of a column.
enum Chunk {
    Arrow(Owned<ArrowArray>),
    Copied { bytes: Vec<u8>, rows: usize },
}

impl Column {
    /// The column that these keys are; None where they are none and have to be iterated over.
    pub(crate) fn read(keys: &Bound<'_, PyAny>) -> Result<Option<Column>, Fault> {
        let py = keys.py();
        let (stream, whole) = (intern!(py, "__arrow_c_stream__"), intern!(py, "__arrow_c_array__"));
        // Asked of the type, as Python asks for special methods: an object that answers to every name is no column.
        let class = keys.get_type();
        if class.hasattr(stream)? {
            let Some(capsule) = exported(keys, stream)? else { return Ok(None) };
            let mut stream = arrow::stream(&capsule)?;
            let schema = py.detach(|| stream.schema())?;
            return Ok(Some(Column { layout: Layout::read(schema.get())?, source: Source::Stream(stream) }));
        }
        if class.hasattr(whole)? {
            let Some(pair) = exported(keys, whole)? else { return Ok(None) };
            let (schema, array) = arrow::array(&pair)?;
            return Ok(Some(Column { layout: Layout::read(schema.get())?, source: Source::Whole(Some(array)) }));
        }
        Ok(Array::read(keys)?.map(|(layout, array)| Column { layout, source: Source::Array(array) }))
    }

    /// The answers to a question about each row. Other threads of Python's run meanwhile. Returns the answers and the number of rows.
    pub(crate) fn answers(
        mut self,
        py: Python<'_>,
        mut question: impl Question + Send,
    ) -> Result<(Vec<u32>, usize), Fault> {
        let large = self.is_large();
        let mut work = move || {
            let (mut answers, mut seen, mut unlooked) = (Vec::new(), 0_usize, 0_usize);
            while let Some(chunk) = self.next()? {
                let rows = self.rows(&chunk)?;
                make_room(&mut answers, rows.len().checked_mul(question.width()))?;
                for stretch in stretches(rows.len(), LOOK_UP) {
                    seen += stretch.len();
                    unlooked += stretch.len();
                    rows.answers(stretch, &mut question, &mut answers)?;
                    if unlooked >= LOOK_UP {
                        unlooked = 0;
                        look_up()?;
                    }
                }
            }
            question.finish(&mut answers)?;
            Ok((answers, seen))
        };
        if large { py.detach(work) } else { work() }
    }

    /// Calls `take` with each row's key, None for a row without one. For what makes objects of Python's: nothing else runs meanwhile.
    pub(crate) fn each(
        mut self,
        py: Python<'_>,
        mut take: impl FnMut(Option<Cell<'_>>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        while let Some(chunk) = py.detach(|| self.next())? {
            let rows = self.rows(&chunk)?;
            for row in 0..rows.len() {
                take(rows.get(row)?)?;
            }
        }
        Ok(())
    }

    /// Streams are always: their producers may have to wait for other threads of Python's.
    fn is_large(&self) -> bool {
        match &self.source {
            Source::Stream(_) => true,
            Source::Whole(array) => {
                array.as_ref().and_then(|array| array.get().rows().ok()).is_some_and(|(rows, _)| rows >= LARGE)
            }
            Source::Array(array) => array.rows() >= LARGE,
        }
    }

    fn next(&mut self) -> Result<Option<Chunk>, Fault> {
        Ok(match &mut self.source {
            Source::Stream(stream) => stream.next()?.map(Chunk::Arrow),
            Source::Whole(array) => array.take().map(Chunk::Arrow),
            Source::Array(array) => array.next()?.map(|(bytes, rows)| Chunk::Copied { bytes, rows }),
        })
    }

    fn rows<'a>(&'a self, chunk: &'a Chunk) -> Result<Rows<'a>, Fault> {
        match chunk {
            Chunk::Arrow(array) => self.layout.rows(array.get()),
            Chunk::Copied { bytes, rows } => Ok(self.layout.copied(bytes, *rows)),
        }
    }
}

/// What the method gives. None where it cannot make one column of what is one-dimensional by its own word and can be iterated over: a pandas
/// Series of objects of several types, or without pyarrow. (Of two dimensions the names of the columns would be taken for keys.)
fn exported<'py>(keys: &Bound<'py, PyAny>, method: &Bound<'py, PyString>) -> Result<Option<Bound<'py, PyAny>>, Fault> {
    let py = keys.py();
    let error = match keys.call_method0(method) {
        Ok(capsule) => return Ok(Some(capsule)),
        Err(error) => error,
    };
    let cannot = error.is_instance_of::<PyImportError>(py)
        || error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py);
    let row = || keys.getattr(intern!(py, "ndim")).is_ok_and(|n| n.eq(1).unwrap_or(false));
    if cannot && row() { Ok(None) } else { Err(error.into()) }
}

fn look_up() -> Result<(), Fault> {
    Python::attach(|py| Ok(py.check_signals()?))
}

/// 0 to `n` in stretches of so many at most.
fn stretches(n: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(most).map(move |start| start..n.min(start.saturating_add(most)))
}
