//! What one file can hold: a cluster, or a transition from one to another.

use alloc::vec::Vec;

use crate::{
    Cluster, Constraints, Explanation, Fingerprint, Key, Node, Ranking, Replicas, Transition,
    error::{Error, error},
};

/// What has a fingerprint and may have an epoch, so that two services can tell whether they agree.
pub trait Described {
    /// Equal fingerprints mean equal answers to every call.
    fn fingerprint(&self) -> Fingerprint;

    /// The number under which it was published, if it was.
    fn epoch(&self) -> Option<u64>;
}

impl Described for Cluster {
    fn fingerprint(&self) -> Fingerprint {
        Cluster::fingerprint(self)
    }

    fn epoch(&self) -> Option<u64> {
        Cluster::epoch(self)
    }
}

impl Described for Transition {
    fn fingerprint(&self) -> Fingerprint {
        Transition::fingerprint(self)
    }

    fn epoch(&self) -> Option<u64> {
        Transition::epoch(self)
    }
}

impl Described for Description {
    fn fingerprint(&self) -> Fingerprint {
        match self {
            Description::Cluster(cluster) => cluster.fingerprint(),
            Description::Transition(transition) => transition.fingerprint(),
        }
    }

    fn epoch(&self) -> Option<u64> {
        match self {
            Description::Cluster(cluster) => cluster.epoch(),
            Description::Transition(transition) => transition.epoch(),
        }
    }
}

/// What comparing two descriptions says of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The fingerprints are equal.
    Same,
    /// Its epoch is larger.
    Newer,
    /// Its epoch is smaller.
    Older,
    /// The epochs are equal: somebody published two descriptions under one number.
    Conflict,
    /// At least one of them carries no epoch.
    Different,
}

impl Comparison {
    /// Compares `a` with `b`.
    pub fn between(a: &impl Described, b: &impl Described) -> Comparison {
        if a.fingerprint() == b.fingerprint() {
            return Comparison::Same;
        }
        let (Some(a), Some(b)) = (a.epoch(), b.epoch()) else { return Comparison::Different };
        match a.cmp(&b) {
            core::cmp::Ordering::Greater => Comparison::Newer,
            core::cmp::Ordering::Less => Comparison::Older,
            core::cmp::Ordering::Equal => Comparison::Conflict,
        }
    }

    /// `same`, `newer`, `older`, `conflict` or `different`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Comparison::Same => "same",
            Comparison::Newer => "newer",
            Comparison::Older => "older",
            Comparison::Conflict => "conflict",
            Comparison::Different => "different",
        }
    }
}

/// A cluster, or a transition from one to another: what one file can hold and a service can work with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Description {
    /// A cluster.
    Cluster(Cluster),
    /// A transition.
    Transition(Transition),
}

impl From<Cluster> for Description {
    fn from(cluster: Cluster) -> Description {
        Description::Cluster(cluster)
    }
}

impl From<Transition> for Description {
    fn from(transition: Transition) -> Description {
        Description::Transition(transition)
    }
}

impl From<&Cluster> for Description {
    fn from(cluster: &Cluster) -> Description {
        Description::Cluster(cluster.clone())
    }
}

impl From<&Transition> for Description {
    fn from(transition: &Transition) -> Description {
        Description::Transition(transition.clone())
    }
}

impl Description {
    /// The cluster that answers for the key.
    pub fn answering<K: Key>(&self, key: K) -> &Cluster {
        match self {
            Description::Cluster(cluster) => cluster,
            Description::Transition(transition) => transition.answering(key),
        }
    }

    /// The node that owns the key.
    pub fn owner<K: Key>(&self, key: K) -> &Node {
        key.with_bytes(|key| self.answering(key).owner(key))
    }

    /// The node that owns the key when some are excluded.
    ///
    /// # Errors
    /// As [`Cluster::owner_with`].
    pub fn owner_with<K: Key>(&self, key: K, constraints: &Constraints) -> Result<&Node, Error> {
        key.with_bytes(|key| self.answering(key).owner_with(key, constraints))
    }

    /// The ranking of the key.
    pub fn ranking<K: Key>(&self, key: K) -> Ranking<'_> {
        key.with_bytes(|key| self.answering(key).ranking(key))
    }

    /// The ranking of the key without the excluded nodes.
    ///
    /// # Errors
    /// As [`Cluster::ranking_with`].
    pub fn ranking_with<K: Key>(&self, key: K, constraints: &Constraints) -> Result<Ranking<'_>, Error> {
        key.with_bytes(|key| self.answering(key).ranking_with(key, constraints))
    }

    /// The first `r` nodes of the key's ranking.
    ///
    /// # Errors
    /// As [`Cluster::replicas`].
    pub fn replicas<K: Key>(&self, key: K, r: u64) -> Result<Vec<&Node>, Error> {
        key.with_bytes(|key| self.answering(key).replicas(key, r))
    }

    /// `r` nodes for the key under constraints.
    ///
    /// # Errors
    /// As [`Cluster::replicas_with`].
    pub fn replicas_with<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Replicas<'_>, Error> {
        key.with_bytes(|key| self.answering(key).replicas_with(key, r, constraints))
    }

    /// Why the key goes where it goes.
    ///
    /// # Errors
    /// As [`Cluster::explain`].
    pub fn explain<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        match self {
            Description::Cluster(cluster) => cluster.explain(key, r, constraints),
            Description::Transition(transition) => transition.explain(key, r, constraints),
        }
    }

    /// Where the key can be: its owner, and during a transition the other cluster's owner where that differs.
    pub fn candidates<K: Key>(&self, key: K) -> Vec<&Node> {
        match self {
            Description::Cluster(cluster) => alloc::vec![cluster.owner(key)],
            Description::Transition(transition) => transition.candidates(key),
        }
    }

    /// Whether two services agree, as [`Cluster::compare`].
    pub fn compare(&self, other: &impl Described) -> Comparison {
        Comparison::between(self, other)
    }

    /// The clusters in it: one, or the one that is left and the one that is entered.
    pub fn clusters(&self) -> Vec<&Cluster> {
        match self {
            Description::Cluster(cluster) => alloc::vec![cluster],
            Description::Transition(transition) => alloc::vec![transition.before(), transition.after()],
        }
    }

    /// Whether `next` may take the place of this description in a running service, and whether it is another one.
    ///
    /// Its epoch must not be smaller, must not disappear, and must be larger where the fingerprint is another. Where neither carries
    /// an epoch, another fingerprint counts as newer.
    ///
    /// # Errors
    /// `stale_epoch` for a smaller epoch or one that disappears; `epoch_conflict` for the same epoch with another fingerprint.
    pub fn followed_by(&self, next: &Description) -> Result<Refresh, Error> {
        let another = self.fingerprint() != next.fingerprint();
        match (self.epoch(), next.epoch()) {
            (Some(now), None) => {
                Err(error!(StaleEpoch, "epoch {now} is in force, and the next description carries none"))
            }
            (Some(now), Some(then)) if then < now => {
                Err(error!(StaleEpoch, "epoch {then} is older than epoch {now}, which is in force"))
            }
            (Some(now), Some(then)) if then == now && another => Err(error!(
                EpochConflict,
                "epoch {now} is in force with fingerprint {}, and this is {}: two descriptions under one number",
                self.fingerprint(),
                next.fingerprint()
            )),
            _ if another => Ok(Refresh::Newer),
            _ => Ok(Refresh::Same),
        }
    }
}

/// What a refresh found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// The answers are the same. What is only carried, such as addresses, and the epoch may be new, and is in force.
    Same,
    /// The answers may differ.
    Newer,
}

impl Refresh {
    /// `same` or `newer`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Refresh::Same => "same",
            Refresh::Newer => "newer",
        }
    }
}
