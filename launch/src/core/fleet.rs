//! The coordinator's answers: which workers are connected and what work is left.

use std::collections::BTreeMap;

use super::{Act, Core, Demand, Entry, Member, Phase, jobs::Presence};

impl Core {
    pub(super) fn take_fleet(&mut self, demand: Demand, members: &[Member], acts: &mut Vec<Act>) {
        let mut ours: BTreeMap<&str, &Member> = BTreeMap::new();
        self.others = 0.0;
        for member in members {
            if self.number(&member.allocation).is_none() {
                self.others += f64::from(member.threads);
                continue;
            }
            // A worker of an earlier beginning may be listed beside that of the present one.
            let listed = ours.entry(&member.allocation).or_insert(member);
            if member.restart > listed.restart {
                *listed = member;
            }
        }
        for (name, member) in &ours {
            self.take_member(name, member, acts);
        }
        // Time without the coordinator is counted before it is known to be back.
        let now = self.now;
        for job in self.jobs.values_mut().filter(|job| !ours.contains_key(job.name.as_str())) {
            if job.present.take().is_some() {
                job.missing = Some(now);
            }
        }
        if self.away.take().is_some() {
            self.back = now;
            self.note(acts, Entry::Back);
        }
        self.demand = Some(demand);
        self.fleet_at = Some(now);
        let wanted = self.wanted();
        self.peak.add(now, wanted);
    }

    fn take_member(&mut self, name: &str, member: &Member, acts: &mut Vec<Act>) {
        let now = self.now;
        if !self.jobs.contains_key(name) {
            // The worker of a job that has ended stays listed until its connection is given up.
            if self.ended.get(name).is_some_and(|&(_, restart)| member.restart <= restart) {
                return;
            }
            self.find(name, None, member.threads, acts);
        }
        let away = self.away.is_some();
        let Some(job) = self.jobs.get_mut(name) else { return };
        let stale = job.phase == Phase::Waiting && job.stale_until.is_some_and(|until| now < until);
        if member.restart < job.restart || stale && member.restart == job.restart {
            return;
        }
        match job.phase {
            // The queue does not always say that a job began anew; a worker that has done less is another one.
            Phase::Running
                if member.restart > job.restart
                    || job.missing.is_some() && job.account.is_of_another(member.useful_secs) =>
            {
                self.requeue(name, member.restart, acts);
                self.begin(name, member.restart, acts);
            }
            Phase::Running => {}
            // The worker is there before the queue or the answer of the submission says so.
            _ => self.begin(name, member.restart, acts),
        }
        let Some(job) = self.jobs.get_mut(name) else { return };
        job.live(now, away);
        job.seen = now;
        if job.joined.is_none() {
            job.joined = Some(now);
            // It was cancelled while it waited, and is of use now.
            if self.closing.is_none() {
                job.cancelled = None;
            }
            let (name, host) = (name.to_owned(), member.host.clone());
            acts.push(Act::Note(Entry::Joined { name, restart: member.restart, host }));
            let host = job.host.clone();
            self.suspects.joined(&host, acts);
        }
        let Some(job) = self.jobs.get_mut(name) else { return };
        job.account.count(member.useful_secs);
        job.present = Some(Presence { threads: member.threads, idle_secs: member.idle_secs });
        job.idle = member.idle_secs.is_some();
        job.missing = None;
    }

    pub(super) fn lose_coordinator(&mut self, acts: &mut Vec<Act>) {
        if self.away.is_none() {
            self.away = Some(self.now);
            self.note(acts, Entry::Away);
        }
    }
}
