//! Making clusters, and what a cluster says of itself.

use keystead::{Change, Cluster, ErrorKind, Hash, Node};
use napi::bindgen_prelude::{BigInt, BigUint64Array, Either, External, Uint8Array};
use napi::{Env, Result};
use napi_derive::napi;

use crate::fault::{Fallible, Fault};
use crate::value::Value;

/// A node as `index.js` has checked it.
#[napi(object, object_to_js = false)]
pub struct NodeInput {
    /// The identity.
    pub id: String,
    /// Relative capacity.
    pub weight: u32,
    /// The path of failure domains, widest first.
    pub location: Vec<String>,
    /// Explicit tokens of a ring.
    pub tokens: Option<Vec<BigInt>>,
    /// Carried.
    pub address: Option<String>,
    /// Carried: pairs of texts.
    pub meta: Option<Vec<Vec<String>>>,
    /// Carried.
    pub comment: Option<String>,
}

/// A node as it is handed back.
#[napi(object, object_from_js = false)]
pub struct NodeOutput {
    /// The identity.
    pub id: String,
    /// Relative capacity.
    pub weight: u32,
    /// The path of failure domains, widest first.
    pub location: Vec<String>,
    /// Explicit tokens of a ring, ascending.
    pub tokens: Option<BigUint64Array>,
    /// Carried.
    pub address: Option<String>,
    /// Carried: pairs of texts, ascending by the first.
    pub meta: Vec<Vec<String>>,
    /// Carried.
    pub comment: Option<String>,
}

/// The parameters of a cluster but its secret.
#[napi(object, object_to_js = false)]
pub struct ParametersInput {
    /// The name of the algorithm.
    pub algorithm: Option<String>,
    /// The name of the hash.
    pub hash: Option<String>,
    /// The seed of the hash.
    pub seed: Option<BigInt>,
    /// The number of the description.
    pub epoch: Option<i64>,
    /// The names of the levels of locations.
    pub levels: Option<Vec<String>>,
    /// Tokens for each unit of weight.
    pub tokens_per_weight: Option<i64>,
    /// The space of explicit tokens.
    pub space: Option<BigInt>,
    /// The number of slots.
    pub slots: Option<i64>,
    /// Percent above the proportional part.
    pub headroom: Option<i64>,
}

/// The parameters of a cluster as they are in force, and what else it says of itself.
#[napi(object, object_from_js = false)]
pub struct Properties {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The name of the hash.
    pub hash: String,
    /// The seed of the hash.
    pub seed: Option<BigInt>,
    /// The number of the description.
    pub epoch: Option<i64>,
    /// The names of the levels of locations.
    pub levels: Option<Vec<String>>,
    /// Tokens for each unit of weight.
    pub tokens_per_weight: Option<u32>,
    /// The space of explicit tokens.
    pub space: Option<BigInt>,
    /// The number of slots.
    pub slots: Option<u32>,
    /// Percent above the proportional part.
    pub headroom: Option<u32>,
    /// Carried.
    pub comment: Option<String>,
    /// Whether the hash has a secret.
    pub has_secret: bool,
}

/// What a node is given as: its id alone, or all of it.
#[napi]
pub type NodeLike = Either<String, NodeInput>;

/// A new cluster.
#[napi(catch_unwind)]
pub fn create_cluster(
    env: Env,
    nodes: Vec<NodeLike>,
    parameters: ParametersInput,
    #[napi(ts_arg_type = "Uint8Array | null")] secret: Option<Value>,
) -> Result<External<Cluster>> {
    create(nodes, parameters, secret).map(handle).map_err(|fault| fault.throw(env))
}

fn create(nodes: Vec<NodeLike>, parameters: ParametersInput, secret: Option<Value>) -> Fallible<Cluster> {
    let mut builder = Cluster::builder();
    for node in nodes {
        builder = builder.node(read_node(node)?);
    }
    if let Some(name) = &parameters.algorithm {
        builder = builder.algorithm(name);
    }
    if let Some(name) = &parameters.hash {
        builder = builder.hash(name);
    }
    if let Some(seed) = &parameters.seed {
        builder = builder.seed(word("seed", ErrorKind::InvalidParameter, seed)?);
    }
    if let Some(epoch) = parameters.epoch {
        builder = builder.epoch(count("epoch", epoch)?);
    }
    if let Some(levels) = parameters.levels {
        builder = builder.levels(levels);
    }
    if let Some(tokens) = parameters.tokens_per_weight {
        builder = builder.tokens_per_weight(count("tokensPerWeight", tokens)?);
    }
    if let Some(space) = &parameters.space {
        builder = builder.space(word("space", ErrorKind::InvalidParameter, space)?);
    }
    if let Some(slots) = parameters.slots {
        builder = builder.slots(count("slots", slots)?);
    }
    if let Some(percent) = parameters.headroom {
        builder = builder.headroom(count("headroom", percent)?);
    }
    with_secret(secret, |secret| {
        if let Some(secret) = secret {
            builder = builder.secret(secret);
        }
        Ok(builder.build()?)
    })?
}

/// Reads a cluster file.
#[napi(catch_unwind)]
pub fn cluster_from_json(
    env: Env,
    #[napi(ts_arg_type = "Uint8Array")] text: Value,
    #[napi(ts_arg_type = "Uint8Array | null")] secret: Option<Value>,
) -> Result<External<Cluster>> {
    let cluster = with_secret(secret, |secret| with_file(text, |text| Ok(Cluster::from_json(text, secret)?)));
    cluster.and_then(|read| read).map(handle).map_err(|fault| fault.throw(env))
}

/// The text of a cluster file.
#[napi(catch_unwind)]
pub fn cluster_to_json(cluster: &External<Cluster>) -> String {
    cluster.to_json()
}

/// Several changes at once.
#[napi(catch_unwind)]
pub fn change_cluster(
    env: Env,
    cluster: &External<Cluster>,
    add: Vec<NodeLike>,
    remove: Vec<String>,
    weighed: Vec<String>,
    weights: Vec<u32>,
    drain: Vec<String>,
) -> Result<External<Cluster>> {
    let changed = || {
        let mut change = Change::new();
        for node in add {
            change = change.add(read_node(node)?);
        }
        change = remove.iter().fold(change, |change, id| change.remove(id));
        change = weighed.iter().zip(weights).fold(change, |change, (id, weight)| change.weight(id, weight));
        change = drain.iter().fold(change, |change, id| change.drain(id));
        Ok(cluster.change(&change)?)
    };
    changed().map(handle).map_err(|fault: Fault| fault.throw(env))
}

/// The same description under another epoch, or none.
#[napi(catch_unwind)]
pub fn cluster_with_epoch(env: Env, cluster: &External<Cluster>, epoch: Option<i64>) -> Result<External<Cluster>> {
    let changed = || Ok(cluster.with_epoch(epoch.map(|epoch| count("epoch", epoch)).transpose()?)?);
    changed().map(handle).map_err(|fault: Fault| fault.throw(env))
}

/// The ids by index.
#[napi(catch_unwind)]
pub fn ids(cluster: &External<Cluster>) -> Vec<&str> {
    cluster.ids().collect()
}

/// All nodes by index.
#[napi(catch_unwind)]
pub fn nodes(cluster: &External<Cluster>) -> Vec<NodeOutput> {
    cluster.nodes().iter().map(show_node).collect()
}

/// The node of an id.
#[napi(catch_unwind)]
pub fn node(env: Env, cluster: &External<Cluster>, id: String) -> Result<NodeOutput> {
    cluster.node(&id).map(show_node).map_err(|error| Fault::from(error).throw(env))
}

/// Whether an id is in the cluster.
#[napi(catch_unwind)]
pub fn has_node(cluster: &External<Cluster>, id: String) -> bool {
    cluster.contains(&id)
}

/// What the cluster says of itself.
#[napi(catch_unwind)]
pub fn properties(cluster: &External<Cluster>) -> Properties {
    Properties {
        algorithm: cluster.algorithm().into(),
        hash: cluster.hash().name().into(),
        seed: cluster.hash().seed().map(BigInt::from),
        epoch: cluster.epoch().and_then(|epoch| i64::try_from(epoch).ok()),
        levels: cluster.levels().map(|levels| levels.iter().map(ToString::to_string).collect()),
        tokens_per_weight: cluster.tokens_per_weight(),
        space: cluster.space().map(BigInt::from),
        slots: cluster.slots(),
        headroom: cluster.headroom(),
        comment: cluster.comment().map(Into::into),
        has_secret: cluster.has_secret(),
    }
}

/// The fingerprint in hex.
#[napi(catch_unwind)]
pub fn fingerprint(cluster: &External<Cluster>) -> String {
    cluster.fingerprint().to_string()
}

/// The canonical description.
#[napi(catch_unwind)]
pub fn description(cluster: &External<Cluster>) -> Uint8Array {
    Uint8Array::new(cluster.description())
}

/// Each node's share by index: numerator and denominator.
#[napi(catch_unwind)]
pub fn shares(cluster: &External<Cluster>) -> Vec<Vec<BigInt>> {
    cluster.shares().iter().map(|share| vec![BigInt::from(share.numerator), BigInt::from(share.denominator)]).collect()
}

/// Hands a cluster to JavaScript, telling its garbage collector about how much memory goes with it: of a small object alone it would
/// think that it can wait.
pub(crate) fn handle(cluster: Cluster) -> External<Cluster> {
    const NODE: u64 = 256;
    const TOKEN: u64 = 16;
    const SLOT: u64 = 4;
    let weights: u64 = cluster.nodes().iter().map(|node| u64::from(node.get_weight())).sum();
    let derived = weights.saturating_mul(cluster.tokens_per_weight().unwrap_or(0).into());
    let explicit: usize = cluster.nodes().iter().filter_map(Node::get_tokens).map(<[u64]>::len).sum();
    let size = (NODE * cluster.len() as u64)
        .saturating_add(TOKEN.saturating_mul(derived.saturating_add(explicit as u64)))
        .saturating_add(SLOT * u64::from(cluster.slots().unwrap_or(0)));
    External::new_with_size_hint(cluster, usize::try_from(size).unwrap_or(usize::MAX).min(isize::MAX.unsigned_abs()))
}

fn read_node(node: NodeLike) -> Fallible<Node> {
    let node = match node {
        Either::A(id) => return Ok(Node::new(id)?),
        Either::B(node) => node,
    };
    let mut read = Node::new(node.id)?.weight(node.weight).location(node.location)?;
    if let Some(tokens) = &node.tokens {
        let tokens = tokens.iter().map(|token| word("token", ErrorKind::InvalidTokens, token));
        read = read.tokens(tokens.collect::<std::result::Result<Vec<_>, _>>()?)?;
    }
    if let Some(address) = node.address {
        read = read.address(address);
    }
    for pair in node.meta.into_iter().flatten() {
        if let Ok([name, value]) = <[String; 2]>::try_from(pair) {
            read = read.meta(name, value);
        }
    }
    if let Some(comment) = node.comment {
        read = read.comment(comment);
    }
    Ok(read)
}

fn show_node(node: &Node) -> NodeOutput {
    NodeOutput {
        id: node.id().into(),
        weight: node.get_weight(),
        location: node.get_location().iter().map(ToString::to_string).collect(),
        tokens: node.get_tokens().map(|tokens| BigUint64Array::new(tokens.to_vec())),
        address: node.get_address().map(Into::into),
        meta: node.get_meta().map(|(name, value)| vec![name.into(), value.into()]).collect(),
        comment: node.get_comment().map(Into::into),
    }
}

/// The hash of the functions that take one.
pub(crate) fn read_hash(name: Option<&str>, seed: Option<&BigInt>, secret: Option<Value>) -> Fallible<Hash> {
    let seed = seed.map(|seed| word("seed", ErrorKind::InvalidParameter, seed)).transpose()?;
    Ok(with_secret(secret, |secret| Hash::from_parts(name, seed, secret))??)
}

/// Calls `body` with a secret, which is never copied.
pub(crate) fn with_secret<R>(secret: Option<Value>, body: impl FnOnce(Option<&[u8]>) -> R) -> Fallible<R> {
    let Some(secret) = secret else { return Ok(body(None)) };
    secret.with_bytes(|secret| body(Some(secret))).map_err(|_| {
        let message = "the bytes of the secret are detached: they have been transferred away";
        Fault::core(ErrorKind::InvalidParameter, message)
    })
}

/// Reads the bytes of a file.
pub(crate) fn with_file<R>(text: Value, read: impl FnOnce(&[u8]) -> Fallible<R>) -> Fallible<R> {
    text.with_bytes(read).unwrap_or_else(|_| {
        let message = "the bytes of the file are detached: they have been transferred away";
        Err(Fault::core(ErrorKind::InvalidFile, message))
    })
}

/// The u64 of a `BigInt`. `index.js` has looked already, with the range in its message; here no digit may be lost whatever it does.
pub(crate) fn word(name: &str, kind: ErrorKind, value: &BigInt) -> Fallible<u64> {
    let (negative, word, lossless) = value.get_u64();
    if negative || !lossless {
        return Err(Fault::core(kind, format!("{name} is out of range: from 0 to {}", u64::MAX)));
    }
    Ok(word)
}

/// A number as the core counts.
pub(crate) fn count(name: &str, value: i64) -> Fallible<u64> {
    u64::try_from(value)
        .map_err(|_| Fault::core(ErrorKind::InvalidParameter, format!("{name} {value} is out of range: at least 0")))
}
