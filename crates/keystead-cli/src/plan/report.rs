//! A plan for people, and as CSV.

use super::files::{PlanFile, Role, START};
use crate::{
    change::word,
    draw::{fitted_alone, left_out},
    failure::Outcome,
    figures::{bytes, count, few, keys},
    output::{GOOD, HEADER, Paint, WARN, buffered},
    secret::SecretArgs,
    share::{exact_percent, percent_of},
    shown::{json_string, on_one_line},
    sides::step,
    source::Source,
    table::Side,
};
use keystead::{Cluster, Description, Oversize, PlanAmount, PlanNode, PlanStep, PlanSummary};
use std::{collections::BTreeSet, io::Write as _, path::Path};

/// What there is to tell.
pub(super) struct Told<'a> {
    pub(super) plan: &'a PlanSummary,
    pub(super) files: &'a [PlanFile],
    pub(super) before: &'a Source,
    pub(super) after: &'a Source,
    pub(super) dir: Option<&'a Path>,
    pub(super) limits: &'a [String],
    /// The options that say which keys, for another command line: each with its value.
    pub(super) keys: Vec<(&'static str, String)>,
    pub(super) secret: &'a SecretArgs,
}

impl Told<'_> {
    /// What is published for a step.
    pub(super) fn of_step(&self, step: u32) -> Option<&PlanFile> {
        self.files.iter().find(|file| file.step == Some(step))
    }
}

/// Columns for so many targets at most; else the one that gets most is named.
const TARGETS: usize = 4;

pub(super) fn text(told: &Told<'_>) -> Outcome {
    let (plan, paint) = (told.plan, Paint::for_stdout());
    let mut out = buffered();
    writeln!(out, "{}", paint.paint(HEADER, on_one_line(&heading(told))))?;
    writeln!(out, "moves  {}", moved(plan))?;
    if plan.steps.is_empty() {
        writeln!(out, "{}", paint.paint(GOOD, "no key moves, so there is no step to take"))?;
    } else {
        writeln!(out, "{}", paint.paint(GOOD, on_one_line(&checks(plan))))?;
    }
    if told.files.iter().any(|file| file.epoch.is_none()) {
        writeln!(
            out,
            "{}  no epoch: services cannot tell which file is newer; --epoch 1 begins to number",
            paint.paint(WARN, "WARN")
        )?;
    }
    if let Some(said) = backwards(told) {
        writeln!(out, "{}  {said}", paint.paint(WARN, "WARN"))?;
    }
    if let Some(said) = moves_nothing(told, Role::Start) {
        writeln!(out)?;
        writeln!(out, "first  {said}: moves nothing; from then on services know both places of every key")?;
    }
    if !plan.steps.is_empty() {
        writeln!(out)?;
        let (lines, gone) = steps(told);
        for (number, line) in lines.into_iter().enumerate() {
            writeln!(out, "{}", if number == 0 { paint.paint(HEADER, line) } else { line })?;
        }
        left_out(&mut out, &gone)?;
    }
    for step in &plan.steps {
        if let Some(what) = &step.oversize {
            let said = format!("step {} is above the limit: {}", step.step, oversize(what));
            writeln!(out, "{}  {}", paint.paint(WARN, "WARN"), on_one_line(&said))?;
        }
    }
    writeln!(out)?;
    if let Some(said) = moves_nothing(told, Role::Last) {
        writeln!(out, "then   {said}: the cluster without a transition; moves nothing")?;
    }
    if !plan.steps.is_empty() {
        writeln!(
            out,
            "step   copy what moves or let reads fill it → publish → all fingerprints agree → verify → no reader needs the old place → next"
        )?;
        writeln!(out, "back   {}", on_one_line(&back(told)))?;
    }
    let written = match told.dir {
        _ if told.files.is_empty() => "nothing is written: there is nothing to publish".to_owned(),
        Some(dir) => format!("wrote  {} files into {}", told.files.len(), dir.display()),
        None => "nothing is written: -o DIR writes the files".to_owned(),
    };
    writeln!(out, "{}", on_one_line(&written))?;
    Ok(out.flush()?)
}

/// `10 → 12 nodes (+cache-k, +cache-l) · 2,000,000 keys, 2.69 GB · limit 80MB`.
pub(super) fn heading(told: &Told<'_>) -> String {
    let plan = told.plan;
    let mut said = vec![match (&told.before.description, &told.after.description) {
        (Description::Cluster(old), Description::Cluster(new)) => {
            let what = changes(old, new);
            let what = if what.is_empty() { String::new() } else { format!(" ({})", few(what)) };
            format!("{} → {} nodes{what}", old.len(), new.len())
        }
        (before, after) => format!("{} → {}", place(before), place(after)),
    }];
    match &plan.difference.counted {
        Some(counted) => {
            let of_bytes = if counted.total.bytes > 0 {
                format!(", {}", bytes(&counted.total.bytes.to_string()))
            } else {
                String::new()
            };
            said.push(format!("{}{of_bytes}", keys(counted.total.keys)));
        }
        None if plan.figures == "slots" => said.push("exact, in slots".to_owned()),
        None => said.push("as expected of all keys".to_owned()),
    }
    said.push(format!("limit {}", plan.limits.join(", ")));
    if plan.by == "weights" {
        said.push("by weights".to_owned());
    }
    said.join(" · ")
}

/// Two clusters of which the second is the older one: either a way back, or the files are swapped.
fn backwards(told: &Told<'_>) -> Option<String> {
    let [Description::Cluster(old), Description::Cluster(new)] =
        [told.before, told.after].map(|side| &side.description)
    else {
        return None;
    };
    let (first, second) = old.epoch().zip(new.epoch()).filter(|(first, second)| second < first)?;
    Some(format!(
        "the first file, epoch {first}, is newer than the second, epoch {second}: is the first the one in force?"
    ))
}

/// The file of this role with its epoch: `after.json, epoch 47`.
pub(super) fn moves_nothing(told: &Told<'_>, role: Role) -> Option<String> {
    let file = told.files.iter().find(|file| file.role == role)?;
    let epoch = file.epoch.map(|epoch| format!(", epoch {epoch}")).unwrap_or_default();
    Some(format!("{}{epoch}", file.file))
}

/// Where a way begins or ends.
fn place(description: &Description) -> String {
    match description {
        Description::Cluster(cluster) => format!("{} nodes", cluster.len()),
        Description::Transition(transition) => step(transition),
    }
}

/// What became of the nodes: `+new`, `-gone`, `b 2 → 3`.
fn changes(old: &Cluster, new: &Cluster) -> Vec<String> {
    let added = new.ids().filter(|id| !old.contains(id)).map(|id| format!("+{id}"));
    let removed = old.ids().filter(|id| !new.contains(id)).map(|id| format!("-{id}"));
    let weighed = old.nodes().iter().filter_map(|node| {
        let (was, is) = (node.get_weight(), new.node(node.id()).ok()?.get_weight());
        (was != is).then(|| format!("{} {was} → {is}", node.id()))
    });
    added.chain(removed).chain(weighed).collect()
}

fn moved(plan: &PlanSummary) -> String {
    let difference = &plan.difference;
    let least = difference.least.map(|least| format!(", least possible {}", exact_percent(least.share)));
    let mut expected = exact_percent(difference.expected.moved);
    if difference.expected.standard_error > 0.0 {
        expected = format!("{expected} ± {}", exact_percent(difference.expected.standard_error));
    }
    let expected = format!("expected {expected}{}", least.unwrap_or_default());
    let Some(counted) = &difference.counted else { return expected };
    let share = part(counted.moved.keys, counted.total.keys);
    let of_bytes =
        if counted.total.bytes > 0 { format!("  {}", bytes(&counted.moved.bytes.to_string())) } else { String::new() };
    format!("{}  {share}{of_bytes}   {expected}", keys(counted.moved.keys))
}

fn part(n: u64, whole: u64) -> String {
    let points = (u128::from(n) * 20_000).checked_div(u128::from(whole)).unwrap_or(0).div_ceil(2);
    format!("{}.{:02} %", points / 100, points % 100)
}

/// The nodes into which keys move, in order.
fn targets(plan: &PlanSummary) -> BTreeSet<&str> {
    let nodes = plan.steps.iter().flat_map(|step| &step.nodes);
    nodes.filter(|node| is_some(&node.moved_in)).map(|node| node.id.as_str()).collect()
}

fn is_some(amount: &PlanAmount) -> bool {
    amount.keys.map_or(amount.share > 0.0, |keys| keys > 0)
}

/// What was counted of the plan, not assumed.
pub(super) fn checks(plan: &PlanSummary) -> String {
    let checks = &plan.checks;
    let mut said = Vec::new();
    let followed = match checks.followed {
        "slots" => "slots",
        "sample" => "keys of a sample",
        _ => "keys",
    };
    said.push(match checks.moved_twice {
        0 => format!("every key moves at most once (followed: {} {followed})", count(checks.count)),
        twice => format!("{} of {} {followed} move more than once", count(twice), count(checks.count)),
    });
    if !checks.sum_is_difference {
        said.push("the steps do not add up to the difference".to_owned());
    }
    let targets = targets(plan);
    said.push(if targets.len() <= TARGETS {
        format!("only into {}", targets.into_iter().collect::<Vec<_>>().join(", "))
    } else {
        format!("into {} nodes", targets.len())
    });
    match checks.reshuffled {
        Some(0) => said.push("none between nodes that did not change".to_owned()),
        Some(reshuffled) => said.push(format!("{} between nodes that did not change", count(reshuffled))),
        None => {}
    }
    said.push("undo at every step".to_owned());
    said.join(" · ")
}

/// An amount in the unit of the plan.
pub(super) fn amount(amount: &PlanAmount, with_bytes: bool) -> String {
    match (amount.keys, amount.bytes) {
        (Some(_), Some(of_bytes)) if with_bytes => bytes(&of_bytes.to_string()),
        (Some(keys), _) => count(keys),
        (None, _) => percent_of(amount.share),
    }
}

/// The steps, a header first, and the names of columns for which there is no room.
fn steps(told: &Told<'_>) -> (Vec<String>, Vec<String>) {
    let plan = told.plan;
    let counted = plan.difference.counted.as_ref();
    let with_bytes = counted.is_some_and(|counted| counted.total.bytes > 0);
    let targets = targets(plan);
    let by_target = targets.len() <= TARGETS;
    let mut columns = vec![("step".to_owned(), Side::Right), ("publish".to_owned(), Side::Left)];
    columns.push(("epoch".to_owned(), Side::Right));
    columns.push((if counted.is_some() { "keys moved" } else { "moves" }.to_owned(), Side::Right));
    if with_bytes {
        columns.push(("bytes".to_owned(), Side::Right));
    }
    let into = columns.len();
    if by_target {
        columns.extend(targets.iter().map(|id| (format!("into {}", on_one_line(id)), Side::Right)));
    } else {
        columns.push(("most into".to_owned(), Side::Left));
    }
    let out_of = columns.len();
    columns.push(("most out of".to_owned(), Side::Left));
    if plan.by == "share" {
        columns.push(("on the new cluster".to_owned(), Side::Left));
    }
    columns.push(("fingerprint".to_owned(), Side::Left));
    let files = told.files.iter().filter(|file| file.role == Role::Step);
    let rows = plan.steps.iter().zip(files).map(|(step, file)| {
        let mut row = vec![step.step.to_string(), file.file.clone()];
        row.push(file.epoch.map(|epoch| epoch.to_string()).unwrap_or_default());
        row.push(amount(&step.moved, false));
        if with_bytes {
            row.push(amount(&step.moved, true));
        }
        if by_target {
            row.extend(targets.iter().map(|id| {
                let node = step.nodes.iter().find(|node| node.id == *id);
                node.map(|node| amount(&node.moved_in, with_bytes)).unwrap_or_default()
            }));
        } else {
            row.push(most(step, |node| &node.moved_in, with_bytes));
        }
        row.push(most(step, |node| &node.moved_out, with_bytes));
        row.extend(step.part.zip(step.of).map(|(part, of)| format!("{part}/{of}")));
        row.push(format!("{}…", step.fingerprint.get(..8).unwrap_or(&step.fingerprint)));
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    // `check` shows the fingerprint of a file too.
    let mut spare = vec![columns.len() - 1, out_of];
    spare.extend((into..out_of).rev());
    fitted_alone(&columns, &rows, &spare)
}

/// The node with the most of it: `cache-8  7.6 MB`.
fn most<'a>(step: &'a PlanStep, of: impl Fn(&'a PlanNode) -> &'a PlanAmount, with_bytes: bool) -> String {
    let largest = step.nodes.iter().max_by(|one, other| {
        let (one, other) = (of(one), of(other));
        let by_bytes = if with_bytes { one.bytes.cmp(&other.bytes) } else { std::cmp::Ordering::Equal };
        by_bytes.then(one.keys.cmp(&other.keys)).then(one.share.total_cmp(&other.share))
    });
    let said = |node: &'a PlanNode| format!("{}  {}", on_one_line(&node.id), amount(of(node), with_bytes));
    largest.filter(|node| is_some(of(node))).map(said).unwrap_or_default()
}

pub(super) fn oversize(what: &Oversize) -> String {
    let size = if what.bytes > 0 { format!("{}, ", bytes(&what.bytes.to_string())) } else { String::new() };
    match (&what.key, what.slot) {
        (Some(key), _) => {
            let name =
                key.text.as_ref().map_or_else(|| format!("{{\"hex\":\"{}\"}}", key.hex), |text| json_string(text));
            let times = if what.keys > 1 { format!(", given {} times,", count(what.keys)) } else { String::new() };
            format!("key {name}{times} has {size}and the step alone")
        }
        (None, Some(slot)) => format!("slot {slot} has {size}{}, which pass together", keys(what.keys)),
        (None, None) => format!("{} keys have {size}and pass together", count(what.keys)),
    }
}

/// The command for the way back, which never brings an old file back.
pub(super) fn back(told: &Told<'_>) -> String {
    let folder = told.dir.unwrap_or(Path::new("plan"));
    // As many digits as in the names of the files.
    let step = format!("step-{}.json", "K".repeat(told.plan.steps.len().to_string().len()));
    let [step, start] = [&step, START].map(|name| folder.join(name).to_string_lossy().into_owned());
    let limits: Vec<String> = told.limits.iter().map(|limit| format!("--limit {}", word(limit))).collect();
    let by = if told.plan.by == "weights" { " --by weights" } else { "" };
    // The way back from a way back has a folder of its own.
    let to = if folder.ends_with("back") { "again" } else { "back" };
    let options = told.keys.iter().cloned().chain(told.secret.words());
    let options: Vec<String> = options.map(|(option, value)| format!(" {option} {}", word(&value))).collect();
    format!(
        "from step K: keystead plan {} {} {}{by}{} -o {to}",
        word(&step),
        word(&start),
        limits.join(" "),
        options.concat()
    )
}

/// A row for each file, in the order in which they are published; only steps move something.
pub(super) fn csv(plan: &PlanSummary, files: &[PlanFile]) -> Outcome {
    let mut csv = csv::Writer::from_writer(buffered());
    csv.write_record(["step", "file", "role", "epoch", "part", "of", "fingerprint", "share", "keys", "bytes"])?;
    for file in files {
        let or_empty = |value: Option<String>| value.unwrap_or_default();
        let moved = plan.steps.iter().find(|step| Some(step.step) == file.step).map(|step| step.moved);
        csv.write_record([
            or_empty(file.step.map(|step| step.to_string())),
            file.file.clone(),
            file.role.as_str().to_owned(),
            or_empty(file.epoch.map(|epoch| epoch.to_string())),
            or_empty(file.part.map(|part| part.to_string())),
            or_empty(file.of.map(|of| of.to_string())),
            file.fingerprint.clone(),
            or_empty(moved.map(|moved| moved.share.to_string())),
            or_empty(moved.and_then(|moved| moved.keys).map(|keys| keys.to_string())),
            or_empty(moved.and_then(|moved| moved.bytes).map(|of_bytes| of_bytes.to_string())),
        ])?;
    }
    Ok(csv.flush()?)
}
