//! Many keys in one call. `index.js` cuts them into pieces, so that what is read here stays in the processor's caches.

use keystead::{Cluster, Constraints, ErrorKind, KeyBytes};
use napi::bindgen_prelude::External;
use napi::{Env, Result};
use napi_derive::napi;

use crate::answers::hand_out;
use crate::cluster::count;
use crate::fault::{Fallible, Fault};
use crate::keys::with_key;
use crate::value::Value;

type Answers = Fallible<Vec<u32>>;
type Answered = std::result::Result<(), keystead::Error>;

/// The owners of keys that stand one behind the other in `bytes`, key i from `offsets[i]` to `offsets[i + 1]`.
#[napi(catch_unwind)]
pub fn owners_packed(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "Uint8Array")] bytes: Value,
    #[napi(ts_arg_type = "Uint32Array")] offsets: Value,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    let answers = packed(bytes, offsets, |key, answers| {
        answers.push(cluster.owner_index(key));
        Ok(())
    });
    give(env, answers, out)
}

/// The slots of packed keys.
#[napi(catch_unwind)]
pub fn slots_packed(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "Uint8Array")] bytes: Value,
    #[napi(ts_arg_type = "Uint32Array")] offsets: Value,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    let answers = packed(bytes, offsets, |key, answers| {
        answers.push(cluster.slot(key)?);
        Ok(())
    });
    give(env, answers, out)
}

/// The replicas of packed keys, r for each.
#[napi(catch_unwind)]
pub fn replicas_packed(
    env: Env,
    cluster: &External<Cluster>,
    r: i64,
    #[napi(ts_arg_type = "Uint8Array")] bytes: Value,
    #[napi(ts_arg_type = "Uint32Array")] offsets: Value,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    let answers = count("r", r).and_then(|r| {
        packed(bytes, offsets, |key, answers| {
            answers.extend(cluster.replica_indices_with(key, r, &Constraints::new())?);
            Ok(())
        })
    });
    give(env, answers, out)
}

/// The owners of keys in an array; `first` is the number of its first key, for messages.
#[napi(catch_unwind)]
pub fn owners_listed(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "unknown[]")] keys: Value,
    first: u32,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    let answers = listed(keys, first, |key, answers| {
        answers.push(cluster.owner_index(key));
        Ok(())
    });
    give(env, answers, out)
}

/// The slots of keys in an array.
#[napi(catch_unwind)]
pub fn slots_listed(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "unknown[]")] keys: Value,
    first: u32,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    let answers = listed(keys, first, |key, answers| {
        answers.push(cluster.slot(key)?);
        Ok(())
    });
    give(env, answers, out)
}

/// The replicas of keys in an array, r for each.
#[napi(catch_unwind)]
pub fn replicas_listed(
    env: Env,
    cluster: &External<Cluster>,
    r: i64,
    #[napi(ts_arg_type = "unknown[]")] keys: Value,
    first: u32,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<()> {
    let answers = count("r", r).and_then(|r| {
        listed(keys, first, |key, answers| {
            answers.extend(cluster.replica_indices_with(key, r, &Constraints::new())?);
            Ok(())
        })
    });
    give(env, answers, out)
}

fn packed(bytes: Value, offsets: Value, mut answer: impl FnMut(KeyBytes<'_>, &mut Vec<u32>) -> Answered) -> Answers {
    let mut answers = Vec::new();
    each_packed(bytes, offsets, |_, key| answer(key, &mut answers))?;
    Ok(answers)
}

fn listed(keys: Value, first: u32, mut answer: impl FnMut(KeyBytes<'_>, &mut Vec<u32>) -> Answered) -> Answers {
    let mut answers = Vec::with_capacity(keys.length() as usize);
    each_listed(keys, first.into(), |_, key| answer(key, &mut answers))?;
    Ok(answers)
}

/// Calls `take` with each packed key and its place among them.
pub(crate) fn each_packed(
    bytes: Value,
    offsets: Value,
    mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered,
) -> Fallible<()> {
    let offsets = offsets.u32s().unwrap_or_default();
    let taken = bytes.with_bytes(|bytes| {
        for (index, border) in offsets.windows(2).enumerate() {
            let (start, end) = (border[0], border[1]);
            let key =
                bytes.get(start as usize..end as usize).ok_or_else(|| out_of_bounds(index, start, end, bytes.len()))?;
            take(index, KeyBytes::plain(key))?;
        }
        Ok(())
    });
    taken.unwrap_or_else(|_| {
        Err(Fault::core(ErrorKind::InvalidKey, "the bytes of the keys are detached: they have been transferred away"))
    })
}

/// Calls `take` with each key of an array and its place in it; `first` is the number of the first, for messages.
pub(crate) fn each_listed(
    keys: Value,
    first: f64,
    mut take: impl FnMut(usize, KeyBytes<'_>) -> Answered,
) -> Fallible<()> {
    for index in 0..keys.length() {
        let taken = with_key(keys.element(index)?, |key| take(index as usize, key));
        taken.map_err(|fault| fault.at(&format!("keys[{}]", first + f64::from(index))))??;
    }
    Ok(())
}

fn give(env: Env, answers: Answers, out: Value) -> Result<()> {
    answers.and_then(|answers| hand_out(&answers, out)).map(|_| ()).map_err(|fault| fault.throw(env))
}

#[cold]
fn out_of_bounds(index: usize, start: u32, end: u32, length: usize) -> Fault {
    let message = format!(
        "key {index} from offset {start} to {end} is out of bounds: offsets must not fall, nor pass the {length} bytes"
    );
    Fault::core(ErrorKind::InvalidParameter, message)
}
