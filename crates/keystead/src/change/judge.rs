//! The answers of both sides to one key, compared.

use alloc::vec::Vec;

use super::{Reason, causes::Causes};
use crate::{
    Cluster, Constraints, Described, Description, Fingerprint, Node, Transition,
    encode::KeyBytes,
    error::{Error, error},
};

/// A cluster of a side, and the number of each node's name.
pub(crate) struct Member {
    pub(crate) cluster: Cluster,
    /// By index.
    pub(crate) names: Vec<u32>,
}

impl Member {
    fn new(cluster: &Cluster, names: &[Node]) -> Member {
        // Both lists are in the order of ids, and every node's id is among the names.
        let mut numbered = (0_u32..).zip(names);
        let number = |node: &Node| numbered.find(|(_, name)| name.id() == node.id()).map_or(0, |(number, _)| number);
        Member { names: cluster.nodes().iter().map(number).collect(), cluster: cluster.clone() }
    }
}

/// A description, and the clusters of which it is made: one, or the one that is left and the one that is entered.
pub(crate) struct Side {
    pub(crate) description: Description,
    pub(crate) members: Vec<Member>,
}

impl Side {
    fn new(description: &Description, names: &[Node]) -> Side {
        let members = description.clusters().into_iter().map(|cluster| Member::new(cluster, names)).collect();
        Side { description: description.clone(), members }
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.description.fingerprint()
    }

    pub(crate) fn transition(&self) -> Option<&Transition> {
        match &self.description {
            Description::Cluster(_) => None,
            Description::Transition(transition) => Some(transition),
        }
    }

    /// Which of the members answers for the key.
    fn answering(&self, key: KeyBytes<'_>) -> usize {
        self.transition().map_or(0, |transition| usize::from(transition.passes(key)))
    }
}

/// What becomes of one key: the numbers of its owners' names, and why.
#[derive(Clone, Copy)]
pub(crate) struct Verdict {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) reason: Reason,
}

/// The names that hold a key's copies, for every key anew.
#[derive(Default)]
pub(crate) struct Lists {
    pub(crate) before: Vec<u32>,
    pub(crate) after: Vec<u32>,
    /// Ascending: those that are in the first only.
    pub(crate) dropped: Vec<u32>,
    /// Ascending: those that are in the second only.
    pub(crate) added: Vec<u32>,
}

impl Lists {
    fn compare(&mut self) {
        let Lists { before, after, dropped, added } = self;
        for (list, sorted) in [(&*before, &mut *dropped), (&*after, &mut *added)] {
            sorted.clone_from(list);
            sorted.sort_unstable();
        }
        dropped.retain(|name| added.binary_search(name).is_err());
        if dropped.is_empty() {
            // Both hold as many.
            added.clear();
            return;
        }
        let mut kept = before.clone();
        kept.sort_unstable();
        added.retain(|name| kept.binary_search(name).is_err());
    }
}

/// Both sides and the question that is put to them.
///
/// A *name* is an id that is in some cluster of either side. Names are numbered in the order of ids, so that one number means one node
/// wherever it is.
pub(crate) struct Judge {
    names: Vec<Node>,
    pub(crate) before: Side,
    pub(crate) after: Side,
    /// For each member before and each member after.
    causes: Vec<Causes>,
    pub(crate) r: u64,
    pub(crate) constraints: Constraints,
    /// Whether the question is for the owner alone, and nobody is excluded.
    plain: bool,
}

impl Judge {
    pub(crate) fn new(
        before: &Description,
        after: &Description,
        r: u64,
        constraints: &Constraints,
    ) -> Result<Judge, Error> {
        if r == 0 {
            return Err(error!(InvalidParameter, "r 0 is out of range: a difference is one of at least 1 node a key"));
        }
        let clusters = || before.clusters().into_iter().chain(after.clusters());
        for cluster in clusters() {
            // Whether a cluster can answer does not depend on the key, so any will do.
            cluster.replica_indices_with(KeyBytes::plain(b""), r, constraints)?;
        }
        let mut names: Vec<Node> = clusters().flat_map(Cluster::nodes).cloned().collect();
        names.sort_by(|a, b| a.id().cmp(b.id()));
        names.dedup_by(|a, b| a.id() == b.id());
        let (before, after) = (Side::new(before, &names), Side::new(after, &names));
        let pairs = before.members.iter().flat_map(|old| after.members.iter().map(move |new| (old, new)));
        let causes = pairs.map(|(old, new)| Causes::new(old, new, names.len())).collect();
        let plain = r == 1 && constraints.excluded_ids().is_empty();
        Ok(Judge { names, before, after, causes, r, constraints: constraints.clone(), plain })
    }

    /// How many names there are.
    pub(crate) fn names(&self) -> usize {
        self.names.len()
    }

    /// The id of a name.
    pub(crate) fn id(&self, name: u32) -> &str {
        self.names[name as usize].id()
    }

    /// The name of an id.
    pub(crate) fn name(&self, id: &str) -> Option<u32> {
        self.names.binary_search_by(|name| name.id().cmp(id)).ok()?.try_into().ok()
    }

    /// Every id, in the order of names.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(Node::id)
    }

    /// What distinguishes two members.
    pub(super) fn causes(&self, before: usize, after: usize) -> &Causes {
        &self.causes[before * self.after.members.len() + after]
    }

    pub(crate) fn judge(&self, key: KeyBytes<'_>, lists: &mut Lists) -> Result<Verdict, Error> {
        let (old, new) = (self.before.answering(key), self.after.answering(key));
        let causes = self.causes(old, new);
        let (old, new) = (&self.before.members[old], &self.after.members[new]);
        self.ask(old, key, &mut lists.before)?;
        if causes.same {
            lists.after.clone_from(&lists.before);
        } else {
            self.ask(new, key, &mut lists.after)?;
        }
        let (from, to) = (lists.before[0], lists.after[0]);
        if lists.before == lists.after {
            lists.dropped.clear();
            lists.added.clear();
            return Ok(Verdict { from, to, reason: Reason::Unchanged });
        }
        lists.compare();
        let reason = if from == to { Reason::Candidates } else { causes.reason(from, to) };
        Ok(Verdict { from, to, reason })
    }

    fn ask(&self, member: &Member, key: KeyBytes<'_>, list: &mut Vec<u32>) -> Result<(), Error> {
        list.clear();
        if self.plain {
            list.push(member.names[member.cluster.owner_index(key) as usize]);
            return Ok(());
        }
        let picked = member.cluster.replica_indices_with(key, self.r, &self.constraints)?;
        list.extend(picked.into_iter().map(|index| member.names[index as usize]));
        Ok(())
    }
}
