//! The command as its users meet it: the real binary, its output and its exit status.

mod run;
mod vectors;
