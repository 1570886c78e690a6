//! Faults that are reported of wrong files: rows of a file and the faults in it.

use experiments::{Experiment, Faults, Overrides};

/// Lines 1 to 14 of a file that is right; rows below replace parts of it.
const RIGHT: &str = r#"format = 1
name = "right"
kind = "match-grid"
game = "reversi"
seed = 7

[players]
strong = "mcts:playouts=20"
weak = "mcts:playouts=5"
chance = "random"

[match-grid]
pairing = "listed"
pairs = [["strong", "weak"], ["strong", "chance"]]
games-per-pair = 10
opening-plies = 2
"#;

fn faults_of(text: &str, overrides: &Overrides) -> Faults {
    match Experiment::parse(text, "f", overrides) {
        Ok(_) => panic!("nothing is wrong with\n{text}"),
        Err(faults) => faults,
    }
}

/// Replaces `from` in the right file by `to` and compares the reported faults, a line each.
#[track_caller]
fn check(from: &str, to: &str, expected: &[&str]) {
    assert_eq!(RIGHT.matches(from).count(), 1, "`{from}` stands once in the file");
    let reported = faults_of(&RIGHT.replace(from, to), &Overrides::default()).to_string();
    assert_eq!(reported.lines().collect::<Vec<_>>(), expected);
}

/// The same under `--set path=value`.
#[track_caller]
fn check_set(path: &str, value: &str, expected: &[&str]) {
    let overrides = Overrides { set: vec![(path.to_owned(), value.to_owned())], ..Overrides::default() };
    let reported = faults_of(RIGHT, &overrides).to_string();
    assert_eq!(reported.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_right_file_is_right() {
    let experiment = Experiment::parse(RIGHT, "f", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(experiment.trial_count(), 20);
}

#[test]
fn what_is_not_toml() {
    // Nothing else is reported of a part of a file, but every place that is not TOML.
    check(
        "seed = 7",
        "seed = \nsead 7",
        &[
            "f:5:8: this is not TOML: string values must be quoted, expected literal string",
            "f:6:6: this is not TOML: key with no value, expected `=`",
        ],
    );
}

#[test]
fn keys() {
    check("seed = 7", "sead = 7", &["f:5:1: sead: unknown key `sead` (did you mean `seed`?)"]);
    check(
        "opening-plies",
        "opening-ply",
        &["f:16:1: match-grid.opening-ply: unknown key `opening-ply` (did you mean `opening-plies`?)"],
    );
    check("name = \"right\"\n", "", &["f:1:1: name: missing key `name` (lower-case words joined by hyphens)"]);
    check("format = 1\n", "", &["f:1:1: format: missing key `format` (write `format = 1`)"]);
    check(
        "games-per-pair = 10\n",
        "",
        &["f:12:2: match-grid.games-per-pair: missing key `games-per-pair` (an even number of games)"],
    );
    check(
        "opening-plies = 2",
        "champions = [\"strong\"]",
        &[
            "f:16:1: match-grid.champions: `champions` has no effect where the pairing is `listed` (leave `champions` out)",
        ],
    );
}

#[test]
fn formats() {
    check(
        "format = 1",
        "format = 2",
        &["f:1:10: format: format 2 is not known to this version, which reads format 1 (a newer redqueen reads it)"],
    );
}

#[test]
fn types_and_ranges() {
    check("seed = 7", "seed = \"7\"", &["f:5:8: seed: expected an integer, found a text"]);
    check("seed = 7", "seed = -1", &["f:5:8: seed: -1 is out of range: 0 to 9223372036854775807"]);
    check(
        "seed = 7",
        "seed = 9223372036854775808",
        &["f:5:8: seed: 9223372036854775808 is out of range: 0 to 9223372036854775807"],
    );
    check("seed = 7", "scale = 0", &["f:5:9: scale: a scale is a positive number, not 0 (1 is the size of the file)"]);
    check(
        "seed = 7",
        "scale = nan",
        &["f:5:9: scale: a scale is a positive number, not NaN (1 is the size of the file)"],
    );
    check("seed = 7", "scale = \"half\"", &["f:5:9: scale: expected a number, found a text"]);
    check("seed = 7", "trial-timeout-secs = 0", &["f:5:22: trial-timeout-secs: 0 is out of range: above 0 to 604800"]);
    check(
        "seed = 7",
        "trial-timeout-secs = 604801",
        &["f:5:22: trial-timeout-secs: 604801 is out of range: 0 to 604800"],
    );
    check(
        "games-per-pair = 10",
        "games-per-pair = 10.0",
        &[
            "f:15:18: match-grid.games-per-pair: expected an integer, found a real number (write it without a fraction: `10`)",
        ],
    );
    for games in ["0", "-10"] {
        check(
            "games-per-pair = 10",
            &format!("games-per-pair = {games}"),
            &[&format!("f:15:18: match-grid.games-per-pair: {games} is out of range: 2 to 1000000000000")],
        );
    }
    check(
        "games-per-pair = 10",
        "games-per-pair = 11",
        &[
            "f:15:18: match-grid.games-per-pair: 11 games do not make whole units: the two games of a unit swap seats (write 10 or 12)",
        ],
    );
    check(
        "games-per-pair = 10",
        "games-per-pair = 10\nturn-times = \"yes\"",
        &["f:16:14: match-grid.turn-times: expected `true` or `false`, found a text"],
    );
    check(
        "seed = 7",
        "scale = 1e300",
        &[
            "f:12:2: match-grid: 2 pairs of 18446744073709551615 games are more trials than can be numbered (9223372036854775807)",
        ],
    );
    check(
        "name = \"right\"",
        "name = \"Right One\"",
        &[
            "f:2:8: name: `Right One` is not a name: lower-case letters, digits and single hyphens, at most 64 of them (write `right-one`)",
        ],
    );
    check(
        "seed = 7",
        "paper = \"evomcts\"",
        &[
            "f:5:9: paper: `evomcts` is not a paper's key: words of lower-case letters, digits and hyphens, joined by `/` (a paper and its table: `evomcts/table-5`)",
        ],
    );
}

#[test]
fn openings_longer_than_the_game() {
    let text = RIGHT.replace("opening-plies = 2", "opening-plies = 1000");
    let reported = faults_of(&text, &Overrides::default()).to_string();
    assert!(
        reported.starts_with("f:16:17: match-grid.opening-plies: 1000 random opening plies are too many: no game of reversi is longer than"),
        "{reported}"
    );
}

#[test]
fn games_and_players() {
    check(
        "game = \"reversi\"",
        "game = \"revesri\"",
        &["f:4:8: game: unknown game `revesri` (did you mean `reversi`?)"],
    );
    check(
        "game = \"reversi\"",
        "game = \"fop\"",
        &["f:4:8: game: `fop` is a game for one player, and this needs one for two, such as `reversi`"],
    );
    check(
        "game = \"reversi\"",
        "game = { name = \"fop\", expression = \"min(x, sim(x))\" }",
        &[
            "f:4:24: game.expression: `min(x, sim(x))` is not a formula in x: at character 8 there is `sim`, which is not a \
           name here; did you mean `sin`?",
        ],
    );
    check(
        "game = \"reversi\"",
        "game = \"fop:expression=min(x,0.5,width-min=1e-6\"",
        &[
            "f:4:8: game: `min(x,0.5` is not a formula in x: at character 10 there is the end, where an operator or the \
           function's `)` is expected",
        ],
    );
    check(
        "chance = \"random\"",
        "chance = \"randon\"",
        &["f:10:10: players.chance: unknown player `randon` (did you mean `random`?)"],
    );
    check(
        "strong = \"mcts:playouts=20\"",
        "strong = \"mcts:playout=20\"",
        &["f:8:10: players.strong: `mcts` has no parameter `playout` (did you mean `playouts`?)"],
    );
    check(
        "strong = \"mcts:playouts=20\"",
        "strong = { name = \"mcts\", playout = 20, c = -1 }",
        &[
            "f:8:27: players.strong.playout: `mcts` has no parameter `playout` (did you mean `playouts`?)",
            "f:8:41: players.strong.c: `c` cannot be `-1`: it takes a number from 0 to 1000000",
        ],
    );
    check(
        "strong = \"mcts:playouts=20\"",
        "strong = { name = \"mcts\", playouts = \"20\" }",
        &["f:8:38: players.strong.playouts: expected an integer, found a text (write it without quotes)"],
    );
    check(
        "strong = \"mcts:playouts=20\"",
        "strong = { playouts = 20 }",
        &["f:8:10: players.strong.name: missing key `name` (write `name = \"…\"`)"],
    );
}

#[test]
fn pairs() {
    let check = |pairs: &str, expected: &[&str]| {
        check("pairs = [[\"strong\", \"weak\"], [\"strong\", \"chance\"]]", &format!("pairs = {pairs}"), expected);
    };
    check(
        r#"[["strong", "weka"]]"#,
        &["f:14:21: match-grid.pairs[0][1]: unknown player `weka` (did you mean `weak`?)"],
    );
    check(r#"[["weak", "weak"]]"#, &["f:14:10: match-grid.pairs[0]: `weak` would play against itself"]);
    check(
        "[\n  [\"weak\", \"strong\"],\n  [\"strong\", \"weak\"]]",
        &[
            "f:16:3: match-grid.pairs[1]: `strong` and `weak` are already a pair on line 15 (raise `games-per-pair` instead)",
        ],
    );
    check(
        r#"[["weak"]]"#,
        &["f:14:10: match-grid.pairs[0]: a pair names two players, found 1 (two players: `[\"a\", \"b\"]`)"],
    );
    check("[]", &["f:14:9: match-grid.pairs: pairs: at least 1, found 0 (`pairs = [[\"a\", \"b\"]]`)"]);
}

#[test]
fn kinds_and_pairings_cause_no_faults_below_them() {
    check("\"match-grid\"", "\"match-gird\"", &["f:3:8: kind: unknown kind `match-gird` (did you mean `match-grid`?)"]);
    check(
        "\"listed\"",
        "\"swiss\"",
        &["f:13:11: match-grid.pairing: unknown pairing `swiss` (one of `listed`, `round-robin`, `gauntlet`)"],
    );
}

#[test]
fn gauntlets() {
    let check = |tail: &str, expected: &[&str]| {
        let pairs = "pairing = \"listed\"\npairs = [[\"strong\", \"weak\"], [\"strong\", \"chance\"]]";
        check(pairs, &format!("pairing = \"gauntlet\"\n{tail}"), expected);
    };
    check(
        "",
        &["f:12:2: match-grid.champions: missing key `champions` (`champions = [\"a\"]`: whose score is asked for)"],
    );
    check(
        r#"champions = ["strong", "strong"]"#,
        &["f:14:24: match-grid.champions[1]: `strong` is already named on line 14"],
    );
    check(
        r#"champions = ["strong", "weak", "chance"]"#,
        &["f:14:13: match-grid.against: players against them: at least 1, found 0"],
    );
}

#[test]
fn all_faults_at_once_in_order_of_the_file() {
    let text = RIGHT
        .replace("format = 1", "format = \"1\"")
        .replace("seed = 7", "sed = 7")
        .replace("chance = \"random\"", "Chance = \"random:x=1\"")
        .replace("games-per-pair = 10", "games-per-pair = 7");
    let faults = faults_of(&text, &Overrides::default());
    let found: Vec<_> = faults.all().iter().map(|fault| (fault.kind.code(), fault.key.as_str())).collect();
    assert_eq!(
        found,
        [
            ("wrong-type", "format"),
            ("unknown-key", "sed"),
            ("bad-name", "players.Chance"),
            ("spec", "players.Chance"),
            ("unknown-player", "match-grid.pairs[1][1]"),
            ("odd-games", "match-grid.games-per-pair"),
        ]
    );
}

#[test]
fn the_command_line_is_named_as_the_place() {
    check_set(
        "players.strong.c",
        "-2",
        &["--set players.strong.c=-2: players.strong.c: `c` cannot be `-2`: it takes a number from 0 to 1000000"],
    );
    check_set(
        "players.strnog.c",
        "1",
        &["--set players.strnog.c=1: players.strnog.name: missing key `name` (write `name = \"…\"`)"],
    );
    check_set(
        "match-grid.game-per-pair",
        "4",
        &[
            "--set match-grid.game-per-pair=4: match-grid.game-per-pair: unknown key `game-per-pair` (did you mean `games-per-pair`?)",
        ],
    );
    check_set(
        "seed.x",
        "4",
        &[
            "--set seed.x=4: `seed.x` does not lead to a value: `seed` is an integer and has nothing below it (keys joined by dots: `players.mcts-100.c`)",
        ],
    );
    let reported = |overrides| faults_of(RIGHT, &overrides).to_string();
    assert_eq!(
        reported(Overrides { seed: Some(u64::MAX), ..Overrides::default() }),
        "--seed 18446744073709551615: seed: 18446744073709551615 is out of range: 0 to 9223372036854775807"
    );
    for (scale, text) in [(-0.5, "-0.5"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        assert_eq!(
            reported(Overrides { scale: Some(scale), ..Overrides::default() }),
            format!("--scale {text}: scale: a scale is a positive number, not {text} (1 is the size of the file)")
        );
    }
}

#[test]
fn overrides_reach_specs_in_one_line() {
    let set = [("players.strong.c", "0.5"), ("game", "reversi"), ("name", "other"), ("match-grid.games-per-pair", "4")];
    let set = set.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec();
    let overrides = Overrides { seed: Some(3), set, scale: Some(0.5) };
    let experiment = Experiment::parse(RIGHT, "f", &overrides).unwrap_or_else(|faults| panic!("{faults}"));
    let resolved = experiment.to_resolved_toml();
    assert!(resolved.contains("strong = \"mcts:playouts=20,c=0.5,"), "{resolved}");
    assert_eq!((experiment.name(), experiment.seed(), experiment.trial_count()), ("other", 3, 4));
}

#[test]
fn renderings_have_the_line_the_hint_and_the_same_facts_as_json() {
    let faults = faults_of(&RIGHT.replace("seed = 7", "sead = 7"), &Overrides::default());
    let plain = faults.render(false, 80);
    let plain_again = "  x sead: unknown key `sead`
   ,-[f:5:1]
 4 | game = \"reversi\"
 5 | sead = 7
   : ^^^^
 6 | 
   `----
  help: did you mean `seed`?

1 fault in f
";
    assert_eq!(plain, plain_again);
    assert!(faults.render(true, 80).contains("\u{1b}["), "a terminal gets colours");
    assert_eq!(
        faults.to_json(),
        serde_json::json!({ "file": "f", "faults": [{
            "code": "unknown-key", "message": "unknown key `sead`", "key": "sead", "line": 5, "column": 1,
            "argument": null, "hint": "did you mean `seed`?",
        }] })
    );
}

#[test]
fn synthetic_faults() {
    let text = "format = 1\nname = \"s\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 9\nhangs = [1, 2, 2]\n\
                aborts = [2, -1]\nfails = 3\nlong = { every = 0 }\n";
    let reported = faults_of(text, &Overrides::default()).to_string();
    let expected = [
        "f:7:11: synthetic.aborts: `aborts` has no effect where trial 2 is one of `hangs`",
        "f:7:14: synthetic.aborts: -1 is out of range: 0 to 9223372036854775807",
        "f:8:9: synthetic.fails: expected a list, found an integer",
        "f:9:1: synthetic.long.cost-us: missing key `cost-us` (microseconds)",
        "f:9:18: synthetic.long.every: 0 is out of range: 1 to 9223372036854775807",
    ];
    assert_eq!(reported.lines().collect::<Vec<_>>(), expected);
}
