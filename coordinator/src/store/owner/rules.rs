//! Who may take a run, and who must stop writing it. Decided from what the owner's file shows and from times since,
//! without files and clocks.
//!
//! An owner renews its file and stops writing when that has not worked for [`Times::stop`]. Another process takes the
//! run when the file has not changed for [`Times::expire`], which is longer. Each counts by its own clock, and no two
//! clocks are compared.

use std::time::Duration;

/// Times of a lease.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Between two renewals.
    pub(crate) renew: Duration,
    /// Without a renewal for so long, the owner writes nothing more.
    pub(crate) stop: Duration,
    /// A file that has not changed for so long has no owner.
    pub(crate) expire: Duration,
    /// Between replacing another owner's file and the look that shows whether the replacement stands.
    pub(crate) settle: Duration,
}

impl Times {
    /// Those of every run.
    pub(crate) const USUAL: Times = Times {
        renew: Duration::from_secs(10),
        stop: Duration::from_secs(40),
        expire: Duration::from_secs(60),
        settle: Duration::from_secs(2),
    };

    /// Longest time between a look at the file and its replacement in which no other process can have begun to write.
    fn at_once(&self) -> Duration {
        self.settle / 2
    }
}

/// Whom the file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// There is no file.
    Nobody,
    /// This process.
    Mine,
    /// Another process.
    Other,
}

/// How long a process that is not the owner has to wait before it may replace the file: zero if it may do so now.
/// `gone` says that the owner's process has certainly ended, `unchanged` how long the file has been the same.
pub(super) fn wait(gone: bool, unchanged: Duration, times: &Times) -> Duration {
    if gone { Duration::ZERO } else { times.expire.saturating_sub(unchanged) }
}

/// How an owner stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It may write.
    Holds,
    /// It may not write until it has renewed its file and seen [`Times::settle`] later that the file is still its own.
    Lapsed,
    /// It may never write again.
    Lost,
}

/// How an owner stands before it renews: by what the file shows, if it could be read, and by the time since its last
/// renewal.
pub(super) fn before_renewal(seen: Option<Seen>, since: Duration, times: &Times) -> Standing {
    match seen {
        Some(Seen::Other) => Standing::Lost,
        _ if since >= times.stop => Standing::Lapsed,
        _ => Standing::Holds,
    }
}

/// How a process stands that has replaced the file: `since` is the time since its last renewal, without end if the file
/// was another owner's, and `took` the time since its last look at the file. What took long may have replaced the file
/// of an owner that writes already.
pub(super) fn after_replacing(since: Duration, took: Duration, times: &Times) -> Standing {
    if since < times.stop {
        Standing::Holds
    } else if took <= times.at_once() {
        Standing::Lapsed
    } else {
        Standing::Lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn a_run_is_taken_when_its_owner_is_gone_or_its_file_is_old() {
        for (gone, unchanged, left) in
            [(false, 0, 60), (false, 59, 1), (false, 60, 0), (false, 3_600, 0), (true, 0, 0), (true, 70, 0)]
        {
            assert_eq!(wait(gone, secs(unchanged), &Times::USUAL), secs(left), "{gone} {unchanged}");
        }
    }

    #[test]
    fn an_owner_that_cannot_renew_stops_before_another_may_begin() {
        use Standing::{Holds, Lapsed, Lost};
        for (seen, since, standing) in [
            (Some(Seen::Mine), 10, Holds),
            (Some(Seen::Mine), 39, Holds),
            (Some(Seen::Mine), 40, Lapsed),
            (Some(Seen::Mine), 3_600, Lapsed),
            // The file cannot be read, or a person has removed it.
            (None, 39, Holds),
            (None, 40, Lapsed),
            (Some(Seen::Nobody), 10, Holds),
            (Some(Seen::Nobody), 50, Lapsed),
            (Some(Seen::Other), 1, Lost),
            (Some(Seen::Other), 50, Lost),
        ] {
            assert_eq!(before_renewal(seen, secs(since), &Times::USUAL), standing, "{seen:?} {since}");
        }
        let Times { renew, stop, expire, settle } = Times::USUAL;
        assert!(renew + settle < stop && stop + settle < expire);
    }

    #[test]
    fn a_file_that_was_replaced_late_may_have_been_another_s() {
        use Standing::{Holds, Lapsed, Lost};
        for (since, took, standing) in [
            (secs(10), secs(0), Holds),
            (secs(30), secs(20), Holds),
            (secs(40), secs(0), Lapsed),
            (secs(41), secs(1), Lapsed),
            // Frozen between the look and the replacement.
            (secs(42), secs(2), Lost),
            (secs(100), secs(90), Lost),
            (Duration::MAX, secs(0), Lapsed),
            (Duration::MAX, secs(3), Lost),
        ] {
            assert_eq!(after_replacing(since, took, &Times::USUAL), standing, "{since:?} {took:?}");
        }
    }
}
