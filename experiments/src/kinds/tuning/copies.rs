//! Children whose values another candidate has.
//!
//! Where equal values are one candidate, its games add up, whenever and however often it is made. Counted apart, of many
//! copies that are as good as one another the luckiest looks best, and leads.

use std::collections::{BTreeMap, BTreeSet};

use players::TrialRng;

use super::{
    algorithm::{Algorithm, Member},
    candidates::{Candidate, Candidates, ranking},
    space::{Space, Values},
};

/// Candidates that play no more and are remembered, the best of them: the state of every generation holds them.
const KNOWN_MAX: usize = 256;
/// Changes that a child gets until it differs from all others, and draws behind them.
const CHANGES: usize = 16;
const DRAWS: usize = 64;

/// What equal values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    /// One candidate.
    One,
    /// Candidates of their own, as in the Checkers project.
    Apart,
}

impl Copies {
    /// Name in files, and meaning.
    pub(super) const NAMES: [(&str, Copies); 2] = [("one", Copies::One), ("apart", Copies::Apart)];
}

fn key(values: &Values) -> String {
    values.iter().map(|value| format!("{value:?};")).collect()
}

/// The candidates of a generation, each with values of its own as far as the space has so many, and what is known of
/// those that play no more; the number of the next one is raised.
///
/// A child that equals another is changed by the algorithm's mutation until it does not, or else drawn anew. One that
/// played before comes back with its number, games and points.
pub(super) fn different(
    before: &Candidates,
    known: &[Candidate],
    next: Vec<Member>,
    (space, algorithm): (&Space, &Algorithm),
    next_id: &mut u64,
    draws: &mut TrialRng,
) -> (Vec<Candidate>, Vec<Candidate>) {
    let mut resting: BTreeMap<String, &Candidate> =
        known.iter().chain(&before.candidates).map(|candidate| (key(&candidate.values), candidate)).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for member in &next {
        if let Member::Stays(index) = member {
            taken.insert(key(&before.candidates[*index].values));
        }
    }
    let mut candidates = Vec::with_capacity(next.len());
    for member in next {
        let (mut values, mut parents, mut made) = match member {
            Member::Stays(index) => {
                candidates.push(before.candidates[index].clone());
                continue;
            }
            Member::New { values, parents, made } => (space.nearest(values), parents, made),
        };
        for attempt in 0..CHANGES + DRAWS {
            if !taken.contains(&key(&values)) {
                break;
            }
            match algorithm.mutation().filter(|_| attempt < CHANGES) {
                Some(mutation) => made.push(mutation.change_one(space, &mut values, draws)),
                None => (values, parents, made) = (space.draw(draws), Vec::new(), vec!["drawn".to_owned()]),
            }
        }
        taken.insert(key(&values));
        let parents = parents.into_iter().map(|parent| before.candidates[parent].id).collect();
        candidates.push(resting.get(&key(&values)).map_or_else(
            || {
                let id = *next_id;
                *next_id += 1;
                Candidate { id, values, games: 0, points: 0.0, parents, made }
            },
            |&known| known.clone(),
        ));
    }
    resting.retain(|key, _| !taken.contains(key));
    let mut resting: Vec<Candidate> = resting.into_values().cloned().collect();
    resting = ranking(&resting, Candidate::leads).into_iter().map(|index| resting[index].clone()).collect();
    resting.truncate(KNOWN_MAX);
    resting.sort_by_key(|candidate| candidate.id);
    (number_apart(candidates, next_id), resting)
}

/// A space with fewer values than the population has places leaves copies: they have numbers of their own.
fn number_apart(mut candidates: Vec<Candidate>, next_id: &mut u64) -> Vec<Candidate> {
    let mut seen = BTreeSet::new();
    for candidate in &mut candidates {
        if !seen.insert(candidate.id) {
            candidate.id = *next_id;
            *next_id += 1;
        }
    }
    candidates
}

/// Adds the games and points of a generation where equal values are one candidate: copies share their games.
pub(super) fn share(candidates: &mut [Candidate], gained: &[(u64, f64)]) {
    let mut sums: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    for (candidate, (games, points)) in candidates.iter().zip(gained) {
        let sum = sums.entry(key(&candidate.values)).or_default();
        *sum = (sum.0 + games, sum.1 + points);
    }
    for candidate in candidates {
        let (games, points) = sums[&key(&candidate.values)];
        candidate.games += games;
        candidate.points += points;
    }
}
