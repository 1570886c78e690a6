//! Grids over parameters, and the time of every decision in them.

use analysis::{Options, Report, analyze, compare};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    changed::change,
    drawn::check_figure,
    run::Run,
    shown::{near, row, table},
    stored::Game,
};

const SPECS: [(&str, &str); 5] = [
    ("a", "checkers-mcts:p=0.5,playouts=100"),
    ("b", "checkers-mcts:p=2.0,playouts=100"),
    ("c", "checkers-mcts:p=0.5,playouts=400"),
    ("d", "checkers-mcts:p=2.0,playouts=400"),
    ("o", "minimax:depth=3"),
];

/// Two by two settings against `o`, three games each, always first. Times go as n and not as p, but for a little.
fn grid() -> Run {
    let mut run = Run::new(&[["a", "o"], ["b", "o"], ["c", "o"], ["d", "o"]]);
    run.specs = SPECS.to_vec();
    run.seat = Some("first");
    // Three games a setting: c loses them all, d wins one and draws one.
    let outcomes = [[0, 0, 0], [0, 0, 0], [-3, -2, -1], [1, 0, -1]];
    for (pair, (differences, us)) in outcomes.into_iter().zip([3_000, 3_300, 12_000, 12_600]).enumerate() {
        for difference in differences {
            // Players are in the order of their names.
            run.push(pair, [pair as i64, 4], difference);
            let game = run.games.last_mut().expect("a game");
            // 30 decisions of the first seat in all, of which three have their time here.
            game.us = [us, 280];
            let of_three = us / 30;
            game.turns = Some([format!("0:{of_three} 2:{of_three} 60:{}", of_three / 2), "1:10 61:30".to_owned()]);
        }
    }
    run
}

fn written(run: &Run) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    directory
}

fn analysed(run: &Run, figures: bool) -> Report {
    analyze(written(run).path(), &Options { figures, ..Options::default() }).expect("tables")
}

#[test]
fn levels_by_hand() {
    let report = analysed(&grid(), false);
    let rows = table(&report, "levels").to_json()["rows"].clone();
    let find = |parameter: &str, value: &str| {
        let rows = rows.as_array().expect("rows");
        let is = |row: &&Value| row["parameter"] == parameter && row["value"] == value;
        rows.iter().find(is).expect("a row").clone()
    };
    assert_eq!(rows.as_array().map(Vec::len), Some(4));
    let large = find("playouts", "400");
    for (key, wanted) in [("games", 6), ("wins", 1), ("draws", 1), ("losses", 4)] {
        assert_eq!(large[key], json!(wanted), "{key}");
    }
    near(&large["share"], 0.25);
    near(&large["us"], (12_000.0 + 12_600.0) / 60.0);
    // 3,000 iterations a game.
    near(&large["us_iteration"], (12_000.0 + 12_600.0) / 6_000.0);
    let small = find("p", "0.5");
    assert_eq!((&small["games"], &small["draws"], &small["losses"]), (&json!(6), &json!(3), &json!(3)));
}

/// Kruskal and Wallis by hand, and exponents of points that lie on a plane of logarithms but for one corner.
#[test]
fn what_parameters_do_by_hand() {
    let report = analysed(&grid(), false);
    let (p, playouts) = (row(&report, "influence", 0), row(&report, "influence", 1));
    assert_eq!((&p["parameter"], &playouts["parameter"]), (&json!("p"), &json!("playouts")));
    // Points by playouts: six halves against 0, 0, 0, 1, 0.5, 0 (scipy.stats.kruskal of SciPy 1.17.1).
    near(&playouts["h"], 2.7);
    near(&playouts["p"], 0.100_348_246_462_290_44);
    // Four points: the slopes are the means of the two differences along each axis.
    let ln = f64::ln;
    near(&playouts["exponent"], 0.5 * (ln(12_000.0 / 3_000.0) + ln(12_600.0 / 3_300.0)) / ln(4.0));
    near(&p["exponent"], 0.5 * (ln(3_300.0 / 3_000.0) + ln(12_600.0 / 12_000.0)) / ln(4.0));
    let interval = &playouts["exponent_95"];
    assert!(interval[0].as_f64() < Some(1.0) && interval[1].as_f64() > Some(0.95), "{interval}");
}

#[test]
fn times_by_hand() {
    let report = analysed(&grid(), false);
    let (a, o) = (row(&report, "times", 0), row(&report, "times", 1));
    assert_eq!((&a["player"], &a["opponent"], &o["player"]), (&json!("a"), &json!("o"), &json!("o")));
    // 100, 100 and 50 µs, three times.
    assert_eq!((&a["decisions"], &o["decisions"]), (&json!(9), &json!(6)));
    near(&a["mean_ms"], 0.25 / 3.0);
    near(&a["median_ms"], 0.1);
    near(&a["quartiles_ms"][0], 0.05);
    near(&a["longest_ms"], 0.1);
    // Plies 0 and 2 are turns 1 and 2, ply 60 is turn 31.
    near(&a["from_1_10"], 0.1);
    assert_eq!(a["from_11_25"], Value::Null);
    near(&a["from_26_50"], 0.05);
    assert_eq!(a["from_51"], Value::Null);
    near(&o["mean_ms"], 0.02);
}

/// The same grid read without `turn-times` has no table of them.
#[test]
fn without_turns_there_are_no_times() {
    let mut run = grid();
    run.games.iter_mut().for_each(|game| game.turns = None);
    let report = analysed(&run, true);
    assert!(report.tables.iter().all(|table| table.name != "times"));
    let names: Vec<&str> = report.figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(names, ["pairs", "ratings-1-1", "cells"]);
}

/// Where both seats are taken in turn, a time is its player's, wherever it sat.
#[test]
fn times_follow_the_player() {
    let mut run = Run::new(&[["a", "o"]]);
    run.unit(0, [1, -1]);
    run.games[0].turns = Some(["0:10".to_owned(), "1:20".to_owned()]);
    run.games[1].turns = Some(["0:40".to_owned(), "1:30".to_owned()]);
    let report = analysed(&run, false);
    near(&row(&report, "times", 0)["mean_ms"], 0.02);
    near(&row(&report, "times", 1)["mean_ms"], 0.03);
}

#[test]
fn a_turn_that_is_none_is_told() {
    let mut run = grid();
    run.games[4].turns = Some(["0:1 2;3".to_owned(), String::new()]);
    let error = analyze(written(&run).path(), &Options::default()).expect_err("no turn").to_string();
    assert!(error.contains("trial 4") && error.contains("`2;3`") && error.contains("first_turns"), "{error}");
}

#[test]
fn figures_of_a_grid_over_parameters() {
    let report = analysed(&grid(), true);
    let figure = |name: &str| report.figures.iter().find(|figure| figure.name == name).expect(name);
    check_figure(figure("cells"), &["0.5", "2", "100", "400", "0-3-0", "0-0-3", "1-1-1", "playouts"]);
    check_figure(figure("times-by-p"), &["playouts = 100", "playouts = 400", "ms a decision"]);
    check_figure(figure("times-by-playouts"), &["p = 0.5", "p = 2"]);
    check_figure(figure("times-histogram"), &["playouts = 100", "o", "share of decisions"]);
    // Fewer than ten decisions of a turn say nothing.
    assert!(report.figures.iter().all(|figure| figure.name != "times-by-turn"));
    let mut run = grid();
    for _ in 0..10 {
        run.games.extend(grid().games.into_iter().map(|game| Game { trial: game.trial + run.trials as i64, ..game }));
        run.trials += 12;
    }
    let report = analysed(&run, true);
    let figure = report.figures.iter().find(|figure| figure.name == "times-by-turn").expect("enough decisions");
    check_figure(figure, &["test: playouts = 100", "test: playouts = 400", "turn of the player"]);
}

/// What an advantage is worth by budget: both players of a pair have the same.
#[test]
fn shares_are_drawn_by_a_parameter_that_both_have() {
    const BUDGETS: [(&str, &str); 6] = [
        ("greedy-10", "checkers-mcts:p=2.0,playouts=10"),
        ("plain-10", "checkers-mcts:p=0.5,playouts=10"),
        ("greedy-40", "checkers-mcts:p=2.0,playouts=40"),
        ("plain-40", "checkers-mcts:p=0.5,playouts=40"),
        ("greedy-400", "checkers-mcts:p=2.0,playouts=400"),
        ("plain-400", "checkers-mcts:p=0.5,playouts=400"),
    ];
    let played = |specs: &[(&'static str, &'static str)]| {
        let pairs: Vec<[&str; 2]> = specs.chunks(2).map(|pair| [pair[0].0, pair[1].0]).collect();
        let mut run = Run::new(&pairs);
        run.specs = specs.to_vec();
        for pair in 0..pairs.len() {
            (0..4).for_each(|_| run.unit(pair, [1, -2]));
        }
        analysed(&run, true)
    };
    let find = |report: &Report| report.figures.iter().position(|figure| figure.name == "shares-by-playouts");
    let report = played(&BUDGETS);
    let figure = &report.figures[find(&report).expect("a figure")];
    check_figure(figure, &["greedy v plain", "10", "100", "playouts of both players", "equal"]);
    // One budget is no line, and one side's own parameter is not what both have in common.
    assert_eq!(find(&played(&BUDGETS[..2])), None);
    let mut others = BUDGETS;
    others[1].1 = "checkers-mcts:p=0.5,playouts=20";
    assert_eq!(find(&played(&others)), None);
}

/// Players that are no settings of one kind are no axes: other kinds, other words, or settings that meet one another.
#[test]
fn other_grids_have_no_parameters() {
    let has = |run: &Run, name: &str| analysed(run, false).tables.iter().any(|table| table.name == name);
    let has_axes = |run: &Run| has(run, "influence");
    assert!(has_axes(&grid()) && has(&grid(), "levels"));
    // With one parameter every value is a pair.
    let mut line = Run::new(&[["a", "o"], ["b", "o"]]);
    line.specs = SPECS.to_vec();
    (0..2).for_each(|pair| line.unit(pair, [1, 2]));
    assert!(has_axes(&line) && !has(&line, "levels"));
    let with = |at: usize, spec: &'static str| {
        let mut run = grid();
        run.specs[at].1 = spec;
        run
    };
    assert!(!has_axes(&with(0, "mcts:p=0.5,playouts=100")), "another kind");
    assert!(!has_axes(&with(0, "checkers-mcts:p=0.5,playouts=100,score=printed")), "a parameter that others lack");
    assert!(!has_axes(&with(0, "checkers-mcts:p=low,playouts=100")), "a parameter in words");
    let mut round_robin = Run::new(&[["a", "o"], ["a", "b"]]);
    round_robin.specs = SPECS.to_vec();
    (0..2).for_each(|pair| round_robin.unit(pair, [1, 2]));
    assert!(!has_axes(&round_robin));
}

/// One win, seven draws and four losses of twelve games beside what the report says; times beside its words.
#[test]
fn claims_of_the_checkers_report() {
    let report = compare(written(&grid()).path(), Some("checkers/benchmark")).expect("a table");
    let rows = table(&report, "compare").to_json()["rows"].clone();
    let find = |says: &str| {
        let rows = rows.as_array().expect("rows");
        rows.iter().find(|row| row["says"].as_str().expect("words").contains(says)).expect("a row").clone()
    };
    // scipy.stats.fisher_exact([[1, 6], [11, 314]]) and [[7, 313], [5, 7]] of SciPy 1.17.1.
    let wins = find("games that MCTS wins");
    assert_eq!((&wins["ours"], &wins["games"], &wins["verdict"]), (&json!(1), &json!(12), &json!("agrees")));
    near(&wins["p"], 0.229_026_916_059_096);
    let draws = find("draws");
    assert_eq!(draws["verdict"], json!("differs"));
    near(&draws["p"], 1.694_382_557_786_191e-5);
    // All games have 60 plies: no spread to hold a difference against.
    assert_eq!(find("plies of a game")["verdict"], json!("not in this run"));
    assert_eq!(find("(linear)")["verdict"], json!("agrees"));
    // The last phase has no decision.
    assert_eq!(find("first 10 moves")["verdict"], json!("not in this run"));
    // Median 400 or 420 µs at n = 400 over a mean of 20.
    let ratio = find("over minimax's mean");
    assert_eq!(ratio["verdict"], json!("agrees"));
    near(&ratio["ours"], 20.0);
    assert_eq!(find("ms an iteration")["verdict"], json!("shown"));
    near(&find("minimax: ms a move")["ours"], 0.01);
}

/// The course of times over a game, at the larger number of playouts alone: means of 1000, 700, 400 and 250 µs by phase,
/// twelve decisions each in the first and the last; and a length of games that varies. Expected by hand, the intervals and
/// the p by SciPy 1.17.1 (norm.ppf, norm.sf).
#[test]
fn claims_of_a_games_course() {
    let mut run = grid();
    for game in &mut run.games {
        let part = if game.pair < 2 { 4 } else { 1 };
        let turns = [(0, 900), (2, 1_100), (20, 700), (50, 400), (100, 240), (102, 260)];
        let turns = turns.map(|(ply, us)| format!("{ply}:{}", us / part));
        game.turns = Some([turns.join(" "), "1:18 3:22 101:18 103:22".to_owned()]);
    }
    let directory = written(&run);
    change(directory.path(), "UPDATE results_match SET plies = 116 + 3 * (trial % 2)");
    let report = compare(directory.path(), Some("checkers/benchmark")).expect("a table");
    let rows = table(&report, "compare").to_json()["rows"].clone();
    let check = |says: &str, ours: f64, interval: Option<[f64; 2]>, verdict: &str| {
        let rows = rows.as_array().expect("rows");
        let row = rows.iter().find(|row| row["says"].as_str().expect("words").contains(says)).expect("a row");
        near(&row["ours"], ours);
        if let Some([low, high]) = interval {
            near(&row["ours_95"][0], low);
            near(&row["ours_95"][1], high);
        }
        assert_eq!(row["verdict"], json!(verdict), "{says}");
        row.clone()
    };
    check("first 10 moves", 4.0, Some([3.753_343_152_023_388, 4.262_866_290_649_328]), "agrees");
    check("behind 25 moves", 0.8, None, "agrees");
    check("the same (flat)", 1.0, Some([0.919_823_803_599_992_7, 1.087_164_733_165_434]), "agrees");
    let plies = check("plies of a game", 117.5, None, "agrees");
    near(&plies["p"], 0.514_900_072_628_808_7);
    // Half of 240, 260, 400, 700, 900 and 1100 µs are 400 or less; minimax takes 20.
    check("over minimax's mean", 20.0, None, "agrees");
}
