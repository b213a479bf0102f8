//! What needs no cluster.

use keystead::ErrorKind;
use napi::bindgen_prelude::{BigInt, Uint8Array};
use napi::{Env, Result};
use napi_derive::napi;

use crate::cluster::{count, read_hash, word};
use crate::fault::Fault;
use crate::keys::{encode, with_key};
use crate::value::Value;

/// The canonical encoding of a key.
#[napi(catch_unwind)]
pub fn encode_key(env: Env, #[napi(ts_arg_type = "unknown")] key: Value) -> Result<Uint8Array> {
    encode(key).map(|encoded| Uint8Array::new(encoded.into_bytes())).map_err(|fault| fault.throw(env))
}

/// The jump hash.
#[napi(catch_unwind)]
pub fn jump(env: Env, key: BigInt, n: i64) -> Result<u32> {
    let bucket = || Ok(keystead::jump(word("key", ErrorKind::InvalidParameter, &key)?, count("n", n)?)?);
    bucket().map_err(|fault: Fault| fault.throw(env))
}

/// The jump hash of a key's digest.
#[napi(catch_unwind)]
pub fn jump_bucket(
    env: Env,
    #[napi(ts_arg_type = "unknown")] key: Value,
    n: i64,
    hash: Option<String>,
    seed: Option<BigInt>,
    #[napi(ts_arg_type = "Uint8Array | null")] secret: Option<Value>,
) -> Result<u32> {
    let bucket = || {
        let hash = read_hash(hash.as_deref(), seed.as_ref(), secret)?;
        let n = count("n", n)?;
        Ok(with_key(key, |key| keystead::jump_bucket(key, n, &hash))??)
    };
    bucket().map_err(|fault: Fault| fault.throw(env))
}

/// A key's digest modulo n.
#[napi(catch_unwind)]
pub fn modulo(
    env: Env,
    #[napi(ts_arg_type = "unknown")] key: Value,
    n: i64,
    hash: Option<String>,
    seed: Option<BigInt>,
    #[napi(ts_arg_type = "Uint8Array | null")] secret: Option<Value>,
) -> Result<u32> {
    let bucket = || {
        let hash = read_hash(hash.as_deref(), seed.as_ref(), secret)?;
        let n = count("n", n)?;
        Ok(with_key(key, |key| keystead::modulo(key, n, &hash))??)
    };
    bucket().map_err(|fault: Fault| fault.throw(env))
}

/// The order of `rendezvous-1` over given scores, as positions.
#[napi(catch_unwind)]
pub fn rank_scores(env: Env, ids: Vec<String>, scores: Vec<BigInt>, weights: Vec<u32>) -> Result<Vec<u32>> {
    let ranked = || {
        let mut candidates = Vec::with_capacity(ids.len());
        for ((id, score), weight) in ids.iter().zip(&scores).zip(weights) {
            candidates.push((id.as_str(), word("score", ErrorKind::InvalidParameter, score)?, weight));
        }
        let positions = keystead::rank_scores(candidates)?;
        // An array of JavaScript has no more than 2^32 − 1 elements.
        Ok(positions.into_iter().filter_map(|position| u32::try_from(position).ok()).collect())
    };
    ranked().map_err(|fault: Fault| fault.throw(env))
}
