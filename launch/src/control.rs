//! The coordinator as a launcher sees it: what work is left, who works, and who is to leave.

use redqueen_wire::{
    self as wire, AddToken, Cost, FleetReply, FleetRequest, Later, LeaveRequest, Line,
    control_service_client::ControlServiceClient,
};
use tonic::service::interceptor::InterceptedService;

use crate::core::{Costs, Demand, Member};

/// Calls to a coordinator.
pub type Client = ControlServiceClient<InterceptedService<Line, AddToken>>;

/// Connects to the coordinator, wherever it is now.
pub type Connect = Box<dyn Fn() -> Later<Result<Client, String>> + Send + Sync>;

/// Work that a thread should have of an open stage, in seconds: with less, more threads wait at its end than help.
const STAGE_SECS: f64 = 10.0;

/// A coordinator that may move, die and come back.
pub struct Coordinator {
    connect: Connect,
    client: Option<Client>,
    /// Whether work may come after the open runs.
    stay: bool,
}

impl Coordinator {
    /// The coordinator that `connect` finds. With `stay` its runs never count as ended: others may be submitted.
    pub fn new(connect: Connect, stay: bool) -> Self {
        Coordinator { connect, client: None, stay }
    }

    /// The work that is left and the workers. Tells the coordinator what jobs have cost, if given, for its metrics.
    ///
    /// # Errors
    /// The coordinator does not answer; why, for people.
    pub async fn fleet(&mut self, costs: Option<&Costs>) -> Result<(Demand, Vec<Member>), String> {
        let cost = |(cause, core_seconds): (&str, f64)| Cost { cause: cause.to_owned(), core_seconds };
        let costs = costs.into_iter().flat_map(Costs::by_cause).map(cost).collect();
        let request = FleetRequest { costs };
        let reply = self.call(async |client| client.fleet(request.clone()).await).await?;
        Ok(read(reply, self.stay))
    }

    /// Tells the workers of these jobs to finish what they run and leave.
    ///
    /// # Errors
    /// The coordinator does not answer.
    pub async fn leave(&mut self, allocations: &[String]) -> Result<(), String> {
        let request = LeaveRequest { allocations: allocations.to_vec(), only_idle: false };
        self.call(async |client| client.leave(request.clone()).await).await.map(drop)
    }

    async fn call<T>(
        &mut self,
        call: impl AsyncFn(&mut Client) -> Result<tonic::Response<T>, tonic::Status>,
    ) -> Result<T, String> {
        if self.client.is_none() {
            self.client = Some((self.connect)().await?);
        }
        let Some(client) = &mut self.client else { return Err("not connected".to_owned()) };
        match call(client).await {
            Ok(reply) => Ok(reply.into_inner()),
            Err(status) => {
                // It may have moved: the next call connects anew.
                self.client = None;
                Err(status.message().to_owned())
            }
        }
    }
}

/// What a reply says.
fn read(reply: FleetReply, stay: bool) -> (Demand, Vec<Member>) {
    let known = |secs: f64| (secs >= 0.0).then_some(secs);
    let demand = reply.demand.unwrap_or_default();
    let by_time = known(demand.seconds_left_of_stages).map_or(f64::MAX, |secs| (secs / STAGE_SECS).ceil());
    let demand = Demand {
        left: known(demand.seconds_left),
        width: u32::try_from(demand.trials_left).unwrap_or(u32::MAX).min(by_time as u32),
        ended: demand.open_runs == 0 && !stay,
        trial_secs: known(demand.trial_seconds),
    };
    (demand, reply.workers.into_iter().map(member).collect())
}

fn member(member: wire::Member) -> Member {
    let place = member.place.unwrap_or_default();
    Member {
        allocation: place.allocation,
        restart: place.restart,
        host: place.host,
        threads: member.threads,
        idle_secs: (member.held == 0).then_some(member.idle_ms as f64 * 1e-3),
        useful_secs: member.executed_us as f64 * 1e-6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_stage_feeds_no_more_threads_than_it_has_trials_or_work_for() {
        let width = |trials_left, seconds_left_of_stages| {
            let demand = wire::Demand { open_runs: 1, trials_left, seconds_left_of_stages, ..wire::Demand::default() };
            read(FleetReply { workers: Vec::new(), demand: Some(demand) }, false).0.width
        };
        for (trials, secs, wanted) in [
            (3, 9_000.0, 3),
            (1_000_000, 100.0, 10),
            (1_000, -1.0, 1_000),
            (u64::MAX, -1.0, u32::MAX),
            (0, 0.0, 0),
            (5, 0.1, 1),
        ] {
            assert_eq!(width(trials, secs), wanted, "{trials} trials, {secs} s");
        }
    }

    #[test]
    fn paused_runs_are_not_ended_and_a_coordinator_that_stays_never_is() {
        let ended = |open_runs, stay| {
            let demand = wire::Demand { open_runs, ..wire::Demand::default() };
            read(FleetReply { workers: Vec::new(), demand: Some(demand) }, stay).0.ended
        };
        assert_eq!([ended(1, false), ended(0, false), ended(0, true)], [false, true, false]);
    }
}
