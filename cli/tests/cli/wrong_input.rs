//! Wrong input: exit code 2 and a message that says what, where and what to do.

use crate::common::{
    experiments::GRID,
    files::{place, secret, write},
    process::{coordinator, free_port},
    program::{run, succeed},
};

#[track_caller]
fn refused(arguments: &[&str], says: &[&str]) {
    let output = run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "redqueen {arguments:?}\n{stderr}");
    for part in says {
        assert!(stderr.contains(part), "`{part}` is not said by redqueen {arguments:?}:\n{stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
    // The same in JSON: one value on stdout with the same code.
    let json: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let output = run(&json);
    assert_eq!(output.status.code(), Some(2));
    if !output.stdout.is_empty() {
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
        assert_eq!(value["exit_code"], 2, "{value}");
    }
}

#[test]
fn of_files() {
    let place = place();
    let path = |name: &str, text: &str| write(&place, name, text).to_str().expect("UTF-8").to_owned();
    refused(&["run", "no-such-file.toml"], &["no-such-file.toml", "catalogue"]);
    refused(&["check", &path("bad.toml", "format = 1\nname = \n")], &["bad.toml", "TOML"]);
    let fault = |from: &str, to: &str| GRID.replace(from, to);
    refused(
        &["check", &path("key.toml", &fault("opening-plies = 2", "opening-ply = 2"))],
        &["key.toml:14", "opening-ply", "opening-plies"],
    );
    refused(
        &["check", &path("game.toml", &fault("\"reversi\"", "\"reversy\""))],
        &["game.toml:5", "reversy", "reversi"],
    );
    refused(
        &["check", &path("param.toml", &fault("mcts:playouts=40", "mcts:playout=40"))],
        &["param.toml:8", "playout", "playouts"],
    );
    refused(&["check", &path("negative.toml", &fault("= 200", "= -200"))], &["negative.toml:13", "-200"]);
    let listed = fault("\"round-robin\"", "\"listed\"\npairs = [[\"a\", \"bb\"]]");
    refused(&["check", &path("pair.toml", &listed)], &["pair.toml:13", "bb"]);
    // All faults at once.
    let many = fault("mcts:playouts=40", "mcts:playout=40").replace("= 200", "= 201").replace("seed", "sed");
    refused(&["check", &path("many.toml", &many)], &["many.toml:6", "many.toml:8", "many.toml:13"]);
}

#[test]
fn of_arguments_and_directories() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let file = file.to_str().expect("UTF-8");
    refused(&["run", file, "--threads", "0"], &["--threads"]);
    refused(&["run", file, "--set", "players.a.playouts=0"], &["--set players.a.playouts=0"]);
    let out = place.path().join("out");
    let out = out.to_str().expect("UTF-8");
    succeed(&["run", file, "--scale", "0.01", "--out", out]);
    refused(&["run", file, "--out", out], &["another experiment", "--out"]);
    refused(&["run", file, "--out", place.path().to_str().expect("UTF-8")], &["holds other files"]);
    for command in ["digest", "analyze", "compare"] {
        refused(&[command, "nowhere"], &["nowhere", "holds no run"]);
    }
    refused(&["compare", out], &["paper"]);
    refused(&["replay", out, "0", "999999"], &["trials 0 to"]);
    refused(&["play", "reversi", "--first", "mtcs", "--second", "random"], &["mtcs", "mcts"]);
    refused(&["perft", "chess", "3"], &["chess", "reversi"]);
}

#[test]
fn of_coordinators_and_tokens() {
    let place = place();
    let unused = format!("http://127.0.0.1:{}", free_port());
    refused(&["list", "--coordinator", &unused], &[&unused, "redqueen coordinator"]);
    refused(&["worker", "--coordinator", &unused, "--patience-secs", "0"], &[&unused]);
    refused(&["list", "--coordinator", "not a url"], &["not a url", "http://"]);
    let data = place.path().join("data");
    let token = |name: &str, text: &str| secret(&place, name, text).to_str().expect("UTF-8").to_owned();
    refused(&["list", "--token-file", &token("short", "short")], &["16 to"]);
    let right = token("right", "a-secret-of-enough-length");
    let (_coordinator, url) = coordinator(&data, 0, &["--token-file", &right]);
    succeed(&["list", "--coordinator", &url, "--token-file", &right]);
    let wrong = token("wrong", "another-secret-of-length");
    refused(&["list", "--coordinator", &url, "--token-file", &wrong], &["token"]);
    refused(&["list", "--coordinator", &url], &["token"]);
    refused(&["worker", "--coordinator", &url, "--token-file", &wrong], &["refuses", "--token-file"]);
    refused(&["status", "ffff", "--coordinator", &url, "--token-file", &right], &["no run"]);
}
