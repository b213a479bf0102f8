//! What moves from where to where.

use crate::{
    amount::Amount,
    draw,
    failure::Outcome,
    output::{HEADER, Out, Paint, buffered, width},
    shown::on_one_line,
    table::{Side, Table},
};
use keystead::DiffSummary;
use std::{collections::BTreeSet, io::Write as _};

struct Cell<'a> {
    from: &'a str,
    to: &'a str,
    amount: Amount,
}

/// The matrix as text, of keys, and of bytes where there are any; of expected shares where no keys were given.
pub(super) fn text(out: &mut Out, paint: Paint, summary: &DiffSummary) -> Outcome {
    // Whatever becomes of the other copies: only an owner's change has one source and one target.
    let of_owners = if summary.r > 1 { "owners, " } else { "" };
    let Some(counted) = &summary.counted else {
        let Some(moves) = &summary.expected.moves else {
            return Ok(writeln!(out, "\nthe matrix has too many pairs to be shown")?);
        };
        let cells = moves.iter().map(|cell| Cell { from: &cell.from, to: &cell.to, amount: Amount::Share(cell.share) });
        return write(out, paint, &format!("{of_owners}from ↓ to →"), &cells.collect::<Vec<_>>());
    };
    let cells = |amount: &dyn Fn(&keystead::Count) -> Amount| -> Vec<Cell<'_>> {
        let cell = |cell: &'_ keystead::CountedMove| amount(&cell.count);
        counted.moves.iter().map(|one| Cell { from: &one.from, to: &one.to, amount: cell(one) }).collect()
    };
    write(out, paint, &format!("{of_owners}keys: from ↓ to →"), &cells(&|count| Amount::Keys(count.keys)))?;
    if counted.total.bytes > 0 {
        write(out, paint, &format!("{of_owners}bytes: from ↓ to →"), &cells(&|count| Amount::Bytes(count.bytes)))?;
    }
    Ok(())
}

/// The matrix in shades, where somebody looks at a screen.
pub(super) fn small(out: &mut Out, paint: Paint, summary: &DiffSummary) -> Outcome {
    let moves: Vec<(&str, &str, Amount)> = match &summary.counted {
        Some(counted) => counted.moves.iter().map(|one| (&*one.from, &*one.to, Amount::Keys(one.count.keys))).collect(),
        None => summary
            .expected
            .moves
            .iter()
            .flatten()
            .map(|one| (&*one.from, &*one.to, Amount::Share(one.share)))
            .collect(),
    };
    draw::shades(out, paint, &moves)
}

/// A grid with sums; a line a pair where it would be too wide.
fn write(out: &mut Out, paint: Paint, title: &str, cells: &[Cell<'_>]) -> Outcome {
    if cells.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let (sources, targets): (BTreeSet<&str>, BTreeSet<&str>) = cells.iter().map(|cell| (cell.from, cell.to)).unzip();
    let lines = grid(title, cells, &sources, &targets).lines();
    let widest = lines.iter().map(|line| unicode_width::UnicodeWidthStr::width(line.as_str())).max().unwrap_or(0);
    let lines = if widest <= width() { lines } else { pairs(title, cells).lines() };
    for (number, line) in lines.into_iter().enumerate() {
        writeln!(out, "{}", if number == 0 { paint.paint(HEADER, line) } else { line })?;
    }
    Ok(())
}

fn sum<'a>(cells: impl Iterator<Item = &'a Cell<'a>>) -> String {
    cells.map(|cell| cell.amount).reduce(Amount::add).map(Amount::shown).unwrap_or_default()
}

fn grid(title: &str, cells: &[Cell<'_>], sources: &BTreeSet<&str>, targets: &BTreeSet<&str>) -> Table {
    let mut columns = vec![(title.to_owned(), Side::Left)];
    columns.extend(targets.iter().map(|id| (on_one_line(id).into_owned(), Side::Right)));
    columns.push(("all".to_owned(), Side::Right));
    let mut table = Table::new(columns);
    let row = |name: &str, cells: &[&Cell<'_>]| {
        let mut row = vec![name.to_owned()];
        row.extend(targets.iter().map(|id| sum(cells.iter().copied().filter(|cell| cell.to == *id))));
        row.push(sum(cells.iter().copied()));
        row
    };
    for source in sources {
        let of_source: Vec<&Cell<'_>> = cells.iter().filter(|cell| cell.from == *source).collect();
        table.row(row(&on_one_line(source), &of_source));
    }
    table.row(row("all", &cells.iter().collect::<Vec<_>>()));
    table
}

fn pairs(title: &str, cells: &[Cell<'_>]) -> Table {
    let what = title.split(':').next().filter(|what| !what.contains("from")).unwrap_or("share");
    let mut table = Table::new([("from", Side::Left), ("to", Side::Left), (what, Side::Right)]);
    for cell in cells {
        table.row([on_one_line(cell.from).into_owned(), on_one_line(cell.to).into_owned(), cell.amount.shown()]);
    }
    table.row(["all".to_owned(), String::new(), sum(cells.iter())]);
    table
}

/// The matrix as CSV, a row a pair.
pub(super) fn csv(summary: &DiffSummary) -> Outcome {
    let mut csv = csv::Writer::from_writer(buffered());
    if let Some(counted) = &summary.counted {
        csv.write_record(["from", "to", "keys", "bytes"])?;
        for cell in &counted.moves {
            csv.write_record([&cell.from, &cell.to, &cell.count.keys.to_string(), &cell.count.bytes.to_string()])?;
        }
    } else {
        csv.write_record(["from", "to", "share"])?;
        for cell in summary.expected.moves.iter().flatten() {
            csv.write_record([&cell.from, &cell.to, &cell.share.to_string()])?;
        }
    }
    Ok(csv.flush()?)
}
