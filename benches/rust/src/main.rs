//! The core beside other crates, in one process and in interleaved rounds. Prints JSON; `cargo xtask bench` makes it readable.
//!
//! `benches-rust [--quick]`, or `benches-rust point PLOT WHO NODES` for one point of a growth plot.

mod algorithms;
mod growth;
mod harness;
mod memory;
mod peers;
mod rendezvous;
mod rings;
mod tables;

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::harness::Bench;

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] | ["--quick"] => {
            let mut bench = Bench::new(!arguments.is_empty());
            rendezvous::run(&mut bench);
            tables::run(&mut bench);
            rings::run(&mut bench);
            algorithms::run(&mut bench);
            let Bench { rows, memory, left_out, .. } = bench;
            println!(
                "{}",
                json!({ "language": "Rust", "versions": versions(), "rows": rows, "memory": memory, "left_out": left_out })
            );
        }
        ["point", plot, who, size] => {
            let size = size.parse().map_err(|_| format!("{size} is no number of nodes"));
            match size.and_then(|size| growth::point(plot, who, size)) {
                Ok(point) => println!("{point}"),
                Err(reason) => {
                    eprintln!("{reason}");
                    return ExitCode::FAILURE;
                }
            }
        }
        _ => {
            eprintln!("benches-rust [--quick] | benches-rust point PLOT WHO NODES");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The versions that were measured, from the lock file: ours, and what this package names.
fn versions() -> Value {
    let lock = include_str!("../Cargo.lock");
    let field = |block: &str, name: &str| {
        block
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"').map(str::to_owned))
    };
    let peers = [
        "keystead",
        "anchorhash",
        "consistent_hash_ring",
        "foldhash",
        "hashring",
        "hrw",
        "hrw-hash",
        "jumphash",
        "maglev",
        "pingora-ketama",
        "rendezvous_hash",
    ];
    let found = lock.split("[[package]]").filter_map(|block| Some((field(block, "name")?, field(block, "version")?)));
    Value::Object(
        found
            .filter(|(name, _)| peers.contains(&name.as_str()))
            .map(|(name, version)| (name, Value::from(version)))
            .collect(),
    )
}
