//! Compiles `proto/` to Rust with protox, so that no protoc is needed on the machine.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // Without these lines cargo would run the script again whenever any file of the package changes.
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=build.rs");
    let files = ["control", "slot", "worker"].map(|name| format!("proto/redqueen/v1/{name}.proto"));
    let descriptors = protox::compile(files, ["proto"])?;
    tonic_prost_build::configure()
        // Ordered maps encode the same bytes every time.
        .btree_map(".")
        .compile_fds(descriptors)?;
    Ok(())
}
