//! Plans of stages as the coordinator sends them.

use std::time::Duration;

use experiments::Experiment;
use record::Stage;
use redqueen_wire as wire;
use tonic::Status;

use crate::{
    artifacts::Cache,
    job::{Job, StageKey},
};

/// The plan of a stage, and what it still lacks.
pub(crate) struct Planned {
    pub(crate) stage: StageKey,
    /// Experiment and stage as in `StagePlan`, for the processes that run its trials.
    texts: (String, String),
    timeout: Duration,
    spec: Stage,
}

impl Planned {
    /// Reads the plan that a coordinator sent.
    ///
    /// # Errors
    /// This worker cannot run the stage.
    pub(crate) fn of(plan: wire::StagePlan) -> Result<Self, Status> {
        let stage = StageKey::from_wire(plan.stage).ok_or_else(malformed)?;
        let experiment = Experiment::from_resolved(&plan.experiment).map_err(|faults| unusable(&faults.to_string()))?;
        let timeout = experiment.trial_timeout();
        let spec = serde_json::from_str(&plan.stage_json).map_err(|error| unusable(&error.to_string()))?;
        let texts = (plan.experiment, plan.stage_json);
        Ok(Planned { stage, texts, timeout, spec })
    }

    /// Hashes of its artifacts that the cache lacks.
    pub(crate) fn missing(&self, cache: &Cache) -> Vec<String> {
        self.spec.artifacts.iter().filter(|hash| !cache.has(hash)).cloned().collect()
    }

    /// The stage with its artifacts, ready to be run.
    ///
    /// # Errors
    /// An artifact is missing.
    pub(crate) fn job(self, cache: &Cache) -> Result<Job, Status> {
        let found = |hash: &String| cache.get(hash).ok_or_else(|| unusable(&format!("artifact {hash} is missing")));
        let artifacts = self.spec.artifacts.iter().map(found).collect::<Result<_, _>>()?;
        Ok(Job::new(self.stage, self.spec.shape, self.timeout, self.texts, artifacts))
    }
}

fn unusable(what: &str) -> Status {
    Status::failed_precondition(format!("this worker cannot run the stage: {what}"))
}

/// The error of a message that no coordinator should send.
pub(crate) fn malformed() -> Status {
    Status::internal("the coordinator sent a message that makes no sense")
}
