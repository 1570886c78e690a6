//! The study as one stage, and its runs by index.

use std::collections::BTreeMap;

use games::{Seed, line};
use players::{
    artifacts::HeldArtifacts,
    play::Watcher,
    solo::{Solo, SoloSetup, prepare},
};

use super::{super::idle::Idle, Study, columns};
use crate::{
    Experiment,
    plan::{Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, Stage},
    trial::TrialDescription,
    value::Row,
};

/// The only stage.
const STAGE: u32 = 0;

/// Least number of points of a problem's line, where its game is long enough.
const PLOT_POINTS: usize = 1_024;

/// Most points of all lines together: with more problems each has fewer, so that the stage's facts stay small.
const PLOT_POINTS_MAX: usize = 32 * PLOT_POINTS;

pub(crate) struct StudyPlan {
    study: Study,
    name: String,
    title: String,
    paper: Option<String>,
    seed: u64,
    scale: f64,
}

impl StudyPlan {
    pub(crate) fn new(experiment: &Experiment, study: &Study) -> Self {
        StudyPlan {
            study: study.clone(),
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            paper: experiment.paper.clone(),
            seed: experiment.seed,
            scale: experiment.scale,
        }
    }

    pub(crate) fn runs(&self) -> Runs {
        Runs { study: self.study.clone(), runs: self.study.runs(self.scale), seed: self.seed, idle: Idle::default() }
    }

    fn meta(&self) -> serde_json::Value {
        let Study { problems, players, .. } = &self.study;
        let games: BTreeMap<&str, String> = problems.iter().map(|(name, game)| (&name[..], game.to_string())).collect();
        let specs: BTreeMap<&str, String> = players.iter().map(|(name, spec)| (&name[..], spec.to_string())).collect();
        let mut units = problems.iter().map(|(_, game)| game.facts().score_unit);
        let unit = units.next().filter(|first| units.all(|unit| unit == *first));
        serde_json::json!({
            "kind": "study",
            "experiment": self.name,
            "title": self.title,
            "paper": self.paper,
            "reproducible": self.study.reproducible(),
            "scale": self.scale,
            "seed": self.seed,
            "runs": self.study.runs(self.scale),
            "measure": self.study.measure_name(),
            "histogram_bins": self.study.histogram_bins,
            "position": self.study.position,
            "problems": games,
            "specs": specs,
            "problem_order": problems.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "player_order": players.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "plots": self.plots(),
            "score_unit": unit,
        })
    }

    /// What problems that search a line search, by name.
    fn plots(&self) -> BTreeMap<&str, Vec<[f64; 2]>> {
        let problems = &self.study.problems;
        let points = PLOT_POINTS.min(PLOT_POINTS_MAX / problems.len());
        problems.iter().filter_map(|(name, game)| Some((name.as_str(), line::sample(game, points)?))).collect()
    }
}

impl Plan for StudyPlan {
    fn first_stage(&self) -> Opening {
        let names = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>();
        let Study { problems, players, .. } = &self.study;
        Opening::of(Stage {
            index: STAGE,
            name: "study".to_owned(),
            trials: self.study.trial_count(self.scale),
            shape: columns::shape(),
            labels: BTreeMap::from([
                ("problems".to_owned(), names(problems.iter().map(|(name, _)| name).collect())),
                ("players".to_owned(), names(players.iter().map(|(name, _)| name).collect())),
            ]),
            meta: self.meta(),
            artifacts: Vec::new(),
            ahead: 0,
        })
    }

    fn after(&self, _: &Stage, _: &mut dyn ClosedRows, _: &dyn Artifacts) -> Result<Closing, String> {
        Ok(Closing { fold: serde_json::json!({}), next: Next::Finished })
    }

    fn executor(&self, _: &Stage, _: &dyn Artifacts) -> Result<Box<dyn Executor>, String> {
        Ok(Box::new(self.runs()))
    }
}

/// Where a trial stands in the study.
struct Place {
    /// Indices of problem and agent.
    cell: [usize; 2],
    run: u64,
}

/// Runs the trials of a study.
pub(crate) struct Runs {
    study: Study,
    /// Of each agent at each problem.
    runs: u64,
    seed: u64,
    /// Agents at problems, by both.
    idle: Idle<[usize; 2], Box<dyn Solo>>,
}

impl Runs {
    /// Runs of each agent at each problem.
    pub(crate) fn per_cell(&self) -> u64 {
        self.runs
    }

    fn place(&self, trial: u64) -> Option<Place> {
        let there = trial < self.study.cells().saturating_mul(self.runs);
        there.then(|| Place { cell: self.study.indices(trial / self.runs), run: trial % self.runs })
    }

    /// What a trial depends on beside game and agent.
    fn setup(&self, place: &Place) -> SoloSetup {
        // By the problem's name and the run: not by its index, so that other problems change nothing, and not by the
        // agent, so that equal runs of all agents share their seeds (thesis, section 5.5).
        let (problem, _) = &self.study.problems[place.cell[0]];
        let seed = |stream| Seed::derive(self.seed, STAGE, place.run, &format!("{problem}: {stream}"));
        SoloSetup {
            position: self.study.position.clone(),
            measure: self.study.measure,
            bins: self.study.histogram_bins,
            nature_seed: seed("nature"),
            player_seed: seed("player"),
        }
    }

    /// Runs a trial and shows its plies.
    pub(crate) fn run_one(&self, trial: u64, watcher: Option<&mut Watcher<'_>>) -> Result<Row, String> {
        let place = self.place(trial).ok_or_else(|| {
            let trials = self.study.cells().saturating_mul(self.runs);
            format!("the study has {trials} trials; there is no trial {trial}")
        })?;
        let mut solo = match self.idle.take(&place.cell) {
            Some(solo) => solo,
            None => {
                let [problem, agent] = place.cell;
                prepare(&self.study.problems[problem].1, &self.study.players[agent].1, &HeldArtifacts::default())
                    .map_err(|error| error.to_string())?
            }
        };
        let record = solo.play_watched(&self.setup(&place), watcher);
        self.idle.put(place.cell, solo);
        Ok(columns::row(place.cell, place.run, record))
    }
}

impl Executor for Runs {
    fn run(&self, trial: u64) -> Result<Row, String> {
        self.run_one(trial, None)
    }

    fn watch(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, String> {
        self.run_one(trial, Some(watcher))
    }

    fn describe(&self, trial: u64) -> Option<TrialDescription> {
        let place = self.place(trial)?;
        let setup = self.setup(&place);
        let mut description =
            TrialDescription::of_seeds(&[("nature", setup.nature_seed), ("player", setup.player_seed)]);
        let (name, spec) = &self.study.players[place.cell[1]];
        description.seats = vec![(name.clone(), spec.to_string())];
        description.game = Some(self.study.problems[place.cell[0]].1.to_string());
        Some(description)
    }
}
