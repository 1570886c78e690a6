//! Games that give positions, as the trials of a stage.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use games::{GameSpec, Seed, purpose};
use players::{
    GameSetup, PlayerSpec,
    artifacts::HeldArtifacts,
    self_play::{self, Labels, SelfPlay},
};
use record::{Row, Stage, Value, facts::PlayFacts};

use crate::{
    plan::{Executor, TrialError},
    pool::Pool,
    trial::TrialDescription,
};

/// Where the games of a stage draw from.
#[derive(Clone, Copy)]
pub(super) struct Streams {
    pub(super) seed: u64,
    pub(super) round: u32,
    /// The name of a stream of these games.
    pub(super) of: fn(&str) -> String,
}

impl Streams {
    fn setup(&self, trial: u64, opening_plies: u32) -> GameSetup {
        let seed = |purpose| Seed::derive(self.seed, self.round, trial, &(self.of)(purpose));
        GameSetup {
            opening_plies,
            opening_seed: seed(purpose::OPENING),
            player_seeds: [seed(purpose::FIRST), seed(purpose::SECOND)],
        }
    }
}

/// Plays games of a player against itself.
pub(super) struct Playing {
    trials: u64,
    game: GameSpec,
    player: PlayerSpec,
    labels: Labels,
    opening_plies: u32,
    streams: Streams,
    artifacts: HeldArtifacts,
    /// Players that no thread is using.
    pool: Pool<(), Box<dyn SelfPlay>>,
}

impl Playing {
    pub(super) fn new(
        stage: &Stage,
        game: &GameSpec,
        player: &PlayerSpec,
        labels: Labels,
        facts: &PlayFacts,
        streams: Streams,
        artifacts: HeldArtifacts,
    ) -> Self {
        let (game, player) = (game.clone(), player.clone());
        let opening_plies = facts.opening_plies;
        Playing { trials: stage.trials, game, player, labels, opening_plies, streams, artifacts, pool: Pool::default() }
    }
}

impl Executor for Playing {
    fn run(&self, trial: u64) -> Result<Row, TrialError> {
        if trial >= self.trials {
            return Err(TrialError::NoSuchTrial { trial, trials: self.trials });
        }
        let mut games = match self.pool.take(&()) {
            Some(games) => games,
            None => self_play::prepare(&self.game, &self.player, self.labels, &self.artifacts)
                .map_err(|error| TrialError::Players(error.to_string()))?,
        };
        let record = games.play(&self.streams.setup(trial, self.opening_plies));
        self.pool.put((), games);
        Ok(vec![
            Value::Real(record.first_points),
            Value::Int(record.plies.into()),
            Value::bits(record.moves_hash),
            Value::count(record.iterations),
            Value::Int(record.positions.into()),
            Value::Int(record.solved.into()),
            Value::Text(BASE64_STANDARD.encode(&record.bytes)),
            Value::count(record.micros),
        ])
    }

    fn describe(&self, trial: u64) -> Option<TrialDescription> {
        (trial < self.trials).then(|| {
            let setup = self.streams.setup(trial, self.opening_plies);
            TrialDescription::of_game(&self.game, [("player", &self.player); 2], &setup)
        })
    }
}
