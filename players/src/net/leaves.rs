//! Leaves valued by a network.

use games::{Game, Rng, Turn};

use super::NetReader;
use crate::mcts::{Evaluator, Leaf};

/// Points of a leaf by the network, in place of a playout; at the end of the game what it brings.
#[derive(Clone, Debug)]
pub struct NetPoints(pub NetReader);

impl<G: Game> Evaluator<G> for NetPoints {
    type Prior = ();

    fn evaluate(&mut self, leaf: &mut Leaf<G, ()>, rng: &mut Rng) {
        leaf.points = if leaf.position.turn() == Turn::Over {
            leaf.position.outcome(rng)
        } else {
            self.0.read(&leaf.position);
            self.0.points(&leaf.position)
        };
    }

    fn evaluate_all(&mut self, leaves: &mut [Leaf<G, ()>], rng: &mut Rng) {
        let mut open = Vec::new();
        for (place, leaf) in leaves.iter_mut().enumerate() {
            if leaf.position.turn() == Turn::Over {
                leaf.points = leaf.position.outcome(rng);
            } else {
                open.push(place);
            }
        }
        let mut points = Vec::with_capacity(open.len());
        self.0.read_all(open.iter().map(|&place| &leaves[place].position), |reader, index| {
            points.push(reader.points(&leaves[open[index]].position));
        });
        for (place, points) in open.into_iter().zip(points) {
            leaves[place].points = points;
        }
    }
}

/// Points of a leaf and priors of its moves by the network.
#[derive(Clone, Debug)]
pub struct NetPriors(pub NetReader);

impl<G: Game> Evaluator<G> for NetPriors {
    type Prior = f32;

    fn evaluate(&mut self, leaf: &mut Leaf<G, f32>, _: &mut Rng) {
        self.0.read(&leaf.position);
        leaf.points = self.0.points(&leaf.position);
        leaf.priors.extend_from_slice(self.0.priors(&leaf.position));
    }

    fn evaluate_all(&mut self, leaves: &mut [Leaf<G, f32>], _: &mut Rng) {
        let mut found = Vec::with_capacity(leaves.len());
        self.0.read_all(leaves.iter().map(|leaf| &leaf.position), |reader, place| {
            let position = &leaves[place].position;
            found.push((reader.points(position), reader.priors(position).to_vec()));
        });
        for (leaf, (points, priors)) in leaves.iter_mut().zip(found) {
            (leaf.points, leaf.priors) = (points, priors);
        }
    }
}
