//! What is wrong with a learning is said where it stands.

use experiments::{Experiment, Overrides};

const LEARNING: &str = r#"format = 1
name = "learning"
kind = "learning"
game = "dots-and-boxes:rows=2,columns=2"
[players]
random = "random"
[learning]
player = "puct:playouts=8"
[learning.nets]
a = "encoding=mover hidden=8:relu value=sigmoid policy"
[learning.self-play]
solve-from = 4
[learning.test]
from = 6
"#;

fn faults(text: &str) -> String {
    let read = Experiment::parse(text, "learning.toml", &Overrides::default());
    read.map(|_| String::new()).unwrap_or_else(|faults| faults.to_string())
}

#[test]
fn the_right_file_is_right() {
    assert_eq!(faults(LEARNING), "");
    let experiment = Experiment::parse(LEARNING, "learning.toml", &Overrides::default()).expect("right");
    let again = Experiment::from_resolved(&experiment.to_resolved_toml()).expect("right");
    assert_eq!(again, experiment);
    // No network that stands for any is among the files that the experiment needs.
    assert_eq!(experiment.artifacts(), [""; 0]);
}

#[test]
fn each_fault_is_told() {
    let mut missed = Vec::new();
    // What is replaced, by what, where the fault is, and what it says.
    for (old, new, place, says) in [
        (
            "puct:playouts=8",
            "mcts:playouts=8",
            "8:10: learning.player",
            "a player that learns has a network, as `puct` does",
        ),
        (
            "puct:playouts=8",
            "puct:net=0000000000000000000000000000000000000000000000000000000000000001",
            "8:10: learning.player",
            "the network is what is learned: leave `net` out",
        ),
        ("player = \"puct:playouts=8\"\n", "", "7:2: learning.player", "missing key `player`"),
        ("game = \"dots-and-boxes:rows=2,columns=2\"", "game = \"fop\"", "4:8: game", "is a game for one player"),
        (
            "game = \"dots-and-boxes:rows=2,columns=2\"",
            "game = \"checkers\"",
            "8:10: learning.player",
            "no network reads",
        ),
        ("random = \"random\"", "new = \"random\"", "players.new", "`new` is the name of a player that learns"),
        ("a = \"encoding=mover hidden=8:relu value=sigmoid policy\"\n", "", "learning.nets", "at least 1, found 0"),
        ("hidden=8:relu", "hidden=8", "10:5: learning.nets.a", "is not an architecture"),
        (
            "encoding=mover",
            "encoding=mother",
            "10:5: learning.nets.a",
            "`mother` is not an encoding of dots-and-boxes: paper, paper-to-move",
        ),
        (
            "policy\"",
            "policy=7\"",
            "10:5: learning.nets.a",
            "the net's policy has 7 numbers, and that of dots-and-boxes has 12",
        ),
        ("hidden=8:relu", "hidden=1000:relu,1000:relu", "10:5: learning.nets.a", "1000000 at most"),
        ("solve-from = 4", "first = \"puct:playouts=3\"", "first", "there is no network before the first round"),
        ("solve-from = 4", "labels = \"exact\"", "labels", "it says how far from the end positions are labelled"),
        ("solve-from = 4", "labels = \"searched\"", "12:10: learning.self-play.labels", "where `best-first` plays"),
        ("solve-from = 4", "labels = \"guess\"", "12:10: learning.self-play.labels", "guess"),
        ("solve-from = 4", "window = 0", "12:10: learning.self-play.window", "0"),
        ("from = 6", "games = 4", "13:11: learning.test.from", "missing key `from`"),
        (
            "from = 6",
            "from = 6\nplayer = \"puct:playouts=3\"",
            "15:10: learning.test.player",
            "before there is a network",
        ),
        ("from = 6", "from = 6\n[learning.gate]\ngames = 7", "16:9: learning.gate.games", "7"),
        ("from = 6", "from = 6\n[learning.training]\nepoch = 7", "16:1: learning.training.epoch", "epochs"),
        ("from = 6", "from = 6\n[tuning]", "tuning", "the kind is `learning`"),
    ] {
        assert!(LEARNING.contains(old), "{old}");
        let said = faults(&LEARNING.replace(old, new));
        let found = said.lines().any(|line| line.contains(place) && line.contains(says));
        if !found {
            missed.push(format!("{new}: wanted `{says}` at `{place}`, found:\n{said}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    // Other games have no exact values.
    let reversi = LEARNING.replace("dots-and-boxes:rows=2,columns=2", "reversi");
    let said = faults(&reversi);
    assert!(
        said.contains("12:14: learning.self-play.solve-from: ") && said.contains("reversi has no exact values"),
        "{said}"
    );
    assert!(said.contains("14:8: learning.test.from: "), "{said}");
    let plain = reversi.replace("[learning.self-play]\nsolve-from = 4\n[learning.test]\nfrom = 6\n", "");
    assert_eq!(faults(&plain), "");
}
