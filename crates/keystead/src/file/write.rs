//! From a cluster to the text of its file.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec::Vec,
};

use serde_json::Value;

use crate::{Cluster, Node, Transition, builder::Algorithm};

pub(super) fn cluster(cluster: &Cluster) -> String {
    let mut members: Vec<(&str, String)> = Vec::new();
    members.push(("keystead", "1".to_owned()));
    members.push(("algorithm", text(cluster.algorithm())));
    members.push(("hash", text(cluster.hash().name())));
    members.extend(cluster.hash().seed().map(|seed| ("seed", format!("\"{seed:#018x}\""))));
    members.extend(cluster.epoch().map(|epoch| ("epoch", number(epoch))));
    members.extend(cluster.levels().map(|levels| ("levels", list(levels.iter().map(|level| text(level))))));
    match cluster.inner.parameters.algorithm {
        Algorithm::Ring { tokens_per_weight, space } => {
            // Only if it was given: a ring to which it was not may yet change to explicit tokens.
            members.extend(tokens_per_weight.map(|tokens| ("tokens_per_weight", number(tokens))));
            members.extend(space.map(|space| ("space", format!("\"{space}\""))));
        }
        Algorithm::Slots { slots, headroom } => {
            members.push(("slots", number(slots)));
            members.extend(headroom.map(|percent| ("headroom", number(percent))));
        }
        Algorithm::Rendezvous | Algorithm::Hierarchy => {}
    }
    members.extend(cluster.comment().map(|comment| ("comment", text(comment))));

    let members: Vec<String> = members.into_iter().map(member).collect();
    let nodes: Vec<String> = cluster.nodes().iter().map(node).collect();
    format!("{{\n  {},\n  \"nodes\": [\n    {}\n  ]\n}}\n", members.join(",\n  "), nodes.join(",\n    "))
}

pub(super) fn transition(transition: &Transition) -> String {
    let mut members: Vec<(&str, String)> = Vec::from([("keystead", "1".to_owned())]);
    members.extend(transition.epoch().map(|epoch| ("epoch", number(epoch))));
    members.extend(transition.comment().map(|comment| ("comment", text(comment))));
    let members: Vec<String> = members.into_iter().map(member).collect();
    let gate = transition.gate();
    let inner = [
        ("part", number(gate.part())),
        ("of", number(gate.of())),
        ("before", indented(&cluster(transition.before()))),
        ("after", indented(&cluster(transition.after()))),
    ];
    let inner: Vec<String> = inner.into_iter().map(member).collect();
    format!("{{\n  {},\n  \"transition\": {{\n    {}\n  }}\n}}\n", members.join(",\n  "), inner.join(",\n    "))
}

/// A file as a member of another. No text holds a bare LF, so every LF is one between lines.
fn indented(file: &str) -> String {
    file.trim_end().replace('\n', "\n    ")
}

/// A node on one line: its id alone where there is nothing else to say.
fn node(node: &Node) -> String {
    let mut members = Vec::from([("id", text(node.id()))]);
    if node.get_weight() != 1 {
        members.push(("weight", number(node.get_weight())));
    }
    if !node.get_location().is_empty() {
        members.push(("location", list(node.get_location().iter().map(|place| text(place)))));
    }
    members.extend(node.get_tokens().map(|tokens| ("tokens", list(tokens.iter().map(|token| format!("\"{token}\""))))));
    members.extend(node.get_address().map(|address| ("address", text(address))));
    if node.get_meta().len() > 0 {
        let meta: Vec<String> =
            node.get_meta().map(|(name, value)| format!("{}: {}", text(name), text(value))).collect();
        members.push(("meta", format!("{{{}}}", meta.join(", "))));
    }
    members.extend(node.get_comment().map(|comment| ("comment", text(comment))));
    match <[_; 1]>::try_from(members) {
        Ok([(_, id)]) => id,
        Err(members) => format!("{{{}}}", members.into_iter().map(member).collect::<Vec<String>>().join(", ")),
    }
}

fn member((name, value): (&str, String)) -> String {
    format!("\"{name}\": {value}")
}

/// A text in quotes, escaped where it must be.
fn text(value: &str) -> String {
    Value::from(value).to_string()
}

fn number(value: impl Into<u64>) -> String {
    value.into().to_string()
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<String>>().join(", "))
}
