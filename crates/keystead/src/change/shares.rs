//! Exact parts of the key space, by the number of a name.

use alloc::vec::Vec;

use crate::{Gate, Share};

/// A number as a float, for people's figures: no answer depends on one.
#[expect(clippy::cast_precision_loss, reason = "figures for people; 53 bits are more than they read")]
pub(crate) fn float(number: u128) -> f64 {
    number as f64
}

/// Parts over one denominator.
#[derive(Clone)]
pub(super) struct Shares {
    parts: Vec<u128>,
    whole: u128,
}

impl Shares {
    pub(super) fn new(parts: Vec<u128>, whole: u128) -> Shares {
        Shares { parts, whole }
    }

    pub(super) fn of(&self, name: usize) -> f64 {
        float(self.parts[name]) / float(self.whole)
    }

    /// The shares of a transition from these to others; none where the numbers grow too large.
    pub(super) fn passed_to(&self, others: &Shares, gate: Gate) -> Option<Shares> {
        let whole = common_multiple(self.whole, others.whole)?;
        let (part, of) = (u128::from(gate.part()), u128::from(gate.of()));
        let old = (whole / self.whole).checked_mul(of - part)?;
        let new = (whole / others.whole).checked_mul(part)?;
        let whole = whole.checked_mul(of)?;
        // A part is at most its whole, so neither product passes the new whole, nor does their sum.
        let parts = self.parts.iter().zip(&others.parts).map(|(a, b)| a * old + b * new).collect();
        Some(Shares { parts, whole })
    }
}

/// `Σ max(0, share after − share before)`: no placement with these shares moves less.
pub(super) fn least(before: &Shares, after: &Shares) -> Option<Share> {
    let whole = common_multiple(before.whole, after.whole)?;
    let (old, new) = (whole / before.whole, whole / after.whole);
    let gains = before.parts.iter().zip(&after.parts).map(|(a, b)| (b * new).saturating_sub(a * old));
    Some(Share::new(gains.sum(), whole))
}

fn common_multiple(a: u128, b: u128) -> Option<u128> {
    (a / greatest_divisor(a, b)).checked_mul(b)
}

/// The greatest common divisor; of 0 and a number, the number.
pub(crate) fn greatest_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
