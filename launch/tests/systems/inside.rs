//! What environments say of the job around a process.

use launch::{
    job::JobId,
    systems::inside::{Allocation, inside},
};
use proptest::prelude::*;

fn read(variables: &str) -> Option<Allocation> {
    let pairs = variables.split_whitespace().filter_map(|pair| pair.split_once('='));
    inside(&pairs.map(|(name, value)| (name.into(), value.into())).collect())
}

fn id(text: &str) -> Option<JobId> {
    Some(JobId(text.into()))
}

#[test]
fn slurm() {
    // A step of a job under 22.05, which has no SLURM_JOB_END_TIME.
    let step = "SLURM_JOB_ID=8 SLURM_JOBID=8 SLURM_CPUS_ON_NODE=2 SLURM_JOB_CPUS_PER_NODE=2 SLURM_CPUS_PER_TASK=2 \
                SLURMD_NODENAME=n1 SLURM_MEM_PER_NODE=100 SLURM_NTASKS=1 HOSTNAME=vm \
                REDQUEEN_JOB=rq-12345678-1 REDQUEEN_JOB_ENDS_AT=1795984526";
    let expected = Allocation {
        system: "slurm",
        id: id("8"),
        job: Some("rq-12345678-1".into()),
        restarts: 0,
        host: Some("n1".into()),
        cores: Some(2),
        memory_mb: Some(100),
        ends_at: Some(1_795_984_526),
    };
    assert_eq!(read(step), Some(expected.clone()));
    let newer = format!("{step} SLURM_JOB_END_TIME=1795984500 SLURM_RESTART_COUNT=3");
    assert_eq!(read(&newer), Some(Allocation { restarts: 3, ends_at: Some(1_795_984_500), ..expected }));
    let cores = |variables: &str| read(&format!("SLURM_JOB_ID=8 {variables}")).unwrap().cores;
    assert_eq!(cores("SLURM_JOB_CPUS_PER_NODE=24(x2)"), Some(24));
    assert_eq!(cores("SLURM_JOB_CPUS_PER_NODE=24(x2) SLURM_CPUS_ON_NODE=16"), Some(16));
    assert_eq!(cores("SLURM_CPUS_PER_TASK=0"), None);
    assert_eq!(cores("SLURM_CPUS_PER_TASK=many"), None);
    let memory =
        |variables: &str| read(&format!("SLURM_JOB_ID=8 SLURM_CPUS_ON_NODE=16 {variables}")).unwrap().memory_mb;
    assert_eq!(memory("SLURM_MEM_PER_CPU=2000"), Some(32_000));
    assert_eq!(memory("SLURM_MEM_PER_NODE=0"), None, "all of it");
    assert_eq!(memory("SLURM_MEM_PER_CPU=18446744073709551615"), Some(u64::MAX));
}

#[test]
fn others() {
    let row = |variables: &str| read(variables).map(|a| (a.system, a.id, a.restarts, a.cores, a.host));
    assert_eq!(row(""), None);
    assert_eq!(row("PATH=/bin HOSTNAME=vm JOB_ID=17"), None, "JOB_ID alone is anybody's");
    assert_eq!(
        row("PBS_JOBID=123.head PBS_ENVIRONMENT=PBS_BATCH NCPUS=8"),
        Some(("pbs", id("123.head"), 0, Some(8), None))
    );
    assert_eq!(row("PBS_JOBID=123.head PBS_NP=16 PBS_NUM_PPN=16"), Some(("pbs", id("123.head"), 0, Some(16), None)));
    let sge = "JOB_ID=17 SGE_ROOT=/var/lib/gridengine NSLOTS=4 RESTARTED=1 HOSTNAME=n2 SGE_TASK_ID=undefined";
    assert_eq!(row(sge), Some(("sge", id("17"), 1, Some(4), Some("n2".into()))));
    let lsf = "LSB_JOBID=5 LSB_DJOB_NUMPROC=8 LSB_RESTART=Y LSB_HOSTS=h1";
    assert_eq!(row(lsf), Some(("lsf", id("5"), 1, Some(8), Some("h1".into()))));
    let pod = "KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME=worker-7d9-x2";
    assert_eq!(row(pod), Some(("kubernetes", id("worker-7d9-x2"), 0, None, None)));
    let local = read("REDQUEEN_JOB=rq-1-1 REDQUEEN_JOB_ENDS_AT=12").unwrap();
    assert_eq!(
        (local.system, local.id, local.job.as_deref(), local.ends_at),
        ("local", None, Some("rq-1-1"), Some(12))
    );
}

proptest! {
    #[test]
    fn any_environment_is_read(pairs in prop::collection::btree_map("SLURM_(JOB_ID|MEM_PER_CPU|CPUS_ON_NODE|JOB_CPUS_PER_NODE)", "\\PC{0,20}|[0-9]{1,25}", 0..4)) {
        let _ = inside(&pairs);
    }
}
