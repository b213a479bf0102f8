//! What a question carries beside its key: whom to leave out, over what to spread, how many to give.

use keystead::{Constraints, Spread};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{Parameter, text, texts};
use crate::fault::Fault;

pub(crate) fn excluding(exclude: Option<&Bound<'_, PyAny>>) -> Result<Constraints, Fault> {
    match exclude {
        None => Ok(Constraints::new()),
        Some(exclude) => Ok(Constraints::new().exclude(texts(exclude, "exclude", usize::MAX)?)),
    }
}

pub(crate) fn constraints(
    spread: Option<&Bound<'_, PyAny>>,
    relaxed: bool,
    exclude: Option<&Bound<'_, PyAny>>,
) -> Result<Constraints, Fault> {
    let constraints = excluding(exclude)?.relaxed(relaxed);
    match spread {
        None => Ok(constraints),
        Some(spread) if spread.is_instance_of::<PyString>() => {
            Ok(constraints.spread(Spread::from(text(spread, "spread")?)))
        }
        Some(spread) => Ok(constraints.spread(Spread::from(Parameter::SPREAD.read(spread)?))),
    }
}

/// None is no limit; more than there are nodes is all of them.
pub(crate) fn read_limit(limit: Option<&Bound<'_, PyAny>>) -> Result<usize, Fault> {
    let limit = limit.map(|limit| Parameter::LIMIT.read_count(limit)).transpose()?;
    Ok(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)))
}
