//! What a run will cost, from a short calibration on this machine.

use games::spec;
use players::PlayerSpec;

use crate::{
    Experiment,
    kinds::{DECISIONS, Games, ITERATIONS, Kind, MatchGrid},
    value::{Row, Value},
};

/// Most pairs that are tried; more are taken to be like these.
const TRIED_MAX: u64 = 64;

/// Most games of a pair that are tried.
const ROUNDS_MAX: u64 = 16;

/// A game that takes longer than this many times its share of the calibration is estimated from its players.
const PATIENCE: f64 = 4.0;

/// What a run will cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Trials in all, where nothing ends the run early.
    pub trials: u64,
    /// Playouts in all, where players have a budget of playouts.
    pub playouts: Option<f64>,
    /// Executor seconds in all: divide by threads for elapsed time.
    pub executor_secs: f64,
    /// Trials that were run to know.
    pub sampled: u64,
    /// The pairs that the sums come from, in order of the grid: all of them, or 64 spread over it. Empty where
    /// trials have no players.
    pub pairs: Vec<PairForecast>,
}

/// What the games of one pair will cost.
#[derive(Clone, Debug, PartialEq)]
pub struct PairForecast {
    /// Names of the two players.
    pub players: [String; 2],
    /// Games of the pair.
    pub games: u64,
    /// Executor seconds of a game.
    pub secs_per_game: f64,
    /// Playouts of a game, both players together.
    pub playouts_per_game: f64,
    /// Games that were played to know; 0 where other pairs tell of the players.
    pub sampled: u64,
}

impl Experiment {
    /// Runs a few trials within about `seconds` of `clock` and extrapolates. `clock` gives seconds.
    ///
    /// Every pair has its turn, one game at a time, the pairs with the least playouts first. A pair whose game would
    /// overrun the time is not tried: its cost comes from the games that were, by playout.
    ///
    /// # Errors
    /// A trial that fails.
    pub fn forecast(&self, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, String> {
        match &self.kind {
            Kind::MatchGrid(grid) => {
                let games = crate::kinds::GridPlan::new(self, grid).games();
                forecast_grid(grid, &games, clock, seconds)
            }
            Kind::Coevolution(setup) => self.forecast_first(setup.trials_in_all(self.scale), clock, seconds),
            Kind::Tuning(setup) => self.forecast_first(setup.trials_in_all(self.scale), clock, seconds),
            Kind::Synthetic(_) => self.forecast_alike(clock, seconds),
        }
    }

    /// Of a run with `in_all` trials: later stages are taken to cost what games of the first cost.
    fn forecast_first(&self, in_all: u64, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, String> {
        let mut forecast = self.forecast_alike(clock, seconds)?;
        forecast.executor_secs *= in_all as f64 / forecast.trials as f64;
        forecast.trials = in_all;
        Ok(forecast)
    }

    /// Up to `count` trials spread evenly over all of them, ascending.
    pub fn sample_trials(&self, count: u64) -> Vec<u64> {
        spread(self.trial_count(), count)
    }

    /// Of trials that are all alike.
    fn forecast_alike(&self, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, String> {
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
        Ok(Forecast { trials, playouts: None, executor_secs, sampled, pairs: Vec::new() })
    }
}

/// `count` of `total` indices, evenly spread, ascending; all of them if there are no more.
fn spread(total: u64, count: u64) -> Vec<u64> {
    let count = count.min(total);
    let at = |i: u64| u128::from(i) * u128::from(total) / u128::from(count);
    (0..count).map(|i| u64::try_from(at(i)).expect("less than the total")).collect()
}

/// What is known of a pair.
#[derive(Clone, Copy, Default)]
struct Tally {
    pair: u64,
    /// Playouts of two decisions, one by each player: what a game's cost grows with.
    weight: f64,
    /// Seconds of two decisions, of players with a time budget.
    timed_secs: f64,
    sampled: u64,
    secs: f64,
    playouts: f64,
    decisions: f64,
}

/// What the games that were played say about those that were not.
#[derive(Clone, Copy)]
struct Rate {
    /// Seconds by unit of weight.
    secs: f64,
    /// Playouts by unit of weight.
    playouts: f64,
    /// Decisions of each player.
    decisions: f64,
}

impl Rate {
    /// From the dearest pair that was tried: in cheap games the playouts are not what costs.
    fn of(tallies: &[Tally], grid: &MatchGrid) -> Self {
        // Without any game: nothing is dear, and a time budget is spent at every other ply.
        let unknown = Rate { secs: 0.0, playouts: 0.0, decisions: f64::from(grid.game.facts().plies_max) / 2.0 };
        let tried = tallies.iter().rev().find(|tally| tally.sampled > 0 && tally.timed_secs == 0.0);
        tried.map_or(unknown, |tally| {
            let games = tally.sampled as f64;
            let weight = tally.weight * games;
            let decisions = if tally.decisions > 0.0 { tally.decisions / games / 2.0 } else { unknown.decisions };
            Rate { secs: tally.secs / weight, playouts: tally.playouts / weight, decisions }
        })
    }

    /// Seconds of a game.
    fn secs_of(&self, tally: &Tally) -> f64 {
        tally.weight * self.secs + tally.timed_secs * self.decisions
    }
}

/// The pairs to try, the cheapest first.
fn tallies(grid: &MatchGrid) -> Vec<Tally> {
    let mut tallies: Vec<Tally> = spread(grid.pairing.count(), TRIED_MAX)
        .into_iter()
        .map(|pair| {
            let specs = grid.pairing.pair(pair).map(|player| &grid.players[player as usize].1);
            Tally {
                pair,
                weight: specs.iter().map(|spec| spec.playouts().unwrap_or(1) as f64).sum(),
                timed_secs: specs.iter().map(|spec| timed_secs(spec)).sum(),
                ..Tally::default()
            }
        })
        .collect();
    let dear = |tally: &Tally| (tally.timed_secs, tally.weight);
    tallies.sort_by(|a, b| dear(a).partial_cmp(&dear(b)).expect("no NaN among budgets"));
    tallies
}

/// Time budget of a decision, seconds; 0 where there is none.
fn timed_secs(spec: &PlayerSpec) -> f64 {
    let given = spec::parse(&spec.to_string()).map_or_else(|_| Vec::new(), |given| given.params);
    let millis = given.iter().find(|(key, _)| key == "time-ms").and_then(|(_, value)| value.to_string().parse().ok());
    millis.map_or(0.0, |millis: f64| millis / 1000.0)
}

fn forecast_grid(grid: &MatchGrid, games: &Games, clock: &dyn Fn() -> f64, seconds: f64) -> Result<Forecast, String> {
    let mut tallies = tallies(grid);
    let start = clock();
    let share = seconds / tallies.len() as f64;
    'sampling: for round in 0..games.per_pair().min(ROUNDS_MAX) {
        for i in 0..tallies.len() {
            let spent = clock() - start;
            let expected = Rate::of(&tallies, grid).secs_of(&tallies[i]);
            if spent + expected > seconds || (round == 0 && expected > PATIENCE * share) {
                // The rest is at least as dear.
                if i == 0 {
                    break 'sampling;
                }
                break;
            }
            let tally = &mut tallies[i];
            let before = clock();
            let row = games.play(tally.pair * games.per_pair() + round, None)?;
            tally.secs += clock() - before;
            tally.playouts += sum(&row, ITERATIONS);
            tally.decisions += sum(&row, DECISIONS);
            tally.sampled += 1;
        }
    }
    Ok(sum_up(grid, games.per_pair(), tallies))
}

fn sum_up(grid: &MatchGrid, games: u64, mut tallies: Vec<Tally>) -> Forecast {
    let rate = Rate::of(&tallies, grid);
    tallies.sort_by_key(|tally| tally.pair);
    let pair = |tally: &Tally| {
        let (secs, playouts) = match tally.sampled {
            0 => (rate.secs_of(tally), tally.weight * rate.playouts),
            sampled => (tally.secs / sampled as f64, tally.playouts / sampled as f64),
        };
        PairForecast {
            players: grid.pairing.pair(tally.pair).map(|player| grid.players[player as usize].0.clone()),
            games,
            secs_per_game: secs,
            playouts_per_game: playouts,
            sampled: tally.sampled,
        }
    };
    let pairs: Vec<PairForecast> = tallies.iter().map(pair).collect();
    let trials = grid.pairing.count().saturating_mul(games);
    let all = |of: fn(&PairForecast) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64 * trials as f64;
    let playouts = all(|pair| pair.playouts_per_game);
    Forecast {
        trials,
        playouts: (playouts > 0.0).then_some(playouts),
        executor_secs: all(|pair| pair.secs_per_game),
        sampled: tallies.iter().map(|tally| tally.sampled).sum(),
        pairs,
    }
}

/// Sum of two whole numbers of a row.
fn sum(row: &Row, columns: [usize; 2]) -> f64 {
    let of = |column: usize| match row[column] {
        Value::Int(value) => value as f64,
        _ => unreachable!("the columns hold whole numbers"),
    };
    columns.map(of).iter().sum()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
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
        let names: Vec<_> = forecast.pairs.iter().map(|pair| pair.players.join(" ")).collect();
        assert_eq!(names, ["a b", "a c", "b c"]);
        // The tree is kept, so that some decisions cost less than their budget; none costs more.
        let playouts: Vec<_> = forecast.pairs.iter().map(|pair| pair.playouts_per_game).collect();
        assert!(playouts[0] < playouts[1] && playouts[1] < playouts[2], "{playouts:?}");
        let mean = playouts.iter().sum::<f64>() / 3.0;
        assert_eq!(forecast.playouts, Some(mean * 3000.0));
    }

    #[test]
    fn a_pair_too_slow_to_try_is_extrapolated_by_its_playouts() {
        let experiment = experiment("a = \"mcts:playouts=2\"\nb = \"mcts:playouts=3\"\nc = \"mcts:playouts=1000000\"");
        // Each game takes one tick; at a second for 5 playouts a decision, `c` would take days.
        let forecast = experiment.forecast(&ticking(), 20.0).expect("games can be played");
        let by_pair: Vec<_> = forecast.pairs.iter().map(|pair| (pair.sampled, pair.secs_per_game)).collect();
        assert!(by_pair[0].0 > 0);
        assert_eq!(by_pair[0].1, 1.0);
        assert_eq!([by_pair[1].0, by_pair[2].0], [0, 0]);
        assert!((by_pair[1].1 - 1_000_002.0 / 5.0).abs() < 1e-6, "{by_pair:?}");
        assert!((by_pair[2].1 - 1_000_003.0 / 5.0).abs() < 1e-6, "{by_pair:?}");
    }

    #[test]
    fn a_time_budget_is_not_tried_out() {
        let experiment = experiment("a = \"random\"\nb = \"mcts:time-ms=60000\"");
        let forecast = experiment.forecast(&ticking(), 2.0).expect("nothing is played");
        assert_eq!(forecast.sampled, 0);
        assert!(forecast.executor_secs > 1000.0 * 30.0 * 60.0, "{forecast:?}");
    }

    #[test]
    fn samples_are_spread_over_all_trials() {
        assert_eq!(spread(10, 3), [0, 3, 6]);
        assert_eq!(spread(3, 10), [0, 1, 2]);
        assert_eq!(spread(u64::MAX, 2), [0, u64::MAX / 2]);
        assert_eq!(spread(0, 2), [0u64; 0]);
    }
}
