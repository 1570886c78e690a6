//! What games of an evolution are expected to take, and how many are to come.

use players::PlayerSpec;
use record::{
    Stage,
    facts::{EvolutionFacts, EvolutionPhase},
};

use super::Coevolution;
use crate::ahead::Ahead;

impl Coevolution {
    /// Those who play: an individual, and the opponents of benchmarks.
    pub(crate) fn players(&self) -> impl Iterator<Item = &PlayerSpec> {
        std::iter::once(&self.player).chain(self.opponents.iter().map(|(_, opponent)| opponent))
    }

    /// Seconds of a game of a generation and of one of a benchmark, where `secs` tells it of two players.
    pub(crate) fn trial_secs(&self, secs: impl Fn([&PlayerSpec; 2]) -> f64) -> [f64; 2] {
        let own = secs([&self.player, &self.player]);
        let of_opponents: f64 = self.opponents.iter().map(|(_, opponent)| secs([&self.player, opponent])).sum();
        [own, of_opponents / self.opponents.len().max(1) as f64]
    }

    /// Whether a stage of the run is a benchmark.
    pub(crate) fn is_benchmark(&self, stage: &Stage) -> bool {
        stage.facts().is_ok_and(|facts: EvolutionFacts| matches!(facts.phase, EvolutionPhase::Benchmark(_)))
    }

    /// Stages behind `stage`, where nothing ends the run early; games take these seconds, as [`Coevolution::trial_secs`]
    /// says.
    pub(crate) fn ahead_of(&self, stage: &Stage, scale: f64, [own, benchmark]: [f64; 2]) -> Vec<Ahead> {
        let Ok(EvolutionFacts { generation, phase, .. }) = stage.facts() else { return Vec::new() };
        let is_benchmark = match phase {
            EvolutionPhase::Benchmark(benchmark) if benchmark.last => return Vec::new(),
            EvolutionPhase::Benchmark(_) => true,
            EvolutionPhase::Generation(_) => false,
        };
        let last = self.generations - 1;
        let from = if is_benchmark { generation + 1 } else { generation };
        let benchmarks = (from..last).filter(|&generation| self.is_benchmarked(generation)).count() as u64;
        let end = u64::from(!self.opponents.is_empty());
        let ahead = [
            (u64::from(last.saturating_sub(generation)), self.generation_trials(scale), own),
            (benchmarks, self.benchmark_trials(false, scale), benchmark),
            (end, self.benchmark_trials(true, scale), benchmark),
        ];
        let some = ahead.into_iter().filter(|(stages, ..)| *stages > 0);
        some.map(|(stages, trials, secs)| Ahead { stages, trials, secs }).collect()
    }
}
