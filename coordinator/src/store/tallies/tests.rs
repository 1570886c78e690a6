//! Counts against the database, asked by SQL, while batches, repeats, deletions and crashes come in any order.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use experiments::{Experiment, Overrides};
use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{Rng as _, SeedableRng as _},
};
use record::{ColumnType, Stage};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::*;
use crate::{
    core::Worker,
    ids::{ProcessId, RunId, StageKey, Ticket},
    store::{Command, Reply, RunDirectory, RunStore, Writer, connect_to_read},
};

/// Three pairs of 200 games.
const GRID: &str = r#"
format = 1
name = "three"
kind = "match-grid"
game = "dodgem:size=3"
[players]
a = "random"
b = "random"
c = "random"
[match-grid]
games-per-pair = 200
pairing = "round-robin"
"#;

const SYNTHETIC: &str = "format = 1\nname = \"tiny\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 20\n";

/// Longest wait for the writer; only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A pair's tally as SQL has it: wins, draws and losses by seat, units, plies, microseconds.
type Asked = ([[u32; 3]; 2], [u32; 5], u64, u64);

/// A run whose writer can be ended and started again.
struct World {
    place: TempDir,
    source: String,
    runtime: Runtime,
    open: Open,
    sent: u64,
}

/// A writer, as a coordinator has it from its start on.
struct Open {
    counting: Counting,
    writer: Option<Writer>,
    replies: Receiver<Reply>,
    run: RunId,
    stage: Stage,
}

impl Open {
    fn at(path: &Path, source: &str) -> Self {
        let experiment = Experiment::parse(source, "test.toml", &Overrides::default()).expect("an experiment");
        let directory = RunDirectory::create(path, source, &experiment).expect("a directory");
        let (store, open) = RunStore::open(directory).expect("a run");
        let (counting, stage) = (Counting::default(), store.stage().clone());
        let (send, replies) = channel();
        let writer = Writer::start(counting.clone(), move |reply| drop(send.send(reply))).expect("a thread");
        writer.commands.send(Command::Adopt(Box::new(store))).expect("it runs");
        Open { counting, writer: Some(writer), replies, run: open.run, stage }
    }
}

impl World {
    fn new(source: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let place = tempfile::tempdir().expect("a directory");
        let open = Open::at(place.path(), source);
        World { place, source: source.to_owned(), runtime, open, sent: 0 }
    }

    /// Opens the run as a coordinator does that starts.
    fn start(&mut self) {
        self.open = Open::at(self.path(), &self.source);
    }

    /// Ends the writer; what was sent is written or not.
    fn stop(&mut self) {
        let Some(Writer { commands, thread }) = self.open.writer.take() else { return };
        drop(commands);
        thread.join().expect("it ends in order");
    }

    fn path(&self) -> &Path {
        self.place.path()
    }

    fn send(&mut self, command: Command) {
        self.sent += 1;
        self.open.writer.as_ref().expect("it runs").commands.send(command).expect("it runs");
    }

    fn key(&self) -> StageKey {
        StageKey { run: self.open.run, stage: self.open.stage.index }
    }

    fn store(&mut self, worker: &str, trials: &[u64], salt: u64) {
        let (stage, rows) = (self.key(), rows(&self.open.stage, trials, salt));
        let worker = Worker { name: worker.to_owned(), process: ProcessId([0; 16]), threads: 1, place: Arc::default() };
        self.send(Command::Store { ticket: Ticket(self.sent), stage, worker, rows });
    }

    /// Waits until everything is durable that was sent.
    fn settle(&mut self) {
        let run = self.open.run;
        self.send(Command::Retract {
            stage: StageKey { run, stage: 99 },
            worker: "nobody".to_owned(),
            why: String::new(),
        });
        loop {
            if let Reply::Retracted { stage, .. } = self.open.replies.recv_timeout(PATIENCE).expect("an answer")
                && stage.stage == 99
            {
                return;
            }
        }
    }

    /// Asks for the counts in the background.
    fn ask(&self) -> tokio::task::JoinHandle<()> {
        let (counting, run, path) = (self.open.counting.clone(), self.open.run, self.path().to_owned());
        self.runtime.spawn(async move { drop(counting.tallies(run, path).await.expect("it is read")) })
    }

    fn tallies(&self) -> Option<Arc<Tallies>> {
        self.runtime.block_on(self.open.counting.tallies(self.open.run, self.path().to_owned())).expect("it is read")
    }

    /// The counts are those of the database.
    #[track_caller]
    fn compare(&mut self, what: &str) {
        self.settle();
        self.open.counting.drop_copies();
        let tallies = self.tallies().expect("counts");
        let found: BTreeMap<usize, Asked> = tallies
            .pairs
            .iter()
            .enumerate()
            .filter(|(_, tally)| tally.games() > 0)
            .map(|(pair, tally)| (pair, (tally.by_seat, tally.units, tally.plies, tally.elapsed_us)))
            .collect();
        let (wanted, games, units) = asked(self.path());
        assert_eq!(found, wanted, "{what}");
        assert_eq!((tallies.games, tallies.halves), (games, games - 2 * units), "{what}");
    }
}

/// Pairs, games and whole units by SQL alone.
fn asked(path: &Path) -> (BTreeMap<usize, Asked>, u64, u64) {
    let conn = connect_to_read(path).expect("a database");
    let mut pairs: BTreeMap<usize, Asked> = BTreeMap::new();
    let of_games = "SELECT pair, trial % 2, CASE WHEN trial % 2 = 0 THEN first_points ELSE 1 - first_points END AS points, \
                    COUNT(*), SUM(plies), SUM(elapsed_us) FROM results_match WHERE stage = 0 GROUP BY 1, 2, 3";
    let mut games = 0;
    let mut statement = conn.prepare(of_games).expect("SQL");
    let mut rows = statement.query([]).expect("SQL");
    while let Some(row) = rows.next().expect("a row") {
        let entry = pairs.entry(row.get::<_, u32>(0).expect("a pair") as usize).or_default();
        let (seat, points, count): (u32, f64, u32) =
            (row.get(1).expect("a seat"), row.get(2).expect("points"), row.get(3).expect("a count"));
        let at = if points == 1.0 {
            0
        } else if points == 0.5 {
            1
        } else {
            2
        };
        entry.0[seat as usize][at] = count;
        entry.2 += row.get::<_, i64>(4).expect("plies").unsigned_abs();
        entry.3 += row.get::<_, i64>(5).expect("time").unsigned_abs();
        games += u64::from(count);
    }
    let of_units = "SELECT a.pair, 2 * (a.first_points + 1 - b.first_points), COUNT(*) FROM results_match a \
                    JOIN results_match b ON b.stage = a.stage AND b.trial = a.trial + 1 \
                    WHERE a.stage = 0 AND a.trial % 2 = 0 GROUP BY 1, 2";
    let mut units = 0;
    let mut statement = conn.prepare(of_units).expect("SQL");
    let mut rows = statement.query([]).expect("SQL");
    while let Some(row) = rows.next().expect("a row") {
        let entry = pairs.entry(row.get::<_, u32>(0).expect("a pair") as usize).or_default();
        let (halves, count): (f64, u32) = (row.get(1).expect("points"), row.get(2).expect("a count"));
        entry.1[halves as usize] = count;
        units += u64::from(count);
    }
    (pairs, games, units)
}

/// Results of trials as a worker might send them; another salt gives others.
fn rows(stage: &Stage, trials: &[u64], salt: u64) -> Rows {
    let mut rows = Rows::empty(&stage.shape);
    for &trial in trials {
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(trial.wrapping_mul(1_000).wrapping_add(salt));
        rows.trials.push(trial);
        rows.elapsed_us.push(chance.next_u64() % 10_000);
        for (column, cells) in stage.shape.columns.iter().zip(&mut rows.columns) {
            let value = chance.next_u64() % 100;
            match (cells, column.kind) {
                (Cells::Ints(cells), ColumnType::Int) if column.name == "pair" => cells.push((trial / 200) as i64),
                (Cells::Ints(cells), _) => cells.push(value as i64),
                (Cells::Reals(cells), _) => cells.push((value % 3) as f64 / 2.0),
                (Cells::Texts(cells), _) => cells.push(value.to_string()),
            }
        }
    }
    rows
}

#[test]
fn counts_are_those_of_the_database_whatever_happens() {
    for seed in 0..12 {
        let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut world = World::new(GRID);
        let mut asking = Vec::new();
        for step in 0..120 {
            let workers = ["a", "b", "c"];
            let worker = workers[(chance.next_u64() % 3) as usize];
            let begin = chance.next_u64() % 560;
            let trials: Vec<u64> = (begin..begin + chance.next_u64() % 40).collect();
            match chance.next_u64() % 40 {
                0..24 => world.store(worker, &trials, 0),
                // A batch with a trial twice, and with results that differ from those of others.
                24..28 => {
                    world.store(
                        worker,
                        &[&trials[..], &trials[..trials.len() / 2]].concat(),
                        1 + chance.next_u64() % 2,
                    );
                }
                28..33 => asking.push(world.ask()),
                33 => {
                    let (stage, why) = (world.key(), "a test".to_owned());
                    world.send(Command::Retract { stage, worker: worker.to_owned(), why });
                }
                34 => {
                    world.stop();
                    world.start();
                }
                35..37 => world.compare(&format!("seed {seed}, step {step}")),
                _ => std::thread::yield_now(),
            }
        }
        world.compare(&format!("seed {seed}, at the end"));
        world.runtime.block_on(async {
            for asked in asking {
                asked.await.expect("it ends in order");
            }
        });
        world.stop();
    }
}

#[test]
fn other_shapes_have_no_counts_and_nothing_is_counted_unasked() {
    let mut world = World::new(SYNTHETIC);
    assert!(world.tallies().is_none());
    world.stop();
    let mut world = World::new(GRID);
    world.store("a", &[0, 1, 2], 0);
    world.settle();
    assert!(!world.open.counting.is_asked());
    assert_eq!(world.tallies().expect("counts").games, 3);
    assert!(world.open.counting.is_asked());
    world.open.counting.forget_unasked();
    assert!(world.open.counting.is_asked(), "somebody has just asked");
    world.stop();
}
