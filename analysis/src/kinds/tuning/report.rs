//! What a tuning says of itself.

use super::{Tuning, courses, figures, outcomes, read, setting, tables, words};
use crate::{
    Error, Question, Table,
    forms::figure::Figures,
    kinds::{
        grid,
        kind::{Kind, is_named},
        subject::{Course, Evidence, Header, Outcome, Subject, Tables},
        warnings::Generations,
        workers,
    },
    report::Options,
};

/// Runs that search for parameters of a player.
pub(crate) const KIND: Kind =
    Kind { takes: |stages| is_named(stages, "tuning"), read: |stages| Ok(Box::new(read(stages)?)), setting };

impl Subject for Tuning {
    fn header(&self) -> Header<'_> {
        Header {
            experiment: &self.facts.header.experiment,
            paper: self.facts.header.paper.as_deref(),
            reproducible: self.facts.header.reproducible,
            finished: self.is_finished(),
            generations: Some(self.generations.len() as u64),
        }
    }

    fn tables(&self, options: &Options) -> Result<Tables, Error> {
        let mut shown = vec![tables::search(self), tables::candidates(self)];
        match &self.end {
            Some(end) => {
                shown.push(tables::retest(&self.facts, end));
                shown.extend(grid::report::whole(&end.grid, options)?);
            }
            None => options.without_contrasts("the final stage is not closed")?,
        }
        shown.push(workers::table(&self.facts.header.experiment, &self.workers(), workers::GAMES));
        Ok(Tables { shown, ..Tables::default() })
    }

    fn figures(&self) -> Figures {
        figures::of_tuning(self)
    }

    fn warnings(&self) -> Vec<String> {
        let under_way = || {
            format!(
                "under way: {} of {} generations are closed, and the final stage is not. What the search says of its leader \
                 is too much: it leads because it was lucky, too.",
                self.generations.len(),
                self.facts.generations
            )
        };
        let run = Generations {
            under_way: (!self.is_finished()).then(under_way),
            reproducible: self.facts.header.reproducible,
            played: self.generations.iter().map(|generation| &generation.played).collect(),
            grids: self.last_grid().map(|grid| ("final stage", grid)).into_iter().collect(),
            consequence: "The search leaves them out; units that miss a game are left out of intervals over units \
                          and of tests over units.",
        };
        run.warnings()
    }

    fn question(&self, _: &[Question]) -> String {
        words::question(self)
    }

    fn findings(&self, tables: &[Table]) -> Vec<String> {
        words::findings(self, tables)
    }

    fn outcomes(&self) -> Vec<Outcome> {
        outcomes::outcomes(self)
    }

    fn courses(&self) -> Vec<Course> {
        courses::courses(self)
    }

    fn evidence(&self) -> Evidence<'_> {
        self.last_grid().map_or(Evidence::None, Evidence::Games)
    }
}
