//! Keys followed through all steps of a plan: what is counted and not assumed.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use super::{PlanChecks, course::Course, moves::Moves};
use crate::{
    Constraints, Count, Description, Diff, Gate, Reason, builder::Algorithm, change::sample_keys, error::Error,
};

/// What moves in one step.
#[derive(Clone, Default)]
pub(super) struct Step {
    pub(super) total: Count,
    /// Into and out of every node that takes part, ascending by name.
    pub(super) nodes: Vec<(u32, [Count; 2])>,
    /// The gate of the first key met.
    pub(super) first: u64,
}

/// What was counted of keys that move.
pub(super) struct Followed {
    pub(super) steps: Vec<Step>,
    pub(super) count: u64,
    pub(super) moved_twice: u64,
    /// How many are passed neither before nor after, or both.
    pub(super) never: u64,
}

/// Asks every gate about every key that moves.
pub(super) fn follow(course: &Course, moves: &Moves, gates: &[Gate]) -> Followed {
    let mut steps = vec![Step::default(); gates.len()];
    let mut nodes: BTreeMap<(usize, u32), [Count; 2]> = BTreeMap::new();
    let mut followed = Followed { steps: Vec::new(), count: 0, moved_twice: 0, never: 0 };
    for entry in moves.entries() {
        let mut passed = course.start().lets(entry.gate);
        let mut times = 0;
        for (at, gate) in gates.iter().enumerate() {
            if gate.lets(entry.gate) == passed {
                continue;
            }
            passed = !passed;
            times += 1;
            let one = Count { keys: 1, bytes: entry.size.into() };
            if steps[at].total.keys == 0 {
                steps[at].first = entry.gate;
            }
            steps[at].total += one;
            nodes.entry((at, entry.to)).or_default()[0] += one;
            nodes.entry((at, entry.from)).or_default()[1] += one;
        }
        followed.count += 1;
        followed.moved_twice += u64::from(times > 1);
        followed.never += u64::from(times == 0);
    }
    for ((at, name), node) in nodes {
        steps[at].nodes.push((name, node));
    }
    followed.steps = steps;
    followed
}

/// Asks every stage for the owners of generated keys; the stages are those before and after all steps, and between them.
pub(super) fn follow_sample(stages: &[Description], guarantee: bool) -> Result<PlanChecks, Error> {
    let (Some(first), Some(last)) = (stages.first(), stages.last()) else { return Ok(PlanChecks::none()) };
    let mut diff = Diff::new(first, last, 1, &Constraints::new())?;
    let keys = sample_keys(diff.names(), 1).take((1 << 22) / stages.len());
    let mut checks = PlanChecks::none();
    let mut reshuffled = 0;
    for key in keys {
        let mut times = 0;
        let mut owner = first.owner(key);
        for stage in &stages[1..] {
            let next = stage.owner(key);
            times += u32::from(next.id() != owner.id());
            owner = next;
        }
        let moved = diff.add(key, 0)?;
        checks.sum_is_difference &= (times > 0) == (moved.from != moved.to);
        checks.moved_twice += u64::from(times > 1);
        checks.count += 1;
        reshuffled += u64::from(moved.reason == Reason::Reshuffled);
    }
    checks.sum_is_difference &= checks.moved_twice == 0;
    checks.reshuffled = guarantee.then_some(reshuffled);
    Ok(checks)
}

impl PlanChecks {
    fn none() -> PlanChecks {
        PlanChecks {
            followed: "sample",
            count: 0,
            moved_twice: 0,
            sum_is_difference: true,
            reshuffled: None,
            above_limit: 0,
        }
    }
}

/// Whether keys can move only to a node that gains, or from one that loses.
pub(super) fn has_guarantee(course: &Course) -> bool {
    let (before, after) = (course.transition.before(), course.transition.after());
    let of = |cluster: &crate::Cluster| cluster.inner.parameters.algorithm;
    before.hash() == after.hash()
        && match (of(before), of(after)) {
            (Algorithm::Rendezvous, Algorithm::Rendezvous) => true,
            (Algorithm::Ring { .. }, Algorithm::Ring { .. }) => before.space() == after.space(),
            (Algorithm::Slots { slots, headroom: None }, Algorithm::Slots { slots: others, headroom: None }) => {
                slots == others
            }
            _ => false,
        }
}
