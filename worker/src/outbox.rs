//! Results, kept until the coordinator acknowledges them as durable.
//!
//! Rows gather in columns by stage and are cut into batches, and a batch is kept until its acknowledgement, over
//! reconnects and restarts of the coordinator. The outbox is bounded in rows and in bytes, since rows may hold texts:
//! when it is full, slots take no further trials. What they already hold still comes in, so that no slot waits with a
//! result: at most twice [`PORTION_MAX`] trials each.
//!
//! [`PORTION_MAX`]: crate::job::PORTION_MAX

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use redqueen_wire::{self as wire, column::Values};
use tokio::sync::Notify;

use crate::job::StageKey;

/// Most rows of a batch.
const BATCH_ROWS: usize = 4_096;
/// Bytes at which a batch is cut, and that it does not exceed but for rows that were added together.
const BATCH_BYTES: usize = 2 << 20;
/// Rows, sent and unsent, at which the outbox is full.
const ROWS_MAX: usize = 65_536;
/// Bytes, sent and unsent, at which the outbox is full.
const BYTES_MAX: usize = 64 << 20;
/// Unsent failures at which the outbox is full.
const FAILURES_MAX: usize = 4_096;
/// Bytes of a number, and of a word of the overhead of a text.
const WORD: usize = 8;

/// Results of consecutive trials, in the columns of the stage's shape.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) start: u64,
    pub(crate) elapsed_us: Vec<u64>,
    pub(crate) columns: Vec<Values>,
}

#[derive(Default)]
struct Gathering {
    trials: Vec<u64>,
    elapsed_us: Vec<u64>,
    columns: Vec<Values>,
    bytes: usize,
}

#[derive(Default)]
struct State {
    gathering: BTreeMap<StageKey, Gathering>,
    /// Batches that are not acknowledged, by number, with their bytes.
    batches: BTreeMap<u64, (usize, wire::ResultBatch)>,
    /// Number of the last batch that the present session has sent.
    sent: u64,
    last: u64,
    rows: usize,
    bytes: usize,
    failures: VecDeque<wire::TrialFailed>,
    /// Microseconds that all trials took whose rows were added.
    executed_us: u64,
    closed: bool,
}

/// The outbox, shared by the slots and the session.
#[derive(Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    room: Condvar,
    /// Notified when something waits to be sent.
    pub(crate) filled: Notify,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room; false when the outbox is closed.
    pub(crate) fn wait_for_room(&self) -> bool {
        let full = |state: &mut State| state.is_full() && !state.closed;
        let state = self.room.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        !state.closed
    }

    /// Whether there is room.
    pub(crate) fn has_room(&self) -> bool {
        !self.lock().is_full()
    }

    /// Adds rows of a stage.
    pub(crate) fn put(&self, stage: &StageKey, rows: Rows) {
        let count = rows.elapsed_us.len();
        let bytes = 2 * WORD * count + rows.columns.iter().map(weight).sum::<usize>();
        let mut state = self.lock();
        state.rows += count;
        state.bytes += bytes;
        state.executed_us = rows.elapsed_us.iter().fold(state.executed_us, |sum, &us| sum.saturating_add(us));
        if state.gathering.get(stage).is_some_and(|gathering| gathering.bytes + bytes > BATCH_BYTES) {
            state.cut(stage);
        }
        let gathering = state.gathering.entry(stage.clone()).or_default();
        gathering.bytes += bytes;
        gathering.append(rows);
        if gathering.trials.len() >= BATCH_ROWS || gathering.bytes >= BATCH_BYTES {
            state.cut(stage);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Microseconds that all trials took whose rows were added.
    pub(crate) fn executed_us(&self) -> u64 {
        self.lock().executed_us
    }

    /// Adds a failure.
    pub(crate) fn fail(&self, failure: wire::TrialFailed) {
        let mut state = self.lock();
        state.bytes += failure.error.len();
        state.failures.push_back(failure);
        drop(state);
        self.filled.notify_one();
    }

    /// Makes a new session send every batch that is not acknowledged.
    pub(crate) fn rewind(&self) {
        self.lock().sent = 0;
        self.filled.notify_one();
    }

    /// Trials whose results or failures are kept, by stage, in any order.
    pub(crate) fn held(&self) -> BTreeMap<StageKey, Vec<u64>> {
        let state = self.lock();
        let mut held: BTreeMap<StageKey, Vec<u64>> = BTreeMap::new();
        for (stage, gathering) in &state.gathering {
            held.entry(stage.clone()).or_default().extend(&gathering.trials);
        }
        for (_, batch) in state.batches.values() {
            if let Some(stage) = StageKey::from_wire(batch.stage.clone()) {
                held.entry(stage).or_default().extend(&batch.trials);
            }
        }
        for failure in &state.failures {
            if let Some(stage) = StageKey::from_wire(failure.stage.clone()) {
                held.entry(stage).or_default().push(failure.trial);
            }
        }
        held
    }

    /// Stages whose results or failures are kept.
    pub(crate) fn stages(&self) -> BTreeSet<StageKey> {
        let state = self.lock();
        let sent = state.batches.values().map(|(_, batch)| &batch.stage);
        let kept = sent.chain(state.failures.iter().map(|failure| &failure.stage));
        let kept = kept.filter_map(|stage| StageKey::from_wire(stage.clone()));
        kept.chain(state.gathering.keys().cloned()).collect()
    }

    /// The next batch to send; made of gathered rows if no whole one waits.
    pub(crate) fn next_batch(&self) -> Option<wire::ResultBatch> {
        let mut state = self.lock();
        let after = state.sent + 1;
        if state.batches.range(after..).next().is_none() {
            let stage = state.gathering.keys().next().cloned()?;
            state.cut(&stage);
        }
        let (&number, (_, batch)) = state.batches.range(after..).next()?;
        let batch = batch.clone();
        state.sent = number;
        Some(batch)
    }

    /// Whether a whole batch waits to be sent.
    pub(crate) fn has_batch(&self) -> bool {
        let state = self.lock();
        state.batches.range(state.sent + 1..).next().is_some()
    }

    /// The next failure to send.
    pub(crate) fn next_failure(&self) -> Option<wire::TrialFailed> {
        let failure = self.lock().pop_failure();
        self.room.notify_all();
        failure
    }

    /// Drops a batch that the coordinator has on disk.
    pub(crate) fn acknowledge(&self, number: u64) {
        let mut state = self.lock();
        if let Some((bytes, batch)) = state.batches.remove(&number) {
            state.rows -= batch.trials.len();
            state.bytes -= bytes;
        }
        drop(state);
        self.room.notify_all();
    }

    /// Whether everything is acknowledged.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        state.rows == 0 && state.failures.is_empty()
    }

    /// Rows that are not acknowledged.
    pub(crate) fn rows(&self) -> u64 {
        self.lock().rows as u64
    }

    /// Ends all waiting for room.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.rows >= ROWS_MAX || self.bytes >= BYTES_MAX || self.failures.len() >= FAILURES_MAX
    }

    fn pop_failure(&mut self) -> Option<wire::TrialFailed> {
        let failure = self.failures.pop_front()?;
        self.bytes -= failure.error.len();
        Some(failure)
    }

    /// Makes a batch of the gathered rows of a stage.
    fn cut(&mut self, stage: &StageKey) {
        let Some(gathering) = self.gathering.remove(stage) else { return };
        self.last += 1;
        let columns = gathering.columns.into_iter().map(|values| wire::Column { values: Some(values) }).collect();
        let batch = wire::ResultBatch {
            batch: self.last,
            stage: Some(stage.to_wire()),
            trials: gathering.trials,
            elapsed_us: gathering.elapsed_us,
            columns,
        };
        self.batches.insert(self.last, (gathering.bytes, batch));
    }
}

impl Gathering {
    fn append(&mut self, rows: Rows) {
        self.trials.extend((rows.start..).take(rows.elapsed_us.len()));
        self.elapsed_us.extend(rows.elapsed_us);
        if self.columns.is_empty() {
            self.columns = rows.columns;
            return;
        }
        for (column, more) in self.columns.iter_mut().zip(rows.columns) {
            match (column, more) {
                (Values::Ints(ints), Values::Ints(more)) => ints.values.extend(more.values),
                (Values::Reals(reals), Values::Reals(more)) => reals.values.extend(more.values),
                (Values::Texts(texts), Values::Texts(more)) => texts.values.extend(more.values),
                (column, more) => unreachable!("slots add only columns of the shape, not {more:?} to {column:?}"),
            }
        }
    }
}

/// Bytes of a column in memory.
fn weight(values: &Values) -> usize {
    match values {
        Values::Ints(ints) => WORD * ints.values.len(),
        Values::Reals(reals) => WORD * reals.values.len(),
        // A `String` is three words and its bytes.
        Values::Texts(texts) => texts.values.iter().map(|text| 3 * WORD + text.len()).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::tests::stage;

    fn rows(start: u64, count: usize, letters: usize) -> Rows {
        let ints = Values::Ints(wire::Ints { values: (0..count as i64).collect() });
        let texts = Values::Texts(wire::Texts { values: vec!["x".repeat(letters); count] });
        Rows { start, elapsed_us: vec![1; count], columns: vec![ints, texts] }
    }

    /// Fills an outbox as a slot does; returns the number of rows that it took.
    fn fill(outbox: &Outbox, count: usize, letters: usize) -> u64 {
        let mut start = 0;
        while outbox.has_room() {
            outbox.put(&stage(0), rows(start, count, letters));
            start += count as u64;
        }
        start
    }

    #[test]
    fn unacknowledged_rows_are_bounded_until_acknowledged() {
        let outbox = Outbox::default();
        assert_eq!(fill(&outbox, 100, 0), ROWS_MAX.next_multiple_of(100) as u64);
        let batch = outbox.next_batch().expect("a batch");
        assert_eq!(batch.trials.len(), BATCH_ROWS.next_multiple_of(100));
        assert!(!outbox.has_room(), "sent is not stored");
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| outbox.wait_for_room());
            outbox.acknowledge(batch.batch);
            assert!(waiting.join().expect("no panic"));
        });
        while let Some(batch) = outbox.next_batch() {
            outbox.acknowledge(batch.batch);
        }
        assert!(outbox.is_empty() && outbox.rows() == 0 && outbox.lock().bytes == 0);
    }

    #[test]
    fn texts_count_too() {
        let outbox = Outbox::default();
        let rows = fill(&outbox, 10, 100_000);
        assert_eq!(rows, (BYTES_MAX / 100_000) as u64 / 10 * 10 + 10);
        let batch = outbox.next_batch().expect("a batch");
        assert!(prost::Message::encoded_len(&batch) < wire::MAX_MESSAGE_BYTES / 2);
    }

    /// A trained network, behind as many other bytes as a process holds back.
    #[test]
    fn the_longest_row_fits_a_message() {
        let outbox = Outbox::default();
        outbox.put(&stage(0), rows(0, 1, BATCH_BYTES - 100));
        outbox.put(&stage(0), rows(1, 1, (6 << 20) + (1 << 20)));
        outbox.put(&stage(0), rows(2, 1, 10));
        let batches: Vec<_> = std::iter::from_fn(|| outbox.next_batch()).collect();
        assert_eq!(batches.iter().map(|batch| batch.trials.clone()).collect::<Vec<_>>(), [[0], [1], [2]]);
        assert!(batches.iter().all(|batch| prost::Message::encoded_len(batch) < wire::MAX_MESSAGE_BYTES));
    }

    #[test]
    fn failures_count_until_they_are_sent() {
        let outbox = Outbox::default();
        for trial in 0..FAILURES_MAX as u64 {
            assert!(outbox.has_room());
            outbox.fail(wire::TrialFailed { stage: Some(stage(0).to_wire()), trial, error: "no".to_owned() });
        }
        assert!(!outbox.has_room());
        assert_eq!(outbox.next_failure().map(|failure| failure.trial), Some(0));
        assert!(outbox.has_room());
        outbox.rewind();
        assert_eq!(outbox.held().remove(&stage(0)).map(|trials| trials.len()), Some(FAILURES_MAX - 1));
        assert_eq!(outbox.next_failure().map(|failure| failure.trial), Some(1), "a new session sends it");
    }

    #[test]
    fn rows_of_stages_do_not_mix_and_keep_their_trials() {
        let outbox = Outbox::default();
        for (index, start) in [(0, 5), (1, 7), (0, 90)] {
            outbox.put(&stage(index), rows(start, 2, 1));
        }
        let batch = outbox.next_batch().expect("a batch");
        assert_eq!((batch.trials, batch.elapsed_us.len()), (vec![5, 6, 90, 91], 4));
        let held = outbox.held();
        assert_eq!((&held[&stage(0)][..], &held[&stage(1)][..]), (&[5, 6, 90, 91][..], &[7, 8][..]));
        assert_eq!(batch.columns[0].values, Some(Values::Ints(wire::Ints { values: vec![0, 1, 0, 1] })));
        assert_eq!(outbox.next_batch().expect("a batch").trials, [7, 8]);
        assert!(outbox.next_batch().is_none());
        outbox.rewind();
        assert_eq!(outbox.next_batch().expect("again").trials.len(), 4);
    }

    #[test]
    fn closing_ends_the_wait_for_room() {
        let outbox = Outbox::default();
        fill(&outbox, 4_096, 0);
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| outbox.wait_for_room());
            outbox.close();
            assert!(!waiting.join().expect("no panic"));
        });
    }
}
