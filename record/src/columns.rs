//! Columns of the rows of games, by name (docs/run-directory.md, shapes `match` and `generation`).

use crate::{Column, ColumnType, Shape};

/// Shape of stages whose rows are games between the players of pairs: match grids, benchmarks, tunings.
pub const MATCH: &str = "match";
/// Shape of the generations of a coevolution.
pub const GENERATION: &str = "generation";

/// Index of the pair in the grid.
pub const PAIR: &str = "pair";
/// Index of the unit within its pair.
pub const UNIT: &str = "unit";
/// Index of the round within a generation.
pub const ROUND: &str = "round";
/// Who sat first: a label of `players`, or a place in the population.
pub const FIRST: &str = "first";
/// Who sat second.
pub const SECOND: &str = "second";
/// Points of the first seat: 1 for a win, 0.5 for a draw, 0 for a loss.
pub const FIRST_POINTS: &str = "first_points";
/// The game's own score of the first seat minus that of the second.
pub const SCORE_DIFFERENCE: &str = "score_difference";
/// Moves played.
pub const PLIES: &str = "plies";
/// 64-bit hash of the moves.
pub const MOVES_HASH: &str = "moves_hash";
/// Decisions that each seat searched for.
pub const DECISIONS: [&str; 2] = ["first_decisions", "second_decisions"];
/// Iterations that each seat spent.
pub const ITERATIONS: [&str; 2] = ["first_iterations", "second_iterations"];
/// Microseconds that each seat spent deciding; impure.
pub const DECIDING_US: [&str; 2] = ["first_us", "second_us"];
/// `ply:µs` of every decision of each seat; impure, and only where an experiment asks for it.
pub const TURNS: [&str; 2] = ["first_turns", "second_turns"];

/// Shape of games that give positions to train on.
pub const SELF_PLAY: &str = "self_play";
/// Shape of trainings.
pub const TRAINING: &str = "training";
/// Positions that a game gave, or that a net was trained on.
pub const POSITIONS: &str = "positions";
/// 1 if the end of a game was solved and not played, otherwise 0.
pub const SOLVED: &str = "solved";
/// The game with what is trained on, in base64.
pub const SAMPLES: &str = "samples";
/// The net: a label of `nets`.
pub const NET: &str = "net";
/// What each epoch showed, as a list in JSON ([`crate::folds::TrainingEpoch`]).
pub const EPOCHS: &str = "epochs";
/// What the net said of test positions, as a list in JSON ([`crate::folds::Tested`]).
pub const TESTED: &str = "tested";
/// The trained net, a safetensors file in base64.
pub const WEIGHTS: &str = "weights";

/// Key of [`crate::Stage::labels`] that lists the nets of a learning.
pub const NETS: &str = "nets";
/// Key of [`crate::Stage::labels`] that lists the players.
pub const PLAYERS: &str = "players";
/// Key of [`crate::Stage::labels`] that lists a study's problems.
pub const PROBLEMS: &str = "problems";

/// Shape of the rows of a grid's games, with the time of every decision if `turns`.
pub fn match_shape(turns: bool) -> Shape {
    let seats = [FIRST, SECOND].map(|name| label(name, PLAYERS));
    let mut columns = vec![pure(PAIR, ColumnType::Int), pure(UNIT, ColumnType::Int)];
    columns.extend(seats);
    columns.extend(game());
    columns.extend(TURNS.iter().filter(|_| turns).map(|name| impure(name, ColumnType::Text)));
    Shape { name: MATCH.to_owned(), columns }
}

/// Shape of the rows of a generation's games.
pub fn generation_shape() -> Shape {
    let mut columns: Vec<Column> = [ROUND, FIRST, SECOND].map(|name| pure(name, ColumnType::Int)).into();
    columns.extend(game());
    Shape { name: GENERATION.to_owned(), columns }
}

/// Shape of the rows of games that give positions to train on.
pub fn self_play_shape() -> Shape {
    let mut columns = vec![pure(FIRST_POINTS, ColumnType::Real)];
    columns.extend([PLIES, MOVES_HASH, "iterations", POSITIONS, SOLVED].map(|name| pure(name, ColumnType::Int)));
    columns.push(pure(SAMPLES, ColumnType::Text));
    columns.push(impure("deciding_us", ColumnType::Int));
    Shape { name: SELF_PLAY.to_owned(), columns }
}

/// Shape of the rows of trainings, one for each net.
pub fn training_shape() -> Shape {
    let columns = vec![
        label(NET, NETS),
        pure(POSITIONS, ColumnType::Int),
        pure(EPOCHS, ColumnType::Text),
        pure(TESTED, ColumnType::Text),
        pure(WEIGHTS, ColumnType::Text),
    ];
    Shape { name: TRAINING.to_owned(), columns }
}

/// Columns that the rows of all games between two have.
fn game() -> Vec<Column> {
    let mut columns = vec![pure(FIRST_POINTS, ColumnType::Real)];
    columns.extend([SCORE_DIFFERENCE, PLIES, MOVES_HASH].map(|name| pure(name, ColumnType::Int)));
    columns.extend(DECISIONS.iter().chain(&ITERATIONS).map(|name| pure(*name, ColumnType::Int)));
    columns.extend(DECIDING_US.map(|name| impure(name, ColumnType::Int)));
    columns
}

/// A column whose values follow from spec and seed.
pub fn pure(name: impl Into<String>, kind: ColumnType) -> Column {
    Column { name: name.into(), kind, pure: true, labels: None }
}

/// How the names of a game's own columns end that say how many points came from one source: `city_points`. All of a seat's
/// add up to its score.
pub const SOURCE_END: &str = "_points";

/// A column's name in experiment files and papers' tables, its words joined by hyphens: `leaf_depth` is `leaf-depth`.
pub fn in_files(column: &str) -> String {
    column.replace('_', "-")
}

/// A column of measurements.
pub(crate) fn impure(name: &str, kind: ColumnType) -> Column {
    Column { pure: false, ..pure(name, kind) }
}

/// A column of indices into the list of labels `labels`.
pub(crate) fn label(name: &str, labels: &str) -> Column {
    Column { labels: Some(labels.to_owned()), ..pure(name, ColumnType::Label) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As docs/run-directory.md lists them: databases of older versions have these columns in this order.
    #[test]
    fn games_have_the_documented_columns() {
        let names =
            |shape: &Shape| shape.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(" ");
        let game = "first_points score_difference plies moves_hash first_decisions second_decisions first_iterations \
                    second_iterations first_us second_us";
        assert_eq!(names(&match_shape(false)), format!("pair unit first second {game}"));
        assert_eq!(names(&match_shape(true)), format!("pair unit first second {game} first_turns second_turns"));
        assert_eq!(names(&generation_shape()), format!("round first second {game}"));
        let impure = |shape: Shape| shape.columns.into_iter().filter(|column| !column.pure).map(|column| column.name);
        assert_eq!(impure(match_shape(true)).collect::<Vec<_>>(), [DECIDING_US, TURNS].concat());
    }
}
