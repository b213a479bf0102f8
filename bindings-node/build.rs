//! Tells the linker how a Node addon is linked on this platform.

fn main() {
    napi_build::setup();
}
