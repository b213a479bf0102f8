//! What a terminal shows beside figures: bars behind the lines of a table, and a small matrix of shades.
//!
//! Each mark has a form of its own, so that nothing depends on colour, and one of ASCII for locales that have no others.

use crate::{
    amount::Amount,
    failure::Outcome,
    output::{BAD, GOOD, HEADER, Out, Paint, width},
    shown::on_one_line,
    table::{Side, Table},
};
use anstyle::Style;
use std::{
    collections::BTreeMap,
    env,
    io::{self, IsTerminal as _, Write as _},
};
use unicode_width::UnicodeWidthStr as _;

/// A bar narrower than this tells nothing.
pub(crate) const NARROWEST: usize = 6;
const WIDEST: usize = 40;
/// So many sources are told apart in a small matrix.
const SOURCES: usize = 12;

/// Whether somebody looks at a screen: elsewhere figures stand alone.
pub(crate) fn is_screen() -> bool {
    io::stdout().is_terminal()
}

/// Whether a screen has nothing but ASCII to draw with. What is piped or kept is UTF-8, as ids are.
pub(crate) fn only_ascii() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(env::var_os).find(|value| !value.is_empty());
    let name = locale.map(|value| value.to_string_lossy().to_ascii_lowercase().replace('-', "")).unwrap_or_default();
    is_screen() && !name.contains("utf8")
}

/// The lines of a table, a header first. On a screen where they and a bar do not fit, columns are left out in the given order, and the
/// second answer names them.
pub(crate) fn fitted(columns: &[(String, Side)], rows: &[Vec<String>], spare: &[usize]) -> (Vec<String>, Vec<String>) {
    beside(columns, rows, spare, 3 + NARROWEST)
}

/// The same where nothing but the table has to fit.
pub(crate) fn fitted_alone(
    columns: &[(String, Side)],
    rows: &[Vec<String>],
    spare: &[usize],
) -> (Vec<String>, Vec<String>) {
    beside(columns, rows, spare, 0)
}

fn beside(
    columns: &[(String, Side)],
    rows: &[Vec<String>],
    spare: &[usize],
    room: usize,
) -> (Vec<String>, Vec<String>) {
    for left_out in 0..=spare.len() {
        let is_kept = |position: usize| !spare[..left_out].contains(&position);
        // A column without a name says the same as the one before it in other words, and takes its name where that is left out.
        let continues = |position: usize| columns.get(position).is_some_and(|(name, _)| name.is_empty());
        let named = |position: usize| match position.checked_sub(1) {
            Some(before) if continues(position) && !is_kept(before) => columns[before].0.clone(),
            _ => columns[position].0.clone(),
        };
        let kept = (0..columns.len()).filter(|position| is_kept(*position));
        let mut table = Table::new(kept.map(|position| (named(position), columns[position].1)));
        for row in rows {
            let kept = row.iter().enumerate().filter(|(position, _)| is_kept(*position));
            table.row(kept.map(|(_, text)| text.clone()));
        }
        let lines = table.lines();
        let used = lines.iter().map(|line| line.width()).max().unwrap_or(0);
        if !is_screen() || left_out == spare.len() || used + room <= width() {
            let gone = spare[..left_out].iter().filter(|position| !continues(**position) && !continues(**position + 1));
            return (lines, gone.map(|position| columns[*position].0.clone()).collect());
        }
    }
    (Vec::new(), Vec::new())
}

/// Says what was left out, if anything.
pub(crate) fn left_out(out: &mut Out, names: &[String]) -> Outcome {
    if !names.is_empty() {
        writeln!(out, "left out for the width: {}", on_one_line(&names.join(", ")))?;
    }
    Ok(())
}

/// What two figures of a node have in common, and by how much the second is above or below the first.
#[derive(Clone, Copy)]
pub(crate) struct Both {
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// The marks of what both have, only the second, only the first.
fn marks() -> [char; 3] {
    if only_ascii() { ['=', '+', '-'] } else { ['█', '▓', '░'] }
}

/// Writes the lines of a table, a header first, each with its bar where there is room.
pub(crate) fn with_bars(out: &mut Out, paint: Paint, lines: &[String], bars: &[Both], legend: [&str; 3]) -> Outcome {
    let used = lines.iter().map(|line| line.width()).max().unwrap_or(0);
    let room = width().saturating_sub(used + 3).min(WIDEST);
    let is_drawn = is_screen() && room >= NARROWEST && !bars.is_empty();
    let largest = bars.iter().map(|bar| bar.before.max(bar.after)).fold(0.0, f64::max);
    for (number, line) in lines.iter().enumerate() {
        let Some(bar) = number.checked_sub(1).and_then(|row| bars.get(row)).filter(|_| is_drawn) else {
            let line = if number == 0 { paint.paint(HEADER, line) } else { line.clone() };
            writeln!(out, "{line}")?;
            continue;
        };
        let padding = used + 2 - line.width();
        writeln!(out, "{line}{:padding$}{}", "", drawn(paint, *bar, largest, room))?;
    }
    if is_drawn {
        let said = marks().into_iter().zip(legend).map(|(mark, what)| format!("{mark} {what}")).collect::<Vec<_>>();
        // Where it does not fit, a line each.
        let on_one = said.join(" · ");
        writeln!(out, "{}", if on_one.width() <= width() { on_one } else { said.join("\n") })?;
    }
    Ok(())
}

fn drawn(paint: Paint, bar: Both, largest: f64, room: usize) -> String {
    let [both, gained, lost] = marks();
    let length = |value: f64| columns(value, largest, room);
    let (before, after) = (length(bar.before), length(bar.after));
    let common = both.to_string().repeat(before.min(after));
    let (style, mark) = if after > before { (GOOD, gained) } else { (BAD, lost) };
    let more = mark.to_string().repeat(before.abs_diff(after));
    if more.is_empty() { common } else { format!("{common}{}", paint.paint(style, more)) }
}

/// What is above nothing is never invisible.
fn columns(value: f64, largest: f64, room: usize) -> usize {
    let found = (0..=room).find(|columns| part(*columns, room) * largest >= value - largest * 0.5 / part(room, 1));
    found.unwrap_or(room).max(usize::from(value > 0.0))
}

fn part(columns: usize, room: usize) -> f64 {
    let float = |value: usize| f64::from(u32::try_from(value).unwrap_or(u32::MAX));
    float(columns) / float(room)
}

/// What moves from where to where as shades, a letter for each target; only on a screen.
pub(crate) fn shades(out: &mut Out, paint: Paint, moves: &[(&str, &str, Amount)]) -> Outcome {
    let mut rows: BTreeMap<&str, f64> = BTreeMap::new();
    let mut targets: BTreeMap<&str, f64> = BTreeMap::new();
    for (from, to, amount) in moves {
        *rows.entry(from).or_default() += amount.float();
        *targets.entry(to).or_default() += amount.float();
    }
    let (rows, other_rows) = most(rows, SOURCES);
    let (targets, other_targets) = most(targets, 26.min(width() / 4));
    let longest = rows.iter().map(|id| on_one_line(id).width()).max().unwrap_or(0);
    let names = if only_ascii() { "from, to:" } else { "from ↓ to →" };
    let left = longest.max(names.width()) + 2;
    if !is_screen() || rows.is_empty() || left + 2 * targets.len() > width() {
        return Ok(());
    }
    let hottest = moves.iter().map(|(_, _, amount)| amount.float()).fold(0.0, f64::max);
    let letters = || ('a'..='z').zip(&targets);
    let head: String = letters().flat_map(|(letter, _)| [letter, ' ']).collect();
    writeln!(out, "\n{}", paint.paint(HEADER, format!("{names}{:1$}{head}", "", left - names.width()).trim_end()))?;
    for row in &rows {
        let name = on_one_line(row);
        let cell = |to: &str| {
            let amount = moves.iter().find(|(from, target, _)| from == row && *target == to);
            shade(amount.map_or(0.0, |(_, _, amount)| amount.float()) / hottest)
        };
        let cells: String = targets.iter().flat_map(|to| [cell(to), ' ']).collect();
        writeln!(out, "{name}{:1$}{2}", "", left - name.width(), paint.paint(Style::new(), cells.trim_end()))?;
    }
    for (letter, id) in letters() {
        writeln!(out, "{letter} {}", on_one_line(id))?;
    }
    if other_rows + other_targets > 0 {
        writeln!(out, "left out: {other_rows} sources, {other_targets} targets with less; --matrix has them")?;
    }
    Ok(())
}

/// The ids with the most, in order of ids, and how many are left out.
fn most(sums: BTreeMap<&str, f64>, count: usize) -> (Vec<&str>, usize) {
    let mut ids: Vec<(&str, f64)> = sums.into_iter().collect();
    ids.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    let left_out = ids.len().saturating_sub(count);
    ids.truncate(count);
    ids.sort_unstable_by_key(|(id, _)| *id);
    (ids.into_iter().map(|(id, _)| id).collect(), left_out)
}

/// From nothing to the most.
fn shade(part: f64) -> char {
    let marks = if only_ascii() { ['.', '-', '+', '*', '#'] } else { ['·', '░', '▒', '▓', '█'] };
    match part {
        0.0 => marks[0],
        part if part <= 0.25 => marks[1],
        part if part <= 0.5 => marks[2],
        part if part <= 0.75 => marks[3],
        _ => marks[4],
    }
}
