//! What moves from where to where: a heat map, and on narrow screens the same as a list.

use super::{
    figure::{figure, sum},
    name,
};
use crate::amount::Amount;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// So many sources and targets at most have a line and a column of their own.
const SHOWN: usize = 10;
/// With more columns than this a map needs a laptop's width.
const ROOMY: usize = 6;
/// And so many pairs a line, in the list.
const PAIRS: usize = 24;

/// A pair of nodes, and what moves from one to the other.
pub(super) struct Move<'a> {
    pub(super) from: &'a str,
    pub(super) to: &'a str,
    pub(super) amount: Amount,
    /// Where `--json` has it.
    pub(super) at: String,
}

/// One cell: a move, or the sum of several.
struct Cell<'a> {
    amount: Amount,
    at: Option<&'a str>,
}

/// Both forms; the page's style shows the one that there is room for.
pub(super) fn matrix(moves: &[Move<'_>], caption: &str) -> Markup {
    let (targets, _) = largest(moves, |one| one.to);
    // How much room the map needs, for the page's style.
    let size = match (targets.len() > ROOMY, moves.first().map(|one| one.amount)) {
        (true, Some(Amount::Bytes(_))) => "large bytes",
        (true, _) => "large",
        (false, _) => "",
    };
    html! { (map(moves, caption, size)) (list(moves, caption, size)) }
}

fn map(moves: &[Move<'_>], caption: &str, size: &str) -> Markup {
    let (sources, other_sources) = largest(moves, |one| one.from);
    let (targets, other_targets) = largest(moves, |one| one.to);
    let row_of = |one: &Move<'_>| sources.iter().position(|id| *id == one.from).unwrap_or(sources.len());
    let column_of = |one: &Move<'_>| targets.iter().position(|id| *id == one.to).unwrap_or(targets.len());
    let (rows, columns) =
        (sources.len() + usize::from(other_sources > 0), targets.len() + usize::from(other_targets > 0));
    let mut cells: BTreeMap<(usize, usize), Cell<'_>> = BTreeMap::new();
    for one in moves {
        let place = (row_of(one), column_of(one));
        cells.entry(place).and_modify(|cell| *cell = Cell { amount: cell.amount.add(one.amount), at: None }).or_insert(
            Cell {
                amount: one.amount,
                at: Some(&one.at).filter(|_| place.0 < sources.len() && place.1 < targets.len()).map(String::as_str),
            },
        );
    }
    let hottest = cells.values().map(|cell| cell.amount.float()).fold(0.0, f64::max);
    let total = |wanted: &dyn Fn(&(usize, usize)) -> bool| {
        cells.iter().filter(|(place, _)| wanted(place)).map(|(_, cell)| cell.amount).reduce(Amount::add)
    };
    html! {
        @if other_sources + other_targets > 0 {
            p.about.wide { "Those with the largest moves have a line or a column of their own; the others stand together: "
                (other_sources) " sources, " (other_targets) " targets." }
        }
        table.heat.wide.(size) {
            caption.hidden { (caption) }
            thead {
                tr {
                    th scope="col" { "from ↓ to →" }
                    @for id in &targets { th scope="col" { (short(id)) } }
                    @if other_targets > 0 { th scope="col" { (other_targets) " others" } }
                    th scope="col" { "all" }
                }
            }
            tbody {
                @for row in 0..rows {
                    tr {
                        th scope="row" { @if let Some(id) = sources.get(row) { (short(id)) } @else { (other_sources) " others" } }
                        @for column in 0..columns {
                            @if let Some(cell) = cells.get(&(row, column)) {
                                td.hot style={ "--heat:" (format!("{:.3}", cell.amount.float() / hottest)) } {
                                    @if let Some(at) = cell.at { (figure(cell.amount, at)) } @else { (sum(cell.amount)) }
                                }
                            } @else { td.none { span aria-label="nothing" { "·" } } }
                        }
                        td.total { @if let Some(all) = total(&|place| place.0 == row) { (sum(all)) } }
                    }
                }
                tr.rest {
                    th scope="row" { "all" }
                    @for column in 0..columns { td.total { @if let Some(all) = total(&|place| place.1 == column) { (sum(all)) } } }
                    td.total data-total="moves" { @if let Some(all) = total(&|_| true) { (sum(all)) } }
                }
            }
        }
    }
}

/// The ids with the most, in order of ids, and how many more there are.
fn largest<'a>(moves: &'a [Move<'_>], end: impl Fn(&'a Move<'_>) -> &'a str) -> (Vec<&'a str>, usize) {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for one in moves {
        *sums.entry(end(one)).or_default() += one.amount.float();
    }
    let mut ids: Vec<(&str, f64)> = sums.into_iter().collect();
    if ids.len() <= SHOWN + 1 {
        return (ids.into_iter().map(|(id, _)| id).collect(), 0);
    }
    let others = ids.len() - SHOWN;
    ids.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    ids.truncate(SHOWN);
    ids.sort_by_key(|(id, _)| *id);
    (ids.into_iter().map(|(id, _)| id).collect(), others)
}

fn list(moves: &[Move<'_>], caption: &str, size: &str) -> Markup {
    let mut by_amount: Vec<&Move<'_>> = moves.iter().collect();
    by_amount.sort_by(|one, other| other.amount.float().total_cmp(&one.amount.float()));
    let hottest = by_amount.first().map_or(1.0, |one| one.amount.float());
    let (shown, rest) = by_amount.split_at(by_amount.len().min(PAIRS));
    html! {
        table.pairs.narrow.(size) {
            caption.hidden { (caption) ", the largest first" }
            thead { tr { th scope="col" { "from → to" } th scope="col" { "moves" } } }
            tbody {
                @for one in shown {
                    tr {
                        th scope="row" { (short(one.from)) " → " (short(one.to)) }
                        td.hot style={ "--heat:" (format!("{:.3}", one.amount.float() / hottest)) } { (figure(one.amount, &one.at)) }
                    }
                }
                @if let Some(all) = rest.iter().map(|one| one.amount).reduce(Amount::add) {
                    tr.rest { th scope="row" { (rest.len()) " other pairs" } td { (sum(all)) } }
                }
            }
        }
    }
}

/// A long id has its end too, by which such ids differ; the table of nodes has it whole.
fn short(id: &str) -> Markup {
    const LONGEST: usize = 28;
    let chars: Vec<char> = id.chars().collect();
    if chars.len() <= LONGEST {
        return name(id);
    }
    let ends: [String; 2] =
        [chars[..LONGEST / 2].iter().collect(), chars[chars.len() - LONGEST / 3..].iter().collect()];
    html! { span title=(crate::shown::on_one_line(id)) { (name(&format!("{}…{}", ends[0], ends[1]))) } }
}
