//! Experiments of several tests.

/// A grid that takes a second or two of one core in a test build.
pub(crate) const GRID: &str = r#"
format = 1
name = "test-grid"
kind = "match-grid"
game = "reversi"
seed = 11
[players]
a = "mcts:playouts=40"
b = "mcts:playouts=20"
c = "random"
[match-grid]
pairing = "round-robin"
games-per-pair = 200
opening-plies = 2
"#;

/// Trials of [`GRID`].
pub(crate) const GRID_TRIALS: u64 = 600;

/// Some seconds of one core in a test build: 14 generations with benchmarks between.
pub(crate) const EVOLUTION: &str = r#"
format = 1
name = "test-evolution"
kind = "coevolution"
game = "reversi"
seed = 5
[players]
mcts-10 = "mcts:playouts=10"
[coevolution]
player = "evomcts:playouts=12"
population = 14
generations = 14
games-as-first = 4
[coevolution.benchmark]
every = 4
games = 10
samples = 2
final-games = 20
finalists = 2
"#;

/// A moment of one core: three generations with benchmarks.
pub(crate) const SMALL_EVOLUTION: &str = r#"
format = 1
name = "small"
kind = "coevolution"
game = "dodgem:size=3"
[players]
random = "random"
[coevolution]
player = "evomcts:playouts=6"
population = 10
generations = 3
games-as-first = 3
[coevolution.benchmark]
every = 3
games = 4
samples = 2
final-games = 6
finalists = 3
"#;
