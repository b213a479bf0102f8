//! How many copies of a key there are to be, and how they spread over failure domains.

use crate::{
    failure::{Failure, Outcome},
    source::{ANY, number},
};
use clap::Args;
use keystead::{Cluster, Constraints, Spread};

/// Copies of a key.
#[derive(Args)]
#[command(next_help_heading = "Copies")]
pub(crate) struct CopyArgs {
    /// Number of copies: this many nodes, best first, or an error that says why not
    #[arg(short = 'r', long, value_name = "N", allow_negative_numbers = true)]
    replicas: Option<String>,

    /// Put copies into distinct domains of this level of the location: a number from 0, the widest, or a name of the cluster's `levels`
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    spread: Option<String>,

    /// With --spread: where there are too few domains, share them evenly instead of failing
    #[arg(long)]
    relaxed: bool,
}

/// Copies of a key, and nodes that are not to hold any.
#[derive(Args)]
#[command(next_help_heading = "Copies")]
pub(crate) struct ChoiceArgs {
    #[command(flatten)]
    pub(crate) copies: CopyArgs,

    /// Leave this node out, as if it were unhealthy; repeatable; an id that the cluster lacks is ignored
    #[arg(long, value_name = "ID")]
    pub(crate) exclude: Vec<String>,
}

impl ChoiceArgs {
    /// The constraints for the core.
    pub(crate) fn constraints(&self) -> Outcome<Constraints> {
        Ok(self.copies.constraints()?.exclude(&self.exclude))
    }
}

impl CopyArgs {
    /// The number of copies, where it is given.
    pub(crate) fn count(&self) -> Outcome<Option<u64>> {
        let count = self.replicas.as_deref().map(|text| number("r", text, ANY)).transpose()?;
        if count.is_none() && (self.spread.is_some() || self.relaxed) {
            return Err(Failure::wrong_use("--spread and --relaxed say where copies go: give their number with -r"));
        }
        Ok(count)
    }

    /// Whether copies are to be spread at all.
    pub(crate) fn has_spread(&self) -> bool {
        self.spread.is_some()
    }

    /// Whether domains may be shared.
    pub(crate) fn is_relaxed(&self) -> bool {
        self.relaxed
    }

    /// The number of the level to spread over, where the cluster has it.
    pub(crate) fn level(&self, cluster: &Cluster) -> Outcome<Option<usize>> {
        let levels = cluster.levels().unwrap_or_default();
        Ok(self.spread()?.and_then(|spread| match spread {
            Spread::Level(level) => usize::try_from(level).ok(),
            Spread::Name(name) => levels.iter().position(|level| **level == *name),
        }))
    }

    /// The constraints for the core.
    pub(crate) fn constraints(&self) -> Outcome<Constraints> {
        let constraints = Constraints::new().relaxed(self.relaxed);
        Ok(match self.spread()? {
            Some(spread) => constraints.spread(spread),
            None => constraints,
        })
    }

    /// On a command line both are text. Digits are a number: a level that has such a name has a number as well.
    fn spread(&self) -> Outcome<Option<Spread>> {
        let Some(level) = self.spread.as_deref() else { return Ok(None) };
        let digits = level.strip_prefix('-').unwrap_or(level);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        Ok(Some(if is_number {
            Spread::Level(number("spread level", level, 0..=7)?)
        } else {
            Spread::Name(level.to_owned())
        }))
    }
}
