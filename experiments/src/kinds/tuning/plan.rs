//! The state machine: generations, and the final stage.

use games::{Seed, purpose};
use players::TrialRng;

use record::{
    Stage,
    facts::{DEFAULTS, Header, Kind, PairFacts, Pairs, Seat, TuningFacts, TuningPhase, WINNER, to_json},
};

use super::{
    Tuning,
    algorithm::{Closed, Member, fresh},
    candidates::{Candidate, Candidates},
    copies::{self, Copies},
    results,
    space::Space,
};
use crate::{
    Experiment,
    matches::{Games, Matches, Scores, game_facts},
    plan::{Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, PlanError},
};

pub(crate) struct TuningPlan {
    setup: Tuning,
    header: Header,
    seed: u64,
    scale: f64,
}

/// Where a stage stands.
enum Phase {
    /// A generation, by the hash of its candidates.
    Generation(String),
    /// The test of the winner.
    Final(Box<Candidate>),
}

impl TuningPlan {
    pub(crate) fn new(experiment: &Experiment, setup: &Tuning) -> Self {
        TuningPlan {
            setup: setup.clone(),
            header: experiment.header(Kind::Tuning),
            seed: experiment.seed,
            scale: experiment.scale,
        }
    }

    /// Where the candidates of generation `generation` are drawn from.
    fn draws(&self, generation: u32) -> TrialRng {
        TrialRng(Seed::derive(self.seed, generation, 0, purpose::TUNING_CANDIDATES).rng())
    }

    fn initial(&self) -> Candidates {
        let (setup, mut draws) = (&self.setup, self.draws(0));
        let drawn = fresh(&setup.space, setup.population, &mut draws);
        let known = (setup.copies == Copies::One).then(Vec::new);
        let none = Candidates { generation: 0, next_id: 0, candidates: Vec::new(), retired: None, known, leader: None };
        self.members(&none, drawn, &mut draws)
    }

    fn state(&self, hash: &str, artifacts: &dyn Artifacts) -> Result<Candidates, PlanError> {
        let data = artifacts.get(hash)?;
        let candidates = Candidates::parse(&data, &self.setup.space);
        candidates.map_err(|reason| PlanError::Candidates { hash: hash.to_owned(), reason })
    }

    fn facts(&self, generation: u32, pairs: PairFacts, phase: TuningPhase) -> serde_json::Value {
        let setup = &self.setup;
        to_json(&TuningFacts {
            header: self.header.clone(),
            game: game_facts(&setup.game),
            pairs,
            algorithm: setup.algorithm.name().to_owned(),
            generations: setup.planned(self.scale),
            generation,
            player: setup.space.player.to_string(),
            parameters: setup.space.facts(),
            defaults: setup.space.defaults(),
            phase,
        })
    }

    fn generation(&self, index: u32, state: &Candidates) -> Result<Opening, PlanError> {
        let matches = self.setup.generation_matches(&state.candidates)?;
        let generation = state.generation;
        let games = self.setup.pair_games(generation, self.scale);
        let artifact = state.to_artifact(&self.setup.space, &self.setup.game.to_string());
        let hash = artifact.hash();
        let candidates = state.candidates.iter().map(|candidate| candidate.to_record(&self.setup.space)).collect();
        let phase = TuningPhase::Generation { candidates, state: hash.clone() };
        let stage = matches.stage(index, format!("generation {generation}"), games);
        let stage = Stage {
            meta: self.facts(generation, matches.facts(games), phase),
            artifacts: [vec![hash], stage.artifacts].concat(),
            ahead: self.setup.trials_after(generation, self.scale),
            ..stage
        };
        Ok(Opening { stage, artifacts: vec![artifact] })
    }

    /// The stage that tests the candidate which leads after `state`.
    fn last(&self, index: u32, state: &Candidates) -> Result<Opening, PlanError> {
        let winner = state.leading();
        // Where equal values are one candidate, the winner does not meet a copy of itself.
        let is_copy = state.known.is_some() && self.setup.spec(winner)? == self.setup.space.player;
        let matches = self.setup.final_matches(winner, !is_copy)?;
        let games = self.setup.final_games(self.scale);
        let phase = TuningPhase::Final { winner: winner.to_record(&self.setup.space) };
        let meta = self.facts(state.generation, matches.facts(games), phase);
        Ok(Opening::of(Stage { meta, ..matches.stage(index, "final", games) }))
    }

    fn after_generation(
        &self,
        closed: &Stage,
        hash: &str,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, PlanError> {
        let setup = &self.setup;
        let mut state = self.state(hash, artifacts)?;
        let opponents = setup.opponents.len();
        let scores = Scores::read(closed, rows, state.candidates.len() * opponents, setup.seat)?;
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
        Ok(Closing::of(&fold, Next::Stage(Box::new(opening))))
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

    fn phase(&self, stage: &Stage) -> Result<Phase, PlanError> {
        match stage.facts::<TuningFacts>()?.phase {
            TuningPhase::Generation { state, .. } => Ok(Phase::Generation(state)),
            TuningPhase::Final { winner } => {
                let winner = Candidate::from_record(winner, &self.setup.space);
                let winner = winner.ok_or(PlanError::Fact { stage: stage.index, fact: "winner" })?;
                Ok(Phase::Final(Box::new(winner)))
            }
        }
    }

    fn games(
        &self,
        stage: &Stage,
        matches: Matches,
        games: u64,
        artifacts: &dyn Artifacts,
    ) -> Result<Box<dyn Executor>, PlanError> {
        // Seeds go by stage: a candidate that plays in two generations plays other games.
        Ok(Box::new(Games::new(matches, games, self.seed, stage.index).with_artifacts(artifacts)?))
    }
}

/// Whether winner and defaults meet in a final stage.
fn has_both(stage: &Stage) -> Result<bool, PlanError> {
    let facts: TuningFacts = stage.facts()?;
    let both = [WINNER.to_owned(), DEFAULTS.to_owned()];
    Ok(matches!(facts.pairs.pairs, Pairs::Listed { pairs } if pairs.contains(&both)))
}

/// Candidates with their numbers, those that stay with their games and points; and the number of the next one.
fn members(before: &Candidates, next: Vec<Member>, space: &Space) -> (Vec<Candidate>, u64) {
    let mut id = before.next_id;
    let candidate = |member| match member {
        Member::Stays(index) => before.candidates[index].clone(),
        Member::New { values, parents, made } => {
            let parents = parents.into_iter().map(|parent| before.candidates[parent].id).collect();
            // A parent that an older version made may be out of bounds.
            let values = space.nearest(values);
            debug_assert!(space.contains(&values), "{values:?} is not a candidate");
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

    fn after(
        &self,
        closed: &Stage,
        rows: &mut dyn ClosedRows,
        artifacts: &dyn Artifacts,
    ) -> Result<Closing, PlanError> {
        match self.phase(closed)? {
            Phase::Generation(hash) => self.after_generation(closed, &hash, rows, artifacts),
            Phase::Final(winner) => {
                let pairs = self.setup.final_matches(&winner, has_both(closed)?)?.pair_names();
                let scores = Scores::read(closed, rows, pairs.len(), Seat::Both)?;
                let fold = results::of_final(&scores, &pairs, &winner, &self.setup.space);
                Ok(Closing::of(&fold, Next::Finished(Vec::new())))
            }
        }
    }

    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError> {
        match self.phase(stage)? {
            Phase::Generation(hash) => {
                let state = self.state(&hash, artifacts)?;
                let matches = self.setup.generation_matches(&state.candidates)?;
                self.games(stage, matches, self.setup.pair_games(state.generation, self.scale), artifacts)
            }
            Phase::Final(winner) => {
                let matches = self.setup.final_matches(&winner, has_both(stage)?)?;
                self.games(stage, matches, self.setup.final_games(self.scale), artifacts)
            }
        }
    }
}
