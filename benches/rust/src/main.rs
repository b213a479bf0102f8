//! The core beside other crates, in one process and in interleaved rounds. Prints JSON; `cargo xtask bench` makes it readable.
//!
//! `benches-rust [--quick]`

mod algorithms;
mod harness;
mod memory;
mod rendezvous;
mod rings;

use serde_json::{Value, json};

use crate::harness::Bench;

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let mut bench = Bench::new(quick);
    rendezvous::run(&mut bench);
    rings::run(&mut bench);
    algorithms::run(&mut bench);
    println!("{}", json!({ "language": "Rust", "versions": versions(), "rows": bench.rows, "memory": bench.memory }));
}

/// The versions that were measured, from the lock file.
fn versions() -> Value {
    let lock = include_str!("../Cargo.lock");
    let field = |block: &str, name: &str| {
        block
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"').map(str::to_owned))
    };
    let peers = ["keystead", "hrw", "hrw-hash", "hashring", "pingora-ketama"];
    let found = lock.split("[[package]]").filter_map(|block| Some((field(block, "name")?, field(block, "version")?)));
    Value::Object(
        found
            .filter(|(name, _)| peers.contains(&name.as_str()))
            .map(|(name, version)| (name, Value::from(version)))
            .collect(),
    )
}
