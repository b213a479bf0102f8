//! Running the real binary.

use std::{
    ffi::OsStr,
    fmt, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Run { status, stdout, stderr } = self;
        write!(f, "exit {status:?}\n--- standard output\n{}\n--- standard error\n{stderr}", stdout.escape_ascii())
    }
}

impl Run {
    /// Standard output of a run that succeeded and complained of nothing.
    pub(crate) fn ok(&self) -> &str {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self.text()
    }

    /// Standard output.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("output is UTF-8")
    }

    /// The lines of JSON of a run that succeeded.
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        self.ok().lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// The one JSON value of a run that succeeded.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.ok()).expect("one JSON value")
    }

    /// The message of a run that failed with this status and code: one line on standard error.
    pub(crate) fn refused(&self, status: i32, code: &str) -> &str {
        let line = self.stderr.strip_suffix('\n').unwrap_or_else(|| panic!("no line on standard error: {self:?}"));
        assert!(!line.contains('\n'), "{self:?}");
        let message = line.strip_prefix(&format!("keystead: {code}: "));
        assert_eq!(self.status, Some(status), "{self:?}");
        message.unwrap_or_else(|| panic!("expected {code}: {self:?}"))
    }

    /// The code of a run that failed with 2, or with 1 where only a check failed.
    pub(crate) fn code(&self) -> &str {
        assert!(matches!(self.status, Some(1 | 2)), "{self:?}");
        self.stderr.split(": ").nth(1).unwrap_or_else(|| panic!("no code: {self:?}"))
    }
}

/// The command, with nothing of the caller's environment that it looks at.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keystead"));
    for variable in ["KEYSTEAD_SECRET_FILE", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command.env("COLUMNS", "100");
    command
}

/// Runs the command without input.
pub(crate) fn keystead<T: AsRef<OsStr>>(arguments: impl IntoIterator<Item = T>) -> Run {
    with_input(arguments, b"")
}

/// Runs the command with this standard input.
pub(crate) fn with_input<T: AsRef<OsStr>>(arguments: impl IntoIterator<Item = T>, input: &[u8]) -> Run {
    finish(command().args(arguments), input)
}

/// Runs a prepared command with this standard input.
pub(crate) fn finish(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built with this test");
    let mut stdin = child.stdin.take().expect("piped");
    let output = std::thread::scope(|scope| {
        // A command that refuses its arguments closes its end early, which is no fault of the writer.
        scope.spawn(move || stdin.write_all(input).ok());
        child.wait_with_output().expect("the command ends")
    });
    Run {
        status: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// A folder for one test, removed with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("the target folder can be written");
        Folder(path)
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, content).expect("the target folder can be written");
        path
    }

    /// The names of what is in it, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("it is there");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The path of a file that may not exist.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the target folder is named in UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The tree that holds `docs` and `tests`.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Every item on a line of its own.
pub(crate) fn lines<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().flat_map(|item| [item.as_ref().to_owned(), "\n".to_owned()]).collect()
}
