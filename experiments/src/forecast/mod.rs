//! What a run will cost, from a short calibration on this machine.

pub(crate) mod cells;
mod grid;
mod study;

use crate::{
    Experiment,
    kinds::Kind,
    plan::{PlanError, TrialError},
};

/// What a run will cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Trials in all, where nothing ends the run early.
    pub trials: u64,
    /// Playouts in all, where players have a budget of playouts; of a study iterations.
    pub playouts: Option<f64>,
    /// Executor seconds in all: divide by threads for elapsed time.
    pub executor_secs: f64,
    /// Trials that were run to know.
    pub sampled: u64,
    /// What the sums come from, in order of the trials: every cell, or 64 spread over them. Empty where trials have no
    /// players.
    pub cells: Vec<CellForecast>,
}

/// What trials that are alike will cost: the games of a pair, or the runs of an agent at a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct CellForecast {
    /// Names of the two players, or of problem and agent.
    pub names: [String; 2],
    /// How many there are.
    pub trials: u64,
    /// Executor seconds of one.
    pub secs_per_trial: f64,
    /// Playouts of one, all players together.
    pub playouts_per_trial: f64,
    /// Trials that were run to know; 0 where other cells tell of the players.
    pub sampled: u64,
}

/// Why there is no forecast.
#[derive(Debug, thiserror::Error)]
pub enum ForecastError {
    /// The first stage cannot be run here.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A trial that was tried has no result.
    #[error(transparent)]
    Trial(#[from] TrialError),
}

impl Experiment {
    /// Runs a few trials within about `seconds` of `clock` and extrapolates. `clock` gives seconds.
    ///
    /// Every pair of a grid, and every agent at every problem of a study, has its turn, one trial at a time, those with
    /// the least playouts first. One whose trial would overrun the time is not tried: its cost comes from the trials
    /// that were, by playout.
    ///
    /// # Errors
    /// A trial that fails.
    pub fn forecast(&self, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, ForecastError> {
        match &self.kind {
            Kind::MatchGrid(grid) => Ok(grid::forecast(self, grid, clock, seconds)?),
            Kind::Study(study) => Ok(study::forecast(self, study, clock, seconds)?),
            Kind::Coevolution(setup) => self.forecast_first(setup.trials_in_all(self.scale), clock, seconds),
            Kind::Learning(setup) => self.forecast_first(setup.trials_in_all(self.scale), clock, seconds),
            Kind::Tuning(setup) => self.forecast_first(setup.trials_in_all(self.scale), clock, seconds),
            Kind::Synthetic(_) => self.forecast_alike(clock, seconds),
        }
    }

    /// The forecast of a run with `in_all` trials: games of later stages are taken to cost what those of the first cost.
    fn forecast_first(&self, in_all: u64, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, ForecastError> {
        let mut forecast = self.forecast_alike(clock, seconds)?;
        forecast.executor_secs *= in_all as f64 / forecast.trials as f64;
        forecast.trials = in_all;
        Ok(forecast)
    }

    /// Up to `count` trials spread evenly over all of them, ascending.
    pub fn sample_trials(&self, count: u64) -> Vec<u64> {
        spread(self.trial_count(), count)
    }

    /// The forecast of trials that are all alike.
    fn forecast_alike(&self, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, ForecastError> {
        const ENOUGH: u64 = 1000;
        let plan = crate::plan(self);
        let opening = plan.first_stage();
        let executor = plan.executor(&opening.stage, &opening.artifacts)?;
        let (start, mut sampled) = (clock(), 0);
        for trial in self.sample_trials(ENOUGH) {
            executor.run(trial)?;
            sampled += 1;
            if clock() - start > seconds {
                break;
            }
        }
        let trials = self.trial_count();
        let executor_secs = (clock() - start) * trials as f64 / sampled as f64;
        Ok(Forecast { trials, playouts: None, executor_secs, sampled, cells: Vec::new() })
    }
}

/// `count` of `total` indices, evenly spread, ascending; all of them if there are fewer.
pub(crate) fn spread(total: u64, count: u64) -> Vec<u64> {
    let count = count.min(total);
    let at = |i: u64| u128::from(i) * u128::from(total) / u128::from(count);
    (0..count).map(|i| u64::try_from(at(i)).expect("less than the total")).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{cells::ROUNDS_MAX, *};
    use crate::Overrides;

    fn experiment(players: &str) -> Experiment {
        let text = format!(
            "format = 1\nname = \"x\"\nkind = \"match-grid\"\ngame = \"reversi\"\n[players]\n{players}\n\
             [match-grid]\npairing = \"round-robin\"\ngames-per-pair = 1000\n"
        );
        Experiment::parse(&text, "x.toml", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"))
    }

    /// A clock that goes on by a second whenever it is read.
    fn ticking() -> impl Fn() -> f64 {
        let time = Cell::new(0.0);
        move || time.replace(time.get() + 1.0)
    }

    #[test]
    fn every_pair_is_tried_and_counts_with_its_own_games() {
        let experiment = experiment("a = \"random\"\nb = \"mcts:playouts=2\"\nc = \"mcts:playouts=4\"");
        let forecast = experiment.forecast(&|| 0.0, 1.0).expect("games can be played");
        assert_eq!(forecast.trials, 3000);
        assert_eq!(forecast.sampled, 3 * ROUNDS_MAX);
        let names: Vec<_> = forecast.cells.iter().map(|pair| pair.names.join(" ")).collect();
        assert_eq!(names, ["a b", "a c", "b c"]);
        // The tree is kept, so that some decisions cost less than their budget; none costs more.
        let playouts: Vec<_> = forecast.cells.iter().map(|pair| pair.playouts_per_trial).collect();
        assert!(playouts[0] < playouts[1] && playouts[1] < playouts[2], "{playouts:?}");
        let mean = playouts.iter().sum::<f64>() / 3.0;
        assert_eq!(forecast.playouts, Some(mean * 3000.0));
    }

    #[test]
    fn a_pair_too_slow_to_try_is_extrapolated_by_its_playouts() {
        let experiment = experiment("a = \"mcts:playouts=2\"\nb = \"mcts:playouts=3\"\nc = \"mcts:playouts=1000000\"");
        // Each game takes one tick; at a second for 5 playouts a decision, `c` would take days.
        let forecast = experiment.forecast(&ticking(), 20.0).expect("games can be played");
        let by_pair: Vec<_> = forecast.cells.iter().map(|pair| (pair.sampled, pair.secs_per_trial)).collect();
        assert!(by_pair[0].0 > 0);
        assert_eq!(by_pair[0].1, 1.0);
        assert_eq!([by_pair[1].0, by_pair[2].0], [0, 0]);
        assert!((by_pair[1].1 - 1_000_002.0 / 5.0).abs() < 1e-6, "{by_pair:?}");
        assert!((by_pair[2].1 - 1_000_003.0 / 5.0).abs() < 1e-6, "{by_pair:?}");
    }

    /// Minimax takes its time whatever others' playouts are: it says nothing of them, and is tried itself.
    #[test]
    fn a_search_to_a_depth_is_no_measure_of_playouts() {
        let experiment = experiment(
            "a = \"minimax:depth=1\"\nb = \"alpha-beta:depth=1\"\nc = \"mcts:playouts=2\"\nd = \"mcts:playouts=400\"",
        );
        // Each game takes a tick. Were (a, b) taken for two playouts a decision, games of d would take 200.
        let forecast = experiment.forecast(&ticking(), 100.0).expect("games can be played");
        let by_pair: Vec<_> = forecast.cells.iter().map(|pair| (pair.sampled > 0, pair.secs_per_trial)).collect();
        assert_eq!(by_pair, [(true, 1.0); 6]);
    }

    #[test]
    fn a_time_budget_is_not_tried_out() {
        let experiment = experiment("a = \"random\"\nb = \"mcts:time-ms=60000\"");
        let forecast = experiment.forecast(&ticking(), 2.0).expect("nothing is played");
        assert_eq!(forecast.sampled, 0);
        assert!(forecast.executor_secs > 1000.0 * 30.0 * 60.0, "{forecast:?}");
    }

    #[test]
    fn every_agent_at_every_problem_is_tried_and_counts_with_its_own_runs() {
        let study = |agents: &str| {
            let text = format!(
                "format = 1\nname = \"x\"\nkind = \"study\"\n[problems]\na = \"fop\"\nb = \"dodgem:size=3\"\n[players]\n\
                 {agents}\n[study]\nruns = 100\n"
            );
            Experiment::parse(&text, "x.toml", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"))
        };
        let agents = "ea = \"ea-mcts:playouts=50,generations=1,fitness-iterations=2\"\nfew = \"mcts:playouts=7\"";
        let forecast = study(agents).forecast(&|| 0.0, 1.0).expect("runs can be made");
        assert_eq!((forecast.trials, forecast.sampled), (400, 4 * ROUNDS_MAX));
        let names: Vec<_> = forecast.cells.iter().map(|cell| cell.names.join(" ")).collect();
        assert_eq!(names, ["a ea", "a few", "b ea", "b few"]);
        // Iterations, those that measure fitness among them.
        let playouts: Vec<_> = forecast.cells.iter().map(|cell| cell.playouts_per_trial).collect();
        assert_eq!(playouts, [50.0, 7.0, 50.0, 7.0]);
        assert_eq!(forecast.playouts, Some(100.0 * 114.0));
        // Cheapest first: at a tick a run, the time is over before the dear one, whose cost is derived from the others.
        let agents = "few = \"mcts:playouts=10\"\nlong = \"mcts:playouts=100000000\"";
        let forecast = study(agents).forecast(&ticking(), 100.0).expect("runs can be made");
        let cells: Vec<_> = forecast.cells.iter().map(|cell| (cell.sampled > 0, cell.secs_per_trial)).collect();
        assert_eq!(cells, [(true, 1.0), (false, 1e7), (true, 1.0), (false, 1e7)]);
    }

    #[test]
    fn samples_are_spread_over_all_trials() {
        assert_eq!(spread(10, 3), [0, 3, 6]);
        assert_eq!(spread(3, 10), [0, 1, 2]);
        assert_eq!(spread(u64::MAX, 2), [0, u64::MAX / 2]);
        assert_eq!(spread(0, 2), [0u64; 0]);
    }
}
