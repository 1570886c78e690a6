//! A game given by a table of plies and a value for every finished history: searches of it can be checked by hand.

use std::{fmt, hash};

use super::{MoveList, history_text, parse_history};
use crate::{Facts, Game, Rng, TextError, Turn, unit};

/// A position of a game that a table describes: its history.
#[derive(Clone)]
pub struct TreeGame {
    history: Vec<u8>,
    /// By ply: who moves, and the number of moves.
    plies: &'static [(Turn, u8)],
    /// Points of the first seat, by the finished history.
    value: fn(&[u8]) -> f64,
    /// Probability of nature's move 0; the others share the rest evenly.
    odds: f64,
}

impl TreeGame {
    /// The start of a game in which nature draws move 0 half the time.
    pub fn new(plies: &'static [(Turn, u8)], value: fn(&[u8]) -> f64) -> Self {
        TreeGame { history: Vec::new(), plies, value, odds: 0.5 }
    }

    /// The same game with `odds` as the probability of nature's move 0.
    #[must_use]
    pub fn with_odds(self, odds: f64) -> Self {
        TreeGame { odds, ..self }
    }
}

impl PartialEq for TreeGame {
    fn eq(&self, other: &Self) -> bool {
        self.history == other.history
    }
}

impl hash::Hash for TreeGame {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.history.hash(state);
    }
}

impl fmt::Debug for TreeGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.history)
    }
}

impl Game for TreeGame {
    type Move = u8;
    type Moves = MoveList<u8>;

    fn facts(&self) -> Facts {
        Facts {
            name: "toy-tree",
            title: "Toy tree",
            players: 2,
            chance: self.plies.iter().any(|ply| ply.0 == Turn::Chance),
            moves_max: 255,
            plies_max: self.plies.len() as u32,
            score_unit: "points",
            columns: &[],
        }
    }

    fn mover(&self) -> Turn {
        self.plies.get(self.history.len()).map_or(Turn::Over, |ply| ply.0)
    }

    fn moves(&self) -> MoveList<u8> {
        MoveList(self.plies.get(self.history.len()).map_or(Vec::new(), |ply| (0..ply.1).collect()))
    }

    fn play(&mut self, chosen: u8) {
        self.history.push(chosen);
    }

    fn chance(&self, rng: &mut Rng) -> u8 {
        let (moves, draw) = (self.moves().0, unit(rng));
        let mut below = 0.0;
        let drawn = moves.iter().find(|&&drawn| {
            below += self.probability(drawn);
            draw < below
        });
        drawn.or(moves.last()).copied().expect("nature moves where there are moves")
    }

    fn probability(&self, drawn: u8) -> f64 {
        let others = self.moves().0.len() - 1;
        match drawn {
            _ if others == 0 => 1.0,
            0 => self.odds,
            _ => (1.0 - self.odds) / others as f64,
        }
    }

    fn points(&self) -> [f64; 2] {
        if self.mover() != Turn::Over {
            return [0.5; 2];
        }
        let first = (self.value)(&self.history);
        [first, 1.0 - first]
    }

    /// Thousandths of the first seat's points at the end of the game; before it nothing.
    fn score_difference(&self) -> i64 {
        if self.mover() == Turn::Over { (1_000.0 * (self.value)(&self.history)) as i64 } else { 0 }
    }

    fn move_text(&self, chosen: u8) -> String {
        chosen.to_string()
    }

    fn position_text(&self) -> String {
        history_text(&self.history)
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let fits = |history: &Vec<u8>| {
            history.len() <= self.plies.len() && history.iter().zip(self.plies).all(|(chosen, ply)| *chosen < ply.1)
        };
        let history = parse_history(text)
            .filter(fits)
            .ok_or_else(|| TextError::position("toy-tree", text, "not a history such as `0.1`"))?;
        Ok(TreeGame { history, ..self.clone() })
    }
}
