//! Following the events of runs: one reader of a run's database for all who follow it.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use tokio::sync::watch;

use crate::{
    ids::RunId,
    reports::Reports,
    store::{self, StoredEvent},
};

/// Pause between two looks for new events.
const PAUSE: Duration = Duration::from_millis(500);
/// Most events that are read or given at once.
const PAGE: u32 = 500;
/// Newest events of a run that are kept for those who follow it; who is further behind reads the database.
const KEPT: usize = 2_000;

/// The followers of all runs. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Followers {
    reports: watch::Receiver<Reports>,
    followed: Arc<Mutex<BTreeMap<RunId, Weak<Followed>>>>,
}

impl Followers {
    pub(crate) fn new(reports: watch::Receiver<Reports>) -> Self {
        Followers { reports, followed: Arc::default() }
    }

    /// Follows the events of a run from number `after` on, or from now on; `None` if there is no such run.
    pub(crate) fn follow(&self, run: RunId, after: Option<u64>) -> Option<EventsFollower> {
        let reports = self.reports.borrow();
        let directory = reports.iter().find(|report| report.view.run == run)?.directory.clone();
        drop(reports);
        let mut all = self.all();
        let known = all.get(&run).and_then(Weak::upgrade).filter(|followed| !followed.read.borrow().over);
        let followed = known.unwrap_or_else(|| {
            let followed = Arc::new(Followed { directory, recent: Mutex::default(), read: watch::Sender::default() });
            all.insert(run, Arc::downgrade(&followed));
            tokio::spawn(self.clone().read(run, Arc::clone(&followed)));
            followed
        });
        let read = followed.read.subscribe();
        Some(EventsFollower { followed, read, after })
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<RunId, Weak<Followed>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the events of a run as long as somebody follows them and the run goes on.
    async fn read(self, run: RunId, followed: Arc<Followed>) {
        let Ok(mut newest) = off_the_loop(&followed.directory, store::last_event).await else {
            return self.end(run, &followed);
        };
        followed.note(newest, Vec::new());
        loop {
            // Before the events are read: later ones are read too, and the end is seen the next time.
            let goes_on = self.reports.borrow().iter().any(|r| r.view.run == run && !r.view.state.is_ended());
            let page = off_the_loop(&followed.directory, move |path| store::events(path, newest, PAGE)).await;
            // Those who follow read it themselves and see the error.
            let Ok(page) = page else { return self.end(run, &followed) };
            let more = page.events.len() == PAGE as usize;
            newest = page.events.last().map_or(newest, |event| event.event);
            followed.note(newest, page.events);
            if more {
                continue;
            }
            if page.ended || !goes_on || self.reports.has_changed().is_err() {
                return self.end(run, &followed);
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = followed.read.closed() => {}
            }
            // Under the lock, so that nobody begins to follow between the question and the end.
            let mut all = self.all();
            if followed.read.receiver_count() == 0 {
                all.remove(&run);
                return;
            }
        }
    }

    /// Tells those who follow a run that nothing more is read.
    fn end(&self, run: RunId, followed: &Followed) {
        self.all().remove(&run);
        followed.read.send_modify(|read| read.over = true);
    }
}

/// A run whose events are followed.
struct Followed {
    directory: PathBuf,
    recent: Mutex<Recent>,
    read: watch::Sender<Read>,
}

/// How far the events of a run were read.
#[derive(Clone, Copy, Default)]
struct Read {
    /// Number of the newest event, once it is known.
    newest: Option<u64>,
    /// Whether nothing more is read here.
    over: bool,
}

/// The newest events of a run.
#[derive(Default)]
struct Recent {
    /// Every event behind this number is among `events`.
    after: u64,
    events: VecDeque<Arc<StoredEvent>>,
}

impl Followed {
    /// Adds events, of which the last has the number `newest`.
    fn note(&self, newest: u64, events: Vec<StoredEvent>) {
        let mut recent = self.recent();
        if self.read.borrow().newest.is_none() {
            recent.after = newest;
        }
        recent.events.extend(events.into_iter().map(Arc::new));
        while recent.events.len() > KEPT {
            let gone = recent.events.pop_front();
            recent.after = gone.map_or(recent.after, |event| event.event);
        }
        drop(recent);
        self.read.send_if_modified(|read| read.newest.replace(newest) != Some(newest));
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows the events of a run.
pub struct EventsFollower {
    followed: Arc<Followed>,
    read: watch::Receiver<Read>,
    /// Number of the last event that was given; `None` until it is known what the newest one was.
    after: Option<u64>,
}

impl EventsFollower {
    /// The next events, oldest first, at most 500; waits until there is one. Nothing once the run has ended and all its
    /// events were given, or the coordinator has stopped.
    ///
    /// # Errors
    /// The run's database cannot be read.
    pub async fn next(&mut self) -> Result<Vec<Arc<StoredEvent>>, store::Error> {
        loop {
            let Read { newest, over } = *self.read.borrow_and_update();
            if let Some(after) = self.after.or(newest) {
                let events = self.behind(after, over).await?;
                self.after = Some(events.last().map_or(after, |event| event.event));
                if !events.is_empty() {
                    return Ok(events);
                }
            }
            if over || self.read.changed().await.is_err() {
                return Ok(Vec::new());
            }
        }
    }

    /// Events behind number `after`, from memory as far as it reaches back and unless the reader has ended.
    async fn behind(&self, after: u64, over: bool) -> Result<Vec<Arc<StoredEvent>>, store::Error> {
        if !over && self.read.borrow().newest.is_some() {
            let recent = self.followed.recent();
            if after >= recent.after {
                let first = recent.events.partition_point(|event| event.event <= after);
                return Ok(recent.events.range(first..).take(PAGE as usize).cloned().collect());
            }
        }
        let page = off_the_loop(&self.followed.directory, move |path| store::events(path, after, PAGE)).await?;
        Ok(page.events.into_iter().map(Arc::new).collect())
    }
}

/// Reads on a thread for that.
async fn off_the_loop<T: Send + 'static>(
    directory: &Path,
    read: impl FnOnce(&Path) -> Result<T, store::Error> + Send + 'static,
) -> Result<T, store::Error> {
    let directory = directory.to_owned();
    let done = tokio::task::spawn_blocking(move || read(&directory)).await;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

#[cfg(test)]
mod tests;
