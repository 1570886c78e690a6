//! A network that is asked before each playout (Cotarelo et al. 2021, sections 3.1 and 5.2, algorithm 5).

use games::{Game, Moves as _, Rng, Turn, below};

use super::NetReader;
use crate::mcts::{Evaluator, Leaf, Rewarded, Settled};

/// Asks the network at each leaf: if its greatest output reaches the threshold, the result that it stands for is backed up,
/// else that of a playout.
#[derive(Clone, Debug)]
pub struct Threshold<E> {
    reader: NetReader,
    threshold: f32,
    each_step: bool,
    playout: E,
    /// Leaves so far at which the network was asked, and those that it decided.
    counts: [u64; 2],
}

/// Counts the leaves at which a network was asked, and those that it decided, since it was made.
pub trait Asking {
    /// Leaves asked about, and those decided.
    fn counts(&self) -> [u64; 2];
}

impl<E> Asking for Threshold<E> {
    fn counts(&self) -> [u64; 2] {
        self.counts
    }
}

impl<G: Game, E: Asking> Asking for Settled<G, E> {
    fn counts(&self) -> [u64; 2] {
        self.evaluator().counts()
    }
}

impl<E: Asking> Asking for Rewarded<E> {
    fn counts(&self) -> [u64; 2] {
        self.evaluator().counts()
    }
}

impl<E> Threshold<E> {
    /// With playouts of `playout`; with `each_step` the network is asked at each step of a playout, too, whose moves are then
    /// drawn uniformly.
    ///
    /// # Errors
    /// The network has no outcome.
    pub fn new(reader: NetReader, threshold: f32, each_step: bool, playout: E) -> Result<Self, String> {
        if reader.architecture().outcome().is_none() {
            return Err("the network has no `outcome`, whose three outputs the threshold is for".to_owned());
        }
        Ok(Threshold { reader, threshold, each_step, playout, counts: [0; 2] })
    }

    /// What the network decides about a position at which a player moves.
    fn ask<G: Game>(&mut self, position: &G) -> Option<[f64; 2]> {
        self.reader.read(position);
        self.reader.decided(position, self.threshold)
    }

    /// Plays on at random from a position that the network did not decide, until it does or the game is over; gives the points
    /// and whether it did.
    fn play_on<G: Game>(&mut self, position: &mut G, rng: &mut Rng) -> ([f64; 2], bool) {
        for ply in 0..position.playout_plies_max() {
            match position.turn() {
                Turn::Over => return (position.outcome(rng), false),
                Turn::Chance => {
                    let drawn = position.chance(rng);
                    position.play(drawn);
                }
                Turn::Player(_) => {
                    if ply > 0
                        && let Some(points) = self.ask(position)
                    {
                        return (points, true);
                    }
                    let moves = position.moves();
                    let index = if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize };
                    position.play(moves.get(index));
                }
            }
        }
        (if position.turn() == Turn::Over { position.outcome(rng) } else { [0.5; 2] }, false)
    }
}

impl<G: Game, E: Evaluator<G, Prior = ()>> Evaluator<G> for Threshold<E> {
    type Prior = ();

    fn evaluate(&mut self, leaf: &mut Leaf<G, ()>, rng: &mut Rng) {
        if leaf.position.turn() == Turn::Over {
            leaf.points = leaf.position.outcome(rng);
            return;
        }
        self.counts[0] += 1;
        if let Some(points) = self.ask(&leaf.position) {
            self.counts[1] += 1;
            leaf.points = points;
        } else if self.each_step {
            let (points, decided) = self.play_on(&mut leaf.position, rng);
            self.counts[1] += u64::from(decided);
            leaf.points = points;
        } else {
            self.playout.evaluate(leaf, rng);
        }
    }

    fn end(&mut self, position: &G, rng: &mut Rng) -> [f64; 2] {
        self.playout.end(position, rng)
    }

    fn mean(&self, position: &G) -> [f64; 2] {
        self.playout.mean(position)
    }
}
