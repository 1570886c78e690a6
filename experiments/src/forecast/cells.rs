//! Cells: trials that are alike, some of which are run to know what all of them cost.

use players::PlayerSpec;
use record::{Row, Value};

use super::{CellForecast, Forecast, spread};
use crate::plan::TrialError;

/// Most cells that are tried; more are taken to be like these.
const TRIED_MAX: u64 = 64;

/// Most trials of a cell that are run.
pub(super) const ROUNDS_MAX: u64 = 16;

/// A trial that takes longer than this many times its share of the calibration is estimated from its players.
const PATIENCE: f64 = 4.0;

/// What a trial spent.
pub(super) struct Spent {
    /// By all players together.
    pub(super) playouts: f64,
    /// Decisions of each player.
    pub(super) decisions: f64,
}

/// What is known of a cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    index: u64,
    /// Playouts of a decision by each player: what a trial's cost grows with.
    weight: f64,
    /// Whether that is all that it grows with.
    is_told: bool,
    /// Seconds of a decision by each player with a time budget.
    timed_secs: f64,
    sampled: u64,
    secs: f64,
    playouts: f64,
    decisions: f64,
}

/// The cells to try, the cheapest first.
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// How many there are in all.
    count: u64,
    /// Trials of each.
    trials: u64,
    /// Decisions of each player in a trial, as long as none was run.
    decisions: f64,
}

/// What the trials that were run say about those that were not.
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
    /// Seconds of a trial.
    fn secs_of(&self, cell: &Cell) -> f64 {
        cell.weight * self.secs + cell.timed_secs * self.decisions
    }
}

impl Cells {
    /// `count` cells of `trials` trials each, whose players `players` tells. A player is taken to decide `decisions`
    /// times until a trial tells.
    pub(super) fn new<'a>(
        count: u64,
        trials: u64,
        decisions: f64,
        players: impl Fn(u64) -> Vec<&'a PlayerSpec>,
    ) -> Self {
        let cell = |index| {
            let specs = players(index);
            Cell {
                index,
                weight: specs.iter().map(|spec| spec.playouts().unwrap_or(1) as f64).sum(),
                is_told: specs.iter().all(|spec| spec.cost_is_told()),
                timed_secs: specs.iter().map(|spec| timed_secs(spec)).sum(),
                ..Cell::default()
            }
        };
        let mut cells: Vec<Cell> = spread(count, TRIED_MAX).into_iter().map(cell).collect();
        let dear = |cell: &Cell| (cell.timed_secs, cell.weight);
        cells.sort_by(|a, b| dear(a).partial_cmp(&dear(b)).expect("no NaN among budgets"));
        Cells { cells, count, trials, decisions }
    }

    /// The rate of the dearest cell that was tried: in cheap trials the playouts are not what costs. Cells with players
    /// whose cost does not follow from their spec are used only if there are no others.
    fn rate(&self) -> Rate {
        // Without any trial: nothing is dear.
        let unknown = Rate { secs: 0.0, playouts: 0.0, decisions: self.decisions };
        let some_are_told = self.cells.iter().any(|cell| cell.is_told);
        let tells = |cell: &&Cell| cell.sampled > 0 && cell.timed_secs == 0.0 && (cell.is_told || !some_are_told);
        let tried = self.cells.iter().rev().find(tells);
        tried.map_or(unknown, |cell| {
            let trials = cell.sampled as f64;
            let weight = cell.weight * trials;
            let decisions = if cell.decisions > 0.0 { cell.decisions / trials } else { unknown.decisions };
            Rate { secs: cell.secs / weight, playouts: cell.playouts / weight, decisions }
        })
    }

    /// Runs trials within about `seconds` of `clock`: `run` is given a cell and the number of the trial in it.
    pub(super) fn sample(
        &mut self,
        clock: &dyn Fn() -> f64,
        seconds: f64,
        run: impl Fn(u64, u64) -> Result<Spent, TrialError>,
    ) -> Result<(), TrialError> {
        let start = clock();
        let share = seconds / self.cells.len() as f64;
        for round in 0..self.trials.min(ROUNDS_MAX) {
            for i in 0..self.cells.len() {
                let spent = clock() - start;
                let expected = self.rate().secs_of(&self.cells[i]);
                if spent + expected > seconds || (round == 0 && expected > PATIENCE * share) {
                    // The rest is at least as dear.
                    if i == 0 {
                        return Ok(());
                    }
                    break;
                }
                let cell = &mut self.cells[i];
                let before = clock();
                let Spent { playouts, decisions } = run(cell.index, round)?;
                cell.secs += clock() - before;
                cell.playouts += playouts;
                cell.decisions += decisions;
                cell.sampled += 1;
            }
        }
        Ok(())
    }

    /// What all trials will cost; `names` tells whose a cell is.
    pub(super) fn forecast(mut self, names: impl Fn(u64) -> [String; 2]) -> Forecast {
        let rate = self.rate();
        self.cells.sort_by_key(|cell| cell.index);
        let of = |cell: &Cell| {
            let (secs, playouts) = match cell.sampled {
                0 => (rate.secs_of(cell), cell.weight * rate.playouts),
                sampled => (cell.secs / sampled as f64, cell.playouts / sampled as f64),
            };
            CellForecast {
                names: names(cell.index),
                trials: self.trials,
                secs_per_trial: secs,
                playouts_per_trial: playouts,
                sampled: cell.sampled,
            }
        };
        let cells: Vec<CellForecast> = self.cells.iter().map(of).collect();
        let trials = self.count.saturating_mul(self.trials);
        let all = |of: fn(&CellForecast) -> f64| cells.iter().map(of).sum::<f64>() / cells.len() as f64 * trials as f64;
        let playouts = all(|cell| cell.playouts_per_trial);
        Forecast {
            trials,
            playouts: (playouts > 0.0).then_some(playouts),
            executor_secs: all(|cell| cell.secs_per_trial),
            sampled: cells.iter().map(|cell| cell.sampled).sum(),
            cells,
        }
    }
}

/// Time budget of a decision, seconds; 0 where there is none.
pub(crate) fn timed_secs(spec: &PlayerSpec) -> f64 {
    let given = spec::parse(&spec.to_string()).map_or_else(|_| Vec::new(), |given| given.params);
    let millis = given.iter().find(|(key, _)| key == "time-ms").and_then(|(_, value)| value.to_string().parse().ok());
    millis.map_or(0.0, |millis: f64| millis / 1000.0)
}

/// Sum of whole numbers of a row.
pub(crate) fn sum<const N: usize>(row: &Row, columns: [usize; N]) -> f64 {
    let of = |column: usize| match row[column] {
        Value::Int(value) => value as f64,
        _ => unreachable!("the columns hold whole numbers"),
    };
    columns.map(of).iter().sum()
}
