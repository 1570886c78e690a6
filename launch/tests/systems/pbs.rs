//! Answers of PBS Pro, OpenPBS and Torque, written after their manuals and reports of users.

use launch::{
    call::Output,
    job::JobId,
    systems::{BatchSystem, JobState, pbs::Pbs},
};
use proptest::prelude::*;

use crate::jobs::{check_refusals, complained, job, printed};

const LIST: &str = include_str!("recorded/pbs-qstat.txt");

#[test]
fn the_script() {
    let mut job = job("rq-12345678-1", &["redqueen", "a b"]);
    job.memory_mb = Some(100);
    let script = |system: Pbs| system.submit(&job).unwrap().stdin.unwrap();
    assert_eq!(
        script(Pbs { queue: Some("workq".into()), skip: vec!["-m".into()], ..Pbs::default() }),
        "#!/bin/sh\n#PBS -N rq-12345678-1\n#PBS -S /bin/sh\n#PBS -l select=1:ncpus=2:mem=100mb\n#PBS -l place=pack\n\
         #PBS -l walltime=0:10:00\n#PBS -r y\n#PBS -j oe\n#PBS -o /dev/null\n#PBS -q workq\nexec >>/dev/null 2>&1\n\
         export REDQUEEN_JOB=rq-12345678-1 REDQUEEN_JOB_ENDS_AT=$(($(date +%s) + 600))\nexec redqueen 'a b'\n"
    );
    let torque = script(Pbs { torque: true, exclusive: true, ..Pbs::default() });
    assert!(torque.contains("#PBS -l nodes=1:ppn=2\n#PBS -l mem=100mb\n#PBS -n\n"), "{torque}");
}

#[test]
fn accepted_and_refused() {
    let read = |output: &Output| Pbs::default().read_submit(&job("rq-1-1", &["true"]), output);
    for (text, id) in [
        ("4711.head\n", "4711.head"),
        ("Welcome to 12 nodes\n4711.head.example.org\n", "4711.head.example.org"),
        ("4711\n", "4711"),
    ] {
        assert_eq!(read(&printed(text)), Ok(JobId(id.into())));
    }
    assert!(read(&printed("")).is_err() && read(&complained(1, "4711.head")).is_err());
    check_refusals(&Pbs::default(), include_str!("recorded/pbs-refused.txt"));
}

#[test]
fn listed() {
    let read = |text: &str| Pbs::default().read_query(&printed(text));
    let jobs = read(LIST).unwrap();
    let rows: Vec<_> = jobs
        .iter()
        .map(|job| (job.id.0.as_str(), job.name.as_str(), job.state, job.restarts, job.host.as_str()))
        .collect();
    assert_eq!(
        rows,
        [
            ("4711.head.example.org", "rq-12345678-1", JobState::Running, 1, "n12"),
            ("4712.head.example.org", "rq-12345678-2", JobState::Waiting, 0, ""),
        ]
    );
    assert_eq!(jobs.iter().map(|job| job.ran_secs).collect::<Vec<_>>(), [Some(65.0), None]);
    assert_eq!(jobs[1].reason, "Not Running: Insufficient amount of resource: ncpus (R: 8 A: 0 T: 64)");
    assert_eq!(jobs[1].start, "Sun Nov 29 23:10:00 2026");
    assert!((0..LIST.trim_end().len()).all(|cut| read(&LIST[..cut]).is_err()));
    assert_eq!(read("Welcome\nrq-list\nrq-end\n"), Ok(Vec::new()));
    for text in ["", "rq-list\n", "rq-list\nqstat: cannot connect\nrq-end\n", "rq-end\n"] {
        assert!(read(text).is_err(), "{text}");
    }
    for (letter, state) in [
        ("Q", JobState::Waiting),
        ("H", JobState::Waiting),
        ("W", JobState::Waiting),
        ("T", JobState::Waiting),
        ("R", JobState::Running),
        ("S", JobState::Running),
        ("U", JobState::Running),
        ("E", JobState::Running),
        ("F", JobState::Ended),
        ("C", JobState::Ended),
        ("?", JobState::Unknown),
    ] {
        assert_eq!(read(&LIST.replace("job_state = Q", &format!("job_state = {letter}"))).unwrap()[1].state, state);
    }
}

proptest! {
    #[test]
    fn a_mutilated_list_is_unreadable_or_right(cut in 0usize..1300, length in 0usize..200) {
        let end = LIST.trim_end().len();
        let (start, stop) = (cut.min(end), (cut + length).min(end));
        let read = |text: &str| Pbs::default().read_query(&printed(text));
        if let Ok(jobs) = read(&format!("{}{}", &LIST[..start], &LIST[stop..])) {
            prop_assert!(!jobs.is_empty());
        }
    }
}
