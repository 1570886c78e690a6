//! Tests of the program, most of them with real processes on loopback. They are one program, which links once, and run
//! beside one another: most of their time is waiting. Tests that need the machine or the limits of a process for
//! themselves (`fleet`, `flood`, `swarm`) are programs of their own.

mod access;
mod address;
mod analyze;
mod architecture;
mod broken_parts;
mod changes;
mod circles;
mod citations;
mod clocks;
#[path = "../common/mod.rs"]
mod common;
mod completions;
mod cuts;
mod damage;
mod digest;
mod disk;
mod dying;
mod ended;
mod events;
mod evolution;
mod extend;
mod foreign;
mod guide;
mod hostile;
mod launching;
mod learning;
mod leaving;
mod liars;
mod logs;
mod looked_at;
mod metrics;
mod network;
mod output;
mod pages;
mod paths;
mod priority;
mod python;
mod report;
mod retry;
mod samples;
mod shared;
mod soak;
mod states;
mod study;
mod tls;
mod trials;
mod tuning;
mod unwritable;
mod wrong_input;
