//! The status of runs and workers, for people.

use std::time::Duration;

use super::{Core, Counts, Load, Now, Quota, RunState, Worker, pace::Work, run::Run, session::Session};
use crate::ids::{RunId, StageKey};

/// Age of a running trial from which on the status says what the end of a stage waits for.
const SLOW: Duration = Duration::from_secs(2);

/// The status of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// Its id.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// Index of the open stage.
    pub stage: u32,
    /// Its name, for people.
    pub stage_name: String,
    /// Trials of the stage.
    pub trials: u64,
    /// Trials that later stages are expected to have.
    pub ahead: u64,
    /// Durable trials of the stage.
    pub stored: u64,
    /// Leased trials of the stage.
    pub leased: u64,
    /// Quarantined trials of the stage.
    pub quarantined: u64,
    /// Results per second over the last seconds; 0 if unknown or if the run is not running.
    pub rate: f64,
    /// Seconds left in the stage, and in the whole run if nothing ends it early; `None` without workers, or while the
    /// time of a trial is unknown.
    pub left: Option<[f64; 2]>,
    /// Connected workers.
    pub workers: u32,
    /// Executor threads of all connected workers.
    pub threads: u32,
    /// Its priority and limit.
    pub quota: Quota,
    /// Why the run does not go on as it could; empty if it does.
    pub obstacle: String,
}

/// What the running runs need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Runs that are neither paused nor ended.
    pub runs: u32,
    /// Runs that have not ended.
    pub open: u32,
    /// Thread seconds left in their open stages, and in all of them; `None` while the time of a trial is unknown.
    pub left: Option<[f64; 2]>,
    /// Trials left in their open stages.
    pub trials: u64,
    /// Longest expected seconds of a trial, if known.
    pub trial: Option<f64>,
}

/// A connected worker.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberView {
    /// The worker.
    pub worker: Worker,
    /// How long it will still stay, if it has an end.
    pub stays: Option<Duration>,
    /// Stages of which it holds trials, and how many.
    pub holds: Vec<(StageKey, u64)>,
    /// Time since its session was opened.
    pub joined: Duration,
    /// Time since it had a trial; zero if it has.
    pub idle: Duration,
    /// Executor time of all finished trials of its process, as far as known.
    pub executed: Duration,
    /// Whether it is leaving.
    pub leaving: bool,
    /// Whether it runs trials that may have killed other workers, and nothing else until they are done.
    pub alone: bool,
    /// Time since a message last came from it.
    pub silent: Duration,
    /// Its load, at its last heartbeat.
    pub load: Load,
    /// What became of the trials that it got.
    pub counts: Counts,
    /// Results a second over the last half minute or so; 0 if unknown.
    pub rate: f64,
}

impl MemberView {
    /// Trials that it holds.
    pub fn held(&self) -> u64 {
        self.holds.iter().map(|(_, trials)| trials).sum()
    }
}

/// The connected workers of a coordinator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FleetView {
    /// Connected workers.
    pub workers: u64,
    /// Their executor threads.
    pub threads: u64,
    /// Workers that hold no trials.
    pub idle: u64,
    /// Leases they hold.
    pub leases: u64,
    /// Unacknowledged results, at the last heartbeats.
    pub outbox: u64,
}

impl RunView {
    /// Seconds left in the stage, if known.
    pub fn seconds_left(&self) -> Option<f64> {
        self.left.map(|[stage, _]| stage)
    }

    /// Seconds left in the whole run if nothing ends it early, if known.
    pub fn seconds_left_in_all(&self) -> Option<f64> {
        self.left.map(|[_, all]| all)
    }
}

impl Core {
    /// The status of every run, in the order in which they were opened.
    pub fn views(&self, now: Now) -> Vec<RunView> {
        let workers = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        let threads = self.sessions.values().map(|s| s.worker.threads).fold(0, u32::saturating_add);
        let runs = self.order.iter().filter_map(|id| self.runs.get(id).map(|run| (*id, run)));
        runs.map(|(id, run)| RunView {
            run: id,
            state: run.state,
            stage: run.stage.index,
            stage_name: run.stage.name.clone(),
            trials: run.stage.trials,
            ahead: run.stage.ahead,
            stored: run.stored.len(),
            leased: self.sessions.held(run.key()).trials,
            quarantined: run.quarantined.len(),
            rate: if run.state == RunState::Running { run.pace.rate(now) } else { 0.0 },
            left: self.left(now, run),
            workers,
            threads,
            quota: run.share.quota,
            obstacle: self.obstacle(run),
        })
        .collect()
    }

    /// Seconds left in the open stage of a run and in all of it.
    fn left(&self, now: Now, run: &Run) -> Option<[f64; 2]> {
        match run.state {
            RunState::Finished | RunState::Failed => return Some([0.0; 2]),
            RunState::Cancelled => return None,
            RunState::Running | RunState::Paused => {}
        }
        run.pace.left(now, &self.work(now, run))
    }

    fn work<'a>(&self, now: Now, run: &'a Run) -> Work<'a> {
        let staying = || self.sessions.values().filter(|session| !session.leaving);
        Work {
            threads: self.threads_of(run),
            ages: staying().flat_map(|session| session.ages(now, run.key())).collect(),
            trials: run.stage.trials,
            done: [&run.stored, &run.quarantined],
        }
    }

    /// What the running runs need.
    pub fn demand(&self, now: Now) -> Demand {
        let running = || self.runs.values().filter(|run| run.state == RunState::Running);
        let left = |sum: [f64; 2], run: &Run| {
            let [stage, all] = run.pace.work_left(&self.work(now, run))?;
            Some([sum[0] + stage, sum[1] + all])
        };
        Demand {
            runs: u32::try_from(running().count()).unwrap_or(u32::MAX),
            open: u32::try_from(self.runs.values().filter(|run| !run.state.is_ended()).count()).unwrap_or(u32::MAX),
            left: running().try_fold([0.0; 2], left),
            trials: running().map(|run| run.stage.trials - run.stored.len() - run.quarantined.len()).sum(),
            trial: running()
                .map(|run| run.pace.long_trial())
                .collect::<Option<Vec<_>>>()
                .and_then(|trials| trials.into_iter().reduce(f64::max)),
        }
    }

    /// The connected workers, in the order in which they joined.
    pub fn members(&self, now: Now) -> Vec<MemberView> {
        let member = |session: &Session| MemberView {
            worker: session.worker.clone(),
            stays: session.stays(now),
            holds: session.holds(),
            joined: now.saturating_sub(session.joined),
            idle: if session.is_idle() { now.saturating_sub(session.worked) } else { Duration::ZERO },
            executed: session.executed(),
            leaving: session.leaving,
            alone: session.alone,
            silent: now.saturating_sub(session.heard),
            load: session.load,
            counts: session.served.counts,
            rate: session.served.rate(now),
        };
        self.sessions.values().map(member).collect()
    }

    /// Threads that a run gets of workers that are not leaving, beside the others that have trials now.
    fn threads_of(&self, run: &Run) -> u64 {
        let all = self.sessions.fleet().threads;
        let weight = |run: &Run| u64::from(run.share.quota.priority);
        let others = self.served().map(|(_, run)| run).filter(|other| other.has_trials && other.key() != run.key());
        let weights = weight(run) + others.map(weight).sum::<u64>();
        let fair = all.saturating_mul(weight(run)).div_ceil(weights);
        run.share.quota.max_threads.map_or(fair, |most| fair.min(most.get().into()))
    }

    /// The connected workers and what they hold.
    pub fn fleet(&self) -> FleetView {
        FleetView {
            workers: self.sessions.len() as u64,
            threads: self.sessions.values().map(|s| u64::from(s.worker.threads)).sum(),
            idle: self.sessions.values().filter(|s| s.is_idle()).count() as u64,
            leases: self.sessions.values().map(Session::leases).sum(),
            outbox: self.sessions.values().map(|s| s.load.outbox).sum(),
        }
    }

    fn obstacle(&self, run: &Run) -> String {
        match run.state {
            RunState::Paused => "paused; `redqueen resume` goes on".to_owned(),
            RunState::Running => self.obstacle_of_running(run),
            RunState::Cancelled => "cancelled; `redqueen resume` goes on with it".to_owned(),
            RunState::Failed => {
                "failed: trials are quarantined; `redqueen resume --retry-quarantined` runs them again".to_owned()
            }
            RunState::Finished => String::new(),
        }
    }

    /// Why a running run does not go on as it could; empty if it does.
    fn obstacle_of_running(&self, run: &Run) -> String {
        if let Some(trouble) = &run.trouble {
            return format!("nothing is leased or acknowledged: {trouble}");
        }
        if self.sessions.is_empty() {
            return "no worker is connected; start one with `redqueen worker --coordinator URL`".to_owned();
        }
        let stage = run.stage.index;
        if run.closing {
            return format!("stage {stage} is being closed");
        }
        let workers = match self.sessions.len() {
            1 => "1 worker".to_owned(),
            count => format!("{count} workers"),
        };
        let idle = self.sessions.values().filter(|s| s.is_idle()).count();
        let holders: Vec<&Session> = self.sessions.values().filter(|s| s.count(run.key()) > 0).collect();
        let Some(oldest) = holders.iter().max_by_key(|s| s.load.oldest) else {
            if let Some((trial, parties)) = run.audits.open_dispute() {
                let names = parties.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
                return format!(
                    "{workers} connected, {idle} idle; {names} disagree about trial {trial} of stage {stage}, and a \
                     worker that has not run it must decide: start another one, best on another machine"
                );
            }
            return if run.waiting() > 0 {
                format!("{workers} connected, all at work for other runs")
            } else {
                String::new()
            };
        };
        if run.waiting() > 0 || oldest.load.oldest < SLOW {
            return String::new();
        }
        let left = run.stage.trials.saturating_sub(run.stored.len() + run.quarantined.len());
        let waits = match (left, run.audits.len()) {
            (0, audits) => format!("{audits} audits of stored trials"),
            (1, _) => "1 trial".to_owned(),
            (left, _) => format!("{left} trials"),
        };
        let others = match holders.len() - 1 {
            0 => String::new(),
            1 => " and on another".to_owned(),
            count => format!(" and on {count} others"),
        };
        format!(
            "{workers} connected, {idle} idle; stage {stage} waits for {waits} on worker `{}`{others}, the oldest \
             running for {} s",
            oldest.worker.name,
            oldest.load.oldest.as_secs()
        )
    }
}
