//! Our figures beside a paper's.

mod games;
mod study;

use std::{collections::BTreeMap, path::Path};

use crate::{
    Error, Report,
    games::Grid,
    papers::{ALL, Paper},
    report::{Subject, read, warnings},
};

pub(crate) use games::find;

/// Sets every row of a paper's table beside the pair of the same players; of an evolution, beside the best individual
/// of its final benchmark; of a study, every printed figure beside that of the same agent on the same problem. The table
/// is the experiment's own unless `key` names one.
///
/// # Errors
/// No table is named or known, it is of another kind of experiment, nothing to compare is closed, or a file cannot be
/// read.
pub fn compare(run: &Path, key: Option<&str>) -> Result<Report, Error> {
    match read(run)? {
        Subject::Study(study) => {
            let paper = paper(key, study.meta.paper.as_deref())?;
            if paper.is_of_games() {
                return Err(Error::OtherPaper { key: paper.key, wants: "games between players", run: "a study" });
            }
            Ok(study::beside(paper, &study))
        }
        Subject::Grid(grid) => beside_grid(key, &grid),
        Subject::Evolution(evolution) => {
            let last = evolution.last_benchmark().ok_or_else(|| Error::NoFinalBenchmark {
                path: run.to_owned(),
                generations: evolution.generations.len() as u64,
            })?;
            beside_grid(key, last)
        }
    }
}

fn paper(key: Option<&str>, own: Option<&str>) -> Result<&'static Paper, Error> {
    let key = key.or(own).ok_or(Error::NoPaper)?;
    let known = || ALL.iter().map(|paper| paper.key).collect::<Vec<_>>().join(", ");
    Paper::find(key).ok_or_else(|| Error::UnknownPaper { key: key.to_owned(), known: known() })
}

fn beside_grid(key: Option<&str>, grid: &Grid) -> Result<Report, Error> {
    let paper = paper(key, grid.meta.paper.as_deref())?;
    if !paper.is_of_games() {
        return Err(Error::OtherPaper { key: paper.key, wants: "a study", run: "games between players" });
    }
    let table = if paper.is_of_runs() { games::beside_runs(paper, grid) } else { games::beside_pairs(paper, grid) };
    Ok(Report { tables: vec![table], figures: Vec::new(), warnings: warnings(grid) })
}

/// The verdict of a row that has nothing of ours.
const NOT_HERE: &str = "not in this run";

/// Whether `spec` is of the kind and has the parameters of `wanted`, among others.
fn covers(spec: &str, wanted: &str) -> bool {
    let parts = |spec: &str| -> (String, BTreeMap<String, String>) {
        let (kind, parameters) = spec.split_once(':').unwrap_or((spec, ""));
        let pair =
            |part: &str| part.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
        (kind.trim().to_owned(), parameters.split(',').filter_map(pair).collect())
    };
    let ((kind, parameters), (wanted_kind, wanted)) = (parts(spec), parts(wanted));
    // A number is the same however it is written.
    let same = |one: &str, other: &str| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    };
    let has = |(key, value): (&String, &String)| parameters.get(key).is_some_and(|found| same(found, value));
    kind == wanted_kind && wanted.iter().all(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_covers_what_it_has() {
        assert!(covers("mcts:c=0.7,playouts=100", "mcts:playouts=100"));
        assert!(!covers("mcts:playouts=1000", "mcts:playouts=100"));
        assert!(!covers("uct:playouts=100", "mcts:playouts=100"));
        assert!(!covers("mcts", "mcts:playouts=100"));
        assert!(covers("mcts:c=1.0,playouts=5000", "mcts:c=1,playouts=5000"));
        assert!(!covers("fop:function=f12", "fop:function=f1"));
    }
}
