//! Keys told apart by digests of 96 bits, with what they carry: 32 bytes for each distinct key, and a fifth of spare room.

use crate::failure::{Failure, Outcome};
use keystead::ErrorKind;

/// What is known of one distinct key.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Digests under two hashes: among a thousand million keys the chance that two of them are equal is below 10^-10.
    pub(super) digest: u64,
    pub(super) more: u32,
    /// The position of the owner's name.
    pub(super) node: u32,
    /// How many times it counts.
    pub(super) keys: u64,
    pub(super) bytes: u64,
}

impl Entry {
    fn id(&self) -> (u64, u32) {
        (self.digest, self.more)
    }
}

/// Every key that was added, once.
#[derive(Default)]
pub(super) struct Distinct {
    entries: Vec<Entry>,
    /// Whether a sum was too large. It is found out late, so no line of the file can be named.
    overflow: bool,
}

impl Distinct {
    /// One more line with a key.
    pub(super) fn add(&mut self, entry: Entry) {
        const FIRST: usize = 1 << 16;
        if self.entries.len() == self.entries.capacity() {
            self.merge();
            // Where little was saved, merging again soon would be in vain.
            if self.entries.len() >= self.entries.capacity() / 8 * 7 {
                self.entries.reserve_exact((self.entries.capacity() / 5).max(FIRST));
            }
        }
        self.entries.push(entry);
    }

    /// The distinct keys, ascending by digests.
    pub(super) fn finish(mut self) -> Outcome<Vec<Entry>> {
        self.merge();
        if self.overflow {
            let message = format!("the counts or bytes of one key add up to more than {}", u64::MAX);
            return Err(Failure::new(ErrorKind::InvalidParameter, message));
        }
        Ok(self.entries)
    }

    fn merge(&mut self) {
        self.entries.sort_unstable_by_key(Entry::id);
        let overflow = &mut self.overflow;
        self.entries.dedup_by(|next, kept| {
            if next.id() != kept.id() {
                return false;
            }
            match (kept.keys.checked_add(next.keys), kept.bytes.checked_add(next.bytes)) {
                (Some(keys), Some(bytes)) => (kept.keys, kept.bytes) = (keys, bytes),
                _ => *overflow = true,
            }
            true
        });
    }
}

/// The entry of a key.
pub(super) fn find(entries: &[Entry], id: (u64, u32)) -> Option<&Entry> {
    entries.binary_search_by_key(&id, Entry::id).ok().map(|index| &entries[index])
}
