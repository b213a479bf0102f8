//! `ring-1`: nodes own arcs of a circle, up to and including their tokens.

mod table;
#[cfg(test)]
mod tests;
mod tokens;

use alloc::{vec, vec::Vec};

use self::{
    table::{Mark, Table, Token},
    tokens::{Source, collision},
};
use crate::{
    error::{Error, error},
    fate::{Fate, GONE, fates},
    hash::mulhi,
    node::Entry,
};

/// The part of a ring that one token serves.
///
/// A token *t* serves the coordinates above its predecessor's up to and including *t*: `(start, end]`, where `start`
/// is the next lower token on the ring, for the lowest token the highest one (the arc then runs through 0). The
/// length is `end − start` modulo the ring's space; a token that is alone has `start == end` and serves the whole
/// space, which for the default is 2^64. The lengths of all arcs add up to the space exactly. A token that shares its
/// coordinate with one of a smaller id serves nothing and has no arc.
///
/// ```
/// use keystead::{Cluster, Node};
/// let node = |id, token| Node::new(id)?.tokens([token]);
/// let nodes = [node("a", 1)?, node("b", 8)?, node("c", 24)?];
/// let ring = Cluster::builder().algorithm("ring-1").space(32).nodes(nodes).build()?;
/// let arcs: Vec<_> = ring.arcs()?.iter().map(|arc| (arc.start, arc.end, arc.length, arc.node)).collect();
/// assert_eq!(arcs, [(24, 1, 9, 0), (1, 8, 7, 1), (8, 24, 16, 2)]);
/// assert_eq!([24, 25, 1, 2].map(|at| ring.owner_index_at(at).unwrap()), [2, 0, 0, 1]);
/// # Ok::<(), keystead::Error>(())
/// ```
///
/// Source: Karger et al., *Consistent hashing and random trees*, STOC 1997.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingArc {
    /// The coordinate before the arc's first: the preceding token, which is not part of the arc.
    pub start: u64,
    /// The token: the arc's last coordinate.
    pub end: u64,
    /// How many coordinates the arc has, 1 … 2^64.
    pub length: u128,
    /// The index of the node whose token it is.
    pub node: u32,
}

/// The ring of a cluster: every token of every node that is not drained.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    table: Table,
    source: Source,
    /// The largest coordinate, which the source knows as well: a lookup reads one number instead of two.
    last: u64,
    /// Nodes in the cluster, drained ones included.
    nodes: usize,
    /// Nodes with tokens on the ring.
    serving: usize,
}

impl Ring {
    /// The ring of these nodes; of their own tokens if they give any, otherwise of `weight × tokens_per_weight`
    /// tokens each, the *j*-th (1, 2, …) being `draw(nd, j)`.
    ///
    /// # Errors
    /// `invalid_tokens`, `token_collision`, `invalid_weight` (with tokens given), `invalid_parameter` (`space`,
    /// `tokens_per_weight`), `too_many_tokens`; `no_nodes` when all are drained.
    ///
    /// # Complexity
    /// O(tokens) for drawn tokens. O(tokens × log tokens) at worst for given ones.
    pub(crate) fn new(entries: &[Entry<'_>], tokens_per_weight: u32, space: Option<u64>) -> Result<Ring, Error> {
        let source = Source::new(entries, tokens_per_weight, space)?;
        let serving = serving(entries)?;
        let mut table = Table::new(&source.tokens(entries, true), source.last());
        if matches!(source, Source::Given { .. }) {
            reject_shared(table.tokens(), entries)?;
            if serving < entries.len() {
                table = Table::new(&source.tokens(entries, false), source.last());
            }
        }
        Ok(Ring { table, source, last: source.last(), nodes: entries.len(), serving })
    }

    /// The ring after a change: what [`Ring::new`] gives for the nodes `after`, made from this ring of the nodes
    /// `before`.
    ///
    /// # Errors
    /// As [`Ring::new`].
    ///
    /// # Complexity
    /// O(tokens), but of copying runs of them: tokens are drawn and sorted for the changed nodes only.
    pub(crate) fn changed(
        &self,
        before: &[Entry<'_>],
        after: &[Entry<'_>],
        tokens_per_weight: u32,
        space: Option<u64>,
    ) -> Result<Ring, Error> {
        let source = Source::new(after, tokens_per_weight, space)?;
        let serving = serving(after)?;
        let change = Change::new(source, before, after);
        // Where much of the ring is new, a run between two edits is too short to be worth copying.
        if source != self.source || (change.removed.len() + change.added.len()) > self.table.len() / 4 {
            return Ring::new(after, tokens_per_weight, space);
        }
        if matches!(source, Source::Given { .. }) {
            self.check_fresh(&change, before, after)?;
        }
        let table = self.table.edited(&change.renumber, &change.removed, &change.added, source.last());
        Ok(Ring { table, source, last: source.last(), nodes: after.len(), serving })
    }

    /// Whether the tokens of nodes that are new, or give other tokens than before, meet none of another node.
    fn check_fresh(&self, change: &Change, before: &[Entry<'_>], after: &[Entry<'_>]) -> Result<(), Error> {
        let fresh = &change.fresh;
        reject_shared(fresh.iter().copied(), after)?;
        for token in fresh {
            let position = self.table.position(token.coordinate);
            let met = self.table.marks().get(position);
            if let Some(met) = met.filter(|_| self.table.coordinate(position) == token.coordinate) {
                let other = change.renumber[met.node() as usize];
                if other != GONE {
                    return Err(collision(after, token.coordinate, [other, token.node]));
                }
            }
        }
        // Drained nodes are not on the ring that was, and their tokens are taken all the same.
        for (entry, &kept) in
            before.iter().zip(&change.renumber).filter(|(entry, kept)| entry.weight == 0 && **kept != GONE)
        {
            for token in entry.tokens.unwrap_or_default() {
                if let Ok(at) = fresh.binary_search_by_key(token, |fresh| fresh.coordinate) {
                    return Err(collision(after, *token, [kept, fresh[at].node]));
                }
            }
        }
        Ok(())
    }

    /// How many coordinates there are; `None` for 2^64.
    #[inline]
    pub(crate) fn space(&self) -> Option<u64> {
        self.last.checked_add(1)
    }

    /// The largest coordinate.
    #[inline]
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// The coordinate of a key: its digest, scaled to the space where one is set.
    #[inline]
    pub(crate) fn coordinate(&self, kd: u64) -> u64 {
        self.space().map_or(kd, |space| mulhi(kd, space))
    }

    /// The node of the first token at or above the coordinate, wrapping to the lowest. The coordinate must be in the
    /// space.
    ///
    /// # Complexity
    /// O(1) for drawn tokens, O(log tokens) at worst for given ones.
    #[inline]
    pub(crate) fn owner_at(&self, coordinate: u64) -> u32 {
        self.table.node_at(coordinate)
    }

    /// Every node with tokens once, in the order in which their first token is met walking up from the coordinate.
    ///
    /// # Complexity
    /// O(1) for a step unless tokens of nodes already met lie between; O(tokens) in all.
    pub(crate) fn walk(&self, coordinate: u64) -> Walk<'_> {
        let start = self.table.position(coordinate);
        let (wrapped, ahead) = self.table.marks().split_at(start);
        Walk { marks: ahead.iter().chain(wrapped), left: self.serving, met: Met::new(self.nodes) }
    }

    /// The arcs, ascending by `end`.
    pub(crate) fn arcs(&self) -> impl Iterator<Item = RingArc> {
        let (tokens, space) = (self.table.tokens(), u128::from(self.source.last()) + 1);
        let highest = self.table.coordinate(tokens.len() - 1);
        let starts = core::iter::once(None).chain(tokens.clone().map(|token| Some(token.coordinate)));
        starts.zip(tokens).filter(|(start, token)| *start != Some(token.coordinate)).map(move |(start, token)| {
            let (end, node) = (token.coordinate, token.node);
            // The lowest token follows the highest, and is itself the highest where it is alone.
            let (start, base) = start.map_or((highest, space), |start| (start, 0));
            RingArc { start, end, length: base + u128::from(end) - u128::from(start), node }
        })
    }

    /// For each node the sum of the lengths of its arcs.
    pub(crate) fn lengths(&self, nodes: usize) -> Vec<u128> {
        let mut lengths = vec![0; nodes];
        self.arcs().for_each(|arc| lengths[arc.node as usize] += arc.length);
        lengths
    }
}

/// Whether ascending tokens that nodes gave lie apart.
fn reject_shared(tokens: impl Iterator<Item = Token> + Clone, entries: &[Entry<'_>]) -> Result<(), Error> {
    match tokens.clone().zip(tokens.skip(1)).find(|(one, next)| one.coordinate == next.coordinate) {
        None => Ok(()),
        Some((one, next)) => Err(collision(entries, one.coordinate, [one.node, next.node])),
    }
}

fn serving(entries: &[Entry<'_>]) -> Result<usize, Error> {
    match entries.iter().filter(|entry| entry.weight > 0).count() {
        0 => Err(error!(NoNodes, "no nodes: all {} are drained", entries.len())),
        serving => Ok(serving),
    }
}

/// What a change of nodes does to the tokens.
struct Change {
    /// The index after the change of each node before; [`GONE`] also for one that comes back with other tokens.
    renumber: Vec<u32>,
    /// Tokens that leave the ring, ascending, by the nodes before.
    removed: Vec<Token>,
    /// Tokens that enter the ring, ascending, by the nodes after.
    added: Vec<Token>,
    /// Given tokens that no node gave before, drained nodes' included, ascending, by the nodes after.
    fresh: Vec<Token>,
}

impl Change {
    fn new(source: Source, before: &[Entry<'_>], after: &[Entry<'_>]) -> Change {
        let mut change = Change { renumber: vec![GONE; before.len()], removed: vec![], added: vec![], fresh: vec![] };
        for fate in fates(before, after) {
            let (old, new) = match fate {
                Fate::Kept { before, after } => (Some(before), Some(after)),
                Fate::Gone { before } => (Some(before), None),
                Fate::New { after } => (None, Some(after)),
            };
            let was = old.map(|old| &before[old as usize]);
            let is = new.map(|new| &after[new as usize]);
            let kept = matches!((was, is), (Some(was), Some(is)) if was.tokens == is.tokens && was.digest == is.digest);
            // What the node had before counts only if the node is the same; what it has then, likewise.
            let (weight_before, weight_after) = (was.map_or(0, |was| was.weight), is.map_or(0, |is| is.weight));
            if let (Some(old), Some(was)) = (old, was) {
                if let (true, Some(new)) = (kept, new) {
                    change.renumber[old as usize] = new;
                }
                let stay = if kept { weight_after } else { 0 };
                if was.weight > stay {
                    change.removed.extend(source.tokens_of(old, was, stay));
                }
            }
            if let (Some(new), Some(is)) = (new, is) {
                let stay = if kept { weight_before } else { 0 };
                if is.weight > stay {
                    change.added.extend(source.tokens_of(new, is, stay));
                }
                if !kept {
                    let given = is.tokens.unwrap_or_default().iter();
                    change.fresh.extend(given.map(|&coordinate| Token { coordinate, node: new }));
                }
            }
        }
        change.removed.sort_unstable();
        change.added.sort_unstable();
        change.fresh.sort_unstable();
        change
    }
}

/// The nodes of a ring in the order of a key, see [`Ring::walk`].
pub(crate) struct Walk<'a> {
    marks: core::iter::Chain<core::slice::Iter<'a, Mark>, core::slice::Iter<'a, Mark>>,
    /// Nodes not met yet: with the last of them the walk ends, however many tokens are left.
    left: usize,
    met: Met,
}

impl Iterator for Walk<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let met = &mut self.met;
        self.marks.find(|mark| met.insert(mark.node())).map(|mark| mark.node())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

/// A set of nodes: a short list, and once it is full a bit for each node, so that a few replicas cost no allocation.
struct Met {
    first: [u32; Met::FIRST],
    count: usize,
    bits: Vec<u64>,
    nodes: usize,
}

impl Met {
    const FIRST: usize = 8;

    fn new(nodes: usize) -> Met {
        Met { first: [0; Met::FIRST], count: 0, bits: Vec::new(), nodes }
    }

    /// Whether the node is new to the set, which it then is no longer.
    fn insert(&mut self, node: u32) -> bool {
        if self.count < Met::FIRST {
            let new = !self.first[..self.count].contains(&node);
            if new {
                self.first[self.count] = node;
                self.count += 1;
            }
            return new;
        }
        if self.bits.is_empty() {
            self.bits = vec![0; self.nodes.div_ceil(64)];
            self.first.iter().for_each(|node| self.bits[*node as usize / 64] |= 1 << (node % 64));
        }
        let (word, bit) = (&mut self.bits[node as usize / 64], 1 << (node % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}
