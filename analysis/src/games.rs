//! The games of a match grid, from Parquet.

use std::{fs::File, path::Path};

use polars::prelude::{DataFrame, IntoLazy as _, SortMultipleOptions, col, len, lit, when};
use polars_io::{SerReader as _, parquet::read::ParquetReader};
use serde::Deserialize;

use crate::{Error, export::Exported, statistics::moments::Moments};

/// Facts of a match grid (docs/run-directory.md).
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Meta {
    pub(crate) game: String,
    pub(crate) score_unit: String,
    pub(crate) experiment: String,
    pub(crate) paper: Option<String>,
    pub(crate) reproducible: bool,
    pub(crate) pairs: Vec<[String; 2]>,
}

/// What the games of one pair gave; `a` is the first player of the pair.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairGames {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) games: u64,
    /// Of a.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    /// Different games by their moves.
    pub(crate) distinct: u64,
    pub(crate) plies: f64,
    /// a's mean points sitting first and second.
    pub(crate) as_first: Option<f64>,
    pub(crate) as_second: Option<f64>,
    /// a's points of a unit, as a share: mean and spread over units.
    pub(crate) units: Moments,
    /// Score difference from a's side over games.
    pub(crate) score: Moments,
    /// Microseconds and iterations of a decision, a and b.
    pub(crate) decision_us: [Option<f64>; 2],
    pub(crate) decision_iterations: [Option<f64>; 2],
    /// Score difference from the first seat's side: games with a first, games with b first.
    pub(crate) from_seat: [Vec<f64>; 2],
}

impl PairGames {
    /// a's points.
    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Score differences from a's side.
    pub(crate) fn from_a(&self) -> Vec<f64> {
        let [as_first, as_second] = &self.from_seat;
        as_first.iter().copied().chain(as_second.iter().map(|d| -d)).collect()
    }
}

/// Reads the facts of a stage; `None` if it is no match grid.
pub(crate) fn meta(stage: &Exported) -> Result<Meta, Error> {
    let kind = stage.spec.meta["kind"].as_str().unwrap_or("unknown").to_owned();
    if kind != "match-grid" {
        return Err(Error::NothingToTabulate { kind });
    }
    serde_json::from_value(stage.spec.meta.clone()).map_err(|error| Error::contract(&stage.path, error.to_string()))
}

/// Reads the games of a match grid, pair by pair in the order of the grid. Pairs without a stored game are left out.
pub(crate) fn read(stage: &Exported, meta: &Meta) -> Result<Vec<PairGames>, Error> {
    let polars = |error| Error::parquet(&stage.path, error);
    let frame = with_side_of_a(load(&stage.path)?).map_err(polars)?;
    let pairs = by_pair(frame.clone()).map_err(polars)?;
    let units = by_unit(frame.clone()).map_err(polars)?;
    let mut samples = Samples::read(&frame, meta.pairs.len()).map_err(polars)?;
    let figures = Figures::new(&pairs).map_err(polars)?;
    let unit_figures = Figures::new(&units).map_err(polars)?;
    let mut games = Vec::new();
    for row in 0..pairs.height() {
        let index = figures.int("pair", row) as usize;
        let names = meta.pairs.get(index).ok_or_else(|| {
            Error::contract(&stage.path, format!("a game of pair {index}, and the grid has {}", meta.pairs.len()))
        })?;
        let per = |sum: &str, count: &str| {
            let count = figures.real(count, row);
            (count > 0.0).then(|| figures.real(sum, row) / count)
        };
        let score: Vec<f64> = samples.of_a(index);
        games.push(PairGames {
            a: names[0].clone(),
            b: names[1].clone(),
            games: figures.int("games", row),
            wins: figures.int("wins", row),
            draws: figures.int("draws", row),
            distinct: figures.int("distinct", row),
            plies: figures.real("plies", row),
            as_first: per("first_sum", "first_count"),
            as_second: per("second_sum", "second_count"),
            units: unit_figures.moments(row),
            score: Moments::of(&score),
            decision_us: [per("a_us", "a_decisions"), per("b_us", "b_decisions")],
            decision_iterations: [per("a_iterations", "a_decisions"), per("b_iterations", "b_decisions")],
            from_seat: samples.take(index),
        });
    }
    Ok(games)
}

fn load(path: &Path) -> Result<DataFrame, Error> {
    const COLUMNS: [&str; 13] = [
        "trial",
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
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    let columns = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    ParquetReader::new(file).with_columns(Some(columns)).finish().map_err(|error| Error::parquet(path, error))
}

type Polars<T> = Result<T, polars::prelude::PolarsError>;

/// Adds `swapped` (a sits second) and a's points. Game `t % 2` of a unit decides who sits first.
fn with_side_of_a(frame: DataFrame) -> Polars<DataFrame> {
    let frame = frame.lazy().with_column((col("trial") % lit(2)).eq(lit(1)).alias("swapped"));
    let side = |first: &str, second: &str| when(col("swapped")).then(col(second)).otherwise(col(first));
    frame
        .with_column(
            when(col("swapped")).then(lit(1.0) - col("first_points")).otherwise(col("first_points")).alias("points"),
        )
        .with_columns([
            side("first_us", "second_us").alias("a_us"),
            side("second_us", "first_us").alias("b_us"),
            side("first_decisions", "second_decisions").alias("a_decisions"),
            side("second_decisions", "first_decisions").alias("b_decisions"),
            side("first_iterations", "second_iterations").alias("a_iterations"),
            side("second_iterations", "first_iterations").alias("b_iterations"),
        ])
        .collect()
}

fn by_pair(frame: DataFrame) -> Polars<DataFrame> {
    let sum_where = |value: polars::prelude::Expr, condition: polars::prelude::Expr| {
        when(condition).then(value).otherwise(lit(0.0)).sum()
    };
    let swapped = || col("swapped");
    frame
        .lazy()
        .group_by([col("pair")])
        .agg([
            len().alias("games"),
            col("points").eq(lit(1.0)).sum().alias("wins"),
            col("points").eq(lit(0.5)).sum().alias("draws"),
            col("moves_hash").n_unique().alias("distinct"),
            col("plies").mean().alias("plies"),
            sum_where(col("points"), swapped().not()).alias("first_sum"),
            sum_where(lit(1.0), swapped().not()).alias("first_count"),
            sum_where(col("points"), swapped()).alias("second_sum"),
            sum_where(lit(1.0), swapped()).alias("second_count"),
            col("a_us").sum(),
            col("b_us").sum(),
            col("a_decisions").sum(),
            col("b_decisions").sum(),
            col("a_iterations").sum(),
            col("b_iterations").sum(),
        ])
        // A group-by has no order.
        .sort(["pair"], SortMultipleOptions::default())
        .collect()
}

/// Mean and spread of a's share over whole units: the two games of a unit share their luck and are one observation.
fn by_unit(frame: DataFrame) -> Polars<DataFrame> {
    frame
        .lazy()
        .group_by([col("pair"), col("unit")])
        .agg([col("points").mean().alias("share"), len().alias("size")])
        .group_by([col("pair")])
        .agg([len().alias("units"), col("share").mean().alias("mean"), col("share").var(0).alias("variance")])
        .sort(["pair"], SortMultipleOptions::default())
        .collect()
}

/// Columns of a small frame as doubles.
struct Figures {
    columns: std::collections::BTreeMap<String, Vec<f64>>,
}

impl Figures {
    fn new(frame: &DataFrame) -> Polars<Self> {
        let mut columns = std::collections::BTreeMap::new();
        for column in frame.columns() {
            let values = column.cast(&polars::prelude::DataType::Float64)?;
            let values = values.f64()?.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
            columns.insert(column.name().to_string(), values);
        }
        Ok(Figures { columns })
    }

    fn real(&self, name: &str, row: usize) -> f64 {
        self.columns.get(name).and_then(|values| values.get(row)).copied().unwrap_or(f64::NAN)
    }

    /// Counts are far below 2^53.
    fn int(&self, name: &str, row: usize) -> u64 {
        self.real(name, row) as u64
    }

    fn moments(&self, row: usize) -> Moments {
        let n = self.int("units", row);
        Moments::of_parts(n, self.real("mean", row), self.real("variance", row) * n as f64)
    }
}

/// Score differences by pair and by who sits first.
struct Samples(Vec<[Vec<f64>; 2]>);

impl Samples {
    fn read(frame: &DataFrame, pairs: usize) -> Polars<Self> {
        let mut samples = vec![[Vec::new(), Vec::new()]; pairs];
        let (pair, swapped) = (frame.column("pair")?.i64()?, frame.column("swapped")?.bool()?);
        let difference = frame.column("score_difference")?.i64()?;
        for ((pair, swapped), difference) in pair.iter().zip(swapped.iter()).zip(difference.iter()) {
            let (Some(pair), Some(swapped), Some(difference)) = (pair, swapped, difference) else { continue };
            if let Some(sample) = usize::try_from(pair).ok().and_then(|pair| samples.get_mut(pair)) {
                sample[usize::from(swapped)].push(difference as f64);
            }
        }
        Ok(Samples(samples))
    }

    fn of_a(&self, pair: usize) -> Vec<f64> {
        let [first, second] = &self.0[pair];
        first.iter().copied().chain(second.iter().map(|d| -d)).collect()
    }

    fn take(&mut self, pair: usize) -> [Vec<f64>; 2] {
        std::mem::take(&mut self.0[pair])
    }
}
