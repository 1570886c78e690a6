//! What a coordinator gives to look at, for the pages of its HTTP door.
//!
//! An [`Observer`] asks and remembers for all who look. Nothing of it costs the coordinator anything while nobody looks:
//! the driver is asked for workers on request and at most once a second, results are counted only where somebody has
//! asked for the counts of that run, and events are read only while somebody follows them. What is kept is bounded: one
//! answer about workers, rings of fixed size, a count for each pair of players.

mod history;
mod workers;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

use crate::{driver::Driver, followers::Followers, ids::RunId, metrics::Metrics, reports::Reports, store};
pub use crate::{
    followers::EventsFollower,
    store::{Counting, PairTally, Tallies},
};
use history::{FINE, Histories};
pub use history::{History, Point, Series};
use workers::Workers;
pub use workers::{WorkerState, WorkersSeen};

/// What a coordinator gives to look at. Cheap to clone.
#[derive(Clone)]
pub struct Observer(Arc<Inner>);

struct Inner {
    reports: watch::Receiver<Reports>,
    metrics: Metrics,
    workers: Workers,
    histories: Mutex<Histories>,
    counting: Counting,
    followers: Followers,
}

impl Observer {
    /// An observer of the coordinator of `driver`, whose workers send heartbeats at this interval.
    pub(crate) fn start(driver: &Driver, heartbeat: Duration) -> Self {
        let inner = Inner {
            reports: driver.reports.clone(),
            metrics: driver.metrics.clone(),
            workers: Workers::new(driver.clone(), heartbeat),
            histories: Mutex::new(Histories::new()),
            counting: driver.counting.clone(),
            followers: driver.followers.clone(),
        };
        let observer = Observer(Arc::new(inner));
        tokio::spawn(observer.clone().remember());
        observer
    }

    /// Every run of the coordinator as it was last published, at most a quarter of a second ago, in the order in which
    /// they were opened.
    pub fn runs(&self) -> Reports {
        self.0.reports.borrow().clone()
    }

    /// Waits until runs are published again, four times a second; false once the coordinator has stopped.
    pub async fn changed(&self) -> bool {
        let mut reports = self.0.reports.clone();
        reports.borrow_and_update();
        reports.changed().await.is_ok()
    }

    /// The connected workers, as they were at most a second ago.
    pub async fn workers(&self) -> Arc<WorkersSeen> {
        self.0.workers.seen().await
    }

    /// How a number went: every 5 seconds of the last hour, and every minute of the last week.
    pub fn history(&self, of: Series) -> History {
        self.0.histories.lock().unwrap_or_else(PoisonError::into_inner).of(of)
    }

    /// Wins, draws and losses by pair of players in the stored games of a run's open stage; `None` if that stage is not of games
    /// between pairs, if the run has ended, or while results are taken back faster than they are counted. The first
    /// answer takes as long as reading the stored games (a second for a million); from then on they are counted as they
    /// become durable, until nobody has asked for a minute.
    ///
    /// # Errors
    /// The run's database cannot be read.
    pub async fn tallies(&self, run: RunId) -> Result<Option<Arc<Tallies>>, store::Error> {
        let open = |report: &&crate::RunReport| report.view.run == run && !report.view.state.is_ended();
        let directory = self.0.reports.borrow().iter().find(open).map(|report| report.directory.clone());
        match directory {
            Some(directory) => self.0.counting.tallies(run, directory).await,
            None => Ok(None),
        }
    }

    /// Follows the events of a run from number `after` on, or from now on; `None` if there is no such run. All who follow
    /// a run share one reader of its database.
    pub fn events(&self, run: RunId, after: Option<u64>) -> Option<EventsFollower> {
        self.0.followers.follow(run, after)
    }

    /// Notes how the runs are from time to time, and forgets what nobody asks for any more, until the coordinator stops.
    async fn remember(self) {
        let mut interval = tokio::time::interval(FINE);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        while self.0.reports.has_changed().is_ok() {
            interval.tick().await;
            let reports = self.runs();
            self.0.histories.lock().unwrap_or_else(PoisonError::into_inner).note(&reports, &self.0.metrics);
            self.0.counting.forget_unasked();
            self.0.workers.forget_unasked();
        }
    }
}
