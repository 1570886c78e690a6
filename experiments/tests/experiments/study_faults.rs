//! Faults that are reported of wrong studies: rows of a file and the faults in it.

use experiments::{Experiment, Overrides};

/// A file that is right; rows below replace parts of it.
const RIGHT: &str = r#"format = 1
name = "right"
kind = "study"

[problems]
f1 = "fop:function=f1"
f2 = { name = "fop", function = "f2" }

[players]
few = "mcts:playouts=5"
more = "mcts:playouts=20"

[study]
runs = 10
measure = "decision"
histogram-bins = 16
position = "3/2"

[[analysis]]
name = "values"
question = "Do they find different values?"
metric = "by-reward"
test = "welch"

[[analysis]]
name = "depths"
question = "Are their trees of one depth?"
metric = "leaf-depth"
test = "normality"
alpha = 0.01
players = ["few"]
"#;

/// Replaces `from` in the right file by `to` and compares the reported faults, a line each.
#[track_caller]
fn check(from: &str, to: &str, expected: &[&str]) {
    assert_eq!(RIGHT.matches(from).count(), 1, "`{from}` stands once in the file");
    check_file(&RIGHT.replace(from, to), expected);
}

#[track_caller]
fn check_file(text: &str, expected: &[&str]) {
    let reported = match Experiment::parse(text, "f", &Overrides::default()) {
        Ok(_) => panic!("nothing is wrong with\n{text}"),
        Err(faults) => faults.to_string(),
    };
    assert_eq!(reported.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_right_file_is_right() {
    let experiment = Experiment::parse(RIGHT, "f", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!((experiment.trial_count(), experiment.questions().len()), (40, 2));
}

#[test]
fn problems() {
    check(
        "function=f1",
        "funktion=f1",
        &["f:6:6: problems.f1: `fop` has no parameter `funktion` (did you mean `function`?)"],
    );
    check(
        "f1 = \"fop:function=f1\"",
        "f1 = \"fop:function=f9\"\nF3 = { name = \"fopp\" }",
        &[
            "f:6:6: problems.f1: `function` cannot be `f9`: it takes one of f1, f2, f3, f4, f5",
            "f:7:1: problems.F3: `F3` is not a name: lower-case letters, digits and single hyphens, at most 64 of them \
             (write `f3`)",
            "f:7:6: problems.F3: unknown game `fopp` (did you mean `fop`?)",
        ],
    );
    check(
        "f1 = \"fop:function=f1\"\nf2 = { name = \"fop\", function = \"f2\" }\n",
        "",
        &["f:5:2: problems: problems: at least 1, found 0"],
    );
    check(
        "[problems]\nf1 = \"fop:function=f1\"\nf2 = { name = \"fop\", function = \"f2\" }\n",
        "",
        &["f:1:1: problems: missing key `problems` (a table of names and games: `f1 = \"fop:function=f1\"`)"],
    );
    // Keys of other kinds.
    check(
        "kind = \"study\"\n",
        "kind = \"study\"\ngame = \"reversi\"\n",
        &["f:4:1: game: `game` has no effect where the kind is `study` (leave `game` out)"],
    );
}

#[test]
fn players_play_every_problem() {
    check(
        "more = \"mcts:playouts=20\"",
        "more = \"evomcts:tree=Mobility\"",
        &["f:11:8: players.more: `evomcts` cannot play fop: its positions tell nothing that a tree could ask"],
    );
    check(
        "few = \"mcts:playouts=5\"\nmore = \"mcts:playouts=20\"\n",
        "",
        &["f:9:2: players: players: at least 1, found 0"],
    );
}

#[test]
fn the_study() {
    check("runs = 10\n", "", &["f:13:2: study.runs: missing key `runs` (how often each agent meets each problem)"]);
    check("runs = 10", "runs = 0", &["f:14:8: study.runs: 0 is out of range: 1 to 1000000000000"]);
    check("runs = 10", "runs = 10\nrun = 3", &["f:15:1: study.run: unknown key `run` (did you mean `runs`?)"]);
    check(
        "\"decision\"",
        "\"decisions\"",
        &["f:15:11: study.measure: unknown measure `decisions` (did you mean `decision`?)"],
    );
    check("bins = 16", "bins = 4097", &["f:16:18: study.histogram-bins: 4097 is out of range: 0 to 4096"]);
    check("bins = 16", "bins = -1", &["f:16:18: study.histogram-bins: -1 is out of range: 0 to 4096"]);
    check(
        "name = \"right\"",
        "name = \"right\"\nscale = 1e300",
        &["f:14:2: study: 4 agents at problems of 18446744073709551615 runs are more trials than can be numbered \
             (9223372036854775807)"],
    );
    // Where one problem searches a line the others have no histograms.
    let mixed = RIGHT.replace("f1 = \"fop:function=f1\"", "f1 = \"reversi\"").replace("position = \"3/2\"\n", "");
    assert!(Experiment::parse(&mixed, "f", &Overrides::default()).is_ok());
    check_file(
        &mixed.replace("{ name = \"fop\", function = \"f2\" }", "\"dodgem\""),
        &[
            "f:16:1: study.histogram-bins: `histogram-bins` has no effect where no problem searches a line, as `fop` does \
             (leave `histogram-bins` out)",
        ],
    );
}

#[test]
fn beginnings() {
    // Told once, though it is a position of neither.
    check("\"3/2\"", "\"3\"", &["f:17:12: study.position: `3` is not a fop position: it is not `depth/index`"]);
    check(
        "\"3/2\"",
        "\"17/0\"",
        &["f:17:12: study.position: no player moves at this position of `fop`: the game is over there"],
    );
    check("\"3/2\"", "3", &["f:17:12: study.position: expected a text, found an integer"]);
    let game = RIGHT.replace("\"decision\"", "\"game\"");
    assert!(Experiment::parse(&game, "f", &Overrides::default()).is_ok());
    // What is wrong with the measure and with the position is reported at once.
    let reported = match Experiment::parse(
        &game.replace("f1 = \"fop:function=f1\"", "f1 = \"reversi\""),
        "f",
        &Overrides::default(),
    ) {
        Ok(_) => panic!("a game of one player in Reversi"),
        Err(faults) => faults.to_string(),
    };
    let reported: Vec<&str> = reported.lines().collect();
    assert_eq!(
        reported[0],
        "f:6:6: problems.f1: `reversi` is a game for 2: a whole game of one player is for games for one \
         (`measure = \"decision\"` measures one decision of any game)"
    );
    assert!(reported[1].starts_with("f:17:12: study.position: `3/2` is not a reversi position: "), "{reported:?}");
    assert_eq!(reported.len(), 2);
}

#[test]
fn questions() {
    check(
        "\"by-reward\"",
        "\"by-rewards\"",
        &["f:22:10: analysis[0].metric: unknown metric `by-rewards` (did you mean `by-reward`?)"],
    );
    // The names of the columns have other hyphens, and times are measurements.
    check(
        "\"by-reward\"",
        "\"by_reward\"",
        &["f:22:10: analysis[0].metric: unknown metric `by_reward` (did you mean `by-reward`?)"],
    );
    check("\"welch\"", "\"welsh\"", &["f:23:8: analysis[0].test: unknown test `welsh` (did you mean `welch`?)"]);
    check(
        "test = \"welch\"",
        "test = \"welch\"\nadjust = \"bonferroni\"",
        &["f:24:10: analysis[0].adjust: unknown adjustment `bonferroni` (one of `none`, `holm`, `benjamini-hochberg`)"],
    );
    check(
        "name = \"depths\"",
        "name = \"values\"",
        &["f:26:8: analysis[1].name: `values` is already named on line 20 (a name is that of the question's tables)"],
    );
    check(
        "name = \"depths\"",
        "name = \"Depths\"",
        &[
            "f:26:8: analysis[1].name: `Depths` is not a name: lower-case letters, digits and single hyphens, at most 64 \
             of them (write `depths`)",
        ],
    );
    for (alpha, text) in [("0", "0"), ("1.0", "1")] {
        check(
            "alpha = 0.01",
            &format!("alpha = {alpha}"),
            &[&format!("f:30:9: analysis[1].alpha: {text} is out of range: above 0 to below 1")],
        );
    }
    check(
        "question = \"Are their trees of one depth?\"\n",
        "",
        &["f:25:1: analysis[1].question: missing key `question` (what is asked, for people)"],
    );
    check("alpha = 0.01", "alhpa = 0.01", &["f:30:1: analysis[1].alhpa: unknown key `alhpa` (did you mean `alpha`?)"]);
    check(
        "[\"few\"]",
        "[\"few\", \"man\", \"few\"]",
        &[
            "f:31:19: analysis[1].players[1]: unknown player `man` (one of `few`, `more`)",
            "f:31:26: analysis[1].players[2]: `few` is already named on line 31",
        ],
    );
}

#[test]
fn tests_that_do_not_fit() {
    check(
        "\"normality\"",
        "\"wilcoxon\"",
        &["f:31:11: analysis[1].players: players: at least 2, found 1 (`wilcoxon` compares them)"],
    );
    check(
        "\"welch\"",
        "\"friedman\"",
        &[
            "f:23:8: analysis[0].test: players: at least 3, found 2 (`friedman` compares all at once; `wilcoxon` compares two)",
        ],
    );
    check(
        "[\"few\"]",
        "[]",
        &["f:31:11: analysis[1].players: players: at least 1, found 0 (`normality` looks at each of them)"],
    );
    check(
        "more = \"mcts:playouts=20\"\n",
        "",
        &["f:22:8: analysis[0].test: players: at least 2, found 1 (`welch` compares them)"],
    );
}

#[test]
fn forms_of_questions() {
    let lists = RIGHT.split("[[analysis]]").collect::<Vec<_>>();
    check_file(
        &format!("{}[analysis]{}", lists[0], lists[1]),
        &[
            "f:19:1: analysis: expected a list of tables, found a table (each question has a table of its own: `[[analysis]]`)",
        ],
    );
    check_file(
        &RIGHT
            .replace("kind = \"study\"\n", "kind = \"study\"\nanalysis = 3\n")
            .replace(&RIGHT[RIGHT.find("\n[[").expect("there")..], "\n"),
        &["f:4:12: analysis: expected a list, found an integer"],
    );
    let grid = "format = 1\nname = \"g\"\nkind = \"match-grid\"\ngame = \"reversi\"\n[players]\na = \"random\"\nb = \"mcts\"\n\
        [match-grid]\npairing = \"round-robin\"\ngames-per-pair = 2\n[[analysis]]\nname = \"x\"\n";
    check_file(
        grid,
        &["f:11:3: analysis: `analysis` has no effect where the kind is `match-grid` (leave `analysis` out)"],
    );
}

#[test]
fn all_faults_at_once_in_order_of_the_file() {
    let text = RIGHT
        .replace("function=f1", "function=f0")
        .replace("few = ", "Few = ")
        .replace("runs = 10", "runs = 0")
        .replace("bins = 16", "bins = 9999")
        .replace("\"by-reward\"", "\"reward\"")
        .replace("\"normality\"", "\"normal\"");
    let faults = Experiment::parse(&text, "f", &Overrides::default()).expect_err("it is wrong");
    let found: Vec<_> = faults.all().iter().map(|fault| (fault.kind.code(), fault.key.as_str())).collect();
    assert_eq!(
        found,
        [
            ("spec", "problems.f1"),
            ("bad-name", "players.Few"),
            ("out-of-range", "study.runs"),
            ("out-of-range", "study.histogram-bins"),
            ("unknown-choice", "analysis[0].metric"),
            ("unknown-choice", "analysis[1].test"),
            ("unknown-player", "analysis[1].players[0]"),
        ]
    );
}

#[test]
fn the_command_line_reaches_specs_of_problems() {
    let set = [("problems.f1.function", "f5"), ("problems.f2.width-min", "0.01"), ("study.runs", "3")];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
    let overrides = Overrides { set, ..Overrides::default() };
    let experiment = Experiment::parse(RIGHT, "f", &overrides).unwrap_or_else(|faults| panic!("{faults}"));
    let resolved = experiment.to_resolved_toml();
    assert!(resolved.contains("f1 = \"fop:function=f5,") && resolved.contains("f2 = \"fop:function=f2,width-min=0.01"));
    assert_eq!(experiment.trial_count(), 12);
    let overrides = Overrides { set: vec![("analysis.alpha".to_owned(), "0.1".to_owned())], ..Overrides::default() };
    let reported = Experiment::parse(RIGHT, "f", &overrides).expect_err("lists have no paths").to_string();
    assert!(reported.starts_with("--set analysis.alpha=0.1: `analysis.alpha` does not lead to a value"), "{reported}");
}
