//! `plan`: a change in steps, each of which keeps a limit, as files to publish one after the other.

mod files;
mod folder;
mod page;
mod report;

use crate::{
    cli::{Format, OutputArgs},
    failure::{Failure, Outcome},
    html::{self, HtmlArgs},
    keys::{Answer, BytesArgs, Given, KeyArgs, formats},
    output::buffered,
    pair::{Pair, PairArgs},
    secret::SecretArgs,
    sides::only_cluster,
    source::{EPOCHS, number},
};
use clap::{Args, ValueEnum};
use files::PlanFile;
use keystead::{Described as _, ErrorKind, Limits, Plan, PlanSummary, Planner};
use report::Told;
use serde::Serialize;
use std::{io::Write as _, path::PathBuf};

const EXAMPLES: &str = concat!(
    "\
Examples:
  keystead plan live.json next.json --limit 3%                        what would the steps be? Nothing is written
  keystead plan live.json next.json --limit 3% -o plan                plan/start.json, plan/step-1.json, …, plan/after.json
  keystead plan live.json next.json --keys keys.txt --limit 50000keys -o plan
  keystead plan live.json next.json --keys keys.csv --keys-format csv --bytes-column size --limit 80MB --limit 20MB/node -o plan
  keystead plan live.json next.json --limit 3% --html plan.html       the same as a page, the limit drawn
  keystead plan plan/step-3.json plan/start.json --limit 3% -o back   the way back from step 3
  keystead plan live.json next.json --limit 3% --by weights -o plan   for clients that know no transitions

",
    formats!(),
    "

First publish start.json, which moves nothing: from then on every service knows both places of every key, and deletes at both. Each \
step: copy what moves, or let reads fill it; publish the file; wait until all services show its fingerprint; verify; wait until \
no reader needs the old place (a cache: its time to live; a store: copied and checked); go on. During a step readers try the places of \
`owner --candidates` in order. To go back, publish an earlier fraction under a higher epoch, never an old file again. With keys and \
sizes the figures are exact, without they are expectations. The number of steps is the smallest that keeps the limits; one key above a \
limit is named and has a step alone. At most 40 bytes are held for each key that moves. The folder appears whole or not at all. The \
JSON is described by docs/json/plan.schema.json."
);

/// A change in steps that keep a limit, one file to publish for each
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pair: PairArgs,

    /// How much a step may move: 80MB, 50000keys or 3%; with /node behind it, how much into or out of any one node; repeatable
    #[arg(long, value_name = "LIMIT", required = true, help_heading = "Steps")]
    limit: Vec<String>,

    /// By share of keys, which is always possible, or by rising and falling weights, where no key can move twice
    #[arg(long, value_name = "HOW", value_enum, default_value_t = By::Share, help_heading = "Steps")]
    by: By,

    /// Number the files from here, start.json first, above the epoch in force, instead of from the next one
    #[arg(long, value_name = "N", help_heading = "Steps", allow_negative_numbers = true)]
    epoch: Option<String>,

    /// To be refused with a reason: `diff` takes it
    #[arg(short = 'r', hide = true)]
    replicas: Option<String>,

    #[command(flatten)]
    keys: KeyArgs,

    #[command(flatten)]
    bytes: BytesArgs,

    #[command(flatten)]
    secret: SecretArgs,

    /// Write the files into this new folder; without this only the steps are told
    #[arg(short = 'o', long = "output", value_name = "DIR", help_heading = "Output")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    page: HtmlArgs,
}

/// The structure of docs/json/plan.schema.json: that of every language, and what a command has besides, files.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    plan: &'a PlanSummary,
    files: &'a [PlanFile],
}

/// What the steps are made of.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    Share,
    Weights,
}

impl PlanArgs {
    /// What the core refuses, with the option that would give a limit what it needs.
    fn explained(&self, error: &keystead::Error) -> Failure {
        let amounts = || self.limit.iter().flat_map(|text| text.split(',')).map(|text| text.trim_end_matches("/node"));
        let option = if error.kind() != ErrorKind::InvalidParameter {
            ""
        } else if !self.keys.has_file() && amounts().any(|text| !text.ends_with('%')) {
            "; --keys FILE names them"
        } else if self.bytes.columns().bytes.is_none() && amounts().any(|text| text.ends_with('B')) {
            ": --keys-format csv --bytes-column NAME gives them"
        } else {
            ""
        };
        Failure::new(error.kind(), format!("{error}{option}"))
    }
}

/// Runs the verb.
pub(crate) fn run(args: &PlanArgs) -> Outcome {
    let limits: Limits = args.limit.join(",").parse()?;
    // Whatever can be refused is refused before millions of keys are read.
    if args.replicas.is_some() {
        return Err(Failure::wrong_use(
            "plan takes no -r: its limits are of owners; `keystead diff -r` shows what copies move",
        ));
    }
    let page = args.page.file()?;
    if let Some(dir) = &args.dir {
        folder::reject_unusable(dir)?;
    }
    let pair = args.pair.open(&args.secret, args.keys.are_standard_input())?;
    let Pair { before, after, .. } = &pair;
    let first = first_epoch(args.epoch.as_deref(), before.description.epoch())?;
    let has_keys = args.keys.has_file();
    let plan = match args.by {
        By::Weights if has_keys => {
            return Err(Failure::wrong_use(
                "a plan by weights is made for all keys: leave out --keys, or --by weights",
            ));
        }
        By::Weights => {
            args.keys.reject_without_file(args.bytes.columns())?;
            let [old, new] = [before, after].map(|side| only_cluster(&side.description, &side.name, "--by weights"));
            Plan::by_weights(old?, new?, &limits)?
        }
        By::Share => {
            let mut adding = Adding { planner: Planner::new(&before.description, &after.description, limits)? };
            if has_keys {
                adding.planner = adding.planner.with_keys(args.bytes.columns().bytes.is_some());
                args.keys.each_of_file(args.bytes.columns(), &mut adding)?;
            } else {
                args.keys.reject_without_file(args.bytes.columns())?;
            }
            adding.planner.plan().map_err(|error| args.explained(&error))?
        }
    };
    let files = files::of_plan(&plan, first, &pair)?;
    if let Some(dir) = args.dir.as_deref().filter(|_| !files.is_empty()) {
        folder::write(dir, &files)?;
    }
    let told = Told {
        plan: plan.summary(),
        files: &files,
        before,
        after,
        dir: args.dir.as_deref(),
        limits: &args.limit,
        keys: args.keys.words().into_iter().chain(args.bytes.words()).collect(),
        secret: &args.secret,
    };
    if let Some(file) = page {
        html::publish(file, &page::page(&told))?;
    }
    let format = args.output.format();
    match format {
        Format::Json => {
            let mut out = buffered();
            serde_json::to_writer(&mut out, &Report { plan: plan.summary(), files: &files })?;
            writeln!(out)?;
            Ok(out.flush()?)
        }
        Format::Csv => report::csv(plan.summary(), &files),
        Format::Text => report::text(&told),
    }
}

/// The number of the first step, if there are numbers at all.
fn first_epoch(wanted: Option<&str>, in_force: Option<u64>) -> Outcome<Option<u64>> {
    let Some(text) = wanted else { return Ok(in_force.map(|epoch| epoch + 1)) };
    let epoch = number("epoch", text, EPOCHS)?;
    match in_force {
        Some(old) if epoch <= old => {
            let message = format!("epoch {epoch} is not above {old}, which is in force: services would refuse it");
            Err(Failure::new(ErrorKind::StaleEpoch, message))
        }
        _ => Ok(Some(epoch)),
    }
}

/// Hands keys to the planner.
struct Adding {
    planner: Planner,
}

impl Answer for Adding {
    fn answer(&mut self, given: &Given<'_>) -> Outcome {
        self.planner.add(given.key, given.bytes)?;
        Ok(())
    }

    fn flush(&mut self) -> Outcome {
        Ok(())
    }
}
