//! What tests of the program share.

pub(crate) mod experiments;
pub(crate) mod fake_worker;
pub(crate) mod files;
pub(crate) mod html;
pub(crate) mod http;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod proxy;
pub(crate) mod random;
pub(crate) mod runs;
pub(crate) mod wait;
