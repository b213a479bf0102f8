//! The Rust front of `tests/cross.py`: one request a line on standard input, one answer a line on standard output.
//!
//! Requests, answers and queries are described in `tests/README.md` of the workspace.

mod front;

use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request = serde_json::from_str(&line?)?;
        writeln!(output, "{}", front::answer(&request))?;
        output.flush()?;
    }
    Ok(())
}
