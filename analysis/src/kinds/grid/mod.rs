//! The games of a stage of shape `match`, from Parquet, in batches: memory follows the number of pairs, not of games
//! (but for eight bytes a game, its moves' hash). A match grid is one such stage, a benchmark of an evolution another.
//!
//! A batch is aggregated by polars. Everything that is added up over batches is a whole number, so that neither their
//! size nor their order can move a digit of a table.

pub(crate) mod axes;
pub(crate) mod figures;
pub(crate) mod pairing;
pub(crate) mod tables;
pub(crate) mod turns;

use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
};

use polars::prelude::{DataFrame, DataType, Expr, IntoLazy as _, LazyFrame, PolarsError, col, len, lit, when};
use polars_io::{SerReader as _, parquet::read::ParquetReader};
use serde::Deserialize;

use crate::{
    Error,
    data::Exported,
    kinds::grid::{pairing::Pairing, turns::Turns},
    statistics::{CONFIDENCE, counts::Counts, interval, moments::Moments},
};

/// Rows of a batch. Even, so that the two games of a unit are in one as long as none is missing.
const BATCH: usize = 131_072;

/// Scores are given as points of so many games, as the papers do.
pub(crate) const SCORE_OF: f64 = 1000.0;

/// The shape of such stages.
pub(crate) const SHAPE: &str = "match";

/// Facts of a stage of shape `match` (docs/run-directory.md). Those at the end are of benchmarks alone.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Meta {
    pub(crate) game: String,
    #[serde(default = "unnamed_unit")]
    pub(crate) score_unit: String,
    pub(crate) experiment: String,
    pub(crate) paper: Option<String>,
    pub(crate) reproducible: bool,
    /// Where the first player of a pair sits, `first` or `second`; on both sides if it is anything else.
    #[serde(default)]
    pub(crate) seat: String,
    #[serde(default)]
    pub(crate) specs: BTreeMap<String, String>,
    pub(crate) generation: Option<u32>,
    #[serde(rename = "final", default)]
    pub(crate) last: bool,
    #[serde(default)]
    pub(crate) contestants: Vec<Contestant>,
}

impl Meta {
    /// Whether the first player of a pair always sits second; `None` where it sits on both sides.
    fn swapped(&self) -> Option<bool> {
        match self.seat.as_str() {
            "first" => Some(false),
            "second" => Some(true),
            _ => None,
        }
    }
}

/// An individual that plays in a benchmark.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Contestant {
    /// Its name among the pairs.
    pub(crate) name: String,
    /// Its place in the population.
    pub(crate) individual: u64,
    /// `best`, `finalist` or `sample`.
    pub(crate) role: String,
}

/// The role of the contestant whose fitness is the highest.
pub(crate) const BEST: &str = "best";
/// The role of a contestant that was drawn.
pub(crate) const SAMPLE: &str = "sample";

fn unnamed_unit() -> String {
    "points".to_owned()
}

/// A grid of pairs and what its games gave.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) meta: Meta,
    /// Who meets whom, those without a stored game included.
    pub(crate) pairing: Pairing,
    /// Name of its stage.
    pub(crate) stage: String,
    /// Pairs in the order of the grid; those without a stored game are left out.
    pub(crate) pairs: Vec<PairGames>,
    /// By name.
    pub(crate) workers: Workers,
    /// Games the grid should have.
    pub(crate) trials: u64,
}

impl Grid {
    /// Games it has.
    pub(crate) fn games(&self) -> u64 {
        self.pairs.iter().map(|pair| pair.games).sum()
    }

    /// Plies of its games.
    pub(crate) fn plies(&self) -> Moments {
        let sum = |of: fn(&PairGames) -> u64| self.pairs.iter().map(|pair| i128::from(of(pair))).sum();
        Moments::of_sums(self.games(), sum(|pair| pair.plies), sum(|pair| pair.plies_squares))
    }

    /// Whether the time of every decision is known.
    pub(crate) fn has_turns(&self) -> bool {
        self.pairs.iter().any(|pair| pair.turns.iter().any(|turns| !turns.is_empty()))
    }

    /// The individual behind a name, in a benchmark.
    pub(crate) fn contestant(&self, name: &str) -> Option<&Contestant> {
        self.meta.contestants.iter().find(|contestant| contestant.name == name)
    }

    /// Pairs whose first player has this role.
    pub(crate) fn pairs_of<'a>(&'a self, role: &'a str) -> impl Iterator<Item = &'a PairGames> {
        self.pairs.iter().filter(move |pair| self.contestant(&pair.a).is_some_and(|found| found.role == role))
    }
}

/// What one worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    pub(crate) games: u64,
    /// Microseconds on its executors.
    pub(crate) elapsed_us: u64,
    /// Of both seats.
    pub(crate) iterations: u64,
    pub(crate) decisions: u64,
    pub(crate) deciding_us: u64,
    pub(crate) plies: u64,
}

/// What workers did, by name.
pub(crate) type Workers = BTreeMap<String, Work>;

/// The games of a stage whose rows are games of whatever shape, as far as their cost goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    /// Games that the stage should have.
    pub(crate) trials: u64,
    /// Who played those that it has.
    pub(crate) workers: Workers,
}

impl Played {
    /// Reads them.
    pub(crate) fn of(stage: &Exported) -> Result<Self, Error> {
        let polars = |error| Error::parquet(&stage.path, error);
        let mut workers = Workers::new();
        let rows = ParquetReader::new(open(&stage.path)?).num_rows().map_err(polars)?;
        for at in (0..rows).step_by(BATCH) {
            let batch = load(&stage.path, &WORK_COLUMNS, at, BATCH).map_err(polars)?;
            add_workers(&mut workers, batch.lazy(), &stage.path)?;
        }
        Ok(Played { trials: stage.spec.trials, workers })
    }

    /// What they took.
    pub(crate) fn work(&self) -> Work {
        Work::sum(self.workers.values())
    }
}

/// What workers did in several stages.
pub(crate) fn together<'a>(stages: impl IntoIterator<Item = &'a Workers>) -> Workers {
    let mut all = Workers::new();
    for (name, work) in stages.into_iter().flatten() {
        all.entry(name.clone()).or_default().add(work);
    }
    all
}

impl Work {
    pub(crate) fn add(&mut self, other: &Work) {
        let Work { games, elapsed_us, iterations, decisions, deciding_us, plies } = other;
        self.games += games;
        self.elapsed_us += elapsed_us;
        self.iterations += iterations;
        self.decisions += decisions;
        self.deciding_us += deciding_us;
        self.plies += plies;
    }

    /// What all of them did.
    pub(crate) fn sum<'a>(of: impl IntoIterator<Item = &'a Work>) -> Self {
        let mut sum = Work::default();
        of.into_iter().for_each(|work| sum.add(work));
        sum
    }

    /// Hours on executors.
    pub(crate) fn hours(&self) -> f64 {
        self.elapsed_us as f64 / 3.6e9
    }

    /// `part` of it over a `whole` of it.
    pub(crate) fn mean(part: u64, whole: u64) -> Option<f64> {
        (whole > 0).then(|| part as f64 / whole as f64)
    }
}

/// What the games of one pair gave; `a` is the first player of the pair, `b` the second.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PairGames {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) games: u64,
    /// Of a.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    /// Different games by their moves.
    pub(crate) distinct: u64,
    pub(crate) plies: u64,
    /// Sum of their squares over games.
    pub(crate) plies_squares: u64,
    /// Games with a in the first seat, games with b there.
    pub(crate) seats: [Seat; 2],
    /// a's points in whole units, counted in halves: 0 to 4.
    pub(crate) unit_half_points: Counts,
    /// a's score difference summed over the two games of whole units.
    pub(crate) unit_differences: Counts,
    /// What a and b spent.
    pub(crate) cost: [Cost; 2],
    /// The same decision by decision, if the grid's rows have it.
    pub(crate) turns: [Turns; 2],
}

/// The games with one of a pair's players in the first seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seat {
    /// Of the player in the first seat.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    /// Score differences from the first seat's side.
    pub(crate) differences: Counts,
}

/// What a player's decisions took in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    pub(crate) decisions: u64,
    pub(crate) iterations: u64,
    pub(crate) us: u64,
}

impl Cost {
    /// What all of them took.
    pub(crate) fn sum<'a>(of: impl IntoIterator<Item = &'a Cost>) -> Self {
        let mut sum = Cost::default();
        for Cost { decisions, iterations, us } in of {
            sum.decisions += decisions;
            sum.iterations += iterations;
            sum.us += us;
        }
        sum
    }

    /// Mean of `total` a decision.
    pub(crate) fn per_decision(&self, total: u64) -> Option<f64> {
        (self.decisions > 0).then(|| total as f64 / self.decisions as f64)
    }
}

impl Seat {
    pub(crate) fn games(&self) -> u64 {
        self.differences.total()
    }

    /// Of the player in the first seat.
    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }
}

impl PairGames {
    /// a's points.
    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// a's share of the points over whole units: mean and spread.
    pub(crate) fn units(&self) -> Moments {
        self.unit_half_points.moments().scaled(0.25)
    }

    /// a's share of the points.
    pub(crate) fn share(&self) -> f64 {
        self.points() / self.games as f64
    }

    /// Its interval over whole units; Wilson's over games where there is none.
    pub(crate) fn share_interval(&self) -> Option<(f64, f64)> {
        self.units_interval().or_else(|| interval::wilson(self.points(), self.games, CONFIDENCE))
    }

    /// The same of whole units alone.
    pub(crate) fn units_interval(&self) -> Option<(f64, f64)> {
        let units = self.units();
        // Where seats are kept a unit is a game.
        let games = if self.games >= 2 * units.n { 2 } else { 1 };
        interval::of_units(&units, games, CONFIDENCE)
    }

    /// Score difference from a's side over games.
    pub(crate) fn score(&self) -> Moments {
        self.seats[0].differences.clone().with(&self.seats[1].differences.negated()).moments()
    }
}

/// Reads the games of a stage of shape `match`.
pub(crate) fn read(stage: &Exported) -> Result<Grid, Error> {
    let meta: Meta = stage.meta()?;
    let pairing = Pairing::read(stage)?;
    let polars = |error| Error::parquet(&stage.path, error);
    let named = |[a, b]: [&str; 2]| PairGames { a: a.to_owned(), b: b.to_owned(), ..PairGames::default() };
    let mut reading = Reading {
        path: stage.path.clone(),
        pairs: pairing.iter().map(named).collect(),
        hashes: vec![Vec::new(); pairing.count()],
        workers: Workers::new(),
        swapped: meta.swapped(),
    };
    let rows = ParquetReader::new(open(&stage.path)?).num_rows().map_err(polars)?;
    let mut at = 0;
    let has_turns = stage.spec.shape.has(turns::COLUMNS[0]);
    let of_turns: &[&str] = if has_turns { &turns::COLUMNS } else { &[] };
    let columns = [&WORK_COLUMNS[..], &GAME_COLUMNS, of_turns].concat();
    while at < rows {
        let mut batch = load(&stage.path, &columns, at, BATCH.min(rows - at)).map_err(polars)?;
        if reading.swapped.is_none() && at + batch.height() < rows {
            batch = without_half_a_unit(batch).map_err(polars)?;
        }
        at += batch.height();
        if has_turns {
            reading.add_turns(&batch)?;
        }
        reading.add(batch)?;
    }
    let Reading { mut pairs, hashes, workers, .. } = reading;
    for (pair, mut hashes) in pairs.iter_mut().zip(hashes) {
        hashes.sort_unstable();
        hashes.dedup();
        pair.distinct = hashes.len() as u64;
    }
    pairs.retain(|pair| pair.games > 0);
    Ok(Grid { meta, pairing, stage: stage.spec.name.clone(), pairs, workers, trials: stage.spec.trials })
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|error| Error::io(path, error))
}

/// What [`by_worker`] needs.
const WORK_COLUMNS: [&str; 9] = [
    "worker",
    "elapsed_us",
    "plies",
    "first_decisions",
    "second_decisions",
    "first_iterations",
    "second_iterations",
    "first_us",
    "second_us",
];

/// What else the games of a grid need.
const GAME_COLUMNS: [&str; 6] = ["trial", "pair", "unit", "first_points", "score_difference", "moves_hash"];

fn load(path: &Path, columns: &[&str], from: usize, rows: usize) -> Result<DataFrame, PolarsError> {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    ParquetReader::new(File::open(path)?).with_columns(Some(columns)).with_slice(Some((from, rows))).finish()
}

/// Leaves the last row to the next batch if it is the first game of a unit: the second may be there.
fn without_half_a_unit(batch: DataFrame) -> Result<DataFrame, PolarsError> {
    let last = batch.height() - 1;
    let trial = batch.column("trial")?.i64()?.get(last);
    let half = last > 0 && trial.is_some_and(|trial| trial % 2 == 0);
    Ok(if half { batch.slice(0, last) } else { batch })
}

/// What was read so far.
struct Reading {
    path: PathBuf,
    pairs: Vec<PairGames>,
    /// Of every game, by pair.
    hashes: Vec<Vec<i64>>,
    workers: Workers,
    /// [`Meta::swapped`]
    swapped: Option<bool>,
}

impl Reading {
    fn add(&mut self, batch: DataFrame) -> Result<(), Error> {
        let path = self.path.clone();
        let polars = |error| Error::parquet(&path, error);
        self.add_hashes(&batch).map_err(polars)?;
        // Game `t % 2` of a unit decides who sits first: b in the second. Where seats are kept, a unit is a game.
        let swapped = match self.swapped {
            Some(swapped) => lit(swapped),
            None => (col("trial") % lit(2)).eq(lit(1)),
        };
        let games = batch.lazy().with_column(swapped.alias("swapped"));
        let seats = Rows::of(by_seat(games.clone()), &self.path)?;
        let differences = Rows::of(by_difference(games.clone()), &self.path)?;
        let units = Rows::of(by_unit(games.clone(), if self.swapped.is_some() { 1 } else { 2 }), &self.path)?;
        add_workers(&mut self.workers, games, &path)?;
        for row in 0..seats.height {
            let swapped = seats.flag("swapped", row);
            let pair = self.pair(seats.int("pair", row))?;
            let (games, wins, draws) = (seats.count("games", row), seats.count("wins", row), seats.count("draws", row));
            pair.games += games;
            pair.wins += if swapped { games - wins - draws } else { wins };
            pair.draws += draws;
            pair.plies += seats.count("plies", row);
            pair.plies_squares += seats.count("plies_squares", row);
            pair.seats[usize::from(swapped)].wins += wins;
            pair.seats[usize::from(swapped)].draws += draws;
            let [a, b] = if swapped { ["second", "first"] } else { ["first", "second"] };
            for (cost, seat) in pair.cost.iter_mut().zip([a, b]) {
                cost.decisions += seats.count(&format!("{seat}_decisions"), row);
                cost.iterations += seats.count(&format!("{seat}_iterations"), row);
                cost.us += seats.count(&format!("{seat}_us"), row);
            }
        }
        for row in 0..differences.height {
            let seat = usize::from(differences.flag("swapped", row));
            let counts = &mut self.pair(differences.int("pair", row))?.seats[seat].differences;
            counts.add(differences.int("score_difference", row), differences.count("games", row));
        }
        for row in 0..units.height {
            let pair = self.pair(units.int("pair", row))?;
            let count = units.count("units", row);
            pair.unit_half_points.add(units.int("half_points", row), count);
            pair.unit_differences.add(units.int("difference", row), count);
        }
        Ok(())
    }

    fn add_hashes(&mut self, batch: &DataFrame) -> Result<(), PolarsError> {
        let (pairs, hashes) = (batch.column("pair")?.i64()?, batch.column("moves_hash")?.i64()?);
        for (pair, hash) in pairs.iter().zip(hashes.iter()) {
            let of_pair = pair.and_then(|pair| usize::try_from(pair).ok()).and_then(|pair| self.hashes.get_mut(pair));
            if let (Some(of_pair), Some(hash)) = (of_pair, hash) {
                of_pair.push(hash);
            }
        }
        Ok(())
    }

    fn add_turns(&mut self, batch: &DataFrame) -> Result<(), Error> {
        let (swapped, pairs) = (self.swapped, &mut self.pairs);
        let count = |turn: &turns::Turn| {
            let of_b = usize::from(swapped.unwrap_or(turn.trial % 2 == 1));
            if let Some(pair) = usize::try_from(turn.pair).ok().and_then(|pair| pairs.get_mut(pair)) {
                pair.turns[turn.seat ^ of_b].count(turn);
            }
        };
        turns::each(batch, count).map_err(|wrong| match wrong {
            turns::Wrong::Polars(error) => Error::parquet(&self.path, error),
            turns::Wrong::Turn { trial, column, found } => {
                Error::contract(&self.path, format!("trial {trial}: `{found}` in `{column}` is no `ply:µs`"))
            }
        })
    }

    fn pair(&mut self, index: i64) -> Result<&mut PairGames, Error> {
        let grid = self.pairs.len();
        let pair = usize::try_from(index).ok().and_then(|index| self.pairs.get_mut(index));
        pair.ok_or_else(|| Error::contract(&self.path, format!("a game of pair {index}, and the grid has {grid}")))
    }
}

fn add_workers(workers: &mut Workers, games: LazyFrame, path: &Path) -> Result<(), Error> {
    let polars = |error| Error::parquet(path, error);
    let found = by_worker(games).collect().map_err(polars)?;
    let names = found.column("worker").and_then(|names| Ok(names.str()?.clone())).map_err(polars)?;
    let rows = Rows::of(found.lazy().drop(polars::prelude::cols(["worker"])), path)?;
    for (row, name) in names.iter().enumerate() {
        let count = |name: &str| rows.count(name, row);
        workers.entry(name.unwrap_or_default().to_owned()).or_default().add(&Work {
            games: count("games"),
            elapsed_us: count("elapsed_us"),
            iterations: count("iterations"),
            decisions: count("decisions"),
            deciding_us: count("us"),
            plies: count("plies"),
        });
    }
    Ok(())
}

fn by_seat(games: LazyFrame) -> LazyFrame {
    games.group_by([col("pair"), col("swapped")]).agg([
        len().alias("games"),
        col("first_points").eq(lit(1.0)).sum().alias("wins"),
        col("first_points").eq(lit(0.5)).sum().alias("draws"),
        col("plies").sum(),
        (col("plies") * col("plies")).sum().alias("plies_squares"),
        col("first_decisions").sum(),
        col("second_decisions").sum(),
        col("first_iterations").sum(),
        col("second_iterations").sum(),
        col("first_us").sum(),
        col("second_us").sum(),
    ])
}

fn by_difference(games: LazyFrame) -> LazyFrame {
    games.group_by([col("pair"), col("swapped"), col("score_difference")]).agg([len().alias("games")])
}

/// Whole units by what they gave to a: the two games of a unit share their luck and are one observation.
/// Those of one game, of `size` 1, count twice, so that half points and differences are those of two games everywhere.
fn by_unit(games: LazyFrame, size: u32) -> LazyFrame {
    let times = lit(i64::from(2 / size));
    let of_a = |swapped: Expr, otherwise: Expr| when(col("swapped")).then(swapped).otherwise(otherwise);
    let half_points = || (col("first_points") * lit(2.0)).cast(DataType::Int64);
    games
        .group_by([col("pair"), col("unit")])
        .agg([
            (of_a(lit(2i64) - half_points(), half_points()).sum() * times.clone()).alias("half_points"),
            (of_a(lit(0i64) - col("score_difference"), col("score_difference")).sum() * times).alias("difference"),
            len().alias("size"),
        ])
        .filter(col("size").eq(lit(size)))
        .group_by([col("pair"), col("half_points"), col("difference")])
        .agg([len().alias("units")])
}

fn by_worker(games: LazyFrame) -> LazyFrame {
    let both = |what: &str| (col(format!("first_{what}")) + col(format!("second_{what}"))).sum().alias(what);
    games.group_by([col("worker")]).agg([
        len().alias("games"),
        col("elapsed_us").sum(),
        col("plies").sum(),
        both("iterations"),
        both("decisions"),
        both("us"),
    ])
}

/// A small frame of whole numbers.
struct Rows {
    height: usize,
    columns: BTreeMap<String, Vec<i64>>,
}

impl Rows {
    fn of(frame: LazyFrame, path: &Path) -> Result<Self, Error> {
        let polars = |error| Error::parquet(path, error);
        let frame = frame.collect().map_err(polars)?;
        let mut columns = BTreeMap::new();
        for column in frame.columns() {
            let values = column.cast(&DataType::Int64).map_err(polars)?;
            let values: Option<Vec<i64>> = values.i64().map_err(polars)?.iter().collect();
            let missing = || Error::contract(path, format!("a value of `{}` is missing", column.name()));
            columns.insert(column.name().to_string(), values.ok_or_else(missing)?);
        }
        Ok(Rows { height: frame.height(), columns })
    }

    /// # Panics
    /// Without such a column: the queries above name them.
    fn int(&self, name: &str, row: usize) -> i64 {
        self.columns[name][row]
    }

    fn count(&self, name: &str, row: usize) -> u64 {
        self.int(name, row).unsigned_abs()
    }

    fn flag(&self, name: &str, row: usize) -> bool {
        self.int(name, row) != 0
    }
}
