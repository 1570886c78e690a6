//! The journal of a launch: what happened, one JSON object a line, each on disk before the next thing is done.

use std::{
    collections::BTreeMap,
    fmt,
    fs::{File, OpenOptions},
    io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    core::{Costs, Ended},
    job::JobId,
    systems::RefusalClass,
};

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it was written, in seconds since 1970-01-01 UTC.
    pub at: u64,
    /// What happened.
    #[serde(flatten)]
    pub entry: Entry,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Entry {
    /// The launcher started.
    Began {
        /// Seconds in which the work should be done.
        finish_within: Option<u64>,
    },
    /// A job is about to be asked for. Without an answer in the journal it is in doubt after a restart.
    Asked {
        /// Its name.
        name: String,
        /// Its threads.
        cpus: u32,
        /// Its longest duration in seconds.
        walltime: u64,
    },
    /// The batch system took a job.
    Accepted {
        /// The job's name.
        name: String,
        /// The batch system's name for it.
        id: JobId,
    },
    /// The batch system did not take a job, or did not say whether it did.
    Refused {
        /// The job's name.
        name: String,
        /// What follows from it.
        class: RefusalClass,
        /// The batch system's words.
        text: String,
    },
    /// The queue does not list a job in doubt. It does not exist if that is so once more.
    Unlisted {
        /// The job's name.
        name: String,
    },
    /// A job in doubt does not exist.
    Absent {
        /// The job's name.
        name: String,
    },
    /// A job of this launch was found of which the journal knew nothing.
    Found {
        /// The job's name.
        name: String,
        /// The batch system's name for it, if the queue showed it.
        id: Option<JobId>,
        /// Its threads.
        cpus: u32,
    },
    /// A job runs.
    Started {
        /// The job's name.
        name: String,
        /// How often it had begun before.
        restart: u32,
        /// The machine; empty if unknown.
        host: String,
    },
    /// A job's worker said Hello.
    Joined {
        /// The job's name.
        name: String,
        /// How often it had begun before.
        restart: u32,
        /// The machine.
        host: String,
    },
    /// A job was put back into the queue; it will begin anew.
    Requeued {
        /// The job's name.
        name: String,
        /// How often it has begun, as far as the batch system says.
        restart: u32,
        /// What it cost since it last began.
        costs: Costs,
    },
    /// A job runs and its worker has not said Hello.
    NotJoined {
        /// The job's name.
        name: String,
        /// The machine; empty if unknown.
        host: String,
    },
    /// Jobs are cancelled.
    Cancelling {
        /// Their names.
        names: Vec<String>,
        /// Why.
        why: String,
    },
    /// Workers are told to leave.
    Leaving {
        /// Names of their jobs.
        names: Vec<String>,
        /// Why.
        why: String,
    },
    /// A job has ended.
    Ended {
        /// Its name.
        name: String,
        /// How.
        how: Ending,
        /// What it cost since it last began.
        costs: Costs,
    },
    /// A machine is left out of further jobs.
    Excluded {
        /// The machine.
        host: String,
    },
    /// No jobs are asked for at present.
    Paused {
        /// Why.
        why: String,
    },
    /// Jobs are asked for again.
    Resumed,
    /// The queue cannot be read.
    Unreadable {
        /// Why.
        text: String,
    },
    /// The queue can be read again.
    Readable,
    /// The coordinator does not answer.
    Away,
    /// The coordinator answers again.
    Back,
    /// What open jobs have cost since they last began; from time to time.
    Costs {
        /// By name.
        jobs: BTreeMap<String, Costs>,
    },
    /// Something that a person should know, said once.
    Warning {
        /// What.
        text: String,
    },
    /// The launch has ended.
    Over(Ended),
    /// An entry that this version does not know.
    #[serde(other)]
    Other,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Its worker had left.
    Left,
    /// Its time was over.
    TimeLimit,
    /// It was cancelled by the launcher.
    Cancelled,
    /// It ran and its worker never joined.
    NotJoined,
    /// It ended while its worker was busy: pre-emption, a fault of the machine, or a person.
    Lost,
    /// It disappeared from the queue and was not seen to run.
    Gone,
}

/// A journal that lines are appended to. One process writes it at a time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// The file ends with a line that is not whole; the next one begins on a line of its own.
    torn: bool,
}

/// What a journal says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Its lines, oldest first.
    pub records: Vec<Record>,
    /// Lines that could not be read and were skipped, the torn one not included.
    pub broken: u64,
    /// The last line is not whole, as after a crash. What it would have said was not done yet.
    pub torn: bool,
}

impl Past {
    /// Reads a journal from its bytes.
    ///
    /// # Errors
    /// Reading fails. Bytes that are not a journal are no error but broken lines.
    pub fn read(mut from: impl io::BufRead) -> io::Result<Past> {
        let mut past = Past::default();
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line)? > 0 {
            let whole = line.last() == Some(&b'\n');
            match serde_json::from_slice(&line) {
                Ok(record) => past.records.push(record),
                Err(_) if !whole => past.torn = true,
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(_) => past.broken += 1,
            }
            line.clear();
        }
        Ok(past)
    }
}

impl Journal {
    /// Opens a journal, making it if it does not exist, and reads what it says.
    ///
    /// # Errors
    /// The file cannot be opened, made, read or put on disk.
    pub fn open(path: &Path) -> io::Result<(Journal, Past)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let past = Past::read(BufReader::new(&mut file))?;
        let torn = match file.seek(SeekFrom::End(0))? {
            0 => false,
            _ => {
                file.seek(SeekFrom::End(-1))?;
                let mut last = [0];
                file.read_exact(&mut last)?;
                last != *b"\n"
            }
        };
        // The file's name is on disk as well, or a crash loses all of it.
        file.sync_all()?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent)?.sync_all()?;
        Ok((Journal { file, torn }, past))
    }

    /// Appends a line and waits until it is on disk. `at` is the time in seconds since 1970-01-01 UTC.
    ///
    /// # Errors
    /// Writing fails. The line may be there in part or in whole; the next one is on a line of its own in any case.
    pub fn append(&mut self, at: u64, entry: &Entry) -> io::Result<()> {
        let mut line = if self.torn { b"\n".to_vec() } else { Vec::new() };
        serde_json::to_writer(&mut line, &Record { at, entry: entry.clone() })?;
        line.push(b'\n');
        self.torn = true;
        self.file.write_all(&line)?;
        self.torn = false;
        self.file.sync_data()
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Left => "its worker had left",
            Ending::TimeLimit => "its time was over",
            Ending::Cancelled => "cancelled",
            Ending::NotJoined => "no worker had joined",
            Ending::Lost => "taken away while its worker was busy",
            Ending::Gone => "it is gone from the queue and was not seen to run",
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let on = |host: &str| if host.is_empty() { String::new() } else { format!(" on {host}") };
        match self {
            Entry::Began { .. } => write!(f, "the launcher started"),
            Entry::Asked { name, walltime, .. } => write!(f, "asking for {name}, {} min", walltime / 60),
            Entry::Accepted { name, id } => write!(f, "{name} is job {}", id.0),
            Entry::Refused { name, class: RefusalClass::Doubtful, text } => {
                write!(f, "it is unknown whether {name} was accepted: {text}")
            }
            Entry::Refused { name, text, .. } => write!(f, "{name} was not accepted: {text}"),
            Entry::Unlisted { name } => write!(f, "the queue does not list {name}"),
            Entry::Absent { name } => write!(f, "{name} was not accepted: the queue does not list it"),
            Entry::Found { name, .. } => write!(f, "{name} was found and belongs to this launch"),
            Entry::Started { name, host, .. } => write!(f, "{name} runs{}", on(host)),
            Entry::Joined { name, host, .. } => write!(f, "the worker of {name} has joined{}", on(host)),
            Entry::Requeued { name, .. } => write!(f, "{name} was put back into the queue"),
            Entry::NotJoined { name, host } => write!(f, "{name} runs{} and no worker has joined", on(host)),
            Entry::Cancelling { names, why } => write!(f, "cancelling {}: {why}", names.join(", ")),
            Entry::Leaving { names, why } => write!(f, "workers of {} are to leave: {why}", names.join(", ")),
            Entry::Ended { name, how, .. } => write!(f, "{name} has ended: {how}"),
            Entry::Excluded { host } => write!(f, "no more jobs on {host}: workers did not join there"),
            Entry::Paused { why } => write!(f, "no jobs are asked for: {why}"),
            Entry::Resumed => write!(f, "jobs are asked for again"),
            Entry::Unreadable { text } => write!(f, "the queue cannot be read: {text}"),
            Entry::Readable => write!(f, "the queue can be read again"),
            Entry::Away => write!(f, "the coordinator does not answer"),
            Entry::Back => write!(f, "the coordinator answers"),
            Entry::Costs { jobs } => {
                let hours = jobs.values().map(Costs::allocated).sum::<f64>() / 3_600.0;
                write!(f, "{} jobs have taken {hours:.1} core-hours so far", jobs.len())
            }
            Entry::Warning { text } => write!(f, "{text}"),
            Entry::Over(ended) if ended.unconfirmed.is_empty() => write!(f, "the launch has ended: {}", ended.outcome),
            Entry::Over(ended) => write!(
                f,
                "the launch has ended: {}; the queue could not be read, and these jobs may still be in it: {}",
                ended.outcome,
                ended.unconfirmed.join(", "),
            ),
            Entry::Other => write!(f, "something that this version does not know"),
        }
    }
}
