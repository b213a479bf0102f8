//! What moves from one description to another.

use std::cell::RefCell;

use keystead::{Description, Diff, KeyBytes};
use napi::bindgen_prelude::{BigUint64Array, External};
use napi::{Env, Result};
use napi_derive::napi;

use crate::answers::{ConstraintsInput, constraints};
use crate::batch::{Answered, Batch};
use crate::cluster::count;
use crate::fault::Fault;
use crate::keys::with_key;
use crate::value::Value;

/// What becomes of one key.
#[napi(object, object_from_js = false)]
pub struct Moved {
    /// The id of the owner before.
    pub source: String,
    /// The id of the owner after.
    pub target: String,
    /// Why.
    pub reason: &'static str,
}

/// A difference to which keys can be added. It is borrowed only while none of the caller's code runs.
type Counting = RefCell<Diff>;

/// The difference of two descriptions, before any key; `counts` says that keys are given, be it none.
#[napi(catch_unwind)]
pub fn create_diff(
    env: Env,
    before: &External<Description>,
    after: &External<Description>,
    r: i64,
    asked: Option<ConstraintsInput>,
    counts: bool,
) -> Result<External<Counting>> {
    let made = || {
        let diff = Diff::new(before, after, count("r", r)?, &constraints(asked)?)?;
        Ok(RefCell::new(if counts { diff.with_keys() } else { diff }))
    };
    made().map(External::new).map_err(|fault: Fault| fault.throw(env))
}

/// Adds keys, each with its size or with 0; `first` is the number of the first one, for messages.
#[napi(catch_unwind)]
pub fn diff_add(
    env: Env,
    diff: &External<Counting>,
    #[napi(ts_arg_type = "unknown")] keys: Value,
    #[napi(ts_arg_type = "Uint32Array | Int32Array | null")] offsets: Option<Value>,
    first: f64,
    sizes: Option<BigUint64Array>,
) -> Result<()> {
    let added = Batch { keys, offsets, first }.each(adding(diff, sizes));
    added.map_err(|fault| fault.throw(env))
}

fn adding(diff: &Counting, sizes: Option<BigUint64Array>) -> impl FnMut(usize, KeyBytes<'_>) -> Answered {
    let sizes = sizes.map(|sizes| sizes.to_vec()).unwrap_or_default();
    move |index, key| diff.borrow_mut().add(key, sizes.get(index).copied().unwrap_or(0)).map(|_| ())
}

/// Adds one key and says what becomes of it.
#[napi(catch_unwind)]
pub fn diff_key(env: Env, diff: &External<Counting>, #[napi(ts_arg_type = "unknown")] key: Value) -> Result<Moved> {
    let moved = with_key(key, |key| {
        diff.borrow_mut().add(key, 0).map(|moved| Moved {
            source: moved.from.to_owned(),
            target: moved.to.to_owned(),
            reason: moved.reason.as_str(),
        })
    });
    moved.and_then(|moved| Ok(moved?)).map_err(|fault| fault.throw(env))
}

/// What is known of the difference, as JSON.
#[napi(catch_unwind)]
pub fn diff_summary(env: Env, diff: &External<Counting>) -> Result<String> {
    diff.borrow().summary().map(|summary| summary.to_json()).map_err(|error| Fault::from(error).throw(env))
}
