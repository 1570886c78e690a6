//! Counting games of open stages, for runs of which somebody has asked.
//!
//! What is stored already is read from the database a chunk of trials at a time, each chunk in a transaction that also
//! says how many commits the database had; so no reader holds up the writer. What becomes durable meanwhile is counted by
//! the writer's thread, which says with which commit. A trial counts once, by two rules: below the frontier, up to which
//! chunks were read, only commits count that the trial's chunk had not seen; behind it none do, since the chunks to come
//! will see them. Only while a chunk is read is it not known yet whether it sees a commit: those wait until it is there.
//!
//! Whatever changes results in another way (results of a worker are deleted, a stage is closed or opened again) ends the
//! count. It begins anew when somebody asks again.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use record::Stage;

use super::{Game, Layout, Tallies, sums::Sums};
use crate::{
    core::Repeat,
    ids::RunId,
    rows::Rows,
    store::{self, GamesChunk, GamesReader},
};

/// Least time between two copies of the counts of a run.
const PAUSE: Duration = Duration::from_millis(500);
/// Time after which a count ends if nobody asks.
const UNASKED: Duration = Duration::from_secs(60);
/// How often a count is begun before a question is left unanswered.
const ATTEMPTS: u32 = 3;

/// The counts of all runs. Cheap to clone; the default counts nothing until it is asked.
#[derive(Clone, Default)]
pub struct Counting(Arc<Board>);

#[derive(Default)]
struct Board {
    /// How many runs are counted: what the writer's thread looks at first.
    counted: AtomicUsize,
    counts: Mutex<BTreeMap<RunId, Count>>,
    next: AtomicU64,
    /// Held by the one question that reads a database.
    reading: tokio::sync::Mutex<()>,
}

/// The count of a run.
struct Count {
    /// Tells it from another count of the run.
    id: u64,
    asked: Instant,
    /// The stage that is counted, once it was read; `None` inside if there is none to count.
    stage: Option<Option<Arc<Stage>>>,
    sums: Sums,
    /// Trials below were read; all of them at the end.
    frontier: u64,
    /// Ends of chunks, and the number of commits that each has seen.
    cuts: Vec<(u64, u64)>,
    /// Games of trials behind the frontier that became durable since it last moved.
    pending: Vec<Durable>,
    copy: Option<(Instant, Arc<Tallies>)>,
}

/// A game that is durable.
struct Durable {
    stage: u32,
    commit: u64,
    trial: u64,
    game: Game,
}

impl Count {
    fn is_complete(&self) -> bool {
        self.frontier == u64::MAX || matches!(self.stage, Some(None))
    }

    /// How many commits the chunk of a trial has seen.
    fn cut(&self, trial: u64) -> u64 {
        let chunk = self.cuts.partition_point(|(end, _)| *end <= trial);
        self.cuts.get(chunk).map_or(0, |(_, commits)| *commits)
    }

    /// Takes in what the writer stored.
    fn note(&mut self, durable: Durable) {
        if durable.trial >= self.frontier {
            self.pending.push(durable);
        } else if durable.commit > self.cut(durable.trial) {
            self.sums.add(durable.trial, durable.game);
        }
    }

    /// Takes in a chunk; false if it is of another stage than the others.
    fn advance(&mut self, chunk: GamesChunk) -> bool {
        if let Some(stage) = chunk.stage {
            self.sums = Sums::of(&stage);
            self.stage = Some(Some(Arc::new(stage)));
        }
        let Some(Some(stage)) = &self.stage else { return false };
        let index = stage.index;
        if chunk.index != index {
            return false;
        }
        chunk.games.into_iter().for_each(|(trial, game)| self.sums.add(trial, game));
        // No chunk that follows has seen less than this one.
        for Durable { stage, commit, trial, game } in std::mem::take(&mut self.pending) {
            if stage == index && trial < chunk.end && commit > chunk.commits {
                self.sums.add(trial, game);
            }
        }
        self.cuts.push((chunk.end, chunk.commits));
        self.frontier = chunk.end;
        true
    }

    /// A copy of the counts, not older than [`PAUSE`] if they have changed.
    fn tallies(&mut self) -> Option<Arc<Tallies>> {
        let stage = self.stage.as_ref()?.as_ref()?;
        let current = self.copy.as_ref().filter(|(at, copy)| copy.games == self.sums.games || at.elapsed() < PAUSE);
        if let Some((_, copy)) = current {
            return Some(Arc::clone(copy));
        }
        let Sums { games, halves, pairs, .. } = &self.sums;
        let (games, halves, pairs) = (*games, halves.len() as u64, pairs.clone());
        let copy = Arc::new(Tallies { stage: Arc::clone(stage), games, halves, pairs });
        self.copy = Some((Instant::now(), Arc::clone(&copy)));
        Some(copy)
    }
}

impl Counting {
    /// The counts of the open stage of a run; they are begun if nobody has asked for them before.
    ///
    /// # Errors
    /// The run's database cannot be read.
    pub(crate) async fn tallies(&self, run: RunId, directory: PathBuf) -> Result<Option<Arc<Tallies>>, store::Error> {
        for _ in 0..ATTEMPTS {
            if let Some(known) = self.known(run) {
                return Ok(known);
            }
            // One count is read at a time, so this one may be done when its turn comes.
            let _reading = self.0.reading.lock().await;
            if let Some(known) = self.known(run) {
                return Ok(known);
            }
            let (counting, directory) = (self.clone(), directory.clone());
            let read = tokio::task::spawn_blocking(move || counting.begin(run).read(&directory)).await;
            read.unwrap_or_else(|panic| {
                self.unsettle(run);
                std::panic::resume_unwind(panic.into_panic())
            })?;
        }
        Ok(self.known(run).flatten())
    }

    /// The counts of a run as far as they are complete.
    fn known(&self, run: RunId) -> Option<Option<Arc<Tallies>>> {
        let mut counts = self.counts();
        let count = counts.get_mut(&run).filter(|count| count.is_complete())?;
        count.asked = Instant::now();
        Some(count.tallies())
    }

    /// Begins to count a run: what becomes durable from now on is noted.
    fn begin(&self, run: RunId) -> Beginning {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let count = Count {
            id,
            asked: Instant::now(),
            stage: None,
            sums: Sums::default(),
            frontier: 0,
            cuts: Vec::new(),
            pending: Vec::new(),
            copy: None,
        };
        let mut counts = self.counts();
        counts.insert(run, count);
        self.0.counted.store(counts.len(), Ordering::SeqCst);
        drop(counts);
        Beginning { counting: self.clone(), run, id }
    }

    /// Whether any run is counted. Asked by the writer's thread after each commit.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.counted.load(Ordering::SeqCst) > 0
    }

    /// Takes in rows of `stage` that became durable with commit number `commit`, but for `repeats`, which were stored before.
    pub(crate) fn stored(&self, run: RunId, stage: &Stage, commit: u64, rows: &Rows, repeats: &[Repeat]) {
        let mut counts = self.counts();
        let (Some(count), Some(layout)) = (counts.get_mut(&run), Layout::of(&stage.shape)) else { return };
        let mut again: BTreeMap<u64, usize> = BTreeMap::new();
        repeats.iter().for_each(|repeat| *again.entry(repeat.trial).or_default() += 1);
        // Of the rows of one trial, the last ones are the repeats.
        for (row, &trial) in rows.trials.iter().enumerate().rev() {
            if let Some(left) = again.get_mut(&trial).filter(|left| **left > 0) {
                *left -= 1;
            } else if let Some(game) = layout.game(rows, row) {
                count.note(Durable { stage: stage.index, commit, trial, game });
            }
        }
    }

    /// Ends the count of a run, whose results have changed in another way than by new ones.
    pub(crate) fn unsettle(&self, run: RunId) {
        if self.is_asked() {
            self.remove(|of, _| of == run);
        }
    }

    /// Ends counts for which nobody asks.
    pub(crate) fn forget_unasked(&self) {
        self.remove(|_, count| count.is_complete() && count.asked.elapsed() > UNASKED);
    }

    /// Makes the next answer the counts of this moment.
    #[cfg(test)]
    pub(super) fn drop_copies(&self) {
        self.counts().values_mut().for_each(|count| count.copy = None);
    }

    fn remove(&self, which: impl Fn(RunId, &Count) -> bool) {
        let mut counts = self.counts();
        counts.retain(|&run, count| !which(run, count));
        self.0.counted.store(counts.len(), Ordering::SeqCst);
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<RunId, Count>> {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A count that was begun.
struct Beginning {
    counting: Counting,
    run: RunId,
    id: u64,
}

impl Beginning {
    /// Reads what is stored, unless the count ends meanwhile.
    fn read(self, directory: &Path) -> Result<(), store::Error> {
        let read = self.read_all(directory);
        if read.is_err() {
            self.counting.remove(|run, count| run == self.run && count.id == self.id);
        }
        read
    }

    fn read_all(&self, directory: &Path) -> Result<(), store::Error> {
        let mut reader = GamesReader::open(directory)?;
        while self.take(reader.next()?) {}
        Ok(())
    }

    /// Takes in the next chunk, or that there is nothing to count; gives whether more is to be read.
    fn take(&self, chunk: Option<GamesChunk>) -> bool {
        let mut counts = self.counting.counts();
        let Some(count) = counts.get_mut(&self.run).filter(|count| count.id == self.id) else { return false };
        let Some(chunk) = chunk else {
            count.stage = Some(None);
            count.pending = Vec::new();
            return false;
        };
        if !count.advance(chunk) {
            drop(counts);
            self.counting.unsettle(self.run);
            return false;
        }
        !count.is_complete()
    }
}

#[cfg(test)]
mod tests;
