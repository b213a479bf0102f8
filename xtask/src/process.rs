//! Runs other programs: their output goes to a log, line by line to whoever shows it, and whole into the error when they fail.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

/// A program that ended with a code other than 0, and all it had printed.
#[derive(Debug)]
pub(crate) struct Failed {
    command: String,
    code: Option<i32>,
    output: Vec<String>,
}

impl Failed {
    /// Whether it printed this.
    pub(crate) fn printed(&self, text: &str) -> bool {
        self.output.iter().any(|line| line.contains(text))
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.output.iter().filter(|line| !is_progress(line)) {
            writeln!(f, "{line}")?;
        }
        match self.code {
            Some(code) => write!(f, "`{}` ended with exit code {code}", self.command),
            None => write!(f, "`{}` was ended by a signal", self.command),
        }
    }
}

impl std::error::Error for Failed {}

/// Cargo's list of what it compiles, in which a first error is hard to see. The log has it.
fn is_progress(line: &str) -> bool {
    let Some((word, rest)) = line.trim_start().split_once(' ') else { return false };
    let words = ["Checking", "Compiling", "Documenting", "Downloaded", "Downloading", "Locking", "Updating"];
    line.starts_with(' ') && words.contains(&word) && !rest.is_empty()
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        let argument = argument.to_string_lossy();
        text.push(' ');
        if argument.is_empty() || argument.contains(|c: char| c.is_whitespace() || c == '\'') {
            let _ = write!(text, "{argument:?}");
        } else {
            text.push_str(&argument);
        }
    }
    text
}

/// Runs it to its end without standard input. Standard output and error are one stream, in the order in which they were written.
pub(crate) fn run(
    command: &mut Command,
    log: Option<&mut File>,
    each_line: &mut dyn FnMut(&str),
) -> Result<Vec<String>> {
    let text = shown(command);
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    let error_writer = writer.try_clone().context("cannot make a pipe")?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(error_writer)
        .spawn()
        .with_context(|| format!("cannot start `{text}`"))?;
    // The command keeps our ends of the pipe until they are replaced; the stream would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut output = Vec::new();
    let mut log = log;
    if let Some(log) = log.as_deref_mut() {
        writeln!(log, "$ {text}")?;
    }
    let mut bytes = Vec::new();
    let mut reader = BufReader::new(reader);
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).context("cannot read what the program prints")? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        // A progress bar rewrites its line: only the last state counts.
        let line = line.trim_end_matches(['\n', '\r']).rsplit('\r').next().unwrap_or_default();
        if let Some(log) = log.as_deref_mut() {
            writeln!(log, "{line}")?;
        }
        each_line(line);
        output.push(line.to_owned());
    }
    let status = child.wait().with_context(|| format!("cannot wait for `{text}`"))?;
    if status.success() { Ok(output) } else { Err(Failed { command: text, code: status.code(), output }.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("cargo");
        command.args(["test", "--features", "a b", ""]);
        assert_eq!(shown(&command), "cargo test --features \"a b\" \"\"");
    }

    #[test]
    fn a_failing_program_brings_all_it_printed() {
        let mut command = Command::new("rustc");
        command.arg("--keystead-has-no-such-option");
        let mut seen = Vec::new();
        let error = run(&mut command, None, &mut |line| seen.push(line.to_owned())).unwrap_err();
        let failed = error.downcast_ref::<Failed>().expect("a failed program");
        assert_eq!(failed.output, seen);
        assert!(failed.to_string().contains("keystead-has-no-such-option"), "{failed}");
        assert!(failed.to_string().ends_with("ended with exit code 1"), "{failed}");
    }

    #[test]
    fn progress_is_left_out_of_a_failure() {
        let lines = [
            "   Compiling serde v1.0.229",
            "    Checking keystead v0.1.0",
            "error[E0277]: the trait bound",
            "Checking is a word",
            "",
        ];
        assert_eq!(lines.map(is_progress), [true, true, false, false, false]);
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("keystead-has-no-such-tool"), None, &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "cannot start `keystead-has-no-such-tool`");
    }
}
