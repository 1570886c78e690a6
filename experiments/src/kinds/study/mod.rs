//! Kind `study`: agents at problems, each by itself, many times over (SIEA-MCTS thesis, sections 4.2 and 5.5).
//!
//! A trial is a run of one agent at one problem: one decision at a position, or a whole game of one player. Trial
//! `(problem * agents + agent) * runs + run`. The streams of a run are named after problem and run alone, so that
//! equal runs of all agents share their seeds, as in the thesis.

mod longer;
mod plan;
mod read;

use games::GameSpec;
use players::{PlayerSpec, solo::Measure};

use crate::{quoted::quoted, turn_figures::TurnFigures};
pub(crate) use plan::StudyPlan;

/// Words of a file for what a trial is.
const MEASURES: [(&str, Measure); 2] = [("decision", Measure::Decision), ("game", Measure::Game)];

/// What a study says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Study {
    /// Name and game, in the order of the file.
    problems: Vec<(String, GameSpec)>,
    /// The agents: name and spec, in the order of the file.
    players: Vec<(String, PlayerSpec)>,
    /// Runs of each agent at each problem, before the scale.
    runs: u64,
    measure: Measure,
    /// Bins of the histograms of trees; 0: none.
    histogram_bins: usize,
    /// Text of the position instead of the start.
    position: Option<String>,
    /// Whether rows have what agents declare of their decisions.
    turn_figures: bool,
}

impl Study {
    /// Runs of each agent at each problem, at a scale: at least one.
    fn runs(&self, scale: f64) -> u64 {
        // Casting saturates.
        if scale == 1.0 { self.runs } else { ((self.runs as f64 * scale).round() as u64).max(1) }
    }

    /// One run of one agent at one problem, as this study has them.
    pub(crate) fn of_one(&self, problem: &GameSpec, agent: &PlayerSpec) -> Self {
        let (problems, players) = (vec![("one".to_owned(), problem.clone())], vec![("one".to_owned(), agent.clone())]);
        Study { problems, players, runs: 1, histogram_bins: 0, ..self.clone() }
    }

    /// Every agent at every problem.
    pub(crate) fn who_plays(&self) -> impl Iterator<Item = (&GameSpec, &PlayerSpec)> {
        let pairs = self.problems.iter().flat_map(|problem| self.players.iter().map(move |agent| (problem, agent)));
        pairs.map(|((_, game), (_, agent))| (game, agent))
    }

    /// Problems times agents.
    pub(crate) fn cells(&self) -> u64 {
        self.problems.len() as u64 * self.players.len() as u64
    }

    /// Problem and agent of a cell: `problem * agents + agent`.
    ///
    /// # Panics
    /// If the study has no such cell.
    pub(crate) fn cell(&self, cell: u64) -> (&(String, GameSpec), &(String, PlayerSpec)) {
        let [problem, agent] = self.indices(cell);
        (&self.problems[problem], &self.players[agent])
    }

    fn indices(&self, cell: u64) -> [usize; 2] {
        let agents = self.players.len() as u64;
        [cell / agents, cell % agents].map(|index| usize::try_from(index).expect("an index of a list"))
    }

    /// What rows have of the agents' decisions.
    fn turn_figures(&self) -> TurnFigures {
        TurnFigures::of(self.turn_figures, self.players.iter().map(|(_, agent)| agent))
    }

    /// Most decisions of a trial.
    pub(crate) fn decisions_max(&self) -> f64 {
        let plies = self.problems.iter().map(|(_, game)| game.facts().plies_max).max();
        match self.measure {
            Measure::Decision => 1.0,
            Measure::Game => f64::from(plies.unwrap_or(1)),
        }
    }

    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        self.cells().saturating_mul(self.runs(scale))
    }

    pub(crate) fn reproducible(&self) -> bool {
        self.players.iter().all(|(_, spec)| spec.reproducible())
    }

    fn measure_name(&self) -> &'static str {
        MEASURES.iter().find(|(_, measure)| *measure == self.measure).map_or("", |(name, _)| name)
    }

    pub(crate) fn write(&self, text: &mut String) {
        text.push_str("\n[problems]\n");
        for (name, game) in &self.problems {
            text.push_str(&format!("{name} = {}\n", quoted(&game.to_string())));
        }
        text.push_str("\n[players]\n");
        for (name, spec) in &self.players {
            text.push_str(&format!("{name} = {}\n", quoted(&spec.to_string())));
        }
        let measure = quoted(self.measure_name());
        text.push_str(&format!(
            "\n[study]\nruns = {}\nmeasure = {measure}\nhistogram-bins = {}\n",
            self.runs, self.histogram_bins
        ));
        if let Some(position) = &self.position {
            text.push_str(&format!("position = {}\n", quoted(position)));
        }
        // Only where it is asked for: ids of other studies are those of before there was such a key.
        if self.turn_figures {
            text.push_str("turn-figures = true\n");
        }
    }
}
