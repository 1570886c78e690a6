//! One trial by its index: who plays under which seeds, and the trial again.

use players::play::Watcher;

use crate::{
    Experiment,
    kinds::{GridPlan, Kind},
    value::Row,
};

/// A trial for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialDescription {
    /// (name, canonical spec) by seat; empty where trials have no players.
    pub seats: Vec<(String, String)>,
    /// Game with its options, where there is one.
    pub game: Option<String>,
    /// Random plies before the players take over.
    pub opening_plies: u32,
    /// Random streams the trial draws from: what for, and the seed in hexadecimal.
    pub seeds: Vec<(String, String)>,
}

impl Experiment {
    /// Who sits where in a trial of the first stage. `None` where there is no such trial.
    pub fn describe_trial(&self, trial: u64) -> Option<TrialDescription> {
        if trial >= self.trial_count() {
            return None;
        }
        Some(match &self.kind {
            Kind::Synthetic(_) => {
                let seed = crate::kinds::synthetic_seed(self.seed, trial);
                let seeds = vec![("value".to_owned(), seed.to_string())];
                TrialDescription { seats: Vec::new(), game: None, opening_plies: 0, seeds }
            }
            Kind::MatchGrid(grid) => {
                let games = GridPlan::new(self, grid).games();
                let (unit, seats) = games.seats(trial);
                let setup = games.setup(unit);
                let [first, second] = seats.map(|player| &grid.players[player as usize]);
                let [first_seed, second_seed] = setup.player_seeds;
                TrialDescription {
                    seats: [first, second].map(|(name, spec)| (name.clone(), spec.to_string())).to_vec(),
                    game: Some(grid.game.to_string()),
                    opening_plies: setup.opening_plies,
                    seeds: [("opening", setup.opening_seed), ("first", first_seed), ("second", second_seed)]
                        .map(|(stream, seed)| (stream.to_owned(), seed.to_string()))
                        .to_vec(),
                }
            }
        })
    }

    /// Runs one trial of the first stage again and shows its plies to `watcher`, where it is a game.
    ///
    /// # Errors
    /// Why the trial has no result.
    pub fn replay(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, String> {
        match &self.kind {
            Kind::MatchGrid(grid) => GridPlan::new(self, grid).games().play(trial, Some(watcher)),
            Kind::Synthetic(_) => {
                let plan = crate::plan(self);
                plan.executor(&plan.first_stage())?.run(trial)
            }
        }
    }
}
