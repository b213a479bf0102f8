//! Every algorithm's `owner` at growing numbers of nodes, and what each cluster holds in memory.

use keystead::{Cluster, Hash, jump_bucket, modulo};

use crate::harness::{Bench, Case, FEW, counted, keys, place};
use crate::memory::held;
use crate::peers;

pub(crate) fn run(bench: &mut Bench) {
    let keys = keys::<FEW>();
    let hash = Hash::default();
    for nodes in [10_usize, 30, 100, 1_000] {
        let mut cluster = |algorithm: &str| {
            let (cluster, bytes) = held(|| peers::cluster(algorithm, nodes));
            bench.remember(&counted(nodes), algorithm, bytes, nodes, "node");
            cluster
        };
        let rendezvous = cluster("rendezvous-1");
        let ring = cluster("ring-1");
        let slots = cluster("slots-1");
        let hierarchy = cluster("hierarchy-1");
        let owner = |cluster: &Cluster, n: u64| keys.each(n, |key| place(Some(cluster.owner(key))));
        let count = nodes as u64;
        bench.measure(
            "owner by algorithm",
            &counted(nodes),
            vec![
                Case::new("rendezvous-1", |n| owner(&rendezvous, n)),
                Case::new("ring-1, 256 tokens a node", |n| owner(&ring, n)),
                Case::new("slots-1, 16,384 slots", |n| owner(&slots, n)),
                Case::new("hierarchy-1, zones", |n| owner(&hierarchy, n)),
                Case::new("jump_bucket", |n| keys.each(n, |key| jump_bucket(key, count, &hash).map_or(0, u64::from))),
                Case::new("modulo", |n| keys.each(n, |key| modulo(key, count, &hash).map_or(0, u64::from))),
            ],
        );
    }
}
