//! The Python package `keystead`: the core behind Python's own types, and nothing that knows an algorithm.

mod answers;
mod arguments;
mod batch;
mod cluster;
mod fault;
mod functions;
mod indices;
mod keys;
mod node;
mod parameters;
mod questions;
mod transition;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

static ARC: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// `Arc`: a named tuple, so that it unpacks, compares and pickles as Python's users expect.
pub(crate) fn arc_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let class = ARC.get_or_try_init(py, || {
        let options = PyDict::new(py);
        options.set_item("module", "keystead")?;
        let class = py.import("collections")?.getattr("namedtuple")?.call(("Arc", ("start", "end", "length", "owner")), Some(&options))?;
        class.setattr("__doc__", "One arc of a ring: the coordinates above start up to and including end, their number, and their owner's id.")?;
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
    module.add_class::<node::Node>()?;
    module.add_class::<transition::Transition>()?;
    module.add("Arc", arc_class(py)?)?;
    module.add("KeysteadError", fault::keystead_error(py)?)?;
    module.add("NoNodesError", fault::no_nodes_error(py)?)?;
    module.add_function(wrap_pyfunction!(functions::encode_key, module)?)?;
    module.add_function(wrap_pyfunction!(functions::jump, module)?)?;
    module.add_function(wrap_pyfunction!(functions::jump_bucket, module)?)?;
    module.add_function(wrap_pyfunction!(functions::modulo, module)?)?;
    module.add_function(wrap_pyfunction!(functions::rank_scores, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // Set, not added: `add` would export the name.
    module.setattr("_panic", wrap_pyfunction!(functions::panic_on_request, module)?)
}
