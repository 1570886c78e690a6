//! Pages of runs, asked without a socket and without a browser.

mod archive;
mod files;
mod guard;
mod hostile;
#[path = "../../../cli/tests/common/html.rs"]
#[expect(dead_code, reason = "tests of the program use all of it")]
mod html;
mod made;
mod pages;
mod vendored;
