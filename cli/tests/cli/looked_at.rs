//! What those who look see of a coordinator after it was killed, and what looking costs.

use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::mpsc::channel,
    time::{Duration, Instant},
};

use coordinator::{
    CONNECTIONS_MAX, Config, Coordinator, Http, Observer, Root,
    core::RunState,
    ids::RunId,
    observe::{Series, Tallies},
};
use tokio::runtime::Runtime;

use crate::common::{
    experiments::GRID,
    fake_worker::{Behaviour, FakeWorker},
    files::{place, write},
    process::{coordinator, free_port},
    program::succeed,
    runs::{look, stored, submit, wait_for_end},
    wait::wait,
};

/// A coordinator in this process, and what it gives to look at if anybody may.
fn start(runtime: &Runtime, data: &Path, port: u16, may_look: bool) -> (Coordinator, Option<Observer>) {
    let (give, given) = channel();
    let pages: coordinator::Pages = Box::new(move |observer| {
        give.send(observer).expect("it is waited for");
        Default::default()
    });
    let address = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let http = may_look.then(|| Http { address, pages: Some(pages), ..Http::default() });
    let config = Config {
        root: Root::Data(data.to_owned()),
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        more_ports: 0,
        token: None,
        worker_token: None,
        tls: None,
        connections_max: CONNECTIONS_MAX,
        http,
        heartbeat: Duration::from_secs(1),
        self_test: experiments::self_test(),
    };
    let server = runtime.block_on(Coordinator::start(config)).expect("it starts");
    (server, given.try_recv().ok())
}

/// By pair: games in which its first player sat first and won, drew, lost; then those in which it sat second; plies; time.
type Pairs = BTreeMap<u64, ([u64; 6], u64, u64)>;

fn counted(tallies: &Tallies) -> Pairs {
    let of = |(pair, tally): (usize, &coordinator::observe::PairTally)| {
        let games: Vec<u64> = tally.by_seat.iter().flatten().map(|&count| count.into()).collect();
        (pair as u64, (games.try_into().expect("six"), tally.plies, tally.elapsed_us))
    };
    tallies.pairs.iter().enumerate().map(of).collect()
}

/// The same by SQL alone.
fn asked(directory: &Path) -> Pairs {
    let sql = "SELECT pair, trial % 2, 2 * first_points, COUNT(*), SUM(plies), SUM(elapsed_us) FROM results_match \
               GROUP BY 1, 2, 3";
    let read = |conn: &rusqlite::Connection| {
        let mut pairs = Pairs::new();
        let mut statement = conn.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let pair = pairs.entry(row.get::<_, u32>(0)?.into()).or_default();
            let (swapped, halves): (bool, f64) = (row.get(1)?, row.get(2)?);
            let halves = halves as usize;
            pair.0[if swapped { 3 + halves } else { 2 - halves }] = row.get::<_, u32>(3)?.into();
            pair.1 += row.get::<_, i64>(4)?.unsigned_abs();
            pair.2 += row.get::<_, i64>(5)?.unsigned_abs();
        }
        Ok(pairs)
    };
    look(directory, read).expect("a database")
}

#[test]
fn counts_are_those_of_the_database_after_a_coordinator_was_killed() {
    let (place, port) = (place(), free_port());
    let data = place.path().join("data");
    let (mut killed, url) = coordinator(&data, port, &["--no-token"]);
    let (run, directory) = submit(&write(&place, "grid.toml", GRID), &url);
    let runtime = Runtime::new().expect("a runtime");
    let ways = Behaviour { delay: Duration::from_millis(10), ..Behaviour::default() };
    let _worker = FakeWorker::start(runtime.handle(), &url, "w", ways);
    let games = || stored(&directory, "match").0;
    wait("games", || (games() > 150).then_some(()));
    killed.kill();
    let (server, observer) = start(&runtime, &data, port, true);
    let observer = observer.expect("somebody may look");
    let id = RunId::from_hex(&run).expect("an id");
    let tallies = || runtime.block_on(observer.tallies(id)).expect("it is read");
    // Asked while games come in, and counted from then on.
    let first = tallies().expect("an open stage of games").games;
    assert!(first > 150, "{first}");
    wait("more games", || (tallies()?.games > first + 150).then_some(()));
    succeed(&["pause", &run, "--coordinator", &url]);
    wait("all that is stored", || {
        let (before, tallies, after) = (games(), tallies()?, games());
        (before == after && tallies.games == after && counted(&tallies) == asked(&directory)).then_some(())
    });
    let seen = runtime.block_on(observer.workers());
    assert_eq!(seen.workers.iter().map(|worker| worker.worker.name.as_str()).collect::<Vec<_>>(), ["w"]);
    assert!(seen.workers[0].counts.delivered > 150, "{:?}", seen.workers[0]);
    succeed(&["resume", &run, "--coordinator", &url]);
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert!(tallies().is_none(), "no stage is open");
    assert_eq!(observer.runs()[0].view.state, RunState::Finished);
    runtime.block_on(server.stop()).expect("it ends in order");
}

/// Games of a measurement by default, which says nothing; `REDQUEEN_LOOKED_AT=400000` says what looking costs.
const FEW: u64 = 3_000;
/// Who looks at a busy coordinator.
const LOOKERS: usize = 20;
/// Measurements of each.
const TIMES: usize = 3;

/// `REDQUEEN_LOOKED_AT=400000 cargo test --workspace --test cli -- looked_at --nocapture` measures the games a second that
/// become durable: where nobody can look, where nobody looks, and where 20 ask for all there is as often as it changes.
#[test]
fn looking_costs_little_and_not_looking_nothing() {
    let games = std::env::var("REDQUEEN_LOOKED_AT").map_or(FEW, |text| text.parse().expect("a number"));
    let mut rates: [Vec<f64>; 3] = Default::default();
    for _ in 0..TIMES {
        for (way, (may_look, lookers)) in [(false, 0), (true, 0), (true, LOOKERS)].into_iter().enumerate() {
            rates[way].push(rate(games, may_look, lookers));
        }
    }
    let medians = rates.each_ref().map(|rates| {
        let mut sorted = rates.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[TIMES / 2]
    });
    let [none, nobody, all] = medians;
    println!(
        "{games} games: {none:.0} a second where nobody can look, {nobody:.0} ({:.1} %) where nobody looks, {all:.0} \
         ({:.1} %) where {LOOKERS} look\n{rates:.0?}",
        100.0 * nobody / none,
        100.0 * all / none
    );
}

/// Games a second of a run with so many who look.
fn rate(games: u64, may_look: bool, lookers: usize) -> f64 {
    let place = place();
    let data = place.path().join("data");
    let runtime = Runtime::new().expect("a runtime");
    let (server, observer) = start(&runtime, &data, 0, may_look);
    let url = format!("http://{}", server.address());
    // Three pairs.
    let text = format!(
        "format = 1\nname = \"looked-at\"\nkind = \"match-grid\"\ngame = \"dodgem:size=3\"\naudit = 0.0\n[players]\n\
         a = \"random\"\nb = \"random\"\nc = \"random\"\n[match-grid]\npairing = \"round-robin\"\n\
         games-per-pair = {}\n",
        games / 6 * 2
    );
    let (run, directory) = submit(&write(&place, "grid.toml", &text), &url);
    let id = RunId::from_hex(&run).expect("an id");
    for _ in 0..lookers {
        let observer = observer.clone().expect("somebody may look");
        runtime.spawn(async move {
            let mut events = observer.events(id, Some(0)).expect("a run");
            while observer.changed().await {
                drop((observer.runs(), observer.workers().await, observer.tallies(id).await));
                drop([Series::Rate(Some(id)), Series::Stored(None)].map(|series| observer.history(series)));
                drop(tokio::time::timeout(Duration::ZERO, events.next()).await);
            }
        });
    }
    let begun = Instant::now();
    let worker = FakeWorker::start(runtime.handle(), &url, "w", Behaviour::default());
    assert_eq!(wait_for_end(&run, &url), "finished");
    let secs = begun.elapsed().as_secs_f64();
    drop(worker);
    let all = stored(&directory, "match").0;
    runtime.block_on(server.stop()).expect("it ends in order");
    all as f64 / secs
}
