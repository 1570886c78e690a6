//! A job and answers for tests.

use std::time::Duration;

use launch::{call::Output, job::Job, systems::BatchSystem};

/// A job that runs `command`.
pub(crate) fn job(name: &str, command: &[&str]) -> Job {
    Job {
        name: name.into(),
        cpus: 2,
        memory_mb: None,
        walltime: Duration::from_secs(600),
        exclude: Vec::new(),
        after: None,
        prologue: Vec::new(),
        command: command.iter().copied().map(String::from).collect(),
        log: "/dev/null".into(),
    }
}

/// A command that printed `stdout` and ended well.
pub(crate) fn printed(stdout: &str) -> Output {
    Output { code: Some(0), stdout: stdout.into(), stderr: String::new() }
}

/// A command that complained of `stderr` and failed.
pub(crate) fn complained(code: i32, stderr: &str) -> Output {
    Output { code: Some(code), stdout: String::new(), stderr: stderr.into() }
}

/// Compares what a system makes of complaints with a list of them: `class: complaint`, its further lines indented.
pub(crate) fn check_refusals(system: &dyn BatchSystem, list: &str) {
    let list = list.replace("\n    ", "\u{1}");
    let rows: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.len() > 5, "{rows:?}");
    for row in rows {
        let (class, complaint) = row.split_once(": ").expect("a class");
        let complaint = complaint.replace('\u{1}', "\n");
        let refusal = system.read_submit(&job("rq-1-1", &["true"]), &complained(1, &complaint)).unwrap_err();
        assert_eq!(format!("{:?}", refusal.class).to_lowercase(), class, "{complaint}");
        assert!(complaint.ends_with(refusal.text.trim_start_matches('…')), "{refusal}");
    }
}
