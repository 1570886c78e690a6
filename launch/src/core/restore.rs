//! Going on from a journal.

use super::{Act, Core, Entry, Job, Phase, Record, ledger::Account};

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
        let since = began.filter(|(_, before)| *before == wish).map_or(start, |(at, _)| at);
        self.finish_at = wish.map(|secs| since + secs as f64);
        self.note(acts, Entry::Began { finish_within: wish });
    }

    fn replay(&mut self, at: f64, entry: &Entry) {
        let longest = self.policy.walltime.as_secs_f64();
        match entry {
            Entry::Asked { name, cpus, walltime } => {
                self.add(name, Job::new(name.clone(), (*cpus).max(1), *walltime as f64, at, Phase::Asked));
            }
            Entry::Found { name, id, cpus } => {
                let mut job = Job::new(name.clone(), (*cpus).max(1), longest, at, Phase::Waiting);
                job.id.clone_from(id);
                job.found = true;
                self.add(name, job);
            }
            Entry::Accepted { name, id } => {
                if let Some(job) = self.jobs.get_mut(name) {
                    job.id = Some(id.clone());
                    if job.in_doubt() {
                        job.phase = Phase::Waiting;
                    }
                }
            }
            Entry::Refused { name, class, .. } if *class != crate::systems::RefusalClass::Doubtful => {
                self.jobs.remove(name);
            }
            Entry::Absent { name } => {
                self.jobs.remove(name);
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
                    // It is missing until the coordinator says that it is there.
                }
            }
            Entry::Costs { jobs } => {
                for (name, costs) in jobs {
                    if let Some(job) = self.jobs.get_mut(name).filter(|job| job.began.is_some()) {
                        job.account = Account::restored(*costs, at);
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
                self.jobs.remove(name);
            }
            Entry::NotJoined { name, .. } => {
                if let Some(job) = self.jobs.get_mut(name) {
                    job.suspicious = true;
                }
            }
            Entry::Excluded { host } => self.suspects.exclude(host),
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
