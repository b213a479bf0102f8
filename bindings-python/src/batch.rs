//! Many keys in one call: from columns without an object for each, from any iterable, lists and tuples fastest.

use keystead::{Constraints, KeyBytes, OwnerBatch};
use pyo3::prelude::*;
use pyo3::types::list::BoundListIterator;
use pyo3::types::tuple::BoundTupleIterator;
use pyo3::types::{PyDict, PyIterator, PyList, PyMemoryView, PyTuple};

use crate::arguments::{Count, iterator, known_length, refuse_bare, wrong_type};
use crate::borrowed::{Borrowing, Iterated, Listed, Tupled};
use crate::cluster::Cluster;
use crate::columns::{Column, NO_KEY, Question, make_room};
use crate::fault::Fault;
use crate::indices;
use crate::keys::{self, Key};

/// How many keys go by between two looks at whether the user has pressed Ctrl-C.
const LOOK_UP: usize = 1 << 12;

/// Refuses what is one key where many are wanted.
fn refuse_no_keys(keys: &Bound<'_, PyAny>) -> Result<(), Fault> {
    refuse_bare(keys, "keys", "keys")?;
    if keys.is_instance_of::<PyMemoryView>() && keys.getattr("itemsize")?.extract::<usize>()? == 1 {
        return Err(wrong_type("keys", "an iterable of keys", keys));
    }
    Ok(())
}

/// The column that the keys are, where they are one. Lists and tuples, by far the most common, are not asked.
fn column(keys: &Bound<'_, PyAny>) -> Result<Option<Column>, Fault> {
    if keys.is_exact_instance_of::<PyList>() || keys.is_exact_instance_of::<PyTuple>() {
        return Ok(None);
    }
    refuse_no_keys(keys)?;
    Column::read(keys)
}

/// Calls `take` with every key as an object, None for a row of a column without a key.
pub(crate) fn each<'py>(
    keys: &Bound<'py, PyAny>,
    take: impl FnMut(&Bound<'py, PyAny>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    match column(keys)? {
        Some(column) => each_row(keys.py(), column, take),
        None => each_object(keys, take),
    }
}

/// The keys as objects, one by one.
pub(crate) fn objects<'py>(keys: &Bound<'py, PyAny>) -> Result<Bound<'py, PyIterator>, Fault> {
    let Some(column) = column(keys)? else { return iterator(keys, "keys", "keys") };
    let objects = PyList::empty(keys.py());
    each_row(keys.py(), column, |key| Ok(objects.append(key)?))?;
    Ok(objects.try_iter()?)
}

fn each_row<'py>(
    py: Python<'py>,
    column: Column,
    mut take: impl FnMut(&Bound<'py, PyAny>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut looking_up = looking_up(py);
    column.each(py, |cell| {
        looking_up()?;
        take(&cell.map_or_else(|| Ok(py.None().into_bound(py)), |cell| cell.object(py))?)
    })
}

/// Calls `take` with each of the items, and looks every so often whether the user has pressed Ctrl-C.
fn each_object<'py>(
    keys: &Bound<'py, PyAny>,
    mut take: impl FnMut(&Bound<'py, PyAny>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut looking_up = looking_up(keys.py());
    // One loop and one call of `take`, which so becomes a part of it.
    let mut items = Items::of(keys)?;
    while let Some(key) = items.next()? {
        looking_up()?;
        take(&key)?;
    }
    Ok(())
}

/// Exactly these types: a subclass may iterate over something else.
enum Items<'py> {
    /// A list may change while a key's `__index__` runs: this iterator looks at the length anew for every item, and goes no further than the
    /// length it began with.
    List(BoundListIterator<'py>),
    Tuple(BoundTupleIterator<'py>),
    Other(Bound<'py, PyIterator>),
}

impl<'py> Items<'py> {
    fn of(keys: &Bound<'py, PyAny>) -> Result<Items<'py>, Fault> {
        Ok(if let Ok(list) = keys.cast_exact::<PyList>() {
            Items::List(list.iter())
        } else if let Ok(tuple) = keys.cast_exact::<PyTuple>() {
            Items::Tuple(tuple.iter())
        } else {
            Items::Other(iterator(keys, "keys", "keys")?)
        })
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Bound<'py, PyAny>>, PyErr> {
        match self {
            Items::List(items) => Ok(items.next()),
            Items::Tuple(items) => Ok(items.next()),
            Items::Other(items) => items.next().transpose(),
        }
    }
}

/// Calls `take` with the bytes of each key. Returns the number of keys.
fn each_key(keys: &Bound<'_, PyAny>, take: impl FnMut(KeyBytes<'_>) -> Result<(), Fault>) -> Result<usize, Fault> {
    if let Ok(list) = keys.cast_exact::<PyList>() {
        each_item(keys.py(), Listed::new(list), take)
    } else if let Ok(tuple) = keys.cast_exact::<PyTuple>() {
        each_item(keys.py(), Tupled::new(tuple), take)
    } else {
        each_item(keys.py(), Iterated::new(iterator(keys, "keys", "keys")?), take)
    }
}

/// A loop for each kind of keys. What it calls becomes a part of it only while it is small, and the key is taken where it is found: a key that
/// is handed on through memory makes a core wait for half as long as a lookup takes.
fn each_item<'py>(
    py: Python<'py>,
    mut keys: impl Borrowing<'py>,
    mut take: impl FnMut(KeyBytes<'_>) -> Result<(), Fault>,
) -> Result<usize, Fault> {
    let mut seen = 0_usize;
    loop {
        #[expect(unsafe_code, reason = "most keys need no reference")]
        // SAFETY: of the key only the bytes are looked at, and `take` calls nothing of Python's but to append to a list of our own. (A text
        // that is not well-formed becomes an exception, which has a reference to it; then the key is asked for anew.)
        let Some(key) = (unsafe { keys.next()? }) else { return Ok(seen) };
        // As `Key::read`, without a place for what most keys do not need.
        match keys::plain(&key) {
            Some(bytes) => take(KeyBytes::plain(bytes))?,
            None => match keys.held() {
                Some(key) => take(Key::read(&key)?.bytes())?,
                None => return Ok(seen),
            },
        }
        seen += 1;
        if seen.is_multiple_of(LOOK_UP) {
            py.check_signals()?;
        }
    }
}

/// Looks every so many calls whether the user has pressed Ctrl-C.
fn looking_up(py: Python<'_>) -> impl FnMut() -> Result<(), Fault> {
    let mut seen = 0_usize;
    move || {
        seen += 1;
        if seen.is_multiple_of(LOOK_UP) {
            py.check_signals()?;
        }
        Ok(())
    }
}

/// The answers to a question about each key, and the number of keys. Items are read under Python's lock: without it another thread could take a
/// key out of its list, and its bytes with it.
fn answers(keys: &Bound<'_, PyAny>, mut question: impl Question + Send) -> Result<(Vec<u32>, usize), Fault> {
    if let Some(column) = column(keys)? {
        return column.answers(keys.py(), question);
    }
    let mut answers = Vec::new();
    make_room(&mut answers, known_length(keys).checked_mul(question.width()))?;
    let n = each_key(keys, |key| question.ask(key, &mut answers))?;
    question.finish(&mut answers)?;
    Ok((answers, n))
}

/// Which node owns the key.
struct Owner<'a>(OwnerBatch<'a>);

impl Owner<'_> {
    #[inline]
    fn add(known: &[u32], answers: &mut Vec<u32>) -> Result<(), Fault> {
        if !known.is_empty() {
            make_room(answers, Some(known.len()))?;
            answers.extend_from_slice(known);
        }
        Ok(())
    }
}

impl Question for Owner<'_> {
    fn width(&self) -> usize {
        1
    }

    #[inline]
    fn ask(&mut self, key: KeyBytes<'_>, answers: &mut Vec<u32>) -> Result<(), Fault> {
        Owner::add(self.0.push(key), answers)
    }

    #[inline]
    fn pass(&mut self, answers: &mut Vec<u32>) -> Result<(), Fault> {
        Owner::add(self.0.push_absent(), answers)
    }

    fn finish(&mut self, answers: &mut Vec<u32>) -> Result<(), Fault> {
        Owner::add(self.0.finish(), answers)
    }
}

/// What has so many answers for each key, all known at once.
struct Each<F> {
    width: usize,
    answer: F,
}

impl<F: FnMut(KeyBytes<'_>, &mut Vec<u32>) -> Result<(), Fault>> Question for Each<F> {
    fn width(&self) -> usize {
        self.width
    }

    #[inline]
    fn ask(&mut self, key: KeyBytes<'_>, answers: &mut Vec<u32>) -> Result<(), Fault> {
        make_room(answers, Some(self.width))?;
        (self.answer)(key, answers)
    }

    #[inline]
    fn pass(&mut self, answers: &mut Vec<u32>) -> Result<(), Fault> {
        make_room(answers, Some(self.width))?;
        answers.extend(std::iter::repeat_n(NO_KEY, self.width));
        Ok(())
    }

    fn finish(&mut self, _answers: &mut Vec<u32>) -> Result<(), Fault> {
        Ok(())
    }
}

/// The owner of each key, `NO_KEY` for a row of a column without one.
pub(crate) fn owner_indices(cluster: &Cluster, keys: &Bound<'_, PyAny>) -> Result<Vec<u32>, Fault> {
    let (indices, _) = answers(keys, Owner(OwnerBatch::new(cluster.core())))?;
    Ok(indices)
}

/// The owner of each key by name, None for a row of a column without a key.
pub(crate) fn owner_many<'py>(
    py: Python<'py>,
    cluster: &Cluster,
    keys: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyList>, Fault> {
    let Some(column) = column(keys)? else {
        // Appended, which Python does in one call, where to fill in a list of this length takes two.
        let mut batch = OwnerBatch::new(cluster.core());
        let owners = PyList::empty(py);
        let append = |known: &[u32]| -> Result<(), Fault> {
            for index in known {
                owners.append(cluster.name(py, *index))?;
            }
            Ok(())
        };
        each_key(keys, |key| append(batch.push(key)))?;
        append(batch.finish())?;
        return Ok(owners);
    };
    let (indices, _) = column.answers(py, Owner(OwnerBatch::new(cluster.core())))?;
    let none = py.None();
    let name = |index| if index == NO_KEY { none.bind(py) } else { cluster.name(py, index).as_any() };
    Ok(PyList::new(py, indices.into_iter().map(name))?)
}

pub(crate) fn slot_indices(cluster: &Cluster, keys: &Bound<'_, PyAny>) -> Result<Vec<u32>, Fault> {
    let core = cluster.core();
    // Asked of no key, so that an empty batch is refused as well where there are no slots.
    core.slot_owners()?;
    let slot = |key: KeyBytes<'_>, answers: &mut Vec<u32>| {
        answers.push(core.slot(key)?);
        Ok(())
    };
    let (slots, _) = answers(keys, Each { width: 1, answer: slot })?;
    Ok(slots)
}

pub(crate) fn replica_indices<'py>(
    py: Python<'py>,
    cluster: &Cluster,
    keys: &Bound<'py, PyAny>,
    r: &Count,
) -> Result<Bound<'py, PyMemoryView>, Fault> {
    let (core, constraints) = (cluster.core(), Constraints::new());
    // The checks that come before a key are made for an empty batch too, those after it at each key.
    core.check_replicas(r.value, &constraints).map_err(|error| r.named(error))?;
    // More than there are nodes is an error at the first key: no need to make room for them.
    let width = usize::try_from(r.value).unwrap_or(usize::MAX).min(core.len());
    let replicas = |key: KeyBytes<'_>, answers: &mut Vec<u32>| {
        let indices = core.replica_indices_with(key, r.value, &constraints);
        answers.extend(indices.map_err(|error| r.named(error))?);
        Ok(())
    };
    let (values, n) = answers(keys, Each { width, answer: replicas })?;
    indices::table(py, values, n, width)
}

pub(crate) fn group_by_owner<'py>(
    py: Python<'py>,
    cluster: &Cluster,
    keys: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyDict>, Fault> {
    let groups: Vec<Bound<'py, PyList>> = (0..cluster.core().len()).map(|_| PyList::empty(py)).collect();
    let group = |key: KeyBytes<'_>| &groups[cluster.core().owner_index(key) as usize];
    match column(keys)? {
        None => each_object(keys, |key| Ok(group(Key::read(key)?.bytes()).append(key)?))?,
        // A row without a key has no owner.
        Some(column) => {
            let mut looking_up = looking_up(py);
            column.each(py, |cell| {
                looking_up()?;
                let Some(cell) = cell else { return Ok(()) };
                Ok(keystead::Key::with_bytes(&cell, group).append(cell.object(py)?)?)
            })?;
        }
    }
    let by_owner = PyDict::new(py);
    for (index, group) in (0_u32..).zip(&groups) {
        by_owner.set_item(cluster.name(py, index), group)?;
    }
    Ok(by_owner)
}
