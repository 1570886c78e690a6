//! The trait of every game.

use std::{fmt, hash::Hash};

use crate::{
    Rng, below,
    columns::{GameColumn, Recorder},
    encoding::Encoding,
    endings::Endings,
    features::{self, Features, Guide, Guiding, Views},
};

/// The position a player takes in a trial: 0 first, 1 second; the only player of a one-player game is 0.
pub type Seat = usize;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A player chooses. The same player may be asked several times in a row.
    Player(Seat),
    /// Nature moves: [`Game::chance`] draws.
    Chance,
    /// The game is over.
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
    /// Upper bound of the number of moves in a position.
    pub moves_max: usize,
    /// Upper bound of the number of plies in a game; passes and nature's moves count.
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
    /// Number of moves.
    fn len(&self) -> usize;

    /// Whether there are no moves.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Move `index` in the set's own, fixed order; `index` must be below [`Moves::len`].
    fn get(&self, index: usize) -> M;

    /// Removes move `index` and returns it. The others keep their order.
    fn take(&mut self, index: usize) -> M;

    /// Bytes that the set holds outside of its value, about; trees count them.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// What a move leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// [`Game::evaluate`] of the position after it, for the player who made it.
    pub value: f64,
    /// That player's [`Game::points`], if the game is over then.
    pub points: Option<f64>,
}

/// Why a text does not name a position, or a legal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It is not the text of a position.
    #[error("`{text}` is not a {game} position: {reason}")]
    Position {
        /// Name of the game.
        game: &'static str,
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It is not the text of one move.
    #[error("`{text}` is not a {game} move: {reason}")]
    Move {
        /// Name of the game.
        game: &'static str,
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No legal move of the position has this text.
    #[error("`{text}` is not a legal {game} move here")]
    IllegalMove {
        /// Name of the game.
        game: &'static str,
        /// What was given.
        text: String,
    },
}

impl TextError {
    /// A [`TextError::Position`].
    pub(crate) fn position(game: &'static str, text: &str, reason: impl Into<String>) -> Self {
        TextError::Position { game, text: text.to_owned(), reason: reason.into() }
    }
}

/// A position, and with it the rules.
///
/// Positions are values: cheap to clone, and equal if nothing that follows can differ. Options of the rules are part of
/// the value.
pub trait Game: Clone + PartialEq + Hash + fmt::Debug + Send + 'static {
    /// A choice of a player or of nature. A forced pass is a move.
    type Move: Copy + PartialEq + fmt::Debug + Send;
    /// The moves of a position.
    type Moves: Moves<Self::Move>;

    /// What is true of the game before any move.
    fn facts(&self) -> Facts;

    /// The side that moves if the game is not over. Cheap, unlike [`Game::turn`], which generates moves.
    fn mover(&self) -> Turn;

    /// Whose turn it is.
    fn turn(&self) -> Turn {
        if self.moves().is_empty() { Turn::Over } else { self.mover() }
    }

    /// Legal moves of the player or of nature, in a fixed order; none exactly when the game is over.
    fn moves(&self) -> Self::Moves;

    /// Plays a legal move. The result of an illegal move is unspecified, though memory-safe.
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

    /// Whether nature, having drawn this, puts it aside and draws once more for the same purpose. Searches that value every
    /// outcome leave it out and weigh the others up, since all orders of what is put aside would be too many; if there are no
    /// others, everything is put aside in the end, in whatever order. Only called at [`Turn::Chance`].
    fn is_redrawn(&self, drawn: Self::Move) -> bool {
        let _ = drawn;
        false
    }

    /// Points of each seat in a finished game: 1 for a win, 0.5 for a draw, 0 for a loss; in a one-player game the reward
    /// in [0, 1] at seat 0. In an unfinished game: the points if it ended here.
    fn points(&self) -> [f64; 2];

    /// What searches maximise in a finished game, by seat, at most 1 either way; in an unfinished one what it would be if
    /// the game ended here. The rewards of two seats have the same sum at every position: 1 where they are points. A game
    /// whose searches maximise a difference of scores gives it as it is, a share of the greatest one, and to the other seat
    /// its negative; the sum is then 0. Results of games are [`Game::points`], whatever searches maximise; at an end the
    /// seat with more points has the greater reward.
    ///
    /// By default [`Game::points`].
    #[inline]
    fn reward(&self) -> [f64; 2] {
        self.points()
    }

    /// The reward of a finished game, drawn where its end is random (a reward that is won with some probability); the mean
    /// is [`Game::reward`], which is the default.
    fn outcome(&self, rng: &mut Rng) -> [f64; 2] {
        let _ = rng;
        self.reward()
    }

    /// Where in [0, 1] the position lies, for histograms of a tree; `None` in games that do not search a line.
    fn place(&self) -> Option<f64> {
        None
    }

    /// The first seat's score minus the second's, in the game's own unit, now.
    fn score_difference(&self) -> i64;

    /// What [`Game::score_difference`] would be if the game ended at this position: what was scored so far, and what
    /// everything that still stands on the board is worth at an end. In a finished game it is the score difference. In
    /// a one-player game it is the only player's score.
    ///
    /// `None`, at every position of the game, where the score has nothing that only an end brings.
    fn score_if_ended(&self) -> Option<i64> {
        None
    }

    /// Bounds (least, greatest), in whole units of the score, of [`Game::score_difference`] and
    /// [`Game::score_if_ended`] at this position and at all that can follow it. They need not be reached, but nothing
    /// may lie outside. Searches prune by them at nature's moves, the more the closer they are.
    ///
    /// `None`, at every position of the game, where no bounds are known; then nothing is pruned by them.
    fn score_bounds(&self) -> Option<(i64, i64)> {
        None
    }

    /// Static value of the position for `seat`, in the game's own units, higher is better; searches of limited depth
    /// value their leaves by it. In most games for two, one seat's value is the negative of the other's; a game may weigh
    /// the pieces of both sides otherwise, so a search takes all its values from one seat. Finished games get no special
    /// value; [`Game::points`] says who won.
    ///
    /// By default [`Game::score_difference`] from that seat's side.
    #[inline]
    fn evaluate(&self, seat: Seat) -> f64 {
        let difference = self.score_difference();
        (if seat == 0 { difference } else { -difference }) as f64
    }

    /// The value of [`Game::evaluate`], above 0, from which on a position counts as won by searches that take evaluations
    /// for results, such as those of [`Game::outlooks`]; they hold values within its range and divide by it.
    ///
    /// `None`, at every position of the game, where evaluations say too little for that.
    fn evaluation_scale(&self) -> Option<f64> {
        None
    }

    /// What each of the moves leads to, in the order of [`Game::moves`]: the whole search of one ply. Replaces what
    /// `outlooks` held. Only called where a player moves.
    ///
    /// A game may override it with a faster version that gives the same.
    fn outlooks(&self, outlooks: &mut Vec<Outlook>) {
        let Turn::Player(seat) = self.mover() else { unreachable!("only where a player moves") };
        let moves = self.moves();
        outlooks.clear();
        outlooks.extend((0..moves.len()).map(|index| {
            let mut after = self.clone();
            after.play(moves.get(index));
            let points = (after.turn() == Turn::Over).then(|| after.points()[seat]);
            Outlook { value: after.evaluate(seat), points }
        }));
    }

    /// How likely a player without knowledge makes the move, relative to the others; above 0. Only called where a player
    /// moves. Searches that add children at random draw by it, and so does a [`Game::playout`] of the game's own.
    fn weight(&self, chosen: Self::Move) -> f64 {
        let _ = chosen;
        1.0
    }

    /// Number of children, at least 1, with which a search may take the position for expanded, of `moves` legal moves: a
    /// game may leave it at fewer than all where a paper's program does.
    fn width(&self, moves: usize) -> usize {
        moves
    }

    /// The position as the program of a game's paper searches it, where that plays by other rules in its searches than in
    /// its games; `None` where a search plays by the rules.
    fn searched(&self) -> Option<Self> {
        None
    }

    /// Whether a search from this position passes over the move, if it does not win at once, as the search of a paper's
    /// program does.
    fn is_masked(&self, chosen: Self::Move) -> bool {
        let _ = chosen;
        false
    }

    /// What a move adds to the mover's [`Game::evaluate`], for playouts that prefer good moves. Only called where a player
    /// moves.
    fn prospect(&self, chosen: Self::Move) -> f64 {
        let Turn::Player(seat) = self.mover() else { unreachable!("only where a player moves") };
        let mut after = self.clone();
        after.play(chosen);
        after.evaluate(seat) - self.evaluate(seat)
    }

    /// The same board with `seat` to move, as if the game began there: counters that can end it start at 0. `None` in
    /// games where that is not a position.
    fn with_mover(&self, seat: Seat) -> Option<Self> {
        let _ = seat;
        None
    }

    /// Plays on at random, every legal move as likely as another, or as likely as [`Game::weight`] says, until the game is
    /// over; gives its [`Game::outcome`].
    ///
    /// A game may override it with a faster version, if equal positions and seeds still give equal playouts; one with
    /// weights has to.
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout(self, rng)
    }

    /// Plies after which a playout ends and counts as a draw.
    fn playout_plies_max(&self) -> u32 {
        u32::MAX
    }

    /// What an evaluation may ask of positions; `None` if nothing.
    fn features(&self) -> Option<&'static Features> {
        None
    }

    /// Writes the pieces and the `wanted` numbers (bit `i`: number `i`) into `lane`, as `friendly` sees them. Only called
    /// in games with [`Game::features`].
    fn look(&self, friendly: Seat, wanted: u32, lane: usize, views: &mut Views) {
        let _ = (friendly, wanted, lane, views);
    }

    /// Plays on to the end and gives the points. Each move is the best by `guide` among some drawn at random with
    /// replacement (EvoMCTS, algorithm 4); of equally good candidates the first drawn.
    ///
    /// A game may override it with a faster version, if it draws and chooses the same.
    fn guided_playout<E: Guide>(&mut self, rng: &mut Rng, guide: &mut E, guiding: Guiding) -> [f64; 2] {
        features::guided(self, rng, guide, guiding)
    }

    /// The ways in which positions are rows of numbers for networks; their sizes follow from the options. Empty if there are
    /// none.
    fn encodings(&self) -> Vec<Encoding> {
        Vec::new()
    }

    /// Writes the position into `inputs`, as long as encoding number `encoding` of [`Game::encodings`] says. All numbers are
    /// multiples of a quarter within its limit, so that networks of any arithmetic see the same. Only called where a player
    /// moves.
    fn encode(&self, encoding: usize, inputs: &mut [f32]) {
        let _ = (encoding, inputs);
    }

    /// Numbers of a network's policy, one for each move there may be; `None` if the game has none.
    fn policy_size(&self) -> Option<usize> {
        None
    }

    /// Place of a legal move in a policy, below [`Game::policy_size`], as the player who moves sees the board. No two moves of
    /// a position have the same. Only called in games that have a policy.
    fn policy_index(&self, chosen: Self::Move) -> usize {
        let _ = chosen;
        0
    }

    /// Leaves `depth` plies below, for perft; a finished game is one leaf. A game may count its last ply in bulk.
    fn perft(&self, depth: u32) -> u64 {
        crate::perft::plain(self, depth)
    }

    /// What solves endings of the game exactly; `None` if nothing does.
    fn endings(&self) -> Option<Box<dyn Endings<Self>>> {
        None
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
    /// `text` does not name a move, or names one that is not legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, TextError> {
        let moves = self.moves();
        (0..moves.len())
            .map(|i| moves.get(i))
            .find(|&m| self.move_text(m) == text)
            .ok_or_else(|| TextError::IllegalMove { game: self.facts().name, text: text.to_owned() })
    }

    /// The position as one line of text.
    fn position_text(&self) -> String;

    /// The position that `text` names, under the rules of `self`.
    ///
    /// # Errors
    /// `text` does not name a position of the game.
    fn parse_position(&self, text: &str) -> Result<Self, TextError>;

    /// The position as lines for people.
    fn board_text(&self) -> String {
        self.position_text()
    }

    /// The position as a picture, an SVG document; `None` in games without one.
    fn picture(&self) -> Option<String> {
        None
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
                // A single move takes no draw.
                let index = if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize };
                game.play(moves.get(index));
            }
        }
    }
    if game.turn() == Turn::Over { game.outcome(rng) } else { [0.5; 2] }
}
