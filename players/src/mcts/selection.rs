//! Which child to descend to.

use games::{Rng, Seed, below, purpose, unit};

use super::{Edge, Prior};

/// A position whose children are to be chosen among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chooser {
    /// Playouts through it.
    pub visits: u32,
    /// Whether the player who searches moves there, and not the opponent.
    pub own: bool,
}

/// Scores the children of a position. Higher is better.
pub trait Selection: Send {
    /// What scoring the children of one parent needs to know about it.
    type Parent: Copy;
    /// Priors that scores take: `()` for none.
    type Prior: Prior;

    /// Draws what it leaves open, from a seed that both players of a game have ([`Player::draw_parameters`]).
    ///
    /// [`Player::draw_parameters`]: crate::Player::draw_parameters
    fn draw(&mut self, shared: &Seed) {
        let _ = shared;
    }

    /// Prepares for the children of a parent with `visits` playouts.
    fn parent(&self, visits: u32) -> Self::Parent;

    /// Prepares for the children of a parent, where it matters who moves there.
    #[inline(always)]
    fn parent_at(&self, node: Chooser) -> Self::Parent {
        self.parent(node.visits)
    }

    /// Score of a child with `visits` playouts, at least 1, and `total` points for the player who chooses; not NaN.
    fn score(&self, parent: Self::Parent, total: f64, visits: u32, prior: Self::Prior) -> f64;

    /// Whether one of equally good children is drawn. Else the first of them is taken, and children stand in the random
    /// order in which they were first tried.
    fn draws_ties(&self) -> bool {
        false
    }

    /// Place and score of the best of `children` that are there; `None` if none is.
    #[inline(always)]
    fn best<M>(
        &mut self,
        node: Chooser,
        children: &[Option<Edge<M, Self::Prior>>],
        rng: &mut Rng,
    ) -> Option<(usize, f64)> {
        let parent = self.parent_at(node);
        let mut best = (f64::NEG_INFINITY, None);
        let mut equals = 0;
        for (place, edge) in children.iter().enumerate() {
            let Some(edge) = edge else { continue };
            let score = self.score(parent, edge.total, edge.visits, edge.prior);
            if score > best.0 || best.1.is_none() {
                (best, equals) = ((score, Some(place)), 1);
            } else if score == best.0 {
                equals += 1;
            }
        }
        if equals > 1 && self.draws_ties() {
            let is_best =
                |edge: &Edge<M, Self::Prior>| self.score(parent, edge.total, edge.visits, edge.prior) == best.0;
            let places = children.iter().enumerate().filter(|(_, edge)| edge.as_ref().is_some_and(is_best));
            let pick = below(rng, equals) as usize;
            best.1 = places.map(|(place, _)| place).nth(pick);
        }
        best.1.map(|place| (place, best.0))
    }

    /// [`Selection::untried`] beside the children that were tried, for a policy whose score depends on them.
    #[inline(always)]
    fn untried_beside<M>(
        &self,
        parent_visits: u32,
        children: &[Option<Edge<M, Self::Prior>>],
        prior: Self::Prior,
    ) -> f64 {
        let _ = children;
        self.untried(parent_visits, prior)
    }

    /// Score of a move not tried yet, the one with the greatest prior. Infinite: every move is tried once before any is
    /// tried twice.
    fn untried(&self, parent_visits: u32, prior: Self::Prior) -> f64 {
        let _ = (parent_visits, prior);
        f64::INFINITY
    }

    /// The same, where it matters who moves and how many children there are.
    #[inline(always)]
    fn untried_at(&self, node: Chooser, tried: u32, prior: Self::Prior) -> f64 {
        let _ = tried;
        self.untried(node.visits, prior)
    }
}

/// Counts up to this have their roots and logarithms in a table.
const TABLE: usize = 4_096;

/// UCB1 (Auer, Cesa-Bianchi and Fischer 2002) as trees use it: `W/n + C sqrt(F ln N / n)`.
///
/// EvoMCTS equation 1 has F = 1; the original has F = 2. The logarithm is natural and `libm`'s, so that every
/// machine has the same.
#[derive(Clone, Debug)]
pub struct Ucb1 {
    c: f64,
    /// Least and greatest C, if each game draws its own.
    drawn_from: Option<[f64; 2]>,
    factor: f64,
    untried: f64,
    draws_ties: bool,
    /// `[n]`: C sqrt(F ln n).
    exploration: Vec<f64>,
    /// `[n]`: (1 / n, 1 / sqrt n).
    inverse: Vec<(f64, f64)>,
}

impl Ucb1 {
    /// With exploration constant `c`, `factor` inside the root, and `untried` as the score of a move not tried yet.
    pub fn new(c: f64, factor: f64, untried: f64) -> Self {
        let inverse = (0..TABLE).map(|n| (1.0 / n as f64, 1.0 / (n as f64).sqrt())).collect();
        let mut ucb =
            Ucb1 { c, drawn_from: None, factor, untried, draws_ties: false, exploration: Vec::new(), inverse };
        ucb.set_c(c);
        ucb
    }

    /// The same with a constant that each game draws, any from C to `greatest` as likely as another.
    #[must_use]
    pub fn drawing_c_up_to(self, greatest: f64) -> Self {
        Ucb1 { drawn_from: Some([self.c, greatest]), ..self }
    }

    /// The exploration constant.
    pub fn c(&self) -> f64 {
        self.c
    }

    fn set_c(&mut self, c: f64) {
        self.c = c;
        self.exploration.clear();
        self.exploration.extend((0..TABLE).map(|n| exploration(c, self.factor, n as f64)));
    }

    /// The same, with one of equally good children drawn, or the first of them taken.
    #[must_use]
    pub fn drawing_ties(self, draws_ties: bool) -> Self {
        Ucb1 { draws_ties, ..self }
    }
}

fn exploration(c: f64, factor: f64, visits: f64) -> f64 {
    // A parent of unvisited children has no logarithm to speak of.
    if visits < 1.0 { 0.0 } else { c * (factor * libm::log(visits)).sqrt() }
}

impl Selection for Ucb1 {
    type Parent = f64;
    type Prior = ();

    fn draw(&mut self, shared: &Seed) {
        if let Some([least, greatest]) = self.drawn_from {
            let c = least + (greatest - least) * unit(&mut shared.part(purpose::EXPLORATION_CONSTANT).rng());
            self.set_c(c);
        }
    }

    #[inline(always)]
    fn parent(&self, visits: u32) -> f64 {
        match self.exploration.get(visits as usize) {
            Some(&known) => known,
            None => exploration(self.c, self.factor, f64::from(visits)),
        }
    }

    #[inline(always)]
    fn score(&self, parent: f64, total: f64, visits: u32, (): ()) -> f64 {
        let (inverse, root) = match self.inverse.get(visits as usize) {
            Some(&known) => known,
            None => (1.0 / f64::from(visits), 1.0 / f64::from(visits).sqrt()),
        };
        total * inverse + parent * root
    }

    #[inline(always)]
    fn draws_ties(&self) -> bool {
        self.draws_ties
    }

    #[inline(always)]
    fn untried(&self, _parent_visits: u32, (): ()) -> f64 {
        self.untried
    }
}

/// A selection among children that may have no visits yet: those come first.
#[derive(Clone, Copy, Debug)]
pub struct UnvisitedFirst<S>(pub S);

impl<S: Selection> Selection for UnvisitedFirst<S> {
    type Parent = S::Parent;
    type Prior = S::Prior;

    fn parent(&self, visits: u32) -> S::Parent {
        self.0.parent(visits)
    }

    #[inline]
    fn score(&self, parent: S::Parent, total: f64, visits: u32, prior: S::Prior) -> f64 {
        if visits == 0 { f64::INFINITY } else { self.0.score(parent, total, visits, prior) }
    }

    fn draws_ties(&self) -> bool {
        self.0.draws_ties()
    }

    fn untried(&self, parent_visits: u32, prior: S::Prior) -> f64 {
        self.0.untried(parent_visits, prior)
    }
}

/// The score of the Checkers project (Abdul Sater et al. 2022, section 3.4; docs/papers/checkers.md, "The search") for a
/// child with v visits, a prior one included, and w points: of d = w/v and e = sqrt(log2(v)/v), the sum with one of them
/// weighed. It does not depend on the parent.
#[derive(Clone, Copy, Debug)]
pub struct ProjectScore {
    /// Weight of one of the terms.
    pub p: f64,
    /// Whether `p` weighs e, as the report prints it, or d, as its program has it.
    pub weighs_exploration: bool,
}

impl Selection for ProjectScore {
    type Parent = ();
    type Prior = ();

    fn parent(&self, _visits: u32) {}

    #[inline]
    fn score(&self, (): (), total: f64, visits: u32, (): ()) -> f64 {
        let v = f64::from(visits) + 1.0;
        let (d, e) = (total / v, (libm::log2(v) / v).sqrt());
        if self.weighs_exploration { d + self.p * e } else { e + self.p * d }
    }

    fn draws_ties(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_1_SQRT_2;

    use super::*;
    use crate::mcts::audit::{Child, audit};

    /// Each player wants its own reward, of games whose rewards are differences and have nature in them.
    #[test]
    fn searches_keep_to_ucb1_and_the_account_of_their_iterations() {
        let score =
            |Child { own, q, n, parents }| (if own { q } else { -q }) + 0.5 * (2.0 * libm::log(parents) / n).sqrt();
        audit(|| Ucb1::new(0.5, 2.0, f64::INFINITY), score);
    }

    /// (C, F, W, n, N, value): `W/n + C*sqrt(F*log(N)/n)` by Python 3.11's math module.
    #[test]
    fn is_the_formula() {
        for (c, f, total, n, parent, value) in [
            (0.7, 1.0, 6.5, 10, 100, 1.125_029_829_709_058),
            (0.7, 2.0, 6.5, 10, 100, 1.321_793_627_706_331_4),
            (1.0, 1.0, 0.0, 1, 2, 0.832_554_611_157_697_7),
            (0.7, 1.0, 2500.0, 5000, 20000, 0.531_153_519_546_730_8),
        ] {
            let ucb = Ucb1::new(c, f, f64::INFINITY);
            let score = ucb.score(ucb.parent(parent), total, n, ());
            assert!((score - value).abs() < 1e-14, "{score} is not {value}");
        }
    }

    #[test]
    fn a_drawn_constant_is_any_of_its_range() {
        let mut ucb = Ucb1::new(0.5, 2.0, f64::INFINITY).drawing_c_up_to(3.0);
        let mut drawn: Vec<f64> = (0..2_000)
            .map(|game| {
                let seed = Seed::derive(1, 0, game, "opening");
                ucb.draw(&seed);
                let c = ucb.c();
                let given = Ucb1::new(c, 2.0, f64::INFINITY);
                for (visits, parents) in [(3, 17), (5_000, 20_000)] {
                    let score = |ucb: &Ucb1| ucb.score(ucb.parent(parents), 1.5, visits, ());
                    assert_eq!(score(&ucb), score(&given), "the last game's constant left nothing behind");
                }
                ucb.draw(&seed);
                assert_eq!(ucb.c(), c, "one seed, one constant");
                c
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        // Kolmogorov and Smirnov: 1.95 / sqrt n is exceeded with a probability of 0.001.
        let n = drawn.len() as f64;
        let gap = |(place, c): (usize, &f64)| ((c - 0.5) / 2.5 - (place as f64 + 0.5) / n).abs();
        assert!(drawn.iter().enumerate().map(gap).fold(0.0, f64::max) < 1.95 / n.sqrt());
    }

    /// (p, weighs e, w, n, value): `w/(n+1)` and `sqrt(log2(n+1)/(n+1))` by Python 3.11's math module.
    #[test]
    fn the_project_s_score_is_its_formula() {
        for (p, weighs_exploration, total, n, value) in [
            (1.5, true, 2.0, 3, 0.5 + 1.5 * FRAC_1_SQRT_2),
            (1.5, false, 2.0, 3, FRAC_1_SQRT_2 + 1.5 * 0.5),
            (0.25, false, 0.0, 1, FRAC_1_SQRT_2),
            (4.0, false, 0.5, 2, 0.726_856_817_794_067_9 + 4.0 * 0.5 / 3.0),
        ] {
            let score = ProjectScore { p, weighs_exploration }.score((), total, n, ());
            assert!((score - value).abs() < 1e-14, "{score} is not {value}");
        }
    }
}
