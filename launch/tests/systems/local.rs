//! Jobs that are processes, with real ones.

use std::time::{Duration, Instant};

use launch::{
    call::Output,
    job::JobId,
    runner::Runner,
    systems::{BatchSystem, Queued, RefusalClass, local::Local},
};

use crate::jobs::{job, printed};

fn queue() -> Vec<Queued> {
    let [call] = Local.query(&[]).try_into().unwrap();
    Local.read_query(&Runner::default().run(&call)).unwrap()
}

fn cancel(ids: &[JobId]) {
    let outputs = Runner::default().run_all(&Local.cancel(ids), Local.at_once());
    assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
}

fn ends(id: &JobId) {
    let begun = Instant::now();
    while queue().iter().any(|queued| queued.id == *id) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{id:?} does not end");
    }
}

#[test]
fn a_job_starts_is_listed_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("rq-local-{}", std::process::id());
    let log = dir.path().join("a log's name");
    let mut job = job(
        &name,
        &["sh", "-c", "echo \"$0 $REDQUEEN_JOB $SAID\"; trap 'kill $!; echo told; exit' TERM; sleep 300 & wait", &name],
    );
    job.prologue = vec!["export SAID='a word'".into()];
    job.log.clone_from(&log);
    let call = Local.submit(&job).unwrap();
    assert!(!call.argv.join(" ").contains(&name), "nothing of a job stands in arguments of others");
    let output = Runner::default().run(&call);
    let id = Local.read_submit(&job, &output).unwrap();
    // It is there as soon as the answer is.
    let queued: Vec<Queued> = queue().into_iter().filter(|queued| queued.name == name).collect();
    assert_eq!(queued.iter().map(|queued| &queued.id).collect::<Vec<_>>(), [&id]);
    let begun = Instant::now();
    let said = || std::fs::read_to_string(&log).unwrap();
    while said() != format!("{name} {name} a word\n") {
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", said());
    }
    cancel(std::slice::from_ref(&id));
    ends(&id);
    assert!(said().ends_with("told\n"), "TERM reaches the worker itself: {}", said());
    // The id may belong to another process by now.
    cancel(&[id, JobId(std::process::id().to_string()), JobId("-1".into()), JobId("1; false".into())]);
}

#[test]
fn a_log_that_cannot_be_opened_starts_nothing() {
    let mut job = job("rq-nolog-1", &["sleep", "300"]);
    job.log = "/no such directory/log".into();
    let output = Runner::default().run(&Local.submit(&job).unwrap());
    let refusal = Local.read_submit(&job, &output).unwrap_err();
    assert_eq!(refusal.class, RefusalClass::Permanent);
    assert!(refusal.text.contains("/no such directory/log"), "{refusal}");
}

#[test]
fn half_a_list_is_none() {
    let list = "rq-list\n  1 Ss 3-01:00:00 /sbin/init\n 77 Ssl 01:30 /opt/redqueen worker --job rq-1234-5\n 78 S 00:00 grep rq-1234-5\nrq-end\n";
    let read = |text: &str| Local.read_query(&printed(text));
    let names = |text: &str| {
        read(text).map(|jobs| jobs.into_iter().map(|job| (job.id.0, job.name, job.ran_secs)).collect::<Vec<_>>())
    };
    assert_eq!(names(list), Ok(vec![("77".into(), "rq-1234-5".into(), Some(90.0))]));
    assert_eq!(names(&format!("Welcome!\n{list}")), Ok(vec![("77".into(), "rq-1234-5".into(), Some(90.0))]));
    for cut in 0..list.len() - 1 {
        assert!(read(&list[..cut]).is_err(), "{cut}");
    }
    assert!(read("rq-list\nrq-end\n").is_err(), "at least ps itself runs");
    assert!(Local.read_query(&Output { code: Some(1), ..printed(list) }).is_err());
    assert!(Local.read_query(&Output { code: None, ..printed(list) }).is_err());
}
