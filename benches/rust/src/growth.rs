//! One point of a growth plot in a process of its own: whoever started it ends it when it takes too long or too much.

use std::time::{Duration, Instant};

use consistent_hash_ring::RingBuilder;
use hrw::Rendezvous;
use hrw_hash::HrwNodes;
use jumphash::JumpHasher;
use maglev::{ConsistentHasher as _, Maglev};
use pingora_ketama::Continuum;
use serde_json::{Value, json};

use crate::harness::{LOTS, keys, least, place};
use crate::memory::held;
use crate::peers::{buckets, cluster, hashring, ids, rendezvous_hash, ring};
use crate::rings::TOKENS;

/// Measures build, lookup and memory of `who` at `size` nodes; in `rings`, at 160 tokens for each. The error says why it cannot.
pub(crate) fn point(plot: &str, who: &str, size: usize) -> Result<Value, String> {
    // Its first use in a process makes the random numbers for its seed.
    JumpHasher::new();
    let ids = ids(size);
    let names = || ids.iter().map(String::as_str);
    let keys = keys::<LOTS>();
    let value = match (plot, who) {
        ("nodes", "rendezvous-1" | "ring-1" | "slots-1" | "hierarchy-1") => {
            measure(|| cluster(who, size), |cluster, n| keys.each(n, |key| place(Some(cluster.owner(key)))))
        }
        ("nodes", "hrw") => {
            measure(|| Rendezvous::from_nodes(names()), |hrw, n| keys.each(n, |key| place(hrw.pick_top(key))))
        }
        ("nodes", "hrw-hash") => {
            measure(|| HrwNodes::new(names()), |hrw, n| keys.each(n, |key| place(hrw.sorted(key).next())))
        }
        ("nodes", "rendezvous_hash") => {
            measure(|| rendezvous_hash(&ids), |nodes, n| keys.each(n, |key| place(nodes.calc_candidates(key).next())))
        }
        ("nodes", "jumphash") => {
            measure(JumpHasher::new, |jump, n| keys.each(n, |key| u64::from(jump.slot(key, size as u32))))
        }
        ("nodes", "maglev") => measure(|| Maglev::new(names()), |maglev, n| keys.each(n, |key| place(maglev.get(key)))),
        ("nodes", "anchorhash") => {
            let places = u16::try_from(size).map_err(|_| "left out: it counts nodes in 16 bits".to_owned())?;
            measure(
                || anchorhash::Builder::default().with_resources(names()).build::<&&str>(places),
                |anchor, n| keys.each(n, |key| place(anchor.get_resource(key))),
            )
        }
        ("nodes" | "rings", "pingora-ketama") => measure(
            || Continuum::new(&buckets(size)),
            |ring, n| keys.each(n, |key| ring.node(key.as_bytes()).map_or(0, |address| u64::from(address.port()))),
        ),
        ("rings", "ring-1") => {
            let mut value = measure(|| ring(size, TOKENS), |ring, n| keys.each(n, |key| place(Some(ring.owner(key)))));
            let mut now = ring(size, TOKENS);
            let mut grown = false;
            value["change"] = json!(least(Duration::from_millis(20), 5, |n| {
                (0..n)
                    .map(|_| {
                        grown = !grown;
                        now = if grown { now.with_node("newcomer") } else { now.without_node("newcomer") }
                            .expect("a good ring");
                        now.len() as u64
                    })
                    .sum()
            }));
            value
        }
        ("nodes" | "rings", "hashring") => {
            measure(|| hashring(size, TOKENS), |ring, n| keys.each(n, |key| place(ring.get(key))))
        }
        ("nodes" | "rings", "consistent_hash_ring") => measure(
            || RingBuilder::default().vnodes(TOKENS).nodes_iter(names()).build(),
            |ring, n| keys.each(n, |key| place(ring.try_get(key))),
        ),
        _ => return Err(format!("no line {who} in the plot {plot}")),
    };
    Ok(value)
}

/// Nanoseconds for a build and for a lookup, and the bytes held.
fn measure<T>(make: impl Fn() -> T, mut lookup: impl FnMut(&T, u64) -> u64) -> Value {
    let start = Instant::now();
    let (made, bytes) = held(&make);
    let first = start.elapsed();
    // What is built fast is built again: the first time it is in cold memory.
    let build = if first < Duration::from_millis(200) {
        least(Duration::from_millis(20), 3, |n| (0..n).map(|_| place(Some(&make()))).sum())
    } else {
        first.as_secs_f64() * 1e9
    };
    let lookup = least(Duration::from_millis(10), 7, |n| lookup(&made, n));
    json!({ "build": build, "lookup": lookup, "bytes": bytes })
}
