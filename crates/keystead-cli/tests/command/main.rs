//! The command as its users meet it: the real binary, its output and its exit status.

#![expect(clippy::format_collect, reason = "a test builds small files, and reads better so")]

mod answers;
mod bad_keys;
mod balance;
mod cases;
mod change;
mod check;
mod diff;
mod ends;
mod examples;
mod explain;
mod html;
mod keys;
mod owner;
mod plan;
mod readme;
mod run;
mod schemas;
mod shell;
mod show;
mod tables;
mod transition;
mod vectors;
