//! Bars of block characters, for comparing at a glance.

/// Blocks of one to seven eighths.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar of `part` in `whole` of `width` columns. What is above nothing is never invisible.
pub(crate) fn bar(part: u128, whole: u128, width: usize, only_ascii: bool) -> String {
    let eighths = part.saturating_mul(8 * width as u128).checked_div(whole).unwrap_or(0).max(u128::from(part > 0));
    let eighths = usize::try_from(eighths).unwrap_or(usize::MAX).min(8 * width);
    if only_ascii {
        return "#".repeat(eighths.div_ceil(8));
    }
    let mut bar = "█".repeat(eighths / 8);
    bar.extend((eighths % 8).checked_sub(1).map(|rest| EIGHTHS[rest]));
    bar
}
