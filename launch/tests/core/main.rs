//! Decisions of the launcher's core one by one, and its journal.

mod decisions;
mod journal;
mod scale;
mod script;
