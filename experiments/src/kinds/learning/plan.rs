//! The state machine: test positions, then rounds of games, training and gate, then the end.

use games::{Seed, purpose};
use nets::Net;
use players::self_play::Labels;
use record::{
    Stage,
    columns::{self, self_play_shape, training_shape},
    facts::{Header, Kind, LearningFacts, LearningPhase, NetFacts, PlayFacts, Seat, to_json},
    folds::{GateFold, LearnedFold},
};

use super::{
    Learning, has_any_net,
    play::{Playing, Streams},
    results,
    training::Trainings,
    with_net,
};
use crate::{
    Experiment,
    artifacts::held_for,
    matches::{Games, Matches, Scores, game_facts},
    plan::{Artifact, Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, PlanError},
};

pub(crate) struct LearningPlan {
    setup: Learning,
    header: Header,
    seed: u64,
    scale: f64,
}

/// Where a learning stands when a stage of it begins.
#[derive(Clone, Debug, Default)]
struct At {
    /// Index of the stage.
    index: u32,
    round: u32,
    /// Hash of the net that plays.
    playing: Option<String>,
    /// Hashes of the nets as they were trained last.
    trained: Vec<String>,
    /// Hashes of the positions that are trained on.
    positions: Vec<String>,
    /// Hash of the test positions.
    test: Option<String>,
}

impl LearningPlan {
    pub(crate) fn new(experiment: &Experiment, setup: &Learning) -> Self {
        LearningPlan {
            setup: setup.clone(),
            header: experiment.header(Kind::Learning),
            seed: experiment.seed,
            scale: experiment.scale,
        }
    }

    fn facts(&self, at: &At, phase: LearningPhase) -> serde_json::Value {
        let net = |(name, architecture): &(String, nets::Architecture)| NetFacts {
            name: name.clone(),
            architecture: architecture.to_string(),
        };
        to_json(&LearningFacts {
            header: self.header.clone(),
            game: game_facts(&self.setup.game),
            rounds: self.setup.rounds,
            round: at.round,
            nets: self.setup.nets.iter().map(net).collect(),
            playing: at.playing.clone(),
            trained: at.trained.clone(),
            positions: at.positions.clone(),
            test: at.test.clone(),
            phase,
        })
    }

    /// The weights that net number `net` begins with.
    fn initial(&self, net: usize) -> Net {
        let seed = Seed::derive(self.seed, 0, net as u64, purpose::NET_WEIGHTS);
        Net::initial(&self.setup.nets[net].1, seed.bytes())
    }

    fn test(&self, at: &At) -> Option<Stage> {
        let test = self.setup.test.as_ref()?;
        let facts = PlayFacts { player: test.player.to_string(), opening_plies: test.opening_plies };
        let phase = LearningPhase::Test(facts);
        Some(Stage {
            index: at.index,
            name: "test positions".to_owned(),
            trials: self.setup.test_games(self.scale),
            shape: self_play_shape(),
            labels: std::collections::BTreeMap::new(),
            artifacts: test.player.artifacts(),
            ahead: self.setup.trials_after(0, &phase, self.scale),
            meta: self.facts(at, phase),
        })
    }

    /// The player of a round, with its net.
    fn player(&self, at: &At) -> players::PlayerSpec {
        let player = self.setup.playing(at.round);
        at.playing.as_deref().map_or_else(|| player.clone(), |net| with_net(player, net))
    }

    fn self_play(&self, at: &At) -> Stage {
        let player = self.player(at);
        let facts = PlayFacts { player: player.to_string(), opening_plies: self.setup.self_play.opening_plies };
        let phase = LearningPhase::SelfPlay(facts);
        Stage {
            index: at.index,
            name: format!("self-play {}", at.round),
            trials: self.setup.self_play_games(self.scale),
            shape: self_play_shape(),
            labels: std::collections::BTreeMap::new(),
            artifacts: player.artifacts(),
            ahead: self.setup.trials_after(at.round, &phase, self.scale),
            meta: self.facts(at, phase),
        }
    }

    fn training(&self, at: &At) -> Stage {
        let names = self.setup.nets.iter().map(|(name, _)| name.clone()).collect();
        let mut artifacts: Vec<String> = at.positions.iter().chain(&at.trained).chain(&at.test).cloned().collect();
        artifacts.sort_unstable();
        artifacts.dedup();
        Stage {
            index: at.index,
            name: format!("training {}", at.round),
            trials: self.setup.nets.len() as u64,
            shape: training_shape(),
            labels: [(columns::NETS.to_owned(), names)].into(),
            artifacts,
            ahead: self.setup.trials_after(at.round, &LearningPhase::Training, self.scale),
            meta: self.facts(at, LearningPhase::Training),
        }
    }

    /// The stage of a gate, or what follows it if there is none.
    fn gate(&self, at: At) -> Opening {
        let Some(matches) = at.trained.first().and_then(|new| self.setup.gate_matches(new, at.playing.as_deref()))
        else {
            return self.next_round(At { playing: at.trained.first().cloned(), ..at });
        };
        let games = self.setup.gate_games(self.scale);
        let phase = LearningPhase::Gate(Box::new(matches.facts(games)));
        Opening::of(Stage {
            ahead: self.setup.trials_after(at.round, &phase, self.scale),
            meta: self.facts(&at, phase),
            ..matches.stage(at.index, format!("gate {}", at.round), games)
        })
    }

    /// The first stage of the round behind that of `at`.
    fn next_round(&self, at: At) -> Opening {
        let at = At { round: at.round + 1, ..at };
        Opening::of(self.self_play(&at))
    }

    /// What follows a round whose net `at` plays with from now on.
    fn after_round(&self, at: At) -> Option<Opening> {
        if at.round + 1 < self.setup.rounds {
            return Some(self.next_round(at));
        }
        let matches = self.setup.final_matches(at.playing.as_deref()?)?;
        let games = self.setup.final_games(self.scale);
        let phase = LearningPhase::Final(Box::new(matches.facts(games)));
        let stage = matches.stage(at.index, "final", games);
        Some(Opening::of(Stage { meta: self.facts(&at, phase), ..stage }))
    }

    fn closing(fold: &impl serde::Serialize, opening: Option<Opening>, artifacts: Vec<Artifact>) -> Closing {
        let next = match opening {
            Some(mut opening) => {
                opening.artifacts.extend(artifacts);
                Next::Stage(Box::new(opening))
            }
            None => Next::Finished(artifacts),
        };
        Closing::of(fold, next)
    }

    fn after_training(&self, stage: &Stage, mut at: At, rows: &mut dyn ClosedRows) -> Result<Closing, PlanError> {
        let (fold, nets) = results::trained(stage, rows, &self.setup.nets)?;
        let mut trained = Vec::with_capacity(nets.len());
        let mut artifacts = Vec::new();
        for (place, net) in nets.into_iter().enumerate() {
            // A training that was given up leaves the net as it was.
            let artifact = match (net, at.trained.get(place)) {
                (Some(data), _) => Artifact { kind: results::NET.to_owned(), data },
                (None, Some(before)) => {
                    trained.push(before.clone());
                    continue;
                }
                (None, None) => Artifact { kind: results::NET.to_owned(), data: self.initial(place).write() },
            };
            trained.push(artifact.hash());
            artifacts.push(artifact);
        }
        at.trained = trained;
        let opening = if self.setup.gate.games == 0 {
            self.after_round(At { playing: at.trained.first().cloned(), ..at })
        } else {
            Some(self.gate(at))
        };
        Ok(Self::closing(&fold, opening, artifacts))
    }

    fn after_gate(&self, stage: &Stage, at: At, rows: &mut dyn ClosedRows) -> Result<Closing, PlanError> {
        let matches = self.gate_of(stage, &at)?;
        let names = matches.pair_names();
        let scores = Scores::read(stage, rows, names.len(), Seat::Both)?;
        let met_old = at.playing.is_some();
        let error = if met_old { results::error_of_first(stage, rows)? } else { None };
        let share = scores.pairs.first().filter(|(games, _)| met_old && *games > 0);
        let share = share.map(|(games, points)| points / *games as f64);
        let accepted = match (share, error) {
            (Some(share), error) => share - self.setup.gate.errors * error.unwrap_or(0.0) >= 0.5,
            (None, _) => true,
        };
        let scores = scores.by_name(&names);
        let headline = results::gate_headline(&scores, accepted);
        let fold = GateFold { scores, error, accepted, headline };
        let playing = if accepted { at.trained.first().cloned() } else { at.playing.clone() };
        Ok(Self::closing(&fold, self.after_round(At { playing, ..at }), Vec::new()))
    }

    fn gate_of(&self, stage: &Stage, at: &At) -> Result<Matches, PlanError> {
        let matches = at.trained.first().and_then(|new| self.setup.gate_matches(new, at.playing.as_deref()));
        matches.ok_or(PlanError::Fact { stage: stage.index, fact: "trained" })
    }

    fn final_of(&self, stage: &Stage, at: &At) -> Result<Matches, PlanError> {
        let matches = at.playing.as_deref().and_then(|net| self.setup.final_matches(net));
        matches.ok_or(PlanError::Fact { stage: stage.index, fact: "playing" })
    }

    /// Where the run stands behind `stage`, and what that is.
    fn read(&self, stage: &Stage) -> Result<(At, LearningPhase), PlanError> {
        let facts: LearningFacts = stage.facts()?;
        let LearningFacts { round, playing, trained, positions, test, phase, .. } = facts;
        if !trained.is_empty() && trained.len() != self.setup.nets.len() {
            return Err(PlanError::Fact { stage: stage.index, fact: "trained" });
        }
        Ok((At { index: stage.index + 1, round, playing, trained, positions, test }, phase))
    }

    fn streams(&self, stage: &Stage, phase: &LearningPhase, round: u32) -> Streams {
        debug_assert_eq!(stage.shape.name, columns::SELF_PLAY);
        let is_test = matches!(phase, LearningPhase::Test(_));
        Streams { seed: self.seed, round, of: if is_test { purpose::in_test } else { purpose::in_self_play } }
    }
}

impl Plan for LearningPlan {
    fn first_stage(&self) -> Opening {
        let mut at = At::default();
        let mut artifacts = Vec::new();
        if has_any_net(self.setup.playing(0)) {
            let data = self.initial(0).write();
            let net = Artifact { kind: results::NET.to_owned(), data };
            at.playing = Some(net.hash());
            artifacts.push(net);
        }
        let stage = self.test(&at).unwrap_or_else(|| self.self_play(&at));
        Opening { stage, artifacts }
    }

    fn after(
        &self,
        closed: &Stage,
        rows: &mut dyn ClosedRows,
        _artifacts: &dyn Artifacts,
    ) -> Result<Closing, PlanError> {
        let (mut at, phase) = self.read(closed)?;
        match phase {
            LearningPhase::Test(_) => {
                let (fold, positions) = results::played(closed, rows)?;
                at.test = Some(positions.hash());
                Ok(Self::closing(&fold, Some(Opening::of(self.self_play(&at))), vec![positions]))
            }
            LearningPhase::SelfPlay(_) => {
                let (fold, positions) = results::played(closed, rows)?;
                at.positions.push(positions.hash());
                let old = at.positions.len().saturating_sub(self.setup.self_play.window);
                at.positions.drain(..old);
                Ok(Self::closing(&fold, Some(Opening::of(self.training(&at))), vec![positions]))
            }
            LearningPhase::Training => self.after_training(closed, at, rows),
            LearningPhase::Gate(_) => self.after_gate(closed, at, rows),
            LearningPhase::Final(_) => {
                let names = self.final_of(closed, &at)?.pair_names();
                let scores = Scores::read(closed, rows, names.len(), Seat::Both)?.by_name(&names);
                let headline = results::final_headline(&scores);
                let fold = LearnedFold { scores, net: at.playing.unwrap_or_default(), headline };
                Ok(Closing::of(&fold, Next::Finished(Vec::new())))
            }
        }
    }

    fn executor(&self, stage: &Stage, artifacts: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError> {
        let (at, phase) = self.read(stage)?;
        let games = |matches: Matches, games, stream| -> Result<Box<dyn Executor>, PlanError> {
            Ok(Box::new(Games::new(matches, games, self.seed, stream).with_artifacts(artifacts)?))
        };
        match &phase {
            LearningPhase::Test(facts) => {
                let test = self.setup.test.as_ref().ok_or(PlanError::Fact { stage: stage.index, fact: "test" })?;
                let held = held_for([&test.player], artifacts)?;
                let streams = self.streams(stage, &phase, 0);
                let labels = Labels::Exact(test.from);
                Ok(Box::new(Playing::new(stage, &self.setup.game, &test.player, labels, facts, streams, held)))
            }
            LearningPhase::SelfPlay(facts) => {
                let player = self.player(&at);
                let held = held_for([&player], artifacts)?;
                let streams = self.streams(stage, &phase, at.round);
                let labels = self.setup.self_play.labels;
                Ok(Box::new(Playing::new(stage, &self.setup.game, &player, labels, facts, streams, held)))
            }
            LearningPhase::Training => {
                let get = |hashes: &[String]| -> Result<Vec<Vec<u8>>, PlanError> {
                    Ok(hashes.iter().map(|hash| artifacts.get(hash)).collect::<Result<_, _>>()?)
                };
                let mut starts = Vec::new();
                for place in 0..self.setup.nets.len() {
                    let last = at.trained.get(place).filter(|_| self.setup.training.start == super::Start::Last);
                    starts.push(match last {
                        Some(hash) => {
                            let unusable = |error: nets::NetError| PlanError::Net {
                                hash: hash.clone(),
                                reason: error.to_string(),
                            };
                            Net::read(&artifacts.get(hash)?).map_err(unusable)?
                        }
                        None => self.initial(place),
                    });
                }
                Ok(Box::new(Trainings {
                    game: self.setup.game.clone(),
                    settings: self.setup.training.settings.clone(),
                    starts,
                    positions: get(&at.positions)?,
                    test: get(at.test.as_slice())?,
                    seed: self.seed,
                    round: at.round,
                }))
            }
            // Gates and the end draw from streams of their own.
            LearningPhase::Gate(_) => games(self.gate_of(stage, &at)?, self.setup.gate_games(self.scale), 2 * at.round),
            LearningPhase::Final(_) => {
                games(self.final_of(stage, &at)?, self.setup.final_games(self.scale), 2 * at.round + 1)
            }
        }
    }
}
