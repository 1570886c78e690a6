//! A tuning: from its database to tables and figures.

use std::path::Path;

use analysis::{Error, Options, Report, analyze, compare};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    changed::change,
    drawn::check_figure,
    refused::refused,
    shown::{near, row, table},
    tuned::{Entry, Tuning, units, values},
};

fn written(run: &Tuning) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    directory
}

fn analysed(run: &Tuning) -> Report {
    analyze(written(run).path(), &Options::default()).expect("tables")
}

fn with_figures(directory: &Path) -> Report {
    analyze(directory, &Options { figures: true, ..Options::default() }).expect("tables")
}

/// Two generations of three: 1 leads after the first, 3 of the second beside two that stay.
fn search() -> Tuning {
    let mut run = Tuning::new(1, 2);
    let first: [Entry; 3] = [
        (0, values(0.02, 2, "plain"), 8, 2.0),
        (1, values(0.5, 3, "odd"), 8, 6.0),
        (2, values(5.0, 4, "plain"), 8, 5.0),
    ];
    run.generation(&first, 1, 0);
    run.generation(&[(1, None, 8, 7.5), (2, None, 8, 2.0), (3, values(0.7, 3, "odd"), 8, 6.5)], 1, 0);
    run
}

/// The same with a final stage against one opponent.
fn small() -> Tuning {
    let mut run = search();
    run.end(
        1,
        &[
            ("winner", "o", units([3, 0, 2, 1, 0])),
            ("defaults", "o", units([1, 0, 3, 0, 2])),
            ("winner", "defaults", units([4, 0, 2, 0, 0])),
        ],
    );
    run
}

/// The same against two.
fn two_opponents() -> Tuning {
    let mut run = search();
    run.end(
        1,
        &[
            ("winner", "o", units([3, 0, 2, 1, 0])),
            ("winner", "p", units([2, 1, 2, 0, 0])),
            ("defaults", "o", units([1, 0, 3, 0, 2])),
            ("defaults", "p", units([0, 0, 2, 2, 1])),
            ("winner", "defaults", units([4, 0, 2, 0, 0])),
        ],
    );
    run
}

#[test]
fn a_generation_by_hand() {
    let report = analysed(&small());
    let [first, second] = [0, 1].map(|generation| row(&report, "generations", generation));
    for (key, one, other) in [
        ("generation", 0, 1),
        ("candidates", 3, 3),
        ("games", 24, 24),
        ("games_so_far", 24, 48),
        ("leader_games", 8, 16),
        ("leads_since", 0, 0),
    ] {
        assert_eq!([&first[key], &second[key]], [&json!(one), &json!(other)], "{key}");
    }
    // Shares 1/4, 3/4, 5/8: by numpy.quantile 7/16 and 11/16.
    for (key, wanted) in [("best", 0.75), ("mean", 13.0 / 24.0), ("quartile_1", 0.4375), ("quartile_3", 0.6875)] {
        near(&first[key], wanted);
    }
    // Shares of all games so far: 13.5 and 7 of 16, 6.5 of 8.
    near(&second["best"], 13.5 / 16.0);
    near(&second["mean"], (13.5 / 16.0 + 7.0 / 16.0 + 6.5 / 8.0) / 3.0);
    assert_eq!(second["leader"], json!("candidate-01"));
    near(&second["leader_share"], 13.5 / 16.0);
    // Wilson's formula in Python with SciPy's quantile.
    near(&second["leader_95"][0], 0.604_125_975_740_581_1);
    near(&second["leader_95"][1], 0.950_268_743_891_993_8);
    // 24 games of a millisecond.
    near(&first["executor_hours"], 24.0 / 3.6e6);
    assert!(table(&report, "generations").title.contains("genetic"));
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn the_best_candidates_stand_with_their_values() {
    let report = analysed(&small());
    let shown = table(&report, "candidates");
    assert!(shown.title.contains("best of 4 candidates"), "{}", shown.title);
    let names: Vec<Value> = (0..shown.rows.len()).map(|i| row(&report, "candidates", i)["candidate"].clone()).collect();
    // Lower ends of Wilson's intervals: 0.60 of 13.5 in 16, 0.47 of 6.5 in 8, 0.23 of 7 in 16, 0.07 of 2 in 8.
    assert_eq!(names, ["candidate-01", "candidate-03", "candidate-02", "candidate-00", "defaults"].map(Value::from));
    let third = row(&report, "candidates", 1);
    assert_eq!((&third["c"], &third["depth"], &third["mode"]), (&json!(0.7), &json!(3.0), &json!("odd")));
    assert_eq!((&third["games"], &third["points"], &third["share"]), (&json!(8), &json!(6.5), &json!(0.8125)));
    near(&third["share_95"][0], 0.466_789_185_747_090_4);
    assert_eq!((&third["made"], &third["parents"]), (&json!("uniform, single-gene of c"), &json!("0, 1")));
    assert_eq!(row(&report, "candidates", 0)["parents"], Value::Null);
    let defaults = row(&report, "candidates", 4);
    assert_eq!((&defaults["c"], &defaults["depth"], &defaults["mode"]), (&json!(0.05), &Value::Null, &json!("plain")));
    // Four digits count, and whole numbers are whole.
    let text = shown.to_markdown();
    assert!(text.contains("| 0.02000 |     2 | plain"), "{text}");
}

/// SciPy 1.17.1: `ttest_ind(equal_var=False)` of shares of units, `ttest_1samp` of 2 s - 1 against 0; over both
/// opponents the sum of means with their variances, degrees of freedom by Satterthwaite, and `stats.t`. Holm by hand.
#[test]
fn the_winner_is_tested_on_fresh_games() {
    let report = analysed(&two_opponents());
    let rows: Vec<Value> = (0..5).map(|i| row(&report, "retest", i)).collect();
    assert_eq!(table(&report, "retest").rows.len(), 5);
    let opponents: Vec<&Value> = rows.iter().map(|row| &row["opponent"]).collect();
    assert_eq!(opponents, ["all opponents", "all opponents", "o", "p", "defaults"]);
    // What it was chosen for: 13.5 of 16, by Wilson.
    let searched = &rows[0];
    assert_eq!((&searched["games_of"], &searched["winner_games"]), (&json!("search"), &json!(16)));
    near(&searched["winner"], 0.84375);
    near(&searched["winner_95"][0], 0.604_125_975_740_581_1);
    for key in ["defaults", "defaults_games", "difference", "p", "p_holm"] {
        assert_eq!(searched[key], Value::Null, "{key}");
    }
    let all = &rows[1];
    assert_eq!(
        (&all["games_of"], &all["winner_games"], &all["defaults_games"]),
        (&json!("final stage"), &json!(22), &json!(22))
    );
    near(&all["winner"], 0.729_166_666_666_666_7);
    near(&all["winner_95"][0], 0.530_136_172_351_225_7);
    near(&all["winner_95"][1], 0.928_197_160_982_107_8);
    near(&all["defaults"], 0.358_333_333_333_333_34);
    near(&all["defaults_95"][0], 0.150_991_345_761_826_5);
    let tests = [
        (1, 0.370_833_333_333_333_35, 2.948_701_550_555_443_7, 16.856_664_093_918_845, 0.009_045_073_349_479_914),
        (2, 0.291_666_666_666_666_7, 1.422_952_349_318_048_3, 9.848_647_921_431_454, 0.185_644_648_923_239_1),
        (3, 0.45, 3.086_974_532_565_158_7, 7.758_389_261_744_966, 0.015_528_378_401_538_414),
        (4, 2.0 / 3.0, 3.162_277_660_168_379, 5.0, 0.025_031_015_818_452_96),
    ];
    for (i, difference, t, df, p) in tests {
        near(&rows[i]["difference"], difference);
        near(&rows[i]["t"], t);
        near(&rows[i]["df"], df);
        near(&rows[i]["p"], p);
    }
    let intervals = [
        (1, 0.105_327_643_896_647_17),
        (2, -0.165_994_561_493_134_1),
        (3, 0.112_014_090_754_014_75),
        (4, 0.124_740_432_502_177_15),
    ];
    intervals.into_iter().for_each(|(i, low)| near(&rows[i]["difference_95"][0], low));
    for (i, holm) in [(1, 4.0 * tests[0].4), (2, tests[1].4), (3, 3.0 * tests[2].4), (4, 2.0 * tests[3].4)] {
        near(&rows[i]["p_holm"], holm);
    }
    // Alone against o: of six units, by numpy and SciPy (1.17.1) as `interval::of_units` says.
    assert_eq!(&rows[2]["winner_games"], &json!(12));
    near(&rows[2]["winner_95"][1], 0.909_216_106_367_768_2);
    near(&rows[2]["winner"], 4.25 / 6.0);
    near(&rows[2]["winner_95"][0], 0.370_634_788_662_085_1);
    near(&rows[2]["defaults"], 2.5 / 6.0);
    // What the winner takes of the defaults they do not.
    near(&rows[4]["winner"], 5.0 / 6.0);
    near(&rows[4]["defaults"], 1.0 / 6.0);
    near(&rows[4]["defaults_95"][1], 1.0 - rows[4]["winner_95"][0].as_f64().expect("an end"));
    near(&rows[4]["winner_95"][1], 0.961_987_615_955_810_5);
    near(&rows[4]["defaults_95"][0], 1.0 - 0.961_987_615_955_810_5);
}

#[test]
fn a_note_says_that_the_search_flatters_the_winner() {
    let note = |run: &Tuning| table(&analysed(run), "retest").notes[0].clone();
    let plain = note(&small());
    assert!(plain.contains("candidate-01") && plain.contains("flatter"), "{plain}");
    assert!(plain.contains("took 0.8438 of the points in the search, and takes 0.7083 here"), "{plain}");
    assert!(!plain.contains("sides"), "{plain}");
    let mut run = Tuning::new(1, 1);
    run.seat = "second";
    run.generation(&[(0, values(0.5, 3, "odd"), 8, 6.0)], 0, 0);
    run.end(0, &[("winner", "o", units([1, 0, 1, 0, 0])), ("defaults", "o", units([1, 0, 1, 0, 0]))]);
    let seated = note(&run);
    assert!(seated.contains("sat second in every game"), "{seated}");
}

#[test]
fn one_opponent_stands_alone() {
    let report = analysed(&small());
    let opponents: Vec<Value> = (0..3).map(|i| row(&report, "retest", i)["opponent"].clone()).collect();
    assert_eq!((opponents, table(&report, "retest").rows.len()), (["o", "o", "defaults"].map(Value::from).to_vec(), 3));
    // Equal units say nothing of chance: no test, and the reason.
    let mut run = search();
    run.end(1, &[("winner", "o", units([2, 0, 0, 0, 0])), ("defaults", "o", units([0, 0, 0, 0, 2]))]);
    let report = analysed(&run);
    let found = row(&report, "retest", 1);
    assert_eq!((&found["winner"], &found["difference"], &found["p"]), (&json!(1.0), &Value::Null, &Value::Null));
    // Four wins of four, by Wilson: 4 / (4 + z²).
    near(&found["winner_95"][0], 4.0 / (4.0 + 1.959_963_984_540_054f64.powi(2)));
    let shown = table(&report, "retest").to_markdown();
    assert!(shown.contains("–: within each sample all values are equal."), "{shown}");
}

#[test]
fn the_final_grid_has_its_tables_and_workers_are_of_all_stages() {
    let directory = written(&small());
    let contrasts = vec![("winner v o".to_owned(), "defaults v o".to_owned())];
    let report = analyze(directory.path(), &Options { contrasts, ..Options::default() }).expect("tables");
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    let wanted =
        ["generations", "candidates", "retest", "pairs", "seats", "tests", "contrasts", "ratings", "cost", "workers"];
    assert_eq!(names, wanted);
    assert_eq!(table(&report, "pairs").rows.len(), 3);
    assert_eq!(row(&report, "pairs", 0)["games"], json!(12));
    // 24, 24 and 36 games, in turn by two workers.
    assert_eq!([0, 1].map(|i| row(&report, "workers", i)["games"].clone()), [json!(42), json!(42)]);
}

#[test]
fn a_search_under_way_is_shown_as_far_as_it_is_closed() {
    let directory = written(&search());
    let report = with_figures(directory.path());
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["generations", "candidates", "workers"]);
    assert!(
        report.warnings[0].contains("2 of 2 generations are closed, and the final stage is not"),
        "{:?}",
        report.warnings
    );
    let figures: Vec<&str> = report.figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(figures, ["tuning", "parameters"]);
    report.figures.iter().for_each(|figure| check_figure(figure, &[]));
    assert!(!report.figures[0].svg.contains("fresh games"));
    let error = compare(directory.path(), Some("evomcts/table-5")).expect_err("nothing to compare yet");
    assert!(matches!(error, Error::NoFinalStage { generations: 2, .. }), "{error}");
    let contrasts = vec![("winner v o".to_owned(), "defaults v o".to_owned())];
    let error = analyze(directory.path(), &Options { contrasts, ..Options::default() }).expect_err("no pairs yet");
    assert!(error.hint().is_some_and(|hint| hint.contains("final stage is not closed")), "{error}");
}

#[test]
fn compare_looks_at_the_final_stage() {
    // The winner's spec and that of `o` are the paper's mcts-100 and mcts-50.
    let report = compare(written(&small()).path(), Some("evomcts/table-5")).expect("a comparison");
    let rows = (0..table(&report, "compare").rows.len()).map(|i| row(&report, "compare", i));
    let ours: Vec<Value> = rows.filter(|row| !row["ours"].is_null()).collect();
    assert_eq!((ours.len(), &ours[0]["player"], &ours[0]["opponent"]), (1, &json!("winner"), &json!("o")));
    near(&ours[0]["ours"], 4.25 / 6.0);
}

#[test]
fn says_what_is_wrong_with_a_stage() {
    let check = |change: &str, says: &str| refused(written(&small()).path(), change, says);
    check("UPDATE stages SET fold = NULL WHERE stage = 1", "stage 1");
    check("UPDATE stages SET fold = replace(fold, '[7.5,2.0,6.5]', '[7.5,2.0]') WHERE stage = 1", "lengths");
    check(
        "UPDATE stages SET spec = replace(spec, '\"phase\":\"final\"', '\"phase\":\"odd\"') WHERE stage = 2",
        "phase",
    );
    check(
        "UPDATE stages SET spec = replace(spec, '\"winner\":{', '\"loser\":{') WHERE stage = 2",
        "`winner` of its meta",
    );
    check(
        "UPDATE stages SET spec = replace(spec, '\"max\":4,', '') WHERE stage = 0",
        "stage 0: its meta: missing field `max`",
    );
}

#[test]
fn games_without_a_result_are_warned_of() {
    let directory = written(&small());
    change(directory.path(), "DELETE FROM results_match WHERE trial = 3 AND stage IN (0, 2)");
    let report = analyze(directory.path(), &Options::default()).expect("tables");
    assert!(report.warnings[0].contains("2 of 84 games"), "{:?}", report.warnings);
}

#[test]
fn figures_have_axes_and_legends() {
    let directory = written(&small());
    let report = with_figures(directory.path());
    let texts: [(&str, &[&str]); 4] = [
        (
            "tuning",
            &[
                "tuned: genetic search",
                "generation; after the last: the final stage",
                "share of the points, of all games so far",
                "highest share of a candidate",
                "leader, band 95 % (Wilson)",
                "mean, band the middle half of candidates",
                "winner on fresh games, 95 %",
                "defaults on fresh games, 95 %",
            ],
        ),
        (
            "parameters",
            &[
                "c",
                "value, log scale",
                "0.01",
                "10",
                "depth",
                "3",
                "mode",
                "plain",
                "odd",
                "a candidate",
                "leader",
                "defaults",
            ],
        ),
        ("pairs", &["winner v o", "winner v defaults"]),
        ("ratings", &["winner", "defaults", "o", "Elo points above the mean of the group"]),
    ];
    assert_eq!(report.figures.len(), texts.len());
    for (figure, (name, texts)) in report.figures.iter().zip(texts) {
        assert_eq!(figure.name, name);
        check_figure(figure, texts);
    }
    // A point a candidate and generation on each of three panels, and a mark in each legend.
    let points = report.figures[1].svg.matches("<circle").count();
    assert_eq!(points, 3 * 6 + 3, "{}", report.figures[1].svg);
    assert!(with_figures(directory.path()).figures == report.figures, "bytes differ");
    // The player's own value is a line where it has one, and where that is searched.
    let own = |report: &Report| report.figures[1].svg.matches(">defaults<").count();
    assert_eq!(own(&report), 2);
    change(directory.path(), "UPDATE stages SET spec = replace(spec, '\"c\":0.05,', '\"c\":50.0,') WHERE stage = 0");
    assert_eq!(own(&with_figures(directory.path())), 1);
}
