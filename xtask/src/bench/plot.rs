//! A plot as SVG: lines over two logarithmic axes, each with its name at its end, in colours that change with the reader's light or dark page.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use plotters::backend::SVGBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::combinators::IntoLogRange as _;
use plotters::drawing::IntoDrawingArea as _;
use plotters::element::{Circle, PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color as _, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle};

/// A colour on a light page, and the one that takes its place on a dark page.
#[derive(Debug, Clone, Copy)]
struct Paint(u32, u32);

const GROUND: Paint = Paint(0xFF_FF_FF, 0x0D_11_17);
const INK: Paint = Paint(0x1F_23_28, 0xE6_ED_F3);
const FAINT: Paint = Paint(0x59_63_6E, 0x91_98_A1);
const GRID: Paint = Paint(0xE4_E8_EC, 0x24_2B_33);
const AXIS: Paint = Paint(0xAF_B8_C1, 0x48_4F_58);

/// What a line is a kind of; the kinds have a hue each, so that a peer is seen beside what it is a peer of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Rendezvous,
    Ring,
    Table,
    Hierarchy,
}

impl Kind {
    pub(crate) fn of(who: &str) -> Self {
        match who {
            "rendezvous-1"
            | "hrw"
            | "hrw-hash"
            | "rendezvous_hash"
            | "max() over xxhash"
            | "clandestined"
            | "pymemcache"
            | "skeleton-rendezvous"
            | "max of h32(node + k)" => Self::Rendezvous,
            "hierarchy-1" => Self::Hierarchy,
            "slots-1" | "jumphash" | "maglev" | "anchorhash" | "jump-consistent-hash" => Self::Table,
            _ => Self::Ring,
        }
    }

    fn paint(self, ours: bool) -> Paint {
        match (self, ours) {
            (Self::Rendezvous, true) => Paint(0x05_50_AE, 0x79_C0_FF),
            (Self::Rendezvous, false) => Paint(0x3A_7F_D0, 0x4B_8F_DE),
            (Self::Ring, true) => Paint(0xAD_41_00, 0xFF_A6_57),
            (Self::Ring, false) => Paint(0xC8_71_2C, 0xC9_7E_42),
            (Self::Table, true) => Paint(0x11_63_29, 0x7E_E7_87),
            (Self::Table, false) => Paint(0x3A_8B_50, 0x4E_A5_65),
            (Self::Hierarchy, _) => Paint(0x66_39_BA, 0xD2_A8_FF),
        }
    }
}

const KINDS: [Kind; 4] = [Kind::Rendezvous, Kind::Ring, Kind::Table, Kind::Hierarchy];

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) ours: bool,
    /// By x; a logarithmic axis has no place for 0.
    pub(crate) points: Vec<(f64, f64)>,
    /// It ended before the others.
    pub(crate) left_out: bool,
}

#[derive(Debug)]
pub(crate) struct Plot {
    pub(crate) title: &'static str,
    /// What the axes are.
    pub(crate) about: String,
    pub(crate) lines: Vec<Line>,
    /// What there are more and more of.
    pub(crate) across: &'static str,
    pub(crate) x: fn(f64) -> String,
    pub(crate) y: fn(f64) -> String,
    /// Said below, for whoever sees the marks.
    pub(crate) note: String,
}

const SIZE: (u32, u32) = (960, 600);
/// Around the field of the lines: above, right, below, left.
const MARGIN: (i32, i32, i32, i32) = (84, 196, 74, 74);
/// Names stand at least so far from each other.
const SPACING: f64 = 17.0;

impl Plot {
    pub(crate) fn draw(&self) -> Result<String> {
        let mut text = String::new();
        self.paint(&mut text).map_err(|error| anyhow!("cannot draw {}: {error}", self.title))?;
        Ok(dressed(&text, self.title, &self.about))
    }

    fn paint(&self, text: &mut String) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&colour(GROUND))?;
        let height = i32::try_from(SIZE.1)?;
        root.draw(&Text::new(self.title, (24, 22), letters(20, INK, true, HPos::Left)))?;
        root.draw(&Text::new(self.about.clone(), (24, 50), letters(14, FAINT, false, HPos::Left)))?;
        root.draw(&Text::new(self.note.clone(), (24, height - 24), letters(13, FAINT, false, HPos::Left)))?;

        let field = root.margin(MARGIN.0, MARGIN.2, MARGIN.3, MARGIN.1);
        let (x, y) = (self.range(|point| point.0, 1.0), self.range(|point| point.1, 1.25));
        let chart = ChartBuilder::on(&field).build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
        let at = |point: (f64, f64)| chart.backend_coord(&point);
        let (left, right) = (at((x.0, y.0)).0, at((x.1, y.0)).0);
        let (bottom, top) = (at((x.0, y.0)).1, at((x.0, y.1)).1);

        for value in rounds(y) {
            let (_, height) = at((x.0, value));
            root.draw(&PathElement::new(vec![(left, height), (right, height)], stroke(GRID, 1)))?;
            root.draw(&Text::new((self.y)(value), (left - 8, height), letters(13, FAINT, false, HPos::Right)))?;
        }
        let mut free = i32::MIN;
        for value in self.places() {
            let (across, _) = at((value, y.0));
            root.draw(&PathElement::new(vec![(across, top), (across, bottom)], stroke(GRID, 1)))?;
            if across >= free {
                root.draw(&Text::new((self.x)(value), (across, bottom + 16), letters(13, FAINT, false, HPos::Center)))?;
                free = across + 52;
            }
        }
        root.draw(&PathElement::new(vec![(left, bottom), (right, bottom)], stroke(AXIS, 1)))?;
        root.draw(&Text::new(self.across, (right + 28, bottom + 16), letters(13, FAINT, true, HPos::Left)))?;

        // Ours last, over the others.
        let mut lines: Vec<&Line> = self.lines.iter().filter(|line| !line.points.is_empty()).collect();
        lines.sort_by_key(|line| line.ours);
        let paths: Vec<Vec<(i32, i32)>> =
            lines.iter().map(|line| line.points.iter().map(|point| at(*point)).collect()).collect();
        for (line, path) in lines.iter().zip(&paths) {
            let paint = line.kind.paint(line.ours);
            root.draw(&PathElement::new(path.clone(), stroke(paint, if line.ours { 4 } else { 2 })))?;
            for (position, point) in path.iter().enumerate() {
                if line.left_out && position == path.len() - 1 {
                    let (x, y) = *point;
                    for cross in [[(x - 5, y - 5), (x + 5, y + 5)], [(x - 5, y + 5), (x + 5, y - 5)]] {
                        root.draw(&PathElement::new(cross.to_vec(), stroke(paint, 2)))?;
                    }
                } else {
                    root.draw(&Circle::new(*point, if line.ours { 4 } else { 3 }, colour(paint).filled()))?;
                }
            }
        }
        let ends: Vec<(i32, i32)> = paths.iter().map(|path| path[path.len() - 1]).collect();
        // A line that reaches the right edge has its name in the margin; one that ends before, at its end.
        let outside: Vec<usize> = (0..lines.len()).filter(|&i| ends[i].0 >= right - 4).collect();
        let wanted: Vec<f64> = outside.iter().map(|&i| f64::from(ends[i].1)).collect();
        let limits = (f64::from(top), f64::from(bottom));
        for (&i, height) in outside.iter().zip(spread(&wanted, limits)) {
            let (line, height) = (lines[i], pixel(height));
            let paint = line.kind.paint(line.ours);
            let leader = vec![(ends[i].0 + 6, ends[i].1), (right + 18, height), (right + 24, height)];
            root.draw(&PathElement::new(leader, stroke(AXIS, 1)))?;
            let name = letters(14, paint, line.ours, HPos::Left);
            root.draw(&Text::new(line.name.clone(), (right + 28, height), name))?;
        }
        let mut taken: Vec<Place> = Vec::new();
        for i in (0..lines.len()).filter(|i| !outside.contains(i)) {
            let paint = lines[i].kind.paint(lines[i].ours);
            let place = Place::free(ends[i], &lines[i].name, &paths, &taken);
            let name = letters(14, paint, lines[i].ours, HPos::Left);
            root.draw(&Text::new(lines[i].name.clone(), (place.left, place.middle), name))?;
            taken.push(place);
        }
        root.present()?;
        drop(chart);
        drop(field);
        drop(root);
        Ok(())
    }

    /// Where the points are in one direction, with some air above and below.
    fn range(&self, part: fn(&(f64, f64)) -> f64, air: f64) -> (f64, f64) {
        let values = self.lines.iter().flat_map(|line| line.points.iter().map(part));
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(a, b), value| (a.min(value), b.max(value)));
        if most <= 0.0 { (1.0, 10.0) } else { (least / air, (most * air).max(least * 1.01)) }
    }

    /// Where there are points.
    fn places(&self) -> Vec<f64> {
        let mut places: Vec<f64> = self.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }
}

/// Where the name of a line stands that ends within the field.
#[derive(Debug, Clone, Copy)]
struct Place {
    left: i32,
    middle: i32,
    width: i32,
}

impl Place {
    /// The place beside a line's end that the fewest lines run through.
    fn free(end: (i32, i32), name: &str, paths: &[Vec<(i32, i32)>], taken: &[Self]) -> Self {
        // About what a letter takes.
        let width = i32::try_from(name.chars().count()).unwrap_or(0) * 15 / 2;
        let sides =
            [(12, 0), (12, -16), (12, 16), (-width - 10, -16), (-width - 10, 16), (-width / 2, -22), (-width / 2, 22)];
        let places = sides.map(|(x, y)| Self { left: end.0 + x, middle: end.1 + y, width });
        let crowd = |place: &Self| {
            let lines = paths.iter().filter(|path| place.is_crossed(path)).count();
            lines + 10 * taken.iter().filter(|other| place.meets(other)).count()
        };
        places.into_iter().min_by_key(crowd).unwrap_or(places[0])
    }

    fn holds(&self, (x, y): (i32, i32)) -> bool {
        (self.left - 3..=self.left + self.width + 3).contains(&x) && (self.middle - 10..=self.middle + 10).contains(&y)
    }

    /// Whether a line runs through it, seen in steps smaller than a letter.
    fn is_crossed(&self, path: &[(i32, i32)]) -> bool {
        path.windows(2).any(|pair| {
            let [from, to] = [pair[0], pair[1]];
            (0..=32)
                .any(|step| self.holds((from.0 + (to.0 - from.0) * step / 32, from.1 + (to.1 - from.1) * step / 32)))
        })
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && (self.middle - other.middle).abs() < 18
    }
}

/// Round values within a range: powers of ten, and where these are few, 2 and 5 times them.
fn rounds((least, most): (f64, f64)) -> Vec<f64> {
    let steps = |factors: &[f64]| -> Vec<f64> {
        let all = (-3..15).flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        all.filter(|value| (least..=most).contains(value)).collect()
    };
    let tens = steps(&[1.0]);
    if tens.len() < 4 { steps(&[1.0, 2.0, 5.0]) } else { tens }
}

/// Moves heights apart until none is nearer than `SPACING` to the next; their order stays.
fn spread(wanted: &[f64], limits: (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Groups that touch: the sum of what their members want, each less its place in the group, and how many they are.
    let mut groups: Vec<(f64, u32)> = Vec::new();
    let height = |group: &(f64, u32)| {
        let room = SPACING * f64::from(group.1 - 1);
        (group.0 / f64::from(group.1)).clamp(limits.0, (limits.1 - room).max(limits.0))
    };
    for &i in &order {
        groups.push((wanted[i], 1));
        while let [.., before, last] = groups.as_slice() {
            if height(before) + SPACING * f64::from(before.1) <= height(last) {
                break;
            }
            let joined = (before.0 + last.0 - SPACING * f64::from(before.1 * last.1), before.1 + last.1);
            groups.truncate(groups.len() - 2);
            groups.push(joined);
        }
    }
    let heights = groups.iter().flat_map(|group| (0..group.1).map(|i| height(group) + SPACING * f64::from(i)));
    let mut placed = vec![0.0; wanted.len()];
    for (&i, height) in order.iter().zip(heights) {
        placed[i] = height;
    }
    placed
}

#[expect(clippy::cast_possible_truncation, reason = "a height within the picture")]
fn pixel(height: f64) -> i32 {
    height.round() as i32
}

fn colour(paint: Paint) -> RGBColor {
    let [_, red, green, blue] = paint.0.to_be_bytes();
    RGBColor(red, green, blue)
}

fn stroke(paint: Paint, width: u32) -> ShapeStyle {
    colour(paint).stroke_width(width)
}

fn letters(size: i32, paint: Paint, bold: bool, anchor: HPos) -> TextStyle<'static> {
    let weight = if bold { FontStyle::Bold } else { FontStyle::Normal };
    let mut letters = TextStyle::from((FontFamily::SansSerif, size, weight)).pos(Pos::new(anchor, VPos::Center));
    letters.color = colour(paint).to_backend_color();
    letters
}

/// The picture with a title for who cannot see it, a rim of ground around letters, and its colours for a dark page.
fn dressed(text: &str, title: &str, about: &str) -> String {
    let mut css = String::from(
        "text { font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; paint-order: stroke; stroke: #FFFFFF; \
         stroke-width: 4px; stroke-linejoin: round }\n@media (prefers-color-scheme: dark) {\n",
    );
    let paints = KINDS.iter().flat_map(|kind| [kind.paint(true), kind.paint(false)]);
    let mut seen = Vec::new();
    for Paint(light, dark) in [GROUND, INK, FAINT, GRID, AXIS].into_iter().chain(paints) {
        if !seen.contains(&light) {
            seen.push(light);
            for attribute in ["fill", "stroke"] {
                let _ = writeln!(css, "[{attribute}=\"#{light:06X}\"] {{ {attribute}: #{dark:06X} }}");
            }
        }
    }
    let _ = writeln!(css, "text {{ stroke: #{:06X} }}\n}}", GROUND.1);
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let head = format!(
        " role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n<style>\n{css}</style>",
        escape(title),
        escape(about)
    );
    text.replacen('>', &head, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>) -> Plot {
        let line = Line { name: "hrw & co".to_owned(), kind: Kind::Rendezvous, ours: false, points, left_out: true };
        Plot {
            title: "Lookup",
            about: "time over nodes".to_owned(),
            lines: vec![line],
            across: "nodes",
            x: |value| format!("{value}"),
            y: |value| format!("{value} ns"),
            note: String::new(),
        }
    }

    #[test]
    fn a_plot_has_its_lines_names_and_both_colours() {
        let text = plot(vec![(3.0, 10.0), (10.0, 200.0)]).draw().unwrap();
        for part in
            ["<title>Lookup</title>", "hrw &amp; co", "100 ns", "prefers-color-scheme: dark", "#3A7FD0", "#4B8FDE"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn a_plot_without_points_is_drawn_too() {
        assert!(plot(Vec::new()).draw().unwrap().contains("<title>"));
        assert!(plot(vec![(3.0, 1.0)]).draw().is_ok());
    }

    #[test]
    fn few_decades_are_divided() {
        assert_eq!(rounds((5.0, 250.0)), [5.0, 10.0, 20.0, 50.0, 100.0, 200.0]);
        assert_eq!(rounds((5.0, 20_000.0)), [10.0, 100.0, 1_000.0, 10_000.0]);
    }

    #[test]
    fn a_name_within_the_field_stands_where_no_line_runs() {
        let end = (400, 300);
        // One line leads to the end from the left, another goes on from it to the right.
        let paths = [vec![(100, 300), end], vec![end, (700, 300)]];
        let place = Place::free(end, "a name", &paths, &[]);
        assert!(paths.iter().all(|path| !place.is_crossed(path)), "{place:?}");
        let second = Place::free(end, "a name", &paths, &[place]);
        assert!(!second.meets(&place), "{second:?}");
    }

    #[test]
    fn names_do_not_overlap_and_keep_their_order() {
        let placed = spread(&[100.0, 101.0, 300.0, 99.0, 596.0], (90.0, 600.0));
        let mut sorted = placed.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= SPACING - 1e-9), "{placed:?}");
        assert!(placed[3] < placed[0] && placed[0] < placed[1] && placed[1] < placed[2]);
        assert!((placed[2] - 300.0).abs() < 1e-9 && placed.iter().all(|height| (90.0..=600.0).contains(height)));
    }
}
