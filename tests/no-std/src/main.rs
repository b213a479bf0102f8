//! The core without std. A second panic handler, std's, is a link error: so nothing that the core depends on can bring std in unseen.
//!
//! The exit code is 0 when the core answers as it does everywhere.

#![no_std]
#![no_main]

#[cfg(feature = "alloc")]
mod allocator;

#[cfg(feature = "leak")]
extern crate std;

use keystead::{Domain, Hash, PreparedNode, jump, rendezvous_owner};

/// What the program's start calls; without std there is no `fn main`.
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    i32::from(!(bare() && with_alloc() && with_json()))
}

/// An owner over a slice that the caller keeps.
fn bare() -> bool {
    let hash = Hash::default();
    let node = |id| PreparedNode::new(&hash, id, 1).ok();
    let (Some(a), Some(b), Some(c)) = (node("cache-a"), node("cache-b"), node("cache-c")) else { return false };
    let nodes = [a, b, c];
    let owner = rendezvous_owner(hash.digest(Domain::Key, b"user:42"), &nodes);
    owner.is_some_and(|owner| core::ptr::eq(owner, &nodes[2])) && jump(1, 1).is_ok_and(|bucket| bucket == 0)
}

#[cfg(not(feature = "alloc"))]
fn with_alloc() -> bool {
    true
}

#[cfg(feature = "alloc")]
fn with_alloc() -> bool {
    keystead::Cluster::rendezvous(["cache-a", "cache-b", "cache-c"])
        .is_ok_and(|cluster| cluster.owner("user:42").id() == "cache-c")
}

#[cfg(not(feature = "json"))]
fn with_json() -> bool {
    true
}

#[cfg(feature = "json")]
fn with_json() -> bool {
    let file = br#"{"keystead": 1, "nodes": ["cache-a", "cache-b", "cache-c"]}"#;
    keystead::Cluster::from_json(file, None).is_ok_and(|cluster| cluster.owner("user:42").id() == "cache-c")
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: `abort` takes nothing and does not return.
    unsafe { abort() }
}

// Core and alloc come compiled for unwinding and name two of its symbols. Nothing calls them: a panic aborts.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() {}

#[link(name = "c")]
unsafe extern "C" {
    fn abort() -> !;
}
