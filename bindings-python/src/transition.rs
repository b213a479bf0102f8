//! `Transition`: a change of membership put into force key by key, from a cluster or from any function of the caller's.

use keystead::{Constraints, Description, Error, ErrorKind, Explanation};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::answers::Answers;
use crate::arguments::{Given, Parameter, text, wrong_type};
use crate::cluster::Cluster;
use crate::difference::{self, Asked, Moves};
use crate::fault::{Fault, net};
use crate::keys::Key;
use crate::parameters::{file_text, read_file, read_secrets};

/// A change from one cluster to another that is put into force key by key, and how far it has gone; immutable.
///
/// A passed key is answered by `after`, any other by `before`; as part / of grows, every key passes once at most.
#[pyclass(frozen, module = "keystead", name = "Transition", weakref)]
pub(crate) struct Transition {
    /// The core's. Where `before` is a function it goes from `after` to `after`, and only its gate and its epoch are looked at.
    core: keystead::Transition,
    before: Before,
    after: Py<Cluster>,
}

/// What answers for the keys that have not passed.
enum Before {
    Cluster(Py<Cluster>),
    Function(Py<PyAny>),
}

/// A transition between two clusters, whose names exist already.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    core: &'a keystead::Transition,
    before: &'a Cluster,
    after: &'a Cluster,
}

impl<'a> Answers<'a> for Pair<'a> {
    fn answering(self, key: &Key<'_, '_>) -> &'a Cluster {
        if self.core.passes(key.bytes()) { self.after } else { self.before }
    }

    /// None: which cluster is asked, and so what is wrong with the question, depends on the key.
    fn check_replicas(self, _r: u64, _constraints: &Constraints) -> Result<(), Error> {
        Ok(())
    }

    fn explanation(self, key: &Key<'_, '_>, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        self.core.explain(key.bytes(), r, constraints)
    }
}

impl Transition {
    /// The transition that a file holds.
    pub(crate) fn new(py: Python<'_>, core: keystead::Transition) -> Result<Transition, Fault> {
        let before = Py::new(py, Cluster::new(py, core.before().clone())?)?;
        let after = Py::new(py, Cluster::new(py, core.after().clone())?)?;
        Ok(Transition { core, before: Before::Cluster(before), after })
    }

    /// The same two sides under another fraction or epoch.
    fn again(&self, py: Python<'_>, core: keystead::Transition) -> Transition {
        let before = match &self.before {
            Before::Cluster(cluster) => Before::Cluster(cluster.clone_ref(py)),
            Before::Function(function) => Before::Function(function.clone_ref(py)),
        };
        Transition { core, before, after: self.after.clone_ref(py) }
    }

    fn pair(&self) -> Option<Pair<'_>> {
        match &self.before {
            Before::Cluster(before) => Some(Pair { core: &self.core, before: before.get(), after: self.after.get() }),
            Before::Function(_) => None,
        }
    }

    /// The two clusters, for what no function can answer.
    pub(crate) fn between_clusters(&self, what: &str) -> Result<Pair<'_>, Fault> {
        self.pair().ok_or_else(|| {
            let message = format!("{what} cannot be had from a transition whose before is a function");
            Fault::core(ErrorKind::Unsupported, message)
        })
    }

    /// The core's transition, for what needs both clusters.
    fn whole(&self, what: &str) -> Result<&keystead::Transition, Fault> {
        Ok(self.between_clusters(what)?.core)
    }

    pub(crate) fn description(&self, what: &str) -> Result<Description, Fault> {
        Ok(self.whole(what)?.clone().into())
    }

    fn key_passes(&self, key: &Key<'_, '_>) -> bool {
        match &self.before {
            Before::Cluster(_) => self.core.passes(key.bytes()),
            // The gate alone: a function has no slots, so the key's own bytes decide, whatever `after` is.
            Before::Function(_) => self.core.gate().passes(key.bytes()),
        }
    }

    /// What the function says, given the key as the caller wrote it.
    fn called<'py>(function: &Bound<'py, PyAny>, key: &Bound<'py, PyAny>) -> Result<Bound<'py, PyString>, Fault> {
        let id = function.call1((key,))?;
        text(&id, "what before returns")?;
        Ok(id.cast_into().map_err(PyErr::from)?)
    }

    /// The owner where `before` is a function.
    fn owner_by_function<'py>(
        &self,
        py: Python<'py>,
        function: &Py<PyAny>,
        key: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyString>, Fault> {
        if exclude.is_some() {
            // Refused for every key, not only for those that the function answers: else it would be found out late.
            return Err(Fault::core(ErrorKind::Unsupported, "exclude needs a cluster, and before is a function"));
        }
        let read = Key::read(key)?;
        if self.key_passes(&read) {
            let after = self.after.get();
            return Ok(after.name(py, after.core().owner_index(read.bytes())).clone());
        }
        Transition::called(function.bind(py), key)
    }

    pub(crate) fn candidate_names<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> Result<Bound<'py, PyList>, Fault> {
        let read = Key::read(key)?;
        let name = |cluster: &Cluster| cluster.name(py, cluster.core().owner_index(read.bytes())).clone();
        let old = match &self.before {
            Before::Cluster(before) => name(before.get()),
            Before::Function(function) => Transition::called(function.bind(py), key)?,
        };
        let new = name(self.after.get());
        let (owner, other) = if self.key_passes(&read) { (new, old) } else { (old, new) };
        let both = if owner.to_str()? == other.to_str()? { vec![owner] } else { vec![owner, other] };
        Ok(PyList::new(py, both)?)
    }
}

fn read_fraction(part: &Bound<'_, PyAny>, of: &Bound<'_, PyAny>) -> Result<(u64, u64), Fault> {
    let of = Parameter::OF.read(of)?;
    let known = (1..=u64::from(u32::MAX)).contains(&of);
    let part = Parameter::PART
        .read_up_to(part, || if known { Ok(of) } else { Err(Parameter::OF.out_of_range(&of.to_string())) })?;
    Ok((part, of))
}

/// The cluster or transition that stands in an argument, for what needs all of it.
pub(crate) fn read_description(value: &Bound<'_, PyAny>, name: &str, what: &str) -> Result<Description, Fault> {
    if let Ok(cluster) = value.cast::<Cluster>() {
        return Ok(cluster.get().core().clone().into());
    }
    match value.cast::<Transition>() {
        Ok(transition) => transition.get().description(what),
        Err(_) => Err(wrong_type(name, "a Cluster or a Transition", value)),
    }
}

#[pymethods]
impl Transition {
    #[new]
    #[pyo3(signature = (before, after, part, of, *, epoch=None))]
    fn build(
        py: Python<'_>,
        before: &Bound<'_, PyAny>,
        after: &Bound<'_, PyAny>,
        part: &Bound<'_, PyAny>,
        of: &Bound<'_, PyAny>,
        epoch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Transition> {
        net(|| {
            let Ok(after) = after.cast::<Cluster>() else {
                return Err(wrong_type("after", "a Cluster", after));
            };
            let side = match before.cast::<Cluster>() {
                Ok(cluster) => Before::Cluster(cluster.clone().unbind()),
                Err(_) if before.is_callable() => Before::Function(before.clone().unbind()),
                Err(_) => return Err(wrong_type("before", "a Cluster or a function from a key to an id", before)),
            };
            let (part, of) = read_fraction(part, of)?;
            let epoch = Parameter::EPOCH.read_option(epoch)?;
            let after = after.clone().unbind();
            let left = if let Before::Cluster(cluster) = &side { cluster.get() } else { after.get() };
            let (left, entered) = (left.core(), after.get().core());
            let core = py.detach(|| keystead::Transition::new(left, entered, part, of)?.with_epoch(epoch))?;
            Ok(Transition { core, before: side, after })
        })
    }

    /// The transition in a transition file. I/O errors are Python's own, such as `FileNotFoundError`.
    #[staticmethod]
    #[pyo3(signature = (path, *, secret=None, before_secret=None, after_secret=None))]
    fn load(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        secret: Option<&Bound<'_, PyAny>>,
        before_secret: Option<&Bound<'_, PyAny>>,
        after_secret: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Transition> {
        net(|| {
            let secrets = read_secrets(secret, before_secret, after_secret)?;
            let bytes = read_file(path)?;
            let bytes = bytes.as_bytes();
            Transition::new(py, py.detach(|| keystead::Transition::from_json(bytes, secrets))?)
        })
    }

    /// The transition in the text of a transition file.
    #[staticmethod]
    #[pyo3(signature = (text, *, secret=None, before_secret=None, after_secret=None))]
    fn from_json(
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        secret: Option<&Bound<'_, PyAny>>,
        before_secret: Option<&Bound<'_, PyAny>>,
        after_secret: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Transition> {
        net(|| {
            let secrets = read_secrets(secret, before_secret, after_secret)?;
            let bytes = file_text(text)?;
            Transition::new(py, py.detach(|| keystead::Transition::from_json(bytes, secrets))?)
        })
    }

    /// The text of a transition file that reads back as this transition. A secret is never in it.
    fn to_json(&self) -> PyResult<String> {
        net(|| Ok(self.whole("a file")?.to_json()))
    }

    // ---- properties

    /// The cluster that is left, or the function that answers in its place.
    #[getter]
    fn before(&self, py: Python<'_>) -> Py<PyAny> {
        match &self.before {
            Before::Cluster(cluster) => cluster.clone_ref(py).into_any(),
            Before::Function(function) => function.clone_ref(py),
        }
    }

    /// The cluster that is entered.
    #[getter]
    fn after<'a, 'py>(&'a self, py: Python<'py>) -> &'a Bound<'py, Cluster> {
        self.after.bind(py)
    }

    /// How many parts have passed.
    #[getter]
    fn part(&self) -> u32 {
        self.core.gate().part()
    }

    /// Of how many.
    #[getter]
    fn of(&self) -> u32 {
        self.core.gate().of()
    }

    /// The number under which this step was published, or None.
    #[getter]
    fn epoch(&self) -> Option<u64> {
        self.core.epoch()
    }

    /// Free text of the transition file, or None.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.core.comment()
    }

    /// 32 hex digits: equal exactly where both clusters, part and of are equal, in every language.
    #[getter]
    fn fingerprint(&self) -> PyResult<String> {
        net(|| Ok(self.whole("a fingerprint")?.fingerprint().to_string()))
    }

    // ---- one key

    /// Whether the key has passed, and so is answered by `after`.
    fn passes(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        net(|| Ok(self.key_passes(&Key::read(key)?)))
    }

    /// The id of the node that owns the key.
    #[pyo3(signature = (key, *, exclude=None))]
    pub(crate) fn owner<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyString>> {
        net(|| match &self.before {
            Before::Cluster(_) => Ok(self.between_clusters("an owner")?.owner_name(py, key, exclude)?.clone()),
            Before::Function(function) => self.owner_by_function(py, function, key, exclude),
        })
    }

    /// Where the key can be while clients are at different steps: the owner, then the other side's where it differs.
    fn candidates<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        net(|| self.candidate_names(py, key))
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
        net(|| self.between_clusters("a ranking")?.ranking_names(py, key, limit, exclude))
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
        net(|| self.between_clusters("copies")?.replica_names(py, key, r, spread, relaxed, exclude))
    }

    /// Why: as a cluster's, of the cluster that answers, with the transition beside it.
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
        net(|| self.between_clusters("an explanation")?.explained(py, key, r, spread, relaxed, exclude))
    }

    // ---- changes

    /// The same transition further on, or back; without an epoch.
    fn at(&self, py: Python<'_>, part: &Bound<'_, PyAny>, of: &Bound<'_, PyAny>) -> PyResult<Transition> {
        net(|| {
            let (part, of) = read_fraction(part, of)?;
            Ok(self.again(py, py.detach(|| self.core.at(part, of))?))
        })
    }

    /// The same step under this number, or under none.
    fn with_epoch(&self, py: Python<'_>, epoch: Option<&Bound<'_, PyAny>>) -> PyResult<Transition> {
        net(|| {
            let epoch = Parameter::EPOCH.read_option(epoch)?;
            Ok(self.again(py, py.detach(|| self.core.with_epoch(epoch))?))
        })
    }

    // ---- agreement

    /// 'same', 'newer', 'older', 'conflict' or 'different': what this transition is to the other cluster or transition.
    fn compare(&self, other: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        net(|| Ok(self.whole("a comparison")?.compare(&read_description(other, "other", "a comparison")?).as_str()))
    }

    // ---- what moves

    /// What moves from here to the other cluster or transition, as a dict that is the same in every language.
    #[pyo3(signature = (after, keys=None, sizes=None, *, r=Given::NOTHING, spread=None, relaxed=Given::NOTHING, exclude=None), text_signature = "($self, after, keys=None, sizes=None, *, r=1, spread=None, relaxed=False, exclude=None)")]
    #[expect(clippy::too_many_arguments, reason = "by keyword in Python")]
    fn diff<'py>(
        &self,
        py: Python<'py>,
        after: &Bound<'py, PyAny>,
        keys: Option<&Bound<'py, PyAny>>,
        sizes: Option<&Bound<'py, PyAny>>,
        r: Given<'py>,
        spread: Option<&Bound<'py, PyAny>>,
        relaxed: Given<'py>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        net(|| {
            let asked = Asked { r, spread, relaxed, exclude };
            difference::summary(py, &self.description("a difference")?, after, keys, sizes, asked)
        })
    }

    /// What becomes of each key, and why: an iterator of (key, source, target, reason).
    #[pyo3(signature = (after, keys, *, r=Given::NOTHING, spread=None, relaxed=Given::NOTHING, exclude=None), text_signature = "($self, after, keys, *, r=1, spread=None, relaxed=False, exclude=None)")]
    #[expect(clippy::too_many_arguments, reason = "by keyword in Python")]
    fn diff_keys<'py>(
        &self,
        py: Python<'py>,
        after: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
        r: Given<'py>,
        spread: Option<&Bound<'py, PyAny>>,
        relaxed: Given<'py>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Moves> {
        net(|| Moves::new(py, &self.description("a difference")?, after, keys, Asked { r, spread, relaxed, exclude }))
    }

    // ---- Python's own protocols

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, Transition>) -> PyResult<bool> {
        net(|| {
            let other = other.get();
            Ok(match (&self.before, &other.before) {
                _ if self.core.fingerprint() != other.core.fingerprint() => false,
                (Before::Cluster(_), Before::Cluster(_)) => true,
                (Before::Function(function), Before::Function(other)) => function.bind(py).eq(other)?,
                _ => false,
            })
        })
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        // A function is left out: it need not have a hash. Equal transitions have equal hashes all the same.
        net(|| Ok(PyString::new(py, &self.core.fingerprint().to_string()).hash()?))
    }

    fn __repr__(&self) -> PyResult<String> {
        net(|| {
            let side = |cluster: &keystead::Cluster| {
                let nodes = if cluster.len() == 1 { "node" } else { "nodes" };
                format!("{} of {} {nodes}", cluster.algorithm(), cluster.len())
            };
            let epoch = self.epoch().map_or_else(String::new, |epoch| format!(", epoch {epoch}"));
            let (before, fingerprint) = match self.pair() {
                Some(pair) => (side(pair.before.core()), format!(", {}", self.core.fingerprint())),
                None => ("a function".to_owned(), String::new()),
            };
            let after = side(self.after.get().core());
            Ok(format!("<keystead.Transition {}/{}{epoch}: {before} to {after}{fingerprint}>", self.part(), self.of()))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        net(|| {
            let Pair { core, before, after } = self.between_clusters("a pickle")?;
            if before.core().has_secret() || after.core().has_secret() {
                let message =
                    "a transition with a secret cannot be pickled: send its to_json() and hand the secret over apart";
                return Err(Fault::core(ErrorKind::Unsupported, message));
            }
            Ok((py.get_type::<Transition>().getattr(intern!(py, "from_json"))?, (core.to_json(),)))
        })
    }

    fn __copy__(slf: Bound<'_, Transition>) -> Bound<'_, Transition> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Transition>, _memo: Bound<'py, PyAny>) -> Bound<'py, Transition> {
        slf
    }

    /// A function can hold the transition that holds it. There is nothing to clear: whatever closes such a cycle can be cleared itself.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.before {
            Before::Cluster(cluster) => visit.call(cluster)?,
            Before::Function(function) => visit.call(function)?,
        }
        visit.call(&self.after)
    }
}
