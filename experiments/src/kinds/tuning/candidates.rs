//! The candidates of a generation: what a tuning knows between two of them, as an artifact.

use std::cmp::Ordering;

use record::facts;
use serde::Deserialize;
use serde_json::json;

use super::space::{Space, Values};
use crate::plan::Artifact;

/// Format of candidates that this version reads and writes.
const FORMAT: u32 = 1;
/// Kind of the artifact.
const KIND: &str = "candidates";
/// Quantile of the normal distribution: 95 % lie within plus and minus this.
const Z: f64 = 1.96;

/// Values that are tried, with their games and points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// Its number in the run, from 0. It keeps it as long as it plays.
    pub(super) id: u64,
    pub(super) values: Values,
    /// Games of all closed generations that it played in.
    pub(super) games: u64,
    /// Its points in them.
    pub(super) points: f64,
    /// Numbers of the candidates that it was made from.
    pub(super) parents: Vec<u64>,
    /// What made it, in order.
    pub(super) made: Vec<String>,
}

impl Candidate {
    /// Its name among the players of a stage.
    pub(super) fn name(&self) -> String {
        format!("candidate-{:02}", self.id)
    }

    /// Its share of the points; 0 without games.
    pub(super) fn share(&self) -> f64 {
        if self.games == 0 { 0.0 } else { self.points / self.games as f64 }
    }

    /// Lower end of the 95 % interval of its share (Wilson 1927): what its games make sure of.
    ///
    /// A candidate with few games is seldom as good as they say: of many that are as good as one another, some are
    /// lucky. So the leader is found by this and not by the share, which would nearly always name one that has just
    /// come.
    pub(super) fn bound(&self) -> f64 {
        if self.games == 0 {
            return 0.0;
        }
        let (n, share) = (self.games as f64, self.share());
        let spread = (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        (share + Z * Z / (2.0 * n) - Z * spread) / (1.0 + Z * Z / n)
    }

    /// Who of two leads: the higher bound, of equals who has more games, then who came first. The better is less.
    pub(super) fn leads(&self, other: &Self) -> Ordering {
        let bounds = other.bound().total_cmp(&self.bound());
        bounds.then(other.games.cmp(&self.games)).then(self.id.cmp(&other.id))
    }

    /// Who of two took the higher share: of equals who has more games, then who came first. The better is less.
    pub(super) fn takes_more(&self, other: &Self) -> Ordering {
        let shares = other.share().total_cmp(&self.share());
        shares.then(other.games.cmp(&self.games)).then(self.id.cmp(&other.id))
    }

    /// As the record of a run has it.
    pub(super) fn to_record(&self, space: &Space) -> facts::Candidate {
        facts::Candidate {
            name: self.name(),
            id: self.id,
            values: space.to_json(&self.values),
            games: self.games,
            points: self.points,
            parents: self.parents.clone(),
            made: self.made.clone(),
        }
    }

    /// What [`Candidate::to_record`] gave; `None` if its values are not some of `space`.
    pub(super) fn from_record(record: facts::Candidate, space: &Space) -> Option<Self> {
        let facts::Candidate { id, values, games, points, parents, made, .. } = record;
        Some(Candidate { id, values: space.read(&values)?, games, points, parents, made })
    }
}

/// Indices of candidates, the best first.
pub(super) fn ranking(candidates: &[Candidate], order: fn(&Candidate, &Candidate) -> Ordering) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..candidates.len()).collect();
    ranking.sort_by(|&a, &b| order(&candidates[a], &candidates[b]));
    ranking
}

/// What a tuning knows when a generation begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidates {
    /// From 0.
    pub(super) generation: u32,
    /// Number of the next new candidate.
    pub(super) next_id: u64,
    pub(super) candidates: Vec<Candidate>,
    /// The best of those that play no more. It may still lead: its games stay what they were.
    pub(super) retired: Option<Candidate>,
    /// Others that play no more, where equal values are one candidate: one that is made again goes on from what it came
    /// to. None where equal values are counted apart, as in every run of version 0.1.0.
    pub(super) known: Option<Vec<Candidate>>,
    /// Number of the candidate that leads, and the generation after which it first did.
    pub(super) leader: Option<(u64, u32)>,
}

impl Candidates {
    /// The candidate with the highest lower bound among all that ever played.
    pub(super) fn leading(&self) -> &Candidate {
        let all = self.candidates.iter().chain(&self.retired);
        all.min_by(|a, b| a.leads(b)).expect("a generation has candidates")
    }

    /// As an artifact. Equal candidates have equal bytes, whatever names have changed since version 0.1.0.
    pub(super) fn to_artifact(&self, space: &Space, game: &str) -> Artifact {
        let stored = |candidate: &Candidate| candidate.to_record(space);
        let mut state = json!({
            "format": FORMAT,
            "game": spec::with_old_names(game),
            "player": spec::with_old_names(&space.player.to_string()),
            "generation": self.generation,
            "next_id": self.next_id,
            "candidates": self.candidates.iter().map(stored).collect::<Vec<_>>(),
            "retired": self.retired.as_ref().map(stored),
            "leader": self.leader.map(|(id, since)| json!({ "id": id, "since": since })),
        });
        if let Some(known) = &self.known {
            state["known"] = json!(known.iter().map(stored).collect::<Vec<_>>());
        }
        Artifact { kind: KIND.to_owned(), data: format!("{state:#}\n").into_bytes() }
    }

    /// Reads what [`Candidates::to_artifact`] wrote.
    ///
    /// # Errors
    /// It is not such an artifact, has another format, or has parameters with other bounds.
    pub(super) fn parse(data: &[u8], space: &Space) -> Result<Self, String> {
        let state: State =
            serde_json::from_slice(data).map_err(|error| format!("is not a list of candidates: {error}"))?;
        if state.format != FORMAT {
            return Err(format!("has format {}, and this version reads format {FORMAT}", state.format));
        }
        let read = |stored: facts::Candidate| {
            let name = stored.name.clone();
            let candidate = Candidate::from_record(stored, space);
            candidate.ok_or_else(|| format!("has values of {name} that do not fit the parameters"))
        };
        let candidates = state.candidates.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        if candidates.is_empty() {
            return Err("has no candidates".to_owned());
        }
        Ok(Candidates {
            generation: state.generation,
            next_id: state.next_id,
            candidates,
            retired: state.retired.map(read).transpose()?,
            known: state.known.map(|known| known.into_iter().map(read).collect()).transpose()?,
            leader: state.leader.map(|leader| (leader.id, leader.since)),
        })
    }
}

/// The artifact's content. Game and player are for people: the plan has its own.
#[derive(Deserialize)]
struct State {
    format: u32,
    generation: u32,
    next_id: u64,
    candidates: Vec<facts::Candidate>,
    retired: Option<facts::Candidate>,
    known: Option<Vec<facts::Candidate>>,
    leader: Option<Leader>,
}

#[derive(Deserialize)]
struct Leader {
    id: u64,
    since: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(id: u64, points: f64, games: u64) -> Candidate {
        Candidate { id, values: Values::new(), games, points, parents: Vec::new(), made: Vec::new() }
    }

    /// The smaller root x of (p - x)^2 = 1.96^2 x (1 - x) / n, solved with 40 digits (Python, `decimal`).
    #[test]
    fn bounds_are_wilson_s() {
        let rows = [
            (6.0, 6, 0.609_656_966_346_935_5),
            (48.0, 60, 0.682_179_539_081_829_9),
            (4.5, 6, 0.364_816_781_488_349_2),
            (0.0, 6, 0.0),
            (530.5, 1000, 0.499_509_693_830_508_5),
        ];
        for (points, games, expected) in rows {
            let found = candidate(0, points, games).bound();
            assert!((found - expected).abs() < 1e-12, "{points} of {games}: {found}, not {expected}");
        }
        assert_eq!(candidate(0, 0.0, 0).bound(), 0.0);
    }

    #[test]
    fn who_has_played_much_leads_before_who_was_lucky() {
        let (lucky, tried) = (candidate(0, 6.0, 6), candidate(1, 48.0, 60));
        assert_eq!(ranking(&[lucky.clone(), tried.clone()], Candidate::leads), [1, 0]);
        assert_eq!(ranking(&[lucky, tried], Candidate::takes_more), [0, 1]);
        // Ties go to the one with more games, then to the older one.
        let equals = [candidate(4, 3.0, 6), candidate(3, 30.0, 60), candidate(2, 3.0, 6)];
        assert_eq!(ranking(&equals, Candidate::takes_more), [1, 2, 0]);
    }

    #[test]
    fn one_that_plays_no_more_may_still_lead() {
        let mut state = Candidates {
            generation: 3,
            next_id: 9,
            candidates: vec![candidate(7, 5.0, 6), candidate(8, 4.0, 6)],
            retired: Some(candidate(2, 50.0, 60)),
            known: None,
            leader: None,
        };
        assert_eq!(state.leading().id, 2);
        state.retired = None;
        assert_eq!(state.leading().id, 7);
    }
}
