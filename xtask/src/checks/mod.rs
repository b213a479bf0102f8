//! `cargo xtask test`: every check of the project, cheap ones first. Each is a step with a name of its own and can be run alone.

mod adapters;
mod browser;
mod debian;
mod examples;
mod instructions;
mod languages;
mod migrating;
mod node;
mod python;
mod readme;
mod rust;

use std::time::Duration;

use anyhow::{Result, bail};

pub(crate) use self::browser::pictures;
use self::debian::Skipped;
pub(crate) use self::instructions::instructions;
use crate::screen::{right, spoken, table, timed};
use crate::workshop::Workshop;

/// One check.
struct Step {
    name: &'static str,
    about: &'static str,
    work: fn(&mut Workshop) -> Result<()>,
}

/// In the order in which they run.
const STEPS: &[Step] = &[
    Step { name: "fmt", about: "cargo fmt --check, in every workspace", work: rust::fmt },
    Step {
        name: "oracle",
        about: "the oracle against published numbers; the vectors against the oracle",
        work: languages::oracle,
    },
    Step { name: "clippy", about: "clippy with warnings as errors, all targets, all features", work: rust::clippy },
    Step { name: "rust", about: "tests of every Rust package, all features", work: rust::all_features },
    Step { name: "rust-default", about: "tests of the core alone, default features", work: rust::default_features },
    Step { name: "rust-bare", about: "tests of the core alone, no features", work: rust::no_features },
    Step { name: "doc-tests", about: "the examples in the documentation", work: rust::doc_tests },
    Step { name: "rustdoc", about: "the documentation builds without a warning", work: rust::rustdoc },
    Step {
        name: "no-std",
        about: "the core links and runs without std, bare and with alloc; a leak of std would be found",
        work: rust::no_std,
    },
    Step { name: "fuzz", about: "the fuzz targets over their corpus", work: rust::fuzz_corpus },
    Step {
        name: "instructions",
        about: "ten operations of the core take no more instructions than recorded, under the recorded compiler",
        work: instructions::check,
    },
    Step { name: "deny", about: "cargo deny: duplicates, licences, sources", work: rust::deny },
    Step { name: "package", about: "cargo package of the core and of what it needs", work: rust::package },
    Step {
        name: "free-threaded",
        about: "the Python package compiles for a Python without the GIL",
        work: python::free_threaded,
    },
    Step { name: "wheel", about: "the wheel is built", work: python::wheel },
    Step { name: "python", about: "pytest against the wheel in a clean environment", work: python::tests },
    Step { name: "stubtest", about: "the stub says what the installed module has", work: python::stubtest },
    Step { name: "mypy", about: "mypy --strict over a program that uses the stub", work: python::mypy },
    Step { name: "sdist", about: "the source distribution builds and installs", work: python::sdist },
    Step {
        name: "addon",
        about: "the Node addon is built; the generated binding is the committed one",
        work: node::addon,
    },
    Step { name: "node", about: "node:test against the packed tarball in an empty folder", work: node::tests },
    Step { name: "tsc", about: "the TypeScript declarations compile", work: node::tsc },
    Step {
        name: "readme",
        about: "the examples of the front page, the core's README and docs run and print what they say",
        work: readme::check,
    },
    Step {
        name: "migrating",
        about: "the guide's examples beside the packages that one comes from: their answers, then ours",
        work: migrating::check,
    },
    Step {
        name: "adapters",
        about: "the adapters in Python and Node against real memcached and Redis servers; a fleet grows while it is warm",
        work: adapters::check,
    },
    Step {
        name: "browser",
        about: "the pages of --html in a real Chromium, on phone, laptop and paper, with --json's numbers; drawings in a real terminal",
        work: browser::check,
    },
    Step {
        name: "cross",
        about: "20,000 random cases through Rust, Python, Node, the command and the oracle",
        work: languages::cross,
    },
];

/// Prints the steps.
pub(crate) fn list() {
    for step in STEPS {
        println!("{:14} {}", step.name, step.about);
    }
}

/// What became of a step.
enum Outcome {
    Passed(Duration),
    Failed(Duration),
    Skipped,
    NotRun,
}

/// Runs the named steps, all of them where none is named; stops at the first failure unless told to keep going.
pub(crate) fn test(names: &[String], keep_going: bool, verbose: bool) -> Result<()> {
    let chosen = choose(names)?;
    let mut workshop = Workshop::open(verbose)?;
    let mut outcomes: Vec<(&Step, Outcome)> = Vec::new();
    let mut stopped = false;
    for (position, step) in chosen.iter().enumerate() {
        if stopped {
            outcomes.push((step, Outcome::NotRun));
            continue;
        }
        workshop.screen.say(&format!("\n[{}/{}] {}: {}", position + 1, chosen.len(), step.name, step.about));
        let log = workshop.project.kept(&format!("logs/{}.log", step.name));
        workshop.screen.begin(step.name, &log)?;
        let (answer, time) = timed(|| (step.work)(&mut workshop));
        workshop.screen.end();
        match answer {
            Ok(()) => {
                workshop.screen.say(&format!(
                    "[{}/{}] {} passed in {}",
                    position + 1,
                    chosen.len(),
                    step.name,
                    spoken(time)
                ));
                outcomes.push((step, Outcome::Passed(time)));
            }
            Err(error) if error.is::<Skipped>() => {
                workshop.screen.say(&format!("[{}/{}] {} SKIPPED: {error}", position + 1, chosen.len(), step.name));
                outcomes.push((step, Outcome::Skipped));
            }
            Err(error) => {
                workshop.screen.say(&format!("{error:#}"));
                workshop.screen.say(&format!(
                    "[{}/{}] {} FAILED after {}; again alone: cargo xtask test {}",
                    position + 1,
                    chosen.len(),
                    step.name,
                    spoken(time),
                    step.name
                ));
                outcomes.push((step, Outcome::Failed(time)));
                stopped = !keep_going;
            }
        }
    }
    summary(&outcomes)
}

fn choose(names: &[String]) -> Result<Vec<&'static Step>> {
    if names.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    for name in names {
        if !STEPS.iter().any(|step| step.name == name) {
            bail!(
                "there is no step {name}; the steps are {}",
                STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ")
            );
        }
    }
    Ok(STEPS.iter().filter(|step| names.iter().any(|name| name == step.name)).collect())
}

/// The table of steps and times, and the line that counts them.
fn summary(outcomes: &[(&Step, Outcome)]) -> Result<()> {
    let mut table = table(&["step", "", "time"]);
    let (mut passed, mut total) = (0, Duration::ZERO);
    let mut failures = Vec::new();
    let mut skipped = Vec::new();
    for (step, outcome) in outcomes {
        let (word, time) = match outcome {
            Outcome::Passed(time) => ("passed", Some(*time)),
            Outcome::Failed(time) => ("FAILED", Some(*time)),
            Outcome::Skipped => ("skipped", None),
            Outcome::NotRun => ("not run", None),
        };
        match outcome {
            Outcome::Passed(_) => passed += 1,
            Outcome::Failed(_) => failures.push(step.name),
            Outcome::Skipped => skipped.push(step.name),
            Outcome::NotRun => {}
        }
        total += time.unwrap_or_default();
        table.add_row([step.name.to_owned(), word.to_owned(), time.map(spoken).unwrap_or_default()]);
    }
    table.add_row(["all".to_owned(), String::new(), spoken(total)]);
    right(&mut table, &[2]);
    println!("\n{table}\n");
    println!("{passed} passed, {} failed", failures.len());
    if !skipped.is_empty() {
        println!("skipped, for the reason above: {}", skipped.join(", "));
    }
    match failures.first() {
        None => Ok(()),
        Some(first) => {
            bail!("the first step that failed is {first}; its output is above and in the logs below target/xtask")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }

    #[test]
    fn steps_run_in_their_own_order_whatever_the_order_of_names() {
        let chosen = choose(&["rustdoc".to_owned(), "fmt".to_owned()]).unwrap();
        assert_eq!(chosen.iter().map(|step| step.name).collect::<Vec<_>>(), ["fmt", "rustdoc"]);
    }

    #[test]
    fn rejects_a_step_that_does_not_exist() {
        let message = choose(&["everything".to_owned()]).err().expect("no such step").to_string();
        assert!(message.starts_with("there is no step everything; the steps are fmt, oracle,"), "{message}");
    }

    #[test]
    fn a_failure_is_counted_and_is_the_answer() {
        let time = Duration::from_secs(1);
        assert!(summary(&[(&STEPS[0], Outcome::Passed(time))]).is_ok());
        // As where a program cannot be installed; never in CI.
        assert!(summary(&[(&STEPS[0], Outcome::Passed(time)), (&STEPS[1], Outcome::Skipped)]).is_ok());
        let failed = summary(&[
            (&STEPS[0], Outcome::Passed(time)),
            (&STEPS[1], Outcome::Failed(time)),
            (&STEPS[2], Outcome::NotRun),
        ]);
        assert!(failed.unwrap_err().to_string().contains(STEPS[1].name));
    }
}
