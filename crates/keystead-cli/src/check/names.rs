//! Ids that will not last, and what ids and addresses give away.

use super::{Finding, Wanted};
use crate::figures::few;
use keystead::{Cluster, Node};
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
};

/// More addresses than this that several nodes have are counted and not named.
const NAMED: usize = 5;

pub(crate) fn warnings(cluster: &Cluster, wanted: &Wanted) -> Vec<Finding> {
    let mut found = Vec::new();
    let ids = || cluster.ids();
    let addresses: Vec<&str> = ids().filter(|id| is_address(id)).collect();
    if !addresses.is_empty() {
        found.push(Finding::new(
            "address_as_id",
            format!(
                "{} of {} ids look like addresses ({}): when a machine gets another address its keys move; name it, and put the address into `address`",
                addresses.len(),
                cluster.len(),
                few(&addresses)
            ),
        ));
    }
    if cluster.len() > 1 && ids().all(|id| id.bytes().all(|byte| byte.is_ascii_digit())) {
        found.push(Finding::new(
            "position_as_id",
            format!("the ids look like positions in a list ({}): when one leaves and the others are renumbered, keys of all of them move", few(ids())),
        ));
    }
    let padded: Vec<String> = ids().filter(|id| id.trim() != *id).map(|id| format!("\"{id}\"")).collect();
    if !padded.is_empty() {
        found.push(Finding::new(
            "padded_id",
            format!("white space belongs to an id, and begins or ends {}", few(&padded)),
        ));
    }
    if wanted.copies > 1 && cluster.nodes().iter().all(|node| node.get_location().is_empty()) {
        let shared = groups(ids().filter_map(|id| Some((host(id)?, id))));
        if let Some((host, nodes)) = shared.iter().min_by_key(|(_, nodes)| Reverse(nodes.len())) {
            found.push(Finding::new(
                "shared_host",
                format!(
                    "{} copies may share a machine: {} ids have the host {host} ({}); give the nodes locations and use --spread",
                    wanted.copies,
                    nodes.len(),
                    few(nodes)
                ),
            ));
        }
    }
    let shared = groups(cluster.nodes().iter().filter_map(|node| Some((node.get_address()?, Node::id(node)))));
    let message = |(address, nodes): (&&str, &Vec<&str>)| format!("{} have the address {address}", few(nodes));
    found.extend(shared.iter().take(NAMED).map(|group| Finding::new("shared_address", message(group))));
    if shared.len() > NAMED {
        let rest = shared.len() - NAMED;
        found.push(Finding::new("shared_address", format!("{rest} more addresses belong to several nodes each")));
    }
    found
}

/// The groups of more than one.
fn groups<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, id) in pairs {
        groups.entry(name).or_default().push(id);
    }
    groups.retain(|_, ids| ids.len() > 1);
    groups
}

fn is_address(id: &str) -> bool {
    id.contains("://") || id.parse::<IpAddr>().is_ok() || id.parse::<SocketAddr>().is_ok() || host(id).is_some()
}

/// `h1` of `h1:8080`.
fn host(id: &str) -> Option<&str> {
    let (host, port) = id.rsplit_once(':')?;
    (!host.is_empty() && port.parse::<u16>().is_ok()).then_some(host)
}
