//! The keystead core for Node: the functions over which `index.js` puts the class `Cluster`.
//!
//! Nothing here knows an algorithm. Arguments come checked for their types from `index.js`, which alone sees this addon; keys are read
//! here, where they are used. Every function has a net under it that turns a panic, which would end the process, into an `Error`.

#![expect(clippy::missing_errors_doc, reason = "all throw the core's errors, whose codes index.d.ts documents")]
#![expect(clippy::needless_pass_by_value, reason = "napi hands arguments over by value")]

// Public, since what napi-derive registers is called from outside Rust.
pub mod answers;
mod batch;
pub mod cluster;
pub mod columns;
pub mod described;
pub mod difference;
mod fault;
pub mod functions;
mod keys;
pub mod live;
pub mod packing;
pub mod plan;
pub mod transition;
mod value;
