//! Runs made longer: what is stored is kept, and the whole is as if the run had been longer from the start.

use std::{fs, path::Path};

use coordinator::{
    core::{OpenRun, RunState},
    ranges::RangeSet,
    store::{self, Error, RunDirectory, RunStore},
};
use tempfile::TempDir;

use crate::bench::{Bench, EVOLUTION, TINY, copy, open, parse, set, sql};

const GRID: &str = r#"format = 1
name = "grid"
kind = "match-grid"
game = "dodgem:size=3"
[players]
a = "random"
b = "mcts:playouts=3"
c = "mcts:playouts=5"
[match-grid]
pairing = "round-robin"
games-per-pair = 6
"#;

const STUDY: &str = r#"format = 1
name = "study"
kind = "study"
[problems]
f1 = "fop:function=f1,width-min=0.1"
f5 = "fop:function=f5,width-min=0.1"
[players]
one = "mcts:playouts=4"
two = "random"
[study]
runs = 3
"#;

const TUNING: &str = r#"format = 1
name = "tuning"
kind = "tuning"
game = "dodgem:size=3"
[players]
random = "random"
[tuning]
player = "mcts:playouts=6"
algorithm = "ALGORITHM"
population = 5
generations = 3
games = 2
[tuning.parameters]
playouts = { type = "integer", min = 2, max = 12 }
[tuning.final]
games = 4
"#;

/// What stands in a text, and what is to stand there.
type Lines<'a> = &'a [(&'a str, &'a str)];

/// A text with some lines replaced.
fn with(text: &str, lines: Lines<'_>) -> String {
    lines.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// Every kind with what makes it longer.
fn longer_runs() -> Vec<(String, String)> {
    let mut runs = vec![
        (TINY.to_owned(), with(TINY, &[("trials = 20", "trials = 31")])),
        (GRID.to_owned(), with(GRID, &[("per-pair = 6", "per-pair = 10")])),
        (GRID.to_owned(), with(GRID, &[("name", "scale = 2.5\nname")])),
        // Players at both ends and in between.
        (
            GRID.to_owned(),
            with(
                GRID,
                &[
                    ("a = \"random\"\n", "z = \"mcts:playouts=2\"\na = \"random\"\ny = \"mcts:playouts=4\"\n"),
                    ("[match-grid]", "x = \"mcts:playouts=7\"\n[match-grid]"),
                    ("per-pair = 6", "per-pair = 8"),
                ],
            ),
        ),
        // Pairs by another rule, those there were among them.
        (
            with(GRID, &[("\"round-robin\"", "\"listed\"\npairs = [[\"a\", \"c\"], [\"b\", \"c\"]]")]),
            with(GRID, &[("per-pair = 6", "per-pair = 6\nopening-plies = 0")]),
        ),
        (
            with(GRID, &[("\"round-robin\"", "\"gauntlet\"\nchampions = [\"b\"]\nseat = \"second\"")]),
            with(
                GRID,
                &[
                    ("\"round-robin\"", "\"gauntlet\"\nchampions = [\"b\"]\nseat = \"second\""),
                    ("a = \"random\"\n", "a = \"random\"\nd = \"mcts:playouts=2\"\n"),
                    ("per-pair = 6", "per-pair = 7"),
                ],
            ),
        ),
        (STUDY.to_owned(), with(STUDY, &[("runs = 3", "runs = 5")])),
        (
            STUDY.to_owned(),
            with(
                STUDY,
                &[
                    ("f5 =", "f3 = \"fop:function=f3,width-min=0.1\"\nf5 ="),
                    ("one =", "none = \"mcts:playouts=2\"\none ="),
                    ("runs = 3", "runs = 4"),
                ],
            ),
        ),
        // The benchmark that ends the shorter run is not in the longer one, which has another at that generation.
        (EVOLUTION.to_owned(), with(EVOLUTION, &[("generations = 3", "generations = 6")])),
        (EVOLUTION.to_owned(), with(EVOLUTION, &[("generations = 3", "generations = 4")])),
        (
            with(EVOLUTION, &[("every = 3", "every = 2")]),
            with(EVOLUTION, &[("every = 3", "every = 2"), ("generations = 3", "generations = 5")]),
        ),
        (EVOLUTION.to_owned(), with(EVOLUTION, &[("final-games = 6", "final-games = 10")])),
        // Without opponents there are no benchmarks.
        (
            with(
                EVOLUTION,
                &[
                    ("[players]\nrandom = \"random\"\n", ""),
                    (
                        "[coevolution.benchmark]\nevery = 3\ngames = 4\nsamples = 2\nfinal-games = 6\nfinalists = 3\n",
                        "",
                    ),
                ],
            ),
            with(
                EVOLUTION,
                &[
                    ("[players]\nrandom = \"random\"\n", ""),
                    (
                        "[coevolution.benchmark]\nevery = 3\ngames = 4\nsamples = 2\nfinal-games = 6\nfinalists = 3\n",
                        "",
                    ),
                    ("generations = 3", "generations = 5"),
                ],
            ),
        ),
        // A rule that ended it at the first benchmark, and ends it later or never.
        (
            with(EVOLUTION, &[("every = 3", "every = 1")]) + "[coevolution.stop]\nscore = 0.0\n",
            with(EVOLUTION, &[("every = 3", "every = 1")]),
        ),
    ];
    for algorithm in ["genetic", "successive-halving", "differential-evolution", "random"] {
        let short = TUNING.replace("ALGORITHM", algorithm);
        runs.push((short.clone(), with(&short, &[("generations = 3", "generations = 5")])));
        runs.push((short.clone(), with(&short, &[("games = 4", "games = 6")])));
    }
    let budget = TUNING.replace("ALGORITHM", "random");
    let capped = with(&budget, &[("games = 2", "games = 2\nmax-games = 20")]);
    runs.push((capped.clone(), with(&capped, &[("max-games = 20", "max-games = 30")])));
    runs
}

fn finished(directory: &Path, text: &str) -> store::Digest {
    let (mut bench, run) = Bench::start(directory, text);
    bench.finish(&run.all_stored());
    bench.end();
    store::digest(directory).expect("read")
}

fn extend(directory: &Path, longer: &str) -> Result<(RunStore, OpenRun), Error> {
    let (mut store, _) = RunStore::open(RunDirectory::open(directory)?)?;
    let (open, _) = store.extend(longer, &parse(longer))?;
    Ok((store, open))
}

/// Every stage with its fold, and every artifact.
fn facts(directory: &Path) -> Vec<String> {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    let sql = "SELECT spec || coalesce(fold, '') FROM stages UNION ALL SELECT hash FROM artifacts ORDER BY 1";
    let mut statement = conn.prepare(sql).expect("tables");
    let texts = statement.query_map([], |row| row.get(0)).expect("read");
    texts.map(|text| text.expect("a text")).collect()
}

/// A run of an experiment from the start.
fn whole(text: &str) -> TempDir {
    let place = TempDir::new().expect("a place");
    finished(place.path(), text);
    place
}

/// Asserts that a run is what it had been, had it been longer from the start.
#[track_caller]
fn check(directory: &Path, whole: &TempDir) {
    let read = |file: &str| [directory, whole.path()].map(|run| fs::read_to_string(run.join(file)).expect("read"));
    let [found, wanted] = read("experiment.toml");
    assert_eq!(found, wanted);
    let [found, wanted] = read("resolved.toml");
    assert_eq!(found, wanted);
    let [found, wanted] = [directory, whole.path()].map(|run| store::digest(run).expect("read"));
    assert!(wanted.complete);
    assert_eq!(found, wanted, "{}", read("experiment.toml")[1]);
    assert_eq!(facts(directory), facts(whole.path()));
    let [found, wanted] = [directory, whole.path()].map(|run| store::summary(run).expect("read").id);
    assert_eq!(found, wanted);
    assert!(!directory.join("resolved.next.toml").exists() && !directory.join("experiment.next.toml").exists());
}

/// Runs what a run lacks.
fn finish((store, run): (RunStore, OpenRun)) {
    let (mut bench, run) = Bench::take((store, run));
    bench.finish(&run.all_stored());
    bench.end();
}

#[test]
fn a_run_goes_on_as_if_it_had_been_longer_from_the_start_wherever_it_stands() {
    for (short, longer) in longer_runs() {
        let whole = whole(&longer);
        // After so many batches of some trials, whatever stage they belong to; the last time it is finished.
        for batches in [1, 4, u32::MAX] {
            let place = TempDir::new().expect("a place");
            let (mut bench, _) = Bench::start(place.path(), &short);
            let (mut begun, mut open) = (0, true);
            for _ in 0..batches {
                if begun == bench.stage.trials {
                    open = bench.close();
                    begun = 0;
                }
                if !open {
                    break;
                }
                let next = (begun + bench.stage.trials.div_ceil(2)).min(bench.stage.trials);
                bench.store("w", begun..next);
                begun = next;
            }
            bench.end();
            assert!(!open || batches < u32::MAX);
            let (store, run) = extend(place.path(), &longer).expect("grows");
            assert_eq!(run.state, RunState::Running, "{longer}");
            finish((store, run));
            check(place.path(), &whole);
        }
    }
}

#[test]
fn trials_that_were_given_up_stay_so_where_they_stand_now() {
    let place = TempDir::new().expect("a place");
    let longer = with(GRID, &[("per-pair = 6", "per-pair = 10")]);
    let (mut bench, _) = Bench::start(place.path(), GRID);
    // The first game of the second pair, and the last of the third.
    bench.store("w", (0..18).filter(|trial| ![6, 17].contains(trial)));
    [6, 17].into_iter().for_each(|trial| bench.give_up(trial));
    assert!(!bench.close());
    bench.end();
    assert_eq!(store::summary(place.path()).expect("read").state, "failed");

    let (mut bench, run) = Bench::take(extend(place.path(), &longer).expect("grows"));
    assert_eq!((run.state, run.quarantined.clone()), (RunState::Running, set([10, 25])));
    assert_eq!(run.failures.keys().copied().collect::<Vec<_>>(), [10, 25]);
    let mut done = run.all_stored();
    assert_eq!(done, set((0..6).chain(11..16).chain(20..25)));
    done.insert_all(&run.quarantined);
    bench.finish(&done);
    bench.end();
    assert_eq!(store::summary(place.path()).expect("read").state, "failed", "they still lack a result");
    let failures = store::failures(place.path()).expect("read");
    assert_eq!(failures.iter().map(|failure| failure.trial).collect::<Vec<_>>(), [10, 25]);

    // With another chance it is whole.
    let (mut store, _) = open(place.path(), &longer).expect("opens");
    let (run, _) = store.retry(false).expect("written").expect("another chance");
    let (mut bench, _) = Bench::take((store, OpenRun { quarantined: RangeSet::new(), ..run }));
    bench.store("w", [10, 25]);
    assert!(!bench.close());
    bench.end();
    check(place.path(), &whole(&longer));
}

#[test]
fn results_in_doubt_run_again() {
    let place = TempDir::new().expect("a place");
    let longer = with(GRID, &[("per-pair = 6", "per-pair = 10")]);
    let (mut bench, _) = Bench::start(place.path(), GRID);
    bench.store("w", 0..18);
    sql(place.path(), "INSERT INTO claims VALUES (0, 7, 'v', '[]', '')");
    bench.end();
    let (store, run) = extend(place.path(), &longer).expect("grows");
    assert_eq!(run.all_stored(), set((0..6).chain([10]).chain(12..16).chain(20..26)));
    assert!(run.disputes.is_empty());
    finish((store, run));
    check(place.path(), &whole(&longer));
}

#[test]
fn what_is_no_longer_run_of_it_is_refused_by_key_and_changes_nothing() {
    let rows: &[(&str, Lines<'_>, &[&str])] = &[
        (GRID, &[("per-pair = 6", "per-pair = 4")], &["`match-grid.games-per-pair` is 6 there and 4 here"]),
        (GRID, &[("playouts=5", "playouts=6")], &["`players.c.playouts` is 5 there and 6 here"]),
        (GRID, &[("name", "seed = 3\nname"), ("per-pair = 6", "per-pair = 8")], &["`seed` is 1 there and 3 here"]),
        (GRID, &[("c = \"mcts:playouts=5\"\n", "")], &["`players.c` is", "not set here"]),
        (
            GRID,
            &[("a = \"random\"\n", ""), ("b = \"mcts:playouts=3\"\n", "b = \"mcts:playouts=3\"\na = \"random\"\n")],
            &["`players` is in the order a, b, c there and in the order b, a, c here"],
        ),
        (GRID, &[("per-pair = 6", "per-pair = 8\nturn-times = true")], &["`match-grid.turn-times` is false there"]),
        (STUDY, &[("runs = 3", "runs = 2")], &["`study.runs` is 3 there and 2 here"]),
        (STUDY, &[("f1 = \"fop:function=f1", "f1 = \"fop:function=f2")], &["`problems.f1.function` is"]),
        (EVOLUTION, &[("generations = 3", "generations = 2")], &["`coevolution.generations` is 3 there and 2 here"]),
        (
            EVOLUTION,
            &[("generations = 3", "generations = 5"), ("population = 10", "population = 12")],
            &["`coevolution.population` is 10 there and 12 here", "the next population follows"],
        ),
        (EVOLUTION, &[("name", "scale = 2.0\nname")], &["`scale` is 1.0 there and 2.0 here"]),
        (TUNING, &[("games = 2", "games = 4")], &["`tuning.games` is 2 there and 4 here"]),
        (TUNING, &[("generations = 3", "generations = 4\nstop-after = 1")], &["`tuning.stop-after` is 0 there"]),
    ];
    for (short, lines, wanted) in rows {
        let (short, longer) =
            (short.replace("ALGORITHM", "genetic"), with(short, lines).replace("ALGORITHM", "genetic"));
        let place = TempDir::new().expect("a place");
        let (bench, _) = Bench::start(place.path(), &short);
        bench.end();
        let files = |directory: &Path| {
            ["resolved.toml", "experiment.toml"].map(|file| fs::read_to_string(directory.join(file)).expect("read"))
        };
        let before = (files(place.path()), facts(place.path()));
        let error = extend(place.path(), &longer).err().expect("refused");
        let text = error.to_string();
        assert!(matches!(error, Error::NotLonger { .. }) && wanted.iter().all(|part| text.contains(part)), "{text}");
        assert_eq!((files(place.path()), facts(place.path())), before);
    }
}

/// A process can be killed between any two of: the new files beside the old ones, the commit, the new files in place.
#[test]
fn a_kill_in_between_leaves_the_old_run_or_the_longer_one() {
    let longer = with(GRID, &[("per-pair = 6", "per-pair = 10")]);
    let (old, new) = (TempDir::new().expect("a place"), TempDir::new().expect("a place"));
    finished(old.path(), GRID);
    let digest = store::digest(old.path()).expect("read");
    copy(old.path(), new.path());
    drop(extend(new.path(), &longer).expect("grows"));
    let grown = store::digest(new.path()).expect("read");
    let whole = whole(&longer);
    // Half of the files, then both, with the database of before the commit or of after it.
    for (files, database, is_longer) in [
        (&["experiment"][..], old.path(), false),
        (&["experiment", "resolved"], old.path(), false),
        (&["experiment", "resolved"], new.path(), true),
        (&["resolved"], new.path(), true),
    ] {
        let place = TempDir::new().expect("a place");
        copy(old.path(), place.path());
        fs::copy(database.join("redqueen.sqlite"), place.path().join("redqueen.sqlite")).expect("copied");
        fs::remove_file(place.path().join("redqueen.commits")).expect("removed");
        if !files.contains(&"experiment") {
            // It was put in place first.
            fs::copy(new.path().join("experiment.toml"), place.path().join("experiment.toml")).expect("copied");
        }
        for file in files {
            let next = place.path().join(format!("{file}.next.toml"));
            fs::copy(new.path().join(format!("{file}.toml")), next).expect("copied");
        }
        let text = if is_longer { &longer } else { GRID };
        // Readers see one or the other, before anybody has put the files in place.
        assert_eq!(store::digest(place.path()).expect("read"), if is_longer { grown.clone() } else { digest.clone() });
        assert_eq!(store::read_experiment(place.path()).expect("whole"), parse(text));
        let taken = if is_longer { open(place.path(), &longer) } else { extend(place.path(), &longer) };
        finish(taken.expect("goes on"));
        check(place.path(), &whole);
    }
}

#[test]
fn a_stage_that_this_version_would_not_make_is_refused() {
    let place = TempDir::new().expect("a place");
    finished(place.path(), EVOLUTION);
    let conn = rusqlite::Connection::open(place.path().join("redqueen.sqlite")).expect("opens");
    conn.execute_batch("UPDATE stages SET spec = replace(spec, 'generation 1', 'other') WHERE stage = 2")
        .expect("done");
    drop(conn);
    let before = facts(place.path());
    let longer = with(EVOLUTION, &[("generations = 3", "generations = 5")]);
    let error = extend(place.path(), &longer).err().expect("refused");
    assert!(error.to_string().contains("stage 2"), "{error}");
    assert_eq!(error.hint(), Some("use the version of redqueen that made the run"));
    assert_eq!(facts(place.path()), before);
    drop(RunStore::open(RunDirectory::open(place.path()).expect("free")).expect("opens as before"));
}

#[test]
fn a_rule_that_ended_a_run_ends_the_longer_one_as_well() {
    let place = TempDir::new().expect("a place");
    let short = with(EVOLUTION, &[("every = 3", "every = 1")]) + "[coevolution.stop]\nscore = 0.0\n";
    let longer = with(&short, &[("generations = 3", "generations = 9")]);
    finished(place.path(), &short);
    let (_, run) = extend(place.path(), &longer).expect("is the longer one");
    assert_eq!(run.state, RunState::Finished);
    check(place.path(), &whole(&longer));
    let event = store::events(place.path(), 0, 100).expect("read").events.pop().expect("events");
    assert_eq!((event.kind.as_str(), &event.detail["more"]), ("extended", &false.into()));
    assert_eq!(event.detail["keys"]["coevolution.generations"], serde_json::json!(["3", "9"]));
}
