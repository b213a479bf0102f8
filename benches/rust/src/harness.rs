//! Rounds: every case has its turn in each, so that what the machine does meanwhile hits all alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What does an operation a number of times; the sum it gives back keeps the compiler from leaving it out.
type Work<'a> = Box<dyn FnMut(u64) -> u64 + 'a>;

/// One way to do an operation.
pub(crate) struct Case<'a> {
    who: &'static str,
    work: Work<'a>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(who: &'static str, work: impl FnMut(u64) -> u64 + 'a) -> Self {
        Self { who, work: Box::new(work) }
    }
}

pub(crate) struct Bench {
    rounds: usize,
    /// The time of one case in one round.
    turn: Duration,
    pub(crate) rows: Vec<Value>,
    pub(crate) memory: Vec<Value>,
    pub(crate) left_out: Vec<Value>,
}

impl Bench {
    pub(crate) fn new(quick: bool) -> Self {
        let (rounds, turn) = if quick { (7, Duration::from_millis(6)) } else { (15, Duration::from_millis(25)) };
        Self { rounds, turn, rows: Vec::new(), memory: Vec::new(), left_out: Vec::new() }
    }

    /// Measures the cases of one operation, ours first; nanoseconds for one operation.
    pub(crate) fn measure(&mut self, topic: &str, operation: &str, mut cases: Vec<Case<'_>>) {
        let turns: Vec<u64> = cases.iter_mut().map(|case| repetitions(self.turn, &mut case.work)).collect();
        let mut rounds = vec![Vec::with_capacity(self.rounds); cases.len()];
        for _ in 0..self.rounds {
            for ((case, repetitions), rounds) in cases.iter_mut().zip(&turns).zip(&mut rounds) {
                rounds.push(once(*repetitions, &mut case.work));
            }
        }
        for (case, rounds) in cases.iter().zip(rounds) {
            self.rows.push(json!({ "topic": topic, "operation": operation, "who": case.who, "rounds": rounds }));
        }
        eprintln!("{topic}, {operation}");
    }

    /// Notes what is not measured, and why.
    pub(crate) fn leave_out(&mut self, topic: &str, operation: &str, who: &str, reason: &str) {
        self.left_out.push(json!({ "topic": topic, "operation": operation, "who": who, "reason": reason }));
    }

    /// Notes the memory of something.
    pub(crate) fn remember(&mut self, what: &str, who: &str, bytes: usize, pieces: usize, piece: &'static str) {
        self.memory.push(json!({ "what": what, "who": who, "bytes": bytes, "pieces": pieces, "piece": piece }));
    }
}

/// The least time of an operation, in nanoseconds: of some turns, or of one where it takes longer than all of them together.
pub(crate) fn least(turn: Duration, turns: usize, mut work: impl FnMut(u64) -> u64) -> f64 {
    let mut work: Work<'_> = Box::new(&mut work);
    let repetitions = repetitions(turn, &mut work);
    let mut best = once(repetitions, &mut work);
    for _ in 1..turns {
        if best * repetitions as f64 > turn.as_secs_f64() * 1e9 * turns as f64 {
            break;
        }
        best = best.min(once(repetitions, &mut work));
    }
    best
}

/// How often an operation fits into a turn, at least once. Warms up as well.
fn repetitions(turn: Duration, work: &mut Work<'_>) -> u64 {
    let mut repetitions = 1;
    loop {
        let start = Instant::now();
        black_box(work(repetitions));
        let took = start.elapsed();
        if took >= turn / 4 {
            let fitting = repetitions as f64 * turn.as_secs_f64() / took.as_secs_f64();
            return (fitting as u64).max(1);
        }
        repetitions *= 4;
    }
}

fn once(repetitions: u64, work: &mut Work<'_>) -> f64 {
    let start = Instant::now();
    black_box(work(repetitions));
    start.elapsed().as_secs_f64() * 1e9 / repetitions as f64
}

/// Keys of 16 bytes, or numbers, the same in every run. `MANY` is a power of two that the compiler knows, so that taking the next costs no division.
pub(crate) struct Many<T, const MANY: usize>(Vec<T>);

/// So few that they stay in the innermost cache.
pub(crate) const FEW: usize = 1 << 12;
/// So many that what they find in a large ring does not.
pub(crate) const LOTS: usize = 1 << 15;

impl<T, const MANY: usize> Many<T, MANY> {
    fn new(make: impl Fn(u64) -> T) -> Self {
        Self((0..MANY as u64).map(|i| make(keystead::draw(2026, i))).collect())
    }

    /// Does something with `n` of them, one after the other.
    pub(crate) fn each<'a>(&'a self, n: u64, work: impl Fn(&'a T) -> u64) -> u64 {
        let list = self.0.as_slice();
        assert_eq!(list.len(), MANY, "what the compiler is told");
        (0..n).fold(0_u64, |sum, i| sum.wrapping_add(work(&list[i as usize % MANY])))
    }

    /// `n` of them, one after the other.
    pub(crate) fn take(&self, n: u64) -> impl Iterator<Item = &T> {
        let list = self.0.as_slice();
        assert_eq!(list.len(), MANY, "what the compiler is told");
        (0..n).map(|i| &list[i as usize % MANY])
    }
}

pub(crate) fn numbers<const MANY: usize>() -> Many<u64, MANY> {
    Many::new(|number| number)
}

/// They lie side by side: as in a program that has just received its key, reading it costs next to nothing.
pub(crate) fn keys<const MANY: usize>() -> Many<&'static str, MANY> {
    let text: String = numbers::<MANY>().0.into_iter().map(|number| format!("{number:016x}")).collect();
    let text: &'static str = text.leak();
    Many((0..MANY).map(|i| &text[16 * i..16 * (i + 1)]).collect())
}

/// What stands for an answer in a sum: where the node is, so that neither side need read it.
pub(crate) fn place<T>(node: Option<&T>) -> u64 {
    node.map_or(0, |node| std::ptr::from_ref(node).addr() as u64)
}

/// `10,000 nodes`.
pub(crate) fn counted(nodes: usize) -> String {
    if nodes < 1_000 { format!("{nodes} nodes") } else { format!("{},{:03} nodes", nodes / 1_000, nodes % 1_000) }
}
