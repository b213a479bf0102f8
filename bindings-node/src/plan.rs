//! A change in steps, each of which keeps a limit.

use std::cell::RefCell;

use keystead::{Description, ErrorKind, KeyBytes, Limits, Planner};
use napi::bindgen_prelude::{BigUint64Array, External};
use napi::{Env, Result};
use napi_derive::napi;

use crate::batch::{Answered, Batch};
use crate::fault::Fault;
use crate::value::Value;

/// A plan to which keys can be added, until it is made. It is borrowed only while none of the caller's code runs.
type Planning = RefCell<Option<Planner>>;

/// A plan before any key; `limit` as people write it; `sized` says that keys are given, be it none, and whether with sizes.
#[napi(catch_unwind)]
pub fn create_plan(
    env: Env,
    before: &External<Description>,
    after: &External<Description>,
    limit: String,
    sized: Option<bool>,
) -> Result<External<Planning>> {
    let made = || {
        let planner = Planner::new(before, after, limit.parse::<Limits>()?)?;
        Ok(RefCell::new(Some(match sized {
            Some(sized) => planner.with_keys(sized),
            None => planner,
        })))
    };
    made().map(External::new).map_err(|fault: Fault| fault.throw(env))
}

/// Adds keys, each with its size or with 0; `first` is the number of the first one, for messages.
#[napi(catch_unwind)]
pub fn plan_add(
    env: Env,
    plan: &External<Planning>,
    #[napi(ts_arg_type = "unknown")] keys: Value,
    #[napi(ts_arg_type = "Uint32Array | Int32Array | null")] offsets: Option<Value>,
    first: f64,
    sizes: Option<BigUint64Array>,
) -> Result<()> {
    let added = Batch { keys, offsets, first }.each(adding(plan, sizes));
    added.map_err(|fault| fault.throw(env))
}

fn adding(plan: &Planning, sizes: Option<BigUint64Array>) -> impl FnMut(usize, KeyBytes<'_>) -> Answered {
    let sizes = sizes.map(|sizes| sizes.to_vec()).unwrap_or_default();
    move |index, key| {
        let mut plan = plan.borrow_mut();
        let planner = plan.as_mut().ok_or_else(made_already)?;
        planner.add(key, sizes.get(index).copied().unwrap_or(0)).map(|_| ())
    }
}

/// The plan, as JSON.
#[napi(catch_unwind)]
pub fn plan_summary(env: Env, plan: &External<Planning>) -> Result<String> {
    let planner = plan.borrow_mut().take().ok_or_else(made_already);
    let json = planner.and_then(Planner::plan).map(|plan| plan.summary().to_json());
    json.map_err(|error| Fault::from(error).throw(env))
}

/// `plan.js` asks once, behind the last key.
fn made_already() -> keystead::Error {
    keystead::Error::new(ErrorKind::Unsupported, "the plan has been made already")
}
