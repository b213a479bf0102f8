//! The items of a list, a tuple or any iterable, one by one and without a reference for each: to take one and to give it back are two calls of
//! Python's, a tenth of the way to a key's owner.
#![expect(unsafe_code, reason = "pyo3 gives a list's items with references of their own only")]

use pyo3::Borrowed;
#[cfg(not(Py_GIL_DISABLED))]
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};

/// Items in their order. Each kind is a type, so that a loop over one does not ask at every item which it is.
pub(crate) trait Borrowing<'py> {
    /// The next item.
    ///
    /// # Safety
    /// The item may lie in a list that keeps it only until other code of Python's runs, and code runs wherever a value of unknown type is
    /// asked for anything, and where Python collects garbage. The bytes of a `str` or `bytes` can be looked at; for more there is
    /// [`held`](Borrowing::held).
    unsafe fn next(&mut self) -> PyResult<Option<Borrowed<'_, 'py, PyAny>>>;

    /// The item that `next` gave, with a reference of its own; None where it is no longer there.
    fn held(&self) -> Option<Bound<'py, PyAny>>;
}

/// A list, which may change while a key's `__index__` runs: every item is looked for anew, and none beyond the length that it began with.
pub(crate) struct Listed<'a, 'py> {
    list: &'a Bound<'py, PyList>,
    next: usize,
    end: usize,
    #[cfg(Py_GIL_DISABLED)]
    held: Option<Bound<'py, PyAny>>,
}

impl<'a, 'py> Listed<'a, 'py> {
    pub(crate) fn new(list: &'a Bound<'py, PyList>) -> Listed<'a, 'py> {
        Listed {
            list,
            next: 0,
            end: list.len(),
            #[cfg(Py_GIL_DISABLED)]
            held: None,
        }
    }
}

impl<'py> Borrowing<'py> for Listed<'_, 'py> {
    #[cfg(not(Py_GIL_DISABLED))]
    #[inline]
    unsafe fn next(&mut self) -> PyResult<Option<Borrowed<'_, 'py, PyAny>>> {
        if self.next == self.end {
            return Ok(None);
        }
        let (py, at) = (self.list.py(), self.next.cast_signed());
        self.next += 1;
        // SAFETY: the list is one. What comes back is null with an exception set, or an object that the list keeps for as long as this thread
        // holds Python's lock and runs nothing else, as the caller has promised.
        let item = unsafe { Borrowed::from_ptr_or_opt(py, ffi::PyList_GetItem(self.list.as_ptr(), at)) };
        if item.is_none() {
            drop(PyErr::take(py));
        }
        Ok(item)
    }

    /// Without the lock another thread can take an item out of the list at any time.
    #[cfg(Py_GIL_DISABLED)]
    unsafe fn next(&mut self) -> PyResult<Option<Borrowed<'_, 'py, PyAny>>> {
        self.held = if self.next == self.end { None } else { self.list.get_item(self.next).ok() };
        self.next += 1;
        Ok(self.held.as_ref().map(Bound::as_borrowed))
    }

    #[cfg(not(Py_GIL_DISABLED))]
    fn held(&self) -> Option<Bound<'py, PyAny>> {
        self.list.get_item(self.next - 1).ok()
    }

    #[cfg(Py_GIL_DISABLED)]
    fn held(&self) -> Option<Bound<'py, PyAny>> {
        self.held.clone()
    }
}

/// A tuple, which never changes.
pub(crate) struct Tupled<'a, 'py> {
    tuple: &'a Bound<'py, PyTuple>,
    next: usize,
    end: usize,
}

impl<'a, 'py> Tupled<'a, 'py> {
    pub(crate) fn new(tuple: &'a Bound<'py, PyTuple>) -> Tupled<'a, 'py> {
        Tupled { tuple, next: 0, end: tuple.len() }
    }
}

impl<'py> Borrowing<'py> for Tupled<'_, 'py> {
    #[inline]
    unsafe fn next(&mut self) -> PyResult<Option<Borrowed<'_, 'py, PyAny>>> {
        if self.next == self.end {
            return Ok(None);
        }
        self.next += 1;
        self.tuple.get_borrowed_item(self.next - 1).map(Some)
    }

    fn held(&self) -> Option<Bound<'py, PyAny>> {
        self.tuple.get_item(self.next - 1).ok()
    }
}

/// What an iterator gives.
pub(crate) struct Iterated<'py> {
    iterator: Bound<'py, PyIterator>,
    held: Option<Bound<'py, PyAny>>,
}

impl<'py> Iterated<'py> {
    pub(crate) fn new(iterator: Bound<'py, PyIterator>) -> Iterated<'py> {
        Iterated { iterator, held: None }
    }
}

impl<'py> Borrowing<'py> for Iterated<'py> {
    #[inline]
    unsafe fn next(&mut self) -> PyResult<Option<Borrowed<'_, 'py, PyAny>>> {
        self.held = self.iterator.next().transpose()?;
        Ok(self.held.as_ref().map(Bound::as_borrowed))
    }

    fn held(&self) -> Option<Bound<'py, PyAny>> {
        self.held.clone()
    }
}
