//! Slots: threads that each own one executor process, keep it busy, and find what is to blame when it dies.
//!
//! A process is started before its first trial and again after it was lost. A slot never waits for a process without
//! a time limit, so a trial that hangs costs no more than its own, whatever state its process is in.

mod answers;
mod blame;
mod child;
mod error;
mod exit;

use std::{
    collections::VecDeque,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use redqueen_wire::{
    breakage::{Part, may_break},
    from_executor::Kind as Answer,
};
use tokio::sync::mpsc;

use crate::{job::Portion, outbox::Outbox, progress::now_us, queue::Queue};
use blame::{End, Verdict};
use child::Child;
pub use child::Executors;
use error::LOSSES_MAX;
pub use error::{Loss, SlotError};

/// How often a slot looks at a running trial.
const LOOK: Duration = Duration::from_millis(50);
/// How long a process may at least be silent while no trial runs in it, since it starts or prepares a stage. It may be as long as
/// a trial: preparing may be much work, too, on a slow or busy machine.
const SILENCE: Duration = Duration::from_secs(60);
/// A trial that the coordinator has taken back may run this long before it is ended: ending a process costs more than
/// a short trial.
const FORGOTTEN: Duration = Duration::from_secs(1);
/// Pause after the first process that was lost before any trial ran; doubles with each further one.
const PAUSE: Duration = Duration::from_millis(100);

/// The slots of a worker.
pub(crate) struct Slots {
    threads: Vec<JoinHandle<()>>,
    failures: mpsc::Receiver<SlotError>,
}

impl Slots {
    /// Starts `count` slots. Their processes are started as `executors` says.
    pub(crate) fn start(
        count: usize,
        executors: &Executors,
        queue: &Arc<Queue>,
        outbox: &Arc<Outbox>,
    ) -> io::Result<Self> {
        let (failed, failures) = mpsc::channel(1);
        let start = |index| {
            let slot = Slot {
                index,
                queue: Arc::clone(queue),
                outbox: Arc::clone(outbox),
                executors: executors.clone(),
                child: None,
                pending: VecDeque::new(),
                retry: VecDeque::new(),
                heard: Instant::now(),
                losses: 0,
            };
            let failed = failed.clone();
            let work = move || {
                let result = catch_unwind(AssertUnwindSafe(|| slot.work()));
                let result = result.unwrap_or(Err(SlotError::Panicked));
                if let Err(error) = result {
                    // The first one ends the worker.
                    let _ = failed.try_send(error);
                }
            };
            thread::Builder::new().name(format!("slot-{index}")).spawn(work)
        };
        let threads = (0..count).map(start).collect::<io::Result<_>>()?;
        Ok(Slots { threads, failures })
    }

    /// Waits until a slot cannot go on; returns why.
    pub(crate) async fn failed(&mut self) -> SlotError {
        match self.failures.recv().await {
            Some(error) => error,
            // Every slot has ended.
            None => std::future::pending().await,
        }
    }

    /// Waits until all slots have ended, after the queue was closed. Their processes are dead then.
    pub(crate) fn join(self) {
        for thread in self.threads {
            let _ = thread.join();
        }
    }
}

struct Slot {
    index: usize,
    queue: Arc<Queue>,
    outbox: Arc<Outbox>,
    executors: Executors,
    child: Option<Child>,
    /// What the process was given and has not reported, in order.
    pending: VecDeque<Portion>,
    /// What was lost with a process; runs before anything new.
    retry: VecDeque<Portion>,
    /// When the process last answered or was given work while it had none.
    heard: Instant,
    /// Processes lost in a row before any trial ran in them.
    losses: u32,
}

impl Slot {
    /// Works until the queue is closed.
    ///
    /// # Errors
    /// Trials cannot be run here.
    fn work(mut self) -> Result<(), SlotError> {
        while self.fill()? {
            self.queue.hold(self.index, self.pending.iter().chain(&self.retry));
            if let Some(end) = self.watch()? {
                self.reap(&end)?;
            }
        }
        Ok(())
    }

    /// Gives the process as much work as it should have; false when the queue is closed.
    fn fill(&mut self) -> Result<bool, SlotError> {
        if self.queue.is_closed() {
            return Ok(false);
        }
        let mut trials: u64 = self.pending.iter().map(Portion::count).sum();
        // One portion that runs and one in the pipe, or as many small ones where leases are scattered.
        while self.pending.back().is_none_or(|last| last.job.is_short() && trials <= last.job.portion()) {
            let Some(portion) = self.next() else { return Ok(!self.pending.is_empty()) };
            if self.child.is_none() {
                match Child::start(&self.executors) {
                    Ok(child) => self.child = Some(child),
                    Err(error) => {
                        self.retry.push_front(portion);
                        self.count_loss(Loss::Start(error))?;
                        return Ok(true);
                    }
                }
            }
            may_break(Part::Slot);
            if let Some(child) = &mut self.child {
                child.order(&portion, &self.pending);
            }
            if self.pending.is_empty() {
                self.heard = Instant::now();
            }
            trials += portion.count();
            self.pending.push_back(portion);
        }
        Ok(true)
    }

    /// The next portion. Waits only if the process has nothing to do; `None` then means that the queue is closed.
    fn next(&mut self) -> Option<Portion> {
        while let Some(portion) = self.retry.pop_front() {
            if !portion.is_forgotten() {
                return Some(portion);
            }
        }
        let portion = if self.outbox.has_room() { self.queue.take(self.index) } else { None };
        if portion.is_some() || !self.pending.is_empty() {
            return portion;
        }
        self.queue.idle(self.index);
        self.queue.hold(self.index, std::iter::empty());
        // Send results now: no others will join them.
        self.outbox.filled.notify_one();
        if self.outbox.wait_for_room() { self.queue.wait(self.index) } else { None }
    }

    /// Takes in the answers of the process, or looks at its state if none comes for a while. Returns why the process is
    /// to be ended, if it is.
    ///
    /// # Errors
    /// The process cannot prepare a stage.
    fn watch(&mut self) -> Result<Option<End>, SlotError> {
        let Some(child) = &mut self.child else { return Ok(None) };
        child.pump(LOOK);
        let heard = self.hear()?;
        let Some(child) = &self.child else { return Ok(None) };
        match heard {
            Err(end) => return Ok(Some(end)),
            Ok(true) => return Ok(None),
            Ok(false) if self.pending.is_empty() => return Ok(None),
            Ok(false) if child.is_closed() => return Ok(Some(End::Died)),
            Ok(false) => {}
        }
        let running = child.running();
        let current = running.and_then(|(job, running)| {
            let portion = self.pending.iter().find(|portion| portion.has(job, running.trial));
            portion.map(|portion| (portion, running))
        });
        let Some((current, running)) = current else {
            let patience = patience(self.pending.front());
            return Ok((self.heard.elapsed() >= patience).then_some(End::Silent(patience)));
        };
        let age = Duration::from_micros(now_us().saturating_sub(running.since_us));
        self.queue.begin(self.index, Instant::now().checked_sub(age).unwrap_or(self.heard));
        if age >= current.job.timeout {
            return Ok(Some(End::TimedOut));
        }
        Ok((age >= FORGOTTEN && current.is_forgotten()).then_some(End::Forgotten))
    }

    /// Takes in the answers that have come; whether there were any, or [`End::Garbled`] if one makes no sense.
    ///
    /// # Errors
    /// The process cannot prepare a stage.
    fn hear(&mut self) -> Result<Result<bool, End>, SlotError> {
        let Some(child) = &mut self.child else { return Ok(Ok(false)) };
        let mut any = false;
        loop {
            let understood = match child.answer() {
                Ok(None) => break,
                Ok(Some(Answer::Unusable(what))) => return Err(SlotError::Unusable(what)),
                Ok(Some(Answer::Rows(rows))) => answers::rows(&mut self.pending, &self.outbox, rows),
                Ok(Some(Answer::Failure(failure))) => answers::failure(&mut self.pending, &self.outbox, failure),
                Err(_) => None,
            };
            if understood.is_none() {
                return Ok(Err(End::Garbled));
            }
            any = true;
        }
        if any {
            self.losses = 0;
            self.heard = Instant::now();
            if !self.pending.is_empty() {
                self.queue.begin(self.index, self.heard);
            }
        }
        Ok(Ok(any))
    }

    /// Ends the process and sorts what it had: what is done, what is to blame, what runs again.
    fn reap(&mut self, end: &End) -> Result<(), SlotError> {
        let Some(child) = &mut self.child else { return Ok(()) };
        let exit = child.kill();
        let killed_us = now_us();
        // Answers that it sent before it died count; trials without one run again.
        let _ = self.hear()?;
        self.child = None;
        let verdict = blame::judge(end, killed_us, &exit, &mut self.pending);
        for portion in self.pending.drain(..).rev() {
            self.retry.push_front(portion);
        }
        match verdict {
            Verdict::None => Ok(()),
            Verdict::Trial(stage, failure) => {
                tracing::warn!(stage = stage.stage, trial = failure.trial, "{}", failure.error);
                self.losses = 0;
                self.outbox.fail(failure);
                Ok(())
            }
            Verdict::Process(loss) => self.count_loss(loss),
        }
    }

    /// Pauses before the next process is started.
    ///
    /// # Errors
    /// Too many were lost already.
    fn count_loss(&mut self, loss: Loss) -> Result<(), SlotError> {
        self.losses += 1;
        tracing::warn!("a process to run trials in was lost before any ran: {loss}");
        if self.losses == LOSSES_MAX {
            return Err(SlotError::Losses(loss));
        }
        self.queue.pause(PAUSE * 2u32.pow(self.losses - 1));
        Ok(())
    }
}

/// How long a process may be silent before it begins the first trial of a portion.
fn patience(first: Option<&Portion>) -> Duration {
    first.map_or(SILENCE, |portion| SILENCE.max(portion.job.timeout))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::tests::job;

    #[test]
    fn preparing_may_take_as_long_as_a_trial_and_a_minute_at_least() {
        for (timeout, allowed) in [(1, 60), (60, 60), (3_600, 3_600)] {
            let mut job = job(0);
            job.timeout = Duration::from_secs(timeout);
            let portion = Portion::new(Arc::new(job), 0..10);
            assert_eq!(patience(Some(&portion)), Duration::from_secs(allowed));
        }
        assert_eq!(patience(None), Duration::from_secs(60));
    }
}
