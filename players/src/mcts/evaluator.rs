//! How leaves are valued: by playouts, or by whatever gives a value and priors of moves, such as a network.

use std::fmt;

use games::{Game, Rng};

/// What an evaluation says about each move: a probability, or `()` where it says nothing, which then takes no memory.
pub trait Prior: Copy + Default + fmt::Debug + Send + 'static {
    /// Whether there are priors.
    const GIVEN: bool;

    /// The prior as a number, 0 where there is none.
    fn number(self) -> f64;
}

impl Prior for () {
    const GIVEN: bool = false;

    fn number(self) -> f64 {
        0.0
    }
}

impl Prior for f32 {
    const GIVEN: bool = true;

    fn number(self) -> f64 {
        self.into()
    }
}

/// A leaf that waits for its value.
#[derive(Clone, Debug)]
pub struct Leaf<G, R> {
    /// The position, where a player moves. It may be used up.
    pub position: G,
    /// Points of each seat, to be filled in.
    pub points: [f64; 2],
    /// Priors of the moves in the game's order, to be filled in; empty where [`Prior::GIVEN`] is false.
    pub priors: Vec<R>,
}

/// Values the leaves of a search, and gives priors to the moves there, if it has any; `Evaluate` and `Prior` of OpenSpiel
/// in one. A playout is an evaluator without priors.
pub trait Evaluator<G: Game>: Send {
    /// What it says about each move.
    type Prior: Prior;

    /// Values a leaf: fills in its points and, where there are priors, one for each move.
    fn evaluate(&mut self, leaf: &mut Leaf<G, Self::Prior>, rng: &mut Rng);

    /// Values leaves together. Values must be those of [`Evaluator::evaluate`] one by one.
    fn evaluate_all(&mut self, leaves: &mut [Leaf<G, Self::Prior>], rng: &mut Rng) {
        for leaf in leaves {
            self.evaluate(leaf, rng);
        }
    }

    /// Points of each seat where the game is over.
    fn end(&mut self, position: &G, rng: &mut Rng) -> [f64; 2] {
        position.outcome(rng)
    }

    /// Whether the position, at which a player decides, is taken for an end of the game: [`Evaluator::end`] gives its exact
    /// value, always the same, and the search goes no further unless it begins there.
    #[inline(always)]
    fn settles(&self, position: &G) -> bool {
        let _ = position;
        false
    }

    /// Mean of [`Evaluator::end`], in an unfinished game what it would be if the game ended here. Two seats' have one sum at
    /// every position.
    fn mean(&self, position: &G) -> [f64; 2] {
        position.reward()
    }
}

impl<G: Game, E: Evaluator<G> + ?Sized> Evaluator<G> for Box<E> {
    type Prior = E::Prior;

    fn evaluate(&mut self, leaf: &mut Leaf<G, E::Prior>, rng: &mut Rng) {
        (**self).evaluate(leaf, rng);
    }

    fn evaluate_all(&mut self, leaves: &mut [Leaf<G, E::Prior>], rng: &mut Rng) {
        (**self).evaluate_all(leaves, rng);
    }

    fn end(&mut self, position: &G, rng: &mut Rng) -> [f64; 2] {
        (**self).end(position, rng)
    }

    fn settles(&self, position: &G) -> bool {
        (**self).settles(position)
    }

    fn mean(&self, position: &G) -> [f64; 2] {
        (**self).mean(position)
    }
}
