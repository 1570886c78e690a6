//! Tunings under other seeds, and two settings of tunings against one another.

use std::path::{Path, PathBuf};

use analysis::{Error, replicates};
use serde_json::{Value, json};

use crate::common::{
    drawn::check_figure,
    shown::{near, row, table},
    tuned::{Tuning, units, values},
};

/// A search of one generation, whose first candidate has the value `c`.
fn search(seed: u64, c: f64) -> Tuning {
    let mut run = Tuning::new(seed, 1);
    run.generation(&[(0, values(c, 2, "plain"), 8, 6.0), (1, values(0.5, 3, "odd"), 8, 2.0)], 0, 0);
    run
}

/// Such a search whose winner and defaults take these units of `o`, in the place of `directory` that goes by its seed.
fn run_of(directory: &Path, mut run: Tuning, winner: [usize; 5], defaults: [usize; 5]) -> PathBuf {
    run.end(
        0,
        &[
            ("winner", "o", units(winner)),
            ("defaults", "o", units(defaults)),
            ("winner", "defaults", units([4, 0, 2, 0, 0])),
        ],
    );
    placed(directory, &run)
}

fn placed(directory: &Path, run: &Tuning) -> PathBuf {
    let path = directory.join(format!("seed-{}", run.seed));
    std::fs::create_dir(&path).expect("a directory");
    run.write(&path);
    path
}

#[test]
fn a_winner_s_fresh_games_are_what_counts() {
    let place = tempfile::tempdir().expect("a directory");
    let at = place.path();
    let runs = [
        run_of(at, search(1, 0.2), [3, 0, 2, 1, 0], [1, 0, 3, 0, 2]),
        run_of(at, search(2, 0.9), [0, 0, 4, 0, 0], [2, 0, 2, 0, 0]),
    ];
    let report = replicates(&runs, &[], false).expect("tables");
    let [one, other] = [0, 1].map(|i| row(&report, "replicates", i));
    assert_eq!((&one["run"], &one["seed"], &one["generations"]), (&json!("seed-1"), &json!(1), &json!(1)));
    near(&one["points_per_1000_v_o"], 4250.0 / 6.0);
    near(&one["points_per_1000_v_defaults"], 5000.0 / 6.0);
    // SciPy 1.17.1: ttest_ind([1, 1, 1, .5, .5, .25], [1, .5, .5, .5, 0, 0], equal_var=False), times 1000.
    near(&one["advantage_over_the_defaults"], 1750.0 / 6.0);
    near(&one["advantage_over_the_defaults_95"][0], -165.994_561_493_134_1);
    near(&other["advantage_over_the_defaults"], -250.0);
    // Student's interval of 1,750 / 6 and -250 reaches below 0 and is cut at the least possible value.
    let advantage = row(&report, "outcomes", 2);
    assert_eq!((&advantage["outcome"], &advantage["runs"]), (&json!("advantage over the defaults"), &json!(2)));
    near(&advantage["mean"], 125.0 / 6.0);
    assert_eq!(advantage["mean_95"], json!([-1000.0, 1000.0]));
    let note = &table(&report, "replicates").notes[0];
    assert!(note.contains("not chosen for") && !note.contains("fitness"), "{note}");
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn who_is_drawn_is_no_difference_and_the_algorithm_is() {
    let place = tempfile::tempdir().expect("a directory");
    let at = place.path();
    let a = [
        run_of(at, search(1, 0.2), [3, 0, 2, 1, 0], [1, 0, 3, 0, 2]),
        run_of(at, search(2, 0.9), [4, 0, 2, 0, 0], [1, 0, 3, 0, 2]),
    ];
    let random = |seed| {
        let mut run = Tuning::new(seed, 1);
        run.algorithm = "random";
        run.generation(&[(0, values(0.3, 2, "plain"), 8, 6.0), (1, values(0.5, 3, "odd"), 8, 2.0)], 0, 0);
        run
    };
    let b = [
        run_of(at, random(3), [1, 0, 3, 0, 2], [1, 0, 3, 0, 2]),
        run_of(at, random(4), [2, 0, 3, 0, 1], [1, 0, 3, 0, 2]),
    ];
    let error = replicates(&[a[0].clone(), b[0].clone()], &[], false).expect_err("different");
    assert!(matches!(&error, Error::NoReplicate { differences, .. } if differences.len() == 1), "{error}");
    assert!(error.to_string().contains("`algorithm` is \"genetic\" and \"random\""), "{error}");
    let report = replicates(&a, &b, true).expect("tables");
    let advantage = row(&report, "settings", 2);
    // 1750 / 6 and 2500 / 6 against 0 and 1000 / 6: means 2125 / 6 and 500 / 6, variances 281250 / 36 and 500000 / 36.
    near(&advantage["difference"], 1625.0 / 6.0);
    near(&advantage["t"], 1625.0 / 390_625f64.sqrt());
    assert!(table(&report, "settings").notes[1].contains("`algorithm`"));
    let texts: [(&str, &[&str]); 2] = [
        (
            "replicate-tunings",
            &[
                "leader of the search",
                "mean of a generation&apos;s candidates",
                "games of the search so far",
                "A: tuned, mean ± 1 sd of 2 runs",
            ],
        ),
        (
            "replicate-winners",
            &["points per 1000 v o", "advantage over the defaults", "points of 1000 games", "B: tuned"],
        ),
    ];
    assert_eq!(report.figures.len(), 2);
    for (figure, (name, texts)) in report.figures.iter().zip(texts) {
        assert_eq!(figure.name, name);
        check_figure(figure, texts);
    }
}

#[test]
fn a_search_under_way_takes_no_part() {
    let place = tempfile::tempdir().expect("a directory");
    let runs =
        [run_of(place.path(), search(1, 0.2), [3, 0, 2, 1, 0], [1, 0, 3, 0, 2]), placed(place.path(), &search(2, 0.9))];
    let report = replicates(&runs, &[], true).expect("tables");
    assert_eq!(row(&report, "replicates", 1)["points_per_1000_v_o"], Value::Null);
    assert_eq!(row(&report, "outcomes", 0)["runs"], json!(1));
    assert!(report.warnings[0].contains("`seed-2` is under way"), "{:?}", report.warnings);
    assert!(report.figures[0].svg.contains(">tuned, one run<"), "{}", report.figures[0].svg);
    report.figures.iter().for_each(|figure| check_figure(figure, &[]));
}

#[test]
fn the_resolved_experiment_tells_settings_apart() {
    let place = tempfile::tempdir().expect("a directory");
    let with = |seed, games| {
        let mut run = search(seed, 0.2);
        run.resolved = Some(format!("name = \"t\"\nseed = {seed}\n[tuning]\ngames = {games}\n"));
        run_of(place.path(), run, [3, 0, 2, 1, 0], [1, 0, 3, 0, 2])
    };
    let (one, other) = (with(1, 6), with(2, 10));
    let error = replicates(&[one, other], &[], false).expect_err("different");
    assert!(error.to_string().contains("`tuning.games` is 6 and 10"), "{error}");
}
