//! Kind `synthetic`: trials that cost a set time and nothing else, to measure the runner.

use std::collections::BTreeMap;

use games::Seed;
use rustix::time::{ClockId, clock_gettime};

use crate::{
    Experiment,
    plan::{Artifacts, ClosedRows, Closing, Executor, Next, Opening, Plan, Stage},
    reader::Reader,
    trial::TrialDescription,
    value::{Column, ColumnType, Row, Shape, Value},
};

/// What `[synthetic]` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Synthetic {
    /// How many, before the scale.
    trials: u64,
    /// CPU time of each, microseconds.
    cost_us: u64,
}

/// The only stage.
const STAGE: u32 = 0;

/// Seed of a trial.
fn seed(run: u64, trial: u64) -> Seed {
    Seed::derive(run, STAGE, trial, "synthetic")
}

/// Longest cost of a trial: an hour.
const COST_MAX_US: i128 = 3_600_000_000;

impl Synthetic {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let entry = reader.required("synthetic", "a table with `trials` and `cost-us`")?;
        let table = reader.sink.table(&entry.node, "synthetic")?;
        let mut inner = Reader::new(table, &entry.key_origin, "synthetic", reader.sink);
        let trials = match inner.required("trials", "how many trials") {
            Some(entry) => inner.sink.int(&entry.node, "synthetic.trials", 1..=i128::from(i64::MAX)),
            None => None,
        };
        let cost_us = inner.int_or("cost-us", 0, 0..=COST_MAX_US);
        inner.finish();
        Some(Synthetic { trials: u64::try_from(trials?).ok()?, cost_us: u64::try_from(cost_us?).ok()? })
    }

    /// Trials at a scale: at least one.
    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        if scale == 1.0 {
            return self.trials;
        }
        // Casting saturates; the index of a trial must fit SQLite's integers.
        ((self.trials as f64 * scale).round() as u64).clamp(1, i64::MAX as u64)
    }

    pub(crate) fn write(&self, text: &mut String) {
        text.push_str(&format!("\n[synthetic]\ntrials = {}\ncost-us = {}\n", self.trials, self.cost_us));
    }
}

pub(crate) struct SyntheticPlan {
    seed: u64,
    scale: f64,
    synthetic: Synthetic,
}

impl SyntheticPlan {
    pub(crate) fn new(experiment: &Experiment, synthetic: &Synthetic) -> Self {
        SyntheticPlan { seed: experiment.seed, scale: experiment.scale, synthetic: synthetic.clone() }
    }
}

impl Plan for SyntheticPlan {
    fn first_stage(&self) -> Opening {
        let value = Column { name: "value".to_owned(), kind: ColumnType::Int, pure: true, labels: None };
        Opening::of(Stage {
            index: STAGE,
            name: "trials".to_owned(),
            trials: self.synthetic.trial_count(self.scale),
            shape: Shape { name: "synthetic".to_owned(), columns: vec![value] },
            labels: BTreeMap::new(),
            meta: serde_json::json!({ "kind": "synthetic", "cost_us": self.synthetic.cost_us, "scale": self.scale }),
            artifacts: Vec::new(),
            ahead: 0,
        })
    }

    fn after(&self, _: &Stage, _: &mut dyn ClosedRows, _: &dyn Artifacts) -> Result<Closing, String> {
        Ok(Closing { fold: serde_json::json!({}), next: Next::Finished })
    }

    fn executor(&self, stage: &Stage, _: &dyn Artifacts) -> Result<Box<dyn Executor>, String> {
        debug_assert_eq!(stage.index, STAGE);
        Ok(Box::new(Spin { seed: self.seed, trials: stage.trials, cost_us: self.synthetic.cost_us }))
    }
}

struct Spin {
    seed: u64,
    trials: u64,
    cost_us: u64,
}

impl Executor for Spin {
    fn run(&self, trial: u64) -> Result<Row, String> {
        if self.cost_us > 0 {
            // CPU time of the thread: a trial is the same work on a busy machine.
            let start = thread_micros();
            while thread_micros() - start < self.cost_us {
                std::hint::spin_loop();
            }
        }
        let seed = seed(self.seed, trial);
        let bytes = seed.bytes()[..8].try_into().expect("a seed has 32 bytes");
        Ok(vec![Value::Int(i64::from_le_bytes(bytes))])
    }

    fn describe(&self, trial: u64) -> Option<TrialDescription> {
        (trial < self.trials).then(|| TrialDescription::of_seeds(&[("value", seed(self.seed, trial))]))
    }
}

fn thread_micros() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec.unsigned_abs() * 1_000_000 + time.tv_nsec.unsigned_abs() / 1_000
}
