//! The expected flows between two weightings of one rendezvous cluster, in closed form.
//!
//! Let W and V be the weights before and after, a missing node's 0. The costs E of a key are independent and exponential, its owner
//! has the smallest E/W before and the smallest E/V after. With ρ = W/V (infinite for V = 0), F(u) = Σ max(W, u·V) and
//! G(u) = ∫ dx / F(x)² from 0 to u, integrating over the cost of i and the ratio x of the costs of j and i gives
//!
//! - a key moves from i to j with probability `W_i · V_j · (G(ρ_i) − G(ρ_j))` where `ρ_i > ρ_j`, else never;
//! - it stays on i with probability `W_i / F(ρ_i)`, which is `1 / Σ_j max(W_j / W_i, V_j / V_i)`.
//!
//! F is linear between neighbouring ρ, so each piece of G is `(x1 − x0) / (F(x0) · F(x1))`. Scaling W or V changes nothing, so both
//! are taken as shares.

use alloc::{vec, vec::Vec};
use core::{cmp::Ordering, ops::Range};

use super::shares::float;

/// Nodes grouped by the ratio of their weights, and what flows between the groups.
pub(super) struct Race {
    /// Names by ascending ratio.
    names: Vec<u32>,
    groups: Vec<Group>,
    /// Weights as shares, by name.
    before: Vec<f64>,
    after: Vec<f64>,
}

/// Nodes of one ratio: none of their keys move between them.
struct Group {
    names: Range<usize>,
    /// G from the group before it to this one.
    rise: f64,
    /// The shares after of the groups of smaller ratio, and the shares before of those of larger.
    below: f64,
    above: f64,
    /// What flows out for each unit of share before, and in for each unit of share after.
    out: f64,
    entering: f64,
}

impl Race {
    /// Weights by name. On either side one is above 0.
    pub(super) fn new(before: &[u32], after: &[u32]) -> Race {
        let mut names: Vec<u32> =
            (0..).zip(before.iter().zip(after)).filter(|(_, pair)| *pair != (&0, &0)).map(|(name, _)| name).collect();
        // The order of W/V without dividing: no product passes 64 bits.
        let ratios = |a: &u32, b: &u32| {
            let product = |w: &u32, v: &u32| u64::from(before[*w as usize]) * u64::from(after[*v as usize]);
            product(a, b).cmp(&product(b, a))
        };
        names.sort_by(ratios);
        let mut race = Race { groups: Vec::new(), before: as_shares(before), after: as_shares(after), names };
        let mut start = 0;
        for group in race.names.chunk_by(|a, b| ratios(a, b) == Ordering::Equal) {
            let names = start..start + group.len();
            start = names.end;
            race.groups.push(Group { names, rise: 0.0, below: 0.0, above: 0.0, out: 0.0, entering: 0.0 });
        }
        race.integrate(before, after);
        race
    }

    fn integrate(&mut self, before: &[u32], after: &[u32]) {
        // Sums of integers, which no order of adding rounds differently, and exact in a float: below 2^53.
        let sum = |weights: &[u32], names: &[u32]| -> u64 {
            names.iter().map(|name| u64::from(weights[*name as usize])).sum()
        };
        let (all_before, all_after) = (sum(before, &self.names), sum(after, &self.names));
        let share = |part: u64, whole: u64| float(part.into()) / float(whole.into());
        let (mut passed_before, mut passed_after) = (0, 0);
        // The ratio of the group before, and F there.
        let mut last = None;
        for group in &mut self.groups {
            let names = &self.names[group.names.clone()];
            let (of_before, of_after) = (sum(before, names), sum(after, names));
            let level = share(all_before - passed_before, all_before);
            group.below = share(passed_after, all_after);
            group.above = share(all_before - passed_before - of_before, all_before);
            let ratio = share(of_before, all_before) / share(of_after, all_after);
            let height = level + group.below * ratio;
            group.rise = match last {
                None => 0.0,
                Some((_, foot)) if of_after == 0 => 1.0 / (group.below * foot),
                Some((start, foot)) => (ratio - start) / (foot * height),
            };
            last = Some((ratio, height));
            passed_before += of_before;
            passed_after += of_after;
        }
        // All terms are positive: no two nearly equal numbers are subtracted, and what cannot flow is 0 exactly.
        let mut out = 0.0;
        for group in &mut self.groups {
            out += group.below * group.rise;
            group.out = out;
        }
        let mut entering = 0.0;
        let mut rise = 0.0;
        for group in self.groups.iter_mut().rev() {
            entering += group.above * rise;
            group.entering = entering;
            rise = group.rise;
        }
    }

    /// For each group the sums of what flows out and in, by name.
    pub(super) fn flows(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut out, mut entering) = (vec![0.0; self.before.len()], vec![0.0; self.after.len()]);
        for group in &self.groups {
            for name in &self.names[group.names.clone()] {
                let name = *name as usize;
                out[name] = self.before[name] * group.out;
                entering[name] = self.after[name] * group.entering;
            }
        }
        (out, entering)
    }

    /// How many pairs of nodes there are between which keys move.
    pub(super) fn pair_count(&self) -> usize {
        let live = |weights: &[f64], group: &Group| {
            self.names[group.names.clone()].iter().filter(|name| weights[**name as usize] > 0.0).count()
        };
        let mut targets = 0_usize;
        let mut pairs = 0_usize;
        for group in &self.groups {
            pairs = pairs.saturating_add(live(&self.before, group).saturating_mul(targets));
            targets += live(&self.after, group);
        }
        pairs
    }

    /// Calls `each` with every such pair and the share of the keys that move from the first to the second.
    pub(super) fn pairs(&self, mut each: impl FnMut(u32, u32, f64)) {
        for (at, group) in self.groups.iter().enumerate() {
            let mut rise = 0.0;
            for (below, above) in self.groups[..at].iter().zip(&self.groups[1..=at]).rev() {
                rise += above.rise;
                for from in &self.names[group.names.clone()] {
                    for to in &self.names[below.names.clone()] {
                        let share = self.before[*from as usize] * self.after[*to as usize] * rise;
                        if share > 0.0 {
                            each(*from, *to, share);
                        }
                    }
                }
            }
        }
    }
}

fn as_shares(weights: &[u32]) -> Vec<f64> {
    let sum: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
    weights.iter().map(|weight| f64::from(*weight) / float(sum.into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    fn weights(seed: u64, count: u64, largest: u64) -> Vec<u32> {
        let weight = |i| if draw(seed, 2 * i).is_multiple_of(3) { 0 } else { draw(seed, 2 * i + 1) % largest };
        let mut weights: Vec<u32> = (0..count).map(|i| u32::try_from(weight(i)).unwrap()).collect();
        weights[usize::try_from(draw(seed, 999) % count).unwrap()] = u32::try_from(largest - 1).unwrap();
        weights
    }

    #[test]
    fn sums_match_the_formula_for_staying() {
        for seed in 0..400 {
            let largest = [2, 4, 1000, 1 << 32][usize::try_from(seed % 4).unwrap()];
            let (before, after) = (weights(seed, 1 + seed % 9, largest), weights(seed + 7000, 1 + seed % 9, largest));
            let race = Race::new(&before, &after);
            let (out, entering) = race.flows();
            let (mut pair_out, mut pair_in) = (vec![0.0; out.len()], vec![0.0; out.len()]);
            let mut pairs = 0;
            race.pairs(|from, to, share| {
                assert!(from != to && share > 0.0);
                pairs += 1;
                pair_out[from as usize] += share;
                pair_in[to as usize] += share;
            });
            assert_eq!(pairs, race.pair_count());
            for name in 0..before.len() {
                let (w, v) = (f64::from(before[name]), f64::from(after[name]));
                let ratio = |x: u32, y: f64| f64::from(x) / y;
                let larger = |(a, b): (&u32, &u32)| ratio(*a, w).max(ratio(*b, v));
                let stays = if w * v > 0.0 { 1.0 / before.iter().zip(&after).map(larger).sum::<f64>() } else { 0.0 };
                assert!((race.before[name] - stays - out[name]).abs() < 1e-12, "{before:?} {after:?} {name}");
                assert!((race.after[name] - stays - entering[name]).abs() < 1e-12, "{before:?} {after:?} {name}");
                assert!((pair_out[name] - out[name]).abs() < 1e-12 && (pair_in[name] - entering[name]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_cannot_flow_is_exactly_nothing() {
        let race = Race::new(&[3, 5, 7, 0], &[6, 10, 14, 2]);
        let (out, entering) = race.flows();
        assert_eq!((out[3], &entering[..3]), (0.0, &[0.0; 3][..]));
        assert!((entering[3] - 1.0 / 16.0).abs() < 1e-15);
        let still = Race::new(&[3, 5, 0], &[9, 15, 0]);
        assert_eq!(still.flows(), (vec![0.0; 3], vec![0.0; 3]));
        assert_eq!(still.pair_count(), 0);
    }
}
