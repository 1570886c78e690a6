//! A game with many moves, each of another worth.

use super::{MoveList, history_text, parse_history};
use crate::{
    Facts, Game, Seat, TextError, Turn,
    features::{Features, Views},
};

/// A prime above the greatest number of moves, so that no two moves of a position have one worth.
const PRIME: u32 = 601;

/// What a position tells: the worth of the last move.
static FEATURES: Features = Features::new(&["Worth"], 0, 0);

/// Two players move in turn, any of the same moves each time; the score is the worth of the moves played.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Wide {
    moves: u16,
    plies: u32,
    history: Vec<u16>,
}

impl Wide {
    /// The start of a game of `plies` plies with `moves` moves at each, at most 600.
    ///
    /// # Panics
    /// `moves` is 0 or greater than 600.
    pub fn new(moves: u16, plies: u32) -> Self {
        assert!((1..PRIME).contains(&moves.into()), "from 1 to 600 moves, not {moves}");
        Wide { moves, plies, history: Vec::new() }
    }

    /// Worth of a move at a ply, from 0 to 600.
    pub fn worth(ply: usize, chosen: u16) -> u32 {
        (u32::from(chosen) * 37 + ply as u32 * 101 + 5) % PRIME
    }

    /// The moves played.
    pub fn history(&self) -> &[u16] {
        &self.history
    }
}

impl Game for Wide {
    type Move = u16;
    type Moves = MoveList<u16>;

    fn facts(&self) -> Facts {
        Facts {
            name: "toy-wide",
            title: "Toy with many moves",
            players: 2,
            chance: false,
            moves_max: self.moves.into(),
            plies_max: self.plies,
            score_unit: "worth",
            columns: &[],
        }
    }

    fn mover(&self) -> Turn {
        let ply = self.history.len();
        if ply < self.plies as usize { Turn::Player(ply % 2) } else { Turn::Over }
    }

    fn moves(&self) -> MoveList<u16> {
        MoveList(if self.mover() == Turn::Over { Vec::new() } else { (0..self.moves).collect() })
    }

    fn play(&mut self, chosen: u16) {
        self.history.push(chosen);
    }

    fn points(&self) -> [f64; 2] {
        let first = (self.score_difference().signum() + 1) as f64 / 2.0;
        [first, 1.0 - first]
    }

    fn score_difference(&self) -> i64 {
        let worth = self.history.iter().enumerate().map(|(ply, &chosen)| (ply, i64::from(Wide::worth(ply, chosen))));
        worth.map(|(ply, worth)| if ply % 2 == 0 { worth } else { -worth }).sum()
    }

    fn features(&self) -> Option<&'static Features> {
        Some(&FEATURES)
    }

    fn look(&self, _friendly: Seat, _wanted: u32, lane: usize, views: &mut Views) {
        let last = self.history.len().checked_sub(1);
        views.numbers[0][lane] = last.map_or(0.0, |ply| Wide::worth(ply, self.history[ply]).into());
    }

    fn heap_bytes(&self) -> usize {
        self.history.capacity() * size_of::<u16>()
    }

    fn move_text(&self, chosen: u16) -> String {
        chosen.to_string()
    }

    fn position_text(&self) -> String {
        history_text(&self.history)
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let fits = |history: &Vec<u16>| {
            history.len() <= self.plies as usize && history.iter().all(|&chosen| chosen < self.moves)
        };
        let history = parse_history(text)
            .filter(fits)
            .ok_or_else(|| TextError::position("toy-wide", text, "not a history such as `0.599`"))?;
        Ok(Wide { history, ..self.clone() })
    }
}
