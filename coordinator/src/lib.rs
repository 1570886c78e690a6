//! The coordinator: durable store, scheduler and gRPC services.
//!
//! The deciding part is [`core`]: synchronous, without sockets, clocks or disk. Around it are the [`store`] (one writer
//! thread, group commits to SQLite), the gRPC services, and a driver task that carries inputs to the core and its
//! actions out. A [`Coordinator`] is all of these, listening.

mod access;
mod admission;
mod arrivals;
pub mod core;
mod driver;
mod file_system;
mod followers;
mod http;
pub mod ids;
pub mod metrics;
pub mod observe;
mod outbound;
pub mod ranges;
mod reports;
pub mod rows;
mod runs;
mod server;
mod service;
pub mod store;

pub use access::{Announcement, Made, Registry, SecretError, Seeker, Token, TokenError, open_or_make};
pub use admission::Pipe;
pub use file_system::FileSystem;
pub use http::{Door, DoorError, Http, Pages, VISITORS_MAX, serve_http};
pub use observe::Observer;
pub use reports::RunReport;
pub use runs::{Retry, Root, directory_name, find_directory, find_shorter, is_run_directory};
pub use server::{Broken, CONNECTIONS_MAX, Config, Coordinator, HEARTBEAT, StartError, Watch};
