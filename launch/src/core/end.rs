//! When a launch has ended.

use super::{Act, Core, Ended, Entry, Outcome};

/// For how long the queue must have been unreadable at the end before it is not waited for any more, in seconds.
const UNREADABLE_SECS: f64 = 1_800.0;

impl Core {
    /// Notes since when jobs are only to go.
    pub(super) fn observe_end(&mut self) {
        let ended = self.demand.is_some_and(|demand| demand.ended) || self.stop.is_some();
        self.closing = match ended {
            true => Some(self.closing.unwrap_or(self.now)),
            false => None,
        };
    }

    /// Whether the queue has to be read once more before the end: a job in doubt may have come into being.
    pub(super) fn closing_unconfirmed(&self) -> bool {
        self.closing.is_some_and(|since| self.reading.read_at().is_none_or(|asked| asked < since))
    }

    pub(super) fn end(&mut self, acts: &mut Vec<Act>) {
        let outcome = match (&self.stop, &self.demand) {
            (Some(_), _) => Outcome::Stopped,
            (None, Some(demand)) if demand.ended => Outcome::Finished,
            (None, _) if self.jobs.is_empty() && self.reading.read_at().is_some() => match &self.asking.refused {
                Some(text) => Outcome::Refused(text.clone()),
                None if self.spent() => Outcome::Budget,
                None => return,
            },
            _ => return,
        };
        let given_up = |since: f64| self.now - since >= UNREADABLE_SECS;
        let blind = self.reading.unreadable_for(self.now, UNREADABLE_SECS) && self.closing.is_some_and(given_up);
        let sure = self.jobs.is_empty() && !self.closing_unconfirmed();
        let nobody = self.jobs.values().all(|job| job.present.is_none());
        if !(sure || blind && nobody) {
            return;
        }
        let ended = Ended { outcome, unconfirmed: self.jobs.keys().cloned().collect() };
        self.note(acts, Entry::Over(ended.clone()));
        acts.push(Act::End(ended));
        self.over = true;
    }
}
