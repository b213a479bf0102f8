//! The way from one description to another: a transition, and between which of its fractions.

use alloc::vec::Vec;

use crate::{
    Cluster, Description, Gate, Transition,
    change::{float, greatest_divisor},
    error::{Error, ErrorKind},
};

/// From which fraction to which, of the transition between two clusters.
pub(super) struct Course {
    pub(super) transition: Transition,
    start: Gate,
    end: Gate,
}

impl Course {
    pub(super) fn new(before: &Description, after: &Description) -> Result<Course, Error> {
        use Description::{Cluster as One, Transition as Step};
        let course = |old: &Cluster, new: &Cluster, start, end| {
            let transition = Transition::new(old, new, 0, 1)?;
            Ok(Course { transition, start, end })
        };
        match (before, after) {
            (One(old), One(new)) => return course(old, new, Gate::NONE, Gate::ALL),
            (One(one), Step(step)) if one == step.before() => {
                return course(one, step.after(), Gate::NONE, step.gate());
            }
            (One(one), Step(step)) if one == step.after() => {
                return course(step.before(), one, Gate::ALL, step.gate());
            }
            (Step(step), One(one)) if one == step.after() => {
                return course(step.before(), one, step.gate(), Gate::ALL);
            }
            (Step(step), One(one)) if one == step.before() => {
                return course(one, step.after(), step.gate(), Gate::NONE);
            }
            (Step(old), Step(new)) if (old.before(), old.after()) == (new.before(), new.after()) => {
                return course(old.before(), old.after(), old.gate(), new.gate());
            }
            _ => {}
        }
        let message = "a plan leads from cluster to cluster, or along one transition: finish a transition, or go back, \
                       before another change begins";
        Err(Error::new(ErrorKind::Unsupported, message))
    }

    /// Whether keys pass, and do not come back.
    pub(super) fn is_forward(&self) -> bool {
        u64::from(self.start.part()) * u64::from(self.end.of())
            <= u64::from(self.end.part()) * u64::from(self.start.of())
    }

    /// The gate from which it goes.
    pub(super) fn start(&self) -> Gate {
        self.start
    }

    /// The gate to which it goes.
    pub(super) fn end(&self) -> Gate {
        self.end
    }

    /// Step `k` of `n` equal ones; none where its fraction has no part and of in range.
    pub(super) fn even(&self, k: u32, n: u32) -> Option<Gate> {
        let fraction = |gate: Gate| (u128::from(gate.part()), u128::from(gate.of()));
        let ((start, start_of), (end, end_of)) = (fraction(self.start), fraction(self.end));
        // Both over one denominator, below 2^64.
        let whole = start_of / greatest_divisor(start_of, end_of) * end_of;
        let (start, end) = (start * (whole / start_of), end * (whole / end_of));
        let (k, n) = (u128::from(k), u128::from(n));
        // Reduced alike for every k, so that a whole way in six steps is 1/6, 2/6, 3/6, …
        let common = greatest_divisor(whole * n, greatest_divisor(start * n, start.abs_diff(end)));
        let (part, of) = (start * (n - k) + end * k, whole * n);
        let in_range = |number: u128| u64::try_from(number / common).ok();
        Gate::new(in_range(part)?, in_range(of)?).ok()
    }

    /// The ends of `n` steps: equal ones where each has a part and of in range, else of at most one part in 2^32 less or more.
    pub(super) fn steps(&self, n: u32) -> Vec<Gate> {
        let even = (1..=n).map(|k| self.even(k, n)).collect::<Option<Vec<Gate>>>();
        even.unwrap_or_else(|| (1..=n).map(|k| if k == n { self.end } else { self.near(k, n) }).collect())
    }

    /// The fraction of 2^32 − 1 next to step `k` of `n` equal ones.
    fn near(&self, k: u32, n: u32) -> Gate {
        let (k, n, whole) = (u128::from(k), u128::from(n), u128::from(u32::MAX));
        let scaled = |gate: Gate, times: u128, other: Gate| u128::from(gate.part()) * u128::from(other.of()) * times;
        // Over one denominator, below 2^64 × n.
        let denominator = u128::from(self.start.of()) * u128::from(self.end.of()) * n;
        let numerator = scaled(self.start, n - k, self.end) + scaled(self.end, k, self.start);
        let part = (numerator * whole + denominator / 2) / denominator;
        // Between the ends, so from 0 to 2^32 − 1.
        u64::try_from(part).ok().and_then(|part| Gate::new(part, u32::MAX.into()).ok()).unwrap_or(self.end)
    }

    /// Which part of the way each step is.
    pub(super) fn parts(&self, gates: &[Gate]) -> Vec<f64> {
        let difference = |from: Gate, to: Gate| {
            let (from, from_of) = (i128::from(from.part()), i128::from(from.of()));
            let (to, to_of) = (i128::from(to.part()), i128::from(to.of()));
            // Exact before it becomes a float: two fractions may be almost equal.
            let distance = (to * from_of - from * to_of).unsigned_abs();
            float(distance) / float((from_of * to_of).unsigned_abs())
        };
        let n = gates.len();
        if self.is_even(gates) {
            return alloc::vec![1.0 / float(n as u128); n];
        }
        let whole = difference(self.start, self.end);
        let starts = core::iter::once(&self.start).chain(gates);
        starts.zip(gates).map(|(from, to)| difference(*from, *to) / whole).collect()
    }

    /// Whether these are the ends of equal steps.
    pub(super) fn is_even(&self, gates: &[Gate]) -> bool {
        let n = u32::try_from(gates.len()).unwrap_or(u32::MAX);
        (1..=n).zip(gates).all(|(k, gate)| self.even(k, n) == Some(*gate))
    }

    /// How far it goes at a gate, as a share of all keys.
    pub(super) fn passed(gate: Gate) -> f64 {
        float(gate.part().into()) / float(gate.of().into())
    }
}

/// The fraction part/of with the smallest `of` that lets one gate pass and not the other, which is larger; none where every such `of`
/// is above 2^32 − 1.
///
/// What has the gate *g* is passed when `g / 2^64 < part / of`, so the fraction lies above the first and at most at the second. It is
/// found by continued fractions: the simplest number of an interval is the smallest integer in it, if there is one; else all of the
/// interval has one integer part, and the simplest of the reciprocals of what is left over gives the rest.
pub(super) fn between(passed: u64, left: u64) -> Option<Gate> {
    // The interval's ends as numerator and denominator, each with whether it belongs to the interval.
    let (mut low, mut low_in) = ((u128::from(passed), 1_u128 << 64), false);
    let (mut high, mut high_in) = ((u128::from(left), 1_u128 << 64), true);
    let mut whole_parts = Vec::new();
    let mut fraction = loop {
        let whole = low.0 / low.1;
        let integer = if low.0 == whole * low.1 && low_in { whole } else { whole + 1 };
        // The largest denominators are 2^64, and the whole parts multiply to no more.
        if integer * high.1 < high.0 || (integer * high.1 == high.0 && high_in) {
            break (integer, 1);
        }
        whole_parts.push(whole);
        (low, high) = ((high.1, high.0 - whole * high.1), (low.1, low.0 - whole * low.1));
        (low_in, high_in) = (high_in, low_in);
    };
    for whole in whole_parts.into_iter().rev() {
        fraction = (whole * fraction.0 + fraction.1, fraction.0);
    }
    Gate::new(u64::try_from(fraction.0).ok()?, u64::try_from(fraction.1).ok()?).ok()
}

/// Whether some fraction lets one gate pass and not the other, which is not smaller.
pub(super) fn can_part(passed: u64, left: u64) -> bool {
    // From here on a multiple of 1 / (2^32 − 1) lies between them.
    left - passed > 1 << 33 || (left > passed && between(passed, left).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    #[test]
    fn the_simplest_fraction_parts_two_gates() {
        let mut hardest = 0;
        for i in 0..20_000 {
            let low = draw(1, i) >> (i % 3);
            let high = low.saturating_add(1 + (draw(2, i) >> (i % 64)));
            let Some(gate) = between(low, high) else {
                assert!(high - low <= 1 << 33);
                continue;
            };
            assert!(gate.lets(low) && !gate.lets(high), "{low} {high}");
            hardest = hardest.max(gate.of());
            // No smaller denominator does: the least part that lets the first pass lets the second.
            for of in (1..gate.of()).take(50) {
                let part = u32::try_from((u128::from(low) * u128::from(of)) >> 64).unwrap() + 1;
                assert!(Gate::new(part.into(), of.into()).unwrap().lets(high));
            }
        }
        assert!(hardest > 1 << 31);
    }

    #[test]
    fn edges_of_gates_are_parted_too() {
        for (low, high) in [(0, 1 << 63), (0, u64::MAX), ((1 << 63) - 1, 1 << 63), (1 << 62, 1 << 63)] {
            let gate = between(low, high).unwrap();
            assert!(gate.lets(low) && !gate.lets(high));
        }
        assert_eq!(between((1 << 63) - 1, 1 << 63), Gate::new(1, 2).ok());
        assert_eq!(between(0, 1), None);
        assert!(!can_part(7, 7));
    }

    #[test]
    fn steps_of_one_way_have_one_denominator() {
        let (a, b) = (Cluster::rendezvous(["a"]).unwrap(), Cluster::rendezvous(["b"]).unwrap());
        let course = |start: (u64, u64), end: (u64, u64)| Course {
            transition: Transition::new(&a, &b, 0, 1).unwrap(),
            start: Gate::new(start.0, start.1).unwrap(),
            end: Gate::new(end.0, end.1).unwrap(),
        };
        let gates = |course: Course, n| -> Vec<(u32, u32)> {
            (1..=n).map(|k| course.even(k, n).map(|gate| (gate.part(), gate.of())).unwrap()).collect()
        };
        assert_eq!(gates(course((0, 1), (1, 1)), 3), [(1, 3), (2, 3), (3, 3)]);
        assert_eq!(gates(course((2, 6), (1, 1)), 4), [(3, 6), (4, 6), (5, 6), (6, 6)]);
        assert_eq!(gates(course((4, 6), (0, 1)), 2), [(1, 3), (0, 3)]);
        assert_eq!(course((1, u32::MAX.into()), (1, u64::from(u32::MAX) - 1)).even(1, 2), None);
    }
}
