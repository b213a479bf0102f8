//! A plan in clusters whose weights rise and fall.
//!
//! Why no key moves twice where the others keep their order: in the first phase only the nodes that become heavier change, all by one
//! factor, so a key that one of them has won stays there; in the second only those that become lighter change, all by one factor, so a
//! key that one of them has lost goes to a node whose weight is final. A key that moved in the first phase is on a node that the second
//! leaves alone.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use super::{
    Limit, Limits, MAX_STEPS, Plan, PlanAmount, PlanNode, PlanStep, PlanSummary, PlanWeight, follow::follow_sample,
    reject_amounts, step,
};
use crate::{
    Cluster, Constraints, Description, Diff, DiffSummary, Node,
    builder::Algorithm,
    change::greatest_divisor,
    error::{Error, error},
    node::shown,
};

/// Into how many parts a weight is cut at most, coarse first: the coarsest that needs no step more gives the shortest numbers.
const GRAINS: [u64; 4] = [100, 1_000, 10_000, 1_000_000];

pub(super) fn plan(before: &Cluster, after: &Cluster, limits: &Limits) -> Result<Plan, Error> {
    limits.check()?;
    reject_amounts(limits)?;
    if !same_but_nodes(before, after) {
        let message = "a plan by weights keeps algorithm, hash and parameters: plan by share of keys instead";
        return Err(error!(Unsupported, "{message}"));
    }
    let difference = difference(before, after)?;
    let stages = if difference.expected.moved == 0.0 {
        Vec::new()
    } else if keeps(limits, &difference) {
        vec![(after.clone(), difference.clone())]
    } else {
        Way::new(before, after)?.stages(limits, &difference)?
    };
    assemble(before, after, limits, difference, stages)
}

fn assemble(
    before: &Cluster,
    after: &Cluster,
    limits: &Limits,
    difference: DiffSummary,
    stages: Vec<Stage>,
) -> Result<Plan, Error> {
    let mut clusters: Vec<Description> = vec![before.into()];
    clusters.extend(stages.iter().map(|(cluster, _)| cluster.into()));
    // Where nothing moves, `after` is still to be published.
    let last = stages.is_empty().then(|| Description::from(after));
    clusters.extend(last.clone());
    let checks = follow_sample(&clusters, guarantees(before.inner.parameters.algorithm))?;
    let steps = stages.iter().zip(&clusters[1..]).enumerate().map(|(at, ((cluster, moved), published))| {
        let part = PlanAmount::expected;
        let nodes = moved.expected.nodes.iter().filter(|node| node.moved_in > 0.0 || node.moved_out > 0.0);
        let node = |node: &crate::ExpectedNode| PlanNode {
            id: node.id.clone(),
            moved_in: part(node.moved_in),
            moved_out: part(node.moved_out),
        };
        let weight = |node: &Node| PlanWeight { id: node.id().into(), weight: node.get_weight() };
        PlanStep {
            nodes: nodes.map(node).collect(),
            weights: Some(cluster.nodes().iter().map(weight).collect()),
            ..step(at, published, part(moved.expected.moved))
        }
    });
    let summary = PlanSummary {
        steps: steps.collect(),
        last: last.as_ref().map(crate::DiffSide::new),
        difference,
        by: "weights",
        figures: "expected",
        limits: limits.texts(),
        even: stages.len() <= 1,
        checks,
    };
    let publish = stages.into_iter().map(|(cluster, _)| cluster.into()).collect();
    Ok(Plan { summary, publish, last })
}

/// A cluster on the way, and its difference from the one before.
type Stage = (Cluster, DiffSummary);

/// Whether the others keep their order when a node changes.
fn guarantees(algorithm: Algorithm) -> bool {
    !matches!(algorithm, Algorithm::Hierarchy | Algorithm::Slots { headroom: Some(_), .. })
}

fn same_but_nodes(before: &Cluster, after: &Cluster) -> bool {
    let tokens = |cluster: &Cluster| cluster.inner.parameters.tokens_per_weight(cluster.nodes());
    let own = |cluster: &Cluster| match cluster.inner.parameters.algorithm {
        Algorithm::Ring { space, .. } => Algorithm::Ring { tokens_per_weight: tokens(cluster), space },
        other => other,
    };
    own(before) == own(after) && before.hash() == after.hash()
}

fn difference(before: &Cluster, after: &Cluster) -> Result<DiffSummary, Error> {
    Diff::new(&before.into(), &after.into(), 1, &Constraints::new())?.summary()
}

fn keeps(limits: &Limits, difference: &DiffSummary) -> bool {
    let nodes = difference.expected.nodes.iter();
    let most = nodes.flat_map(|node| [node.moved_in, node.moved_out]).fold(0.0, f64::max);
    limits.iter().all(|(limit, of_node)| {
        let Limit::Millionths(millionths) = limit else { return false };
        (if of_node { most } else { difference.expected.moved }) <= f64::from(millionths) / 1e6 * (1.0 + 1e-12)
    })
}

/// A node on either side, with its weights on one scale.
struct Traveller {
    node: Node,
    /// Whether it is in the cluster after.
    stays: bool,
    before: u64,
    after: u64,
}

/// The clusters between two.
struct Way<'a> {
    before: &'a Cluster,
    after: &'a Cluster,
    travellers: Vec<Traveller>,
}

/// A stretch of a way on which some nodes have `part` of `of` parts of their weight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nodes that become heavier have so much of their weight after; the others have theirs before.
    Rising,
    /// Nodes that become lighter have so much of their weight before; the others have theirs after.
    Falling,
}

impl<'a> Way<'a> {
    fn new(before: &'a Cluster, after: &'a Cluster) -> Result<Way<'a>, Error> {
        if before.nodes().iter().chain(after.nodes()).any(|node| node.get_tokens().is_some()) {
            let message = "explicit tokens have no weights that could rise in steps: plan by share of keys instead";
            return Err(error!(Unsupported, "{message}"));
        }
        let mut nodes: BTreeMap<&str, (Option<&Node>, Option<&Node>)> = BTreeMap::new();
        for node in before.nodes() {
            nodes.entry(node.id()).or_default().0 = Some(node);
        }
        for node in after.nodes() {
            nodes.entry(node.id()).or_default().1 = Some(node);
        }
        let weight = |node: Option<&Node>| u64::from(node.map_or(0, Node::get_weight));
        let (up, down) = match before.inner.parameters.algorithm {
            // Tokens are counted, so a factor is no matter of scale.
            Algorithm::Ring { .. } => (1, 1),
            _ => scale(nodes.values().map(|(old, new)| (weight(*old), weight(*new)))),
        };
        let travellers = nodes.into_values().filter_map(|(old, new)| {
            Some(Traveller {
                node: new.or(old)?.clone(),
                stays: new.is_some(),
                before: weight(old) * up,
                after: weight(new) * down,
            })
        });
        Ok(Way { before, after, travellers: travellers.collect() })
    }

    fn stages(&self, limits: &Limits, difference: &DiffSummary) -> Result<Vec<Stage>, Error> {
        let algorithm = self.before.inner.parameters.algorithm;
        if let Algorithm::Ring { .. } = algorithm {
            let mut changed = self.travellers.iter().filter(|node| node.before != node.after);
            return match (changed.next(), changed.next()) {
                (Some(node), None) => self.on_a_ring(node, limits),
                _ => Err(self.refusal(&self.one_by_one(), difference)?),
            };
        }
        let largest = self.travellers.iter().map(|node| node.before.max(node.after)).max().unwrap_or(1);
        let finest = u64::from(u32::MAX) / largest;
        let grains = || GRAINS.into_iter().map(|grain| grain.min(finest));
        if !guarantees(algorithm) {
            if finest < 2 {
                return Err(too_heavy());
            }
            let clusters = self.evenly(grains().max().unwrap_or(1))?;
            return Err(self.refusal(&clusters, difference)?);
        }
        // The finest says how many steps are needed.
        let mut best = self.by_ratios(finest.min(GRAINS[3]), limits)?;
        for grain in grains() {
            match self.by_ratios(grain, limits) {
                Ok(stages) if stages.len() <= best.len() => {
                    best = stages;
                    break;
                }
                _ => {}
            }
        }
        Ok(best)
    }

    /// The furthest steps that keep the limits, nodes rising, then falling.
    fn by_ratios(&self, grain: u64, limits: &Limits) -> Result<Vec<Stage>, Error> {
        if grain < 2 {
            return Err(too_heavy());
        }
        let mut stages: Vec<Stage> = Vec::new();
        let mut current = self.before.clone();
        for phase in self.phases() {
            let floor = self.floor(phase, grain);
            // Rising goes up to all parts; falling goes down to the floor, and from there to the end.
            let mut left: u64 = match phase {
                Phase::Rising => grain - floor + 1,
                Phase::Falling => grain - floor,
            };
            let part = |left: u64, taken: u64| match phase {
                Phase::Rising => grain + taken - left,
                Phase::Falling => floor + left - taken,
            };
            loop {
                let goal = self.goal(phase, grain)?;
                let whole = difference(&current, &goal)?;
                if keeps(limits, &whole) {
                    if whole.expected.moved > 0.0 || phase == Phase::Falling {
                        stages.push((goal.clone(), whole));
                    }
                    current = goal;
                    break;
                }
                let (taken, stage) = furthest(left.saturating_sub(1), |taken| {
                    let cluster = self.cluster(phase, part(left, taken), grain)?;
                    let moved = difference(&current, &cluster)?;
                    Ok(Some((cluster, moved)).filter(|(_, moved)| keeps(limits, moved)))
                })?
                .ok_or_else(|| {
                    error!(
                        Unsupported,
                        "{limits} cannot be kept by weights, of which a step would have to be finer than 1/{grain}, or a first \
                         step brings nodes to their final ratios: plan by share of keys instead"
                    )
                })?;
                left -= taken;
                current = stage.0.clone();
                stages.push(stage);
                if stages.len() > MAX_STEPS as usize {
                    return Err(error!(InvalidParameter, "the limit takes more than {MAX_STEPS} steps: raise it"));
                }
            }
        }
        Ok(stages)
    }

    fn phases(&self) -> Vec<Phase> {
        let mut phases = Vec::new();
        if self.travellers.iter().any(|node| node.after > node.before) {
            phases.push(Phase::Rising);
        }
        if self.travellers.iter().any(|node| node.after < node.before) {
            phases.push(Phase::Falling);
        }
        phases
    }

    /// The least parts with which no node goes the wrong way.
    fn floor(&self, phase: Phase, grain: u64) -> u64 {
        let parts = |small: u64, large: u64| (u128::from(small) * u128::from(grain)).div_ceil(u128::from(large));
        let floors = self.travellers.iter().filter_map(|node| match phase {
            Phase::Rising => (node.after > node.before).then(|| parts(node.before, node.after)),
            Phase::Falling => (node.after < node.before).then(|| parts(node.after, node.before)),
        });
        // At most the grain.
        floors.max().and_then(|floor| u64::try_from(floor).ok()).unwrap_or(0).max(1)
    }

    /// The cluster with which a phase ends.
    fn goal(&self, phase: Phase, grain: u64) -> Result<Cluster, Error> {
        if self.phases().last() == Some(&phase) {
            return Ok(self.after.clone());
        }
        self.cluster(phase, grain, grain)
    }

    fn cluster(&self, phase: Phase, part: u64, of: u64) -> Result<Cluster, Error> {
        let weight = |node: &Traveller| match phase {
            Phase::Rising if node.after > node.before => node.after * part,
            Phase::Rising => node.before * of,
            Phase::Falling if node.after < node.before => node.before * part,
            Phase::Falling => node.after * of,
        };
        let weights: Vec<u64> = self.travellers.iter().map(weight).collect();
        let common = weights.iter().fold(0, |common, weight| greatest_divisor(u128::from(*weight), common));
        self.assemble(weights.into_iter().map(|weight| u128::from(weight) / common.max(1)))
    }

    /// The cluster with these weights, without nodes that are only on the way out and have none.
    fn assemble(&self, weights: impl Iterator<Item = u128>) -> Result<Cluster, Error> {
        let nodes = self.travellers.iter().zip(weights).filter(|(node, weight)| node.stays || *weight > 0);
        let weighed = nodes.map(|(node, weight)| {
            let fits = u32::try_from(weight).map_err(|_| {
                error!(Unsupported, "weight {weight} of node {} is out of range on the way", shown(node.node.id()))
            })?;
            Ok(node.node.clone().weight(fits))
        });
        let nodes = weighed.collect::<Result<Vec<Node>, Error>>()?;
        Cluster::assemble(self.after.inner.parameters.clone(), nodes, None, Some(&self.after.inner))
    }

    /// One node rises or falls, a unit of weight at least.
    fn on_a_ring(&self, node: &Traveller, limits: &Limits) -> Result<Vec<Stage>, Error> {
        let mut stages: Vec<Stage> = Vec::new();
        let mut current = self.before.clone();
        let mut left = node.before.abs_diff(node.after);
        while left > 0 {
            let (taken, stage) = furthest(left, |taken| {
                let cluster = self.ring(node, left - taken)?;
                let moved = difference(&current, &cluster)?;
                Ok(Some((cluster, moved)).filter(|(_, moved)| keeps(limits, moved)))
            })?
            .ok_or_else(|| {
                error!(
                    Unsupported,
                    "{limits} cannot be kept by weights: one unit of the weight of node {} moves more; plan by share of keys instead",
                    shown(node.node.id())
                )
            })?;
            left -= taken;
            current = stage.0.clone();
            stages.push(stage);
        }
        Ok(stages)
    }

    /// The ring on which the one node that changes is so many units from its end.
    fn ring(&self, changing: &Traveller, left: u64) -> Result<Cluster, Error> {
        if left == 0 {
            return Ok(self.after.clone());
        }
        let weight = |node: &Traveller| {
            let changes = node.node.id() == changing.node.id();
            let back = if node.before > node.after { node.after + left } else { node.after - left.min(node.after) };
            u128::from(if changes { back } else { node.after })
        };
        self.assemble(self.travellers.iter().map(weight))
    }

    /// The clusters in which the changed nodes change one after the other.
    fn one_by_one(&self) -> Vec<Cluster> {
        let changed = self.travellers.iter().filter(|node| node.before != node.after).count();
        let stage = |done: usize| {
            let mut seen = 0;
            self.assemble(self.travellers.iter().map(move |node| {
                seen += usize::from(node.before != node.after);
                u128::from(if seen <= done { node.after } else { node.before })
            }))
        };
        (1..changed).filter_map(|done| stage(done).ok()).collect()
    }

    /// The clusters of eight even steps in each phase.
    fn evenly(&self, grain: u64) -> Result<Vec<Cluster>, Error> {
        const STEPS: u64 = 8;
        let mut clusters = Vec::new();
        for phase in self.phases() {
            let floor = self.floor(phase, grain);
            for step in 1..STEPS {
                let far = (grain - floor) * step / STEPS;
                let part = if phase == Phase::Rising { floor + far } else { grain - far };
                clusters.push(self.cluster(phase, part, grain)?);
            }
            if self.phases().last() != Some(&phase) {
                clusters.push(self.goal(phase, grain)?);
            }
        }
        Ok(clusters)
    }

    /// Why there is no plan by weights: how many keys of a sample would move twice on the way over these clusters.
    fn refusal(&self, clusters: &[Cluster], difference: &DiffSummary) -> Result<Error, Error> {
        let mut stages: Vec<Description> = vec![self.before.into()];
        stages.extend(clusters.iter().map(Description::from));
        stages.push(self.after.into());
        let checks = follow_sample(&stages, false)?;
        let algorithm = self.before.algorithm();
        Ok(match checks.moved_twice {
            0 => error!(
                Unsupported,
                "{algorithm} gives no guarantee that no key moves twice in a plan by weights for this change, though none of {} did: \
                 plan by share of keys instead",
                checks.count
            ),
            twice => error!(
                Unsupported,
                "{twice} keys of {} would move twice in a plan by weights, beside {} % that move at all: {algorithm} gives no guarantee \
                 against it for this change; plan by share of keys instead",
                checks.count,
                percent(difference.expected.moved)
            ),
        })
    }
}

fn too_heavy() -> Error {
    error!(Unsupported, "weights up to 2^31 and above cannot rise in parts: plan by share of keys")
}

/// Hundredths of a per cent as text, without a float's tail.
fn percent(share: f64) -> alloc::string::String {
    alloc::format!("{:.2}", share * 100.0)
}

/// The factors that bring both weightings to one scale: that on which most of the weight stays as it is.
fn scale(weights: impl Iterator<Item = (u64, u64)>) -> (u64, u64) {
    let mut ratios: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (old, new) in weights.filter(|(old, new)| *old > 0 && *new > 0) {
        let common = greatest_divisor(old.into(), new.into());
        let reduced = |weight: u64| u64::try_from(u128::from(weight) / common).unwrap_or(weight);
        *ratios.entry((reduced(new), reduced(old))).or_default() += old;
    }
    // Among equals the one of smaller numbers.
    let best = ratios.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or((1, 1), |(ratio, _)| ratio)
}

/// The largest number from 1 to `most` for which something is found, which is found for every smaller one too.
fn furthest<T>(most: u64, mut find: impl FnMut(u64) -> Result<Option<T>, Error>) -> Result<Option<(u64, T)>, Error> {
    let (mut low, mut high) = (0, most);
    let mut found = None;
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        match find(middle)? {
            Some(value) => {
                found = Some((middle, value));
                low = middle;
            }
            None => high = middle - 1,
        }
    }
    Ok(found)
}
