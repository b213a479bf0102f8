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
    pub(crate) fn open(&self, secret: &SecretArgs, keys_are_standard_input: bool) -> Outcome<[Source; 2]> {
        let from_standard_input = |file: &OsString| file.as_os_str() == OsStr::new("-");
        let readers = [from_standard_input(&self.before), from_standard_input(&self.after), keys_are_standard_input];
        if readers.into_iter().filter(|reads| *reads).count() > 1 {
            return Err(Failure::wrong_use(
                "standard input can be one of the two files, or the keys, not several of them",
            ));
        }
        let paths = [Path::new(&self.before), Path::new(&self.after)];
        let texts = [read(paths[0])?, read(paths[1])?];
        Source::parse_two([(&texts[0], paths[0]), (&texts[1], paths[1])], secret)
    }
}
