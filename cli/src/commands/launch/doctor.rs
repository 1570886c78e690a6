//! `redqueen launch doctor`: what may go wrong on this machine, before it does.

use std::{fs, path::Path, process::ExitCode};

use launch::{call::Call, runner::Runner};
use rustix::process::{Resource, getrlimit};
use serde_json::{Value, json};

use crate::{error::CliError, listen, output::Output};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Directory of the launch, to look at the file system that it is on.
    #[arg(value_name = "DIR", default_value = ".")]
    data: std::path::PathBuf,
}

/// Commands that show which batch systems there are, and the systems' names.
const COMMANDS: [(&str, &[&str]); 5] = [
    ("slurm", &["sinfo", "--version"]),
    ("sge", &["qconf", "-help"]),
    ("pbs", &["qstat", "--version"]),
    ("lsf", &["lsid"]),
    ("ssh", &["ssh", "-V"]),
];
/// Login nodes with such a limit of CPU time, in seconds, end a launcher within days.
const CPU_SECS_MIN: u64 = 7 * 24 * 3_600;

/// Something that was looked at.
struct Finding {
    what: &'static str,
    found: String,
    /// What to do about it, if it may be trouble.
    advice: Option<String>,
}

impl Args {
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let findings = [batch_systems(), networks(), cpu_limit(), logout(), place(&self.data)];
        let text = || {
            let line = |finding: &Finding| match &finding.advice {
                None => format!("ok    {}: {}", finding.what, finding.found),
                Some(advice) => format!("look  {}: {}\n      {advice}", finding.what, finding.found),
            };
            findings.iter().map(line).collect::<Vec<_>>().join("\n")
        };
        let value =
            |finding: &Finding| json!({ "what": finding.what, "found": finding.found, "advice": finding.advice });
        output.result(text, || json!({ "findings": findings.iter().map(value).collect::<Vec<Value>>() }));
        Ok(ExitCode::SUCCESS)
    }
}

fn batch_systems() -> Finding {
    let mut runner = Runner::default();
    let mut found = Vec::new();
    for (name, argv) in COMMANDS {
        let output = runner.run(&Call::new(argv.iter().copied()));
        if output.code == Some(0) {
            let words = output.words();
            found.push(format!("{name} ({})", words.lines().next().unwrap_or_default()));
        }
    }
    let advice = found.is_empty().then(|| {
        "no commands of a batch system here: `launch local` needs none; for others set `via = [\"ssh\", \"LOGIN-NODE\"]` in the \
         profile"
            .to_owned()
    });
    Finding {
        what: "batch systems",
        found: if found.is_empty() { "none".to_owned() } else { found.join(", ") },
        advice,
    }
}

fn networks() -> Finding {
    let named = listen::interfaces();
    let outside: Vec<&(String, std::net::IpAddr)> = named.iter().filter(|(_, ip)| !ip.is_loopback()).collect();
    let found = outside.iter().map(|(name, ip)| format!("{name} {ip}")).collect::<Vec<_>>().join(", ");
    let advice = match outside.len() {
        0 => Some("nodes cannot reach this machine: it has no network but loopback".to_owned()),
        1 => None,
        _ => Some(
            "the coordinator listens on all of them unless the profile chooses one: `[coordinator] listen = { interface = \
             \"…\" }`"
                .to_owned(),
        ),
    };
    Finding { what: "networks", found: if found.is_empty() { "loopback alone".to_owned() } else { found }, advice }
}

fn cpu_limit() -> Finding {
    let limit = getrlimit(Resource::Cpu).current;
    let found = limit.map_or("none".to_owned(), |secs| format!("{secs} s"));
    let advice = limit.filter(|secs| *secs < CPU_SECS_MIN).map(|_| {
        "coordinator and launcher are ended here after so much CPU time (about a minute a day at 1,000 trials a second): use \
         another machine, or `launch --once` from cron"
            .to_owned()
    });
    Finding { what: "limit of CPU time", found, advice }
}

/// Whether processes end with the login session that started them.
fn logout() -> Finding {
    let mut files = vec!["/etc/systemd/logind.conf".into()];
    for directory in ["/usr/lib/systemd/logind.conf.d", "/etc/systemd/logind.conf.d"] {
        let mut more: Vec<_> = fs::read_dir(directory).into_iter().flatten().flatten().map(|e| e.path()).collect();
        more.sort();
        files.extend(more);
    }
    let value = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path).ok()?;
        let mut values = text.lines().filter_map(|line| line.trim().strip_prefix("KillUserProcesses="));
        values.next_back().map(|value| value.trim().to_owned())
    };
    let kills = files
        .iter()
        .filter_map(value)
        .next_back()
        .is_some_and(|value| ["yes", "true", "1", "on"].contains(&value.as_str()));
    let advice = kills.then(|| {
        "logging out ends coordinator and launcher: `loginctl enable-linger` if you may, or work from another machine".to_owned()
    });
    let found =
        if kills { "ends every process of a session (KillUserProcesses=yes)" } else { "leaves processes alone" };
    Finding { what: "logging out", found: found.to_owned(), advice }
}

fn place(data: &Path) -> Finding {
    let kind = coordinator::FileSystem::of(data);
    let found = format!("{} is on {}", data.display(), kind.name());
    let advice = match kind.is_shared() {
        true => None,
        false => Some(
            "nodes must see the directory of a launch: choose one on a file system that they share (not for `launch local`)"
                .to_owned(),
        ),
    };
    Finding { what: "data", found, advice }
}
