//! `cargo fuzz run encode`: see `fuzz::encode`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::encode(data));
