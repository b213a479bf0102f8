//! A side in the form in which its differences from another are known exactly.

use alloc::{vec, vec::Vec};

use super::{
    judge::{Judge, Member, Side},
    shares::{Shares, float},
};
use crate::{Change, Cluster, Constraints, Gate, Hash, error::Error, placement::Placement, transition::gate_of};

/// Who owns what, by the numbers of names, with excluded nodes left out.
pub(super) enum View {
    /// Weights.
    Race(Vec<u32>),
    /// A ring, and the name of each of its nodes.
    Ring(Cluster, Vec<u32>),
    /// The owner of each slot.
    Table(Vec<u32>),
    /// A hierarchy.
    Domains,
}

/// A cluster of a side, or a whole side in which slots pass.
pub(super) struct Seen {
    pub(super) view: View,
    pub(super) hash: Hash,
    /// By name; none for a hierarchy with excluded nodes, whose load falls on their domains.
    pub(super) shares: Option<Shares>,
}

/// A side as its views: one, or two between which a gate chooses by key.
pub(super) struct SeenSide {
    pub(super) views: Vec<Seen>,
    pub(super) gate: Option<Gate>,
}

/// So much of the keys is answered by these two views, given by their places.
pub(super) struct Phase {
    pub(super) weight: f64,
    pub(super) before: usize,
    pub(super) after: usize,
}

impl SeenSide {
    pub(super) fn new(side: &Side, judge: &Judge) -> Result<SeenSide, Error> {
        let Some(transition) = side.transition() else {
            return Ok(SeenSide { views: vec![Seen::new(&side.members[0], judge)?], gate: None });
        };
        let gate = transition.gate();
        if !transition.by_slot() {
            let views = side.members.iter().map(|member| Seen::new(member, judge)).collect::<Result<_, Error>>()?;
            return Ok(SeenSide { views, gate: Some(gate) });
        }
        // Whole slots pass, so the side is one table.
        let tables: Vec<Vec<u32>> = side.members.iter().map(|member| owners(member, &judge.constraints)).collect();
        let choose =
            |(slot, (old, new)): (u32, (&u32, &u32))| if gate.lets(gate_of(&slot.to_le_bytes())) { *new } else { *old };
        let owners = (0..).zip(tables[0].iter().zip(&tables[1])).map(choose).collect();
        Ok(SeenSide { views: vec![Seen::table(owners, side.members[0].cluster.hash(), judge.names())], gate: None })
    }

    /// The shares of the whole side, where they are known and their numbers do not grow too large.
    pub(super) fn shares(&self) -> Option<Shares> {
        let first = self.views[0].shares.as_ref()?;
        match self.gate {
            None => Some(first.clone()),
            Some(gate) => first.passed_to(self.views[1].shares.as_ref()?, gate),
        }
    }

    /// The share of one name.
    pub(super) fn share(&self, name: usize) -> Option<f64> {
        let share = |view: usize| Some(self.views[view].shares.as_ref()?.of(name));
        match self.gate {
            None => share(0),
            Some(gate) => {
                let passed = f64::from(gate.part()) / f64::from(gate.of());
                Some((1.0 - passed) * share(0)? + passed * share(1)?)
            }
        }
    }
}

/// Which members or views answer together, and for how much of the keys: two gates ask the same number of a key, which depends on
/// neither side.
pub(super) fn phases(before: Option<Gate>, after: Option<Gate>) -> Vec<Phase> {
    // As parts of one whole, below 2^64.
    let fraction = |gate: Option<Gate>| gate.map_or((0, 1), |gate| (u64::from(gate.part()), u64::from(gate.of())));
    let ((old, old_of), (new, new_of)) = (fraction(before), fraction(after));
    let (old, new, whole) = (old * new_of, new * old_of, old_of * new_of);
    let phase = |parts: u64, before, after| Phase { weight: float(parts.into()) / float(whole.into()), before, after };
    let phases = [
        phase(old.min(new), 1, 1),
        phase(new.saturating_sub(old), 0, 1),
        phase(old.saturating_sub(new), 1, 0),
        phase(whole - old.max(new), 0, 0),
    ];
    phases.into_iter().filter(|phase| phase.weight > 0.0).collect()
}

impl Seen {
    fn new(member: &Member, judge: &Judge) -> Result<Seen, Error> {
        let Member { cluster, names } = member;
        let excluded = cluster.excluded(&judge.constraints);
        let weights = || {
            let mut weights = vec![0; judge.names()];
            for ((index, node), name) in (0_u32..).zip(cluster.nodes()).zip(names) {
                if excluded.binary_search(&index).is_err() {
                    weights[*name as usize] = node.get_weight();
                }
            }
            weights
        };
        let hash = *cluster.hash();
        Ok(match &cluster.inner.placement {
            Placement::Rendezvous(_) => {
                let weights = weights();
                Seen { shares: Some(shares_of_weights(&weights)), view: View::Race(weights), hash }
            }
            Placement::Hierarchy(_) => {
                let shares = excluded.is_empty().then(|| shares_of_weights(&weights()));
                Seen { view: View::Domains, hash, shares }
            }
            Placement::Slots(_) => Seen::table(owners(member, &judge.constraints), &hash, judge.names()),
            Placement::Ring(_) => {
                // Excluding a node of a ring gives the answers of removing it.
                let ring = without(cluster, &excluded)?;
                let mut parts = vec![0; judge.names()];
                for arc in ring.arcs()? {
                    parts[names[arc.node as usize] as usize] += arc.length;
                }
                let shares = Some(Shares::new(parts, ring.space().map_or(1 << 64, u128::from)));
                Seen { view: View::Ring(ring, names.clone()), hash, shares }
            }
        })
    }

    fn table(owners: Vec<u32>, hash: &Hash, names: usize) -> Seen {
        let mut parts = vec![0_u128; names];
        for owner in &owners {
            parts[*owner as usize] += 1;
        }
        let shares = Some(Shares::new(parts, owners.len() as u128));
        Seen { view: View::Table(owners), hash: *hash, shares }
    }
}

fn shares_of_weights(weights: &[u32]) -> Shares {
    let parts: Vec<u128> = weights.iter().map(|weight| u128::from(*weight)).collect();
    let whole = parts.iter().sum();
    Shares::new(parts, whole)
}

/// The cluster with some of its nodes drained.
fn without(cluster: &Cluster, excluded: &[u32]) -> Result<Cluster, Error> {
    let live = excluded.iter().map(|index| &cluster.nodes()[*index as usize]).filter(|node| !node.is_drained());
    let drain = live.fold(None, |drain: Option<Change>, node| Some(drain.unwrap_or_default().drain(node.id())));
    drain.map_or_else(|| Ok(cluster.clone()), |drain| cluster.change(&drain))
}

/// The name of the owner of each slot, which is the next of its ranking where the owner is excluded.
pub(super) fn owners(member: &Member, constraints: &Constraints) -> Vec<u32> {
    let Placement::Slots(slots) = &member.cluster.inner.placement else { return Vec::new() };
    let excluded = member.cluster.excluded(constraints);
    let owner = |(slot, owner): (u32, &u32)| {
        let next = || slots.ranking(slot).find(|node| excluded.binary_search(node).is_err());
        let kept = excluded.binary_search(owner).is_err();
        member.names[if kept { *owner } else { next().unwrap_or(*owner) } as usize]
    };
    (0..).zip(slots.owners()).map(owner).collect()
}
