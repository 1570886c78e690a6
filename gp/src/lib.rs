//! Strongly typed genetic programming: trees, generation, operators, compiled evaluation.
//!
//! Empty until the EvoMCTS issue; the crate stands here so that the arrows between crates are fixed.
