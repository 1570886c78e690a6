//! Games between pairs by their index, as the trials of a stage.

use games::{Seed, purpose};
use players::{
    GameSetup,
    artifacts::HeldArtifacts,
    play::{Match, Watcher, prepare},
};
use record::{Row, facts::Seat};

use super::{Matches, rows};
use crate::{
    artifacts,
    plan::{Artifacts, Executor, StoreError, TrialError},
    pool::Pool,
    trial::TrialDescription,
    turn_figures::TurnFigures,
};

/// Where a trial stands among the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Index of the pair.
    pub(crate) pair: u64,
    /// Index of the unit within the pair.
    pub(crate) unit: u64,
    /// Whether the second player of the pair sits first.
    pub(crate) swapped: bool,
}

impl Unit {
    /// The unit of trial `trial`, with `games` games a pair.
    fn of(trial: u64, games: u64, seat: Seat) -> Self {
        Unit { pair: trial / games, unit: trial % games / seat.unit(), swapped: seat.is_swapped(trial) }
    }
}

/// Plays the games of pairs.
pub(crate) struct Games {
    matches: Matches,
    /// What rows have of the players' decisions.
    figures: TurnFigures,
    /// Games of a pair.
    per_pair: u64,
    seed: u64,
    /// Number of the stream that seeds are derived from: stages of a run have different ones.
    stream: u32,
    /// What the players need.
    artifacts: HeldArtifacts,
    /// Games by (first, second) that no thread is using.
    pool: Pool<[u32; 2], Box<dyn Match>>,
}

impl Games {
    /// The games of `matches`, `per_pair` a pair, with the seeds of a run and stream.
    pub(crate) fn new(matches: Matches, per_pair: u64, seed: u64, stream: u32) -> Self {
        let (artifacts, pool) = (HeldArtifacts::default(), Pool::default());
        Games { figures: matches.turn_figures(), matches, per_pair, seed, stream, artifacts, pool }
    }

    /// The same with what the players need, from a store.
    pub(crate) fn with_artifacts(self, artifacts: &dyn Artifacts) -> Result<Self, StoreError> {
        Ok(Games { artifacts: artifacts::held_for(self.matches.specs(), artifacts)?, ..self })
    }

    /// Games of a pair.
    pub(crate) fn per_pair(&self) -> u64 {
        self.per_pair
    }

    /// Players of a trial by seat.
    pub(crate) fn seats(&self, trial: u64) -> (Unit, [u32; 2]) {
        let unit = Unit::of(trial, self.per_pair, self.matches.seat);
        let [a, b] = self.matches.pairing.pair(unit.pair);
        (unit, if unit.swapped { [b, a] } else { [a, b] })
    }

    /// What a trial's game depends on beside its players.
    pub(crate) fn setup(&self, unit: Unit) -> GameSetup {
        // By unit, not by trial, and by player, not by seat: the two games of a unit have the same luck. By the
        // names of the pair, not by its index: its games are the same whatever other pairs and however many games
        // there are, so a run at a lesser scale plays the first games of a greater one.
        let [first, second] =
            self.matches.pairing.pair(unit.pair).map(|player| &self.matches.players[player as usize].0);
        let seed = |stream| Seed::derive(self.seed, self.stream, unit.unit, &purpose::in_pair(first, second, stream));
        let (a, b) = (seed(purpose::PLAYER_A), seed(purpose::PLAYER_B));
        GameSetup {
            opening_plies: self.matches.opening_plies,
            opening_seed: seed(purpose::OPENING),
            player_seeds: if unit.swapped { [b, a] } else { [a, b] },
        }
    }

    /// Plays a trial and shows its plies.
    pub(crate) fn play(&self, trial: u64, watcher: Option<&mut Watcher<'_>>) -> Result<Row, TrialError> {
        let trials = self.matches.trials(self.per_pair);
        if trial >= trials {
            return Err(TrialError::NoSuchTrial { trial, trials });
        }
        let (unit, seats) = self.seats(trial);
        let mut game = match self.pool.take(&seats) {
            Some(game) => game,
            None => {
                let specs = seats.map(|player| &self.matches.players[player as usize].1);
                prepare(&self.matches.game, specs, &self.artifacts)
                    .map_err(|error| TrialError::Players(error.to_string()))?
            }
        };
        let record = game.play_watched(&self.setup(unit), watcher);
        self.pool.put(seats, game);
        Ok(rows::match_row(unit, seats, &record, self.matches.turn_times, &self.figures))
    }
}

impl Executor for Games {
    fn run(&self, trial: u64) -> Result<Row, TrialError> {
        self.play(trial, None)
    }

    fn watch(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, TrialError> {
        self.play(trial, Some(watcher))
    }

    fn describe(&self, trial: u64) -> Option<TrialDescription> {
        if trial >= self.matches.trials(self.per_pair) {
            return None;
        }
        let (unit, seats) = self.seats(trial);
        let seats = seats.map(|player| {
            let (name, spec) = &self.matches.players[player as usize];
            (name.as_str(), spec)
        });
        Some(TrialDescription::of_game(&self.matches.game, seats, &self.setup(unit)))
    }
}
