//! From a request of `tests/README.md` to its answer. The tests over the vectors and `tests/cross.py` ask the same function.
//!
//! A request that is not of the described form is the test's own fault, and panics.

#[path = "transition.rs"]
mod transition;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use keystead::{
    Change, Cluster, Constraints, Description, Domain, Error, Explanation, Hash, Key, KeyBytes, KeyPart, Node, Spread,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The answer to one request.
pub(crate) fn answer(request: &Value) -> Value {
    let subject = match built(request) {
        Ok(subject) => subject,
        Err(fault) => {
            let mut out = json!({"error": fault.code()});
            if request.get("file").or(request.get("transition_file")).is_some() {
                out["line"] = fault.position().map(|at| at.line.to_string()).into();
                out["column"] = fault.position().map(|at| at.column.to_string()).into();
            }
            return out;
        }
    };
    let empty = Vec::new();
    let queries = request.get("queries").map_or(&empty, array);
    json!({"answers": queries.iter().map(|query| answer_query(subject.as_ref(), query)).collect::<Vec<_>>()})
}

fn built(request: &Value) -> Result<Option<Description>, Error> {
    let content = |file: &Value| file.get("hex").map_or_else(|| string(&file["text"]).into_bytes(), hex);
    if let Some(file) = request.get("file") {
        let cluster = Cluster::from_json(&content(file), request.get("secret").map(hex).as_deref())?;
        return Ok(Some(cluster.into()));
    }
    if let Some(file) = request.get("transition_file") {
        return transition::read(&content(file), request).map(|transition| Some(transition.into()));
    }
    if let Some(parameters) = request.get("transition") {
        return transition::built(parameters).map(|transition| Some(transition.into()));
    }
    Ok(request.get("cluster").map(cluster).transpose()?.map(Into::into))
}

fn answer_query(subject: Option<&Description>, query: &Value) -> Value {
    let answered = function(query).unwrap_or_else(|| match subject.expect("this op has a subject") {
        Description::Cluster(cluster) => of_cluster(cluster, query),
        Description::Transition(transition) => transition::answer(transition, query),
    });
    answered.unwrap_or_else(|fault| json!({"error": fault.code()}))
}

// Tagged values

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().expect("an array")
}

fn string(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn text(value: &Value) -> String {
    match value.get("repeat") {
        Some(unit) => string(unit).repeat(number(&value["times"])),
        None => string(value),
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    value.map_or_else(Vec::new, |value| array(value).iter().map(text).collect())
}

fn number<T: std::str::FromStr>(value: &Value) -> T {
    let digits = string(value);
    digits.parse().unwrap_or_else(|_| panic!("{digits} does not fit: the case is not for Rust"))
}

fn hex(value: &Value) -> Vec<u8> {
    let digits = string(value);
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex")).collect()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").expect("a string takes everything");
        out
    })
}

fn decimal(value: impl Into<u128>) -> Value {
    Value::String(value.into().to_string())
}

fn decimals<T: Into<u128>>(values: impl IntoIterator<Item = T>) -> Value {
    values.into_iter().map(decimal).collect()
}

fn ids<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> Value {
    nodes.into_iter().map(Node::id).collect()
}

/// A key of a request: bytes, or anything else in its encoding.
enum Given {
    Plain(Vec<u8>),
    Composite(keystead::EncodedKey),
}

impl Key for Given {
    fn with_bytes<R>(&self, f: impl FnOnce(KeyBytes<'_>) -> R) -> R {
        match self {
            Given::Plain(bytes) => f(KeyBytes::plain(bytes)),
            Given::Composite(encoded) => f(encoded.as_key()),
        }
    }
}

fn part(value: &Value) -> KeyPart {
    let (tag, content) = value.as_object().and_then(|map| map.iter().next()).expect("a tagged key");
    match tag.as_str() {
        "text" => KeyPart::Bytes(text(content).into_bytes()),
        "hex" => KeyPart::Bytes(hex(content)),
        "int" => KeyPart::Integer(number(content)),
        "seq" => KeyPart::Sequence(array(content).iter().map(part).collect()),
        other => panic!("a key of kind {other} is not for Rust"),
    }
}

fn key(value: &Value) -> Result<Given, Error> {
    match part(value) {
        KeyPart::Bytes(bytes) => Ok(Given::Plain(bytes)),
        other => keystead::encode_key(&other).map(Given::Composite),
    }
}

fn keys(query: &Value) -> Result<Vec<Given>, Error> {
    array(&query["keys"]).iter().map(key).collect()
}

fn node(value: &Value) -> Result<Node, Error> {
    let mut node = Node::new(text(&value["id"]))?;
    if let Some(weight) = value.get("weight") {
        node = node.weight(number(weight));
    }
    if let Some(location) = value.get("location") {
        node = node.location(texts(Some(location)))?;
    }
    if let Some(tokens) = value.get("tokens") {
        node = node.tokens(array(tokens).iter().map(number))?;
    }
    if let Some(address) = value.get("address") {
        node = node.address(text(address));
    }
    for pair in value.get("meta").map_or(&[][..], |pairs| array(pairs)) {
        node = node.meta(text(&pair[0]), text(&pair[1]));
    }
    if let Some(comment) = value.get("comment") {
        node = node.comment(text(comment));
    }
    Ok(node)
}

fn cluster(value: &Value) -> Result<Cluster, Error> {
    let mut builder = Cluster::builder();
    for given in array(&value["nodes"]) {
        builder = builder.node(node(given)?);
    }
    if let Some(generated) = value.get("generated_nodes") {
        let prefix = text(&generated["prefix"]);
        builder = builder.nodes((0..number(&generated["count"])).map(|i: u64| format!("{prefix}{i}")));
    }
    for (name, given) in value.as_object().expect("an object") {
        builder = match name.as_str() {
            "nodes" | "generated_nodes" => builder,
            "algorithm" => builder.algorithm(&text(given)),
            "hash" => builder.hash(&text(given)),
            "seed" => builder.seed(number(given)),
            "secret" => builder.secret(&hex(given)),
            "epoch" => builder.epoch(number(given)),
            "levels" => builder.levels(texts(Some(given))),
            "tokens_per_weight" => builder.tokens_per_weight(number(given)),
            "space" => builder.space(number(given)),
            "slots" => builder.slots(number(given)),
            "headroom" => builder.headroom(number(given)),
            other => panic!("a cluster has no {other}"),
        };
    }
    builder.build()
}

fn hash(query: &Value) -> Result<Hash, Error> {
    let name = query.get("hash").map(text);
    Hash::from_parts(name.as_deref(), query.get("seed").map(number), query.get("secret").map(hex).as_deref())
}

fn constraints(query: &Value) -> Constraints {
    let mut out = Constraints::new().exclude(texts(query.get("exclude")));
    if let Some(spread) = query.get("spread") {
        out = out.spread(match spread.get("level") {
            Some(level) => Spread::Level(number(level)),
            None => Spread::Name(text(&spread["name"])),
        });
    }
    out.relaxed(query.get("relaxed").is_some_and(|relaxed| relaxed == true))
}

// Answers

fn function(query: &Value) -> Option<Result<Value, Error>> {
    Some(match string(&query["op"]).as_str() {
        "encode_key" => keystead::encode_key(&part(&query["key"])).map(|key| to_hex(key.as_bytes()).into()),
        "rank_scores" => rank_scores(query),
        "jump" => keystead::jump(number(&query["key"]), number(&query["n"])).map(decimal),
        "jump_bucket" => bucket(query, |key, n, hash| keystead::jump_bucket(key, n, hash)),
        "modulo" => bucket(query, |key, n, hash| keystead::modulo(key, n, hash)),
        "digest" => hash(query).map(|hash| decimal(hash.digest(domain(&query["domain"]), &hex(&query["bytes"])))),
        "draw" => Ok(decimal(keystead::draw(number(&query["seed"]), number(&query["i"])))),
        "cost" => Ok(decimal(keystead::cost(number(&query["score"])))),
        _ => return None,
    })
}

fn domain(value: &Value) -> Domain {
    let all =
        [Domain::Key, Domain::Node, Domain::Slot, Domain::CompositeKey, Domain::Location, Domain::Check, Domain::Gate];
    all[number::<usize>(value) - 1]
}

fn bucket(query: &Value, of: impl Fn(&Given, u64, &Hash) -> Result<u32, Error>) -> Result<Value, Error> {
    of(&key(&query["key"])?, number(&query["n"]), &hash(query)?).map(decimal)
}

fn rank_scores(query: &Value) -> Result<Value, Error> {
    let given: Vec<(String, u64, u32)> =
        array(&query["candidates"]).iter().map(|c| (text(&c[0]), number(&c[1]), number(&c[2]))).collect();
    let ranked = keystead::rank_scores(given.iter().map(|(id, score, weight)| (id.as_str(), *score, *weight)))?;
    Ok(ranked.into_iter().map(|position| given[position].0.clone()).collect())
}

fn limit(query: &Value) -> usize {
    query.get("limit").map_or(usize::MAX, number)
}

/// The epoch of the query `with_epoch`, null for none.
fn new_epoch(query: &Value) -> Option<u64> {
    query["epoch"].as_str().map(|_| number(&query["epoch"]))
}

fn of_cluster(cluster: &Cluster, query: &Value) -> Result<Value, Error> {
    Ok(match string(&query["op"]).as_str() {
        "owner" => match query.get("exclude") {
            None => cluster.owner(key(&query["key"])?).id().into(),
            Some(_) => cluster.owner_with(key(&query["key"])?, &constraints(query))?.id().into(),
        },
        "ranking" => match query.get("exclude") {
            None => ids(cluster.ranking(key(&query["key"])?).take(limit(query))),
            Some(_) => ids(cluster.ranking_with(key(&query["key"])?, &constraints(query))?.take(limit(query))),
        },
        "replicas" => replicas(cluster, query, |picked| ids(picked.nodes().iter().copied()))?,
        "limit" => replicas(cluster, query, |picked| decimal(picked.limit()))?,
        "owner_indices" => decimals(keys(query)?.iter().map(|key| cluster.owner_index(key))),
        "replica_indices" => {
            let r = number(&query["r"]);
            // These come before any key, and also where there is none.
            cluster.check_replicas(r, &Constraints::new())?;
            let picks = keys(query)?
                .into_iter()
                .map(|key| cluster.replica_indices_with(key, r, &Constraints::new()).map(decimals));
            picks.collect::<Result<_, _>>()?
        }
        "ids" => cluster.ids().collect(),
        "nodes" => cluster.nodes().iter().map(node_answer).collect(),
        "node" => node_answer(cluster.node(&text(&query["id"]))?),
        "properties" => properties(cluster),
        "fingerprint" => cluster.fingerprint().to_string().into(),
        "description" => to_hex(&cluster.description()).into(),
        "shares" => cluster.shares().iter().map(|share| decimals([share.numerator, share.denominator])).collect(),
        "compare" => cluster.compare(&transition::other(&query["other"])?).as_str().into(),
        "slot" => decimal(cluster.slot(key(&query["key"])?)?),
        "slot_owners" => slot_owners(cluster.slot_owners()?),
        "slots_of" => decimals(cluster.slots_of(&text(&query["id"]))?),
        "slot_ranking" => ids(cluster.slot_ranking(number(&query["slot"]))?.take(limit(query))),
        "owner_at" => cluster.owner_at(number(&query["at"]))?.id().into(),
        "arcs" => arcs(cluster)?,
        "change" => nested(changed(cluster, query)?, query),
        "with_node" => nested(cluster.with_node(node(&query["node"])?)?, query),
        "without_node" => nested(cluster.without_node(&text(&query["id"]))?, query),
        "with_weight" => nested(cluster.with_weight(&text(&query["id"]), number(&query["weight"]))?, query),
        "with_epoch" => nested(cluster.with_epoch(new_epoch(query))?, query),
        "rewrite" => nested(rewritten(cluster, query)?, query),
        "explain" => {
            let (r, constraints) = (number(&query["r"]), constraints(query));
            cluster.check_replicas(r, &constraints)?;
            explained(&cluster.explain(key(&query["key"])?, r, &constraints)?)
        }
        other => panic!("{other} is not asked of Rust"),
    })
}

/// The checks in section 9's order: those before the key, the key, those after it.
fn replicas(cluster: &Cluster, query: &Value, of: impl Fn(keystead::Replicas<'_>) -> Value) -> Result<Value, Error> {
    let (r, constraints) = (number(&query["r"]), constraints(query));
    if r == 0 {
        // Not even the key is looked at; any will do.
        return cluster.replicas_with("", 0, &constraints).map(of);
    }
    cluster.check_replicas(r, &constraints)?;
    cluster.replicas_with(key(&query["key"])?, r, &constraints).map(of)
}

fn node_answer(node: &Node) -> Value {
    let mut out = json!({"id": node.id(), "weight": node.get_weight().to_string()});
    if !node.get_location().is_empty() {
        out["location"] = node.get_location().iter().map(|part| &**part).collect();
    }
    if let Some(tokens) = node.get_tokens() {
        out["tokens"] = decimals(tokens.iter().copied());
    }
    if node.get_meta().len() > 0 {
        out["meta"] = node.get_meta().map(|(name, value)| json!([name, value])).collect();
    }
    if let Some(address) = node.get_address() {
        out["address"] = address.into();
    }
    if let Some(comment) = node.get_comment() {
        out["comment"] = comment.into();
    }
    out
}

fn properties(cluster: &Cluster) -> Value {
    let optional = |value: Option<u64>| value.map_or(Value::Null, decimal);
    json!({
        "algorithm": cluster.algorithm(),
        "hash": cluster.hash().name(),
        "levels": cluster.levels().map(|levels| levels.iter().map(|level| &**level).collect::<Value>()),
        "seed": optional(cluster.hash().seed()),
        "epoch": optional(cluster.epoch()),
        "tokens_per_weight": optional(cluster.tokens_per_weight().map(u64::from)),
        "space": optional(cluster.space()),
        "slots": optional(cluster.slots().map(u64::from)),
        "headroom": optional(cluster.headroom().map(u64::from)),
    })
}

fn slot_owners(owners: &[u32]) -> Value {
    let packed: Vec<u8> = owners.iter().flat_map(|owner| owner.to_le_bytes()).collect();
    json!({"slots": owners.len().to_string(), "sha256": to_hex(&Sha256::digest(packed))})
}

fn arcs(cluster: &Cluster) -> Result<Value, Error> {
    let owner: BTreeMap<u32, &str> = (0..).zip(cluster.ids()).collect();
    let arcs = cluster.arcs()?;
    Ok(arcs
        .iter()
        .map(|arc| json!([arc.start.to_string(), arc.end.to_string(), arc.length.to_string(), owner[&arc.node]]))
        .collect())
}

fn explained(explanation: &Explanation) -> Value {
    serde_json::from_str(&explanation.to_json()).expect("an explanation is JSON")
}

fn nested(subject: impl Into<Description>, query: &Value) -> Value {
    let subject = subject.into();
    array(&query["queries"]).iter().map(|inner| answer_query(Some(&subject), inner)).collect()
}

fn changed(cluster: &Cluster, query: &Value) -> Result<Cluster, Error> {
    let list = |name: &str| query.get(name).map_or_else(Vec::new, |value| array(value).clone());
    let mut change = Change::new();
    for given in list("add") {
        change = change.add(node(&given)?);
    }
    for id in list("remove") {
        change = change.remove(&text(&id));
    }
    for pair in list("weight") {
        change = change.weight(&text(&pair[0]), number(&pair[1]));
    }
    for id in list("drain") {
        change = change.drain(&text(&id));
    }
    cluster.change(&change)
}

/// What is read back from what the cluster writes. A cluster does not hand out its secret, so the request says it again.
fn rewritten(cluster: &Cluster, query: &Value) -> Result<Cluster, Error> {
    Cluster::from_json(cluster.to_json().as_bytes(), query.get("secret").map(hex).as_deref())
}
