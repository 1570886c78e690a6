//! What profiles mean.

use std::{collections::BTreeMap, time::Duration};

use launch::{
    profile::{Coordinator, HostFile, Hosts, JobLimits, Place, Profile, Scale, Site, Worker},
    systems::{kubernetes::Kubernetes, sge::Sge, slurm::Slurm},
};

pub(crate) fn read(text: &str) -> Profile {
    chosen(text, None)
}

fn chosen(text: &str, system: Option<&str>) -> Profile {
    let variables: BTreeMap<_, _> = [("SCRATCH".to_owned(), "/scratch/me".to_owned())].into();
    Profile::read("cluster.toml", text, &variables, system).unwrap_or_else(|faults| panic!("{faults}"))
}

const MINUTE: Duration = Duration::from_mins(1);

#[test]
fn nothing_has_defaults() {
    let profile = read("");
    let expected = Profile {
        site: Site::Local,
        job: JobLimits { cpus: 1, memory_mb: None, walltime: 60 * MINUTE, poll: MINUTE, max_submit: None },
        via: Vec::new(),
        data: None,
        scale: Scale {
            min: 0,
            max: 10,
            waiting: 2,
            idle: 5 * MINUTE,
            lost: 15 * MINUTE,
            finish_within: None,
            budget_core_hours: None,
        },
        coordinator: Coordinator {
            place: Place::Here,
            http: None,
            http_public: false,
            interface: None,
            ports: None,
            job: (Site::Local, JobLimits::default()),
        },
        worker: Worker { prologue: Vec::new(), wrap: Vec::new(), stage: false, smt: true },
    };
    assert_eq!(profile, expected);
    assert!(profile.site.batch_system().is_some());
}

#[test]
fn all_of_a_slurm() {
    let text = r#"
        system = "slurm"
        via = ["ssh", "login1"]
        data = "$SCRATCH/redqueen"
        [slurm]
        partition = "cpu"
        account = "p1"
        qos = "normal"
        constraint = "[rack1|rack2]"
        reservation = "r"
        cluster = "east"
        exclusive = true
        cpus = 64
        memory = "100G"
        walltime = "8h30s"
        extra = ["--licenses=none"]
        skip = ["--requeue"]
        poll = "90s"
        max-submit = 20
        [scale]
        nodes = { min = 1, max = 40, waiting = 3 }
        idle = "10m"
        lost = "1h"
        finish-within = "1d12h"
        budget-core-hours = 5_000
        [coordinator]
        place = "job"
        listen = { interface = "ib0", ports = "7800-7899" }
        http = "127.0.0.1:7879"
        slurm = { partition = "long", memory = "4G", walltime = "3d" }
        [worker]
        prologue = ["module purge"]
        wrap = ["apptainer", "exec", "redqueen.sif"]
        stage = true
        smt = false
    "#;
    let profile = read(text);
    let slurm = Slurm {
        partition: Some("cpu".into()),
        account: Some("p1".into()),
        qos: Some("normal".into()),
        constraint: Some("[rack1|rack2]".into()),
        reservation: Some("r".into()),
        cluster: Some("east".into()),
        exclusive: true,
        extra: vec!["--licenses=none".into()],
        skip: vec!["--requeue".into()],
    };
    let job = JobLimits {
        cpus: 64,
        memory_mb: Some(102_400),
        walltime: 480 * MINUTE,
        poll: Duration::from_secs(90),
        max_submit: Some(20),
    };
    assert_eq!((&profile.site, profile.job), (&Site::Slurm(slurm.clone()), job));
    assert_eq!((profile.via, profile.data), (vec!["ssh".into(), "login1".into()], Some("/scratch/me/redqueen".into())));
    let scale = Scale {
        min: 1,
        max: 40,
        waiting: 3,
        idle: 10 * MINUTE,
        lost: 60 * MINUTE,
        finish_within: Some(36 * 60 * MINUTE),
        budget_core_hours: Some(5_000.0),
    };
    assert_eq!(profile.scale, scale);
    // Its own job has the site's account and shares a node.
    let own = Slurm { partition: Some("long".into()), exclusive: false, ..slurm };
    let own_job = JobLimits { cpus: 1, memory_mb: Some(4_096), walltime: 3 * 24 * 60 * MINUTE, ..job };
    let coordinator = Coordinator {
        place: Place::Job,
        http: Some(([127, 0, 0, 1], 7_879).into()),
        http_public: false,
        interface: Some("ib0".into()),
        ports: Some((7_800, 7_899)),
        job: (Site::Slurm(own), own_job),
    };
    assert_eq!(profile.coordinator, coordinator);
    let worker = Worker {
        prologue: vec!["module purge".into()],
        wrap: vec!["apptainer".into(), "exec".into(), "redqueen.sif".into()],
        stage: true,
        smt: false,
    };
    assert_eq!(profile.worker, worker);
}

#[test]
fn a_coordinator_needs_little() {
    let job = |text: &str| read(text).coordinator.job.1;
    let large = "[slurm]\ncpus = 64\nmemory = \"100G\"\nwalltime = \"8h\"\n[coordinator]\nplace = \"job\"";
    let expected = JobLimits { memory_mb: Some(2_048), walltime: 480 * MINUTE, ..JobLimits::default() };
    assert_eq!(job(large), expected);
    assert_eq!(job(&large.replace("memory = \"100G\"", "")).memory_mb, None, "where the site refuses --mem");
}

#[test]
fn the_system_is_chosen() {
    let name = |text: &str, system| chosen(text, system).site.name();
    assert_eq!(name("[pbs]\nqueue = \"q\"", None), "pbs");
    assert_eq!(name("system = \"lsf\"\n[pbs]\nqueue = \"q\"", None), "lsf");
    assert_eq!(name("system = \"lsf\"\n[pbs]\nqueue = \"q\"", Some("sge")), "sge");
    let Site::Sge(sge) = read("[sge]\nparallel-environment = \"threads\"\nmemory-resource = \"mem_free\"").site else {
        panic!()
    };
    let expected = Sge { parallel_environment: "threads".into(), memory_resource: "mem_free".into(), ..Sge::default() };
    assert_eq!(sge, expected);
    let Site::Kubernetes(pods) = read("[kubernetes]\nimage = \"i\"\ncpu = 4\nnode-selector = { disk = \"ssd\" }").site
    else {
        panic!()
    };
    let expected = Kubernetes {
        namespace: None,
        image: "i".into(),
        storage_class: None,
        storage: "10Gi".into(),
        node_selector: vec![("disk".into(), "ssd".into())],
        cpu: 4,
        memory: "2Gi".into(),
    };
    assert_eq!(pods, expected);
}

#[test]
fn hosts_stand_in_the_profile_or_in_a_file() {
    let Site::Ssh(Hosts::Listed(hosts)) = read("[ssh]\nhosts = [\"n1\", \"n2:32\"]").site else { panic!() };
    assert_eq!(
        hosts.iter().map(|host| (host.name.as_str(), host.cores)).collect::<Vec<_>>(),
        [("n1", None), ("n2", Some(32))]
    );
    let site = read("[ssh]\nfile = \"$SCRATCH/hosts\"").site;
    assert_eq!(site, Site::Ssh(Hosts::File("/scratch/me/hosts".into())));

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hosts");
    let mut file = HostFile::new(&path);
    assert!(file.changed().unwrap_err().contains("hosts: No such file"));
    std::fs::write(&path, "n1\n").unwrap();
    assert_eq!(file.changed().unwrap().unwrap().len(), 1);
    assert_eq!(file.changed(), Ok(None));
    std::fs::write(&path, "n1\nn2 n3\n").unwrap();
    assert!(file.changed().unwrap_err().contains("hosts: line 2"), "and again until it is right");
    assert!(file.changed().is_err());
    std::fs::write(&path, "n1\nn2\nn3\n").unwrap();
    assert_eq!(file.changed().unwrap().unwrap().len(), 3);
}
