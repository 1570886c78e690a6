//! Which child to descend to.

/// Scores the children of a position. Higher is better; the first of equals wins, and children stand in the random
/// order in which they were first tried.
pub trait Selection: Send {
    /// What scoring the children of one parent needs to know of it.
    type Parent: Copy;

    /// Prepares for the children of a parent with `visits` playouts.
    fn parent(&self, visits: u32) -> Self::Parent;

    /// Score of a child with `visits` playouts, at least 1, and `total` points for the player who chooses.
    fn score(&self, parent: Self::Parent, total: f64, visits: u32) -> f64;

    /// Score of a move not tried yet. Infinite: every move is tried once before any is tried twice.
    fn untried(&self) -> f64 {
        f64::INFINITY
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
    factor: f64,
    untried: f64,
    /// `[n]`: C sqrt(F ln n).
    exploration: Vec<f64>,
    /// `[n]`: (1 / n, 1 / sqrt n).
    inverse: Vec<(f64, f64)>,
}

impl Ucb1 {
    /// With exploration constant `c`, `factor` inside the root, and `untried` as the score of a move not tried yet.
    pub fn new(c: f64, factor: f64, untried: f64) -> Self {
        let exploration = (0..TABLE).map(|n| exploration(c, factor, n as f64)).collect();
        let inverse = (0..TABLE).map(|n| (1.0 / n as f64, 1.0 / (n as f64).sqrt())).collect();
        Ucb1 { c, factor, untried, exploration, inverse }
    }
}

fn exploration(c: f64, factor: f64, visits: f64) -> f64 {
    // A parent of unvisited children has no logarithm to speak of.
    if visits < 1.0 { 0.0 } else { c * (factor * libm::log(visits)).sqrt() }
}

impl Selection for Ucb1 {
    type Parent = f64;

    #[inline(always)]
    fn parent(&self, visits: u32) -> f64 {
        match self.exploration.get(visits as usize) {
            Some(&known) => known,
            None => exploration(self.c, self.factor, f64::from(visits)),
        }
    }

    #[inline(always)]
    fn score(&self, parent: f64, total: f64, visits: u32) -> f64 {
        let (inverse, root) = match self.inverse.get(visits as usize) {
            Some(&known) => known,
            None => (1.0 / f64::from(visits), 1.0 / f64::from(visits).sqrt()),
        };
        total * inverse + parent * root
    }

    #[inline(always)]
    fn untried(&self) -> f64 {
        self.untried
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let score = ucb.score(ucb.parent(parent), total, n);
            assert!((score - value).abs() < 1e-14, "{score} is not {value}");
        }
    }
}
