//! What a file that is replaced while a service runs needs of the core: to read either kind, and to say what may follow what.

use keystead::{Cluster, Description, Transition};
use napi::bindgen_prelude::External;
use napi::{Env, Result};
use napi_derive::napi;

use crate::cluster::{handle, with_file};
use crate::fault::Fault;
use crate::transition::with_secrets;
use crate::value::Value;

/// Reads a file of a cluster or a transition; `secret` serves each cluster, the others one each.
#[napi(catch_unwind)]
pub fn description_from_json(
    env: Env,
    #[napi(ts_arg_type = "Uint8Array")] text: Value,
    #[napi(ts_arg_type = "Uint8Array | null")] secret: Option<Value>,
    #[napi(ts_arg_type = "Uint8Array | null")] before_secret: Option<Value>,
    #[napi(ts_arg_type = "Uint8Array | null")] after_secret: Option<Value>,
) -> Result<External<Description>> {
    let read = with_secrets(secret, before_secret, after_secret, |secrets| {
        with_file(text, |text| Ok(Description::from_json(text, secrets)?))
    });
    read.and_then(|read| read).map(External::new).map_err(|fault| fault.throw(env))
}

/// The cluster, where the description is one.
#[napi(catch_unwind)]
pub fn described_cluster(description: &External<Description>) -> Option<External<Cluster>> {
    let description: &Description = description;
    if let Description::Cluster(cluster) = description { Some(handle(cluster.clone())) } else { None }
}

/// The transition, where the description is one.
#[napi(catch_unwind)]
pub fn described_transition(description: &External<Description>) -> Option<External<Transition>> {
    let description: &Description = description;
    if let Description::Transition(transition) = description { Some(External::new(transition.clone())) } else { None }
}

/// Whether one description may follow another in a running service: `same` or `newer`.
#[napi(catch_unwind)]
pub fn followed_by(env: Env, current: &External<Description>, next: &External<Description>) -> Result<&'static str> {
    let followed = current.followed_by(next).map(keystead::Refresh::as_str);
    followed.map_err(|error| Fault::from(error).throw(env))
}
