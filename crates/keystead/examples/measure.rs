//! How evenly each algorithm shares keys out, and how many keys move when a node joins or leaves: the figures of `docs/choosing.md`.
//!
//! `cargo xtask measure` runs it; it prints Markdown. The keys are the same in every run, so the figures are too.

#![expect(clippy::cast_precision_loss, reason = "figures for people, of two decimals")]

use std::error::Error;

use keystead::{Cluster, ClusterBuilder, Hash, Node, draw, jump_bucket, modulo};

/// Keys counted for each figure.
const KEYS: u64 = 1_000_000;
const NODES: [u32; 3] = [10, 100, 1_000];

/// The node of every key, given the nodes there are.
type Place = Box<dyn Fn(&[u32]) -> Result<Vec<u32>, Box<dyn Error>>>;
/// The exact shares of so many nodes.
type Shares = Box<dyn Fn(u32) -> Result<Vec<f64>, Box<dyn Error>>>;

/// A way to place keys: the node of every key, as a number that stays with the node.
struct Placement {
    name: &'static str,
    place: Place,
    /// Where they differ from the weights.
    shares: Option<Shares>,
    /// Whether any node may leave. Buckets are positions: when one in the middle leaves, all behind it are numbered anew.
    by_position: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let placements = placements();
    println!("Measured by `cargo xtask measure`: {KEYS} keys, equal weights.\n");
    evenness(&placements)?;
    exact(&placements)?;
    movement(&placements)
}

fn placements() -> Vec<Placement> {
    let mut placements = vec![algorithm("rendezvous-1", "rendezvous-1", false, |builder| builder)];
    placements.push(algorithm("ring-1, 1 token", "ring-1", true, |builder| builder.tokens_per_weight(1)));
    placements.push(algorithm("ring-1, 16 tokens", "ring-1", true, |builder| builder.tokens_per_weight(16)));
    placements.push(algorithm("ring-1, 64 tokens", "ring-1", true, |builder| builder.tokens_per_weight(64)));
    placements.push(algorithm("ring-1, 256 tokens", "ring-1", true, |builder| builder.tokens_per_weight(256)));
    placements.push(algorithm("ring-1, 1,024 tokens", "ring-1", true, |builder| builder.tokens_per_weight(1_024)));
    for (name, slots, headroom) in [
        ("slots-1, 1,024 slots", 1_024, None),
        ("slots-1, 16,384 slots", 16_384, None),
        ("slots-1, 16,384 slots, headroom 5", 16_384, Some(5)),
        ("slots-1, 16,384 slots, headroom 0", 16_384, Some(0)),
    ] {
        placements.push(algorithm(name, "slots-1", true, move |builder| match headroom {
            Some(percent) => builder.slots(slots).headroom(percent),
            None => builder.slots(slots),
        }));
    }
    placements.push(algorithm("hierarchy-1, zones of 5 and more", "hierarchy-1", false, |builder| builder));
    placements.push(bucket("jump_bucket", |key, n, hash| jump_bucket(key, n, hash)));
    placements.push(bucket("modulo", |key, n, hash| modulo(key, n, hash)));
    placements
}

/// A cluster algorithm.
fn algorithm(
    name: &'static str,
    algorithm: &'static str,
    exact: bool,
    set: impl Fn(ClusterBuilder) -> ClusterBuilder + Clone + 'static,
) -> Placement {
    let build = move |numbers: &[u32]| -> Result<Cluster, Box<dyn Error>> {
        let mut nodes = Vec::new();
        for number in numbers {
            // Two zones for ten nodes, ten zones for more; the newcomer joins one of them.
            let zone = number % if numbers.len() < 50 { 2 } else { 10 };
            nodes.push(Node::new(format!("node-{number:06}"))?.location([format!("zone-{zone}")])?);
        }
        Ok(set(Cluster::builder().algorithm(algorithm).nodes(nodes)).build()?)
    };
    let build_for_shares = build.clone();
    Placement {
        name,
        place: Box::new(move |numbers| {
            let cluster = build(numbers)?;
            // Ids ascend with the numbers, so an index is a position among them.
            Ok((0..KEYS).map(|i| numbers[cluster.owner_index(key(i)) as usize]).collect())
        }),
        shares: exact.then(|| -> Shares {
            Box::new(move |nodes| {
                let cluster = build_for_shares(&(0..nodes).collect::<Vec<_>>())?;
                Ok(cluster.shares().iter().map(|share| share.numerator as f64 / share.denominator as f64).collect())
            })
        }),
        by_position: false,
    }
}

/// A function to numbered buckets.
fn bucket(
    name: &'static str,
    function: impl Fn(&[u8; 8], u64, &Hash) -> Result<u32, keystead::Error> + 'static,
) -> Placement {
    let place = move |numbers: &[u32]| -> Result<Vec<u32>, Box<dyn Error>> {
        let hash = Hash::default();
        let mut owners = Vec::new();
        for i in 0..KEYS {
            owners.push(numbers[function(&key(i), numbers.len() as u64, &hash)? as usize]);
        }
        Ok(owners)
    };
    Placement { name, place: Box::new(place), shares: None, by_position: true }
}

fn key(i: u64) -> [u8; 8] {
    draw(2026, i).to_le_bytes()
}

/// The largest value and the standard deviation, both against the mean.
fn spread(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (values.iter().fold(0.0_f64, |most, value| most.max(*value)) / mean, variance.sqrt() / mean)
}

fn header(first: &str, columns: [&str; 2]) {
    let names: Vec<String> =
        NODES.iter().flat_map(|nodes| columns.map(|column| format!("{column}, {nodes} nodes"))).collect();
    println!("| {first} | {} |", names.join(" | "));
    println!("|---|{}", "---:|".repeat(names.len()));
}

fn evenness(placements: &[Placement]) -> Result<(), Box<dyn Error>> {
    println!(
        "Evenness of keys, counted. A perfect placement scatters by chance like `rendezvous-1` does: sd is about 1/√(keys a node).\n"
    );
    header("placement", ["max/mean", "sd"]);
    for placement in placements {
        print!("| {} |", placement.name);
        for nodes in NODES {
            let mut counts = vec![0.0; nodes as usize];
            for owner in (placement.place)(&(0..nodes).collect::<Vec<_>>())? {
                counts[owner as usize] += 1.0;
            }
            let (most, deviation) = spread(&counts);
            print!(" {most:.3} | {:.2} % |", deviation * 100.0);
        }
        println!();
    }
    println!();
    Ok(())
}

fn exact(placements: &[Placement]) -> Result<(), Box<dyn Error>> {
    println!(
        "Evenness of the exact shares, without the chance of keys (`shares()`); in `rendezvous-1` and `hierarchy-1` they are the weights.\n"
    );
    header("placement", ["max/mean", "sd"]);
    for placement in placements {
        let Some(shares) = &placement.shares else { continue };
        print!("| {} |", placement.name);
        for nodes in NODES {
            let (most, deviation) = spread(&shares(nodes)?);
            print!(" {most:.3} | {:.2} % |", deviation * 100.0);
        }
        println!();
    }
    println!();
    Ok(())
}

fn movement(placements: &[Placement]) -> Result<(), Box<dyn Error>> {
    println!(
        "Keys that move when one node joins, and when a node in the middle leaves: share of all keys, and how many times the least possible"
    );
    println!(
        "(joining: the newcomer's fair share; leaving: the keys of the node that leaves). On a ring of few tokens a newcomer gets more or"
    );
    println!("less than its fair share, so figures below 1 stand there too.\n");
    header("placement", ["joins", "leaves"]);
    for placement in placements {
        print!("| {} |", placement.name);
        for nodes in NODES {
            let numbers: Vec<u32> = (0..nodes).collect();
            let more: Vec<u32> = (0..=nodes).collect();
            let gone = nodes / 2;
            let fewer: Vec<u32> = numbers.iter().copied().filter(|number| *number != gone).collect();
            let before = (placement.place)(&numbers)?;
            let joined = differing(&before, &(placement.place)(&more)?);
            print!(" {} |", against(joined, 1.0 / f64::from(nodes + 1)));
            let held = before.iter().filter(|owner| **owner == gone).count() as f64 / KEYS as f64;
            let left = differing(&before, &(placement.place)(&fewer)?);
            print!(" {}{} |", against(left, held), if placement.by_position { " *" } else { "" });
        }
        println!();
    }
    println!(
        "\n\\* Buckets are positions: all behind the one that leaves get another number. With `jump` only the last bucket can leave without that."
    );
    Ok(())
}

fn differing(a: &[u32], b: &[u32]) -> f64 {
    a.iter().zip(b).filter(|(a, b)| a != b).count() as f64 / a.len() as f64
}

fn against(moved: f64, least: f64) -> String {
    format!("{:.2} % ({:.2}×)", moved * 100.0, moved / least)
}
