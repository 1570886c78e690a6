//! Iterations whose leaves are valued together.
//!
//! Each of them finds its leaf before those that began earlier have their values. Until then a visit on the way counts
//! as a loss (a virtual loss: Chaslot, Winands and van den Herik 2008), so that the next iteration tends elsewhere.

use games::{Game, Rng};

use super::{
    Search,
    evaluator::{Evaluator, Leaf, Prior as _},
    search::{Reached, Step},
    selection::Selection,
    tree::PENDING,
};

/// The way to a leaf that waits for its value.
struct Waiting {
    path: Vec<Step>,
    nodes: Vec<u32>,
    /// Node that its priors go to.
    expanded: Option<u32>,
}

impl<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>> Search<G, S, E> {
    /// `count` iterations from the root, which must be set, with their leaves valued together as far as they differ. A
    /// single one is [`Search::iterate`].
    pub fn iterate_together(&mut self, count: usize, rng: &mut Rng) {
        let mut left = count;
        while left > 1 {
            left -= self.batch(left, rng);
        }
        if left == 1 {
            self.iterate(rng);
        }
    }

    /// At least one iteration and at most `most`, as many as find leaves that do not wait already; gives their number.
    fn batch(&mut self, most: usize, rng: &mut Rng) -> usize {
        self.value_root(rng);
        let (mut waiting, mut leaves, mut done) = (Vec::new(), Vec::new(), 0);
        while done < most {
            let (node, expanded) = match self.select_leaf(rng) {
                Reached::Pending => break,
                Reached::End(node) => {
                    let points = self.end(node, rng);
                    self.back_up(points);
                    done += 1;
                    continue;
                }
                Reached::New(node) => (node, Some(node).filter(|_| E::Prior::GIVEN)),
                Reached::Full(node) => (node, None),
            };
            let position = self.tree.nodes[node as usize].position.clone();
            if let Some(node) = expanded {
                self.tree.nodes[node as usize].edges = PENDING;
            }
            self.count_visits();
            leaves.push(Leaf { position, points: [0.0; 2], priors: Vec::new() });
            waiting.push(Waiting { path: self.path.clone(), nodes: self.nodes.clone(), expanded });
            done += 1;
        }
        self.evaluator.evaluate_all(&mut leaves, rng);
        for (Waiting { path, nodes, expanded }, leaf) in waiting.into_iter().zip(leaves) {
            if let Some(node) = expanded {
                self.tree.expand_by(node, &leaf.priors);
            }
            (self.path, self.nodes) = (path, nodes);
            self.add_points(leaf.points);
        }
        done
    }
}
