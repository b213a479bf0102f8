//! Files that appear whole or not at all.

use crate::failure::{Failure, Outcome};
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Writes a file: beside it under another name first, then with one rename, so that no reader ever sees a part of it, and a full
/// disk leaves the old one.
pub(crate) fn whole(path: &Path, content: &[u8]) -> Outcome {
    write(path, content).map_err(|error| Failure::unwritable(path.display(), &error))
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    // Through a symbolic link what it names is replaced, and not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A device or a pipe holds no file that could be replaced. Of a folder this says that it is one.
        return OpenOptions::new().write(true).open(&target)?.write_all(content);
    }
    let (beside, mut file) = create_beside(&target)?;
    let written = file
        .write_all(content)
        .and_then(|()| old.map_or(Ok(()), |old| file.set_permissions(old.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        // What is left is of no use, and the first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A new file in the same folder, since only there a rename is one step.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    for attempt in 0_u32.. {
        let mut beside = OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}-{attempt}.new", std::process::id()));
        let beside = target.with_file_name(beside);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
