//! The state machine: generations, and the final stage.

use games::Seed;
use players::TrialRng;

use super::{
    DEFAULTS, Tuning, WINNER,
    algorithm::{Closed, Member, fresh},
    candidates::{Candidate, Candidates},
    copies::{self, Copies},
    results,
    space::Space,
};
use crate::{
    Experiment,
    kinds::match_grid::{Games, MatchGrid, Scores, Seating, match_stage},
    plan::{Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, Stage},
};

pub(crate) struct TuningPlan {
    setup: Tuning,
    name: String,
    title: String,
    paper: Option<String>,
    seed: u64,
    scale: f64,
}

/// What the facts of a stage say of where it stands.
enum Phase {
    /// The hash of its candidates.
    Generation(String),
    /// Who won.
    Final(Box<Candidate>),
}

impl TuningPlan {
    pub(crate) fn new(experiment: &Experiment, setup: &Tuning) -> Self {
        TuningPlan {
            setup: setup.clone(),
            name: experiment.name.clone(),
            title: experiment.title.clone(),
            paper: experiment.paper.clone(),
            seed: experiment.seed,
            scale: experiment.scale,
        }
    }

    /// Where the candidates of generation `generation` are drawn from.
    fn draws(&self, generation: u32) -> TrialRng {
        TrialRng(Seed::derive(self.seed, generation, 0, "tuning: candidates").rng())
    }

    fn initial(&self) -> Candidates {
        let (setup, mut draws) = (&self.setup, self.draws(0));
        let drawn = fresh(&setup.space, setup.population, &mut draws);
        let known = (setup.copies == Copies::One).then(Vec::new);
        let nobody =
            Candidates { generation: 0, next_id: 0, candidates: Vec::new(), retired: None, known, leader: None };
        self.members(&nobody, drawn, &mut draws)
    }

    fn state(&self, hash: &str, artifacts: &dyn Artifacts) -> Result<Candidates, String> {
        Candidates::parse(&artifacts.get(hash)?, &self.setup.space).map_err(|error| format!("artifact {hash} {error}"))
    }

    /// Facts that every stage has.
    fn facts(&self, stage: &mut Stage, phase: &str, generation: u32) {
        let setup = &self.setup;
        let meta = &mut stage.meta;
        meta["kind"] = "tuning".into();
        meta["phase"] = phase.into();
        meta["experiment"] = self.name.as_str().into();
        meta["title"] = self.title.as_str().into();
        meta["paper"] = self.paper.as_deref().into();
        meta["seed"] = self.seed.into();
        meta["scale"] = self.scale.into();
        meta["reproducible"] = setup.reproducible.into();
        meta["algorithm"] = setup.algorithm.name().into();
        meta["generations"] = setup.planned(self.scale).into();
        meta["generation"] = generation.into();
        meta["player"] = setup.space.player.to_string().into();
        meta["parameters"] = setup.space.facts().into();
        meta["defaults"] = setup.space.defaults().into();
    }

    fn generation(&self, index: u32, state: &Candidates) -> Result<Opening, String> {
        let grid = self.setup.generation_grid(&state.candidates)?;
        let generation = state.generation;
        let name = format!("generation {generation}");
        let artifact = state.to_artifact(&self.setup.space, &self.setup.game.to_string());
        let hash = artifact.hash();
        let mut stage = match_stage(&grid, self.setup.pair_games(generation, self.scale), index, &name);
        self.facts(&mut stage, "generation", generation);
        let candidates = state.candidates.iter().map(|candidate| candidate.to_json(&self.setup.space));
        stage.meta["candidates"] = candidates.collect();
        stage.meta["state"] = hash.as_str().into();
        stage.artifacts = vec![hash];
        stage.ahead = self.setup.trials_after(generation, self.scale);
        Ok(Opening { stage, artifacts: vec![artifact] })
    }

    /// The stage that tests whoever leads after `state`.
    fn last(&self, index: u32, state: &Candidates) -> Result<Opening, String> {
        let winner = state.leading();
        // Where equal values are one, nobody meets a copy of itself.
        let is_copy = state.known.is_some() && self.setup.spec(winner)? == self.setup.space.player;
        let grid = self.setup.final_grid(winner, !is_copy)?;
        let mut stage = match_stage(&grid, self.setup.final_games(self.scale), index, "final");
        self.facts(&mut stage, "final", state.generation);
        stage.meta["winner"] = winner.to_json(&self.setup.space);
        Ok(Opening::of(stage))
    }

    fn after_generation(
        &self,
        closed: &Stage,
        hash: &str,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, String> {
        let setup = &self.setup;
        let mut state = self.state(hash, artifacts)?;
        let opponents = setup.opponents.len();
        let scores = Scores::read(rows, state.candidates.len() * opponents, setup.seating)?;
        let gained = results::gained(&scores, opponents);
        results::add(&mut state, &gained);
        let fold = results::of_generation(&state, &gained, &setup.space);
        let stale = state.leader.map_or(0, |(_, since)| state.generation - since);
        let is_settled = setup.stop_after > 0 && stale >= setup.stop_after;
        let index = closed.index + 1;
        let opening = if is_settled || state.generation + 1 >= setup.planned(self.scale) {
            self.last(index, &state)?
        } else {
            self.generation(index, &self.bred(&state, &gained))?
        };
        Ok(Closing { fold, next: Next::Stage(Box::new(opening)) })
    }

    /// The generation after `state`, in which candidates gained these games and points.
    fn bred(&self, state: &Candidates, gained: &[(u64, f64)]) -> Candidates {
        let setup = &self.setup;
        let generation = state.generation + 1;
        let closed = Closed { generation: state.generation, candidates: &state.candidates, gained };
        let mut draws = self.draws(generation);
        let next = setup.algorithm.next(&setup.space, setup.population, &closed, &mut draws);
        let mut stays = vec![false; state.candidates.len()];
        for member in &next {
            if let Member::Stays(index) = member {
                stays[*index] = true;
            }
        }
        let retired =
            results::retire(state, state.candidates.iter().zip(stays).filter(|(_, s)| !s).map(|(gone, _)| gone));
        let bred = self.members(state, next, &mut draws);
        // Whoever came back plays: of the others, the one that would lead.
        let rest = bred
            .known
            .as_ref()
            .map(|known| results::retire(&Candidates { retired: None, ..state.clone() }, known.iter()));
        Candidates { generation, retired: rest.unwrap_or(retired), ..bred }
    }

    /// The candidates that `next` says, as they begin.
    fn members(&self, before: &Candidates, next: Vec<Member>, draws: &mut TrialRng) -> Candidates {
        let space = &self.setup.space;
        let Some(known) = &before.known else {
            let (candidates, next_id) = members(before, next, space);
            return Candidates { candidates, next_id, ..before.clone() };
        };
        let mut next_id = before.next_id;
        let how = (space, &self.setup.algorithm);
        let (candidates, known) = copies::different(before, known, next, how, &mut next_id, draws);
        Candidates { candidates, next_id, known: Some(known), ..before.clone() }
    }

    fn phase(&self, stage: &Stage) -> Result<Phase, String> {
        let wrong = |what: &str| format!("stage {} says nothing of its {what}", stage.index);
        match stage.meta["phase"].as_str() {
            Some("generation") => {
                let hash = stage.meta["state"].as_str().ok_or_else(|| wrong("candidates"))?;
                Ok(Phase::Generation(hash.to_owned()))
            }
            Some("final") => {
                let winner =
                    Candidate::read(&stage.meta["winner"], &self.setup.space).ok_or_else(|| wrong("winner"))?;
                Ok(Phase::Final(Box::new(winner)))
            }
            _ => Err(wrong("phase")),
        }
    }

    fn games(&self, stage: &Stage, grid: MatchGrid, games: u64) -> Box<dyn Executor> {
        // Seeds go by stage: whoever plays in two generations plays other games.
        Box::new(Games::new(grid, games, self.seed, stage.index))
    }
}

/// Whether winner and defaults meet in a final stage.
fn has_both(stage: &Stage) -> bool {
    let both = serde_json::json!([WINNER, DEFAULTS]);
    stage.meta["pairs"].as_array().is_some_and(|pairs| pairs.contains(&both))
}

/// Candidates with their numbers, those that stay with what they came to; and the number of the next one.
fn members(before: &Candidates, next: Vec<Member>, space: &Space) -> (Vec<Candidate>, u64) {
    let mut id = before.next_id;
    let candidate = |member| match member {
        Member::Stays(index) => before.candidates[index].clone(),
        Member::New { values, parents, made } => {
            let parents = parents.into_iter().map(|parent| before.candidates[parent].id).collect();
            // A parent that an older version made may be out of bounds.
            let values = space.nearest(values);
            debug_assert!(space.contains(&values), "{values:?} is no candidate");
            let born = Candidate { id, values, games: 0, points: 0.0, parents, made };
            id += 1;
            born
        }
    };
    let candidates: Vec<Candidate> = next.into_iter().map(candidate).collect();
    (candidates, id)
}

impl Plan for TuningPlan {
    fn first_stage(&self) -> Opening {
        self.generation(0, &self.initial()).expect("checked: candidates from all over the space are players")
    }

    fn after(&self, closed: &Stage, rows: &mut dyn ClosedRows, artifacts: &dyn Artifacts) -> Result<Closing, String> {
        match self.phase(closed)? {
            Phase::Generation(hash) => self.after_generation(closed, &hash, rows, artifacts),
            Phase::Final(winner) => {
                let pairs = self.setup.final_grid(&winner, has_both(closed))?.pair_names();
                let scores = Scores::read(rows, pairs.len(), Seating::Both)?;
                let fold = results::of_final(&scores, &pairs, &winner, &self.setup.space);
                Ok(Closing { fold, next: Next::Finished })
            }
        }
    }

    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, String> {
        match self.phase(stage)? {
            Phase::Generation(hash) => {
                let state = self.state(&hash, artifacts)?;
                let grid = self.setup.generation_grid(&state.candidates)?;
                Ok(self.games(stage, grid, self.setup.pair_games(state.generation, self.scale)))
            }
            Phase::Final(winner) => Ok(self.games(
                stage,
                self.setup.final_grid(&winner, has_both(stage))?,
                self.setup.final_games(self.scale),
            )),
        }
    }
}
