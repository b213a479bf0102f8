//! Rings of tokens: lookup, build, one node more or less.

use consistent_hash_ring::RingBuilder;
use pingora_ketama::Continuum;

use crate::harness::{Bench, Case, LOTS, keys, numbers, place};
use crate::memory::held;
use crate::peers::{buckets, hashring, hashring_of, ring, tokens};

/// pingora-ketama has 160 points for a node of weight 1, so all rings have; but for the smallest, where it is 320 points against 300.
pub(crate) const TOKENS: usize = 160;

/// Above this, a ring of `consistent_hash_ring` takes too long to build.
const CROWDED: usize = 16_000;

pub(crate) fn run(bench: &mut Bench) {
    for tokens in [300, 16_000, 160_000, 1_600_000] {
        let (nodes, each) = if tokens == 300 { (3, 100) } else { (tokens / TOKENS, TOKENS) };
        one_size(bench, tokens, nodes, each);
    }
}

fn one_size(bench: &mut Bench, size: usize, nodes: usize, each: usize) {
    let name = match size {
        0..1_000 => format!("{size} tokens"),
        1_000..1_000_000 => format!("{}k tokens", size / 1_000),
        _ => format!("{:.1}M tokens", size as f64 / 1e6),
    };
    let points = size.div_ceil(TOKENS);
    let (ours, ours_bytes) = held(|| ring(nodes, each));
    let (identical, identical_bytes) = held(|| hashring_of(tokens(&ours)));
    let (ketama, ketama_bytes) = held(|| Continuum::new(&buckets(points)));
    let crowded = || RingBuilder::default().vnodes(each).nodes_iter(0..nodes as u32).build();
    let (crowd, crowd_bytes) = held(|| (size <= CROWDED).then(crowded));
    let hashring_ring = hashring(nodes, each);

    let numbers = numbers::<LOTS>();
    bench.measure(
        "ring owner_at",
        &name,
        vec![
            Case::new("keystead", |n| numbers.each(n, |number| u64::from(ours.owner_index_at(*number).unwrap_or(0)))),
            Case::new("hashring, identity hasher", |n| {
                numbers.each(n, |number| identical.get(number).map_or(0, |token| u64::from(token.node)))
            }),
        ],
    );
    drop(identical);
    let keys = keys::<LOTS>();
    let mut cases = vec![
        Case::new("keystead", |n| keys.each(n, |key| place(Some(ours.owner(key))))),
        Case::new("pingora-ketama", |n| {
            keys.each(n, |key| ketama.node(key.as_bytes()).map_or(0, |address| u64::from(address.port())))
        }),
        Case::new("hashring", |n| keys.each(n, |key| place(hashring_ring.get(key)))),
    ];
    if let Some(crowd) = &crowd {
        cases.push(Case::new("consistent_hash_ring", |n| keys.each(n, |key| place(crowd.try_get(key)))));
    } else {
        bench.leave_out(
            "rings",
            &name,
            "consistent_hash_ring",
            "a build takes 9 s at 160k tokens and grows with their square",
        );
    }
    bench.measure("ring owner", &name, cases);
    drop((ketama, crowd, hashring_ring));

    let given = tokens(&ours);
    let (fewer, more) = (buckets(points), buckets(points + 1));
    let mut cases = vec![
        Case::new("keystead", |n| (0..n).map(|_| ring(nodes, each).len() as u64).sum()),
        Case::new("pingora-ketama", |n| (0..n).map(|_| Continuum::new(&fewer).node_idx(b"key") as u64).sum()),
        Case::new("hashring", |n| (0..n).map(|_| hashring(nodes, each).len() as u64).sum()),
        Case::new("hashring, tokens given", |n| (0..n).map(|_| hashring_of(given.clone()).len() as u64).sum()),
    ];
    if size <= CROWDED {
        cases.push(Case::new("consistent_hash_ring", |n| (0..n).map(|_| crowded().len() as u64).sum()));
    }
    bench.measure("ring build", &name, cases);

    // In turn one node more and one less, so that each side has the memory of the ring before to work in.
    let mut now = ours.clone();
    let mut grown = false;
    bench.measure(
        "ring, one node more or less",
        &name,
        vec![
            Case::new("keystead", |n| {
                (0..n)
                    .map(|_| {
                        grown = !grown;
                        now = if grown { now.with_node("newcomer") } else { now.without_node("newcomer") }
                            .expect("a good ring");
                        now.len() as u64
                    })
                    .sum()
            }),
            Case::new("pingora-ketama, built anew", |n| {
                (0..n).map(|i| Continuum::new(if i % 2 == 0 { &more } else { &fewer }).node_idx(b"key") as u64).sum()
            }),
        ],
    );
    let what = format!("ring, {name}");
    bench.remember(&what, "keystead", ours_bytes, size, "token");
    bench.remember(&what, "pingora-ketama", ketama_bytes, points * TOKENS, "token");
    bench.remember(&what, "hashring", identical_bytes, size, "token");
    if size <= CROWDED {
        bench.remember(&what, "consistent_hash_ring", crowd_bytes, size, "token");
    }
}
