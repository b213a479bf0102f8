//! What a question about one key is answered from: a cluster, or a transition, which picks one of two clusters for each key.

use keystead::{Constraints, Error, Explanation};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::arguments::{Count, Given};
use crate::cluster::Cluster;
use crate::fault::Fault;
use crate::keys::Key;
use crate::questions::{constraints, excluding, read_limit, read_r};

/// Answers questions about one key, whose arguments are read in the specification's order.
pub(crate) trait Answers<'a>: Copy {
    /// The cluster that answers for the key.
    fn answering(self, key: &Key<'_, '_>) -> &'a Cluster;

    /// The checks that come before the key, where they depend on none.
    fn check_replicas(self, r: u64, constraints: &Constraints) -> Result<(), Error>;

    /// Why the key goes where it goes.
    fn explanation(self, key: &Key<'_, '_>, r: u64, constraints: &Constraints) -> Result<Explanation, Error>;

    #[inline]
    fn owner_name<'py>(
        self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> Result<&'a Bound<'py, PyString>, Fault> {
        let key = Key::read(key)?;
        let cluster = self.answering(&key);
        let index = match exclude {
            None => cluster.core().owner_index(key.bytes()),
            Some(exclude) => cluster.core().owner_index_with(key.bytes(), &excluding(Some(exclude))?)?,
        };
        Ok(cluster.name(py, index))
    }

    fn ranking_names<'py>(
        self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        limit: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyList>, Fault> {
        let limit = read_limit(limit)?;
        let key = Key::read(key)?;
        let constraints = excluding(exclude)?;
        if limit == 0 {
            return Ok(PyList::empty(py));
        }
        let cluster = self.answering(&key);
        cluster.names_of(py, cluster.core().ranking_with(key.bytes(), &constraints)?.indices().take(limit))
    }

    fn replica_names<'py>(
        self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        r: &Bound<'py, PyAny>,
        spread: Option<&Bound<'py, PyAny>>,
        relaxed: Given<'_>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyList>, Fault> {
        let r = Count::read(r, "r")?;
        // The specification's first check: no copies are the empty list, and nothing further is looked at.
        if r.value == 0 {
            return Ok(PyList::empty(py));
        }
        let constraints = constraints(&r, spread, &relaxed, exclude)?;
        // The specification's order of checks: what is wrong with r and spread comes before what is wrong with the key.
        self.check_replicas(r.value, &constraints).map_err(|error| r.named(error))?;
        let key = Key::read(key)?;
        let cluster = self.answering(&key);
        let indices = cluster.core().replica_indices_with(key.bytes(), r.value, &constraints);
        cluster.names_of(py, indices.map_err(|error| r.named(error))?.into_iter())
    }

    /// The explanation as Python's own dicts and lists.
    fn explained<'py>(
        self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        r: Given<'_>,
        spread: Option<&Bound<'py, PyAny>>,
        relaxed: Given<'_>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>, Fault> {
        let r = read_r(&r)?;
        let constraints = constraints(&r, spread, &relaxed, exclude)?;
        self.check_replicas(r.value, &constraints).map_err(|error| r.named(error))?;
        let key = Key::read(key)?;
        let explanation = self.explanation(&key, r.value, &constraints).map_err(|error| r.named(error))?;
        structure(py, &explanation.to_json())
    }
}

/// A structure of the core's, from its JSON, which is the same in every language.
pub(crate) fn structure<'py>(py: Python<'py>, json: &str) -> Result<Bound<'py, PyAny>, Fault> {
    Ok(py.import(intern!(py, "json"))?.call_method1(intern!(py, "loads"), (json,))?)
}
