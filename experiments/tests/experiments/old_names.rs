//! Files and run directories of version 0.1.0: old names mean what they meant, and artifacts keep them.

use experiments::{Experiment, Overrides};

const OLD: &str = r#"
format = 1
name = "old"
kind = "tuning"
game = "checkers:rules=report"

[players]
alphabeta = { kind = "alphabeta", depth = 2 }
staged = "staged:stages=(0 alphabeta:depth=1) (9 report-mcts:playouts=20)"

[tuning]
player = { kind = "report-mcts", playouts = 20 }
algorithm = "genetic"
mutation = "report"
population = 4
generations = 2
games = 2
kept = 2

[tuning.parameters.p]
type = "real"
min = 0.0
max = 4.0
"#;

fn new() -> String {
    let places = [
        ("rules=report", "rules=project"),
        ("{ kind = \"alphabeta\"", "{ name = \"alpha-beta\""),
        ("(0 alphabeta:", "(0 alpha-beta:"),
        ("(9 report-mcts:", "(9 checkers-mcts:"),
        ("{ kind = \"report-mcts\"", "{ name = \"checkers-mcts\""),
        ("mutation = \"report\"", "mutation = \"single-gene\""),
    ];
    places.iter().fold(OLD.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    })
}

fn parse(text: &str, set: &[(&str, &str)]) -> Experiment {
    let set = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    Experiment::parse(text, "f", &Overrides { set, ..Overrides::default() }).expect("an experiment")
}

#[test]
fn old_names_mean_what_they_meant() {
    let (old, new) = (parse(OLD, &[]), parse(&new(), &[]));
    assert_eq!(old, new);
    assert_eq!((old.id(), old.to_resolved_toml()), (new.id(), new.to_resolved_toml()));
    assert_eq!(Experiment::from_resolved(&old.to_resolved_toml()).expect("an experiment"), new);
    assert!(old.results_differences(&new).is_empty());
    assert_eq!(new.warnings(), Vec::<String>::new());
    assert_eq!(
        old.warnings(),
        [
            "`report` is called `project` now (`game`)",
            "`kind` is called `name` now (`players.alphabeta` and 1 more)",
            "`alphabeta` is called `alpha-beta` now (`players.alphabeta` and 1 more)",
            "`report-mcts` is called `checkers-mcts` now (`players.staged` and 1 more)",
            "`report` is called `single-gene` now (`tuning.mutation`)",
        ]
    );
}

#[test]
fn old_names_on_the_command_line() {
    let set = &[("players.alphabeta.kind", "report-mcts"), ("game.rules", "report")];
    let wanted = [("players.alphabeta.name", "checkers-mcts"), ("game.rules", "project")];
    let without_depth = new().replace(", depth = 2", "");
    assert_eq!(parse(&without_depth, set), parse(&without_depth, &wanted));
    assert_eq!(
        parse(&without_depth, set).warnings(),
        [
            "`report` is called `project` now (`game`)",
            "`report-mcts` is called `checkers-mcts` now (`players.alphabeta`)",
        ]
    );
}

/// A run's digest hashes its artifacts, so their bytes may not follow new names.
#[test]
fn artifacts_keep_the_names_of_their_format() {
    let opening = experiments::plan(&parse(&new(), &[])).first_stage();
    let [artifact] = &opening.artifacts[..] else { panic!("a generation has one artifact") };
    let state: serde_json::Value = serde_json::from_slice(&artifact.data).expect("JSON");
    assert!(state["game"].as_str().is_some_and(|game| game.starts_with("checkers:rules=report,")), "{state}");
    assert!(state["player"].as_str().is_some_and(|player| player.starts_with("report-mcts:playouts=20,")), "{state}");
}

#[test]
fn probabilities_are_rates() {
    let evolution = |keys: &str| {
        format!(
            "format = 1\nname = \"old\"\nkind = \"coevolution\"\ngame = \"dodgem:size=3\"\n[coevolution]\n\
             player = \"evomcts:playouts=2\"\npopulation = 4\ngenerations = 2\ngames-as-first = 2\n{keys}"
        )
    };
    let old = parse(&evolution("crossover = 0.7\nmutation = 0.1\nlocal-mutation = 0.4\n"), &[]);
    let new = parse(&evolution("crossover-rate = 0.7\nmutation-rate = 0.1\nlocal-mutation-rate = 0.4\n"), &[]);
    assert_eq!((old.id(), old.to_resolved_toml()), (new.id(), new.to_resolved_toml()));
    assert_eq!(old.warnings()[0], "`crossover` is called `crossover-rate` now (`coevolution`)");
    assert_eq!(
        parse(&evolution(""), &[("coevolution.mutation", "0.3")]),
        parse(&evolution("mutation-rate = 0.3\n"), &[])
    );
    let both = Experiment::parse(&evolution("mutation = 0.1\nmutation-rate = 0.2\n"), "f", &Overrides::default());
    assert!(both.expect_err("one of them is unknown").to_string().contains("mutation"));
}
