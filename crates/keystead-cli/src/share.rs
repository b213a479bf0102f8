//! Exact shares in the words of people.

use keystead::Share;

/// Hundredths of a per cent, rounded: a fraction of 2^64 times ten thousand fits.
fn basis_points(share: Share) -> u128 {
    (share.numerator * 20_000 / share.denominator).div_ceil(2)
}

/// `16.67 %`.
pub(crate) fn percent(share: Share) -> String {
    format!("{} %", percent_digits(share))
}

/// `16.67`.
pub(crate) fn percent_digits(share: Share) -> String {
    let points = basis_points(share);
    format!("{}.{:02}", points / 100, points % 100)
}

/// `1/6`.
pub(crate) fn fraction(share: Share) -> String {
    match share {
        Share { numerator: 0, .. } => "0".to_owned(),
        Share { numerator, denominator: 1 } => numerator.to_string(),
        Share { numerator, denominator } => format!("{numerator}/{denominator}"),
    }
}
