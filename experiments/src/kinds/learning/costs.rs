//! How many trials of a learning are to come, and what its games are expected to take.

use players::PlayerSpec;
use record::{
    Stage,
    facts::{LearningFacts, LearningPhase},
};

use super::Learning;
use crate::ahead::Ahead;

impl Learning {
    /// Trials of the gate behind a round; the first one has no old network where the first round was played without.
    fn gate_trials(&self, round: u32, scale: f64) -> u64 {
        let old = u64::from(round > 0 || self.self_play.first.is_none());
        let opponents = if self.gate.opponents { self.opponents.len() as u64 } else { 0 };
        self.gate_games(scale).saturating_mul(old + opponents)
    }

    fn final_trials(&self, scale: f64) -> u64 {
        self.final_games(scale).saturating_mul(self.opponents.len() as u64)
    }

    /// Stages behind one of `phase` in `round`; a game takes so many seconds.
    fn following(&self, round: u32, phase: &LearningPhase, scale: f64, secs: GameSecs) -> Vec<Ahead> {
        let done = match phase {
            LearningPhase::Test(_) => 0,
            LearningPhase::SelfPlay(_) => 1,
            LearningPhase::Training => 2,
            LearningPhase::Gate(_) => 3,
            LearningPhase::Final(_) => return Vec::new(),
        };
        let of_round = |round, stages| {
            let gate = self.gate_trials(round, scale);
            let parts = [
                (self.self_play_games(scale), secs.self_play),
                (self.nets.len() as u64, TRAINING_SECS),
                (gate, secs.gate),
            ];
            parts.map(|(trials, secs)| Ahead { stages, trials, secs })
        };
        let later = u64::from(self.rounds.saturating_sub(round + 1));
        let mut ahead = of_round(round, 1)[done..].to_vec();
        ahead.extend(of_round(1, later));
        ahead.push(Ahead { stages: 1, trials: self.final_trials(scale), secs: secs.last });
        ahead.retain(|ahead| ahead.stages > 0 && ahead.trials > 0);
        ahead
    }

    /// Trials of all stages behind one of `phase` in `round`.
    pub(super) fn trials_after(&self, round: u32, phase: &LearningPhase, scale: f64) -> u64 {
        let following = self.following(round, phase, scale, GameSecs::default());
        following.iter().fold(0, |sum, ahead| sum.saturating_add(ahead.stages.saturating_mul(ahead.trials)))
    }

    /// Trials of the whole run.
    pub(crate) fn trials_in_all(&self, scale: f64) -> u64 {
        let test = LearningPhase::Test(record::facts::PlayFacts { player: String::new(), opening_plies: 0 });
        self.test_games(scale).saturating_add(self.trials_after(0, &test, scale))
    }

    /// Seconds of a trial of a stage, where `secs` tells those of a game; what a training takes is not known.
    pub(crate) fn trial_secs(&self, stage: &Stage, secs: impl Fn([&PlayerSpec; 2]) -> f64) -> f64 {
        match stage.facts().map(|facts: LearningFacts| (facts.phase, facts.round)) {
            Ok((LearningPhase::Test(_), _)) => self.test.as_ref().map_or(0.0, |test| secs([&test.player; 2])),
            Ok((LearningPhase::SelfPlay(_), round)) => secs([self.playing(round); 2]),
            Ok((LearningPhase::Training, _)) => TRAINING_SECS,
            Ok((LearningPhase::Gate(_), _)) => self.gate_secs(secs),
            Ok((LearningPhase::Final(_), _)) => self.last_secs(secs),
            Err(_) => secs([&self.player; 2]),
        }
    }

    /// Stages behind `stage`.
    pub(crate) fn ahead_of(&self, stage: &Stage, scale: f64, secs: impl Fn([&PlayerSpec; 2]) -> f64) -> Vec<Ahead> {
        let Ok(LearningFacts { round, phase, .. }) = stage.facts() else { return Vec::new() };
        let secs = GameSecs {
            self_play: secs([self.playing(1); 2]),
            gate: self.gate_secs(&secs),
            last: self.last_secs(&secs),
        };
        self.following(round, &phase, scale, secs)
    }

    /// Seconds of a game of a gate: the old network and each opponent have as many games.
    fn gate_secs(&self, secs: impl Fn([&PlayerSpec; 2]) -> f64) -> f64 {
        let own = secs([&self.player; 2]);
        let opponents = if self.gate.opponents { self.opponents.len() as f64 } else { 0.0 };
        (own + opponents * self.last_secs(secs)) / (1.0 + opponents)
    }

    /// Seconds of a game against an opponent.
    fn last_secs(&self, secs: impl Fn([&PlayerSpec; 2]) -> f64) -> f64 {
        let all: f64 = self.opponents.iter().map(|(_, opponent)| secs([&self.player, opponent])).sum();
        all / self.opponents.len().max(1) as f64
    }
}

/// Executor seconds of a game.
#[derive(Clone, Copy, Default)]
struct GameSecs {
    /// Of a player against itself.
    self_play: f64,
    /// Of a gate.
    gate: f64,
    /// Of the last stage, against the opponents.
    last: f64,
}

/// Guess of what a training takes.
const TRAINING_SECS: f64 = 60.0;
