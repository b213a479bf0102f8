//! Transitions.
//!
//! Their answers are indices into the ids of `before` and, behind them, those of `after`: so one call says which node it is, and of which
//! cluster. Where `before` is a function of the caller's, the transition here goes from `after` to `after`, and only its gate and its
//! epoch are looked at.

use keystead::{Cluster, Constraints, KeyBytes, Secrets, Transition};
use napi::bindgen_prelude::{External, Function};
use napi::{Env, Result};
use napi_derive::napi;

use crate::answers::{ConstraintsInput, constraints, hand_out};
use crate::cluster::{count, handle, with_file, with_secret};
use crate::fault::{Fallible, Fault};
use crate::keys::with_key;
use crate::value::Value;

/// What a transition says of itself beside its two sides.
#[napi(object, object_from_js = false)]
pub struct TransitionProperties {
    /// How many parts have passed.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// The number of the step.
    pub epoch: Option<i64>,
    /// Carried.
    pub comment: Option<String>,
    /// In hex.
    pub fingerprint: String,
}

/// A new transition.
#[napi(catch_unwind)]
pub fn create_transition(
    env: Env,
    before: &External<Cluster>,
    after: &External<Cluster>,
    part: i64,
    of: i64,
    epoch: Option<i64>,
) -> Result<External<Transition>> {
    let made = || {
        let epoch = epoch.map(|epoch| count("epoch", epoch)).transpose()?;
        Ok(Transition::new(before, after, count("part", part)?, count("of", of)?)?.with_epoch(epoch)?)
    };
    made().map(External::new).map_err(|fault: Fault| fault.throw(env))
}

/// Reads a transition file; `secret` serves both clusters, the others one each.
#[napi(catch_unwind)]
pub fn transition_from_json(
    env: Env,
    #[napi(ts_arg_type = "Uint8Array")] text: Value,
    #[napi(ts_arg_type = "Uint8Array | null")] secret: Option<Value>,
    #[napi(ts_arg_type = "Uint8Array | null")] before_secret: Option<Value>,
    #[napi(ts_arg_type = "Uint8Array | null")] after_secret: Option<Value>,
) -> Result<External<Transition>> {
    let read = with_secrets(secret, before_secret, after_secret, |secrets| {
        with_file(text, |text| Ok(Transition::from_json(text, secrets)?))
    });
    read.and_then(|read| read).map(External::new).map_err(|fault| fault.throw(env))
}

/// The text of a transition file.
#[napi(catch_unwind)]
pub fn transition_to_json(transition: &External<Transition>) -> String {
    transition.to_json()
}

/// The cluster that is left.
#[napi(catch_unwind)]
pub fn transition_before(transition: &External<Transition>) -> External<Cluster> {
    handle(transition.before().clone())
}

/// The cluster that is entered.
#[napi(catch_unwind)]
pub fn transition_after(transition: &External<Transition>) -> External<Cluster> {
    handle(transition.after().clone())
}

/// What the transition says of itself.
#[napi(catch_unwind)]
pub fn transition_properties(transition: &External<Transition>) -> TransitionProperties {
    TransitionProperties {
        part: transition.gate().part(),
        of: transition.gate().of(),
        epoch: transition.epoch().and_then(|epoch| i64::try_from(epoch).ok()),
        comment: transition.comment().map(Into::into),
        fingerprint: transition.fingerprint().to_string(),
    }
}

/// The same transition further on, or back.
#[napi(catch_unwind)]
pub fn transition_at(env: Env, transition: &External<Transition>, part: i64, of: i64) -> Result<External<Transition>> {
    let moved = || Ok(transition.at(count("part", part)?, count("of", of)?)?);
    moved().map(External::new).map_err(|fault: Fault| fault.throw(env))
}

/// The same step under another epoch, or none.
#[napi(catch_unwind)]
pub fn transition_with_epoch(
    env: Env,
    transition: &External<Transition>,
    epoch: Option<i64>,
) -> Result<External<Transition>> {
    let numbered = || Ok(transition.with_epoch(epoch.map(|epoch| count("epoch", epoch)).transpose()?)?);
    numbered().map(External::new).map_err(|fault: Fault| fault.throw(env))
}

/// The hot path, as a cluster's: a function that knows its transition, takes a key and gives the owner's index.
#[napi(catch_unwind, ts_return_type = "(key: unknown) => number")]
pub fn bind_transition_owner<'env>(
    env: &'env Env,
    transition: &External<Transition>,
) -> Result<Function<'env, (), u32>> {
    let transition = Transition::clone(transition);
    env.create_function_from_closure("owner", move |context| {
        let key: Value = context.get(0)?;
        let owner = with_key(key, |key| {
            let side = Side::answering(&transition, key);
            side.index(side.cluster.owner_index(key))
        });
        owner.map_err(|fault| fault.throw(*context.env))
    })
}

/// Whether a key is passed.
#[napi(catch_unwind)]
pub fn transition_passes(
    env: Env,
    transition: &External<Transition>,
    #[napi(ts_arg_type = "unknown")] key: Value,
) -> Result<bool> {
    with_key(key, |key| transition.passes(key)).map_err(|fault| fault.throw(env))
}

/// Whether a key is passed where `before` is a function, which has no slots: the key's own bytes decide, whatever `after` is.
#[napi(catch_unwind)]
pub fn gate_passes(
    env: Env,
    transition: &External<Transition>,
    #[napi(ts_arg_type = "unknown")] key: Value,
) -> Result<bool> {
    with_key(key, |key| transition.gate().passes(key)).map_err(|fault| fault.throw(env))
}

/// The owner's id and, where it differs, the one in the other cluster.
#[napi(catch_unwind)]
pub fn transition_candidates(
    env: Env,
    transition: &External<Transition>,
    #[napi(ts_arg_type = "unknown")] key: Value,
) -> Result<Vec<String>> {
    let ids = with_key(key, |key| transition.candidates(key).iter().map(|node| node.id().to_owned()).collect());
    ids.map_err(|fault| fault.throw(env))
}

/// The owner when some nodes are excluded.
#[napi(catch_unwind)]
pub fn transition_owner_without(
    env: Env,
    transition: &External<Transition>,
    #[napi(ts_arg_type = "unknown")] key: Value,
    exclude: Vec<String>,
) -> Result<u32> {
    let constraints = Constraints::new().exclude(exclude);
    let owner = with_key(key, |key| {
        let side = Side::answering(transition, key);
        side.cluster.owner_index_with(key, &constraints).map(|index| side.index(index))
    });
    owner.and_then(|owner| Ok(owner?)).map_err(|fault| fault.throw(env))
}

/// The ranking, written into `out` as far as it has room; gives how many there are.
#[napi(catch_unwind)]
pub fn transition_ranking(
    env: Env,
    transition: &External<Transition>,
    #[napi(ts_arg_type = "unknown")] key: Value,
    limit: i64,
    exclude: Option<Vec<String>>,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<u32> {
    let constraints = Constraints::new().exclude(exclude.into_iter().flatten());
    let ranked = || {
        let limit = usize::try_from(count("limit", limit)?).unwrap_or(usize::MAX);
        let indices = with_key(key, |key| {
            // None are asked for: nothing that is left out can be missing.
            if limit == 0 {
                return Ok(Vec::new());
            }
            let side = Side::answering(transition, key);
            let ranking = side.cluster.ranking_with(key, &constraints)?;
            Ok::<_, keystead::Error>(ranking.indices().take(limit).map(|index| side.index(index)).collect())
        })??;
        hand_out(&indices, out)
    };
    ranked().map_err(|fault: Fault| fault.throw(env))
}

/// The first r of the ranking under constraints, written into `out`; gives how many there are.
#[napi(catch_unwind)]
pub fn transition_replicas(
    env: Env,
    transition: &External<Transition>,
    #[napi(ts_arg_type = "unknown")] key: Value,
    r: i64,
    asked: Option<ConstraintsInput>,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<u32> {
    let picked = || {
        let r = count("r", r)?;
        let constraints = constraints(asked)?;
        // The key comes first: by it a cluster is picked, and by that the rest is judged.
        let indices = with_key(key, |key| {
            let side = Side::answering(transition, key);
            let indices = side.cluster.replica_indices_with(key, r, &constraints)?;
            Ok::<Vec<u32>, keystead::Error>(indices.into_iter().map(|index| side.index(index)).collect())
        })??;
        hand_out(&indices, out)
    };
    picked().map_err(|fault: Fault| fault.throw(env))
}

/// Why a key goes where it goes, as JSON.
#[napi(catch_unwind)]
pub fn transition_explain(
    env: Env,
    transition: &External<Transition>,
    #[napi(ts_arg_type = "unknown")] key: Value,
    r: i64,
    asked: Option<ConstraintsInput>,
) -> Result<String> {
    let explained = || {
        let r = count("r", r)?;
        let constraints = constraints(asked)?;
        Ok(with_key(key, |key| transition.explain(key, r, &constraints))??.to_json())
    };
    explained().map_err(|fault: Fault| fault.throw(env))
}

/// The cluster that answers for a key.
struct Side<'a> {
    cluster: &'a Cluster,
    /// How many ids stand before its own.
    first: u32,
}

impl<'a> Side<'a> {
    #[inline]
    fn answering(transition: &'a Transition, key: KeyBytes<'_>) -> Side<'a> {
        if transition.passes(key) {
            // A cluster has 2^20 nodes at most.
            let first = u32::try_from(transition.before().len()).unwrap_or(u32::MAX);
            Side { cluster: transition.after(), first }
        } else {
            Side { cluster: transition.before(), first: 0 }
        }
    }

    fn index(&self, index: u32) -> u32 {
        self.first + index
    }
}

pub(crate) fn with_secrets<R>(
    secret: Option<Value>,
    before: Option<Value>,
    after: Option<Value>,
    body: impl FnOnce(Secrets<'_>) -> R,
) -> Fallible<R> {
    if before.is_none() && after.is_none() {
        return with_secret(secret, |secret| body(Secrets::one_for_all(secret)));
    }
    with_secret(before, |before| with_secret(after, |after| body(Secrets::for_each(before, after))))?
}
