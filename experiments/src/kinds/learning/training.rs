//! The training of networks, one a trial.

use std::{num::NonZero, thread::available_parallelism};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use games::{GameSpec, Seed, purpose};
use nets::{Data, Evaluator, Net, Settings};
use players::self_play::{self, SamplesError};
use record::{
    Row, Value,
    folds::{Tested, TrainingEpoch},
};

use crate::{
    plan::{Executor, TrialError},
    trial::TrialDescription,
};

/// Output from which on a network counts as sure (Cotarelo et al. 2021, section 7.3).
const SURE: f32 = 0.9;
/// Positions that are evaluated together.
const TOGETHER: usize = 256;

/// Trains networks on positions.
pub(super) struct Trainings {
    pub(super) game: GameSpec,
    /// All but the seed.
    pub(super) settings: Settings,
    /// What each begins as.
    pub(super) starts: Vec<Net>,
    /// Games with positions, round by round.
    pub(super) positions: Vec<Vec<u8>>,
    /// Games with test positions, if there are any.
    pub(super) test: Vec<Vec<u8>>,
    pub(super) seed: u64,
    pub(super) round: u32,
}

impl Trainings {
    fn stream(&self, net: u64) -> Seed {
        Seed::derive(self.seed, self.round, net, purpose::NET_TRAINING)
    }

    fn data(&self, net: &Net, games: &[Vec<u8>]) -> Result<Data, SamplesError> {
        let mut data = Data::new(net.architecture().inputs());
        for games in games {
            self_play::read_samples(&self.game, net.architecture(), games, &mut data)?;
        }
        Ok(data)
    }

    /// What `net` says of the test positions, by their distance from the end.
    fn tested(&self, net: &Net) -> Result<Vec<Tested>, SamplesError> {
        let mut tested: Vec<Tested> = Vec::new();
        for games in &self.test {
            let data = self.data(net, std::slice::from_ref(games))?;
            let distances = self_play::distances(&self.game, games)?;
            let architecture = net.architecture().clone();
            let mut evaluator = Evaluator::new(net);
            let (inputs, outputs) = (architecture.inputs(), architecture.outputs());
            let mut row = vec![0.0; inputs];
            let mut said = vec![0.0; TOGETHER * outputs];
            let rows: Vec<usize> = (0..data.len()).collect();
            for some in rows.chunks(TOGETHER) {
                let mut asked = Vec::with_capacity(some.len() * inputs);
                for &at in some {
                    data.row(at, &mut row);
                    asked.extend_from_slice(&row);
                }
                evaluator.evaluate(&asked, &mut said[..some.len() * outputs]);
                for (&at, said) in some.iter().zip(said.chunks(outputs)) {
                    let (Some(points), truth) = (architecture.points(said), data.target(at).value) else { continue };
                    if truth != 0.5 {
                        let right = (points > 0.5) == (truth > 0.5);
                        let sure = match architecture.outcome() {
                            Some(_) => said[..3].iter().any(|output| *output >= SURE),
                            None => points.max(1.0 - points) >= f64::from(SURE),
                        };
                        add(&mut tested, distances[at], right, sure);
                    }
                }
            }
        }
        tested.sort_by_key(|tested| tested.distance);
        Ok(tested)
    }

    fn train(&self, trial: u64) -> Result<Row, String> {
        let start = &self.starts[trial as usize];
        let said = |error: SamplesError| error.to_string();
        let data = self.data(start, &self.positions).map_err(said)?;
        let settings = Settings { seed: *self.stream(trial).bytes(), ..self.settings.clone() };
        let trained = nets::train(start, &data, &settings, self.threads()).map_err(|error| error.to_string())?;
        let epoch =
            |epoch: &nets::Epoch| TrainingEpoch { loss: epoch.loss, held_out: epoch.held_out, right: epoch.right };
        let epochs: Vec<TrainingEpoch> = trained.epochs.iter().map(epoch).collect();
        let tested = self.tested(&trained.net).map_err(said)?;
        let json = |list: serde_json::Result<String>| list.expect("numbers are JSON");
        Ok(vec![
            Value::Int(trial.cast_signed()),
            Value::count(data.len() as u64),
            Value::Text(json(serde_json::to_string(&epochs))),
            Value::Text(json(serde_json::to_string(&tested))),
            Value::Text(BASE64_STANDARD.encode(trained.net.write())),
        ])
    }

    /// Threads of a training: the results are the same for any number. Networks that are trained at a time share the cores.
    fn threads(&self) -> usize {
        let cores = available_parallelism().map_or(1, NonZero::get);
        (cores / self.starts.len().min(cores)).max(1)
    }
}

/// Counts a position.
fn add(tested: &mut Vec<Tested>, distance: u32, right: bool, sure: bool) {
    let at = tested.iter().position(|tested| tested.distance == distance).unwrap_or_else(|| {
        tested.push(Tested { distance, positions: 0, right: 0, sure: 0, sure_right: 0 });
        tested.len() - 1
    });
    let of = &mut tested[at];
    of.positions += 1;
    of.right += u64::from(right);
    of.sure += u64::from(sure);
    of.sure_right += u64::from(sure && right);
}

impl Executor for Trainings {
    fn run(&self, trial: u64) -> Result<Row, TrialError> {
        let trials = self.starts.len() as u64;
        if trial >= trials {
            return Err(TrialError::NoSuchTrial { trial, trials });
        }
        self.train(trial).map_err(TrialError::Training)
    }

    fn describe(&self, trial: u64) -> Option<TrialDescription> {
        (trial < self.starts.len() as u64).then(|| TrialDescription::of_seeds(&[("training", self.stream(trial))]))
    }
}
