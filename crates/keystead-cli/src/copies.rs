//! How many copies of a key there are to be, and how they spread over failure domains.

use crate::{
    failure::{Failure, Outcome},
    source::number,
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

    /// Put copies into distinct domains of this level of the location: a name of the cluster's `levels`, or a number from 0, the widest
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    spread: Option<String>,

    /// With --spread: where there are too few domains, share them evenly instead of failing
    #[arg(long)]
    relaxed: bool,
}

impl CopyArgs {
    /// The number of copies, where it is given.
    pub(crate) fn count(&self) -> Outcome<Option<u64>> {
        let count = self.replicas.as_deref().map(|text| number("r", text)).transpose()?;
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

    /// The level as a number, where the cluster has it.
    pub(crate) fn level(&self, cluster: &Cluster) -> Outcome<Option<u64>> {
        self.spread
            .as_deref()
            .map(|level| match named_level(cluster, level) {
                Some(index) => Ok(index as u64),
                None => number("spread", level),
            })
            .transpose()
    }

    /// The constraints for the core.
    pub(crate) fn constraints(&self, cluster: &Cluster, exclude: &[String]) -> Outcome<Constraints> {
        let constraints = Constraints::new().exclude(exclude).relaxed(self.relaxed);
        let Some(level) = self.spread.as_deref() else { return Ok(constraints) };
        // On a command line both are text. A name comes first, so that every name can be said.
        let is_number = named_level(cluster, level).is_none()
            && level.starts_with(|first: char| first.is_ascii_digit() || first == '-');
        let spread = if is_number { Spread::Level(number("spread", level)?) } else { Spread::Name(level.to_owned()) };
        Ok(constraints.spread(spread))
    }
}

fn named_level(cluster: &Cluster, name: &str) -> Option<usize> {
    cluster.levels()?.iter().position(|level| **level == *name)
}
