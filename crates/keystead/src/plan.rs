//! A change in steps, each of which keeps a limit.

mod course;
mod divide;
mod follow;
mod large;
mod limit;
mod moves;
mod summary;
mod weights;

use alloc::{borrow::ToOwned, format, vec::Vec};
use core::fmt;

use self::{
    course::Course,
    divide::{Division, divide},
    follow::{Followed, follow, follow_sample, has_guarantee},
    large::Large,
    moves::{Bounds, Entry, Moves},
};
pub use self::{
    limit::{Limit, Limits},
    summary::{Oversize, PlanAmount, PlanChecks, PlanNode, PlanStep, PlanSummary, PlanWeight},
};
use crate::{
    Cluster, Constraints, Count, Described, Description, Diff, DiffSide, DiffSummary, Gate, Key, Move, Reason,
    change::float,
    encode::KeyBytes,
    error::{Error, error},
    transition::gate_of,
};

/// More steps than this nobody takes.
const MAX_STEPS: u32 = 10_000;

/// A way from one description to another in steps, each of which is a file to publish.
///
/// The steps are the smallest number that keeps the limits. Where equal fractions of the way keep them, the steps are those: step k of n
/// is the transition at k / n; else each ends as near to that as the limits let it. Every key moves at most once, and each step is to be
/// taken so: copy what moves or let reads fill it, publish the file, wait until all services show its fingerprint, verify, wait until
/// no reader needs the old place, go on. To go back, publish an earlier fraction under a higher epoch.
///
/// ```
/// use keystead::{Cluster, Description, Planner};
/// let before = Cluster::rendezvous(["cache-a", "cache-b", "cache-c"])?;
/// let after = before.with_node("cache-d")?;
/// let mut planner = Planner::new(&before.into(), &(&after).into(), "100keys".parse()?)?;
/// for key in 0..1000 {
///     planner.add(key, 1)?;
/// }
/// let plan = planner.plan()?;
/// let steps: Vec<u64> = plan.summary().steps.iter().map(|step| step.moved.keys.unwrap()).collect();
/// assert!(steps.iter().all(|keys| *keys <= 100));
/// let Description::Transition(first) = &plan.publish()[0] else { panic!() };
/// assert_eq!((first.gate().part(), first.gate().of()), (1, 3));
/// assert_eq!(plan.last(), Some(&after.into()));
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    summary: PlanSummary,
    publish: Vec<Description>,
    last: Option<Description>,
}

impl Plan {
    /// What the plan is, with figures.
    pub fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    /// What to publish for each step, under no epoch: whoever publishes numbers.
    pub fn publish(&self) -> &[Description] {
        &self.publish
    }

    /// What to publish when the last step is done, which moves nothing; none where the last step is that already.
    pub fn last(&self) -> Option<&Description> {
        self.last.as_ref()
    }

    /// A plan in clusters whose weights rise and fall, for clients that know no transitions: new and heavier nodes rise first, all
    /// together and in their final ratios to each other, then removed and lighter ones fall likewise. So no key moves twice, where the
    /// order of the other nodes is kept: in `rendezvous-1` and in `slots-1` without headroom, which it scales so that
    /// weights stay integers; in a `ring-1` of which one node changes, where a step is at least one unit of weight. The figures are
    /// expectations.
    ///
    /// # Errors
    /// `unsupported` where a key could move twice, saying how many of a sample do, or where weights cannot take the steps: plan by
    /// share of keys then. `invalid_parameter` for limits in keys or bytes, and for limits that take more than 10,000 steps.
    pub fn by_weights(before: &Cluster, after: &Cluster, limits: &Limits) -> Result<Plan, Error> {
        weights::plan(before, after, limits)
    }
}

/// Plans a change. Keys that move are added one by one, and held in 30 bytes each at most; without any, a plan keeps its limits in
/// expectation.
pub struct Planner {
    diff: Diff,
    limits: Limits,
    course: Course,
    moves: Moves,
    large: Large,
    /// Whether the keys come with sizes.
    sized: bool,
}

impl Planner {
    /// A plan from `before` to `after`. Either may be a transition between the same clusters: then the plan goes on from there, or
    /// ends there, or leads back.
    ///
    /// # Errors
    /// `unsupported` for a transition on one side that does not belong to the other. `invalid_parameter` for no limit, or one that
    /// forbids everything.
    pub fn new(before: &Description, after: &Description, limits: Limits) -> Result<Planner, Error> {
        limits.check()?;
        let course = Course::new(before, after)?;
        let diff = Diff::new(before, after, 1, &Constraints::new())?;
        let large = Large::new(&limits, course.transition.by_slot());
        Ok(Planner { diff, limits, course, moves: Moves::new(), large, sized: true })
    }

    /// Says that keys are given, though it may turn out that there is none to add, and whether they come with sizes. Without keys a plan
    /// goes by expectation; with keys of which none moves it has no steps.
    #[must_use]
    pub fn with_keys(mut self, sized: bool) -> Planner {
        self.diff = self.diff.with_keys();
        self.sized = sized;
        self
    }

    /// Adds a key with its size in bytes, and says what becomes of it.
    ///
    /// # Errors
    /// As [`Diff::add`].
    pub fn add<K: Key>(&mut self, key: K, size: u64) -> Result<Move<'_>, Error> {
        let Planner { diff, course, moves, large, .. } = self;
        key.with_bytes(|key: KeyBytes<'_>| {
            let moved = diff.add(key, size)?;
            if let Some((from, to)) = moved.names() {
                let gate = course.transition.gate_of(key);
                moves.push(Entry { gate, size, from, to });
                large.add(key, gate, size, moved.added_so_far());
            }
            Ok(moved)
        })
    }

    /// The plan.
    ///
    /// # Errors
    /// `invalid_parameter` for a limit in bytes without sizes, a limit in keys or bytes without keys, a share of the keys that is less
    /// than one, and limits that take more than 10,000 steps.
    pub fn plan(mut self) -> Result<Plan, Error> {
        let difference = self.diff.summary()?;
        if let Some(counted) = &difference.counted {
            let (moved, reshuffled) = (counted.moved.keys, counted.reasons.reshuffled.keys);
            let whole = counted.total.keys;
            let figures = Figures { name: "counted", followed: "keys", whole, moved, reshuffled, in_keys: true };
            let bytes = self.limits.iter().find(|(limit, _)| matches!(limit, Limit::Bytes(_)));
            if let (Some((limit, _)), false) = (bytes, self.sized) {
                return Err(error!(InvalidParameter, "limit {limit} needs the sizes of the keys"));
            }
            let bounds = Bounds::new(&self.limits, whole, figures.followed)?;
            return self.divided(difference, bounds, figures);
        }
        if let (Some(slots), true) = (&difference.slots, self.course.transition.by_slot()) {
            // A slot is what passes, so without keys slots are counted.
            reject_amounts(&self.limits)?;
            let mut reshuffled = 0;
            for slot in slots {
                let gate = gate_of(&slot.slot.to_le_bytes());
                let (from, to) = (self.diff.name(&slot.from), self.diff.name(&slot.to));
                reshuffled += u64::from(self.diff.reason(self.course.is_forward(), from, to) == Reason::Reshuffled);
                self.moves.push(Entry { gate, size: 0, from, to });
            }
            let whole = self.course.transition.before().slots().unwrap_or(1).into();
            let moved = slots.len() as u64;
            let figures = Figures { name: "slots", followed: "slots", whole, moved, reshuffled, in_keys: false };
            let bounds = Bounds::new(&self.limits, whole, figures.followed)?;
            return self.divided(difference, bounds, figures);
        }
        self.expected(difference)
    }

    /// The plan for what is counted.
    fn divided(mut self, difference: DiffSummary, bounds: Bounds, figures: Figures) -> Result<Plan, Error> {
        self.moves.sort();
        let Division { gates, even, runs } = divide(&self.course, &self.moves, bounds, self.diff.names())?;
        let followed = follow(&self.course, &self.moves, &gates);
        let publish = self.transitions(&gates)?;
        let mut above_limit = 0;
        let steps =
            publish.iter().zip(followed.steps.iter().zip(runs)).enumerate().map(|(at, (published, (moved, runs)))| {
                let share = |count: Count| float(count.keys.into()) / float(figures.whole.into());
                let amount = |count: Count| {
                    if figures.in_keys {
                        PlanAmount::counted(count, share(count))
                    } else {
                        PlanAmount::expected(share(count))
                    }
                };
                let nodes = moved.nodes.iter().map(|(name, [moved_in, moved_out])| PlanNode {
                    id: self.diff.id(*name).to_owned(),
                    moved_in: amount(*moved_in),
                    moved_out: amount(*moved_out),
                });
                let exceeds = bounds.exceeds_step(moved.total)
                    || moved.nodes.iter().any(|(_, node)| node.iter().any(|count| bounds.exceeds_node(*count)));
                above_limit += u32::from(exceeds);
                let oversize = (exceeds && runs == 1).then(|| self.oversize(moved.first, moved.total, figures.in_keys));
                PlanStep { nodes: nodes.collect(), oversize, ..step(at, published, amount(moved.total)) }
            });
        let steps: Vec<PlanStep> = steps.collect();
        let Followed { count, moved_twice, never, .. } = followed;
        let sum: u64 = followed.steps.iter().map(|step| step.total.keys).sum();
        let checks = PlanChecks {
            followed: figures.followed,
            count,
            moved_twice,
            sum_is_difference: never == 0 && moved_twice == 0 && sum == figures.moved,
            reshuffled: has_guarantee(&self.course).then_some(figures.reshuffled),
            above_limit,
        };
        Ok(self.assemble(difference, figures.name, even, steps, publish, checks))
    }

    /// The plan in steps that keep the limits in expectation: equal ones, or as near to that as part and of can say it.
    fn expected(self, difference: DiffSummary) -> Result<Plan, Error> {
        reject_amounts(&self.limits)?;
        let moved = difference.expected.moved;
        let most =
            difference.expected.nodes.iter().flat_map(|node| [node.moved_in, node.moved_out]).fold(0.0, f64::max);
        let keeps = |part: f64| {
            self.limits.iter().all(|(limit, of_node)| {
                let Limit::Millionths(millionths) = limit else { return false };
                // Sums of many floats: what is equal on paper must not take a step more.
                (if of_node { most } else { moved }) * part <= f64::from(millionths) / 1e6 * (1.0 + 1e-12)
            })
        };
        let divided = |n: u32| {
            let gates = self.course.steps(n);
            let parts = self.course.parts(&gates);
            parts.iter().all(|part| keeps(*part)).then_some((gates, parts))
        };
        let (gates, parts) = if moved > 0.0 {
            let enough = (1..=MAX_STEPS).filter(|n| keeps(1.0 / f64::from(*n)));
            // Where part and of have no equal steps, the largest may be above the limit, and one step more is not.
            let found = enough.take(2).find_map(divided);
            found.ok_or_else(|| error!(InvalidParameter, "the limit takes more than {MAX_STEPS} steps: raise it"))?
        } else {
            (Vec::new(), Vec::new())
        };
        let even = self.course.is_even(&gates);
        let publish = self.transitions(&gates)?;
        let steps = publish.iter().zip(parts).enumerate().map(|(at, (published, part))| {
            let part = |share: f64| PlanAmount::expected(share * part);
            let nodes = difference.expected.nodes.iter().filter(|node| node.moved_in > 0.0 || node.moved_out > 0.0);
            let nodes = nodes.map(|node| PlanNode {
                id: node.id.clone(),
                moved_in: part(node.moved_in),
                moved_out: part(node.moved_out),
            });
            PlanStep { nodes: nodes.collect(), ..step(at, published, part(moved)) }
        });
        let steps = steps.collect();
        let mut stages = alloc::vec![self.diff.before().clone()];
        stages.extend(publish.iter().cloned());
        stages.push(self.diff.after().clone());
        let checks = follow_sample(&stages, has_guarantee(&self.course))?;
        Ok(self.assemble(difference, "expected", even, steps, publish, checks))
    }

    /// The transitions at these gates; where the way ends in a transition, the last is that.
    fn transitions(&self, gates: &[Gate]) -> Result<Vec<Description>, Error> {
        let transition = |gate: &Gate| self.course.transition.at(gate.part().into(), gate.of().into());
        let mut steps: Vec<Description> =
            gates.iter().map(|gate| transition(gate).map(Description::from)).collect::<Result<_, Error>>()?;
        if let (Description::Transition(_), Some(last)) = (self.diff.after(), steps.last_mut()) {
            *last = self.diff.after().clone();
        }
        Ok(steps)
    }

    fn oversize(&self, gate: u64, count: Count, in_keys: bool) -> Oversize {
        let key = self.large.key(gate);
        let slots = self.course.transition.before().slots().filter(|_| self.course.transition.by_slot());
        let slot = slots.and_then(|slots| (0..slots).find(|slot| gate_of(&slot.to_le_bytes()) == gate));
        Oversize { key, slot, keys: if in_keys { count.keys } else { 0 }, bytes: count.bytes }
    }

    fn assemble(
        &self,
        difference: DiffSummary,
        figures: &'static str,
        even: bool,
        steps: Vec<PlanStep>,
        publish: Vec<Description>,
        checks: PlanChecks,
    ) -> Plan {
        let last = Some(self.diff.after()).filter(|after| matches!(after, Description::Cluster(_))).cloned();
        let summary = PlanSummary {
            last: last.as_ref().map(DiffSide::new),
            difference,
            by: "share",
            figures,
            limits: self.limits.texts(),
            even,
            steps,
            checks,
        };
        Plan { summary, publish, last }
    }
}

/// What the figures of a plan are figures of.
#[derive(Clone, Copy)]
struct Figures {
    name: &'static str,
    followed: &'static str,
    /// How many there are, moved or not.
    whole: u64,
    moved: u64,
    reshuffled: u64,
    in_keys: bool,
}

/// A step without its nodes.
fn step(at: usize, published: &Description, moved: PlanAmount) -> PlanStep {
    let gate = if let Description::Transition(step) = published { Some(step.gate()) } else { None };
    PlanStep {
        step: u32::try_from(at).unwrap_or(MAX_STEPS) + 1,
        part: gate.map(Gate::part),
        of: gate.map(Gate::of),
        weights: None,
        fingerprint: format!("{}", published.fingerprint()),
        moved,
        nodes: Vec::new(),
        passed: gate.map(Course::passed),
        oversize: None,
    }
}

/// Refuses limits that only keys can keep.
fn reject_amounts(limits: &Limits) -> Result<(), Error> {
    match limits.iter().find(|(limit, _)| !matches!(limit, Limit::Millionths(_))) {
        None => Ok(()),
        Some((limit, _)) => Err(error!(
            InvalidParameter,
            "limit {limit} needs keys: without them a limit is a share of all keys, such as 3%"
        )),
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner").field("diff", &self.diff).field("limits", &self.limits).finish_non_exhaustive()
    }
}
