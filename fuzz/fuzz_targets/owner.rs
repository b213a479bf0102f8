//! `cargo fuzz run owner`: see `fuzz::owner`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::owner(data));
