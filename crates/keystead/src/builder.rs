//! From parameters to a cluster: one set of words and checks for files, constructors and the command.

use alloc::{borrow::ToOwned, boxed::Box, string::String, sync::Arc, vec::Vec};

use crate::{
    Cluster, Node,
    error::{Error, error},
    hash::Hash,
    node::{Entry, shown, validate_id},
};

const DEFAULT_TOKENS_PER_WEIGHT: u32 = 256;
pub(crate) const MAX_TOKENS_PER_WEIGHT: u64 = 65_536;
const DEFAULT_SLOTS: u32 = 16_384;
pub(crate) const MAX_SLOTS: u64 = 1 << 22;
pub(crate) const MAX_HEADROOM: u64 = 1_000;
pub(crate) const MAX_EPOCH: u64 = (1 << 53) - 1;
pub(crate) const MAX_LEVELS: usize = crate::node::MAX_LOCATION;

/// An algorithm with its own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rendezvous,
    /// `tokens_per_weight` as it was given: beside explicit tokens it must not be.
    Ring {
        tokens_per_weight: Option<u32>,
        space: Option<u64>,
    },
    Slots {
        slots: u32,
        headroom: Option<u32>,
    },
    Hierarchy,
}

impl Algorithm {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Algorithm::Rendezvous => "rendezvous-1",
            Algorithm::Ring { .. } => "ring-1",
            Algorithm::Slots { .. } => "slots-1",
            Algorithm::Hierarchy => "hierarchy-1",
        }
    }
}

/// Everything in a description but the nodes and the epoch, validated.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(crate) algorithm: Algorithm,
    pub(crate) hash: Hash,
    pub(crate) levels: Option<Arc<[Box<str>]>>,
    pub(crate) comment: Option<Arc<str>>,
}

impl Parameters {
    /// Tokens for each unit of weight where tokens are derived.
    pub(crate) fn tokens_each(&self) -> u32 {
        match self.algorithm {
            Algorithm::Ring { tokens_per_weight, .. } => tokens_per_weight.unwrap_or(DEFAULT_TOKENS_PER_WEIGHT),
            _ => DEFAULT_TOKENS_PER_WEIGHT,
        }
    }

    pub(crate) fn tokens_per_weight(&self, nodes: &[Node]) -> Option<u32> {
        // Either all nodes of a ring give tokens or none does.
        let derived = nodes.first().is_some_and(|node| node.get_tokens().is_none());
        (matches!(self.algorithm, Algorithm::Ring { .. }) && derived).then(|| self.tokens_each())
    }

    pub(crate) fn space(&self) -> Option<u64> {
        if let Algorithm::Ring { space, .. } = self.algorithm { space } else { None }
    }

    pub(crate) fn slots(&self) -> Option<u32> {
        if let Algorithm::Slots { slots, .. } = self.algorithm { Some(slots) } else { None }
    }

    pub(crate) fn headroom(&self) -> Option<u32> {
        if let Algorithm::Slots { headroom, .. } = self.algorithm { headroom } else { None }
    }

    /// Whether the parameters and the nodes' explicit tokens belong together; the ring itself checks the tokens.
    pub(crate) fn check_tokens(&self, entries: &[Entry<'_>]) -> Result<(), Error> {
        let explicit = entries.iter().find(|entry| entry.tokens.is_some());
        match (self.algorithm, explicit) {
            (Algorithm::Ring { tokens_per_weight: Some(given), .. }, Some(node)) => Err(error!(
                InvalidParameter,
                "tokens_per_weight {given} stands beside the explicit tokens of node {}",
                shown(node.id)
            )),
            (Algorithm::Ring { space: Some(space), .. }, None) => {
                Err(error!(InvalidParameter, "space {space} is given without explicit tokens"))
            }
            (Algorithm::Ring { .. }, _) | (_, None) => Ok(()),
            (other, Some(node)) => Err(error!(
                InvalidParameter,
                "tokens of node {} belong to ring-1, and the algorithm is {}",
                shown(node.id),
                other.name()
            )),
        }
    }
}

/// Collects the parameters of a cluster. Every one is optional but the nodes; [`build`](ClusterBuilder::build) checks them.
///
/// ```
/// use keystead::{Cluster, Node};
/// let cluster = Cluster::builder()
///     .algorithm("slots-1")
///     .slots(1_024)
///     .levels(["zone"])
///     .node(Node::new("worker-1")?.location(["a"])?)
///     .node(Node::new("worker-2")?.location(["b"])?)
///     .epoch(7)
///     .build()?;
/// assert_eq!(cluster.slots(), Some(1_024));
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClusterBuilder {
    nodes: Vec<Node>,
    // The first node that could not be one: reported on building, so that calls can be chained.
    fault: Option<Error>,
    algorithm: Option<String>,
    hash: Option<String>,
    seed: Option<u64>,
    secret: Option<Secret>,
    epoch: Option<u64>,
    levels: Option<Vec<String>>,
    tokens_per_weight: Option<u64>,
    space: Option<u64>,
    slots: Option<u64>,
    headroom: Option<u64>,
    comment: Option<String>,
}

#[derive(Clone)]
struct Secret(Vec<u8>);

impl core::fmt::Debug for Secret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("hidden")
    }
}

impl ClusterBuilder {
    /// Adds nodes: ids, or [`Node`]s.
    #[must_use]
    pub fn nodes<N>(mut self, nodes: impl IntoIterator<Item = N>) -> ClusterBuilder
    where
        N: TryInto<Node>,
        Error: From<N::Error>,
    {
        for node in nodes {
            self = self.node(node);
        }
        self
    }

    /// Adds a node: an id, or a [`Node`].
    #[must_use]
    pub fn node<N>(mut self, node: N) -> ClusterBuilder
    where
        N: TryInto<Node>,
        Error: From<N::Error>,
    {
        match node.try_into() {
            Ok(node) => self.nodes.push(node),
            Err(fault) => self.fault = self.fault.or_else(|| Some(fault.into())),
        }
        self
    }

    /// `rendezvous-1` (default), `ring-1`, `slots-1` or `hierarchy-1`.
    #[must_use]
    pub fn algorithm(mut self, name: &str) -> ClusterBuilder {
        self.algorithm = Some(name.to_owned());
        self
    }

    /// `xxh3` (default), `xxh64` or `sip13`.
    #[must_use]
    pub fn hash(mut self, name: &str) -> ClusterBuilder {
        self.hash = Some(name.to_owned());
        self
    }

    /// The seed of `xxh3` and `xxh64`; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> ClusterBuilder {
        self.seed = Some(seed);
        self
    }

    /// The secret of `sip13`: 16 bytes from a cryptographic random source.
    #[must_use]
    pub fn secret(mut self, secret: &[u8]) -> ClusterBuilder {
        self.secret = Some(Secret(secret.to_owned()));
        self
    }

    /// The number under which this description is published, 0 … 2^53 − 1.
    #[must_use]
    pub fn epoch(mut self, epoch: u64) -> ClusterBuilder {
        self.epoch = Some(epoch);
        self
    }

    /// Names for the levels of locations, widest first: 1 … 8 distinct texts.
    #[must_use]
    pub fn levels<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> ClusterBuilder {
        self.levels = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// `ring-1`: tokens for each unit of weight, 1 … 65,536; 256 by default.
    #[must_use]
    pub fn tokens_per_weight(mut self, tokens: u64) -> ClusterBuilder {
        self.tokens_per_weight = Some(tokens);
        self
    }

    /// `ring-1` with explicit tokens: the coordinates are 0 … `space` − 1, 2 … 2^64 − 1; 2^64 by default.
    #[must_use]
    pub fn space(mut self, space: u64) -> ClusterBuilder {
        self.space = Some(space);
        self
    }

    /// `slots-1`: the number of slots, 1 … 2^22; 16,384 by default.
    #[must_use]
    pub fn slots(mut self, slots: u64) -> ClusterBuilder {
        self.slots = Some(slots);
        self
    }

    /// `slots-1`: no node gets more slots than its proportional part and this many percent, 0 … 1,000; no caps by default.
    #[must_use]
    pub fn headroom(mut self, percent: u64) -> ClusterBuilder {
        self.headroom = Some(percent);
        self
    }

    /// A comment; carried, shapes no answer.
    #[must_use]
    pub fn comment(mut self, comment: impl Into<String>) -> ClusterBuilder {
        self.comment = Some(comment.into());
        self
    }

    /// Checks everything and prepares the cluster.
    ///
    /// # Errors
    /// The code of the first rule found broken; which of several is reported is unspecified.
    pub fn build(self) -> Result<Cluster, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let algorithm = self.chosen_algorithm()?;
        let secret = self.secret.as_ref().map(|secret| secret.0.as_slice());
        let hash = Hash::from_parts(self.hash.as_deref(), self.seed, secret)?;
        let epoch = self.epoch.map(checked_epoch).transpose()?;
        let levels = self.levels.map(checked_levels).transpose()?;
        let parameters = Parameters { algorithm, hash, levels, comment: self.comment.map(Into::into) };
        Cluster::assemble(parameters, self.nodes, epoch, None)
    }

    pub(crate) fn chosen_algorithm(&self) -> Result<Algorithm, Error> {
        let tokens_per_weight = in_range("tokens_per_weight", self.tokens_per_weight, 1, MAX_TOKENS_PER_WEIGHT)?;
        let space = self.space;
        if let Some(space) = space.filter(|space| *space < 2) {
            return Err(error!(InvalidParameter, "space {space} is out of range: from 2 to 2^64 - 1"));
        }
        let slots = in_range("slots", self.slots, 1, MAX_SLOTS)?;
        let headroom = in_range("headroom", self.headroom, 0, MAX_HEADROOM)?;
        let algorithm = match self.algorithm.as_deref().unwrap_or("rendezvous-1") {
            "rendezvous-1" => Algorithm::Rendezvous,
            "ring-1" => Algorithm::Ring { tokens_per_weight, space },
            "slots-1" => Algorithm::Slots { slots: slots.unwrap_or(DEFAULT_SLOTS), headroom },
            "hierarchy-1" => Algorithm::Hierarchy,
            other => {
                return Err(error!(
                    InvalidParameter,
                    "algorithm {} is unknown: one of rendezvous-1, ring-1, slots-1, hierarchy-1",
                    shown(other)
                ));
            }
        };
        let given = [
            ("tokens_per_weight", tokens_per_weight.map(u64::from), "ring-1"),
            ("space", space, "ring-1"),
            ("slots", slots.map(u64::from), "slots-1"),
            ("headroom", headroom.map(u64::from), "slots-1"),
        ];
        for (name, value, owner) in given {
            if let Some(value) = value.filter(|_| owner != algorithm.name()) {
                return Err(error!(
                    InvalidParameter,
                    "{name} {value} belongs to {owner}, and the algorithm is {}",
                    algorithm.name()
                ));
            }
        }
        Ok(algorithm)
    }
}

fn in_range(name: &str, value: Option<u64>, least: u64, most: u64) -> Result<Option<u32>, Error> {
    let Some(value) = value else { return Ok(None) };
    let fits = u32::try_from(value).ok().filter(|_| (least..=most).contains(&value));
    match fits {
        Some(value) => Ok(Some(value)),
        None => Err(error!(InvalidParameter, "{name} {value} is out of range: an integer from {least} to {most}")),
    }
}

pub(crate) fn checked_epoch(epoch: u64) -> Result<u64, Error> {
    if epoch <= MAX_EPOCH {
        return Ok(epoch);
    }
    Err(error!(InvalidParameter, "epoch {epoch} is out of range: an integer from 0 to {MAX_EPOCH}"))
}

pub(crate) fn checked_levels(names: Vec<String>) -> Result<Arc<[Box<str>]>, Error> {
    if names.is_empty() || names.len() > MAX_LEVELS {
        return Err(error!(InvalidParameter, "levels has {} names: from 1 to {MAX_LEVELS}", names.len()));
    }
    for (position, name) in names.iter().enumerate() {
        if validate_id(name).is_err() {
            return Err(error!(
                InvalidParameter,
                "level {} breaks the rules of an id: 1 to 65535 bytes without control characters",
                shown(name)
            ));
        }
        if names[..position].contains(name) {
            return Err(error!(InvalidParameter, "level {} is given twice", shown(name)));
        }
    }
    Ok(names.into_iter().map(String::into_boxed_str).collect())
}
