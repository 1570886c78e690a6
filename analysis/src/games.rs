//! The games of a match grid, from Parquet, in batches: memory follows the number of pairs, not of games (but for eight
//! bytes a game, its moves' hash).
//!
//! A batch is aggregated by polars. Everything that is added up over batches is a whole number, so that neither their
//! size nor their order can move a digit of a table.

use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
};

use polars::prelude::{DataFrame, DataType, Expr, IntoLazy as _, LazyFrame, PolarsError, col, len, lit, when};
use polars_io::{SerReader as _, parquet::read::ParquetReader};
use serde::Deserialize;

use crate::{Error, export::Exported, statistics::moments::Moments};

/// Rows of a batch. Even, so that the two games of a unit are in one as long as none is missing.
const BATCH: usize = 131_072;

/// Facts of a match grid (docs/run-directory.md).
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Meta {
    pub(crate) game: String,
    #[serde(default = "unnamed_unit")]
    pub(crate) score_unit: String,
    pub(crate) experiment: String,
    pub(crate) paper: Option<String>,
    pub(crate) reproducible: bool,
    pub(crate) pairs: Vec<[String; 2]>,
    #[serde(default)]
    pub(crate) specs: BTreeMap<String, String>,
}

fn unnamed_unit() -> String {
    "points".to_owned()
}

/// A sample of whole numbers: how often each occurs.
pub(crate) type Counts = BTreeMap<i64, u64>;

/// Moments of such a sample.
pub(crate) fn moments(counts: &Counts) -> Moments {
    let (mut n, mut sum, mut squares) = (0, 0i128, 0i128);
    for (&value, &count) in counts {
        let (value, times) = (i128::from(value), i128::from(count));
        n += count;
        sum += value * times;
        squares += value * value * times;
    }
    Moments::of_sums(n, sum, squares)
}

/// A match grid and what its games gave.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) meta: Meta,
    /// Pairs in the order of the grid; those without a stored game are left out.
    pub(crate) pairs: Vec<PairGames>,
    /// By name.
    pub(crate) workers: BTreeMap<String, Work>,
    /// Games the grid should have.
    pub(crate) trials: u64,
}

impl Grid {
    /// Games it has.
    pub(crate) fn games(&self) -> u64 {
        self.pairs.iter().map(|pair| pair.games).sum()
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
    /// Games with a in the first seat, games with b there.
    pub(crate) seats: [Seat; 2],
    /// a's points in whole units, counted in halves: 0 to 4.
    pub(crate) unit_half_points: Counts,
    /// a's score difference summed over the two games of whole units.
    pub(crate) unit_differences: Counts,
    /// What a and b spent.
    pub(crate) cost: [Cost; 2],
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
    /// Mean of `total` a decision.
    pub(crate) fn per_decision(&self, total: u64) -> Option<f64> {
        (self.decisions > 0).then(|| total as f64 / self.decisions as f64)
    }
}

impl Seat {
    pub(crate) fn games(&self) -> u64 {
        self.differences.values().sum()
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
        moments(&self.unit_half_points).scaled(0.25)
    }

    /// Score difference from a's side over games.
    pub(crate) fn score(&self) -> Moments {
        let mut counts = self.seats[0].differences.clone();
        for (difference, count) in &self.seats[1].differences {
            *counts.entry(-difference).or_default() += count;
        }
        moments(&counts)
    }
}

/// Reads the facts of a stage.
pub(crate) fn meta(stage: &Exported) -> Result<Meta, Error> {
    let kind = stage.spec.meta["kind"].as_str().unwrap_or("unknown").to_owned();
    if kind != "match-grid" {
        return Err(Error::NothingToTabulate { kind });
    }
    serde_json::from_value(stage.spec.meta.clone()).map_err(|error| Error::contract(&stage.path, error.to_string()))
}

/// Reads the games of a match grid.
pub(crate) fn read(stage: &Exported) -> Result<Grid, Error> {
    let meta = meta(stage)?;
    let polars = |error| Error::parquet(&stage.path, error);
    let named = |[a, b]: &[String; 2]| PairGames { a: a.clone(), b: b.clone(), ..PairGames::default() };
    let mut reading = Reading {
        path: stage.path.clone(),
        pairs: meta.pairs.iter().map(named).collect(),
        hashes: vec![Vec::new(); meta.pairs.len()],
        workers: BTreeMap::new(),
    };
    let rows = ParquetReader::new(open(&stage.path)?).num_rows().map_err(polars)?;
    let mut at = 0;
    while at < rows {
        let mut batch = load(&stage.path, at, BATCH.min(rows - at)).map_err(polars)?;
        if at + batch.height() < rows {
            batch = without_half_a_unit(batch).map_err(polars)?;
        }
        at += batch.height();
        reading.add(batch)?;
    }
    let Reading { mut pairs, hashes, workers, .. } = reading;
    for (pair, mut hashes) in pairs.iter_mut().zip(hashes) {
        hashes.sort_unstable();
        hashes.dedup();
        pair.distinct = hashes.len() as u64;
    }
    pairs.retain(|pair| pair.games > 0);
    Ok(Grid { meta, pairs, workers, trials: stage.spec.trials })
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|error| Error::io(path, error))
}

fn load(path: &Path, from: usize, rows: usize) -> Result<DataFrame, PolarsError> {
    const COLUMNS: [&str; 15] = [
        "trial",
        "worker",
        "elapsed_us",
        "pair",
        "unit",
        "first_points",
        "score_difference",
        "plies",
        "moves_hash",
        "first_decisions",
        "second_decisions",
        "first_iterations",
        "second_iterations",
        "first_us",
        "second_us",
    ];
    let columns = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
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
    workers: BTreeMap<String, Work>,
}

impl Reading {
    fn add(&mut self, batch: DataFrame) -> Result<(), Error> {
        let path = self.path.clone();
        let polars = |error| Error::parquet(&path, error);
        self.add_hashes(&batch).map_err(polars)?;
        // Game `t % 2` of a unit decides who sits first: b in the second.
        let games = batch.lazy().with_column((col("trial") % lit(2)).eq(lit(1)).alias("swapped"));
        let seats = Rows::of(by_seat(games.clone()), &self.path)?;
        let differences = Rows::of(by_difference(games.clone()), &self.path)?;
        let units = Rows::of(by_unit(games.clone()), &self.path)?;
        let workers = by_worker(games).collect().map_err(polars)?;
        self.add_workers(&workers)?;
        for row in 0..seats.height {
            let swapped = seats.flag("swapped", row);
            let pair = self.pair(seats.int("pair", row))?;
            let (games, wins, draws) = (seats.count("games", row), seats.count("wins", row), seats.count("draws", row));
            pair.games += games;
            pair.wins += if swapped { games - wins - draws } else { wins };
            pair.draws += draws;
            pair.plies += seats.count("plies", row);
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
            *counts.entry(differences.int("score_difference", row)).or_default() += differences.count("games", row);
        }
        for row in 0..units.height {
            let pair = self.pair(units.int("pair", row))?;
            let count = units.count("units", row);
            *pair.unit_half_points.entry(units.int("half_points", row)).or_default() += count;
            *pair.unit_differences.entry(units.int("difference", row)).or_default() += count;
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

    fn add_workers(&mut self, workers: &DataFrame) -> Result<(), Error> {
        let polars = |error| Error::parquet(&self.path, error);
        let names = workers.column("worker").and_then(|names| Ok(names.str()?.clone())).map_err(polars)?;
        let rows = Rows::of(workers.clone().lazy().drop(polars::prelude::cols(["worker"])), &self.path)?;
        for (row, name) in names.iter().enumerate() {
            let work = self.workers.entry(name.unwrap_or_default().to_owned()).or_default();
            work.games += rows.count("games", row);
            work.elapsed_us += rows.count("elapsed_us", row);
            work.iterations += rows.count("iterations", row);
            work.decisions += rows.count("decisions", row);
            work.deciding_us += rows.count("us", row);
        }
        Ok(())
    }

    fn pair(&mut self, index: i64) -> Result<&mut PairGames, Error> {
        let grid = self.pairs.len();
        let pair = usize::try_from(index).ok().and_then(|index| self.pairs.get_mut(index));
        pair.ok_or_else(|| Error::contract(&self.path, format!("a game of pair {index}, and the grid has {grid}")))
    }
}

fn by_seat(games: LazyFrame) -> LazyFrame {
    games.group_by([col("pair"), col("swapped")]).agg([
        len().alias("games"),
        col("first_points").eq(lit(1.0)).sum().alias("wins"),
        col("first_points").eq(lit(0.5)).sum().alias("draws"),
        col("plies").sum(),
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
fn by_unit(games: LazyFrame) -> LazyFrame {
    let of_a = |swapped: Expr, otherwise: Expr| when(col("swapped")).then(swapped).otherwise(otherwise);
    let half_points = || (col("first_points") * lit(2.0)).cast(DataType::Int64);
    games
        .group_by([col("pair"), col("unit")])
        .agg([
            of_a(lit(2i64) - half_points(), half_points()).sum().alias("half_points"),
            of_a(lit(0i64) - col("score_difference"), col("score_difference")).sum().alias("difference"),
            len().alias("size"),
        ])
        .filter(col("size").eq(lit(2u32)))
        .group_by([col("pair"), col("half_points"), col("difference")])
        .agg([len().alias("units")])
}

fn by_worker(games: LazyFrame) -> LazyFrame {
    let both = |what: &str| (col(format!("first_{what}")) + col(format!("second_{what}"))).sum().alias(what);
    games.group_by([col("worker")]).agg([
        len().alias("games"),
        col("elapsed_us").sum(),
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
