//! Which keys may be above a limit, so that they can be named.

use alloc::{collections::BTreeMap, vec, vec::Vec};

use super::{
    MAX_STEPS,
    limit::{Limit, Limits},
    moves::millionths_of,
};
use crate::{ExplainedKey, encode::KeyBytes};

/// How many cells count keys that are given several times.
const CELLS: usize = 1 << 14;

/// The keys that move and may be above a limit, alone or because they are given several times.
///
/// Keys are not kept, so a key must be caught when it comes by. Each counts in the cell of its gate; a cell's sum is at least what each of
/// its keys has so far, so at the latest when a key that is above the limit comes for the last time, its cell is above it too. What is
/// caught without need costs memory only.
pub(super) struct Large {
    /// The smallest limits: in keys, in millionths of all keys, in bytes.
    keys: u64,
    millionths: u32,
    bytes: u64,
    /// Keys and bytes by gate; empty where slots pass, which are above a limit as a whole.
    cells: Vec<(u64, u64)>,
    caught: BTreeMap<u64, ExplainedKey>,
}

impl Large {
    pub(super) fn new(limits: &Limits, by_slot: bool) -> Large {
        let (mut keys, mut millionths, mut bytes) = (u64::MAX, u32::MAX, u64::MAX);
        for (limit, _) in limits.iter() {
            match limit {
                Limit::Keys(limit) => keys = keys.min(limit),
                Limit::Millionths(limit) => millionths = millionths.min(limit),
                Limit::Bytes(limit) => bytes = bytes.min(limit),
            }
        }
        let cells = if by_slot { Vec::new() } else { vec![(0, 0); CELLS] };
        Large { keys, millionths, bytes, cells, caught: BTreeMap::new() }
    }

    /// A key that moves, of so many keys up to now.
    pub(super) fn add(&mut self, key: KeyBytes<'_>, gate: u64, size: u64, total: u64) {
        let mut above = size > self.bytes;
        if !self.cells.is_empty() {
            // The lower bits: the upper ones say in which step the key is.
            let [first, second, ..] = gate.to_le_bytes();
            let cell = &mut self.cells[usize::from(u16::from_le_bytes([first, second])) % CELLS];
            *cell = (cell.0 + 1, cell.1.saturating_add(size));
            let several = cell.0 > 1;
            // The share of all keys can only grow from here, and one key is never above it.
            let keys = self.keys.min(millionths_of(self.millionths, total));
            above |= cell.1 > self.bytes || (several && cell.0 > keys);
        }
        if above && self.caught.len() <= MAX_STEPS as usize {
            self.caught.entry(gate).or_insert_with(|| ExplainedKey::new(key));
        }
    }

    /// The key with this gate.
    pub(super) fn key(&self, gate: u64) -> Option<ExplainedKey> {
        self.caught.get(&gate).cloned()
    }
}
