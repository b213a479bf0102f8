//! From what is counted and expected to the structure that people and programs read.

use alloc::{borrow::ToOwned, collections::BTreeSet, format, string::String, vec::Vec};

use super::{
    Counted, CountedCopies, CountedMove, CountedNode, CountedReasons, DiffSide, DiffSummary, DiffTransition, Expected,
    ExpectedCopies, ExpectedCopiesNode, ExpectedMove, ExpectedNode, Least, MovedArc, MovedSlot, Reason,
    expect::{Expectation, expectation, moved_slots, standard_error},
    identity::identical,
    judge::Judge,
    regions::moved_arcs,
    shares::{float, least},
    tally::{Flow, Tally},
    view::{Phase, SeenSide, View, phases},
};
use crate::{Described, Description, error::Error};

pub(super) fn summary(judge: &Judge, tally: &Tally) -> Result<DiffSummary, Error> {
    let (before, after) = (SeenSide::new(&judge.before, judge)?, SeenSide::new(&judge.after, judge)?);
    let phases = phases(before.gate, after.gate);
    let identical = identical(judge, &before, &after, &phases);
    let (expectation, sample) = expectation(judge, (&before, &after), &phases, identical)?;
    let last = judge.after.members.last();
    let level = last.map(|member| member.cluster.level(judge.r, &judge.constraints)).transpose()?.flatten();
    Ok(DiffSummary {
        before: DiffSide::new(&judge.before.description),
        after: DiffSide::new(&judge.after.description),
        r: judge.r,
        spread: level.map(|level| level as u64),
        relaxed: judge.constraints.is_relaxed(),
        excluded: excluded(judge),
        identical,
        least: least_movement(&before, &after, judge.names()),
        arcs: arcs(judge, &before, &after, &phases),
        slots: slots(judge, &before, &after, &phases),
        expected: Expected {
            copies: sample.filter(|_| judge.r > 1).and_then(|sample| expected_copies(judge, &sample, &after)),
            ..Expected::new(judge, expectation)
        },
        counted: tally.counts.then(|| Counted::new(judge, tally)),
    })
}

impl DiffSide {
    pub(crate) fn new(description: &Description) -> DiffSide {
        let (cluster, transition) = match description {
            Description::Cluster(cluster) => (cluster, None),
            Description::Transition(step) => (
                step.after(),
                Some(DiffTransition {
                    part: step.gate().part(),
                    of: step.gate().of(),
                    before: format!("{}", step.before().fingerprint()),
                    after: format!("{}", step.after().fingerprint()),
                }),
            ),
        };
        DiffSide {
            algorithm: cluster.algorithm(),
            hash: cluster.hash().name(),
            nodes: u32::try_from(cluster.len()).unwrap_or(u32::MAX),
            epoch: description.epoch(),
            fingerprint: format!("{}", description.fingerprint()),
            transition,
        }
    }
}

fn excluded(judge: &Judge) -> Vec<String> {
    let ids = judge.constraints.excluded_ids().iter();
    let known: BTreeSet<&str> = ids.filter_map(|id| judge.name(id)).map(|name| judge.id(name)).collect();
    known.into_iter().map(ToOwned::to_owned).collect()
}

fn least_movement(before: &SeenSide, after: &SeenSide, names: usize) -> Option<Least> {
    if let (Some(before), Some(after)) = (before.shares(), after.shares())
        && let Some(least) = least(&before, &after)
    {
        let share = float(least.numerator) / float(least.denominator);
        return Some(Least { fraction: Some((least.numerator, least.denominator)), share });
    }
    let gain = |name| Some((after.share(name)? - before.share(name)?).max(0.0));
    Some(Least { fraction: None, share: (0..names).map(gain).sum::<Option<f64>>()? })
}

fn arcs(judge: &Judge, before: &SeenSide, after: &SeenSide, phases: &[Phase]) -> Option<Vec<MovedArc>> {
    let id = |name: u32| judge.id(name).to_owned();
    let mut arcs = Vec::new();
    for phase in phases {
        let (old, new) = (&before.views[phase.before], &after.views[phase.after]);
        let (View::Ring(ring, names), View::Ring(other, other_names)) = (&old.view, &new.view) else { return None };
        if old.hash != new.hash || ring.space() != other.space() {
            return None;
        }
        arcs.extend(moved_arcs((ring, names), (other, other_names)).into_iter().map(|arc| MovedArc {
            start: arc.start,
            end: arc.end,
            length: arc.length,
            from: id(arc.from),
            to: id(arc.to),
            share: phase.weight,
        }));
    }
    arcs.sort_by_key(|arc| arc.end);
    Some(arcs)
}

fn slots(judge: &Judge, before: &SeenSide, after: &SeenSide, phases: &[Phase]) -> Option<Vec<MovedSlot>> {
    let [phase] = phases else { return None };
    let (old, new) = (&before.views[phase.before], &after.views[phase.after]);
    let (View::Table(owners), View::Table(others)) = (&old.view, &new.view) else { return None };
    if old.hash != new.hash || owners.len() != others.len() {
        return None;
    }
    let id = |name: u32| judge.id(name).to_owned();
    Some(moved_slots(owners, others).map(|(slot, from, to)| MovedSlot { slot, from: id(from), to: id(to) }).collect())
}

impl Expected {
    pub(crate) fn new(judge: &Judge, expectation: Expectation) -> Expected {
        let Expectation { method, samples, standard_error, before, after, flows } = expectation;
        let node = |(name, id): (usize, &str)| ExpectedNode {
            id: id.to_owned(),
            before: before[name],
            after: after[name],
            moved_in: flows.moved_in[name],
            moved_out: flows.moved_out[name],
        };
        let id = |name: u32| judge.id(name).to_owned();
        let moves = flows.pairs.as_ref().map(|pairs| {
            pairs
                .iter()
                .map(|((from, to), share)| ExpectedMove { from: id(*from), to: id(*to), share: *share })
                .collect()
        });
        Expected {
            method: method.as_str(),
            samples: samples.and_then(|samples| samples.try_into().ok()),
            moved: flows.moved,
            standard_error,
            moves,
            nodes: judge.ids().enumerate().map(node).collect(),
            copies: None,
        }
    }
}

fn expected_copies(judge: &Judge, sample: &Tally, after: &SeenSide) -> Option<ExpectedCopies> {
    let copies = sample.copies.as_ref()?;
    let keys = sample.total.keys;
    let share = |keys_of: u64| float(keys_of.into()) / float(keys.into());
    let changed = keys - sample.reason(Reason::Unchanged).keys;
    let node = |(name, (id, flow)): (usize, (&str, &Flow))| ExpectedCopiesNode {
        id: id.to_owned(),
        before: share(flow.before.keys),
        after: share(flow.after.keys),
        proportional: after.share(name).map(|share| float(judge.r.into()) * share),
        moved_in: share(flow.moved_in.keys),
        moved_out: share(flow.moved_out.keys),
    };
    Some(ExpectedCopies {
        samples: keys.try_into().ok()?,
        changed: share(changed),
        standard_error: standard_error(changed, keys),
        moved: share(copies.moved.keys),
        nodes: judge.ids().zip(&copies.nodes).enumerate().map(node).collect(),
    })
}

impl Counted {
    pub(crate) fn new(judge: &Judge, tally: &Tally) -> Counted {
        let id = |name: u32| judge.id(name).to_owned();
        let nodes = |flows: &[Flow]| judge.ids().zip(flows).map(|(id, flow)| CountedNode::new(id, flow)).collect();
        let moves = tally.moves.iter();
        Counted {
            total: tally.total,
            moved: tally.moved(),
            reasons: CountedReasons {
                gained: tally.reason(Reason::Gained),
                lost: tally.reason(Reason::Lost),
                both: tally.reason(Reason::Both),
                reshuffled: tally.reason(Reason::Reshuffled),
                candidates: tally.reason(Reason::Candidates),
                unchanged: tally.reason(Reason::Unchanged),
            },
            moves: moves
                .map(|((from, to), count)| CountedMove { from: id(*from), to: id(*to), count: *count })
                .collect(),
            nodes: nodes(&tally.nodes),
            copies: tally
                .copies
                .as_ref()
                .map(|copies| CountedCopies { moved: copies.moved, nodes: nodes(&copies.nodes) }),
        }
    }
}

impl CountedNode {
    fn new(id: &str, flow: &Flow) -> CountedNode {
        CountedNode {
            id: id.to_owned(),
            before: flow.before,
            after: flow.after,
            moved_in: flow.moved_in,
            moved_out: flow.moved_out,
        }
    }
}
