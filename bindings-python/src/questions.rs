//! What a question carries beside its key: whom to leave out, over what to spread, how many to give.

use keystead::{Constraints, Spread};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::arguments::{Count, Given, Parameter, has_index, text, texts, wrong_type};
use crate::fault::Fault;

pub(crate) fn excluding(exclude: Option<&Bound<'_, PyAny>>) -> Result<Constraints, Fault> {
    match exclude {
        None => Ok(Constraints::new()),
        Some(exclude) => Ok(Constraints::new().exclude(texts(exclude, "exclude", usize::MAX)?)),
    }
}

pub(crate) fn read_r(r: &Given<'_>) -> Result<Count, Fault> {
    r.0.as_ref().map_or(Ok(Count::ONE), |r| Count::read(r, "r"))
}

/// What belongs to a question for `r` nodes. Where that is none, nothing is spread: only the type of `spread` is judged, as in every language.
pub(crate) fn constraints(
    r: &Count,
    spread: Option<&Bound<'_, PyAny>>,
    relaxed: &Given<'_>,
    exclude: Option<&Bound<'_, PyAny>>,
) -> Result<Constraints, Fault> {
    let constraints = excluding(exclude)?.relaxed(relaxed.switch("relaxed")?);
    match spread {
        None => Ok(constraints),
        Some(spread) if r.value == 0 => {
            check_spread(spread)?;
            Ok(constraints)
        }
        Some(spread) if spread.is_instance_of::<PyString>() => {
            Ok(constraints.spread(Spread::from(text(spread, "spread")?)))
        }
        Some(spread) => {
            check_spread(spread)?;
            Ok(constraints.spread(Spread::from(Parameter::SPREAD.read(spread)?)))
        }
    }
}

/// Judges the type alone: a level's number or its name.
fn check_spread(spread: &Bound<'_, PyAny>) -> Result<(), Fault> {
    let known = spread.is_instance_of::<PyString>() || (has_index(spread) && !spread.is_instance_of::<PyBool>());
    if known { Ok(()) } else { Err(wrong_type("spread", "an int or a str", spread)) }
}

/// None is no limit; more than there are nodes is all of them.
pub(crate) fn read_limit(limit: Option<&Bound<'_, PyAny>>) -> Result<usize, Fault> {
    let limit = limit.map(|limit| Count::read(limit, "limit")).transpose()?;
    Ok(limit.map_or(usize::MAX, |limit| usize::try_from(limit.value).unwrap_or(usize::MAX)))
}
