//! What games of a tuning are expected to take, and how many are to come.

use players::PlayerSpec;
use record::{
    Stage,
    facts::{DEFAULTS, PairFacts, TuningFacts, TuningPhase, WINNER},
};

use super::{CANDIDATE, Tuning};
use crate::ahead::Ahead;

/// Candidates that are looked at.
const LOOKED_AT_MAX: usize = 64;
/// Generations that are counted one by one.
const GENERATIONS_MAX: u32 = 10_000;

impl Tuning {
    /// Those who play: the player that is tuned, and the opponents.
    pub(crate) fn players(&self) -> impl Iterator<Item = &PlayerSpec> {
        std::iter::once(&self.space.player).chain(self.opponents.iter().map(|(_, opponent)| opponent))
    }

    /// Seconds of a game of a stage, where `secs` tells it of two players.
    pub(crate) fn trial_secs(&self, stage: &Stage, secs: impl Fn([&PlayerSpec; 2]) -> f64) -> f64 {
        let specs = stage.facts().map_or_else(|_| Default::default(), |facts: PairFacts| facts.specs);
        let is_own = |name: &str| name.starts_with(CANDIDATE) || name == WINNER || name == DEFAULTS;
        let own = specs.iter().filter(|(name, _)| is_own(name));
        let mut own: Vec<PlayerSpec> = own.filter_map(|(_, spec)| spec.parse().ok()).take(LOOKED_AT_MAX).collect();
        if own.is_empty() {
            own.push(self.space.player.clone());
        }
        let pairs = own.iter().flat_map(|own| self.opponents.iter().map(move |(_, opponent)| [own, opponent]));
        let (sum, count) = pairs.fold((0.0, 0usize), |(sum, count), pair| (sum + secs(pair), count + 1));
        sum / count.max(1) as f64
    }

    /// Stages behind `stage`, where nothing ends the search early; their games are taken to be like those of `stage`.
    pub(crate) fn ahead_of(&self, stage: &Stage, scale: f64, secs: f64) -> Vec<Ahead> {
        let generation = match stage.facts() {
            Ok(TuningFacts { generation, phase: TuningPhase::Generation { .. }, .. }) => generation,
            _ => return Vec::new(),
        };
        let (first, planned) = (generation + 1, self.planned(scale));
        let mut ahead: Vec<Ahead> = Vec::new();
        let counted = planned.min(first.saturating_add(GENERATIONS_MAX));
        for trials in (first..counted).map(|generation| self.generation_trials(generation, scale)) {
            match ahead.last_mut() {
                Some(last) if last.trials == trials => last.stages += 1,
                _ => ahead.push(Ahead { stages: 1, trials, secs }),
            }
        }
        if let Some(last) = ahead.last_mut() {
            // Beyond what is counted, generations are like the last.
            last.stages += u64::from(planned - counted);
        }
        ahead.push(Ahead { stages: 1, trials: self.final_trials(scale), secs });
        ahead
    }
}
