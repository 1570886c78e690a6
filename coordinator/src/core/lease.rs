//! How many trials to lease to which worker, and of which run.
//!
//! Leases are sized in time: about [`TARGET`] of work for each executor thread, once the time of a trial is known. Near
//! the end of a stage a worker gets at most its share of half of the remaining trials, so that the stage ends on short
//! leases. Idle workers then get copies of the oldest leases of others: the first result counts, and the second one is
//! compared with it.
//!
//! Several runs fill one worker together, in portions of [`PORTION`]: the next portion is of the run that has had the
//! least of the fleet for its priority (`share.rs`).

use std::{num::NonZeroU32, time::Duration};

use super::{Action, Core, Now, run::Run, session::Session, sessions::Fleet, share::Share};
use crate::{
    ids::{LeaseId, RunId, SessionId, StageKey},
    ranges::RangeSet,
};

/// Leased work aimed at for each executor thread.
const TARGET: Duration = Duration::from_secs(2);
/// Work leased at a time for each executor thread while several runs have trials for it.
const PORTION: Duration = Duration::from_millis(250);
/// Most trials of one lease, which bounds the message.
pub(super) const LEASE_TRIALS_MAX: u64 = 8_192;
/// Most trials that one session holds of a run.
const HELD_TRIALS_MAX: u64 = 4 * LEASE_TRIALS_MAX;
/// Trials leased to a thread while the time of a trial is unknown.
const PROBE_TRIALS: u64 = 2;
/// Seconds that a trial is taken to last, beside other runs, while nothing is known of it.
const UNKNOWN_SECS: f64 = 1.0;
/// Most trials of one run that all workers hold together, as long as each thread has a spare one: leased trials come
/// back as rows that wait for the disk, and memory must not grow with the fleet.
const FLEET_TRIALS_MAX: u64 = 1 << 18;
/// Share of a worker that is not worth filling.
const SLACK: f64 = 1e-9;

/// Which workers may run short of work after an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dispatch {
    /// None of them.
    None,
    /// Idle workers: others may have brought about what they wait for.
    Idle,
    /// This worker and the idle ones.
    One(SessionId),
    /// All of them.
    All,
}

/// Trials that a run has for a session.
struct Offer {
    run: RunId,
    stage: StageKey,
    /// Virtual time of the run, with what it has offered and the session has taken.
    time: f64,
    /// What a trial adds to it.
    step: f64,
    /// Most trials that the session gets yet; 0 if it has enough.
    most: u64,
    /// The share of the session that it may fill now, however full that is of others' trials, while no other run that
    /// has trials for the session has had less.
    own: f64,
    /// Threads of the session that may run its trials at once.
    threads: u32,
    /// Trials that it gets at a time beside other runs.
    portion: u64,
    /// Trials that would fill the session.
    full: f64,
    taken: RangeSet,
}

/// How much of a session is filled.
#[derive(Default)]
struct Filled {
    /// The trials that it holds.
    trials: u64,
    /// The share of it that they fill.
    share: f64,
    /// The share that trials longer than half of [`TARGET`] fill: each occupies a thread.
    long: f64,
}

impl Filled {
    /// Whether a session of so many threads is to get more. It is refilled at half to save messages, but keeps a spare
    /// trial for each thread.
    fn is_short(&self, threads: u64) -> bool {
        self.share - self.long <= (1.0 - self.long) / 2.0 + SLACK || self.trials < 2 * threads
    }
}

impl Core {
    /// Leases waiting trials to the workers `to` that run short of work.
    pub(super) fn dispatch(&mut self, now: Now, to: Dispatch, actions: &mut Vec<Action>) {
        if self.draining || to == Dispatch::None {
            return;
        }
        self.wake_runs();
        let fleet = self.sessions.fleet();
        let busy: Vec<SessionId> = match to {
            Dispatch::None | Dispatch::Idle => Vec::new(),
            Dispatch::One(one) => vec![one],
            Dispatch::All => self.sessions.ids(),
        };
        for session in busy {
            self.refill(now, session, fleet, actions);
        }
        if self.any_leases() {
            for idle in self.sessions.idle().iter().copied().collect::<Vec<_>>() {
                self.refill(now, idle, fleet, actions);
                // The runs may be at their limits, while many workers are idle.
                if !self.any_leases() {
                    break;
                }
            }
        }
        for at in 0..self.open.len() {
            self.copy(now, self.open[at], actions);
        }
    }

    /// Whether any run has something to lease to an idle session.
    fn any_leases(&self) -> bool {
        let leases = |run: &Run| run.waiting() > 0 || !run.suspects.is_empty() || run.audits.any_waits();
        self.served().any(|(_, run)| leases(run) && !self.is_at_limit(run))
    }

    /// The runs whose trials may be leased.
    pub(super) fn served(&self) -> impl Iterator<Item = (RunId, &Run)> {
        let run = |id: &RunId| self.runs.get(id).map(|run| (*id, run));
        self.open.iter().filter_map(run).filter(|(_, run)| run.is_served())
    }

    /// Whether a run may have trials on no further thread.
    pub(super) fn is_at_limit(&self, run: &Run) -> bool {
        run.share.quota.max_threads.is_some_and(|most| self.sessions.held(run.key()).threads >= u64::from(most.get()))
    }

    /// Notes which runs have trials to lease, and sets those that had none before forward to the others.
    fn wake_runs(&mut self) {
        for at in 0..self.open.len() {
            let has_trials = |run: &Run| run.is_served() && run.waiting() > 0 && !self.is_at_limit(run);
            let has_trials = self.runs.get(&self.open[at]).is_some_and(has_trials);
            if let Some(run) = self.runs.get_mut(&self.open[at]) {
                run.has_trials = has_trials;
                if !has_trials {
                    run.share.set_active(false);
                }
            }
        }
        for at in 0..self.open.len() {
            let id = self.open[at];
            // A run at its limit has what it can use: it must not keep others for ever from the workers that it has.
            let is_behind = |run: &Run| !run.share.is_active() && run.is_served() && run.waiting() > 0;
            if self.runs.get(&id).is_some_and(is_behind) {
                let time = self.virtual_time(id);
                if let Some(run) = self.runs.get_mut(&id) {
                    run.share.set_forward(time);
                    run.share.set_active(run.has_trials);
                }
            }
        }
    }

    /// The virtual time from which a run that has trials again takes part: that of the runs that are served, whose
    /// results are furthest behind; or, if none is, the greatest of those that may come back.
    fn virtual_time(&self, except: RunId) -> f64 {
        let others = || self.served().filter(|(id, _)| *id != except).map(|(_, run)| &run.share);
        let served = others().filter(|share| share.is_active()).map(Share::had).reduce(f64::min);
        served.unwrap_or_else(|| others().map(Share::had).fold(0.0, f64::max))
    }

    /// Leases waiting trials to a session that runs short of them.
    fn refill(&mut self, now: Now, id: SessionId, fleet: Fleet, actions: &mut Vec<Action>) {
        let Some(session) = self.sessions.get(id).filter(|s| !s.leaving && !s.alone) else { return };
        let avoid = self.sessions.names_differ().then(|| session.worker.name.clone());
        if self.lease_suspects(now, id, avoid.as_deref(), actions) {
            return;
        }
        let Some(session) = self.sessions.get(id) else { return };
        let filled = self.filled(session, fleet);
        let mut offers = self.offers(now, id, session, fleet);
        let is_only = offers.len() == 1;
        let least = |offers: &[Offer]| offers.iter().map(|offer| offer.time).fold(f64::INFINITY, f64::min);
        let mut room = if filled.is_short(session.worker.threads.into()) { 1.0 - filled.share } else { 0.0 };
        loop {
            let least = least(&offers);
            let open = offers.iter_mut().filter(|offer| offer.most > 0);
            let Some(offer) = open.min_by(|a, b| a.time.total_cmp(&b.time)) else { break };
            let Some(run) = self.runs.get_mut(&offer.run) else { break };
            let room_now = if offer.time <= least { room.max(offer.own) } else { room };
            if room_now <= SLACK {
                break;
            }
            // At least one, or the long trials of a run would never find room beside short ones.
            let fits = ((room_now * offer.full + SLACK) as u64).max(1);
            let count = offer.most.min(fits).min(if is_only { LEASE_TRIALS_MAX } else { offer.portion });
            let mut trials = RangeSet::new();
            if run.audits.any_for(&session.worker.name) {
                trials = run.audits.take(&session.worker.name, count);
            }
            trials.insert_all(&run.take(count.saturating_sub(trials.len()), avoid.as_deref()));
            // One lease at a time of a single run saves messages.
            offer.most = if trials.is_empty() || is_only { 0 } else { offer.most.saturating_sub(trials.len()) };
            offer.time += trials.len() as f64 * offer.step;
            let share = trials.len() as f64 / offer.full;
            (room, offer.own) = (room - share, offer.own - share);
            offer.taken.insert_all(&trials);
        }
        for Offer { stage, mut taken, threads, .. } in offers {
            while !taken.is_empty() {
                let some = taken.take(LEASE_TRIALS_MAX);
                self.grant(now, id, stage, some, threads, actions);
            }
        }
    }

    /// How much of a session is filled.
    fn filled(&self, session: &Session, fleet: Fleet) -> Filled {
        let mut filled = Filled::default();
        for stage in session.stages() {
            let Some(run) = self.runs.get(&stage.run) else { continue };
            let (held, threads) = (session.count(stage), u64::from(session.worker.threads));
            let share = held as f64 / full(run, threads, fleet) as f64;
            filled.trials += held;
            filled.share += share;
            if run.pace.trials_in(TARGET) == Some(1) {
                filled.long += share;
            }
        }
        filled
    }

    /// What the runs have for a session.
    fn offers(&self, now: Now, id: SessionId, session: &Session, fleet: Fleet) -> Vec<Offer> {
        let all = u64::from(session.worker.threads);
        let weight = |run: &Run| f64::from(run.share.quota.priority);
        // A worker that will leave gets what it can finish.
        let stays = session.stays(now);
        let fits = |run: &Run| stays.map_or(u64::MAX, |stays| run.pace.fit_into(stays)).saturating_mul(all);
        let has_some = |run: &Run| {
            (run.waiting() > 0 || run.audits.any_for(&session.worker.name))
                && fits(run) > session.count(run.key())
                && self.threads_for(run, id, None) > 0
        };
        let weights: f64 = self.served().map(|(_, run)| run).filter(|run| has_some(run)).map(weight).sum();
        let mut offers = Vec::new();
        for (of, run) in self.served().filter(|(_, run)| has_some(run)) {
            let (stage, each) = (run.key(), run.pace.believed());
            let fair = weight(run) / weights;
            // Trials may be long: until that is known, they get no more threads than are the run's by its priority.
            let guess = (each.is_none() && fair < 1.0).then(|| (fleet.threads as f64 * fair).ceil() as u64);
            let threads = self.threads_for(run, id, guess);
            let (own, full) = (session.count(stage), full(run, all, fleet));
            // This worker's share of half of the waiting trials.
            let share = (run.waiting() * all).div_ceil(2 * fleet.threads.max(1)).max(1);
            let wanted = (full * u64::from(threads) / all).min(share.max(threads.into())).min(fits(run));
            let each = each.unwrap_or(UNKNOWN_SECS);
            let portion = ((PORTION.as_secs_f64() * all as f64 / each.max(1e-9)) as u64).max(1);
            // A few trials say little about the others, and what is leased in error delays the other runs.
            let known = run.pace.seen().saturating_mul(4).max(portion).max(2 * all);
            let wanted = if fair < 1.0 { wanted.min(known) } else { wanted };
            let is_short = own <= wanted / 2 || own < 2 * wanted.min(threads.into());
            let filled = own as f64 / full as f64;
            offers.push(Offer {
                run: of,
                stage,
                time: run.share.time(self.sessions.held(stage).trials, each),
                step: run.share.step(each),
                most: if is_short { wanted.saturating_sub(own) } else { 0 },
                portion,
                full: full as f64,
                own: if filled <= fair / 2.0 { fair - filled } else { 0.0 },
                threads,
                taken: RangeSet::new(),
            });
        }
        offers
    }

    /// Number of threads of a session on which a run may have trials, if it has them on at most as many as its limit and
    /// `guess` say.
    pub(super) fn threads_for(&self, run: &Run, session: SessionId, guess: Option<u64>) -> u32 {
        let Some(session) = self.sessions.get(session) else { return 0 };
        let limit = run.share.quota.max_threads.map(|most| u64::from(most.get()));
        let Some(limit) = limit.into_iter().chain(guess).min() else { return session.worker.threads };
        let (all, own) = (self.sessions.held(run.key()).threads, session.held(run.key()).threads);
        let more = (limit + own).saturating_sub(all);
        u32::try_from(more).map_or(session.worker.threads, |more| more.min(session.worker.threads))
    }

    /// Leases suspects to a session if it is idle; true if it gets nothing else. A busy one is kept free for them if
    /// other runs would never let it become idle.
    fn lease_suspects(&mut self, now: Now, id: SessionId, avoid: Option<&str>, actions: &mut Vec<Action>) -> bool {
        let Some(is_idle) = self.sessions.get(id).map(Session::is_idle) else { return false };
        for at in 0..self.open.len() {
            let Some(run) = self.runs.get(&self.open[at]).filter(|run| run.is_served()) else { continue };
            let threads = self.threads_for(run, id, None);
            let Some(run) = self.runs.get_mut(&self.open[at]) else { continue };
            if threads == 0 || !run.has_suspects_for(avoid) {
                continue;
            }
            let stage = run.key();
            if is_idle {
                if let Some(suspects) = run.take_suspects(LEASE_TRIALS_MAX, avoid) {
                    run.reserved = None;
                    self.sessions.change(id, |session| session.alone = true);
                    self.grant(now, id, stage, suspects, threads, actions);
                    return true;
                }
            } else if run.waiting() == 0 {
                let waits = |other: SessionId| self.sessions.get(other).is_some_and(|s| !s.leaving && !s.alone);
                if !run.reserved.is_some_and(waits) {
                    run.reserved = Some(id);
                }
                if run.reserved == Some(id) {
                    return true;
                }
            }
        }
        false
    }

    /// Leases `trials` to a session, to be run by at most so many of its threads at once.
    pub(super) fn grant(
        &mut self,
        now: Now,
        to: SessionId,
        stage: StageKey,
        trials: RangeSet,
        threads: u32,
        actions: &mut Vec<Action>,
    ) {
        if trials.is_empty() || !self.sessions.give(to, now, stage, trials.clone(), threads) {
            return;
        }
        let is_some = |session: &Session| threads < session.worker.threads;
        let threads_max = self.sessions.get(to).is_some_and(is_some).then(|| NonZeroU32::new(threads)).flatten();
        let lease = LeaseId(self.next_lease);
        self.next_lease += 1;
        actions.push(Action::Lease { session: to, lease, stage, trials, threads_max });
    }
}

/// Trials of a run that fill a session of so many threads.
fn full(run: &Run, threads: u64, fleet: Fleet) -> u64 {
    let each = run.pace.trials_in(TARGET).unwrap_or(PROBE_TRIALS);
    let of_fleet = FLEET_TRIALS_MAX.saturating_mul(threads) / fleet.threads.max(1);
    each.saturating_mul(threads).min(HELD_TRIALS_MAX).min(of_fleet.max(2 * threads))
}
