//! `hierarchy-1`: a key chooses a domain at each level of the location, then a node inside the last.

use alloc::{boxed::Box, vec::Vec};

use crate::{
    encode::KeyEncoder,
    error::{Error, error},
    hash::{Domain, Hash},
    node::{Entry, shown},
    order::{Candidates, Order},
};

/// The domains of a cluster, each with what it holds.
///
/// At each level the domains present are ranked as the nodes of `rendezvous-1` are: a domain's digest is that of the
/// encoding of its path, as a sequence of texts, in domain 5, and its weight the sum of the weights beneath it.
/// Inside the last domain the nodes are ranked. A ranking lists all nodes of the best domain, then those of the next.
pub(crate) struct Hierarchy {
    groups: Vec<Group>,
    /// The group of the widest domains.
    root: u32,
    /// How many choices of a domain lead from there to a group of nodes.
    depth: usize,
}

/// What one domain holds: at the last level nodes, above it domains. Nothing that is drained is among them.
struct Group {
    candidates: Candidates,
    /// For each contender the group of the domain, or the index of the node.
    members: Box<[u32]>,
}

impl Hierarchy {
    /// The hierarchy of these nodes, of which at least one must have a weight above 0.
    ///
    /// # Errors
    /// `uneven_locations` unless all locations have one depth, at least 1; `digest_collision` for two domains of one
    /// parent. Drained nodes are judged like any other.
    ///
    /// # Complexity
    /// O(nodes × (log nodes + depth)).
    pub(crate) fn new(hash: &Hash, entries: &[Entry<'_>]) -> Result<Hierarchy, Error> {
        let depth = depth(entries)?;
        // By location, then by id: every domain is a run.
        let mut nodes: Vec<u32> = (0..).zip(entries).map(|(node, _)| node).collect();
        nodes.sort_by(|&a, &b| entries[a as usize].location.cmp(entries[b as usize].location));
        let mut builder = Builder { hash, entries, depth, groups: Vec::new() };
        let root = builder.add(&nodes, 0)?;
        Ok(Hierarchy { groups: builder.groups, root, depth })
    }

    /// The owner of a key's digest.
    ///
    /// # Complexity
    /// The sum of the numbers of contenders on the way: an addition and `mix64` for each.
    #[inline]
    pub(crate) fn owner(&self, kd: u64) -> u32 {
        (0..=self.depth).fold(self.root, |group, _| {
            let group = &self.groups[group as usize];
            group.members[group.candidates.best(kd)]
        })
    }

    /// Every node that is not drained, in the order of the key. A domain is ranked when its first node is asked for.
    pub(crate) fn ranking(&self, kd: u64) -> impl Iterator<Item = u32> + '_ {
        let mut ranking = Descent { hierarchy: self, kd, path: Vec::with_capacity(self.depth + 1) };
        ranking.enter(self.root);
        ranking
    }
}

/// The one depth of all locations.
fn depth(entries: &[Entry<'_>]) -> Result<usize, Error> {
    let depth = entries.first().map_or(0, |first| first.location.len());
    for entry in entries {
        let (id, found) = (shown(entry.id), entry.location.len());
        if found == 0 {
            return Err(error!(UnevenLocations, "node {id} has no location: hierarchy-1 needs one of depth 1 to 8"));
        }
        if found != depth {
            let first = shown(entries[0].id);
            return Err(error!(
                UnevenLocations,
                "location of node {id} has depth {found}, that of node {first} {depth}: hierarchy-1 needs one depth"
            ));
        }
    }
    Ok(depth)
}

struct Builder<'a> {
    hash: &'a Hash,
    entries: &'a [Entry<'a>],
    depth: usize,
    groups: Vec<Group>,
}

impl Builder<'_> {
    /// Adds the group of what these nodes' common domain holds, and the groups beneath it before.
    fn add(&mut self, nodes: &[u32], level: usize) -> Result<u32, Error> {
        let entries = self.entries;
        let entry = |node: &u32| &entries[*node as usize];
        let mut contenders = Vec::new();
        let mut members = Vec::new();
        if level == self.depth {
            let live = nodes.iter().filter(|&node| entry(node).weight > 0);
            live.for_each(|node| {
                contenders.push((entry(node).digest, u64::from(entry(node).weight)));
                members.push(*node);
            });
        } else {
            let mut digests = Vec::new();
            for domain in nodes.chunk_by(|a, b| entry(a).location[level] == entry(b).location[level]) {
                let path = &entry(&domain[0]).location[..=level];
                let digest = digest(self.hash, path)?;
                digests.push((digest, path));
                let group = self.add(domain, level + 1)?;
                let weight = domain.iter().map(|node| u64::from(entry(node).weight)).sum();
                if weight > 0 {
                    contenders.push((digest, weight));
                    members.push(group);
                }
            }
            check_distinct(digests)?;
        }
        let group = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        self.groups.push(Group { candidates: Candidates::new(contenders), members: members.into_boxed_slice() });
        Ok(group)
    }
}

/// The digest of a domain.
fn digest(hash: &Hash, path: &[Box<str>]) -> Result<u64, Error> {
    let mut encoder = KeyEncoder::new();
    encoder.begin(path.len() as u64)?;
    for text in path {
        encoder.bytes(text.as_bytes());
    }
    encoder.end();
    Ok(hash.digest(Domain::Location, encoder.finish().as_bytes()))
}

fn check_distinct(mut digests: Vec<(u64, &[Box<str>])>) -> Result<(), Error> {
    digests.sort_unstable();
    match digests.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(pair) => {
            let [one, two] = [pair[0].1, pair[1].1].map(|path| path.last().map_or("", |text| &**text));
            Err(error!(DigestCollision, "domains {one} and {two} have the same digest, {:#018x}", pair[0].0))
        }
    }
}

/// A walk through the domains of a key, best first.
struct Descent<'a> {
    hierarchy: &'a Hierarchy,
    kd: u64,
    /// The groups entered and not left, each with what is left of its order.
    path: Vec<(&'a Group, Order<'a>)>,
}

impl Descent<'_> {
    fn enter(&mut self, group: u32) {
        let group = &self.hierarchy.groups[group as usize];
        self.path.push((group, group.candidates.order(self.kd)));
    }
}

impl Iterator for Descent<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            let (group, order) = self.path.last_mut()?;
            match order.next() {
                None => drop(self.path.pop()),
                Some(position) => {
                    let member = group.members[position as usize];
                    if self.path.len() > self.hierarchy.depth {
                        return Some(member);
                    }
                    self.enter(member);
                }
            }
        }
    }
}
