//! The numbers of RFC 8259, judged as they are written.

/// Whether a text is a number of RFC 8259.
pub(super) fn is_number(text: &str) -> bool {
    let Some((whole, fraction, exponent)) = parts(text) else {
        return false;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// Cuts a number at its point and its exponent: whole part with sign, fraction, exponent with sign.
fn parts(number: &str) -> Option<(&str, Option<&str>, Option<&str>)> {
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (number, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    (!whole.is_empty()).then_some((whole, fraction, exponent))
}

/// Whether a number has the value 1, exactly and whatever its form: `1`, `1.0`, `10e-1`.
pub(super) fn is_one(number: &str) -> bool {
    let Some((whole, fraction, exponent)) = parts(number) else {
        return false;
    };
    let mut digits = whole.bytes().chain(fraction.unwrap_or("").bytes());
    // A sign stops here as well: no negative number is 1.
    let Some(first) = digits.clone().position(|byte| byte != b'0') else {
        return false;
    };
    if digits.nth(first) != Some(b'1') || digits.any(|byte| byte != b'0') {
        return false;
    }
    // A lone 1 that many places left of the units needs the exponent that takes it back. An exponent beyond 64 bits takes it
    // further than any file is long.
    match (i64::try_from(whole.len()), i64::try_from(first)) {
        (Ok(units), Ok(first)) => exponent.unwrap_or("0").parse() == Ok(first + 1 - units),
        _ => false,
    }
}

/// Whether a text has the only form that whole numbers of a file may have: `0`, or digits without a leading zero.
pub(crate) fn is_plain(text: &str) -> bool {
    text == "0" || (!text.is_empty() && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    #[test]
    fn numbers_are_those_of_rfc_8259() {
        for good in
            ["0", "-0", "7", "10", "-1", "1.0", "0.001", "1e0", "1E+5", "1.5e-007", "99999999999999999999999999"]
        {
            assert!(is_number(good), "{good}");
        }
        for bad in [
            "", "-", "+1", "01", "-01", "00", ".5", "1.", "1.e1", "1e", "1e+", "1e1.5", "1e1e1", "1-2", "0x10", "1_0",
            "NaN", "--1", "1.2.3",
        ] {
            assert!(!is_number(bad), "{bad}");
        }
    }

    #[test]
    fn plain_digits_have_one_form() {
        for (text, plain) in [
            ("0", true),
            ("1", true),
            ("10", true),
            ("", false),
            ("00", false),
            ("01", false),
            ("-0", false),
            ("1.0", false),
            ("1e1", false),
            ("\u{661}", false),
        ] {
            assert_eq!(is_plain(text), plain, "{text}");
        }
    }

    #[test]
    fn one_is_compared_exactly() {
        let zeros = "0".repeat(400);
        let long = format!("1{zeros}e-400");
        let tiny = format!("0.{zeros}1e401");
        for one in
            ["1", "1.0", "1e0", "1E-0", "10e-1", "0.1e1", "0.01E+2", "1e000000000000000000000000000000", &long, &tiny]
        {
            assert!(is_number(one) && is_one(one), "{one}");
        }
        let not_long = format!("1{zeros}e-401");
        let not_quite = format!("1.{zeros}1");
        for other in [
            "0",
            "-0",
            "2",
            "-1",
            "2.5",
            "1e3",
            "1e1",
            "11e-1",
            "1.01",
            "0e0",
            "10",
            "1e99999999999999999999999",
            "1e-99999999999999999999999",
            "10e-9223372036854775808",
            &not_long,
            &not_quite,
        ] {
            assert!(is_number(other) && !is_one(other), "{other}");
        }
    }
}
