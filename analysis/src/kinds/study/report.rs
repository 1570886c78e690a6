//! What a study says of itself.

use record::study::STUDY;

use super::{Study, figures, outcomes, questions, read, tables, warnings, words};
use crate::{
    Error, Question, Table,
    forms::figure::Figures,
    kinds::{
        kind::{Kind, only},
        subject::{Evidence, Header, Outcome, Subject, Tables},
        workers,
    },
    report::Options,
};

/// Runs of agents on problems, known by the shape of their stage.
pub(crate) const KIND: Kind = Kind {
    takes: |stages| stages[0].spec.shape.name == STUDY,
    read: |stages| Ok(Box::new(read(only(stages)?)?)),
    setting: Clone::clone,
};

impl Subject for Study {
    fn header(&self) -> Header<'_> {
        Header {
            experiment: &self.meta.header.experiment,
            paper: self.meta.header.paper.as_deref(),
            reproducible: self.meta.header.reproducible,
            finished: true,
            generations: None,
        }
    }

    fn tables(&self, options: &Options) -> Result<Tables, Error> {
        options.without_contrasts("this run is not a grid")?;
        let mut shown = vec![tables::trees(self), tables::formulas(self), tables::frequent(self)];
        let points = tables::points(self);
        shown.extend([tables::own(self), tables::own_by_turn(self)]);
        // A game is about its result; a decision is about the value that the search finds.
        if self.is_of_decisions() {
            shown.push(points);
        } else {
            shown.insert(0, points);
        }
        let usual = [questions::usual(self)];
        let asked = if options.questions.is_empty() { &usual[..] } else { &options.questions };
        for question in asked {
            shown.extend(tables::answer(question, self)?);
        }
        shown.extend(self.turn_figures.tables(&self.meta.header.experiment));
        shown.push(tables::study_cost(self));
        shown.push(workers::table(&self.meta.header.experiment, &self.workers, workers::RUNS));
        // Without an agent that grows trees or evolves formulas their tables have no rows.
        shown.retain(|table| !table.rows.is_empty());
        Ok(Tables { shown, ..Tables::default() })
    }

    fn figures(&self) -> Figures {
        figures::of_study(self)
    }

    fn warnings(&self) -> Vec<String> {
        warnings::warnings(self)
    }

    fn question(&self, asked: &[Question]) -> String {
        words::question(self, asked)
    }

    fn findings(&self, tables: &[Table]) -> Vec<String> {
        words::findings(self, tables)
    }

    fn outcomes(&self) -> Vec<Outcome> {
        outcomes::outcomes(self)
    }

    fn evidence(&self) -> Evidence<'_> {
        Evidence::Agents(self)
    }
}
