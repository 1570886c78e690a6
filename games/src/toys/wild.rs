//! A game that is drawn from a seed: searches of it meet every order of movers that a game can have.

use super::{MoveList, history_text, parse_history};
use crate::{Facts, Game, Rng, TextError, Turn, unit};

/// Plies of the longest game.
const PLIES: usize = 7;
/// Most points that a move scores, for either side.
const MOVE: i64 = 5;
/// Most points that an end brings besides.
const PENDING: i64 = 4;
/// No score is greater: a power of two, so that shares of it are exact.
const SCORE: f64 = 64.0;

/// What happens at each history is drawn: whether nature moves, with unequal probabilities, which player does, the same one
/// again perhaps, or the game is over; how many moves there are; what each scores; and what an end here would bring besides.
/// Only the first two plies are the first player's and nature's in every game.
///
/// Searches maximise the score: a single player its share of the greatest score, two players the difference by the greatest
/// score, which is negative for who is behind.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Wild {
    players: u8,
    /// All that is drawn here.
    drawn: u64,
    history: Vec<u8>,
    /// Score of the moves so far: the first seat's minus the second's.
    score: i64,
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn mixed(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Wild {
    /// The start of the game with this seed, for 1 or 2 players.
    ///
    /// # Panics
    /// Another number of players.
    pub fn new(seed: u64, players: u8) -> Self {
        assert!((1..=2).contains(&players), "a game for 1 or 2, not for {players}");
        // The first player begins and has a choice.
        let drawn = mixed(seed) & !0xfff | 0x134;
        Wild { players, drawn, history: Vec::new(), score: 0 }
    }

    /// Six bits of what is drawn here, from bit `at` on.
    fn part(&self, at: u32) -> u64 {
        (self.drawn >> at) & 63
    }

    /// What an end here brings besides the score of the moves.
    fn pending(&self) -> i64 {
        let most = PENDING.unsigned_abs();
        let drawn = (self.part(12) % (2 * most + 1)).cast_signed() - PENDING;
        if self.players == 1 { drawn.abs() } else { drawn }
    }

    /// Weight of nature's move `index`.
    fn weight(&self, index: usize) -> u64 {
        1 + self.part(24 + 6 * index as u32) % 9
    }

    fn rewarded(&self, score: i64) -> [f64; 2] {
        let share = score as f64 / SCORE;
        if self.players == 1 { [share, 0.0] } else { [share, -share] }
    }
}

impl Game for Wild {
    type Move = u8;
    type Moves = MoveList<u8>;

    fn facts(&self) -> Facts {
        Facts {
            name: "toy-wild",
            title: "Toy drawn from a seed",
            players: self.players.into(),
            chance: true,
            moves_max: 4,
            plies_max: PLIES as u32,
            score_unit: "points",
            columns: &[],
        }
    }

    fn mover(&self) -> Turn {
        match self.part(6) % 8 {
            _ if self.history.len() == PLIES => Turn::Over,
            0 if self.history.len() > 2 => Turn::Over,
            _ if self.history.len() == 1 => Turn::Chance,
            1..=3 => Turn::Chance,
            drawn => Turn::Player(usize::from(self.players == 2 && drawn % 2 == 1)),
        }
    }

    fn moves(&self) -> MoveList<u8> {
        let moves = match self.mover() {
            Turn::Over => 0,
            _ => 1 + (self.part(0) % 7) as u8 / 2,
        };
        MoveList((0..moves).collect())
    }

    fn play(&mut self, chosen: u8) {
        self.history.push(chosen);
        self.drawn = mixed(self.drawn.wrapping_add(u64::from(chosen) + 1));
        let most = MOVE.unsigned_abs();
        let drawn = (self.part(18) % (2 * most + 1)).cast_signed() - MOVE;
        self.score += if self.players == 1 { drawn.abs() } else { drawn };
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
        let all: u64 = (0..self.moves().0.len()).map(|index| self.weight(index)).sum();
        self.weight(drawn.into()) as f64 / all as f64
    }

    fn points(&self) -> [f64; 2] {
        let score = self.score + self.pending();
        if self.players == 1 {
            return self.rewarded(score);
        }
        let first = (score.signum() + 1) as f64 / 2.0;
        [first, 1.0 - first]
    }

    fn reward(&self) -> [f64; 2] {
        self.rewarded(self.score + self.pending())
    }

    fn score_difference(&self) -> i64 {
        if self.mover() == Turn::Over { self.score + self.pending() } else { self.score }
    }

    fn evaluation_scale(&self) -> Option<f64> {
        Some(SCORE)
    }

    fn score_if_ended(&self) -> Option<i64> {
        Some(self.score + self.pending())
    }

    fn score_bounds(&self) -> Option<(i64, i64)> {
        let to_come = (PLIES - self.history.len()) as i64 * MOVE + PENDING;
        Some((if self.players == 1 { self.score } else { self.score - to_come }, self.score + to_come))
    }

    fn heap_bytes(&self) -> usize {
        self.history.capacity()
    }

    fn move_text(&self, chosen: u8) -> String {
        chosen.to_string()
    }

    fn position_text(&self) -> String {
        history_text(&self.history)
    }

    /// `self` must be the start of a game.
    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let error = || TextError::position("toy-wild", text, "not a history such as `0.1`");
        let mut position = self.clone();
        for chosen in parse_history::<u8>(text).ok_or_else(error)? {
            if !position.moves().0.contains(&chosen) {
                return Err(error());
            }
            position.play(chosen);
        }
        Ok(position)
    }
}
