//! Which process owns a run, as its file says, and whether that process still runs.

use std::{fmt, fs, sync::OnceLock};

use rustix::system::uname;
use serde_json::{Value, json};

/// A process, distinguished from every other one on any machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Name of its machine, for people.
    pub host: String,
    /// Its process id.
    pub pid: u32,
    /// The boot of its machine, and its name space of process ids there: what tells processes of one id apart, together
    /// with the time of its start. Empty where the system does not say.
    boot: String,
    space: String,
    started: u64,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on `{}`", self.pid, self.host)
    }
}

impl Holder {
    /// This process.
    pub(super) fn this() -> &'static Self {
        static THIS: OnceLock<Holder> = OnceLock::new();
        THIS.get_or_init(|| {
            let pid = std::process::id();
            Holder {
                host: uname().nodename().to_string_lossy().into_owned(),
                pid,
                boot: boot(),
                space: space(),
                started: stat(pid).map_or(0, |(_, started)| started),
            }
        })
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "host": self.host, "pid": self.pid, "boot": self.boot, "namespace": self.space, "started": self.started,
        })
    }

    pub(super) fn of_json(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Holder {
            host: text("host")?,
            pid: value["pid"].as_u64()?.try_into().ok()?,
            boot: text("boot")?,
            space: text("namespace")?,
            started: value["started"].as_u64()?,
        })
    }

    /// Whether it has certainly ended. That can only be seen from the same boot of the same machine, and from the same
    /// name space: a container does not see the processes of another.
    pub(super) fn is_gone(&self) -> bool {
        let this = Self::this();
        let visible = !self.boot.is_empty() && self.boot == this.boot && self.space == this.space;
        // Another process may have got its id.
        visible && stat(self.pid).is_none_or(|(state, started)| matches!(state, 'Z' | 'X') || started != self.started)
    }
}

/// Id of this boot; empty where the system has none.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

fn space() -> String {
    fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
}

/// State and start of a process, in ticks since the boot (`man 5 proc_pid_stat`).
pub(super) fn stat(pid: u32) -> Option<(char, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses, and may have some of its own.
    let mut fields = text[text.rfind(')')? + 1..].split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_is_gone_only_if_that_can_be_seen() {
        let this = Holder::this();
        assert_eq!(Holder::of_json(&this.to_json()).as_ref(), Some(this));
        assert!(!this.is_gone());
        let mut child = Command::new("true").spawn().expect("a process");
        let pid = child.id();
        let (_, started) = stat(pid).expect("it is not reaped yet");
        child.wait().expect("it ends");
        let ended = Holder { pid, started, ..this.clone() };
        assert!(ended.is_gone());
        // Its id belongs to another process by now.
        assert!(Holder { started: this.started + 1, ..this.clone() }.is_gone());
        // Another machine, or a boot before; another container; a system that does not say.
        assert!(!Holder { boot: "another".to_owned(), ..ended.clone() }.is_gone());
        assert!(!Holder { space: "pid:[1]".to_owned(), ..ended.clone() }.is_gone());
        assert!(!Holder { boot: String::new(), ..ended }.is_gone());
    }
}
