//! Compiles `proto/` to Rust with protox, so that no protoc is needed on the machine.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // Without these lines cargo would run the script again whenever any file of the package changes.
    println!("cargo:rerun-if-changed=proto");
    println!("cargo:rerun-if-changed=build.rs");
    let files = ["proto/redqueen/v1/worker.proto", "proto/redqueen/v1/control.proto"];
    let descriptors = protox::compile(files, ["proto"])?;
    tonic_prost_build::configure()
        // Ordered maps encode the same bytes every time.
        .btree_map(".")
        .compile_fds(descriptors)?;
    Ok(())
}
