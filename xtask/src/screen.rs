//! What a person sees while programs run: a moving line on a terminal, plain lines elsewhere.

use std::fs::{File, create_dir_all};
use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use comfy_table::{CellAlignment, LineStyle, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{closing, process};

/// Shows one activity at a time, and keeps a log of it.
#[derive(Debug)]
pub(crate) struct Screen {
    /// On a terminal, and not when every line is shown anyway.
    moves: bool,
    /// The moving line of the activity that goes on.
    bar: Option<ProgressBar>,
    /// Every line of every program, not only the closing ones.
    verbose: bool,
    log: Option<File>,
}

impl Screen {
    pub(crate) fn new(verbose: bool) -> Self {
        Self { moves: std::io::stderr().is_terminal() && !verbose, bar: None, verbose, log: None }
    }

    /// A line that stays.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| println!("{line}")),
            None => println!("{line}"),
        }
    }

    /// Begins an activity; what its programs print goes into `log`.
    pub(crate) fn begin(&mut self, name: &str, log: &Path) -> Result<()> {
        if let Some(folder) = log.parent() {
            create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        self.log = Some(File::create(log).with_context(|| format!("cannot write {}", log.display()))?);
        if self.moves {
            let style = ProgressStyle::with_template("{spinner} {prefix} {elapsed}  {wide_msg}");
            let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_prefix(name.to_owned());
            bar.enable_steady_tick(Duration::from_millis(120));
            self.bar = Some(bar);
        }
        Ok(())
    }

    /// Ends what `begin` began.
    pub(crate) fn end(&mut self) {
        self.log = None;
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// A word on what goes on, which does not stay.
    pub(crate) fn tell(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            // Whoever cannot write a log sees so at the next program.
            let _ = writeln!(log, "{line}");
        }
        if let Some(bar) = &self.bar {
            bar.set_message(line.to_owned());
        } else if self.verbose {
            println!("{line}");
        }
    }

    /// Runs a program; gives back its lines. The closing lines of test runners stay on the screen.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<Vec<String>> {
        let Self { bar, verbose, log, .. } = self;
        if *verbose {
            println!("$ {}", process::shown(command));
        }
        process::run(command, log.as_mut(), &mut |line| {
            if *verbose || closing::is_closing_line(line) {
                match bar {
                    Some(bar) => bar.suspend(|| println!("{line}")),
                    None => println!("{line}"),
                }
            } else if let Some(bar) = bar {
                bar.set_message(line.trim().to_owned());
            }
        })
    }
}

/// A table with a header and a line under it.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(presets::NOTHING.header_separator(line)).set_header(header.to_vec());
    table
}

/// Columns of figures, which stand under each other.
pub(crate) fn right(table: &mut Table, columns: &[usize]) {
    for column in columns {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// A duration as a person says it: `0.4 s`, `12 s`, `3 min 05 s`.
pub(crate) fn spoken(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", duration.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        _ => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// Tells how long something took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let answer = work();
    (answer, start.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_spoken() {
        assert_eq!(spoken(Duration::from_millis(440)), "0.4 s");
        assert_eq!(spoken(Duration::from_millis(12_900)), "12 s");
        assert_eq!(spoken(Duration::from_secs(185)), "3 min 05 s");
    }
}
