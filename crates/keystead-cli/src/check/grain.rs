//! Rings with too few tokens and tables with too few slots: shares that chance makes uneven.

use super::Finding;
use crate::{
    figures::few,
    show::{slots_of_share, tokens},
};
use keystead::{Cluster, Node, Share};

/// Fewer tokens or slots than this a node make its share uncertain by more than a tenth.
const ENOUGH: u64 = 100;

pub(crate) fn warnings(cluster: &Cluster) -> Vec<Finding> {
    match cluster.algorithm() {
        "ring-1" => ring(cluster),
        "slots-1" => slots(cluster),
        _ => Vec::new(),
    }
}

/// Nodes that are not drained, with their exact shares.
fn live(cluster: &Cluster) -> impl Iterator<Item = (&Node, Share)> {
    cluster.nodes().iter().zip(cluster.shares()).filter(|(node, _)| !node.is_drained())
}

/// How far the exact shares are from the weights: the smallest and the largest of share over fair share, in per cent.
fn extremes(cluster: &Cluster) -> (u128, u128) {
    let total: u128 = cluster.nodes().iter().map(|node| u128::from(node.get_weight())).sum();
    // A share's numerator and denominator have up to 65 bits; its upper 32 are enough for a percentage.
    let relative = |(node, share): (&Node, Share)| {
        let parts = (share.numerator << 32) / share.denominator;
        (parts * total * 100 / u128::from(node.get_weight())) >> 32
    };
    let all = || live(cluster).map(relative);
    (all().min().unwrap_or(0), all().max().unwrap_or(0))
}

fn ring(cluster: &Cluster) -> Vec<Finding> {
    let few_tokens: Vec<(&Node, u64)> =
        live(cluster).map(|(node, _)| (node, tokens(cluster, node))).filter(|(_, count)| *count < ENOUGH).collect();
    let Some(&(_, fewest)) = few_tokens.iter().min_by_key(|(_, count)| *count) else { return Vec::new() };
    let (least, most) = extremes(cluster);
    // Tokens that somebody placed by hand may be few and even.
    if cluster.tokens_per_weight().is_none() && least >= 90 && most <= 110 {
        return Vec::new();
    }
    let names = few(few_tokens.iter().map(|(node, _)| node.id()));
    vec![Finding::new(
        "few_tokens",
        format!(
            "{} nodes have fewer than {ENOUGH} tokens, {fewest} at least ({names}): shares are expected to be off by {}, and lie between {least} % and {most} % of what the weights say",
            few_tokens.len(),
            deviation(fewest),
        ),
    )]
}

fn slots(cluster: &Cluster) -> Vec<Finding> {
    let mut found = Vec::new();
    let count = cluster.slots().map_or(0, u64::from);
    let nodes = live(cluster).count() as u64;
    if cluster.headroom().is_none() && count < ENOUGH * nodes {
        let (least, most) = extremes(cluster);
        found.push(Finding::new(
            "few_slots",
            format!(
                "{count} slots are {} a node: shares are expected to be off by {}, and lie between {least} % and {most} % of what the weights say; take {} slots, or a headroom",
                count / nodes.max(1),
                deviation(count / nodes.max(1)),
                ENOUGH * nodes
            ),
        ));
    }
    let without: Vec<&str> =
        live(cluster).filter(|(_, share)| slots_of_share(cluster, *share) == 0).map(|(node, _)| node.id()).collect();
    if !without.is_empty() {
        found.push(Finding::new(
            "no_slot",
            format!("{} of {nodes} nodes own no slot: {}", without.len(), few(&without)),
        ));
    }
    found
}

/// The standard deviation of a share that is made of so many random pieces, relative to the share.
fn deviation(pieces: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a figure of two digits, from a number below 100")]
    let relative = 100.0 / (pieces.max(1) as f64).sqrt();
    format!("{relative:.0} %")
}
