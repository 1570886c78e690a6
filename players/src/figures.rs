//! Figures of decisions that a player declares of itself, beside what all players have: what its tree is like, say, or what
//! its formula holds.
//!
//! A kind of player lists them ([`Listed::figures`](crate::listed::Listed::figures)), and after each decision its player
//! gives their values ([`Player::figures`](crate::Player::figures)). Nothing else names one; equal names of two players mean
//! one thing.

/// A figure that a player has of each decision that took a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name in snake case.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Digits after the point, for people.
    pub digits: u8,
}

/// The figures of one player's decisions in a game, those alone that took a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByTurn {
    /// The player's own turn of each decision, counted from 0; turns without a search are counted.
    turns: Vec<u32>,
    /// Values of all decisions, one behind the other. NaN where a decision has no such figure.
    values: Vec<f64>,
}

impl ByTurn {
    /// Adds the decision of a turn; `put` appends its values, as many for each.
    pub(crate) fn add(&mut self, turn: u32, put: impl FnOnce(&mut Vec<f64>)) {
        self.turns.push(turn);
        put(&mut self.values);
    }

    /// Turn and value of figure `index` of all, of the decisions that have it.
    pub fn of(&self, index: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let count = self.values.len() / self.turns.len().max(1);
        let values = (0..self.turns.len()).filter_map(move |place| self.values.get(place * count + index));
        self.turns.iter().copied().zip(values.copied()).filter(|(_, value)| !value.is_nan())
    }
}

/// All figures of some players, each once, in the order in which they come first.
pub fn union(of: impl IntoIterator<Item = Vec<Figure>>) -> Vec<Figure> {
    let mut all: Vec<Figure> = Vec::new();
    for figure in of.into_iter().flatten() {
        if all.iter().all(|known| known.name != figure.name) {
            all.push(figure);
        }
    }
    all
}

/// Share of the visits of the root's children that the most visited one has.
pub(crate) const ROOT_SHARE: Figure =
    Figure { name: "root_share", title: "share of the root's most visited child", digits: 4 };
