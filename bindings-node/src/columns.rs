//! Many keys in one call. `columns.js` cuts them into pieces, so that what is read here stays in the processor's caches.

use keystead::{Cluster, Constraints, KeyBytes, OwnerBatch};
use napi::bindgen_prelude::External;
use napi::{Env, Result};
use napi_derive::napi;

use crate::answers::hand_out;
use crate::batch::{Answered, Batch};
use crate::cluster::count;
use crate::fault::Fallible;
use crate::value::Value;

/// The owners of keys. `first` is the number of the first one, for messages.
#[napi(catch_unwind)]
pub fn owner_indices(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "unknown")] keys: Value,
    #[napi(ts_arg_type = "Uint32Array | Int32Array | null")] offsets: Option<Value>,
    first: f64,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    fill(env, out, |answers| {
        let mut owners = OwnerBatch::new(cluster);
        Batch { keys, offsets, first }.each(|_, key| {
            answers.extend_from_slice(owners.push(key));
            Ok(())
        })?;
        answers.extend_from_slice(owners.finish());
        Ok(())
    })
}

/// The slots of keys.
#[napi(catch_unwind)]
pub fn slot_indices(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "unknown")] keys: Value,
    #[napi(ts_arg_type = "Uint32Array | Int32Array | null")] offsets: Option<Value>,
    first: f64,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    answer(env, Batch { keys, offsets, first }, out, |key, answers| {
        answers.push(cluster.slot(key)?);
        Ok(())
    })
}

/// The replicas of keys, r for each.
#[napi(catch_unwind)]
pub fn replica_indices(
    env: Env,
    cluster: &External<Cluster>,
    r: i64,
    #[napi(ts_arg_type = "unknown")] keys: Value,
    #[napi(ts_arg_type = "Uint32Array | Int32Array | null")] offsets: Option<Value>,
    first: f64,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    let r = count("r", r).map_err(|fault| fault.throw(env))?;
    answer(env, Batch { keys, offsets, first }, out, |key, answers| {
        answers.extend(cluster.replica_indices_with(key, r, &Constraints::new())?);
        Ok(())
    })
}

/// What `answer` adds for each key.
fn answer(
    env: Env,
    batch: Batch,
    out: Value,
    mut answer: impl FnMut(KeyBytes<'_>, &mut Vec<u32>) -> Answered,
) -> Result<()> {
    fill(env, out, |answers| batch.each(|_, key| answer(key, answers)))
}

/// What is written meanwhile is no memory of JavaScript's: the caller's code may run while keys are read.
fn fill(env: Env, out: Value, add: impl FnOnce(&mut Vec<u32>) -> Fallible<()>) -> Result<()> {
    let mut answers = Vec::with_capacity(out.room());
    let filled = add(&mut answers).and_then(|()| hand_out(&answers, out));
    filled.map(|_| ()).map_err(|fault| fault.throw(env))
}
