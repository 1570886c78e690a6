//! A learning with real processes: the same networks and results with any deaths and any number of threads, and networks as
//! files that other experiments name.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::common::{
    files::{place, write},
    process::{Process, coordinator, free_port, worker},
    program::{json, redqueen, run, succeed, text},
    random::Draws,
    runs::{digest, look, submit, wait_for_end},
    wait::wait,
};

/// Some seconds of one core in a test build: ten rounds, with every kind of stage.
const LEARNING: &str = r#"
format = 1
name = "test-learning"
kind = "learning"
game = "dots-and-boxes:rows=2,columns=2"
seed = 5
[players]
uct = "mcts:playouts=30"
[learning]
player = "puct:playouts=12"
rounds = 10
[learning.nets]
one = "encoding=mover hidden=16:relu value=sigmoid policy"
two = "encoding=paper hidden=8:sigmoid outcome=sigmoid"
[learning.self-play]
player = "puct:playouts=12,noise=0.25,temperature=1.0,temperature-turns=6"
games = 40
opening-plies = 3
solve-from = 4
window = 3
[learning.training]
epochs = 2
batch = 32
[learning.gate]
games = 20
opening-plies = 2
[learning.test]
games = 30
from = 8
[learning.final]
games = 20
"#;

fn reference(file: &Path, out: &Path, threads: &str) -> String {
    succeed(&["run", text(file), "--threads", threads, "--out", text(out)]);
    digest(out)
}

/// Stages that are closed.
fn closed(directory: &Path) -> Option<u64> {
    let count = |conn: &rusqlite::Connection| {
        conn.query_row("SELECT COUNT(*) FROM stages WHERE state = 'closed'", [], |row| row.get::<_, i64>(0))
    };
    look(directory, count).map(i64::unsigned_abs)
}

#[test]
fn threads_and_kill_9_at_random_points_change_no_network() {
    let place = place();
    let file = write(&place, "learning.toml", LEARNING);
    let one = place.path().join("one");
    let wanted = reference(&file, &one, "1");
    assert_eq!(reference(&file, &place.path().join("three"), "3"), wanted);
    // 1 + 10 · 3 + 1 stages; kills between any two of them, and within.
    let out = place.path().join("killed");
    let mut draws = Draws::new(7);
    let mut next = 0;
    let mut kills = 0;
    while next < 32 {
        let child = redqueen()
            .args(["run", text(&file), "--threads", "2", "--no-tables", "--out", text(&out)])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut process = Process(child);
        let ended = wait("stages", || {
            let done = process.0.try_wait().expect("asked").is_some();
            (done || closed(&out).is_some_and(|stages| stages >= next)).then_some(done)
        });
        if ended {
            break;
        }
        process.kill();
        kills += 1;
        next += 1 + draws.below(6);
    }
    assert!(kills >= 4, "{kills} kills");
    succeed(&["run", text(&file), "--threads", "2", "--no-tables", "--out", text(&out)]);
    assert_eq!(digest(&out), wanted);
}

#[test]
fn a_learning_from_searches_is_one_on_any_number_of_threads() {
    let place = place();
    let changes = [
        ("puct:playouts=12\"", "best-first:evaluations=30\""),
        ("puct:playouts=12,noise=0.25,temperature=1.0,temperature-turns=6", "best-first:evaluations=30,greed=0.6"),
        ("solve-from = 4", "solve-from = 4\nlabels = \"searched\""),
        ("rounds = 10", "rounds = 3"),
    ];
    let text = changes.iter().fold(LEARNING.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    let file = write(&place, "searched.toml", &text);
    let one = place.path().join("one");
    assert_eq!(reference(&file, &one, "1"), reference(&file, &place.path().join("three"), "3"));
    // More positions are trained on than were played: a game has 12 plies at most.
    let rounds = fs::read_to_string(one.join("tables/rounds.csv")).expect("a table");
    let mut rounds = rounds.lines().map(|line| line.split(',').collect::<Vec<_>>());
    assert_eq!(rounds.next().expect("a head")[..3], ["round", "games", "positions"]);
    for round in rounds {
        let [games, positions] = [1, 2].map(|column: usize| round[column].parse::<u32>().expect("a number"));
        assert!(positions > 20 * games, "{positions} positions of {games} games");
    }
}

#[test]
fn workers_and_a_coordinator_that_die_change_no_network() {
    let place = place();
    let file = write(&place, "learning.toml", &LEARNING.replace("rounds = 10", "rounds = 4"));
    let wanted = reference(&file, &place.path().join("wanted"), "2");
    let (data, port) = (place.path().join("data"), free_port());
    let (mut server, url) = coordinator(&data, port, &[]);
    let (id, directory) = submit(&file, &url);
    let mut workers: Vec<Process> = (0..2).map(|i| worker(&url, &format!("w{i}"), 1, &[])).collect();
    for stages in [2, 5, 8] {
        wait("stages", || closed(&directory).filter(|closed| *closed >= stages));
        workers[0].kill();
        workers[0] = worker(&url, &format!("again-{stages}"), 1, &[]);
        server.kill();
        server = coordinator(&data, port, &[]).0;
    }
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(digest(&directory), wanted);
}

#[test]
fn a_network_is_a_file_that_other_experiments_name() {
    let place = place();
    let learning = LEARNING.replace("rounds = 10", "rounds = 2");
    let file = write(&place, "learning.toml", &learning);
    let out = place.path().join("learned");
    succeed(&["run", text(&file), "--threads", "2", "--out", text(&out)]);
    let net = place.path().join("best.safetensors");
    let shown = json(&["net", text(&out), "--out", text(&net)]);
    assert_eq!(shown["rounds"].as_array().map(Vec::len), Some(2), "{shown}");
    let checked = json(&["net", text(&net)]);
    assert_eq!(checked["hash"], shown["net"]);
    let outcome = place.path().join("two.safetensors");
    succeed(&["net", text(&out), "--round", "1", "--name", "two", "--out", text(&outcome)]);
    let grid = |nets: [&str; 2]| {
        format!(
            "format = 1\nname = \"grid\"\nkind = \"match-grid\"\ngame = \"dots-and-boxes:rows=2,columns=2\"\n[players]\n\
             a = \"puct:playouts=8,net={}\"\nb = \"mcts-net:playouts=8,net={},leaf=threshold\"\n[match-grid]\n\
             pairing = \"round-robin\"\ngames-per-pair = 8\nopening-plies = 2\n",
            nets[0], nets[1]
        )
    };
    // In a single game, by two players that name the same file.
    let spec = |path: &Path| format!("puct:playouts=8,net={}", text(path));
    let (small, second) = ("dots-and-boxes:rows=2,columns=2", spec(&net));
    let played = json(&["play", small, "--first", &spec(&net), "--second", &second]);
    assert_eq!(played["games"][0]["plies"], 12, "{played}");
    for (game, first, reason) in [
        ("dots-and-boxes", spec(&net), "--first: the network has"),
        (small, spec(Path::new("gone")), "`gone` of net: cannot be read"),
    ] {
        let refused = run(&["play", game, "--first", &first, "--second", &second]);
        let said = String::from_utf8_lossy(&refused.stderr).replace("\n  | ", " ");
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
    }
    // Locally, and by a coordinator that never sees the files.
    let file = write(&place, "grid.toml", &grid(["best.safetensors", "two.safetensors"]));
    let alone = place.path().join("alone");
    succeed(&["check", text(&file)]);
    succeed(&["run", text(&file), "--no-tables", "--out", text(&alone)]);
    let (server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let _worker = worker(&url, "w", 2, &[]);
    let (id, directory) = submit(&file, &url);
    fs::remove_file(&net).expect("it was there");
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(digest(&directory), digest(&alone));
    drop(server);
    let kept: Vec<PathBuf> =
        fs::read_dir(directory.join("artifacts")).expect("kept").flatten().map(|entry| entry.path()).collect();
    assert_eq!(kept.len(), 2);
    // What is wrong with a file is said where it is named, before anything runs.
    let whole = fs::read(&outcome).expect("a net");
    let write_net = |name: &str, bytes: &[u8]| fs::write(place.path().join(name), bytes).expect("written");
    write_net("short", &whole[..whole.len() - 9]);
    let mut with_nan = whole.clone();
    let at = with_nan.len() - 4;
    with_nan[at..].copy_from_slice(&f32::NAN.to_le_bytes());
    write_net("nan", &with_nan);
    write_net("other", b"no net at all");
    for (name, reason) in [("short", "cut short"), ("nan", "NaN"), ("other", "not"), ("gone", "cannot be read")] {
        let file = write(&place, "wrong.toml", &grid([name, "two.safetensors"]));
        let refused = run(&["check", text(&file)]);
        let said = String::from_utf8_lossy(&refused.stderr).replace("\n  | ", " ");
        assert_eq!(refused.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains("players.a") && said.contains("wrong.toml:6"), "{name}: {said}");
        assert!(said.contains(reason), "{name}: {said}");
    }
    // A network of another game does not fit.
    let other = grid(["two.safetensors"; 2]).replace("rows=2,columns=2", "rows=3,columns=3");
    let refused = run(&["check", text(&write(&place, "other.toml", &other))]);
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
}

/// The rounds of a shorter run are those of a longer one.
#[test]
fn a_learning_goes_on_for_more_rounds() {
    let place = place();
    let of = |rounds: u32| {
        let text = LEARNING.replace("rounds = 10", &format!("rounds = {rounds}"));
        write(&place, &format!("{rounds}.toml"), &text)
    };
    let (shorter, longer, out) = (of(2), of(4), place.path().join("grown"));
    succeed(&["run", text(&shorter), "--no-tables", "--out", text(&out)]);
    succeed(&["run", text(&longer), "--extend", "--no-tables", "--out", text(&out)]);
    assert_eq!(digest(&out), reference(&longer, &place.path().join("at-once"), "2"));
}

/// Without gate and opponents the training is the end, and its networks stay.
#[test]
fn a_learning_may_end_with_its_training() {
    let place = place();
    let (_, rest) = LEARNING.split_once("[learning.test]").expect("a table");
    let text_of =
        LEARNING.replace(rest, "\ngames = 10\nfrom = 8\n").replace("[players]\nuct = \"mcts:playouts=30\"\n", "");
    let text_of = text_of.replace("games = 20\nopening-plies = 2", "games = 0").replace("rounds = 10", "rounds = 2");
    let (file, out) = (write(&place, "end.toml", &text_of), place.path().join("end"));
    succeed(&["run", text(&file), "--out", text(&out)]);
    let net = place.path().join("two.safetensors");
    succeed(&["net", text(&out), "--round", "1", "--name", "two", "--out", text(&net)]);
    assert_eq!(json(&["net", text(&net)])["weights"], (16 + 1) * 8 + (8 + 1) * 3);
    assert!(fs::read_to_string(out.join("tables/nets.csv")).expect("a table").lines().count() >= 5);
}
