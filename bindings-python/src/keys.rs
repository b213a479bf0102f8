//! What counts as a key in Python, and its bytes.
//!
//! `str` and `bytes` come first and cost no allocation. Matching is by hand: a derived conversion tries each type and makes an exception for
//! each that fails, which costs twenty times the lookup.

use keystead::{EncodedKey, ErrorKind, KeyBytes, KeyEncoder};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple};

use crate::arguments::{has_index, index, shown, type_name, well_formed};
use crate::fault::Fault;

/// A key's bytes: borrowed from the object where it cannot change, else copied or encoded.
pub(crate) enum Key<'a, 'py> {
    Borrowed(&'a [u8]),
    Bytes(Bound<'py, PyBytes>),
    Copied(Vec<u8>),
    Encoded(EncodedKey),
}

/// The bytes of a `str` or of `bytes`, exactly these types; None for all else, and for what is not well-formed.
#[inline]
pub(crate) fn plain<'a>(value: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    // Asked first, for a cast that fails makes an error, and so two references.
    if value.is_exact_instance_of::<PyString>() {
        return value.cast_exact::<PyString>().ok()?.to_str().ok().map(str::as_bytes);
    }
    value.cast_exact::<PyBytes>().ok().map(PyBytesMethods::as_bytes)
}

impl<'a, 'py> Key<'a, 'py> {
    #[inline]
    pub(crate) fn read(value: &'a Bound<'py, PyAny>) -> Result<Key<'a, 'py>, Fault> {
        match plain(value) {
            Some(bytes) => Ok(Key::Borrowed(bytes)),
            None => Key::read_any(value),
        }
    }

    fn read_any(value: &'a Bound<'py, PyAny>) -> Result<Key<'a, 'py>, Fault> {
        // An integer is none of these, and to ask for each would take as long as all the rest.
        if !value.is_exact_instance_of::<PyInt>() {
            if let Ok(string) = value.cast::<PyString>() {
                return Ok(Key::Borrowed(well_formed(string, "key")?.as_bytes()));
            }
            if let Ok(bytes) = value.cast::<PyBytes>() {
                return Ok(Key::Borrowed(bytes.as_bytes()));
            }
            if let Some(bytes) = mutable_bytes(value)? {
                return Ok(bytes);
            }
        }
        let mut encoder = KeyEncoder::new();
        Encoding { encoder: &mut encoder, size: 0, items: 0 }.composite(value)?;
        Ok(Key::Encoded(encoder.finish()))
    }

    #[inline]
    pub(crate) fn bytes(&self) -> KeyBytes<'_> {
        match self {
            Key::Borrowed(bytes) => KeyBytes::plain(bytes),
            Key::Bytes(bytes) => KeyBytes::plain(bytes.as_bytes()),
            Key::Copied(bytes) => KeyBytes::plain(bytes),
            Key::Encoded(key) => key.as_key(),
        }
    }
}

/// Bytes that may change while we look are copied first. A memoryview is its `tobytes()`, contiguous or not.
fn mutable_bytes<'a, 'py>(value: &Bound<'py, PyAny>) -> Result<Option<Key<'a, 'py>>, Fault> {
    if let Ok(array) = value.cast::<PyByteArray>() {
        return Ok(Some(Key::Copied(array.to_vec())));
    }
    if value.is_instance_of::<PyMemoryView>() {
        let bytes = value.call_method0(intern!(value.py(), "tobytes"))?;
        return Ok(Some(Key::Bytes(bytes.cast_into().map_err(PyErr::from)?)));
    }
    Ok(None)
}

/// The canonical encoding (section 2 of the specification) of any key, a plain one included.
pub(crate) fn encode(value: &Bound<'_, PyAny>) -> Result<EncodedKey, Fault> {
    let mut encoder = KeyEncoder::new();
    Encoding { encoder: &mut encoder, size: 0, items: 0 }.part(value)?;
    Ok(encoder.finish())
}

/// A walk over a composite key.
struct Encoding<'e> {
    encoder: &'e mut KeyEncoder,
    /// Bytes written so far: a few lists that hold each other twice would else fill the memory from a few lines of input.
    size: usize,
    items: u32,
}

impl Encoding<'_> {
    fn part(&mut self, value: &Bound<'_, PyAny>) -> Result<(), Fault> {
        if let Ok(string) = value.cast::<PyString>() {
            return self.plain(well_formed(string, "key")?.as_bytes());
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return self.plain(bytes.as_bytes());
        }
        match mutable_bytes(value)? {
            Some(key) => self.plain(key.bytes().bytes()),
            None => self.composite(value),
        }
    }

    fn plain(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.grow(9 + bytes.len())?;
        self.encoder.bytes(bytes);
        Ok(())
    }

    fn composite(&mut self, value: &Bound<'_, PyAny>) -> Result<(), Fault> {
        if let Ok(integer) = value.cast_exact::<PyInt>() {
            return self.integer(integer);
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.sequence(tuple);
        }
        if let Ok(list) = value.cast::<PyList>() {
            // A snapshot: the `__index__` of an item may change the list while it is read.
            return self.sequence(&list.to_tuple());
        }
        if value.is_instance_of::<PyBool>() || !has_index(value) {
            return Err(no_key(value));
        }
        match index(value) {
            Ok(integer) => self.integer(&integer),
            // The type has an `__index__` for some of its values only, as NumPy's arrays do.
            Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
                let refused = PyErr::from(no_key(value));
                refused.set_cause(value.py(), Some(error));
                Err(refused.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn integer(&mut self, integer: &Bound<'_, PyInt>) -> Result<(), Fault> {
        self.grow(17)?;
        let value = match integer.extract::<i64>() {
            Ok(value) => i128::from(value),
            Err(_) => match integer.extract::<u64>() {
                Ok(value) => i128::from(value),
                Err(_) => return Err(out_of_range(integer)),
            },
        };
        Ok(self.encoder.integer(value)?)
    }

    fn sequence(&mut self, items: &Bound<'_, PyTuple>) -> Result<(), Fault> {
        self.grow(9)?;
        self.encoder.begin(items.len() as u64)?;
        for item in items.iter() {
            self.items = self.items.wrapping_add(1);
            if self.items.is_multiple_of(1 << 16) {
                items.py().check_signals()?;
            }
            self.part(&item)?;
        }
        self.encoder.end();
        Ok(())
    }

    fn grow(&mut self, by: usize) -> Result<(), Fault> {
        const MOST: usize = 1 << 30;
        self.size = self.size.saturating_add(by);
        if self.size > MOST {
            return Err(PyMemoryError::new_err("a composite key of more than 2^30 encoded bytes").into());
        }
        Ok(())
    }
}

#[cold]
fn out_of_range(integer: &Bound<'_, PyInt>) -> Fault {
    let message = format!("integer key {} is out of range: from {} to {}", shown(integer), i64::MIN, u64::MAX);
    Fault::core(ErrorKind::InvalidKey, message)
}

/// The refusal of a value that is no key, with what to pass instead.
#[cold]
fn no_key(value: &Bound<'_, PyAny>) -> Fault {
    let name = type_name(value);
    let hint = if value.is_none() {
        "a missing key has no owner; the empty text is a key"
    } else if value.is_instance_of::<PyBool>() {
        "pass a text or an int, the same in every service"
    } else if value.is_instance_of::<PyFloat>() || name.starts_with("float") {
        "pass its text or an int, the same in every service"
    } else if name == "UUID" {
        "pass its text or its 16 bytes, the same in every service"
    } else {
        "pass a str, bytes, bytearray, memoryview, int, or a tuple or list of these"
    };
    Fault::core(ErrorKind::InvalidKey, format!("a value of type {name} is no key: {hint}"))
}
