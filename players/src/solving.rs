//! Exact play near the end of a game, by what the game has for it ([`Game::endings`]): the parameter `solve-from` of
//! searches, and what `solver` is made of.

use games::{Game, Moves as _, Rng, Seed, Turn, below, endings::Endings, purpose};
use spec::{Default, Fault, Kind, Param, Spec, Value};

use crate::{Decision, Player, Searched, game_rng::GameRng, mcts::Settled, readout::Readout};

// Not a default that is written out: specs of candidates are in digests of tunings.
pub(crate) const SOLVE_FROM: Param = Param {
    name: "solve-from",
    kind: Kind::Int(0, 1_000),
    default: Default::None,
    doc: "decisions at most so far from the end (free edges in Dots and Boxes) are solved exactly, by the score; none if not given",
};

/// The same inside a search.
pub(crate) const LEAF_SOLVE_FROM: Param = Param {
    name: "leaf-solve-from",
    kind: Kind::Int(0, 1_000),
    default: Default::None,
    doc: "positions of the search at most so far from the end are valued exactly, by who wins, and searched no further; none if not \
          given",
};

/// What solves the endings of a game.
///
/// # Errors
/// Nothing does, so that the parameter `key` means nothing.
pub(crate) fn solvable<G: Game>(start: &G, key: &str) -> Result<Box<dyn Endings<G>>, Fault> {
    start.endings().ok_or_else(|| {
        let reason = format!("nothing solves endings of {}; Dots and Boxes has a solver", start.facts().name);
        Fault::Conflict { key: key.to_owned(), reason }
    })
}

/// Checks that decisions in the game of `start` can be solved, if the spec asks for it.
///
/// # Errors
/// They cannot.
pub(crate) fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
    let keys = [SOLVE_FROM.name, LEAF_SOLVE_FROM.name];
    keys.into_iter().filter(|key| spec.find(key).is_some()).try_for_each(|key| solvable(start, key).map(|_| ()))
}

/// An evaluator that values positions exactly from where a spec with [`LEAF_SOLVE_FROM`] asks for it, and else as `evaluator`;
/// `None` with the evaluator where the spec does not ask.
///
/// # Errors
/// Nothing solves endings of the game.
pub(crate) fn settled<G: Game, E>(spec: &Spec, start: &G, evaluator: E) -> Result<Settling<G, E>, Fault> {
    let Some(from) = spec.int(LEAF_SOLVE_FROM.name) else { return Ok(Settling::Without(evaluator)) };
    let endings = solvable(start, LEAF_SOLVE_FROM.name)?;
    Ok(Settling::With(Settled::new(evaluator, endings, u32::try_from(from).unwrap_or(0))))
}

/// An evaluator, with or without exact values near the end.
pub(crate) enum Settling<G, E> {
    /// With them.
    With(Settled<G, E>),
    /// Without.
    Without(E),
}

/// The player, with exact play from where the spec asks for it.
///
/// # Errors
/// As [`check_game`].
pub(crate) fn with_endings<G: Game>(
    spec: &Spec,
    start: &G,
    player: Box<dyn Player<G>>,
) -> Result<Box<dyn Player<G>>, Fault> {
    match spec.find(SOLVE_FROM.name) {
        Some(&Value::Int(from)) => Ok(Box::new(Solving::new(player, solvable(start, SOLVE_FROM.name)?, from))),
        _ => Ok(player),
    }
}

/// A player that plays exactly near the end. Seeds and moves before are those of the player alone.
pub(crate) struct Solving<G: Game> {
    player: Box<dyn Player<G>>,
    endings: Box<dyn Endings<G>>,
    /// Distance from which on it solves.
    from: u32,
    rng: GameRng,
    /// Whether the last decision was solved.
    is_solved: bool,
}

impl<G: Game> Solving<G> {
    /// `player`, with `endings` from the distance `from` on.
    pub(crate) fn new(player: Box<dyn Player<G>>, endings: Box<dyn Endings<G>>, from: i64) -> Self {
        let from = u32::try_from(from).unwrap_or(0);
        Solving { player, endings, from, rng: GameRng::default(), is_solved: false }
    }
}

/// One of the moves with the best score at the end for the side to move, each as likely as another.
fn best<G: Game>(endings: &mut dyn Endings<G>, position: &G, rng: &mut Rng) -> G::Move {
    let moves = position.moves();
    if moves.len() == 1 {
        return moves.get(0);
    }
    let value = endings.value(position);
    let is_first = position.mover() == Turn::Player(0);
    let mut left: Vec<usize> = (0..moves.len()).collect();
    // The first best one in a random order: only moves before it are looked at.
    while left.len() > 1 {
        let chosen = moves.get(left.swap_remove(below(rng, left.len() as u32) as usize));
        let mut after = position.clone();
        after.play(chosen);
        let is_best =
            if is_first { endings.is_at_least(&after, value) } else { !endings.is_at_least(&after, value + 1) };
        if is_best {
            return chosen;
        }
    }
    moves.get(left[0])
}

impl<G: Game> Player<G> for Solving<G> {
    fn start(&mut self, seed: &Seed) {
        self.player.start(seed);
        self.rng.start(&seed.part(purpose::ENDINGS));
    }

    fn draw_parameters(&mut self, shared: &Seed) {
        self.player.draw_parameters(shared);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        self.is_solved = self.endings.distance(position) <= self.from;
        if self.is_solved {
            let chosen = best(&mut *self.endings, position, self.rng.get());
            return Decision { chosen, iterations: 0 };
        }
        self.player.decide(position)
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        if self.is_solved { None } else { self.player.readout(bins) }
    }

    fn figures(&self, values: &mut Vec<f64>) {
        self.player.figures(values);
    }

    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        if !self.is_solved {
            self.player.root_visits(visits);
        }
    }

    fn searched(&self, found: &mut Vec<Searched>) {
        if !self.is_solved {
            self.player.searched(found);
        }
    }

    fn observe(&mut self, before: &G, played: G::Move) {
        self.player.observe(before, played);
    }
}
