//! What toys need of experiments: columns of a game's own in the rows, and artifacts that players need.

use experiments::{Experiment, Overrides, plan, plan::Artifact};
use record::{ColumnType, Row, Stage, Value};

fn parse(text: &str) -> Experiment {
    Experiment::parse(text, "toys.toml", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

fn grid(player: &str) -> String {
    format!(
        "format = 1\nname = \"toys\"\nkind = \"match-grid\"\ngame = \"toy-race:throws=5\"\n[players]\na = \"{player}\"\n\
         b = \"random\"\n[match-grid]\npairing = \"round-robin\"\ngames-per-pair = 4\n"
    )
}

fn study(games: &str, measure: &str) -> String {
    format!(
        "format = 1\nname = \"toys\"\nkind = \"study\"\n[problems]\n{games}\n[players]\na = \"mcts:playouts=10\"\n\
         b = \"random\"\n[study]\nruns = 3\nmeasure = \"{measure}\"\n"
    )
}

/// The first stage of an experiment, and all of its rows.
fn played(text: &str, store: &Vec<Artifact>) -> (Stage, Vec<Row>) {
    let plan = plan(&parse(text));
    let stage = plan.first_stage().stage;
    let executor = plan.executor(&stage, store).expect("the artifacts are there");
    let rows = (0..stage.trials).map(|trial| executor.run(trial).expect("a row")).collect();
    (stage, rows)
}

fn check_types(stage: &Stage, rows: &[Row]) {
    for row in rows {
        assert_eq!(row.len(), stage.shape.columns.len());
        for (column, value) in stage.shape.columns.iter().zip(row) {
            let fits = match value {
                Value::Int(_) => matches!(column.kind, ColumnType::Int | ColumnType::Label),
                Value::Real(_) => column.kind == ColumnType::Real,
                Value::Text(_) => column.kind == ColumnType::Text,
            };
            assert!(fits, "{column:?}: {value:?}");
        }
    }
}

fn names(stage: &Stage, from: &str) -> Vec<String> {
    let first = stage.shape.index(from).expect("a column") + 1;
    stage.shape.columns[first..].iter().map(|column| column.name.clone()).collect()
}

fn value<'a>(stage: &Stage, row: &'a Row, column: &str) -> &'a Value {
    &row[stage.shape.index(column).expect("a column")]
}

#[test]
fn rows_of_a_grid_have_the_columns_of_its_game() {
    let (stage, rows) = played(&grid("mcts:playouts=10"), &Vec::new());
    let own = ["first_kept", "second_kept", "eyes", "eyes_mean", "first_score_by_turn", "second_score_by_turn"];
    assert_eq!(names(&stage, "second_us"), own);
    assert!(stage.shape.columns.iter().all(|column| column.pure || column.name.ends_with("_us")));
    assert_eq!(rows.len(), 4);
    check_types(&stage, &rows);
    for row in &rows {
        // First has three of the five turns; the last turn is the first seat's, whose score then is its last.
        let Value::Text(first) = value(&stage, row, "first_score_by_turn") else { panic!("a list is a text") };
        let first: Vec<i64> = first.split(' ').map(|score| score.parse().expect("a number")).collect();
        assert_eq!(first.len(), 3);
        let (Value::Int(eyes), Value::Int(difference)) =
            (value(&stage, row, "eyes"), value(&stage, row, "score_difference"))
        else {
            panic!("whole numbers")
        };
        assert_eq!(2 * first[2] - eyes, *difference, "what is not the first seat's is the second's");
        assert_eq!(value(&stage, row, "eyes_mean"), &Value::Real(*eyes as f64 / 5.0));
    }
    let reversi = grid("random").replace("toy-race:throws=5", "reversi");
    let (stage, _) = played(&reversi, &Vec::new());
    assert_eq!(names(&stage, "second_us"), [""; 0], "a game without columns has the rows that it always had");
}

#[test]
fn rows_of_whole_games_of_a_study_have_the_columns_of_its_game() {
    let two = "short = \"toy-race:throws=2,players=1\"\nlong = \"toy-race:throws=6,players=1\"";
    let (stage, rows) = played(&study(two, "game"), &Vec::new());
    assert_eq!(names(&stage, "deciding_us"), ["kept", "eyes", "eyes_mean", "score_by_turn"]);
    assert_eq!(rows.len(), 12);
    check_types(&stage, &rows);
    let decision = study(two, "decision") + "position = \"1/2/0/0\"\n";
    let (stage, rows) = played(&decision, &Vec::new());
    assert_eq!(names(&stage, "deciding_us"), [""; 0], "a decision is no game");
    check_types(&stage, &rows);
    let different = "toy = \"toy-race:throws=2,players=1\"\nline = \"fop\"";
    let (stage, rows) = played(&study(different, "game"), &Vec::new());
    assert_eq!(names(&stage, "deciding_us"), [""; 0], "rows of different games have what all have");
    check_types(&stage, &rows);
}

#[test]
fn questions_may_be_about_the_numbers_of_a_study_s_game() {
    let two = "short = \"toy-race:throws=2,players=1\"\nlong = \"toy-race:throws=6,players=1\"";
    let ask = |measure: &str, metric: &str| {
        let question =
            format!("\n[[analysis]]\nname = \"q\"\nquestion = \"?\"\nmetric = \"{metric}\"\ntest = \"normality\"\n");
        experiments::Experiment::parse(&(study(two, measure) + &question), "toys.toml", &Overrides::default())
    };
    for own in ["kept", "eyes", "eyes-mean"] {
        ask("game", own).expect("a number of the game");
        ask("decision", own).expect_err("a decision has no columns of the game");
    }
    ask("game", "score-by-turn").expect_err("a list");
}

#[test]
fn a_stage_lists_the_artifacts_of_its_players_and_builds_them_with_them() {
    let script = b"keep keep keep".to_vec();
    let hash = Artifact::hash_of(&script);
    let text = grid(&format!("toy-scripted:script={hash}"));
    let first = plan(&parse(&text)).first_stage();
    assert_eq!(first.stage.artifacts, std::slice::from_ref(&hash));
    let stored: Stage = serde_json::from_str(&serde_json::to_string(&first.stage).expect("JSON")).expect("a stage");
    assert_eq!(stored, first.stage);
    let error = plan(&parse(&text)).executor(&first.stage, &Vec::new()).err().expect("nothing is stored");
    assert_eq!(error.to_string(), format!("the store cannot be read: artifact {hash} is not there"));
    let (stage, rows) = played(&text, &vec![Artifact { kind: "script".to_owned(), data: script }]);
    for row in &rows {
        let kept = if value(&stage, row, "first") == &Value::Int(0) { ("first_kept", 3) } else { ("second_kept", 2) };
        assert_eq!(value(&stage, row, kept.0), &Value::Int(kept.1), "the script keeps everything");
    }
    let text = study("toy = \"toy-race:players=1\"", "game")
        .replace("mcts:playouts=10", &format!("toy-scripted:script={hash}"));
    assert_eq!(plan(&parse(&text)).first_stage().stage.artifacts, [hash]);
}

/// A file names another one by its path, which is relative to it; the experiment knows its content alone.
#[test]
fn files_that_players_name_travel_with_the_experiment() {
    let place = tempfile::tempdir().expect("a directory");
    let (script, other) = (b"keep keep keep".to_vec(), b"\xff".to_vec());
    std::fs::write(place.path().join("keep.txt"), &script).expect("written");
    std::fs::write(place.path().join("no-text"), &other).expect("written");
    let read = |player: &str| {
        experiments::Experiment::parse(&grid(player), place.path().join("toys.toml"), &Overrides::default())
    };
    let experiment = read("toy-scripted:script=keep.txt").expect("a file beside it");
    let hash = Artifact::hash_of(&script);
    assert_eq!(experiment.artifacts(), [hash.as_str()]);
    let first = plan(&experiment).first_stage();
    assert_eq!(first.artifacts, [Artifact { kind: Artifact::FILE.to_owned(), data: script.clone() }]);
    plan(&experiment).executor(&first.stage, &first.artifacts).expect("the file is at hand");
    // The resolved text has the hash, and takes the file from whoever has it.
    let resolved = experiments::Experiment::from_resolved(&experiment.to_resolved_toml()).expect("right");
    assert_eq!((&resolved, resolved.id(), resolved.brought()), (&experiment, experiment.id(), Vec::new()));
    let missing = resolved.clone().with_artifacts([other]).expect_err("another file");
    assert_eq!(missing.to_string(), format!("the experiment names the artifact {hash}, which is not among its files"));
    assert_eq!(resolved.with_artifacts([script]).expect("its file").brought(), experiment.brought());
    for (player, expected) in [
        ("toy-scripted:script=gone.txt", "`gone.txt` cannot be read: No such file or directory (os error 2)"),
        ("toy-scripted:script=.", "`.` is a directory; name the file of a network"),
        ("toy-scripted:script=no-text", "cannot be read: invalid utf-8 sequence"),
    ] {
        let faults = read(player).expect_err(player).to_string();
        assert!(faults.contains(expected) && faults.contains("toys.toml:"), "{faults}");
    }
}
