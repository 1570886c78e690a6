//! Our figures beside a paper's.

mod claims;
mod games;
mod study;

use std::path::Path;

use crate::{
    Error, Report,
    games::Grid,
    papers::{ALL, Paper},
    report::{Subject, read, warnings},
    specs::Spec,
};

pub(crate) use games::find;

/// Sets every row of a paper's table beside the pair of the same players; of an evolution, beside the best individual
/// of its final benchmark; of a tuning, beside the pairs of its final stage; of a study, every printed figure beside that of the same agent on the same problem. The table
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
            let last = evolution.last_benchmark().ok_or_else(|| not_yet(run, evolution.generations.len()))?;
            beside_grid(key, last)
        }
        Subject::Tuning(tuning) => {
            let last = tuning.last_grid().ok_or_else(|| not_yet(run, tuning.generations.len()))?;
            beside_grid(key, last)
        }
    }
}

fn not_yet(run: &Path, generations: usize) -> Error {
    Error::NoFinalStage { path: run.to_owned(), generations: generations as u64 }
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
    let table = if paper.is_of_runs() {
        games::beside_runs(paper, grid)
    } else if paper.is_of_claims() {
        claims::beside(paper, grid)
    } else {
        games::beside_pairs(paper, grid)
    };
    Ok(Report { tables: vec![table], figures: Vec::new(), warnings: warnings(grid) })
}

/// The verdict of a row that has nothing of ours.
const NOT_HERE: &str = "not in this run";

/// Whether `spec` is of the kind and has the parameters of `wanted`, among others.
fn covers(spec: &str, wanted: &str) -> bool {
    Spec::of(spec).covers(&Spec::of(wanted))
}
