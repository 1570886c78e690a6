//! Columns that the results of a game have of their own, beside those that every game has: points by source, say, or
//! pieces by turn.
//!
//! A game lists them in [`Facts::columns`](crate::Facts::columns), and its [`Recorder`] fills them. Nothing else names
//! a column of a game.

use crate::{Facts, Game};

/// What a value of a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A whole number.
    Int,
    /// A real number, not NaN.
    Real,
    /// Whole numbers in order, such as one for each turn.
    List,
}

/// What has a value of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnScope {
    /// The game.
    Game,
    /// Each seat. In a game for two the names begin with `first_` and `second_`.
    Seat,
}

/// A column of a game's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameColumn {
    /// Name in snake case, unlike those of other columns. `city_points` are points of one source: all numbers of a seat whose
    /// names end so add up to its score.
    pub name: &'static str,
    /// What a value is.
    pub kind: ColumnKind,
    /// What has a value of its own.
    pub scope: ColumnScope,
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValue {
    /// Value of a column of [`ColumnKind::Int`].
    Int(i64),
    /// Value of a column of [`ColumnKind::Real`].
    Real(f64),
    /// Value of a column of [`ColumnKind::List`].
    List(Vec<i64>),
}

impl ColumnValue {
    /// What the value is.
    pub fn kind(&self) -> ColumnKind {
        match self {
            ColumnValue::Int(_) => ColumnKind::Int,
            ColumnValue::Real(_) => ColumnKind::Real,
            ColumnValue::List(_) => ColumnKind::List,
        }
    }
}

/// Watches one game and fills its columns.
pub trait Recorder<G: Game>: Send {
    /// Sees a move that is about to be played at `before`, by a player or by nature.
    fn observe(&mut self, before: &G, played: G::Move);

    /// The values at the end of the game, in the order of [`fields`].
    fn finish(&mut self, end: &G) -> Vec<ColumnValue>;
}

/// The columns of a game with one value each: name and kind. A column by seat is one field for each player, the first
/// seat's first.
pub fn fields(facts: &Facts) -> Vec<(String, ColumnKind)> {
    let names = |column: &GameColumn| match column.scope {
        ColumnScope::Seat if facts.players == 2 => {
            ["first", "second"].map(|seat| format!("{seat}_{}", column.name)).to_vec()
        }
        _ => vec![column.name.to_owned()],
    };
    let fields = |column| names(column).into_iter().map(|name| (name, column.kind));
    facts.columns.iter().flat_map(fields).collect()
}
