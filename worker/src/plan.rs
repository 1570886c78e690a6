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
        let timeout = match plan.trial_timeout_us {
            Some(us) => Duration::from_micros(us),
            // A coordinator of an older version does not send it.
            None => Experiment::from_resolved(&plan.experiment)
                .map_err(|faults| unusable(&faults.to_string()))?
                .trial_timeout(),
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    const EXPERIMENT: &str = "format = 1\nname = \"sleepy\"\nkind = \"synthetic\"\naudit = 0\ntrial-timeout-secs = 7\n\
                              [synthetic]\ntrials = 3\n";

    #[test]
    fn the_time_limit_of_a_trial_is_that_of_the_plan_or_else_of_the_experiment() {
        let experiment = Experiment::from_resolved(EXPERIMENT).expect("an experiment");
        let stage = experiments::plan(&experiment).first_stage().stage;
        let plan = |experiment: &str, trial_timeout_us| wire::StagePlan {
            stage: Some(wire::StageRef { run: vec![1; 16], stage: 0 }),
            experiment: experiment.to_owned(),
            stage_json: serde_json::to_string(&stage).expect("JSON"),
            trial_timeout_us,
        };
        let timeout = |plan| Planned::of(plan).map(|planned| planned.timeout).map_err(|status| status.code());
        assert_eq!(timeout(plan(EXPERIMENT, Some(1_500))), Ok(Duration::from_micros(1_500)));
        assert_eq!(timeout(plan(EXPERIMENT, None)), Ok(Duration::from_secs(7)));
        assert_eq!(timeout(plan("not read", Some(1_500))), Ok(Duration::from_micros(1_500)));
        assert_eq!(timeout(plan("not read", None)), Err(tonic::Code::FailedPrecondition));
    }
}
