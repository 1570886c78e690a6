//! The program under test, and what its commands print.

use std::{
    path::Path,
    process::{Command, Output},
};

/// The program under test.
pub(crate) fn redqueen() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redqueen"));
    for name in ["ACCESS", "COORDINATOR", "TOKEN_FILE", "TLS_CA", "TLS_CERT", "TLS_KEY"] {
        command.env_remove(format!("REDQUEEN_{name}"));
    }
    // Coordinators of tests are announced to tests, not to the account that runs them.
    command.env("XDG_RUNTIME_DIR", ANNOUNCED).env("XDG_CACHE_HOME", ANNOUNCED);
    command.env("RUST_LOG", "warn");
    command
}

/// Where the coordinators of tests are announced.
pub(crate) const ANNOUNCED: &str = env!("CARGO_TARGET_TMPDIR");

/// The token of a test's coordinator, for callers inside the test.
pub(crate) fn token(url: &str) -> redqueen_wire::AddToken {
    let found = coordinator::Registry::under(Path::new(ANNOUNCED)).find(url).expect("a usable token");
    redqueen_wire::AddToken(found.map(|token| token.header()))
}

/// Runs a command to its end.
#[track_caller]
pub(crate) fn run(arguments: &[&str]) -> Output {
    redqueen().args(arguments).output().expect("the program starts")
}

/// stdout of a command that must succeed.
#[track_caller]
pub(crate) fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "redqueen {arguments:?}: {:?}\n{}", output.status, said.join("\n"));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What a command prints with `--json`.
#[track_caller]
pub(crate) fn json(arguments: &[&str]) -> serde_json::Value {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&succeed(&arguments)).expect("one JSON value")
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
