//! The difference of two descriptions: what moves, from where to where, why, and how much of that nothing could avoid.

mod causes;
mod expect;
mod identity;
mod judge;
mod race;
mod regions;
mod report;
mod shares;
mod summary;
mod tally;
mod view;

use core::fmt;

#[cfg(feature = "json")]
pub(crate) use self::summary::text;
pub use self::summary::{
    Count, Counted, CountedCopies, CountedMove, CountedNode, CountedReasons, DiffSide, DiffSummary, DiffTransition,
    Expected, ExpectedCopies, ExpectedCopiesNode, ExpectedMove, ExpectedNode, Least, MovedArc, MovedSlot,
};
pub(crate) use self::{
    expect::sample_keys,
    shares::{float, greatest_divisor},
};
use self::{
    judge::{Judge, Lists},
    tally::Tally,
};
use crate::{Constraints, Description, Error, Key};

/// Why a key moves, or does not.
///
/// A node that is not in a cluster counts as one of weight 0 there. Where both sides are rings on one circle, tokens count instead of
/// weights: a node is heavier when it has a token that it lacked, lighter when it lacks one that it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The new owner was added, made heavier, or has tokens that it lacked.
    Gained,
    /// The old owner was removed, drained, made lighter, or lost tokens.
    Lost,
    /// Both.
    Both,
    /// Neither: only where the algorithm allows it, or the two sides differ in algorithm, hash or parameters.
    Reshuffled,
    /// The owner stays, and the list of the first r nodes is another.
    Candidates,
    /// The same answer.
    Unchanged,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 6] =
        [Reason::Gained, Reason::Lost, Reason::Both, Reason::Reshuffled, Reason::Candidates, Reason::Unchanged];

    /// `gained`, `lost`, `both`, `reshuffled`, `candidates` or `unchanged`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Gained => "gained",
            Reason::Lost => "lost",
            Reason::Both => "both",
            Reason::Reshuffled => "reshuffled",
            Reason::Candidates => "candidates",
            Reason::Unchanged => "unchanged",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What becomes of one key. The mapping is not the data: a new owner starts empty, so a move names source and target.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Move<'a> {
    /// The id of the owner before.
    pub from: &'a str,
    /// The id of the owner after.
    pub to: &'a str,
    /// Why.
    pub reason: Reason,
    diff: &'a Diff,
}

impl<'a> Move<'a> {
    /// The numbers of both owners, where they differ.
    pub(crate) fn names(&self) -> Option<(u32, u32)> {
        let Lists { before, after, .. } = &self.diff.lists;
        (self.from != self.to).then(|| (before[0], after[0]))
    }

    /// How many keys have been added, with this one.
    pub(crate) fn added_so_far(&self) -> u64 {
        self.diff.tally.total.keys
    }

    /// The ids of the nodes that hold a copy before and none after, ascending: the sources that can be emptied.
    pub fn dropped(&self) -> impl ExactSizeIterator<Item = &'a str> {
        let diff = self.diff;
        diff.lists.dropped.iter().map(|name| diff.judge.id(*name))
    }

    /// The ids of the nodes that hold a copy after and none before, ascending: the targets to be filled.
    pub fn added(&self) -> impl ExactSizeIterator<Item = &'a str> {
        let diff = self.diff;
        diff.lists.added.iter().map(|name| diff.judge.id(*name))
    }
}

impl fmt::Debug for Move<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Move { from, to, reason, .. } = self;
        f.debug_struct("Move").field("from", from).field("to", to).field("reason", reason).finish_non_exhaustive()
    }
}

/// The difference of two descriptions. Keys are added one by one and not kept; without any, what is expected of them is known.
///
/// ```
/// use keystead::{Cluster, Constraints, Diff, Reason};
/// let before = Cluster::rendezvous(["cache-a", "cache-b"])?;
/// let after = before.with_node("cache-c")?;
/// let mut diff = Diff::new(&before.into(), &after.into(), 1, &Constraints::new())?;
/// for key in 0..900 {
///     let moved = diff.add(key, 100)?;
///     assert!(moved.reason == Reason::Unchanged || (moved.reason, moved.to) == (Reason::Gained, "cache-c"));
/// }
/// let summary = diff.summary()?;
/// assert_eq!(summary.least.unwrap().fraction, Some((1, 3)));
/// assert!((summary.expected.moved - 1.0 / 3.0).abs() < 1e-12);
/// let moved = summary.counted.unwrap().moved;
/// assert!((250..350).contains(&moved.keys) && moved.bytes == 100 * u128::from(moved.keys));
/// # Ok::<(), keystead::Error>(())
/// ```
pub struct Diff {
    judge: Judge,
    tally: Tally,
    /// The lists of the key added last.
    lists: Lists,
}

impl Diff {
    /// The difference in the answers of `before` and `after` to the question for `r` nodes under constraints. With r = 1 a key moves
    /// when its owner changes; above, a list that changes behind the same owner is told apart.
    ///
    /// # Errors
    /// `invalid_parameter` for r = 0; and what [`Cluster::replicas_with`](crate::Cluster::replicas_with) says on either side.
    pub fn new(before: &Description, after: &Description, r: u64, constraints: &Constraints) -> Result<Diff, Error> {
        let judge = Judge::new(before, after, r, constraints)?;
        let tally = Tally::new(judge.names(), r > 1);
        Ok(Diff { judge, tally, lists: Lists::default() })
    }

    /// Says that keys are counted, though it may turn out that there is none to add: then the counts are 0, not absent.
    #[must_use]
    pub fn with_keys(mut self) -> Diff {
        self.tally.counts = true;
        self
    }

    /// What becomes of a key, which is counted with its size in bytes; 0 where sizes do not matter. A key that is added twice counts
    /// twice.
    ///
    /// # Errors
    /// None that [`Diff::new`] has not found.
    ///
    /// # Complexity
    /// A lookup on each side. No memory a key, but an entry for each pair of nodes between which one moves.
    pub fn add<K: Key>(&mut self, key: K, size: u64) -> Result<Move<'_>, Error> {
        let verdict = key.with_bytes(|key| self.judge.judge(key, &mut self.lists))?;
        self.tally.add(&verdict, &self.lists, size);
        Ok(Move {
            from: self.judge.id(verdict.from),
            to: self.judge.id(verdict.to),
            reason: verdict.reason,
            diff: self,
        })
    }

    /// The side that is left.
    pub fn before(&self) -> &Description {
        &self.judge.before.description
    }

    /// The side that is entered.
    pub fn after(&self) -> &Description {
        &self.judge.after.description
    }

    /// What is known of the difference: of all keys as an expectation, of the added ones as counts.
    ///
    /// # Errors
    /// None that [`Diff::new`] has not found.
    ///
    /// # Complexity
    /// Rendezvous at r = 1: O(nodes × log nodes) and the matrix. Rings: the tokens. Slots: the slots. Otherwise a sample of 65,536
    /// keys, smaller where more than 4,096 nodes make each lookup long.
    pub fn summary(&self) -> Result<DiffSummary, Error> {
        report::summary(&self.judge, &self.tally)
    }

    /// What was counted of the keys added so far: what [`summary`](Diff::summary) says of them, without the expectations.
    pub fn counted(&self) -> Counted {
        Counted::new(&self.judge, &self.tally)
    }

    /// The number of an id among those of both sides, in their order.
    pub(crate) fn name(&self, id: &str) -> u32 {
        self.judge.name(id).unwrap_or_default()
    }

    /// The id of that number.
    pub(crate) fn id(&self, name: u32) -> &str {
        self.judge.id(name)
    }

    /// Why something moves from the cluster that is left to the one that is entered; or the other way round, going back.
    pub(crate) fn reason(&self, forward: bool, from: u32, to: u32) -> Reason {
        let [old, new] = [&self.judge.before, &self.judge.after].map(|side| side.members.len() - 1);
        let causes = if forward { self.judge.causes(0, new) } else { self.judge.causes(old, 0) };
        causes.reason(from, to)
    }

    /// How many ids there are.
    pub(crate) fn names(&self) -> usize {
        self.judge.names()
    }
}

impl fmt::Debug for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diff")
            .field("before", self.before())
            .field("after", self.after())
            .field("r", &self.judge.r)
            .field("keys", &self.tally.total.keys)
            .finish_non_exhaustive()
    }
}
