//! Coevolution with real processes: populations and results are the same whatever dies, and nothing is played twice.

use std::{collections::BTreeMap, path::Path, process::Stdio};

use crate::common::{
    self,
    experiments::EVOLUTION,
    files::{place, write},
    process::{Process, coordinator, free_port, worker},
    program::{json, redqueen, run, succeed, text},
    random::Draws,
    runs::{digest, facts, look, submit, wait_for_end},
    wait::wait,
};

/// Trials of a generation of [`EVOLUTION`].
const GENERATION: i64 = 14 * 4;

fn start(file: &Path, out: &Path, threads: &str) -> Process {
    let child = redqueen()
        .args(["run", text(file), "--no-tables", "--threads", threads, "--out", text(out)])
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    Process(child)
}

/// Stored trials of all stages, as (stage, trial, worker, microseconds); nothing while the database is being made.
fn rows(directory: &Path) -> Option<Vec<(i64, i64, String, i64)>> {
    look(directory, |conn| {
        let sql = "SELECT stage, trial, name, elapsed_us FROM results_generation JOIN workers USING (worker)";
        let mut rows = conn.prepare(sql)?;
        rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?.collect()
    })
}

fn reference(file: &Path, out: &Path) -> String {
    succeed(&["run", text(file), "--threads", "1", "--no-tables", "--out", text(out)]);
    digest(out)
}

#[test]
fn kill_9_of_anything_leaves_every_population_as_it_would_have_been() {
    let place = place();
    let file = write(&place, "evolution.toml", EVOLUTION);
    let one = place.path().join("one");
    let wanted = reference(&file, &one);
    let seed = std::process::id();
    println!("seed {seed}");
    // What dies when, and how many come back.
    let mut draws = Draws::new(seed);
    let (data, port) = (place.path().join("data"), free_port());
    let (mut server, url) = coordinator(&data, port, &[]);
    let mut born = 0;
    let mut fleet = |count: u64| -> Vec<Process> {
        let start = |_| {
            born += 1;
            worker(&url, &format!("w{born}"), 1 + born % 2, &["--patience-secs", "60"])
        };
        (0..count).map(start).collect()
    };
    let mut workers = fleet(2);
    let (run, directory) = submit(&file, &url);
    let mut mark = 0;
    for kill in 0..9u64 {
        // Moments are marked by progress: somewhere in the next generation and a half.
        mark += 20 + draws.below(70) as usize;
        wait("progress", || rows(&directory).filter(|rows| rows.len() >= mark.min(13 * GENERATION as usize)));
        match kill % 3 {
            0 => {
                workers.iter_mut().for_each(Process::kill);
                workers = fleet(1 + draws.below(3));
            }
            1 => {
                server.kill();
                server = coordinator(&data, port, &[]).0;
            }
            _ => {
                server.kill();
                workers.iter_mut().for_each(Process::kill);
                server = coordinator(&data, port, &[]).0;
                workers = fleet(1 + draws.below(3));
            }
        }
    }
    assert_eq!(wait_for_end(&run, &url), "finished");
    let (stages, artifacts) = facts(&directory);
    assert_eq!((stages.len(), artifacts.len()), (14 + 5, 14), "seed {seed}");
    assert_eq!((stages, artifacts), facts(&one), "seed {seed}");
    assert_eq!(digest(&directory), wanted, "seed {seed}");
}

#[test]
fn a_generation_that_was_interrupted_plays_its_missing_games_only() {
    let place = place();
    let file = write(&place, "evolution.toml", EVOLUTION);
    let out = place.path().join("interrupted");
    let mut first = start(&file, &out, "2");
    // In the middle of the fourth generation.
    wait("a generation half done", || {
        rows(&out).filter(|rows| rows.iter().filter(|row| row.0 == 4).count() as i64 >= GENERATION / 3)
    });
    first.kill();
    let before = rows(&out).expect("a database");
    let open = before.iter().map(|row| row.0).max().expect("rows");
    let mut second = start(&file, &out, "1");
    assert_eq!(second.end(), Some(0));
    let after: BTreeMap<(i64, i64), (String, i64)> =
        rows(&out).expect("a database").into_iter().map(|(s, t, w, us)| ((s, t), (w, us))).collect();
    for (stage, trial, worker, us) in &before {
        assert_eq!(after[&(*stage, *trial)], (worker.clone(), *us), "trial {trial} of stage {stage} stays as it was");
    }
    let old = &before[0].2;
    let new = after.iter().filter(|((stage, _), (worker, _))| *stage == open && worker != old).count() as i64;
    let kept = before.iter().filter(|row| row.0 == open).count() as i64;
    assert_eq!(new + kept, GENERATION);
    assert_eq!(digest(&out), reference(&file, &place.path().join("one")));
}

#[test]
fn the_champion_is_shown_saved_and_plays() {
    let place = place();
    let file = write(&place, "evolution.toml", EVOLUTION);
    let out = place.path().join("run");
    reference(&file, &out);
    let dot = place.path().join("lineage.dot");
    let population = place.path().join("population.json");
    let champion = json(&["champion", text(&out), "--dot", text(&dot), "--population", text(&population)]);
    assert_eq!((&champion["generation"], &champion["games"]), (&13.into(), &8.into()));
    let lineage = champion["lineage"].as_array().expect("a list");
    let generations: Vec<i64> = lineage.iter().map(|a| a["generation"].as_i64().expect("a number")).collect();
    assert_eq!(generations, (0..14).rev().collect::<Vec<_>>());
    assert!(std::fs::read_to_string(&dot).expect("a drawing").starts_with("// Ancestors"));
    let shown = succeed(&["champion", text(&out), "--lineage"]);
    for part in ["champion of test-evolution", "final benchmark", "maths", "LaTeX", "crossed with"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // Its file is a player wherever one is named.
    let spec = format!("evomcts:champion={},playouts=5", text(&out.join("champion.toml")));
    let played = json(&["play", "reversi", "--first", &spec, "--second", "random", "--games", "2"]);
    assert!(played["first"].as_str().expect("a spec").contains(champion["tree"].as_str().expect("a tree")));
    let refused = run(&["play", "dodgem", "--first", &spec, "--second", "random"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("it plays reversi"), "{refused:?}");
    // A population is where another evolution may begin.
    let next = EVOLUTION.replace("population = 14", "population = 14\ninitial = \"population.json\"");
    let next = write(&place, "next.toml", &next);
    succeed(&["check", text(&next), "--print-config"]);
    // A run that is not an evolution has no champion.
    let grid =
        write(&place, "grid.toml", &common::experiments::GRID.replace("games-per-pair = 200", "games-per-pair = 2"));
    let other = place.path().join("grid");
    succeed(&["run", text(&grid), "--no-tables", "--out", text(&other)]);
    let refused = run(&["champion", text(&other)]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("only a coevolution has champions"));
}
