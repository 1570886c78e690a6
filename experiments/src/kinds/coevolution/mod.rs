//! Kind `coevolution`: playout functions evolved by playing against one another (EvoMCTS, sections V and VI;
//! docs/papers/evomcts.md).
//!
//! A generation is a stage: every individual meets random others, as often in the first seat as in the second. When it
//! closes, the stored games give the fitness, and the next population is made and stored with the stage that
//! follows. Every few generations, and at the end, the best of a generation and some random individuals meet fixed
//! opponents.

mod breed;
mod costs;
mod fitness;
mod fold;
mod longer;
mod plan;
mod read;

use games::GameSpec;
use gp::Limits;
use players::PlayerSpec;

use crate::quoted::quoted;
pub(crate) use plan::CoevolutionPlan;

use crate::matches::UNIT;

/// What a coevolution says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Coevolution {
    pub(crate) game: GameSpec,
    /// Opponents of benchmarks: name and spec, in the order of the file.
    pub(crate) opponents: Vec<(String, PlayerSpec)>,
    /// How individuals search; its function stands for any.
    player: PlayerSpec,
    pub(crate) population: usize,
    pub(crate) generations: u32,
    /// CoPlayNum, before the scale.
    games_as_first: u64,
    opening_plies: u32,
    tournament: usize,
    elites: usize,
    crossover_rate: f64,
    mutation_rate: f64,
    local_mutation_rate: f64,
    limits: Limits,
    /// Least and greatest depth of the ramp of the first population.
    initial_depths: (u32, u32),
    /// Functions that the first population begins with, as text.
    initial: Vec<String>,
    benchmark: Benchmark,
    stop: Stop,
}

/// What `[coevolution.benchmark]` says.
#[derive(Clone, Debug, PartialEq)]
struct Benchmark {
    /// Generations from one to the next; 0: only at the end.
    every: u32,
    /// Games of a pair, before the scale.
    games: u64,
    /// Random individuals beside the best.
    samples: usize,
    /// Games of a pair at the end, before the scale.
    final_games: u64,
    /// The best by fitness that are tested at the end.
    finalists: usize,
}

/// What `[coevolution.stop]` says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Stop {
    /// End when a benchmark's best takes this share of the points against the first opponent.
    score: Option<f64>,
    /// End after the generation in which executors have spent this.
    core_hours: Option<f64>,
}

/// `count` at a scale, at least `least`.
fn scaled(count: u64, scale: f64, least: u64) -> u64 {
    // Casting saturates.
    if scale == 1.0 { count } else { ((count as f64 * scale).round() as u64).max(least) }
}

impl Coevolution {
    /// Games of each individual in each seat at a scale.
    fn rounds(&self, scale: f64) -> u64 {
        scaled(self.games_as_first, scale, 1)
    }

    /// Games of a generation.
    pub(crate) fn generation_trials(&self, scale: f64) -> u64 {
        self.rounds(scale).saturating_mul(self.population as u64)
    }

    /// Games of a pair of a benchmark: whole units.
    fn benchmark_games(&self, last: bool, scale: f64) -> u64 {
        let games = if last { self.benchmark.final_games } else { self.benchmark.games };
        scaled(games / UNIT, scale, 1).saturating_mul(UNIT)
    }

    /// Games of a benchmark.
    fn benchmark_trials(&self, last: bool, scale: f64) -> u64 {
        let best = if last { self.benchmark.finalists.max(1) } else { 1 };
        let contestants = (best + self.benchmark.samples).min(self.population) as u64;
        contestants * self.opponents.len() as u64 * self.benchmark_games(last, scale)
    }

    /// Whether a generation that is not the last is followed by a benchmark.
    fn is_benchmarked(&self, generation: u32) -> bool {
        !self.opponents.is_empty() && self.benchmark.every > 0 && generation.is_multiple_of(self.benchmark.every)
    }

    /// Trials of all stages behind generation `generation` and, if `benchmarked`, its benchmark, where nothing ends it
    /// early.
    fn trials_after(&self, generation: u32, benchmarked: bool, scale: f64) -> u64 {
        let last = self.generations - 1;
        let later = u64::from(last.saturating_sub(generation)) * self.generation_trials(scale);
        let first = if benchmarked { generation + 1 } else { generation };
        let benchmarks = (first..last).filter(|&g| self.is_benchmarked(g)).count() as u64;
        let end = if self.opponents.is_empty() { 0 } else { self.benchmark_trials(true, scale) };
        later + benchmarks * self.benchmark_trials(false, scale) + end
    }

    /// Trials of the whole run, where nothing ends it early.
    pub(crate) fn trials_in_all(&self, scale: f64) -> u64 {
        self.generation_trials(scale) + self.trials_after(0, false, scale)
    }

    pub(crate) fn reproducible(&self) -> bool {
        // How many generations fit into hours depends on the machines.
        self.stop.core_hours.is_none()
            && self.player.reproducible()
            && self.opponents.iter().all(|(_, spec)| spec.reproducible())
    }

    pub(crate) fn write(&self, text: &mut String) {
        text.push_str(&format!("game = {}\n", quoted(&self.game.to_string())));
        if !self.opponents.is_empty() {
            text.push_str("\n[players]\n");
        }
        for (name, spec) in &self.opponents {
            text.push_str(&format!("{name} = {}\n", quoted(&spec.to_string())));
        }
        let Coevolution { population, generations, games_as_first, opening_plies, tournament, elites, .. } = self;
        let (crossover, mutation, local) = (self.crossover_rate, self.mutation_rate, self.local_mutation_rate);
        let Limits { depth, subtree_depth, factor_step } = self.limits;
        let (least, greatest) = self.initial_depths;
        text.push_str(&format!(
            "\n[coevolution]\nplayer = {}\npopulation = {population}\ngenerations = {generations}\n\
             games-as-first = {games_as_first}\nopening-plies = {opening_plies}\ntournament = {tournament}\n\
             elites = {elites}\ncrossover-rate = {crossover:?}\nmutation-rate = {mutation:?}\n\
             local-mutation-rate = {local:?}\n\
             factor-step = {factor_step:?}\ndepth-max = {depth}\nsubtree-depth-max = {subtree_depth}\n\
             initial-depth-min = {least}\ninitial-depth-max = {greatest}\n",
            quoted(&self.player.text_without_tree()),
        ));
        if !self.initial.is_empty() {
            text.push_str("initial = [\n");
            for tree in &self.initial {
                text.push_str(&format!("    {},\n", quoted(tree)));
            }
            text.push_str("]\n");
        }
        if !self.opponents.is_empty() {
            let Benchmark { every, games, samples, final_games, finalists } = self.benchmark;
            text.push_str(&format!(
                "\n[coevolution.benchmark]\nevery = {every}\ngames = {games}\nsamples = {samples}\n\
                 final-games = {final_games}\nfinalists = {finalists}\n"
            ));
        }
        let Stop { score, core_hours } = self.stop;
        if score.is_some() || core_hours.is_some() {
            text.push_str("\n[coevolution.stop]\n");
        }
        for (key, value) in [("score", score), ("core-hours", core_hours)] {
            if let Some(value) = value {
                text.push_str(&format!("{key} = {value:?}\n"));
            }
        }
    }
}
