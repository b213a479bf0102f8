//! Replicas in distinct failure domains, in every algorithm: the passes of SPEC.md, section 9, to the letter.

#![cfg(feature = "alloc")]

use std::collections::{BTreeMap, BTreeSet};

use keystead::{Cluster, Constraints, Error, Node, Replicas, draw};

/// Some 3 … 16 nodes of two levels, drained ones among them, in each algorithm.
fn clusters(seed: u64) -> Vec<Cluster> {
    let number = |i, bound| draw(seed, i) % bound;
    let nodes: Vec<Node> = (0..3 + number(0, 14))
        .map(|i| {
            let location = [format!("r{}", number(100 + i, 4)), format!("z{}", number(200 + i, 3))];
            let weight = if i == 0 { 1 } else { number(300 + i, 4) };
            Node::new(format!("n{i:02}")).unwrap().weight(weight.try_into().unwrap()).location(location).unwrap()
        })
        .collect();
    let builder = || Cluster::builder().nodes(&nodes).levels(["region", "zone"]);
    let builders = [
        builder(),
        builder().algorithm("ring-1").tokens_per_weight(20),
        builder().algorithm("slots-1").slots(64),
        builder().algorithm("slots-1").slots(64).headroom(0),
        builder().algorithm("hierarchy-1"),
    ];
    builders.into_iter().map(|builder| builder.build().unwrap()).collect()
}

/// What the passes pick, and the final limit; `None` where strict picking ends short.
fn naive(ranking: &[&Node], r: usize, level: usize, relaxed: bool) -> Option<(Vec<String>, u32)> {
    let mut picked: Vec<&Node> = Vec::new();
    for limit in 1.. {
        for node in ranking {
            let domain = &node.get_location()[..=level];
            let in_domain = picked.iter().filter(|other| other.get_location()[..=level] == *domain).count();
            if picked.iter().any(|other| other.id() == node.id()) || in_domain == limit {
                continue;
            }
            picked.push(node);
            if picked.len() == r {
                return Some((ids(&picked), u32::try_from(limit).unwrap()));
            }
        }
        if !relaxed {
            return None;
        }
    }
    None
}

fn ids(nodes: &[&Node]) -> Vec<String> {
    nodes.iter().map(|node| node.id().to_owned()).collect()
}

fn code(result: &Result<Replicas<'_>, Error>) -> Option<&'static str> {
    result.as_ref().err().map(Error::code)
}

#[test]
fn matches_naive_passes_in_every_algorithm() {
    for seed in 0..40 {
        for cluster in clusters(seed) {
            for key in 0..12_u64 {
                // Every third key is asked for while one node is out.
                let excluded: Vec<&str> = cluster.ids().skip(1).take(usize::from(key % 3 == 0)).collect();
                let constraints = Constraints::new().exclude(excluded);
                let ranking: Vec<&Node> = cluster.ranking_with(key, &constraints).unwrap().collect();
                for (level, name) in ["region", "zone"].into_iter().enumerate() {
                    for relaxed in [false, true] {
                        let constraints = constraints.clone().spread(name).relaxed(relaxed);
                        for r in 1..=ranking.len() {
                            let replicas = cluster.replicas_with(key, r as u64, &constraints);
                            match naive(&ranking, r, level, relaxed) {
                                None => assert_eq!(code(&replicas), Some("not_enough_domains")),
                                Some((picked, limit)) => {
                                    let replicas = replicas.unwrap();
                                    assert_eq!((ids(replicas.nodes()), replicas.limit()), (picked, limit));
                                }
                            }
                        }
                        let one_too_many = cluster.replicas_with(key, ranking.len() as u64 + 1, &constraints);
                        assert_eq!(code(&one_too_many), Some("not_enough_nodes"));
                    }
                }
            }
        }
    }
}

#[test]
fn strict_copies_are_in_distinct_domains_or_refused() {
    for seed in 50..80 {
        for cluster in clusters(seed) {
            for level in 0..2 {
                let live = cluster.nodes().iter().filter(|node| !node.is_drained());
                let domains: BTreeSet<_> = live.map(|node| &node.get_location()[..=level]).collect();
                let spread = Constraints::new().spread(level as u64);
                for key in 0..10_u64 {
                    for r in 0..=domains.len() {
                        let replicas = cluster.replicas_with(key, r as u64, &spread).unwrap();
                        let of = |node: &&Node| node.get_location()[..=level].to_vec();
                        assert_eq!(replicas.nodes().iter().map(of).collect::<BTreeSet<_>>().len(), r);
                    }
                    let refused = cluster.replicas_with(key, domains.len() as u64 + 1, &spread);
                    assert!(matches!(code(&refused), Some("not_enough_domains" | "not_enough_nodes")));
                }
            }
        }
    }
}

#[test]
fn fewer_copies_are_a_prefix_of_more_in_both_modes() {
    for seed in 80..110 {
        for cluster in clusters(seed) {
            for relaxed in [false, true] {
                let spread = Constraints::new().spread(0).relaxed(relaxed);
                for key in 0..10_u64 {
                    let lists = (0..).map_while(|r| cluster.replicas_with(key, r, &spread).ok());
                    let lists: Vec<Vec<String>> = lists.map(|replicas| ids(replicas.nodes())).collect();
                    for (shorter, longer) in lists.iter().zip(&lists[1..]) {
                        assert_eq!(*shorter, longer[..shorter.len()]);
                    }
                }
            }
        }
    }
}

#[test]
fn relaxed_copies_are_as_even_as_the_domains_allow() {
    for seed in 110..140 {
        for cluster in clusters(seed) {
            let spread = Constraints::new().spread(0).relaxed(true);
            for key in 0..10_u64 {
                for r in 1.. {
                    let Ok(replicas) = cluster.replicas_with(key, r, &spread) else { break };
                    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
                    for node in replicas.nodes() {
                        *counts.entry(&node.get_location()[0]).or_default() += 1;
                    }
                    assert_eq!(counts.values().max(), Some(&replicas.limit()));
                    // Who has fewer copies than the limit less one has no further node.
                    for (domain, count) in counts {
                        let beneath = cluster.nodes().iter().filter(|node| *node.get_location()[0] == *domain);
                        let live = beneath.filter(|node| !node.is_drained()).count();
                        assert!(count + 1 >= replicas.limit() || count as usize == live);
                    }
                }
            }
        }
    }
}

#[test]
fn no_copies_are_asked_for_or_a_spread_is_bad_before_anything_else() {
    for cluster in clusters(1) {
        let bad = Constraints::new().spread("rack");
        assert_eq!(cluster.replicas_with("key", 0, &bad).unwrap().nodes().len(), 0);
        assert_eq!(code(&cluster.replicas_with("key", 99, &bad)), Some("invalid_parameter"));
        assert_eq!(code(&cluster.replicas_with("key", 99, &Constraints::new().spread(8))), Some("invalid_parameter"));
        assert_eq!(code(&cluster.replicas_with("key", 99, &Constraints::new().spread(7))), Some("uneven_locations"));
        let nobody = Constraints::new().spread(0).exclude(cluster.ids());
        assert_eq!(code(&cluster.replicas_with("key", 99, &nobody)), Some("no_nodes"));
    }
}
