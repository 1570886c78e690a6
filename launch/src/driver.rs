//! Carries out what the core asks for: commands of the batch system, calls to the coordinator, lines of the journal.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, VecDeque},
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::{
    call::quote,
    control::Coordinator,
    core::{Act, Core, Ended, Policy, Seen, View},
    directory::{Directory, Status},
    job::{Job, JobId},
    journal::{Entry, Journal},
    runner::Runner,
    systems::{BatchSystem, RefusalClass},
};

/// A batch system that may be asked from any thread.
pub type System = Box<dyn BatchSystem + Send + Sync>;

/// How workers are run.
#[derive(Clone, Debug)]
pub struct Worker {
    /// What stands before the program, such as a container.
    pub wrap: Vec<String>,
    /// The program.
    pub program: PathBuf,
    /// Where each machine keeps a copy of it, which its first worker makes; none is made if `None`.
    pub staged: Option<PathBuf>,
    /// Further arguments.
    pub extra: Vec<String>,
    /// Lines of shell before it.
    pub prologue: Vec<String>,
    /// It leaves after so long without work, and without a coordinator.
    pub idle: Duration,
    /// As above.
    pub lost: Duration,
    /// Cores of a job.
    pub cpus: u32,
    /// Memory of a job in MiB; left to the batch system if `None`.
    pub memory_mb: Option<u64>,
}

/// A launcher at work.
pub struct Driver {
    core: Core,
    began: Instant,
    acts: VecDeque<Act>,
    system_name: String,
    system: std::sync::Arc<System>,
    runner: Runner,
    worker: Worker,
    coordinator: Coordinator,
    journal: Journal,
    directory: Directory,
    host: String,
    /// Ids of jobs that have not ended, by name.
    known: BTreeMap<String, JobId>,
    stopping: Option<bool>,
    ended: Option<Ended>,
    /// Why the coordinator did not answer last.
    pub away: Option<String>,
    /// Whether every run had ended when it answered last.
    pub work_is_over: bool,
}

/// What a launcher needs.
pub struct Parts {
    /// What a person allows and wants.
    pub policy: Policy,
    /// Name of the batch system, for people.
    pub system_name: String,
    /// The batch system.
    pub system: System,
    /// What runs its commands.
    pub runner: Runner,
    /// How workers are run.
    pub worker: Worker,
    /// The coordinator.
    pub coordinator: Coordinator,
    /// Where the launch is kept.
    pub directory: Directory,
    /// Name of this machine.
    pub host: String,
}

impl Driver {
    /// Goes on with the launch of a directory, or begins it.
    ///
    /// # Errors
    /// The journal cannot be used.
    pub fn start(parts: Parts) -> io::Result<Self> {
        let (journal, past) = Journal::open(&parts.directory.journal())?;
        if past.broken > 0 {
            let path = parts.directory.journal();
            tracing::warn!("{} lines of `{}` cannot be read and are skipped", past.broken, path.display());
        }
        let mut known = BTreeMap::new();
        past.records.iter().for_each(|record| note_id(&mut known, &record.entry));
        let began = Instant::now();
        let mut acts = Vec::new();
        let core = Core::new(parts.policy, &parts.directory.id(), &past.records, wall(), Duration::ZERO, &mut acts);
        Ok(Driver {
            core,
            began,
            acts: acts.into(),
            system_name: parts.system_name,
            system: std::sync::Arc::new(parts.system),
            runner: parts.runner,
            worker: parts.worker,
            coordinator: parts.coordinator,
            journal,
            directory: parts.directory,
            host: parts.host,
            known,
            stopping: None,
            ended: None,
            away: None,
            work_is_over: false,
        })
    }

    /// Looks at the coordinator, decides, and does what follows from it. Gives how the launch ended, once it has.
    ///
    /// # Errors
    /// The journal cannot be written; nothing more may be asked for then.
    pub async fn step(&mut self) -> io::Result<Option<Ended>> {
        self.carry_out().await?;
        let costs = self.core.costs(self.began.elapsed());
        let seen = match self.coordinator.fleet(Some(&costs)).await {
            Ok((demand, members)) => {
                self.away = None;
                self.work_is_over = demand.ended;
                Seen::Fleet { demand, members }
            }
            Err(why) => {
                self.away = Some(why);
                Seen::CoordinatorAway
            }
        };
        self.tell(seen);
        let asked = self.directory.asked_to_stop();
        if let Some(now) = asked.filter(|_| asked != self.stopping) {
            self.stopping = asked;
            self.tell(Seen::Stop { now });
        }
        self.carry_out().await?;
        let ended = self.ended.as_ref().map(|ended| ended.outcome.to_string());
        let view = self.view();
        let status = Status {
            system: self.system_name.clone(),
            host: self.host.clone(),
            pid: std::process::id(),
            at: wall(),
            ended,
            view: &view,
        };
        // People see an older one then.
        if let Err(error) = self.directory.write_status(&status) {
            tracing::warn!("the status of the launch cannot be written: {error}");
        }
        Ok(self.ended.clone())
    }

    /// The launch now.
    pub fn view(&self) -> View {
        self.core.view(self.began.elapsed())
    }

    /// The job that would be asked for under `name`, for as long as `walltime`.
    pub fn job(worker: &Worker, directory: &Directory, name: &str, walltime: Duration, exclude: Vec<String>) -> Job {
        let seconds = |time: Duration| time.as_secs().max(1).to_string();
        let address = directory.address().display().to_string();
        let program = worker.staged.as_ref().unwrap_or(&worker.program).display().to_string();
        let mut prologue = worker.prologue.clone();
        prologue.extend(worker.staged.as_ref().map(|staged| stage(&worker.program, staged)));
        let mut command = worker.wrap.clone();
        command.extend([program, "worker".to_owned(), "--access".to_owned(), address]);
        let options = [
            ("--allocation", name.to_owned()),
            ("--name", name.to_owned()),
            ("--threads", worker.cpus.to_string()),
            ("--patience-secs", seconds(worker.lost)),
            ("--lost-secs", seconds(worker.lost)),
            ("--idle-secs", seconds(worker.idle)),
        ];
        command.extend(options.into_iter().flat_map(|(option, value)| [option.to_owned(), value]));
        command.extend(worker.extra.iter().cloned());
        Job {
            name: name.to_owned(),
            cpus: worker.cpus,
            memory_mb: worker.memory_mb,
            walltime,
            exclude,
            prologue,
            command,
            after: None,
            log: directory.log(name),
        }
    }

    fn tell(&mut self, seen: Seen) {
        let mut acts = Vec::new();
        self.core.handle(self.began.elapsed(), seen, &mut acts);
        self.acts.extend(acts);
    }

    async fn carry_out(&mut self) -> io::Result<()> {
        while let Some(act) = self.acts.pop_front() {
            match act {
                Act::Submit { name, walltime, exclude } => self.submit(name, walltime, exclude).await,
                Act::Query => self.query().await,
                Act::Cancel(ids) => self.cancel(ids).await,
                Act::Leave(names) => {
                    // The core says so again while they stay.
                    if let Err(why) = self.coordinator.leave(&names).await {
                        tracing::debug!("workers were not told to leave: {why}");
                    }
                }
                Act::Note(entry) => {
                    say(&entry, self.directory.log("NAME").display());
                    note_id(&mut self.known, &entry);
                    self.journal.append(wall(), &entry)?;
                    if matches!(entry, Entry::Ended { .. }) {
                        let live: BTreeSet<&String> = self.known.keys().collect();
                        self.directory.prune_logs(&|name| live.contains(&name.to_owned()));
                    }
                }
                Act::End(ended) => self.ended = Some(ended),
            }
        }
        Ok(())
    }

    async fn submit(&mut self, name: String, walltime: Duration, exclude: Vec<String>) {
        let job = Self::job(&self.worker, &self.directory, &name, walltime, exclude);
        let answer = match self.system.submit(&job) {
            Ok(call) => {
                let (system, mut runner) = (self.system.clone(), self.runner.clone());
                blocking(move || system.read_submit(&job, &runner.run(&call))).await
            }
            Err(refusal) => Err(refusal),
        };
        self.tell(Seen::Submitted { name, answer });
    }

    async fn query(&mut self) {
        let known: Vec<JobId> = self.known.values().cloned().collect();
        let (system, mut runner) = (self.system.clone(), self.runner.clone());
        let listed = blocking(move || {
            let outputs = runner.run_all(&system.query(&known), system.at_once());
            let mut jobs = Vec::new();
            for output in &outputs {
                jobs.extend(system.read_query(output)?);
            }
            Ok::<_, crate::systems::Unreadable>(jobs)
        });
        let listed = listed.await.map_err(|unreadable| unreadable.to_string());
        self.tell(Seen::Queue(listed));
    }

    async fn cancel(&mut self, ids: Vec<JobId>) {
        let calls = self.system.cancel(&ids);
        let (system, mut runner) = (self.system.clone(), self.runner.clone());
        let outputs = blocking(move || runner.run_all(&calls, system.at_once())).await;
        let ok = outputs.iter().all(|output| output.code == Some(0));
        if let Some(failed) = outputs.iter().find(|output| output.code != Some(0)) {
            tracing::warn!("jobs may not have been cancelled: {}", failed.words());
        }
        self.tell(Seen::Cancelled { ids, ok });
    }
}

/// A line of shell that copies the program to `staged`, in a directory that no other account may write, unless it is there. Where
/// that fails the job does, and its log says why.
fn stage(program: &Path, staged: &Path) -> String {
    let quoted = |path: &Path| quote(&path.display().to_string()).map_or_else(|_| "''".to_owned(), Cow::into_owned);
    let (place, program, copy) = (quoted(staged.parent().unwrap_or(staged)), quoted(program), quoted(staged));
    format!(
        "mkdir -m 700 {place} 2>/dev/null; [ -O {place} ] && [ ! -L {place} ] && \
         {{ [ -x {copy} ] || {{ cp {program} {copy}.$$ && mv {copy}.$$ {copy}; }}; }}"
    )
}

/// Runs what waits on a thread for that.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Keeps the ids of jobs that have not ended.
fn note_id(known: &mut BTreeMap<String, JobId>, entry: &Entry) {
    match entry {
        Entry::Accepted { name, id } | Entry::Found { name, id: Some(id), .. } => {
            known.insert(name.clone(), id.clone());
        }
        Entry::Ended { name, .. } | Entry::Absent { name } => {
            known.remove(name);
        }
        _ => {}
    }
}

/// Tells people what happened; `logs` says where jobs print.
fn say(entry: &Entry, logs: impl std::fmt::Display) {
    match entry {
        Entry::Costs { .. } | Entry::Began { .. } => tracing::debug!("{entry}"),
        Entry::NotJoined { .. } | Entry::Paused { .. } => tracing::warn!("{entry}; what jobs print is in {logs}"),
        Entry::Refused { class: RefusalClass::Limit, .. } => tracing::info!("{entry}"),
        Entry::Refused { .. }
        | Entry::Excluded { .. }
        | Entry::Unreadable { .. }
        | Entry::Away
        | Entry::Warning { .. } => tracing::warn!("{entry}"),
        _ => tracing::info!("{entry}"),
    }
}

/// Seconds since 1970.
fn wall() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
