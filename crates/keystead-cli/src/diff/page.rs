//! The page of a difference.

use super::report::{heading, warnings};
use crate::{
    html::{self, Fingerprint, Page},
    source::Source,
};
use keystead::DiffSummary;

/// What there is to see.
pub(super) fn page(sides: &[&Source; 2], summary: &DiffSummary) -> Page {
    let [before, after] = *sides;
    let fingerprint = |source: &Source, side: &keystead::DiffSide, at| Fingerprint {
        name: source.name.clone(),
        digits: side.fingerprint.clone(),
        at,
    };
    Page {
        title: format!("{} → {}", before.name, after.name),
        heading: html::heading(before, after),
        about: heading(summary),
        warnings: warnings(sides),
        body: maud::html! { (html::cards(summary, "")) (html::moves(summary, "", *sides)) },
        fingerprints: vec![
            fingerprint(before, &summary.before, "/before/fingerprint"),
            fingerprint(after, &summary.after, "/after/fingerprint"),
        ],
    }
}
