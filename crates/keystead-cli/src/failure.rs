//! Why the command ends without success: one line on standard error and an exit status.

use crate::{output::buffered, shown::on_one_line};
use clap::error::{ErrorKind as ClapKind, RichFormatter};
use keystead::{Error, ErrorKind, Position};
use std::{fmt::Display, io, io::Write as _, path::Path, process::ExitCode};

/// Everything a verb does ends in this.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why the command stops.
pub(crate) enum Failure {
    /// Whoever read the output has read enough (`… | head`): no failure at all.
    ClosedPipe,
    /// Help or the version was asked for.
    Help(clap::Error),
    /// A failed check whose findings stand on standard output already: exit 1.
    Check,
    /// An error.
    Said(Box<Said>),
}

/// An error with its code.
pub(crate) struct Said {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// The place in a cluster file.
    pub(crate) position: Option<Position>,
    /// Whether it is the cluster that is wrong, and not how the command is used.
    pub(crate) is_of_cluster: bool,
    status: u8,
}

impl Failure {
    fn coded(code: &'static str, message: impl Into<String>) -> Failure {
        Failure::Said(Box::new(Said { code, message: message.into(), position: None, is_of_cluster: false, status: 2 }))
    }

    /// An error with one of the protocol's codes.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Failure {
        Failure::coded(kind.code(), message)
    }

    /// Arguments that do not go together.
    pub(crate) fn wrong_use(message: impl Into<String>) -> Failure {
        Failure::coded("wrong_use", message)
    }

    /// A file or stream that cannot be read.
    pub(crate) fn unreadable(name: impl Display, error: &io::Error) -> Failure {
        Failure::coded("unreadable", format!("{name}: {error}"))
    }

    /// A file that cannot be written.
    pub(crate) fn unwritable(name: impl Display, error: &io::Error) -> Failure {
        Failure::coded("unwritable", format!("{name}: {error}"))
    }

    /// An error of the core about a whole cluster: `live.json:3:14: …`.
    pub(crate) fn of_cluster(name: impl Display, error: &Error) -> Failure {
        let (position, message) = (error.position(), error.to_string());
        let message = match position {
            Some(at) => {
                // The core's message ends in the position, for those who print nothing else.
                let said = format!(" (line {}, column {})", at.line, at.column);
                format!("{name}:{}:{}: {}", at.line, at.column, message.strip_suffix(&said).unwrap_or(&message))
            }
            None => format!("{name}: {message}"),
        };
        // Whether a secret is handed over is the caller's part.
        let is_of_cluster = !matches!(error.kind(), ErrorKind::MissingSecret | ErrorKind::UnexpectedSecret);
        Failure::Said(Box::new(Said { code: error.code(), message, position, is_of_cluster, status: 2 }))
    }

    /// The same failure, said of a place: `keys.txt:17: …`.
    pub(crate) fn at(mut self, place: impl Display) -> Failure {
        if let Failure::Said(said) = &mut self {
            said.message = format!("{place}: {}", said.message);
        }
        self
    }

    /// The same failure, said of the place of a key, if it is the key that is wrong.
    pub(crate) fn of_key(self, place: impl Display) -> Failure {
        let of_keys = [ErrorKind::InvalidKey, ErrorKind::InvalidText, ErrorKind::InvalidParameter];
        match &self {
            Failure::Said(said) if of_keys.iter().any(|kind| kind.code() == said.code) => self.at(place),
            _ => self,
        }
    }

    /// The same failure as the result of a check, if it is the cluster that is wrong: exit 1.
    pub(crate) fn into_check(mut self) -> Failure {
        if let Failure::Said(said) = &mut self
            && said.is_of_cluster
        {
            said.status = 1;
        }
        self
    }

    /// What clap has to say, on one line.
    pub(crate) fn from_clap(error: clap::Error) -> Failure {
        match error.kind() {
            ClapKind::DisplayHelp | ClapKind::DisplayVersion | ClapKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                Failure::Help(error)
            }
            ClapKind::InvalidUtf8 => Failure::new(ErrorKind::InvalidText, "an argument is not well-formed UTF-8"),
            _ => {
                let text = error.apply::<RichFormatter>().to_string();
                let said = text.trim_start().trim_start_matches("error:").trim_start();
                // Clap's paragraphs: what is wrong, tips, usage, where to read more. The last two are what `--help` prints.
                let kept: Vec<String> = said
                    .split("\n\n")
                    .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
                    .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"))
                    .collect();
                Failure::wrong_use(format!("{}; see --help", kept.join("; ")))
            }
        }
    }

    /// Tells the user, and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Failure::ClosedPipe => ExitCode::SUCCESS,
            Failure::Check => ExitCode::from(1),
            Failure::Help(error) => {
                if error.use_stderr() {
                    // Where nobody reads this there is nobody to tell.
                    let _ = error.print();
                    return ExitCode::from(2);
                }
                match print(&error) {
                    Ok(()) => ExitCode::SUCCESS,
                    Err(error) => Failure::from(error).report(),
                }
            }
            Failure::Said(said) => {
                let _ = writeln!(io::stderr(), "keystead: {}: {}", said.code, on_one_line(&said.message));
                ExitCode::from(said.status)
            }
        }
    }
}

/// Writes help or the version.
fn print(help: &clap::Error) -> io::Result<()> {
    let mut out = buffered();
    write!(out, "{}", help.render())?;
    out.flush()
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::new(error.kind(), error.to_string())
    }
}

/// Only writing to standard output converts by itself; reading names what was read, through [`Failure::unreadable`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::unwritable("standard output", &error),
        }
    }
}

impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Failure {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            kind => Failure::coded("unwritable", format!("standard output: {kind:?}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        io::Error::from(error).into()
    }
}

/// How a file is named in messages.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}
