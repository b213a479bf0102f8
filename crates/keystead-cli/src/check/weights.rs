//! Weights that do not give the shares they seem to.

use super::{Finding, Wanted, percent};
use crate::figures::few;
use keystead::{Cluster, Node};

/// Where nodes times copies are more, the expectation, which costs so many steps a few hundred times, is left out.
const EXPECTED_UP_TO: u64 = 1_000_000;
/// More heavy nodes than this are counted and not named.
const NAMED: usize = 5;

pub(crate) fn warnings(cluster: &Cluster, wanted: &Wanted) -> Vec<Finding> {
    let mut found = Vec::new();
    let live: Vec<&Node> = cluster.nodes().iter().filter(|node| !node.is_drained()).collect();
    let drained: Vec<&str> = cluster.nodes().iter().filter(|node| node.is_drained()).map(Node::id).collect();
    if !drained.is_empty() {
        let plural = if drained.len() == 1 { "node is" } else { "nodes are" };
        found.push(Finding::new(
            "drained",
            format!("{} {plural} drained and will own no key: {}", drained.len(), few(&drained)),
        ));
    }
    if let ([only], true) = (live.as_slice(), cluster.len() > 1) {
        found.push(Finding::new(
            "single_node",
            format!("{} is the only node that is not drained: it owns every key", only.id()),
        ));
    }
    if wanted.copies > 1 && live.len() as u64 >= wanted.copies {
        found.extend(heavy(cluster, &live, wanted));
    }
    found
}

/// With r copies on distinct nodes none can hold more than 1/r of them, whatever its weight.
fn heavy(cluster: &Cluster, live: &[&Node], wanted: &Wanted) -> Vec<Finding> {
    let total: u64 = live.iter().map(|node| u64::from(node.get_weight())).sum();
    let copies = wanted.copies;
    let too_heavy = |node: &&&Node| u128::from(node.get_weight()) * u128::from(copies) > u128::from(total);
    let heavy: Vec<&&Node> = live.iter().filter(too_heavy).collect();
    let message = |node: &Node| {
        let (id, weight) = (node.id(), u64::from(node.get_weight()));
        let most = percent(1, copies);
        let expected = if cluster.algorithm() == "hierarchy-1"
            || wanted.level.is_some()
            || copies.saturating_mul(live.len() as u64) > EXPECTED_UP_TO
        {
            String::new()
        } else {
            format!(", expected: {}", percent_of(expected_part(live, node, copies)))
        };
        format!(
            "{id} has {} of the weight; with {copies} copies a node holds at most {most} of them{expected}",
            percent(weight, total)
        )
    };
    // There are fewer than r of them, since their shares add up to less than the whole.
    let mut found: Vec<Finding> =
        heavy.iter().take(NAMED).map(|node| Finding::new("heavy_node", message(node))).collect();
    if heavy.len() > NAMED {
        let rest = few(heavy[NAMED..].iter().map(|node| node.id()));
        found.push(Finding::new(
            "heavy_node",
            format!("more than {} of the weight have also {rest}", percent(1, copies)),
        ));
    }
    found
}

/// The part of all copies that `node` is expected to hold.
///
/// Copies are drawn one after the other without replacement. As a race: node j arrives at an exponential time of rate `w_j`, and the
/// first r to arrive hold the copies. With u = exp(−w t) for the node's own time, the chance to be among them is the integral over
/// u from 0 to 1 of the chance that fewer than r others came before, each with probability 1 − u^(`w_j` / w).
fn expected_part(live: &[&Node], node: &Node, copies: u64) -> f64 {
    /// Simpson's rule; the integrand is smooth, and four digits are shown at most.
    const INTERVALS: u16 = 200;
    let copies = usize::try_from(copies).unwrap_or(usize::MAX);
    let ratios: Vec<f64> = live
        .iter()
        .filter(|other| other.id() != node.id())
        .map(|other| f64::from(other.get_weight()) / f64::from(node.get_weight()))
        .collect();
    let among_the_first = |u: f64| {
        // before[k] is the chance that k others came before; k = r stands for more, and is not needed.
        let mut before = vec![0.0; copies.min(ratios.len() + 1)];
        before[0] = 1.0;
        for ratio in &ratios {
            let earlier = 1.0 - u.powf(*ratio);
            for k in (0..before.len()).rev() {
                before[k] = before[k] * (1.0 - earlier) + if k > 0 { before[k - 1] * earlier } else { 0.0 };
            }
        }
        before.iter().sum::<f64>()
    };
    let sum: f64 = (0..=INTERVALS)
        .map(|step| {
            let factor = if step == 0 || step == INTERVALS {
                1.0
            } else if step % 2 == 1 {
                4.0
            } else {
                2.0
            };
            factor * among_the_first(f64::from(step) / f64::from(INTERVALS))
        })
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "a figure of three digits")]
    let copies = copies as f64;
    sum / (3.0 * f64::from(INTERVALS)) / copies
}

fn percent_of(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}
