//! What a run will cost, from a short calibration on this machine; and one trial again, for `replay`.

use players::play::Watcher;

use crate::{Experiment, kinds::Kind, value::Row};

/// Most pairs that are tried; more are taken to be like these.
const PAIRS_MAX: u64 = 24;

/// What a run will cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Trials of the first stage.
    pub trials: u64,
    /// Playouts in all, where players have a budget of playouts.
    pub playouts: Option<f64>,
    /// Executor seconds in all: divide by threads for elapsed time.
    pub executor_secs: f64,
    /// Trials that were run to know.
    pub sampled: u64,
}

/// A trial for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialDescription {
    /// (name, canonical spec) by seat; empty where trials have no players.
    pub seats: Vec<(String, String)>,
    /// Game with its options, where there is one.
    pub game: Option<String>,
}

impl Experiment {
    /// Runs a few trials within about `seconds` of `clock` and extrapolates. `clock` gives seconds.
    ///
    /// # Errors
    /// A trial that fails.
    pub fn forecast(&self, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, String> {
        let trials = self.trial_count();
        let plan = crate::plan(self);
        let executor = plan.executor(&plan.first_stage())?;
        let groups = match &self.kind {
            Kind::MatchGrid(grid) => grid.pairing.count(),
            Kind::Synthetic(_) => 1,
        };
        let tried = groups.min(PAIRS_MAX);
        let (start, mut sampled, mut secs, mut playouts) = (clock(), 0u64, 0.0, 0.0);
        for i in 0..tried {
            // Spread over the pairs, the first trial of each.
            let trial = (u128::from(i) * u128::from(groups) / u128::from(tried)) as u64 * (trials / groups);
            let before = clock();
            let row = executor.run(trial)?;
            secs += clock() - before;
            playouts += self.playouts_of(&row);
            sampled += 1;
            if clock() - start > seconds && sampled >= 2 {
                break;
            }
        }
        let scale = trials as f64 / sampled as f64;
        Ok(Forecast {
            trials,
            playouts: (playouts > 0.0).then_some(playouts * scale),
            executor_secs: secs * scale,
            sampled,
        })
    }

    fn playouts_of(&self, row: &Row) -> f64 {
        let int = |name: &str| {
            let stage = crate::plan(self).first_stage();
            let column = stage.shape.columns.iter().position(|c| c.name == name);
            match column.map(|column| &row[column]) {
                Some(crate::value::Value::Int(value)) => *value as f64,
                _ => 0.0,
            }
        };
        int("first_iterations") + int("second_iterations")
    }

    /// Who sits where in a trial of the first stage. `None` where there is no such trial.
    pub fn describe_trial(&self, trial: u64) -> Option<TrialDescription> {
        if trial >= self.trial_count() {
            return None;
        }
        Some(match &self.kind {
            Kind::Synthetic(_) => TrialDescription { seats: Vec::new(), game: None },
            Kind::MatchGrid(grid) => {
                let (_, seats) = crate::kinds::GridPlan::new(self, grid).games().seats(trial);
                let seat = |player: u32| {
                    let (name, spec) = &grid.players[player as usize];
                    (name.clone(), spec.to_string())
                };
                TrialDescription { seats: seats.map(seat).to_vec(), game: Some(grid.game.to_string()) }
            }
        })
    }

    /// Runs one trial of the first stage again and shows its plies to `watcher`, where it is a game.
    ///
    /// # Errors
    /// Why the trial has no result.
    pub fn replay(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, String> {
        match &self.kind {
            Kind::MatchGrid(grid) => crate::kinds::GridPlan::new(self, grid).games().play(trial, Some(watcher)),
            Kind::Synthetic(_) => {
                let plan = crate::plan(self);
                plan.executor(&plan.first_stage())?.run(trial)
            }
        }
    }
}
