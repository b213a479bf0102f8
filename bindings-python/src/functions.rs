//! The functions of the module: what needs no cluster.

use keystead::Hash;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::arguments::{Parameter, iterator, text, text_option, wrong_type};
use crate::fault::{Fault, net};
use crate::keys::{self, Key};

/// The canonical bytes of a key, plain or composite: what a client in another language must produce.
#[pyfunction]
pub(crate) fn encode_key<'py>(py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    net(|| Ok(PyBytes::new(py, keys::encode(key)?.as_bytes())))
}

/// The bucket 0 to n - 1 of a 64-bit number by jump consistent hashing (Lamping and Veach).
#[pyfunction]
pub(crate) fn jump(key: &Bound<'_, PyAny>, n: &Bound<'_, PyAny>) -> PyResult<u32> {
    net(|| Ok(keystead::jump(Parameter::JUMP_KEY.read(key)?, Parameter::BUCKETS.read(n)?)?))
}

/// The bucket of a key: jump of its digest.
#[pyfunction]
#[pyo3(signature = (key, n, *, hash=None, seed=None, secret=None))]
pub(crate) fn jump_bucket(
    key: &Bound<'_, PyAny>,
    n: &Bound<'_, PyAny>,
    hash: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    secret: Option<&Bound<'_, PyAny>>,
) -> PyResult<u32> {
    net(|| {
        let (hash, n) = (read_hash(hash, seed, secret)?, Parameter::BUCKETS.read(n)?);
        Ok(keystead::jump_bucket(Key::read(key)?.bytes(), n, &hash)?)
    })
}

/// The key's digest modulo n: the baseline that moves nearly every key when n changes.
#[pyfunction]
#[pyo3(signature = (key, n, *, hash=None, seed=None, secret=None))]
pub(crate) fn modulo(
    key: &Bound<'_, PyAny>,
    n: &Bound<'_, PyAny>,
    hash: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    secret: Option<&Bound<'_, PyAny>>,
) -> PyResult<u32> {
    net(|| {
        let (hash, n) = (read_hash(hash, seed, secret)?, Parameter::BUCKETS.read(n)?);
        Ok(keystead::modulo(Key::read(key)?.bytes(), n, &hash)?)
    })
}

fn read_hash(
    hash: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    secret: Option<&Bound<'_, PyAny>>,
) -> Result<Hash, Fault> {
    Ok(Hash::from_parts(
        text_option(hash, "hash")?,
        Parameter::SEED.read_option(seed)?,
        crate::arguments::secret(secret, "secret")?,
    )?)
}

/// The ids of (id, score) or (id, score, weight) candidates, best first; weight 0 is left out.
#[pyfunction]
pub(crate) fn rank_scores<'py>(py: Python<'py>, candidates: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    net(|| {
        let candidates = iterator(candidates, "candidates", "(id, score) or (id, score, weight)")?;
        let mut ids: Vec<Bound<'py, PyString>> = Vec::new();
        let mut scores: Vec<(u64, u32)> = Vec::new();
        for candidate in candidates {
            let candidate = read_candidate(&candidate?)?;
            let id = candidate.get_item(0)?;
            text(&id, "id")?;
            let weight = if candidate.len() == 3 { Parameter::WEIGHT.read_u32(&candidate.get_item(2)?)? } else { 1 };
            scores.push((Parameter::SCORE.read(&candidate.get_item(1)?)?, weight));
            ids.push(id.cast_into().map_err(PyErr::from)?);
        }
        let texts = ids.iter().map(|id| id.to_str()).collect::<PyResult<Vec<&str>>>()?;
        let ranked =
            keystead::rank_scores(texts.iter().zip(&scores).map(|(id, &(score, weight))| (*id, score, weight)))?;
        Ok(PyList::new(py, ranked.into_iter().map(|position| &ids[position]))?)
    })
}

fn read_candidate<'py>(candidate: &Bound<'py, PyAny>) -> Result<Bound<'py, PyTuple>, Fault> {
    let parts = match candidate.cast::<PyTuple>() {
        Ok(tuple) => tuple.clone(),
        Err(_) => match candidate.cast::<PyList>() {
            Ok(list) => list.to_tuple(),
            Err(_) => return Err(wrong_type("a candidate", "a tuple (id, score) or (id, score, weight)", candidate)),
        },
    };
    match parts.len() {
        2 | 3 => Ok(parts),
        n => Err(PyTypeError::new_err(format!("a candidate must have 2 or 3 parts, not {n}")).into()),
    }
}

/// Panics, so that a test can see the net hold.
#[pyfunction(name = "_panic")]
pub(crate) fn panic_on_request() -> PyResult<()> {
    net(|| panic!("on request"))
}
