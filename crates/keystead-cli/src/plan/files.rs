//! The files of a plan, and the folder that holds them.

use crate::{
    change::republished,
    failure::{Failure, Outcome},
    pair::Pair,
    write,
};
use keystead::{Description, Error, Plan};
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// A file to publish.
pub(super) struct PlanFile {
    pub(super) name: String,
    pub(super) epoch: Option<u64>,
    content: String,
}

/// One for each step, and one for what is published when the last is done.
pub(super) fn of_plan(plan: &Plan, first: Option<u64>, pair: &Pair) -> Outcome<Vec<PlanFile>> {
    let steps = (1..).zip(plan.publish()).map(|(step, description)| (format!("step-{step}.json"), description));
    let last = plan.last().map(|description| ("after.json".to_owned(), description));
    let files = (0..).zip(steps.chain(last)).map(|(at, (name, description))| {
        let epoch = first.map(|first| first + at);
        let content = under(description, epoch)?.to_json();
        Ok(PlanFile { name, epoch, content: laid_out(description, epoch, pair).unwrap_or(content) })
    });
    files.collect()
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

/// Refuses a folder that has files in it: steps of an older plan among those of this one would be published sooner or later.
pub(super) fn reject_used(dir: &Path) -> Outcome {
    let mut entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::unwritable(dir.display(), &error)),
    };
    if entries.next().is_none() {
        return Ok(());
    }
    Err(Failure::wrong_use(format!("{} is not empty: name a new folder with -o", dir.display())))
}

/// Writes all files into a folder beside it first, which then gets its name in one step.
pub(super) fn write(dir: &Path, files: &[PlanFile]) -> Outcome {
    let unwritable = |error: std::io::Error| Failure::unwritable(dir.display(), &error);
    let beside = beside(dir);
    let fill = || -> Outcome {
        for file in files {
            write::whole(&beside.join(&file.name), file.content.as_bytes())?;
        }
        // An empty folder of that name gives way; one that was filled meanwhile does not.
        if dir.is_dir() {
            fs::remove_dir(dir).map_err(unwritable)?;
        }
        fs::rename(&beside, dir).map_err(unwritable)
    };
    fs::create_dir(&beside).map_err(unwritable)?;
    let filled = fill();
    if filled.is_err() {
        // What is left is of no use, and the first error is the one to tell.
        let _ = fs::remove_dir_all(&beside);
    }
    filled
}

/// A name in the same parent, where a rename is one step.
fn beside(dir: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(dir.file_name().unwrap_or("plan".as_ref()));
    name.push(format!(".{}.new", std::process::id()));
    dir.with_file_name(name)
}
