//! The `redqueen` program.

fn main() {}
