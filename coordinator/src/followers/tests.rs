use std::time::Duration;

use experiments::{Experiment, Overrides};
use serde_json::json;
use tokio::{sync::watch, time::timeout};

use super::*;
use crate::{
    core::RunState,
    reports::RunReport,
    store::{Command, RunDirectory, RunStore, Writer},
};

const SYNTHETIC: &str = "format = 1\nname = \"tiny\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 20\n";
/// Longest wait for an event; only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run that goes on, and those who follow it.
struct World {
    place: tempfile::TempDir,
    writer: Writer,
    run: RunId,
    publish: watch::Sender<Reports>,
    followers: Followers,
}

impl World {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a directory");
        let experiment = Experiment::parse(SYNTHETIC, "test.toml", &Overrides::default()).expect("an experiment");
        let directory = RunDirectory::create(place.path(), SYNTHETIC, &experiment).expect("a directory");
        let (store, open) = RunStore::open(directory).expect("a run");
        let writer = Writer::start(crate::store::Counting::default(), |_| {}).expect("a thread");
        writer.commands.send(Command::Adopt(Box::new(store))).expect("it runs");
        let (publish, reports) = watch::channel(Reports::default());
        let world = World { place, writer, run: open.run, publish, followers: Followers::new(reports) };
        world.publish(RunState::Running);
        world
    }

    fn publish(&self, state: RunState) {
        let report = RunReport::example(self.run, state, self.place.path().to_owned());
        self.publish.send_replace(Arc::new(vec![report]));
    }

    fn note(&self, n: usize) {
        let command = Command::Event { run: self.run, kind: "note", detail: json!({ "n": n }) };
        self.writer.commands.send(command).expect("it runs");
    }

    fn end(&self) {
        self.writer.commands.send(Command::State { run: self.run, state: RunState::Cancelled }).expect("it runs");
    }
}

/// Numbers of the notes that a follower gets until there are `wanted`.
async fn notes(follower: &mut EventsFollower, wanted: usize) -> Vec<usize> {
    let mut notes = Vec::new();
    while notes.len() < wanted {
        let events = timeout(PATIENCE, follower.next()).await.expect("in time").expect("it is read");
        assert!(!events.is_empty(), "the run goes on");
        notes.extend(events.iter().filter_map(|event| event.detail["n"].as_u64()).map(|n| n as usize));
    }
    notes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_gets_every_event_once_and_in_order() {
    let world = World::new();
    let mut early = world.followers.follow(world.run, Some(0)).expect("a run");
    (0..700).for_each(|n| world.note(n));
    let whole: Vec<usize> = (0..700).collect();
    assert_eq!(notes(&mut early, 700).await, whole);
    // Behind what is kept in memory, behind the end, and from now on.
    let mut late = world.followers.follow(world.run, Some(0)).expect("a run");
    let mut now = world.followers.follow(world.run, None).expect("a run");
    assert_eq!(notes(&mut late, 700).await, whole);
    let waits = timeout(Duration::from_millis(50), now.next()).await;
    assert!(waits.is_err(), "nothing is new");
    (700..3_300).for_each(|n| world.note(n));
    let rest: Vec<usize> = (700..3_300).collect();
    assert_eq!(notes(&mut now, rest.len()).await, rest);
    // It has not read meanwhile, and more has come than memory keeps.
    assert_eq!(notes(&mut early, rest.len()).await, rest);
    assert_eq!(world.followers.all().len(), 1, "one reader for all");
    world.end();
    world.publish(RunState::Cancelled);
    for follower in [&mut early, &mut late, &mut now] {
        let mut last = Vec::new();
        loop {
            let events = timeout(PATIENCE, follower.next()).await.expect("in time").expect("it is read");
            if events.is_empty() {
                break;
            }
            last = events;
        }
        assert_eq!(last.last().expect("events").kind, "cancelled");
    }
    assert_eq!(world.followers.all().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_read_when_nobody_follows() {
    let world = World::new();
    let follower = world.followers.follow(world.run, None).expect("a run");
    assert_eq!(world.followers.all().len(), 1);
    drop(follower);
    let ended = async {
        while !world.followers.all().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, ended).await.expect("the reader ends");
    assert!(world.followers.follow(RunId([9; 16]), None).is_none(), "there is no such run");
}
