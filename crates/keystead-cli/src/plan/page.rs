//! The page of a plan: its steps with the limit drawn, and what they move in all.

use super::{
    files::Role,
    report::{Told, amount, back, checks, heading, moves_nothing, oversize},
};
use crate::{
    amount::Amount,
    figures::{bytes, count},
    html::{self, Bars, Fingerprint, Page, bars, figure, number, section},
    share::percent_of,
};
use keystead::{Limit, PlanAmount, PlanStep};
use maud::{Markup, html};

/// So many steps are told one by one; of more, what lies between the first and the last half of them is folded away.
const STEPS: usize = 24;

/// What there is to see.
pub(super) fn page(told: &Told<'_>) -> Page {
    let difference = &told.plan.difference;
    let side =
        |name: &str, fingerprint: &str, at| Fingerprint { name: name.to_owned(), digits: fingerprint.to_owned(), at };
    let oversized = told.plan.steps.iter().filter_map(|step| {
        step.oversize.as_ref().map(|what| format!("step {} is above the limit: {}", step.step, oversize(what)))
    });
    Page {
        title: format!("plan: {} → {}", told.before.name, told.after.name),
        heading: html! { "Plan: " (html::heading(told.before, told.after)) },
        about: heading(told),
        warnings: oversized.collect(),
        body: html! {
            (html::cards(difference, "/difference"))
            @if told.plan.steps.is_empty() { p.verdict { "No key moves, so there is no step to take." } }
            @else { (limits(told)) (steps(told)) (way(told)) }
            (html::moves(difference, "/difference", [told.before, told.after]))
        },
        fingerprints: vec![
            side(&told.before.name, &difference.before.fingerprint, "/difference/before/fingerprint"),
            side(&told.after.name, &difference.after.fingerprint, "/difference/after/fingerprint"),
        ],
    }
}

/// A chart for each limit: what the steps move, and the line that they keep below.
fn limits(told: &Told<'_>) -> Markup {
    let charts = told.plan.limits.iter().filter_map(|text| {
        let (amount, scope) = text.split_once('/').unwrap_or((text, "step"));
        Some(chart(told, text, amount.parse().ok()?, scope == "node"))
    });
    let charts: Vec<Markup> = charts.collect();
    section("Steps under the limit", &checks(told.plan), &html! { @for chart in charts { (chart) } })
}

fn chart(told: &Told<'_>, text: &str, limit: Limit, of_nodes: bool) -> Markup {
    #[expect(clippy::cast_precision_loss, reason = "a height in a picture")]
    let height = |moved: &PlanAmount| match limit {
        Limit::Keys(_) => moved.keys.unwrap_or_default() as f64,
        Limit::Bytes(_) => moved.bytes.unwrap_or_default() as f64,
        Limit::Millionths(_) => moved.share,
    };
    #[expect(clippy::cast_precision_loss, reason = "a height in a picture")]
    let line = match limit {
        Limit::Keys(most) | Limit::Bytes(most) => most as f64,
        Limit::Millionths(most) => f64::from(most) / 1e6,
    };
    let unit = |value: f64| match limit {
        // Of a positive number without a fraction these are its digits.
        Limit::Keys(_) => format!("{value:.0}").parse().map(count).unwrap_or_default(),
        Limit::Bytes(_) => bytes(&format!("{value:.0}")),
        Limit::Millionths(_) => format!("{:.2} %", value * 100.0),
    };
    let values: Vec<f64> = told
        .plan
        .steps
        .iter()
        .map(|step| {
            let nodes = step.nodes.iter().flat_map(|node| [height(&node.moved_in), height(&node.moved_out)]);
            if of_nodes { nodes.fold(0.0, f64::max) } else { height(&step.moved) }
        })
        .collect();
    let what = if of_nodes { "the most into or out of one node" } else { "what moves" };
    let title = format!(
        "{} by step, and the limit of {text}",
        if of_nodes { "The most into or out of one node" } else { "What moves" }
    );
    let most = values.iter().copied().fold(0.0, f64::max);
    bars(&Bars {
        title: &title,
        about: format!("{} steps; {what} in a step is at most {}; the limit is {text}.", values.len(), unit(most)),
        counted: "step",
        values: &values,
        limit: Some(line),
        limit_name: &format!("limit {text}"),
        unit: &unit,
    })
}

fn steps(told: &Told<'_>) -> Markup {
    let all: Vec<usize> = (0..told.plan.steps.len()).collect();
    let table = |indices: &[usize]| table(told, indices);
    let content = if all.len() <= STEPS {
        table(&all)
    } else {
        html! {
            p.about { "The first " (STEPS / 2) " and the last " (STEPS / 2) " of " (all.len()) " steps; all are listed below." }
            (table(&[&all[..STEPS / 2], &all[all.len() - STEPS / 2..]].concat()))
            details { summary { "All " (all.len()) " steps" } (table(&all)) }
        }
    };
    section("Steps", "", &content)
}

fn table(told: &Told<'_>, indices: &[usize]) -> Markup {
    let counted = told.plan.difference.counted.as_ref();
    let with_bytes = counted.is_some_and(|counted| counted.total.bytes > 0);
    let by_share = told.plan.by == "share";
    let moved = |step: &PlanStep, index: usize| match step.moved.keys {
        Some(keys) => figure(Amount::Keys(keys), &format!("/steps/{index}/moved/keys")),
        None => {
            number(&percent_of(step.moved.share), &step.moved.share.to_string(), &format!("/steps/{index}/moved/share"))
        }
    };
    html! {
        table.many.steps {
            caption.hidden { "Steps in order" }
            thead {
                tr {
                    th scope="col" { "step" }
                    th.text scope="col" { "publish" }
                    th scope="col" { "epoch" }
                    th scope="col" { @if counted.is_some() { "keys moved" } @else { "moves" } }
                    @if with_bytes { th scope="col" { "bytes" } }
                    th.text scope="col" { "most into" }
                    th.text scope="col" { "most out of" }
                    @if by_share { th scope="col" { "on the new cluster" } }
                    th.text scope="col" { "fingerprint" }
                }
            }
            tbody {
                @for index in indices {
                    @let step = &told.plan.steps[*index];
                    @let file = told.of_step(step.step);
                    tr {
                        th scope="row" { span.narrow-inline { "step " } (number(&step.step.to_string(), &step.step.to_string(), &format!("/steps/{index}/step"))) }
                        td.text data-label="publish" { @if let Some(file) = file { code { (file.file) } } }
                        td data-label="epoch" { @if let Some(epoch) = file.and_then(|file| file.epoch) { (epoch) } }
                        td data-label="moved" { (moved(step, *index)) }
                        @if with_bytes { td data-label="bytes" { @if let Some(size) = step.moved.bytes { (figure(Amount::Bytes(size), &format!("/steps/{index}/moved/bytes"))) } } }
                        td.text data-label="most into" { (most(step, *index, "moved_in", with_bytes)) }
                        td.text data-label="most out of" { (most(step, *index, "moved_out", with_bytes)) }
                        @if by_share { td data-label="on the new cluster" { @if let Some((part, of)) = step.part.zip(step.of) { (part) "/" (of) } } }
                        td.text data-label="fingerprint" { code data-text=(format!("/steps/{index}/fingerprint")) { (step.fingerprint) } }
                    }
                }
            }
        }
    }
}

/// The node with the most of it.
fn most(step: &PlanStep, index: usize, member: &str, with_bytes: bool) -> Markup {
    let of = |node: &keystead::PlanNode| if member == "moved_in" { node.moved_in } else { node.moved_out };
    let rank = |amount: PlanAmount| (if with_bytes { amount.bytes } else { None }, amount.keys, amount.share);
    let largest = step.nodes.iter().enumerate().max_by(|(_, one), (_, other)| {
        rank(of(one)).partial_cmp(&rank(of(other))).unwrap_or(std::cmp::Ordering::Equal)
    });
    let Some((at, node)) =
        largest.filter(|(_, node)| of(node).share > 0.0 || of(node).keys.is_some_and(|keys| keys > 0))
    else {
        return html! {};
    };
    let value = of(node);
    let (unit, exact) = match (value.keys, value.bytes) {
        (Some(_), Some(size)) if with_bytes => ("bytes", size.to_string()),
        (Some(keys), _) => ("keys", keys.to_string()),
        (None, _) => ("share", value.share.to_string()),
    };
    html! { (html::name(&node.id)) " " (number(&amount(&value, with_bytes), &exact, &format!("/steps/{index}/nodes/{at}/{member}/{unit}"))) }
}

/// What to do with the files.
fn way(told: &Told<'_>) -> Markup {
    let first = moves_nothing(told, Role::Start);
    let last = moves_nothing(told, Role::Last);
    section(
        "In which order",
        "",
        &html! {
            @if let Some(first) = first {
                p { "First publish " code { (first) } ": it moves nothing, and from then on services know both places of every key. Were a step published first, what a service deletes that does not have it yet would live on at the new place." }
            }
            p { "Then, for each step:" }
            ol.way {
                li { "Copy what moves, or let reads fill it." }
                li { "Publish the step's file." }
                li { "Wait until all services show its fingerprint." }
                li { "Verify." }
                li { "Wait until no reader needs the old place (a cache: its time to live; a store: copied and checked)." }
            }
            @if let Some(last) = last {
                p { "Last publish " code { (last) } ": the cluster without a transition; it moves nothing." }
            }
            p.about { "The way back: " code { (crate::shown::on_one_line(&back(told))) } }
        },
    )
}
