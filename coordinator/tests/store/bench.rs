//! What tests of the store share: runs without workers, and a writer whose answers are at hand.

use std::{
    fs,
    path::Path,
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use coordinator::{
    core::{OpenRun, Worker},
    ids::{ProcessId, RunId, StageKey, Ticket},
    observe::Counting,
    ranges::RangeSet,
    rows::{Cells, Rows},
    store::{Blobs, Command, Error, Opened, Reply, RunDirectory, RunStore, Writer},
};
use experiments::{
    Experiment, Overrides,
    plan::{Artifact, Executor},
};
use record::{Stage, Value};

/// Longest wait for an answer; only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Twenty trials that cost nothing.
pub(crate) const TINY: &str = "format = 1\nname = \"tiny\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 20\n";

/// Three generations and a last benchmark, of a game that takes no time.
pub(crate) const EVOLUTION: &str = r#"
format = 1
name = "small"
kind = "coevolution"
game = "dodgem:size=3"
[players]
random = "random"
[coevolution]
player = "evomcts:playouts=6"
population = 10
generations = 3
games-as-first = 3
[coevolution.benchmark]
every = 3
games = 4
samples = 2
final-games = 6
finalists = 3
"#;

pub(crate) fn parse(text: &str) -> Experiment {
    Experiment::parse(text, "test.toml", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Makes the run of an experiment, or opens it.
pub(crate) fn open(directory: &Path, text: &str) -> Result<(RunStore, OpenRun), Error> {
    RunStore::open(RunDirectory::create(directory, text, &parse(text))?)
}

/// Copies the files of a run, as they are on disk now.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("read").flatten() {
        let name = entry.file_name();
        // What readers share while they are at it.
        if !name.to_string_lossy().ends_with("-shm") {
            fs::copy(entry.path(), to.join(name)).expect("copied");
        }
    }
}

pub(crate) fn sql(directory: &Path, statements: &str) {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    conn.execute_batch(statements).expect("done");
}

pub(crate) fn number(directory: &Path, query: &str) -> i64 {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    conn.query_row(query, [], |row| row.get(0)).expect("a number")
}

pub(crate) fn set(trials: impl IntoIterator<Item = u64>) -> RangeSet {
    trials.into_iter().map(|trial| trial..trial + 1).collect()
}

/// A run in the hands of a writer.
pub(crate) struct Bench {
    pub(crate) writer: Writer,
    pub(crate) replies: Receiver<Reply>,
    pub(crate) run: RunId,
    experiment: Experiment,
    pub(crate) stage: Stage,
    artifacts: Blobs,
    tickets: u64,
}

impl Bench {
    /// Takes up the run of an experiment; also says how it stands.
    pub(crate) fn start(directory: &Path, text: &str) -> (Self, OpenRun) {
        Self::take(open(directory, text).expect("the run opens"))
    }

    pub(crate) fn take((store, open): (RunStore, OpenRun)) -> (Self, OpenRun) {
        let (send, replies) = channel();
        let writer = Writer::start(Counting::default(), move |reply| drop(send.send(reply))).expect("a thread");
        let bench = Bench {
            writer,
            replies,
            run: store.id(),
            experiment: store.experiment().clone(),
            stage: store.stage().clone(),
            artifacts: store.artifacts().expect("artifacts"),
            tickets: 0,
        };
        bench.tell(Command::Adopt(Box::new(store)));
        (bench, open)
    }

    pub(crate) fn tell(&self, command: Command) {
        self.writer.commands.send(command).expect("the thread lives");
    }

    #[track_caller]
    pub(crate) fn hear(&self) -> Reply {
        loop {
            // How long a commit took is for the metrics.
            match self.replies.recv_timeout(PATIENCE).expect("an answer") {
                Reply::Wrote { .. } => {}
                reply => return reply,
            }
        }
    }

    pub(crate) fn key(&self) -> StageKey {
        StageKey { run: self.run, stage: self.stage.index }
    }

    /// What trials of the open stage give.
    pub(crate) fn rows(&self, trials: impl IntoIterator<Item = u64>) -> Rows {
        let held = self.artifacts.values().map(|data| Artifact { kind: String::new(), data: data.clone() });
        let plan = experiments::plan(&self.experiment);
        let executor = plan.executor(&self.stage, &held.collect::<Vec<_>>()).expect("an executor");
        rows(&self.stage, executor.as_ref(), trials)
    }

    /// Sends rows under a worker's name.
    pub(crate) fn send(&mut self, worker: &str, rows: Rows) -> Ticket {
        self.tickets += 1;
        let worker =
            Worker { name: worker.to_owned(), process: ProcessId([0; 16]), threads: 1, place: Default::default() };
        let ticket = Ticket(self.tickets);
        self.tell(Command::Store { ticket, stage: self.key(), worker, rows });
        ticket
    }

    /// Runs trials of the open stage and makes them durable.
    #[track_caller]
    pub(crate) fn store(&mut self, worker: &str, trials: impl IntoIterator<Item = u64>) {
        let rows = self.rows(trials);
        let sent = self.send(worker, rows);
        match self.hear() {
            Reply::Committed { ticket, .. } => assert_eq!(ticket, sent),
            other => panic!("{other:?}"),
        }
    }

    /// Gives a trial up.
    pub(crate) fn give_up(&self, trial: u64) {
        for attempt in 1..=3 {
            let (worker, error) = ("w".to_owned(), "it does not end".to_owned());
            let (stage, quarantine) = (self.key(), attempt == 3);
            self.tell(Command::Failure { stage, trial, attempt, worker, error, quarantine });
        }
    }

    /// Closes the open stage; false if nothing follows.
    #[track_caller]
    pub(crate) fn close(&mut self) -> bool {
        self.tell(Command::CloseStage(self.key()));
        match self.hear() {
            Reply::Closed { next: Ok((_, opened)), .. } => {
                self.enter(*opened);
                true
            }
            Reply::Closed { next: Err(_), .. } => false,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn enter(&mut self, opened: Opened) {
        (self.stage, self.artifacts) = (opened.stage, opened.artifacts);
    }

    /// Runs what is missing of the open stage, and all stages behind it.
    #[track_caller]
    pub(crate) fn finish(&mut self, stored: &RangeSet) {
        let missing: Vec<u64> = (0..self.stage.trials).filter(|&trial| !stored.contains(trial)).collect();
        self.store("w", missing);
        while self.close() {
            self.store("w", 0..self.stage.trials);
        }
    }

    /// Ends the thread once all is durable.
    pub(crate) fn end(self) {
        drop(self.writer.commands);
        self.writer.thread.join().expect("no panic");
    }
}

/// Runs trials and puts what they give into columns.
fn rows(stage: &Stage, executor: &dyn Executor, trials: impl IntoIterator<Item = u64>) -> Rows {
    let mut rows = Rows::empty(&stage.shape);
    for trial in trials {
        rows.trials.push(trial);
        rows.elapsed_us.push(1);
        for (cells, value) in rows.columns.iter_mut().zip(executor.run(trial).expect("a row")) {
            match (cells, value) {
                (Cells::Ints(cells), Value::Int(value)) => cells.push(value),
                (Cells::Reals(cells), Value::Real(value)) => cells.push(value),
                (Cells::Texts(cells), Value::Text(value)) => cells.push(value),
                (cells, value) => panic!("{value:?} in {cells:?}"),
            }
        }
    }
    rows
}

/// Waits until `done`.
#[track_caller]
pub(crate) fn wait(what: &str, done: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        // The pause between two looks.
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
