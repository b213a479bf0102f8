//! A plan as one structure that is the same in every language.

use alloc::{string::String, vec::Vec};

#[cfg(feature = "json")]
use crate::change::text;
use crate::{Count, DiffSide, DiffSummary, ExplainedKey};

/// A change in steps: [`Plan::summary`](crate::Plan::summary).
///
/// In JSON, 64-bit and larger numbers are decimal text; shares are floats, for people.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanSummary {
    /// What moves in all.
    pub difference: DiffSummary,
    /// `share`: each step is a transition that lets more keys pass. `weights`: each step is a cluster with other weights.
    pub by: &'static str,
    /// `counted`: of the keys that were given. `slots`: exact, of a table's slots. `expected`: of all keys, as the difference says.
    pub figures: &'static str,
    /// The limits that every step keeps, as text.
    pub limits: Vec<String>,
    /// Whether the steps are equal fractions of the way; else their ends were shifted so that all keep the limits.
    pub even: bool,
    /// The steps, in order; none where nothing moves.
    pub steps: Vec<PlanStep>,
    /// What is published when the last step is done, and moves nothing; none where the last step is that already.
    pub last: Option<DiffSide>,
    /// What was counted, not assumed.
    pub checks: PlanChecks,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanStep {
    /// Its number, from 1.
    pub step: u32,
    /// How many parts have passed after it; none by weights.
    pub part: Option<u32>,
    /// Of how many; none by weights.
    pub of: Option<u32>,
    /// By weights: every node with its weight after it, ascending by id.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub weights: Option<Vec<PlanWeight>>,
    /// The fingerprint of what is published for it: all services must show it before the step counts as done.
    pub fingerprint: String,
    /// What moves.
    pub moved: PlanAmount,
    /// The nodes that take part, ascending by id.
    pub nodes: Vec<PlanNode>,
    /// The share of all keys that are answered by the cluster that is entered, after it; none by weights.
    pub passed: Option<f64>,
    /// What is above a limit and cannot be divided: such a step has it alone.
    pub oversize: Option<Oversize>,
}

/// A node's weight.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanWeight {
    /// The node.
    pub id: String,
    /// Its weight.
    pub weight: u32,
}

/// What moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanAmount {
    /// As a share of all keys: of those that were given, else as expected.
    pub share: f64,
    /// How many keys, where keys were given.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal_or_null"))]
    pub keys: Option<u64>,
    /// How many bytes, where keys were given.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal_or_null"))]
    pub bytes: Option<u128>,
}

impl PlanAmount {
    pub(super) fn counted(count: Count, share: f64) -> PlanAmount {
        PlanAmount { share, keys: Some(count.keys), bytes: Some(count.bytes) }
    }

    pub(super) fn expected(share: f64) -> PlanAmount {
        PlanAmount { share, keys: None, bytes: None }
    }
}

/// A node that takes part in a step.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanNode {
    /// The node.
    pub id: String,
    /// What it gets from others.
    pub moved_in: PlanAmount,
    /// What it gives to others.
    pub moved_out: PlanAmount,
}

/// What is above a limit and cannot be divided: a key, a key that was given several times, or a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Oversize {
    /// The key, which may have been given several times; none where it is not one key that is above the limit.
    pub key: Option<ExplainedKey>,
    /// The slot, where whole slots pass.
    pub slot: Option<u32>,
    /// How many keys pass together.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub keys: u64,
    /// How many bytes they have.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub bytes: u128,
}

/// What was counted of a plan, not assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "json", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanChecks {
    /// What was followed through all steps: `keys`, those of the given that move; `slots`, those that move; `sample`, generated keys.
    pub followed: &'static str,
    /// How many.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub count: u64,
    /// How many of them move more than once: always 0.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal"))]
    pub moved_twice: u64,
    /// Whether the moves of the steps add up to exactly the difference: always.
    pub sum_is_difference: bool,
    /// How many move although neither the new owner gained nor the old one lost: 0. None where the algorithm, or a change of
    /// algorithm, hash or parameters, gives no such guarantee.
    #[cfg_attr(feature = "json", serde(serialize_with = "text::decimal_or_null"))]
    pub reshuffled: Option<u64>,
    /// How many steps are above a limit: those with one undivided thing above it, and no others.
    pub above_limit: u32,
}

#[cfg(feature = "json")]
impl PlanSummary {
    /// The structure as JSON, the same in every language.
    pub fn to_json(&self) -> String {
        // Only text, integers and finite floats are in it, and the keys are fixed: nothing that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }
}
