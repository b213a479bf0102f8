//! What a cluster is made of: the constructor's arguments, lists of nodes, and a file's bytes.

use keystead::{Change, ClusterBuilder, ErrorKind, Secrets};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString};

use crate::arguments::{Parameter, items, secret, text, text_option, texts, wrong_type};
use crate::cluster::Cluster;
use crate::fault::Fault;
use crate::node::Node;

/// As many as the core reads of each, so that an endless iterator ends in its error.
const MAX_NODES: usize = 1 << 20;
const MAX_LEVELS: usize = 8;

/// The nodes that a caller lists: ids and `Node`s.
pub(crate) fn read_nodes(nodes: &Bound<'_, PyAny>, what: &'static str) -> Result<Vec<keystead::Node>, Fault> {
    if nodes.is_instance_of::<PyDict>() || nodes.is_instance_of::<Cluster>() {
        // Either would iterate over its ids, and the weights beside them would be lost in silence.
        return Err(wrong_type(what, "an iterable of str and Node", nodes));
    }
    items(nodes, what, "str and Node", MAX_NODES)?.iter().map(|node| Node::read(node, "a node")).collect()
}

/// The constructor's arguments but the nodes, under the cluster file's names.
pub(crate) struct Parameters<'a, 'py> {
    pub(crate) algorithm: Option<&'a Bound<'py, PyAny>>,
    pub(crate) hash: Option<&'a Bound<'py, PyAny>>,
    pub(crate) seed: Option<&'a Bound<'py, PyAny>>,
    pub(crate) secret: Option<&'a Bound<'py, PyAny>>,
    pub(crate) epoch: Option<&'a Bound<'py, PyAny>>,
    pub(crate) levels: Option<&'a Bound<'py, PyAny>>,
    pub(crate) tokens_per_weight: Option<&'a Bound<'py, PyAny>>,
    pub(crate) space: Option<&'a Bound<'py, PyAny>>,
    pub(crate) slots: Option<&'a Bound<'py, PyAny>>,
    pub(crate) headroom: Option<&'a Bound<'py, PyAny>>,
}

impl Parameters<'_, '_> {
    /// A builder that has what is given and no nodes yet.
    pub(crate) fn builder(&self) -> Result<ClusterBuilder, Fault> {
        let mut builder = keystead::Cluster::builder();
        if let Some(algorithm) = text_option(self.algorithm, "algorithm")? {
            builder = builder.algorithm(algorithm);
        }
        if let Some(hash) = text_option(self.hash, "hash")? {
            builder = builder.hash(hash);
        }
        if let Some(seed) = Parameter::SEED.read_option(self.seed)? {
            builder = builder.seed(seed);
        }
        if let Some(secret) = secret(self.secret, "secret")? {
            builder = builder.secret(secret);
        }
        if let Some(epoch) = Parameter::EPOCH.read_option(self.epoch)? {
            builder = builder.epoch(epoch);
        }
        if let Some(levels) = self.levels {
            builder = builder.levels(texts(levels, "levels", MAX_LEVELS)?);
        }
        if let Some(tokens) = Parameter::TOKENS_PER_WEIGHT.read_option(self.tokens_per_weight)? {
            builder = builder.tokens_per_weight(tokens);
        }
        if let Some(space) = Parameter::SPACE.read_option(self.space)? {
            builder = builder.space(space);
        }
        if let Some(slots) = Parameter::SLOTS.read_option(self.slots)? {
            builder = builder.slots(slots);
        }
        if let Some(headroom) = Parameter::HEADROOM.read_option(self.headroom)? {
            builder = builder.headroom(headroom);
        }
        Ok(builder)
    }
}

/// The arguments of `change`.
pub(crate) fn read_change(
    add: Option<Bound<'_, PyAny>>,
    remove: Option<Bound<'_, PyAny>>,
    weight: Option<&Bound<'_, PyAny>>,
    drain: Option<Bound<'_, PyAny>>,
) -> Result<Change, Fault> {
    let mut change = Change::new();
    if let Some(add) = add {
        for node in read_nodes(&add, "add")? {
            change = change.add(node);
        }
    }
    if let Some(remove) = remove {
        for id in texts(&remove, "remove", MAX_NODES)? {
            change = change.remove(&id);
        }
    }
    if let Some(weight) = weight {
        let Ok(weights) = weight.cast::<PyMapping>() else {
            return Err(wrong_type("weight", "a mapping of ids to int", weight));
        };
        for pair in weights.items()?.iter() {
            let (id, weight): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            change = change.weight(text(&id, "an id in weight")?, Parameter::WEIGHT.read_u32(&weight)?);
        }
    }
    if let Some(drain) = drain {
        for id in texts(&drain, "drain", MAX_NODES)? {
            change = change.drain(&id);
        }
    }
    Ok(change)
}

/// The bytes of a file. Python opens it: the errors, the file name in them and the audit event are then what Python's users know.
pub(crate) fn read_file<'py>(path: &Bound<'py, PyAny>) -> Result<Bound<'py, PyBytes>, Fault> {
    let py = path.py();
    let path = py.import(intern!(py, "os"))?.call_method1(intern!(py, "fspath"), (path,))?;
    let file = py.import(intern!(py, "io"))?.call_method1(intern!(py, "open"), (path, "rb"))?;
    let read = file.call_method0(intern!(py, "read"));
    file.call_method0(intern!(py, "close"))?;
    Ok(read?.cast_into::<PyBytes>().map_err(PyErr::from)?)
}

/// The bytes of a file's text.
pub(crate) fn file_text<'a>(file: &'a Bound<'_, PyAny>) -> Result<&'a [u8], Fault> {
    match file.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes()),
        Err(_) if file.is_instance_of::<PyString>() => Ok(text(file, "text")?.as_bytes()),
        Err(_) => Err(wrong_type("text", "a str or bytes", file)),
    }
}

/// The secrets beside a file that can hold two clusters: one that serves each, or one for each.
pub(crate) fn read_secrets<'a>(
    one: Option<&'a Bound<'_, PyAny>>,
    before: Option<&'a Bound<'_, PyAny>>,
    after: Option<&'a Bound<'_, PyAny>>,
) -> Result<Secrets<'a>, Fault> {
    let one = secret(one, "secret")?;
    let (before, after) = (secret(before, "before_secret")?, secret(after, "after_secret")?);
    match (one, before, after) {
        (one, None, None) => Ok(Secrets::one_for_all(one)),
        (None, before, after) => Ok(Secrets::for_each(before, after)),
        _ => {
            let message = "secret serves both clusters: beside it neither before_secret nor after_secret is used";
            Err(Fault::core(ErrorKind::UnexpectedSecret, message))
        }
    }
}
