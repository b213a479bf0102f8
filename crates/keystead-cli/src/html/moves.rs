//! What a change moves: the parts that the pages of `diff` and `plan` share.

use super::{
    Column, Entry, NodeRow, NodeTable, card, figure,
    heat::{Move, matrix},
    map::{moved_ring, moved_slots},
    name, number, section,
};
use crate::{amount::Amount, share::exact_percent, source::Source};
use keystead::{Count, CountedNode, DiffSummary};
use maud::{Markup, html};

/// `live.json → next.json`.
pub(crate) fn heading(before: &Source, after: &Source) -> Markup {
    html! { (name(&before.name)) " → " (name(&after.name)) }
}

/// The reasons, the nodes, the matrix and the map. `root` is where the summary is in `--json`.
pub(crate) fn moves(summary: &DiffSummary, root: &str, sides: [&Source; 2]) -> Markup {
    html! {
        (reasons(summary, root))
        (nodes(summary, root))
        (matrices(summary, root))
        (map(summary, sides))
    }
}

/// A share with three digits, as the text has it.
fn share(value: f64, at: &str) -> Markup {
    number(&exact_percent(value), &value.to_string(), at)
}

/// How much moves, in short.
pub(crate) fn cards(summary: &DiffSummary, root: &str) -> Markup {
    let expected = &summary.expected;
    let error = expected.standard_error;
    let sample = html! {
        @if let Some(samples) = expected.samples {
            "± " (share(error, &format!("{root}/expected/standard_error"))) ", from a sample of "
            (number(&crate::figures::count(samples.into()), &samples.to_string(), &format!("{root}/expected/samples")))
        } @else { "of all keys" }
    };
    html! {
        dl.cards {
            @if let Some(counted) = &summary.counted {
                @let moved = format!("{root}/counted/moved");
                @let total = format!("{root}/counted/total");
                @let part = part_of(counted.moved.keys.into(), counted.total.keys.into());
                (card("keys that move", &figure(Amount::Keys(counted.moved.keys), &format!("{moved}/keys")),
                    &html! { "of " (figure(Amount::Keys(counted.total.keys), &format!("{total}/keys"))) ", " (part) }))
                @if counted.total.bytes > 0 {
                    @let part = part_of(counted.moved.bytes, counted.total.bytes);
                    (card("bytes that move", &figure(Amount::Bytes(counted.moved.bytes), &format!("{moved}/bytes")),
                        &html! { "of " (figure(Amount::Bytes(counted.total.bytes), &format!("{total}/bytes"))) ", " (part) }))
                }
                @if let Some(copies) = &counted.copies {
                    (card("copies to make", &figure(Amount::Keys(copies.moved.keys), &format!("{root}/counted/copies/moved/keys")), &html! {}))
                }
            } @else if let Some(copies) = &expected.copies {
                (card("copies to make", &number(&format!("{:.4}", copies.moved), &copies.moved.to_string(), &format!("{root}/expected/copies/moved")),
                    &html! { "a key; the list of " (share(copies.changed, &format!("{root}/expected/copies/changed"))) " of keys changes" }))
            }
            (card(if summary.r > 1 { "owners expected to change" } else { "expected to move" },
                &share(expected.moved, &format!("{root}/expected/moved")), &sample))
            @if let Some(least) = &summary.least {
                (card("least possible", &share(least.share, &format!("{root}/least/share")), &html! { "for any placement with these shares" }))
            }
        }
        @if summary.identical { p.verdict { "No key moves: both give the same answer to every key." } }
    }
}

/// In per cent with two digits, as the text has it.
fn part_of(n: u128, whole: u128) -> Markup {
    let points = (n * 20_000).checked_div(whole).unwrap_or(0).div_ceil(2);
    html! { (format!("{}.{:02}\u{a0}%", points / 100, points % 100)) }
}

fn reasons(summary: &DiffSummary, root: &str) -> Markup {
    let Some(counted) = &summary.counted else { return html! {} };
    let reasons = &counted.reasons;
    let all = [
        ("gained", reasons.gained, "the new owner was added or made heavier"),
        ("lost", reasons.lost, "the old owner was removed, drained or made lighter"),
        ("both", reasons.both, "both of these"),
        ("reshuffled", reasons.reshuffled, "neither: some algorithms and other parameters allow it"),
        ("candidates", reasons.candidates, "the owner stays, the list of copies changes"),
        ("unchanged", reasons.unchanged, "the same answer as before"),
    ];
    let with_bytes = counted.total.bytes > 0;
    let table = html! {
        table {
            caption.hidden { "Keys by what became of them" }
            thead { tr { th scope="col" { "reason" } th scope="col" { "keys" } @if with_bytes { th scope="col" { "bytes" } } } }
            tbody {
                @for (reason, count, about) in all.into_iter().filter(|(_, count, _)| count.keys > 0) {
                    tr {
                        th scope="row" { (reason) small { (about) } }
                        td { (figure(Amount::Keys(count.keys), &format!("{root}/counted/reasons/{reason}/keys"))) }
                        @if with_bytes { td { (figure(Amount::Bytes(count.bytes), &format!("{root}/counted/reasons/{reason}/bytes"))) } }
                    }
                }
            }
        }
    };
    section("Why", "", &table)
}

fn nodes(summary: &DiffSummary, root: &str) -> Markup {
    let (list, columns, rows) = if let Some(counted) = &summary.counted {
        let (nodes, list) = match &counted.copies {
            Some(copies) => (&copies.nodes, format!("{root}/counted/copies/nodes")),
            None => (&counted.nodes, format!("{root}/counted/nodes")),
        };
        counted_nodes(nodes, counted.total.bytes > 0, list)
    } else if let Some(copies) = &summary.expected.copies {
        let rows =
            copies.nodes.iter().map(|node| shares(&node.id, [node.before, node.after, node.moved_in, node.moved_out]));
        (format!("{root}/expected/copies/nodes"), share_columns(), rows.collect())
    } else {
        let rows = summary
            .expected
            .nodes
            .iter()
            .map(|node| shares(&node.id, [node.before, node.after, node.moved_in, node.moved_out]));
        (format!("{root}/expected/nodes"), share_columns(), rows.collect())
    };
    let what = if summary.r > 1 { "copies" } else { "keys" };
    let about = match &summary.counted {
        Some(_) => format!("The {what} that each node has before and after, gets from others and gives to others."),
        None => {
            format!("The part of all {what} that each node has before and after, gets from others and gives to others.")
        }
    };
    let table = NodeTable {
        list: &list,
        caption: "Nodes before and after",
        most: "moves",
        bars: &["before", "after"],
        columns,
        rows,
    };
    section("Nodes", &about, &table.render())
}

fn share_columns() -> Vec<Column> {
    ["before", "after", "in", "out"].map(column_of_share).into()
}

fn column_of_share(name: &str) -> Column {
    Column::new(name, member(name))
}

/// What a column is called in `--json`.
fn member(name: &str) -> &str {
    match name {
        "in" => "moved_in",
        "out" => "moved_out",
        name => name,
    }
}

fn shares(id: &str, figures: [f64; 4]) -> NodeRow {
    NodeRow {
        id: id.to_owned(),
        about: String::new(),
        bars: vec![figures[0], figures[1]],
        entries: figures.map(|figure| Entry::Amount(Amount::Share(figure))).into(),
        rank: figures[2] + figures[3],
    }
}

fn counted_nodes(nodes: &[CountedNode], with_bytes: bool, list: String) -> (String, Vec<Column>, Vec<NodeRow>) {
    let mut columns: Vec<Column> =
        ["before", "after", "in", "out"].map(|name| Column::new(name, &format!("{}/keys", member(name)))).into();
    if with_bytes {
        columns.extend(
            [("bytes in", "moved_in/bytes"), ("bytes out", "moved_out/bytes")].map(|(name, at)| Column::new(name, at)),
        );
    }
    let rows = nodes.iter().map(|node| {
        let keys = |count: Count| Amount::Keys(count.keys);
        let mut amounts = [node.before, node.after, node.moved_in, node.moved_out].map(keys).to_vec();
        if with_bytes {
            amounts.extend([node.moved_in, node.moved_out].map(|count| Amount::Bytes(count.bytes)));
        }
        NodeRow {
            id: node.id.clone(),
            about: String::new(),
            bars: vec![keys(node.before).float(), keys(node.after).float()],
            rank: keys(node.moved_in).float() + keys(node.moved_out).float(),
            entries: amounts.into_iter().map(Entry::Amount).collect(),
        }
    });
    (list, columns, rows.collect())
}

fn matrices(summary: &DiffSummary, root: &str) -> Markup {
    let of = if summary.r > 1 { "owners of keys" } else { "keys" };
    let Some(counted) = &summary.counted else {
        let Some(moves) = &summary.expected.moves else {
            return section("From where to where", "The matrix has too many pairs to be shown.", &html! {});
        };
        let moves: Vec<Move<'_>> = (0..)
            .zip(moves)
            .map(|(index, one): (usize, _)| Move {
                from: &one.from,
                to: &one.to,
                amount: Amount::Share(one.share),
                at: format!("{root}/expected/moves/{index}/share"),
            })
            .collect();
        return one_matrix(
            &moves,
            "From where to where",
            &format!("The part of all {of} that moves; the darker, the more."),
        );
    };
    let moves = |unit: &str, amount: &dyn Fn(&Count) -> Amount| -> Vec<Move<'_>> {
        let at = |index: usize| format!("{root}/counted/moves/{index}/{unit}");
        let moves = counted.moves.iter().enumerate();
        moves
            .map(|(index, one)| Move { from: &one.from, to: &one.to, amount: amount(&one.count), at: at(index) })
            .collect()
    };
    html! {
        (one_matrix(&moves("keys", &|count| Amount::Keys(count.keys)), "From where to where", &format!("The {of} that move; the stronger the colour, the more.")))
        @if counted.total.bytes > 0 {
            (one_matrix(&moves("bytes", &|count| Amount::Bytes(count.bytes)), "From where to where, in bytes", ""))
        }
    }
}

fn one_matrix(moves: &[Move<'_>], title: &str, about: &str) -> Markup {
    if moves.is_empty() {
        return html! {};
    }
    section(title, about, &matrix(moves, title))
}

/// The ring, or the table of slots, with what moves marked.
fn map(summary: &DiffSummary, sides: [&Source; 2]) -> Markup {
    let [_, after] = sides.map(|side| side.description.clusters());
    let Some(cluster) = after.last() else { return html! {} };
    if let Some(arcs) = summary.arcs.as_deref().filter(|arcs| !arcs.is_empty()) {
        section("On the ring", "", &moved_ring(arcs, cluster.space()))
    } else if let Some((slots, count)) =
        summary.slots.as_deref().zip(cluster.slots()).filter(|(slots, _)| !slots.is_empty())
    {
        section("In the table of slots", "", &moved_slots(slots, count))
    } else {
        html! {}
    }
}
