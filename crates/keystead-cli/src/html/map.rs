//! Where on a ring, or in a table of slots, what belongs to whom or moves to whom.

use super::name;
use keystead::{Cluster, MovedArc, MovedSlot};
use maud::{Markup, PreEscaped, html};
use std::collections::BTreeMap;
use svg::node::element::{Circle, Group, Path, Rectangle, path::Data};

/// So many nodes have a colour of their own.
const COLOURS: usize = 6;
/// A ring is looked at in so many places.
const PLACES: u32 = 2048;
/// A table of more slots has several in a square.
const SQUARES: usize = 128 * 128;

/// What a ring's coordinates belong to.
pub(crate) fn ring_of(cluster: &Cluster) -> Option<Markup> {
    let arcs = cluster.arcs().ok()?;
    let ids: Vec<&str> = cluster.ids().collect();
    let arcs: Vec<(u64, u64, &str)> = arcs.iter().map(|arc| (arc.start, arc.end, ids[arc.node as usize])).collect();
    Some(ring(&arcs, cluster.space(), "Who owns which part of the ring"))
}

/// What moves on a ring.
pub(super) fn moved_ring(arcs: &[MovedArc], space: Option<u64>) -> Markup {
    let arcs: Vec<(u64, u64, &str)> = arcs.iter().map(|arc| (arc.start, arc.end, arc.to.as_str())).collect();
    ring(&arcs, space, "What moves on the ring, and to which node")
}

/// What a table's slots belong to.
pub(crate) fn slots_of(cluster: &Cluster) -> Option<Markup> {
    let ids: Vec<&str> = cluster.ids().collect();
    let owners: Vec<Option<&str>> =
        cluster.slot_owners().ok()?.iter().map(|index| Some(ids[*index as usize])).collect();
    Some(slots(&owners, "Who owns which slot", None))
}

/// What moves in a table.
pub(super) fn moved_slots(moved: &[MovedSlot], count: u32) -> Markup {
    let mut targets: Vec<Option<&str>> = vec![None; count as usize];
    for slot in moved {
        targets[slot.slot as usize] = Some(&slot.to);
    }
    slots(&targets, "Which slots move, and to which node", Some(moved.len()))
}

/// The nodes with most, each with its colour's number; all others have the last.
struct Legend<'a> {
    counts: BTreeMap<&'a str, usize>,
    shown: Vec<&'a str>,
    others: usize,
}

impl<'a> Legend<'a> {
    fn of(parts: &[Option<&'a str>]) -> Legend<'a> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for id in parts.iter().flatten() {
            *counts.entry(id).or_default() += 1;
        }
        let mut shown: Vec<&str> = counts.keys().copied().collect();
        shown.sort_by_key(|id| std::cmp::Reverse(counts[id]));
        let others = shown.len().saturating_sub(COLOURS);
        shown.truncate(COLOURS);
        shown.sort_unstable();
        Legend { counts, shown, others }
    }

    fn colour(&self, id: &str) -> usize {
        self.shown.iter().position(|shown| *shown == id).unwrap_or(COLOURS)
    }

    /// With how many slots each has, where these are what was counted.
    fn render(&self, with_slots: bool) -> Markup {
        let counted = |count: usize| html! { @if with_slots { " " (super::figure::slot_count(count)) } };
        html! {
            ul.legend {
                @for (colour, id) in self.shown.iter().enumerate() {
                    li class={ "key part-" (colour) } data-slots-of=[with_slots.then_some(id)] { (name(id)) (counted(self.counts[id])) }
                }
                @if self.others > 0 {
                    @let rest = self.counts.iter().filter(|(id, _)| !self.shown.contains(id)).map(|(_, count)| count).sum();
                    li class={ "key part-" (COLOURS) } { (self.others) " others" (counted(rest)) }
                }
            }
        }
    }
}

fn ring(arcs: &[(u64, u64, &str)], space: Option<u64>, title: &str) -> Markup {
    let circle = space.map_or(1_u128 << 64, u128::from);
    let mut by_end = arcs.to_vec();
    by_end.sort_by_key(|(_, end, _)| *end);
    let owner_at = |coordinate: u64| {
        let first = by_end.partition_point(|(_, end, _)| *end < coordinate) % by_end.len().max(1);
        let (start, end, id) = by_end.get(first)?;
        let is_in = if start < end {
            *start < coordinate && coordinate <= *end
        } else {
            coordinate > *start || coordinate <= *end
        };
        is_in.then_some(*id)
    };
    let places: Vec<Option<&str>> = (0..PLACES)
        .map(|place| {
            owner_at(u64::try_from(circle * (2 * u128::from(place) + 1) / (2 * u128::from(PLACES))).unwrap_or(u64::MAX))
        })
        .collect();
    let legend = Legend::of(&places);
    let mut paths: BTreeMap<usize, Data> = BTreeMap::new();
    for (start, length, id) in runs(&places) {
        let colour = legend.colour(id);
        let data = paths.remove(&colour).unwrap_or_default();
        paths.insert(colour, sector(data, start, length));
    }
    let track = Circle::new().set("class", "track").set("r", 84).set("stroke-width", 26);
    let parts =
        paths.into_iter().map(|(colour, data)| Path::new().set("class", format!("part-{colour}")).set("d", data));
    let picture = parts.fold(Group::new().add(track), Group::add);
    html! {
        figure.map {
            figcaption { (title) }
            svg viewBox="-100 -100 200 200" role="img" {
                title { (title) }
                desc { "A circle of all coordinates, 0 at the top, clockwise, looked at in " (PLACES) " places. The table of nodes has the exact shares." }
                (PreEscaped(picture.to_string()))
            }
            div { (legend.render(false)) p.about { "Looked at in 2,048 places, 0 at the top, clockwise; exact arcs: " code { "--arcs" } "." } }
        }
    }
}

/// What follows each other and is of one node: where it begins, how many, whose.
fn runs<'a>(parts: &[Option<&'a str>]) -> Vec<(usize, usize, &'a str)> {
    let chunks = parts.chunk_by(|one, other| one == other);
    let with_starts = chunks.scan(0, |start, chunk| {
        let at = *start;
        *start += chunk.len();
        Some((at, chunk.len(), chunk[0]))
    });
    with_starts.filter_map(|(start, length, id)| Some((start, length, id?))).collect()
}

/// A part of the ring between the radii of the track.
fn sector(data: Data, start: usize, length: usize) -> Data {
    if length == PLACES as usize {
        // A whole circle begins where it ends, which no arc can say.
        return sector(sector(data, 0, length / 2), length / 2, length - length / 2);
    }
    let angle = |place: usize| {
        let turn = f64::from(u32::try_from(place).unwrap_or(0)) / f64::from(PLACES);
        (turn - 0.25) * std::f64::consts::TAU
    };
    let point = |radius: f64, place: usize| {
        let round = |value: f64| (value * 100.0).round() / 100.0;
        (round(radius * angle(place).cos()), round(radius * angle(place).sin()))
    };
    let large = u8::from(length > PLACES as usize / 2);
    let (from, to) = (start, start + length);
    let (outer, inner) = (point(97.0, to), point(71.0, from));
    data.move_to(point(97.0, from))
        .elliptical_arc_to((97, 97, 0, large, 1, outer.0, outer.1))
        .line_to(point(71.0, to))
        .elliptical_arc_to((71, 71, 0, large, 0, inner.0, inner.1))
        .close()
}

fn slots(slots: &[Option<&str>], title: &str, moved: Option<usize>) -> Markup {
    let each = slots.len().div_ceil(SQUARES).max(1);
    let squares: Vec<Option<&str>> = slots.chunks(each).map(|group| group.iter().copied().flatten().next()).collect();
    let columns = (1..=128).find(|columns| columns * columns >= squares.len()).unwrap_or(128);
    let rows = squares.len().div_ceil(columns);
    let legend = Legend::of(slots);
    let mut paths: BTreeMap<usize, Data> = BTreeMap::new();
    for (row, line) in squares.chunks(columns).enumerate() {
        for (start, length, id) in runs(line) {
            let colour = legend.colour(id);
            let data = paths.remove(&colour).unwrap_or_default();
            paths.insert(
                colour,
                data.move_to((start, row))
                    .horizontal_line_by(length)
                    .vertical_line_by(1)
                    .horizontal_line_by(-i64::try_from(length).unwrap_or(0))
                    .close(),
            );
        }
    }
    let track = Rectangle::new().set("class", "table").set("width", columns).set("height", rows);
    let parts =
        paths.into_iter().map(|(colour, data)| Path::new().set("class", format!("part-{colour}")).set("d", data));
    let picture = parts.fold(Group::new().add(track), Group::add);
    html! {
        figure.map {
            figcaption { (title) }
            svg viewBox=(format!("0 0 {columns} {rows}")) role="img" shape-rendering="crispEdges" {
                title { (title) }
                desc { (slots.len()) " slots in lines of " (columns * each) ", the first at the top left." }
                (PreEscaped(picture.to_string()))
            }
            div {
                (legend.render(true))
                p.about {
                    (columns) " × " (rows) " squares, " @if each == 1 { "a slot each" } @else { (each) " slots each" } ", from the top left line by line"
                    @if let Some(moved) = moved { "; " (super::figure::slot_count(slots.len() - moved)) " of " (crate::figures::count(slots.len() as u64)) " stay" } "."
                }
            }
        }
    }
}
