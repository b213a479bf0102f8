//! Changes of membership: each gives a new cluster, which carries no epoch until somebody publishes it under a number.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::{
    Cluster, Node,
    builder::checked_epoch,
    error::{Error, error},
    node::shown,
};

/// Several changes made at once, so that they are judged and take effect together.
///
/// Applied in the order remove, add, weight, drain, whatever the order of the calls: so a node can be replaced by another of the
/// same id.
///
/// ```
/// use keystead::{Change, Cluster};
/// let cluster = Cluster::rendezvous(["a", "b", "c"])?;
/// let change = Change::new().add("d").remove("a").weight("b", 3).drain("c");
/// let changed = cluster.change(&change)?;
/// assert_eq!(changed.ids().collect::<Vec<_>>(), ["b", "c", "d"]);
/// assert_eq!(changed.node("b")?.get_weight(), 3);
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Change {
    fault: Option<Error>,
    add: Vec<Node>,
    remove: Vec<String>,
    weight: Vec<(String, u32)>,
    drain: Vec<String>,
}

impl Change {
    /// No change.
    pub fn new() -> Change {
        Change::default()
    }

    /// Adds a node: an id, or a [`Node`].
    #[expect(clippy::should_implement_trait, reason = "the word is the one of every language; nothing is summed")]
    #[must_use]
    pub fn add<N>(mut self, node: N) -> Change
    where
        N: TryInto<Node>,
        Error: From<N::Error>,
    {
        match node.try_into() {
            Ok(node) => self.add.push(node),
            Err(fault) => self.fault = self.fault.or_else(|| Some(fault.into())),
        }
        self
    }

    /// Removes the node of this id.
    #[must_use]
    pub fn remove(mut self, id: &str) -> Change {
        self.remove.push(id.to_owned());
        self
    }

    /// Gives the node of this id another weight.
    #[must_use]
    pub fn weight(mut self, id: &str, weight: u32) -> Change {
        self.weight.push((id.to_owned(), weight));
        self
    }

    /// Gives the node of this id the weight 0.
    #[must_use]
    pub fn drain(mut self, id: &str) -> Change {
        self.drain.push(id.to_owned());
        self
    }
}

impl Cluster {
    /// The cluster with one node more.
    ///
    /// # Errors
    /// `duplicate_node`, and what building the cluster can say.
    pub fn with_node<N>(&self, node: N) -> Result<Cluster, Error>
    where
        N: TryInto<Node>,
        Error: From<N::Error>,
    {
        self.change(&Change::new().add(node))
    }

    /// The cluster without the node of this id.
    ///
    /// # Errors
    /// `unknown_node`; `no_nodes` if none of weight above 0 is left.
    pub fn without_node(&self, id: &str) -> Result<Cluster, Error> {
        self.change(&Change::new().remove(id))
    }

    /// The cluster in which the node of this id has another weight; 0 drains it.
    ///
    /// # Errors
    /// `unknown_node`; `no_nodes` if no weight above 0 is left; `invalid_weight` for a weight above 1 beside explicit tokens.
    pub fn with_weight(&self, id: &str, weight: u32) -> Result<Cluster, Error> {
        self.change(&Change::new().weight(id, weight))
    }

    /// The cluster after several changes at once. Untouched nodes keep what they carry.
    ///
    /// # Errors
    /// `unknown_node` for an id to remove, weigh or drain that is not there; `duplicate_node` for an added id that is there;
    /// `invalid_parameter` for an id that is named twice by the same kind of change; and what building the cluster can say.
    ///
    /// # Complexity
    /// A ring merges the changed tokens into its own; a slot table rescans only what it must.
    pub fn change(&self, change: &Change) -> Result<Cluster, Error> {
        if let Some(fault) = &change.fault {
            return Err(fault.clone());
        }
        reject_repeated("remove", change.remove.iter())?;
        reject_repeated("weight", change.weight.iter().map(|(id, _)| id))?;
        reject_repeated("drain", change.drain.iter())?;
        let mut nodes = self.inner.nodes.clone();
        if !change.remove.is_empty() {
            let mut gone = Vec::with_capacity(change.remove.len());
            for id in &change.remove {
                gone.push(self.require(id)?);
            }
            gone.sort_unstable();
            let mut index = 0;
            nodes.retain(|_| {
                let keep = gone.binary_search(&index).is_err();
                index += 1;
                keep
            });
        }
        nodes.extend(change.add.iter().cloned());
        nodes.sort_by(|a, b| a.id().cmp(b.id()));
        let drained = change.drain.iter().map(|id| (id, 0));
        for (id, weight) in change.weight.iter().map(|(id, weight)| (id, *weight)).chain(drained) {
            let position = nodes.binary_search_by(|node| node.id().cmp(id));
            let position = position.map_err(|_| error!(UnknownNode, "node {} is not in the cluster", shown(id)))?;
            nodes[position] = nodes[position].clone().weight(weight);
        }
        Cluster::assemble(self.inner.parameters.clone(), nodes, None, Some(&self.inner))
    }

    /// The same description published under a number, or under none.
    ///
    /// # Errors
    /// `invalid_parameter` for an epoch above 2^53 − 1.
    pub fn with_epoch(&self, epoch: Option<u64>) -> Result<Cluster, Error> {
        let epoch = epoch.map(checked_epoch).transpose()?;
        Cluster::assemble(self.inner.parameters.clone(), self.inner.nodes.clone(), epoch, Some(&self.inner))
    }
}

fn reject_repeated<'a>(what: &str, ids: impl Iterator<Item = &'a String>) -> Result<(), Error> {
    let mut ids: Vec<&String> = ids.collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(error!(InvalidParameter, "node {} is named twice under {what}", shown(pair[0]))),
    }
}
