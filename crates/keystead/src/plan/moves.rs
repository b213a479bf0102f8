//! The keys that move, in the order in which they pass, and how they load the nodes.

use alloc::{vec, vec::Vec};

use super::{
    course::can_part,
    limit::{Limit, Limits},
};
use crate::{
    Count,
    error::{Error, error},
};

/// A key that moves: 24 bytes.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) gate: u64,
    pub(super) size: u64,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// The keys that move, in 256 parts by the upper bits of their gates.
///
/// Gates are spread evenly, so the parts grow alike; each grows by a quarter at a time, so 30 bytes a key are held, and sorting needs
/// no more.
pub(super) struct Moves {
    parts: Vec<Vec<Entry>>,
}

impl Moves {
    pub(super) fn new() -> Moves {
        Moves { parts: vec![Vec::new(); 256] }
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let part = &mut self.parts[usize::from(entry.gate.to_be_bytes()[0])];
        if part.len() == part.capacity() {
            part.reserve_exact(part.len() / 4 + 16);
        }
        part.push(entry);
    }

    pub(super) fn sort(&mut self) {
        for part in &mut self.parts {
            part.sort_unstable_by_key(|entry| entry.gate);
        }
    }

    pub(super) fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.parts.iter().flatten()
    }

    /// Calls `each` with keys that cannot be parted, since their gates are equal or nearly: hardly ever more than one, but where a
    /// key is given several times, or slots pass. In the order of the gates, ascending or descending.
    pub(super) fn for_each_run(&self, ascending: bool, mut each: impl FnMut(&[Entry])) {
        let (mut up, mut down) = (self.entries(), self.entries().rev());
        let mut run: Vec<Entry> = Vec::new();
        while let Some(entry) = if ascending { up.next() } else { down.next() } {
            if run.last().is_some_and(|last| {
                let (low, high) = if ascending { (last.gate, entry.gate) } else { (entry.gate, last.gate) };
                can_part(low, high)
            }) {
                each(&run);
                run.clear();
            }
            run.push(*entry);
        }
        if !run.is_empty() {
            each(&run);
        }
    }
}

/// Limits in keys and bytes.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    step: Count,
    node: Count,
}

impl Bounds {
    /// The limits for keys, or for slots in their place, of which there are so many.
    pub(super) fn new(limits: &Limits, total: u64, what: &str) -> Result<Bounds, Error> {
        let none = Count { keys: u64::MAX, bytes: u128::MAX };
        let mut bounds = Bounds { step: none, node: none };
        for (limit, of_node) in limits.iter() {
            let bound = if of_node { &mut bounds.node } else { &mut bounds.step };
            match limit {
                Limit::Keys(keys) => bound.keys = bound.keys.min(keys),
                Limit::Bytes(bytes) => bound.bytes = bound.bytes.min(bytes.into()),
                Limit::Millionths(millionths) => {
                    let keys = millionths_of(millionths, total);
                    // Of none, none move.
                    if keys == 0 && total > 0 {
                        return Err(error!(InvalidParameter, "limit {limit} of {total} {what} is less than one"));
                    }
                    bound.keys = bound.keys.min(keys);
                }
            }
        }
        Ok(bounds)
    }

    pub(super) fn exceeds_step(&self, count: Count) -> bool {
        count.keys > self.step.keys || count.bytes > self.step.bytes
    }

    pub(super) fn exceeds_node(&self, count: Count) -> bool {
        count.keys > self.node.keys || count.bytes > self.node.bytes
    }
}

/// So many millionths of a number of keys, rounded down.
pub(super) fn millionths_of(millionths: u32, keys: u64) -> u64 {
    // Not more than the keys there are.
    u64::try_from(u128::from(keys) * u128::from(millionths) / 1_000_000).unwrap_or(u64::MAX)
}

/// What one step moves.
pub(super) struct Load {
    bounds: Bounds,
    total: Count,
    /// Into and out of each node, by name.
    nodes: Vec<[Count; 2]>,
    touched: Vec<u32>,
    exceeded: bool,
}

impl Load {
    pub(super) fn new(bounds: Bounds, names: usize) -> Load {
        let (total, nodes) = (Count::default(), vec![[Count::default(); 2]; names]);
        Load { bounds, total, nodes, touched: Vec::new(), exceeded: false }
    }

    pub(super) fn add(&mut self, run: &[Entry]) {
        for entry in run {
            let one = Count { keys: 1, bytes: entry.size.into() };
            self.total += one;
            self.exceeded |= self.bounds.exceeds_step(self.total);
            for (name, direction) in [(entry.to, 0), (entry.from, 1)] {
                let node = &mut self.nodes[name as usize];
                if node[0].keys + node[1].keys == 0 {
                    self.touched.push(name);
                }
                node[direction] += one;
                self.exceeded |= self.bounds.exceeds_node(node[direction]);
            }
        }
    }

    pub(super) fn exceeds(&self) -> bool {
        self.exceeded
    }

    pub(super) fn clear(&mut self) {
        self.total = Count::default();
        self.exceeded = false;
        for name in self.touched.drain(..) {
            self.nodes[name as usize] = [Count::default(); 2];
        }
    }
}
