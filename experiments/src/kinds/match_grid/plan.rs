//! The grid as one stage.

use record::{
    Stage,
    facts::{GridFacts, Header, Kind, to_json},
};

use super::MatchGrid;
use crate::{
    Experiment,
    matches::{Games, game_facts},
    plan::{Artifacts, ClosedRows, Closing, Executor, Opening, Plan, PlanError},
};

/// The only stage.
const STAGE: u32 = 0;

pub(crate) struct GridPlan {
    grid: MatchGrid,
    header: Header,
    /// Games of a pair.
    per_pair: u64,
    seed: u64,
}

impl GridPlan {
    pub(crate) fn new(experiment: &Experiment, grid: &MatchGrid) -> Self {
        GridPlan {
            header: experiment.header(Kind::MatchGrid),
            per_pair: grid.games_per_pair(experiment.scale),
            grid: grid.clone(),
            seed: experiment.seed,
        }
    }

    /// The games of the grid.
    pub(crate) fn games(&self) -> Games {
        Games::new(self.grid.matches.clone(), self.per_pair, self.seed, STAGE)
    }
}

impl Plan for GridPlan {
    fn first_stage(&self) -> Opening {
        let matches = &self.grid.matches;
        let mut stage = matches.stage(STAGE, "grid", self.per_pair);
        let mut pairs = matches.facts(self.per_pair);
        // A grid names the seat wherever its players sit.
        pairs.seat = Some(matches.seat);
        let (header, game, turn_figures) =
            (self.header.clone(), game_facts(&matches.game), matches.turn_figures().facts());
        stage.meta = to_json(&GridFacts { header, game, pairs, turn_figures });
        Opening::of(stage)
    }

    fn after(&self, _: &Stage, _: &mut dyn ClosedRows, _: &dyn Artifacts) -> Result<Closing, PlanError> {
        Ok(Closing::end())
    }

    fn executor(&self, _: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError> {
        Ok(Box::new(self.games().with_artifacts(artifacts)?))
    }
}
