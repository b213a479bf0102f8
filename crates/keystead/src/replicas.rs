//! Replicas: the first r of a ranking, in distinct failure domains where asked for, without excluded nodes.

use alloc::{boxed::Box, collections::BTreeMap, string::String, vec::Vec};

use crate::{
    Cluster, Key, Node,
    builder::Algorithm,
    cluster::Ranking,
    error::{Error, error},
    node::{MAX_LOCATION, shown},
};

/// A level of the location whose domains copies must not share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spread {
    /// By number: 0 is the widest.
    Level(u64),
    /// By name, where the cluster names its levels.
    Name(String),
}

impl From<u64> for Spread {
    fn from(level: u64) -> Spread {
        Spread::Level(level)
    }
}

impl From<&str> for Spread {
    fn from(name: &str) -> Spread {
        Spread::Name(name.into())
    }
}

impl From<String> for Spread {
    fn from(name: String) -> Spread {
        Spread::Name(name)
    }
}

/// What a choice of nodes must respect: ids to exclude, and for replicas the spread over failure domains.
///
/// ```
/// use keystead::{Cluster, Constraints, Node};
/// let zoned = |id, zone| Node::new(id)?.location([zone]);
/// let cluster = Cluster::builder()
///     .nodes([zoned("a", "1")?, zoned("b", "1")?, zoned("c", "2")?])
///     .levels(["zone"])
///     .build()?;
/// let picked = cluster.replicas_with("user:42", 2, &Constraints::new().spread("zone"))?;
/// assert_ne!(picked.nodes()[0].get_location(), picked.nodes()[1].get_location());
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    exclude: Vec<String>,
    spread: Option<Spread>,
    relaxed: bool,
}

impl Constraints {
    /// No constraint.
    pub fn new() -> Constraints {
        Constraints::default()
    }

    /// Leaves these ids out of every ranking, without changing the cluster. Ids that are not in the cluster are ignored, since
    /// lists of unhealthy nodes lag behind membership.
    #[must_use]
    pub fn exclude<T: Into<String>>(mut self, ids: impl IntoIterator<Item = T>) -> Constraints {
        self.exclude.extend(ids.into_iter().map(Into::into));
        self
    }

    /// Asks for copies in distinct domains at this level, a domain being the first level + 1 texts of a location.
    #[must_use]
    pub fn spread(mut self, level: impl Into<Spread>) -> Constraints {
        self.spread = Some(level.into());
        self
    }

    /// Once every domain has a copy, lets each take a second, and so on, instead of failing.
    #[must_use]
    pub fn relaxed(mut self, relaxed: bool) -> Constraints {
        self.relaxed = relaxed;
        self
    }
}

/// The nodes that hold the copies of a key, best first.
#[derive(Clone, Debug)]
pub struct Replicas<'a> {
    nodes: Vec<&'a Node>,
    limit: u32,
}

impl<'a> Replicas<'a> {
    /// The nodes.
    pub fn nodes(&self) -> &[&'a Node] {
        &self.nodes
    }

    /// The nodes, owned.
    pub fn into_nodes(self) -> Vec<&'a Node> {
        self.nodes
    }

    /// How many copies a domain was allowed in the end: 1, unless a relaxed spread had to go on.
    pub fn limit(&self) -> u32 {
        self.limit
    }
}

/// Indices picked from a ranking, and how many of them a domain was allowed.
pub(crate) struct Picked {
    pub(crate) indices: Vec<u32>,
    pub(crate) limit: u32,
}

impl Cluster {
    /// The node that owns the key when some are excluded: the first of the ranking without them.
    ///
    /// # Errors
    /// `no_nodes` if none is left, saying how many are drained and how many excluded.
    pub fn owner_with<K: Key>(&self, key: K, constraints: &Constraints) -> Result<&Node, Error> {
        self.owner_index_with(key, constraints).map(|index| &self.nodes()[index as usize])
    }

    /// The index of the node that owns the key when some are excluded.
    ///
    /// # Errors
    /// As [`owner_with`](Cluster::owner_with).
    pub fn owner_index_with<K: Key>(&self, key: K, constraints: &Constraints) -> Result<u32, Error> {
        let owner = self.owner_index(&key);
        if constraints.exclude.is_empty() {
            return Ok(owner);
        }
        let excluded = self.excluded(constraints);
        if excluded.binary_search(&owner).is_err() {
            return Ok(owner);
        }
        let next = self.ranking(&key).indices().find(|index| excluded.binary_search(index).is_err());
        next.ok_or_else(|| self.none_left(&excluded))
    }

    /// The ranking of the key without the excluded nodes.
    ///
    /// # Errors
    /// `no_nodes` if none is left, as [`owner_with`](Cluster::owner_with).
    pub fn ranking_with<K: Key>(&self, key: K, constraints: &Constraints) -> Result<Ranking<'_>, Error> {
        let excluded = self.excluded(constraints);
        if self.left(&excluded) == 0 {
            return Err(self.none_left(&excluded));
        }
        let mut ranking = self.ranking(key);
        ranking.excluded = excluded;
        Ok(ranking)
    }

    /// The first `r` nodes of the key's ranking.
    ///
    /// The list for r is a prefix of the list for r + 1.
    ///
    /// # Errors
    /// `not_enough_nodes` if `r` is more than the nodes of weight above 0; `invalid_parameter` for `r` above 1 in `hierarchy-1`,
    /// where copies need a spread.
    pub fn replicas<K: Key>(&self, key: K, r: u64) -> Result<Vec<&Node>, Error> {
        self.replicas_with(key, r, &Constraints::new()).map(Replicas::into_nodes)
    }

    /// `r` nodes for the key under constraints.
    ///
    /// With a spread, nodes are picked in the order of the ranking, skipping those whose domain has its copy. Strict (the default)
    /// stops there; relaxed goes on with a second copy a domain, then a third. In either mode the list for r is a prefix of the
    /// list for r + 1.
    ///
    /// # Errors
    /// In this order: r = 0 is the empty list; `invalid_parameter` for a level that is unknown or above 7, or no spread in
    /// `hierarchy-1` at r above 1; `uneven_locations` if a node of weight above 0, excluded or not, has no text at the level;
    /// `no_nodes`; `not_enough_nodes`; `not_enough_domains`, the last two with both numbers.
    pub fn replicas_with<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Replicas<'_>, Error> {
        let (nodes, limit) = self.pick_as(key, r, constraints, |index| &self.nodes()[index as usize])?;
        Ok(Replicas { nodes, limit })
    }

    /// The indices of `r` nodes for the key under constraints.
    ///
    /// # Errors
    /// As [`replicas_with`](Cluster::replicas_with).
    pub fn replica_indices_with<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Vec<u32>, Error> {
        self.pick(key, r, constraints).map(|picked| picked.indices)
    }

    /// The checks of [`replicas_with`](Cluster::replicas_with) that come before the key, for fronts whose keys can be refused.
    ///
    /// # Errors
    /// `invalid_parameter` and `uneven_locations`.
    pub fn check_replicas(&self, r: u64, constraints: &Constraints) -> Result<(), Error> {
        if r > 0 {
            self.level(r, constraints)?;
        }
        Ok(())
    }

    /// The number of the level to spread over, checked.
    pub(crate) fn level(&self, r: u64, constraints: &Constraints) -> Result<Option<usize>, Error> {
        let Some(spread) = &constraints.spread else {
            if r > 1 && self.inner.parameters.algorithm == Algorithm::Hierarchy {
                return Err(error!(
                    InvalidParameter,
                    "{r} replicas of hierarchy-1 need a spread: without one they would share a domain"
                ));
            }
            return Ok(None);
        };
        let level = self.level_number(spread)?;
        if self.inner.depth <= level {
            let short = self.nodes().iter().find(|node| !node.is_drained() && node.get_location().len() <= level);
            return Err(error!(
                UnevenLocations,
                "location of node {} is {} deep: spread over level {level} needs {}",
                shown(short.map_or("", Node::id)),
                match self.inner.depth {
                    1 => "1 level".into(),
                    depth => alloc::format!("{depth} levels"),
                },
                level + 1
            ));
        }
        Ok(Some(level))
    }

    fn level_number(&self, spread: &Spread) -> Result<usize, Error> {
        match spread {
            Spread::Level(level) => {
                usize::try_from(*level).ok().filter(|level| *level < MAX_LOCATION).ok_or_else(|| {
                    error!(InvalidParameter, "spread level {level} is out of range: from 0 to {}", MAX_LOCATION - 1)
                })
            }
            Spread::Name(name) => {
                let levels = self.levels().unwrap_or_default();
                levels.iter().position(|level| **level == **name).ok_or_else(|| {
                    let known: Vec<&str> = levels.iter().map(|level| &**level).collect();
                    let known = match &known[..] {
                        [] => "the cluster names no levels".into(),
                        known => alloc::format!("the levels are: {}", known.join(", ")),
                    };
                    error!(InvalidParameter, "spread level {} is unknown; {known}", shown(name))
                })
            }
        }
    }

    pub(crate) fn pick<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Picked, Error> {
        self.pick_as(key, r, constraints, |index| index).map(|(indices, limit)| Picked { indices, limit })
    }

    /// What `make` makes of each picked index, in one list; and how many copies a domain was allowed.
    fn pick_as<K: Key, T>(
        &self,
        key: K,
        r: u64,
        constraints: &Constraints,
        make: impl Fn(u32) -> T,
    ) -> Result<(Vec<T>, u32), Error> {
        if r == 0 {
            return Ok((Vec::new(), 1));
        }
        let level = self.level(r, constraints)?;
        let excluded = self.excluded(constraints);
        let left = self.left(&excluded);
        if left == 0 {
            return Err(self.none_left(&excluded));
        }
        let wanted = usize::try_from(r)
            .ok()
            .filter(|wanted| *wanted <= left)
            .ok_or_else(|| error!(NotEnoughNodes, "{r} replicas are asked for, and {left} nodes can answer"))?;
        let digest = self.digest(key);
        if level.is_none() && excluded.is_empty() {
            return Ok((self.inner.placement.top(digest, wanted, make), 1));
        }
        let mut ranking = self.ranking_of_digest(digest);
        ranking.excluded = excluded;
        let ranking = ranking.indices();
        match level {
            None => Ok((ranking.take(wanted).map(make).collect(), 1)),
            Some(level) => {
                let picked = self.pick_spread(ranking, wanted, level, constraints.relaxed)?;
                Ok((picked.indices.into_iter().map(make).collect(), picked.limit))
            }
        }
    }

    /// The passes of the specification in one walk: pass p picks, in the order of the ranking, the p-th node of each domain. So the
    /// nodes that the first pass skips are kept with their number within their domain, and sorted by it if they are needed.
    fn pick_spread(
        &self,
        ranking: impl Iterator<Item = u32>,
        wanted: usize,
        level: usize,
        relaxed: bool,
    ) -> Result<Picked, Error> {
        let mut seen: BTreeMap<&[Box<str>], u32> = BTreeMap::new();
        let mut indices = Vec::with_capacity(wanted);
        let mut later = Vec::new();
        for index in ranking {
            let domain = &self.nodes()[index as usize].get_location()[..=level];
            let count = seen.entry(domain).or_insert(0);
            *count += 1;
            if *count > 1 {
                later.push((*count, index));
                continue;
            }
            indices.push(index);
            if indices.len() == wanted {
                return Ok(Picked { indices, limit: 1 });
            }
        }
        if !relaxed {
            return Err(error!(
                NotEnoughDomains,
                "{wanted} replicas are asked for in distinct domains, and {} domains can answer",
                indices.len()
            ));
        }
        later.sort_by_key(|(count, _)| *count);
        let missing = wanted - indices.len();
        let limit = later[missing - 1].0;
        indices.extend(later[..missing].iter().map(|(_, index)| *index));
        Ok(Picked { indices, limit })
    }

    /// The indices of the excluded nodes that are in the cluster, ascending.
    pub(crate) fn excluded(&self, constraints: &Constraints) -> Vec<u32> {
        let mut indices: Vec<u32> = constraints.exclude.iter().filter_map(|id| self.index_of(id)).collect();
        indices.sort_unstable();
        indices.dedup();
        indices
    }

    /// How many nodes of weight above 0 are not excluded.
    fn left(&self, excluded: &[u32]) -> usize {
        let gone = excluded.iter().filter(|index| !self.nodes()[**index as usize].is_drained()).count();
        self.inner.live - gone
    }

    fn none_left(&self, excluded: &[u32]) -> Error {
        let drained = self.len() - self.inner.live;
        error!(
            NoNodes,
            "no node is left to answer: of {} nodes {drained} are drained and {} are excluded",
            self.len(),
            excluded.len()
        )
    }
}

impl Constraints {
    pub(crate) fn is_relaxed(&self) -> bool {
        self.relaxed
    }

    pub(crate) fn excluded_ids(&self) -> &[String] {
        &self.exclude
    }
}
