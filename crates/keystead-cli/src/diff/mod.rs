//! `diff`: what moves between two descriptions, from where to where, and why.

mod list;
mod matrix;
mod page;
mod parts;
mod report;

use crate::{
    cli::{Format, OutputArgs},
    copies::ChoiceArgs,
    failure::{Failure, Outcome},
    html::{self, HtmlArgs},
    keys::{Answer, BytesArgs, Given, KeyArgs, formats},
    output::buffered,
    pair::{Pair, PairArgs},
    secret::SecretArgs,
};
use clap::{Args, ValueEnum};
use keystead::{Diff, DiffSummary};
use list::List;
use std::{
    ffi::{OsStr, OsString},
    io::Write as _,
};

const EXAMPLES: &str = concat!(
    "\
Examples:
  keystead diff live.json next.json                        what is expected of all keys
  keystead diff live.json next.json --keys keys.txt        what becomes of these
  keystead diff live.json next.json --keys keys.csv --keys-format csv --bytes-column size --matrix
  keystead diff live.json next.json user:42 user:43        from where to where, and why
  keystead diff live.json next.json --keys keys.txt --list > moves.tsv     what a store has to copy
  keystead diff ring.json next-ring.json --arcs            the same for all keys of a ring
  keystead diff live.json next.json -r 3 --spread zone     lists of copies
  keystead diff live.json next.json --html change.html     the same as a page with pictures
  keystead diff live.json next.json --exit-code            1 if anything moves

",
    formats!(),
    "

The reason is `gained` where the new owner was added or made heavier, `lost` where the old one was removed, drained or made lighter, \
`both`, `reshuffled` where neither (some algorithms allow it), `candidates` where the owner stays and the list of copies changes, else \
`unchanged`. Least possible is the sum of what nodes gain in share: no placement with these shares moves less. The mapping is not the \
data: a new owner starts empty, so every list names source and target. Keys stream in constant memory. The JSON is described by \
docs/json/diff.schema.json, and for lists by diff-key, moved-arc and moved-slot.schema.json, a line each."
);

/// What moves between two clusters or transitions, from where to where, and why
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = "keystead diff [OPTIONS] BEFORE AFTER [KEY]...")]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pair: PairArgs,

    /// Keys to tell the fate of, a line each: key TAB from TAB to TAB reason
    #[arg(value_name = "KEY")]
    rest: Vec<OsString>,

    #[command(flatten)]
    keys: KeyArgs,

    #[command(flatten)]
    bytes: BytesArgs,

    #[command(flatten)]
    choice: ChoiceArgs,

    #[command(flatten)]
    part: PartArgs,

    /// Exit with 1 if a key moves or may move, or a list of copies changes
    #[arg(long, help_heading = "Output")]
    exit_code: bool,

    #[command(flatten)]
    secret: SecretArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    page: HtmlArgs,
}

/// What is written besides the summary, or instead of it.
#[derive(Args)]
#[group(multiple = false)]
#[command(next_help_heading = "One part of it")]
struct PartArgs {
    /// The summary with its from → to matrix
    #[arg(long)]
    matrix: bool,

    /// Only a line for each key whose answer changes, or for `all`: key TAB from TAB to TAB reason, with -r also what lists lose and gain
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "changed")]
    list: Option<Which>,

    /// Only the moved arcs of a ring, a line each: start TAB end TAB length TAB from TAB to
    #[arg(long)]
    arcs: bool,

    /// Only the moved slots of a table, a line each: slot TAB from TAB to
    #[arg(long)]
    slots: bool,
}

/// Which keys a list has.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Changed,
    All,
}

/// Runs the verb.
pub(crate) fn run(args: &DiffArgs) -> Outcome {
    let page = args.page.file()?;
    let Pair { before, after, .. } = args.pair.open(&args.secret, args.keys.are_standard_input())?;
    let keys: Vec<&OsStr> = args.rest.iter().map(OsString::as_os_str).collect();
    let count = args.choice.copies.count()?.unwrap_or(1);
    let diff = Diff::new(&before.description, &after.description, count, &args.choice.constraints()?)?;
    let format = args.output.format();
    // Keys that were named one by one are asked about one by one.
    let which = args.part.list.or((!keys.is_empty()).then_some(Which::All));
    if which.is_some() && !args.keys.has_file() && keys.is_empty() {
        return Err(Failure::wrong_use("--list is of keys: name them as arguments, or a file with --keys"));
    }
    if !keys.is_empty() && (args.part.arcs || args.part.slots || args.part.matrix) {
        return Err(Failure::wrong_use("KEY arguments are told one by one: give a file with --keys for figures"));
    }
    if page.is_some() && (which.is_some() || args.part.arcs || args.part.slots) {
        return Err(Failure::wrong_use(
            "--html is a page of all figures: leave out KEY arguments, --list, --arcs and --slots",
        ));
    }
    if let Some(which) = which {
        let mut list = List::new(diff, which, count, format)?;
        args.keys.each_with(&keys, args.bytes.columns(), &mut list)?;
        list.flush()?;
        return exit(args.exit_code && list.any_changed);
    }
    let mut adding = Adding { diff };
    if args.keys.has_file() {
        args.keys.each_of_file(args.bytes.columns(), &mut adding)?;
    } else {
        args.keys.reject_without_file(args.bytes.columns())?;
    }
    let summary = adding.diff.summary()?;
    let differs = differs(&summary);
    if let Some(file) = page {
        html::publish(file, &page::page(&[&before, &after], &summary))?;
    }
    if args.part.arcs {
        parts::arcs(&summary, format)?;
    } else if args.part.slots {
        parts::slots(&summary, format)?;
    } else {
        match format {
            Format::Text => report::text(&[&before, &after], &summary, args.part.matrix)?,
            Format::Json => {
                let mut out = buffered();
                writeln!(out, "{}", summary.to_json())?;
                out.flush()?;
            }
            Format::Csv if args.part.matrix => matrix::csv(&summary)?,
            Format::Csv => report::csv(&summary)?,
        }
    }
    exit(args.exit_code && differs)
}

fn exit(failed: bool) -> Outcome {
    if failed { Err(Failure::Check) } else { Ok(()) }
}

/// Whether a key moves: of those that were given, or else of all that there may be.
fn differs(summary: &DiffSummary) -> bool {
    match &summary.counted {
        Some(counted) => counted.reasons.unchanged.keys < counted.total.keys,
        None => {
            !summary.identical && (summary.r > 1 || summary.expected.method != "exact" || summary.expected.moved > 0.0)
        }
    }
}

/// Counts keys.
struct Adding {
    diff: Diff,
}

impl Answer for Adding {
    fn answer(&mut self, given: &Given<'_>) -> Outcome {
        self.diff.add(given.key, given.bytes)?;
        Ok(())
    }

    fn flush(&mut self) -> Outcome {
        Ok(())
    }
}
