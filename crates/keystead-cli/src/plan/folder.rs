//! The folder that holds the files of a plan: it appears whole or not at all.

use super::files::PlanFile;
use crate::{
    failure::{Failure, Outcome},
    write,
};
use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// Refuses a folder that has files in it: steps of an older plan among those of this one would be published sooner or later. And one
/// that cannot be made, before millions of keys are read.
pub(super) fn reject_unusable(dir: &Path) -> Outcome {
    let unwritable = |error: &io::Error| Failure::unwritable(dir.display(), error);
    let named = |what: &str| Err(Failure::wrong_use(format!("{} {what}: name a new folder with -o", dir.display())));
    match fs::read_dir(dir).map(Iterator::count) {
        Ok(1..) => named("is not empty"),
        // Whoever works in it would be left in a folder that is no more.
        Ok(0) if fs::canonicalize(dir).ok() == std::env::current_dir().and_then(fs::canonicalize).ok() => {
            named("is where the command runs, and cannot be replaced")
        }
        Ok(0) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            fs::metadata(parent).map_err(|error| Failure::unwritable(parent.display(), &error))?;
            Ok(())
        }
        Err(error) => Err(unwritable(&error)),
    }
}

/// Writes all files into a folder beside it first, which then gets its name in one step.
pub(super) fn write(dir: &Path, files: &[PlanFile]) -> Outcome {
    let unwritable = |error: io::Error| Failure::unwritable(dir.display(), &error);
    // Through a symbolic link what it names is replaced, and not the link.
    let target = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let beside = beside(&target);
    let fill = || -> Outcome {
        for file in files {
            write::whole(&beside.join(&file.file), file.content.as_bytes())?;
        }
        replace(&target, &beside).map_err(unwritable)
    };
    fs::create_dir(&beside).map_err(unwritable)?;
    let filled = fill();
    if filled.is_err() {
        // What is left is of no use, and the first error is the one to tell.
        let _ = fs::remove_dir_all(&beside);
    }
    filled
}

/// Gives a folder the name of one that is empty, if it is there. One that was filled meanwhile does not give way.
fn replace(target: &Path, beside: &Path) -> io::Result<()> {
    if let Ok(old) = fs::metadata(target) {
        fs::set_permissions(beside, old.permissions())?;
        if !cfg!(unix) {
            // Only there a rename takes the place of an empty folder in one step.
            fs::remove_dir(target)?;
        }
    }
    fs::rename(beside, target)
}

/// A name in the same parent, where a rename is one step.
fn beside(dir: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(dir.file_name().unwrap_or("plan".as_ref()));
    name.push(format!(".{}.new", std::process::id()));
    dir.with_file_name(name)
}
