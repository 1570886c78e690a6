//! What a learning says of itself.

use serde_json::Value;

use super::{Learning, figures, read, tables, words};
use crate::{
    Error, Question, Table,
    forms::figure::{Figures, Look},
    kinds::{
        grid::{self, PER_1000, points_against},
        kind::{Kind, is_named},
        subject::{Course, Evidence, Header, Outcome, Subject, Tables},
        warnings::{NOT_REPRODUCIBLE, missing},
    },
    report::Options,
};

/// Runs in which networks learn.
pub(crate) const KIND: Kind =
    Kind { takes: |stages| is_named(stages, "learning"), read: |stages| Ok(Box::new(read(stages)?)), setting };

/// A first stage's facts without what follows from the seed: the network that begins.
fn setting(meta: &Value) -> Value {
    let mut meta = meta.clone();
    if let Some(facts) = meta.as_object_mut() {
        facts.remove("playing");
        facts.remove("player");
    }
    meta
}

impl Subject for Learning {
    fn header(&self) -> Header<'_> {
        Header {
            experiment: &self.facts.header.experiment,
            paper: self.facts.header.paper.as_deref(),
            reproducible: self.facts.header.reproducible,
            finished: self.finished,
            generations: Some(self.rounds.len() as u64),
        }
    }

    fn tables(&self, options: &Options) -> Result<Tables, Error> {
        let mut shown = vec![tables::rounds(self)];
        shown.extend([tables::strength(self), tables::nets(self), tables::tested(self)].into_iter().flatten());
        match &self.end {
            Some(grid) => shown.extend(grid::report::whole(grid, options)?),
            None => options.without_contrasts("the final stage is not closed")?,
        }
        Ok(Tables { shown, ..Tables::default() })
    }

    fn figures(&self) -> Figures {
        figures::of_learning(self)
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if !self.finished {
            let (closed, all) = (self.rounds.len(), self.facts.rounds);
            warnings.push(format!("under way: {closed} of {all} rounds have begun to close."));
        }
        if !self.facts.header.reproducible {
            warnings.push(NOT_REPRODUCIBLE.to_owned());
        }
        let games = self.rounds.iter().fold((0, 0), |sum, round| (sum.0 + round.play.games, sum.1 + round.trials));
        warnings.extend(missing(games.0, games.1, "games", "Their positions were not trained on."));
        let lost = self.rounds.iter().filter(|round| round.nets.len() < self.facts.nets.len());
        let lost = lost.filter(|round| !round.nets.is_empty() || round.gate.is_some()).count();
        if lost > 0 {
            warnings.push(format!("in {lost} rounds a training was given up; its net stayed as it was."));
        }
        let gates = self.rounds.iter().filter_map(|round| Some((round, &round.gate.as_ref()?.grid)));
        for (name, grid) in gates
            .map(|(round, grid)| (format!("gate {}", round.number), grid))
            .chain(self.end.as_ref().map(|grid| ("final stage".to_owned(), grid)))
        {
            warnings.extend(grid.repetitions().into_iter().map(|warning| format!("{name}: {warning}")));
        }
        warnings
    }

    fn question(&self, _: &[Question]) -> String {
        words::question(self)
    }

    fn findings(&self, tables: &[Table]) -> Vec<String> {
        words::findings(self, tables)
    }

    fn outcomes(&self) -> Vec<Outcome> {
        let drawn = |outcome| Outcome { drawn_about: Some(0.5 * PER_1000), ..outcome };
        self.end.iter().flat_map(|grid| &grid.pairs).map(points_against).map(drawn).collect()
    }

    fn courses(&self) -> Vec<Course> {
        let course = |opponent: &str| Course {
            figure: "replicate-learnings",
            title: format!("the new net v {opponent}"),
            x: "round",
            y: "share of the points",
            range: Some((0.0, 1.02)),
            level: Some((0.5, "equal")),
            looks: [Look::Line, Look::DashedBand],
            points: self
                .rounds
                .iter()
                .filter_map(|round| Some((round.number.into(), round.against(opponent)?.share())))
                .collect(),
        };
        self.opponents().into_iter().filter(|opponent| *opponent != record::facts::OLD).map(course).collect()
    }

    fn evidence(&self) -> Evidence<'_> {
        self.end.as_ref().map_or(Evidence::None, Evidence::Games)
    }
}
