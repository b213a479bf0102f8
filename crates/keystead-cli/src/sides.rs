//! Which cluster of a file is asked: the only one, or one side of a transition.

use crate::failure::{Failure, Outcome};
use keystead::{Cluster, Description, ErrorKind, KeyBytes};

/// What the sides of a transition are called; the names are those of its file.
pub(crate) const SIDES: [&str; 2] = ["before", "after"];

/// The cluster that answers for the key, and its place among [`Description::clusters`].
pub(crate) fn answering<'a>(description: &'a Description, key: KeyBytes<'_>) -> (usize, &'a Cluster) {
    match description {
        Description::Cluster(cluster) => (0, cluster),
        Description::Transition(transition) if transition.passes(key) => (1, transition.after()),
        Description::Transition(transition) => (0, transition.before()),
    }
}

/// The cluster, for questions that make no sense without a key where there are two.
pub(crate) fn only_cluster<'a>(description: &'a Description, name: &str, what: &str) -> Outcome<&'a Cluster> {
    match description {
        Description::Cluster(cluster) => Ok(cluster),
        Description::Transition(_) => Err(Failure::new(
            ErrorKind::Unsupported,
            format!(
                "{what} is for one cluster, and {name} holds a transition between two: give the file of the one before or after it"
            ),
        )),
    }
}

/// `transition 2/6`, as far as it has gone.
pub(crate) fn step(transition: &keystead::Transition) -> String {
    format!("transition {}/{}", transition.gate().part(), transition.gate().of())
}
