//! The Python package `keystead`: the core behind Python's own types, and nothing that knows an algorithm.

mod answers;
mod arguments;
mod batch;
mod borrowed;
mod cluster;
mod columns;
mod difference;
mod fault;
mod functions;
mod indices;
mod keys;
mod live;
mod node;
mod parameters;
mod plan;
mod questions;
mod quick;
mod transition;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

static ARC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static MOVE: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// `Arc`: where a ring's keys belong.
pub(crate) fn arc_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let doc =
        "One arc of a ring: the coordinates above start up to and including end, their number, and their owner's id.";
    named_tuple(py, &ARC, "Arc", &["start", "end", "length", "owner"], doc)
}

/// `Move`: what becomes of a key.
pub(crate) fn move_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let doc = "What becomes of a key: the ids of its owners before and after, the source and the target of its data, and the reason.";
    named_tuple(py, &MOVE, "Move", &["key", "source", "target", "reason"], doc)
}

/// A named tuple unpacks, compares and pickles as Python's users expect.
fn named_tuple<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    name: &str,
    fields: &[&str],
    doc: &str,
) -> PyResult<&'py Bound<'py, PyType>> {
    let class = cell.get_or_try_init(py, || {
        let options = PyDict::new(py);
        options.set_item("module", "keystead")?;
        let class = py.import("collections")?.getattr("namedtuple")?.call((name, fields), Some(&options))?;
        class.setattr("__doc__", doc)?;
        Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
    })?;
    Ok(class.bind(py))
}

/// Which node owns this key, and who is next in line: the same answer in Rust, Python and Node.
// Nothing here is guarded by the GIL: classes are frozen, and caches are filled once under a lock of their own.
#[pymodule(name = "keystead", gil_used = false)]
fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<cluster::Cluster>()?;
    quick::install(&py.get_type::<cluster::Cluster>())?;
    module.add_class::<node::Node>()?;
    module.add_class::<transition::Transition>()?;
    module.add_class::<live::LiveCluster>()?;
    module.add("Arc", arc_class(py)?)?;
    module.add("Move", move_class(py)?)?;
    module.add("KeysteadError", fault::keystead_error(py)?)?;
    module.add("NoNodesError", fault::no_nodes_error(py)?)?;
    module.add_function(wrap_pyfunction!(functions::encode_key, module)?)?;
    module.add_function(wrap_pyfunction!(functions::jump, module)?)?;
    module.add_function(wrap_pyfunction!(functions::jump_bucket, module)?)?;
    module.add_function(wrap_pyfunction!(functions::modulo, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(functions::rank_scores, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // Set, not added: `add` would export the name.
    module.setattr("_panic", wrap_pyfunction!(functions::panic_on_request, module)?)
}
