//! A worker: leases come in over one gRPC stream, executor threads run trials, results wait in an outbox until
//! the coordinator says they are durable.
//!
//! [`run`] does it all until it is told to stop. [`queue`](mod@queue) holds leased trials, [`outbox`](mod@outbox)
//! what is not acknowledged, [`executor`](mod@executor) the threads, [`session`](mod@session) one connection.

mod artifacts;
mod connect;
mod executor;
mod outbox;
mod queue;
mod session;
mod shutdown;

pub use connect::{Error, Options, run, run_over};
pub use shutdown::{Shutdown, Stop};
