//! The files of a plan.

use crate::{change::republished, failure::Outcome, pair::Pair};
use keystead::{Described as _, Description, Error, Plan};
use serde::Serialize;

/// What a file of a plan is for.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// What is in force when the plan begins, for the way back. It is not published.
    InForce,
    /// Where the way begins: moves nothing, and lets every service know both places of every key.
    Start,
    /// A step.
    Step,
    /// The cluster alone, when the last step is done: moves nothing.
    Last,
}

impl Role {
    /// The word of the JSON.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Role::InForce => "in_force",
            Role::Start => "start",
            Role::Step => "step",
            Role::Last => "last",
        }
    }
}

/// A file, as docs/json/plan.schema.json has it.
#[derive(Serialize)]
pub(super) struct PlanFile {
    pub(super) file: String,
    pub(super) role: Role,
    /// Of a step, from 1.
    pub(super) step: Option<u32>,
    pub(super) epoch: Option<u64>,
    pub(super) part: Option<u32>,
    pub(super) of: Option<u32>,
    pub(super) fingerprint: String,
    #[serde(skip)]
    pub(super) content: String,
}

/// The name of the file where the way begins.
pub(super) const START: &str = "start.json";

/// One for each step, one where they begin, and one for what is published when the last is done.
pub(super) fn of_plan(plan: &Plan, first: Option<u64>, pair: &Pair) -> Outcome<Vec<PlanFile>> {
    if plan.publish().is_empty() && pair.are_one() {
        return Ok(Vec::new());
    }
    // Of equal length, so that in order of names they are in order of time.
    let digits = plan.publish().len().to_string().len();
    let named = |(step, description): (u32, &Description)| {
        (format!("step-{step:0digits$}.json"), Role::Step, Some(step), description.clone())
    };
    let steps: Vec<_> = (1..).zip(plan.publish()).map(named).collect();
    let mut ways = Vec::new();
    let mut in_force = None;
    if let Some((.., step)) = steps.first() {
        match start(step, &pair.before.description)? {
            Some(start) => ways.push((START.to_owned(), Role::Start, None, start)),
            None => in_force = String::from_utf8(pair.before_text.clone()).ok(),
        }
    }
    ways.extend(steps);
    let last = plan.last().cloned().or_else(|| alone(&pair.after.description));
    ways.extend(last.map(|last| ("after.json".to_owned(), Role::Last, None, last)));

    let mut files = Vec::new();
    if let Some(text) = in_force {
        let description = &pair.before.description;
        files.push(file(START.to_owned(), Role::InForce, None, description, description.epoch(), text));
    }
    for (at, (name, role, step, description)) in (0..).zip(ways) {
        let epoch = first.map(|first| first + at);
        let content = under(&description, epoch)?.to_json();
        let content = laid_out(&description, epoch, pair).unwrap_or(content);
        files.push(file(name, role, step, &description, epoch, content));
    }
    Ok(files)
}

fn file(
    name: String,
    role: Role,
    step: Option<u32>,
    description: &Description,
    epoch: Option<u64>,
    content: String,
) -> PlanFile {
    let gate = if let Description::Transition(transition) = description { Some(transition.gate()) } else { None };
    PlanFile {
        file: name,
        role,
        step,
        epoch,
        part: gate.map(keystead::Gate::part),
        of: gate.map(keystead::Gate::of),
        fingerprint: description.fingerprint().to_string(),
        content,
    }
}

/// The transition that answers as the cluster does which is in force; none where a transition is in force already, or steps are none.
fn start(first_step: &Description, in_force: &Description) -> Result<Option<Description>, Error> {
    let (Description::Transition(step), Description::Cluster(cluster)) = (first_step, in_force) else {
        return Ok(None);
    };
    let of = step.gate().of();
    let part = if cluster == step.before() { 0 } else { of };
    Ok(Some(step.at(part.into(), of.into())?.into()))
}

/// The cluster that answers every key at the end of a transition's way, or at its beginning.
fn alone(description: &Description) -> Option<Description> {
    let Description::Transition(transition) = description else { return None };
    match (transition.gate().part(), transition.gate().of()) {
        (0, _) => Some(transition.before().into()),
        (part, of) if part == of => Some(transition.after().into()),
        _ => None,
    }
}

/// The cluster of the file that was given, in its layout, as `change` would write it.
fn laid_out(description: &Description, epoch: Option<u64>, pair: &Pair) -> Option<String> {
    match description {
        Description::Cluster(cluster) if *description == pair.after.description => {
            republished(std::str::from_utf8(&pair.after_text).ok()?, cluster, epoch)
        }
        _ => None,
    }
}

fn under(description: &Description, epoch: Option<u64>) -> Result<Description, Error> {
    Ok(match description {
        Description::Cluster(cluster) => cluster.with_epoch(epoch)?.into(),
        Description::Transition(transition) => transition.with_epoch(epoch)?.into(),
    })
}
