//! Counts of what became of keys.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use super::{
    Count, Reason,
    judge::{Lists, Verdict},
};

/// What a node had, has, gets and gives.
#[derive(Clone, Copy, Default)]
pub(crate) struct Flow {
    pub(crate) before: Count,
    pub(crate) after: Count,
    pub(crate) moved_in: Count,
    pub(crate) moved_out: Count,
}

/// Copies that keys have, where there are several a key.
pub(crate) struct Copies {
    pub(crate) moved: Count,
    /// By name.
    pub(crate) nodes: Vec<Flow>,
}

/// Counts of keys and of their bytes.
pub(crate) struct Tally {
    /// Whether there are keys to count, be it none.
    pub(crate) counts: bool,
    pub(crate) total: Count,
    /// By reason, in the order of [`Reason::ALL`].
    pub(crate) reasons: [Count; 6],
    /// By the names of owner before and owner after, where they differ.
    pub(crate) moves: BTreeMap<(u32, u32), Count>,
    /// Of owners, by name.
    pub(crate) nodes: Vec<Flow>,
    pub(crate) copies: Option<Copies>,
}

impl Tally {
    pub(crate) fn new(names: usize, copies: bool) -> Tally {
        let nodes = || vec![Flow::default(); names];
        Tally {
            counts: false,
            total: Count::default(),
            reasons: [Count::default(); 6],
            moves: BTreeMap::new(),
            nodes: nodes(),
            copies: copies.then(|| Copies { moved: Count::default(), nodes: nodes() }),
        }
    }

    pub(crate) fn reason(&self, reason: Reason) -> Count {
        self.reasons[reason as usize]
    }

    /// What moved, for whatever reason.
    pub(crate) fn moved(&self) -> Count {
        let mut moved = Count::default();
        for reason in [Reason::Gained, Reason::Lost, Reason::Both, Reason::Reshuffled] {
            moved += self.reason(reason);
        }
        moved
    }

    pub(crate) fn add(&mut self, verdict: &Verdict, lists: &Lists, size: u64) {
        let one = Count { keys: 1, bytes: u128::from(size) };
        self.counts = true;
        self.total += one;
        self.reasons[verdict.reason as usize] += one;
        let Verdict { from, to, .. } = *verdict;
        self.nodes[from as usize].before += one;
        self.nodes[to as usize].after += one;
        if from != to {
            self.nodes[from as usize].moved_out += one;
            self.nodes[to as usize].moved_in += one;
            *self.moves.entry((from, to)).or_default() += one;
        }
        if let Some(copies) = &mut self.copies {
            copies.add(lists, one);
        }
    }
}

impl Copies {
    fn add(&mut self, lists: &Lists, one: Count) {
        for name in &lists.before {
            self.nodes[*name as usize].before += one;
        }
        for name in &lists.after {
            self.nodes[*name as usize].after += one;
        }
        for name in &lists.dropped {
            self.nodes[*name as usize].moved_out += one;
        }
        for name in &lists.added {
            self.nodes[*name as usize].moved_in += one;
            self.moved += one;
        }
    }
}
