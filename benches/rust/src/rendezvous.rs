//! Among nodes without a ring: owner, the best three, the whole ranking, owner by weight.

use hrw::Rendezvous;
use hrw_hash::HrwNodes;
use keystead::{Cluster, Node};

use crate::harness::{Bench, Case, FEW, counted, keys, place};
use crate::peers::{Weighted, cluster, ids, rendezvous_hash, rendezvous_hash_weighted, weight};

pub(crate) fn run(bench: &mut Bench) {
    for nodes in [3, 10, 100, 1_000, 10_000] {
        owner(bench, nodes);
    }
    for nodes in [10, 100, 1_000] {
        best(bench, nodes);
        weighted(bench, nodes);
    }
}

fn owner(bench: &mut Bench, nodes: usize) {
    let keys = keys::<FEW>();
    let ids = ids(nodes);
    let ours = cluster("rendezvous-1", nodes);
    let hrw = Rendezvous::from_nodes(ids.iter().map(String::as_str));
    let folded =
        Rendezvous::from_nodes_and_hasher(ids.iter().map(String::as_str), foldhash::fast::FixedState::default());
    let hrw_hash = HrwNodes::new(ids.iter().map(String::as_str));
    let rendezvous_hash = rendezvous_hash(&ids);
    bench.measure(
        "owner",
        &counted(nodes),
        vec![
            Case::new("keystead", |n| keys.each(n, |key| place(Some(ours.owner(key))))),
            Case::new("keystead, owner_indices", |n| sum(ours.owner_indices(keys.take(n)))),
            Case::new("hrw", |n| keys.each(n, |key| place(hrw.pick_top(key)))),
            Case::new("hrw, foldhash", |n| keys.each(n, |key| place(folded.pick_top(key)))),
            Case::new("hrw-hash", |n| keys.each(n, |key| place(hrw_hash.sorted(key).next()))),
            Case::new("rendezvous_hash", |n| keys.each(n, |key| place(rendezvous_hash.calc_candidates(key).next()))),
        ],
    );
}

fn best(bench: &mut Bench, nodes: usize) {
    let keys = keys::<FEW>();
    let ids = ids(nodes);
    let ours = cluster("rendezvous-1", nodes);
    let hrw = Rendezvous::from_nodes(ids.iter().map(String::as_str));
    let hrw_hash = HrwNodes::new(ids.iter().map(String::as_str));
    let rendezvous_hash = rendezvous_hash(&ids);
    bench.measure(
        "top 3",
        &counted(nodes),
        vec![
            Case::new("keystead", |n| {
                keys.each(n, |key| ours.replicas(key, 3).map_or(0, |nodes| places(nodes.into_iter())))
            }),
            Case::new("hrw", |n| keys.each(n, |key| places(hrw.pick_top_k(key, 3).into_iter()))),
            Case::new("hrw-hash", |n| keys.each(n, |key| places(hrw_hash.sorted(key).take(3)))),
            Case::new("rendezvous_hash", |n| keys.each(n, |key| places(rendezvous_hash.calc_candidates(key).take(3)))),
        ],
    );
    bench.measure(
        "full ranking",
        &counted(nodes),
        vec![
            Case::new("keystead", |n| keys.each(n, |key| places(ours.ranking(key)))),
            Case::new("hrw", |n| keys.each(n, |key| places(hrw.pick_top_k(key, nodes).into_iter()))),
            Case::new("hrw-hash", |n| keys.each(n, |key| places(hrw_hash.sorted(key)))),
            Case::new("rendezvous_hash", |n| keys.each(n, |key| places(rendezvous_hash.calc_candidates(key)))),
        ],
    );
}

fn sum(indices: impl Iterator<Item = u32>) -> u64 {
    indices.fold(0, |sum, index| sum.wrapping_add(index.into()))
}

/// hrw has no weights.
fn weighted(bench: &mut Bench, nodes: usize) {
    let keys = keys::<FEW>();
    let ids = ids(nodes);
    let list = ids.iter().enumerate().map(|(i, id)| Node::new(id).expect("a good id").weight(weight(i)));
    let ours = Cluster::rendezvous(list).expect("a good cluster");
    let hrw_hash = HrwNodes::new(ids.iter().enumerate().map(|(i, id)| Weighted { id, weight: weight(i) }));
    let rendezvous_hash = rendezvous_hash_weighted(&ids);
    bench.measure(
        "weighted owner",
        &counted(nodes),
        vec![
            Case::new("keystead", |n| keys.each(n, |key| place(Some(ours.owner(key))))),
            Case::new("hrw-hash", |n| keys.each(n, |key| place(hrw_hash.sorted(key).next()))),
            Case::new("rendezvous_hash", |n| keys.each(n, |key| place(rendezvous_hash.calc_candidates(key).next()))),
        ],
    );
    bench.measure(
        "weighted top 3",
        &counted(nodes),
        vec![
            Case::new("keystead", |n| {
                keys.each(n, |key| ours.replicas(key, 3).map_or(0, |nodes| places(nodes.into_iter())))
            }),
            Case::new("hrw-hash", |n| keys.each(n, |key| places(hrw_hash.sorted(key).take(3)))),
            Case::new("rendezvous_hash", |n| keys.each(n, |key| places(rendezvous_hash.calc_candidates(key).take(3)))),
        ],
    );
    bench.measure(
        "weighted full ranking",
        &counted(nodes),
        vec![
            Case::new("keystead", |n| keys.each(n, |key| places(ours.ranking(key)))),
            Case::new("hrw-hash", |n| keys.each(n, |key| places(hrw_hash.sorted(key)))),
            Case::new("rendezvous_hash", |n| keys.each(n, |key| places(rendezvous_hash.calc_candidates(key)))),
        ],
    );
}

fn places<'a, T: 'a>(nodes: impl Iterator<Item = &'a T>) -> u64 {
    nodes.fold(0, |sum, node| sum.wrapping_mul(3).wrapping_add(place(Some(node))))
}
