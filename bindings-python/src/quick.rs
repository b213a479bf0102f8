//! The call that services make for every request, `cluster.owner(key)`, also with `exclude`, without pyo3's way of reading arguments, which is
//! a quarter of the whole time. All other ways to write the call, most of them wrong, go to the method that pyo3 made.
#![expect(unsafe_code, reason = "a function in C's calling convention, put into a class")]

use std::ffi::CString;
use std::{ptr, slice};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use pyo3::{Borrowed, ffi};

use crate::answers::Answers as _;
use crate::cluster::Cluster;
use crate::fault::net;
use crate::keys;

/// The method that pyo3 made.
static OWNER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Puts the quick `owner` in the place of the class's own, under its name, signature and text.
pub(crate) fn install(class: &Bound<'_, PyType>) -> PyResult<()> {
    let py = class.py();
    let method = class.getattr("owner")?;
    let signature = method.getattr("__text_signature__")?.extract::<String>()?;
    let text = format!("owner{signature}\n--\n\n{}", method.getattr("__doc__")?.extract::<String>()?);
    // Python keeps pointers to both for as long as the class lives, which is to the end of the process.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"owner".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: owner },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: CString::new(text)?.into_raw(),
    }));
    // SAFETY: the class is one, the definition lives on, and its flags are those of the function.
    let quick = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyDescr_NewMethod(class.as_type_ptr(), definition))? };
    OWNER.get_or_init(py, || method.unbind());
    class.setattr("owner", quick)
}

/// # Safety
/// To be called by Python alone, which sees to it that `slf` is a `Cluster` and that the arguments are what its convention says.
unsafe extern "C" fn owner(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by Python, so its lock is held; the references live until the call returns. There are `n` arguments, and after them the
    // values of the names.
    unsafe {
        let py = Python::assume_attached();
        if n == 1 {
            let (cluster, key) = (Borrowed::from_ptr(py, slf).cast_unchecked(), Borrowed::from_ptr(py, *arguments));
            if names.is_null() {
                return answered(cluster, key, None);
            }
            if is_exclude_alone(Borrowed::from_ptr(py, names)) {
                return answered(cluster, key, Some(Borrowed::from_ptr(py, *arguments.add(1))));
            }
        }
        let given = usize::try_from(n).unwrap_or(0);
        let extra = if names.is_null() { 0 } else { usize::try_from(ffi::PyTuple_Size(names)).unwrap_or(0) };
        let arguments = if arguments.is_null() { &[] } else { slice::from_raw_parts(arguments, given + extra) };
        let bound = |pointer: &*mut ffi::PyObject| Bound::from_borrowed_ptr(py, *pointer);
        let positional: Vec<Bound<'_, PyAny>> = [slf].iter().chain(&arguments[..given]).map(bound).collect();
        let by_name: Vec<Bound<'_, PyAny>> = arguments[given..].iter().map(bound).collect();
        let names = Bound::from_borrowed_ptr_or_opt(py, names);
        match called(py, positional, names.as_ref(), by_name) {
            Ok(answer) => answer.into_ptr(),
            Err(error) => {
                error.restore(py);
                ptr::null_mut()
            }
        }
    }
}

/// The owner's name as a new reference; or null, and Python's error is set.
#[inline]
fn answered<'py>(
    cluster: Borrowed<'_, 'py, Cluster>,
    key: Borrowed<'_, 'py, PyAny>,
    exclude: Option<Borrowed<'_, 'py, PyAny>>,
) -> *mut ffi::PyObject {
    let (py, cluster) = (cluster.py(), cluster.get());
    let name = net(|| {
        // Most keys need no place for anything but the place of their bytes.
        if let (None, Some(bytes)) = (&exclude, keys::plain(&key)) {
            return Ok(cluster.name(py, cluster.core().owner_index(bytes)));
        }
        let exclude = exclude.as_deref().filter(|exclude| !exclude.is_none());
        cluster.owner_name(py, &key, exclude)
    });
    match name {
        Ok(name) => name.clone().into_ptr(),
        Err(error) => {
            error.restore(py);
            ptr::null_mut()
        }
    }
}

fn is_exclude_alone(names: Borrowed<'_, '_, PyAny>) -> bool {
    let Ok(names) = names.cast_exact::<PyTuple>() else { return false };
    names.len() == 1 && names.get_borrowed_item(0).is_ok_and(|name| name.eq("exclude").unwrap_or(false))
}

#[cold]
fn called<'py>(
    py: Python<'py>,
    positional: Vec<Bound<'py, PyAny>>,
    names: Option<&Bound<'py, PyAny>>,
    by_name: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = PyDict::new(py);
    if let Some(names) = names {
        for (name, value) in names.try_iter()?.zip(by_name) {
            keywords.set_item(name?, value)?;
        }
    }
    let method =
        OWNER.get(py).ok_or_else(|| pyo3::exceptions::PyRuntimeError::new_err("keystead is not initialised"))?;
    method.bind(py).call(PyTuple::new(py, positional)?, Some(&keywords))
}
