//! Who follows what, and the one task that looks for all of them while anybody does.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use super::state::{State, Topic};
use crate::site::Site;

/// What is told of a topic, written once for all who follow it.
#[derive(Debug)]
pub(super) struct Told {
    /// Its name.
    pub(super) id: Arc<str>,
    /// The name of what was told before.
    pub(super) after: Arc<str>,
    /// The state, whole.
    pub(super) whole: Arc<str>,
    /// What is other than before.
    pub(super) difference: Arc<str>,
    /// Whether nothing follows.
    pub(super) ended: bool,
    state: State,
}

/// The topics that are followed.
pub(crate) struct Hub {
    followed: Mutex<Followed>,
    /// Tells ids of this process from those of an earlier one.
    epoch: u32,
}

/// Topics that somebody follows.
#[derive(Default)]
struct Followed {
    topics: HashMap<Topic, watch::Sender<Arc<Told>>>,
    /// Whether a task looks for them.
    is_looked_for: bool,
}

/// A viewer of a topic.
pub(super) struct Follower {
    told: watch::Receiver<Arc<Told>>,
}

impl Follower {
    /// What was told last.
    pub(super) fn newest(&mut self) -> Arc<Told> {
        Arc::clone(&self.told.borrow_and_update())
    }

    /// Ends when something else is told; false if nothing will be.
    pub(super) async fn changed(&mut self) -> bool {
        self.told.changed().await.is_ok()
    }
}

impl Hub {
    /// One that nobody follows.
    pub(crate) fn new() -> Self {
        Hub { followed: Mutex::default(), epoch: rand::random() }
    }

    /// Follows a topic.
    pub(super) fn follow(&self, site: &Arc<Site>, topic: &Topic) -> Follower {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let told = followed.topics.entry(topic.clone()).or_insert_with(|| {
            let first = Told::first(self.epoch, State::of(site, topic));
            watch::Sender::new(Arc::new(first))
        });
        let told = told.subscribe();
        if !std::mem::replace(&mut followed.is_looked_for, true) {
            tokio::spawn(look(Arc::clone(site)));
        }
        drop(followed);
        Follower { told }
    }

    /// Tells what is new of each topic that somebody follows, and forgets the others; false if there is none left.
    fn tell(&self, site: &Site) -> bool {
        let names: Vec<Topic> = {
            let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
            followed.topics.retain(|_, told| told.receiver_count() > 0);
            followed.topics.keys().cloned().collect()
        };
        // Looked at without the lock, which new viewers need.
        let states: Vec<(Topic, State)> =
            names.into_iter().map(|topic| (topic.clone(), State::of(site, &topic))).collect();
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        for (topic, state) in states {
            let Some(told) = followed.topics.get(&topic) else { continue };
            told.send_if_modified(|before| {
                let is_new = before.state != state;
                if is_new {
                    *before = Arc::new(before.next(state));
                }
                is_new
            });
        }
        followed.is_looked_for = !followed.topics.is_empty();
        followed.is_looked_for
    }
}

impl Told {
    fn first(epoch: u32, state: State) -> Self {
        let whole: Arc<str> = state.to_json().to_string().into();
        Told {
            id: format!("{epoch:08x}-0").into(),
            after: "".into(),
            difference: Arc::clone(&whole),
            whole,
            ended: state.ended,
            state,
        }
    }

    fn next(&self, state: State) -> Self {
        let (epoch, number) = self.id.split_once('-').unwrap_or(("", "0"));
        let number = number.parse::<u64>().unwrap_or_default() + 1;
        Told {
            id: format!("{epoch}-{number}").into(),
            after: Arc::clone(&self.id),
            whole: state.to_json().to_string().into(),
            difference: state.since(&self.state).to_string().into(),
            ended: state.ended,
            state,
        }
    }
}

/// Looks as long as anybody follows anything.
async fn look(site: Arc<Site>) {
    let mut reports = site.analyses.changes();
    loop {
        tokio::select! {
            goes_on = site.source.changed() => if !goes_on { return },
            made = reports.changed() => if made.is_err() { return },
        }
        if !site.hub.tell(&site) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_has_its_place() {
        let state = |title: &str| State { title: title.to_owned(), ..State::default() };
        let first = Told::first(7, state("a"));
        let second = first.next(state("b"));
        assert_eq!((&*first.id, &*second.id, &*second.after), ("00000007-0", "00000007-1", "00000007-0"));
        assert!(second.whole.contains("\"t\":\"b\""));
    }
}
