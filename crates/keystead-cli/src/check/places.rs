//! Failure domains that are too few, too uneven, or not used.

use super::{Finding, Wanted, percent};
use crate::{figures::few, show::level_name};
use keystead::{Cluster, Node};
use std::collections::BTreeMap;

pub(crate) fn warnings(cluster: &Cluster, wanted: &Wanted) -> Vec<Finding> {
    let live: Vec<&Node> = cluster.nodes().iter().filter(|node| !node.is_drained()).collect();
    let depths = || live.iter().map(|node| node.get_location().len());
    let (shallowest, deepest) = (depths().min().unwrap_or(0), depths().max().unwrap_or(0));
    let mut found = Vec::new();
    if shallowest < deepest {
        let short: Vec<&str> =
            live.iter().filter(|node| node.get_location().len() < deepest).map(|node| node.id()).collect();
        found.push(Finding::new(
            "uneven_locations",
            format!("locations are {shallowest} to {deepest} levels deep: copies cannot be spread over {}, which is missing in {}", level_name(cluster, shallowest), few(short)),
        ));
    } else if deepest > 0 && live.len() > 1 && live.iter().all(|node| node.get_location() == live[0].get_location()) {
        let place = live[0].get_location().join(" / ");
        found.push(Finding::new(
            "single_place",
            format!("all {} nodes are in one place, {place}: whatever takes it down takes all of them", live.len()),
        ));
    }
    match wanted.level {
        Some(level) if level < shallowest && wanted.copies > 1 => found.extend(spread(cluster, &live, level, wanted)),
        None if !wanted.is_spread && wanted.copies > 1 && shallowest > 0 && cluster.algorithm() != "hierarchy-1" => {
            let level = (0..shallowest).rev().find(|level| domains(&live, *level).len() > 1);
            found.extend(level.map(|level| {
                let count = domains(&live, level).len();
                let name = level_name(cluster, level);
                Finding::new(
                    "no_spread",
                    format!("{} copies without --spread may share a {name}, of which there are {count}", wanted.copies),
                )
            }));
        }
        _ => {}
    }
    found
}

/// The weight beneath each domain, by path.
fn domains<'a>(live: &[&'a Node], level: usize) -> BTreeMap<&'a [Box<str>], u64> {
    let mut weights = BTreeMap::new();
    for node in live {
        *weights.entry(&node.get_location()[..=level]).or_insert(0) += u64::from(node.get_weight());
    }
    weights
}

fn spread(cluster: &Cluster, live: &[&Node], level: usize, wanted: &Wanted) -> Vec<Finding> {
    let (copies, name) = (wanted.copies, level_name(cluster, level));
    let domains = domains(live, level);
    let count = domains.len() as u64;
    let total: u64 = domains.values().sum();
    let mut found = Vec::new();
    if count < copies && !wanted.is_relaxed {
        // A failure, which the core words.
        return found;
    }
    if count < copies {
        let most = copies.div_ceil(count);
        found.push(Finding::new(
            "few_domains",
            format!("{copies} copies in {count} domains ({name}): one holds up to {most} copies of a key"),
        ));
    } else if count == copies {
        found.push(Finding::new(
            "few_domains",
            format!("{copies} copies in {count} domains ({name}): each holds every key, and when one fails, no other can take its copies"),
        ));
    }
    if copies.is_multiple_of(count) {
        // The copies are shared evenly, whatever the weights: a domain that has less weight is fuller.
        let uneven =
            domains.iter().filter(|(_, weight)| u128::from(**weight) * u128::from(count) * 10 < u128::from(total) * 9);
        found.extend(uneven.map(|(path, weight)| {
            let (has, holds) = (percent(*weight, total), percent(1, count));
            Finding::new(
                "light_domain",
                format!("{name} {} has {has} of the weight and holds {holds} of the copies", path.join(" / ")),
            )
        }));
    } else if count > copies {
        let heavy = domains.iter().filter(|(_, weight)| u128::from(**weight) * u128::from(copies) > u128::from(total));
        found.extend(heavy.map(|(path, weight)| {
            let (has, most) = (percent(*weight, total), percent(1, copies));
            let path = path.join(" / ");
            Finding::new(
                "heavy_domain",
                format!(
                    "{name} {path} has {has} of the weight; with {copies} copies a {name} holds at most {most} of them"
                ),
            )
        }));
    }
    found
}
