//! What commands print: text for people, one JSON value with the same facts for programs.

use crate::common::{
    self,
    experiments::{GRID, GRID_TRIALS},
    files::{place, write},
    process::{coordinator, worker},
    program::{json, run, succeed},
    runs::{submit, wait_for_end},
};

#[test]
fn of_games_and_players() {
    assert_eq!(json(&["perft", "reversi", "6"])["leaves"], 8_200);
    assert!(succeed(&["perft", "reversi", "5", "--divide"]).contains("1,396 leaves"));
    let shown = json(&["games"]);
    let names: Vec<_> = shown["games"].as_array().expect("games").iter().map(|game| &game["name"]).collect();
    assert_eq!(names, games::all().iter().map(|entry| entry.name).collect::<Vec<_>>());
    assert!(succeed(&["games"]).contains("1 player, at most 2 moves and 17 plies"));
    assert_eq!(json(&["perft", "fop:expression=min(x,1),branching=3", "5"])["leaves"], 243);
    let alone = run(&["play", "fop", "--first", "mcts", "--second", "random"]);
    assert_eq!(alone.status.code(), Some(2));
    let told = String::from_utf8_lossy(&alone.stderr);
    assert!(told.contains("`fop` is a game for one player"), "{told}");
    assert!(succeed(&["players"]).contains("final-move"));
    let play = ["play", "reversi", "--first", "mcts:playouts=20", "--second", "random", "--games", "4"];
    let value = json(&play);
    assert_eq!(value["games"].as_array().map(Vec::len), Some(4));
    assert!(value["games"].as_array().expect("games").iter().all(|g| g["plies"].as_u64() >= Some(9)));
    assert_eq!(json(&play), value, "the same seed gives the same games");
    assert!(
        succeed(&["play", "reversi", "--first", "random", "--second", "random", "--show"]).contains("a b c d e f g h")
    );
    let bench = json(&["bench", "reversi", "--repetitions", "1", "--seconds", "0.01"]);
    assert!(bench["rates"].as_array().expect("rates").iter().all(|r| r["median"].as_f64() > Some(0.0)), "{bench}");
}

#[test]
fn of_a_position() {
    let place = place();
    let picture = place.path().join("board.svg");
    let picture = picture.to_str().expect("UTF-8");
    let shown = json(&["show", "carcassonne", "D F1@0,1:city-N next=E", "--picture", picture]);
    assert_eq!((&shown["turn"], &shown["score"], &shown["score_if_ended"]), (&"second".into(), &0.into(), &3.into()));
    // Three ways with three claims beside F and below D; above F one way, with the field to claim.
    assert_eq!(shown["moves"].as_array().map(Vec::len), Some(29));
    assert!(std::fs::read_to_string(picture).expect("a picture").starts_with("<svg"));
    assert!(succeed(&["show", "reversi"]).contains("first to move, 4 moves: "));
    let told = |arguments: &[&str]| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(told(&["show", "carcassonne", "D E0@0,1 next=C"]).contains("word 2, `E0@0,1`: tile E does not fit there"));
    assert!(told(&["show", "reversi", "--picture", picture]).contains("`reversi` has no pictures of its positions"));
}

#[test]
fn of_a_run_from_check_to_compare() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let file = file.to_str().expect("UTF-8");
    let out = place.path().join("run");
    let out = out.to_str().expect("UTF-8");
    let check = json(&["check", file]);
    assert_eq!(check["trials"], GRID_TRIALS);
    assert!(check["playouts"].as_f64() > Some(0.0));
    let resolved = succeed(&["check", file, "--print-config"]);
    let again = write(&place, "again.toml", &resolved);
    assert_eq!(succeed(&["check", again.to_str().expect("UTF-8"), "--print-config"]), resolved);

    let run = json(&["run", file, "--out", out]);
    assert_eq!((run["state"].as_str(), run["trials"].as_u64()), (Some("finished"), Some(GRID_TRIALS)));
    let pairs = &run["tables"]["tables"][0]["rows"];
    assert_eq!(pairs.as_array().map(Vec::len), Some(3));
    assert_eq!(pairs[0]["games"], 200);
    // a searches twice as much as b, and both beat c.
    assert!(pairs[0]["share"].as_f64() > Some(0.5), "{pairs}");
    assert!(pairs[1]["share"].as_f64() > Some(0.9), "{pairs}");
    let mut analyzed = json(&["analyze", out]);
    let runs = analyzed.as_object_mut().expect("an object").remove("runs");
    assert_eq!(runs, Some(serde_json::json!([{ "directory": out, "state": "finished" }])));
    assert_eq!(analyzed, run["tables"]);
    assert_eq!(json(&["status", out])["stored"], GRID_TRIALS);
    let contrast = json(&["analyze", out, "--contrast", "a v c,b v c"]);
    assert!(contrast["tables"].as_array().expect("tables").iter().any(|t| t["name"] == "contrasts"));
    // The option's name in version 0.1.0.
    let old = common::program::run(&["analyze", out, "--test", "a v c,b v c", "--json"]);
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&old.stdout).expect("JSON"), contrast);
    assert!(String::from_utf8_lossy(&old.stderr).contains("--contrast"), "{old:?}");

    let replay = json(&["replay", out, "0", "401"]);
    let stored: (f64, i64) = rusqlite::Connection::open(place.path().join("run/redqueen.sqlite"))
        .and_then(|c| {
            c.query_row("SELECT first_points, moves_hash FROM results_match WHERE trial = 401", [], |r| {
                Ok((r.get(0)?, r.get(1)?))
            })
        })
        .expect("stored");
    assert_eq!(
        (replay["result"]["first_points"].as_f64(), replay["result"]["moves_hash"].as_i64()),
        (Some(stored.0), Some(stored.1))
    );

    let copy = place.path().join("copy");
    succeed(&["export", out, "--out", copy.to_str().expect("UTF-8")]);
    assert!(copy.join("results/match/stage=00000.parquet").exists());
}

#[test]
fn of_a_coordinator() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let (_coordinator, url) = coordinator(&place.path().join("data"), 0, &[]);
    let at = ["--coordinator", url.as_str()];
    let with = |arguments: &[&str]| -> Vec<String> { arguments.iter().chain(&at).map(|s| (*s).to_owned()).collect() };
    let ask = |arguments: &[&str]| {
        let arguments = with(arguments);
        json(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (id, directory) = submit(&file, &url);
    assert_eq!(submit(&file, &url), (id.clone(), directory.clone()), "submitting again names the same run");
    assert_eq!(ask(&["list"])["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(ask(&["pause", &id])["state"], "paused");
    let _worker = worker(&url, "w", 1, &[]);
    common::wait::wait("the worker", || (ask(&["status", &id])["workers"] == 1).then_some(()));
    assert_eq!(ask(&["status", &id])["stored"], 0, "a paused run leases nothing");
    assert_eq!(ask(&["resume", &id[..6]])["state"], "running");
    assert_eq!(wait_for_end(&id, &url), "finished");
    let copy = place.path().join("copy");
    let export = with(&["export", &id, "--out", copy.to_str().expect("UTF-8")]);
    succeed(&export.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(common::runs::digest(&copy), common::runs::digest(&directory));
    // A run that has ended can be neither paused nor cancelled.
    let cancel = with(&["cancel", &id]);
    assert_eq!(run(&cancel.iter().map(String::as_str).collect::<Vec<_>>()).status.code(), Some(2));
    let other = write(&place, "other.toml", &GRID.replace("seed = 11", "seed = 12").replace("= 200", "= 20000"));
    let (id, _) = submit(&other, &url);
    assert_eq!(ask(&["cancel", &id])["state"], "cancelled");
}

#[test]
fn signals_are_obeyed_in_order() {
    let place = place();
    let file = write(&place, "grid.toml", &GRID.replace("= 200", "= 20000"));
    let (mut server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&file, &url);
    let mut first = worker(&url, "same", 1, &[]);
    let stored = || common::runs::status(&id, &url)["stored"].as_u64().unwrap_or(0);
    common::wait::wait("results", || (stored() > 0).then_some(()));
    // Stopped in order both leave with 0.
    first.signal("TERM");
    assert_eq!(first.end(), Some(0));
    common::wait::wait("the leases to come back", || (common::runs::status(&id, &url)["leased"] == 0).then_some(()));
    let mut second = worker(&url, "same", 1, &[]);
    let before = stored();
    common::wait::wait("more results", || (stored() > before).then_some(()));
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    second.signal("INT");
    assert_eq!(second.end(), Some(0));
}
