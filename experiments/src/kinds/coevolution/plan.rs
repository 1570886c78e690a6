//! The state machine: generations, benchmarks, the end.

use games::{Seed, purpose};
use gp::PrimitiveSet;
use players::TrialRng;
use record::{
    Stage,
    columns::generation_shape,
    facts::{Benchmark, Contestant, EvolutionFacts, EvolutionPhase, Header, Individuals, Kind, Role, Seat, to_json},
};

use super::{
    Coevolution,
    breed::{self, ranking, shuffle},
    fitness::FitnessGames,
    fold::{self, Fitness},
};
use crate::{
    Experiment,
    matches::{Games, Matches, Pairing, Scores, game_facts},
    own_columns,
    plan::{Artifact, Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, PlanError},
    population::Population,
};

/// Microseconds of an hour.
const HOUR_US: f64 = 3.6e9;

pub(crate) struct CoevolutionPlan {
    setup: Coevolution,
    language: PrimitiveSet,
    header: Header,
    seed: u64,
    scale: f64,
}

/// Where the run stands when a stage of it begins.
#[derive(Clone, Copy)]
struct At<'a> {
    /// Index of the stage.
    index: u32,
    generation: u32,
    /// Hash of the generation's population.
    population: &'a str,
    /// Executor time of everything before the stage, where a rule asks for it.
    spent_us: u64,
}

impl CoevolutionPlan {
    pub(crate) fn new(experiment: &Experiment, setup: &Coevolution) -> Self {
        CoevolutionPlan {
            language: players::evomcts::language(&setup.game).expect("checked: the game has evolved functions"),
            setup: setup.clone(),
            header: experiment.header(Kind::Coevolution),
            seed: experiment.seed,
            scale: experiment.scale,
        }
    }

    fn population(&self, hash: &str, artifacts: &dyn Artifacts) -> Result<Population, PlanError> {
        let data = artifacts.get(hash)?;
        let population = Population::parse(&data).and_then(|population| population.of_size(self.setup.population));
        population.map_err(|source| PlanError::Population { hash: hash.to_owned(), source })
    }

    fn facts(&self, at: At<'_>, phase: EvolutionPhase) -> serde_json::Value {
        to_json(&EvolutionFacts {
            header: self.header.clone(),
            game: game_facts(&self.setup.game),
            generations: Some(self.setup.generations),
            generation: at.generation,
            population: at.population.to_owned(),
            // Only where a rule asks for it: elsewhere stages of equal runs are equal.
            spent_us: self.setup.stop.core_hours.is_some().then_some(at.spent_us),
            phase,
        })
    }

    fn generation(&self, at: At<'_>) -> Stage {
        let individuals = Individuals {
            individuals: self.setup.population,
            games_as_first: self.setup.rounds(self.scale),
            player: self.setup.player.text_without_tree(),
        };
        let mut shape = generation_shape();
        shape.columns.extend(own_columns::columns(&self.setup.game.facts()));
        Stage {
            index: at.index,
            name: format!("generation {}", at.generation),
            trials: self.setup.generation_trials(self.scale),
            shape,
            labels: std::collections::BTreeMap::new(),
            meta: self.facts(at, EvolutionPhase::Generation(individuals)),
            artifacts: [vec![at.population.to_owned()], self.setup.player.artifacts()].concat(),
            ahead: self.setup.trials_after(at.generation, false, self.scale),
        }
    }

    /// Individuals that play in a benchmark: the best, and at the end of the run the finalists; then some that are
    /// drawn among the others.
    fn contestants(&self, generation: u32, last: bool, ranking: &[usize]) -> Vec<Contestant> {
        let best = if last { self.setup.benchmark.finalists.max(1) } else { 1 };
        let mut contestants = Vec::new();
        for (place, &individual) in ranking.iter().take(best).enumerate() {
            let (name, role) = match place {
                0 => ("best".to_owned(), Role::Best),
                place => (format!("finalist-{}", place + 1), Role::Finalist),
            };
            contestants.push(Contestant { name, individual, role });
        }
        let mut others: Vec<usize> = ranking[contestants.len()..].to_vec();
        others.sort_unstable();
        shuffle(&mut others, &mut TrialRng(Seed::derive(self.seed, generation, 0, purpose::SAMPLES).rng()));
        for (number, &individual) in others.iter().take(self.setup.benchmark.samples).enumerate() {
            contestants.push(Contestant { name: format!("sample-{}", number + 1), individual, role: Role::Sample });
        }
        contestants
    }

    /// The games of a benchmark: every contestant against every opponent.
    fn matches(&self, contestants: &[Contestant], population: &Population) -> Matches {
        let player = |contestant: &Contestant| {
            let tree = &population.individuals[contestant.individual].tree;
            (contestant.name.clone(), self.setup.player.with_tree(tree))
        };
        let mut players: Vec<_> = contestants.iter().map(player).collect();
        players.extend(self.setup.opponents.iter().cloned());
        let (champions, against) = (0..contestants.len() as u32, contestants.len() as u32..players.len() as u32);
        let pairing = Pairing::Gauntlet { champions: champions.collect(), against: against.collect() };
        Matches::new(self.setup.game.clone(), players, pairing, self.setup.opening_plies)
    }

    /// A benchmark of `population`, whose individuals have this ranking; `next` is the population behind it, if the
    /// benchmark does not end the run.
    fn benchmark(&self, at: At<'_>, ranking: Vec<usize>, next: Option<String>, population: &Population) -> Stage {
        let last = next.is_none();
        let contestants = self.contestants(at.generation, last, &ranking);
        let matches = self.matches(&contestants, population);
        let games = self.setup.benchmark_games(last, self.scale);
        let name = if last { "final benchmark".to_owned() } else { format!("benchmark {}", at.generation) };
        let artifacts = [at.population].into_iter().chain(next.as_deref()).map(str::to_owned).collect();
        let phase = Benchmark { pairs: matches.facts(games), last, contestants, ranking, next };
        Stage {
            meta: self.facts(at, EvolutionPhase::Benchmark(Box::new(phase))),
            artifacts,
            ahead: if last { 0 } else { self.setup.trials_after(at.generation, true, self.scale) },
            ..matches.stage(at.index, name, games)
        }
    }

    fn after_generation(
        &self,
        closed: &Stage,
        facts: &EvolutionFacts,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, PlanError> {
        let (generation, hash) = (facts.generation, &facts.population);
        let population = self.population(hash, artifacts)?;
        let fitness = Fitness::read(closed, rows, self.setup.population, 2 * self.setup.rounds(self.scale))?;
        let unreadable = |source| PlanError::Population { hash: hash.clone(), source };
        let trees = population.trees(&self.language).map_err(unreadable)?;
        let fold = fitness.fold(generation, &trees, &self.language);
        let spent_us = facts.spent_us.unwrap_or(0) + rows.elapsed_us()?;
        let out_of_time = self.setup.stop.core_hours.is_some_and(|hours| spent_us as f64 >= hours * HOUR_US);
        let last = generation + 1 >= self.setup.generations || out_of_time;
        if last && self.setup.opponents.is_empty() {
            return Ok(Closing::of(&fold, Next::Finished(Vec::new())));
        }
        let at = At { index: closed.index + 1, generation, population: hash, spent_us };
        let benchmark = |next| self.benchmark(at, ranking(&fitness.points), next, &population);
        let opening = if last {
            Opening::of(benchmark(None))
        } else {
            let bred = breed::next(&self.setup, &self.language, self.seed, &population, &fitness.points);
            let bred: Artifact = bred.map_err(unreadable)?.to_artifact();
            let next = bred.hash();
            let stage = if self.setup.is_benchmarked(generation) {
                benchmark(Some(next))
            } else {
                self.generation(At { generation: generation + 1, population: &next, ..at })
            };
            Opening { stage, artifacts: vec![bred] }
        };
        Ok(Closing::of(&fold, Next::Stage(Box::new(opening))))
    }

    fn after_benchmark(
        &self,
        closed: &Stage,
        facts: &EvolutionFacts,
        benchmark: &Benchmark,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, PlanError> {
        let Benchmark { last, ranking, next, .. } = benchmark;
        let hash = &facts.population;
        let population = self.population(hash, artifacts)?;
        let contestants = self.contestants(facts.generation, *last, ranking);
        let pairs = self.matches(&contestants, &population).pair_names();
        let scores = Scores::read(closed, rows, pairs.len(), Seat::Both)?;
        let fold = fold::of_benchmark(&scores, &closed.name, &pairs);
        let spent_us = facts.spent_us.unwrap_or(0) + rows.elapsed_us()?;
        let next = match next {
            Some(next) if !last => next,
            _ => return Ok(Closing::of(&fold, Next::Finished(Vec::new()))),
        };
        let (games, points) = scores.pairs.first().copied().unwrap_or_default();
        let reached = self.setup.stop.score.is_some_and(|score| games > 0 && points >= score * games as f64);
        let at = At { index: closed.index + 1, generation: facts.generation, population: hash, spent_us };
        let stage = if reached {
            self.benchmark(at, ranking.clone(), None, &population)
        } else {
            self.generation(At { generation: facts.generation + 1, population: next, ..at })
        };
        Ok(Closing::of(&fold, Next::Stage(Box::new(Opening::of(stage)))))
    }

    /// The facts of a stage, which say where the run stands.
    fn read(&self, stage: &Stage) -> Result<EvolutionFacts, PlanError> {
        let facts: EvolutionFacts = stage.facts()?;
        if let EvolutionPhase::Benchmark(benchmark) = &facts.phase {
            let (ranking, individuals) = (&benchmark.ranking, self.setup.population);
            if ranking.len() != individuals || ranking.iter().any(|&i| i >= individuals) {
                return Err(PlanError::Fact { stage: stage.index, fact: "ranking" });
            }
        }
        Ok(facts)
    }
}

impl Plan for CoevolutionPlan {
    fn first_stage(&self) -> Opening {
        let population = breed::initial(&self.setup, &self.language, self.seed).to_artifact();
        let at = At { index: 0, generation: 0, population: &population.hash(), spent_us: 0 };
        Opening { stage: self.generation(at), artifacts: vec![population] }
    }

    fn after(
        &self,
        closed: &Stage,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, PlanError> {
        let facts = self.read(closed)?;
        match &facts.phase {
            EvolutionPhase::Generation(_) => self.after_generation(closed, &facts, rows, artifacts),
            EvolutionPhase::Benchmark(benchmark) => self.after_benchmark(closed, &facts, benchmark, rows, artifacts),
        }
    }

    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError> {
        let facts = self.read(stage)?;
        let population = self.population(&facts.population, artifacts)?;
        match &facts.phase {
            EvolutionPhase::Generation(_) => {
                let trees: Vec<&str> = population.individuals.iter().map(|i| i.tree.as_str()).collect();
                let rounds = self.setup.rounds(self.scale);
                let games = FitnessGames::new(&self.setup, self.seed, facts.generation, rounds, &trees);
                Ok(Box::new(games.with_artifacts(artifacts)?))
            }
            EvolutionPhase::Benchmark(benchmark) => {
                let contestants = self.contestants(facts.generation, benchmark.last, &benchmark.ranking);
                let matches = self.matches(&contestants, &population);
                let games = self.setup.benchmark_games(benchmark.last, self.scale);
                // The final benchmark of a generation draws from another stream than an earlier one of it.
                let stream = 2 * facts.generation + u32::from(benchmark.last) + 1;
                Ok(Box::new(Games::new(matches, games, self.seed, stream).with_artifacts(artifacts)?))
            }
        }
    }
}
