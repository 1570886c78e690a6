//! A study: from its database to tables, figures and the paper's cells. Expected figures are those of
//! studied/make.py, which SciPy computes.

use std::fs;

use analysis::{Error, Format, Options, Report, analyze, compare, replicates};
use polars_io::{SerReader as _, parquet::read::ParquetReader};
use serde_json::{Value, json};

use crate::common::{
    changed::change,
    drawn::check_figure,
    refused::refused,
    shown::{near, row, table},
    studied::{add_own_columns, agree, analysed, expected, meta, rows, written},
};

#[test]
fn tables_are_those_of_numpy() {
    let report = analysed(&written(&meta()));
    for name in ["trees", "formulas", "points", "cost"] {
        let (found, wanted) = (rows(&report, name), expected()[name].as_array().expect("rows").clone());
        assert_eq!(found.len(), wanted.len(), "{name}");
        found
            .iter()
            .zip(&wanted)
            .enumerate()
            .for_each(|(i, (found, wanted))| agree(found, wanted, &format!("{name} {i}")));
    }
    // 160 runs of 12 ms, one after the other on two workers.
    let workers = rows(&report, "workers");
    assert_eq!(
        (&workers[0]["worker"], &workers[1]["runs"], &workers[1]["run_ms"]),
        (&json!("north"), &json!(80), &json!(12.0))
    );
    // Every fifth run keeps the formula it began with.
    let frequent = rows(&report, "formula-counts");
    assert_eq!(frequent.len(), 4);
    assert_eq!((&frequent[0]["runs"], &frequent[0]["share"]), (&json!(4), &json!(0.2)));
    assert!(frequent[0]["formula"].as_str().expect("a text").contains("sqrt"));
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn a_cell_is_printed_as_the_thesis_prints_it() {
    let text = table(&analysed(&written(&meta())), "trees").to_markdown();
    // By numpy: 0.5222 ± 0.1822, 15.6198 with 2.1473 within a tree.
    assert!(text.contains("| f2      | mcts-c05    |   20 |    0.52 ± 0.18 |"), "{text}");
    assert!(text.contains(" 15.62 ± 2.15 "), "{text}");
}

#[test]
fn columns_that_a_game_declares_have_tables_of_their_own() {
    let directory = written(&meta());
    add_own_columns(directory.path());
    let report = analysed(&directory);
    // Runs 0 to 19: each of 0 to 3 five times, with 25 as the sum of squared deviations.
    let kept = json!({ "mean": 1.5, "sd": (25.0f64 / 19.0).sqrt() });
    let own = rows(&report, "own");
    assert_eq!(own.len(), 8);
    own.iter().for_each(|row| agree(row, &json!({ "runs": 20, "kept": kept }), "own"));
    // Ten runs have a second turn. Of 0 to 19 the sum of squared deviations is 665.
    let by_turn = rows(&report, "own-by-turn");
    assert_eq!(by_turn.len(), 16);
    let first = json!({ "turn": 1, "kept_by_turn": { "mean": 9.5, "sd": 35f64.sqrt() } });
    let second = json!({ "turn": 2, "kept_by_turn": { "mean": 1.0, "sd": 0.0 } });
    let drawn = analyze(directory.path(), &Options { figures: true, ..Options::default() }).expect("figures");
    assert!(drawn.figures.iter().any(|figure| figure.name == "own-kept-by-turn"));
    by_turn.chunks(2).for_each(|rows| {
        agree(&rows[0], &first, "first turn");
        agree(&rows[1], &second, "second turn");
    });
}

/// Sizes are the run on the first turn, and 1 on the third of runs below 10.
#[test]
fn figures_of_decisions_have_tables_by_agent_and_turn() {
    let mut facts = meta();
    facts["turn_figures"] = json!([{ "name": "size", "column": "size_by_turn", "title": "size", "digits": 2 }]);
    let directory = written(&facts);
    let conn = rusqlite::Connection::open(directory.path().join("redqueen.sqlite")).expect("a database");
    conn.execute_batch(
        "ALTER TABLE results_study ADD COLUMN size_by_turn TEXT NOT NULL DEFAULT '';
         UPDATE results_study SET size_by_turn = '0:' || run || CASE WHEN run < 10 THEN ' 2:1' ELSE '' END;
         UPDATE stages SET spec = json_insert(spec, '$.shape.columns[#]',
             json('{\"name\": \"size_by_turn\", \"kind\": \"text\", \"pure\": true}'))",
    )
    .expect("a column");
    drop(conn);
    let report = analysed(&directory);
    let by_turn = rows(&report, "turn-figures");
    assert_eq!(by_turn.len(), 16, "two turns of four agents at two problems");
    // Of 0 to 19 the sum of squared deviations is 665; the fifth value is 4, and the fifteenth 14.
    let first = json!({ "problem": "f2", "player": "mcts-c05", "figure": "size", "turn": 1, "decisions": 20,
        "mean": { "mean": 9.5, "sd": 35f64.sqrt() }, "median": 9.0, "quartiles": [4.0, 14.0] });
    let third = json!({ "turn": 3, "decisions": 10, "mean": { "mean": 1.0, "sd": 0.0 }, "quartiles": [1.0, 1.0] });
    agree(&by_turn[0], &first, "first turn");
    agree(&by_turn[1], &third, "third turn");
    let all = rows(&report, "decision-figures");
    assert_eq!(all.len(), 8);
    all.iter().for_each(|row| agree(row, &json!({ "decisions": 30, "mean": { "mean": 20.0 / 3.0 } }), "all turns"));
    assert!(report.tables.iter().all(|table| !table.name.starts_with("own")), "they are no columns of the game");
}

#[test]
fn agents_without_trees_have_no_row_of_trees() {
    let directory = written(&meta());
    change(directory.path(), "UPDATE results_study SET nodes = 0, formula_nodes = 0");
    let names: Vec<String> = analysed(&directory).tables.into_iter().map(|table| table.name).collect();
    assert_eq!(names, ["formula-counts", "points", "differences-groups", "differences", "cost", "workers"]);
    assert_eq!(table(&analysed(&directory), "differences").title, "Do agents differ in points?");
    // One agent without trees believes in nothing that others could be compared with.
    let directory = written(&meta());
    change(directory.path(), "UPDATE results_study SET nodes = 0 WHERE agent = 0");
    let report = analysed(&directory);
    assert_eq!([rows(&report, "trees").len(), rows(&report, "differences-groups").len()], [6, 6]);
}

/// Several runs of a study are replicates: results of an agent on a problem, over seeds.
#[test]
fn runs_with_other_seeds_are_replicates() {
    let mut other = meta();
    other["seed"] = json!(2);
    let directories = [written(&meta()), written(&other)];
    change(directories[1].path(), "UPDATE results_study SET by_reward = 0.5");
    let paths = directories.each_ref().map(|directory| directory.path().to_owned());
    let report = replicates(&paths, &[], false).expect("tables");
    let found = rows(&report, "outcomes");
    assert_eq!((found.len(), &found[0]["outcome"]), (8, &json!("by-reward of mcts-c05 on f2")));
    near(&found[0]["mean"], (expected()["trees"][0]["by_reward"]["mean"].as_f64().expect("a mean") + 0.5) / 2.0);
}

/// A row group ends before its texts are many megabytes, and tables are the same.
#[test]
fn long_texts_are_read_in_parts() {
    let directory = written(&meta());
    let before = analysed(&directory);
    let parts = |directory: &tempfile::TempDir| {
        let file = fs::File::open(directory.path().join("results/study/stage=00000.parquet")).expect("a file");
        ParquetReader::new(file).get_metadata().expect("metadata").row_groups.len()
    };
    assert_eq!(parts(&directory), 1);
    // 160 rows of 256 kB.
    change(directory.path(), "UPDATE results_study SET root_visits = printf('%.*c', 262144, 'x')");
    fs::remove_file(directory.path().join("results/study/stage=00000.parquet")).expect("removed");
    assert!(analysed(&directory) == before, "the same tables");
    assert_eq!(parts(&directory), 2);
}

#[test]
fn a_game_is_about_its_points() {
    let mut meta = meta();
    meta["measure"] = json!("game");
    let report = analysed(&written(&meta));
    assert_eq!(report.tables[0].name, "points");
    // A share over several decisions does not say what one formula holds.
    assert_eq!(row(&report, "formulas", 0)["greedy"], Value::Null);
    assert!(table(&report, "trees").notes[0].contains("a run the mean of its decisions"));
}

#[test]
fn what_is_wrong_with_the_runs_is_said() {
    let mut meta = meta();
    meta["reproducible"] = json!(false);
    let directory = written(&meta);
    change(directory.path(), "DELETE FROM results_study WHERE trial IN (3, 25)");
    // All runs of the first agent like its first.
    let columns = "points, score, moves_hash, nodes, expansion_rate, terminals, leaf_depth, leaf_depth_sd, by_visits, by_reward, root_share";
    change(
        directory.path(),
        &format!(
            "UPDATE results_study SET ({columns}) = (SELECT {columns} FROM results_study WHERE trial = 0) WHERE trial < 20"
        ),
    );
    let report = analysed(&directory);
    let said = |part: &str| report.warnings.iter().filter(|warning| warning.contains(part)).count();
    let wanted = ["not reproducible", "2 of 160 runs", "the 19 runs of mcts-c05 on f2 are all equal"];
    assert_eq!(wanted.map(said), [1, 1, 1], "{:?}", report.warnings);
    assert_eq!(report.warnings.len(), 3);
    assert_eq!(row(&report, "trees", 0)["by_reward_95"], Value::Null);
    let text = report.to_markdown().to_lowercase();
    assert!(!text.contains("nan") && !text.contains("inf "), "{text}");
}

#[test]
fn a_stage_that_is_not_as_agreed_is_refused() {
    let check = |change: &str, says: &str| refused(written(&meta()).path(), change, says);
    check("UPDATE results_study SET histogram = '1,2;3' WHERE trial = 7", "`1,2;3` is not a histogram");
    check(
        "UPDATE stages SET spec = replace(spec, '\"player_order\":[\"mcts-c05\",', '\"player_order\":[')",
        "mcts-c05",
    );
    check("UPDATE stages SET spec = replace(spec, '\"problem_order\"', '\"order\"')", "problem_order");
    let of_pairs = Options { contrasts: vec![("a v b".into(), "c v d".into())], ..Options::default() };
    let error = analyze(written(&meta()).path(), &of_pairs).expect_err("no pairs");
    assert!(matches!(error, Error::UnknownPair { .. }), "{error}");
}

/// The cells of make.py under the keys of the tables.
fn check_cells(report: &Report, name: &str, wanted: &Value) {
    let heads = json!({
        "expansion_rate": "expansion rate", "terminals": "terminals", "leaf_depth": "leaf depth",
        "leaf_depth_sd": "sd of leaf depths in a tree", "by_reward": "points by reward", "uses_visits": "share with n",
        "uses_parent_visits": "share with N", "uses_q": "share with Q", "formula_nodes": "formula's nodes",
    });
    let found: Vec<Value> = rows(report, name)
        .into_iter()
        .filter(|row| !["not in this run", "shown only"].contains(&row["verdict"].as_str().expect("a verdict")))
        .collect();
    let wanted = wanted.as_array().expect("cells");
    assert_eq!(found.len(), wanted.len(), "{name}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(found["figure"], heads[wanted["metric"].as_str().expect("a metric")]);
        for key in ["problem", "agent", "difference", "allowed", "verdict"] {
            agree(&found[key], &wanted[key], &format!("{name} {wanted} {key}"));
        }
        let paper = if found["paper"].is_object() { &found["paper"]["mean"] } else { &found["paper"] };
        assert_eq!(*paper, wanted["paper"]);
    }
}

#[test]
fn every_printed_cell_has_a_verdict() {
    let report = compare(written(&meta()).path(), None).expect("a comparison");
    // f1, f3 and f4 are not in this run: they are counted and not listed.
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(
        names,
        ["compare", "compare-table-5-5", "compare-table-5-8", "compare-table-5-11", "compare-fop-significance"]
    );
    let wanted = &expected()["compare"];
    for name in ["table-5-5", "table-5-8", "table-5-11"] {
        check_cells(&report, &format!("compare-{name}"), &wanted[name]);
    }
    let count = |name: &str, verdict: &str| {
        wanted[name].as_array().expect("cells").iter().filter(|cell| cell["verdict"] == verdict).count() as u64
    };
    let summary = rows(&report, "compare");
    assert_eq!((&summary[0]["table"], &summary[0]["missing"]), (&json!("siea-mcts/table-5-4"), &json!(35)));
    assert_eq!(summary[1]["inside"], json!(count("table-5-5", "inside")));
    assert_eq!(summary[5]["outside"], json!(count("table-5-11", "outside")));
    assert_eq!(summary[6]["outside"], json!(count("fop-significance", "differ")));
    // 5 % of 20 cells.
    near(&summary[1]["expected"], 1.0);
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn the_walk_by_visits_is_shown_beside_a_result() {
    let report = compare(written(&meta()).path(), Some("siea-mcts/table-5-5")).expect("a comparison");
    assert_eq!(report.tables.len(), 1);
    let shown: Vec<Value> = rows(&report, "compare").into_iter().filter(|row| row["verdict"] == "shown only").collect();
    let trees = expected()["trees"].clone();
    assert_eq!(shown.len(), 4);
    for (shown, tree) in shown.iter().zip(trees.as_array().expect("rows")) {
        agree(&shown["ours"], &tree["by_visits"], "by visits");
    }
}

#[test]
fn pairs_of_agents_are_tested_as_the_thesis_does() {
    let report = compare(written(&meta()).path(), Some("siea-mcts/fop-significance")).expect("a comparison");
    let found: Vec<Value> =
        rows(&report, "compare").into_iter().filter(|row| row["verdict"] != "not in this run").collect();
    let wanted = expected()["compare"]["fop-significance"].clone();
    let wanted = wanted.as_array().expect("pairs");
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        for key in ["problem", "a", "b", "p", "verdict"] {
            agree(&found[key], &wanted[key], &format!("{wanted} {key}"));
        }
    }
}

/// Names may be others: an agent is known by its spec if one alone fits, and a problem by its function.
#[test]
fn agents_and_problems_are_found_by_their_specs() {
    let mut meta = meta();
    let text = meta.to_string().replace("\"f5\"", "\"needle\"").replace("mcts-csqrt2", "explorer");
    meta = serde_json::from_str(&text).expect("JSON");
    let directory = written(&meta);
    let labels = |from: &str, to: &str| format!("UPDATE stages SET spec = replace(spec, '\"{from}\"', '\"{to}\"')");
    change(directory.path(), &labels("f5", "needle"));
    change(directory.path(), &labels("mcts-csqrt2", "explorer"));
    let cells = |directory: &tempfile::TempDir| {
        let report = compare(directory.path(), Some("siea-mcts/table-5-8")).expect("a comparison");
        rows(&report, "compare").into_iter().filter(|row| row["verdict"] != "not in this run").collect::<Vec<_>>()
    };
    let found = cells(&directory);
    // Five figures of four agents, with the walk by visits.
    assert_eq!(found.len(), 24);
    assert_eq!(found[6]["agent"], json!("explorer"));
    // With another budget it is another agent; one with the paper's name is compared, with a warning.
    change(directory.path(), "UPDATE stages SET spec = replace(spec, 'playouts=5000', 'playouts=500')");
    assert_eq!(cells(&directory).len(), 18);
    let report = compare(directory.path(), Some("siea-mcts/table-5-8")).expect("a comparison");
    let said = report.warnings.iter().filter(|warning| warning.contains("`mcts:playouts=500,c=0.5")).count();
    assert_eq!((said, report.warnings.len()), (1, 3), "{:?}", report.warnings);
}

#[test]
fn a_table_of_games_is_no_table_of_a_study() {
    let directory = written(&meta());
    let error = compare(directory.path(), Some("evomcts/table-5")).expect_err("another kind");
    assert!(matches!(error, Error::OtherPaper { key: "evomcts/table-5", .. }) && error.is_input(), "{error}");
    assert!(matches!(compare(directory.path(), Some("siea-mcts/table-5-9")), Err(Error::UnknownPaper { .. })));
}

#[test]
fn exported_files_are_enough() {
    let directory = written(&meta());
    let report = analysed(&directory);
    let files = report.write(directory.path(), &Format::ALL).expect("files");
    assert_eq!(files.len(), Format::ALL.len() * report.tables.len());
    for file in fs::read_dir(directory.path()).expect("a directory").flatten() {
        if file.file_name().to_string_lossy().starts_with("redqueen.sqlite") {
            fs::remove_file(file.path()).expect("removed");
        }
    }
    assert_eq!(analysed(&directory), report);
}

#[test]
fn figures_show_places_results_and_depths() {
    let directory = written(&meta());
    let options = Options { figures: true, ..Options::default() };
    let report = analyze(directory.path(), &options).expect("tables");
    let names: Vec<&str> = report.figures.iter().map(|figure| figure.name.as_str()).collect();
    assert_eq!(names, ["trees-f2", "trees-f5", "results", "leaf-depth"]);
    let agents = ["mcts-c05", "mcts-csqrt2", "ea-mcts", "siea-mcts"];
    let places = ["study: f2", "f2(x)", "mean nodes per bin", "place x of a node&apos;s interval", "global optimum"];
    let thirds = ["first third of the iterations", "second third", "last third"];
    check_figure(&report.figures[0], &[&agents[..], &places, &thirds].concat());
    check_figure(&report.figures[2], &[&agents[..], &["f2", "f5", "points by reward"]].concat());
    check_figure(&report.figures[3], &[&agents[..], &["f2", "f5", "mean depth of leaves (plies)"]].concat());
    // Drawn once more it is the same to the byte.
    assert!(analyze(directory.path(), &options).expect("tables").figures == report.figures, "bytes differ");
}

/// The tops of a stack are the means of make.py: the paths are read back from the drawing.
#[test]
fn a_stack_is_as_high_as_the_mean_of_its_runs() {
    let report = analyze(written(&meta()).path(), &Options { figures: true, ..Options::default() }).expect("tables");
    let expected = expected();
    let highest =
        |thirds: &Vec<Vec<f64>>| (0..8).map(|bin| thirds.iter().map(|third| third[bin]).sum()).fold(0.0, f64::max);
    // The largest tick of all axes: in nodes of a mean run.
    let means: Vec<Vec<Vec<f64>>> = expected["histograms"].as_array().expect("rows")[..4]
        .iter()
        .map(|row| serde_json::from_value(row["mean"].clone()).expect("three lists"))
        .collect();
    let top = means.iter().map(highest).fold(0.0, f64::max);
    let texts = report.figures[0].svg.split('>').filter_map(|part| part.split('<').next()?.parse::<f64>().ok());
    let tick = texts.fold(0.0, f64::max);
    assert!(0.5 * top < tick && tick <= 1.1 * top, "{tick} is not a tick of {top}");
    // The three layers of each agent, as areas: (edge above, edge below) by bin, in pixels downwards.
    let layers = ["#56b4e9", "#0072b2", "#d55e00"].map(|colour| {
        let mark = format!("fill=\"{colour}\"");
        let areas = report.figures[0].svg.split("<path ").skip(1).filter(|path| path.contains(&mark));
        areas.map(edges).collect::<Vec<_>>()
    });
    for (agent, thirds) in means.iter().enumerate() {
        let total: Vec<f64> = (0..8).map(|bin| thirds.iter().map(|third| third[bin]).sum()).collect();
        // Pixels for a node are the same for every bin and layer: found from the first bin.
        let [first, _, last] = layers.each_ref().map(|layer| &layer[agent]);
        let pixels = (first[0].1 - last[0].0) / total[0];
        assert!(pixels > 0.0 && last.len() == 8);
        for (layer, third) in layers.iter().zip(thirds) {
            for ((above, below), wanted) in layer[agent].iter().zip(third) {
                let found = below - above;
                assert!((found - wanted * pixels).abs() < 0.05, "{found} is not {}", wanted * pixels);
            }
        }
    }
}

/// Where an area of steps ends above and below, by bin: its path goes along the upper edge, two points a bin, and back
/// along the lower one.
fn edges(path: &str) -> Vec<(f64, f64)> {
    let drawn = path.split_once("d=\"").and_then(|(_, rest)| rest.split_once('"')).expect("a path").0;
    let numbers: Vec<f64> = drawn.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let y: Vec<f64> = numbers.chunks(2).map(|point| point[1]).collect();
    (0..y.len() / 4).map(|bin| (y[2 * bin], y[y.len() - 1 - 2 * bin])).collect()
}

#[test]
fn a_study_without_histograms_has_no_figure_of_places() {
    let directory = written(&meta());
    change(directory.path(), "UPDATE results_study SET histogram = ''");
    let options = Options { figures: true, ..Options::default() };
    let figures = analyze(directory.path(), &options).expect("tables").figures;
    assert_eq!(figures.iter().map(|figure| figure.name.as_str()).collect::<Vec<_>>(), ["results", "leaf-depth"]);
    // All runs equal: a box without width, still a figure.
    change(directory.path(), "UPDATE results_study SET by_reward = 0.5, leaf_depth = 3");
    for figure in analyze(directory.path(), &options).expect("tables").figures {
        check_figure(&figure, &["f2", "ea-mcts"]);
    }
}
