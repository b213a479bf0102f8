//! `cargo fuzz run owner`: see `fuzz::owner`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::owner(data));

/// Without the fuzzer nothing is to be run; `cargo test` replays the corpus.
#[cfg(not(fuzzing))]
fn main() {}
