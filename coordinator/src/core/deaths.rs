//! Worker processes that count as dead, and those that return.

use super::{
    Action, Core, RunEvent,
    absence::{Absence, Strike},
    results::strike,
};
use crate::ids::ProcessId;

impl Core {
    /// Declares an absent process dead, which counts against the trials that it may have been running.
    pub(super) fn declare_dead(&mut self, process: ProcessId, actions: &mut Vec<Action>) {
        let Some(absence) = self.absences.declare_dead(process) else { return };
        let (name, front, alone) = (absence.name.clone(), absence.front.clone(), absence.alone.clone());
        for (stage, trials) in front {
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { continue };
            let trials = run.died_with(&trials);
            if trials > 0 {
                actions
                    .push(Action::Event { run: stage.run, event: RunEvent::Suspected { stage: stage.stage, trials } });
            }
        }
        let mut strikes = Vec::new();
        for stage in alone {
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { continue };
            let Some(group) = run.suspects.left_by(process) else { continue };
            let Some(trial) = group.iter().next().filter(|_| group.len() == 1).map(|range| range.start) else {
                run.suspects.split(group);
                continue;
            };
            run.suspects.push(group);
            if self.has_arrived(stage, trial) {
                continue;
            }
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| !run.has(trial)) else { continue };
            let error = "its worker died, and ran nothing else".to_owned();
            let attempt = strike(run, stage, trial, &name, error, actions);
            strikes.push(Strike { stage, trial, attempt });
        }
        self.absences.record_strikes(process, strikes);
    }

    /// Clears a process that has returned: it had not died, even if it was declared dead.
    pub(super) fn acquit(&mut self, process: ProcessId, absence: Absence, actions: &mut Vec<Action>) {
        for stage in absence.alone {
            if let Some(run) = self.runs.get_mut(&stage.run) {
                run.suspects.back(process);
            }
        }
        let Some(strikes) = absence.dead else { return };
        for (stage, trials) in absence.front {
            if let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) {
                run.acquit(&trials);
            }
        }
        for Strike { stage, trial, attempt } in strikes {
            let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { continue };
            run.unstrike(trial);
            actions.push(Action::StoreAcquittal { stage, trial, attempt });
        }
    }
}
