//! Runs of one experiment under other seeds, and two settings against one another.

use std::path::PathBuf;

use analysis::{Error, replicates};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    evolved::Evolution,
    run::Run,
    shown::{near, row, table},
};

/// Directories of runs, in a place that goes with them.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Place(tempfile::tempdir().expect("a directory"))
    }

    fn directory(&self, name: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir(&path).expect("a directory");
        path
    }

    /// A run whose champion takes `score` of 10 units, with fitness `fitness` of 4 and trees of `size` nodes.
    fn run(&self, seed: u64, score: usize, fitness: f64, size: u64) -> PathBuf {
        self.changed(seed, score, fitness, size, |_| {})
    }

    fn changed(&self, seed: u64, score: usize, fitness: f64, size: u64, change: impl Fn(&mut Evolution)) -> PathBuf {
        let mut run = Evolution::new(seed, 1);
        change(&mut run);
        run.generation(2, 2, &[(fitness, size, 1, 0.0), (4.0 - fitness, size, 1, 0.0)]);
        let units = (0..10).map(|unit| if unit < score { [2, -2] } else { [-2, 2] }).collect();
        run.benchmark(true, &[("best", 0, "best", "mcts-100", units)]);
        let path = self.directory(&format!("{score}-{seed}-{size}"));
        run.write(&path);
        path
    }
}

#[test]
fn a_run_is_one_observation() {
    let place = Place::new();
    let runs = [place.run(5, 6, 3.0, 7), place.run(6, 8, 4.0, 9), place.run(7, 7, 3.5, 14)];
    let report = replicates(&runs, &[], false).expect("tables");
    let first = row(&report, "replicates", 0);
    assert_eq!((&first["run"], &first["seed"], &first["generations"]), (&json!("6-5-7"), &json!(5), &json!(1)));
    near(&first["best_fitness_share"], 0.75);
    near(&first["points_per_1000_v_mcts_100"], 600.0);
    near(&first["mean_size"], 7.0);
    // Units of 0 and 1, 6 of 10, by numpy and SciPy (1.17.1) as `interval::of_units` says.
    near(&first["points_per_1000_v_mcts_100_95"][0], 285.608_488_001_541_5);
    assert_eq!(table(&report, "replicates").rows.len(), 3);
    // 600, 800, 700: mean 700, deviation 100; t(0.975, 2) = 4.302652729749462 (SciPy 1.17.1).
    let score = row(&report, "outcomes", 2);
    assert_eq!((&score["outcome"], &score["runs"]), (&json!("points per 1000 v mcts-100"), &json!(3)));
    near(&score["mean"], 700.0);
    near(&score["sd"], 100.0);
    near(&score["min"], 600.0);
    near(&score["max"], 800.0);
    near(&score["mean_95"][0], 700.0 - 4.302_652_729_749_462 * 100.0 / 3f64.sqrt());
    let size = row(&report, "outcomes", 1);
    assert_eq!(size["outcome"], json!("mean size"));
    near(&size["mean"], 10.0);
    // 7, 9, 14: deviations -3, -1, 4. No size is below nothing, no share above 1.
    near(&size["sd"], 13f64.sqrt());
    near(&size["mean_95"][0], 10.0 - 4.302_652_729_749_462 * (13f64 / 3.0).sqrt());
    assert_eq!(row(&report, "outcomes", 0)["mean_95"][1], json!(1.0));
    assert_eq!((report.figures.len(), report.warnings.len()), (0, 0));
}

#[test]
fn replicates_stand_beside_the_papers_runs() {
    let place = Place::new();
    let run = |seed, score| place.changed(seed, score, 3.0, 7, |run| run.paper = Some("evomcts/table-6"));
    let report = replicates(&[run(1, 6), run(2, 8)], &[], false).expect("tables");
    let score = row(&report, "outcomes", 2);
    near(&score["paper_mean"], 4353.5 / 6.0);
    assert_eq!((&score["paper_runs"], &score["paper_range"]), (&json!(6), &json!([701.5, 759.0])));
    // SciPy 1.17.1: ttest_ind([600, 800], [759, 701.5, 717, 730, 727, 719], equal_var=False).
    near(&score["paper_p"], 0.840_624_230_000_651_1);
    // Nothing of the paper's is a share of fitness.
    assert_eq!(row(&report, "outcomes", 0)["paper_mean"], Value::Null);
}

#[test]
fn settings_are_tested_over_runs() {
    let place = Place::new();
    let a = [place.run(1, 6, 3.0, 5), place.run(2, 8, 3.0, 5)];
    let b = [place.run(3, 2, 3.0, 5), place.run(4, 3, 3.5, 5)];
    let report = replicates(&a, &b, false).expect("tables");
    let score = row(&report, "settings", 2);
    assert_eq!(
        (&score["outcome"], &score["n_a"], &score["n_b"]),
        (&json!("points per 1000 v mcts-100"), &json!(2), &json!(2))
    );
    // 600, 800 and 200, 300: variances 20,000 and 5,000, halved 10,000 and 2,500.
    near(&score["difference"], 450.0);
    near(&score["t"], 450.0 / 12_500f64.sqrt());
    near(&score["df"], 12_500f64.powi(2) / (10_000f64.powi(2) + 2_500f64.powi(2)));
    // SciPy 1.17.1: ttest_ind(equal_var=False) and its interval.
    near(&score["p_t"], 0.091_710_338_965_954_4);
    near(&score["difference_95"][0], -241.852_283_007_106_4);
    near(&score["difference_95"][1], 1_141.852_283_007_106_4);
    // Two of the six orders of two and two are as extreme.
    near(&score["u"], 4.0);
    near(&score["p_u"], 1.0 / 3.0);
    near(&score["a12"], 1.0);
    assert_eq!(score["remark"], Value::Null);
    // Holm over two Welch tests: sizes do not differ at all, and are none.
    let (low, high) = (score["p_t"].as_f64().expect("p"), row(&report, "settings", 0)["p_t"].as_f64().expect("p"));
    assert!(low < high, "{low} {high}");
    near(&score["p_t_holm"], 2.0 * low);
    let size = row(&report, "settings", 1);
    assert_eq!(
        (&size["outcome"], &size["t"], &size["difference_95"]),
        (&json!("mean size"), &Value::Null, &Value::Null)
    );
    near(&size["difference"], 0.0);
    assert!(size["remark"].as_str().expect("a reason").contains("equal"), "{size}");
    assert_eq!(row(&report, "replicates", 2)["setting"], json!("B"));
    assert_eq!(report.warnings, Vec::<String>::new());
    // The sides changed, signs change and chances do not.
    let turned = replicates(&b, &a, false).expect("tables");
    let other = row(&turned, "settings", 2);
    near(&other["difference"], -450.0);
    assert_eq!((&other["p_t"], &other["p_u"]), (&score["p_t"], &score["p_u"]));
}

#[test]
fn few_runs_have_dashes_and_a_reason() {
    let place = Place::new();
    let (a, b) = ([place.run(1, 6, 3.0, 5), place.run(2, 8, 3.0, 5)], [place.run(3, 2, 3.0, 5)]);
    let report = replicates(&a, &b, false).expect("tables");
    for outcome in 0..3 {
        let found = row(&report, "settings", outcome);
        assert_eq!((&found["p_t"], &found["p_u"], &found["sd_b"]), (&Value::Null, &Value::Null, &Value::Null));
        assert_eq!(found["remark"], json!("no test: one run in B"));
    }
    near(&row(&report, "settings", 2)["difference"], 500.0);
    // An outcome that one setting lacks.
    let mut grid = Run::new(&[["x", "o"]]);
    grid.unit(0, [2, -2]);
    let directory = place.directory("grid");
    grid.write(&directory);
    let report = replicates(&a, &[directory], false).expect("tables");
    let last = table(&report, "settings").rows.len() - 1;
    let found = row(&report, "settings", last);
    assert_eq!(
        (&found["outcome"], &found["n_a"], &found["n_b"]),
        (&json!("points per 1000 x v o"), &json!(0), &json!(1))
    );
    assert_eq!((&found["difference"], &found["remark"]), (&Value::Null, &json!("no test: no run in A, one run in B")));
}

#[test]
fn a_run_under_way_takes_no_part() {
    let place = Place::new();
    let mut under_way = Evolution::new(9, 2);
    under_way.generation(2, 2, &[(3.0, 5, 1, 0.0), (1.0, 5, 1, 0.0)]);
    let directory = place.directory("under-way");
    under_way.write(&directory);
    let whole = place.changed(1, 6, 3.0, 5, |run| run.generations = 2);
    let report = replicates(&[whole, directory], &[], false).expect("tables");
    assert_eq!(row(&report, "replicates", 1)["points_per_1000_v_mcts_100"], Value::Null);
    assert_eq!(row(&report, "outcomes", 0)["runs"], json!(1));
    assert!(report.warnings[0].contains("`under-way`"), "{:?}", report.warnings);
}

#[test]
fn runs_of_other_experiments_are_refused() {
    let place = Place::new();
    let resolved =
        |population: u64, seed: u64| format!("name = \"e\"\nseed = {seed}\n[coevolution]\npopulation = {population}\n");
    let with = |seed, population| {
        place.changed(seed, 6, 3.0, population, |run| run.resolved = Some(resolved(population, seed)))
    };
    let (one, other) = (with(1, 48), with(2, 32));
    let error = replicates(&[one.clone(), other.clone()], &[], false).expect_err("different");
    assert!(matches!(&error, Error::NoReplicate { differences, .. } if differences.len() == 1), "{error}");
    assert!(error.to_string().contains("`coevolution.population` is 48 and 32"), "{error}");
    assert!(error.is_input() && error.hint().is_some_and(|hint| hint.contains("--against")));
    // Against one another they may stand, with what differs.
    let report = replicates(&[one], &[other], false).expect("tables");
    assert!(table(&report, "settings").notes[1].contains("`coevolution.population` is 48 and 32"));
    // Without the resolved experiment the facts of the first stage tell.
    let two = place.changed(3, 6, 3.0, 5, |run| run.generations = 2);
    let error = replicates(&[place.run(4, 6, 3.0, 5), two], &[], false).expect_err("different");
    assert!(error.to_string().contains("`generations` is 1 and 2"), "{error}");
    // The seed and the population drawn with it are no difference.
    replicates(&[place.run(5, 6, 3.0, 5), place.run(6, 6, 3.0, 5)], &[], false).expect("tables");
}

#[test]
fn the_same_seed_twice_is_refused() {
    let place = Place::new();
    let run = place.run(1, 6, 3.0, 5);
    for twin in [run.clone(), place.run(1, 7, 3.0, 5)] {
        let error = replicates(&[run.clone(), twin], &[], false).expect_err("the same luck");
        assert!(matches!(error, Error::SameSeed { .. }), "{error}");
    }
    // A grid's facts name no seed: the directory tells.
    let mut grid = Run::new(&[["x", "o"]]);
    grid.unit(0, [2, -2]);
    let directory = place.directory("grid");
    grid.write(&directory);
    let error = replicates(&[directory.clone(), directory], &[], false).expect_err("the same run");
    assert!(matches!(error, Error::SameSeed { .. }), "{error}");
    // Two settings may share seeds, which is said.
    let report = replicates(&[run], &[place.run(1, 8, 3.0, 5)], false).expect("tables");
    assert!(report.warnings[0].contains("seeds 1:"), "{:?}", report.warnings);
}

#[test]
fn figures_show_means_with_spreads() {
    let place = Place::new();
    let a = [place.run(1, 6, 3.0, 5), place.run(2, 8, 3.0, 5)];
    let b = [place.run(3, 2, 3.0, 5)];
    let report = replicates(&a, &b, true).expect("tables");
    let names: Vec<&str> = report.figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(names, ["replicates", "replicate-benchmarks"]);
    let says = |figure: usize, text: &str| {
        assert!(report.figures[figure].svg.contains(&format!(">{text}<")), "{text}: {}", report.figures[figure].svg);
    };
    says(0, "fitness (% of its games)");
    says(0, "mean size (nodes)");
    says(0, "A: evolved, mean ± 1 sd of 2 runs");
    says(1, "points of 1000 games");
    says(1, "best individual v mcts-100");
    says(1, "B: evolved, one run");
    for figure in &report.figures {
        assert!(figure.to_png().expect("well-formed").len() > 1000);
    }
}
