//! `LiveCluster`: the last good cluster or transition of a file that is replaced while a service runs.

use std::sync::{Mutex, PoisonError};

use keystead::{Constraints, Description, Error, Explanation, Refresh};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::answers::Answers;
use crate::arguments::Given;
use crate::cluster::Cluster;
use crate::fault::{Fault, net};
use crate::keys::Key;
use crate::parameters::{read_file, read_secrets};
use crate::transition::{Pair, Transition};

/// The last good cluster or transition of a file: `refresh()` looks whether the file has changed, and readers never see half a change.
// Python opens the file, as everywhere in this package; what may follow what is the core's to say.
#[pyclass(frozen, module = "keystead", name = "LiveCluster", weakref)]
pub(crate) struct LiveCluster {
    source: Source,
    /// What readers see. Held for as long as it takes to count one reference more, and nothing of Python's runs meanwhile.
    current: Mutex<Current>,
}

/// A file, and the secrets beside it.
struct Source {
    path: Py<PyAny>,
    secret: Option<Py<PyAny>>,
    before_secret: Option<Py<PyAny>>,
    after_secret: Option<Py<PyAny>>,
}

impl Source {
    /// What the file holds now.
    fn read(&self, py: Python<'_>) -> Result<Description, Fault> {
        let [one, before, after] = [&self.secret, &self.before_secret, &self.after_secret]
            .map(|secret| secret.as_ref().map(|secret| secret.bind(py)));
        let secrets = read_secrets(one, before, after)?;
        let bytes = read_file(self.path.bind(py))?;
        let bytes = bytes.as_bytes();
        Ok(py.detach(|| Description::from_json(bytes, secrets))?)
    }
}

/// What the file held, with its names.
enum Current {
    Cluster(Py<Cluster>),
    Transition(Py<Transition>),
}

impl Current {
    fn new(py: Python<'_>, description: Description) -> Result<Current, Fault> {
        Ok(match description {
            Description::Cluster(cluster) => Current::Cluster(Py::new(py, Cluster::new(py, cluster)?)?),
            Description::Transition(step) => Current::Transition(Py::new(py, Transition::new(py, step)?)?),
        })
    }

    fn clone_ref(&self, py: Python<'_>) -> Current {
        match self {
            Current::Cluster(cluster) => Current::Cluster(cluster.clone_ref(py)),
            Current::Transition(step) => Current::Transition(step.clone_ref(py)),
        }
    }

    /// The same for the core.
    fn description(&self) -> Result<Description, Fault> {
        match self {
            Current::Cluster(cluster) => Ok(cluster.get().core().clone().into()),
            Current::Transition(step) => step.get().description("a description"),
        }
    }

    fn is(&self, other: &Current) -> bool {
        match (self, other) {
            (Current::Cluster(cluster), Current::Cluster(other)) => cluster.is(other),
            (Current::Transition(step), Current::Transition(other)) => step.is(other),
            _ => false,
        }
    }

    fn asked(&self) -> Result<Asked<'_>, Fault> {
        Ok(match self {
            Current::Cluster(cluster) => Asked::Cluster(cluster.get()),
            Current::Transition(step) => Asked::Transition(step.get().between_clusters("an answer")?),
        })
    }
}

/// What a question is put to.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Cluster(&'a Cluster),
    Transition(Pair<'a>),
}

impl<'a> Answers<'a> for Asked<'a> {
    fn answering(self, key: &Key<'_, '_>) -> &'a Cluster {
        match self {
            Asked::Cluster(cluster) => cluster,
            Asked::Transition(pair) => pair.answering(key),
        }
    }

    fn check_replicas(self, r: u64, constraints: &Constraints) -> Result<(), Error> {
        match self {
            Asked::Cluster(cluster) => cluster.check_replicas(r, constraints),
            Asked::Transition(pair) => pair.check_replicas(r, constraints),
        }
    }

    fn explanation(self, key: &Key<'_, '_>, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        match self {
            Asked::Cluster(cluster) => cluster.explanation(key, r, constraints),
            Asked::Transition(pair) => pair.explanation(key, r, constraints),
        }
    }
}

impl LiveCluster {
    fn now(&self, py: Python<'_>) -> Current {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone_ref(py)
    }

    /// Puts `next` in the place of `last`, unless another refresh was there first.
    fn replace(&self, last: &Current, next: Current) -> bool {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if !current.is(last) {
            return false;
        }
        let gone = std::mem::replace(&mut *current, next);
        // The lock goes first: the end of a cluster can be the end of other things of Python's.
        drop(current);
        drop(gone);
        true
    }
}

#[pymethods]
impl LiveCluster {
    #[new]
    #[pyo3(signature = (path, *, secret=None, before_secret=None, after_secret=None))]
    fn build(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        secret: Option<Py<PyAny>>,
        before_secret: Option<Py<PyAny>>,
        after_secret: Option<Py<PyAny>>,
    ) -> PyResult<LiveCluster> {
        net(|| {
            let path = py.import(intern!(py, "os"))?.call_method1(intern!(py, "fspath"), (path,))?.unbind();
            let source = Source { path, secret, before_secret, after_secret };
            let current = Mutex::new(Current::new(py, source.read(py)?)?);
            Ok(LiveCluster { source, current })
        })
    }

    /// Looks whether the file has changed: 'same', or 'newer' where answers may differ. On any error the last good one is kept.
    fn refresh(&self, py: Python<'_>) -> PyResult<&'static str> {
        net(|| {
            loop {
                // Before the file is read, so that what is read is never older than what it is compared with.
                let last = self.now(py);
                let before = last.description()?;
                let next = self.source.read(py)?;
                let (refresh, equal) = py.detach(|| {
                    let refresh = before.followed_by(&next)?;
                    // What is only carried may be new behind the same fingerprint; where nothing is, the object stays.
                    let equal = refresh == Refresh::Same && before.to_json() == next.to_json();
                    Ok::<_, Error>((refresh, equal))
                })?;
                // Nothing is locked while Python reads. If another refresh was quicker, its file may be the newer one: look again.
                if equal || self.replace(&last, Current::new(py, next)?) {
                    return Ok(refresh.as_str());
                }
                py.check_signals()?;
            }
        })
    }

    /// The path of the file.
    #[getter]
    fn path(&self, py: Python<'_>) -> Py<PyAny> {
        self.source.path.clone_ref(py)
    }

    /// The cluster or transition in use: itself immutable, so that questions put to it belong together.
    #[getter]
    fn current(&self, py: Python<'_>) -> Py<PyAny> {
        match self.now(py) {
            Current::Cluster(cluster) => cluster.into_any(),
            Current::Transition(step) => step.into_any(),
        }
    }

    /// The id of the node that owns the key.
    #[pyo3(signature = (key, *, exclude=None))]
    fn owner<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyString>> {
        net(|| Ok(self.now(py).asked()?.owner_name(py, key, exclude)?.clone()))
    }

    /// Where the key can be: its owner, and during a transition the other side's where it differs.
    fn candidates<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        net(|| match self.now(py) {
            Current::Cluster(cluster) => Ok(PyList::new(py, [cluster.get().owner_name(py, key, None)?])?),
            Current::Transition(step) => step.get().candidate_names(py, key),
        })
    }

    /// Up to `limit` ids, best first; without a limit all that take part.
    #[pyo3(signature = (key, limit=None, *, exclude=None))]
    fn ranking<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        limit: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        net(|| self.now(py).asked()?.ranking_names(py, key, limit, exclude))
    }

    /// Exactly r ids, best first, or an error that says why not.
    #[pyo3(signature = (key, r, *, spread=None, relaxed=Given::NOTHING, exclude=None), text_signature = "($self, key, r, *, spread=None, relaxed=False, exclude=None)")]
    fn replicas<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        r: &Bound<'py, PyAny>,
        spread: Option<&Bound<'py, PyAny>>,
        relaxed: Given<'py>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        net(|| self.now(py).asked()?.replica_names(py, key, r, spread, relaxed, exclude))
    }

    /// Why: as the cluster's or the transition's in use.
    #[pyo3(signature = (key, r=Given::NOTHING, *, spread=None, relaxed=Given::NOTHING, exclude=None), text_signature = "($self, key, r=1, *, spread=None, relaxed=False, exclude=None)")]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        r: Given<'py>,
        spread: Option<&Bound<'py, PyAny>>,
        relaxed: Given<'py>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        net(|| self.now(py).asked()?.explained(py, key, r, spread, relaxed, exclude))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        net(|| {
            Ok(format!(
                "<keystead.LiveCluster {}: {}>",
                self.source.path.bind(py).repr()?,
                self.current(py).bind(py).repr()?
            ))
        })
    }
}
