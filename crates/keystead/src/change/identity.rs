//! Whether two sides can give a different answer at all.

use alloc::vec::Vec;

use super::{
    causes::one_circle,
    expect::moved_slots,
    judge::{Judge, Member, Side},
    view::{Phase, SeenSide, View, phases},
};
use crate::{Gate, Node, builder::Algorithm};

/// Whether it is provable that no key gets another answer to the question. Where it is not, one may or may not.
pub(super) fn identical(judge: &Judge, before: &SeenSide, after: &SeenSide, met: &[Phase]) -> bool {
    if judge.before.fingerprint() == judge.after.fingerprint() {
        return true;
    }
    let tables = |phase: &Phase| match (&before.views[phase.before], &after.views[phase.after]) {
        (old, new) if old.hash != new.hash => None,
        (old, new) => match (&old.view, &new.view) {
            (View::Table(old), View::Table(new)) if old.len() == new.len() => Some((old, new)),
            _ => None,
        },
    };
    // Where only owners are asked for, a table says all.
    if judge.r == 1
        && met.iter().all(|phase| tables(phase).is_some_and(|(old, new)| moved_slots(old, new).next().is_none()))
    {
        return true;
    }
    meetings(&judge.before, &judge.after)
        .into_iter()
        .all(|(old, new)| judge.causes(old, new).same || alike(judge, old, new))
}

/// Which members of the sides can answer for the same key.
fn meetings(before: &Side, after: &Side) -> Vec<(usize, usize)> {
    let gates = [before, after].map(|side| side.transition().map(|step| (step.gate(), step.by_slot(), side)));
    let one_gate = match gates {
        [Some((_, false, _)), Some((_, false, _))] | [None, _] | [_, None] => true,
        [Some((_, old, _)), Some((_, new, _))] if old != new => false,
        [Some((.., old)), Some((.., new))] => {
            let table = |side: &Side| (side.members[0].cluster.slots(), *side.members[0].cluster.hash());
            table(old) == table(new)
        }
    };
    let [old, new] = gates.map(|gate| gate.map(|(gate, ..)| gate));
    if one_gate {
        return phases(old, new).into_iter().map(|phase| (phase.before, phase.after)).collect();
    }
    let open = |gate: Option<Gate>| {
        let gate = gate.map_or((0, 1), |gate| (gate.part(), gate.of()));
        [(0, gate.0 < gate.1), (1, gate.0 > 0)].into_iter().filter(|(_, open)| *open).map(|(member, _)| member)
    };
    open(old).flat_map(|old| open(new).map(move |new| (old, new))).collect()
}

/// Whether two clusters rank what is asked for alike.
fn alike(judge: &Judge, old: usize, new: usize) -> bool {
    let causes = judge.causes(old, new);
    let (before, after) = (&judge.before.members[old], &judge.after.members[new]);
    let (parameters, others) = (&before.cluster.inner.parameters, &after.cluster.inner.parameters);
    let hierarchy = parameters.algorithm == Algorithm::Hierarchy;
    // Whom a hierarchy excludes, its domains still count.
    let (old, new) = (live(judge, before, hierarchy), live(judge, after, hierarchy));
    if !old.iter().map(|(name, _)| name).eq(new.iter().map(|(name, _)| name)) {
        return false;
    }
    if let [_] = &*old {
        return true;
    }
    if parameters.hash != others.hash || !same_domains(judge, (before, &old), (after, &new), hierarchy) {
        return false;
    }
    match (parameters.algorithm, others.algorithm) {
        (Algorithm::Rendezvous, Algorithm::Rendezvous) | (Algorithm::Hierarchy, Algorithm::Hierarchy) => {
            proportional(&old, &new)
        }
        (Algorithm::Ring { .. }, Algorithm::Ring { .. }) => {
            one_circle(&before.cluster, &after.cluster)
                && (old.iter().all(|(name, _)| causes.keeps(*name)) || stretches(before) == stretches(after))
        }
        (Algorithm::Slots { slots, .. }, Algorithm::Slots { slots: others, .. }) => {
            let owners = |member: &Member| super::view::owners(member, &judge.constraints);
            slots == others && proportional(&old, &new) && owners(before) == owners(after)
        }
        _ => false,
    }
}

/// The ring as stretches of one node each: where each ends and whose it is. A token before another of the same node changes nothing.
fn stretches(member: &Member) -> Vec<(u64, u32)> {
    let tokens = member.cluster.arcs().unwrap_or_default();
    let mut stretches: Vec<(u64, u32)> = Vec::new();
    for arc in tokens {
        let name = member.names[arc.node as usize];
        match stretches.last_mut() {
            Some((end, last)) if *last == name => *end = arc.end,
            _ => stretches.push((arc.end, name)),
        }
    }
    // Behind the last coordinate comes the first.
    if let ([first, .., last], true) = (&*stretches, stretches.len() > 1)
        && first.1 == last.1
    {
        stretches.pop();
    }
    stretches
}

/// The nodes that can answer, by name.
fn live<'a>(judge: &Judge, member: &'a Member, with_excluded: bool) -> Vec<(u32, &'a Node)> {
    let excluded = if with_excluded { Vec::new() } else { member.cluster.excluded(&judge.constraints) };
    let nodes = (0_u32..).zip(member.cluster.nodes()).zip(&member.names);
    let can_answer = |index: u32, node: &Node| !node.is_drained() && excluded.binary_search(&index).is_err();
    nodes.filter(|((index, node), _)| can_answer(*index, node)).map(|((_, node), name)| (*name, node)).collect()
}

/// Whether the same nodes share domains, as far as the question looks at them.
fn same_domains(
    judge: &Judge,
    (before, old): (&Member, &[(u32, &Node)]),
    (after, new): (&Member, &[(u32, &Node)]),
    whole_path: bool,
) -> bool {
    let level = |member: &Member| member.cluster.level(judge.r, &judge.constraints).ok().flatten();
    let depth = if whole_path { usize::MAX } else { level(before).map_or(0, |level| level + 1) };
    let path = |node: &Node| node.get_location().iter().take(depth).cloned().collect::<Vec<_>>();
    level(before) == level(after) && old.iter().zip(new).all(|((_, old), (_, new))| path(old) == path(new))
}

/// Whether the weights of the same nodes differ by one factor.
fn proportional(old: &[(u32, &Node)], new: &[(u32, &Node)]) -> bool {
    let weight = |(_, node): &(u32, &Node)| u64::from(node.get_weight());
    let (Some(first_old), Some(first_new)) = (old.first().map(weight), new.first().map(weight)) else { return true };
    old.iter().zip(new).all(|(old, new)| weight(old) * first_new == weight(new) * first_old)
}
