//! Every algorithm's `owner` at growing numbers of nodes, and what each cluster holds in memory.

use keystead::{Cluster, ClusterBuilder, Hash, Node, jump_bucket, modulo};

use crate::harness::{Bench, Case, keys};
use crate::memory::held;

pub(crate) fn run(bench: &mut Bench) {
    let keys = keys(1 << 12);
    let key = |i: u64| keys[i as usize % keys.len()].as_str();
    let hash = Hash::default();
    for nodes in [10_usize, 100, 1_000] {
        let mut cluster = |algorithm: &'static str, set: fn(ClusterBuilder) -> ClusterBuilder| {
            // Ten zones or fewer, as the hierarchy needs; the others take no notice of locations.
            let zone = |i: usize| format!("zone-{}", i % 10.min(nodes / 5));
            let list = (0..nodes).map(|i| {
                Node::new(format!("node-{i}")).and_then(|node| node.location([zone(i)])).expect("a good node")
            });
            let (cluster, bytes) =
                held(|| set(Cluster::builder().algorithm(algorithm).nodes(list)).build().expect("a good cluster"));
            bench.remember(&format!("{algorithm}, {nodes} nodes"), "keystead", bytes, nodes, "node");
            cluster
        };
        let rendezvous = cluster("rendezvous-1", |builder| builder);
        let ring = cluster("ring-1", |builder| builder);
        let slots = cluster("slots-1", |builder| builder);
        let hierarchy = cluster("hierarchy-1", |builder| builder);
        let owner = |cluster: &Cluster, n: u64| (0..n).map(|i| u64::from(cluster.owner_index(key(i)))).sum();
        bench.measure(
            &format!("owner by algorithm, {nodes} nodes"),
            vec![
                Case::new("rendezvous-1", |n| owner(&rendezvous, n)),
                Case::new("ring-1, 256 tokens", |n| owner(&ring, n)),
                Case::new("slots-1, 16,384 slots", |n| owner(&slots, n)),
                Case::new("hierarchy-1, zones", |n| owner(&hierarchy, n)),
                Case::new("jump_bucket", |n| {
                    (0..n).map(|i| jump_bucket(key(i), nodes as u64, &hash).map_or(0, u64::from)).sum()
                }),
                Case::new("modulo", |n| (0..n).map(|i| modulo(key(i), nodes as u64, &hash).map_or(0, u64::from)).sum()),
            ],
        );
    }
}
