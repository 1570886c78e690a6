//! Kind `tuning`: parameters of a player found by playing with them (docs/papers/checkers.md).
//!
//! A generation is a stage: every candidate, which is the player with other values, meets every opponent. When it
//! closes, its games and points are added to those that candidates had before, and an algorithm chooses who plays
//! next; both are stored with the stage that follows. At the end the candidate that leads and the player as it was meet
//! the opponents, and one another, on fresh seeds: the points that made a candidate the winner overestimate it.

mod algorithm;
mod candidates;
mod copies;
mod costs;
mod differential;
mod genetic;
mod halving;
mod longer;
mod mutation;
mod plan;
mod random;
mod read;
mod results;
mod space;
#[cfg(test)]
mod tests;

use games::GameSpec;
use players::PlayerSpec;

use record::facts::{DEFAULTS, Seat, WINNER};

use crate::{
    matches::{Matches, Pairing, scaled},
    plan::PlanError,
    quoted::quoted,
};
use algorithm::Algorithm;
use candidates::Candidate;
use copies::Copies;
pub(crate) use plan::TuningPlan;
use space::Space;

/// What names of candidates begin with.
const CANDIDATE: &str = "candidate-";

/// What a tuning says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tuning {
    pub(crate) game: GameSpec,
    /// Name and spec, in the order of the file.
    opponents: Vec<(String, PlayerSpec)>,
    space: Space,
    algorithm: Algorithm,
    population: usize,
    generations: u32,
    /// Games of a candidate against an opponent in a generation, before scale and doublings.
    games: u64,
    /// Where candidates sit.
    seat: Seat,
    opening_plies: u32,
    /// What equal values are.
    copies: Copies,
    /// Generations without another leader that end the search; 0: none do.
    stop_after: u32,
    /// Games of all generations, before the scale.
    max_games: Option<u64>,
    /// Games of a pair of the final stage, before the scale.
    final_games: u64,
    /// Whether no candidate and no opponent has a time budget.
    reproducible: bool,
}

impl Tuning {
    /// Games of a candidate against an opponent in a generation.
    fn pair_games(&self, generation: u32, scale: f64) -> u64 {
        let (_, doublings) = self.algorithm.size(self.population, generation);
        scaled(self.games, self.seat, scale).saturating_mul(1 << doublings)
    }

    /// Games of a generation.
    pub(crate) fn generation_trials(&self, generation: u32, scale: f64) -> u64 {
        let (candidates, _) = self.algorithm.size(self.population, generation);
        self.pair_games(generation, scale).saturating_mul(candidates as u64).saturating_mul(self.opponents.len() as u64)
    }

    /// Games of the first `count` generations.
    fn trials_of_first(&self, count: u32, scale: f64) -> u64 {
        let (from, period) = self.algorithm.period(self.population);
        let sum = |generations: std::ops::Range<u32>| {
            generations.fold(0u64, |sum, g| sum.saturating_add(self.generation_trials(g, scale)))
        };
        let later = count.saturating_sub(from);
        let (periods, rest) = (later / period, later % period);
        sum(0..count.min(from))
            .saturating_add(sum(from..from + period).saturating_mul(periods.into()))
            .saturating_add(sum(from..from + rest))
    }

    /// Generations that the budget allows; the first is always played.
    fn planned(&self, scale: f64) -> u32 {
        let Some(most) = self.max_games else { return self.generations };
        // Casting saturates.
        let most = if scale == 1.0 { most } else { (most as f64 * scale).round() as u64 };
        let (mut enough, mut too_many) = (1, self.generations.saturating_add(1));
        while too_many - enough > 1 {
            let middle = enough + (too_many - enough) / 2;
            if self.trials_of_first(middle, scale) <= most { enough = middle } else { too_many = middle }
        }
        enough
    }

    /// Games of a pair of the final stage.
    fn final_games(&self, scale: f64) -> u64 {
        scaled(self.final_games, Seat::Both, scale)
    }

    fn final_trials(&self, scale: f64) -> u64 {
        self.final_games(scale).saturating_mul(2 * self.opponents.len() as u64 + 1)
    }

    /// Trials of all stages behind generation `generation`, where nothing ends the search early.
    fn trials_after(&self, generation: u32, scale: f64) -> u64 {
        let all = self.trials_of_first(self.planned(scale), scale);
        (all - self.trials_of_first(generation + 1, scale).min(all)).saturating_add(self.final_trials(scale))
    }

    /// Trials of the whole run, where nothing ends the search early.
    pub(crate) fn trials_in_all(&self, scale: f64) -> u64 {
        self.generation_trials(0, scale).saturating_add(self.trials_after(0, scale))
    }

    pub(crate) fn reproducible(&self) -> bool {
        self.reproducible
    }

    /// The games of a generation: every candidate against every opponent.
    fn generation_matches(&self, candidates: &[Candidate]) -> Result<Matches, PlanError> {
        let mut players = Vec::with_capacity(candidates.len() + self.opponents.len());
        for candidate in candidates {
            players.push((candidate.name(), self.spec(candidate)?));
        }
        players.extend(self.opponents.iter().cloned());
        let (champions, against) = (0..candidates.len() as u32, candidates.len() as u32..players.len() as u32);
        let pairing = Pairing::Gauntlet { champions: champions.collect(), against: against.collect() };
        let matches = Matches::new(self.game.clone(), players, pairing, self.opening_plies);
        Ok(Matches { seat: self.seat, ..matches })
    }

    /// The games of the final stage. Both seats, wherever candidates sat: winner and defaults could not meet otherwise.
    /// `between`: winner and defaults meet one another, too.
    fn final_matches(&self, winner: &Candidate, between: bool) -> Result<Matches, PlanError> {
        let mut players =
            vec![(WINNER.to_owned(), self.spec(winner)?), (DEFAULTS.to_owned(), self.space.player.clone())];
        players.extend(self.opponents.iter().cloned());
        let against = |player: u32| (2..players.len() as u32).map(move |opponent| [player, opponent]);
        let between = between.then_some([0, 1]);
        let pairs = against(0).chain(against(1)).chain(between).collect();
        Ok(Matches::new(self.game.clone(), players, Pairing::Listed(pairs), self.opening_plies))
    }

    fn spec(&self, candidate: &Candidate) -> Result<PlayerSpec, PlanError> {
        self.space.spec(&candidate.values).map_err(|faults| {
            let shown = self.space.show(&candidate.values);
            PlanError::Candidate { name: candidate.name(), values: shown, reason: faults[0].to_string() }
        })
    }

    pub(crate) fn write(&self, text: &mut String) {
        text.push_str(&format!("game = {}\n\n[players]\n", quoted(&self.game.to_string())));
        for (name, spec) in &self.opponents {
            text.push_str(&format!("{name} = {}\n", quoted(&spec.to_string())));
        }
        let Tuning { population, generations, games, opening_plies, stop_after, .. } = self;
        text.push_str(&format!(
            "\n[tuning]\nplayer = {}\nalgorithm = \"{}\"\npopulation = {population}\ngenerations = {generations}\n\
             games = {games}\nseat = \"{}\"\nopening-plies = {opening_plies}\n",
            quoted(&self.space.player.to_string()),
            self.algorithm.name(),
            self.seat.name(),
        ));
        match &self.algorithm {
            Algorithm::Genetic(genetic) => text.push_str(&format!(
                "kept = {}\nmutation-rate = {:?}\ncrossover = \"{}\"\nmutation = \"{}\"\n",
                genetic.kept,
                genetic.mutation_rate,
                genetic.crossover.name(),
                genetic.mutation.name()
            )),
            Algorithm::DifferentialEvolution(evolution) => text.push_str(&format!(
                "difference-weight = {:?}\ncrossover-rate = {:?}\n",
                evolution.weight, evolution.rate
            )),
            Algorithm::SuccessiveHalving | Algorithm::Random => {}
        }
        text.push_str(&format!("stop-after = {stop_after}\n"));
        // Only where it is not the default: whether a run of version 0.1.0 counts copies apart stands in its candidates.
        if self.copies == Copies::Apart {
            text.push_str("copies = \"apart\"\n");
        }
        if let Some(most) = self.max_games {
            text.push_str(&format!("max-games = {most}\n"));
        }
        self.space.write(text);
        text.push_str(&format!("\n[tuning.final]\ngames = {}\n", self.final_games));
    }
}
