//! Places every key of a file, before and after a node is added: one of the three programs of `cargo xtask demo`.
//!
//! `rankings CLUSTER KEYS FOLDER ID WEIGHT LOCATION…` reads the cluster file and the keys, one a line, and writes `before.tsv` and
//! `after.tsv`: a line for each key, the owner and then the whole ranking.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

use keystead::{Cluster, Node};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [cluster, keys, folder, id, weight, location @ ..] = arguments.as_slice() else {
        return Err("usage: rankings CLUSTER KEYS FOLDER ID WEIGHT LOCATION…".into());
    };
    let keys = fs::read_to_string(keys)?;
    let keys: Vec<&str> = keys.lines().collect();

    let before = Cluster::from_json(&fs::read(cluster)?, None)?;
    let newcomer = Node::new(id.as_str())?.weight(weight.parse()?).location(location.iter().map(String::as_str))?;
    let after = before.with_node(newcomer)?;

    for (name, cluster) in [("before", &before), ("after", &after)] {
        fs::write(Path::new(folder).join(format!("{name}.tsv")), table(cluster, &keys)?)?;
        println!("fingerprint-{name} {}", cluster.fingerprint());
    }
    let shares = after.shares();
    for (id, share) in after.ids().zip(&shares) {
        println!("share {id} {} {}", share.numerator, share.denominator);
    }

    let start = Instant::now();
    let mut owners = 0_u64;
    for key in &keys {
        owners += u64::from(before.owner_index(*key));
    }
    println!("owner-nanoseconds {}", start.elapsed().as_nanos() / (keys.len().max(1) as u128));
    // Printed, so that the loop is not left out as useless.
    println!("owner-checksum {owners}");
    Ok(())
}

fn table(cluster: &Cluster, keys: &[&str]) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for key in keys {
        write!(text, "{}", cluster.owner(*key).id())?;
        for node in cluster.ranking(*key) {
            write!(text, "\t{}", node.id())?;
        }
        text.push('\n');
    }
    Ok(text)
}
