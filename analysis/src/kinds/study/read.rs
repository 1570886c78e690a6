//! A study's stage from Parquet, a row group at a time.

use std::{collections::BTreeMap, fs::File, path::Path};

use polars_io::{SerReader as _, parquet::read::ParquetReader};

use record::{
    facts::StudyFacts,
    study::{METRICS, Metric, study_shape},
};

use super::{Arm, Study, Thirds, place as metric_place};
use crate::{
    Error,
    data::{
        Exported,
        parquet::{self, Batch},
    },
    kinds::{
        own::OwnColumns,
        turn_figures::{TurnFigures, with_figures},
        workers::{Work, Workers},
    },
};

/// Columns that are read beside the metrics.
const WORDS: [&str; 5] = ["worker", "problem", "agent", "histogram", "formula"];
const COUNTS: [&str; 4] = ["run", "moves_hash", "elapsed_us", "deciding_us"];

/// Reads a stage of shape `study`.
pub(crate) fn read(stage: &Exported) -> Result<Study, Error> {
    let meta: StudyFacts = stage.meta()?;
    let of_problem =
        |problem: &String| meta.player_order.iter().map(|agent| Arm::new(problem, agent)).collect::<Vec<_>>();
    let common = with_figures(study_shape(), &meta.turn_figures, &[String::new()]);
    let own = OwnColumns::of(&stage.spec.shape, &common);
    let arms: Vec<Arm> = meta.problem_order.iter().flat_map(of_problem).collect();
    let place = |(i, arm): (usize, &Arm)| ((arm.problem.clone(), arm.agent.clone()), i);
    let groups = arms.iter().map(|arm| [arm.problem.clone(), arm.agent.clone()]).collect();
    let mut reading = Reading {
        turn_figures: TurnFigures::new(&meta.turn_figures, groups),
        path: &stage.path,
        bins: meta.histogram_bins,
        places: arms.iter().enumerate().map(place).collect(),
        hashes: vec![Vec::new(); arms.len()],
        arms,
        workers: Workers::new(),
        own: &own,
    };
    let of_turns = reading.turn_figures.columns("");
    let metrics = METRICS.iter().map(|metric| metric.column);
    let declared = own.names().chain(of_turns.iter().map(String::as_str));
    let columns: Vec<&str> = WORDS.iter().chain(&COUNTS).copied().chain(metrics).chain(declared).collect();
    let mut at = 0;
    for rows in row_groups(&stage.path)? {
        let path = &stage.path;
        let frame = parquet::load(path, &columns, at, rows).map_err(|error| Error::parquet(path, error))?;
        reading.add(Batch { frame: &frame, path })?;
        at += rows;
    }
    let Reading { mut arms, hashes, workers, turn_figures, .. } = reading;
    for (arm, mut hashes) in arms.iter_mut().zip(hashes) {
        hashes.sort_unstable();
        hashes.dedup();
        arm.distinct = hashes.len() as u64;
    }
    arms.retain(|arm| !arm.runs.is_empty());
    Ok(Study { meta, own, arms, turn_figures, workers, trials: stage.spec.trials })
}

/// Rows of each row group: what the export held at a time can be held again.
fn row_groups(path: &Path) -> Result<Vec<usize>, Error> {
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    let mut reader = ParquetReader::new(file);
    let metadata = reader.get_metadata().map_err(|error| Error::parquet(path, error))?;
    let mut rows = Vec::new();
    for group in &metadata.row_groups {
        rows.push(group.num_rows());
    }
    Ok(rows)
}

/// The columns, or what is wrong with the first that cannot be read.
fn all<T: Default, const N: usize>(found: [Result<T, Error>; N]) -> Result<[T; N], Error> {
    let mut columns = std::array::from_fn(|_| T::default());
    for (column, found) in columns.iter_mut().zip(found) {
        *column = found?;
    }
    Ok(columns)
}

/// What was read so far.
struct Reading<'a> {
    path: &'a Path,
    bins: usize,
    /// Place of (problem, agent) among the arms.
    places: BTreeMap<(String, String), usize>,
    arms: Vec<Arm>,
    turn_figures: TurnFigures,
    /// Hashes of the moves of every run, by arm.
    hashes: Vec<Vec<i64>>,
    workers: Workers,
    own: &'a OwnColumns,
}

impl Reading<'_> {
    fn add(&mut self, batch: Batch<'_>) -> Result<(), Error> {
        let [worker, problem, agent, histogram, formula] = all(WORDS.map(|name| batch.texts(name)))?;
        let [run, hash, elapsed_us, deciding_us] = all(COUNTS.map(|name| batch.ints(name)))?;
        let metrics: Vec<Vec<f64>> =
            METRICS.iter().map(|metric| batch.reals(metric.column)).collect::<Result<_, _>>()?;
        let own = self.own.read(batch)?;
        let metric = |name: &str| &metrics[metric_place(Metric::find(name).expect("a metric of the list"))];
        let group = |row: usize| self.places.get(&(problem[row].to_owned(), agent[row].to_owned())).copied();
        self.turn_figures.add(batch, "", group)?;
        let [decisions, iterations, plies] = ["decisions", "iterations", "plies"].map(metric);
        for row in 0..batch.frame.height() {
            let place =
                self.places.get(&(problem[row].to_owned(), agent[row].to_owned())).copied().ok_or_else(|| {
                    let reason =
                        format!("a run of `{}` on `{}`, which the study does not have", agent[row], problem[row]);
                    Error::contract(self.path, reason)
                })?;
            self.hashes[place].push(hash[row]);
            let arm = &mut self.arms[place];
            arm.runs.push(run[row].unsigned_abs());
            for (values, column) in arm.values.iter_mut().zip(&metrics) {
                values.push(column[row]);
            }
            arm.own_values.resize(self.own.numbers.len(), Vec::new());
            for (values, value) in arm.own_values.iter_mut().zip(own.numbers(row)) {
                values.push(value);
            }
            own.add_to(&mut arm.own, row)?;
            if !histogram[row].is_empty() {
                let text = histogram[row];
                let wrong = || Error::contract(self.path, format!("`{}` is not a histogram", start(text)));
                let sums = arm.histogram.get_or_insert_with(|| [(); 3].map(|()| vec![0; self.bins]));
                add_histogram(sums, text).ok_or_else(wrong)?;
                arm.histograms += 1;
            }
            if !formula[row].is_empty() {
                *arm.formulas.entry(super::formula::shape(formula[row])).or_default() += 1;
            }
            let work = Work {
                games: 1,
                elapsed_us: elapsed_us[row].unsigned_abs(),
                iterations: iterations[row] as u64,
                decisions: decisions[row] as u64,
                deciding_us: deciding_us[row].unsigned_abs(),
                plies: plies[row] as u64,
            };
            arm.cost.decisions += work.decisions;
            arm.cost.iterations += work.iterations;
            arm.cost.us += work.deciding_us;
            self.workers.entry(worker[row].to_owned()).or_default().add(&work);
        }
        Ok(())
    }
}

/// Adds three lists of counts, as many in each as there are bins. `None` if `text` is something else; then `sums` may
/// hold a part of the counts.
fn add_histogram(sums: &mut Thirds, text: &str) -> Option<()> {
    let mut thirds = text.split(';');
    for sums in sums {
        let mut counts = thirds.next()?.split(',');
        for sum in sums {
            *sum += counts.next()?.parse::<u64>().ok()?;
        }
        if counts.next().is_some() {
            return None;
        }
    }
    thirds.next().is_none().then_some(())
}

/// The beginning of a text that may be long.
fn start(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_are_added_up() {
        let mut sums = [(); 3].map(|()| vec![0, 1]);
        assert_eq!(add_histogram(&mut sums, "1,2;3,4;5,6"), Some(()));
        assert_eq!(sums, [[1, 3], [3, 5], [5, 7]]);
        for wrong in ["", "1,2", "1,2;3,4", "1;2;3", "1,2,3;4,5;6,7", "1,2;3,4;5,6;7,8", "1,2;3,-4;5,6", "a,b;c,d;e,f"]
        {
            assert_eq!(add_histogram(&mut sums, wrong), None, "{wrong}");
        }
    }
}
