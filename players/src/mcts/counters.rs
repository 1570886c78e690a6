//! Selection by one counter of wins or by two (Cotarelo et al. 2021, section 3.2; docs/papers/dots-and-boxes.md).

use super::{Chooser, Selection, Ucb1};

/// Whose results a node counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Those of both players: a child is worth (W - L) / n, in [-1, 1], to the player who chooses it.
    Double,
    /// Those of the player who searches alone: at every node the child with the most of its results is chosen, W / n in
    /// [0, 1], whoever moves there.
    Unique,
}

/// UCB1 over one counter or two, with ties drawn. Rewards are 1, 0 and -1 for a win, a draw and a loss
/// ([`Reward::Result`](super::Reward::Result)).
#[derive(Clone, Debug)]
pub struct Counting {
    pub(crate) counter: Counter,
    ucb: Ucb1,
}

impl Counting {
    /// With the bound of `ucb`.
    pub fn new(counter: Counter, ucb: Ucb1) -> Self {
        Counting { counter, ucb }
    }
}

impl Selection for Counting {
    /// The bound's, and whether the player who searches chooses.
    type Parent = (f64, bool);
    type Prior = ();

    fn parent(&self, visits: u32) -> (f64, bool) {
        (self.ucb.parent(visits), true)
    }

    #[inline(always)]
    fn parent_at(&self, node: Chooser) -> (f64, bool) {
        (self.ucb.parent(node.visits), node.own)
    }

    #[inline(always)]
    fn score(&self, (parent, own): (f64, bool), total: f64, visits: u32, (): ()) -> f64 {
        let counted = match self.counter {
            Counter::Double => total,
            // Wins of the player who searches, with draws as halves, from the difference for the player who chooses.
            Counter::Unique => 0.5 * (f64::from(visits) + if own { total } else { -total }),
        };
        self.ucb.score(parent, counted, visits, ())
    }

    fn draws_ties(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::audit::{Child, audit};

    /// C = 1.41 and N = 100, n = 25, fifteen wins of the first player and ten of the second: exploration 0.6052 as the
    /// authors' library has it and 1.7117 as the paper prints it; X = 0.2 where the first player chooses and -0.2 where the
    /// second does.
    #[test]
    fn worked_values() {
        for (factor, exploration) in [((1.41, 1.0), 0.6052), ((2.82, 2.0), 1.7117)] {
            let ucb = Ucb1::new(factor.0, factor.1, f64::INFINITY);
            let [double, unique] =
                [Counter::Double, Counter::Unique].map(|counter| Counting::new(counter, ucb.clone()));
            for (own, total, value) in [(true, 5.0, 0.2), (false, -5.0, -0.2)] {
                let node = Chooser { visits: 100, own };
                let score = double.score(double.parent_at(node), total, 25, ());
                assert!((score - value - exploration).abs() < 1e-4, "{score}");
                let score = unique.score(unique.parent_at(node), total, 25, ());
                assert!((score - 0.6 - exploration).abs() < 1e-4, "{score}");
            }
        }
    }

    #[test]
    fn searches_keep_to_the_account_of_their_iterations() {
        let bound = |child: Child| 0.5 * (2.0 * libm::log(child.parents) / child.n).sqrt();
        let counting = |counter| Counting::new(counter, Ucb1::new(0.5, 2.0, f64::INFINITY));
        audit(|| counting(Counter::Double), |child| (if child.own { child.q } else { -child.q }) + bound(child));
        audit(|| counting(Counter::Unique), |child| 0.5 + 0.5 * child.q + bound(child));
    }
}
