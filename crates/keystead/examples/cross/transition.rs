//! Transitions in a request: their parameters, their files, and what is asked of them.

use keystead::{Description, Error, Secrets, Transition};
use serde_json::{Value, json};

use super::{cluster, constraints, decimal, explained, hex, ids, key, limit, nested, new_epoch, number, string};

/// A transition by its parameters.
pub(super) fn built(value: &Value) -> Result<Transition, Error> {
    let (before, after) = (cluster(&value["before"])?, cluster(&value["after"])?);
    let transition = Transition::new(&before, &after, number(&value["part"]), number(&value["of"]))?;
    match value.get("epoch") {
        Some(epoch) => transition.with_epoch(Some(number(epoch))),
        None => Ok(transition),
    }
}

/// A transition from the text of a file. The secrets stand beside it, in a request as in the query `rewrite`.
pub(super) fn read(text: &[u8], beside: &Value) -> Result<Transition, Error> {
    let secret = |name: &str| beside.get(name).map(hex);
    let (before, after) = (secret("before_secret"), secret("after_secret"));
    if before.is_some() || after.is_some() {
        return Transition::from_json(text, Secrets::for_each(before.as_deref(), after.as_deref()));
    }
    Transition::from_json(text, Secrets::one_for_all(secret("secret").as_deref()))
}

/// What a cluster or a transition is compared with.
pub(super) fn other(value: &Value) -> Result<Description, Error> {
    match value.get("transition") {
        Some(transition) => built(transition).map(Into::into),
        None => cluster(value).map(Into::into),
    }
}

pub(super) fn answer(transition: &Transition, query: &Value) -> Result<Value, Error> {
    Ok(match string(&query["op"]).as_str() {
        "owner" => match query.get("exclude") {
            None => transition.owner(key(&query["key"])?).id().into(),
            Some(_) => transition.owner_with(key(&query["key"])?, &constraints(query))?.id().into(),
        },
        "ranking" => match query.get("exclude") {
            None => ids(transition.ranking(key(&query["key"])?).take(limit(query))),
            Some(_) => ids(transition.ranking_with(key(&query["key"])?, &constraints(query))?.take(limit(query))),
        },
        "replicas" => replicas(transition, query, |picked| ids(picked.nodes().iter().copied()))?,
        "limit" => replicas(transition, query, |picked| decimal(picked.limit()))?,
        "candidates" => ids(transition.candidates(key(&query["key"])?)),
        "passes" => transition.passes(key(&query["key"])?).into(),
        "fingerprint" => transition.fingerprint().to_string().into(),
        "compare" => transition.compare(&other(&query["other"])?).as_str().into(),
        "step" => json!({
            "part": transition.gate().part().to_string(),
            "of": transition.gate().of().to_string(),
            "epoch": transition.epoch().map(|epoch| epoch.to_string()),
            "comment": transition.comment(),
        }),
        "before" => nested(transition.before().clone(), query),
        "after" => nested(transition.after().clone(), query),
        "at" => nested(transition.at(number(&query["part"]), number(&query["of"]))?, query),
        "with_epoch" => nested(transition.with_epoch(new_epoch(query))?, query),
        "rewrite" => nested(read(transition.to_json().as_bytes(), query)?, query),
        "explain" => explained(&transition.explain(key(&query["key"])?, number(&query["r"]), &constraints(query))?),
        other => panic!("{other} is not asked of a transition"),
    })
}

/// Which cluster is asked depends on the key, so nothing but r = 0 comes before it.
fn replicas(
    transition: &Transition,
    query: &Value,
    of: impl Fn(keystead::Replicas<'_>) -> Value,
) -> Result<Value, Error> {
    let (r, constraints) = (number(&query["r"]), constraints(query));
    if r == 0 {
        return transition.replicas_with("", 0, &constraints).map(of);
    }
    transition.replicas_with(key(&query["key"])?, r, &constraints).map(of)
}
