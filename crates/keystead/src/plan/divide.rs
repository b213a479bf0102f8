//! The division of a way into steps.

use alloc::{vec, vec::Vec};

use super::{
    MAX_STEPS,
    course::{Course, between},
    moves::{Bounds, Entry, Load, Moves},
};
use crate::{
    Gate,
    error::{Error, error},
};

/// The gates of the steps, the last one's being the end of the way; and whether all steps are equal fractions.
pub(super) struct Division {
    pub(super) gates: Vec<Gate>,
    pub(super) even: bool,
    /// How many runs each step has.
    pub(super) runs: Vec<usize>,
}

/// The smallest number of steps that keep the bounds, as near to equal fractions as they let them.
///
/// Runs of keys that pass together lie on a line. A step is a stretch of it, and what a stretch moves only grows with it; so taking as
/// many as fit from the front gives the smallest number of steps, and the furthest places where each can end; taking them from the back
/// gives the nearest. Between the two the place of the equal fraction is taken where it lies there, else the nearest to it. A run
/// that is too large even alone is a step of its own.
pub(super) fn divide(course: &Course, moves: &Moves, bounds: Bounds, names: usize) -> Result<Division, Error> {
    let forward = course.is_forward();
    let mut load = Load::new(bounds, names);
    let from_the_front = ends(moves, forward, &mut load);
    let n = from_the_front.len();
    let steps = u32::try_from(n)
        .ok()
        .filter(|steps| *steps <= MAX_STEPS)
        .ok_or_else(|| error!(InvalidParameter, "the limit takes {n} steps: at most {MAX_STEPS}; raise it"))?;
    let Some(&runs) = from_the_front.last() else { return Ok(Division { gates: vec![], even: true, runs: vec![] }) };
    // Where step k must have ended at the soonest: what is left then fits the steps that are left.
    let mut soonest: Vec<usize> = ends(moves, !forward, &mut load).into_iter().map(|end| runs - end).collect();
    soonest.pop();
    soonest.reverse();
    soonest.push(runs);

    let mut gates: Vec<Gate> = Vec::with_capacity(n);
    let mut even = true;
    let mut runs_of_steps = Vec::with_capacity(n);
    let mut fraction = course.even(1, steps);
    let (mut passed, mut in_step) = (0, 0);
    let mut last: Option<Entry> = None;
    load.clear();
    moves.for_each_run(forward, |run| {
        let step = gates.len();
        // Where an equal fraction has no part and of in range, an equal number of runs has to do.
        let due = match fraction {
            Some(gate) => gate.lets(run[0].gate) != forward,
            None => passed >= runs * (step + 1) / n,
        };
        load.add(run);
        let may_end = in_step > 0 && passed >= soonest[step] && step + 1 < n;
        // Every step that is left needs a run.
        let must_end = load.exceeds() || runs - passed < n - step;
        if may_end && (due || must_end) {
            let (near, far) = (last.map_or(0, |last| last.gate), run[0].gate);
            let (low, high) = if forward { (near, far) } else { (far, near) };
            // On this very place lies the equal fraction, if it lets nothing pass that is not in the step, and all that is.
            let exact = fraction.filter(|gate| gate.lets(low) && !gate.lets(high));
            even &= exact.is_some();
            gates.extend(exact.or_else(|| between(low, high)));
            fraction = u32::try_from(gates.len() + 1).ok().and_then(|k| course.even(k, steps));
            load.clear();
            load.add(run);
            runs_of_steps.push(in_step);
            in_step = 0;
        }
        in_step += 1;
        passed += 1;
        last = run.last().copied();
    });
    gates.push(course.even(steps, steps).unwrap_or(course.end()));
    runs_of_steps.push(in_step);
    Ok(Division { gates, even, runs: runs_of_steps })
}

/// After how many runs each step ends, when each takes as many as fit.
fn ends(moves: &Moves, ascending: bool, load: &mut Load) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut passed, mut in_step) = (0, 0);
    load.clear();
    moves.for_each_run(ascending, |run| {
        load.add(run);
        if load.exceeds() && in_step > 0 {
            ends.push(passed);
            load.clear();
            load.add(run);
            in_step = 0;
        }
        passed += 1;
        in_step += 1;
    });
    if in_step > 0 {
        ends.push(passed);
    }
    ends
}
