//! The page of a balance: what each node was to have, and what it has.

use super::{
    HotKey, Report, float,
    report::{p_value, percent},
};
use crate::{
    amount::Amount,
    figures::{bytes, count},
    html::{Bars, Column, Entry, Fingerprint, NodeRow, NodeTable, Page, bars, card, figure, name, number, section},
    shown::on_one_line,
};
use maud::{Markup, html};

/// Of fewer nodes a table says more than a curve.
const ENOUGH_FOR_A_CURVE: usize = 12;
/// More bars than these cannot be told apart.
const MOST_BARS: usize = 1000;

/// What there is to see.
pub(super) fn page(report: &Report, source: &str) -> Page {
    Page {
        title: format!("balance of {source}"),
        heading: html! { "Balance of " (name(source)) },
        about: report.message.clone(),
        warnings: Vec::new(),
        body: html! { (cards(report)) (nodes(report)) (curve(report)) (hot(report)) (baselines(report)) },
        fingerprints: vec![Fingerprint {
            name: source.to_owned(),
            digits: report.fingerprint.clone(),
            at: "/fingerprint",
        }],
    }
}

fn ratio(value: f64, at: &str) -> Markup {
    number(&format!("{value:.3}"), &value.to_string(), at)
}

fn cards(report: &Report) -> Markup {
    html! {
        dl.cards {
            (card("keys", &figure(Amount::Keys(report.keys), "/keys"), &html! { (figure(Amount::Keys(report.distinct), "/distinct")) " distinct" }))
            @if let Some(total) = &report.bytes { (card("bytes", &number(&bytes(total), total, "/bytes"), &html! {})) }
            (card("max/mean", &ratio(report.max_mean, "/max_mean"), &html! { "the fullest node's keys over what its weight asks for" }))
            @if let Some(most) = report.bytes_max_mean {
                (card("max/mean of bytes", &ratio(most, "/bytes_max_mean"), &html! {}))
            }
            @if let Some(test) = &report.chi_square {
                (card("chance", &number(p_value(test).trim_start_matches("chi-square "), &test.p.to_string(), "/chi_square/p"),
                    &html! { "chi-square test: a p below 0.001 is no chance" }))
            }
        }
    }
}

fn nodes(report: &Report) -> Markup {
    let mut columns = vec![
        Column::new("by weight", "fair"),
        Column::new("keys", "keys"),
        Column::of_its_own("of its share", "keys"),
        Column::new("distinct", "distinct"),
    ];
    if report.bytes.is_some() {
        columns.push(Column::new("bytes", "bytes"));
    }
    let total = float(report.keys);
    let rows = report.nodes.iter().map(|node| {
        let part = float(node.keys) / total;
        let of_share = if node.fair > 0.0 { format!("{:.3}", part / node.fair) } else { "drained".to_owned() };
        let mut entries = vec![
            Entry::Text(percent(node.fair), node.fair.to_string()),
            Entry::Amount(Amount::Keys(node.keys)),
            Entry::Plain(of_share),
            Entry::Amount(Amount::Keys(node.distinct)),
        ];
        entries.extend(node.bytes.as_ref().and_then(|digits| Some(Entry::Amount(Amount::Bytes(digits.parse().ok()?)))));
        NodeRow {
            id: node.id.clone(),
            about: String::new(),
            bars: vec![node.fair, part],
            entries,
            rank: if node.fair > 0.0 { part / node.fair } else { part },
        }
    });
    let table = NodeTable {
        list: "/nodes",
        caption: "Nodes with the keys they were to have and have",
        most: "keys beside their weight",
        bars: &["asked for by weight", "keys it has"],
        columns,
        rows: rows.collect(),
    };
    section("Nodes", "", &table.render())
}

fn curve(report: &Report) -> Markup {
    let total = float(report.keys);
    let live = report.nodes.iter().filter(|node| node.fair > 0.0);
    let mut values: Vec<f64> = live.map(|node| float(node.keys) / total / node.fair).collect();
    if values.len() < ENOUGH_FOR_A_CURVE {
        return html! {};
    }
    values.sort_by(|one, other| other.total_cmp(one));
    let about = format!(
        "{} nodes, the fullest first: the keys of each over what its weight asks for; 1 is exactly that.",
        count(values.len() as u64)
    );
    let mut counted = "nodes, the fullest first";
    if values.len() > MOST_BARS {
        let hundredth = |part: usize| values[(2 * part + 1) * values.len() / 200];
        values = (0..100).map(hundredth).collect();
        counted = "hundredths of the nodes, the fullest first";
    }
    let picture = bars(&Bars {
        title: "How full the nodes are",
        about: about.clone(),
        counted,
        values: &values,
        limit: Some(1.0),
        limit_name: "what the weight asks for",
        unit: &|value| format!("{value:.2}"),
    });
    section("How even", &about, &picture)
}

fn hot(report: &Report) -> Markup {
    if report.hot.is_empty() {
        return html! {};
    }
    let with_bytes = report.bytes.is_some();
    let row = |index: usize, key: &HotKey| {
        let shown = key.key.as_ref().map_or("a very long key", |json| json.get());
        html! {
            tr {
                th scope="row" { (name(&on_one_line(shown))) }
                td.text { (name(&key.node)) }
                td { (figure(Amount::Keys(key.keys), &format!("/hot/{index}/keys"))) }
                @if with_bytes { td { @if let Some(digits) = &key.bytes { (number(&bytes(digits), digits, &format!("/hot/{index}/bytes"))) } } }
                td { (number(&percent(key.part), &key.part.to_string(), &format!("/hot/{index}/part"))) " of " (key.by) }
            }
        }
    };
    let table = html! {
        table {
            caption.hidden { "Hot keys" }
            thead { tr { th scope="col" { "key" } th.text scope="col" { "node" } th scope="col" { "keys" } @if with_bytes { th scope="col" { "bytes" } } th scope="col" { "part" } } }
            tbody { @for (index, key) in report.hot.iter().enumerate() { (row(index, key)) } }
        }
    };
    section("Hot keys", "", &table)
}

fn baselines(report: &Report) -> Markup {
    if report.baselines.is_empty() {
        return html! {};
    }
    let table = html! {
        table {
            caption.hidden { "The same keys placed by number" }
            thead { tr { th scope="col" { "placement" } th scope="col" { "buckets" } th scope="col" { "max/mean" } th scope="col" { "chance" } } }
            tbody {
                @for (index, other) in report.baselines.iter().enumerate() {
                    tr {
                        th scope="row" { (other.name) }
                        td { (number(&count(other.buckets.into()), &other.buckets.to_string(), &format!("/baselines/{index}/buckets"))) }
                        td { (ratio(other.max_mean, &format!("/baselines/{index}/max_mean"))) }
                        td { @if let Some(test) = &other.chi_square {
                            (number(p_value(test).trim_start_matches("chi-square "), &test.p.to_string(), &format!("/baselines/{index}/chi_square/p")))
                        } }
                    }
                }
            }
        }
    };
    section("For comparison", "The same keys over as many buckets as nodes own keys; weights play no part.", &table)
}
