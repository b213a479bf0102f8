//! The two descriptions that a verb compares.

use crate::{
    failure::{Failure, Outcome},
    secret::SecretArgs,
    source::{Source, read},
};
use clap::Args;
use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

/// Two files, read.
pub(crate) struct Pair {
    pub(crate) before: Source,
    pub(crate) after: Source,
    /// The files as they are written.
    pub(crate) before_text: Vec<u8>,
    pub(crate) after_text: Vec<u8>,
}

impl Pair {
    /// Whether one file is given twice, so that there is nothing between the two.
    pub(crate) fn are_one(&self) -> bool {
        self.before_text == self.after_text
    }
}

/// Two files.
#[derive(Args)]
pub(crate) struct PairArgs {
    /// Cluster or transition file that is in force, `-` for standard input
    #[arg(value_name = "BEFORE")]
    before: OsString,

    /// Cluster or transition file that is to come, `-` for standard input
    #[arg(value_name = "AFTER")]
    after: OsString,
}

impl PairArgs {
    /// Both, read.
    pub(crate) fn open(&self, secret: &SecretArgs, keys_are_standard_input: bool) -> Outcome<Pair> {
        let from_standard_input = |file: &OsString| file.as_os_str() == OsStr::new("-");
        let readers = [from_standard_input(&self.before), from_standard_input(&self.after), keys_are_standard_input];
        if readers.into_iter().filter(|reads| *reads).count() > 1 {
            return Err(Failure::wrong_use(
                "standard input can be one of the two files, or the keys, not several of them",
            ));
        }
        let paths = [Path::new(&self.before), Path::new(&self.after)];
        let [before_text, after_text] = [read(paths[0])?, read(paths[1])?];
        let [before, after] = Source::parse_two([(&before_text, paths[0]), (&after_text, paths[1])], secret)?;
        Ok(Pair { before, after, before_text, after_text })
    }
}
