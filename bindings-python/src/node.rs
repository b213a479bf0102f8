//! `Node`: one member of a cluster, as a frozen Python object over the core's.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyMappingProxy, PyString, PyTuple};

use crate::arguments::{Given, Parameter, items, text, text_option, texts, wrong_type};
use crate::fault::{Fault, net};

/// As many as the core reads of each, so that an endless iterator ends in its error.
const MAX_LOCATION: usize = 8;
const MAX_TOKENS: usize = 1 << 26;

/// One node: an id and, if it needs them, a weight, a location, explicit ring tokens, an address, meta and a comment.
///
/// Only id, weight, location and tokens shape answers; address, meta and comment are carried and given back.
#[pyclass(frozen, module = "keystead", name = "Node", weakref)]
pub(crate) struct Node {
    core: keystead::Node,
}

impl Node {
    pub(crate) fn new(core: keystead::Node) -> Node {
        Node { core }
    }

    /// A node from what a caller may write for one: an id, or a `Node`.
    pub(crate) fn read(value: &Bound<'_, PyAny>, what: &str) -> Result<keystead::Node, Fault> {
        if let Ok(node) = value.cast::<Node>() {
            return Ok(node.get().core.clone());
        }
        if value.is_instance_of::<PyString>() {
            return Ok(keystead::Node::new(text(value, "id")?)?);
        }
        Err(wrong_type(what, "a str or a Node", value))
    }

    /// What `Node(...)` takes to make this node again.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let meta = if self.core.get_meta().len() == 0 { None } else { Some(self.meta_dict(py)?) };
        (
            self.core.id(),
            self.core.get_weight(),
            self.location(py)?,
            self.tokens(py)?,
            self.address(),
            meta,
            self.comment(),
        )
            .into_pyobject(py)
    }

    fn meta_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let meta = PyDict::new(py);
        for (name, value) in self.core.get_meta() {
            meta.set_item(name, value)?;
        }
        Ok(meta)
    }
}

#[pymethods]
impl Node {
    #[new]
    #[pyo3(signature = (id, weight=Given::NOTHING, location=Given::NOTHING, tokens=None, address=None, meta=None, comment=None),
           text_signature = "(id, weight=1, location=(), tokens=None, address=None, meta=None, comment=None)")]
    fn build(
        id: &Bound<'_, PyAny>,
        weight: Given<'_>,
        location: Given<'_>,
        tokens: Option<&Bound<'_, PyAny>>,
        address: Option<&Bound<'_, PyAny>>,
        meta: Option<&Bound<'_, PyAny>>,
        comment: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Node> {
        net(|| {
            let mut node = keystead::Node::new(text(id, "id")?)?;
            if let Some(weight) = weight.0 {
                node = node.weight(Parameter::WEIGHT.read_u32(&weight)?);
            }
            if let Some(location) = location.0 {
                node = node.location(texts(&location, "location", MAX_LOCATION)?)?;
            }
            if let Some(tokens) = tokens {
                let tokens = items(tokens, "tokens", "int", MAX_TOKENS)?;
                node = node.tokens(
                    tokens.iter().map(|token| Parameter::TOKEN.read(token)).collect::<Result<Vec<u64>, _>>()?,
                )?;
            }
            if let Some(address) = text_option(address, "address")? {
                node = node.address(address);
            }
            if let Some(meta) = meta {
                let Ok(mapping) = meta.cast::<PyMapping>() else {
                    return Err(wrong_type("meta", "a mapping of str to str", meta));
                };
                for pair in mapping.items()?.iter() {
                    let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                    node = node.meta(text(&name, "a name in meta")?, text(&value, "a value in meta")?);
                }
            }
            if let Some(comment) = text_option(comment, "comment")? {
                node = node.comment(comment);
            }
            Ok(Node::new(node))
        })
    }

    /// The identity: renaming a machine is removing one node and adding another.
    #[getter]
    fn id(&self) -> &str {
        self.core.id()
    }

    /// Capacity relative to the other weights, 0 to 2**32 - 1; 0 is drained.
    #[getter]
    fn weight(&self) -> u32 {
        self.core.get_weight()
    }

    /// The path of failure domains, widest first.
    #[getter]
    fn location<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.get_location().iter().map(|text| &**text))
    }

    /// Explicit ring tokens, ascending, or None.
    #[getter]
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.core.get_tokens().map(|tokens| PyTuple::new(py, tokens)).transpose()
    }

    /// Where to reach the node, carried and given back, or None.
    #[getter]
    fn address(&self) -> Option<&str> {
        self.core.get_address()
    }

    /// Names and values, carried and given back; read-only, ascending by name.
    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMappingProxy>> {
        Ok(PyMappingProxy::new(py, self.meta_dict(py)?.as_mapping()))
    }

    /// Free text, carried and given back, or None.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.core.get_comment()
    }

    fn __eq__(&self, other: &Bound<'_, Node>) -> bool {
        self.core == other.get().core
    }

    fn __hash__(&self) -> u64 {
        // Within one process only, as any hash() of Python's; no answer of a cluster comes from it.
        let mut hasher = DefaultHasher::new();
        self.core.id().hash(&mut hasher);
        self.core.get_weight().hash(&mut hasher);
        self.core.get_location().hash(&mut hasher);
        self.core.get_tokens().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        net(|| {
            let quoted = |text: &str| PyString::new(py, text).repr();
            let mut parts = vec![quoted(self.core.id())?.to_string()];
            if self.core.get_weight() != 1 {
                parts.push(format!("weight={}", self.core.get_weight()));
            }
            if !self.core.get_location().is_empty() {
                parts.push(format!("location={}", self.location(py)?.repr()?));
            }
            if let Some(tokens) = self.tokens(py)? {
                parts.push(format!("tokens={}", tokens.repr()?));
            }
            if let Some(address) = self.address() {
                parts.push(format!("address={}", quoted(address)?));
            }
            if self.core.get_meta().len() != 0 {
                parts.push(format!("meta={}", self.meta_dict(py)?.repr()?));
            }
            if let Some(comment) = self.comment() {
                parts.push(format!("comment={}", quoted(comment)?));
            }
            Ok(format!("Node({})", parts.join(", ")))
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Node>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        net(|| Ok((slf.get_type().into_any(), slf.get().parts(slf.py())?)))
    }

    fn __copy__(slf: Bound<'_, Node>) -> Bound<'_, Node> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Node>, _memo: Bound<'py, PyAny>) -> Bound<'py, Node> {
        slf
    }
}
