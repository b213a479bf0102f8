//! What a cluster and a transition have in common: one description, for what takes either.

use keystead::{Cluster, Description, Transition};
use napi::bindgen_prelude::External;
use napi_derive::napi;

/// A cluster as a description.
#[napi(catch_unwind)]
pub fn describe_cluster(cluster: &External<Cluster>) -> External<Description> {
    External::new(Cluster::clone(cluster).into())
}

/// A transition as a description.
#[napi(catch_unwind)]
pub fn describe_transition(transition: &External<Transition>) -> External<Description> {
    External::new(Transition::clone(transition).into())
}

/// Whether two descriptions agree.
#[napi(catch_unwind)]
pub fn compare(description: &External<Description>, other: &External<Description>) -> &'static str {
    let other: &Description = other;
    description.compare(other).as_str()
}
