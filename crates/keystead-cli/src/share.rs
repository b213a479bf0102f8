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

/// An expectation in per cent, with its standard error where it has one; never 0 for what is not.
pub(crate) fn expected_percent(share: f64, standard_error: f64) -> String {
    let percent = share * 100.0;
    let said = if share > 0.0 && percent < 0.005 { "under 0.01 %".to_owned() } else { format!("{percent:.2} %") };
    if standard_error > 0.0 { format!("{said} ± {:.2} %", standard_error * 100.0) } else { said }
}

/// A part with two digits; never 0 for what is not.
pub(crate) fn percent_of(share: f64) -> String {
    expected_percent(share, 0.0)
}

/// A part with three digits, for figures that are exact or nearly.
pub(crate) fn exact_percent(share: f64) -> String {
    let percent = share * 100.0;
    if share > 0.0 && percent < 0.0005 { "under 0.001 %".to_owned() } else { format!("{percent:.3} %") }
}
