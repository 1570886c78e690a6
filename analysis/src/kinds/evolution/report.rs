//! What an evolution says of itself.

use record::columns::{GENERATION, MATCH};

use super::{Evolution, courses, figures, outcomes, read, tables, words};
use crate::{
    Error, Question, Table,
    forms::figure::Figures,
    kinds::{
        kind::Kind,
        subject::{Course, Evidence, Header, Outcome, Subject, Tables},
        warnings::Generations,
        workers,
    },
    report::Options,
};

/// Runs of generations, and benchmarks between them. They are known by the shapes of their stages, not by the name of
/// their kind: benchmarks read the same, whatever else is a generation.
pub(crate) const KIND: Kind = Kind {
    takes: |stages| stages.iter().all(|stage| [GENERATION, MATCH].contains(&stage.spec.shape.name.as_str())),
    read: |stages| Ok(Box::new(read(stages)?)),
    setting: Clone::clone,
};

impl Subject for Evolution {
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
        options.without_contrasts("this run is not a grid")?;
        let mut shown = Vec::new();
        if !self.generations.is_empty() {
            shown.push(tables::generations(self));
        }
        if !self.benchmarks.is_empty() {
            shown.push(tables::benchmarks(self));
        }
        shown.extend(self.last_benchmark().map(|grid| tables::last(self, grid)));
        shown.push(tables::phases(self));
        shown.push(workers::table(&self.facts.header.experiment, &self.workers(), workers::GAMES));
        Ok(Tables { shown, ..Tables::default() })
    }

    fn figures(&self) -> Figures {
        figures::of_evolution(self)
    }

    fn warnings(&self) -> Vec<String> {
        let under_way = || {
            let asked = self.facts.generations.map_or(String::new(), |asked| format!(" of {asked}"));
            format!(
                "under way: {}{asked} generations are closed, and there is no final benchmark yet.",
                self.generations.len()
            )
        };
        let run = Generations {
            under_way: (!self.is_finished()).then(under_way),
            reproducible: self.facts.header.reproducible,
            played: self.generations.iter().map(|generation| &generation.played).collect(),
            grids: self.benchmarks.iter().map(|grid| (grid.stage.as_str(), grid)).collect(),
            consequence: "Individuals have the mean of their other games instead; units that miss a game are left out of \
                          intervals.",
        };
        run.warnings()
    }

    fn question(&self, _: &[Question]) -> String {
        words::question(self)
    }

    fn findings(&self, tables: &[Table]) -> Vec<String> {
        words::findings(tables)
    }

    fn outcomes(&self) -> Vec<Outcome> {
        outcomes::outcomes(self)
    }

    fn courses(&self) -> Vec<Course> {
        courses::courses(self)
    }

    fn evidence(&self) -> Evidence<'_> {
        self.last_benchmark().map_or(Evidence::None, Evidence::Games)
    }
}
