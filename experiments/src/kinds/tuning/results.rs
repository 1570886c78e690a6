//! Results of a stage: points of the candidates, the leader, and the stage's fold.

use record::{
    facts::{DEFAULTS, WINNER},
    folds::{FinalFold, TuningFold},
};

use super::{
    candidates::{Candidate, Candidates, ranking},
    copies,
    space::Space,
};
use crate::matches::Scores;

/// Games and points of each candidate of a generation: its pairs, one an opponent, stand one behind another.
pub(super) fn gained(scores: &Scores, opponents: usize) -> Vec<(u64, f64)> {
    let sum = |pairs: &[(u64, f64)]| pairs.iter().fold((0, 0.0), |(g, p), (games, points)| (g + games, p + points));
    scores.pairs.chunks(opponents).map(sum).collect()
}

/// Adds the games and points of a generation, and determines the leader.
pub(super) fn add(state: &mut Candidates, gained: &[(u64, f64)]) {
    if state.known.is_some() {
        copies::share(&mut state.candidates, gained);
    } else {
        for (candidate, (games, points)) in state.candidates.iter_mut().zip(gained) {
            candidate.games += games;
            candidate.points += points;
        }
    }
    let leading = state.leading().id;
    if state.leader.is_none_or(|(id, _)| id != leading) {
        state.leader = Some((leading, state.generation));
    }
}

/// Whoever would lead joins those that play no more; the others are forgotten.
pub(super) fn retire<'a>(state: &'a Candidates, leaving: impl Iterator<Item = &'a Candidate>) -> Option<Candidate> {
    leaving.chain(&state.retired).min_by(|a, b| a.leads(b)).cloned()
}

/// The fold of a generation to which its games were added.
pub(super) fn of_generation(state: &Candidates, gained: &[(u64, f64)], space: &Space) -> TuningFold {
    let best = ranking(&state.candidates, Candidate::leads)[0];
    let candidate = &state.candidates[best];
    let leader = state.leading();
    let mut headline = format!("generation {}: {}", state.generation, headline(candidate, space));
    if leader.id != candidate.id {
        headline.push_str(&format!("; {} leads still", headline_short(leader)));
    }
    TuningFold {
        points: gained.iter().map(|(_, points)| *points).collect(),
        games: gained.iter().map(|(games, _)| *games).collect(),
        shares: state.candidates.iter().map(Candidate::share).collect(),
        best,
        best_values: space.to_json(&candidate.values),
        leader: leader.to_record(space),
        leads_since: state.leader.map_or(state.generation, |(_, since)| since),
        headline,
    }
}

/// `candidate-07 0.58 of 60 games (playouts 410, p 1.72)`.
fn headline(candidate: &Candidate, space: &Space) -> String {
    format!("{} ({})", headline_short(candidate), space.show(&candidate.values))
}

fn headline_short(candidate: &Candidate) -> String {
    format!("{} {:.2} of the points in {} games", candidate.name(), candidate.share(), candidate.games)
}

/// The fold of the final stage.
pub(super) fn of_final(scores: &Scores, pairs: &[[String; 2]], winner: &Candidate, space: &Space) -> FinalFold {
    let share = |(games, points): (u64, f64)| points / games as f64;
    let of = |player| -> Vec<String> {
        let own = pairs.iter().zip(&scores.pairs).filter(|([first, _], (games, _))| first == player && *games > 0);
        own.map(|([_, opponent], &score)| format!("{:.3} v {opponent}", share(score))).collect()
    };
    let games = scores.pairs.first().map_or(0, |(games, _)| *games);
    let headline = format!(
        "final: {WINNER} {}; {DEFAULTS} {} ({games} games each; {WINNER}: {})",
        of(WINNER).join(", "),
        of(DEFAULTS).join(", "),
        space.show(&winner.values)
    );
    FinalFold { scores: scores.by_name(pairs), winner_values: space.to_json(&winner.values), headline }
}
