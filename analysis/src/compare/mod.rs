//! Our figures beside a paper's.

mod claims;
mod games;
mod study;

use std::path::Path;

use crate::{
    Error, Report,
    data::Place,
    kinds::{Subject, grid::Grid},
    papers::{ALL, Paper},
    report::warnings,
};

pub(crate) use games::find;

/// Sets every row of a paper's table beside the pair of the same players; of an evolution, beside the best individual
/// of its final benchmark; of a tuning, beside the pairs of its final stage; of a study, every printed figure beside
/// that of the same agent on the same problem. The table is the experiment's own unless `key` names one.
///
/// # Errors
/// No table is named or known, it is of another kind of experiment, nothing to compare is closed, or a file cannot be
/// read.
pub fn compare(run: &Path, key: Option<&str>) -> Result<Report, Error> {
    let subject = Subject::read(run, Place::Apart)?;
    let own = subject.paper();
    match &subject {
        Subject::Study(study) => {
            let paper = paper(key, own)?;
            if paper.is_of_games() {
                return Err(Error::OtherPaper { key: paper.key, wants: "games between players", run: "a study" });
            }
            Ok(study::beside(paper, study))
        }
        Subject::Grid(_) | Subject::Evolution(_) | Subject::Tuning(_) => {
            let generations = subject.generations().unwrap_or_default();
            let grid = subject.grid().ok_or_else(|| Error::NoFinalStage { path: run.to_owned(), generations })?;
            beside_grid(paper(key, own)?, grid)
        }
    }
}

fn paper(key: Option<&str>, own: Option<&str>) -> Result<&'static Paper, Error> {
    let key = key.or(own).ok_or(Error::NoPaper)?;
    let known = || ALL.iter().map(|paper| paper.key).collect::<Vec<_>>().join(", ");
    Paper::find(key).ok_or_else(|| Error::UnknownPaper { key: key.to_owned(), known: known() })
}

fn beside_grid(paper: &'static Paper, grid: &Grid) -> Result<Report, Error> {
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
    Ok(Report { tables: vec![table], warnings: warnings(grid), ..Report::default() }.checked())
}

/// The verdict of a row that has nothing of ours.
const NOT_HERE: &str = "not in this run";

/// Whether `spec` has the name and the parameters of `wanted`, among others.
fn covers(spec: &str, wanted: &str) -> bool {
    let (Ok(spec), Ok(wanted)) = (spec::parse(spec), spec::parse(wanted)) else { return false };
    spec.covers(&wanted)
}
