//! Knows the lines with which test runners close: how many tests ran, and whether they passed.

/// Whether a line belongs on the screen even when the rest of a program's output goes to its log.
pub(crate) fn is_closing_line(line: &str) -> bool {
    let line = line.trim();
    // cargo test
    line.starts_with("test result: ")
        // pytest, with and without its frame of equals signs
        || (line.trim_matches(['=', ' ']).starts_with(|c: char| c.is_ascii_digit()) && is_pytest(line.trim_matches(['=', ' '])))
        // node:test, in the spec and the TAP form
        || ["ℹ tests ", "ℹ pass ", "ℹ fail ", "ℹ skipped ", "# tests ", "# pass ", "# fail ", "# skipped "]
            .iter()
            .any(|start| line.strip_prefix(start).is_some_and(is_count))
        // unittest
        || (line.starts_with("Ran ") && line.contains(" test") && line.contains(" in "))
        || line == "OK"
        || line.starts_with("OK (")
        || line.starts_with("FAILED (")
        // the cross-language run, and every other program of this project
        || is_passed_and_failed(line)
        // mypy and stubtest
        || line.starts_with("Success: no issues found")
        // cargo deny
        || line.starts_with("bans ok") || line.starts_with("licenses ok")
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// `3 passed in 0.10s`, `1 failed, 2 passed, 1 warning in 12.00s (0:00:12)`.
fn is_pytest(line: &str) -> bool {
    let Some((counts, time)) = line.rsplit_once(" in ") else { return false };
    time.split(' ')
        .next()
        .and_then(|seconds| seconds.strip_suffix('s'))
        .is_some_and(|seconds| seconds.parse::<f64>().is_ok())
        && counts
            .split(", ")
            .all(|part| part.split_once(' ').is_some_and(|(count, what)| is_count(count) && !what.contains(' ')))
}

/// `12 passed, 0 failed`, alone or after one word and a colon.
fn is_passed_and_failed(line: &str) -> bool {
    let line = line.split_once(": ").map_or(line, |(word, rest)| if word.contains(' ') { line } else { rest });
    let mut parts = line.split(", ");
    let passed = parts.next().and_then(|part| part.strip_suffix(" passed")).is_some_and(is_count);
    let failed = parts.next().and_then(|part| part.strip_suffix(" failed")).is_some_and(is_count);
    passed && failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_every_runner_are_known() {
        for line in [
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "============ 12 passed in 0.31s ============",
            "====== 1 failed, 2 passed, 1 warning in 12.00s (0:00:12) ======",
            "12 passed in 0.31s",
            "ℹ tests 14",
            "# pass 14",
            "Ran 7 tests in 0.003s",
            "OK",
            "FAILED (failures=1)",
            "20000 passed, 0 failed",
            "cross: 20000 passed, 0 failed",
            "Success: no issues found in 2 source files",
        ] {
            assert!(is_closing_line(line), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not() {
        for line in [
            "",
            "running 12 tests",
            "test a ... ok",
            "   Compiling keystead v0.1.0",
            "12 files in 3 folders",
            "# Subtest: a",
            "ok 1 - a",
            "=====",
        ] {
            assert!(!is_closing_line(line), "{line}");
        }
    }
}
