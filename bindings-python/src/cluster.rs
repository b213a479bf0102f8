//! `Cluster`: the core's cluster behind Python's types. A method reads its arguments, calls the core and hands back names that exist already.

use keystead::{Constraints, Error, ErrorKind, Explanation};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PyMemoryView, PyString, PyTuple};

use crate::answers::Answers;
use crate::arguments::{Count, Given, Parameter, secret, text};
use crate::batch;
use crate::difference::{self, Asked, Moves};
use crate::fault::{Fault, net};
use crate::keys::Key;
use crate::node::Node;
use crate::parameters::{Parameters, file_text, read_change, read_file, read_nodes};
use crate::questions::read_limit;
use crate::transition::read_description;

/// A cluster: nodes, an algorithm and a hash; immutable, and shared between threads as it is.
#[pyclass(frozen, mapping, module = "keystead", name = "Cluster", weakref)]
pub(crate) struct Cluster {
    core: keystead::Cluster,
    /// Every node's id as a Python string, by index: made once, handed out by reference.
    names: Box<[Py<PyString>]>,
    ids: Py<PyTuple>,
    nodes: PyOnceLock<Py<PyTuple>>,
}

impl Cluster {
    pub(crate) fn new(py: Python<'_>, core: keystead::Cluster) -> Result<Cluster, Fault> {
        let names: Box<[Py<PyString>]> = core.ids().map(|id| PyString::new(py, id).unbind()).collect();
        let ids = PyTuple::new(py, names.iter())?.unbind();
        Ok(Cluster { core, names, ids, nodes: PyOnceLock::new() })
    }

    pub(crate) fn core(&self) -> &keystead::Cluster {
        &self.core
    }

    /// The name of the node with this index.
    #[inline]
    pub(crate) fn name<'a, 'py>(&'a self, py: Python<'py>, index: u32) -> &'a Bound<'py, PyString> {
        self.names[index as usize].bind(py)
    }

    pub(crate) fn names_of<'py>(
        &self,
        py: Python<'py>,
        indices: impl Iterator<Item = u32>,
    ) -> Result<Bound<'py, PyList>, Fault> {
        Ok(PyList::new(py, indices.map(|index| self.name(py, index)))?)
    }

    /// Makes or changes a cluster without holding up other threads: a large ring takes a while.
    fn make(py: Python<'_>, make: impl FnOnce() -> Result<keystead::Cluster, Error> + Send) -> Result<Cluster, Fault> {
        Cluster::new(py, py.detach(make)?)
    }
}

impl<'a> Answers<'a> for &'a Cluster {
    #[inline]
    fn answering(self, _key: &Key<'_, '_>) -> &'a Cluster {
        self
    }

    fn check_replicas(self, r: u64, constraints: &Constraints) -> Result<(), Error> {
        self.core.check_replicas(r, constraints)
    }

    fn explanation(self, key: &Key<'_, '_>, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        self.core.explain(key.bytes(), r, constraints)
    }
}

#[pymethods]
impl Cluster {
    #[new]
    #[pyo3(signature = (nodes, *, algorithm=None, hash=None, seed=None, secret=None, epoch=None, levels=None, tokens_per_weight=None, space=None, slots=None, headroom=None))]
    #[expect(clippy::too_many_arguments, reason = "one for each member of a cluster file; by keyword in Python")]
    fn build(
        py: Python<'_>,
        nodes: &Bound<'_, PyAny>,
        algorithm: Option<&Bound<'_, PyAny>>,
        hash: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
        secret: Option<&Bound<'_, PyAny>>,
        epoch: Option<&Bound<'_, PyAny>>,
        levels: Option<&Bound<'_, PyAny>>,
        tokens_per_weight: Option<&Bound<'_, PyAny>>,
        space: Option<&Bound<'_, PyAny>>,
        slots: Option<&Bound<'_, PyAny>>,
        headroom: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Cluster> {
        net(|| {
            let parameters =
                Parameters { algorithm, hash, seed, secret, epoch, levels, tokens_per_weight, space, slots, headroom };
            let builder = parameters.builder()?.nodes(read_nodes(nodes, "nodes")?);
            Cluster::make(py, move || builder.build())
        })
    }

    /// The cluster in a cluster file. I/O errors are Python's own, such as `FileNotFoundError`.
    #[staticmethod]
    #[pyo3(signature = (path, *, secret=None))]
    fn load(py: Python<'_>, path: &Bound<'_, PyAny>, secret: Option<&Bound<'_, PyAny>>) -> PyResult<Cluster> {
        net(|| {
            let secret = self::secret(secret, "secret")?;
            let bytes = read_file(path)?;
            let bytes = bytes.as_bytes();
            Cluster::make(py, || keystead::Cluster::from_json(bytes, secret))
        })
    }

    /// The cluster in the text of a cluster file.
    #[staticmethod]
    #[pyo3(signature = (text, *, secret=None))]
    fn from_json(py: Python<'_>, text: &Bound<'_, PyAny>, secret: Option<&Bound<'_, PyAny>>) -> PyResult<Cluster> {
        net(|| {
            let secret = self::secret(secret, "secret")?;
            let bytes = file_text(text)?;
            Cluster::make(py, || keystead::Cluster::from_json(bytes, secret))
        })
    }

    /// The text of a cluster file that reads back as this cluster. A secret is never in it.
    fn to_json(&self) -> PyResult<String> {
        net(|| Ok(self.core.to_json()))
    }

    // ---- properties

    /// Every node's id in index order: ascending by UTF-8 bytes, drained nodes included.
    #[getter]
    fn ids<'a, 'py>(&'a self, py: Python<'py>) -> &'a Bound<'py, PyTuple> {
        self.ids.bind(py)
    }

    /// Every node in index order.
    #[getter]
    fn nodes<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<&'a Bound<'py, PyTuple>> {
        let nodes = self.nodes.get_or_try_init(py, || {
            let nodes: Vec<Bound<'py, Node>> = self
                .core
                .nodes()
                .iter()
                .map(|node| Bound::new(py, Node::new(node.clone())))
                .collect::<PyResult<_>>()?;
            PyTuple::new(py, nodes).map(Bound::unbind)
        })?;
        Ok(nodes.bind(py))
    }

    /// The algorithm's name with its version, such as 'rendezvous-1'.
    #[getter]
    fn algorithm(&self) -> &'static str {
        self.core.algorithm()
    }

    /// The hash: 'xxh3', 'xxh64' or 'sip13'.
    #[getter]
    fn hash(&self) -> &'static str {
        self.core.hash().name()
    }

    /// The hash's seed; None with sip13, which has a secret.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.core.hash().seed()
    }

    /// Whether a secret is in use. The secret itself cannot be read back.
    #[getter]
    fn has_secret(&self) -> bool {
        self.core.has_secret()
    }

    /// The number under which this description was published, or None.
    #[getter]
    fn epoch(&self) -> Option<u64> {
        self.core.epoch()
    }

    /// The names of the location's levels, widest first, or None.
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.core.levels().map(|levels| PyTuple::new(py, levels.iter().map(|level| &**level))).transpose()
    }

    /// Tokens for each unit of weight, of a ring whose tokens are derived; else None.
    #[getter]
    fn tokens_per_weight(&self) -> Option<u32> {
        self.core.tokens_per_weight()
    }

    /// The number of coordinates of a ring with explicit tokens, where it was set; None means 2**64.
    #[getter]
    fn space(&self) -> Option<u64> {
        self.core.space()
    }

    /// The number of slots of slots-1, else None.
    #[getter]
    fn slots(&self) -> Option<u32> {
        self.core.slots()
    }

    /// The percentage above its share that a node's slots may reach, or None for no cap.
    #[getter]
    fn headroom(&self) -> Option<u32> {
        self.core.headroom()
    }

    /// Free text of the cluster file, or None.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.core.comment()
    }

    /// 32 hex digits: equal exactly where the descriptions are equal, in every language.
    #[getter]
    fn fingerprint(&self) -> PyResult<String> {
        net(|| Ok(self.core.fingerprint().to_string()))
    }

    // ---- one key

    /// The id of the node that owns the key.
    #[pyo3(signature = (key, *, exclude=None))]
    fn owner<'a, 'py>(
        &'a self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<&'a Bound<'py, PyString>> {
        net(|| self.owner_name(py, key, exclude))
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
        net(|| self.ranking_names(py, key, limit, exclude))
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
        net(|| self.replica_names(py, key, r, spread, relaxed, exclude))
    }

    /// Why: digest, scores, costs, and what was skipped for which reason; the same structure in every language.
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
        net(|| self.explained(py, key, r, spread, relaxed, exclude))
    }

    /// The number of the key's slot.
    fn slot(&self, key: &Bound<'_, PyAny>) -> PyResult<u32> {
        net(|| Ok(self.core.slot(Key::read(key)?.bytes())?))
    }

    // ---- many keys

    /// The owner of each key, in their order.
    fn owner_many<'py>(&self, py: Python<'py>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        net(|| batch::owner_many(py, self, keys))
    }

    /// The owner of each key as its position in `ids`: a memoryview of format 'I', shape (n,).
    fn owner_indices<'py>(&self, py: Python<'py>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMemoryView>> {
        net(|| crate::indices::row(py, batch::owner_indices(self, keys)?))
    }

    /// The first r of each key's ranking as positions in `ids`: a memoryview of format 'I', shape (n, r).
    fn replica_indices<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
        r: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyMemoryView>> {
        net(|| batch::replica_indices(py, self, keys, &Count::read(r, "r")?))
    }

    /// The slot of each key: a memoryview of format 'I', shape (n,).
    fn slot_indices<'py>(&self, py: Python<'py>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMemoryView>> {
        net(|| crate::indices::row(py, batch::slot_indices(self, keys)?))
    }

    /// The keys of each node: every id is there, in index order, drained nodes with an empty list.
    fn group_by_owner<'py>(&self, py: Python<'py>, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        net(|| batch::group_by_owner(py, self, keys))
    }

    // ---- nodes, slots, coordinates

    /// The node with this id.
    fn node(&self, id: &Bound<'_, PyAny>) -> PyResult<Node> {
        net(|| Ok(Node::new(self.core.node(text(id, "id")?)?.clone())))
    }

    /// Each node's exact share of the key space, in index order.
    fn shares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        net(|| {
            let fraction = py.import(intern!(py, "fractions"))?.getattr(intern!(py, "Fraction"))?;
            let shares = PyDict::new(py);
            for (name, share) in self.names.iter().zip(self.core.shares()) {
                shares.set_item(name, fraction.call1((share.numerator, share.denominator))?)?;
            }
            Ok(shares)
        })
    }

    /// The owner of each slot, by slot number.
    fn slot_owners<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        net(|| self.names_of(py, self.core.slot_owners()?.iter().copied()))
    }

    /// The slots that a node owns, ascending.
    fn slots_of(&self, id: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        net(|| Ok(self.core.slots_of(text(id, "id")?)?))
    }

    /// Up to `limit` ids for a slot, best first.
    #[pyo3(signature = (slot, limit=None))]
    fn slot_ranking<'py>(
        &self,
        py: Python<'py>,
        slot: &Bound<'py, PyAny>,
        limit: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        net(|| {
            let slot = Parameter::SLOT.read_up_to(slot, || {
                self.core.slot_ranking(0)?;
                Ok(self.core.slots().map_or(0, |slots| u64::from(slots) - 1))
            })?;
            let limit = read_limit(limit)?;
            self.names_of(py, self.core.slot_ranking(slot)?.indices().take(limit))
        })
    }

    /// The owner of a ring's coordinate, or of a 64-bit digest among slots.
    fn owner_at<'a, 'py>(
        &'a self,
        py: Python<'py>,
        coordinate: &Bound<'py, PyAny>,
    ) -> PyResult<&'a Bound<'py, PyString>> {
        net(|| {
            let coordinate = Parameter::COORDINATE.read_up_to(coordinate, || {
                self.core.owner_index_at(0)?;
                Ok(self.core.space().map_or(u64::MAX, |space| space - 1))
            })?;
            Ok(self.name(py, self.core.owner_index_at(coordinate)?))
        })
    }

    /// The arcs of a ring: half-open intervals (start, end] with their lengths and owners, ascending by end.
    fn arcs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        net(|| {
            let arcs = self.core.arcs()?;
            let class = crate::arc_class(py)?;
            let arcs: Vec<Bound<'py, PyAny>> = arcs
                .iter()
                .map(|arc| class.call1((arc.start, arc.end, arc.length, self.name(py, arc.node))))
                .collect::<PyResult<_>>()?;
            Ok(PyList::new(py, arcs)?)
        })
    }

    // ---- changes

    /// A cluster with one node more.
    fn with_node(&self, py: Python<'_>, node: &Bound<'_, PyAny>) -> PyResult<Cluster> {
        net(|| {
            let node = Node::read(node, "node")?;
            Cluster::make(py, || self.core.with_node(node))
        })
    }

    /// A cluster without this node.
    fn without_node(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Cluster> {
        net(|| {
            let id = text(id, "id")?;
            Cluster::make(py, || self.core.without_node(id))
        })
    }

    /// A cluster in which this node has another weight; 0 drains it.
    fn with_weight(&self, py: Python<'_>, id: &Bound<'_, PyAny>, weight: &Bound<'_, PyAny>) -> PyResult<Cluster> {
        net(|| {
            let (id, weight) = (text(id, "id")?, Parameter::WEIGHT.read_u32(weight)?);
            Cluster::make(py, || self.core.with_weight(id, weight))
        })
    }

    /// A cluster changed in one go: first remove, then add, then weight, then drain.
    #[pyo3(signature = (*, add=Given::NOTHING, remove=Given::NOTHING, weight=None, drain=Given::NOTHING), text_signature = "($self, *, add=(), remove=(), weight=None, drain=())")]
    fn change(
        &self,
        py: Python<'_>,
        add: Given<'_>,
        remove: Given<'_>,
        weight: Option<&Bound<'_, PyAny>>,
        drain: Given<'_>,
    ) -> PyResult<Cluster> {
        net(|| {
            let change = read_change(add.0, remove.0, weight, drain.0)?;
            Cluster::make(py, || self.core.change(&change))
        })
    }

    /// The same cluster under this number, or under none.
    fn with_epoch(&self, py: Python<'_>, epoch: Option<&Bound<'_, PyAny>>) -> PyResult<Cluster> {
        net(|| {
            let epoch = Parameter::EPOCH.read_option(epoch)?;
            Cluster::make(py, || self.core.with_epoch(epoch))
        })
    }

    // ---- agreement

    /// 'same', 'newer', 'older', 'conflict' or 'different': what this cluster is to the other cluster or transition.
    fn compare(&self, other: &Bound<'_, PyAny>) -> PyResult<&'static str> {
        net(|| Ok(self.core.compare(&read_description(other, "other", "a comparison")?).as_str()))
    }

    /// The canonical bytes that the fingerprint is taken of.
    fn description<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        net(|| Ok(PyBytes::new(py, &self.core.description())))
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
            difference::summary(py, &self.core.clone().into(), after, keys, sizes, asked)
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
        net(|| Moves::new(py, &self.core.clone().into(), after, keys, Asked { r, spread, relaxed, exclude }))
    }

    // ---- Python's own protocols

    fn __len__(&self) -> usize {
        self.names.len()
    }

    fn __contains__(&self, id: &Bound<'_, PyAny>) -> PyResult<bool> {
        net(|| Ok(self.core.contains(text(id, "a node's id")?)))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.ids.bind(py).try_iter()
    }

    fn __getitem__<'a, 'py>(&'a self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyString>> {
        net(|| self.owner_name(py, key, None))
    }

    fn __eq__(&self, other: &Bound<'_, Cluster>) -> PyResult<bool> {
        net(|| Ok(self.core.fingerprint() == other.get().core.fingerprint()))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        net(|| Ok(PyString::new(py, &self.core.fingerprint().to_string()).hash()?))
    }

    fn __repr__(&self) -> PyResult<String> {
        net(|| {
            let nodes = if self.names.len() == 1 { "1 node".to_owned() } else { format!("{} nodes", self.names.len()) };
            let seed = self.seed().map_or_else(|| "a secret".to_owned(), |seed| format!("seed {seed}"));
            let epoch = self.epoch().map_or_else(String::new, |epoch| format!(", epoch {epoch}"));
            Ok(format!(
                "<keystead.Cluster of {nodes}: {}, {}, {seed}{epoch}, {}>",
                self.algorithm(),
                self.hash(),
                self.core.fingerprint()
            ))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        net(|| {
            if self.core.has_secret() {
                let message =
                    "a cluster with a secret cannot be pickled: send its to_json() and hand the secret over apart";
                return Err(Fault::core(ErrorKind::Unsupported, message));
            }
            Ok((py.get_type::<Cluster>().getattr(intern!(py, "from_json"))?, (self.core.to_json(),)))
        })
    }

    fn __copy__(slf: Bound<'_, Cluster>) -> Bound<'_, Cluster> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Cluster>, _memo: Bound<'py, PyAny>) -> Bound<'py, Cluster> {
        slf
    }
}
