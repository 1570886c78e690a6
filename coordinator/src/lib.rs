//! The coordinator: durable store, scheduler and gRPC services.
//!
//! The deciding part is [`core`]: synchronous, without sockets, clocks or disk. Around it stand the
//! [`store`] (one writer thread, group commits to SQLite), the services that speak gRPC, and a driver task
//! that carries events in and actions out.

pub mod core;
pub mod ids;
pub mod ranges;
pub mod rows;
pub mod store;
