//! A worker: leases come in over one gRPC stream, processes run trials, results wait in an outbox until the
//! coordinator says they are durable.
//!
//! [`run`] does it all until it is told to stop. [`queue`](mod@queue) holds leased trials, [`outbox`](mod@outbox)
//! what is not acknowledged, [`session`](mod@session) is one connection. A [`slot`](mod@slot) is a thread that owns one
//! process; what that process does is in [`executor`](mod@executor), whose way in is [`execute`]: the program calls it
//! when it is started as `redqueen executor`. Both sides share [`frames`](mod@frames) and a [`progress`](mod@progress).

mod artifacts;
mod connect;
mod executor;
mod frames;
mod job;
mod outbox;
mod progress;
mod queue;
mod session;
mod shutdown;
mod slot;

pub use connect::{Error, Options, run, run_over};
pub use executor::{ExecuteError, execute};
pub use shutdown::{Shutdown, Stop};
pub use slot::Executors;
