//! Arguments other than keys: integers with their ranges, texts, and lists of them.
//!
//! A wrong type is Python's `TypeError`; the right type with a value out of range is the core's code. No message shows more of a value
//! than its type, except the integers and texts whose rule is broken: a secret must never be in one.

use std::convert::Infallible;

use keystead::{Error, ErrorKind};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyIterator, PyList, PyString, PyTuple};
use pyo3::{Borrowed, ffi};

use crate::fault::Fault;

/// An integer parameter: what to call it, the code of a value out of range, and the range that the core accepts at most.
pub(crate) struct Parameter {
    name: &'static str,
    kind: ErrorKind,
    low: u64,
    high: u64,
}

impl Parameter {
    const fn new(name: &'static str, low: u64, high: u64) -> Parameter {
        Parameter { name, kind: ErrorKind::InvalidParameter, low, high }
    }

    const fn or(self, kind: ErrorKind) -> Parameter {
        Parameter { kind, ..self }
    }

    pub(crate) const WEIGHT: Parameter = Parameter::new("weight", 0, u32::MAX as u64).or(ErrorKind::InvalidWeight);
    pub(crate) const TOKEN: Parameter = Parameter::new("token", 0, u64::MAX).or(ErrorKind::InvalidTokens);
    pub(crate) const SEED: Parameter = Parameter::new("seed", 0, u64::MAX);
    pub(crate) const EPOCH: Parameter = Parameter::new("epoch", 0, (1 << 53) - 1);
    pub(crate) const TOKENS_PER_WEIGHT: Parameter = Parameter::new("tokens_per_weight", 1, 65_536);
    pub(crate) const SPACE: Parameter = Parameter::new("space", 2, u64::MAX);
    pub(crate) const SLOTS: Parameter = Parameter::new("slots", 1, 1 << 22);
    pub(crate) const HEADROOM: Parameter = Parameter::new("headroom", 0, 1_000);
    pub(crate) const SPREAD: Parameter = Parameter::new("spread level", 0, 7);
    /// Below what the cluster at hand has, as the coordinate.
    pub(crate) const SLOT: Parameter = Parameter::new("slot", 0, u64::MAX);
    pub(crate) const COORDINATE: Parameter = Parameter::new("coordinate", 0, u64::MAX);
    pub(crate) const JUMP_KEY: Parameter = Parameter::new("key", 0, u64::MAX);
    pub(crate) const BUCKETS: Parameter = Parameter::new("n", 1, (1 << 31) - 1);
    /// Up to the `of` beside it.
    pub(crate) const PART: Parameter = Parameter::new("part", 0, u32::MAX as u64);
    pub(crate) const OF: Parameter = Parameter::new("of", 1, u32::MAX as u64);
    pub(crate) const SIZE: Parameter = Parameter::new("size", 0, u64::MAX);
    pub(crate) const SCORE: Parameter = Parameter::new("score", 0, u64::MAX);

    /// The value. What fits in 64 bits is judged by the core, which knows the exact rule; only what does not is refused here.
    pub(crate) fn read(&self, value: &Bound<'_, PyAny>) -> Result<u64, Fault> {
        let integer = integer(value, self.name)?;
        integer.extract::<u64>().map_err(|_| self.out_of_range(&shown(&integer)))
    }

    pub(crate) fn read_option(&self, value: Option<&Bound<'_, PyAny>>) -> Result<Option<u64>, Fault> {
        value.map(|value| self.read(value)).transpose()
    }

    /// The value as u32, for what the core takes as one.
    pub(crate) fn read_u32(&self, value: &Bound<'_, PyAny>) -> Result<u32, Fault> {
        let integer = integer(value, self.name)?;
        integer.extract::<u32>().map_err(|_| self.out_of_range(&shown(&integer)))
    }

    /// As `read`, where the highest value depends on what is asked: `highest` says it, or what stands in the way of any value.
    pub(crate) fn read_up_to(
        &self,
        value: &Bound<'_, PyAny>,
        highest: impl FnOnce() -> Result<u64, Fault>,
    ) -> Result<u64, Fault> {
        let integer = integer(value, self.name)?;
        match integer.extract::<u64>() {
            Ok(value) => Ok(value),
            Err(_) => Err(Parameter { high: highest()?, ..*self }.out_of_range(&shown(&integer))),
        }
    }

    pub(crate) fn out_of_range(&self, shown: &str) -> Fault {
        let Parameter { name, kind, low, high } = self;
        Fault::core(*kind, format!("{name} {shown} is out of range: an integer from {low} to {high}"))
    }
}

/// How many nodes are asked for. Python's integers have no end, and a count that no cluster reaches is one whether or not 64 bits hold it.
pub(crate) struct Count {
    /// The count, or the largest u64 in the place of anything above it.
    pub(crate) value: u64,
    /// What was given, where `value` stands in its place.
    beyond: Option<String>,
}

impl Count {
    pub(crate) const ONE: Count = Count { value: 1, beyond: None };

    pub(crate) fn read(value: &Bound<'_, PyAny>, name: &str) -> Result<Count, Fault> {
        let integer = integer(value, name)?;
        match integer.extract::<u64>() {
            Ok(value) => Ok(Count { value, beyond: None }),
            Err(_) if is_positive(&integer) => Ok(Count { value: u64::MAX, beyond: Some(shown(&integer)) }),
            Err(_) => {
                let message = format!("{name} {} is out of range: an integer of at least 0", shown(&integer));
                Err(Fault::core(ErrorKind::InvalidParameter, message))
            }
        }
    }

    /// The core's refusal, which begins with the count, with the one that was given.
    pub(crate) fn named(&self, error: Error) -> Fault {
        if let Some(beyond) = &self.beyond {
            let message = error.to_string();
            if let Some(rest) = message.strip_prefix(&format!("{} replicas ", self.value)) {
                return Fault::core(error.kind(), format!("{beyond} replicas {rest}"));
            }
        }
        Fault::Core(error)
    }
}

/// An argument whose default is not None: where Option would take None for "not given", this hands it on to be refused by its type.
pub(crate) struct Given<'py>(pub(crate) Option<Bound<'py, PyAny>>);

impl Given<'_> {
    pub(crate) const NOTHING: Self = Given(None);

    /// A switch, which is off where nothing is given.
    pub(crate) fn switch(&self, name: &str) -> Result<bool, Fault> {
        match &self.0 {
            None => Ok(false),
            Some(value) => value.extract().map_err(|_| wrong_type(name, "a bool", value)),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = Infallible;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Given(Some(value.to_owned())))
    }
}

/// An `int`, or what says by `__index__` that it is one (NumPy's integers); never a bool.
fn integer<'py>(value: &Bound<'py, PyAny>, what: &str) -> Result<Bound<'py, PyInt>, Fault> {
    if let Ok(integer) = value.cast_exact::<PyInt>() {
        return Ok(integer.clone());
    }
    if value.is_instance_of::<PyBool>() || !has_index(value) {
        return Err(wrong_type(what, "an int", value));
    }
    Ok(index(value)?)
}

/// Whether the type has `__index__`; the instance's own attributes are not asked, as Python itself does not.
pub(crate) fn has_index(value: &Bound<'_, PyAny>) -> bool {
    #[expect(unsafe_code, reason = "pyo3 has no safe name for PyIndex_Check, which only reads the type's slots")]
    // SAFETY: `value` is a live object and the thread is attached.
    unsafe {
        ffi::PyIndex_Check(value.as_ptr()) != 0
    }
}

/// What `operator.index` gives: called once, since a hostile `__index__` may say something else the next time.
pub(crate) fn index<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyInt>> {
    #[expect(unsafe_code, reason = "pyo3 has no safe name for PyNumber_Index")]
    // SAFETY: `value` is a live object and the thread is attached; the result is a new reference, or null with an exception set.
    let integer = unsafe { Bound::from_owned_ptr_or_err(value.py(), ffi::PyNumber_Index(value.as_ptr()))? };
    Ok(integer.cast_into::<PyInt>()?)
}

/// Whether the integer is above 0, whatever its size.
fn is_positive(value: &Bound<'_, PyInt>) -> bool {
    value.gt(0).unwrap_or(false)
}

/// The integer in decimal, or its size where that would be long: `CPython` refuses to print more than 4,300 digits.
pub(crate) fn shown(value: &Bound<'_, PyInt>) -> String {
    const LONGEST: u64 = 200;
    match value.call_method0("bit_length").and_then(|bits| bits.extract::<u64>()) {
        Ok(bits) if bits > LONGEST => {
            let sign = if is_positive(value) { "" } else { "negative " };
            format!("({sign}{bits} bits)")
        }
        _ => value.to_string(),
    }
}

/// The text of a `str`, whose UTF-8 Python keeps beside it.
pub(crate) fn text<'a>(value: &'a Bound<'_, PyAny>, what: &str) -> Result<&'a str, Fault> {
    let Ok(string) = value.cast::<PyString>() else {
        return Err(wrong_type(what, "a str", value));
    };
    well_formed(string, what)
}

pub(crate) fn text_option<'a>(value: Option<&'a Bound<'_, PyAny>>, what: &str) -> Result<Option<&'a str>, Fault> {
    value.map(|value| text(value, what)).transpose()
}

#[inline]
pub(crate) fn well_formed<'a>(string: &'a Bound<'_, PyString>, what: &str) -> Result<&'a str, Fault> {
    string.to_str().map_err(|error| ill_formed(string.py(), error, what))
}

#[cold]
fn ill_formed(py: Python<'_>, error: PyErr, what: &str) -> Fault {
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return Fault::Python(error);
    }
    let place = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
    let place = place.map_or_else(|_| String::new(), |start| format!(" at index {start}"));
    Fault::core(ErrorKind::InvalidText, format!("{what} is not well-formed text: a lone surrogate{place}"))
}

/// The bytes of a secret. A message about them names their type at most.
pub(crate) fn secret<'a>(value: Option<&'a Bound<'_, PyAny>>, what: &str) -> Result<Option<&'a [u8]>, Fault> {
    match value {
        None => Ok(None),
        Some(value) => match value.cast::<PyBytes>() {
            Ok(bytes) => Ok(Some(bytes.as_bytes())),
            Err(_) => Err(wrong_type(what, "bytes", value)),
        },
    }
}

/// The items of an iterable. A bare `str` or `bytes` is refused: its characters are never what was meant. No more than `most` and one are
/// read, so that an endless iterator is an error of its length and not the end of the memory.
pub(crate) fn items<'py>(
    value: &Bound<'py, PyAny>,
    what: &'static str,
    of: &str,
    most: usize,
) -> Result<Vec<Bound<'py, PyAny>>, Fault> {
    let iterator = iterator(value, what, of)?;
    let mut items = Vec::with_capacity(known_length(value).min(most));
    for item in iterator.take(most.saturating_add(1)) {
        items.push(item?);
    }
    Ok(items)
}

/// How many items there are, where that can be believed: a `__len__` of the caller's own may say anything.
pub(crate) fn known_length(value: &Bound<'_, PyAny>) -> usize {
    if let Ok(list) = value.cast_exact::<PyList>() {
        list.len()
    } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        tuple.len()
    } else {
        0
    }
}

/// The texts of an iterable of `str`.
pub(crate) fn texts(value: &Bound<'_, PyAny>, what: &'static str, most: usize) -> Result<Vec<String>, Fault> {
    items(value, what, "str", most)?
        .iter()
        .map(|item| Ok(text(item, &format!("an item of {what}"))?.to_owned()))
        .collect()
}

/// The iterator of what is one, or an iterable, and no bare text.
pub(crate) fn iterator<'py>(value: &Bound<'py, PyAny>, what: &str, of: &str) -> Result<Bound<'py, PyIterator>, Fault> {
    refuse_bare(value, what, of)?;
    match value.try_iter() {
        Ok(iterator) => Ok(iterator),
        Err(error) => {
            // What an `__iter__` of the caller's own raises comes out as it is; Python's words for having none name no argument.
            let class = value.get_type();
            let iterable =
                class.hasattr(intern!(value.py(), "__iter__"))? || class.hasattr(intern!(value.py(), "__getitem__"))?;
            Err(if iterable { error.into() } else { wrong_type(what, &format!("an iterable of {of}"), value) })
        }
    }
}

/// Refuses a bare text or bytes where many things are wanted.
pub(crate) fn refuse_bare(value: &Bound<'_, PyAny>, what: &str, of: &str) -> Result<(), Fault> {
    let bare = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>();
    if bare { Err(wrong_type(what, &format!("an iterable of {of}"), value)) } else { Ok(()) }
}

#[cold]
pub(crate) fn wrong_type(what: &str, wanted: &str, value: &Bound<'_, PyAny>) -> Fault {
    Fault::Python(PyTypeError::new_err(format!("{what} must be {wanted}, not {}", type_name(value))))
}

pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}
