//! `completions`: for shells, so that verbs and options need not be typed.

use crate::{cli::Cli, failure::Outcome, output::buffered};
use clap::{Args, CommandFactory as _, ValueEnum};
use std::io::Write as _;

const EXAMPLES: &str = "\
Examples:
  keystead completions bash > ~/.local/share/bash-completion/completions/keystead
  keystead completions zsh > ~/.zfunc/_keystead        a folder of $fpath
  keystead completions fish > ~/.config/fish/completions/keystead.fish";

/// Completions for a shell: verbs, options and what they may be
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Runs the verb.
pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    // In memory first: written by clap, a reader that leaves would be a panic.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "keystead", &mut script);
    let mut out = buffered();
    out.write_all(&script)?;
    Ok(out.flush()?)
}
