//! Which keys are so heavy that they must be named, found in one pass and in constant memory.
//!
//! The method of Misra and Gries, with weights: a table of at most [`ROOM`] keys; when it is full, the median of its weights is taken
//! from every one, and what reaches 0 leaves. Every such step takes the same from at least half the table, so that no key loses more
//! than a part in ROOM / 2 of the whole: whatever weighs more is still there in the end.

use crate::shown::{Shown, json_string};
use std::collections::{HashMap, hash_map};

const ROOM: usize = 2048;
/// Longer keys are counted and not kept.
const LONGEST: usize = 4096;

#[derive(Default)]
pub(super) struct Hot {
    table: HashMap<(u64, u32), Candidate>,
}

/// A key that may be heavy.
pub(super) struct Candidate {
    weight: u64,
    /// As JSON; none where it is too long to keep.
    pub(super) key: Option<Box<str>>,
}

impl Hot {
    pub(super) fn add(&mut self, id: (u64, u32), weight: u64, shown: Shown<'_>) {
        if weight == 0 {
            return;
        }
        let is_full = self.table.len() == ROOM;
        match self.table.entry(id) {
            hash_map::Entry::Occupied(mut known) => {
                known.get_mut().weight = known.get().weight.saturating_add(weight);
                return;
            }
            hash_map::Entry::Vacant(free) if !is_full => {
                free.insert(Candidate { weight, key: json(shown) });
                return;
            }
            hash_map::Entry::Vacant(_) => {}
        }
        let mut weights: Vec<u64> = self.table.values().map(|candidate| candidate.weight).collect();
        let (_, median, _) = weights.select_nth_unstable(ROOM / 2);
        let median = *median;
        self.table.retain(|_, candidate| {
            candidate.weight = candidate.weight.saturating_sub(median);
            candidate.weight > 0
        });
        if weight > median {
            self.table.insert(id, Candidate { weight: weight - median, key: json(shown) });
        }
    }

    /// All that may be heavy, in no order.
    pub(super) fn candidates(self) -> impl Iterator<Item = ((u64, u32), Candidate)> {
        self.table.into_iter()
    }
}

fn json(shown: Shown<'_>) -> Option<Box<str>> {
    match shown {
        Shown::Bytes(bytes) if bytes.len() > LONGEST => None,
        Shown::Json(json) if json.len() > LONGEST => None,
        Shown::Json(json) => Some(json.into()),
        Shown::Bytes(bytes) => Some(match std::str::from_utf8(bytes) {
            Ok(text) => json_string(text).into(),
            Err(_) => crate::shown::json_hex(bytes).into(),
        }),
    }
}
