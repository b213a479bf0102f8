//! Which nodes can gain and which can lose between two clusters: what the reason of a move is read from.

use alloc::{vec, vec::Vec};

use super::{Reason, judge::Member};
use crate::{Cluster, Node, builder::Algorithm};

/// How two clusters differ, by the numbers of names.
pub(super) struct Causes {
    /// Equal fingerprints: the same answers.
    pub(super) same: bool,
    grew: Vec<bool>,
    shrank: Vec<bool>,
}

impl Causes {
    pub(super) fn new(before: &Member, after: &Member, names: usize) -> Causes {
        let mut causes =
            Causes { same: before.cluster == after.cluster, grew: vec![false; names], shrank: vec![false; names] };
        let circle = one_circle(&before.cluster, &after.cluster);
        let (old, new) = (by_name(before, names), by_name(after, names));
        for (name, pair) in old.into_iter().zip(new).enumerate() {
            (causes.grew[name], causes.shrank[name]) = match pair {
                (Some(old), Some(new)) if circle => {
                    let (old, new) = (Tokens::of(&before.cluster, old), Tokens::of(&after.cluster, new));
                    (!new.are_within(&old), !old.are_within(&new))
                }
                (old, new) => {
                    let [old, new] = [old, new].map(|node| node.map_or(0, Node::get_weight));
                    (new > old, new < old)
                }
            };
        }
        causes
    }

    /// Why a key moves.
    pub(super) fn reason(&self, from: u32, to: u32) -> Reason {
        match (self.grew[to as usize], self.shrank[from as usize]) {
            (true, false) => Reason::Gained,
            (false, true) => Reason::Lost,
            (true, true) => Reason::Both,
            (false, false) => Reason::Reshuffled,
        }
    }

    /// Whether this name has the same weight, or the same tokens, on both sides.
    pub(super) fn keeps(&self, name: u32) -> bool {
        !self.grew[name as usize] && !self.shrank[name as usize]
    }
}

fn by_name(member: &Member, names: usize) -> Vec<Option<&Node>> {
    let mut nodes = vec![None; names];
    for (node, name) in member.cluster.nodes().iter().zip(&member.names) {
        nodes[*name as usize] = Some(node);
    }
    nodes
}

/// Whether both are rings on which a key has the same coordinate.
pub(super) fn one_circle(before: &Cluster, after: &Cluster) -> bool {
    let ring = |cluster: &Cluster| matches!(cluster.inner.parameters.algorithm, Algorithm::Ring { .. });
    ring(before) && ring(after) && before.hash() == after.hash() && before.space() == after.space()
}

/// The tokens with which a node serves.
enum Tokens<'a> {
    /// The first so many that are drawn from its digest, which is the same in both rings.
    Drawn(u64),
    /// Its own, ascending.
    Given(&'a [u64]),
}

impl<'a> Tokens<'a> {
    fn of(cluster: &Cluster, node: &'a Node) -> Tokens<'a> {
        match node.get_tokens() {
            _ if node.is_drained() => Tokens::Drawn(0),
            Some(tokens) => Tokens::Given(tokens),
            None => Tokens::Drawn(u64::from(node.get_weight()) * u64::from(cluster.inner.parameters.tokens_each())),
        }
    }

    fn are_within(&self, others: &Tokens<'_>) -> bool {
        match (self, others) {
            (Tokens::Drawn(0), _) => true,
            (Tokens::Drawn(count), Tokens::Drawn(others)) => count <= others,
            (Tokens::Given(tokens), Tokens::Given(others)) => {
                tokens.iter().all(|token| others.binary_search(token).is_ok())
            }
            // No drawn token is a given one, but by a chance of one in 2^64.
            _ => false,
        }
    }
}
