//! Tests of the public interface.

#[path = "../common/mod.rs"]
mod common;
mod numeric;
mod operators;
mod properties;
mod simplify;
mod text;
