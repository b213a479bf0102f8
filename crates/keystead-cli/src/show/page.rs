//! The page of a cluster, or of a transition.

use super::{
    level_name,
    nodes::parameters,
    nodes::{slots_of_share, tokens},
};
use crate::{
    amount::Amount,
    html::{Column, Entry, Fingerprint, NodeRow, NodeTable, Page, card, name, number, ring_of, section, slots_of},
    share::{fraction, percent},
    sides::{SIDES, step},
    source::Source,
};
use keystead::{Cluster, Description, Node, Share, Transition};
use maud::{Markup, html};

/// What there is to see.
pub(super) fn page(source: &Source) -> Page {
    let described = |at| Fingerprint {
        name: source.name.clone(),
        digits: keystead::Described::fingerprint(&source.description).to_string(),
        at,
    };
    let (about, body, fingerprints) = match &source.description {
        Description::Cluster(cluster) => {
            (parameters(cluster), cluster_body(cluster, ""), vec![described("/fingerprint")])
        }
        Description::Transition(transition) => {
            let side = |name: &str, cluster: &Cluster, at| Fingerprint {
                name: name.to_owned(),
                digits: cluster.fingerprint().to_string(),
                at,
            };
            let [before, after] = SIDES;
            let fingerprints = vec![
                described("/fingerprint"),
                side(before, transition.before(), "/transition/before/fingerprint"),
                side(after, transition.after(), "/transition/after/fingerprint"),
            ];
            (epoch(transition), transition_body(transition), fingerprints)
        }
    };
    Page { title: source.name.clone(), heading: name(&source.name), about, warnings: Vec::new(), body, fingerprints }
}

fn epoch(transition: &Transition) -> String {
    let epoch = transition.epoch().map_or("no epoch".to_owned(), |epoch| format!("epoch {epoch}"));
    format!("{}, {epoch}", step(transition))
}

fn transition_body(transition: &Transition) -> Markup {
    let gate = transition.gate();
    html! {
        (comment(transition.comment()))
        dl.cards {
            (card("of all keys are answered by the new cluster",
                &html! { (number(&gate.part().to_string(), &gate.part().to_string(), "/transition/part")) " of "
                    (number(&gate.of().to_string(), &gate.of().to_string(), "/transition/of")) " parts" }, &html! {}))
        }
        @for (side, cluster) in SIDES.into_iter().zip([transition.before(), transition.after()]) {
            h2 { (side) }
            p.about { (parameters(cluster)) }
            (cluster_body(cluster, &format!("/transition/{side}")))
        }
    }
}

fn comment(comment: Option<&str>) -> Markup {
    html! { @if let Some(text) = comment { p.verdict { (name(text)) } } }
}

fn cluster_body(cluster: &Cluster, root: &str) -> Markup {
    let drained = cluster.nodes().iter().filter(|node| node.is_drained()).count();
    let total: u64 = cluster.nodes().iter().map(|node| u64::from(node.get_weight())).sum();
    html! {
        (comment(cluster.comment()))
        dl.cards {
            (card("nodes", &html! { data.count value=(cluster.len()) data-length=(format!("{root}/nodes")) { (crate::figures::count(cluster.len() as u64)) } },
                &html! { (drained) " drained" }))
            (card("total weight", &html! { (crate::figures::count(total)) }, &html! {}))
            @if let Some(slots) = cluster.slots() {
                (card("slots", &number(&crate::figures::count(slots.into()), &slots.to_string(), &format!("{root}/slots")), &html! {}))
            }
        }
        (nodes(cluster, root))
        @if let Some(map) = ring_of(cluster) { (section("On the ring", "", &map)) }
        @if let Some(map) = slots_of(cluster) { (section("In the table of slots", "", &map)) }
    }
}

fn nodes(cluster: &Cluster, root: &str) -> Markup {
    let mut columns = vec![Column::new("weight", "weight")];
    let of_algorithm = match cluster.algorithm() {
        "ring-1" => Some("tokens"),
        "slots-1" => Some("slots"),
        _ => None,
    };
    columns.extend(of_algorithm.map(|what| Column::of_its_own(what, what)));
    columns.push(Column::of_its_own("share", "share"));
    let rows =
        cluster.nodes().iter().zip(cluster.shares()).map(|(node, share)| row(cluster, node, share, of_algorithm));
    let list = format!("{root}/nodes");
    let table = NodeTable {
        list: &list,
        caption: "Nodes with their weights and exact shares",
        most: "keys",
        bars: &["share"],
        columns,
        rows: rows.collect(),
    };
    section("Nodes", "The part of all keys that each node owns.", &table.render())
}

fn row(cluster: &Cluster, node: &Node, share: Share, of_algorithm: Option<&str>) -> NodeRow {
    let part = Amount::Share(ratio(share));
    let mut entries = vec![Entry::Amount(Amount::Keys(node.get_weight().into()))];
    match of_algorithm {
        Some("tokens") => entries.push(Entry::Plain(tokens(cluster, node).to_string())),
        Some(_) => entries.push(Entry::Plain(slots_of_share(cluster, share).to_string())),
        None => {}
    }
    let shown = if node.is_drained() { "drained".to_owned() } else { percent(share) };
    entries.push(Entry::Text(shown, fraction_of(share)));
    let places =
        node.get_location().iter().enumerate().map(|(level, place)| format!("{} {place}", level_name(cluster, level)));
    let about: Vec<String> = node.get_address().map(str::to_owned).into_iter().chain(places).collect();
    NodeRow {
        id: node.id().to_owned(),
        about: about.join(" · "),
        bars: vec![part.float()],
        entries,
        rank: part.float(),
    }
}

/// Both numbers, as `--json` has them.
fn fraction_of(share: Share) -> String {
    if share.numerator == 0 || share.denominator == 1 {
        return format!("{}/{}", share.numerator, share.denominator);
    }
    fraction(share)
}

#[expect(clippy::cast_precision_loss, reason = "a length in a picture")]
fn ratio(share: Share) -> f64 {
    share.numerator as f64 / share.denominator as f64
}
