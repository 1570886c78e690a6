//! A part of a process panics: the process ends with an error that names the part, and does not live on without it.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::{Command, Stdio},
};

use crate::common::{
    self,
    experiments::GRID,
    files::{place, write},
    process::{Process, coordinator, free_port, worker},
    program::{redqueen, text},
    runs::submit,
    wait::wait,
};

/// The variable that names the part which breaks.
const BREAK: &str = "REDQUEEN_BREAK";

fn start(mut command: Command) -> Process {
    Process(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts"))
}

/// The process ends with 1 and says why.
#[track_caller]
fn ends_with_an_error(what: &str, part: &str, mut process: Process) {
    assert_eq!(process.end(), Some(1), "{what} without its {part}");
    let mut told = String::new();
    process.0.stderr.take().expect("piped").read_to_string(&mut told).expect("UTF-8");
    let errors: Vec<&str> = told.lines().filter(|line| line.starts_with("error: ")).collect();
    assert!(errors.len() == 1 && errors[0].ends_with("please report this"), "{what} without its {part}: {told}");
}

#[test]
fn a_coordinator_does_not_outlive_its_parts() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    for part in ["driver", "store", "server", "http"] {
        let (port, http) = (free_port(), free_port());
        let url = format!("http://127.0.0.1:{port}");
        let mut command = redqueen();
        command.args(["coordinator", "--data", text(&place.path().join(part)), "--listen", &url[7..], "--http"]);
        command.arg(format!("127.0.0.1:{http}")).env(BREAK, part);
        let mut server = start(command);
        // Calls that reach the coordinator until it has ended: a look, and a submission.
        wait("its end", || {
            if let Ok(mut visitor) = TcpStream::connect(("127.0.0.1", http)) {
                let _ = visitor.write_all(b"GET /health HTTP/1.0\r\n\r\n");
            }
            let _ = redqueen().args(["submit", text(&file), "--coordinator", &url]).output();
            server.0.try_wait().expect("a child of ours")
        });
        ends_with_an_error("a coordinator", part, server);
    }
}

#[test]
fn a_worker_does_not_outlive_its_parts() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (run, _) = submit(&file, &url);
    for part in ["session", "heart", "slot"] {
        let mut command = redqueen();
        command.args(["worker", "--coordinator", &url, "--name", part, "--threads", "1"]).env(BREAK, part);
        ends_with_an_error("a worker", part, start(command));
    }
    let _worker = worker(&url, "whole", 1, &[]);
    assert_eq!(common::runs::wait_for_end(&run, &url), "finished");
}

#[test]
fn a_run_does_not_outlive_its_parts() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let out = place.path().join("run");
    for part in ["driver", "store", "server", "session", "heart", "slot"] {
        let mut command = redqueen();
        command.args(["run", text(&file), "--no-tables", "--threads", "1", "--out", text(&out)]).env(BREAK, part);
        ends_with_an_error("a run", part, start(command));
    }
    common::program::succeed(&["run", text(&file), "--no-tables", "--out", text(&out)]);
}
