//! `cargo fuzz run file`: see `fuzz::file`.

#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::file(data));

/// Without the fuzzer nothing is to be run; `cargo test` replays the corpus.
#[cfg(not(fuzzing))]
fn main() {}
