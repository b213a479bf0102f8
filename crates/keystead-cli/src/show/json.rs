//! A cluster as JSON, with its exact shares.

use crate::{failure::Outcome, output::buffered};
use keystead::{Cluster, Transition};
use serde::Serialize;
use std::{collections::BTreeMap, io::Write as _};

/// The structure of docs/json/show-transition.schema.json.
#[derive(Serialize)]
struct ShownTransition<'a> {
    epoch: Option<u64>,
    comment: Option<&'a str>,
    fingerprint: String,
    transition: ShownSides<'a>,
}

#[derive(Serialize)]
struct ShownSides<'a> {
    part: u32,
    of: u32,
    before: Shown<'a>,
    after: Shown<'a>,
}

/// The structure of docs/json/show.schema.json; the names are those of a cluster file.
#[derive(Serialize)]
struct Shown<'a> {
    algorithm: &'a str,
    hash: &'a str,
    seed: Option<String>,
    epoch: Option<u64>,
    levels: Option<Vec<&'a str>>,
    tokens_per_weight: Option<u32>,
    space: Option<String>,
    slots: Option<u32>,
    headroom: Option<u32>,
    comment: Option<&'a str>,
    fingerprint: String,
    nodes: Vec<ShownNode<'a>>,
}

#[derive(Serialize)]
struct ShownNode<'a> {
    id: &'a str,
    weight: u32,
    /// Numerator and denominator.
    share: [String; 2],
    location: Vec<&'a str>,
    tokens: Option<Vec<String>>,
    address: Option<&'a str>,
    meta: BTreeMap<&'a str, &'a str>,
    comment: Option<&'a str>,
}

/// Writes a cluster.
pub(super) fn cluster(cluster: &Cluster) -> Outcome {
    write(&shown(cluster))
}

/// Writes a transition.
pub(super) fn transition(transition: &Transition) -> Outcome {
    let (before, after) = (shown(transition.before()), shown(transition.after()));
    let gate = transition.gate();
    write(&ShownTransition {
        epoch: transition.epoch(),
        comment: transition.comment(),
        fingerprint: transition.fingerprint().to_string(),
        transition: ShownSides { part: gate.part(), of: gate.of(), before, after },
    })
}

fn write(shown: &impl Serialize) -> Outcome {
    let mut out = buffered();
    serde_json::to_writer_pretty(&mut out, shown)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

fn shown(cluster: &Cluster) -> Shown<'_> {
    let nodes = cluster.nodes().iter().zip(cluster.shares()).map(|(node, share)| ShownNode {
        id: node.id(),
        weight: node.get_weight(),
        share: [share.numerator.to_string(), share.denominator.to_string()],
        location: node.get_location().iter().map(|text| &**text).collect(),
        tokens: node.get_tokens().map(|tokens| tokens.iter().map(u64::to_string).collect()),
        address: node.get_address(),
        meta: node.get_meta().collect(),
        comment: node.get_comment(),
    });
    Shown {
        algorithm: cluster.algorithm(),
        hash: cluster.hash().name(),
        seed: cluster.hash().seed().map(|seed| format!("{seed:#018x}")),
        epoch: cluster.epoch(),
        levels: cluster.levels().map(|levels| levels.iter().map(|name| &**name).collect()),
        tokens_per_weight: cluster.tokens_per_weight(),
        space: cluster.space().map(|space| space.to_string()),
        slots: cluster.slots(),
        headroom: cluster.headroom(),
        comment: cluster.comment(),
        fingerprint: cluster.fingerprint().to_string(),
        nodes: nodes.collect(),
    }
}
