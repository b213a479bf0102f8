//! A change of membership put into force key by key.

use alloc::{sync::Arc, vec::Vec};
use core::fmt;

use crate::{
    Cluster, Comparison, Constraints, Described, Explanation, Key, Node, Ranking, Replicas,
    builder::{Algorithm, checked_epoch},
    description::Fingerprint,
    encode::KeyBytes,
    error::{Error, error},
    explain::ExplainedTransition,
    hash::{Domain, Hash, mulhi},
};

/// How far a transition has gone: a key is passed when `mulhi(gate, of) < part`, its gate being XXH64 with seed `draw(0, 7)` of its
/// bytes (of the encoding for composite keys).
///
/// The gate depends on no cluster, so each step is an even sample of every pair of nodes; and it is monotone in part / of, so every
/// key passes at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    part: u32,
    of: u32,
}

impl Gate {
    /// Lets nothing pass.
    pub(crate) const NONE: Gate = Gate { part: 0, of: 1 };
    /// Lets everything pass.
    pub(crate) const ALL: Gate = Gate { part: 1, of: 1 };

    /// A gate that lets part / of of the keys pass.
    ///
    /// # Errors
    /// `invalid_parameter` unless 0 ≤ part ≤ of and 1 ≤ of ≤ 2^32 − 1.
    pub fn new(part: u64, of: u64) -> Result<Gate, Error> {
        let Some(of) = u32::try_from(of).ok().filter(|of| *of > 0) else {
            return Err(error!(InvalidParameter, "of {of} is out of range: an integer from 1 to {}", u32::MAX));
        };
        let Some(part) = u32::try_from(part).ok().filter(|part| *part <= of) else {
            return Err(error!(
                InvalidParameter,
                "part {part} is out of range: an integer from 0 to {of}, which is of"
            ));
        };
        Ok(Gate { part, of })
    }

    /// How many parts have passed.
    pub const fn part(self) -> u32 {
        self.part
    }

    /// Of how many.
    pub const fn of(self) -> u32 {
        self.of
    }

    /// Whether the key is passed.
    pub fn passes<K: Key>(self, key: K) -> bool {
        key.with_bytes(|key: KeyBytes<'_>| self.passes_bytes(key.bytes()))
    }

    fn passes_bytes(self, bytes: &[u8]) -> bool {
        self.lets(gate_of(bytes))
    }

    /// Whether what has this gate is passed.
    #[inline]
    pub(crate) fn lets(self, gate: u64) -> bool {
        mulhi(gate, u64::from(self.of)) < u64::from(self.part)
    }
}

/// The gate of bytes.
pub(crate) fn gate_of(bytes: &[u8]) -> u64 {
    Hash::xxh64(0).digest(Domain::Gate, bytes)
}

/// A change of membership that is put into force key by key: two clusters, and how far the change has gone.
///
/// A passed key is answered by `after`, any other by `before`. Every key passes at most once as the fraction grows, and the steps add
/// up to exactly the difference of the two clusters. When both clusters are `slots-1` with equal hash, seed or secret and number of
/// slots, whole slots pass.
///
/// ```
/// use keystead::{Cluster, Transition};
/// let before = Cluster::rendezvous(["cache-a", "cache-b"])?;
/// let after = before.with_node("cache-c")?;
/// let step = Transition::new(&before, &after, 1, 4)?;
/// let moved = (0..1000).filter(|key| step.owner(key).id() == "cache-c").count();
/// assert!((40..130).contains(&moved)); // a quarter of the third that moves in the end
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone)]
pub struct Transition {
    inner: Arc<Inner>,
}

struct Inner {
    before: Cluster,
    after: Cluster,
    gate: Gate,
    /// Whether slots pass instead of keys.
    by_slot: bool,
    epoch: Option<u64>,
    comment: Option<Arc<str>>,
    fingerprint: Fingerprint,
}

impl Transition {
    /// The transition from one cluster to another, part / of of the way.
    ///
    /// # Errors
    /// `invalid_parameter` unless 0 ≤ part ≤ of and 1 ≤ of ≤ 2^32 − 1.
    pub fn new(before: &Cluster, after: &Cluster, part: u64, of: u64) -> Result<Transition, Error> {
        Ok(Transition::assemble(before.clone(), after.clone(), Gate::new(part, of)?, None, None))
    }

    pub(crate) fn assemble(
        before: Cluster,
        after: Cluster,
        gate: Gate,
        epoch: Option<u64>,
        comment: Option<Arc<str>>,
    ) -> Transition {
        let table = |cluster: &Cluster| match cluster.inner.parameters.algorithm {
            Algorithm::Slots { slots, .. } => Some(slots),
            _ => None,
        };
        let by_slot = table(&before).is_some() && table(&before) == table(&after) && before.hash() == after.hash();
        let fingerprint = fingerprint(&before, &after, gate);
        Transition { inner: Arc::new(Inner { before, after, gate, by_slot, epoch, comment, fingerprint }) }
    }

    /// The cluster that is left.
    pub fn before(&self) -> &Cluster {
        &self.inner.before
    }

    /// The cluster that is entered.
    pub fn after(&self) -> &Cluster {
        &self.inner.after
    }

    /// How far it has gone.
    pub fn gate(&self) -> Gate {
        self.inner.gate
    }

    /// The epoch, if this step was published under a number. Those of the two clusters play no part.
    pub fn epoch(&self) -> Option<u64> {
        self.inner.epoch
    }

    /// The comment that the file carries.
    pub fn comment(&self) -> Option<&str> {
        self.inner.comment.as_deref()
    }

    /// The first 16 bytes of SHA-256 of both clusters' fingerprints, part and of. The fraction is not reduced: 1/2 and 2/4 answer
    /// alike under different fingerprints.
    pub fn fingerprint(&self) -> Fingerprint {
        self.inner.fingerprint
    }

    /// Whether two services agree, as [`Cluster::compare`].
    pub fn compare(&self, other: &impl Described) -> Comparison {
        Comparison::between(self, other)
    }

    /// The same transition further on, or back: under no epoch until it is published under a number.
    ///
    /// # Errors
    /// `invalid_parameter`, as [`Transition::new`].
    pub fn at(&self, part: u64, of: u64) -> Result<Transition, Error> {
        let Inner { before, after, comment, .. } = &*self.inner;
        Ok(Transition::assemble(before.clone(), after.clone(), Gate::new(part, of)?, None, comment.clone()))
    }

    /// The same step published under a number, or under none.
    ///
    /// # Errors
    /// `invalid_parameter` for an epoch above 2^53 − 1.
    pub fn with_epoch(&self, epoch: Option<u64>) -> Result<Transition, Error> {
        let epoch = epoch.map(checked_epoch).transpose()?;
        let Inner { before, after, gate, comment, .. } = &*self.inner;
        Ok(Transition::assemble(before.clone(), after.clone(), *gate, epoch, comment.clone()))
    }

    /// Whether the key is passed, and so answered by `after`.
    pub fn passes<K: Key>(&self, key: K) -> bool {
        key.with_bytes(|key| self.passes_bytes(key))
    }

    fn passes_bytes(&self, key: KeyBytes<'_>) -> bool {
        self.inner.gate.lets(self.gate_of(key))
    }

    /// Whether slots pass instead of keys.
    pub(crate) fn by_slot(&self) -> bool {
        self.inner.by_slot
    }

    /// The gate of the key, or of its slot.
    pub(crate) fn gate_of(&self, key: KeyBytes<'_>) -> u64 {
        if !self.by_slot() {
            return gate_of(key.bytes());
        }
        // Both tables have the same slots and hash, so either can say which slot it is.
        self.before().slot(key).map_or(0, |slot| gate_of(&slot.to_le_bytes()))
    }

    /// The cluster that answers for the key.
    pub fn answering<K: Key>(&self, key: K) -> &Cluster {
        if self.passes(key) { self.after() } else { self.before() }
    }

    /// The cluster that does not answer for the key.
    fn other<K: Key>(&self, key: K) -> &Cluster {
        if self.passes(key) { self.before() } else { self.after() }
    }

    /// The node that owns the key.
    pub fn owner<K: Key>(&self, key: K) -> &Node {
        key.with_bytes(|key| self.answering(key).owner(key))
    }

    /// The node that owns the key when some are excluded from the cluster that answers; there is no falling back to the other.
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

    /// Why the key goes where it goes, in the cluster that answers.
    ///
    /// # Errors
    /// As [`Cluster::explain`].
    pub fn explain<K: Key>(&self, key: K, r: u64, constraints: &Constraints) -> Result<Explanation, Error> {
        key.with_bytes(|key| {
            let mut explanation = self.answering(key).explain(key, r, constraints)?;
            explanation.transition = Some(ExplainedTransition {
                part: self.gate().part(),
                of: self.gate().of(),
                passed: self.passes(key),
                epoch: self.epoch(),
                fingerprint: alloc::format!("{}", self.fingerprint()),
            });
            Ok(explanation)
        })
    }

    /// Where the key can be while clients are at different steps: the owner, then the other cluster's owner, or one node where both
    /// agree. A cache fills the first from the second and sends deletes to both.
    pub fn candidates<K: Key>(&self, key: K) -> Vec<&Node> {
        key.with_bytes(|key| {
            let (owner, other) = (self.owner(key), self.other(key).owner(key));
            if owner.id() == other.id() { alloc::vec![owner] } else { alloc::vec![owner, other] }
        })
    }
}

fn fingerprint(before: &Cluster, after: &Cluster, gate: Gate) -> Fingerprint {
    let mut bytes = Vec::with_capacity(45);
    bytes.extend_from_slice(b"KSTT\x01");
    bytes.extend_from_slice(before.fingerprint().as_bytes());
    bytes.extend_from_slice(after.fingerprint().as_bytes());
    bytes.extend_from_slice(&gate.part.to_le_bytes());
    bytes.extend_from_slice(&gate.of.to_le_bytes());
    Fingerprint::of(&bytes)
}

impl fmt::Debug for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transition")
            .field("part", &self.inner.gate.part)
            .field("of", &self.inner.gate.of)
            .field("before", &self.inner.before)
            .field("after", &self.inner.after)
            .field("epoch", &self.inner.epoch)
            .field("fingerprint", &format_args!("{}", self.inner.fingerprint))
            .finish()
    }
}

impl PartialEq for Transition {
    fn eq(&self, other: &Transition) -> bool {
        self.fingerprint() == other.fingerprint()
    }
}

impl Eq for Transition {}
