//! `owner` among nodes without a ring.

use hrw::Rendezvous;
use hrw_hash::HrwNodes;
use keystead::Cluster;

use crate::harness::{Bench, Case, keys};

pub(crate) fn run(bench: &mut Bench) {
    let keys = keys(1 << 12);
    for nodes in [10_usize, 1_000] {
        let ids: Vec<String> = (0..nodes).map(|i| format!("node-{i}")).collect();
        let cluster = Cluster::rendezvous(ids.iter().map(String::as_str)).expect("a good cluster");
        let hrw = Rendezvous::from_nodes(ids.iter().map(String::as_str));
        let hrw_hash = HrwNodes::new(ids.iter().map(String::as_str));
        let key = |i: u64| keys[i as usize % keys.len()].as_str();
        bench.measure(
            &format!("owner, 16-byte key, {nodes} nodes"),
            vec![
                Case::new("keystead", |n| (0..n).map(|i| u64::from(cluster.owner_index(key(i)))).sum()),
                Case::new("hrw", |n| (0..n).map(|i| hrw.pick_top(&key(i)).map_or(0, |id| id.len() as u64)).sum()),
                Case::new("hrw-hash", |n| {
                    (0..n).map(|i| hrw_hash.sorted(&key(i)).next().map_or(0, |id| id.len() as u64)).sum()
                }),
            ],
        );
    }
}
