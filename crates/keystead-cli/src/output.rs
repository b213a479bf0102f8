//! Standard output: buffered, coloured where a person reads it.

use crate::closed;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::{
    fmt::Display,
    io::{self, BufWriter, IsTerminal as _, StdoutLock, Write},
};

/// Buffered standard output.
pub(crate) type Out = BufWriter<Stdout>;

/// Standard output for many small writes.
pub(crate) fn buffered() -> Out {
    BufWriter::with_capacity(1 << 16, Stdout(io::stdout().lock()))
}

/// Standard output, which fails where it was closed from the beginning.
pub(crate) struct Stdout(StdoutLock<'static>);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if closed::stdout() {
            return Err(io::Error::other("it is closed"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Colours, or none: with `NO_COLOR`, and where the output is no terminal.
#[derive(Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

pub(crate) const HEADER: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

impl Paint {
    /// For standard output as it is.
    pub(crate) fn for_stdout() -> Paint {
        Paint { on: AutoStream::choice(&io::stdout()) != ColorChoice::Never }
    }

    /// The text in a style.
    pub(crate) fn paint(self, style: Style, text: impl Display) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}

/// How many columns there are to fill.
pub(crate) fn width() -> usize {
    const WITHOUT_TERMINAL: usize = 100;
    if !io::stdout().is_terminal() {
        return WITHOUT_TERMINAL;
    }
    terminal_size::terminal_size().map_or(WITHOUT_TERMINAL, |(terminal_size::Width(columns), _)| columns.into())
}
