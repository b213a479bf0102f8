//! `cargo fuzz run file`: see `fuzz::file`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::file(data));
