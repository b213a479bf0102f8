//! `plan`: a change in steps, each of which keeps a limit.

use keystead::{Limits, Planner};
use pyo3::prelude::*;

use crate::answers::structure;
use crate::arguments::text;
use crate::difference::each_with_size;
use crate::fault::net;
use crate::keys::Key;
use crate::transition::read_description;

/// A change in the smallest number of steps that keep a limit, as a dict that is the same in every language.
#[pyfunction]
#[pyo3(signature = (before, after, keys=None, sizes=None, *, limit))]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    before: &Bound<'py, PyAny>,
    after: &Bound<'py, PyAny>,
    keys: Option<&Bound<'py, PyAny>>,
    sizes: Option<&Bound<'py, PyAny>>,
    limit: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    net(|| {
        let (before, after) =
            (read_description(before, "before", "a plan")?, read_description(after, "after", "a plan")?);
        let limits: Limits = text(limit, "limit")?.parse()?;
        let mut planner = py.detach(|| Planner::new(&before, &after, limits))?;
        if keys.is_some() {
            planner = planner.with_keys(sizes.is_some());
        }
        each_with_size(keys, sizes, |key, size| {
            planner.add(Key::read(key)?.bytes(), size)?;
            Ok(())
        })?;
        let json = py.detach(|| Ok::<_, keystead::Error>(planner.plan()?.summary().to_json()))?;
        structure(py, &json)
    })
}
