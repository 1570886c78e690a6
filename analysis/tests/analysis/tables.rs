//! From a run's database through Parquet to tables.

use std::{fs, path::Path};

use analysis::{Error, Format, Options, Report, analyze, compare, export, export_to};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    drawn::check_figure,
    run::Run,
    shown::{near, row, table},
};

fn written(run: &Run) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    directory
}

fn analysed(run: &Run) -> Report {
    analyze(written(run).path(), &Options::default()).expect("tables")
}

/// Two units by hand: x wins by 10 sitting first and by 4 sitting second; then loses by 2 and draws.
fn by_hand() -> Run {
    let mut run = Run::new(&[["x", "o"]]);
    run.unit(0, [10, -4]);
    run.unit(0, [-2, 0]);
    run
}

/// A unit of a and o whose rows have two figures of decisions by turn: the sizes of a are 4 and 6 in the first game, and 8 on
/// its second turn in the second, where it sits second; o has shares in the first game alone.
fn with_turn_figures(first_sizes: &str) -> TempDir {
    let mut run = Run::new(&[["a", "o"]]);
    run.unit(0, [1, -1]);
    let directory = written(&run);
    let conn = add_turn_figures(directory.path(), &["size", "share"]);
    conn.execute("UPDATE results_match SET first_size_by_turn = ?1 WHERE trial = 0", [first_sizes]).expect("a row");
    conn.execute_batch(
        "UPDATE results_match SET second_share_by_turn = '0:0.25 2:0.5' WHERE trial = 0;
         UPDATE results_match SET second_size_by_turn = '1:8' WHERE trial = 1;",
    )
    .expect("rows");
    directory
}

/// Adds empty columns for figures of decisions by turn to the only stage of a grid.
fn add_turn_figures(directory: &Path, figures: &[&str]) -> rusqlite::Connection {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("a database");
    let of_seat = |seat| figures.iter().map(move |name| format!("{seat}_{name}_by_turn"));
    for name in of_seat("first").chain(of_seat("second")) {
        conn.execute_batch(&format!(
            "ALTER TABLE results_match ADD COLUMN {name} TEXT NOT NULL DEFAULT '';
             UPDATE stages SET spec = json_insert(spec, '$.shape.columns[#]',
                 json('{{\"name\": \"{name}\", \"kind\": \"text\", \"pure\": true}}'))"
        ))
        .expect("a column");
    }
    let figure = |name: &str| json!({ "name": name, "column": format!("{name}_by_turn"), "title": name, "digits": 1 });
    let facts = json!(figures.iter().map(|name| figure(name)).collect::<Vec<_>>()).to_string();
    conn.execute("UPDATE stages SET spec = json_insert(spec, '$.meta.turn_figures', json(?1))", [facts])
        .expect("facts");
    conn
}

/// Ten games in which EA-MCTS has formulas of 5 to 14 nodes on its first turn and 11 to 20 on its second; a third turn in one
/// game is too little for quartiles.
#[test]
fn sizes_of_formulas_are_beside_what_the_thesis_says() {
    let mut run = Run::new(&[["ea-mcts", "siea-mcts"]]);
    (0..5).for_each(|_| run.unit(0, [1, -1]));
    let directory = written(&run);
    let conn = add_turn_figures(directory.path(), &["formula_nodes"]);
    for (seat, odd) in [("first", 0), ("second", 1)] {
        conn.execute_batch(&format!(
            "UPDATE results_match SET {seat}_formula_nodes_by_turn = printf('0:%d 1:%d', trial + 5, trial + 11)
                 || CASE trial WHEN 4 THEN ' 2:99' ELSE '' END
             WHERE trial % 2 = {odd}"
        ))
        .expect("rows");
    }
    let report = compare(directory.path(), Some("siea-mcts/formula-size-by-turn")).expect("a comparison");
    let rows: Vec<Value> = (0..8).map(|i| row(&report, "compare", i)).collect();
    let found: Vec<Value> = rows.iter().map(|row| json!([row["ours"], row["verdict"]])).collect();
    // Quartiles of ten are the third and the eighth, the median the fifth.
    let ours = [json!([2.0, "differs"]), json!([7.0, "differs"]), json!([18.0, "agrees"]), json!([15.0, "differs"])];
    assert_eq!(found[..4], ours);
    assert!(found[4..].iter().all(|row| row[1] == "not in this run"));
    let all = compare(directory.path(), Some("siea-mcts/tournament")).expect("a comparison");
    let sizes = row(&all, "compare", 2);
    assert_eq!(
        json!([sizes["table"], sizes["compared"], sizes["inside"], sizes["outside"], sizes["missing"]]),
        json!(["siea-mcts/formula-size-by-turn", 4, 1, 3, 4])
    );
}

#[test]
fn figures_of_decisions_have_tables_by_player_and_turn() {
    let report = analyze(with_turn_figures("0:4 1:6").path(), &Options::default()).expect("tables");
    let named = |row: &Value| json!([row["problem"], row["player"], row["figure"]]);
    let all = [row(&report, "decision-figures", 0), row(&report, "decision-figures", 1)];
    assert_eq!(table(&report, "decision-figures").rows.len(), 2, "a has no shares, and o no sizes");
    assert_eq!(named(&all[0]), json!(["reversi", "a", "size"]));
    assert_eq!(named(&all[1]), json!(["reversi", "o", "share"]));
    // 4, 6 and 8.
    assert_eq!(all[0]["decisions"], json!(3));
    near(&all[0]["mean"]["mean"], 6.0);
    near(&all[0]["mean"]["sd"], 2.0);
    near(&all[0]["median"], 6.0);
    near(&all[0]["quartiles"][0], 4.0);
    near(&all[0]["quartiles"][1], 8.0);
    near(&all[1]["mean"]["mean"], 0.375);
    let turns: Vec<Value> =
        (0..table(&report, "turn-figures").rows.len()).map(|i| row(&report, "turn-figures", i)).collect();
    let found: Vec<Value> = turns.iter().map(|row| json!([row["player"], row["turn"], row["decisions"]])).collect();
    assert_eq!(json!(found), json!([["a", 1, 1], ["a", 2, 2], ["o", 1, 1], ["o", 3, 1]]));
    near(&turns[1]["mean"]["mean"], 7.0);
    near(&turns[1]["mean"]["sd"], 2f64.sqrt());
    near(&turns[3]["median"], 0.5);
    assert!(report.tables.iter().all(|table| !table.name.starts_with("own")), "they are no columns of the game");
    let options = Options { figures: true, ..Options::default() };
    let drawn = analyze(with_turn_figures("0:4 1:6").path(), &options).expect("figures").figures;
    let figure = |name: &str| drawn.iter().find(|figure| figure.name == name).expect(name);
    check_figure(figure("turn-size"), &["mean, middle half", "size", "turn of the player", "a"]);
    check_figure(figure("turn-share"), &["share", "o"]);
    let without = analysed(&by_hand());
    assert!(without.tables.iter().all(|table| !table.name.ends_with("-figures")));
}

#[test]
fn what_is_not_a_turn_and_a_value_is_told() {
    for wrong in ["0:13 1", "x:2", "0:NaN", "-1:2", "99999999:1"] {
        let error = analyze(with_turn_figures(wrong).path(), &Options::default()).expect_err(wrong).to_string();
        assert!(error.contains("first_size_by_turn") && error.contains("turn:value"), "{wrong}: {error}");
    }
}

#[test]
fn a_pair_by_hand() {
    let report = analysed(&by_hand());
    let pairs = row(&report, "pairs", 0);
    for (key, wanted) in [("games", 4), ("wins", 2), ("draws", 1), ("losses", 1), ("distinct", 4)] {
        assert_eq!(pairs[key], json!(wanted), "{key}");
    }
    near(&pairs["share"], 0.625);
    // Ahead by 10, 4, -2, 0.
    near(&pairs["margin_mean"], 3.0);
    near(&pairs["margin_sd"], (84f64 / 3.0).sqrt());
    near(&pairs["plies"], 60.0);
    // Units of 1 and 1/4, by numpy and SciPy (1.17.1) as `interval::of_units` says.
    near(&pairs["units_95"][0], 0.085_667_392_423_250_5);
    near(&pairs["units_95"][1], 0.967_370_771_751_074);
    // statsmodels' formula at 2.5 of 4, z = 1.959964.
    let z2 = 1.959_963_984_540_054f64.powi(2);
    let (middle, half) =
        ((0.625 + z2 / 8.0) / (1.0 + z2 / 4.0), (z2 * (0.625 * 0.375 / 4.0 + z2 / 64.0)).sqrt() / (1.0 + z2 / 4.0));
    near(&pairs["wilson_95"][0], middle - half);
    near(&pairs["wilson_95"][1], middle + half);

    let seats = row(&report, "seats", 0);
    near(&seats["as_first"], 0.5);
    near(&seats["as_second"], 0.75);
    near(&seats["first_seat"], 0.375);
    near(&seats["first_seat_margin"], 1.0);

    // First seat's lead: x 10, -2; o -4, 0. U of x: 10 beats both, -2 beats one.
    let tests = row(&report, "tests", 0);
    near(&tests["mean_x"], 4.0);
    near(&tests["mean_y"], -2.0);
    near(&tests["u"], 3.0);
    near(&tests["a12"], 0.75);
    near(&tests["p_u"], 2.0 / 3.0);
    // Leads over units 7 and -1.
    near(&tests["unit_mean"], 3.0);

    let cost = row(&report, "cost", 0);
    // Half of the games first (30 decisions, 600 µs), half second (28, 280): so for both.
    near(&cost["player_us"], 880.0 / 58.0);
    near(&cost["opponent_iterations"], 4400.0 / 58.0);
    let north = row(&report, "workers", 0);
    assert_eq!((&north["worker"], &north["games"]), (&json!("north"), &json!(2)));
    near(&north["iterations_per_second"], 4400.0 / 880.0 * 1e6);
    assert_eq!(report.warnings, Vec::<String>::new());
}

/// Pairs that follow a rule are those that a list would name.
#[test]
fn a_grid_reads_the_same_whether_its_pairs_are_listed_or_follow_a_rule() {
    let rules = [
        (&[["a", "b"], ["a", "c"], ["b", "c"]][..], json!({ "rule": "round-robin" })),
        (
            &[["b", "a"], ["b", "c"], ["d", "a"], ["d", "c"]],
            json!({ "rule": "gauntlet", "champions": ["b", "d"], "against": ["a", "c"] }),
        ),
    ];
    for (pairs, rule) in rules {
        let mut run = Run::new(pairs);
        for pair in 0..pairs.len() {
            run.unit(pair, [pair as i64 + 1, -1]);
            run.unit(pair, [-2, pair as i64]);
        }
        let listed = analysed(&run);
        run.pairing = Some(rule);
        let ruled = analysed(&run);
        for name in ["pairs", "seats", "tests", "ratings", "cost"] {
            assert_eq!(table(&ruled, name).rows, table(&listed, name).rows, "{name}");
        }
    }
    let mut run = by_hand();
    run.pairing = Some(json!({ "rule": "swiss" }));
    let error = analyze(written(&run).path(), &Options::default()).expect_err("a rule that this version does not know");
    assert!(error.to_string().contains("unknown variant `swiss`"), "{error}");
}

/// The same games under the pair's names turned: every figure of one side becomes the other's.
#[test]
fn a_swap_of_names_turns_the_figures() {
    let straight = analysed(&by_hand());
    let mut swapped = Run::new(&[["o", "x"]]);
    swapped.unit(0, [-4, 10]);
    swapped.unit(0, [0, -2]);
    let turned = analysed(&swapped);
    let (one, other) = (row(&straight, "pairs", 0), row(&turned, "pairs", 0));
    assert_eq!((&one["wins"], &one["draws"]), (&other["losses"], &other["draws"]));
    near(&other["share"], 1.0 - one["share"].as_f64().expect("a number"));
    near(&other["margin_mean"], -one["margin_mean"].as_f64().expect("a number"));
    near(&other["wilson_95"][0], 1.0 - one["wilson_95"][1].as_f64().expect("a number"));
    let (one, other) = (row(&straight, "tests", 0), row(&turned, "tests", 0));
    assert_eq!((&one["p_u"], &one["p_t"], &one["p_unit"]), (&other["p_u"], &other["p_t"], &other["p_unit"]));
    near(&other["a12"], 1.0 - one["a12"].as_f64().expect("a number"));
    assert_eq!(row(&straight, "seats", 0)["first_seat"], row(&turned, "seats", 0)["first_seat"]);
}

/// Any value may be a dash, none may be NaN or infinite, in any format.
#[test]
fn extreme_cells_have_finite_figures_or_dashes() {
    let repeated = |differences: [i64; 2], units: usize| {
        let mut run = Run::new(&[["x", "o"], ["y", "o"]]);
        (0..units).for_each(|_| run.unit(0, differences));
        (0..units).for_each(|_| run.unit(1, differences));
        run.paper = Some("evomcts/table-5");
        run
    };
    let mut one_game = Run::new(&[["x", "o"]]);
    one_game.unit(0, [3, 0]);
    one_game.games.truncate(1);
    one_game.trials = 1;
    let mut nobody_decides = repeated([1, -1], 1);
    nobody_decides.games.truncate(1);
    let runs = [
        ("wins only", repeated([6, -6], 20)),
        ("losses only", repeated([-6, 6], 20)),
        ("draws only", repeated([0, 0], 20)),
        ("first seat wins", repeated([5, 5], 20)),
        ("one unit", repeated([5, -3], 1)),
        ("one game", one_game),
        ("a game of many", nobody_decides),
    ];
    for (name, run) in runs {
        let directory = written(&run);
        let options =
            Options { contrasts: vec![("x v o".into(), "x v o".into())], figures: true, ..Options::default() };
        let mut report = analyze(directory.path(), &options).expect("tables");
        report.tables.extend(compare(directory.path(), Some("evomcts/table-5")).expect("a table").tables);
        for file in report.write(directory.path(), &Format::ALL).expect("files") {
            check_finite(name, &file);
        }
        assert!(report.to_json().to_string().len() > 100);
    }
}

fn check_finite(name: &str, file: &Path) {
    // Parquet has what CSV has, and PDF and PNG what SVG has.
    if file.extension().is_some_and(|extension| ["parquet", "pdf", "png"].iter().any(|other| extension == *other)) {
        return;
    }
    let text = fs::read_to_string(file).expect("a file");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    for word in words {
        assert!(!["nan", "inf", "infinity"].contains(&word.as_str()), "{name}: {word} in {}:\n{text}", file.display());
    }
}

#[test]
fn all_points_on_one_side_are_bounds() {
    let mut run = Run::new(&[["x", "o"], ["y", "o"]]);
    for _ in 0..20 {
        run.unit(0, [6, -6]);
        run.unit(1, [6, 6]);
    }
    let report = analysed(&run);
    let x = row(&report, "ratings", 0);
    assert_eq!((&x["player"], &x["elo"], &x["elo_95"]), (&json!("x"), &Value::Null, &Value::Null));
    // 20 units without a lost point: 0.05^(1/20) = 0.86089, odds of 6.1885.
    near(&x["above_next"], 400.0 * (0.05f64.powf(0.05) / (1.0 - 0.05f64.powf(0.05))).log10());
    assert!((x["above_next"].as_f64().expect("a bound") - 316.6).abs() < 0.1);
    // The others shared their points, and are rated as if x had not played.
    for place in [1, 2] {
        let other = row(&report, "ratings", place);
        assert_eq!((&other["group"], &other["above_next"]), (&json!(2), &Value::Null));
        near(&other["elo"], 0.0);
        assert!(other["elo_95"].is_array());
    }
    let found = table(&report, "ratings");
    assert!(found.notes[0].starts_with("A group took every point from the groups below it"), "{:?}", found.notes);
    assert!(found.to_markdown().contains("–: all points between the player and any other went one way."));
    let pair = row(&report, "pairs", 0);
    assert_eq!(&pair["wilson_95"][1], &json!(1.0));
    assert!(pair["wilson_95"][0].as_f64().expect("an end") > 0.9);
}

/// Two groups of three, the first of which took every point from the second: over the seeds no interval reaches across
/// the gap, and those within a group are about what is true there.
#[test]
fn a_gap_that_no_game_bridges_has_no_interval() {
    let strength = [80.0f64, 0.0, -80.0];
    let names = ["a", "b", "c", "d", "e", "f"];
    let (mut held, mut all) = (0, 0);
    for seed in 1..=20u64 {
        let mut draw = {
            let mut state = seed;
            move || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1u64 << 53) as f64
            }
        };
        let pairs: Vec<[usize; 2]> = (0..6).flat_map(|a| (a + 1..6).map(move |b| [a, b])).collect();
        let mut run = Run::new(&pairs.iter().map(|pair| pair.map(|player| names[player])).collect::<Vec<_>>());
        for (number, &[a, b]) in pairs.iter().enumerate() {
            for _ in 0..15 {
                let difference = strength[a % 3] - strength[b % 3];
                let chance = if a / 3 == b / 3 { 1.0 / (1.0 + 10f64.powf(-difference / 400.0)) } else { 1.0 };
                let mut win = || draw() < chance;
                // Points of the first seat, which is b's in the second game.
                run.unit(number, [if win() { 1 } else { -1 }, if win() { -1 } else { 1 }]);
            }
        }
        let report = analysed(&run);
        for place in 0..6 {
            let found = row(&report, "ratings", place);
            let player = names.iter().position(|name| found["player"] == *name).expect("a player");
            assert_eq!((&found["pool"], &found["group"]), (&json!(1), &json!(player / 3 + 1)));
            assert_eq!(found["above_next"].is_null(), player >= 3);
            let ends = [0, 1].map(|end| found["elo_95"][end].as_f64().expect("an end"));
            all += 1;
            held += usize::from(ends[0] <= strength[player % 3] && strength[player % 3] <= ends[1]);
        }
    }
    // 120 intervals of 95 %: fewer than 106 or all of them would be 3.3 standard errors away.
    assert!(all == 120 && (106..=120).contains(&held), "{held} of {all}");
}

/// Swapped seats mostly split the points: units spread less than two tosses of a coin would, and the interval knows.
#[test]
fn ratings_know_the_spread_of_units() {
    let mut run = Run::new(&[["x", "o"]]);
    for unit in 0..100 {
        run.unit(0, [[2, -2], [-2, 2], [2, 2]][if unit < 20 { unit % 2 } else { 2 }]);
    }
    let x = row(&analysed(&run), "ratings", 0);
    near(&x["elo"], 0.0);
    // Points of 200 games: variance 200² s² / 100 with s² = 20 · 0.25 / 99, of a coin 50; each counts as is said in
    // `rating`. The information is 200 · 0.25; half of it is x's. t(0.975, 99) by SciPy 1.17.1.
    let own = 400.0 * 5.0 / 99.0f64;
    let of_group = 50.0 * (2.0 + 99.0 * own / 50.0) / 101.0;
    let variance = (4.0 * of_group + 99.0 * own) / 103.0;
    let error = 400.0 / std::f64::consts::LN_10 * variance.sqrt() / 50.0 / 2.0;
    near(&x["elo_95"][1], 1.984_216_951_586_414_4 * error);
}

#[test]
fn a_grid_in_two_parts_is_rated_in_two_pools() {
    let mut run = Run::new(&[["x", "o"], ["y", "z"]]);
    run.unit(0, [6, 6]);
    run.unit(0, [6, -6]);
    run.unit(1, [6, 6]);
    let report = analysed(&run);
    let rows: Vec<Value> = (0..4).map(|place| row(&report, "ratings", place)).collect();
    let names: Vec<&str> = rows.iter().map(|row| row["player"].as_str().expect("a name")).collect();
    assert_eq!(names, ["x", "o", "y", "z"]);
    assert_eq!([0, 1, 2, 3].map(|place| rows[place]["pool"].as_u64().expect("a pool")), [1, 1, 2, 2]);
    // Three points of four; and one of two.
    near(&rows[0]["elo"], 200.0 * 3f64.log10());
    near(&rows[2]["elo"], 0.0);
    assert!(rows.iter().all(|row| row["elo_95"].is_array() && row["group"] == json!(1)));
    let note = &table(&report, "ratings").notes[0];
    assert!(note.starts_with("The players are in 2 pools that never met"), "{note}");
}

#[test]
fn repeated_games_and_clocks_and_gaps_are_warned_of() {
    let mut run = Run::new(&[["x", "o"]]);
    for _ in 0..50 {
        run.unit(0, [6, 2]);
    }
    run.games.iter_mut().for_each(|game| game.hash = game.trial % 2);
    run.games.remove(7);
    run.reproducible = false;
    let report = analysed(&run);
    let said = |part: &str| report.warnings.iter().filter(|warning| warning.contains(part)).count();
    assert_eq!((said("only 2 of the 99 games"), said("not reproducible"), said("1 of 100 games")), (1, 1, 1));
    assert_eq!(row(&report, "pairs", 0)["distinct"], json!(2));
    // The unit that misses a game is left out: 49 of 50.
    assert_eq!(row(&report, "tests", 0)["n_y"], json!(49));
    near(&row(&report, "tests", 0)["unit_mean"], 2.0);
}

#[test]
fn chosen_pairs_are_tested_against_one_another() {
    let mut run = Run::new(&[["x", "o"], ["o", "y"]]);
    for lead in 0..12 {
        run.unit(0, [lead, -lead]);
        run.unit(1, [3, -3]);
    }
    let directory = written(&run);
    let test = |one: &str, other: &str| {
        let options = Options { contrasts: vec![(one.into(), other.into())], ..Options::default() };
        analyze(directory.path(), &options).map(|report| row(&report, "contrasts", 0))
    };
    let by_name = test("x v o", "y v o").expect("a test");
    // x leads by 0 to 11, y by -3: twelve units each, x above in every pair of them.
    assert_eq!((&by_name["n_x"], &by_name["n_y"]), (&json!(12), &json!(12)));
    near(&by_name["mean_x"], 5.5);
    near(&by_name["mean_y"], -3.0);
    near(&by_name["a12"], 1.0);
    let by_place = test("0", "y v o").expect("a test");
    assert_eq!((&by_place["u"], &by_place["p_t"]), (&by_name["u"], &by_name["p_t"]));
    assert!(matches!(test("x v z", "0"), Err(Error::UnknownPair { pair, .. }) if pair == "x v z"));
}

#[test]
fn compare_gives_a_verdict_a_row() {
    let mut run = Run::new(&[["mcts-100", "mcts-50"], ["quick", "slow"]]);
    run.specs = vec![("quick", "mcts:c=0.7,playouts=100"), ("slow", "mcts:c=0.7,playouts=200")];
    run.paper = Some("evomcts/table-5");
    // 70 of 100 units won twice: 0.7 against the paper's 0.6996.
    (0..100).for_each(|unit| run.unit(0, if unit < 70 { [2, -2] } else { [-2, 2] }));
    // Named otherwise and the other way round: mcts-200 takes 0.6 against the paper's 0.73055.
    (0..100).for_each(|unit| run.unit(1, if unit % 5 < 2 { [2, -2] } else { [-2, 2] }));
    let directory = written(&run);
    let report = compare(directory.path(), None).expect("a comparison");
    let first = row(&report, "compare", 0);
    near(&first["ours"], 0.7);
    near(&first["difference"], 0.0004);
    // Units of 0 and 1: s² = 0.21 · 100 / 99; the paper's 10,000 games.
    let error = (0.21 / 99.0 + 0.6996 * 0.3004 / 1e4f64).sqrt();
    near(&first["allowed"], 1.959_963_984_540_054 * error);
    assert_eq!(first["verdict"], json!("inside"));
    let second = row(&report, "compare", 1);
    assert_eq!((&second["player"], &second["verdict"]), (&json!("slow"), &json!("outside")));
    near(&second["ours"], 0.6);
    // 60 of 100 units, by numpy and SciPy (1.17.1): of the pair's second player's side.
    near(&second["ours_95"][0], 0.500_813_581_158_298_7);
    let third = row(&report, "compare", 2);
    assert_eq!((&third["ours"], &third["verdict"]), (&Value::Null, &json!("not in this run")));
    assert!(table(&report, "compare").notes[0].contains("Of 2 rows compared, 0.1"));
    assert!(matches!(compare(directory.path(), Some("evomcts/table-9")), Err(Error::UnknownPaper { .. })));
}

/// Tables of very many pairs are written row by row, with the bytes that they would have as a whole.
#[test]
fn long_tables_are_complete_as_csv() {
    let names: Vec<&'static str> = (0..46).map(|player| &*format!("p{player}").leak()).collect();
    let pairs: Vec<[&'static str; 2]> =
        (0..46).flat_map(|a| (a + 1..46).map(move |b| [a, b])).map(|pair| pair.map(|player| names[player])).collect();
    let mut run = Run::new(&pairs);
    (0..pairs.len()).for_each(|pair| run.unit(pair, [(pair % 7) as i64 - 3, (pair % 5) as i64 - 2]));
    let directory = written(&run);
    let files = |pairs_max: usize, name: &str| {
        let options = Options { pairs_max, figures: true, ..Options::default() };
        let report = analyze(directory.path(), &options).expect("tables");
        let out = directory.path().join(name);
        report.write(&out, &Format::ALL).expect("files");
        (report, out.join("tables"))
    };
    let (whole, whole_files) = files(2_000, "whole");
    let (long, long_files) = files(1_000, "long");
    for name in ["pairs", "seats", "tests", "cost", "ratings", "workers"] {
        let text = |folder: &Path| fs::read_to_string(folder.join(format!("{name}.csv"))).expect("a table");
        assert_eq!(text(&long_files), text(&whole_files), "{name}");
        assert_eq!(long_files.join(format!("{name}.md")).exists(), ["ratings", "workers"].contains(&name), "{name}");
    }
    assert!(whole.long.is_empty() && long.long.len() == 4);
    let figure = "figure `pairs` is left out: it has 1035 pairs, and at most 40 can be read";
    let tables = "tables `pairs`, `seats`, `tests`, `cost` have rows of 1035 pairs, and more than 1000 are not shown: they are \
                  written as CSV and Parquet alone, under tables/";
    assert_eq!(whole.left_out, [figure]);
    assert_eq!(long.left_out, [figure, tables]);
    assert!(long.to_markdown().ends_with(&format!("{figure}.\n\n{tables}.\n")), "{}", long.to_markdown());
    // Repetitions of so many pairs are one warning.
    assert!(long.warnings.len() <= 1, "{:?}", long.warnings);
}

#[test]
fn export_is_repeatable_and_stands_alone() {
    let run = by_hand();
    let directory = written(&run);
    let first = export(directory.path()).expect("files");
    assert_eq!(first, [directory.path().join("results/match/stage=00000.parquet")]);
    let bytes = fs::read(&first[0]).expect("a file");
    // A file cut short is written again, with the same bytes; nothing temporary stays.
    fs::write(&first[0], &bytes[..bytes.len() / 2]).expect("cut");
    export(directory.path()).expect("files");
    assert_eq!(fs::read(&first[0]).expect("a file"), bytes);
    assert_eq!(fs::read_dir(directory.path().join("results/match")).expect("a folder").count(), 1);
    let elsewhere = tempfile::tempdir().expect("a directory");
    let copies = export_to(directory.path(), elsewhere.path()).expect("files");
    assert_eq!(fs::read(&copies[0]).expect("a file"), bytes);
    // Parquet is enough for every table.
    let options = Options::default();
    assert_eq!(
        analyze(elsewhere.path(), &options).expect("tables"),
        analyze(directory.path(), &options).expect("tables")
    );
}

#[test]
fn says_what_is_wrong_with_a_run() {
    let mut open = by_hand();
    open.closed = false;
    open.trials = 10;
    let error = export(written(&open).path()).expect_err("nothing is closed");
    assert!(matches!(error, Error::NoClosedStage { stored: 4, trials: 10, .. }), "{error}");
    let nowhere = tempfile::tempdir().expect("a directory");
    let error = export(nowhere.path()).expect_err("no run");
    assert!(error.to_string().contains("redqueen.sqlite"), "{error}");
    fs::write(nowhere.path().join("redqueen.sqlite"), "not a database, but long enough to be looked at")
        .expect("written");
    let error = export(nowhere.path()).expect_err("no database");
    assert!(error.to_string().contains("redqueen.sqlite"), "{error}");
}

/// Row groups and batches do not show: a grid of more games than a batch, with a game missing before the border.
#[test]
fn batches_do_not_show() {
    let mut run = Run::new(&[["x", "o"]]);
    for unit in 0..70_000 {
        run.unit(0, [unit % 7, unit % 4]);
    }
    run.games.remove(100);
    let report = analysed(&run);
    let pairs = row(&report, "pairs", 0);
    assert_eq!((&pairs["games"], &pairs["distinct"]), (&json!(139_999), &json!(139_999)));
    assert_eq!(report.warnings.len(), 1);
    // The 69,999 whole units give x's lead (unit % 7 - unit % 4) / 2; unit 50 is the one without its first game.
    let lead: i64 = (0..70_000).filter(|unit| *unit != 50).map(|unit| unit % 7 - unit % 4).sum();
    near(&row(&report, "tests", 0)["unit_mean"], lead as f64 / 2.0 / 69_999.0);
}
