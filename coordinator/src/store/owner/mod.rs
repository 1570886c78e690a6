//! One owner for a run where a lock is not enough: a lease in a file of its directory.
//!
//! Locks of a shared file system may hold on one machine only, or not at all, and one that a dead machine holds may
//! never end. So the owner also writes a file, [`FILE`], and renews it; [`rules`] says who may take it and who must
//! stop. An owner that must stop writes nothing more, not even what it is in the middle of: a [`Fence`] is asked before
//! every write to the database ([`vfs`]).

mod fence;
mod process;
mod rules;
mod seen;
#[cfg(test)]
mod tests;
mod vfs;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};

pub(super) use self::{fence::Fence, rules::Times, vfs::FencedVfs};
use self::{
    fence::now,
    rules::{Seen, Standing},
    seen::Found,
};
pub use process::Holder;

use super::Error;
use crate::FileSystem;

/// The owner's file.
pub(super) const FILE: &str = "redqueen.owner";
/// Pause before a renewal that failed is tried again, at most.
const RETRY: Duration = Duration::from_secs(1);

/// A run's lease, renewed by a thread of its own until it is dropped.
#[derive(Debug)]
pub(super) struct Lease(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    directory: PathBuf,
    /// Drawn at random: distinguishes this lease from every other one, also of the same process.
    id: String,
    times: Times,
    fence: Arc<Fence>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug)]
struct State {
    renewals: u64,
    /// Begin of the last renewal, by [`now`]; `None` before the first.
    last: Option<Duration>,
    ended: bool,
}

impl Lease {
    /// Takes the lease of the run in `directory`, if no other process has it.
    ///
    /// # Errors
    /// [`Error::InUse`] while another process has it or may have it, or the file cannot be read or written.
    pub(super) fn take(directory: &Path, times: Times) -> Result<Self, Error> {
        let file = directory.join(FILE);
        let looked = now();
        let found = Found::read(directory).map_err(|error| Error::io(&file, error))?;
        if let Some(found) = &found {
            let gone = found.holder().is_some_and(Holder::is_gone);
            let left = seen::observe(&file, found).map(|unchanged| rules::wait(gone, unchanged, &times));
            if left != Some(Duration::ZERO) {
                return Err(Error::InUse {
                    path: directory.to_owned(),
                    holder: found.holder().cloned().map(Box::new),
                    left,
                });
            }
            // A renewal that its owner has begun fails from here on.
            let _ = fs::remove_file(temporary(directory, found.id()));
        }
        let shared = Shared {
            directory: directory.to_owned(),
            id: format!("{:032x}", rand::random::<u128>()),
            times,
            fence: Arc::default(),
            state: Mutex::new(State { renewals: 0, last: None, ended: false }),
            ended: Condvar::new(),
        };
        let standing = {
            let mut state = shared.lock();
            let taken = match found {
                None => shared.make(&mut state, looked),
                Some(_) => shared.replace(&mut state, looked),
            };
            taken.map_err(|error| Error::io(&file, error))?
        };
        if standing != Standing::Holds {
            let found = Found::read(directory).ok().flatten();
            // Where replacing it took too long, the file is that of this lease, which is not used: it gets old.
            let left = found.as_ref().filter(|found| found.id() == shared.id).map(|_| times.expire);
            let holder = found.and_then(|found| found.holder().cloned()).map(Box::new);
            return Err(Error::InUse { path: directory.to_owned(), holder, left });
        }
        seen::forget(&file);
        let shared = Arc::new(shared);
        let renewing = Arc::clone(&shared);
        thread::Builder::new()
            .name("lease".into())
            .spawn(move || renewing.keep())
            .map_err(|error| Error::io(&file, error))?;
        Ok(Lease(shared))
    }

    /// What writes of the owner are held against.
    pub(super) fn fence(&self) -> &Arc<Fence> {
        &self.0.fence
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        self.0.ended.notify_all();
        self.0.fence.open_until(Duration::ZERO);
        // Another's file stays, and so does one that cannot be read.
        if self.0.seen().is_ok_and(|seen| seen == Seen::Mine) {
            let _ = fs::remove_file(self.0.directory.join(FILE));
        }
        let _ = fs::remove_file(temporary(&self.0.directory, &self.0.id));
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the lease until it ends or is lost.
    fn keep(&self) {
        let mut state = self.lock();
        while !state.ended && !self.fence.is_lost() {
            let pause = if self.fence.is_open() { self.times.renew } else { RETRY.min(self.times.renew) };
            state = self.ended.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0;
            if !state.ended {
                self.renew(&mut state);
            }
        }
    }

    fn renew(&self, state: &mut State) {
        let looked = now();
        let found = Found::read(&self.directory);
        let seen = found.as_ref().ok().map(|found| self.seen_in(found.as_ref()));
        let renewed = match rules::before_renewal(seen, since(state, looked), &self.times) {
            Standing::Lost => Ok(Standing::Lost),
            _ => found
                .as_ref()
                .map_err(io::Error::to_string)
                .and_then(|_| self.replace(state, looked).map_err(|error| error.to_string())),
        };
        match renewed {
            Ok(Standing::Lost) => {
                let other = Found::read(&self.directory).ok().flatten().filter(|found| found.id() != self.id);
                self.fence.lose(other.and_then(|found| found.holder().cloned()));
                tracing::error!("the run in `{}` is another process's now", self.directory.display());
            }
            Ok(_) => {}
            Err(why) => {
                tracing::warn!("the lease of the run in `{}` is not renewed: {why}", self.directory.display());
                self.fence.fails(Some(why));
            }
        }
    }

    /// Makes the file where there is none, for which no other process can have been faster.
    fn make(&self, state: &mut State, looked: Duration) -> io::Result<Standing> {
        let temporary = self.write(state)?;
        match fs::hard_link(&temporary, self.directory.join(FILE)) {
            Ok(()) => {}
            // Not every file system has links, and an answer may be lost while the link is made.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if self.seen()? != Seen::Mine {
                    fs::remove_file(&temporary)?;
                    return Ok(Standing::Lost);
                }
            }
            Err(_) => return self.replace(state, looked),
        }
        fs::remove_file(&temporary)?;
        Ok(self.holds(state, looked))
    }

    /// Replaces the file, which was looked at at `looked`; [`Standing::Holds`] if this process may write now.
    fn replace(&self, state: &mut State, looked: Duration) -> io::Result<Standing> {
        fs::rename(self.write(state)?, self.directory.join(FILE))?;
        let replaced = now();
        let standing = rules::after_replacing(since(state, replaced), replaced.saturating_sub(looked), &self.times);
        match standing {
            Standing::Holds => {}
            Standing::Lost => return Ok(Standing::Lost),
            Standing::Lapsed => {
                thread::sleep(self.times.settle);
                if self.seen()? != Seen::Mine {
                    return Ok(Standing::Lost);
                }
            }
        }
        Ok(self.holds(state, looked))
    }

    fn holds(&self, state: &mut State, looked: Duration) -> Standing {
        state.last = Some(looked);
        self.fence.open_until(looked + self.times.stop);
        Standing::Holds
    }

    /// Writes the next content of the file under another name.
    fn write(&self, state: &mut State) -> io::Result<PathBuf> {
        state.renewals += 1;
        let mut content = Holder::this().to_json();
        content["id"] = self.id.clone().into();
        content["renewals"] = state.renewals.into();
        let temporary = temporary(&self.directory, &self.id);
        fs::write(&temporary, format!("{content}\n"))?;
        Ok(temporary)
    }

    fn seen(&self) -> io::Result<Seen> {
        Ok(self.seen_in(Found::read(&self.directory)?.as_ref()))
    }

    fn seen_in(&self, found: Option<&Found>) -> Seen {
        found.map_or(Seen::Nobody, |found| if found.id() == self.id { Seen::Mine } else { Seen::Other })
    }
}

/// Time from the last renewal to `to`.
fn since(state: &State, to: Duration) -> Duration {
    state.last.map_or(Duration::MAX, |last| to.saturating_sub(last))
}

fn temporary(directory: &Path, id: &str) -> PathBuf {
    directory.join(format!("{FILE}.{id}"))
}

/// The process that has the lease of the run in `directory`, as its file says; it may have ended.
pub(super) fn holder(directory: &Path) -> Option<Holder> {
    Found::read(directory).ok().flatten()?.holder().cloned()
}

/// The process that has the run in `directory` by a lease, unless it has certainly ended. The run is free when it gives
/// no sign of life for a minute.
pub fn leased_to(directory: &Path) -> Option<Holder> {
    let holder = FileSystem::of(directory).is_shared().then(|| holder(directory)).flatten();
    holder.filter(|holder| !holder.is_gone())
}

/// Whether a process seems to have the lease of the run in `directory`. A look cannot tell for certain; this is for
/// people.
pub(super) fn seems_held(directory: &Path) -> bool {
    let Ok(Some(found)) = Found::read(directory) else { return false };
    let fresh = || seen::age(directory).is_none_or(|age| age < 2 * Times::USUAL.expire);
    found.holder().is_none_or(|holder| !holder.is_gone()) && fresh()
}
