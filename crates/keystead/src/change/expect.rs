//! What is expected of keys that nobody gave: exact where the algorithms allow it, else from a stated sample.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use super::{
    Lists,
    judge::Judge,
    race::Race,
    regions::moved_arcs,
    shares::{Shares, float},
    tally::{Flow, Tally},
    view::{Phase, Seen, SeenSide, View},
};
use crate::{encode::KeyBytes, error::Error, hash::draw};

/// How an expectation was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Method {
    Exact,
    Independent,
    Sample,
}

impl Method {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Independent => "independent",
            Method::Sample => "sample",
        }
    }
}

/// More pairs than this are not listed: a matrix of 256 nodes by 256 is more than anybody reads.
const MAX_PAIRS: usize = 1 << 16;

/// The keys of a sample: `draw(SEED, i)` in eight bytes, little-endian, for i = 1, 2, …
const SEED: u64 = 0x6B65_7973_7465_6164;

/// How many keys a sample has.
const SAMPLE: u64 = 1 << 16;

/// What each node gives and gets, as shares of all keys; by name.
pub(crate) struct Flows {
    pub(crate) moved: f64,
    pub(crate) moved_in: Vec<f64>,
    pub(crate) moved_out: Vec<f64>,
    /// By the names of source and target; none where there are too many.
    pub(crate) pairs: Option<BTreeMap<(u32, u32), f64>>,
}

impl Flows {
    fn none(names: usize) -> Flows {
        Flows { moved: 0.0, moved_in: vec![0.0; names], moved_out: vec![0.0; names], pairs: Some(BTreeMap::new()) }
    }

    fn add(&mut self, weight: f64, other: &Flows) {
        self.moved += weight * other.moved;
        for (sums, flows) in [(&mut self.moved_in, &other.moved_in), (&mut self.moved_out, &other.moved_out)] {
            for (sum, flow) in sums.iter_mut().zip(flows) {
                *sum += weight * flow;
            }
        }
        match (&mut self.pairs, &other.pairs) {
            (Some(sums), Some(pairs)) => {
                for (pair, share) in pairs {
                    *sums.entry(*pair).or_default() += weight * share;
                }
            }
            (pairs, _) => *pairs = None,
        }
        self.pairs.take_if(|pairs| pairs.len() > MAX_PAIRS);
    }

    fn of_pairs(names: usize, pairs: impl IntoIterator<Item = ((u32, u32), f64)>) -> Flows {
        let mut flows = Flows::none(names);
        let mut sums: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for ((from, to), share) in pairs {
            flows.moved += share;
            flows.moved_out[from as usize] += share;
            flows.moved_in[to as usize] += share;
            *sums.entry((from, to)).or_default() += share;
        }
        flows.pairs = Some(sums).filter(|sums| sums.len() <= MAX_PAIRS);
        flows
    }

    fn of_race(before: &[u32], after: &[u32]) -> Flows {
        let race = Race::new(before, after);
        let (moved_out, moved_in) = race.flows();
        let mut pairs = BTreeMap::new();
        let few = race.pair_count() <= MAX_PAIRS;
        if few {
            race.pairs(|from, to, share| _ = pairs.insert((from, to), share));
        }
        Flows { moved: moved_out.iter().sum(), moved_in, moved_out, pairs: few.then_some(pairs) }
    }

    /// Owners before and after that have nothing to do with each other.
    fn of_independent(before: &[f64], after: &[f64]) -> Flows {
        let names = before.len();
        let mut flows = Flows::none(names);
        for name in 0..names {
            let (old, new) = (before[name], after[name]);
            flows.moved_out[name] = old * (1.0 - new);
            flows.moved_in[name] = new * (1.0 - old);
        }
        flows.moved = flows.moved_out.iter().sum();
        let live = |shares: &[f64]| shares.iter().filter(|share| **share > 0.0).count();
        if live(before).saturating_mul(live(after)) > MAX_PAIRS {
            flows.pairs = None;
            return flows;
        }
        let pairs = (0..).zip(before).flat_map(|(from, old)| {
            (0..).zip(after).filter(move |(to, _)| *to != from).map(move |(to, new)| ((from, to), old * new))
        });
        flows.pairs = Some(pairs.filter(|(_, share)| *share > 0.0).collect());
        flows
    }
}

/// The flows between two views, if they are known without asking for keys.
fn known(before: &Seen, after: &Seen, names: usize) -> Option<(Method, Flows)> {
    if before.hash == after.hash {
        match (&before.view, &after.view) {
            (View::Race(old), View::Race(new)) => return Some((Method::Exact, Flows::of_race(old, new))),
            (View::Ring(old, old_names), View::Ring(new, new_names)) if old.space() == new.space() => {
                let space = float(old.space().map_or(1 << 64, u128::from));
                let arcs = moved_arcs((old, old_names), (new, new_names));
                let pairs = arcs.into_iter().map(|arc| ((arc.from, arc.to), float(arc.length) / space));
                return Some((Method::Exact, Flows::of_pairs(names, pairs)));
            }
            (View::Table(old), View::Table(new)) if old.len() == new.len() => {
                let mut pairs: BTreeMap<(u32, u32), u32> = BTreeMap::new();
                for pair in moved_slots(old, new) {
                    *pairs.entry((pair.1, pair.2)).or_default() += 1;
                }
                let share = |count: u32| f64::from(count) / float(old.len() as u128);
                let pairs = pairs.into_iter().map(|(pair, count)| (pair, share(count)));
                return Some((Method::Exact, Flows::of_pairs(names, pairs)));
            }
            // Scores of the same nodes for the same digest; and what lies side by side on the digests' line.
            (View::Race(_) | View::Domains, View::Race(_) | View::Domains)
            | (View::Ring(..) | View::Table(_), View::Ring(..) | View::Table(_)) => return None,
            // A score mixes the digest with a node's, and says nothing of where the digest lies.
            _ => {}
        }
    }
    let (old, new) = (before.shares.as_ref()?, after.shares.as_ref()?);
    let shares = |shares: &Shares| -> Vec<f64> { (0..names).map(|name| shares.of(name)).collect() };
    Some((Method::Independent, Flows::of_independent(&shares(old), &shares(new))))
}

/// The slots whose owner changes, with the names of both.
pub(super) fn moved_slots<'a>(before: &'a [u32], after: &'a [u32]) -> impl Iterator<Item = (u32, u32, u32)> + 'a {
    let slots = (0..).zip(before.iter().zip(after));
    slots.filter(|(_, (old, new))| old != new).map(|(slot, (old, new))| (slot, *old, *new))
}

/// What is expected of the owners of keys.
pub(crate) struct Expectation {
    pub(crate) method: Method,
    /// How many keys were asked for, for a sample.
    pub(crate) samples: Option<u64>,
    pub(crate) standard_error: f64,
    /// The share of each name on either side.
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
    pub(crate) flows: Flows,
}

/// The expectation, and the sample if one was asked.
pub(super) fn expectation(
    judge: &Judge,
    (before, after): (&SeenSide, &SeenSide),
    phases: &[Phase],
    identical: bool,
) -> Result<(Expectation, Option<Tally>), Error> {
    let names = judge.names();
    let mut sum = Some((Method::Exact, Flows::none(names)));
    for phase in phases.iter().filter(|_| !identical) {
        let Some((method, flows)) = &mut sum else { break };
        match known(&before.views[phase.before], &after.views[phase.after], names) {
            Some((own, other)) => {
                *method = own.max(*method);
                flows.add(phase.weight, &other);
            }
            None => sum = None,
        }
    }
    let shares = |side: &SeenSide| -> Option<Vec<f64>> { (0..names).map(|name| side.share(name)).collect() };
    let exact = match (sum, shares(before), shares(after)) {
        (Some((method, flows)), Some(before), Some(after)) => {
            Some(Expectation { method, samples: None, standard_error: 0.0, before, after, flows })
        }
        _ => None,
    };
    let sample = if exact.is_none() || judge.r > 1 { Some(sample(judge)?) } else { None };
    let expectation = match (exact, &sample) {
        (Some(exact), _) => exact,
        (None, Some(sample)) => sampled(sample),
        // Not reached: without an exact expectation there is a sample.
        (None, None) => sampled(&Tally::new(names, false)),
    };
    Ok((expectation, sample))
}

/// The keys of a sample, fewer where each answer takes a walk through many nodes.
pub(crate) fn sample_keys(nodes: usize, r: u64) -> impl Iterator<Item = [u8; 8]> {
    let dear = (nodes as u64).saturating_add(r.saturating_mul(64)).next_power_of_two() >> 12;
    let count = (SAMPLE / dear.max(1)).max(1 << 10);
    (1..=count).map(|i| draw(SEED, i).to_le_bytes())
}

fn sample(judge: &Judge) -> Result<Tally, Error> {
    let mut tally = Tally::new(judge.names(), judge.r > 1);
    let mut lists = Lists::default();
    for key in sample_keys(judge.names(), judge.r) {
        let verdict = judge.judge(KeyBytes::plain(&key), &mut lists)?;
        tally.add(&verdict, &lists, 0);
    }
    Ok(tally)
}

fn sampled(tally: &Tally) -> Expectation {
    let whole = float(tally.total.keys.max(1).into());
    let shares = |count: fn(&Flow) -> u64| tally.nodes.iter().map(|flow| float(count(flow).into()) / whole).collect();
    let pairs = tally.moves.iter().map(|(pair, count)| (*pair, float(count.keys.into()) / whole));
    let mut flows = Flows::of_pairs(tally.nodes.len(), pairs);
    flows.moved = float(tally.moved().keys.into()) / whole;
    flows.moved_in = shares(|flow| flow.moved_in.keys);
    flows.moved_out = shares(|flow| flow.moved_out.keys);
    Expectation {
        method: Method::Sample,
        samples: Some(tally.total.keys),
        standard_error: standard_error(tally.moved().keys, tally.total.keys),
        before: shares(|flow| flow.before.keys),
        after: shares(|flow| flow.after.keys),
        flows,
    }
}

/// The standard error of a share that was found in a sample. One more hit and one more miss are assumed than were seen: what no key
/// of a sample does may happen all the same.
pub(super) fn standard_error(hits: u64, samples: u64) -> f64 {
    let share = float(u128::from(hits) + 1) / float(u128::from(samples) + 2);
    square_root(share * (1.0 - share) / float(u128::from(samples.max(1))))
}

/// By Newton's iteration from above, since `core` has no square root. For numbers from 0 to 1.
fn square_root(square: f64) -> f64 {
    let mut root = 1.0;
    loop {
        let next = 0.5 * (root + square / root);
        if next >= root || next <= 0.0 {
            return root;
        }
        root = next;
    }
}

#[cfg(test)]
mod tests {
    use super::square_root;

    #[test]
    fn square_roots_match_std() {
        for square in [1.0, 0.25, 0.3, 1e-3, 7e-9, 1e-15] {
            assert!((square_root(square) - f64::sqrt(square)).abs() <= 1e-15 * f64::sqrt(square) * 4.0);
        }
    }
}
