//! Many u32 handed to Python without copying: the owner of the memory behind a `memoryview`.

use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::fault::Fault;

/// A read-only array of u32 of one or two dimensions. Python sees it only as a memoryview of format 'I'.
#[pyclass(frozen, module = "keystead", name = "_Indices")]
pub(crate) struct Indices {
    values: Vec<u32>,
    shape: [ffi::Py_ssize_t; 2],
    strides: [ffi::Py_ssize_t; 2],
    dimensions: c_int,
}

const WIDTH: ffi::Py_ssize_t = 4;

/// A memoryview of shape (n,).
pub(crate) fn row(py: Python<'_>, values: Vec<u32>) -> Result<Bound<'_, PyMemoryView>, Fault> {
    let n = length(values.len());
    view(py, Indices { values, shape: [n, 0], strides: [WIDTH, 0], dimensions: 1 })
}

/// A memoryview of shape (n, r).
pub(crate) fn table(py: Python<'_>, values: Vec<u32>, n: usize, r: usize) -> Result<Bound<'_, PyMemoryView>, Fault> {
    debug_assert_eq!(values.len(), n * r);
    let (n, r) = (length(n), length(r));
    view(py, Indices { values, shape: [n, r], strides: [r * WIDTH, WIDTH], dimensions: 2 })
}

fn view(py: Python<'_>, indices: Indices) -> Result<Bound<'_, PyMemoryView>, Fault> {
    Ok(PyMemoryView::from(Bound::new(py, indices)?.as_any())?)
}

/// A length as Python counts. What is in memory is at most `isize::MAX` bytes, and r is a cluster's node count at most.
fn length(n: usize) -> ffi::Py_ssize_t {
    ffi::Py_ssize_t::try_from(n).unwrap_or(ffi::Py_ssize_t::MAX)
}

#[pymethods]
impl Indices {
    #[expect(unsafe_code, reason = "a buffer is handed over by filling in a C struct")]
    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill in"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("indices are read-only"));
        }
        let indices = slf.get();
        let asked = |flag: c_int| flags & flag == flag;
        let or_null =
            |asked: bool, array: &[ffi::Py_ssize_t; 2]| if asked { array.as_ptr().cast_mut() } else { ptr::null_mut() };
        // SAFETY: `view` is valid for writing, as the protocol promises. All pointers are into `slf` or static; `obj` holds a reference to
        // `slf`, which is frozen, so they stay valid and unchanged until the view is released. Consumers must not write: readonly is 1.
        unsafe {
            (*view).obj = slf.clone().into_any().into_ptr();
            (*view).buf = indices.values.as_ptr().cast_mut().cast::<c_void>();
            (*view).len = length(indices.values.len()) * WIDTH;
            (*view).readonly = 1;
            (*view).itemsize = WIDTH;
            (*view).format = if asked(ffi::PyBUF_FORMAT) { c"I".as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).ndim = indices.dimensions;
            (*view).shape = or_null(asked(ffi::PyBUF_ND), &indices.shape);
            (*view).strides = or_null(asked(ffi::PyBUF_STRIDES), &indices.strides);
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
        }
        Ok(())
    }
}
