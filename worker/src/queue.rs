//! Leased trials that wait for a slot.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::job::{Job, Portion, StageKey};

/// Most stages whose plan is kept, not counting those that have waiting trials; the oldest is dropped first.
const JOBS_MAX: usize = 8;

/// Trials of a stage that a slot holds.
type Held = (Arc<Job>, Range<u64>);

#[derive(Default)]
struct State {
    /// Leased ranges in order of arrival.
    waiting: VecDeque<(StageKey, Range<u64>)>,
    /// Known stages, the newest last.
    jobs: VecDeque<Arc<Job>>,
    /// When the running trial of each busy slot began.
    running: BTreeMap<usize, Instant>,
    /// What each slot has taken and not finished.
    held: BTreeMap<usize, Vec<Held>>,
    /// When trials were last leased, or one began or ended.
    worked: Option<Instant>,
    closed: bool,
}

/// The queue, shared by the session and the slots.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds leased ranges; true if the stage's plan is not known yet.
    pub(crate) fn lease(&self, stage: &StageKey, ranges: impl Iterator<Item = Range<u64>>) -> bool {
        let mut state = self.lock();
        for range in ranges.filter(|range| !range.is_empty()) {
            state.waiting.push_back((stage.clone(), range));
        }
        state.worked = Some(Instant::now());
        self.changed.notify_all();
        !state.jobs.iter().any(|job| job.stage == *stage)
    }

    /// Adds the plan of a stage.
    pub(crate) fn know(&self, job: Job) {
        let mut state = self.lock();
        if state.jobs.iter().any(|known| known.stage == job.stage) {
            return;
        }
        if state.jobs.len() >= JOBS_MAX {
            // The plan of a stage with waiting trials would not be requested again.
            let waits = |job: &Arc<Job>| state.waiting.iter().any(|(stage, _)| *stage == job.stage);
            if let Some(index) = state.jobs.iter().position(|job| !waits(job)) {
                state.jobs.remove(index);
            }
        }
        state.jobs.push_back(Arc::new(job));
        self.changed.notify_all();
    }

    /// Drops the waiting trials of a stage and tells slots to drop theirs. The plans of this and later stages of the
    /// run may differ when they are leased again. Returns the later stages that still have waiting trials: their plans
    /// are to be requested.
    pub(crate) fn forget(&self, stage: &StageKey) -> Vec<StageKey> {
        let mut state = self.lock();
        state.waiting.retain(|(key, _)| key != stage);
        if let Some(job) = state.jobs.iter().find(|job| job.stage == *stage) {
            job.forget();
        }
        state.jobs.retain(|job| !job.stage.is_of_or_behind(stage));
        let waiting = state.waiting.iter().map(|(key, _)| key).filter(|key| key.is_of_or_behind(stage));
        let mut lost: Vec<StageKey> = waiting.cloned().collect();
        lost.sort_unstable();
        lost.dedup();
        lost
    }

    /// Drops the waiting trials of a stage that are in `ranges`.
    pub(crate) fn withdraw(&self, stage: &StageKey, ranges: &[Range<u64>]) {
        let mut state = self.lock();
        for gone in ranges {
            let parts = |(key, range): (StageKey, Range<u64>)| {
                let before = range.start..range.end.min(gone.start);
                let after = range.start.max(gone.end)..range.end;
                let kept = if key == *stage { [before, after] } else { [range, 0..0] };
                kept.map(|part| (key.clone(), part))
            };
            let kept = state.waiting.drain(..).flat_map(parts).filter(|(_, range)| !range.is_empty());
            state.waiting = kept.collect();
        }
    }

    /// Notes what a slot has taken and not finished.
    pub(crate) fn hold<'a>(&self, slot: usize, portions: impl Iterator<Item = &'a Portion>) {
        let held = portions.filter(|portion| !portion.is_forgotten());
        let held = held.map(|portion| (Arc::clone(&portion.job), portion.trials.clone())).collect();
        self.lock().held.insert(slot, held);
    }

    /// What slots have taken and not finished.
    pub(crate) fn held(&self) -> Vec<(StageKey, Range<u64>)> {
        let state = self.lock();
        state.held.values().flatten().map(|(job, range)| (job.stage.clone(), range.clone())).collect()
    }

    /// Drops all waiting trials and returns them.
    pub(crate) fn clear(&self) -> Vec<(StageKey, Range<u64>)> {
        self.lock().waiting.drain(..).collect()
    }

    /// A portion of waiting trials, if any wait.
    pub(crate) fn take(&self) -> Option<Portion> {
        self.lock().next()
    }

    /// Waits for a portion for a slot that runs nothing. `None` when the queue is closed.
    pub(crate) fn wait(&self, slot: usize) -> Option<Portion> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(portion) = state.next() {
                state.begin(slot, Instant::now());
                return Some(portion);
            }
            state.end(slot);
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes when the running trial of a slot began.
    pub(crate) fn begin(&self, slot: usize, at: Instant) {
        self.lock().begin(slot, at);
    }

    /// Notes that a slot runs no trial.
    pub(crate) fn idle(&self, slot: usize) {
        self.lock().end(slot);
    }

    /// Number of running trials, of waiting ones, and when the oldest running one began.
    pub(crate) fn load(&self) -> (u32, u64, Option<Instant>) {
        let state = self.lock();
        let waiting = state.waiting.iter().map(|(_, range)| range.end - range.start).sum();
        (state.running.len() as u32, waiting, state.running.values().min().copied())
    }

    /// Whether no slot runs a trial.
    pub(crate) fn is_idle(&self) -> bool {
        self.lock().running.is_empty()
    }

    /// Waits until no trial has run or waited for as long as `after`.
    pub(crate) async fn workless(&self, after: Duration) {
        let begun = Instant::now();
        loop {
            let left = {
                let state = self.lock();
                let has_work = !state.running.is_empty() || !state.waiting.is_empty();
                if has_work { after } else { after.saturating_sub(state.worked.unwrap_or(begun).elapsed()) }
            };
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }

    /// Ends the slots.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Waits for `time`, or until the queue is closed.
    pub(crate) fn pause(&self, time: Duration) {
        let open = |state: &mut State| !state.closed;
        drop(self.changed.wait_timeout_while(self.lock(), time, open).unwrap_or_else(PoisonError::into_inner));
    }
}

impl State {
    fn begin(&mut self, slot: usize, at: Instant) {
        self.running.insert(slot, at);
        self.worked = self.worked.max(Some(at));
    }

    fn end(&mut self, slot: usize) {
        if self.running.remove(&slot).is_some() {
            self.worked = Some(Instant::now());
        }
    }

    fn next(&mut self) -> Option<Portion> {
        // Skips stages whose plan has not arrived yet.
        let jobs = &self.jobs;
        let (index, job) = self.waiting.iter().enumerate().find_map(|(index, (stage, _))| {
            jobs.iter().find(|job| job.stage == *stage).map(|job| (index, Arc::clone(job)))
        })?;
        let range = &mut self.waiting[index].1;
        let end = range.end.min(range.start.saturating_add(job.portion()));
        let trials = range.start..end;
        range.start = end;
        if range.is_empty() {
            self.waiting.remove(index);
        }
        Some(Portion::new(job, trials))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{
        PORTION_MAX,
        tests::{job, stage},
    };

    #[test]
    fn portions_follow_what_trials_take() {
        let queue = Queue::default();
        let key = stage(0);
        assert!(queue.lease(&key, std::iter::once(0..100_000)));
        assert!(queue.take().is_none(), "its plan is not known");
        queue.know(job(0));
        let first = queue.take().expect("some wait");
        assert_eq!((first.trials.clone(), first.job.is_short()), (0..1, false));
        first.job.learn(&[0; 5]);
        assert_eq!(queue.take().expect("some wait").trials, 1..1 + PORTION_MAX);
        first.job.learn(&[1_000, 1_000]);
        let next = queue.take().expect("some wait");
        assert_eq!((next.trials.end - next.trials.start, next.job.is_short()), (5, true));
        first.job.learn(&[20_000]);
        let next = queue.take().expect("some wait");
        assert_eq!((next.trials.end - next.trials.start, next.job.is_short()), (1, false));
        (0..20).for_each(|_| first.job.learn(&[2_400]));
        assert_eq!(queue.take().map(|portion| portion.trials.end - portion.trials.start), Some(2));
    }

    #[test]
    fn forgotten_trials_are_told_from_trials_leased_again() {
        let queue = Queue::default();
        let key = stage(0);
        queue.know(job(0));
        assert!(!queue.lease(&key, std::iter::once(0..3)));
        let before = queue.take().expect("some wait");
        queue.forget(&key);
        assert!(before.is_forgotten() && before.part(0..1).is_forgotten() && queue.take().is_none());
        assert!(queue.lease(&key, std::iter::once(0..3)), "its plan is requested again");
        queue.know(job(0));
        assert!(before.is_forgotten() && !queue.take().expect("some wait").is_forgotten());
    }

    #[test]
    fn withdrawn_trials_no_longer_wait() {
        let queue = Queue::default();
        queue.know(job(0));
        queue.lease(&stage(0), [0..10, 20..30].into_iter());
        queue.lease(&stage(1), std::iter::once(0..10));
        queue.withdraw(&stage(0), &[5..7, 8..22, 29..40]);
        let mut left = queue.clear();
        left.sort_by_key(|(stage, range)| (stage.stage, range.start));
        let wanted = [(stage(0), 0..5), (stage(0), 7..8), (stage(0), 22..29), (stage(1), 0..10)];
        assert_eq!(left, wanted);
    }

    #[test]
    fn what_slots_hold_is_known() {
        let queue = Queue::default();
        queue.know(job(0));
        queue.lease(&stage(0), std::iter::once(0..10));
        let portion = queue.take().expect("some wait");
        queue.hold(1, std::iter::once(&portion));
        assert_eq!(queue.held(), [(stage(0), portion.trials.clone())]);
        queue.forget(&stage(0));
        queue.hold(1, std::iter::once(&portion));
        assert!(queue.held().is_empty(), "the coordinator has taken it back");
    }

    #[test]
    fn plans_of_a_forgotten_stage_and_later_ones_are_requested_again() {
        let queue = Queue::default();
        (0..4).for_each(|stage| queue.know(job(stage)));
        assert_eq!(queue.forget(&stage(2)), []);
        let asks = |index| queue.lease(&stage(index), std::iter::empty());
        assert_eq!([0, 1, 2, 3].map(asks), [false, false, true, true]);
        queue.lease(&stage(1), std::iter::once(0..2));
        assert_eq!(queue.forget(&stage(0)), [stage(1)], "it would not be requested otherwise");
    }

    #[test]
    fn plans_of_stages_with_waiting_trials_are_kept() {
        let queue = Queue::default();
        queue.know(job(0));
        queue.lease(&stage(0), std::iter::once(0..2));
        (1..20).for_each(|stage| queue.know(job(stage)));
        assert_eq!(queue.take().map(|portion| portion.job.stage.stage), Some(0));
        assert!(queue.lease(&stage(1), std::iter::empty()), "the oldest was dropped");
        assert!(!queue.lease(&stage(19), std::iter::empty()), "the newest was kept");
    }
}
