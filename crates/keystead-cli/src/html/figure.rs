//! Numbers in a page.

use crate::amount::Amount;
use maud::{Markup, html};

/// An amount.
pub(crate) fn figure(amount: Amount, at: &str) -> Markup {
    number(&amount.shown(), &amount.exact(), at)
}

/// Any number: as people read it, exactly, and where `--json` has it.
pub(crate) fn number(shown: &str, exact: &str, at: &str) -> Markup {
    html! { data value=(exact) data-json=(at) title=(exact) { (unbroken(shown)) } }
}

/// A number that `--json` leaves to its reader: the sum of what a picture leaves out.
pub(super) fn sum(amount: Amount) -> Markup {
    html! { data.sum value=(amount.exact()) title=(amount.exact()) { (unbroken(&amount.shown())) } }
}

/// No line ends between a number and its unit.
pub(super) fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// A figure that says much, with what it is.
pub(crate) fn card(what: &str, value: &Markup, more: &Markup) -> Markup {
    html! { div.card { dt { (what) } dd { span.value { (value) } @if !more.0.is_empty() { span.more { (more) } } } } }
}

/// So many slots.
pub(super) fn slot_count(count: usize) -> Markup {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    html! { data.sum value=(count) { (crate::figures::count(count)) } " " @if count == 1 { "slot" } @else { "slots" } }
}
