//! Which node owns this key, and who is next in line: the same answer in Rust, Python and Node, byte for byte, for ever.
//!
//! A [`Cluster`] describes nodes with weights and locations, and answers [`owner`](Cluster::owner), [`ranking`](Cluster::ranking)
//! and [`replicas`](Cluster::replicas) for any key, by rendezvous hashing, a consistent-hash ring, a slot table or hierarchical
//! rendezvous. Nothing is stored and nobody is asked: two programs with the same description agree.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use keystead::{Cluster, Constraints, Node};
//!
//! let cluster = Cluster::rendezvous(["cache-a", "cache-b", "cache-c"])?;
//! assert_eq!(cluster.owner("user:42").id(), "cache-c");
//!
//! // A change gives a new cluster. Keys move only to the new node.
//! let grown = cluster.with_node(Node::new("cache-d")?.weight(2))?;
//! let moved = |i: &u32| cluster.owner(i).id() != grown.owner(i).id();
//! assert!((0..1000).filter(moved).all(|i| grown.owner(&i).id() == "cache-d"));
//!
//! // While a node is unhealthy, its keys go to the next in their ranking.
//! let healthy = Constraints::new().exclude(["cache-c"]);
//! assert_eq!(cluster.owner_with("user:42", &healthy)?.id(), cluster.ranking("user:42").nth(1).unwrap().id());
//! # }
//! # Ok::<(), keystead::Error>(())
//! ```
//!
//! What a change moves and why is a [`Diff`]; a change in steps that keep a limit is a [`Plan`], each step a [`Transition`] to
//! publish.
//!
//! # Features
//! - `alloc` (default): [`Cluster`] and everything that owns memory. Without it there are digests, scores, costs, [`jump()`] and
//!   [`rendezvous_owner`] over a caller's slice.
//! - `json`: cluster and transition files, and the JSON of explanations, differences and plans.
//! - `std`: `LiveCluster`, a description that is reloaded from its file.
//!
//! No feature changes an answer. The crate is `no_std` without the feature `std`, and has no unsafe code. The scan for processors with
//! AVX-512 is in a crate of its own, `keystead-avx512`, and is chosen at run time: it answers the same, from some thirty nodes on
//! in about half the time, for [many keys](OwnerBatch) already among ten. `--cfg keystead_scalar` in `RUSTFLAGS` leaves it out.
//! AVX2 would gain nothing.
//!
//! # Stability
//! An algorithm's name ends in its version. No release changes an answer of a published name.

#![no_std]
#![forbid(unsafe_code)]

// The examples of the front page run as documentation tests. The file is outside the package, so only here.
#[cfg(all(doctest, feature = "json"))]
#[doc = include_str!("../../../README.md")]
mod readme {}

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod encode;
mod error;
mod hash;
mod jump;
mod node;
mod order;
mod rendezvous;

#[cfg(feature = "alloc")]
mod batch;
#[cfg(feature = "alloc")]
mod builder;
#[cfg(feature = "alloc")]
mod change;
#[cfg(feature = "alloc")]
mod cluster;
#[cfg(feature = "alloc")]
mod described;
#[cfg(feature = "alloc")]
mod description;
#[cfg(feature = "alloc")]
mod explain;
#[cfg(feature = "alloc")]
mod fate;
#[cfg(feature = "alloc")]
mod hierarchy;
#[cfg(feature = "alloc")]
mod membership;
#[cfg(feature = "alloc")]
mod placement;
#[cfg(feature = "alloc")]
mod plan;
#[cfg(feature = "alloc")]
mod replicas;
#[cfg(feature = "alloc")]
mod ring;
#[cfg(feature = "alloc")]
mod slots;
#[cfg(feature = "alloc")]
mod transition;

#[cfg(all(test, feature = "alloc"))]
mod kernels;

#[cfg(feature = "json")]
mod file;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "std")]
mod live;

pub use encode::{Key, KeyBytes};
pub use error::{Error, ErrorKind, Position};
pub use hash::{Domain, GOLDEN, Hash, draw, mix64};
pub use jump::{jump, jump_bucket, modulo};
pub use order::cost;
pub use rendezvous::{PreparedNode, rendezvous_owner};

#[cfg(feature = "json")]
pub use file::Secrets;
#[cfg(feature = "std")]
pub use live::{LiveCluster, LiveError};
#[cfg(feature = "alloc")]
pub use {
    batch::{OwnerBatch, OwnerIndices},
    builder::ClusterBuilder,
    change::{
        Count, Counted, CountedCopies, CountedMove, CountedNode, CountedReasons, Diff, DiffSide, DiffSummary,
        DiffTransition, Expected, ExpectedCopies, ExpectedCopiesNode, ExpectedMove, ExpectedNode, Least, Move,
        MovedArc, MovedSlot, Reason,
    },
    cluster::{Cluster, Ranking, Share},
    described::{Comparison, Described, Description, Refresh},
    description::Fingerprint,
    encode::{EncodedKey, KeyEncoder, KeyItem, KeyPart, encode_key},
    explain::{ExplainedDomain, ExplainedKey, ExplainedNode, ExplainedTransition, Explanation},
    membership::Change,
    node::Node,
    order::rank_scores,
    plan::{
        Limit, Limits, Oversize, Plan, PlanAmount, PlanChecks, PlanNode, PlanStep, PlanSummary, PlanWeight, Planner,
    },
    replicas::{Constraints, Replicas, Spread},
    ring::RingArc,
    transition::{Gate, Transition},
};

// For the vectors of caps alone, which reach products that no table of slots can.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use slots::caps;
