//! A run of generations and benchmarks: from its database to tables, figures and the paper's runs.

use std::{fs, path::Path};

use analysis::{Error, Format, Options, Report, Text, analyze, compare, export, export_to};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    changed::change,
    drawn::check_figure,
    evolved::Evolution,
    refused::refused,
    run::Run,
    shown::{near, row, table},
};

fn written(run: &Evolution) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    directory
}

fn analysed(run: &Evolution) -> Report {
    analyze(written(run).path(), &Options::default()).expect("tables")
}

/// Units that the first player of the pair wins twice, and loses twice.
fn won_and_lost(won: usize, lost: usize) -> Vec<[i64; 2]> {
    (0..won + lost).map(|unit| if unit < won { [2, -2] } else { [-2, 2] }).collect()
}

/// Two generations of four, a benchmark between them, one at the end.
fn small() -> Evolution {
    small_with(Some("evomcts/table-6"))
}

fn small_with(paper: Option<&'static str>) -> Evolution {
    let mut run = Evolution::new(1, 2);
    run.paper = paper;
    run.generation(2, 3, &[(3.0, 1, 1, 0.0), (1.0, 3, 2, 0.0), (2.0, 5, 3, 0.4), (2.0, 3, 2, 0.0)]);
    // By hand in tables.rs: won twice; lost and drawn.
    let by_hand = vec![[10, -4], [-2, 0]];
    let won = won_and_lost(2, 0);
    run.benchmark(false, &[("best", 0, "best", "mcts-100", by_hand), ("sample-1", 2, "sample", "mcts-100", won)]);
    run.generation(2, 4, &[(2.0, 7, 3, 0.0), (2.0, 7, 3, 0.0), (1.5, 9, 4, 0.0), (2.5, 9, 4, 0.2)]);
    let last =
        |name, individual, role, opponent, won, lost| (name, individual, role, opponent, won_and_lost(won, lost));
    run.benchmark(
        true,
        &[
            last("best", 3, "best", "mcts-100", 70, 30),
            last("best", 3, "best", "mcts-200", 90, 10),
            last("finalist-2", 0, "finalist", "mcts-100", 40, 60),
            last("finalist-2", 0, "finalist", "mcts-200", 30, 70),
        ],
    );
    run
}

#[test]
fn a_generation_by_hand() {
    let report = analysed(&small());
    let first = row(&report, "generations", 0);
    for (key, wanted) in [("generation", 0), ("distinct", 3), ("individuals", 4)] {
        assert_eq!(first[key], json!(wanted), "{key}");
    }
    // Fitness 3, 1, 2, 2: squared deviations 1 + 1 of three degrees.
    let figures = [
        ("best", 3.0),
        ("mean", 2.0),
        ("sd", (2.0f64 / 3.0).sqrt()),
        ("median", 2.0),
        ("min", 1.0),
        ("size_mean", 3.0),
        ("size_max", 5.0),
        ("depth_mean", 2.0),
        ("introns", 0.1),
        ("plies", 50.5),
        // Eight games of 3.6 s.
        ("executor_hours", 0.008),
    ];
    for (key, wanted) in figures {
        near(&first[key], wanted);
    }
    assert_eq!(
        (&row(&report, "generations", 1)["generation"], table(&report, "generations").rows.len()),
        (&json!(1), 2)
    );
    assert!(table(&report, "generations").title.contains("points of 4"), "{}", table(&report, "generations").title);
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn benchmarks_by_hand() {
    let report = analysed(&small());
    let mut best = row(&report, "benchmarks", 0);
    // Units of 1 and 1/4, by numpy and SciPy (1.17.1) as `interval::of_units` says.
    for (end, wanted) in [(0, 85.667_392_423_250_5), (1, 967.370_771_751_074)] {
        near(&best["points_per_1000_95"][end], wanted);
    }
    best["points_per_1000_95"] = Value::Null;
    let wanted = json!({
        "generation": 0, "contestant": "best", "role": "best", "individual": 0, "opponent": "mcts-100", "games": 4,
        "wins": 2, "draws": 1, "losses": 1, "points_per_1000": 625.0, "points_per_1000_95": null,
    });
    assert_eq!(best, wanted);
    // All units equal: Wilson's interval of four wins, 4 / (4 + z²) to 1.
    let sample = row(&report, "benchmarks", 1);
    assert_eq!((&sample["role"], &sample["individual"]), (&json!("sample"), &json!(2)));
    near(&sample["points_per_1000_95"][0], 4000.0 / (4.0 + 1.959_963_984_540_054f64.powi(2)));
    assert_eq!(table(&report, "benchmarks").rows.len(), 6);
}

#[test]
fn the_final_benchmark_stands_beside_the_papers_runs() {
    let report = analysed(&small());
    assert_eq!(table(&report, "final").rows.len(), 4);
    let best = row(&report, "final", 0);
    // Units of 0 and 1, 70 of 100, by numpy and SciPy (1.17.1).
    near(&best["points_per_1000"], 700.0);
    near(&best["points_per_1000_95"][0], 602.938_224_871_568_7);
    // Table VI: 759, 701.5, 717, 730, 727, 719.
    near(&best["paper_mean"], 4353.5 / 6.0);
    assert_eq!(
        (&best["paper_runs"], &best["paper_min"], &best["paper_max"]),
        (&json!(6), &json!(701.5), &json!(759.0))
    );
    near(&row(&report, "final", 1)["paper_mean"], 3090.5 / 6.0);
    // The paper gives one champion a run.
    assert_eq!(row(&report, "final", 2)["paper_mean"], Value::Null);
    // Without a paper machines have the same columns, empty, and people do not see them.
    let (with, without) = (report, analysed(&small_with(None)));
    assert_eq!(table(&with, "final").columns, table(&without, "final").columns);
    assert_eq!(row(&without, "final", 0)["paper_mean"], Value::Null);
    assert!(!table(&without, "final").to_markdown().contains("paper"));
}

#[test]
fn cost_is_of_all_stages() {
    let report = analysed(&small());
    let parts: Vec<Value> = (0..3).map(|part| row(&report, "cost", part)).collect();
    // 16 games of 3.6 s; 8 and 800 of 1 ms.
    let wanted = [
        ("fitness games", 2, 16, 0.016),
        ("benchmarks", 2, 808, 0.808 / 3600.0),
        ("all", 4, 824, 0.016 + 0.808 / 3600.0),
    ];
    for (found, (part, stages, games, hours)) in parts.iter().zip(wanted) {
        assert_eq!((&found["part"], &found["stages"], &found["games"]), (&json!(part), &json!(stages), &json!(games)));
        near(&found["executor_hours"], hours);
    }
    // 49 decisions of 980 µs in all and 100 iterations each; 58 of 880 µs.
    near(&parts[0]["decision_us"], 20.0);
    near(&parts[0]["iterations"], 100.0);
    near(&parts[2]["decision_us"], (16.0 * 980.0 + 808.0 * 880.0) / (16.0 * 49.0 + 808.0 * 58.0));
    // `north` played all games of generations and half of the others.
    assert_eq!(row(&report, "workers", 0)["games"], json!(420));
    assert_eq!(row(&report, "workers", 1)["games"], json!(404));
}

#[test]
fn a_run_under_way_has_the_tables_of_its_closed_stages() {
    let mut run = Evolution::new(1, 3);
    run.generation(2, 1, &[(2.0, 1, 1, 0.0), (2.0, 1, 1, 0.0)]);
    let directory = written(&run);
    let report = analyze(directory.path(), &Options { figures: true, ..Options::default() }).expect("tables");
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["generations", "cost", "workers"]);
    assert!(report.warnings[0].contains("1 of 3 generations"), "{:?}", report.warnings);
    let figures: Vec<&str> = report.figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(figures, ["fitness", "structure"]);
    for figure in &report.figures {
        check_figure(figure, &[]);
        // Lines of one generation are marks: best and mean; four panels with six lines.
        let marks = figure.svg.matches("fill=\"#0072b2\"").count() + figure.svg.matches("fill=\"#d55e00\"").count();
        assert_eq!(marks, if figure.name == "fitness" { 2 } else { 6 }, "{}", figure.svg);
    }
    let error = compare(directory.path(), Some("evomcts/table-6")).expect_err("nothing to compare yet");
    assert!(matches!(error, Error::NoFinalStage { generations: 1, .. }), "{error}");
    // All generations without a benchmark: nothing more is to come.
    run.generation(2, 1, &[(2.0, 1, 1, 0.0), (2.0, 1, 1, 0.0)]);
    run.generation(2, 1, &[(2.0, 1, 1, 0.0), (2.0, 1, 1, 0.0)]);
    assert_eq!(analysed(&run).warnings, Vec::<String>::new());
}

#[test]
fn compare_sets_the_champion_beside_a_range() {
    let directory = written(&small());
    let report = compare(directory.path(), None).expect("a comparison");
    let first = row(&report, "compare", 0);
    assert_eq!((&first["player"], &first["opponent"]), (&json!("best"), &json!("mcts-100")));
    near(&first["ours"], 0.7);
    near(&first["paper"], 4.3535 / 6.0);
    near(&first["difference"], 0.7 - 4.3535 / 6.0);
    assert_eq!((&first["paper_runs"], &first["paper_range"]), (&json!(6), &json!([0.7015, 0.759])));
    // 0.7 lies below the range, its interval from 0.61 to 0.79 meets it.
    assert_eq!(first["verdict"], json!("inside"));
    // 0.9 ± 0.06 against 0.4825 to 0.53.
    assert_eq!(row(&report, "compare", 1)["verdict"], json!("outside"));
    assert_eq!(table(&report, "compare").rows.len(), 2);
    // Pair by pair it is the champion, too; budgets that were not played are not there.
    let report = compare(directory.path(), Some("evomcts/table-7")).expect("a comparison");
    let verdicts: Vec<Value> = (0..8).map(|i| row(&report, "compare", i)["verdict"].clone()).collect();
    assert_eq!(verdicts[..3], [json!("inside"), json!("outside"), json!("not in this run")]);
    // 200 games of 0.7: allowed is z · sqrt(0.21 / 99 + 0.759 · 0.241 / 1000).
    let z = 1.959_963_984_540_054;
    near(&row(&report, "compare", 0)["allowed"], z * (0.21f64 / 99.0 + 0.759 * 0.241 / 1000.0).sqrt());
}

#[test]
fn a_champion_with_other_playouts_is_not_the_papers() {
    let directory = written(&small());
    change(directory.path(), "UPDATE stages SET spec = replace(spec, 'evomcts:playouts=100', 'evomcts:playouts=50')");
    let report = compare(directory.path(), None).expect("a comparison");
    assert_eq!(row(&report, "compare", 0)["verdict"], json!("not in this run"));
    assert_eq!(row(&report, "compare", 0)["paper_runs"], json!(6));
}

#[test]
fn a_grid_of_champions_is_compared_by_name() {
    let mut run = Run::new(&[["evomcts-100", "mcts-100"], ["mcts-400", "evomcts-200"]]);
    run.paper = Some("evomcts/table-12");
    won_and_lost(92, 8).into_iter().for_each(|unit| run.unit(0, unit));
    // The other way round: evomcts-200 takes 0.8 against the paper's 0.807.
    won_and_lost(20, 80).into_iter().for_each(|unit| run.unit(1, unit));
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    let report = compare(directory.path(), None).expect("a comparison");
    let [first, fourth] = [0, 3].map(|i| row(&report, "compare", i));
    near(&first["difference"], 0.0);
    near(&fourth["ours"], 0.8);
    near(&fourth["difference"], 0.8 - 0.807);
    let seen: Vec<bool> = (0..8).map(|i| row(&report, "compare", i)["ours"].is_number()).collect();
    assert_eq!(seen, [true, false, false, true, false, false, false, false]);
    // Beside a table of runs a grid's champion stands for one run.
    let report = compare(directory.path(), Some("evomcts/table-11")).expect("a comparison");
    assert_eq!(row(&report, "compare", 0)["verdict"], json!("inside"));
    assert_eq!(row(&report, "compare", 1)["verdict"], json!("not in this run"));
}

#[test]
fn a_fold_goes_with_the_file() {
    let directory = written(&small());
    let path = directory.path();
    let files = export(path).expect("files");
    assert_eq!(files.len(), 4);
    let bytes = |files: &[std::path::PathBuf]| -> Vec<Vec<u8>> {
        files.iter().map(|file| fs::read(file).expect("a file")).collect()
    };
    let first = bytes(&files);
    // Exported a second time elsewhere: the same bytes, and enough for every table and figure.
    let elsewhere = tempfile::tempdir().expect("a directory");
    assert_eq!(bytes(&export_to(path, elsewhere.path()).expect("files")), first);
    let options = Options { figures: true, ..Options::default() };
    let report = analyze(path, &options).expect("tables");
    assert!(analyze(elsewhere.path(), &options).expect("tables") == report, "Parquet is enough");
    // A file with another fold is not the stage's.
    change(path, "UPDATE stages SET fold = replace(fold, '\"distinct\":3', '\"distinct\":2') WHERE stage = 0");
    export(path).expect("files");
    for file in ["redqueen.sqlite", "redqueen.sqlite-wal", "redqueen.sqlite-shm"] {
        let _ = fs::remove_file(path.join(file));
    }
    assert_eq!(row(&analyze(path, &options).expect("tables"), "generations", 0)["distinct"], json!(2));
}

#[test]
fn says_what_is_wrong_with_a_fold() {
    let check = |change: &str, says: &str| refused(written(&small()).path(), change, says);
    check("UPDATE stages SET fold = NULL WHERE stage = 2", "stage 2");
    check("UPDATE stages SET fold = 'no' WHERE stage = 0", "JSON");
    check("UPDATE stages SET fold = replace(fold, '\"best\":0', '\"best\":4') WHERE stage = 0", "best");
    check("UPDATE stages SET fold = replace(fold, '[1,3,5,3]', '[1,3,5]') WHERE stage = 0", "lengths");
}

#[test]
fn games_without_a_result_are_warned_of() {
    let directory = written(&small());
    change(directory.path(), "DELETE FROM results_generation WHERE stage = 0 AND trial = 3");
    change(directory.path(), "DELETE FROM results_match WHERE stage = 3 AND trial = 5");
    let report = analyze(directory.path(), &Options::default()).expect("tables");
    assert!(report.warnings[0].contains("2 of 824 games"), "{:?}", report.warnings);
}

#[test]
fn figures_have_axes_and_legends() {
    let directory = written(&small());
    let options = Options { figures: true, ..Options::default() };
    let report = analyze(directory.path(), &options).expect("tables");
    let texts: [(&str, &[&str]); 3] = [
        (
            "fitness",
            &["generation", "fitness (points of 4 games)", "best individual", "mean, band ± 1 sd of individuals"],
        ),
        (
            "benchmarks",
            &[
                "generation",
                "points of 1000 games",
                "best v mcts-100, 95 %",
                "best v mcts-200, 95 %",
                "samples v mcts-100, mean",
                "equal strength",
            ],
        ),
        (
            "structure",
            &["generation", "size (nodes)", "depth (levels)", "introns (% of nodes)", "different (% of trees)"],
        ),
    ];
    assert_eq!(report.figures.len(), 3);
    for (figure, (name, texts)) in report.figures.iter().zip(texts) {
        assert_eq!(figure.name, name);
        check_figure(figure, texts);
    }
    let files = report.write(directory.path(), &[Format::Text(Text::Csv)]).expect("files");
    let names: Vec<&Path> = files.iter().map(|file| file.strip_prefix(directory.path()).expect("inside")).collect();
    let wanted = [
        "tables/generations.csv",
        "tables/benchmarks.csv",
        "tables/final.csv",
        "tables/cost.csv",
        "tables/workers.csv",
        "figures/fitness.svg",
        "figures/fitness.png",
        "figures/fitness.pdf",
        "figures/benchmarks.svg",
        "figures/benchmarks.png",
        "figures/benchmarks.pdf",
        "figures/structure.svg",
        "figures/structure.png",
        "figures/structure.pdf",
    ];
    assert_eq!(names, wanted.map(Path::new));
    // Drawn once more it is the same to the byte.
    assert!(analyze(directory.path(), &options).expect("tables").figures == report.figures, "bytes differ");
}

#[test]
fn a_grid_has_figures_of_its_pairs_and_ratings() {
    let mut run = Run::new(&[["x", "o"], ["y & z", "o"]]);
    run.unit(0, [10, -4]);
    run.unit(0, [-2, 0]);
    run.unit(1, [2, -2]);
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    let report = analyze(directory.path(), &Options { figures: true, ..Options::default() }).expect("tables");
    assert_eq!(report.figures.len(), 2);
    assert!(report.figures[0].to_png().expect("well-formed") == report.figures[0].to_png().expect("well-formed"));
    check_figure(&report.figures[0], &["share of the points of the first named", "x v o", "y &amp; z v o"]);
    // y took every point, and has no rating.
    check_figure(&report.figures[1], &["Elo points above the mean of the group", "x", "o"]);
    assert!(report.figures[1].name == "ratings-1-2" && !report.figures[1].svg.contains("y &amp; z"));
    assert_eq!(analyze(directory.path(), &Options::default()).expect("tables").figures, []);
}
