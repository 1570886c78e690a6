//! Batch systems: what they are asked, and what their answers mean.

mod inside;
mod jobs;
mod kubernetes;
mod local;
mod lsf;
mod pbs;
mod quoting;
mod runner;
mod sge;
mod slurm;
mod ssh;
