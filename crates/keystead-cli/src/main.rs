//! The command `keystead`: which node owns this key, and why.

mod amount;
mod balance;
mod change;
mod check;
mod cli;
mod closed;
mod completions;
mod copies;
mod diff;
mod draw;
mod explain;
mod failure;
mod figures;
mod html;
mod keys;
mod man;
mod output;
mod owner;
mod pair;
mod plan;
mod progress;
mod secret;
mod share;
mod show;
mod shown;
mod sides;
mod source;
mod table;
mod write;

use clap::Parser;
use cli::{Cli, Verb};
use failure::{Failure, Outcome};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Outcome {
    match Cli::try_parse().map_err(Failure::from_clap)?.verb {
        Verb::Owner(args) => owner::run(&args),
        Verb::Explain(args) => explain::run(&args),
        Verb::Show(args) => show::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Change(args) => change::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Plan(args) => plan::run(&args),
        Verb::Balance(args) => balance::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    }
}
