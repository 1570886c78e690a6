//! Kind `synthetic`: trials that cost a set time and nothing else, to measure the runner, and trials that misbehave,
//! to see that the runner holds.

mod fault;

use std::{collections::BTreeMap, thread, time::Duration};

use games::{Seed, purpose};
use record::{
    ColumnType, Row, Shape, Stage, Value,
    columns::pure,
    facts::{Kind, SyntheticFacts, to_json},
};
use rustix::time::{ClockId, clock_gettime};

use crate::{
    Experiment,
    plan::{Artifacts, ClosedRows, Closing, Executor, Opening, Plan, PlanError, TrialError},
    reader::Reader,
    trial::TrialDescription,
};
use fault::Fault;

/// What `[synthetic]` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Synthetic {
    /// How many, before the scale.
    trials: u64,
    /// CPU time of each, microseconds.
    cost_us: u64,
    /// Time that each sleeps besides, microseconds.
    sleep_us: u64,
    /// Some cost more.
    long: Option<Long>,
    /// Some misbehave, by index.
    faults: BTreeMap<u64, Fault>,
}

/// A long tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Long {
    /// Trials 0, `every`, twice `every` and so on are long.
    every: u64,
    /// CPU time of these, microseconds.
    cost_us: u64,
}

/// The only stage.
const STAGE: u32 = 0;

/// Seed of a trial.
fn seed(run: u64, trial: u64) -> Seed {
    Seed::derive(run, STAGE, trial, purpose::SYNTHETIC)
}

/// Longest cost of a trial: an hour.
const COST_MAX_US: i128 = 3_600_000_000;

impl Synthetic {
    /// What may grow, for people.
    pub(crate) const GROWS: &str = "kind `synthetic` grows by `trials` (also through `scale`)";

    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let entry = reader.required("synthetic", "a table with `trials` and `cost-us`")?;
        let table = reader.sink.table(&entry.node, "synthetic")?;
        let mut inner = Reader::new(table, &entry.key_origin, "synthetic", reader.sink);
        let trials = match inner.required("trials", "how many trials") {
            Some(entry) => inner.sink.int(&entry.node, "synthetic.trials", 1..=i128::from(i64::MAX)),
            None => None,
        };
        let cost_us = inner.int_or("cost-us", 0, 0..=COST_MAX_US);
        let sleep_us = inner.int_or("sleep-us", 0, 0..=COST_MAX_US);
        let long = Long::read(&mut inner);
        let faults = fault::read(&mut inner);
        inner.finish();
        let whole = |value: Option<i128>| u64::try_from(value?).ok();
        Some(Synthetic {
            trials: whole(trials)?,
            cost_us: whole(cost_us)?,
            sleep_us: whole(sleep_us)?,
            long: long?,
            faults: faults?,
        })
    }

    /// Trials at a scale: at least one.
    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        if scale == 1.0 {
            return self.trials;
        }
        // Casting saturates; the index of a trial must fit SQLite's integers.
        ((self.trials as f64 * scale).round() as u64).clamp(1, i64::MAX as u64)
    }

    /// Seconds of a trial, the long ones counted.
    pub(crate) fn mean_secs(&self) -> f64 {
        let long = self.long.map_or(0.0, |long| (long.cost_us as f64 - self.cost_us as f64) / long.every as f64);
        (self.cost_us as f64 + self.sleep_us as f64 + long) * 1e-6
    }

    /// These trials, as many as `longer` has if those are more, and the scale that goes with it.
    pub(crate) fn lengthened(&self, longer: &Self, scales: [f64; 2]) -> (Self, f64) {
        if longer.trial_count(scales[1]) < self.trial_count(scales[0]) {
            return (self.clone(), scales[0]);
        }
        (Synthetic { trials: longer.trials, ..self.clone() }, scales[1])
    }

    /// Keys that few experiments have are written only where they were given.
    pub(crate) fn write(&self, text: &mut String) {
        text.push_str(&format!("\n[synthetic]\ntrials = {}\ncost-us = {}\n", self.trials, self.cost_us));
        if self.sleep_us > 0 {
            text.push_str(&format!("sleep-us = {}\n", self.sleep_us));
        }
        if let Some(long) = self.long {
            text.push_str(&format!("long = {{ every = {}, cost-us = {} }}\n", long.every, long.cost_us));
        }
        fault::write(&self.faults, text);
    }
}

impl Long {
    /// Outer `None`: something is wrong; inner: nothing is long.
    fn read(reader: &mut Reader<'_>) -> Option<Option<Self>> {
        let Some(entry) = reader.optional("long") else { return Some(None) };
        let table = reader.sink.table(&entry.node, "synthetic.long")?;
        let mut inner = Reader::new(table, &entry.key_origin, "synthetic.long", reader.sink);
        let mut number = |key, hint, range| {
            let entry = inner.required(key, hint)?;
            u64::try_from(inner.sink.int(&entry.node, &inner.path(key), range)?).ok()
        };
        let every = number("every", "100: every hundredth trial", 1..=i128::from(i64::MAX));
        let cost_us = number("cost-us", "microseconds", 0..=COST_MAX_US);
        inner.finish();
        Some(Some(Long { every: every?, cost_us: cost_us? }))
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
        let value = pure("value", ColumnType::Int);
        let facts = SyntheticFacts { kind: Kind::Synthetic, cost_us: self.synthetic.cost_us, scale: self.scale };
        Opening::of(Stage {
            index: STAGE,
            name: "trials".to_owned(),
            trials: self.synthetic.trial_count(self.scale),
            shape: Shape { name: "synthetic".to_owned(), columns: vec![value] },
            labels: BTreeMap::new(),
            meta: to_json(&facts),
            artifacts: Vec::new(),
            ahead: 0,
        })
    }

    fn after(&self, _: &Stage, _: &mut dyn ClosedRows, _: &dyn Artifacts) -> Result<Closing, PlanError> {
        Ok(Closing::end())
    }

    fn executor(&self, stage: &Stage, _: &dyn Artifacts) -> Result<Box<dyn Executor>, PlanError> {
        debug_assert_eq!(stage.index, STAGE);
        Ok(Box::new(Spin { seed: self.seed, trials: stage.trials, synthetic: self.synthetic.clone() }))
    }
}

struct Spin {
    seed: u64,
    trials: u64,
    synthetic: Synthetic,
}

impl Executor for Spin {
    fn run(&self, trial: u64) -> Result<Row, TrialError> {
        let Synthetic { cost_us, sleep_us, long, faults, .. } = &self.synthetic;
        if let Some(fault) = faults.get(&trial) {
            fault.commit(trial)?;
        }
        let cost_us = long.filter(|long| trial.is_multiple_of(long.every)).map_or(*cost_us, |long| long.cost_us);
        if cost_us > 0 {
            // CPU time of the thread: a trial is the same work on a busy machine.
            let start = thread_micros();
            while thread_micros() - start < cost_us {
                std::hint::spin_loop();
            }
        }
        if *sleep_us > 0 {
            thread::sleep(Duration::from_micros(*sleep_us));
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
