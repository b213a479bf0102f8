//! Large numbers in the words of people.

/// `2,000,000`.
pub(crate) fn count(count: u64) -> String {
    indicatif::HumanCount(count).to_string()
}

/// `1 key`, `2,000,000 keys`.
pub(crate) fn keys(number: u64) -> String {
    if number == 1 { "1 key".to_owned() } else { format!("{} keys", count(number)) }
}

/// `450.3 MB`, in powers of 1000; takes the decimal digits of a number of any size.
pub(crate) fn bytes(digits: &str) -> String {
    const UNITS: [&str; 9] = ["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"];
    let mut unit = (digits.len().saturating_sub(1) / 3).min(UNITS.len() - 1);
    if unit == 0 {
        return format!("{digits} B");
    }
    let number: f64 = digits.parse().unwrap_or(f64::INFINITY);
    let scaled = |unit: usize| number / 10_f64.powi(3 * i32::try_from(unit).unwrap_or(0));
    // Three or four digits; 999,960 is 1.00 MB and not 1000.0 kB.
    if scaled(unit) >= 999.95 && unit + 1 < UNITS.len() {
        unit += 1;
    }
    let value = scaled(unit);
    let decimals = if value < 10.0 { 2 } else { 1 };
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// The first few of many names.
pub(crate) fn few<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    const SHOWN: usize = 5;
    let mut names = names.into_iter();
    let mut said: Vec<String> = names.by_ref().take(SHOWN).map(|name| name.as_ref().to_owned()).collect();
    match names.count() {
        0 => {}
        rest => said.push(format!("and {rest} more")),
    }
    said.join(", ")
}
