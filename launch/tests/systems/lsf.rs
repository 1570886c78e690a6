//! LSF's answers, written after its manuals and reports of users.

use launch::{
    call::Output,
    job::JobId,
    systems::{BatchSystem, JobState, lsf::Lsf},
};
use proptest::prelude::*;

use crate::jobs::{check_refusals, complained, job, printed};

const LIST: &str = include_str!("recorded/lsf-bjobs.txt");

#[test]
fn the_script() {
    let mut job = job("rq-12345678-1", &["redqueen", "a b"]);
    job.memory_mb = Some(100);
    job.exclude = vec!["n1".into(), "n2".into()];
    assert_eq!(
        Lsf { queue: Some("normal".into()), skip: vec!["-wa".into(), "-wt".into()], ..Lsf::default() }
            .submit(&job)
            .unwrap()
            .stdin
            .unwrap(),
        "#!/bin/sh\n#BSUB -J rq-12345678-1\n#BSUB -n 2\n#BSUB -R \"span[hosts=1]\"\n#BSUB -M 100MB\n#BSUB -W 10\n#BSUB -r\n\
         #BSUB -env none\n#BSUB -o /dev/null\n#BSUB -q normal\n#BSUB -R \"select[hname!='n1' && hname!='n2']\"\n\
         exec >>/dev/null 2>&1\n\
         export REDQUEEN_JOB=rq-12345678-1 REDQUEEN_JOB_ENDS_AT=$(($(date +%s) + 600))\nexec redqueen 'a b'\n"
    );
}

#[test]
fn accepted_and_refused() {
    let read = |output: &Output| Lsf::default().read_submit(&job("rq-1-1", &["true"]), output);
    for text in ["Job <123> is submitted to queue <normal>.\n", "Job <123> is submitted to default queue <normal>.\n\n"]
    {
        assert_eq!(read(&printed(text)), Ok(JobId("123".into())));
    }
    assert!(read(&printed("")).is_err() && read(&printed("Job <> is submitted\n")).is_err());
    assert!(read(&complained(255, "Job <123> is submitted to queue <normal>.")).is_err());
    check_refusals(&Lsf::default(), include_str!("recorded/lsf-refused.txt"));
}

#[test]
fn listed() {
    let read = |text: &str| Lsf::default().read_query(&printed(text));
    let jobs = read(LIST).unwrap();
    let rows: Vec<_> =
        jobs.iter().map(|job| (job.id.0.as_str(), job.name.as_str(), job.state, job.host.as_str())).collect();
    assert_eq!(
        rows,
        [
            ("101", "rq-12345678-1", JobState::Running, "n12"),
            ("102", "rq-12345678-2", JobState::Waiting, ""),
            ("103", "rq-12345678-3", JobState::Ended, "n13"),
        ]
    );
    assert_eq!((jobs[1].reason.as_str(), jobs[1].start.as_str()), ("Job slot limit reached;", "Nov 29 23:10"));
    assert_eq!(jobs.iter().map(|job| job.ran_secs).collect::<Vec<_>>(), [Some(125.0), None, None]);
    for code in [0, 255] {
        assert_eq!(Lsf::default().read_query(&complained(code, "No job found\n")), Ok(Vec::new()));
    }
    assert!(Lsf::default().read_query(&complained(255, "LSF is down. Please wait ...\n")).is_err());
    let whole = |cut: usize| read(&LIST[..cut]).is_err() || LIST[..cut].ends_with('\n');
    assert!((0..LIST.len()).all(whole));
    assert!(read("").is_err() && read("Welcome\n").is_err());
}

proptest! {
    #[test]
    fn a_mutilated_list_is_unreadable_or_right(cut in 0usize..300, length in 0usize..60) {
        let (start, stop) = (cut.min(LIST.len()), (cut + length).min(LIST.len()));
        if let Ok(jobs) = Lsf::default().read_query(&printed(&format!("{}{}", &LIST[..start], &LIST[stop..]))) {
            prop_assert!(!jobs.is_empty());
        }
    }
}
