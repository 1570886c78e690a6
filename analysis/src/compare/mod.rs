//! Our figures beside a paper's.

mod claims;
mod games;
mod league;
mod seats;
mod study;
mod summary;
mod verdict;

use std::path::Path;

use verdict::NOT_HERE;

use crate::{
    Error, Report, Table,
    data::{Place, closed_stages},
    kinds::{self, grid::Grid, subject::Evidence},
    papers::{ALL, Paper},
};

/// Sets every row of a paper's table beside the pair of the same players; of an evolution, beside the best individual
/// of its final benchmark; of a tuning, beside the pairs of its final stage; of a study, every printed figure beside
/// that of the same agent on the same problem. Figures by seat are of the player in that seat, and points of a league
/// of all its matches. The table is the experiment's own unless `key` names one.
///
/// # Errors
/// No table is named or known, it is of another kind of experiment, nothing to compare is closed, or a file cannot be
/// read.
pub fn compare(run: &Path, key: Option<&str>) -> Result<Report, Error> {
    let subject = kinds::read(&closed_stages(run, Place::Apart)?)?;
    let header = subject.header();
    match subject.evidence() {
        Evidence::Agents(study) => {
            let paper = paper(key, header.paper)?;
            if paper.is_of_games() {
                return Err(Error::OtherPaper { key: paper.key, wants: "games between players", run: "a study" });
            }
            Ok(study::beside(paper, study))
        }
        Evidence::Games(grid) => beside_grid(paper(key, header.paper)?, grid),
        Evidence::None => {
            Err(Error::NoFinalStage { path: run.to_owned(), generations: header.generations.unwrap_or_default() })
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
    let parts = paper.tables();
    let table = |part: &&'static Paper| {
        let mut table = if part.is_of_runs() {
            games::beside_runs(part, grid)
        } else if part.is_of_claims() {
            claims::beside(summary::name(part, &parts), part, grid)
        } else if part.has_league() {
            league::beside(summary::name(part, &parts), part, grid)
        } else if !part.seat_figures().is_empty() {
            seats::beside(summary::name(part, &parts), part, grid)
        } else {
            games::beside_pairs(part, grid)
        };
        table.notes.extend(contradictions(part));
        table
    };
    let tables = summary::with_summary(paper, &parts, parts.iter().map(table).collect());
    Ok(Report { tables, warnings: grid.warnings(), ..Report::default() }.checked())
}

/// How a note begins that quotes what a paper says otherwise in another place.
const CONTRADICTS: &str = "The paper contradicts itself: ";

fn contradictions(paper: &Paper) -> impl Iterator<Item = String> {
    paper.contradictions().into_iter().map(|text| format!("{CONTRADICTS}{text}"))
}

/// How many notes of a table of [`compare`] quote what the paper says otherwise in another place.
pub fn contradicted(table: &Table) -> usize {
    table.notes.iter().filter(|note| note.starts_with(CONTRADICTS)).count()
}
