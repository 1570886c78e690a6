//! Leased trials that wait for a slot.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    num::NonZeroU32,
    ops::Range,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::job::{Job, Portion, StageKey};

/// Most stages whose plan is kept, not counting those that have waiting trials; the oldest is dropped first.
const JOBS_MAX: usize = 16;

/// Trials of a stage that a slot holds.
type Held = (Arc<Job>, Range<u64>);

/// Waiting trials of a stage.
#[derive(Default)]
struct Waiting {
    /// Leased ranges in order of arrival, at least one.
    ranges: VecDeque<Range<u64>>,
    /// Most slots that may have trials of the stage at once.
    slots_max: Option<NonZeroU32>,
    /// Nanoseconds of trials taken, as expected, since others wait beside them. The stage with the fewest is next.
    taken_ns: u64,
}

#[derive(Default)]
struct State {
    /// What waits, by stage.
    waiting: BTreeMap<StageKey, Waiting>,
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

    /// Adds leased ranges of a stage, of which at most `slots_max` slots may have trials at once; true if the stage's
    /// plan is not known yet.
    pub(crate) fn lease(
        &self,
        stage: &StageKey,
        ranges: impl Iterator<Item = Range<u64>>,
        slots_max: Option<NonZeroU32>,
    ) -> bool {
        let mut state = self.lock();
        let mut ranges = ranges.filter(|range| !range.is_empty()).peekable();
        if ranges.peek().is_some() {
            // A stage that did not wait begins where the others are.
            let taken_ns = state.waiting.values().map(|waiting| waiting.taken_ns).min().unwrap_or(0);
            let new = || Waiting { taken_ns, ..Waiting::default() };
            let waiting = state.waiting.entry(stage.clone()).or_insert_with(new);
            waiting.ranges.extend(ranges);
            waiting.slots_max = slots_max;
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
            if let Some(index) = state.jobs.iter().position(|job| !state.waiting.contains_key(&job.stage)) {
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
        state.waiting.remove(stage);
        if let Some(job) = state.jobs.iter().find(|job| job.stage == *stage) {
            job.forget();
        }
        state.jobs.retain(|job| !job.stage.is_of_or_behind(stage));
        state.waiting.keys().filter(|key| key.is_of_or_behind(stage)).cloned().collect()
    }

    /// Drops the waiting trials of a stage that are in `ranges`.
    pub(crate) fn withdraw(&self, stage: &StageKey, ranges: &[Range<u64>]) {
        let mut state = self.lock();
        let Some(mut waiting) = state.waiting.remove(stage) else { return };
        for gone in ranges {
            let parts = |range: Range<u64>| {
                let before = range.start..range.end.min(gone.start);
                let after = range.start.max(gone.end)..range.end;
                [before, after]
            };
            waiting.ranges = waiting.ranges.into_iter().flat_map(parts).filter(|range| !range.is_empty()).collect();
        }
        if !waiting.ranges.is_empty() {
            state.waiting.insert(stage.clone(), waiting);
        }
    }

    /// Notes what a slot has taken and not finished.
    pub(crate) fn hold<'a>(&self, slot: usize, portions: impl Iterator<Item = &'a Portion>) {
        let held = portions.filter(|portion| !portion.is_forgotten());
        let held = held.map(|portion| (Arc::clone(&portion.job), portion.trials.clone())).collect();
        let mut state = self.lock();
        state.held.insert(slot, held);
        if state.waiting.values().any(|waiting| waiting.slots_max.is_some()) {
            // Another slot may take its place.
            self.changed.notify_all();
        }
    }

    /// What slots have taken and not finished.
    pub(crate) fn held(&self) -> Vec<(StageKey, Range<u64>)> {
        let state = self.lock();
        state.held.values().flatten().map(|(job, range)| (job.stage.clone(), range.clone())).collect()
    }

    /// Stages of which trials wait or slots hold some.
    pub(crate) fn stages(&self) -> BTreeSet<StageKey> {
        let state = self.lock();
        let held = state.held.values().flatten().map(|(job, _)| &job.stage);
        state.waiting.keys().chain(held).cloned().collect()
    }

    /// Drops all waiting trials and returns them.
    pub(crate) fn clear(&self) -> Vec<(StageKey, Range<u64>)> {
        let waiting = std::mem::take(&mut self.lock().waiting);
        let of =
            |(stage, waiting): (StageKey, Waiting)| waiting.ranges.into_iter().map(move |range| (stage.clone(), range));
        waiting.into_iter().flat_map(of).collect()
    }

    /// A portion of waiting trials for a slot, if any wait that it may have.
    pub(crate) fn take(&self, slot: usize) -> Option<Portion> {
        self.lock().next(slot)
    }

    /// Waits for a portion for a slot that runs nothing. `None` when the queue is closed.
    pub(crate) fn wait(&self, slot: usize) -> Option<Portion> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(portion) = state.next(slot) {
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
        let waiting =
            state.waiting.values().flat_map(|waiting| &waiting.ranges).map(|range| range.end - range.start).sum();
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

    /// The next portion: of the stages in turn, by the time that their trials take, so that those of one run do not wait
    /// behind the leases of another.
    fn next(&mut self, slot: usize) -> Option<Portion> {
        // Skips stages whose plan has not arrived yet, and those that run on as many slots as they may.
        let job = |(stage, waiting): (&StageKey, &Waiting)| {
            let job = self.jobs.iter().find(|job| job.stage == *stage);
            let may = waiting.slots_max.is_none_or(|most| self.others_on(stage, slot) < most.get() as usize);
            job.filter(|_| may).map(|job| (waiting.taken_ns, job))
        };
        let (_, job) = self.waiting.iter().filter_map(job).min_by_key(|(taken_ns, _)| *taken_ns)?;
        let job = Arc::clone(job);
        let waiting = self.waiting.get_mut(&job.stage)?;
        let range = waiting.ranges.front_mut()?;
        let end = range.end.min(range.start.saturating_add(job.portion()));
        let trials = range.start..end;
        range.start = end;
        waiting.taken_ns = waiting.taken_ns.saturating_add(job.expected_ns(trials.end - trials.start));
        if range.is_empty() {
            waiting.ranges.pop_front();
        }
        if waiting.slots_max.is_some() {
            // Until the slot says what it holds.
            self.held.entry(slot).or_default().push((Arc::clone(&job), trials.clone()));
        }
        if waiting.ranges.is_empty() {
            self.waiting.remove(&job.stage);
        }
        Some(Portion::new(job, trials))
    }

    /// Number of slots other than `slot` that have trials of a stage.
    fn others_on(&self, stage: &StageKey, slot: usize) -> usize {
        let others = self.held.iter().filter(|(other, _)| **other != slot).map(|(_, held)| held);
        others.filter(|held| held.iter().any(|(job, _)| job.stage == *stage)).count()
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
        assert!(queue.lease(&key, std::iter::once(0..100_000), None));
        assert!(queue.take(0).is_none(), "its plan is not known");
        queue.know(job(0));
        let first = queue.take(0).expect("some wait");
        assert_eq!((first.trials.clone(), first.job.is_short()), (0..1, false));
        first.job.learn(&[0; 5]);
        assert_eq!(queue.take(0).expect("some wait").trials, 1..1 + PORTION_MAX);
        first.job.learn(&[1_000, 1_000]);
        let next = queue.take(0).expect("some wait");
        assert_eq!((next.trials.end - next.trials.start, next.job.is_short()), (5, true));
        first.job.learn(&[20_000]);
        let next = queue.take(0).expect("some wait");
        assert_eq!((next.trials.end - next.trials.start, next.job.is_short()), (1, false));
        (0..20).for_each(|_| first.job.learn(&[2_400]));
        assert_eq!(queue.take(0).map(|portion| portion.trials.end - portion.trials.start), Some(2));
    }

    #[test]
    fn forgotten_trials_are_told_from_trials_leased_again() {
        let queue = Queue::default();
        let key = stage(0);
        queue.know(job(0));
        assert!(!queue.lease(&key, std::iter::once(0..3), None));
        let before = queue.take(0).expect("some wait");
        queue.forget(&key);
        assert!(before.is_forgotten() && before.part(0..1).is_forgotten() && queue.take(0).is_none());
        assert!(queue.lease(&key, std::iter::once(0..3), None), "its plan is requested again");
        queue.know(job(0));
        assert!(before.is_forgotten() && !queue.take(0).expect("some wait").is_forgotten());
    }

    #[test]
    fn withdrawn_trials_no_longer_wait() {
        let queue = Queue::default();
        queue.know(job(0));
        queue.lease(&stage(0), [0..10, 20..30].into_iter(), None);
        queue.lease(&stage(1), std::iter::once(0..10), None);
        queue.withdraw(&stage(0), &[5..7, 8..22, 29..40]);
        let mut left = queue.clear();
        left.sort_by_key(|(stage, range)| (stage.stage, range.start));
        let wanted = [(stage(0), 0..5), (stage(0), 7..8), (stage(0), 22..29), (stage(1), 0..10)];
        assert_eq!(left, wanted);
    }

    #[test]
    fn stages_take_turns() {
        let queue = Queue::default();
        (0..3).for_each(|stage| queue.know(job(stage)));
        for (of, range) in [(0, 0..3), (0, 10..12), (2, 0..2), (1, 0..1), (3, 0..9)] {
            queue.lease(&stage(of), std::iter::once(range), None);
        }
        let taken = std::iter::from_fn(|| queue.take(0)).map(|portion| (portion.job.stage.stage, portion.trials.start));
        let wanted = [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (0, 10), (0, 11)];
        assert_eq!(taken.collect::<Vec<_>>(), wanted, "the plan of stage 3 is not known");
    }

    #[test]
    fn stages_take_turns_by_the_time_of_their_trials() {
        let queue = Queue::default();
        let jobs = [job(0), job(1)];
        jobs[0].learn(&[1_000; 9]);
        jobs[1].learn(&[50_000; 9]);
        jobs.into_iter().for_each(|job| queue.know(job));
        for of in 0..2 {
            queue.lease(&stage(of), std::iter::once(0..1_000), None);
        }
        let mut secs = [0, 0];
        for _ in 0..110 {
            let portion = queue.take(0).expect("some wait");
            secs[portion.job.stage.stage as usize] += portion.count() * [1, 50][portion.job.stage.stage as usize];
        }
        // Portions of 5 ms and single trials of 50: ten to one.
        assert_eq!(secs, [500, 500]);
    }

    #[test]
    fn a_stage_runs_on_as_many_slots_as_it_may() {
        let queue = Queue::default();
        (0..2).for_each(|stage| queue.know(job(stage)));
        queue.lease(&stage(0), std::iter::once(0..9), NonZeroU32::new(2));
        queue.lease(&stage(1), std::iter::once(0..9), None);
        let take = |slot| queue.take(slot).map(|portion| portion.job.stage.stage);
        // Slots 0 and 2 have the first stage, and nothing but the second is left for the others.
        assert_eq!([0, 1, 2, 1, 3, 3].map(take), [0, 1, 0, 1, 1, 1].map(Some));
        // A slot that has it may have more of it; another one may when that one is done.
        assert_eq!(take(0), Some(0));
        queue.hold(0, std::iter::empty());
        assert_eq!([1, 1, 0, 0].map(take), [0, 0, 1, 1].map(Some));
    }

    #[test]
    fn what_slots_hold_is_known() {
        let queue = Queue::default();
        queue.know(job(0));
        queue.lease(&stage(0), std::iter::once(0..10), None);
        let portion = queue.take(0).expect("some wait");
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
        let asks = |index| queue.lease(&stage(index), std::iter::empty(), None);
        assert_eq!([0, 1, 2, 3].map(asks), [false, false, true, true]);
        queue.lease(&stage(1), std::iter::once(0..2), None);
        assert_eq!(queue.forget(&stage(0)), [stage(1)], "it would not be requested otherwise");
    }

    #[test]
    fn plans_of_stages_with_waiting_trials_are_kept() {
        let queue = Queue::default();
        queue.know(job(0));
        queue.lease(&stage(0), std::iter::once(0..2), None);
        (1..20).for_each(|stage| queue.know(job(stage)));
        assert_eq!(queue.take(0).map(|portion| portion.job.stage.stage), Some(0));
        assert!(queue.lease(&stage(1), std::iter::empty(), None), "the oldest was dropped");
        assert!(!queue.lease(&stage(19), std::iter::empty(), None), "the newest was kept");
    }
}
