//! UCB1-tuned with first-play values.

use crate::mcts::{Chooser, Selection};

/// First-play value of a move of the side to move at the root, and of the other side.
const FIRST_PLAY: [f64; 2] = [0.76, 0.61];

/// UCB1-tuned (Auer, Cesa-Bianchi and Fischer 2002, section 4), `X + C sqrt(min(1/4, V) ln N / n)` with
/// `V = X - X^2 + sqrt(2 ln N / n)`: results are 1 or 0, which are their own squares. A child is added while the best one's
/// score is below the first-play value, which explores by the mean number of visits of the children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuned {
    pub(super) c: f64,
}

impl Selection for Tuned {
    /// ln N.
    type Parent = f64;
    type Prior = ();

    fn parent(&self, visits: u32) -> f64 {
        libm::log(f64::from(visits.max(1)))
    }

    #[inline]
    fn score(&self, log: f64, total: f64, visits: u32, (): ()) -> f64 {
        let n = f64::from(visits);
        let mean = total / n;
        let variance = mean - mean * mean + (2.0 * log / n).sqrt();
        mean + self.c * (variance.min(0.25) * log / n).sqrt()
    }

    fn draws_ties(&self) -> bool {
        true
    }

    #[inline]
    fn untried_at(&self, node: Chooser, tried: u32, (): ()) -> f64 {
        let first_play = FIRST_PLAY[usize::from(!node.own)];
        if tried == 0 {
            return f64::INFINITY;
        }
        let by_child = f64::from(node.visits.max(1)) / f64::from(tried);
        first_play + self.c * (0.25 * self.parent(node.visits) / by_child).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (C, W, n, N, value), by Python 3.11's math module.
    #[test]
    fn is_the_formula() {
        for (c, total, n, parent, value) in [
            (1.0, 6.0, 10, 100, 0.939_307_021_220_755_6),
            (2.0, 990.0, 1_000, 5_000, 1.059_164_988_199_134_5),
            (1.0, 0.0, 4, 4, 0.294_352_505_628_867_1),
        ] {
            let tuned = Tuned { c };
            let score = tuned.score(tuned.parent(parent), total, n, ());
            assert!((score - value).abs() < 1e-12, "{score} is not {value}");
        }
    }

    #[test]
    fn moves_have_a_first_play_value() {
        let tuned = Tuned { c: 1.0 };
        let node = |own| Chooser { visits: 100, own };
        assert_eq!(tuned.untried_at(node(true), 0, ()), f64::INFINITY);
        // 0.76 + sqrt(ln 100 / (100 / 5) / 4) and 0.61 + the same.
        for (own, value) in [(true, 0.999_926_295_609_404), (false, 0.849_926_295_609_404)] {
            assert!((tuned.untried_at(node(own), 5, ()) - value).abs() < 1e-12);
        }
    }
}
