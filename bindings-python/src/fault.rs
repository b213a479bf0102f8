//! Every way a call can fail, as Python sees it: `KeysteadError` with the core's code, or Python's own exception unchanged.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use keystead::{Error, ErrorKind};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// What ends a call early.
pub(crate) enum Fault {
    /// The core refused: raised as `KeysteadError`.
    Core(Error),
    /// Python refused, or a caller's object raised: passed on as it is.
    Python(PyErr),
}

impl Fault {
    pub(crate) fn core(kind: ErrorKind, message: impl Into<String>) -> Fault {
        Fault::Core(Error::new(kind, message))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Core(error)
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Fault {
        Fault::Python(error)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        match fault {
            Fault::Python(error) => error,
            Fault::Core(error) => Python::attach(|py| raised(py, &error).unwrap_or_else(|failed| failed)),
        }
    }
}

/// The net under every call: a panic, which would be a bug of this package, becomes a `RuntimeError`. Left to pyo3 it would be a
/// `BaseException` that `except Exception` does not stop, and would take a whole service down.
#[inline]
pub(crate) fn net<T>(body: impl FnOnce() -> Result<T, Fault>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result.map_err(PyErr::from),
        Err(payload) => Err(internal_error(&*payload)),
    }
}

#[cold]
fn internal_error(payload: &(dyn Any + Send)) -> PyErr {
    let said = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!("internal error in keystead, please report it: {}", said.unwrap_or("no message")))
}

static KEYSTEAD_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static NO_NODES_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();

const KEYSTEAD_ERROR_DOC: &std::ffi::CStr =
    c"What keystead refuses; `code` says why, in the same word in every language.

code: the stable code, such as 'invalid_key'; never changed, never reused.
line, column: where in a cluster file, both from 1, columns in characters; None for all else.";

const NO_NODES_ERROR_DOC: &std::ffi::CStr =
    c"No node can answer: none given, all drained, or all excluded (code 'no_nodes').";

/// `KeysteadError`, a `ValueError`. pyo3 can derive a subclass of an exception only from 3.12 on, so the attributes are set by hand: on the
/// class, for an exception that a program makes itself, and on each of ours. (Not by the `dict` of `PyErr::new_type`: pyo3 0.30 lets go of
/// it before Python has read it.)
pub(crate) fn keystead_error(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let class = KEYSTEAD_ERROR.get_or_try_init(py, || {
        let base = py.get_type::<PyValueError>();
        let class = PyErr::new_type(py, c"keystead.KeysteadError", Some(KEYSTEAD_ERROR_DOC), Some(&base), None)?;
        class.setattr(py, "code", "")?;
        class.setattr(py, "line", py.None())?;
        class.setattr(py, "column", py.None())?;
        Ok::<_, PyErr>(class)
    })?;
    Ok(class.bind(py))
}

/// `NoNodesError`, the one case that callers branch on.
pub(crate) fn no_nodes_error(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let class = NO_NODES_ERROR.get_or_try_init(py, || {
        let base = keystead_error(py)?;
        let class = PyErr::new_type(py, c"keystead.NoNodesError", Some(NO_NODES_ERROR_DOC), Some(base), None)?;
        class.setattr(py, "code", ErrorKind::NoNodes.code())?;
        Ok::<_, PyErr>(class)
    })?;
    Ok(class.bind(py))
}

fn raised(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    // Every kind is a KeysteadError under its own code, so there is no arm that could swallow a new one.
    let class = if error.kind() == ErrorKind::NoNodes { no_nodes_error(py)? } else { keystead_error(py)? };
    let value = class.call1((error.to_string(),))?;
    value.setattr("code", error.code())?;
    if let Some(position) = error.position() {
        value.setattr("line", position.line)?;
        value.setattr("column", position.column)?;
    }
    Ok(PyErr::from_value(value))
}
