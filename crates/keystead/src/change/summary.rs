//! What is known of a difference, as one structure that is the same in every language.

use alloc::{string::String, vec::Vec};
use core::ops::AddAssign;

/// The difference of two descriptions: [`Diff::summary`](crate::Diff::summary).
///
/// In JSON, 64-bit and larger numbers are decimal text, the epochs and r excepted, which are below 2^53; shares are floats, for people.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DiffSummary {
    /// What is left.
    pub before: DiffSide,
    /// What is entered.
    pub after: DiffSide,
    /// For how many nodes a key is asked for.
    pub r: u64,
    /// The number of the level that copies are spread over.
    pub spread: Option<u64>,
    /// Whether the spread is relaxed.
    pub relaxed: bool,
    /// The ids that are excluded and are on some side.
    pub excluded: Vec<String>,
    /// Whether it is provable that no key gets another answer: 0 keys move. Where it is false, some may, or none does all the same.
    pub identical: bool,
    /// The least movement of owners that any placement with the same shares needs; none for a hierarchy with excluded nodes.
    pub least: Option<Least>,
    /// What is expected of all keys.
    pub expected: Expected,
    /// What was counted of the keys that were added, if any were.
    pub counted: Option<Counted>,
    /// Between rings on one circle: the arcs whose owner changes, ascending by end; what a store has to copy. None where the sides
    /// are not such rings.
    pub arcs: Option<Vec<MovedArc>>,
    /// Between tables of the same slots: those whose owner changes, ascending. None where the sides are not such tables.
    pub slots: Option<Vec<MovedSlot>>,
}

/// One side of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DiffSide {
    /// The algorithm's name; of a transition, the one that is entered.
    pub algorithm: &'static str,
    /// The hash's name, likewise.
    pub hash: &'static str,
    /// How many nodes it has, drained ones included, likewise.
    pub nodes: u32,
    /// The epoch.
    pub epoch: Option<u64>,
    /// The fingerprint.
    pub fingerprint: String,
    /// How far a transition has gone; none for a cluster.
    pub transition: Option<DiffTransition>,
}

/// How far a transition has gone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DiffTransition {
    /// How many parts have passed.
    pub part: u32,
    /// Of how many.
    pub of: u32,
    /// The fingerprint of the cluster that is left.
    pub before: String,
    /// The fingerprint of the cluster that is entered.
    pub after: String,
}

/// The least movement that any placement with the same shares needs: `Σ max(0, share after − share before)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Least {
    /// Exact and in lowest terms, numerator and denominator; none where a transition's do not fit 128 bits.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::pair_or_null"))]
    pub fraction: Option<(u128, u128)>,
    /// The same for people.
    pub share: f64,
}

/// What is expected of all keys, as shares of them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Expected {
    /// `exact`: in closed form for rendezvous; the arcs of rings; the slots of tables. `independent`: in closed form where the two
    /// sides place keys without regard to each other, as under different hashes. `sample`: counted among generated keys.
    pub method: &'static str,
    /// How many keys a sample has; none for the other methods.
    pub samples: Option<u32>,
    /// The share of the keys whose owner changes.
    pub moved: f64,
    /// The standard error of this share: 0 unless it comes from a sample.
    pub standard_error: f64,
    /// From where to where, ascending by ids; none for more than 65,536 pairs.
    pub moves: Option<Vec<ExpectedMove>>,
    /// Every node of either side, ascending by id.
    pub nodes: Vec<ExpectedNode>,
    /// The copies, for r above 1; always from a sample.
    pub copies: Option<ExpectedCopies>,
}

/// The share of the keys that moves from one node to another.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExpectedMove {
    /// The owner before.
    pub from: String,
    /// The owner after.
    pub to: String,
    /// The share of all keys.
    pub share: f64,
}

/// A node's shares of all keys, as their owner.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExpectedNode {
    /// The node.
    pub id: String,
    /// Its share before; 0 where it is not in that side.
    pub before: f64,
    /// Its share after.
    pub after: f64,
    /// The share that it gets from others.
    pub moved_in: f64,
    /// The share that it gives to others.
    pub moved_out: f64,
}

/// What is expected of the copies of keys.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExpectedCopies {
    /// How many keys the sample has.
    pub samples: u32,
    /// The share of the keys whose list changes, behind the same owner or with it.
    pub changed: f64,
    /// The standard error of this share.
    pub standard_error: f64,
    /// How many copies a key has to be given on average: nodes in its list that were not in it before.
    pub moved: f64,
    /// Every node of either side, ascending by id.
    pub nodes: Vec<ExpectedCopiesNode>,
}

/// The shares of all keys of which a node holds a copy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExpectedCopiesNode {
    /// The node.
    pub id: String,
    /// Of how much it holds a copy before.
    pub before: f64,
    /// Of how much after.
    pub after: f64,
    /// How much its weight asks for after, r times its share. Later picks are drawn without replacement: a heavier node gets less
    /// than this, and one above 1 cannot get it.
    pub proportional: Option<f64>,
    /// Of how much it gets a copy.
    pub moved_in: f64,
    /// Of how much it drops its copy.
    pub moved_out: f64,
}

/// Keys, and their sizes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
pub struct Count {
    /// How many keys.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub keys: u64,
    /// How many bytes.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub bytes: u128,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.keys += other.keys;
        self.bytes += other.bytes;
    }
}

/// What was counted of the keys that were added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Counted {
    /// All of them.
    pub total: Count,
    /// Those whose owner changes.
    pub moved: Count,
    /// All of them by reason.
    pub reasons: CountedReasons,
    /// From where to where, ascending by ids.
    pub moves: Vec<CountedMove>,
    /// Every node of either side, ascending by id.
    pub nodes: Vec<CountedNode>,
    /// The copies, for r above 1.
    pub copies: Option<CountedCopies>,
}

/// Keys by what became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CountedReasons {
    /// The new owner was added, made heavier, or has tokens that it lacked.
    pub gained: Count,
    /// The old owner was removed, drained, made lighter, or lost tokens.
    pub lost: Count,
    /// Both.
    pub both: Count,
    /// Neither.
    pub reshuffled: Count,
    /// The owner stays, and the list of the first r is another.
    pub candidates: Count,
    /// The same answer.
    pub unchanged: Count,
}

/// What moves from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CountedMove {
    /// The owner before.
    pub from: String,
    /// The owner after.
    pub to: String,
    /// What moves.
    #[cfg_attr(feature = "json", serde(flatten))]
    pub count: Count,
}

/// What a node has on either side, gets and gives: as owner of keys, or as holder of copies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CountedNode {
    /// The node.
    pub id: String,
    /// What it has before.
    pub before: Count,
    /// What it has after.
    pub after: Count,
    /// What it gets from others.
    pub moved_in: Count,
    /// What it gives to others.
    pub moved_out: Count,
}

/// What was counted of copies.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CountedCopies {
    /// Copies that have to be made: nodes in a key's list that were not in it before.
    pub moved: Count,
    /// Every node of either side, ascending by id.
    pub nodes: Vec<CountedNode>,
}

/// An arc `(start, end]` of a ring whose owner changes: the coordinates above `start` up to and including `end`, through 0 where
/// `start` is not below `end`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MovedArc {
    /// The coordinate before the first.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub start: u64,
    /// The last coordinate.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub end: u64,
    /// How many coordinates it has.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub length: u128,
    /// The owner before: the source.
    pub from: String,
    /// The owner after: the target.
    pub to: String,
    /// The share of the arc's keys that move: 1, unless a side is a transition.
    pub share: f64,
}

/// A slot whose owner changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MovedSlot {
    /// The slot's number.
    pub slot: u32,
    /// The owner before: the source.
    pub from: String,
    /// The owner after: the target.
    pub to: String,
}

#[cfg(feature = "json")]
impl DiffSummary {
    /// The structure as JSON, the same in every language.
    pub fn to_json(&self) -> String {
        // Only text, integers and finite floats are in it, and the keys are fixed: nothing that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Large numbers in JSON, as decimal text.
#[cfg(feature = "json")]
pub(crate) mod text {
    use core::fmt::Display;

    use serde::{Serialize, Serializer};

    pub(crate) fn decimal<T: Display, S: Serializer>(value: &T, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(value)
    }

    #[expect(clippy::ref_option, reason = "serde hands the field over by reference")]
    pub(crate) fn decimal_or_null<T: Display, S: Serializer>(value: &Option<T>, out: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|value| alloc::format!("{value}")).serialize(out)
    }

    #[expect(clippy::ref_option, reason = "serde hands the field over by reference")]
    pub(crate) fn pair_or_null<T: Display, S: Serializer>(value: &Option<(T, T)>, out: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(|(one, other)| [alloc::format!("{one}"), alloc::format!("{other}")]).serialize(out)
    }
}
