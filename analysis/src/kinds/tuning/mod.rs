//! A tuning: a search for parameters of a player over generations of candidates, and a final test of the leader.
//!
//! The results of a generation are in its stage's facts and fold, as the plan saw them when it chose the next candidates;
//! its games are read only for their cost. The final stage is a grid.

mod courses;
mod domain;
mod figures;
mod outcomes;
mod read;
pub(crate) mod report;
mod retest;
mod tables;
mod words;

use std::collections::BTreeMap;

use record::facts::{Candidate, GameFacts, Header, Parameter, Seat};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    kinds::{
        grid::Grid,
        workers::{self, Played, Workers},
    },
    statistics::{CONFIDENCE, interval, moments::Moments},
};

pub(crate) use read::{read, setting};
pub(crate) use retest::{DEFAULTS, Final, Taken, WINNER};

/// Facts that every stage of such a run has (docs/run-directory.md).
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Facts {
    #[serde(flatten)]
    pub(crate) header: Header,
    #[serde(flatten)]
    pub(crate) game: GameFacts,
    /// How many the budget allows; the search may end before.
    pub(crate) generations: u32,
    pub(crate) algorithm: String,
    /// The player that is tuned, as a spec.
    pub(crate) player: String,
    pub(crate) parameters: Vec<Parameter>,
    /// The player's own values, by parameter; null where it has none.
    pub(crate) defaults: BTreeMap<String, Value>,
    /// Where candidates sit in the search; `None` says on both sides.
    pub(crate) seat: Option<Seat>,
}

/// Wilson's interval of a candidate's share of the points, by which the search ranks; `None` without games.
pub(crate) fn share_interval(candidate: &Candidate) -> Option<(f64, f64)> {
    interval::wilson(candidate.points, candidate.games, CONFIDENCE)
}

/// One generation's candidates and games.
#[derive(Clone, Debug)]
pub(crate) struct Generation {
    /// From 0.
    pub(crate) number: u32,
    /// The candidates, with their points up to this generation.
    pub(crate) candidates: Vec<Candidate>,
    /// Leader after this generation, whose games here are included if it played.
    pub(crate) leader: Candidate,
    /// Since which generation.
    pub(crate) leads_since: u32,
    pub(crate) played: Played,
}

impl Generation {
    /// The candidates' shares of the points; those without games have none.
    pub(crate) fn shares(&self) -> Vec<f64> {
        self.candidates.iter().filter_map(Candidate::share).collect()
    }

    /// The highest of them.
    pub(crate) fn best_share(&self) -> Option<f64> {
        self.shares().into_iter().max_by(f64::total_cmp)
    }

    /// The mean of them.
    pub(crate) fn mean_share(&self) -> Option<f64> {
        Moments::of(&self.shares()).mean()
    }
}

/// Such a run, as far as its stages are closed.
#[derive(Clone, Debug)]
pub(crate) struct Tuning {
    pub(crate) facts: Facts,
    /// By number, at least one.
    pub(crate) generations: Vec<Generation>,
    /// The test on fresh seeds.
    pub(crate) end: Option<Final>,
}

impl Tuning {
    /// Whether nothing is to come.
    pub(crate) fn is_finished(&self) -> bool {
        self.end.is_some()
    }

    /// The games of the final stage.
    pub(crate) fn last_grid(&self) -> Option<&Grid> {
        self.end.as_ref().map(|end| &end.grid)
    }

    /// The candidate that leads the search.
    pub(crate) fn leader(&self) -> Option<&Candidate> {
        self.generations.last().map(|generation| &generation.leader)
    }

    /// Every candidate that played, as it was in its last generation: the leader first, then by the lower end of the
    /// interval. Ties go to the candidate with more games, then to the older one.
    pub(crate) fn ranking(&self) -> Vec<&Candidate> {
        let mut last = BTreeMap::new();
        for candidate in self.generations.iter().flat_map(|generation| &generation.candidates) {
            last.insert(candidate.id, candidate);
        }
        let leader = self.leader().map(|leader| leader.id);
        let bound = |candidate: &Candidate| share_interval(candidate).map_or(0.0, |(low, _)| low);
        let mut ranking: Vec<&Candidate> = last.into_values().collect();
        ranking.sort_by(|a, b| {
            let leads = (Some(b.id) == leader).cmp(&(Some(a.id) == leader));
            leads.then(bound(b).total_cmp(&bound(a))).then(b.games.cmp(&a.games)).then(a.id.cmp(&b.id))
        });
        ranking
    }

    /// What workers did in all stages.
    pub(crate) fn workers(&self) -> Workers {
        workers::together(
            self.generations.iter().map(|g| &g.played.workers).chain(self.last_grid().map(|grid| &grid.workers)),
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn candidate(id: u64, points: f64, games: u64) -> Candidate {
        let stored =
            json!({ "name": "c", "id": id, "values": {}, "games": games, "points": points, "parents": [], "made": [] });
        serde_json::from_value(stored).expect("a candidate")
    }

    #[test]
    fn who_has_played_much_stands_before_who_was_lucky() {
        let generation = |number, candidates: Vec<Candidate>, leader: u64| Generation {
            number,
            leader: candidate(leader, 0.0, 0),
            candidates,
            leads_since: 0,
            played: Played::default(),
        };
        let facts = json!({
            "kind": "tuning", "experiment": "e", "game": "g", "paper": null, "reproducible": true, "games_per_pair": 6,
            "pairs": [], "algorithm": "random", "generations": 2, "generation": 0, "player": "p", "parameters": [],
            "defaults": {}, "phase": "generation", "candidates": [], "state": "s",
        });
        let first = vec![candidate(0, 6.0, 6), candidate(1, 24.0, 30), candidate(2, 6.0, 6)];
        let second = vec![candidate(1, 48.0, 60), candidate(3, 0.0, 0)];
        let mut tuning = Tuning {
            facts: serde_json::from_value(facts).expect("facts"),
            generations: vec![generation(0, first, 0), generation(1, second, 1)],
            end: None,
        };
        let order = |tuning: &Tuning| tuning.ranking().iter().map(|c| (c.id, c.games)).collect::<Vec<_>>();
        // Wilson's lower ends: 0.68 of 48 in 60, 0.61 of 6 in 6.
        assert_eq!(order(&tuning), [(1, 60), (0, 6), (2, 6), (3, 0)]);
        // Who leads is the search's to say.
        tuning.generations[1].leader.id = 2;
        assert_eq!(order(&tuning), [(2, 6), (1, 60), (0, 6), (3, 0)]);
    }
}
