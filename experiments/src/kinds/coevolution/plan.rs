//! The state machine: generations, benchmarks, the end.

use gp::PrimitiveSet;
use players::TrialRng;
use serde_json::json;

use super::{
    Coevolution, Population,
    breed::{self, ranking, shuffle},
    fitness::{self, FitnessGames},
    fold::{self, Fitness},
};
use crate::{
    Experiment,
    kinds::match_grid::{Games, MatchGrid, Pairing, Scores, Seating, match_stage},
    plan::{Artifact, Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, Stage},
};
use games::Seed;

/// Microseconds of an hour.
const HOUR_US: f64 = 3.6e9;

pub(crate) struct CoevolutionPlan {
    setup: Coevolution,
    language: PrimitiveSet,
    name: String,
    title: String,
    paper: Option<String>,
    seed: u64,
    scale: f64,
}

/// What the facts of a stage say of where it stands.
#[derive(Clone, Copy)]
struct Place {
    generation: u32,
    /// Executor time of everything before this stage, where a rule asks for it.
    spent_us: u64,
}

enum Phase {
    Generation,
    Benchmark(Benchmark),
}

/// A benchmark of a generation.
struct Benchmark {
    /// Whether it ends the run.
    last: bool,
    /// Individuals of the generation by fitness.
    ranking: Vec<usize>,
    /// Hash of the next population; none at the end.
    next: Option<String>,
}

impl CoevolutionPlan {
    pub(crate) fn new(experiment: &Experiment, setup: &Coevolution) -> Self {
        CoevolutionPlan {
            language: players::evomcts::language(&setup.game).expect("checked: the game has evolved functions"),
            setup: setup.clone(),
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            paper: experiment.paper.clone(),
            seed: experiment.seed,
            scale: experiment.scale,
        }
    }

    fn population(&self, hash: &str, artifacts: &dyn Artifacts) -> Result<Population, String> {
        let population =
            Population::parse(&artifacts.get(hash)?).map_err(|error| format!("artifact {hash} {error}"))?;
        let found = population.individuals.len();
        if found != self.setup.population {
            return Err(format!("population {hash} has {found} individuals instead of {}", self.setup.population));
        }
        Ok(population)
    }

    /// Facts that every stage has.
    fn facts(&self, stage: &mut Stage, phase: &str, generation: u32, spent_us: u64) {
        let meta = &mut stage.meta;
        meta["kind"] = "coevolution".into();
        meta["phase"] = phase.into();
        meta["experiment"] = self.name.as_str().into();
        meta["title"] = self.title.as_str().into();
        meta["game"] = self.setup.game.to_string().into();
        meta["score_unit"] = self.setup.game.facts().score_unit.into();
        meta["paper"] = self.paper.as_deref().into();
        meta["seed"] = self.seed.into();
        meta["scale"] = self.scale.into();
        meta["reproducible"] = self.setup.reproducible().into();
        meta["generations"] = self.setup.generations.into();
        meta["generation"] = generation.into();
        // The clock's part of a stage only where a rule asks for it: elsewhere stages of equal runs are equal.
        if self.setup.stop.core_hours.is_some() {
            meta["spent_us"] = spent_us.into();
        }
    }

    fn generation(&self, index: u32, generation: u32, population: &str, spent_us: u64) -> Stage {
        let mut stage = Stage {
            index,
            name: format!("generation {generation}"),
            trials: self.setup.generation_trials(self.scale),
            shape: fitness::shape(),
            labels: std::collections::BTreeMap::new(),
            meta: json!({
                "individuals": self.setup.population,
                "games_as_first": self.setup.rounds(self.scale),
                "population": population,
                "player": self.setup.player.text_without_tree(),
            }),
            artifacts: vec![population.to_owned()],
            ahead: self.setup.trials_after(generation, false, self.scale),
        };
        self.facts(&mut stage, "generation", generation, spent_us);
        stage
    }

    /// Contestants of a benchmark: name, index in the population, role.
    fn contestants(&self, generation: u32, last: bool, ranking: &[usize]) -> Vec<(String, usize, &'static str)> {
        let best = if last { self.setup.benchmark.finalists.max(1) } else { 1 };
        let mut contestants = Vec::new();
        for (place, &individual) in ranking.iter().take(best).enumerate() {
            contestants.push(match place {
                0 => ("best".to_owned(), individual, "best"),
                place => (format!("finalist-{}", place + 1), individual, "finalist"),
            });
        }
        let mut others: Vec<usize> = ranking[contestants.len()..].to_vec();
        others.sort_unstable();
        shuffle(&mut others, &mut TrialRng(Seed::derive(self.seed, generation, 0, "samples").rng()));
        for (number, &individual) in others.iter().take(self.setup.benchmark.samples).enumerate() {
            contestants.push((format!("sample-{}", number + 1), individual, "sample"));
        }
        contestants
    }

    /// The grid of a benchmark: every contestant against every opponent.
    fn grid(&self, contestants: &[(String, usize, &str)], population: &Population) -> MatchGrid {
        let player = |(name, index, _): &(String, usize, &str)| {
            (name.clone(), self.setup.player.with_tree(&population.individuals[*index].tree))
        };
        let mut players: Vec<_> = contestants.iter().map(player).collect();
        players.extend(self.setup.opponents.iter().cloned());
        let (champions, against) = (0..contestants.len() as u32, contestants.len() as u32..players.len() as u32);
        let pairing = Pairing::Gauntlet { champions: champions.collect(), against: against.collect() };
        MatchGrid::new(self.setup.game.clone(), players, pairing, self.setup.opening_plies)
    }

    /// A benchmark of `population`, called `hash`.
    fn benchmark(&self, index: u32, of: &Benchmark, hash: &str, population: &Population, spent_us: u64) -> Stage {
        let Benchmark { last, ranking, next } = of;
        let generation = population.generation;
        let contestants = self.contestants(generation, *last, ranking);
        let grid = self.grid(&contestants, population);
        let name = if *last { "final benchmark".to_owned() } else { format!("benchmark {generation}") };
        let mut stage = match_stage(&grid, self.setup.benchmark_games(*last, self.scale), index, &name);
        self.facts(&mut stage, "benchmark", generation, spent_us);
        let contestants: Vec<serde_json::Value> = contestants
            .iter()
            .map(|(name, individual, role)| json!({ "name": name, "individual": individual, "role": role }))
            .collect();
        stage.meta["final"] = (*last).into();
        stage.meta["contestants"] = contestants.into();
        stage.meta["population"] = hash.into();
        stage.meta["ranking"] = ranking.iter().copied().collect();
        stage.meta["next"] = next.as_deref().into();
        stage.artifacts = [hash].into_iter().chain(next.as_deref()).map(str::to_owned).collect();
        stage.ahead = if *last { 0 } else { self.setup.trials_after(generation, true, self.scale) };
        stage
    }

    fn after_generation(
        &self,
        closed: &Stage,
        place: Place,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, String> {
        let (generation, hash) = (place.generation, text(closed, "population")?);
        let population = self.population(&hash, artifacts)?;
        let fitness = Fitness::read(rows, self.setup.population, 2 * self.setup.rounds(self.scale))?;
        let fold = fitness.fold(generation, &population.trees(&self.language)?, &self.language);
        let spent_us = place.spent_us + rows.elapsed_us()?;
        let out_of_time = self.setup.stop.core_hours.is_some_and(|hours| spent_us as f64 >= hours * HOUR_US);
        let last = generation + 1 >= self.setup.generations || out_of_time;
        let index = closed.index + 1;
        if last && self.setup.opponents.is_empty() {
            return Ok(Closing { fold, next: Next::Finished });
        }
        let benchmark = |next: Option<String>| {
            let of = Benchmark { last, ranking: ranking(&fitness.points), next };
            self.benchmark(index, &of, &hash, &population, spent_us)
        };
        let opening = if last {
            Opening::of(benchmark(None))
        } else {
            let bred = breed::next(&self.setup, &self.language, self.seed, &population, &fitness.points)?;
            let bred: Artifact = bred.to_artifact();
            let next = bred.hash();
            let stage = if self.setup.is_benchmarked(generation) {
                benchmark(Some(next))
            } else {
                self.generation(index, generation + 1, &next, spent_us)
            };
            Opening { stage, artifacts: vec![bred] }
        };
        Ok(Closing { fold, next: Next::Stage(Box::new(opening)) })
    }

    fn after_benchmark(
        &self,
        closed: &Stage,
        place: Place,
        benchmark: Benchmark,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, String> {
        let Benchmark { last, ranking, next } = benchmark;
        let hash = text(closed, "population")?;
        let population = self.population(&hash, artifacts)?;
        let pairs = self.grid(&self.contestants(place.generation, last, &ranking), &population).pair_names();
        let scores = Scores::read(rows, pairs.len(), Seating::Both)?;
        let fold = fold::of_benchmark(&scores, &closed.name, &pairs);
        let spent_us = place.spent_us + rows.elapsed_us()?;
        let next = match next {
            Some(next) if !last => next,
            _ => return Ok(Closing { fold, next: Next::Finished }),
        };
        let (games, points) = scores.pairs.first().copied().unwrap_or_default();
        let reached = self.setup.stop.score.is_some_and(|score| games > 0 && points >= score * games as f64);
        let stage = if reached {
            let of = Benchmark { last: true, ranking, next: None };
            self.benchmark(closed.index + 1, &of, &hash, &population, spent_us)
        } else {
            self.generation(closed.index + 1, place.generation + 1, &next, spent_us)
        };
        Ok(Closing { fold, next: Next::Stage(Box::new(Opening::of(stage))) })
    }

    fn place(&self, stage: &Stage) -> Result<(Place, Phase), String> {
        let wrong = |what: &str| format!("stage {} says nothing of its {what}", stage.index);
        let generation = stage.meta["generation"].as_u64().and_then(|g| u32::try_from(g).ok());
        let phase = match stage.meta["phase"].as_str() {
            Some("generation") => Phase::Generation,
            Some("benchmark") => {
                let ranking: Vec<usize> =
                    serde_json::from_value(stage.meta["ranking"].clone()).map_err(|_| wrong("ranking"))?;
                if ranking.len() != self.setup.population || ranking.iter().any(|&i| i >= self.setup.population) {
                    return Err(wrong("ranking"));
                }
                Phase::Benchmark(Benchmark {
                    last: stage.meta["final"].as_bool().ok_or_else(|| wrong("end"))?,
                    ranking,
                    next: stage.meta["next"].as_str().map(str::to_owned),
                })
            }
            _ => return Err(wrong("phase")),
        };
        let place = Place {
            generation: generation.ok_or_else(|| wrong("generation"))?,
            spent_us: stage.meta["spent_us"].as_u64().unwrap_or(0),
        };
        Ok((place, phase))
    }
}

fn text(stage: &Stage, key: &str) -> Result<String, String> {
    stage.meta[key]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| format!("stage {} says nothing of its {key}", stage.index))
}

impl Plan for CoevolutionPlan {
    fn first_stage(&self) -> Opening {
        let population = breed::initial(&self.setup, &self.language, self.seed).to_artifact();
        Opening { stage: self.generation(0, 0, &population.hash(), 0), artifacts: vec![population] }
    }

    fn after(&self, closed: &Stage, rows: &mut dyn ClosedRows, artifacts: &dyn Artifacts) -> Result<Closing, String> {
        let (place, phase) = self.place(closed)?;
        match phase {
            Phase::Generation => self.after_generation(closed, place, rows, artifacts),
            Phase::Benchmark(benchmark) => self.after_benchmark(closed, place, benchmark, rows, artifacts),
        }
    }

    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, String> {
        let (place, phase) = self.place(stage)?;
        let population = self.population(&text(stage, "population")?, artifacts)?;
        match phase {
            Phase::Generation => {
                let trees: Vec<&str> = population.individuals.iter().map(|i| i.tree.as_str()).collect();
                let rounds = self.setup.rounds(self.scale);
                Ok(Box::new(FitnessGames::new(&self.setup, self.seed, place.generation, rounds, &trees)))
            }
            Phase::Benchmark(Benchmark { last, ranking, .. }) => {
                let contestants = self.contestants(place.generation, last, &ranking);
                let grid = self.grid(&contestants, &population);
                let games = self.setup.benchmark_games(last, self.scale);
                // The final benchmark of a generation is another than an earlier one of it.
                let stage = 2 * place.generation + u32::from(last) + 1;
                Ok(Box::new(Games::new(grid, games, self.seed, stage)))
            }
        }
    }
}
