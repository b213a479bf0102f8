//! `show`: what a cluster is.

mod bars;
mod json;
mod nodes;
mod page;
mod parts;

pub(crate) use nodes::{parameters, slots_of_share, tokens};

use crate::{
    cli::OutputArgs,
    failure::{Failure, Outcome},
    html::{self, HtmlArgs},
    sides::only_cluster,
    source::{ClusterArgs, number},
};
use clap::Args;
use keystead::Cluster;
use std::ffi::OsString;

const EXAMPLES: &str = "\
Examples:
  keystead show live.json                        nodes, locations, weights, shares
  keystead show live.json --json | jq -r .fingerprint
  keystead show slots.json --slots-of worker-3   which slots are mine
  keystead show slots.json --slot-owners         slot TAB owner
  keystead show ring.json --arcs                 start TAB end TAB length TAB owner
  keystead show --nodes a,b,c --algorithm ring-1 --tokens-per-weight 40
  keystead show live.json --html live.html       the same as a page with pictures
  keystead show step-2.json                      both clusters of a transition

An arc is (start, end]: it begins after `start` and ends with `end`. The JSON is described by docs/json/show.schema.json, \
that of a transition by show-transition.schema.json, and for one part by slot.schema.json, slot-ranking.schema.json and arc.schema.json, a line each.";

/// What a cluster is: its nodes with addresses, locations, weights and exact shares
#[derive(Args)]
#[command(after_help = EXAMPLES, override_usage = "keystead show [OPTIONS] CLUSTER\n       keystead show [OPTIONS] --nodes A,B,C")]
pub(crate) struct ShowArgs {
    /// Cluster or transition file, `-` for standard input; left out with --nodes
    #[arg(value_name = "CLUSTER")]
    file: Option<OsString>,

    #[command(flatten)]
    part: PartArgs,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    page: HtmlArgs,
}

/// Parts that can be asked for alone.
#[derive(Args)]
#[group(multiple = false)]
#[command(next_help_heading = "One part of it")]
struct PartArgs {
    /// The owner of each slot, a line each
    #[arg(long)]
    slot_owners: bool,

    /// The slots that this node owns, a line each
    #[arg(long, value_name = "ID")]
    slots_of: Option<String>,

    /// The nodes in the order in which they are asked for this slot
    #[arg(long, value_name = "SLOT", allow_negative_numbers = true)]
    slot_ranking: Option<String>,

    /// The arcs of a ring, a line each
    #[arg(long)]
    arcs: bool,
}

/// Runs the verb.
pub(crate) fn run(args: &ShowArgs) -> Outcome {
    let page = args.page.file()?;
    let part = &args.part;
    if page.is_some() && (part.slot_owners || part.slots_of.is_some() || part.slot_ranking.is_some() || part.arcs) {
        return Err(Failure::wrong_use(
            "--html is a page of the whole cluster: leave out what asks for one part of it",
        ));
    }
    let source = args.cluster.open(args.file.as_deref())?;
    let format = args.output.format();
    let named = |error: keystead::Error| Failure::from(error).at(&source.name);
    let only = |what: &str| only_cluster(&source.description, &source.name, what);
    if part.slot_owners {
        let cluster = only("--slot-owners")?;
        let owners = cluster.slot_owners().map_err(named)?;
        parts::slots(cluster, (0..).zip(owners.iter().copied()), true, format)
    } else if let Some(id) = &part.slots_of {
        let cluster = only("--slots-of")?;
        let slots = cluster.slots_of(id).map_err(named)?;
        let index = cluster.index_of(id).unwrap_or_default();
        parts::slots(cluster, slots.into_iter().map(|slot| (slot, index)), false, format)
    } else if let Some(slot) = &part.slot_ranking {
        let cluster = only("--slot-ranking")?;
        let slots = cluster.slots().map_or(u64::MAX, u64::from);
        let slot = number("slot", slot, 0..=slots - 1)?;
        parts::ranking(slot, cluster.slot_ranking(slot).map_err(named)?.map(keystead::Node::id), format)
    } else if part.arcs {
        let cluster = only("--arcs")?;
        parts::arcs(cluster, &cluster.arcs().map_err(named)?, format)
    } else {
        if let Some(file) = page {
            html::publish(file, &page::page(&source))?;
        }
        nodes::show(&source, format)
    }
}

/// What a level of locations is called: by the cluster, or else by its number.
pub(crate) fn level_name(cluster: &Cluster, level: usize) -> String {
    let name = cluster.levels().and_then(|levels| levels.get(level));
    name.map_or_else(|| format!("level {level}"), ToString::to_string)
}
