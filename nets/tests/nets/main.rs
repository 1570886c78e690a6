//! What nets compute, against numbers from elsewhere, and that nothing but the inputs changes a bit.

mod architecture;
mod bits;
mod common;
mod files;
mod training;
mod values;
