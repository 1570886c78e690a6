//! Profiles made from what a cluster says: a real Slurm 22.05, and a large one written after the manual.

use std::time::Duration;

use launch::{
    call::Output,
    profile::{JobLimits, Site, maker},
    systems::slurm::Slurm,
};

use crate::meaning::read;

fn answers(texts: [&str; 3]) -> [Output; 3] {
    texts.map(|text| Output { code: Some(0), stdout: text.into(), stderr: String::new() })
}

fn real() -> [Output; 3] {
    let [partitions, config] = [include_str!("recorded/partitions.txt"), include_str!("recorded/config.txt")];
    answers([partitions, "main|2|4|1024\nlow|2|4|1024\n", config])
}

#[test]
fn of_a_real_slurm() {
    let text = maker::slurm(&real()).unwrap();
    assert!(text.contains("\n# Slurm 22.05.8 of cluster test.\n# A cancelled job has 5 s"), "{text}");
    assert!(text.contains("\npartition = \"main\"  # 2 nodes of 4 cores and 1 GiB\n"), "{text}");
    let low =
        "\n# partition = \"low\"  # 2 nodes of 4 cores and 1 GiB; jobs may be pre-empted (REQUEUE, 10 s of grace)\n";
    assert!(text.contains(low), "{text}");
    let profile = read(&text.replace("$HOME", "/home/me"));
    assert_eq!(profile.site, Site::Slurm(Slurm { partition: Some("main".into()), ..Slurm::default() }));
    let walltime = Duration::from_hours(4);
    assert_eq!(profile.job, JobLimits { cpus: 4, memory_mb: Some(918), walltime, ..JobLimits::default() });
}

#[test]
fn of_a_large_cluster() {
    let partitions = "PartitionName=debug Default=NO AllowAccounts=ALL MaxTime=00:30:00 MaxNodes=2 State=UP PreemptMode=OFF\n\
                      PartitionName=long Default=NO AllowAccounts=physics,chemistry MaxTime=7-00:00:00 State=DRAIN\n\
                      PartitionName=short Default=YES AllowQos=normal MaxTime=02:00:00 MaxCPUsPerNode=60 State=UP\n";
    let config = "SLURM_VERSION = 24.05.4\nClusterName = big\nMinJobAge = 30 sec\nPreemptType = preempt/none\n\
                  AccountingStorageEnforce = associations,limits,qos\nMaxJobCount = 50000\n";
    let text =
        maker::slurm(&answers([partitions, "short|90|128+|257000+\nshort|10|64|128000\ndebug|2|64|1\n", config]))
            .unwrap();
    for part in [
        "after 30 s (MinJobAge)",
        "takes 50000 jobs",
        "Limits of accounts are enforced",
        "# partition = \"debug\"  # 2 nodes of 64 cores; at most 00:30:00; nodes of a job: 2\n",
        "# partition = \"long\"  # state DRAIN; at most 7-00:00:00; only accounts physics,chemistry\n",
        "\npartition = \"short\"  # 90 nodes of 128 cores and 250 GiB; 10 nodes of 64 cores and 125 GiB; at most 02:00:00; \
         cores of a node: 60; only qos normal\ncpus = 64\nmemory = \"115200M\"",
        "walltime = \"1h\"\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    read(&text.replace("$HOME", "/home/me"));
}

#[test]
fn an_answer_that_is_none() {
    for n in 0..3 {
        let mut answers = real();
        answers[n].code = Some(1);
        assert!(maker::slurm(&answers).is_err());
    }
    assert!(maker::slurm(&answers(["", "", ""])).is_err());
    assert_eq!(maker::calls().map(|call| call.argv[0].clone()), ["scontrol", "sinfo", "scontrol"]);
}

/// A profile of every system is right as it stands, but for what only a person knows, and so is each of its keys.
#[test]
fn of_other_systems() {
    for system in maker::BLANKS {
        let text = maker::blank(system).expect("one of them").replace("$HOME", "/home/me");
        let text = text.replace("hosts = []", "hosts = [\"n1\"]");
        assert_eq!(read(&text).site.name(), system);
        let keys = text.lines().map(|line| match line.strip_prefix("# ") {
            Some(key) if key.contains(" = ") => key,
            _ => line,
        });
        assert_eq!(read(&keys.collect::<Vec<_>>().join("\n")).site.name(), system);
    }
    assert_eq!(maker::blank("slurm"), None);
}
