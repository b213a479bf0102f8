//! What moves from one description to another: counted and expected in `diff`, key by key in `diff_keys`.

use std::sync::{Mutex, PoisonError};

use keystead::{Description, Diff, ErrorKind};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::answers::structure;
use crate::arguments::{Given, Parameter, iterator};
use crate::batch;
use crate::fault::{Fault, net};
use crate::keys::Key;
use crate::questions::{constraints, read_r};
use crate::transition::read_description;

/// Which nodes of a key are compared.
pub(crate) struct Asked<'a, 'py> {
    pub(crate) r: Given<'py>,
    pub(crate) spread: Option<&'a Bound<'py, PyAny>>,
    pub(crate) relaxed: Given<'py>,
    pub(crate) exclude: Option<&'a Bound<'py, PyAny>>,
}

impl Asked<'_, '_> {
    /// The difference of the two, before any key.
    fn diff(self, py: Python<'_>, before: &Description, after: &Bound<'_, PyAny>) -> Result<Diff, Fault> {
        let after = read_description(after, "after", "a difference")?;
        let r = read_r(&self.r)?;
        let constraints = constraints(&r, self.spread, &self.relaxed, self.exclude)?;
        py.detach(|| Diff::new(before, &after, r.value, &constraints)).map_err(|error| r.named(error))
    }
}

/// The summary of the difference, with what the keys come to where some are given.
pub(crate) fn summary<'py>(
    py: Python<'py>,
    before: &Description,
    after: &Bound<'py, PyAny>,
    keys: Option<&Bound<'py, PyAny>>,
    sizes: Option<&Bound<'py, PyAny>>,
    asked: Asked<'_, 'py>,
) -> Result<Bound<'py, PyAny>, Fault> {
    let mut diff = asked.diff(py, before, after)?;
    if keys.is_some() {
        diff = diff.with_keys();
    }
    each_with_size(keys, sizes, |key, size| {
        diff.add(Key::read(key)?.bytes(), size)?;
        Ok(())
    })?;
    let json = py.detach(|| Ok::<_, keystead::Error>(diff.summary()?.to_json()))?;
    structure(py, &json)
}

/// Calls `take` with every key and its size, 0 where there are no sizes.
pub(crate) fn each_with_size<'py>(
    keys: Option<&Bound<'py, PyAny>>,
    sizes: Option<&Bound<'py, PyAny>>,
    mut take: impl FnMut(&Bound<'py, PyAny>, u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (keys, sizes) = match (keys, sizes) {
        (None, None) => return Ok(()),
        (None, Some(_)) => return Err(PyTypeError::new_err("sizes belong to keys, and no keys are given").into()),
        (Some(keys), None) => return batch::each(keys, |key| take(key, 0)),
        (Some(keys), Some(sizes)) => (keys, sizes),
    };
    let mut sizes = iterator(sizes, "sizes", "int")?;
    let mut given = 0_u64;
    batch::each(keys, |key| {
        let Some(size) = sizes.next().transpose()? else {
            let message = format!("there are {given} sizes and more keys: each key has one size");
            return Err(Fault::core(ErrorKind::InvalidParameter, message));
        };
        given += 1;
        take(key, Parameter::SIZE.read(&size)?)
    })?;
    if sizes.next().transpose()?.is_some() {
        let message = format!("there are {given} keys and more sizes: each key has one size");
        return Err(Fault::core(ErrorKind::InvalidParameter, message));
    }
    Ok(())
}

/// The keys with what becomes of each, one by one.
#[pyclass(frozen, module = "keystead", name = "_Moves")]
pub(crate) struct Moves {
    keys: Py<PyIterator>,
    diff: Mutex<Diff>,
}

impl Moves {
    pub(crate) fn new<'py>(
        py: Python<'py>,
        before: &Description,
        after: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
        asked: Asked<'_, 'py>,
    ) -> Result<Moves, Fault> {
        let keys = batch::objects(keys)?.unbind();
        let diff = Mutex::new(asked.diff(py, before, after)?);
        Ok(Moves { keys, diff })
    }
}

#[pymethods]
impl Moves {
    fn __iter__(slf: Bound<'_, Moves>) -> Bound<'_, Moves> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        net(|| {
            let Some(key) = self.keys.bind(py).clone().next().transpose()? else {
                return Ok(None);
            };
            let read = Key::read(&key)?;
            // Nothing of Python's runs under the lock: else an iterator that asks this one would wait for itself.
            let (source, target, reason) = {
                let mut diff = self.diff.lock().unwrap_or_else(PoisonError::into_inner);
                let moved = diff.add(read.bytes(), 0)?;
                (moved.from.to_owned(), moved.to.to_owned(), moved.reason.as_str())
            };
            Ok(Some(crate::move_class(py)?.call1((&key, source, target, reason))?))
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.keys)
    }
}
