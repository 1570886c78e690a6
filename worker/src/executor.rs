//! Threads that run trials.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use experiments::value::Row;
use redqueen_wire as wire;

use crate::{
    outbox::Outbox,
    queue::{Job, Portion, Queue},
};

/// Trials are taken from the queue in portions of about this much work, so that tiny ones do not fight for its lock.
const PORTION: Duration = Duration::from_millis(2);
/// Most trials of a portion.
const PORTION_MAX: u64 = 1_024;
/// Results leave for the outbox at least this often.
const HOLD: Duration = Duration::from_millis(20);

/// Starts `count` threads.
pub(crate) fn start(count: usize, queue: &Arc<Queue>, outbox: &Arc<Outbox>) -> std::io::Result<Vec<JoinHandle<()>>> {
    (0..count)
        .map(|index| {
            let (queue, outbox) = (Arc::clone(queue), Arc::clone(outbox));
            thread::Builder::new().name(format!("executor-{index}")).spawn(move || work(index, &queue, &outbox))
        })
        .collect()
}

fn work(thread: usize, queue: &Queue, outbox: &Outbox) {
    let mut portion_trials = 1;
    while let Some(Portion { job, trials }) = queue.take(thread, portion_trials) {
        let (start, count) = (Instant::now(), trials.end - trials.start);
        let mut rows = Vec::with_capacity(count as usize);
        let mut last = start;
        let mut handed = start;
        queue.begin(thread, start);
        for trial in trials {
            let outcome = run(&job, trial);
            let now = Instant::now();
            let elapsed_us = u64::try_from((now - last).as_micros()).unwrap_or(u64::MAX);
            last = now;
            match outcome {
                Ok(row) => rows.push((trial, elapsed_us, row)),
                Err(error) => outbox.fail(wire::TrialFailed { stage: Some(job.stage.to_wire()), trial, error }),
            }
            if now - handed >= HOLD {
                handed = now;
                outbox.put(&job, std::mem::take(&mut rows));
                queue.begin(thread, now);
            }
        }
        if !rows.is_empty() {
            outbox.put(&job, rows);
        }
        let each = (last - start).as_secs_f64() / count as f64;
        portion_trials = ((PORTION.as_secs_f64() / each.max(1e-9)) as u64).clamp(1, PORTION_MAX);
    }
}

fn run(job: &Job, trial: u64) -> Result<Row, String> {
    // A plan's executor is shared and must stay whole whatever a trial does: it hands trials what they change.
    catch_unwind(AssertUnwindSafe(|| job.executor.run(trial))).unwrap_or_else(|panic| Err(message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_else(|| "without a message".to_owned()))
}
