//! Grid Engine's answers, as 8.1.9 gave them, and a real one: `REDQUEEN_SGE=1 cargo test -p launch --test systems sge`
//! where `qsub` works and a parallel environment `smp` exists.

use std::time::{Duration, Instant};

use launch::{
    call::Output,
    job::JobId,
    runner::Runner,
    systems::{BatchSystem, JobState, Queued, sge::Sge},
};
use proptest::prelude::*;

use crate::jobs::{check_refusals, complained, job, printed};

const LIST: &str = include_str!("recorded/sge-qstat.xml");
const NONE: &str = include_str!("recorded/sge-none.xml");

#[test]
fn the_script() {
    let system = Sge {
        queue: Some("all.q".into()),
        extra: vec!["-l gpu=0".into()],
        skip: vec!["-notify".into()],
        ..Sge::default()
    };
    let mut job = job("rq-12345678-1", &["redqueen", "a b"]);
    job.memory_mb = Some(101);
    job.exclude = vec!["n1".into(), "n2".into()];
    job.log = "/data/a log".into();
    let call = system.submit(&job).unwrap();
    assert_eq!(call.argv, ["qsub", "-terse"]);
    assert_eq!(
        call.stdin.unwrap(),
        "#!/bin/sh\n#$ -N rq-12345678-1\n#$ -S /bin/sh\n#$ -pe smp 2\n#$ -l h_rt=600\n#$ -l s_rt=540\n#$ -l h_vmem=51M\n\
         #$ -r y\n#$ -j y\n#$ -o /dev/null\n#$ -q all.q\n#$ -l h=!n1&!n2\n#$ -l gpu=0\nexec >>'/data/a log' 2>&1\n\
         export REDQUEEN_JOB=rq-12345678-1 REDQUEEN_JOB_ENDS_AT=$(($(date +%s) + 600))\nexec redqueen 'a b'\n"
    );
}

#[test]
fn accepted_and_refused() {
    let read = |output: &Output| Sge::default().read_submit(&job("rq-1-1", &["true"]), output);
    assert_eq!(read(&printed("15\n")), Ok(JobId("15".into())));
    assert_eq!(read(&printed("Welcome\nYour job 15 (\"rq-1-1\") has been submitted\n")), Ok(JobId("15".into())));
    assert!(read(&printed("")).is_err() && read(&complained(1, "15")).is_err());
    check_refusals(&Sge::default(), include_str!("recorded/sge-refused.txt"));
}

#[test]
fn listed() {
    let read = |text: &str| Sge::default().read_query(&printed(text));
    let queued = |id: &str, name: &str, state, start: &str, restarts, host: &str| Queued {
        id: JobId(id.into()),
        name: name.into(),
        state,
        reason: String::new(),
        start: start.into(),
        restarts,
        host: host.into(),
        ran_secs: None,
    };
    let expected = vec![
        queued("15", "rq-12345678-1", JobState::Running, "2026-11-29T20:51:23", 1, "localhost"),
        queued("17", "rq-12345678-2", JobState::Waiting, "", 0, ""),
    ];
    assert_eq!(read(LIST), Ok(expected));
    assert_eq!(read(NONE), Ok(Vec::new()));
    for text in [LIST, NONE] {
        assert!((0..text.trim_end().len()).all(|cut| read(&text[..cut]).is_err()));
    }
    assert!(read("").is_err());
    assert!(Sge::default().read_query(&Output { code: Some(1), ..printed(NONE) }).is_err());
    for (letters, state) in [
        ("qw", JobState::Waiting),
        ("hqw", JobState::Waiting),
        ("Rq", JobState::Waiting),
        ("Eqw", JobState::Waiting),
        ("t", JobState::Running),
        ("Rt", JobState::Running),
        ("s", JobState::Running),
        ("S", JobState::Running),
        ("T", JobState::Running),
        ("dr", JobState::Ended),
        ("dt", JobState::Ended),
        ("x", JobState::Unknown),
    ] {
        assert_eq!(
            read(&LIST.replace("<state>qw", &format!("<state>{letters}"))).unwrap()[1].state,
            state,
            "{letters}"
        );
    }
    let odd = LIST.replace("<JB_name>rq-12345678-2", "<JB_name>a&lt;b&amp;amp;");
    assert_eq!(read(&odd).unwrap()[1].name, "a<b&amp;");
}

proptest! {
    #[test]
    fn a_mutilated_list_is_unreadable_or_right(cut in 0usize..1500, length in 0usize..300) {
        let end = LIST.trim_end().len();
        let (start, stop) = (cut.min(end), (cut + length).min(end));
        let read = |text: &str| Sge::default().read_query(&printed(text));
        if let Ok(jobs) = read(&format!("{}{}", &LIST[..start], &LIST[stop..])) {
            prop_assert!(!jobs.is_empty());
        }
    }
}

#[test]
fn a_real_one() {
    if std::env::var_os("REDQUEEN_SGE").is_none() {
        return;
    }
    let (system, mut runner) = (Sge::default(), Runner::default());
    let directory = tempfile::tempdir().unwrap();
    let name = format!("rq-sge-{}", std::process::id());
    let mut job = job(&name, &["sh", "-c", "trap 'kill $!; echo told; exit 0' USR2; echo begun; sleep 300 & wait"]);
    job.log = directory.path().join("a log");
    // No consumable resource stands for memory there.
    let output = runner.run(&system.submit(&job).unwrap());
    let id = system.read_submit(&job, &output).unwrap();
    let begun = Instant::now();
    let mut wait = |wanted: &dyn Fn(Option<&Queued>) -> bool| loop {
        let jobs = system.read_query(&runner.run(&system.query(&[])[0])).unwrap();
        let queued = jobs.iter().find(|queued| queued.name == name);
        if wanted(queued) {
            println!("{queued:?}");
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{jobs:?}");
        std::thread::sleep(Duration::from_millis(300));
    };
    wait(&|queued| queued.is_some_and(|queued| queued.state == JobState::Waiting && queued.id == id));
    wait(&|queued| queued.is_some_and(|queued| queued.state == JobState::Running && !queued.host.is_empty()));
    let said = || std::fs::read_to_string(&job.log).unwrap_or_default();
    while !said().contains("begun") {
        assert!(begun.elapsed() < Duration::from_secs(120));
    }
    assert!(Runner::default().run_all(&system.cancel(&[id]), 1).iter().all(|output| output.code == Some(0)));
    wait(&|queued| queued.is_none_or(|queued| queued.state == JobState::Ended));
    wait(&|queued| queued.is_none());
    assert_eq!(said(), "begun\ntold\n");
}
