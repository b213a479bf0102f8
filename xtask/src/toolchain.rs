//! The four tools that must be there: which one is found, and whether it is new enough.

use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

/// `major.minor.patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32, u32);

impl Version {
    /// The first dotted number in what a tool prints: `rustc 1.95.0 (…)`, `v20.20.2`, `Python 3.14.0rc1`.
    pub(crate) fn find(text: &str) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let mut parts = text[start..].split('.').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse().ok()
        });
        let major = parts.next()??;
        Some(Self(major, parts.next().flatten().unwrap_or(0), parts.next().flatten().unwrap_or(0)))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

const RUST: Version = Version(1, 90, 0);
const PYTHON: Version = Version(3, 11, 0);
const NODE: Version = Version(20, 17, 0);
const NPM: Version = Version(9, 0, 0);

/// Names the Python to use, where the one that would be found is not wanted.
const PYTHON_VARIABLE: &str = "KEYSTEAD_PYTHON";

/// The tools that were found, all new enough.
#[derive(Debug, Clone)]
pub(crate) struct Toolchain {
    /// The interpreter's own path, so that the choice is made once.
    pub(crate) python: PathBuf,
    versions: [(&'static str, Version); 4],
}

impl Toolchain {
    /// Looks for all four; the error names every one that is missing or too old.
    pub(crate) fn find() -> Result<Self> {
        let rust = rust();
        let python = python();
        let node = at_least("Node", NODE, &["node"], "--version");
        let npm = at_least("npm", NPM, &[npm_program()], "--version");
        match (rust, python, node, npm) {
            (Ok(rust), Ok((path, python)), Ok(node), Ok(npm)) => {
                Ok(Self { python: path, versions: [("Rust", rust), ("Python", python), ("Node", node), ("npm", npm)] })
            }
            (rust, python, node, npm) => {
                let problems = [rust.err(), python.err(), node.err(), npm.err()];
                bail!("{}", problems.into_iter().flatten().collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (name, version)) in self.versions.iter().enumerate() {
            write!(f, "{}{name} {version}", if position == 0 { "" } else { " · " })?;
        }
        Ok(())
    }
}

/// Rust alone: all that a command needs which runs no other language.
pub(crate) fn rust() -> Result<Version, String> {
    at_least("Rust", RUST, &["rustc"], "--version")
}

/// npm is a script on Windows, which is only found under its full name.
pub(crate) fn npm_program() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// Python, whose suitable one may not be the one called `python3`.
fn python() -> Result<(PathBuf, Version), String> {
    if let Ok(chosen) = std::env::var(PYTHON_VARIABLE) {
        let answer = ask_python(&[&chosen]).map_or_else(|| Err(format!("{chosen} does not run")), judge_python);
        return answer.map_err(|reason| format!("Python {PYTHON} or newer is needed; {reason} ({PYTHON_VARIABLE})"));
    }
    let candidates: [&[&str]; 7] =
        [&["python3"], &["python"], &["python3.11"], &["python3.12"], &["python3.13"], &["python3.14"], &["py", "-3"]];
    let mut reasons = Vec::new();
    for answer in candidates.into_iter().filter_map(ask_python) {
        match judge_python(answer) {
            Ok(found) => return Ok(found),
            Err(reason) => reasons.push(reason),
        }
    }
    if reasons.is_empty() {
        reasons.push("none was found (looked for python3, python, python3.11 to python3.14, py -3)".to_owned());
    }
    reasons.dedup();
    Err(format!(
        "Python {PYTHON} or newer is needed; {}. Install one, or name it in {PYTHON_VARIABLE}.",
        reasons.join(", ")
    ))
}

/// What an interpreter says of itself.
struct PythonAnswer {
    path: PathBuf,
    version: Version,
    /// Debian ships an interpreter without `venv` and `ensurepip`.
    makes_environments: bool,
}

fn ask_python(command: &[&str]) -> Option<PythonAnswer> {
    let code = "import importlib.util, platform, sys\n\
                print(platform.python_version())\n\
                print(sys.executable)\n\
                print(all(importlib.util.find_spec(name) for name in ('venv', 'ensurepip')))";
    let (program, arguments) = command.split_first()?;
    let output = Command::new(program).args(arguments).args(["-c", code]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let version = Version::find(lines.next()?)?;
    Some(PythonAnswer { path: PathBuf::from(lines.next()?), version, makes_environments: lines.next()? == "True" })
}

fn judge_python(answer: PythonAnswer) -> Result<(PathBuf, Version), String> {
    let path = answer.path.display();
    if answer.version < PYTHON {
        Err(format!("{path} is {}", answer.version))
    } else if !answer.makes_environments {
        Err(format!(
            "{path} is {} without the modules venv and ensurepip (Debian: the package python3-venv)",
            answer.version
        ))
    } else {
        Ok((answer.path, answer.version))
    }
}

/// The version of the first of `programs` that runs.
fn at_least(name: &str, needed: Version, programs: &[&str], argument: &str) -> Result<Version, String> {
    for program in programs {
        let Ok(output) = Command::new(program).arg(argument).stdin(Stdio::null()).output() else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        return judge(name, needed, program, &text);
    }
    Err(format!("{name} {needed} or newer is needed; none was found (looked for {})", programs.join(", ")))
}

/// What a tool printed of itself, against what is needed.
fn judge(name: &str, needed: Version, program: &str, printed: &str) -> Result<Version, String> {
    match Version::find(printed) {
        Some(found) if found >= needed => Ok(found),
        Some(found) => Err(format!("{name} {needed} or newer is needed; {program} is {found}")),
        None => Err(format!("{name} {needed} or newer is needed; {program} printed no version: {:?}", printed.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_print() {
        assert_eq!(Version::find("rustc 1.95.0 (59807616e 2026-04-14)"), Some(Version(1, 95, 0)));
        assert_eq!(Version::find("v20.20.2\n"), Some(Version(20, 20, 2)));
        assert_eq!(Version::find("3.14.0rc1"), Some(Version(3, 14, 0)));
        assert_eq!(Version::find("rustc 1.88.0-beta.2"), Some(Version(1, 88, 0)));
        assert_eq!(Version::find("11"), Some(Version(11, 0, 0)));
        assert_eq!(Version::find("no digits"), None);
        assert_eq!(Version::find("99999999999999999999.1"), None);
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(Version(20, 9, 0) < Version(20, 17, 0));
        assert!(Version(3, 9, 18) < PYTHON);
        assert!(Version(3, 11, 0) >= PYTHON);
    }

    #[test]
    fn a_tool_that_is_too_old_is_named_with_both_versions() {
        assert_eq!(
            judge("Node", NODE, "node", "v18.19.1"),
            Err("Node 20.17.0 or newer is needed; node is 18.19.1".to_owned())
        );
        assert_eq!(judge("Node", NODE, "node", "v20.17.0"), Ok(NODE));
        assert!(judge("Node", NODE, "node", "command not found").is_err());
    }

    #[test]
    fn a_python_that_cannot_make_environments_is_refused() {
        let answer =
            |version, makes_environments| PythonAnswer { path: PathBuf::from("python3"), version, makes_environments };
        assert_eq!(judge_python(answer(PYTHON, true)), Ok((PathBuf::from("python3"), PYTHON)));
        assert!(judge_python(answer(PYTHON, false)).unwrap_err().contains("python3-venv"));
        assert_eq!(judge_python(answer(Version(3, 10, 4), true)), Err("python3 is 3.10.4".to_owned()));
    }

    #[test]
    fn a_tool_that_is_missing_is_named() {
        let message = at_least("Node", NODE, &["keystead-has-no-such-tool"], "--version").unwrap_err();
        assert_eq!(message, "Node 20.17.0 or newer is needed; none was found (looked for keystead-has-no-such-tool)");
    }
}
