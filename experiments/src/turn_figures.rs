//! Figures that players declare of their decisions ([`players::figures`]) as columns of rows, where an experiment asks for
//! them: a list of turns and values for each, behind all other columns.

use players::{
    PlayerSpec,
    figures::{ByTurn, Figure, union},
};
use record::{Column, Value, facts::TurnFigure};

/// Figures of the decisions of an experiment's players, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnFigures {
    all: Vec<Figure>,
    /// By player: places of its figures among all.
    places: Vec<Vec<usize>>,
}

impl TurnFigures {
    /// Those of these players; none if `wanted` is false.
    pub(crate) fn of<'a>(wanted: bool, players: impl Iterator<Item = &'a PlayerSpec>) -> Self {
        if !wanted {
            return TurnFigures::default();
        }
        let own: Vec<Vec<Figure>> = players.map(PlayerSpec::figures).collect();
        let all = union(own.clone());
        let place = |figure: &Figure| all.iter().position(|known| known.name == figure.name);
        let places = own.iter().map(|own| own.iter().filter_map(place).collect()).collect();
        TurnFigures { places, all }
    }

    /// The columns of a seat; `prefix` stands before the names of all.
    pub(crate) fn columns(&self, prefix: &str) -> impl Iterator<Item = Column> {
        self.facts().into_iter().map(move |figure| figure.to_column(prefix))
    }

    /// Values of the columns of a seat where this player sat: `turn:value` of each decision that has the figure, between
    /// blanks.
    pub(crate) fn values(&self, player: usize, by_turn: &ByTurn) -> impl Iterator<Item = Value> {
        let own = self.places.get(player).map_or(&[][..], Vec::as_slice);
        let text = |index: usize| {
            let turns = own.iter().position(|&place| place == index).map(|own| by_turn.of(own));
            let words = turns.into_iter().flatten().map(|(turn, value)| format!("{turn}:{value}"));
            Value::Text(words.collect::<Vec<_>>().join(" "))
        };
        (0..self.all.len()).map(text).collect::<Vec<_>>().into_iter()
    }

    /// What the columns hold, for the facts of the stage.
    pub(crate) fn facts(&self) -> Vec<TurnFigure> {
        let facts = |figure: &Figure| TurnFigure {
            name: figure.name.to_owned(),
            column: format!("{}_by_turn", figure.name),
            title: figure.title.to_owned(),
            digits: figure.digits,
        };
        self.all.iter().map(facts).collect()
    }
}
