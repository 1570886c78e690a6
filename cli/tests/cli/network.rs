//! Coordinator and worker over a simulated network that partitions, delays and loses.
//!
//! The network and the clocks of connections are turmoil's: partitions, back-off, keep-alive and timeouts happen in
//! virtual time, minutes in seconds. Executor processes, heartbeats and SQLite run in real time, so the simulation
//! pauses a little each step and lets them work. Their timing differs from run to run; the outcome does not: every
//! trial once, and the digest of an undisturbed run.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use coordinator::{CONNECTIONS_MAX, Config, Coordinator, Retry, Root, Token};
use redqueen_wire::{Dial, Pipe, RunState};
use tokio_stream::Stream;
use worker::{Executors, Options, Place, Route, Routes, Stop};

use crate::common::{
    experiments::GRID,
    files::{place, write},
    program::{succeed, text},
    runs::{digest, stored},
    wait::PATIENCE,
};

/// Port of the simulated coordinator.
const PORT: u16 = 7878;
/// Virtual time of one step.
const STEP: Duration = Duration::from_millis(20);
/// Real time of one step, at least.
const PAUSE: Duration = Duration::from_micros(200);
/// Both sides ask a silent connection after this, and give it up as long after.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Something that happens to the network.
struct Fault {
    name: &'static str,
    strike: fn(&turmoil::Sim<'_>),
    lift: fn(&turmoil::Sim<'_>),
    lasts: Duration,
}

/// In this order. What is lost is not sent again by the simulated TCP, so a connection is half-open from then on.
const FAULTS: [Fault; 3] = [
    Fault {
        name: "acknowledgements are lost, and results arrive",
        strike: |sim| sim.partition_oneway("coordinator", "worker"),
        lift: |sim| sim.repair_oneway("coordinator", "worker"),
        lasts: Duration::from_secs(25),
    },
    Fault {
        name: "nothing passes",
        strike: |sim| sim.partition("worker", "coordinator"),
        lift: |sim| sim.repair("worker", "coordinator"),
        lasts: Duration::from_secs(25),
    },
    Fault {
        name: "everything is late",
        strike: |sim| sim.hold("worker", "coordinator"),
        lift: |sim| sim.release("worker", "coordinator"),
        lasts: Duration::from_secs(5),
    },
];

/// State of the network.
enum Link {
    /// No fault. Results have arrived since then, if the worker is back.
    Up { since: Option<Duration> },
    /// A fault lasts until then.
    Faulty { fault: &'static Fault, until: Duration },
}

/// What hosts saw, in virtual time.
#[derive(Default)]
struct Sights {
    dials: Vec<Duration>,
    /// Worker processes so far.
    starts: u8,
    stored: u64,
    finished: bool,
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Sights>>);

impl Seen {
    fn now<T>(&self, look: impl FnOnce(&mut Sights) -> T) -> T {
        look(&mut self.0.lock().expect("whole"))
    }
}

/// Connections of a simulated listener.
fn arrivals(
    listener: turmoil::net::TcpListener,
) -> impl Stream<Item = std::io::Result<turmoil::net::TcpStream>> + Send {
    let (send, arrivals) = tokio::sync::mpsc::channel(16);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if send.send(Ok(stream)).await.is_err() {
                break;
            }
        }
    });
    tokio_stream::wrappers::ReceiverStream::new(arrivals)
}

/// Work that outlasts the faults.
fn grid() -> String {
    GRID.replace("games-per-pair = 200", "games-per-pair = 500")
}

/// Trials of [`grid`].
const TRIALS: u64 = 1_500;

/// A coordinator on the simulated network.
async fn start(root: Root, token: Token, heartbeat: Duration) -> turmoil::Result<Coordinator> {
    let listen = SocketAddr::from((Ipv4Addr::UNSPECIFIED, PORT));
    let config = Config {
        root,
        listen,
        more_ports: 0,
        token: Some(token),
        worker_token: None,
        tls: None,
        connections_max: CONNECTIONS_MAX,
        http: None,
        heartbeat,
        self_test: experiments::self_test(),
    };
    let listener = turmoil::net::TcpListener::bind(listen).await?;
    Ok(Coordinator::start_over(config, listen, arrivals(listener)).await?)
}

/// Runs the grid to its end.
async fn coordinate(directory: PathBuf, token: Token, seen: Seen) -> turmoil::Result {
    let coordinator = start(Root::Single(directory), token, Duration::from_secs(5)).await?;
    let experiment = experiments::Experiment::parse(&grid(), "grid.toml", &experiments::Overrides::default())
        .map_err(|faults| faults.to_string())?;
    let run = coordinator.submit(grid(), experiment, Retry::default()).await?;
    let mut watch = coordinator.watch(run);
    loop {
        let status = watch.now().expect("a run");
        seen.now(|seen| seen.stored = status.stored);
        if status.state() == RunState::Finished {
            break;
        }
        assert!(watch.changed().await, "the coordinator has stopped");
    }
    seen.now(|seen| seen.finished = true);
    coordinator.stop().await.expect("it ends in order");
    Ok(())
}

async fn work(name: String, token: Token, seen: Seen) -> turmoil::Result {
    // Another process at each start, and another one under another name.
    let start = seen.now(|seen| {
        seen.starts += 1;
        seen.starts
    });
    let mut process = [0; 16];
    process[0] = start;
    process.iter_mut().skip(1).zip(name.bytes()).for_each(|(byte, of_name)| *byte = of_name);
    let dial: Dial = Arc::new(move |host, port| {
        let at = turmoil::sim_elapsed().expect("simulated");
        seen.now(|seen| seen.dials.push(at));
        Box::pin(async move {
            let stream = turmoil::net::TcpStream::connect((host, port)).await?;
            Ok(Box::new(stream) as Box<dyn Pipe>)
        })
    });
    let options = Options {
        routes: Routes::Fixed(Route {
            url: format!("http://coordinator:{PORT}"),
            credentials: Some(token.header()).into(),
            tls: None,
            dial,
        }),
        place: Place::default(),
        process,
        name,
        threads: 1,
        executors: Executors { program: Some(env!("CARGO_BIN_EXE_redqueen").into()), memory_bytes: None },
        grace: Duration::from_secs(5),
        patience: Duration::from_secs(60),
        lost: None,
        idle: None,
    };
    let (_stop, shutdown) = Stop::channel();
    Ok(worker::run(options, shutdown).await?)
}

/// Runs the grid through all faults, each after a spell of work that the seed draws.
fn simulate(seed: u64, directory: &Path) {
    let spell = Duration::from_millis(100 + seed * 37 % 400);
    let (seen, token) = (Seen::default(), Token::random());
    let mut sim = turmoil::Builder::new()
        .rng_seed(seed)
        .tick_duration(STEP)
        .simulation_duration(Duration::from_secs(3_600))
        .min_message_latency(Duration::from_millis(1))
        .max_message_latency(Duration::from_millis(1 + seed % 50))
        .tcp_capacity(65_536)
        .build();
    let (place, shared, secret) = (directory.to_owned(), seen.clone(), token.clone());
    sim.host("coordinator", move || coordinate(place.clone(), secret.clone(), shared.clone()));
    let shared = seen.clone();
    sim.host("worker", move || work("worker".to_owned(), token.clone(), shared.clone()));

    let begun = std::time::Instant::now();
    // Faults that were and that come; when the next change is due.
    let (mut struck, mut coming) = (Vec::new(), FAULTS.iter());
    let mut arrived = Vec::new();
    let (mut link, mut stored) = (Link::Up { since: None }, 0);
    while !seen.now(|seen| seen.finished) {
        sim.step().expect("no host fails");
        let now = sim.elapsed();
        link = match link {
            Link::Up { since: None } if seen.now(|seen| seen.stored > stored) => Link::Up { since: Some(now) },
            Link::Up { since: Some(since) } if now - since >= spell => match coming.next() {
                Some(fault) => {
                    (fault.strike)(&sim);
                    stored = seen.now(|seen| seen.stored);
                    struck.push((fault.name, now));
                    Link::Faulty { fault, until: now + fault.lasts }
                }
                None => Link::Up { since: Some(since) },
            },
            Link::Faulty { fault, until } if until <= now => {
                (fault.lift)(&sim);
                arrived.push(seen.now(|seen| seen.stored) - stored);
                stored = seen.now(|seen| seen.stored);
                Link::Up { since: None }
            }
            same => same,
        };
        std::thread::sleep(PAUSE);
        assert!(begun.elapsed() < PATIENCE, "seed {seed}: not finished after {now:?} of virtual time");
    }
    let dials = seen.now(|seen| seen.dials.clone());
    eprintln!("seed {seed}: finished after {:?}; faults {struck:?}; dials {dials:?}", sim.elapsed());
    assert_eq!(struck.len(), FAULTS.len(), "seed {seed}: the run is over before the faults are");
    assert!(arrived[0] > 0, "seed {seed}: no acknowledgement was lost");
    let between = |from: Duration, to: Duration| dials.iter().filter(|&&at| from <= at && at < to).count();
    assert_eq!(between(Duration::ZERO, struck[0].1), 1, "seed {seed}: connected once, {dials:?}");
    for ((name, at), fault) in struck.iter().zip(FAULTS) {
        // Half-open is noticed by keep-alive alone, in its time, and the worker comes back when it can.
        let soon = between(*at, *at + KEEPALIVE);
        let later = between(*at + KEEPALIVE, *at + fault.lasts);
        let parted = fault.lasts > KEEPALIVE * 2;
        assert_eq!((soon, later > 0), (0, parted), "seed {seed}: {name} at {at:?}, dials {dials:?}");
    }
    for pair in dials.windows(2) {
        assert!(pair[1] - pair[0] >= Duration::from_millis(50), "seed {seed}: no pause between {pair:?}");
    }
}

#[test]
fn a_run_comes_through_a_network_that_parts_and_delays() {
    let place = place();
    let file = write(&place, "grid.toml", &grid());
    let undisturbed = place.path().join("undisturbed");
    succeed(&["run", text(&file), "--out", text(&undisturbed), "--threads", "1", "--no-tables"]);
    let wanted = digest(&undisturbed);
    for seed in [1, 23] {
        let directory = place.path().join(seed.to_string());
        simulate(seed, &directory);
        assert_eq!(stored(&directory, "match"), (TRIALS, TRIALS), "seed {seed}");
        assert_eq!(digest(&directory), wanted, "seed {seed}");
    }
}

/// When a worker dials while its network comes and goes, with nothing to do for anybody. Delays do not vary here: the
/// first heartbeat comes from a thread in real time, and a draw more would move all later ones.
fn dials(seed: u64) -> Vec<Duration> {
    let place = place();
    let (seen, token) = (Seen::default(), Token::random());
    let delay = Duration::from_millis(1 + seed % 50);
    let mut sim = turmoil::Builder::new()
        .rng_seed(seed)
        .tick_duration(STEP)
        .simulation_duration(Duration::from_secs(3_600))
        .min_message_latency(delay)
        .max_message_latency(delay)
        .build();
    let (root, secret) = (Root::Data(place.path().to_owned()), token.clone());
    sim.host("coordinator", move || {
        let (root, secret) = (root.clone(), secret.clone());
        async move {
            let _coordinator = start(root, secret, Duration::from_secs(3_600)).await?;
            std::future::pending().await
        }
    });
    let (shared, name) = (seen.clone(), format!("worker-{seed}"));
    sim.host("worker", move || work(name.clone(), token.clone(), shared.clone()));
    let step = |sim: &mut turmoil::Sim<'_>| {
        sim.step().expect("no host fails");
        assert!(sim.elapsed() < Duration::from_secs(600), "seed {seed}: {:?}", seen.now(|seen| seen.dials.clone()));
    };
    let pass = |sim: &mut turmoil::Sim<'_>, time: Duration| {
        let end = sim.elapsed() + time;
        while sim.elapsed() < end {
            step(sim);
        }
    };
    let dialled = || seen.now(|seen| seen.dials.len());
    for _ in 0..2 {
        // Before either side asks whether the other lives: those questions move with the first heartbeat.
        pass(&mut sim, KEEPALIVE / 2 + Duration::from_millis(seed * 137 % 3_000));
        sim.partition("worker", "coordinator");
        pass(&mut sim, Duration::from_secs(60));
        sim.repair("worker", "coordinator");
        let before = dialled();
        while dialled() == before {
            step(&mut sim);
        }
    }
    let last = dialled();
    pass(&mut sim, KEEPALIVE * 5);
    assert_eq!(dialled(), last, "seed {seed}: connected, and stays so");
    seen.now(|seen| seen.dials.clone())
}

#[test]
fn the_same_seed_dials_at_the_same_moments() {
    let first = dials(7);
    assert_eq!(first, dials(7));
    assert_ne!(first, dials(8));
}
