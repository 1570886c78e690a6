//! Going on from a journal.

use super::{Act, Core, Entry, Job, Phase, Record, ledger::Account};
use crate::{journal::Ending, systems::RefusalClass};

/// A launcher whose last line is not older than this, in seconds, goes on as if it had not ended: it is started each minute.
const GAP_SECS: f64 = 300.0;

impl Core {
    /// Takes over what the journal says, and notes that the launcher started.
    pub(super) fn restore(&mut self, past: &[Record], wall: u64, acts: &mut Vec<Act>) {
        let start = self.now;
        let wish = self.policy.finish_within.map(|time| time.as_secs());
        // The launch goes on with the time that it had, unless it had ended or another time is wanted now.
        let mut began: Option<(f64, Option<u64>)> = None;
        let mut latest = f64::NEG_INFINITY;
        for record in past {
            let at = (start - wall.saturating_sub(record.at) as f64).max(latest).min(start);
            latest = at;
            match &record.entry {
                Entry::Began { finish_within } if began.is_none_or(|(_, wish)| wish != *finish_within) => {
                    began = Some((at, *finish_within));
                }
                Entry::Over(_) => began = None,
                entry => self.replay(at, entry),
            }
        }
        // While the launcher was away nothing was seen.
        let latest = if latest.is_finite() { latest } else { start };
        for job in self.jobs.values_mut() {
            job.seen = job.seen.max(latest);
            if job.began.is_none() && !job.found {
                job.earliest = job.earliest.max(latest);
            }
            if job.phase == Phase::Asked {
                job.phase = Phase::Doubtful { absent: None };
            }
        }
        // Jobs whose workers had time to join before should have joined.
        let away = past.iter().rev().find(|record| matches!(record.entry, Entry::Away | Entry::Back));
        let away = away.is_some_and(|record| record.entry == Entry::Away);
        if start - latest <= GAP_SECS && !past.is_empty() && !away {
            self.back = latest_back(past).map_or(f64::NEG_INFINITY, |at| start - wall.saturating_sub(at) as f64);
        }
        let since = began.filter(|(_, before)| *before == wish).map_or(start, |(at, _)| at);
        self.finish_at = wish.map(|secs| since + secs as f64);
        self.note(acts, Entry::Began { finish_within: wish });
    }

    fn replay(&mut self, at: f64, entry: &Entry) {
        // What follows from it stands in the journal.
        let unheard = &mut Vec::new();
        let longest = self.policy.walltime.as_secs_f64();
        match entry {
            Entry::Asked { name, cpus, walltime } => {
                self.asking.asked(at);
                self.add(name, Job::new(name.clone(), (*cpus).max(1), *walltime as f64, at, Phase::Asked));
            }
            Entry::Found { name, id, cpus } => {
                let mut job = Job::new(name.clone(), (*cpus).max(1), longest, at, Phase::Waiting);
                job.id.clone_from(id);
                job.found = true;
                self.add(name, job);
            }
            Entry::Accepted { name, id } => {
                self.asking.was_accepted();
                if let Some(job) = self.jobs.get_mut(name) {
                    job.id = Some(id.clone());
                    if job.in_doubt() {
                        job.phase = Phase::Waiting;
                    }
                }
            }
            Entry::Refused { name, class, .. } => {
                match class {
                    RefusalClass::Doubtful => self.doubt(name),
                    RefusalClass::Limit => self.asking.limit(at),
                    RefusalClass::Busy => self.asking.back_off(at),
                    // A person may have changed what was wrong.
                    RefusalClass::Permanent => {}
                }
                if *class != RefusalClass::Doubtful {
                    self.jobs.remove(name);
                }
            }
            Entry::Unlisted { name } => {
                if let Some(job) = self.jobs.get_mut(name).filter(|job| job.in_doubt()) {
                    job.phase = Phase::Doubtful { absent: Some(at) };
                }
            }
            Entry::Absent { name } => {
                self.jobs.remove(name);
                self.asking.was_absent(at);
            }
            Entry::Started { name, restart, host } => {
                if let Some(job) = self.jobs.get_mut(name) {
                    if !job.requeued && !job.found {
                        self.totals.began_after(at - job.asked);
                    }
                    job.begin(at, *restart);
                    host.clone_into(&mut job.host);
                }
            }
            Entry::Joined { name, .. } => {
                if let Some(job) = self.jobs.get_mut(name) {
                    job.live(at, false);
                    job.joined = Some(at);
                    job.cancelled = None;
                    let host = job.host.clone();
                    self.suspects.joined(&host, unheard);
                }
            }
            Entry::Costs { jobs } => {
                self.costs_at = at;
                for (name, costs) in jobs {
                    if let Some(job) = self.jobs.get_mut(name).filter(|job| job.began.is_some()) {
                        // Its beginning may have been corrected since it was noted.
                        job.began = Some(at - costs.allocated() / job.cores());
                        job.account = Account::restored(*costs, at);
                        job.listed = true;
                    }
                }
            }
            Entry::Requeued { name, restart, costs } => {
                self.totals.requeue(costs);
                if let Some(job) = self.jobs.get_mut(name) {
                    job.requeue(at, *restart);
                }
            }
            Entry::Ended { name, how, costs } => {
                self.totals.end(*how, costs);
                self.asking.one_has_ended();
                let failed = matches!(how, Ending::NotJoined | Ending::Gone);
                if let Some(job) = self.jobs.remove(name).filter(|job| failed && !job.suspicious) {
                    self.suspects.fail(at, name, &job.host, unheard);
                }
            }
            Entry::NotJoined { name, host } => {
                if let Some(job) = self.jobs.get_mut(name) {
                    job.suspicious = true;
                }
                self.suspects.fail(at, name, host, unheard);
            }
            Entry::Cancelling { names, .. } => {
                for name in names {
                    if let Some(job) = self.jobs.get_mut(name) {
                        job.cancelled = Some(at);
                    }
                }
            }
            Entry::Leaving { names, .. } => {
                for name in names {
                    if let Some(job) = self.jobs.get_mut(name) {
                        job.leaving = Some(at);
                    }
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, name: &str, job: Job) {
        if let Some(number) = self.number(name) {
            self.next = self.next.max(number.saturating_add(1));
            self.jobs.insert(name.to_owned(), job);
        }
    }
}

/// When the coordinator came back for the last time.
fn latest_back(past: &[Record]) -> Option<u64> {
    past.iter().rev().find(|record| record.entry == Entry::Back).map(|record| record.at)
}
