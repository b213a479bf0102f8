//! Arrow's C data interface: columns that other packages hand over in `PyCapsules`, without copying and without knowing each other.
//!
//! All that is unsafe about it is here: three structs, their ownership, and buffers as slices of bytes. What the bytes mean is read in
//! [`layout`](super::layout), by safe code that trusts no number in them. Buffers carry no sizes: a size is what the producer's own lengths
//! and offsets say, as everywhere in Arrow.
//!
//! Source: the Arrow project's "C data interface", "C stream interface" and "`PyCapsule` interface".

#![expect(unsafe_code, reason = "the interface is C: structs of pointers and callbacks")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::{ptr, slice};

use keystead::ErrorKind;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

use crate::arguments::type_name;
use crate::fault::Fault;

/// The type of a column, or of a table.
#[repr(C)]
pub(super) struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// The values of a column, or of a stretch of it.
#[repr(C)]
pub(super) struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// Where arrays come from, one after the other.
#[repr(C)]
pub(super) struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

/// `ENOMEM`, of the same number on every platform that Python runs on.
const OUT_OF_MEMORY: c_int = 12;

type Release<T> = Option<unsafe extern "C" fn(*mut T)>;

/// A struct of the interface.
///
/// # Safety
/// All zero is a value of the type: a released one.
pub(super) unsafe trait Exported: Sized {
    const CAPSULE: &'static CStr;

    fn release(&mut self) -> &mut Release<Self>;
}

macro_rules! exported {
    ($type:ty, $capsule:literal) => {
        // SAFETY: the fields are integers, pointers and optional functions, which are 0, null and None.
        unsafe impl Exported for $type {
            const CAPSULE: &'static CStr = $capsule;

            fn release(&mut self) -> &mut Release<Self> {
                &mut self.release
            }
        }
    };
}

exported!(ArrowSchema, c"arrow_schema");
exported!(ArrowArray, c"arrow_array");
exported!(ArrowArrayStream, c"arrow_array_stream");

/// One that is ours to release, which happens once, whichever way it goes out of use.
pub(super) struct Owned<T: Exported>(T);

// SAFETY: the interface lets a consumer use and release what it owns on any thread, one at a time.
unsafe impl<T: Exported> Send for Owned<T> {}

impl<T: Exported> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = *self.0.release() {
            // SAFETY: the producer's own callback on its own struct, which is ours and not released yet.
            unsafe { release(&raw mut self.0) }
        }
    }
}

impl<T: Exported> Owned<T> {
    fn released() -> Owned<T> {
        // SAFETY: promised by `Exported`.
        Owned(unsafe { MaybeUninit::zeroed().assume_init() })
    }

    /// Moves the struct out of its capsule, which keeps a released one.
    fn taken(capsule: &Bound<'_, PyAny>, method: &str) -> Result<Owned<T>, Fault> {
        let refused = || {
            let (name, given) = (T::CAPSULE.to_string_lossy(), type_name(capsule));
            Fault::Python(PyTypeError::new_err(format!(
                "keys: {method} must give a PyCapsule named {name:?}, not this {given}"
            )))
        };
        let pointer = capsule
            .cast::<PyCapsule>()
            .ok()
            .and_then(|capsule| capsule.pointer_checked(Some(T::CAPSULE)).ok())
            .map(NonNull::cast::<T>)
            .filter(|pointer| pointer.is_aligned())
            .ok_or_else(refused)?;
        // SAFETY: a capsule of this name holds a pointer to such a struct, says the interface. Moving is copying the bytes and marking
        // the original as released; the GIL, or the capsule being fresh from the method, keeps others away.
        let mut owned = Owned(unsafe { ptr::replace(pointer.as_ptr(), Owned::released().into_inner()) });
        if owned.0.release().is_none() {
            return Err(malformed(format_args!("{method} gives what has been released already")));
        }
        Ok(owned)
    }

    fn into_inner(self) -> T {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is not used again, nor dropped.
        unsafe { ptr::read(&raw const this.0) }
    }

    pub(super) fn get(&self) -> &T {
        &self.0
    }
}

/// What `__arrow_c_array__` gives: the type and all of the values.
pub(super) fn array(pair: &Bound<'_, PyAny>) -> Result<(Owned<ArrowSchema>, Owned<ArrowArray>), Fault> {
    const METHOD: &str = "__arrow_c_array__";
    let pair = pair.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
    let pair =
        pair.ok_or_else(|| PyTypeError::new_err(format!("keys: {METHOD} must give a tuple of two PyCapsules")))?;
    Ok((Owned::taken(&pair.get_item(0)?, METHOD)?, Owned::taken(&pair.get_item(1)?, METHOD)?))
}

/// What `__arrow_c_stream__` gives.
pub(super) fn stream(capsule: &Bound<'_, PyAny>) -> Result<Owned<ArrowArrayStream>, Fault> {
    Owned::taken(capsule, "__arrow_c_stream__")
}

/// Called without the GIL: a producer may wait for threads of its own that need it.
impl Owned<ArrowArrayStream> {
    pub(super) fn schema(&mut self) -> Result<Owned<ArrowSchema>, Fault> {
        let get = self.0.get_schema.ok_or_else(|| malformed(format_args!("a stream without get_schema")))?;
        // SAFETY: the producer's own callback on its own stream, which is not released.
        let schema = self.filled(|stream, schema| unsafe { get(stream, schema) })?;
        if schema.0.release.is_none() {
            return Err(malformed(format_args!("a stream whose schema is released already")));
        }
        Ok(schema)
    }

    /// The next array; None at the end.
    pub(super) fn next(&mut self) -> Result<Option<Owned<ArrowArray>>, Fault> {
        let get = self.0.get_next.ok_or_else(|| malformed(format_args!("a stream without get_next")))?;
        // SAFETY: as in `schema`.
        let array = self.filled(|stream, array| unsafe { get(stream, array) })?;
        Ok(array.0.release.is_some().then_some(array))
    }

    fn filled<T: Exported>(
        &mut self,
        fill: impl FnOnce(*mut ArrowArrayStream, *mut T) -> c_int,
    ) -> Result<Owned<T>, Fault> {
        let mut filled = Owned::<T>::released();
        let code = fill(&raw mut self.0, &raw mut filled.0);
        if code == 0 {
            return Ok(filled);
        }
        // What a failed call has left there is nobody's to release.
        *filled.0.release() = None;
        let said = self.last_error();
        Err(Fault::Python(if code == OUT_OF_MEMORY {
            PyMemoryError::new_err(format!("the Arrow stream of keys is out of memory: {said}"))
        } else {
            PyRuntimeError::new_err(format!("the Arrow stream of keys failed with error {code}: {said}"))
        }))
    }

    fn last_error(&mut self) -> String {
        // SAFETY: the producer's own callback, asked right after a failed call; its text is null, or ends with a NUL and stays until the
        // next call.
        let said = self.0.get_last_error.and_then(|get| unsafe {
            let said = get(&raw mut self.0);
            (!said.is_null()).then(|| CStr::from_ptr(said).to_string_lossy().into_owned())
        });
        said.unwrap_or_else(|| "it does not say why".to_owned())
    }
}

impl ArrowSchema {
    pub(super) fn format(&self) -> Result<&str, Fault> {
        if self.format.is_null() {
            return Err(malformed(format_args!("a type without a format")));
        }
        // SAFETY: not null, so a text that ends with a NUL and lives as long as the schema.
        let format = unsafe { CStr::from_ptr(self.format) };
        format.to_str().map_err(|_| malformed(format_args!("a type whose format is not text")))
    }

    pub(super) fn children(&self) -> i64 {
        self.n_children
    }

    pub(super) fn only_child(&self) -> Result<&ArrowSchema, Fault> {
        // SAFETY: the array of children, where there is one, has `n_children` pointers, and children live as long as their parent.
        unsafe { only(self.n_children, self.children) }
    }

    pub(super) fn dictionary(&self) -> Option<&ArrowSchema> {
        // SAFETY: null, or a schema that lives as long as this one.
        unsafe { self.dictionary.as_ref() }
    }
}

impl ArrowArray {
    /// The number of rows and where they begin in the buffers; both together fit in memory.
    pub(super) fn rows(&self) -> Result<(usize, usize), Fault> {
        let [length, offset] = [self.length, self.offset].map(usize::try_from);
        match (length, offset) {
            (Ok(length), Ok(offset)) if offset.checked_add(length).is_some_and(|end| isize::try_from(end).is_ok()) => {
                Ok((length, offset))
            }
            _ => Err(malformed(format_args!("an array of {} rows from row {}", self.length, self.offset))),
        }
    }

    /// Whether there can be nulls: the count is -1 where nobody has counted.
    pub(super) fn may_have_nulls(&self) -> bool {
        self.null_count != 0
    }

    pub(super) fn buffers(&self) -> usize {
        usize::try_from(self.n_buffers).unwrap_or(0)
    }

    fn pointer(&self, index: usize) -> Result<*const c_void, Fault> {
        if index >= self.buffers() || self.buffers.is_null() {
            return Err(malformed(format_args!(
                "an array of {} buffers where number {index} is needed",
                self.n_buffers
            )));
        }
        // SAFETY: there are `n_buffers` pointers.
        Ok(unsafe { *self.buffers.add(index) })
    }

    /// The first `bytes` of a buffer, which may be absent where nothing is in it.
    pub(super) fn buffer(&self, index: usize, bytes: usize) -> Result<&[u8], Fault> {
        let pointer = self.pointer(index)?;
        if bytes == 0 {
            return Ok(&[]);
        }
        // Memory ends in the middle of the addresses: no array goes on beyond.
        let end = pointer.addr().checked_add(bytes);
        if pointer.is_null() || end.is_none_or(|end| isize::try_from(end).is_err()) {
            return Err(malformed(format_args!("an array whose buffer {index} lacks its {bytes} bytes")));
        }
        // SAFETY: not null nor around the end of memory, and the producer's lengths and offsets, of which `bytes` was made, say that so much is
        // there. It lives as long as the array, and nobody writes to it: data that is handed over is immutable.
        Ok(unsafe { slice::from_raw_parts(pointer.cast::<u8>(), bytes) })
    }

    /// The bits that say which rows are there, the first `bits` of them; None where all are.
    pub(super) fn validity(&self, bits: usize) -> Result<Option<&[u8]>, Fault> {
        if !self.may_have_nulls() || self.pointer(0)?.is_null() {
            if self.null_count > 0 {
                return Err(malformed(format_args!("an array of {} nulls that does not say where", self.null_count)));
            }
            return Ok(None);
        }
        self.buffer(0, bits.div_ceil(8)).map(Some)
    }

    pub(super) fn only_child(&self) -> Result<&ArrowArray, Fault> {
        // SAFETY: as for schemas.
        unsafe { only(self.n_children, self.children) }
    }

    pub(super) fn dictionary(&self) -> Result<&ArrowArray, Fault> {
        // SAFETY: null, or an array that lives as long as this one.
        unsafe { self.dictionary.as_ref() }.ok_or_else(|| malformed(format_args!("an array without its dictionary")))
    }
}

/// # Safety
/// `children` is null or points to as many pointers, each null or valid as long as the parent.
unsafe fn only<'a, T>(n: i64, children: *mut *mut T) -> Result<&'a T, Fault> {
    let absent = || malformed(format_args!("a table of {n} columns where there is to be one"));
    if n != 1 || children.is_null() {
        return Err(absent());
    }
    // SAFETY: promised by the caller.
    unsafe { (*children).as_ref() }.ok_or_else(absent)
}

/// The refusal of what is against the interface's rules.
#[cold]
pub(super) fn malformed(what: std::fmt::Arguments<'_>) -> Fault {
    Fault::core(ErrorKind::InvalidKey, format!("keys are malformed Arrow data: {what}"))
}
