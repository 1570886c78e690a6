//! What tests of the program share: a place, processes that end with the test, and waiting for conditions.

#![expect(dead_code, reason = "each test file uses a part")]

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Longest wait for anything; far above what it takes, so that only a fault reaches it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The program under test.
pub(crate) fn redqueen() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redqueen"));
    for name in ["COORDINATOR", "TOKEN_FILE", "TLS_CA", "TLS_CERT", "TLS_KEY"] {
        command.env_remove(format!("REDQUEEN_{name}"));
    }
    // Coordinators of tests are announced to tests, not to the account that runs them.
    command.env("XDG_RUNTIME_DIR", ANNOUNCED).env("XDG_CACHE_HOME", ANNOUNCED);
    command.env("RUST_LOG", "warn");
    command
}

/// Where the coordinators of tests are announced.
pub(crate) const ANNOUNCED: &str = env!("CARGO_TARGET_TMPDIR");

/// The token of a test's coordinator, for callers inside the test.
pub(crate) fn token(url: &str) -> redqueen_wire::AddToken {
    let found = coordinator::Registry::under(Path::new(ANNOUNCED)).find(url).expect("a usable token");
    redqueen_wire::AddToken(found.map(|token| token.header()))
}

/// A directory of the test's own.
pub(crate) fn place() -> TempDir {
    TempDir::new().expect("a temporary directory")
}

/// Runs a command to its end.
#[track_caller]
pub(crate) fn run(arguments: &[&str]) -> Output {
    redqueen().args(arguments).output().expect("the program starts")
}

/// stdout of a command that must succeed.
#[track_caller]
pub(crate) fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "redqueen {arguments:?}: {:?}\n{}", output.status, said.join("\n"));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What a command prints with `--json`.
#[track_caller]
pub(crate) fn json(arguments: &[&str]) -> serde_json::Value {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&succeed(&arguments)).expect("one JSON value")
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Chance for tests that kill: other draws in each process, which prints its seed (xorshift, Marsaglia 2003).
pub(crate) struct Draws(u64);

impl Draws {
    /// From `seed`.
    pub(crate) fn new(seed: u32) -> Self {
        Draws(u64::from(seed) | 1)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Waits until `done` gives something.
#[track_caller]
pub(crate) fn wait<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
        // Not a guess of how long something takes: the pause between two looks.
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process that is killed when the test is done with it.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// kill -9.
    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().expect("kill runs");
        assert!(sent.success(), "no signal to {pid}");
    }

    /// Waits for its end and gives its exit code.
    #[track_caller]
    pub(crate) fn end(&mut self) -> Option<i32> {
        let child = &mut self.0;
        wait("a process to end", || child.try_wait().expect("a child of ours")).code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A coordinator of the test's own, on a free port or on `port`.
pub(crate) fn coordinator(data: &Path, port: u16, extra: &[&str]) -> (Process, String) {
    coordinator_by(redqueen(), data, port, extra, Stdio::null())
}

/// The same, started by a command of the test's own, with its log somewhere.
pub(crate) fn coordinator_by(
    mut program: Command,
    data: &Path,
    port: u16,
    extra: &[&str],
    log: Stdio,
) -> (Process, String) {
    let listen = format!("127.0.0.1:{port}");
    let child = program
        .args(["coordinator", "--data"])
        .arg(data)
        .args(["--listen", &listen])
        .args(if extra.contains(&"--heartbeat-secs") { &[][..] } else { &["--heartbeat-secs", "1"] })
        .args(extra)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("the coordinator starts");
    let mut process = Process(child);
    let stdout = process.0.stdout.take().expect("piped");
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("no address in {line:?}"));
    (process, url.to_owned())
}

/// A worker of the test's own.
pub(crate) fn worker(url: &str, name: &str, threads: u32, extra: &[&str]) -> Process {
    let child = redqueen()
        .args(["worker", "--coordinator", url, "--name", name, "--threads", &threads.to_string()])
        .args(extra)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the worker starts");
    Process(child)
}

/// Writes an experiment file.
pub(crate) fn write(place: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = place.path().join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// Writes a file that its owner alone may read.
pub(crate) fn secret(place: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = write(place, name, text);
    set_mode(&path, 0o600);
    path
}

/// Changes who may read a file.
pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("the mode is set");
}

/// A grid that takes a second or two of one core in a test build.
pub(crate) const GRID: &str = r#"
format = 1
name = "test-grid"
kind = "match-grid"
game = "reversi"
seed = 11
[players]
a = "mcts:playouts=40"
b = "mcts:playouts=20"
c = "random"
[match-grid]
pairing = "round-robin"
games-per-pair = 200
opening-plies = 2
"#;

/// Trials of [`GRID`].
pub(crate) const GRID_TRIALS: u64 = 600;

/// Some seconds of one core in a test build: 14 generations with benchmarks between.
pub(crate) const EVOLUTION: &str = r#"
format = 1
name = "test-evolution"
kind = "coevolution"
game = "reversi"
seed = 5
[players]
mcts-10 = "mcts:playouts=10"
[coevolution]
player = "evomcts:playouts=12"
population = 14
generations = 14
games-as-first = 4
[coevolution.benchmark]
every = 4
games = 10
samples = 2
final-games = 20
finalists = 2
"#;

/// A moment of one core: three generations with benchmarks.
pub(crate) const SMALL_EVOLUTION: &str = r#"
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

/// A run's status by `redqueen status --json`.
#[track_caller]
pub(crate) fn status(run: &str, url: &str) -> serde_json::Value {
    let text = succeed(&["status", run, "--coordinator", url, "--json"]);
    serde_json::from_str(&text).expect("one JSON value")
}

/// Submits an experiment; gives the run's id and directory.
#[track_caller]
pub(crate) fn submit(file: &Path, url: &str) -> (String, PathBuf) {
    let file = file.to_str().expect("UTF-8");
    let text = succeed(&["submit", file, "--coordinator", url, "--json"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("one JSON value");
    let field = |name: &str| value[name].as_str().expect("a text").to_owned();
    (field("run"), PathBuf::from(field("directory")))
}

/// Waits until a run has ended; gives its state.
#[track_caller]
pub(crate) fn wait_for_end(run: &str, url: &str) -> String {
    wait("the run to end", || {
        let output = run_status(run, url)?;
        let state = output["state"].as_str()?.to_owned();
        (state != "running").then_some(state)
    })
}

/// Status, or nothing while nobody answers.
pub(crate) fn run_status(run: &str, url: &str) -> Option<serde_json::Value> {
    let output = redqueen().args(["status", run, "--coordinator", url, "--json"]).output().ok()?;
    output.status.success().then(|| serde_json::from_slice(&output.stdout).ok()).flatten()
}

/// Digest of a run that has ended.
#[track_caller]
pub(crate) fn digest(directory: &Path) -> String {
    let text = succeed(&["digest", directory.to_str().expect("UTF-8"), "--json"]);
    let value: serde_json::Value = serde_json::from_str(&text).expect("one JSON value");
    assert_eq!(value["complete"], true, "{value}");
    value["digest"].as_str().expect("a text").to_owned()
}

/// Rows of a run's results and different trials among them.
#[track_caller]
pub(crate) fn stored(directory: &Path, shape: &str) -> (u64, u64) {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("the database opens");
    let sql = format!("SELECT COUNT(*), COUNT(DISTINCT trial) FROM results_{shape}");
    conn.query_row(&sql, [], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64))).expect("counted")
}

/// A free port of loopback.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("bound").port()
}

/// Highest memory a process ever had, bytes.
pub(crate) fn peak_memory(process: &Process) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id())).expect("alive");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number") * 1_024
}

/// Reads a run's database as it stands; nothing while it is being made. Opened so that no file is made by looking.
pub(crate) fn look<T>(directory: &Path, read: impl Fn(&rusqlite::Connection) -> rusqlite::Result<T>) -> Option<T> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let conn = rusqlite::Connection::open_with_flags(directory.join("redqueen.sqlite"), flags).ok()?;
    read(&conn).ok()
}

/// What an evolution is beside its games: every stage with its fold, and the hash of every artifact.
#[track_caller]
pub(crate) fn facts(directory: &Path) -> (Vec<(String, Option<String>)>, Vec<String>) {
    let stages = look(directory, |conn| {
        let mut stages = conn.prepare("SELECT spec, fold FROM stages ORDER BY stage")?;
        stages.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    });
    let artifacts = look(directory, |conn| {
        let mut artifacts = conn.prepare("SELECT hash FROM artifacts ORDER BY hash")?;
        artifacts.query_map([], |row| row.get(0))?.collect()
    });
    (stages.expect("a table of stages"), artifacts.expect("a table of artifacts"))
}
