//! A sign of life for whoever waits: on standard error, only on a terminal, only after a second.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

/// How many keys go by between two looks at the clock.
const KEYS_PER_LOOK: u64 = 4096;

/// Who waits no longer than this needs no sign.
const BEFORE_IT_SHOWS: Duration = Duration::from_secs(1);

/// Counts keys and bytes.
pub(crate) struct Progress {
    keys: u64,
    bytes: u64,
    length: Option<u64>,
    bar: Bar,
}

enum Bar {
    /// Nobody would see it, or it would run through the answers.
    Never,
    /// Not before a second has passed.
    From(Instant),
    Shown(ProgressBar),
}

impl Progress {
    /// Of a stream of `length` bytes, where that is known; `among_answers` where these are written meanwhile.
    pub(crate) fn new(length: Option<u64>, among_answers: bool) -> Progress {
        let is_in_the_way = among_answers && io::stdout().is_terminal();
        let wanted = io::stderr().is_terminal() && !is_in_the_way;
        let bar = if wanted { Bar::From(Instant::now() + BEFORE_IT_SHOWS) } else { Bar::Never };
        Progress { keys: 0, bytes: 0, length, bar }
    }

    /// One more key, read from so many bytes.
    pub(crate) fn add(&mut self, bytes: usize) {
        self.keys += 1;
        self.bytes += bytes as u64;
        if self.keys.is_multiple_of(KEYS_PER_LOOK) {
            self.look();
        }
    }

    fn look(&mut self) {
        if let Bar::From(start) = self.bar
            && Instant::now() >= start
        {
            self.bar = Bar::Shown(new_bar(self.length));
        }
        if let Bar::Shown(bar) = &self.bar {
            bar.set_position(self.bytes);
            bar.set_message(HumanCount(self.keys).to_string());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Bar::Shown(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(length: Option<u64>) -> ProgressBar {
    let target = ProgressDrawTarget::stderr_with_hz(5);
    let (bar, template) = match length {
        Some(length) => {
            (ProgressBar::with_draw_target(Some(length), target), "{msg} keys  {wide_bar}  {percent} %, {eta} left")
        }
        None => (ProgressBar::with_draw_target(None, target), "{msg} keys  {elapsed}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style).with_elapsed(BEFORE_IT_SHOWS),
        Err(_) => bar,
    }
}
