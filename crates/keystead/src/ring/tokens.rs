//! Where tokens come from: drawn from a node's digest, or given; and the rules for those given.

use super::table::Token;
use crate::{
    error::{Error, error},
    hash::draw,
    node::{Entry, shown},
};

/// The most tokens a ring may have, drained nodes' explicit ones included.
const MAX_TOKENS: u64 = 1 << 26;

/// The most tokens per unit of weight.
const MAX_TOKENS_PER_WEIGHT: u32 = 65_536;

/// Where the tokens of all nodes of one ring come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Token *j* of a node is `draw(nd, j)`, so many for each unit of weight.
    Drawn { per_weight: u32 },
    /// Every node gives its own, from 0 to `last`.
    Given { last: u64 },
}

impl Source {
    /// Checks every rule that needs one node at a time, and the limits.
    pub(super) fn new(entries: &[Entry<'_>], tokens_per_weight: u32, space: Option<u64>) -> Result<Source, Error> {
        let source = if entries.iter().any(|entry| entry.tokens.is_some()) {
            if let Some(space @ 0..2) = space {
                return Err(error!(
                    InvalidParameter,
                    "space {space} is out of range: an integer from 2 to {}",
                    u64::MAX
                ));
            }
            Source::Given { last: space.map_or(u64::MAX, |space| space - 1) }
        } else {
            if let Some(space) = space {
                return Err(error!(
                    InvalidParameter,
                    "space {space} is given, and only a ring of explicit tokens takes one"
                ));
            }
            if !(1..=MAX_TOKENS_PER_WEIGHT).contains(&tokens_per_weight) {
                return Err(error!(
                    InvalidParameter,
                    "tokens_per_weight {tokens_per_weight} is out of range: an integer from 1 to {MAX_TOKENS_PER_WEIGHT}"
                ));
            }
            Source::Drawn { per_weight: tokens_per_weight }
        };
        let mut count = 0_u64;
        for entry in entries {
            source.check(entry)?;
            // Neither addend passes 2^48, and the sum is compared at each step, so it cannot wrap.
            count += match entry.tokens {
                Some(tokens) => tokens.len() as u64,
                None => source.drawn(entry.weight),
            };
            if count > MAX_TOKENS {
                return Err(error!(
                    TooManyTokens,
                    "too many tokens: {count} with node {}, at most {MAX_TOKENS} in all",
                    shown(entry.id),
                ));
            }
        }
        Ok(source)
    }

    fn check(self, entry: &Entry<'_>) -> Result<(), Error> {
        let Source::Given { last } = self else { return Ok(()) };
        let id = shown(entry.id);
        let Some(tokens) = entry.tokens else {
            return Err(error!(InvalidTokens, "node {id} gives no tokens, and others do: all or none must"));
        };
        if tokens.is_empty() {
            return Err(error!(InvalidTokens, "tokens of node {id} are an empty list: at least one is needed"));
        }
        if let Some(token) = tokens.iter().find(|&&token| token > last) {
            return Err(error!(
                InvalidTokens,
                "token {token} of node {id} is out of range: an integer from 0 to {last}"
            ));
        }
        if entry.weight > 1 {
            return Err(error!(
                InvalidWeight,
                "weight {} of node {id} is out of range: 0 or 1 where tokens are given", entry.weight
            ));
        }
        Ok(())
    }

    /// The largest coordinate.
    pub(super) const fn last(self) -> u64 {
        match self {
            Source::Drawn { .. } => u64::MAX,
            Source::Given { last } => last,
        }
    }

    /// How many tokens a node of this weight has drawn.
    pub(super) const fn drawn(self, weight: u32) -> u64 {
        match self {
            Source::Drawn { per_weight } => weight as u64 * per_weight as u64,
            Source::Given { .. } => 0,
        }
    }

    /// All tokens of all nodes; those of drained nodes, which serve nothing, only if asked for.
    pub(super) fn tokens(self, entries: &[Entry<'_>], drained: bool) -> impl Iterator<Item = Token> + Clone {
        (0_u32..)
            .zip(entries)
            .filter(move |(_, entry)| drained || entry.weight > 0)
            .flat_map(move |(node, entry)| self.tokens_of(node, entry, 0))
    }

    /// The tokens of one node without the first `skipped` units of weight.
    pub(super) fn tokens_of(self, node: u32, entry: &Entry<'_>, skipped: u32) -> impl Iterator<Item = Token> + Clone {
        let digest = entry.digest;
        let drawn = self.drawn(skipped) + 1..=self.drawn(entry.weight);
        let given = if skipped == 0 { entry.tokens.unwrap_or_default() } else { &[] };
        given
            .iter()
            .copied()
            .chain(drawn.map(move |j| draw(digest, j)))
            .map(move |coordinate| Token { coordinate, node })
    }
}

/// The error for a token that stands twice among those given.
pub(super) fn collision(entries: &[Entry<'_>], token: u64, nodes: [u32; 2]) -> Error {
    let [one, other] = nodes.map(|node| shown(entries[node as usize].id));
    if nodes[0] == nodes[1] {
        return error!(InvalidTokens, "token {token} of node {one} is given twice");
    }
    error!(TokenCollision, "token {token} is given by node {one} and by node {other}")
}
