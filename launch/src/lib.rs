//! Workers as jobs of batch systems: how many, when, how they are asked for, and what they cost.
//!
//! [`core`](mod@core) decides: what was seen goes in, acts come out, and it knows no clock, process or file. A batch system
//! ([`systems`]) is text in and text out: it says which command asks for a job and reads what the command prints. Commands run
//! in [`runner`]. What happened stands in a journal, one JSON object a line, from which the core goes on after a restart.

pub mod accounts;
pub mod call;
pub mod control;
pub mod core;
pub mod directory;
pub mod driver;
pub mod head;
pub mod job;
pub mod journal;
pub mod profile;
pub mod runner;
pub mod session;
pub mod succession;
pub mod systems;
