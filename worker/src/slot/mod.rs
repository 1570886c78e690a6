//! Slots: threads that each own one executor process, keep it busy, and find out who is to blame when it dies.
//!
//! A process is started before its first trial and again after it was lost. A slot never waits for a process without
//! looking at the clock, so a trial that hangs costs its own time limit and nothing else, whatever state its process is
//! in.

mod answers;
mod blame;
mod child;
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

/// How often a slot looks at a trial that runs.
const LOOK: Duration = Duration::from_millis(50);
/// How long a process may be silent while no trial runs in it: it starts, or prepares a stage.
const SILENCE: Duration = Duration::from_secs(60);
/// A trial that nobody waits for may run this long before it is ended: the end of a process costs more than a short
/// trial.
const FORGOTTEN: Duration = Duration::from_secs(1);
/// Processes lost in a row without any trial having run in them, after which the worker gives up.
const STARTS_MAX: u32 = 6;
/// Pause after the first of them; it doubles.
const PAUSE: Duration = Duration::from_millis(100);

/// The slots of a worker.
pub(crate) struct Slots {
    threads: Vec<JoinHandle<()>>,
    failures: mpsc::Receiver<String>,
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
                lost: 0,
            };
            let failed = failed.clone();
            let work = move || {
                let result = catch_unwind(AssertUnwindSafe(|| slot.work()));
                let result = result.unwrap_or_else(|_| Err("a slot panicked; please report this".to_owned()));
                if let Err(why) = result {
                    // The first one ends the worker.
                    let _ = failed.try_send(why);
                }
            };
            thread::Builder::new().name(format!("slot-{index}")).spawn(work)
        };
        let threads = (0..count).map(start).collect::<io::Result<_>>()?;
        Ok(Slots { threads, failures })
    }

    /// Waits until a slot cannot go on; gives why.
    pub(crate) async fn failed(&mut self) -> String {
        match self.failures.recv().await {
            Some(why) => why,
            // Every slot has gone home.
            None => std::future::pending().await,
        }
    }

    /// Waits until all have gone home, after the queue was closed. Their processes are dead then.
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
    /// What the process has and has not reported, in its order.
    pending: VecDeque<Portion>,
    /// What was lost with a process and runs before anything new.
    retry: VecDeque<Portion>,
    /// When the process last gave a sign of work, or was given some.
    heard: Instant,
    /// Processes lost in a row without any trial having run in them.
    lost: u32,
}

impl Slot {
    /// Until the queue is closed.
    ///
    /// # Errors
    /// Why trials cannot be run here.
    fn work(mut self) -> Result<(), String> {
        while self.fill()? {
            self.queue.hold(self.index, self.pending.iter().chain(&self.retry));
            if let Some(end) = self.watch()? {
                self.bury(&end)?;
            }
        }
        Ok(())
    }

    /// Gives the process work, as long as it should have more; false when the queue is closed.
    fn fill(&mut self) -> Result<bool, String> {
        if self.queue.is_closed() {
            return Ok(false);
        }
        let mut trials: u64 = self.pending.iter().map(Portion::count).sum();
        // A portion that runs and one in the pipe, though leases may be scattered over many small ranges.
        while self.pending.back().is_none_or(|last| last.job.is_short() && trials <= last.job.portion()) {
            let Some(portion) = self.next() else { return Ok(!self.pending.is_empty()) };
            if self.child.is_none() {
                match Child::start(&self.executors) {
                    Ok(child) => self.child = Some(child),
                    Err(error) => {
                        self.retry.push_front(portion);
                        self.give_up_later(&format!("cannot start it: {error}"))?;
                        return Ok(true);
                    }
                }
            }
            may_break(Part::Slot);
            if let Some(child) = &mut self.child {
                child.order(&portion);
            }
            if self.pending.is_empty() {
                self.heard = Instant::now();
            }
            trials += portion.count();
            self.pending.push_back(portion);
        }
        Ok(true)
    }

    /// What to run next. Waits only if the process has nothing else to do; `None` then means that the queue is closed.
    fn next(&mut self) -> Option<Portion> {
        while let Some(portion) = self.retry.pop_front() {
            if !portion.is_forgotten() {
                return Some(portion);
            }
        }
        let portion = if self.outbox.has_room() { self.queue.take() } else { None };
        if portion.is_some() || !self.pending.is_empty() {
            return portion;
        }
        self.queue.idle(self.index);
        self.queue.hold(self.index, std::iter::empty());
        // Results need not wait for company that will not come.
        self.outbox.filled.notify_one();
        if self.outbox.wait_for_room() { self.queue.wait(self.index) } else { None }
    }

    /// Takes in what the process says, or looks how it is if it says nothing for a while.
    ///
    /// # Errors
    /// It says that a stage cannot be run here.
    fn watch(&mut self) -> Result<Option<End>, String> {
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
            return Ok((self.heard.elapsed() >= SILENCE).then_some(End::Silent));
        };
        let age = Duration::from_micros(now_us().saturating_sub(running.since_us));
        self.queue.begin(self.index, Instant::now().checked_sub(age).unwrap_or(self.heard));
        if age >= current.job.timeout {
            return Ok(Some(End::TimedOut));
        }
        Ok((age >= FORGOTTEN && current.is_forgotten()).then_some(End::Forgotten))
    }

    /// Takes in the answers that have come; whether there were any. Inside an error: what they are is nonsense.
    ///
    /// # Errors
    /// The process says that a stage cannot be run here.
    fn hear(&mut self) -> Result<Result<bool, End>, String> {
        let Some(child) = &mut self.child else { return Ok(Ok(false)) };
        let mut any = false;
        loop {
            let understood = match child.answer() {
                Ok(None) => break,
                Ok(Some(Answer::Unusable(what))) => return Err(format!("this worker cannot run the stage: {what}")),
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
            self.lost = 0;
            self.heard = Instant::now();
            if !self.pending.is_empty() {
                self.queue.begin(self.index, self.heard);
            }
        }
        Ok(Ok(any))
    }

    /// Ends the process and sorts what it had: what is done, who is to blame, what runs again.
    fn bury(&mut self, end: &End) -> Result<(), String> {
        let Some(child) = &mut self.child else { return Ok(()) };
        let remains = child.kill();
        let killed_us = now_us();
        // What it said before it died counts. What is no answer any more is run again.
        let _ = self.hear()?;
        self.child = None;
        let verdict = blame::judge(end, killed_us, &remains, &mut self.pending);
        for portion in self.pending.drain(..).rev() {
            self.retry.push_front(portion);
        }
        match verdict {
            Verdict::Nobody => Ok(()),
            Verdict::Trial(stage, failure) => {
                tracing::warn!(stage = stage.stage, trial = failure.trial, "{}", failure.error);
                self.lost = 0;
                self.outbox.fail(failure);
                Ok(())
            }
            Verdict::Process(why) => self.give_up_later(&why),
        }
    }

    /// Pauses before the next process; ends the worker if there were too many already.
    fn give_up_later(&mut self, why: &str) -> Result<(), String> {
        self.lost += 1;
        tracing::warn!("a process to run trials in was lost before any ran: {why}");
        if self.lost == STARTS_MAX {
            return Err(format!("{STARTS_MAX} processes to run trials in were lost in a row before any ran: {why}"));
        }
        self.queue.pause(PAUSE * 2u32.pow(self.lost - 1));
        Ok(())
    }
}
