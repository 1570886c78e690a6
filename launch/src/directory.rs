//! What a launch keeps beside the runs of its coordinator: `launch/` in the data directory, closed to other accounts.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, File},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use redqueen_wire::ADDRESS_FILE;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::core::View;

/// Forecasts of runs, in the directory of the launch.
const FORECASTS: &str = "forecasts.json";
/// Logs of ended jobs that are kept; older ones are removed.
const LOGS_KEPT: usize = 20;

/// The directory of a launch.
#[derive(Clone, Debug)]
pub struct Directory {
    data: PathBuf,
    launch: PathBuf,
}

/// Keeps other launchers out for as long as it lives.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock is the open file")] File);

/// What the last launcher wrote down for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Status<V = serde_json::Value> {
    /// The batch system.
    pub system: String,
    /// Name of the machine of the launcher, and its process id there.
    pub host: String,
    /// As above.
    pub pid: u32,
    /// When it was written, in seconds since 1970.
    pub at: u64,
    /// How the launch ended, if it has.
    pub ended: Option<String>,
    /// What the launcher saw.
    pub view: V,
}

/// What trials of a launch were expected to take before any ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Forecast {
    /// Name of the experiment.
    pub name: String,
    /// Core-seconds of its trials, on the machine `host`.
    pub core_secs: f64,
    /// Trials that were tried for it.
    pub sampled: u64,
    /// The machine.
    pub host: String,
}

impl Directory {
    /// The directory of the launch whose coordinator keeps its runs in `data`, which is made if it does not exist.
    ///
    /// # Errors
    /// It cannot be made, or belongs to others.
    pub fn make(data: &Path) -> io::Result<Self> {
        fs::create_dir_all(data)?;
        // Absolute, since jobs begin in other places, and the same by every path, since it names the launch.
        let data = fs::canonicalize(data)?;
        let launch = data.join("launch");
        match DirBuilder::new().mode(0o700).create(&launch) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::set_permissions(&launch, fs::Permissions::from_mode(0o700))?;
            }
            made => made?,
        }
        let directory = Directory { data, launch };
        fs::create_dir_all(directory.logs())?;
        Ok(directory)
    }

    /// The directory of a launch that exists.
    ///
    /// # Errors
    /// There is none.
    pub fn open(data: &Path) -> io::Result<Self> {
        let data = fs::canonicalize(data)?;
        let launch = data.join("launch");
        fs::metadata(&launch)?;
        Ok(Directory { data, launch })
    }

    /// The coordinator's data directory.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The launch's name in those of its jobs: eight digits, the same for every launcher of this directory.
    pub fn id(&self) -> String {
        name_of(self.data.as_os_str().as_encoded_bytes())
    }

    /// The coordinator's address file.
    pub fn address(&self) -> PathBuf {
        self.data.join(ADDRESS_FILE)
    }

    /// The journal.
    pub fn journal(&self) -> PathBuf {
        self.launch.join("launch.jsonl")
    }

    /// What the coordinator logs.
    pub fn coordinator_log(&self) -> PathBuf {
        self.launch.join("coordinator.log")
    }

    /// What a launcher logs that runs in the background.
    pub fn launcher_log(&self) -> PathBuf {
        self.launch.join("launcher.log")
    }

    /// The coordinator that a launcher started.
    pub fn head(&self) -> PathBuf {
        self.launch.join("coordinator.json")
    }

    /// The directory of what jobs print.
    pub fn logs(&self) -> PathBuf {
        self.launch.join("logs")
    }

    /// What a job prints.
    pub fn log(&self, name: &str) -> PathBuf {
        self.logs().join(format!("{name}.log"))
    }

    /// Takes the launch for this process.
    ///
    /// # Errors
    /// `None` inside if another launcher has it; an error if there can be no lock.
    pub fn lock(&self) -> io::Result<Option<Lock>> {
        let path = self.launch.join("lock");
        let file = File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes down the arguments of a launcher and where it was started.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remember(&self, arguments: &[String], place: &Path) -> io::Result<()> {
        replace(&self.launch.join("command.json"), &serde_json::to_vec(&(arguments, place))?)
    }

    /// The arguments of the last launcher and where it was started.
    ///
    /// # Errors
    /// They were not written down.
    pub fn remembered(&self) -> io::Result<(Vec<String>, PathBuf)> {
        Ok(serde_json::from_slice(&fs::read(self.launch.join("command.json"))?)?)
    }

    /// Writes down what the trials of a run were expected to take, unless that was done before; `id` is the experiment's.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_forecast(&self, id: &str, forecast: &Forecast) -> io::Result<()> {
        let mut forecasts = self.forecasts();
        forecasts.entry(id.to_owned()).or_insert_with(|| forecast.clone());
        replace(&self.launch.join(FORECASTS), &serde_json::to_vec_pretty(&forecasts)?)
    }

    /// What the trials of each run were expected to take, by the experiments' ids. Empty where nothing was written down.
    pub fn forecasts(&self) -> BTreeMap<String, Forecast> {
        let text = fs::read(self.launch.join(FORECASTS));
        text.ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// The directory of the launch's own tables.
    pub fn tables(&self) -> &Path {
        &self.launch
    }

    /// Asks the launcher to stop, now or when workers have finished what they run.
    ///
    /// # Errors
    /// The request cannot be written.
    pub fn ask_to_stop(&self, now: bool) -> io::Result<()> {
        replace(&self.stop(), if now { b"now\n" } else { b"drain\n" })
    }

    /// Whether the launcher was asked to stop, and whether now.
    pub fn asked_to_stop(&self) -> Option<bool> {
        fs::read_to_string(self.stop()).ok().map(|text| text.trim() == "now")
    }

    /// Forgets that the launcher was asked to stop.
    pub fn forget_stop(&self) {
        let _ = fs::remove_file(self.stop());
    }

    fn stop(&self) -> PathBuf {
        self.launch.join("stop")
    }

    /// Writes down where the launch stands.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_status(&self, status: &Status<&View>) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(status)?;
        text.push(b'\n');
        replace(&self.launch.join("status.json"), &text)
    }

    /// Where the launch stood when a launcher last wrote it down.
    ///
    /// # Errors
    /// None has, or the file is damaged.
    pub fn status(&self) -> io::Result<Status> {
        Ok(serde_json::from_slice(&fs::read(self.launch.join("status.json"))?)?)
    }

    /// Removes the oldest logs of jobs that are not among `live`.
    pub fn prune_logs(&self, live: &dyn Fn(&str) -> bool) {
        let Ok(entries) = fs::read_dir(self.logs()) else { return };
        let mut logs: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.path().file_stem().is_some_and(|name| !live(&name.to_string_lossy())))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        logs.sort();
        for (_, path) in logs.iter().rev().skip(LOGS_KEPT) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Eight digits that name these bytes.
pub fn name_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..8].to_owned()
}

/// Arguments without an option and its value, which may stand behind it or behind an equals sign.
pub fn without_value(arguments: Vec<String>, option: &str) -> Vec<String> {
    let mut kept = Vec::with_capacity(arguments.len());
    let mut rest = arguments.into_iter();
    while let Some(word) = rest.next() {
        match word.strip_prefix(option) {
            Some("") => drop(rest.next()),
            Some(value) if value.starts_with('=') => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// The end of a log, at most `bytes` of it, from the beginning of a line.
///
/// # Errors
/// It cannot be read.
pub fn tail(path: &Path, bytes: u64) -> io::Result<String> {
    use std::io::Seek as _;
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let cut = length > bytes;
    file.seek(io::SeekFrom::Start(length.saturating_sub(bytes)))?;
    let mut text = Vec::new();
    file.take(bytes).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(if cut { text.split_once('\n').map_or(text.clone(), |(_, rest)| rest.to_owned()) } else { text })
}

/// Replaces a file in one step.
pub(crate) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    file.write_all(text)?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forecast_stays_what_it_was_before_anything_ran() {
        let place = tempfile::tempdir().expect("a directory");
        let directory = Directory::make(place.path()).expect("made");
        assert_eq!(directory.forecasts(), BTreeMap::new());
        let forecast = |core_secs| Forecast { name: "a".to_owned(), core_secs, sampled: 3, host: "h".to_owned() };
        for (id, secs) in [("1", 5.0), ("1", 6.0), ("2", 7.0)] {
            directory.write_forecast(id, &forecast(secs)).expect("written");
        }
        let expected = [("1", 5.0), ("2", 7.0)].map(|(id, secs)| (id.to_owned(), forecast(secs)));
        assert_eq!(directory.forecasts(), BTreeMap::from(expected));
    }

    #[test]
    fn one_launcher_at_a_time() {
        let place = tempfile::tempdir().expect("a directory");
        let directory = Directory::make(&place.path().join("data")).expect("made");
        let mode = fs::metadata(directory.logs().parent().expect("launch")).expect("made").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let lock = directory.lock().expect("flock works").expect("free");
        assert!(directory.lock().expect("flock works").is_none());
        drop(lock);
        assert!(directory.lock().expect("flock works").is_some());
        assert_eq!(directory.id(), Directory::open(&place.path().join("data/../data")).expect("there").id());
    }

    #[test]
    fn the_latest_logs_and_those_of_live_jobs_are_kept() {
        let place = tempfile::tempdir().expect("a directory");
        let directory = Directory::make(place.path()).expect("made");
        for job in 0..40 {
            let file = File::create(directory.log(&format!("rq-{job:04}"))).expect("created");
            let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000 + job);
            file.set_modified(at).expect("set");
        }
        directory.prune_logs(&|name| name == "rq-0003");
        let mut left: Vec<_> =
            fs::read_dir(directory.logs()).expect("there").flatten().map(|e| e.file_name()).collect();
        left.sort();
        assert_eq!(left.len(), 21);
        assert_eq!((left[0].to_str(), left[1].to_str()), (Some("rq-0003.log"), Some("rq-0020.log")));
    }

    #[test]
    fn an_option_is_taken_out_with_its_value() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for text in ["launch --place job FILE", "launch --place=job FILE", "launch FILE", "launch FILE --place"] {
            assert_eq!(without_value(words(text), "--place"), ["launch", "FILE"], "{text}");
        }
    }

    #[test]
    fn the_end_of_a_log_begins_with_a_line() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("log");
        fs::write(&path, "first\nsecond\nthird\n").expect("written");
        for (bytes, wanted) in
            [(100, "first\nsecond\nthird\n"), (10, "third\n"), (13, "third\n"), (14, "second\nthird\n")]
        {
            assert_eq!(tail(&path, bytes).expect("read"), wanted, "{bytes}");
        }
    }
}
