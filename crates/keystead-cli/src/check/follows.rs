//! `check --after`: whether running services would take the file.

use super::Finding;
use crate::source::Source;
use keystead::{Described as _, Description, Refresh};
use serde::Serialize;

/// What services that have `file` make of the next one.
#[derive(Serialize)]
pub(super) struct Follows {
    /// The file in force.
    file: String,
    epoch: Option<u64>,
    fingerprint: String,
    /// `same` or `newer`; none where they refuse it.
    refresh: Option<&'static str>,
    #[serde(skip)]
    next: Option<u64>,
    /// Why they refuse it: code and message.
    #[serde(skip)]
    refused: Option<(&'static str, String)>,
}

impl Follows {
    pub(super) fn new(live: &Source, next: &Description) -> Follows {
        let refresh = live.description.followed_by(next);
        Follows {
            file: live.name.clone(),
            epoch: live.description.epoch(),
            fingerprint: live.description.fingerprint().to_string(),
            refresh: refresh.as_ref().ok().copied().map(Refresh::as_str),
            next: next.epoch(),
            refused: refresh.err().map(|error| (error.code(), error.to_string())),
        }
    }

    pub(super) fn failure(&self) -> Option<Finding> {
        let (code, why) = self.refused.as_ref()?;
        Some(Finding::new(code, format!("must not follow {}, services would refuse it: {why}", self.file)))
    }

    /// That it can follow, and what that means.
    pub(super) fn said(&self) -> Option<String> {
        let answers = match self.refresh? {
            "same" => "the same answers",
            _ => "another description",
        };
        let epoch = |epoch: Option<u64>| epoch.map_or("none".to_owned(), |epoch| epoch.to_string());
        Some(format!("can follow {}: epoch {} → {}, {answers}", self.file, epoch(self.epoch), epoch(self.next)))
    }
}
