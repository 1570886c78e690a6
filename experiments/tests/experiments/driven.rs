//! Experiments of many stages run to their end in memory: what a plan makes of rows.

use std::collections::BTreeMap;

use experiments::{
    Experiment, Overrides, plan,
    plan::{Artifacts, ClosedRows, Next, Opening, StoreError},
};
use record::{Row, Stage, Value};
use serde_json::Value as Json;

pub(crate) fn parse(text: &str) -> Experiment {
    Experiment::parse(text, "tiny.toml", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Artifacts by hash.
#[derive(Default)]
pub(crate) struct Store(pub(crate) BTreeMap<String, Vec<u8>>);

impl Artifacts for Store {
    fn get(&self, hash: &str) -> Result<Vec<u8>, StoreError> {
        self.0.get(hash).cloned().ok_or_else(|| format!("no artifact {hash}").into())
    }
}

/// Rows by trial.
pub(crate) type Rows = BTreeMap<u64, Row>;

pub(crate) struct Closed<'a>(pub(crate) &'a Rows);

impl ClosedRows for Closed<'_> {
    fn for_each(&mut self, each: &mut dyn FnMut(u64, &Row)) -> Result<(), StoreError> {
        self.0.iter().for_each(|(trial, row)| each(*trial, row));
        Ok(())
    }

    /// A second a trial.
    fn elapsed_us(&mut self) -> Result<u64, StoreError> {
        Ok(1_000_000 * self.0.len() as u64)
    }
}

/// A closed stage.
pub(crate) struct Played {
    pub(crate) stage: Stage,
    pub(crate) fold: Json,
    pub(crate) rows: Rows,
}

/// Where rows of a stage come from.
pub(crate) type Source<'a> = dyn FnMut(&Stage, &Store) -> Rows + 'a;

/// Runs an experiment to its end: its stages, and the artifacts in all.
pub(crate) fn run_with(experiment: &Experiment, source: &mut Source<'_>) -> (Vec<Played>, Store) {
    let plan = plan(experiment);
    let (mut played, mut store) = (Vec::new(), Store::default());
    let mut next = Next::Stage(Box::new(plan.first_stage()));
    while let Next::Stage(opening) = next {
        let Opening { stage, artifacts } = *opening;
        store.0.extend(artifacts.into_iter().map(|artifact| (artifact.hash(), artifact.data)));
        // What a plan reads again must be what it wrote.
        let stored: Stage = serde_json::from_str(&serde_json::to_string(&stage).expect("JSON")).expect("a stage");
        assert_eq!(stored, stage);
        let rows = source(&stored, &store);
        let closing = plan.after(&stored, &mut Closed(&rows), &store).expect("the plan goes on");
        played.push(Played { stage: stored, fold: closing.fold, rows });
        next = closing.next;
    }
    (played, store)
}

/// Runs every trial. `backwards` takes them in the other order; `without` leaves one out of each stage, as a quarantine
/// does.
pub(crate) fn every_trial(
    experiment: &Experiment,
    backwards: bool,
    without: Option<u64>,
) -> impl FnMut(&Stage, &Store) -> Rows {
    let plan = plan(experiment);
    move |stage, store| {
        let executor = plan.executor(stage, store).expect("the stage can be run");
        let mut trials: Vec<u64> = (0..stage.trials).filter(|trial| Some(*trial) != without).collect();
        if backwards {
            trials.reverse();
        }
        let pure = |row: Row| -> Row {
            let columns = stage.shape.columns.iter().zip(row);
            columns.map(|(column, value)| if column.pure { value } else { Value::Int(0) }).collect()
        };
        trials.into_iter().map(|trial| (trial, pure(executor.run(trial).expect("a result")))).collect()
    }
}
