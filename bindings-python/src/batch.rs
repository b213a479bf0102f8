//! Many keys in one call: from any iterable, lists and tuples fastest.

use keystead::Constraints;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMemoryView, PyTuple};

use crate::arguments::{Count, iterator, known_length, refuse_bare, wrong_type};
use crate::cluster::Cluster;
use crate::fault::Fault;
use crate::indices;
use crate::keys::Key;

/// How many keys go by between two looks at whether the user has pressed Ctrl-C.
const LOOK_UP: usize = 1 << 12;

/// Refuses what is one key where many are wanted.
pub(crate) fn refuse_no_keys(keys: &Bound<'_, PyAny>) -> Result<(), Fault> {
    refuse_bare(keys, "keys", "keys")?;
    if keys.is_instance_of::<PyMemoryView>() && keys.getattr("itemsize")?.extract::<usize>()? == 1 {
        return Err(wrong_type("keys", "an iterable of keys", keys));
    }
    Ok(())
}

/// Calls `take` with every key.
pub(crate) fn each<'py>(
    keys: &Bound<'py, PyAny>,
    mut take: impl FnMut(&Bound<'py, PyAny>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    refuse_no_keys(keys)?;
    let py = keys.py();
    let mut seen = 0_usize;
    let mut counted = |key: &Bound<'py, PyAny>| {
        seen += 1;
        if seen.is_multiple_of(LOOK_UP) {
            py.check_signals()?;
        }
        take(key)
    };
    // Exactly these types: a subclass may iterate over something else. A list may change while a key's `__index__` runs: its iterator looks
    // at the length anew for every item, and goes no further than the length it began with.
    if let Ok(list) = keys.cast_exact::<PyList>() {
        return list.iter().try_for_each(|key| counted(&key));
    }
    if let Ok(tuple) = keys.cast_exact::<PyTuple>() {
        return tuple.iter_borrowed().try_for_each(|key| counted(&key));
    }
    for key in iterator(keys, "keys", "keys")? {
        counted(&key?)?;
    }
    Ok(())
}

/// Makes room for so many more answers, or says that there is none: Rust's own growth would end the process.
fn reserve(answers: &mut Vec<u32>, more: Option<usize>) -> Result<(), Fault> {
    let reserved = more.is_some_and(|more| answers.try_reserve(more).is_ok());
    if reserved { Ok(()) } else { Err(PyMemoryError::new_err("no memory for as many answers").into()) }
}

pub(crate) fn owner_indices(cluster: &Cluster, keys: &Bound<'_, PyAny>) -> Result<Vec<u32>, Fault> {
    let mut indices = Vec::with_capacity(known_length(keys));
    each(keys, |key| {
        indices.push(cluster.core().owner_index(Key::read(key)?.bytes()));
        Ok(())
    })?;
    Ok(indices)
}

pub(crate) fn slot_indices(cluster: &Cluster, keys: &Bound<'_, PyAny>) -> Result<Vec<u32>, Fault> {
    // Asked of no key, so that an empty batch is refused as well where there are no slots.
    cluster.core().slot_owners()?;
    let mut slots = Vec::with_capacity(known_length(keys));
    each(keys, |key| {
        slots.push(cluster.core().slot(Key::read(key)?.bytes())?);
        Ok(())
    })?;
    Ok(slots)
}

pub(crate) fn replica_indices<'py>(
    py: Python<'py>,
    cluster: &Cluster,
    keys: &Bound<'py, PyAny>,
    r: &Count,
) -> Result<Bound<'py, PyMemoryView>, Fault> {
    let constraints = Constraints::new();
    // The checks that come before a key are made for an empty batch too, those after it at each key.
    cluster.core().check_replicas(r.value, &constraints).map_err(|error| r.named(error))?;
    // More than there are nodes is an error at the first key: no need to make room for them.
    let width = usize::try_from(r.value).unwrap_or(usize::MAX).min(cluster.core().len());
    let (mut values, mut n) = (Vec::new(), 0);
    reserve(&mut values, known_length(keys).checked_mul(width))?;
    each(keys, |key| {
        let key = Key::read(key)?;
        reserve(&mut values, Some(width))?;
        let indices = cluster.core().replica_indices_with(key.bytes(), r.value, &constraints);
        values.extend(indices.map_err(|error| r.named(error))?);
        n += 1;
        Ok(())
    })?;
    indices::table(py, values, n, width)
}

pub(crate) fn group_by_owner<'py>(
    py: Python<'py>,
    cluster: &Cluster,
    keys: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyDict>, Fault> {
    let groups: Vec<Bound<'py, PyList>> = (0..cluster.core().len()).map(|_| PyList::empty(py)).collect();
    each(keys, |key| {
        let index = cluster.core().owner_index(Key::read(key)?.bytes());
        Ok(groups[index as usize].append(key)?)
    })?;
    let by_owner = PyDict::new(py);
    for (index, group) in (0_u32..).zip(&groups) {
        by_owner.set_item(cluster.name(py, index), group)?;
    }
    Ok(by_owner)
}
