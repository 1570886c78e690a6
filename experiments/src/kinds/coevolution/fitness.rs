//! The games of a generation.

use games::{Seed, purpose};
use players::{
    GameSetup, PlayerSpec, TrialRng,
    artifacts::HeldArtifacts,
    play::{Watcher, prepare},
};
use record::{Row, Value};

use super::{Coevolution, breed::shuffle};
use crate::{
    artifacts,
    matches::game_values,
    own_columns,
    plan::{Artifacts, Executor, StoreError, TrialError},
    trial::TrialDescription,
};

/// Who meets whom in a generation: in each round every individual sits first against another, and second against
/// another.
#[derive(Clone, Debug)]
pub(super) struct Pairings {
    /// By round, then by who sits first: who sits second.
    second: Vec<Vec<u32>>,
    individuals: u64,
}

impl Pairings {
    /// Those of generation `generation`: a random permutation without fixed point a round.
    pub(super) fn new(seed: u64, generation: u32, rounds: u64, individuals: usize) -> Self {
        let round = |round: u64| {
            let mut draws = TrialRng(Seed::derive(seed, generation, round, purpose::OPPONENTS).rng());
            let mut order: Vec<u32> = (0..individuals as u32).collect();
            // About every third permutation has no fixed point.
            loop {
                shuffle(&mut order, &mut draws);
                if order.iter().zip(0..).all(|(&second, first)| second != first) {
                    break order;
                }
            }
        };
        Pairings { second: (0..rounds).map(round).collect(), individuals: individuals as u64 }
    }

    fn trials(&self) -> u64 {
        self.second.len() as u64 * self.individuals
    }

    /// Round, first and second individual of a trial.
    pub(super) fn of(&self, trial: u64) -> Option<(u64, [u32; 2])> {
        let (round, first) = (trial / self.individuals, trial % self.individuals);
        let second = self.second.get(usize::try_from(round).ok()?)?[first as usize];
        Some((round, [first as u32, second]))
    }
}

/// Plays the games of a generation.
pub(super) struct FitnessGames {
    setup: Coevolution,
    seed: u64,
    generation: u32,
    pairings: Pairings,
    players: Vec<PlayerSpec>,
    /// What the players need.
    artifacts: HeldArtifacts,
}

impl FitnessGames {
    pub(super) fn new(setup: &Coevolution, seed: u64, generation: u32, rounds: u64, trees: &[&str]) -> Self {
        FitnessGames {
            pairings: Pairings::new(seed, generation, rounds, trees.len()),
            players: trees.iter().map(|tree| setup.player.with_tree(tree)).collect(),
            setup: setup.clone(),
            seed,
            generation,
            artifacts: HeldArtifacts::default(),
        }
    }

    /// The same with what the players need, from a store.
    pub(super) fn with_artifacts(self, artifacts: &dyn Artifacts) -> Result<Self, StoreError> {
        Ok(FitnessGames { artifacts: artifacts::held_for(&self.players, artifacts)?, ..self })
    }

    fn setup(&self, trial: u64) -> GameSetup {
        let seed = |stream: &str| Seed::derive(self.seed, self.generation, trial, &purpose::in_fitness_game(stream));
        GameSetup {
            opening_plies: self.setup.opening_plies,
            opening_seed: seed(purpose::OPENING),
            player_seeds: [seed(purpose::FIRST), seed(purpose::SECOND)],
        }
    }

    fn play(&self, trial: u64, watcher: Option<&mut Watcher<'_>>) -> Result<Row, TrialError> {
        let there = self.pairings.of(trial);
        let (round, seats) = there.ok_or_else(|| TrialError::NoSuchTrial { trial, trials: self.pairings.trials() })?;
        let specs = seats.map(|individual| &self.players[individual as usize]);
        let mut game = prepare(&self.setup.game, specs, &self.artifacts)
            .map_err(|error| TrialError::Players(error.to_string()))?;
        let record = game.play_watched(&self.setup(trial), watcher);
        // In the order of the columns of `generation_shape`, then the game's own.
        let mut row = vec![Value::count(round), Value::Int(seats[0].into()), Value::Int(seats[1].into())];
        row.extend(game_values(&record));
        row.extend(record.columns.iter().map(own_columns::value));
        Ok(row)
    }
}

impl Executor for FitnessGames {
    fn run(&self, trial: u64) -> Result<Row, TrialError> {
        self.play(trial, None)
    }

    fn watch(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, TrialError> {
        self.play(trial, Some(watcher))
    }

    fn describe(&self, trial: u64) -> Option<TrialDescription> {
        let (_, seats) = self.pairings.of(trial)?;
        let names = seats.map(|individual| format!("individual-{individual}"));
        let seat = |i: usize| (names[i].as_str(), &self.players[seats[i] as usize]);
        Some(TrialDescription::of_game(&self.setup.game, [seat(0), seat(1)], &self.setup(trial)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_sits_first_and_second_in_every_round_and_meets_no_one_twice_in_it() {
        for individuals in [2, 3, 24, 121] {
            let pairings = Pairings::new(9, 4, 5, individuals);
            for round in 0..5u64 {
                let mut seconds = Vec::new();
                for first in 0..individuals as u64 {
                    let (found, [a, b]) = pairings.of(round * individuals as u64 + first).expect("a trial");
                    assert_eq!((found, u64::from(a)), (round, first));
                    assert_ne!(a, b);
                    seconds.push(b);
                }
                seconds.sort_unstable();
                assert_eq!(seconds, (0..individuals as u32).collect::<Vec<_>>());
            }
            assert_eq!(pairings.of(5 * individuals as u64), None);
        }
    }

    #[test]
    fn generations_and_rounds_differ() {
        let all = |generation| -> Vec<_> {
            let pairings = Pairings::new(9, generation, 2, 50);
            (0..100).map(|trial| pairings.of(trial).expect("a trial").1[1]).collect()
        };
        let (zero, one) = (all(0), all(1));
        assert_ne!(zero, one);
        assert_ne!(zero[..50], zero[50..]);
    }
}
