//! The tables of a grid, a file each.

mod by_pair;
mod contrasts;
mod cost;
mod league;
pub(crate) mod levels;
mod own;
mod pairs;
mod ratings;
mod seats;
pub(crate) mod times;

pub(crate) use by_pair::ByPair;
pub(crate) use contrasts::{contrasts, tests};
pub(crate) use cost::cost;
pub(crate) use league::league;
pub(crate) use levels::{influence, levels};
pub(crate) use own::{own, own_by_turn};
pub(crate) use pairs::pairs;
pub(crate) use ratings::ratings;
pub(crate) use seats::seats;
pub(crate) use times::times;
