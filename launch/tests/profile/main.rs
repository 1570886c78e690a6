//! `cluster.toml`: what it means, what is wrong with it, and how one is made.

mod faults;
mod made;
mod meaning;
