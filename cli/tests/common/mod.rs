//! What tests of the program share. Two modules are parts of the tests that need them alone, which name their path:
//! `fake_worker`, a worker inside the test, and `proxy`, a connection that can be cut.

#![expect(dead_code, reason = "each test file uses a part")]

pub(crate) mod experiments;
pub(crate) mod files;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod random;
pub(crate) mod runs;
pub(crate) mod wait;
