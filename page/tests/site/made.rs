//! Runs made without workers, and a site of them.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Method, Request, StatusCode},
};
use coordinator::{
    core::Worker,
    ids::{ProcessId, RunId, StageKey, Ticket},
    observe::Counting,
    rows::{Cells, Rows},
    store::{Blobs, Command, Reply, RunDirectory, RunStore, Writer},
};
use experiments::{Experiment, Overrides, plan::Artifact};
use http_body_util::BodyExt as _;
use page::Guard;
use record::{Stage, Value};
use tower::ServiceExt as _;

/// Longest wait; only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Three players, 60 games.
pub(crate) const GRID: &str = r#"
format = 1
name = "small-grid"
title = "A grid of <three> & \"more\""
kind = "match-grid"
game = "dodgem:size=3"
seed = 3
paper = "evomcts/table-5"
[players]
a = "mcts:playouts=20"
b = "mcts:playouts=5"
c = "random"
[match-grid]
pairing = "round-robin"
games-per-pair = 20
opening-plies = 2
"#;

/// Three generations and a last benchmark.
pub(crate) const EVOLUTION: &str = r#"
format = 1
name = "small-evolution"
kind = "coevolution"
game = "dodgem:size=3"
seed = 4
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

/// Trials that cost nothing.
pub(crate) fn synthetic(trials: u64) -> String {
    format!("format = 1\nname = \"plain\"\nkind = \"synthetic\"\n[synthetic]\ntrials = {trials}\n")
}

/// A run in the hands of a writer.
pub(crate) struct Bench {
    writer: Writer,
    replies: Receiver<Reply>,
    run: RunId,
    experiment: Experiment,
    pub(crate) stage: Stage,
    artifacts: Blobs,
    tickets: u64,
}

impl Bench {
    /// Makes the run of an experiment.
    pub(crate) fn start(directory: &Path, text: &str) -> Self {
        let experiment =
            Experiment::parse(text, "test.toml", &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"));
        let directory = RunDirectory::create(directory, text, &experiment).expect("a directory");
        let (store, _) = RunStore::open(directory).expect("opens");
        let (send, replies) = channel();
        let writer = Writer::start(Counting::default(), move |reply| drop(send.send(reply))).expect("a thread");
        let bench = Bench {
            writer,
            replies,
            run: store.id(),
            experiment,
            stage: store.stage().clone(),
            artifacts: store.artifacts().expect("artifacts"),
            tickets: 0,
        };
        bench.tell(Command::Adopt(Box::new(store)));
        bench
    }

    fn tell(&self, command: Command) {
        self.writer.commands.send(command).expect("the thread lives");
    }

    #[track_caller]
    fn hear(&self) -> Reply {
        loop {
            match self.replies.recv_timeout(PATIENCE).expect("an answer") {
                Reply::Wrote { .. } => {}
                reply => return reply,
            }
        }
    }

    fn key(&self) -> StageKey {
        StageKey { run: self.run, stage: self.stage.index }
    }

    /// What trials of the open stage give.
    pub(crate) fn rows(&self, trials: impl IntoIterator<Item = u64>) -> Rows {
        let held: Vec<Artifact> =
            self.artifacts.values().map(|data| Artifact { kind: String::new(), data: data.clone() }).collect();
        let executor = experiments::plan(&self.experiment).executor(&self.stage, &held).expect("an executor");
        let mut rows = Rows::empty(&self.stage.shape);
        for trial in trials {
            rows.trials.push(trial);
            rows.elapsed_us.push(1_500);
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

    /// Makes rows durable under a worker's name.
    #[track_caller]
    pub(crate) fn send(&mut self, worker: &str, rows: Rows) {
        self.tickets += 1;
        let worker =
            Worker { name: worker.to_owned(), process: ProcessId([0; 16]), threads: 4, place: Default::default() };
        self.tell(Command::Store { ticket: Ticket(self.tickets), stage: self.key(), worker, rows });
        assert!(matches!(self.hear(), Reply::Committed { .. }));
    }

    /// Runs trials of the open stage and makes them durable.
    #[track_caller]
    pub(crate) fn store(&mut self, worker: &str, trials: impl IntoIterator<Item = u64>) {
        let rows = self.rows(trials);
        self.send(worker, rows);
    }

    /// Notes attempts of a trial that failed on a worker; after the third it is given up.
    pub(crate) fn fail(&self, trial: u64, attempts: u32, worker: &str, error: &str) {
        for attempt in 1..=attempts {
            let (worker, error) = (worker.to_owned(), error.to_owned());
            self.tell(Command::Failure { stage: self.key(), trial, attempt, worker, error, quarantine: attempt == 3 });
        }
    }

    /// Records an event.
    pub(crate) fn event(&self, kind: &'static str, detail: serde_json::Value) {
        self.tell(Command::Event { run: self.run, kind, detail });
    }

    /// Runs all that is left.
    #[track_caller]
    pub(crate) fn finish(&mut self) {
        loop {
            self.store("w1", 0..self.stage.trials);
            self.tell(Command::CloseStage(self.key()));
            match self.hear() {
                Reply::Closed { next: Ok((_, opened)), .. } => {
                    (self.stage, self.artifacts) = (opened.stage, opened.artifacts);
                }
                Reply::Closed { next: Err(_), .. } => return,
                other => panic!("{other:?}"),
            }
        }
    }

    /// Ends the thread once all is durable.
    pub(crate) fn end(self) {
        drop(self.writer.commands);
        self.writer.thread.join().expect("no panic");
    }
}

/// A finished run of an experiment.
pub(crate) fn finished(directory: &Path, text: &str) {
    let mut bench = Bench::start(directory, text);
    bench.finish();
    bench.end();
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a text"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).expect("UTF-8")
    }
}

/// A site.
#[derive(Clone)]
pub(crate) struct Site(pub(crate) Router);

impl Site {
    /// Of runs in directories, open to all who use a name of loopback.
    pub(crate) fn of(directories: &[&Path]) -> Self {
        let directories: Vec<PathBuf> = directories.iter().map(|path| path.to_path_buf()).collect();
        Site(page::of_directories(directories, Guard::default()))
    }

    /// Asks with headers.
    pub(crate) async fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "localhost");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let response = self.0.clone().oneshot(request).await.expect("infallible");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, bytes }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, &[], "").await
    }

    /// A page that must be there.
    #[track_caller]
    pub(crate) fn page(&self, path: &str) -> impl Future<Output = String> {
        let caller = std::panic::Location::caller();
        let (site, path) = (self.clone(), path.to_owned());
        async move {
            let answer = site.get(&path).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}, asked at {caller}: {}", answer.text());
            answer.text().to_owned()
        }
    }

    /// A page, once what it waits for is made.
    pub(crate) async fn whole(&self, path: &str) -> String {
        let begun = Instant::now();
        loop {
            let page = self.page(path).await;
            if !page.contains("data-again") {
                return page;
            }
            assert!(begun.elapsed() < PATIENCE, "{path} waits for ever");
            // The pause between two looks.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Keys of the runs of the first page.
    pub(crate) async fn keys(&self) -> Vec<String> {
        let page = self.page("/").await;
        let links = page.split("href=\"./runs/").skip(1).map(|rest| rest.split('"').next().expect("an end").to_owned());
        let mut keys = Vec::new();
        links.filter(|key| !key.contains('/')).for_each(|key| {
            if !keys.contains(&key) {
                keys.push(key);
            }
        });
        keys
    }
}
