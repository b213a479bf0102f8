//! How much moves: keys, bytes, or a part of all keys.

use crate::{
    figures::{bytes, count},
    share::percent_of,
};

/// An amount that adds up.
#[derive(Clone, Copy)]
pub(crate) enum Amount {
    /// Keys.
    Keys(u64),
    /// Bytes.
    Bytes(u128),
    /// A part of all keys.
    Share(f64),
}

impl Amount {
    /// The sum of two of one kind.
    pub(crate) fn add(self, other: Amount) -> Amount {
        match (self, other) {
            (Amount::Keys(a), Amount::Keys(b)) => Amount::Keys(a + b),
            (Amount::Bytes(a), Amount::Bytes(b)) => Amount::Bytes(a + b),
            (Amount::Share(a), Amount::Share(b)) => Amount::Share(a + b),
            (one, _) => one,
        }
    }

    /// For people.
    pub(crate) fn shown(self) -> String {
        match self {
            Amount::Keys(keys) => count(keys),
            Amount::Bytes(of_bytes) => bytes(&of_bytes.to_string()),
            Amount::Share(share) => percent_of(share),
        }
    }

    /// All digits, as `--json` writes them.
    pub(crate) fn exact(self) -> String {
        match self {
            Amount::Keys(keys) => keys.to_string(),
            Amount::Bytes(of_bytes) => of_bytes.to_string(),
            Amount::Share(share) => share.to_string(),
        }
    }

    /// For drawing.
    #[expect(clippy::cast_precision_loss, reason = "a length in a picture")]
    pub(crate) fn float(self) -> f64 {
        match self {
            Amount::Keys(keys) => keys as f64,
            Amount::Bytes(of_bytes) => of_bytes as f64,
            Amount::Share(share) => share,
        }
    }
}
