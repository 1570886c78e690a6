//! Hosts reached by ssh, with a program in place of ssh that runs the command here.

use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    time::{Duration, Instant},
};

use launch::{
    job::{Job, JobId},
    runner::Runner,
    systems::{
        BatchSystem, JobState, Queued, Refusal, RefusalClass,
        ssh::{Host, Ssh, read_hosts},
    },
};

use crate::jobs::job;

/// Waits to be ended, and leaves nothing behind.
const WAITS: &str = "trap 'kill $!; exit' TERM; sleep 300 & wait";

/// Runs commands for hosts that begin with `up`; the log of calls is beside it. A login script greets.
const SSH: &str = r#"#!/bin/sh
echo "$@" >>"$(dirname "$0")/calls"
while [ "${1#-}" != "$1" ]; do case $1 in -o) shift 2 ;; *) shift ;; esac; done
case $1 in
  up*) echo "Welcome to $1"; shift; exec "$@" ;;
  lost*) echo "Connection closed by 10.0.0.1 port 22" >&2; exit 255 ;;
  *) echo "ssh: connect to host $1 port 22: Connection refused" >&2; exit 255 ;;
esac
"#;

fn runner(directory: &Path) -> Runner {
    let ssh = directory.join("ssh");
    std::fs::write(&ssh, SSH).unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o700)).unwrap();
    let path = format!("PATH={}:{}", directory.display(), std::env::var("PATH").unwrap());
    Runner { via: vec!["env".into(), path, "sh".into(), "-c".into()], ..Runner::default() }
}

fn submit(ssh: &Ssh, runner: &mut Runner, job: &Job) -> Result<JobId, Refusal> {
    let output = runner.run(&ssh.submit(job)?);
    ssh.read_submit(job, &output)
}

fn queue(ssh: &Ssh, runner: &mut Runner, known: &[JobId]) -> Vec<Queued> {
    let outputs = runner.run_all(&ssh.query(known), ssh.at_once());
    outputs.iter().flat_map(|output| ssh.read_query(output).unwrap()).collect()
}

#[test]
fn one_job_a_host() {
    let directory = tempfile::tempdir().unwrap();
    let (mut runner, ssh) = (runner(directory.path()), Ssh::new(read_hosts("down1\nup1:3 # big\nlost1\n").unwrap()));
    let names: Vec<String> = (1..=4).map(|n| format!("rq-ssh{}-{n}", std::process::id())).collect();
    let log = directory.path().join("log");
    let job = |n: usize| Job {
        log: log.clone(),
        ..job(
            &names[n],
            &["sh", "-c", "echo cores $REDQUEEN_JOB_CORES; trap 'kill $!; exit' TERM; sleep 300 & wait", &names[n]],
        )
    };
    let refused = submit(&ssh, &mut runner, &job(0)).unwrap_err();
    assert_eq!((refused.class, refused.text.starts_with("down1: ")), (RefusalClass::Busy, true), "{refused}");
    let id = submit(&ssh, &mut runner, &job(1)).unwrap();
    assert!(id.0.starts_with("up1/"), "the host that did not refuse: {id:?}");
    let doubtful = submit(&ssh, &mut runner, &job(2)).unwrap_err();
    assert_eq!(doubtful.class, RefusalClass::Doubtful, "{doubtful}");
    ssh.set_hosts(read_hosts("up1:3\nlost1").unwrap());
    assert_eq!(
        submit(&ssh, &mut runner, &job(3)).unwrap_err().class,
        RefusalClass::Limit,
        "each has a job or may have one"
    );

    // Another launcher finds it without knowing it, and says nothing of hosts that say nothing.
    let again = Ssh::new(read_hosts("up1\nlost1").unwrap());
    let silent = JobId("lost1/77".into());
    let mut jobs = queue(&again, &mut runner, std::slice::from_ref(&silent));
    jobs.retain(|job| job.name == names[1] || job.id == silent);
    let rows: Vec<_> = jobs.iter().map(|job| (&job.id, job.state, job.host.as_str())).collect();
    assert_eq!(rows, [(&silent, JobState::Unknown, "lost1"), (&id, JobState::Running, "up1")]);
    assert_eq!(again.submit(&Job { exclude: vec!["lost1".into()], ..job(3) }).unwrap_err().class, RefusalClass::Limit);

    let outputs = runner.run_all(&ssh.cancel(std::slice::from_ref(&id)), ssh.at_once());
    assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
    let begun = Instant::now();
    while queue(&ssh, &mut runner, &[]).iter().any(|job| job.id == id) {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "cores 3\n");
    // Free again, unless other tests' jobs run here, which this ssh cannot tell from those of up1.
    let calls = std::fs::read_to_string(directory.path().join("calls")).unwrap();
    assert!(calls.lines().all(|call| call.contains("BatchMode=yes") && !call.contains("rq-")), "{calls}");
}

#[test]
fn hosts_are_read() {
    let host = |name: &str, cores| Host { name: name.into(), cores };
    let text = "# mine\nn1\n\nme@n2.example.org:32  # big\n";
    assert_eq!(read_hosts(text), Ok(vec![host("n1", None), host("me@n2.example.org", Some(32))]));
    for bad in ["n1:0", "n1:many", "n1:", "-oProxyCommand=x", "a b", "a;b", ":3", "n1\n$(x)"] {
        assert!(read_hosts(bad).is_err(), "{bad}");
    }
    assert!(read_hosts("n1\n-v").unwrap_err().starts_with("line 2: "));
}

/// Real hosts, or one under many names: `REDQUEEN_SSH_HOSTS="n1 n2" cargo test -p launch --test systems real_hosts`.
#[test]
fn real_hosts() {
    let Ok(hosts) = std::env::var("REDQUEEN_SSH_HOSTS") else { return };
    let hosts: Vec<Host> = hosts.split_whitespace().map(|host| host.parse().unwrap()).collect();
    let (mut runner, ssh) = (Runner::default(), Ssh::new(hosts.clone()));
    let begun = Instant::now();
    let mut ids = Vec::new();
    for n in 0..hosts.len() {
        let name = format!("rq-real{}-{n}", std::process::id());
        ids.push(submit(&ssh, &mut runner, &job(&name, &["sh", "-c", WAITS, &name])).unwrap());
    }
    println!("{} jobs after {:?}: {:?}", ids.len(), begun.elapsed(), &ids[..2]);
    let listed: Vec<JobId> = queue(&ssh, &mut runner, &ids).into_iter().map(|job| job.id).collect();
    println!("listed after {:?}", begun.elapsed());
    assert!(ids.iter().all(|id| listed.contains(id)), "{listed:?}");
    let outputs = runner.run_all(&ssh.cancel(&ids), ssh.at_once());
    assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
    while queue(&ssh, &mut runner, &ids).iter().any(|job| ids.contains(&job.id)) {
        assert!(begun.elapsed() < Duration::from_secs(120));
    }
}
