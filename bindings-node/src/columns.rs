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
    let offsets = offsets.u32s().unwrap_or_default();
    let answers = bytes.with_bytes(|bytes| {
        let mut answers = Vec::with_capacity(offsets.len());
        for (index, border) in offsets.windows(2).enumerate() {
            let (start, end) = (border[0], border[1]);
            let key =
                bytes.get(start as usize..end as usize).ok_or_else(|| out_of_bounds(index, start, end, bytes.len()))?;
            answer(KeyBytes::plain(key), &mut answers)?;
        }
        Ok(answers)
    });
    answers.unwrap_or_else(|_| {
        Err(Fault::core(ErrorKind::InvalidKey, "the bytes of the keys are detached: they have been transferred away"))
    })
}

fn listed(keys: Value, first: u32, mut answer: impl FnMut(KeyBytes<'_>, &mut Vec<u32>) -> Answered) -> Answers {
    let length = keys.length();
    let mut answers = Vec::with_capacity(length as usize);
    for index in 0..length {
        let answered = with_key(keys.element(index)?, |key| answer(key, &mut answers));
        answered.map_err(|fault| fault.at(&format!("keys[{}]", u64::from(first) + u64::from(index))))??;
    }
    Ok(answers)
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
