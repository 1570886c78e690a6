//! The tables of a study, a file each.

mod formulas;
mod own;
mod points;
mod questions;
mod trees;

pub(crate) use formulas::{formulas, frequent};
pub(crate) use own::{own, own_by_turn};
pub(crate) use points::{points, study_cost};
pub(crate) use questions::answer;
pub(crate) use trees::trees;
