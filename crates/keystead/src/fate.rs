//! Which node is which when a cluster changes: indices shift, ids stay.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::node::Entry;

/// What became of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// In both clusters, under these indices.
    Kept { before: u32, after: u32 },
    /// Only in the cluster before.
    Gone { before: u32 },
    /// Only in the cluster after.
    New { after: u32 },
}

/// The new index of a node that is not in the cluster after; above every index.
pub(crate) const GONE: u32 = u32::MAX;

/// What became of every node of two clusters, by id. O(nodes).
pub(crate) fn fates(before: &[Entry<'_>], after: &[Entry<'_>]) -> Vec<Fate> {
    let mut fates = Vec::with_capacity(before.len().max(after.len()));
    let (mut olds, mut news) = ((0..).zip(before).peekable(), (0..).zip(after).peekable());
    loop {
        let order = match (olds.peek(), news.peek()) {
            // Most nodes are those that were there, and their ids the same text in memory: then it need not be read.
            (Some((_, old)), Some((_, new))) if core::ptr::eq(old.id, new.id) => Ordering::Equal,
            (Some((_, old)), Some((_, new))) => old.id.cmp(new.id),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return fates,
        };
        let old = if order.is_le() { olds.next() } else { None };
        let new = if order.is_ge() { news.next() } else { None };
        match (old, new) {
            (Some((before, _)), Some((after, _))) => fates.push(Fate::Kept { before, after }),
            (Some((before, _)), None) => fates.push(Fate::Gone { before }),
            (None, Some((after, _))) => fates.push(Fate::New { after }),
            (None, None) => return fates,
        }
    }
}
