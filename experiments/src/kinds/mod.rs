//! Kinds of experiment: what each reads from a file, and its plan.

mod coevolution;
mod learning;
mod match_grid;
mod study;
mod synthetic;
mod tuning;

pub(crate) use coevolution::Coevolution;
pub(crate) use learning::Learning;
pub(crate) use match_grid::{GridPlan, MatchGrid};
pub(crate) use study::{Study, StudyPlan};
pub(crate) use synthetic::Synthetic;
pub(crate) use tuning::Tuning;

use games::GameSpec;
use players::PlayerSpec;
use record::{Question, Stage};

use crate::{
    Experiment,
    plan::{Artifact, Artifacts, ClosedRows, Closing, Executor, Opening, Plan, PlanError},
    questions,
    reader::Reader,
};

/// What a kind is listed by.
struct Listed {
    /// In files.
    name: &'static str,
    /// Keys of the outermost table that belong to it.
    keys: &'static [&'static str],
    /// Reads what belongs to it, at a scale, with the questions that are asked of its results.
    read: Read,
}

type Read = fn(&mut Reader<'_>, f64) -> Option<(Kind, Vec<Question>)>;

static KINDS: [Listed; 6] = [
    Listed {
        name: "coevolution",
        keys: &["game", "players", "champion", "coevolution"],
        read: |reader, _| Some((Kind::Coevolution(Box::new(Coevolution::read(reader)?)), Vec::new())),
    },
    Listed {
        name: "learning",
        keys: &["game", "players", "champion", "learning"],
        read: |reader, _| Some((Kind::Learning(Box::new(Learning::read(reader)?)), Vec::new())),
    },
    Listed {
        name: "match-grid",
        keys: &["game", "players", "champion", "match-grid"],
        read: |reader, scale| Some((Kind::MatchGrid(MatchGrid::read(reader, scale)?), Vec::new())),
    },
    Listed {
        name: "study",
        keys: &["problems", "players", "champion", "study", "analysis"],
        read: |reader, scale| {
            let study = Study::read(reader, scale);
            // Even if the study has faults: those of its questions are reported with them.
            let questions = questions::read(reader, &study.as_ref().map(Study::own_columns).unwrap_or_default());
            study.map(Kind::Study).zip(questions)
        },
    },
    Listed {
        name: "synthetic",
        keys: &["synthetic"],
        read: |reader, _| Some((Kind::Synthetic(Synthetic::read(reader)?), Vec::new())),
    },
    Listed {
        name: "tuning",
        keys: &["game", "players", "champion", "tuning"],
        read: |reader, _| Some((Kind::Tuning(Box::new(Tuning::read(reader)?)), Vec::new())),
    },
];

/// What an experiment does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Playout functions evolved against one another.
    Coevolution(Box<Coevolution>),
    /// Networks trained on positions of games that they play.
    Learning(Box<Learning>),
    /// Players against players.
    MatchGrid(MatchGrid),
    /// Agents at problems, each by itself.
    Study(Study),
    /// Trials that only cost time.
    Synthetic(Synthetic),
    /// Parameters of a player found by playing with them.
    Tuning(Box<Tuning>),
}

impl Kind {
    /// Reads the kind and what belongs to it, with the questions that are asked of its results.
    pub(crate) fn read(reader: &mut Reader<'_>, scale: f64) -> Option<(Self, Vec<Question>)> {
        let names = KINDS.each_ref().map(|kind| (kind.name, kind));
        let hint = format!("`{}`", KINDS.each_ref().map(|kind| kind.name).join("`, `"));
        let entry = reader.required("kind", &hint);
        let Some(kind) = entry.and_then(|entry| reader.sink.choice(&entry.node, "kind", "kind", &names)) else {
            // Without a kind it is not known which of these keys belong.
            for key in KINDS.iter().flat_map(|kind| kind.keys) {
                reader.optional(key);
            }
            return None;
        };
        let mut reported: Vec<&str> = Vec::new();
        for &key in KINDS.iter().flat_map(|kind| kind.keys).filter(|key| !kind.keys.contains(key)) {
            if !reported.contains(&key) {
                reader.without_effect(key, &format!("the kind is `{}`", kind.name));
                reported.push(key);
            }
        }
        (kind.read)(reader, scale)
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Coevolution(_) => "coevolution",
            Kind::Learning(_) => "learning",
            Kind::MatchGrid(_) => "match-grid",
            Kind::Study(_) => "study",
            Kind::Synthetic(_) => "synthetic",
            Kind::Tuning(_) => "tuning",
        }
    }

    /// Appends what belongs to the kind, as TOML.
    pub(crate) fn write(&self, text: &mut String) {
        match self {
            Kind::Coevolution(setup) => setup.write(text),
            Kind::Learning(setup) => setup.write(text),
            Kind::MatchGrid(grid) => grid.write(text),
            Kind::Study(study) => study.write(text),
            Kind::Synthetic(synthetic) => synthetic.write(text),
            Kind::Tuning(setup) => setup.write(text),
        }
    }

    /// Who plays what: each game with each player.
    pub(crate) fn who_plays(&self) -> Vec<(&GameSpec, &PlayerSpec)> {
        match self {
            Kind::Coevolution(setup) => setup.players().map(|player| (&setup.game, player)).collect(),
            Kind::Learning(setup) => setup.players().map(|player| (&setup.game, player)).collect(),
            Kind::MatchGrid(grid) => {
                let matches = &grid.matches;
                matches.players.iter().map(|(_, player)| (&matches.game, player)).collect()
            }
            Kind::Study(study) => study.who_plays().collect(),
            Kind::Synthetic(_) => Vec::new(),
            Kind::Tuning(setup) => setup.players().map(|player| (&setup.game, player)).collect(),
        }
    }

    /// This with as much of `longer` as a longer experiment may have, and the scale that goes with it.
    pub(crate) fn lengthened(&self, longer: &Self, scales: [f64; 2]) -> (Self, f64) {
        match (self, longer) {
            (Kind::MatchGrid(old), Kind::MatchGrid(new)) => {
                let (grid, scale) = old.lengthened(new, scales);
                (Kind::MatchGrid(grid), scale)
            }
            (Kind::Study(old), Kind::Study(new)) => {
                let (study, scale) = old.lengthened(new, scales);
                (Kind::Study(study), scale)
            }
            (Kind::Synthetic(old), Kind::Synthetic(new)) => {
                let (synthetic, scale) = old.lengthened(new, scales);
                (Kind::Synthetic(synthetic), scale)
            }
            // The scale is how many games a generation has, which the next one follows from.
            (Kind::Coevolution(old), Kind::Coevolution(new)) => {
                (Kind::Coevolution(Box::new(old.lengthened(new))), scales[0])
            }
            (Kind::Learning(old), Kind::Learning(new)) => (Kind::Learning(Box::new(old.lengthened(new))), scales[0]),
            (Kind::Tuning(old), Kind::Tuning(new)) => (Kind::Tuning(Box::new(old.lengthened(new))), scales[0]),
            (
                Kind::Coevolution(_)
                | Kind::Learning(_)
                | Kind::MatchGrid(_)
                | Kind::Study(_)
                | Kind::Synthetic(_)
                | Kind::Tuning(_),
                _,
            ) => (self.clone(), scales[0]),
        }
    }

    /// What may grow, for people.
    pub(crate) fn grows(&self) -> &'static str {
        match self {
            Kind::Coevolution(_) => Coevolution::GROWS,
            Kind::Learning(_) => Learning::GROWS,
            Kind::MatchGrid(_) => MatchGrid::GROWS,
            Kind::Study(_) => Study::GROWS,
            Kind::Synthetic(_) => Synthetic::GROWS,
            Kind::Tuning(_) => Tuning::GROWS,
        }
    }

    pub(crate) fn reproducible(&self) -> bool {
        match self {
            Kind::Coevolution(setup) => setup.reproducible(),
            Kind::Learning(setup) => setup.reproducible(),
            Kind::MatchGrid(grid) => grid.matches.reproducible(),
            Kind::Study(study) => study.reproducible(),
            Kind::Synthetic(_) => true,
            Kind::Tuning(setup) => setup.reproducible(),
        }
    }

    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        match self {
            Kind::Coevolution(setup) => setup.generation_trials(scale),
            Kind::Learning(setup) => setup.first_trials(scale),
            Kind::MatchGrid(grid) => grid.trial_count(scale),
            Kind::Study(study) => study.trial_count(scale),
            Kind::Synthetic(synthetic) => synthetic.trial_count(scale),
            Kind::Tuning(setup) => setup.generation_trials(0, scale),
        }
    }
}

/// The state machine of an experiment. With its first stage come the artifacts that it brings.
pub fn plan(experiment: &Experiment) -> Box<dyn Plan> {
    let plan = of_kind(experiment);
    match experiment.brought() {
        brought if brought.is_empty() => plan,
        brought => Box::new(Bringing { plan, brought }),
    }
}

/// A plan whose first stage comes with artifacts from files.
struct Bringing {
    plan: Box<dyn Plan>,
    brought: Vec<Artifact>,
}

impl Plan for Bringing {
    fn first_stage(&self) -> Opening {
        let mut opening = self.plan.first_stage();
        opening.artifacts.extend(self.brought.iter().cloned());
        opening
    }

    fn after(
        &self,
        closed: &Stage,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, PlanError> {
        self.plan.after(closed, rows, artifacts)
    }

    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError> {
        self.plan.executor(stage, artifacts)
    }
}

fn of_kind(experiment: &Experiment) -> Box<dyn Plan> {
    match &experiment.kind {
        Kind::Coevolution(setup) => Box::new(coevolution::CoevolutionPlan::new(experiment, setup)),
        Kind::Learning(setup) => Box::new(learning::LearningPlan::new(experiment, setup)),
        Kind::MatchGrid(grid) => Box::new(GridPlan::new(experiment, grid)),
        Kind::Study(study) => Box::new(StudyPlan::new(experiment, study)),
        Kind::Synthetic(synthetic) => Box::new(synthetic::SyntheticPlan::new(experiment, synthetic)),
        Kind::Tuning(setup) => Box::new(tuning::TuningPlan::new(experiment, setup)),
    }
}

#[cfg(test)]
mod tests {
    use record::Adjust;

    use super::*;
    use crate::keys;

    #[track_caller]
    fn check(path: &str, names: &[&str]) {
        let key = keys::ALL.iter().find(|key| key.path == path).expect("a key");
        let [first @ .., last] = names else { panic!("names") };
        assert_eq!(key.takes, format!("`{}` or `{last}`", first.join("`, `")), "{path}");
    }

    #[test]
    fn keys_name_every_kind_and_adjustment() {
        check("kind", &KINDS.each_ref().map(|kind| kind.name));
        check("analysis.adjust", &Adjust::ALL.map(|(name, _)| name));
    }
}
