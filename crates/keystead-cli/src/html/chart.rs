//! Charts with axes, drawn by plotters. Its colours are names here: the page's style gives each its light and its dark one.

use maud::{Markup, PreEscaped, html};
use plotters::{
    coord::Shift,
    prelude::*,
    series::DashedLineSeries,
    style::{
        RGBColor, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

const INK: RGBColor = RGBColor(1, 1, 1);
const GRID: RGBColor = RGBColor(2, 2, 2);
const BAR: RGBColor = RGBColor(3, 3, 3);
const LIMIT: RGBColor = RGBColor(4, 4, 4);

/// For a laptop and paper, and for a phone, where the same picture would have letters too small to read.
const SIZES: [(&str, (u32, u32)); 2] = [("chart wide", (860, 280)), ("chart narrow", (350, 240))];

/// In plotters' measure, of which a letter has four fifths.
const LETTERS: u32 = 15;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// A bar for each of what is counted from 1, and a limit.
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    /// The same in words, for who cannot see it.
    pub(crate) about: String,
    pub(crate) counted: &'a str,
    pub(crate) values: &'a [f64],
    pub(crate) limit: Option<f64>,
    /// What stands at the limit's line.
    pub(crate) limit_name: &'a str,
    /// A value of the axis in words.
    pub(crate) unit: &'a dyn Fn(f64) -> String,
}

/// Draws them in both sizes.
pub(crate) fn bars(chart: &Bars<'_>) -> Markup {
    drawn(chart.title, &chart.about, |area| draw_bars(chart, area))
}

fn draw_bars(chart: &Bars<'_>, area: &Area<'_>) -> Drawn {
    let most = chart.values.iter().copied().chain(chart.limit).fold(0.0, f64::max);
    let count = f64::from(u32::try_from(chart.values.len()).unwrap_or(u32::MAX));
    let labels = chart.values.len().min(if area.dim_in_pixel().0 < 500 { 8 } else { 20 });
    let mut plot = ChartBuilder::on(area)
        .margin(6)
        .margin_right(14)
        .x_label_area_size(46)
        .y_label_area_size(84)
        .build_cartesian_2d(0.5..count + 0.5, 0.0..(most * 1.12).max(f64::MIN_POSITIVE))?;
    plot.configure_mesh()
        .disable_x_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(letters(LETTERS))
        .x_desc(chart.counted)
        .axis_desc_style(letters(LETTERS))
        .x_labels(labels)
        .y_labels(5)
        .x_label_formatter(&|x| if x.fract().abs() < 0.01 { format!("{x:.0}") } else { String::new() })
        .y_label_formatter(&|y| (chart.unit)(*y))
        .draw()?;
    let half = if count > 200.0 { 0.5 } else { 0.38 };
    plot.draw_series(chart.values.iter().zip(1_u32..).map(|(value, number)| {
        let middle = f64::from(number);
        Rectangle::new([(middle - half, 0.0), (middle + half, *value)], BAR.filled())
    }))?;
    if let Some(limit) = chart.limit {
        plot.draw_series(DashedLineSeries::new([(0.5, limit), (count + 0.5, limit)], 7, 4, LIMIT.stroke_width(2)))?;
        let (x, y) = plot.backend_coord(&(count + 0.5, limit));
        let style = letters_of(LETTERS, LIMIT).pos(Pos::new(HPos::Right, VPos::Bottom));
        area.draw(&Text::new(chart.limit_name.to_owned(), (x, y - 3), style))?;
    }
    Ok(())
}

fn letters(size: u32) -> TextStyle<'static> {
    letters_of(size, INK)
}

fn letters_of(size: u32, color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&color)
}

/// Both sizes with a title; nothing where plotters cannot draw it, since every number stands in a table too.
fn drawn(title: &str, about: &str, draw: impl Fn(&Area<'_>) -> Drawn) -> Markup {
    html! {
        figure {
            figcaption { (title) }
            @for (class, size) in SIZES {
                @if let Some(picture) = picture(size, &draw) {
                    svg class=(class) viewBox=(format!("0 0 {} {}", size.0, size.1)) role="img" {
                        title { (title) }
                        desc { (about) }
                        (PreEscaped(picture))
                    }
                }
            }
        }
    }
}

/// What is inside plotters' own `svg` element.
fn picture(size: (u32, u32), draw: impl Fn(&Area<'_>) -> Drawn) -> Option<String> {
    let mut written = String::new();
    let area = SVGBackend::with_string(&mut written, size).into_drawing_area();
    draw(&area).and_then(|()| area.present()).ok()?;
    drop(area);
    let start = written.find('>')? + 1;
    let end = written.rfind("</svg>")?;
    written.get(start..end).map(str::to_owned)
}
