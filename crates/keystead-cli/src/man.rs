//! `man`: manual pages.

use crate::{
    cli::Cli,
    failure::{Failure, Outcome},
    output::buffered,
    write,
};
use clap::{Args, Command, CommandFactory as _};
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};
use std::{
    io::{self, Write as _},
    path::PathBuf,
};

const EXAMPLES: &str = "\
Examples:
  keystead man | man -l -                                 the overview
  keystead man change | man -l -                          the page of a verb
  keystead man --dir ~/.local/share/man/man1              all pages, for `man keystead-change`";

/// Manual pages
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// The verb; none for the overview
    #[arg(value_name = "VERB", conflicts_with = "dir")]
    verb: Option<String>,

    /// Write all pages into this folder instead of one to standard output
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the verb.
pub(crate) fn run(args: &ManArgs) -> Outcome {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    if let Some(dir) = &args.dir {
        for command in [&command].into_iter().chain(command.get_subcommands()) {
            let name = command.get_display_name().unwrap_or_else(|| command.get_name());
            write::whole(&dir.join(format!("{name}.1")), &page(command)?)?;
        }
        return Ok(());
    }
    let command = match &args.verb {
        None => &command,
        Some(verb) => command
            .get_subcommands()
            .find(|command| command.get_name() == verb)
            .ok_or_else(|| Failure::wrong_use(format!("no verb is called `{verb}`; see --help")))?,
    };
    let mut out = buffered();
    out.write_all(&page(command)?)?;
    Ok(out.flush()?)
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let has_verbs = command.has_subcommands();
    let man = Man::new(command.clone().version(env!("CARGO_PKG_VERSION")))
        .source(format!("keystead {}", env!("CARGO_PKG_VERSION")))
        .manual("keystead");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_verbs {
        man.render_subcommands_section(&mut page)?;
    }
    more(command).to_writer(&mut page)?;
    Ok(page)
}

/// What follows the options in the help: lists under a title keep their lines, other paragraphs are filled.
fn more(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut in_notes = false;
    for part in text.split("\n\n").filter(|part| !part.is_empty()) {
        match part.split_once(":\n  ") {
            Some((title, list)) if !title.contains('\n') => {
                roff.control("SH", [title.to_uppercase().as_str()]);
                roff.control("nf", []);
                list.lines().for_each(|line| {
                    roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
                });
                roff.control("fi", []);
                in_notes = false;
            }
            _ => {
                if in_notes {
                    roff.control("PP", []);
                } else {
                    roff.control("SH", ["NOTES"]);
                }
                roff.text([roman(part)]);
                in_notes = true;
            }
        }
    }
    roff
}
