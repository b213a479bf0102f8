//! How much a step may move, and how people write it.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::{fmt, str::FromStr};

use crate::{
    error::{Error, error},
    node::shown,
};

/// An amount that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// So many keys, at least 1. Without keys a plan cannot keep it.
    Keys(u64),
    /// So many bytes, at least 1. Without keys and their sizes a plan cannot keep it.
    Bytes(u64),
    /// So many millionths of all keys, 1 … 1,000,000: `30_000` is 3 %. Sizes do not count here.
    Millionths(u32),
}

/// The units of bytes, in the order in which they are tried.
const UNITS: [(&str, u64); 9] = [
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// What every step of a plan keeps: limits on what moves in all, and on what moves into or out of any one node.
///
/// As text: `80MB`, `50000keys`, `3%`; for any one node `20MB/node`; several with commas between them. Bytes are counted in B, kB, MB,
/// GB, TB (powers of 1,000), KiB, MiB, GiB and TiB (powers of 1,024), of either case.
///
/// ```
/// use keystead::{Limit, Limits};
/// let limits: Limits = "80MB, 2.5%/node".parse()?;
/// assert_eq!(limits, Limits::new().step(Limit::Bytes(80_000_000)).node(Limit::Millionths(25_000)));
/// assert_eq!(limits.to_string(), "80MB,2.5%/node");
/// # Ok::<(), keystead::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Each with whether it is for every node.
    limits: Vec<(Limit, bool)>,
}

impl Limits {
    /// No limit yet; a plan needs one.
    pub fn new() -> Limits {
        Limits::default()
    }

    /// Limits what a step moves in all.
    #[must_use]
    pub fn step(mut self, limit: Limit) -> Limits {
        self.limits.push((limit, false));
        self
    }

    /// Limits what a step moves into any one node, and what out of it.
    #[must_use]
    pub fn node(mut self, limit: Limit) -> Limits {
        self.limits.push((limit, true));
        self
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Limit, bool)> {
        self.limits.iter().copied()
    }

    /// Each limit as text.
    pub(super) fn texts(&self) -> Vec<String> {
        let text = |(limit, node): &(Limit, bool)| alloc::format!("{limit}{}", if *node { "/node" } else { "" });
        self.limits.iter().map(text).collect()
    }

    /// That there is a limit, and none of them forbids everything.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.limits.is_empty() {
            return Err(error!(InvalidParameter, "a plan needs a limit: 80MB, 50000keys or 3%"));
        }
        for (limit, _) in &self.limits {
            let (amount, least, most) = match *limit {
                Limit::Keys(keys) => (keys, 1, u64::MAX),
                Limit::Bytes(bytes) => (bytes, 1, u64::MAX),
                Limit::Millionths(millionths) => (millionths.into(), 1, 1_000_000),
            };
            if !(least..=most).contains(&amount) {
                return Err(error!(InvalidParameter, "limit {limit} is out of range: {}", limit.range()));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join(","))
    }
}

impl FromStr for Limits {
    type Err = Error;

    fn from_str(text: &str) -> Result<Limits, Error> {
        let mut limits = Limits::new();
        for part in text.split(',').map(str::trim) {
            limits = match part.split_once('/') {
                None => limits.step(part.parse()?),
                Some((amount, scope)) => match scope.trim() {
                    "node" => limits.node(amount.parse()?),
                    "step" => limits.step(amount.parse()?),
                    _ => return Err(misunderstood(part)),
                },
            };
        }
        limits.check()?;
        Ok(limits)
    }
}

impl Limit {
    const fn range(self) -> &'static str {
        match self {
            Limit::Keys(_) => "at least one key",
            Limit::Bytes(_) => "at least one byte",
            Limit::Millionths(_) => "from 0.0001% to 100%",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Limit::Keys(keys) => write!(f, "{keys}keys"),
            Limit::Bytes(bytes) => {
                let whole = UNITS.iter().take(4).chain([&("B", 1)]);
                let mut fitting = whole.filter(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
                let (name, unit) = fitting.next().copied().unwrap_or(("B", 1));
                write!(f, "{}{}", bytes / unit, if name == "KB" { "kB" } else { name })
            }
            Limit::Millionths(millionths) => {
                let (whole, rest) = (millionths / 10_000, millionths % 10_000);
                let digits = alloc::format!("{whole}.{rest:04}");
                write!(f, "{}%", digits.trim_end_matches('0').trim_end_matches('.'))
            }
        }
    }
}

impl FromStr for Limit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Limit, Error> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = (&text[..end], text[end..].trim());
        let (number, decimals) = decimal(number).ok_or_else(|| misunderstood(text))?;
        // So many units, if that is a whole number of them in 64 bits.
        let amount = |unit: u64| {
            let scale = 10_u128.checked_pow(decimals)?;
            let product = number.checked_mul(unit.into())?;
            product.is_multiple_of(scale).then(|| u64::try_from(product / scale).ok())?
        };
        let limit = if unit.eq_ignore_ascii_case("keys") || unit.eq_ignore_ascii_case("key") {
            amount(1).map(Limit::Keys)
        } else if unit == "%" {
            amount(10_000).and_then(|millionths| u32::try_from(millionths).ok()).map(Limit::Millionths)
        } else {
            let found = UNITS.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name));
            let (_, unit) = found.ok_or_else(|| misunderstood(text))?;
            amount(*unit).map(Limit::Bytes)
        };
        let out_of_range = || {
            let whole = "a whole number of keys or bytes below 2^64, or a share from 0.0001% to 100%";
            error!(InvalidParameter, "limit {} is out of range: {whole}", shown(text))
        };
        let limit = limit.ok_or_else(out_of_range)?;
        Limits::new().step(limit).check().map_err(|_| out_of_range())?;
        Ok(limit)
    }
}

/// The digits of a decimal number, and how many of them stand behind the point.
fn decimal(text: &str) -> Option<(u128, u32)> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || rest.contains('.') || (rest.is_empty() && text.contains('.')) {
        return None;
    }
    let rest = rest.trim_end_matches('0');
    let digits = whole.to_owned() + rest;
    Some((digits.parse().ok()?, u32::try_from(rest.len()).ok()?))
}

fn misunderstood(text: &str) -> Error {
    error!(
        InvalidParameter,
        "limit {} is not understood: a number with keys, %, B, kB, MB, GB, TB, KiB, MiB, GiB or TiB behind it, and with /node for each node",
        shown(text)
    )
}
