//! Does one operation of the core a number of times, for a program that counts instructions: `instructions NAME TIMES`. Without
//! arguments it prints the names, each with a number of times that is enough.
//!
//! The difference between twice as often and once is the operation alone: `cargo xtask instructions`.

use std::hint::black_box;

use keystead::{Cluster, Error, Node, draw};

/// An operation, and how often it is done. Keys and numbers repeat after [`INPUTS`], so that a multiple of it has them all alike.
const OPERATIONS: [(&str, u64); 10] = [
    ("owner among 10 nodes", INPUTS),
    ("owner among 1000 nodes", INPUTS),
    ("owner among 100 nodes of weights 1 to 8", INPUTS),
    ("3 replicas among 100 nodes", INPUTS),
    ("ranking of 100 nodes", INPUTS),
    ("ring of 16000 tokens, owner_at", INPUTS),
    ("ring of 16000 tokens, owner", INPUTS),
    ("ring of 16000 tokens, one node added", 4),
    ("slots, owner_at", INPUTS),
    ("hierarchy of 10 zones of 10 nodes, owner", INPUTS),
];

const INPUTS: u64 = 1024;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let Some(name) = arguments.next() else {
        for (name, times) in OPERATIONS {
            println!("{times}\t{name}");
        }
        return Ok(());
    };
    let times = arguments.next().and_then(|times| times.parse().ok()).expect("how often, as a number");
    repeat(&name, times)
}

fn nodes(count: u32, weight: impl Fn(u32) -> u32) -> Result<Vec<Node>, Error> {
    (0..count)
        .map(|i| Node::new(format!("node-{i}"))?.weight(weight(i)).location([format!("zone-{}", i % 10)]))
        .collect()
}

fn cluster(algorithm: &str, count: u32) -> Result<Cluster, Error> {
    let builder = Cluster::builder().algorithm(algorithm).nodes(nodes(count, |_| 1)?);
    // 160 for each of 100 nodes.
    if algorithm == "ring-1" { builder.tokens_per_weight(160).build() } else { builder.build() }
}

fn repeat(name: &str, times: u64) -> Result<(), Error> {
    let numbers: Vec<u64> = (0..INPUTS).map(|i| draw(2026, i)).collect();
    let keys: Vec<String> = numbers.iter().map(|number| format!("{number:016x}")).collect();
    let each_key = |work: &mut dyn FnMut(&str)| {
        keys.iter().cycle().zip(0..times).for_each(|(key, _)| work(key));
    };
    let each_number = |work: &mut dyn FnMut(u64)| {
        numbers.iter().cycle().zip(0..times).for_each(|(number, _)| work(*number));
    };
    let owner = |cluster: &Cluster| {
        each_key(&mut |key| {
            black_box(cluster.owner_index(key));
        });
    };
    let owner_at = |cluster: &Cluster| {
        each_number(&mut |number| {
            black_box(cluster.owner_index_at(number)).ok();
        });
    };
    match name {
        "owner among 10 nodes" => owner(&cluster("rendezvous-1", 10)?),
        "owner among 1000 nodes" => owner(&cluster("rendezvous-1", 1000)?),
        "owner among 100 nodes of weights 1 to 8" => owner(&Cluster::rendezvous(nodes(100, |i| 1 + i % 8)?)?),
        "3 replicas among 100 nodes" => {
            let cluster = cluster("rendezvous-1", 100)?;
            each_key(&mut |key| drop(black_box(cluster.replicas(key, 3))));
        }
        "ranking of 100 nodes" => {
            let cluster = cluster("rendezvous-1", 100)?;
            each_key(&mut |key| {
                for node in cluster.ranking(key) {
                    black_box(node);
                }
            });
        }
        "ring of 16000 tokens, owner_at" => owner_at(&cluster("ring-1", 100)?),
        "ring of 16000 tokens, owner" => owner(&cluster("ring-1", 100)?),
        "ring of 16000 tokens, one node added" => {
            let cluster = cluster("ring-1", 100)?;
            (0..times).for_each(|_| drop(black_box(cluster.with_node("newcomer"))));
        }
        "slots, owner_at" => owner_at(&cluster("slots-1", 100)?),
        "hierarchy of 10 zones of 10 nodes, owner" => owner(&cluster("hierarchy-1", 100)?),
        other => panic!("there is no operation {other:?}"),
    }
    Ok(())
}
