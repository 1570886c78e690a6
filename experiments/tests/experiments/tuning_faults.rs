//! What is wrong with a tuning's file is reported where it stands, all at once.

use experiments::{Experiment, Overrides};

use crate::small::small;

/// Replaces a part of a file that is right; gives the reported faults, a line each.
fn reported(from: &str, to: &str) -> String {
    let right = small("genetic", "");
    assert_eq!(right.matches(from).count(), 1, "`{from}` stands once in the file");
    let text = right.replace(from, to);
    Experiment::parse(&text, "f", &Overrides::default()).expect_err("a fault").to_string()
}

#[track_caller]
fn fault(from: &str, to: &str, expected: &str) {
    assert_eq!(reported(from, to), expected);
}

#[test]
fn faults_of_parameters_are_told_where_they_are() {
    const PLAYOUTS: &str = "playouts = { type = \"integer\", min = 2, max = 12, scale = \"log\" }";
    const C: &str = "c = { type = \"real\", min = 0.0, max = 2.0 }";
    const MOVE: &str = "[\"highest-mean\", \"most-visited\", \"visits-alone\"]";
    fault(
        "c = { type",
        "cc = { type",
        "f:18:1: tuning.parameters.cc: `mcts` has no parameter `cc` (did you mean `c`?)",
    );
    fault(
        PLAYOUTS,
        "playouts = { type = \"real\", min = 2, max = 12 }",
        "f:17:21: tuning.parameters.playouts.type: `playouts` takes a whole number from 1 to 1000000000: its type is \
         `integer` or `category`",
    );
    fault(
        PLAYOUTS,
        "playouts = { type = \"integer\", min = 0, max = 12 }",
        "f:17:38: tuning.parameters.playouts.min: 0 is out of range: 1 to 1000000000",
    );
    fault(
        PLAYOUTS,
        "playouts = { type = \"integer\", min = 12, max = 12 }",
        "f:17:48: tuning.parameters.playouts.max: 12 is out of range: above 12 to 1000000000",
    );
    fault(
        C,
        "c = { type = \"real\", max = 2.0, scale = \"log\" }",
        "f:18:1: tuning.parameters.c.min: missing key `min` (a number)",
    );
    fault(
        C,
        "c = { type = \"real\", min = 0.0, max = 2.0, scale = \"log\" }",
        "f:18:52: tuning.parameters.c.scale: a logarithmic scale begins above 0: raise `min`",
    );
    fault(
        C,
        "c = { type = \"reel\", min = 0.0, max = 2.0 }",
        "f:18:14: tuning.parameters.c.type: unknown type `reel` (did you mean `real`?)",
    );
    fault(
        C,
        "c = { type = \"real\", min = 0.0, max = 2.0, values = [1] }",
        "f:18:44: tuning.parameters.c.values: `values` has no effect where the type is `real` (leave `values` out)",
    );
    fault(MOVE, "[\"highest-mean\"]", "f:19:44: tuning.parameters.final-move.values: values: at least 2, found 1");
    fault(
        MOVE,
        "[\"highest-mean\", \"highest\", \"highest-mean\"]",
        "f:19:61: tuning.parameters.final-move.values[1]: `final-move` cannot be `highest`: it takes one of highest-mean, \
         most-visited, visits-alone\n\
         f:19:72: tuning.parameters.final-move.values[2]: `highest-mean` is already named on line 19",
    );
    // Two budgets for one decision: what each may be, no player is with both.
    fault(
        C,
        "time-ms = { type = \"integer\", min = 1, max = 2 }",
        "f:16:9: tuning.parameters: no candidate may have playouts 2, time-ms 1, final-move highest-mean: `playouts` and \
         `time-ms` are two budgets for one decision; give one",
    );
    let none = reported(&format!("{PLAYOUTS}\n{C}\nfinal-move = {{ type = \"category\", values = {MOVE} }}\n"), "");
    assert!(none.contains("tuning.parameters: parameters: at least 1, found 0"), "{none}");
}

#[test]
fn other_faults_are_told_all_at_once() {
    fault(
        "random = \"random\"",
        "winner = \"random\"",
        "f:7:1: players.winner: `winner` is what a tuning calls one of its own players: call the opponent otherwise",
    );
    fault(
        "random = \"random\"",
        "candidate-12 = \"random\"",
        "f:7:1: players.candidate-12: `candidate-12` is what a tuning calls one of its own players: call the opponent otherwise",
    );
    fault(
        "games = 4",
        "games = 5",
        "f:15:9: tuning.games: 5 games do not make whole units: the two games of a unit swap seats (write 4 or 6)",
    );
    fault(
        "games = 4",
        "games = 4\nmax-games = 55",
        "f:16:13: tuning.max-games: 55 is out of range: 56 to 9223372036854775807 (the first generation alone has 56 games)",
    );
    fault(
        "games = 4",
        "games = 4\ndifference-weight = 0.5",
        "f:16:1: tuning.difference-weight: `difference-weight` has no effect where the algorithm is `genetic` (leave `difference-weight` out)",
    );
    fault("population = 7", "population = 7\nkept = 7", "f:14:8: tuning.kept: 7 is out of range: 2 to 6");
    fault(
        "population = 7",
        "population = 3\nkept = 1\ncrossover = \"both\"\nmutation-rat = 0.1",
        "f:14:8: tuning.kept: 1 is out of range: 2 to 2\n\
         f:15:13: tuning.crossover: unknown crossover `both` (one of `single-point`, `uniform`, `none`)\n\
         f:16:1: tuning.mutation-rat: unknown key `mutation-rat` (did you mean `mutation-rate`?)",
    );
    fault(
        "dodgem:size=3",
        "fop",
        "f:5:8: game: `fop` is a game for one player, and this needs one for two, such as `reversi`",
    );
}
