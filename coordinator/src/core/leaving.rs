//! Workers that are told to leave: on request, or because no waiting trial ends before they must.

use super::{Action, Core, Now, run::Run, session::Session};
use crate::ids::SessionId;

impl Core {
    /// Tells the workers that `of` chooses to leave. They get nothing more, finish what they run, and hand back the rest.
    pub(super) fn send_away(&mut self, of: impl Fn(&Session) -> bool, why: &str, actions: &mut Vec<Action>) {
        let chosen = self.sessions.iter().filter(|(_, session)| of(session)).map(|(id, _)| id).collect();
        self.send_off(chosen, why, actions);
    }

    /// Tells idle workers to leave whose time is too short for a trial of any run that has trials to give: the rest of their
    /// job would be wasted.
    pub(super) fn send_away_useless(&mut self, now: Now, actions: &mut Vec<Action>) {
        let giving: Vec<&Run> = self.runs.values().filter(|run| run.is_served() && run.waiting() > 0).collect();
        if giving.is_empty() {
            return;
        }
        let idle = self.sessions.idle().iter().filter_map(|id| Some((*id, self.sessions.get(*id)?.stays(now)?)));
        let useless: Vec<SessionId> = idle
            .filter(|(_, stays)| giving.iter().all(|run| run.pace.fit_into(*stays) == 0))
            .map(|(session, _)| session)
            .collect();
        self.send_off(useless, "no trial ends before its job does", actions);
    }

    /// Number of workers that are leaving.
    pub fn leaving(&self) -> u32 {
        self.sessions.values().filter(|session| session.leaving).count() as u32
    }

    fn send_off(&mut self, sessions: Vec<SessionId>, why: &str, actions: &mut Vec<Action>) {
        for session in sessions {
            let left = self.sessions.change(session, |session| std::mem::replace(&mut session.leaving, true));
            if left == Some(false) {
                actions.push(Action::Leave { session, why: why.to_owned() });
            }
        }
    }
}
