//! The nodes: a name, two bars one above the other, and figures.

use super::{
    figure::{figure, sum, unbroken},
    name,
};
use crate::amount::Amount;
use maud::{Markup, html};

/// So many nodes are still read one by one.
const READABLE: usize = 40;
/// Of more, this many are shown with bars, and the sum of the others.
const SHOWN: usize = 24;

/// A column of figures.
pub(crate) struct Column {
    pub(crate) name: String,
    /// Where in a node of `--json` its figures are; sums name it too.
    pub(crate) member: String,
    /// Whether figures of several nodes add up to something.
    pub(crate) adds_up: bool,
}

impl Column {
    pub(crate) fn new(name: &str, member: &str) -> Column {
        Column { name: name.to_owned(), member: member.to_owned(), adds_up: true }
    }

    /// A column whose figures do not add up.
    pub(crate) fn of_its_own(name: &str, member: &str) -> Column {
        Column { adds_up: false, ..Column::new(name, member) }
    }
}

/// A figure, or what stands in its place.
pub(crate) enum Entry {
    Amount(Amount),
    /// As people read it, and exactly.
    Text(String, String),
    Plain(String),
}

/// A node.
pub(crate) struct NodeRow {
    pub(crate) id: String,
    /// What tells it apart besides its id, such as its location.
    pub(crate) about: String,
    pub(crate) bars: Vec<f64>,
    pub(crate) entries: Vec<Entry>,
    /// The larger, the sooner it is shown.
    pub(crate) rank: f64,
}

/// Nodes in the order of `--json`.
pub(crate) struct NodeTable<'a> {
    /// The list in `--json`.
    pub(crate) list: &'a str,
    pub(crate) caption: &'a str,
    /// What the nodes that are shown first have most of.
    pub(crate) most: &'a str,
    pub(crate) bars: &'a [&'a str],
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<NodeRow>,
}

impl NodeTable<'_> {
    pub(crate) fn render(&self) -> Markup {
        let all: Vec<usize> = (0..self.rows.len()).collect();
        if all.len() <= READABLE {
            return html! { (self.legend()) (self.table(&all, true, None)) };
        }
        let mut by_rank = all.clone();
        by_rank.sort_by(|one, other| self.rows[*other].rank.total_cmp(&self.rows[*one].rank).then(one.cmp(other)));
        let (shown, rest) = by_rank.split_at(SHOWN);
        html! {
            p.about { "The " (shown.len()) " of " (size(all.len())) " nodes with the most " (self.most) ", and the others together; all are listed below." }
            (self.legend())
            (self.table(shown, true, Some(rest)))
            details { summary { "All " (size(all.len())) " nodes" } (self.table(&all, false, None)) }
        }
    }

    fn legend(&self) -> Markup {
        html! {
            @if self.bars.len() > 1 {
                p.legend aria-hidden="true" {
                    @for (number, bar) in self.bars.iter().enumerate() { span class={ "key bar-" (number) } { (bar) } }
                }
            }
        }
    }

    fn table(&self, shown: &[usize], with_bars: bool, rest: Option<&[usize]>) -> Markup {
        let largest = self.rows.iter().flat_map(|row| &row.bars).copied().fold(0.0, f64::max);
        html! {
            table.nodes.many[self.columns.len() > 4] data-list=(self.list) {
                caption.hidden { (self.caption) }
                thead { tr { th scope="col" { "node" } @for column in &self.columns { th scope="col" { (column.name) } } } }
                tbody {
                    @for index in shown {
                        (self.row(*index, with_bars.then_some(largest)))
                    }
                    @if let Some(rest) = rest { (self.rest(rest)) }
                }
            }
        }
    }

    fn row(&self, index: usize, largest: Option<f64>) -> Markup {
        let row = &self.rows[index];
        html! {
            tr {
                th scope="row" {
                    div.who {
                        span.id { (name(&row.id)) @if !row.about.is_empty() { small { (name(&row.about)) } } }
                        @if let Some(largest) = largest { (bars(&row.bars, largest)) }
                    }
                }
                @for (column, entry) in self.columns.iter().zip(&row.entries) {
                    td data-label=(column.name) { (entry.render(&format!("{}/{index}/{}", self.list, column.member))) }
                }
            }
        }
    }

    fn rest(&self, rest: &[usize]) -> Markup {
        html! {
            tr.rest {
                th scope="row" { div.who { span.id { (size(rest.len())) " others" } } }
                @for (position, column) in self.columns.iter().enumerate() {
                    @let amounts = rest.iter().filter_map(|index| self.rows[*index].entries[position].amount());
                    @let total = if column.adds_up { amounts.reduce(Amount::add) } else { None };
                    td data-label=(column.name) data-rest=(column.member) { @if let Some(total) = total { (sum(total)) } }
                }
            }
        }
    }
}

fn size(count: usize) -> String {
    crate::figures::count(count as u64)
}

impl Entry {
    fn amount(&self) -> Option<Amount> {
        match self {
            Entry::Amount(amount) => Some(*amount),
            Entry::Text(..) | Entry::Plain(_) => None,
        }
    }

    fn render(&self, at: &str) -> Markup {
        match self {
            Entry::Amount(amount) => figure(*amount, at),
            Entry::Text(shown, exact) => super::number(shown, exact, at),
            Entry::Plain(text) => html! { (unbroken(text)) },
        }
    }
}

/// Bars one above the other, the first hollow: they differ without colour too. What is above nothing is never invisible.
fn bars(lengths: &[f64], largest: f64) -> Markup {
    let height = 14.0;
    let each = height / f64::from(u32::try_from(lengths.len().max(1)).unwrap_or(1));
    html! {
        svg.bars.one[lengths.len() == 1] viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true" {
            @for (number, length) in (0_u32..).zip(lengths) {
                @if *length > 0.0 && largest > 0.0 {
                    rect class={ "bar-" (number) } x="0" y=(format!("{:.1}", f64::from(number) * each + 0.5))
                        width=(format!("{:.2}", (length / largest * 199.0).max(0.8))) height=(format!("{:.1}", each - 1.0)) {}
                }
            }
        }
    }
}
