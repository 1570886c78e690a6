//! A real Slurm: `launch/tests/slurm/start.sh DIR`, then `REDQUEEN_SLURM=DIR cargo test -p launch --test slurm`.
//!
//! Without `REDQUEEN_SLURM` these tests pass and do nothing: what the answers mean is tested with recorded ones
//! (`launch/tests/systems`).

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::Command,
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use launch::{
    call::Output,
    job::{Job, JobId},
    runner::Runner,
    systems::{BatchSystem, JobState, Queued, RefusalClass, inside::inside, slurm::Slurm},
};

/// One test at a time: one of them stops the controller.
static ALONE: Mutex<()> = Mutex::new(());

/// A Slurm, and the jobs of one test.
struct Cluster {
    directory: PathBuf,
    system: Slurm,
    runner: Runner,
    test: &'static str,
    _alone: MutexGuard<'static, ()>,
}

impl Cluster {
    fn find(test: &'static str) -> Option<Cluster> {
        let directory = PathBuf::from(std::env::var_os("REDQUEEN_SLURM")?);
        let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let conf = format!("SLURM_CONF={}", directory.join("slurm.conf").display());
        let via = ["env".to_owned(), conf, "sh".into(), "-c".into()].to_vec();
        let runner = Runner { via, ..Runner::default() };
        Some(Cluster { directory, system: Slurm::default(), runner, test, _alone: alone })
    }

    fn name(&self) -> String {
        format!("rq-{}{}", self.test, std::process::id())
    }

    fn job(&self, number: u32, command: &[&str]) -> Job {
        Job {
            name: format!("{}-{number}", self.name()),
            cpus: 2,
            memory_mb: Some(64),
            walltime: Duration::from_secs(600),
            exclude: Vec::new(),
            after: None,
            prologue: Vec::new(),
            command: command.iter().copied().map(String::from).collect(),
            log: self.directory.join(format!("log/{} 100% \"{number}\" #1", self.name())),
        }
    }

    fn submit(&mut self, job: &Job) -> Result<JobId, launch::systems::Refusal> {
        let output = self.runner.run(&self.system.submit(job).unwrap());
        println!("sbatch: {output:?}");
        self.system.read_submit(job, &output)
    }

    fn query(&mut self) -> Vec<Queued> {
        let outputs = self.runner.run_all(&self.system.query(&[]), 1);
        outputs.iter().flat_map(|output| self.system.read_query(output).unwrap()).collect()
    }

    /// Waits until the job of this name is as wanted; asks three times a second, as no launcher may.
    fn wait(&mut self, name: &str, wanted: impl Fn(&Queued) -> bool) -> Queued {
        let begun = Instant::now();
        loop {
            let mut found: Vec<Queued> = self.query().into_iter().filter(|queued| queued.name == name).collect();
            assert!(found.len() <= 1, "{found:?}");
            if let Some(queued) = found.pop() {
                if wanted(&queued) {
                    println!("{queued:?}");
                    return queued;
                }
                assert!(begun.elapsed() < Duration::from_secs(60), "{queued:?}");
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{name} is not listed");
            std::thread::sleep(Duration::from_millis(300));
        }
    }

    fn cancel(&mut self, id: &JobId) {
        let outputs = self.runner.run_all(&self.system.cancel(std::slice::from_ref(id)), 1);
        assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
    }

    fn tool(&mut self, argv: &[&str]) -> Output {
        self.runner.run(&launch::call::Call::new(argv.iter().copied()))
    }
}

impl Drop for Cluster {
    /// Ends what a test that failed leaves behind, or the next would wait for its cores.
    fn drop(&mut self) {
        self.runner = Runner { via: self.runner.via.clone(), ..Runner::default() };
        for output in self.runner.run_all(&self.system.query(&[]), 1) {
            let jobs = self.system.read_query(&output).unwrap_or_default();
            let ours =
                jobs.iter().filter(|queued| queued.name.starts_with(&self.name()) && queued.state != JobState::Ended);
            let ids: Vec<JobId> = ours.map(|queued| queued.id.clone()).collect();
            let _ = self.runner.run_all(&self.system.cancel(&ids), 1);
        }
    }
}

#[test]
fn a_job_starts_is_listed_and_ends() {
    let Some(mut cluster) = Cluster::find("whole") else { return };
    let told = cluster.directory.join(format!("log/it's {}", cluster.name()));
    let script = "trap 'kill $!; echo told >\"$0\"; exit 0' TERM; env; echo all said; sleep 300 & wait";
    let mut job = cluster.job(1, &["sh", "-c", script, told.to_str().unwrap()]);
    job.prologue = vec!["export SAID='a word'".into()];
    job.exclude = vec!["n1".into()];
    let begun = seconds();
    let id = cluster.submit(&job).unwrap();
    let queued = cluster.wait(&job.name, |queued| queued.state == JobState::Running && !queued.host.is_empty());
    assert_eq!((queued.id, queued.host.as_str(), queued.restarts), (id.clone(), "n2", 0), "n1 is excluded");
    says(&job, "all said\n", 1);
    let said = || std::fs::read_to_string(&job.log).unwrap();
    let variables: BTreeMap<String, String> = said()
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    assert_eq!(variables.get("SAID").map(String::as_str), Some("a word"));
    let found = inside(&variables).unwrap();
    println!("{found:?}");
    assert_eq!((found.system, found.id.as_ref(), found.job.as_deref()), ("slurm", Some(&id), Some(job.name.as_str())));
    assert_eq!(
        (found.host.as_deref(), found.cores, found.memory_mb, found.restarts),
        (Some("n2"), Some(2), Some(64), 0)
    );
    let ends_at = found.ends_at.unwrap();
    assert!((begun + 599..begun + 660).contains(&ends_at), "{begun} {ends_at}");
    cluster.cancel(&id);
    cluster.wait(&job.name, |queued| queued.state == JobState::Ended);
    // The worker is warned, and has KillWait seconds although srun ends at once; what it prints then may be lost.
    says(&Job { log: told, ..job }, "told", 1);
    cluster.cancel(&id);
}

#[test]
fn a_requeued_job_is_never_gone() {
    let Some(mut cluster) = Cluster::find("anew") else { return };
    let job = cluster.job(1, &["sh", "-c", "echo begun; exec sleep 300"]);
    let id = cluster.submit(&job).unwrap();
    says(&job, "begun", 1);
    assert_eq!(cluster.tool(&["scontrol", "requeue", &id.0]).code, Some(0));
    let again = cluster.wait(&job.name, |queued| {
        assert!(matches!(queued.state, JobState::Waiting | JobState::Running), "{queued:?}");
        queued.state == JobState::Running && queued.restarts == 1
    });
    assert_eq!(again.id, id);
    says(&job, "begun", 2);
    cluster.cancel(&id);
    cluster.wait(&job.name, |queued| queued.state == JobState::Ended);
}

#[test]
fn a_preempted_job_ends_by_itself_or_begins_anew() {
    let Some(mut cluster) = Cluster::find("low") else { return };
    cluster.system.partition = Some("low".into());
    let low = |number, command: &str| Job {
        exclude: vec!["n1".into()],
        ..cluster.job(number, &["sh", "-c", &format!("echo begun; {command}")])
    };
    let (leaves, stays) = (low(1, "trap 'exit 0' TERM; sleep 300 & wait"), low(2, "trap '' TERM; exec sleep 300"));
    for job in [&leaves, &stays] {
        cluster.submit(job).unwrap();
        says(job, "begun", 1);
    }
    cluster.system = Slurm { exclusive: true, ..Slurm::default() };
    let main = Job { exclude: vec!["n1".into()], ..cluster.job(3, &["sleep", "300"]) };
    cluster.submit(&main).unwrap();
    let waits = cluster.wait(&stays.name, |queued| {
        assert!(matches!(queued.state, JobState::Waiting | JobState::Running), "{queued:?}");
        queued.state == JobState::Waiting
    });
    assert_eq!(waits.restarts, 1);
    // A worker that leaves when it is warned has ended well, and Slurm does not start it again.
    cluster.wait(&leaves.name, |queued| queued.state == JobState::Ended);
}

#[test]
fn a_doubtful_job_is_found_by_its_name() {
    let Some(mut cluster) = Cluster::find("doubt") else { return };
    let pid = std::fs::read_to_string(cluster.directory.join("run/slurmctld.pid")).unwrap();
    let signal = |signal: &str| assert!(Command::new("kill").args([signal, pid.trim()]).status().unwrap().success());
    // sbatch gives up by itself after 10 s (MessageTimeout), or is killed before.
    for (number, limit) in [(1, 60), (2, 2)] {
        let job = cluster.job(number, &["sleep", "300"]);
        signal("-STOP");
        cluster.runner.limit = Duration::from_secs(limit);
        let refusal = cluster.submit(&job);
        let list = cluster.runner.run_all(&cluster.system.query(&[]), 1);
        let list = cluster.system.read_query(&list[0]);
        signal("-CONT");
        assert_eq!(refusal.unwrap_err().class, RefusalClass::Doubtful);
        assert!(list.is_err(), "{list:?}");
        cluster.runner.limit = Duration::from_secs(60);
        let found = cluster.wait(&job.name, |_| true);
        cluster.cancel(&found.id);
        cluster.wait(&job.name, |queued| queued.state == JobState::Ended);
    }
}

#[test]
fn formats_of_a_person_change_nothing() {
    let Some(mut cluster) = Cluster::find("format") else { return };
    // Behind the runner's scrubbing, as a login script on another host would set them.
    let person = [
        "SQUEUE_FORMAT=%i",
        "SQUEUE_FORMAT2=Name",
        "SQUEUE_STATES=RUNNING",
        "SQUEUE_SORT=i",
        "SLURM_TIME_FORMAT=relative",
    ];
    cluster.runner.via.splice(1..1, person.map(String::from));
    let job = cluster.job(1, &["sleep", "300"]);
    let id = cluster.submit(&job).unwrap();
    cluster.cancel(&id);
    let queued = cluster.wait(&job.name, |queued| queued.state == JobState::Ended);
    assert_eq!(queued.id, id);
}

#[test]
fn refusals() {
    let Some(mut cluster) = Cluster::find("refused") else { return };
    let job = cluster.job(1, &["true"]);
    let mut class = |system: Slurm, job: &Job| {
        cluster.system = system;
        cluster.submit(job).map_err(|refusal| {
            assert!(!refusal.text.contains("directive"), "the script itself is at fault: {refusal}");
            refusal.class
        })
    };
    let site = Slurm::default;
    let permanent = Err(RefusalClass::Permanent);
    assert_eq!(class(Slurm { partition: Some("nosuch".into()), ..site() }, &job), permanent);
    assert_eq!(class(Slurm { constraint: Some("nosuch".into()), ..site() }, &job), permanent);
    assert_eq!(class(Slurm { reservation: Some("nosuch".into()), ..site() }, &job), permanent);
    assert_eq!(class(Slurm { extra: vec!["--nosuch".into()], ..site() }, &job), permanent);
    assert_eq!(class(site(), &Job { memory_mb: Some(1 << 20), ..job.clone() }), permanent);
    assert_eq!(class(site(), &Job { exclude: vec!["nosuch".into()], ..job.clone() }), permanent);
    cluster.runner.via = ["env", "PATH=/nosuch", "/bin/sh", "-c"].map(String::from).to_vec();
    let refusal = cluster.submit(&job).unwrap_err();
    assert_eq!(refusal.class, RefusalClass::Permanent, "{refusal}");
    let output = cluster.runner.run(&cluster.system.query(&[])[0]);
    assert!(cluster.system.read_query(&output).is_err());
}

/// The variables of an allocation contradict the job's own options; the tests above run inside of one.
#[test]
fn inside_of_an_allocation() {
    let Some(cluster) = Cluster::find("nested") else { return };
    if std::env::var_os("SLURM_JOB_ID").is_some() {
        return;
    }
    let conf = cluster.directory.join("slurm.conf");
    drop(cluster);
    let output = Command::new("salloc")
        .args(["--ntasks=1", "--mem-per-cpu=50", "--time=3"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "a_job_starts_is_listed_and_ends", "refusals", "--nocapture"])
        .env("SLURM_CONF", conf)
        .output()
        .unwrap();
    println!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("2 passed"));
}

/// Waits until a job has printed `words` so often.
fn says(job: &Job, words: &str, times: usize) {
    let said = || std::fs::read_to_string(&job.log).unwrap_or_default();
    let begun = Instant::now();
    while said().matches(words).count() < times {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", said());
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn seconds() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}
