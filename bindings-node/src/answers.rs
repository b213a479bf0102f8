//! The answers of a cluster, as node indices: `index.js` holds each id once and hands it out by reference.

use keystead::{Cluster, Constraints, ErrorKind, Spread};
use napi::bindgen_prelude::{BigInt, BigUint64Array, Either, External, Function, Uint32Array};
use napi::{Env, Result};
use napi_derive::napi;

use crate::cluster::{count, word};
use crate::fault::{Fallible, Fault};
use crate::keys::with_key;
use crate::value::Value;

/// A level to spread over: its number or its name.
#[napi]
pub type SpreadInput = Either<i64, String>;

/// What a choice of nodes must respect.
#[napi(object, object_to_js = false)]
pub struct ConstraintsInput {
    /// Ids to leave out.
    pub exclude: Option<Vec<String>>,
    /// The level whose domains copies must not share.
    pub spread: Option<SpreadInput>,
    /// Whether a domain may take a second copy once all have one.
    pub relaxed: bool,
}

/// The arcs of a ring, one column for each of their parts.
#[napi(object, object_from_js = false)]
pub struct Arcs {
    /// The coordinates before the arcs.
    pub starts: BigUint64Array,
    /// The last coordinates.
    pub ends: BigUint64Array,
    /// The lengths, modulo 2^64: 0 is 2^64.
    pub lengths: BigUint64Array,
    /// The owners' indices.
    pub owners: Uint32Array,
}

/// The hot path: a function that knows its cluster, takes a key and gives the owner's index. A class method, or a function that takes
/// the cluster as an argument, costs two to five times as much.
#[napi(catch_unwind, ts_return_type = "(key: unknown) => number")]
pub fn bind_owner<'env>(env: &'env Env, cluster: &External<Cluster>) -> Result<Function<'env, (), u32>> {
    let cluster = Cluster::clone(cluster);
    env.create_function_from_closure("owner", move |context| {
        let key: Value = context.get(0)?;
        with_key(key, |key| cluster.owner_index(key)).map_err(|fault| fault.throw(*context.env))
    })
}

/// The owner when some nodes are excluded.
#[napi(catch_unwind)]
pub fn owner_without(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "unknown")] key: Value,
    exclude: Vec<String>,
) -> Result<u32> {
    let constraints = Constraints::new().exclude(exclude);
    let owner = with_key(key, |key| cluster.owner_index_with(key, &constraints));
    owner.and_then(|owner| Ok(owner?)).map_err(|fault| fault.throw(env))
}

/// The ranking, written into `out` as far as it has room; gives how many there are.
#[napi(catch_unwind)]
pub fn ranking(
    env: Env,
    cluster: &External<Cluster>,
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
            cluster.ranking_with(key, &constraints).map(|ranking| ranking.indices().take(limit).collect::<Vec<_>>())
        })??;
        hand_out(&indices, out)
    };
    ranked().map_err(|fault: Fault| fault.throw(env))
}

/// The first r of the ranking under constraints, written into `out`; gives how many there are.
#[napi(catch_unwind)]
pub fn replicas(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "unknown")] key: Value,
    r: i64,
    asked: Option<ConstraintsInput>,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<u32> {
    let picked = || {
        let r = count("r", r)?;
        let constraints = constraints(asked)?;
        cluster.check_replicas(r, &constraints)?;
        let indices = with_key(key, |key| cluster.replica_indices_with(key, r, &constraints))??;
        hand_out(&indices, out)
    };
    picked().map_err(|fault: Fault| fault.throw(env))
}

/// The checks of `replicas` that come before the keys.
#[napi(catch_unwind)]
pub fn check_replicas(env: Env, cluster: &External<Cluster>, r: i64) -> Result<()> {
    let checked = || Ok(cluster.check_replicas(count("r", r)?, &Constraints::new())?);
    checked().map_err(|fault: Fault| fault.throw(env))
}

/// Why a key goes where it goes, as JSON.
#[napi(catch_unwind)]
pub fn explain(
    env: Env,
    cluster: &External<Cluster>,
    #[napi(ts_arg_type = "unknown")] key: Value,
    r: i64,
    asked: Option<ConstraintsInput>,
) -> Result<String> {
    let explained = || {
        let r = count("r", r)?;
        let constraints = constraints(asked)?;
        cluster.check_replicas(r, &constraints)?;
        Ok(with_key(key, |key| cluster.explain(key, r, &constraints))??.to_json())
    };
    explained().map_err(|fault: Fault| fault.throw(env))
}

/// The owner of a coordinate of a ring, or of a number in place of the key's digest.
#[napi(catch_unwind)]
pub fn owner_at(env: Env, cluster: &External<Cluster>, at: BigInt) -> Result<u32> {
    let owner = || Ok(cluster.owner_index_at(word("coordinate", ErrorKind::InvalidParameter, &at)?)?);
    owner().map_err(|fault: Fault| fault.throw(env))
}

/// The arcs of a ring.
#[napi(catch_unwind)]
pub fn arcs(env: Env, cluster: &External<Cluster>) -> Result<Arcs> {
    let arcs = cluster.arcs().map_err(|error| Fault::from(error).throw(env))?;
    Ok(Arcs {
        starts: BigUint64Array::new(arcs.iter().map(|arc| arc.start).collect()),
        ends: BigUint64Array::new(arcs.iter().map(|arc| arc.end).collect()),
        lengths: BigUint64Array::new(arcs.iter().map(|arc| u64::try_from(arc.length).unwrap_or(0)).collect()),
        owners: Uint32Array::new(arcs.iter().map(|arc| arc.node).collect()),
    })
}

/// The slot of a key.
#[napi(catch_unwind)]
pub fn slot(env: Env, cluster: &External<Cluster>, #[napi(ts_arg_type = "unknown")] key: Value) -> Result<u32> {
    let slot = with_key(key, |key| cluster.slot(key));
    slot.and_then(|slot| Ok(slot?)).map_err(|fault| fault.throw(env))
}

/// The index of each slot's owner.
#[napi(catch_unwind)]
pub fn slot_owners(env: Env, cluster: &External<Cluster>) -> Result<Uint32Array> {
    cluster.slot_owners().map(|owners| Uint32Array::new(owners.to_vec())).map_err(|error| Fault::from(error).throw(env))
}

/// The slots of a node.
#[napi(catch_unwind)]
pub fn slots_of(env: Env, cluster: &External<Cluster>, id: String) -> Result<Uint32Array> {
    cluster.slots_of(&id).map(Uint32Array::new).map_err(|error| Fault::from(error).throw(env))
}

/// The ranking of a slot, written into `out`; gives how many there are.
#[napi(catch_unwind)]
pub fn slot_ranking(
    env: Env,
    cluster: &External<Cluster>,
    slot: i64,
    limit: i64,
    #[napi(ts_arg_type = "Uint32Array")] out: Value,
) -> Result<u32> {
    let ranked = || {
        let limit = usize::try_from(count("limit", limit)?).unwrap_or(usize::MAX);
        let indices: Vec<u32> = cluster.slot_ranking(count("slot", slot)?)?.indices().take(limit).collect();
        hand_out(&indices, out)
    };
    ranked().map_err(|fault: Fault| fault.throw(env))
}

/// What a choice of nodes must respect, as the core knows it.
pub(crate) fn constraints(asked: Option<ConstraintsInput>) -> Fallible<Constraints> {
    let Some(asked) = asked else { return Ok(Constraints::new()) };
    let constraints = Constraints::new().exclude(asked.exclude.into_iter().flatten()).relaxed(asked.relaxed);
    Ok(match asked.spread {
        None => constraints,
        Some(Either::A(level)) => constraints.spread(Spread::Level(count("spread level", level)?)),
        Some(Either::B(name)) => constraints.spread(Spread::Name(name)),
    })
}

/// Writes indices into an array that JavaScript has made: much cheaper than a new array made from here.
pub(crate) fn hand_out(indices: &[u32], out: Value) -> Fallible<u32> {
    let written = u32::try_from(indices.len()).ok().filter(|_| out.write(indices));
    written.ok_or_else(|| Fault::core(ErrorKind::InvalidParameter, format!("no room for {} indices", indices.len())))
}
