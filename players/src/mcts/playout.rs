//! Leaves valued by playouts.

use games::{Game, Moves as _, Rng, Turn, below};

use super::{Evaluator, Leaf};

/// Every legal move as likely as another, to the end of the game.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformPlayout;

impl<G: Game> Evaluator<G> for UniformPlayout {
    type Prior = ();

    #[inline]
    fn evaluate(&mut self, leaf: &mut Leaf<G, ()>, rng: &mut Rng) {
        leaf.points = leaf.position.playout(rng);
    }
}

/// No playout: every one is lost for both sides, as by the defects of the Checkers project's program
/// (docs/papers/checkers.md, "The search"), so that its search chooses nearly at random.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingWon;

impl<G: Game> Evaluator<G> for NothingWon {
    type Prior = ();

    fn evaluate(&mut self, leaf: &mut Leaf<G, ()>, _: &mut Rng) {
        leaf.points = [0.0; 2];
    }

    fn end(&mut self, _: &G, _: &mut Rng) -> [f64; 2] {
        [0.0; 2]
    }
}

/// Each move one of the few that promise most ([`Game::prospect`]), each of them as likely as another; or, as the
/// Checkers project's program sorted them, least.
#[derive(Clone, Debug)]
pub struct FewBest {
    keep: usize,
    least: bool,
    ranked: Vec<(f64, usize)>,
}

impl FewBest {
    /// Playouts that choose among `keep` moves, at least 1, that promise most, or least.
    pub fn new(keep: usize, least: bool) -> Self {
        FewBest { keep: keep.max(1), least, ranked: Vec::new() }
    }

    fn play<G: Game>(&mut self, position: &mut G, rng: &mut Rng) -> [f64; 2] {
        for _ in 0..position.playout_plies_max() {
            let chosen = match position.turn() {
                Turn::Over => return position.outcome(rng),
                Turn::Chance => position.chance(rng),
                Turn::Player(_) => {
                    let moves = position.moves();
                    self.ranked.clear();
                    self.ranked.extend((0..moves.len()).map(|index| (position.prospect(moves.get(index)), index)));
                    let sign = if self.least { 1.0 } else { -1.0 };
                    // Stable: of equal ones the first of the game's order are kept.
                    self.ranked.sort_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)));
                    let kept = self.ranked.len().min(self.keep);
                    let pick = if kept == 1 { 0 } else { below(rng, kept as u32) as usize };
                    moves.get(self.ranked[pick].1)
                }
            };
            position.play(chosen);
        }
        if position.turn() == Turn::Over { position.outcome(rng) } else { [0.5; 2] }
    }
}

impl<G: Game> Evaluator<G> for FewBest {
    type Prior = ();

    fn evaluate(&mut self, leaf: &mut Leaf<G, ()>, rng: &mut Rng) {
        leaf.points = self.play(&mut leaf.position, rng);
    }
}
