//! Tests of the public interface: one program, since each links polars.

mod agents;
mod calibration;
mod common;
mod compared;
mod damaged;
mod evolution;
mod kinds;
mod layout;
mod league;
mod oracle;
mod parameters;
mod questions;
mod reading;
mod replicates;
mod samples;
mod study;
mod tables;
mod tuned_replicates;
mod tuning;
