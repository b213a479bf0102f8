//! The command as its users meet it: the real binary, its output and its exit status.

mod answers;
mod balance;
mod cases;
mod change;
mod check;
mod diff;
mod ends;
mod explain;
mod keys;
mod owner;
mod readme;
mod run;
mod schemas;
mod shell;
mod show;
mod transition;
mod vectors;
