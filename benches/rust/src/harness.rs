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
}

impl Bench {
    pub(crate) fn new(quick: bool) -> Self {
        let (rounds, turn) = if quick { (7, Duration::from_millis(8)) } else { (21, Duration::from_millis(25)) };
        Self { rounds, turn, rows: Vec::new(), memory: Vec::new() }
    }

    /// Measures the cases of one operation, ours first; nanoseconds for one operation.
    pub(crate) fn measure(&mut self, operation: &str, mut cases: Vec<Case<'_>>) {
        let turns: Vec<u64> = cases.iter_mut().map(|case| self.repetitions(&mut case.work)).collect();
        let mut rounds = vec![Vec::with_capacity(self.rounds); cases.len()];
        for _ in 0..self.rounds {
            for ((case, repetitions), rounds) in cases.iter_mut().zip(&turns).zip(&mut rounds) {
                let start = Instant::now();
                black_box((case.work)(*repetitions));
                rounds.push(start.elapsed().as_secs_f64() * 1e9 / *repetitions as f64);
            }
        }
        for (case, rounds) in cases.iter().zip(rounds) {
            self.rows.push(json!({ "operation": operation, "who": case.who, "unit": "ns", "rounds": rounds }));
        }
        eprintln!("{operation}");
    }

    /// How often an operation fits into a turn, at least once. Warms up as well.
    fn repetitions(&self, work: &mut Work<'_>) -> u64 {
        let mut repetitions = 1;
        loop {
            let start = Instant::now();
            black_box(work(repetitions));
            let took = start.elapsed();
            if took >= self.turn / 4 {
                let fitting = repetitions as f64 * self.turn.as_secs_f64() / took.as_secs_f64();
                return (fitting as u64).max(1);
            }
            repetitions *= 4;
        }
    }

    /// Notes the memory of something.
    pub(crate) fn remember(&mut self, what: &str, who: &'static str, bytes: usize, pieces: usize, piece: &'static str) {
        self.memory.push(json!({ "what": what, "who": who, "bytes": bytes, "per": piece, "bytes_per_piece": bytes as f64 / pieces as f64 }));
    }
}

/// Random numbers, the same in every run.
pub(crate) fn numbers(count: u64) -> Vec<u64> {
    (0..count).map(|i| keystead::draw(2026, i)).collect()
}

/// Keys of 16 bytes.
pub(crate) fn keys(count: u64) -> Vec<String> {
    numbers(count).into_iter().map(|number| format!("{number:016x}")).collect()
}
