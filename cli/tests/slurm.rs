//! One evolution on a real Slurm, whatever happens to it (docs/cluster.md). It needs a running cluster of eight nodes:
//!
//!     launch/tests/slurm/all.sh
//!
//! starts one, runs this and the tests of the commands, and stops it. Without `REDQUEEN_SLURM`, which names the directory
//! of the cluster, nothing is tested here.

#[expect(dead_code, reason = "the rest is for the other tests")]
mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use common::{
    files::{place, write},
    program::{redqueen, succeed, text},
    runs::digest,
};
use serde_json::Value;
use tempfile::TempDir;

/// What the evolution gives on a laptop (docs/papers/evomcts.md).
const DIGEST: &str = "05eb6045a40f0b56";
/// Longest wait for anything: jobs wait in queues, and the evolution takes minutes.
const PATIENCE: Duration = Duration::from_secs(900);
/// Workers at once.
const WORKERS: u64 = 4;

/// Workers are pre-empted by `main` and live for three minutes; the coordinator's job hands over after two.
const PROFILE: &str = r#"
system = "slurm"
[slurm]
partition = "low"
cpus = 1
walltime = "3m"
poll = "5s"
[scale]
nodes = { min = 4, max = 4, waiting = 4 }
idle = "30s"
lost = "2m"
budget-core-hours = 2
[coordinator]
place = "job"
listen = { interface = "lo", ports = "18900-18999" }
[coordinator.slurm]
partition = "main"
walltime = "4m"
"#;

/// A cluster and a launch on it.
struct World {
    cluster: PathBuf,
    data: PathBuf,
    begun: Instant,
}

impl World {
    fn say(&self, what: &str) {
        eprintln!("{:5.1} s  {what}", self.begun.elapsed().as_secs_f64());
    }

    /// Runs a command of the cluster; what it prints.
    fn slurm(&self, argv: &[&str]) -> String {
        let output = Command::new(argv[0]).args(&argv[1..]).env("SLURM_CONF", self.cluster.join("slurm.conf")).output();
        let output = output.expect("Slurm's commands are installed");
        assert!(output.status.success(), "{argv:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Jobs of the launch that run or wait: their ids, names, states and nodes.
    fn queue(&self) -> Vec<[String; 4]> {
        let listed = self.slurm(&["squeue", "--me", "-h", "-o", "%i %j %T %N"]);
        let jobs = listed.lines().map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            std::array::from_fn(|_| words.next().unwrap_or_default())
        });
        jobs.filter(|job: &[String; 4]| job[1].starts_with("rq-")).collect()
    }

    /// Running workers: their ids, names and nodes.
    fn workers(&self) -> Vec<[String; 3]> {
        let running = self.queue().into_iter().filter(|job| job[2] == "RUNNING" && !job[1].ends_with("-head"));
        running.map(|[id, name, _, node]| [id, name, node]).collect()
    }

    fn standing(&self) -> Option<Value> {
        let text = fs::read_to_string(self.data.join("launch").join("status.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn journal(&self) -> String {
        fs::read_to_string(self.data.join("launch/launch.jsonl")).unwrap_or_default()
    }

    /// Waits for a condition; false if the launch has ended before.
    #[track_caller]
    fn wait(&self, what: &str, mut done: impl FnMut() -> bool) -> bool {
        let begun = Instant::now();
        while !done() {
            if self.ended().is_some() {
                self.say(&format!("the launch ended before: {what}"));
                return false;
            }
            assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}\n{}", self.journal());
            std::thread::sleep(Duration::from_millis(200));
        }
        self.say(what);
        true
    }

    fn ended(&self) -> Option<String> {
        self.standing()?["ended"].as_str().map(str::to_owned)
    }

    /// Waits until the whole fleet is at work.
    #[track_caller]
    fn wait_for_fleet(&self, what: &str) -> bool {
        self.wait(what, || {
            let joined = self.standing().and_then(|standing| standing["view"]["running"].as_u64());
            // What the launcher wrote last may be from before.
            joined >= Some(WORKERS) && self.workers().len() as u64 == WORKERS
        })
    }

    /// Jobs of another person take these nodes for a while.
    fn take(&self, nodes: &[String]) {
        for node in nodes {
            let script = ["sbatch", "-p", "main", "-n1", "-w", node, "-t", "1", "-o", "/dev/null", "--wrap", "sleep 8"];
            self.slurm(&script);
        }
    }

    fn kill(&self, pid: u64) {
        let _ = self;
        let _ = Command::new("kill").args(["-s", "KILL", &pid.to_string()]).status();
    }
}

/// What a run is called in the directory of a launch.
fn run_of(data: &Path) -> PathBuf {
    let mut entries = fs::read_dir(data).expect("a directory").flatten().map(|entry| entry.path());
    entries.find(|path| path.join("redqueen.sqlite").exists()).expect("a run")
}

/// The cluster of `REDQUEEN_SLURM` and a launch in a directory of its own; `None`, which is said, without one.
fn world(place: &TempDir) -> Option<World> {
    let Some(cluster) = std::env::var_os("REDQUEEN_SLURM").map(PathBuf::from) else {
        eprintln!("no cluster: REDQUEEN_SLURM names its directory (launch/tests/slurm/all.sh)");
        return None;
    };
    Some(World { cluster, data: place.path().join("data"), begun: Instant::now() })
}

/// The script of docs/cluster.md: one job of three nodes, whose steps are the workers.
#[test]
fn a_launch_works_inside_one_allocation() {
    let place = place();
    let Some(world) = world(&place) else { return };
    let text_of = "format = 1\nname = \"inside\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 900\nsleep-us = 20000\n";
    let file = write(&place, "inside.toml", text_of);
    let profile = r#"
[scale]
nodes = { min = 3, max = 3, waiting = 3 }
[worker]
wrap = ["srun", "--nodes=1", "--ntasks=1", "--cpus-per-task=1", "--overlap", "--exact"]
[coordinator]
listen = { interface = "lo", ports = "18900-18999" }
"#;
    let profile = write(&place, "cluster.toml", profile);
    let program = env!("CARGO_BIN_EXE_redqueen");
    let script = format!(
        "#!/bin/sh\nexec {program} launch local {} --profile {} --cpus 1 --data {}\n",
        text(&file),
        text(&profile),
        text(&world.data),
    );
    let script = write(&place, "job.sh", &script);
    let log = place.path().join("job.log");
    world.slurm(&[
        "sbatch",
        "--wait",
        "-p",
        "main",
        "--nodes=3",
        "--ntasks-per-node=1",
        "--cpus-per-task=1",
        "-t",
        "5",
        "-o",
        text(&log),
        text(&script),
    ]);
    world.say("the job has ended");
    let said = fs::read_to_string(&log).unwrap_or_default();
    let joined = world.journal().lines().filter(|line| line.contains("\"what\":\"joined\"")).count();
    assert!(joined == 3, "{joined} workers\n{said}\n{}", world.journal());
    let out = place.path().join("alone");
    succeed(&["run", text(&file), "--no-tables", "--out", text(&out)]);
    assert_eq!(digest(&run_of(&world.data)), digest(&out), "{said}");
}

#[test]
fn an_evolution_comes_through_all_that_a_cluster_does() {
    let place = place();
    let Some(world) = world(&place) else { return };
    let catalogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/catalogue/evomcts/dodgem-small.toml");
    let profile = write(&place, "cluster.toml", PROFILE);
    let asked = redqueen()
        .args(["launch", "slurm", text(&catalogue), "--profile", text(&profile), "--data", text(&world.data)])
        .env("SLURM_CONF", world.cluster.join("slurm.conf"))
        .output()
        .expect("it runs");
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    world.say("the coordinator's job is in the queue");
    world.wait_for_fleet("start and growth: four workers");

    let [id, name, _] = world.workers().swap_remove(0);
    world.slurm(&["scontrol", "requeue", &id]);
    world.wait("requeue: the same job again", || {
        world.journal().lines().any(|line| line.contains(&format!("\"{name}\"")) && line.contains("\"restart\":1"))
    });
    world.wait_for_fleet("the fleet is whole");

    let half =
        |world: &World| -> Vec<String> { world.workers().into_iter().take(2).map(|[_, _, node]| node).collect() };
    let nodes = half(&world);
    world.take(&nodes);
    world.wait("pre-emption with a grace of ten seconds", || {
        world.workers().iter().all(|[_, _, node]| !nodes.contains(node))
    });
    world.slurm(&["scontrol", "update", "PartitionName=low", "GraceTime=0"]);
    world.wait_for_fleet("the fleet is whole");
    let nodes = half(&world);
    world.take(&nodes);
    world.wait("pre-emption without grace", || world.workers().iter().all(|[_, _, node]| !nodes.contains(node)));
    world.slurm(&["scontrol", "update", "PartitionName=low", "GraceTime=10"]);

    let standing = world.standing().expect("a launcher");
    let started: Value =
        serde_json::from_slice(&fs::read(world.data.join("launch").join("coordinator.json")).expect("it was started"))
            .expect("JSON");
    world.kill(started["pid"].as_u64().expect("a number"));
    world.wait("kill -9 of the coordinator: another one serves", || {
        let listed = redqueen().args(["list", "--access", text(&world.data)]).output().expect("it runs");
        listed.status.success()
    });
    world.kill(standing["pid"].as_u64().expect("a number"));
    world.wait("kill -9 of the launcher: the next job goes on", || {
        world.standing().is_some_and(|now| now["pid"] != standing["pid"])
    });

    world.wait_for_fleet("the fleet is whole");
    if let Some([_, _, node]) = world.workers().first().cloned() {
        world.slurm(&["scontrol", "update", &format!("NodeName={node}"), "State=DRAIN", "Reason=test"]);
        world.wait("drain of a node: its worker works to its end", || {
            world.workers().iter().all(|[_, _, busy]| *busy != node)
        });
        world.slurm(&["scontrol", "update", &format!("NodeName={node}"), "State=RESUME"]);
    }

    let controller: u64 = fs::read_to_string(world.cluster.join("run/slurmctld.pid"))
        .expect("a cluster")
        .trim()
        .parse()
        .expect("a number");
    let signal = |name: &str| {
        let _ = Command::new("kill").args(["-s", name, &controller.to_string()]).status();
    };
    signal("STOP");
    let before = world.standing().map(|standing| standing["at"].clone());
    std::thread::sleep(Duration::from_secs(20));
    signal("CONT");
    world.wait("squeue without an answer for twenty seconds", || {
        world.standing().is_some_and(|standing| Some(standing["at"].clone()) != before)
    });

    let begun = Instant::now();
    while world.ended().is_none() {
        assert!(begun.elapsed() < PATIENCE, "no end\n{}", world.journal());
        std::thread::sleep(Duration::from_millis(500));
    }
    world.say("the end");
    assert_eq!(world.ended().as_deref(), Some("all runs have ended"));
    let begun = Instant::now();
    while !world.queue().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "left in the queue: {:?}", world.queue());
        std::thread::sleep(Duration::from_millis(500));
    }
    let found = digest(&run_of(&world.data));
    assert!(found.starts_with(DIGEST), "{found}");
    let allocated = world.standing().and_then(|standing| standing["view"]["allocated"].as_f64()).expect("a number");
    assert!(allocated <= 2.0 * 3_600.0, "{allocated}");
    let status = succeed(&["launch", "status", text(&world.data)]);
    eprintln!("{status}");
    let journal = world.journal();
    let count = |what: &str| journal.lines().filter(|line| line.contains(what)).count();
    eprintln!(
        "launchers {}, jobs {}, requeued {}, lost {}",
        count("\"what\":\"began\""),
        count("\"what\":\"accepted\""),
        count("\"what\":\"requeued\""),
        count("\"how\":\"lost\"")
    );
}
