//! What the figures say, in words.

use super::{Loaded, Report};
use serde::Serialize;

/// What is to blame, if anything.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// No more than chance.
    Chance,
    /// One key, many times.
    EqualKeys,
    /// Too few distinct keys to be even.
    FewKeys,
    /// A few keys have most of the load.
    HotKeys,
    /// The nodes' parts of the key space are not what their weights say.
    UnevenShares,
    /// Distinct keys are spread as chance would not spread them.
    NotChance,
}

/// A p below this is no chance.
const UNLIKELY: f64 = 0.001;
/// Fewer distinct keys a node cannot be even.
const ENOUGH: u64 = 30;
/// A load this much above the fair one is worth a word.
const NOTICEABLE: f64 = 1.1;

pub(super) fn judge(report: &Report) -> (Verdict, String) {
    let live: Vec<&Loaded> = report.nodes.iter().filter(|node| node.fair > 0.0).collect();
    let nodes = live.len() as u64;
    if report.distinct == 1 && report.keys > 1 {
        return (Verdict::EqualKeys, "your keys are equal, the nodes are fine".to_owned());
    }
    if let Some(test) = &report.chi_square
        && test.p < UNLIKELY
    {
        let message = "no chance: are these all keys, picked without regard to their owner? If they are, another seed spreads them otherwise";
        return (Verdict::NotChance, message.to_owned());
    }
    if !report.hot.is_empty()
        && (report.max_mean > NOTICEABLE || report.bytes_max_mean.is_some_and(|most| most > NOTICEABLE))
    {
        return (Verdict::HotKeys, "hot keys make the difference, the nodes are fine".to_owned());
    }
    if report.distinct < ENOUGH * nodes {
        let message = format!("{} distinct keys are too few to fill {nodes} nodes evenly", report.distinct);
        return (Verdict::FewKeys, message);
    }
    let off = live.iter().max_by(|one, other| (one.share / one.fair).total_cmp(&(other.share / other.fair)));
    if let Some(node) = off
        && node.share / node.fair > NOTICEABLE
    {
        let message = format!(
            "{} owns {:.2} times the part that its weight asks for: more tokens or slots, a headroom, or another algorithm",
            node.id,
            node.share / node.fair
        );
        return (Verdict::UnevenShares, message);
    }
    (Verdict::Chance, "no more than chance".to_owned())
}
