//! The wire contract: messages and service stubs generated from `proto/redqueen/v1`, and the code that all callers
//! share.

#[expect(
    missing_docs,
    clippy::all,
    clippy::allow_attributes,
    reason = "generated; the documentation is in the .proto files"
)]
mod generated {
    tonic::include_proto!("redqueen.v1");
}

mod address;
pub mod breakage;
mod call;
mod tls;
mod token;

pub use address::{ADDRESS_FILE, Address, AddressError, Standing};
pub use call::{BadUrl, Caller, Dial, Later, Line, Pipe, Tls, connect_tcp, tcp};
pub use generated::*;
pub use tls::TlsFault;
pub use token::{AddToken, Credentials};

/// Version of the protocol; a worker with another one is refused.
pub const PROTOCOL: u32 = 5;

/// Longest message that either side accepts, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 8 << 20;

/// Longest submission that a coordinator accepts, in bytes: an experiment with the files that it brings.
pub const MAX_SUBMISSION_BYTES: usize = 128 << 20;

/// Longest message that a worker accepts from its coordinator, in bytes: the plan of a grid of many pairs.
pub const MAX_PLAN_BYTES: usize = 256 << 20;
