//! `--html FILE`: an answer as one page that needs nothing else, to read, to print and to paste into a ticket.
//!
//! Every number is a `data` element with all its digits, and with the place where `--json` has it: what people read and what programs
//! read can be compared, and `tests/browser` does.

mod chart;
mod figure;
mod heat;
mod map;
mod moves;
mod nodes;
mod page;

pub(crate) use chart::{Bars, bars};
pub(crate) use figure::{card, figure, number};
pub(crate) use map::{ring_of, slots_of};
pub(crate) use moves::{cards, heading, moves};
pub(crate) use nodes::{Column, Entry, NodeRow, NodeTable};
pub(crate) use page::{Fingerprint, Page};

use crate::{
    failure::{Failure, Outcome},
    write,
};
use clap::Args;
use maud::{Markup, html};
use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

/// The page besides the answer.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct HtmlArgs {
    /// Also write the figures as a page with pictures: one file that needs no network, for a browser, paper, or a change ticket
    #[arg(id = "html", long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl HtmlArgs {
    /// Where to write the page, if one is wanted. Refuses what can be refused before the first key is read.
    pub(crate) fn file(&self) -> Outcome<Option<&Path>> {
        let Some(file) = self.file.as_deref() else { return Ok(None) };
        let shown = file.display();
        if file == Path::new("-") {
            return Err(Failure::wrong_use("--html needs the name of a file: standard output has the answer"));
        }
        if file.is_dir() {
            return Err(Failure::unwritable(shown, &std::io::ErrorKind::IsADirectory.into()));
        }
        // Behind the verb its own name is one of the arguments. A second that leads to the same file is read or written.
        let named = env::args_os().skip(2).filter(|argument| leads_to(argument, file)).count();
        let by_variable = env::var_os("KEYSTEAD_SECRET_FILE").is_some_and(|value| leads_to(&value, file));
        if named > 1 || by_variable {
            return Err(Failure::wrong_use(format!(
                "--html {shown} would replace a file that is named for something else as well"
            )));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder
            && let Err(error) = folder.metadata()
            && !env::args_os().any(|argument| leads_to(&argument, folder))
        {
            // A folder that this run makes, as `plan -o` does, is not there yet.
            return Err(Failure::unwritable(shown, &error));
        }
        Ok(Some(file))
    }
}

/// Whether an argument, or the value behind its `=`, is the name of this file.
fn leads_to(argument: &OsStr, file: &Path) -> bool {
    let bytes = argument.as_encoded_bytes();
    let value = bytes.iter().position(|byte| *byte == b'=').and_then(|at| argument.to_str()?.get(at + 1..));
    [Some(argument), value.map(OsStr::new)].into_iter().flatten().map(Path::new).any(|path| {
        path == file || matches!((fs::canonicalize(path), fs::canonicalize(file)), (Ok(one), Ok(other)) if one == other)
    })
}

/// Writes a page, whole or not at all.
pub(crate) fn publish(file: &Path, page: &Page) -> Outcome {
    write::whole(file, page.render().as_bytes())
}

/// A name that may hold anything: kept apart from the direction of writing around it.
pub(crate) fn name(id: &str) -> Markup {
    html! { bdi { (crate::shown::on_one_line(id)) } }
}

/// A part of a page with a heading.
pub(crate) fn section(title: &str, about: &str, content: &Markup) -> Markup {
    html! {
        section {
            h2 { (title) }
            @if !about.is_empty() { p.about { (about) } }
            (content)
        }
    }
}
