//! `redqueen launch local`: a launcher with processes of this machine in place of jobs. Everything but the batch system's own
//! commands is that of other systems (launch/tests has those).

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{
    files::{place, write},
    http::get,
    process::{Process, coordinator},
    program::{redqueen, run, succeed, text},
    runs::digest,
    wait::wait,
};

/// Two workers for a few seconds; a trial is long enough that two are wanted.
fn work(place: &TempDir, trials: u32, sleep_us: u32) -> PathBuf {
    let text = format!(
        "format = 1\nname = \"work\"\nkind = \"synthetic\"\n[synthetic]\ntrials = {trials}\nsleep-us = {sleep_us}\n"
    );
    write(place, "work.toml", &text)
}

/// A launcher of up to two jobs of one core.
fn launcher(file: &Path, data: &Path, extra: &[&str]) -> Command {
    let mut program = redqueen();
    program.args(["launch", "local", text(file), "--data", text(data), "--max-nodes", "2", "--cpus", "1", "--json"]);
    program.args(extra);
    program
}

fn start(file: &Path, data: &Path) -> Process {
    Process(launcher(file, data, &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"))
}

/// Where the launch stands, once a launcher has written it down.
fn standing(data: &Path) -> Option<Value> {
    let output = redqueen().args(["launch", "status", text(data), "--json"]).output().expect("it runs");
    output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("one JSON value"))
}

/// Processes of a launch that live: its coordinator and workers, by their command lines.
fn processes(data: &Path) -> Vec<(u32, String)> {
    let name = fs::canonicalize(data).expect("a directory").display().to_string();
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let found = entries.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let line = String::from_utf8_lossy(&fs::read(entry.path().join("cmdline")).ok()?).replace('\0', " ");
        let ours =
            ["coordinator --data ", "worker --access "].iter().any(|what| line.contains(&format!("{what}{name}")));
        ours.then_some((pid, line))
    });
    found.collect()
}

fn kill(pid: u32) {
    let sent = Command::new("kill").args(["-s", "KILL", &pid.to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

/// The only run directory in `data`.
fn run_of(data: &Path) -> PathBuf {
    let mut entries = fs::read_dir(data).expect("a directory").flatten().map(|entry| entry.path());
    entries.find(|path| path.join("redqueen.sqlite").exists()).expect("a run")
}

/// The digest of the same experiment without a launch.
fn alone(place: &TempDir, file: &Path) -> String {
    let out = place.path().join("alone");
    succeed(&["run", text(file), "--out", text(&out), "--no-tables"]);
    digest(&out)
}

#[test]
fn a_launch_runs_an_experiment_and_leaves_nothing_running() {
    let place = place();
    let (file, data) = (work(&place, 120, 20_000), place.path().join("data"));
    let output = launcher(&file, &data, &[]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let value: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    assert_eq!(value["outcome"], "all runs have ended");
    assert_eq!(value["runs"][0]["state"], "finished");
    assert_eq!(processes(&data), []);
    assert_eq!(digest(&run_of(&data)), alone(&place, &file));
    // What the jobs cost is the sum of what they cost it for, and the trials took 2.4 seconds of it.
    let costs = value["launch"]["costs"].as_object().expect("costs by cause");
    let sum: f64 = costs.values().filter_map(Value::as_f64).sum();
    let allocated = value["launch"]["allocated"].as_f64().expect("a number");
    assert!((sum - allocated).abs() < 1e-6 && costs["useful"].as_f64() >= Some(2.4), "{value}");
    // So say its tables, beside what the trials were expected to take.
    let csv = fs::read_to_string(data.join("launch/tables/launch-costs.csv")).expect("a table");
    let hours = |cause: &str| -> Option<f64> {
        let line = csv.lines().find(|line| line.starts_with(&format!("{cause},")))?;
        line.split(',').nth(1)?.parse().ok()
    };
    assert!((hours("allocated").expect("a row") * 3600.0 - allocated).abs() < 1e-6, "{csv}");
    let forecast = hours("forecast").expect("a row") * 3600.0;
    assert!((2.4..10.0).contains(&forecast), "120 trials of 20 ms: {csv}");
    let jobs = fs::read_to_string(data.join("launch/tables/launch-jobs.csv")).expect("a table");
    assert!(jobs.lines().count() >= 2 && jobs.contains("its worker had left"), "{jobs}");
    let shown = succeed(&["launch", "costs", text(&data)]);
    assert!(shown.contains("useful") && shown.contains("forecast"), "{shown}");
    // Given again, it finds that nothing is left to do.
    let again = launcher(&file, &data, &[]).output().expect("it runs");
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
}

/// The coordinator of a launch serves metrics where the profile says so, with what the jobs have cost.
#[test]
fn metrics_say_what_jobs_cost() {
    let place = place();
    let (file, data) = (work(&place, 100_000, 20_000), place.path().join("data"));
    let profile = write(&place, "cluster.toml", "[coordinator]\nhttp = \"127.0.0.1:0\"\n");
    let mut command = launcher(&file, &data, &["--profile", text(&profile)]);
    let at_work = Process(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    let address = wait("metrics", || {
        let log = fs::read_to_string(data.join("launch/coordinator.log")).ok()?;
        let (_, rest) = log.split_once("metrics at http://")?;
        Some(rest.split_once('/')?.0.to_owned())
    });
    let useful = wait("costs", || {
        let (_, page) = get(&address, "/metrics");
        let line = page.lines().find(|line| line.starts_with("redqueen_launch_core_seconds{cause=\"useful\"}"))?;
        line.rsplit_once(' ')?.1.parse::<f64>().ok().filter(|secs| *secs > 0.0)
    });
    assert!(useful.is_finite());
    succeed(&["launch", "stop", text(&data), "--now"]);
    drop(at_work);
}

/// Launcher, coordinator and a worker die; the same command goes on.
#[test]
fn a_launch_goes_on_whatever_dies() {
    let place = place();
    let (file, data) = (work(&place, 600, 20_000), place.path().join("data"));
    let mut first = start(&file, &data);
    let stored = || {
        let output = redqueen().args(["list", "--access", text(&data), "--json"]).output().expect("it runs");
        let value: Value = serde_json::from_slice(&output.stdout).ok()?;
        value.as_array().or(value["runs"].as_array())?.first()?["stored"].as_u64()
    };
    wait("results", || stored().filter(|&stored| stored > 20));
    first.kill();
    let all = processes(&data);
    assert!(all.iter().any(|(_, line)| line.contains("coordinator --data")), "{all:?}");
    all.iter().for_each(|(pid, _)| kill(*pid));
    let mut second = start(&file, &data);
    assert_eq!(second.end(), Some(0));
    assert_eq!(processes(&data), []);
    assert_eq!(digest(&run_of(&data)), alone(&place, &file));
}

#[test]
fn a_launch_is_looked_at_and_stopped_by_other_commands() {
    let place = place();
    let (file, data) = (work(&place, 100_000, 20_000), place.path().join("data"));
    let refused = run(&["launch", "status", text(&data)]);
    assert_eq!(refused.status.code(), Some(2), "there is no launch");
    let mut at_work = start(&file, &data);
    wait("a worker", || standing(&data)?["launch"]["running"].as_u64().filter(|&running| running > 0));
    let other = launcher(&file, &data, &[]).output().expect("it runs");
    let value: Value = serde_json::from_slice(&other.stdout).expect("an error in JSON");
    assert_eq!(other.status.code(), Some(2));
    assert!(value["error"].as_str().is_some_and(|error| error.contains("at work")), "{value}");
    // A terminal that closes is no reason to end.
    at_work.signal("HUP");
    // Secrets are in files of mode 0600, and nowhere else.
    let token = fs::read_to_string(data.join("redqueen.worker.token")).expect("a token");
    for (pid, line) in processes(&data) {
        let environ =
            String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/environ")).unwrap_or_default()).into_owned();
        assert!(!line.contains(token.trim()) && !environ.contains(token.trim()), "{line}");
    }
    let logs = succeed(&["launch", "logs", text(&data)]);
    assert!(logs.contains("coordinator.log") && !logs.contains(token.trim()), "{logs}");
    // A launcher that was interrupted leaves jobs and coordinator alone.
    at_work.signal("TERM");
    assert_eq!(at_work.end(), Some(130));
    assert!(processes(&data).len() >= 2);
    let standing = standing(&data).expect("a launch");
    assert_eq!(standing["at_work"], false);
    succeed(&["launch", "stop", text(&data)]);
    assert_eq!(processes(&data), []);
    let stopped = fs::read_to_string(data.join("launch/launch.jsonl")).expect("a journal");
    assert!(stopped.contains("\"outcome\":\"stopped\""), "{stopped}");
}

/// A line for cron: each call looks once.
#[test]
fn a_launch_gets_to_its_end_by_single_looks() {
    let place = place();
    let (file, data) = (work(&place, 100, 20_000), place.path().join("data"));
    wait("the end", || {
        let looked = launcher(&file, &data, &["--once"]).output().expect("it runs");
        assert!(looked.status.success(), "{}", String::from_utf8_lossy(&looked.stderr));
        standing(&data)?["ended"].as_str().map(str::to_owned)
    });
    assert_eq!(processes(&data), []);
}

/// One job shows whether workers reach the coordinator.
#[test]
fn a_launch_is_tried_with_one_job() {
    let place = place();
    let (file, data) = (work(&place, 10, 1_000), place.path().join("data"));
    let tried = launcher(&file, &data, &["--test"]).output().expect("it runs");
    let value: Value = serde_json::from_slice(&tried.stdout).expect("one JSON value");
    assert!(tried.status.success() && value["joined_secs"].as_f64() < Some(60.0), "{value}");
    // From a copy on the machine's own disk.
    let staged = write(&place, "staged.toml", "[worker]\nstage = true\n");
    let extra = ["--profile", text(&staged)];
    let script = launcher(&file, &data, &[&extra[..], &["--print"]].concat()).output().expect("it runs");
    let script = String::from_utf8_lossy(&script.stdout).into_owned();
    let line = script.split("exec ").find(|line| line.starts_with("/tmp/redqueen-")).expect("the job runs a copy");
    let copy = PathBuf::from(line.split(' ').next().expect("a path"));
    let tried = launcher(&file, &data, &[&extra[..], &["--test"]].concat()).output().expect("it runs");
    assert!(tried.status.success(), "{}", String::from_utf8_lossy(&tried.stdout));
    fs::remove_file(copy).expect("it was made");
    let broken = write(&place, "broken.toml", "[worker]\nprologue = [\"echo no such module; exit 3\"]\n");
    let tried = launcher(&file, &data, &["--test", "--profile", text(&broken)]).output().expect("it runs");
    let value: Value = serde_json::from_slice(&tried.stdout).expect("one JSON value");
    assert_eq!(tried.status.code(), Some(1));
    assert!(value["error"].as_str().is_some_and(|error| error.contains("no such module")), "{value}");
    assert_eq!(processes(&data), []);
}

#[test]
fn manifests_hold_secrets_in_one_place_and_workers_see_their_own() {
    let place = place();
    let profile = write(&place, "k8s.toml", "[kubernetes]\nimage = \"games/redqueen:1\"\ncpu = 4\n");
    let data = place.path().join("data");
    let printed = succeed(&["launch", "kubernetes", "--profile", text(&profile), "--data", text(&data)]);
    let list: Value = serde_json::from_str(&printed).expect("JSON");
    let items = list["items"].as_array().expect("objects");
    let token = fs::read_to_string(data.join("redqueen.token")).expect("a token");
    let holding: Vec<&str> = items
        .iter()
        .filter(|item| item.to_string().contains(token.trim()))
        .map(|item| item["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(holding, ["Secret"]);
    let worker = items.iter().find(|item| item["kind"] == "Deployment").expect("workers");
    let seen = worker["spec"]["template"]["spec"]["volumes"][0]["secret"]["items"].to_string();
    assert!(seen.contains("redqueen.worker.token") && !seen.contains("\"redqueen.token\""), "{seen}");
    // The same secrets when it is given again.
    assert_eq!(succeed(&["launch", "kubernetes", "--profile", text(&profile), "--data", text(&data)]), printed);
}

#[test]
fn what_a_launch_would_ask_for_is_printed_and_faults_of_a_profile_are_named() {
    let place = place();
    let file = work(&place, 10, 1_000);
    let odd = place.path().join("it's \"odd\" $HOME");
    let profile = "system = \"slurm\"\n[slurm]\npartition = \"short\"\ncpus = 4\nwalltime = \"2h\"\n";
    let good = write(&place, "good.toml", profile);
    let script = succeed(&["launch", "slurm", text(&file), "--data", text(&odd), "--profile", text(&good), "--print"]);
    for line in ["#SBATCH --partition=short", "#SBATCH --cpus-per-task=4", "--access", "exec srun"] {
        assert!(script.contains(line), "{script}");
    }
    assert!(!odd.join("redqueen.token").exists(), "nothing is started");
    let bad = write(&place, "bad.toml", &format!("{profile}walltme = \"1h\"\n[scale]\nidle = 5\n"));
    let refused = run(&["launch", "slurm", text(&file), "--data", text(&odd), "--profile", text(&bad), "--print"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    for part in ["bad.toml:6", "walltme", "bad.toml:8", "idle"] {
        assert!(said.contains(part), "{said}");
    }
}

/// The coordinator may be on a server that the launcher did not start and does not end.
#[test]
fn a_launch_works_for_a_coordinator_elsewhere() {
    let place = place();
    let (file, data, server_data) = (work(&place, 60, 20_000), place.path().join("data"), place.path().join("server"));
    let (mut server, url) = coordinator(&server_data, 0, &["--tls"]);
    fs::create_dir(&data).expect("made");
    for name in ["redqueen.ca.pem", "redqueen.token", "redqueen.worker.token"] {
        fs::copy(server_data.join(name), data.join(name)).expect("the server has it");
    }
    let output = launcher(&file, &data, &["--place", &url]).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    assert_eq!(value["outcome"], "all runs have ended");
    assert!(server.0.try_wait().expect("asked").is_none(), "the coordinator serves others");
    assert!(!processes(&data).iter().any(|(_, line)| line.contains("coordinator --data")));
    assert_eq!(digest(&run_of(&server_data)), alone(&place, &file));
}
