//! The project's own commands: `cargo xtask demo`, `cargo xtask test`, `cargo xtask bench`, …
//!
//! All set-up lives here: environments, the wheel, the npm package. Whatever is built or installed goes below cargo's target folder.

mod bench;
mod checks;
mod closing;
mod demo;
mod deny;
mod markdown;
mod node;
mod process;
mod project;
mod python;
mod screen;
mod toolchain;
mod workshop;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Sets everything up, shows the main job, runs every check",
    max_term_width = 100
)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Build everything and place real files from Rust, Python and Node side by side
    Demo {
        /// Show all that the programs print
        #[arg(long, short)]
        verbose: bool,
    },
    /// Run every check, or the named ones
    Test {
        /// Steps to run; all of them when none is named
        #[arg(value_name = "STEP")]
        steps: Vec<String>,
        /// List the steps
        #[arg(long)]
        list: bool,
        /// Go on after a failure
        #[arg(long)]
        keep_going: bool,
        /// Show all that the programs print, not only their closing lines
        #[arg(long, short)]
        verbose: bool,
    },
    /// Measure ours beside the peers, in each language
    Bench {
        /// Fewer and shorter rounds, for a look: the results stay below target/xtask
        #[arg(long)]
        quick: bool,
        /// Write benches/RESULTS.md and the plots, as a run without --quick does
        #[arg(long)]
        write: bool,
        /// Show all that the programs print
        #[arg(long, short)]
        verbose: bool,
    },
    /// Measure evenness and movement of every algorithm; prints Markdown
    Measure {
        /// Show all that the programs print
        #[arg(long, short)]
        verbose: bool,
    },
    /// Count the instructions of ten operations of the core
    Instructions {
        /// Write the counts to benches/instructions.json, with which `cargo xtask test instructions` compares
        #[arg(long)]
        record: bool,
        /// Show all that the programs print
        #[arg(long, short)]
        verbose: bool,
    },
    /// Take the pictures of docs/gallery.md and of the front page anew
    Pictures {
        /// Show all that the programs print
        #[arg(long, short)]
        verbose: bool,
    },
    /// Ask the advisory database about the dependencies (needs the network)
    Advisories {
        /// Show all that the programs print
        #[arg(long, short)]
        verbose: bool,
    },
}

fn main() -> ExitCode {
    match work(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn work(task: Task) -> Result<()> {
    match task {
        Task::Demo { verbose } => demo::demo(verbose),
        Task::Test { list: true, .. } => {
            checks::list();
            Ok(())
        }
        Task::Test { steps, list: false, keep_going, verbose } => checks::test(&steps, keep_going, verbose),
        Task::Bench { quick, write, verbose } => bench::bench(quick, write, verbose),
        Task::Measure { verbose } => bench::measure(verbose),
        Task::Instructions { record, verbose } => checks::instructions(record, verbose),
        Task::Pictures { verbose } => checks::pictures(verbose),
        Task::Advisories { verbose } => deny::advisories(verbose),
    }
}
