//! Games between pairs of players: what match grids, benchmarks of a coevolution and tunings share.
//!
//! Trial `t` is game `t % 2` of unit `t / 2`; the units of a pair are consecutive. Where players keep their seats a
//! unit is one game. The two games of a unit share their opening and every random stream, and swap seats: streams
//! belong to the first and second *player of the pair*, not to seats, so each player meets the other with the same
//! luck from either side.

mod games;
mod pairing;
mod rows;
mod scores;

use std::collections::BTreeMap;

use ::games::GameSpec;
use players::PlayerSpec;
use record::{
    Stage, columns,
    facts::{GameFacts, PairFacts, Seat},
};

use crate::{artifacts, own_columns, turn_figures::TurnFigures};
pub(crate) use games::Games;
pub(crate) use pairing::Pairing;
pub(crate) use rows::game_values;
pub(crate) use scores::Scores;

/// Games of a unit in which each player sits first once.
pub(crate) const UNIT: u64 = 2;

/// Players that meet in pairs at a game.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matches {
    pub(crate) game: GameSpec,
    /// Name and spec; pairs name players by their index here.
    pub(crate) players: Vec<(String, PlayerSpec)>,
    pub(crate) pairing: Pairing,
    pub(crate) opening_plies: u32,
    /// Where the first player of a pair sits.
    pub(crate) seat: Seat,
    /// Whether rows have the time of every decision.
    pub(crate) turn_times: bool,
    /// Whether rows have what players declare of their decisions.
    pub(crate) turn_figures: bool,
}

impl Matches {
    /// Pairs that sit on both sides.
    pub(crate) fn new(
        game: GameSpec,
        players: Vec<(String, PlayerSpec)>,
        pairing: Pairing,
        opening_plies: u32,
    ) -> Self {
        Matches { game, players, pairing, opening_plies, seat: Seat::Both, turn_times: false, turn_figures: false }
    }

    /// Specs of the players.
    pub(crate) fn specs(&self) -> impl Iterator<Item = &PlayerSpec> {
        self.players.iter().map(|(_, spec)| spec)
    }

    /// What rows have of the players' decisions.
    pub(crate) fn turn_figures(&self) -> TurnFigures {
        TurnFigures::of(self.turn_figures, self.specs())
    }

    /// Trials with so many games a pair.
    pub(crate) fn trials(&self, games: u64) -> u64 {
        self.pairing.count().saturating_mul(games)
    }

    /// Names of the pairs, in order. For pairs that are part of another experiment, which are few.
    pub(crate) fn pair_names(&self) -> Vec<[String; 2]> {
        let names = |pair| self.pairing.pair(pair).map(|player| self.players[player as usize].0.clone());
        (0..self.pairing.count()).map(names).collect()
    }

    /// Whether the results depend on spec and seed alone.
    pub(crate) fn reproducible(&self) -> bool {
        self.pairing.players().iter().all(|&player| self.players[player as usize].1.reproducible())
    }

    /// Who meets whom, in `games` games a pair, for the facts of a stage.
    pub(crate) fn facts(&self, games: u64) -> PairFacts {
        let names: Vec<String> = self.players.iter().map(|(name, _)| name.clone()).collect();
        PairFacts {
            games_per_pair: games,
            opening_plies: self.opening_plies,
            specs: self.players.iter().map(|(name, spec)| (name.clone(), spec.to_string())).collect(),
            pairs: self.pairing.facts(&names),
            seat: (self.seat != Seat::Both).then_some(self.seat),
        }
    }

    /// A stage of these games, `games` a pair, without its facts.
    pub(crate) fn stage(&self, index: u32, name: impl Into<String>, games: u64) -> Stage {
        let names = self.players.iter().map(|(name, _)| name.clone()).collect();
        let mut shape = columns::match_shape(self.turn_times);
        shape.columns.extend(own_columns::columns(&self.game.facts()));
        let figures = self.turn_figures();
        shape.columns.extend(["first_", "second_"].into_iter().flat_map(|seat| figures.columns(seat)));
        Stage {
            index,
            name: name.into(),
            trials: self.trials(games),
            shape,
            labels: BTreeMap::from([(columns::PLAYERS.to_owned(), names)]),
            meta: serde_json::Value::Null,
            artifacts: artifacts::needed_by(self.specs()),
            ahead: 0,
        }
    }
}

/// What is played, for the facts of a stage.
pub(crate) fn game_facts(game: &GameSpec) -> GameFacts {
    GameFacts { game: game.to_string(), score_unit: game.facts().score_unit.to_owned() }
}

/// `games` of a pair at a scale: whole units, at least one.
pub(crate) fn scaled(games: u64, seat: Seat, scale: f64) -> u64 {
    if scale == 1.0 {
        return games;
    }
    // Casting saturates.
    let units = ((games / seat.unit()) as f64 * scale).round() as u64;
    units.max(1).saturating_mul(seat.unit())
}
