//! The search of one ply: every move with the value of what it leads to.

use games::{Game, Outlook, Rng, below};

/// What a move that ends the game is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Its result: 1 for a win, 0 for a draw, -1 for a loss.
    Result,
    /// The evaluation of the last position, like every other.
    Evaluation,
}

/// Values moves by one ply. Keeps its memory between two positions.
#[derive(Clone, Debug)]
pub(crate) struct OnePly {
    ends: Ends,
    outlooks: Vec<Outlook>,
    values: Vec<f64>,
}

/// A result as a value: 1 for a win, -1 for a loss.
pub(crate) fn of_points(points: f64) -> f64 {
    2.0 * points - 1.0
}

/// An evaluation as a value between -1 and 1, by the scale of its game; 0 where the game has none.
pub(crate) fn of_evaluation(evaluation: f64, scale: Option<f64>) -> f64 {
    scale.map_or(0.0, |scale| (evaluation / scale).clamp(-1.0, 1.0))
}

impl OnePly {
    pub(crate) fn new(ends: Ends) -> Self {
        OnePly { ends, outlooks: Vec::new(), values: Vec::new() }
    }

    /// The value of each move of a position where a player decides, for that player, from -1 to 1, in the game's order.
    pub(crate) fn values<G: Game>(&mut self, position: &G) -> &[f64] {
        position.outlooks(&mut self.outlooks);
        let scale = position.evaluation_scale();
        let value = |outlook: &Outlook| match (self.ends, outlook.points) {
            (Ends::Result, Some(points)) => of_points(points),
            _ => of_evaluation(outlook.value, scale),
        };
        self.values.clear();
        self.values.extend(self.outlooks.iter().map(value));
        &self.values
    }

    /// The first move that wins at once, by its place in the game's order.
    pub(crate) fn win<G: Game>(&mut self, position: &G) -> Option<usize> {
        position.outlooks(&mut self.outlooks);
        self.outlooks.iter().position(|outlook| outlook.points == Some(1.0))
    }

    /// A move of the greatest value, each of them as likely as another, by its place in the game's order.
    pub(crate) fn best<G: Game>(&mut self, position: &G, rng: &mut Rng) -> usize {
        let values = self.values(position);
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let count = values.iter().filter(|&&value| value == best).count() as u32;
        let pick = if count == 1 { 0 } else { below(rng, count) as usize };
        let equals = values.iter().enumerate().filter(|(_, value)| **value == best);
        equals.map(|(index, _)| index).nth(pick).unwrap_or_default()
    }
}
