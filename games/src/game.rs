//! What every game gives.

use std::{fmt, hash::Hash};

use crate::{
    Rng, below,
    columns::{GameColumn, Recorder},
    features::{self, Features, Guide, Guiding, Views},
};

/// The position a player takes in a trial: 0 first, 1 second; the only player of a one-player game is 0.
pub type Seat = usize;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A player chooses. The same player may be asked several times in a row.
    Player(Seat),
    /// Nature chooses: [`Game::chance`] draws.
    Chance,
    /// Nobody: the game is over.
    Over,
}

/// What is true of a game before any move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Name in specs and tables.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Players, 1 or 2.
    pub players: usize,
    /// Whether nature moves.
    pub chance: bool,
    /// No position has more moves.
    pub moves_max: usize,
    /// No game is longer; passes and nature's moves are plies.
    pub plies_max: u32,
    /// What [`Game::score_difference`] counts.
    pub score_unit: &'static str,
    /// Columns that results of the game have of their own, filled by [`Game::recorder`].
    pub columns: &'static [GameColumn],
}

/// The moves of a position, in a fixed order.
///
/// A playout makes a set at every ply, so a game keeps its usual ones without memory of the heap.
pub trait Moves<M>: Clone + fmt::Debug + Send {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Move `index` in the set's own, fixed order; `index` must be below [`Moves::len`].
    fn get(&self, index: usize) -> M;

    /// Takes move `index` out and gives it. The others keep their order.
    fn take(&mut self, index: usize) -> M;

    /// Bytes that the set holds outside of its value, about; trees count them.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Why a text is no position or move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no {what} of {game}: {reason}")]
pub struct TextError {
    /// What was given.
    pub text: String,
    /// `position` or `move`.
    pub what: &'static str,
    /// Name of the game.
    pub game: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

/// A position, and with it the rules.
///
/// Positions are values: cheap to clone, equal when nothing that follows can differ. The rules' options, where a
/// game has any, are part of the value.
pub trait Game: Clone + PartialEq + Hash + fmt::Debug + Send + 'static {
    /// A choice of a player or of nature. A forced pass is a move.
    type Move: Copy + PartialEq + fmt::Debug + Send;
    /// The moves of a position.
    type Moves: Moves<Self::Move>;

    /// What is true of the game before any move.
    fn facts(&self) -> Facts;

    /// Who moves if the game is not over. Costs nothing, unlike [`Game::turn`], which looks for moves.
    fn mover(&self) -> Turn;

    /// Whose turn it is.
    fn turn(&self) -> Turn {
        if self.moves().is_empty() { Turn::Over } else { self.mover() }
    }

    /// Legal moves of the player or of nature, in a fixed order; none exactly when the game is over.
    fn moves(&self) -> Self::Moves;

    /// Plays a legal move. What an illegal one does is not defined (it does not break memory safety).
    fn play(&mut self, chosen: Self::Move);

    /// Draws nature's move by its probabilities. Only called at [`Turn::Chance`].
    fn chance(&self, rng: &mut Rng) -> Self::Move {
        let moves = self.moves();
        moves.get(below(rng, moves.len() as u32) as usize)
    }

    /// Probability of nature's move `drawn`, one of [`Game::moves`]. Only called at [`Turn::Chance`].
    fn probability(&self, drawn: Self::Move) -> f64 {
        let _ = drawn;
        1.0 / self.moves().len() as f64
    }

    /// Points of each seat of a finished game: 1 win, 0.5 draw, 0 loss; of a one-player game its reward in [0, 1]
    /// at seat 0. Of an unfinished game what it would be if it ended here.
    fn points(&self) -> [f64; 2];

    /// Points of a finished game as one end of it gives them: drawn where the end is random (a reward that is won with
    /// some probability), else [`Game::points`], which are their mean.
    fn outcome(&self, rng: &mut Rng) -> [f64; 2] {
        let _ = rng;
        self.points()
    }

    /// Where in [0, 1] the position lies, for histograms of a tree, in games that search a line; `None` in others.
    fn place(&self) -> Option<f64> {
        None
    }

    /// The first seat's score minus the second's, in the game's own unit, now.
    fn score_difference(&self) -> i64;

    /// What the position is worth to `seat` without looking ahead, in the game's own units, higher is better: what
    /// searches of a limited depth value their leaves by. Of two players one's gain is the other's loss. Ends are not
    /// told apart; [`Game::points`] says who won.
    ///
    /// [`Game::score_difference`] from that seat's side where a game has nothing better.
    #[inline]
    fn evaluate(&self, seat: Seat) -> f64 {
        let difference = self.score_difference();
        (if seat == 0 { difference } else { -difference }) as f64
    }

    /// How much a move promises, for playouts that prefer such moves: what it adds to the mover's [`Game::evaluate`].
    /// Only called where a player moves.
    fn prospect(&self, chosen: Self::Move) -> f64 {
        let Turn::Player(seat) = self.mover() else { unreachable!("only where a player moves") };
        let mut after = self.clone();
        after.play(chosen);
        after.evaluate(seat) - self.evaluate(seat)
    }

    /// The same board with `seat` to move, as if the game began there: what counts towards its end begins anew. `None`
    /// of games where that is no position.
    fn with_mover(&self, seat: Seat) -> Option<Self> {
        let _ = seat;
        None
    }

    /// Plays on at random, every legal move as likely as another, until the game is over; gives its [`Game::outcome`].
    ///
    /// A game may have a faster way, but draws from `rng` must be the same for the same position and seed.
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout(self, rng)
    }

    /// A playout that is not over after so many plies ends there and counts as a draw.
    fn playout_plies_max(&self) -> u32 {
        u32::MAX
    }

    /// What an evaluation may ask of positions; `None` if nothing.
    fn features(&self) -> Option<&'static Features> {
        None
    }

    /// Writes the pieces and the `wanted` numbers (bit `i`: number `i`) into `lane`, seen by `friendly`. Only called
    /// where there are [`Game::features`].
    fn look(&self, friendly: Seat, wanted: u32, lane: usize, views: &mut Views) {
        let _ = (friendly, wanted, lane, views);
    }

    /// Plays on to the end, each move the best by `guide` of some drawn at random with replacement (EvoMCTS algorithm
    /// 4); gives the points. Of equal candidates the first drawn is played.
    ///
    /// A game may have a faster way, but it must draw the same and choose the same.
    fn guided_playout<E: Guide>(&mut self, rng: &mut Rng, guide: &mut E, guiding: Guiding) -> [f64; 2] {
        features::guided(self, rng, guide, guiding)
    }

    /// Leaves `depth` plies below, for perft; a game over is one leaf. A game may count its last ply in bulk.
    fn perft(&self, depth: u32) -> u64 {
        crate::perft::plain(self, depth)
    }

    /// What watches a game from here on and fills [`Facts::columns`]; `None` if the game has no such columns.
    fn recorder(&self) -> Option<Box<dyn Recorder<Self>>> {
        None
    }

    /// Bytes that the position holds outside of its value, about; trees count them.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// A move as text, without spaces.
    fn move_text(&self, chosen: Self::Move) -> String;

    /// The legal move that `text` names.
    ///
    /// # Errors
    /// `text` names no move, or none that is legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, TextError> {
        let moves = self.moves();
        (0..moves.len()).map(|i| moves.get(i)).find(|&m| self.move_text(m) == text).ok_or_else(|| TextError {
            text: text.to_owned(),
            what: "move",
            game: self.facts().name,
            reason: "not legal here".to_owned(),
        })
    }

    /// The position as one line of text.
    fn position_text(&self) -> String;

    /// The position that `text` names, under the rules of `self`.
    ///
    /// # Errors
    /// `text` names no position of the game.
    fn parse_position(&self, text: &str) -> Result<Self, TextError>;

    /// The position as lines for people.
    fn board_text(&self) -> String {
        self.position_text()
    }
}

/// [`Game::playout`] move by move.
pub(crate) fn playout<G: Game>(game: &mut G, rng: &mut Rng) -> [f64; 2] {
    for _ in 0..game.playout_plies_max() {
        match game.turn() {
            Turn::Over => return game.outcome(rng),
            Turn::Chance => {
                let drawn = game.chance(rng);
                game.play(drawn);
            }
            Turn::Player(_) => {
                let moves = game.moves();
                // A single move is no choice and takes no draw.
                let index = if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize };
                game.play(moves.get(index));
            }
        }
    }
    if game.turn() == Turn::Over { game.outcome(rng) } else { [0.5; 2] }
}
