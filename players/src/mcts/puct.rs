//! Selection by priors (PUCT).

use super::{Edge, Selection};

/// PUCT as AlphaZero has it (Silver et al. 2018) with a constant factor: `W/n + C P sqrt(N) / (1 + n)`.
///
/// P is the prior of the move, N the visits of the parent, n those of the child and W the points of the player who
/// chooses, from 0 to 1 a visit. A move not tried yet has `untried` in place of W/n.
#[derive(Clone, Copy, Debug)]
pub struct Puct {
    /// C, the weight of exploration.
    pub c: f64,
    /// Value of a move not tried yet.
    pub untried: Untried,
}

/// Value of a move not tried yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Untried {
    /// Always the same.
    Fixed(f64),
    /// So far below the mean of the visits of the moves that were tried beside it.
    BelowMean(f64),
}

impl Selection for Puct {
    type Parent = f64;
    type Prior = f32;

    #[inline(always)]
    fn parent(&self, visits: u32) -> f64 {
        self.c * f64::from(visits).sqrt()
    }

    #[inline(always)]
    fn score(&self, parent: f64, total: f64, visits: u32, prior: f32) -> f64 {
        let visits = f64::from(visits);
        total / visits + parent * f64::from(prior) / (1.0 + visits)
    }

    #[inline(always)]
    fn untried(&self, parent_visits: u32, prior: f32) -> f64 {
        let value = match self.untried {
            Untried::Fixed(value) => value,
            // The first move that is tried has nothing to be compared with.
            Untried::BelowMean(_) => 0.0,
        };
        value + self.parent(parent_visits) * f64::from(prior)
    }

    #[inline]
    fn untried_beside<M>(&self, parent_visits: u32, children: &[Option<Edge<M, f32>>], prior: f32) -> f64 {
        let beside = self.untried(parent_visits, prior);
        let Untried::BelowMean(reduction) = self.untried else { return beside };
        let (mut total, mut visits) = (0.0, 0u32);
        for edge in children.iter().flatten() {
            total += edge.total;
            visits += edge.visits;
        }
        if visits == 0 { beside } else { beside + total / f64::from(visits) - reduction }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (C, P, W, n, N, value): the formula by Python 3.11's math module.
    #[test]
    fn is_the_formula() {
        for (c, prior, total, n, parent, value) in [
            (1.25, 0.5, 3.0, 4, 16, 1.25),
            (2.0, 0.25, 0.0, 1, 2, 0.353_553_390_593_273_8),
            (1.0, 0.125, 7.5, 10, 99, 0.863_066_754_216_661_3),
        ] {
            let puct = Puct { c, untried: Untried::Fixed(0.0) };
            let score = puct.score(puct.parent(parent), total, n, prior);
            assert!((score - value).abs() < 1e-14, "{score} is not {value}");
        }
        // No visits: 0.5 + 2 * 0.25 * sqrt(9).
        assert_eq!(Puct { c: 2.0, untried: Untried::Fixed(0.5) }.untried(9, 0.25), 2.0);
    }

    #[test]
    fn an_untried_move_lies_below_the_mean_of_its_siblings() {
        let edge = |total, visits| Some(Edge { total, visits, child: 0, chosen: (), prior: 0.5f32 });
        let puct = Puct { c: 2.0, untried: Untried::BelowMean(0.25) };
        // (3 + 1.5) / 6 - 0.25 + 2 * 0.25 * sqrt(9).
        assert_eq!(puct.untried_beside(9, &[edge(3.0, 4), edge(1.5, 2)], 0.25), 2.0);
        assert_eq!(puct.untried_beside::<()>(9, &[], 0.25), 1.5);
    }
}
