//! Tables of aligned columns, two spaces apart.

use crate::shown::on_one_line;
use comfy_table::{Cell, CellAlignment, ContentArrangement, presets};

/// On which side a column's texts begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A table with a header line.
pub(crate) struct Table {
    sides: Vec<Side>,
    inner: comfy_table::Table,
}

impl Table {
    /// A table of these columns.
    pub(crate) fn new<T: Into<String>>(columns: impl IntoIterator<Item = (T, Side)>) -> Table {
        let (names, sides): (Vec<String>, Vec<Side>) =
            columns.into_iter().map(|(name, side)| (name.into(), side)).unzip();
        let mut inner = comfy_table::Table::new();
        inner.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        let mut table = Table { sides, inner };
        table.row(names);
        for column in table.inner.column_iter_mut() {
            column.set_padding((0, 2));
        }
        table
    }

    /// One more row.
    pub(crate) fn row(&mut self, texts: impl IntoIterator<Item = String>) {
        let cells = texts.into_iter().zip(&self.sides).map(|(text, side)| {
            // Ids and locations may hold what a terminal obeys.
            Cell::new(on_one_line(&text)).set_alignment(match side {
                Side::Left => CellAlignment::Left,
                Side::Right => CellAlignment::Right,
            })
        });
        self.inner.add_row(cells);
    }

    /// The lines, the header first.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.inner.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}
