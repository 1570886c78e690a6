//! A tuning of a second in a test build.

const SMALL: &str = r#"
format = 1
name = "tiny"
kind = "tuning"
game = "dodgem:size=3"
[players]
random = "random"
mcts-4 = "mcts:playouts=4"
[tuning]
player = "mcts:playouts=6,c=0.9"
ALGORITHM
population = 7
generations = 6
games = 4
[tuning.parameters]
playouts = { type = "integer", min = 2, max = 12, scale = "log" }
c = { type = "real", min = 0.0, max = 2.0 }
final-move = { type = "category", values = ["highest-mean", "most-visited", "visits-alone"] }
[tuning.final]
games = 8
"#;

/// Its file with an algorithm and lines of its own.
pub(crate) fn small(algorithm: &str, lines: &str) -> String {
    SMALL.replace("ALGORITHM", &format!("algorithm = \"{algorithm}\"\n{lines}"))
}
