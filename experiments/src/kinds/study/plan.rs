//! The study as one stage, and its runs by index.

use std::collections::BTreeMap;

use games::{Seed, line, purpose};
use players::{
    artifacts::HeldArtifacts,
    play::Watcher,
    solo::{Measure, Solo, SoloRecord, SoloSetup, prepare},
};

use record::{
    Column, Row, Stage, Value,
    columns::{PLAYERS, PROBLEMS},
    facts::{Header, Kind, StudyFacts, to_json},
    study::study_shape,
};

use super::Study;
use crate::{
    Experiment, artifacts, own_columns,
    plan::{Artifacts, ClosedRows, Closing, Executor, Opening, Plan, PlanError, StoreError, TrialError},
    pool::Pool,
    trial::TrialDescription,
    turn_figures::TurnFigures,
};

/// The only stage.
const STAGE: u32 = 0;

/// Least number of points of a problem's line, where its game is long enough.
const PLOT_POINTS: usize = 1_024;

/// Most points of all lines together: with more problems each has fewer, so that the stage's facts stay small.
const PLOT_POINTS_MAX: usize = 32 * PLOT_POINTS;

pub(crate) struct StudyPlan {
    study: Study,
    header: Header,
    /// Runs of each agent at each problem.
    per_cell: u64,
    seed: u64,
}

impl StudyPlan {
    pub(crate) fn new(experiment: &Experiment, study: &Study) -> Self {
        StudyPlan {
            header: experiment.header(Kind::Study),
            per_cell: study.runs(experiment.scale),
            study: study.clone(),
            seed: experiment.seed,
        }
    }

    pub(crate) fn runs(&self) -> Runs {
        Runs {
            study: self.study.clone(),
            per_cell: self.per_cell,
            seed: self.seed,
            has_own_columns: !self.study.own_columns().is_empty(),
            figures: self.study.turn_figures(),
            artifacts: HeldArtifacts::default(),
            pool: Pool::default(),
        }
    }

    fn facts(&self) -> StudyFacts {
        let Study { problems, players, .. } = &self.study;
        let mut units = problems.iter().map(|(_, game)| game.facts().score_unit);
        let unit = units.next().filter(|first| units.all(|unit| unit == *first));
        StudyFacts {
            header: self.header.clone(),
            runs: self.per_cell,
            measure: self.study.measure_name().to_owned(),
            histogram_bins: self.study.histogram_bins,
            position: self.study.position.clone(),
            problems: problems.iter().map(|(name, game)| (name.clone(), game.to_string())).collect(),
            specs: players.iter().map(|(name, spec)| (name.clone(), spec.to_string())).collect(),
            problem_order: names(problems),
            player_order: names(players),
            plots: self.plots(),
            score_unit: unit.map(str::to_owned),
            turn_figures: self.study.turn_figures().facts(),
        }
    }

    /// What problems that search a line search, by name.
    fn plots(&self) -> BTreeMap<String, Vec<[f64; 2]>> {
        let problems = &self.study.problems;
        let points = PLOT_POINTS.min(PLOT_POINTS_MAX / problems.len());
        problems.iter().filter_map(|(name, game)| Some((name.clone(), line::sample(game, points)?))).collect()
    }
}

/// Names in the order of the file.
fn names<T>(named: &[(String, T)]) -> Vec<String> {
    named.iter().map(|(name, _)| name.clone()).collect()
}

impl Plan for StudyPlan {
    fn first_stage(&self) -> Opening {
        let Study { problems, players, .. } = &self.study;
        let mut shape = study_shape();
        shape.columns.extend(self.study.own_columns());
        shape.columns.extend(self.study.turn_figures().columns(""));
        let labels = [(PROBLEMS, names(problems)), (PLAYERS, names(players))];
        Opening::of(Stage {
            index: STAGE,
            name: "study".to_owned(),
            trials: self.study.cells().saturating_mul(self.per_cell),
            shape,
            labels: labels.map(|(key, names)| (key.to_owned(), names)).into(),
            meta: to_json(&self.facts()),
            artifacts: artifacts::needed_by(players.iter().map(|(_, agent)| agent)),
            ahead: 0,
        })
    }

    fn after(&self, _: &Stage, _: &mut dyn ClosedRows, _: &dyn Artifacts) -> Result<Closing, PlanError> {
        Ok(Closing::end())
    }

    fn executor(&self, _: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError> {
        Ok(Box::new(self.runs().with_artifacts(artifacts)?))
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
    /// Runs of each agent at each problem.
    per_cell: u64,
    seed: u64,
    /// Whether rows have the columns of the problems' own game.
    has_own_columns: bool,
    /// What rows have of the agents' decisions.
    figures: TurnFigures,
    /// What the agents need.
    artifacts: HeldArtifacts,
    /// Agents at problems, by both, that no thread is using.
    pool: Pool<[usize; 2], Box<dyn Solo>>,
}

impl Runs {
    /// The same with what the agents need, from a store.
    pub(crate) fn with_artifacts(self, artifacts: &dyn Artifacts) -> Result<Self, StoreError> {
        let agents = self.study.players.iter().map(|(_, agent)| agent);
        Ok(Runs { artifacts: artifacts::held_for(agents, artifacts)?, ..self })
    }

    /// Runs of each agent at each problem.
    pub(crate) fn per_cell(&self) -> u64 {
        self.per_cell
    }

    fn place(&self, trial: u64) -> Option<Place> {
        let there = trial < self.study.cells().saturating_mul(self.per_cell);
        there.then(|| Place { cell: self.study.indices(trial / self.per_cell), run: trial % self.per_cell })
    }

    /// What a trial depends on beside game and agent.
    fn setup(&self, place: &Place) -> SoloSetup {
        // By the problem's name and the run: not by its index, so that other problems change nothing, and not by the
        // agent, so that equal runs of all agents share their seeds (thesis, section 5.5).
        let (problem, _) = &self.study.problems[place.cell[0]];
        let seed = |stream| Seed::derive(self.seed, STAGE, place.run, &purpose::in_problem(problem, stream));
        SoloSetup {
            position: self.study.position.clone(),
            measure: self.study.measure,
            bins: self.study.histogram_bins,
            nature_seed: seed(purpose::NATURE),
            player_seed: seed(purpose::PLAYER),
        }
    }

    /// Runs a trial and shows its plies.
    pub(crate) fn run_one(&self, trial: u64, watcher: Option<&mut Watcher<'_>>) -> Result<Row, TrialError> {
        let place = self.place(trial).ok_or_else(|| TrialError::NoSuchTrial {
            trial,
            trials: self.study.cells().saturating_mul(self.per_cell),
        })?;
        let mut solo = match self.pool.take(&place.cell) {
            Some(solo) => solo,
            None => {
                let [problem, agent] = place.cell;
                prepare(&self.study.problems[problem].1, &self.study.players[agent].1, &self.artifacts)
                    .map_err(|error| TrialError::Players(error.to_string()))?
            }
        };
        let record = solo.play_watched(&self.setup(&place), watcher);
        self.pool.put(place.cell, solo);
        let mut row = row(place.cell, place.run, &record);
        if self.has_own_columns {
            row.extend(record.columns.iter().map(own_columns::value));
        }
        row.extend(self.figures.values(place.cell[1], &record.figures));
        Ok(row)
    }
}

impl Executor for Runs {
    fn run(&self, trial: u64) -> Result<Row, TrialError> {
        self.run_one(trial, None)
    }

    fn watch(&self, trial: u64, watcher: &mut Watcher<'_>) -> Result<Row, TrialError> {
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

impl Study {
    /// The own columns of the game that all problems are, where its games are played whole; none of different games,
    /// since all rows of a stage have the same columns.
    pub(crate) fn own_columns(&self) -> Vec<Column> {
        let mut all = self.problems.iter().map(|(_, game)| own_columns::columns(&game.facts()));
        let first = all.next().unwrap_or_default();
        let fits = self.measure == Measure::Game && all.all(|columns| columns == first);
        if fits { first } else { Vec::new() }
    }
}

/// The row of a run, in the order of the columns of [`study_shape`].
fn row([problem, agent]: [usize; 2], run: u64, record: &SoloRecord) -> Row {
    let mut row = vec![
        Value::count(problem as u64),
        Value::count(agent as u64),
        Value::count(run),
        Value::Real(record.points),
        Value::Int(record.score),
        Value::Int(record.plies.into()),
        Value::bits(record.moves_hash),
        Value::Int(record.decisions.into()),
        Value::count(record.iterations),
    ];
    row.extend(record.metrics.values().map(Value::Real));
    row.extend([&record.root_visits, &record.histogram, &record.formula].map(|text| Value::Text(text.clone())));
    row.push(Value::count(record.micros));
    row
}

#[cfg(test)]
mod tests {
    use players::readout::Metrics;
    use record::study::tree_columns;

    #[test]
    fn the_columns_of_trees_are_what_a_search_reads_out() {
        assert!(tree_columns().eq(Metrics::NAMES.iter().copied()));
    }
}
