//! The command line as a whole: the verbs and what several of them take.

use crate::{
    balance, change, check, completions, diff, explain,
    failure::{Failure, Outcome},
    keys::KeyArgs,
    man, owner, plan, show,
};
use clap::{Args, Parser, Subcommand};
use std::{ffi::OsStr, ffi::OsString};

const EXAMPLES: &str = "\
Examples:
  keystead owner live.json user:42                       the node that owns the key
  keystead owner live.json user:42 -r 3 --spread zone    three copies in three zones
  keystead owner live.json --keys keys.txt               an answer a line
  keystead explain live.json user:42 -r 3                why
  keystead show live.json                                nodes, weights, exact shares
  keystead check live.json -r 3 --spread zone            anything to worry about?
  keystead change live.json --drain cache-c -o next.json the next file, and what it moves
  keystead diff live.json next.json --keys keys.txt      what moves, from where to where, and why
  keystead plan live.json next.json --limit 3% -o plan   the same in steps, a file for each
  keystead balance live.json --keys keys.txt             uneven by luck, by the keys, or by fault?

Exit status: 0 success, also when the reader of a pipe has read enough; 1 a failed check, or `check` of an invalid file; 2 wrong \
use, unreadable or invalid input, any other error. An error is one line on standard error: `keystead: CODE: message`.";

/// Which node owns this key, why, what a cluster looks like, and what a change moves
///
/// A cluster is described by one JSON file that services in Rust, Python and Node read as well; all of them give the answers that
/// this command gives. Without a file, --nodes names the nodes.
#[derive(Parser)]
#[command(name = "keystead", version, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    Owner(owner::OwnerArgs),
    Explain(explain::ExplainArgs),
    Show(show::ShowArgs),
    Check(check::CheckArgs),
    Change(change::ChangeArgs),
    Diff(diff::DiffArgs),
    Plan(plan::PlanArgs),
    Balance(balance::BalanceArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// The keys that a verb is asked about, after the cluster.
#[derive(Args)]
pub(crate) struct Asked {
    /// Cluster or transition file, `-` for standard input; left out with --nodes
    #[arg(value_name = "CLUSTER")]
    first: Option<OsString>,

    /// Keys, after `--` where one begins with a dash
    #[arg(value_name = "KEY")]
    rest: Vec<OsString>,

    #[command(flatten)]
    pub(crate) keys: KeyArgs,
}

impl Asked {
    /// The cluster file, where one is expected, and the keys.
    pub(crate) fn split(&self, with_file: bool) -> Outcome<(Option<&OsStr>, Vec<&OsStr>)> {
        let mut given = self.first.iter().chain(&self.rest).map(OsString::as_os_str);
        let file = if with_file { given.next() } else { None };
        if self.keys.are_standard_input() && file == Some(OsStr::new("-")) {
            return Err(Failure::wrong_use("standard input cannot be the cluster file and the keys as well"));
        }
        Ok((file, given.collect()))
    }
}

/// How answers are written.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write JSON, one object a line where there are many; 64-bit values are text
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Write CSV with a header line
    #[arg(long)]
    csv: bool,
}

/// How answers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    Csv,
}

impl OutputArgs {
    pub(crate) fn format(&self) -> Format {
        match (self.json, self.csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => Format::Text,
        }
    }
}
