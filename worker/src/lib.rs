//! A worker: leases come in over one gRPC stream, processes run trials, and results wait in an outbox until the
//! coordinator acknowledges them as durable.
//!
//! The function [`run`] works until it is told to stop. [`queue`](mod@queue) holds leased trials, [`outbox`](mod@outbox)
//! results that are not acknowledged; a [`session`](mod@session) is one connection, and a [`slot`](mod@slot) a thread that
//! owns one process. That process runs [`execute`], in [`executor`](mod@executor), when the program is started as
//! `redqueen executor`. Both sides share [`frames`](mod@frames) and [`progress`](mod@progress).

mod artifacts;
mod connect;
mod executor;
mod frames;
mod heartbeat;
mod job;
mod machine;
mod outbox;
mod place;
mod plan;
mod progress;
mod queue;
mod routes;
mod session;
mod shutdown;
mod slot;

pub use connect::{Error, Options, run};
pub use executor::{ExecuteError, execute};
pub use place::Place;
pub use routes::{Find, Route, Routes, Unknown};
pub use shutdown::{Shutdown, Stop};
pub use slot::{Executors, Loss, SlotError};
