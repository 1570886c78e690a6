//! Batch systems: what they are asked, and what their answers mean.

mod jobs;
mod local;
mod quoting;
mod runner;
mod slurm;
