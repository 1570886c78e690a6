//! Pieces of HTML that reports and pages share: text, numbers, drawings, tables, and how they look.
//!
//! maud escapes every text that is put into it. What is not escaped is made in this module: drawings ([`drawing()`]),
//! tables ([`table()`]), formulas ([`formula()`]), and styles, scripts and data inside of a document.

mod document;
mod drawing;
mod pieces;
mod text;

pub(crate) use document::{inline_script, inline_style, json_island, source_hash};
pub(crate) use drawing::{Holds, drawing, figure};
pub(crate) use pieces::{Message, facts, formula, message, table};
pub(crate) use text::{count, time, visible};
pub use text::{span, thousands};
