//! Exact values near the end of a game, where it has something that solves its endings.

use games::{Game, Rng, Turn, endings::Endings};

use super::{Evaluator, Leaf, Prior as _};

/// An evaluator that values positions near the end exactly, by who wins under best play, and others as another one does. The
/// search takes such a position for an end of the game, and goes no further.
pub struct Settled<G, E> {
    evaluator: E,
    endings: Box<dyn Endings<G>>,
    /// Greatest distance from the end that is solved.
    from: u32,
}

impl<G: Game, E> Settled<G, E> {
    /// Positions at most `from` away from the end by `endings`, others by `evaluator`. The game must be one in which the
    /// greater score wins.
    pub fn new(evaluator: E, endings: Box<dyn Endings<G>>, from: u32) -> Self {
        Settled { evaluator, endings, from }
    }

    /// What values other positions.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    fn is_near(&self, position: &G) -> bool {
        self.endings.distance(position) <= self.from && position.turn() != Turn::Over
    }

    /// Points of each seat under best play.
    fn points(&mut self, position: &G) -> [f64; 2] {
        if self.endings.is_at_least(position, 1) {
            [1.0, 0.0]
        } else if self.endings.is_at_least(position, 0) {
            [0.5; 2]
        } else {
            [0.0, 1.0]
        }
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Settled<G, E> {
    type Prior = E::Prior;

    fn evaluate(&mut self, leaf: &mut Leaf<G, E::Prior>, rng: &mut Rng) {
        // Of positions near the end a search with priors asks about its root alone, and needs its priors.
        if !E::Prior::GIVEN && self.is_near(&leaf.position) {
            leaf.points = self.points(&leaf.position);
        } else {
            self.evaluator.evaluate(leaf, rng);
        }
    }

    fn evaluate_all(&mut self, leaves: &mut [Leaf<G, E::Prior>], rng: &mut Rng) {
        let is_near = |leaf: &Leaf<G, E::Prior>| !E::Prior::GIVEN && self.is_near(&leaf.position);
        let far: Vec<usize> = (0..leaves.len()).filter(|&place| !is_near(&leaves[place])).collect();
        if far.len() == leaves.len() {
            return self.evaluator.evaluate_all(leaves, rng);
        }
        let mut others: Vec<Leaf<G, E::Prior>> = far.iter().map(|&place| leaves[place].clone()).collect();
        self.evaluator.evaluate_all(&mut others, rng);
        for leaf in leaves.iter_mut() {
            if self.is_near(&leaf.position) {
                leaf.points = self.points(&leaf.position);
            }
        }
        for (place, other) in far.into_iter().zip(others) {
            leaves[place] = other;
        }
    }

    fn end(&mut self, position: &G, rng: &mut Rng) -> [f64; 2] {
        if self.is_near(position) { self.points(position) } else { self.evaluator.end(position, rng) }
    }

    fn mean(&self, position: &G) -> [f64; 2] {
        self.evaluator.mean(position)
    }

    fn settles(&self, position: &G) -> bool {
        self.is_near(position)
    }
}
