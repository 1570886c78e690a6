//! boop., which its author gave away as Gekitai squared (Richoux, "Injecting Combinatorial Optimization into MCTS:
//! Application to the Board Game boop.", section II-C).
//!
//! Two players, no chance, perfect information, constant sum. Each has eight pieces, small at first. A player places
//! one of the own pool on a free square of 6x6, and it pushes each neighbour one square away if nothing stands behind;
//! small pieces do not push large ones. What leaves the board returns to its owner's pool. Then the mover wins with
//! three large pieces in a line, or with eight on the board. Else, three of the mover's pieces in a line, not all large,
//! leave the board and come to the pool as large ones; with all eight on the board, any one of them may instead. A
//! player with several options chooses one, and must choose.
//!
//! A move is the placement with the graduation. Where a push completes a line of the other player, nothing happens
//! before that player's own move. The rules have no draws; a game that reaches its cap of plies is unfinished and counts
//! as one.
//!
//! The paper's program plays by other rules in its searches ([`Rules::search_wins`], [`Rules::search_border`];
//! docs/papers/boop.md, "What the program does otherwise"): [`Game::searched`] gives the position under them.

mod board;
mod graduation;
mod leaves;
mod moves;
mod options;
mod outlooks;
mod picture;
mod playout;
mod record;
mod rules;
mod score;
mod show;
mod text;

use board::{BORDER, Board};

pub use moves::{Move, MoveSet};
pub use rules::{Graduation, Rules, SearchBorder, SearchWins};

use crate::{Facts, Game, Outlook, Rng, Seat, TextError, Turn, columns::Recorder};

/// Name in specs.
const GAME: &str = "boop";
/// Upper bound of the options that are a number of plies.
const PLIES_MAX: u16 = 60_000;
/// Plies of a game in which the paper's program searches no moves on the border.
const MASKED_PLIES: u16 = 6;

/// A position of boop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Boop {
    board: Board,
    /// Plies since the start; the first player's turn when even.
    plies: u16,
    /// The seat that has won.
    winner: Option<u8>,
    /// Whether the rules of searches hold.
    is_searched: bool,
    rules: Rules,
}

impl Boop {
    /// The start under some rules.
    ///
    /// # Panics
    /// A number of plies is not from 1 to 60,000.
    pub fn new(rules: Rules) -> Self {
        for plies in [rules.plies_max, rules.playout_plies] {
            assert!((1..=PLIES_MAX).contains(&plies), "{plies} plies are no cap");
        }
        Boop { board: Board::START, plies: 0, winner: None, is_searched: false, rules }
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Plies since the start.
    pub fn plies(&self) -> u32 {
        self.plies.into()
    }

    /// The seat that has won.
    pub fn winner(&self) -> Option<Seat> {
        self.winner.map(usize::from)
    }

    /// By seat, small and large pieces in the pool.
    pub fn pools(&self) -> [[u32; 2]; 2] {
        [0, 1].map(|seat| self.board.pool(seat))
    }

    /// The state score of the pieces as they are, which [`Game::evaluate`] bounds, for a seat.
    pub fn state_score(&self, seat: Seat) -> i32 {
        score::score(&self.board, seat)
    }

    /// The promotion heuristic's score of what a move lets graduate; `None` if that is nothing.
    pub fn promotion_score(&self, chosen: Move) -> Option<i32> {
        let mut board = self.board;
        board.place(self.seat(), chosen.size(), chosen.square());
        chosen.choice().map(|choice| graduation::promotion(&board, self.seat(), choice))
    }

    #[inline(always)]
    fn seat(&self) -> Seat {
        usize::from(self.plies & 1)
    }

    #[inline(always)]
    fn plies_left(&self) -> u16 {
        self.rules.plies_max.saturating_sub(self.plies)
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.winner.is_some() || self.plies_left() == 0
    }

    /// The seat that has won by a placement of `seat` that led to `board`.
    #[inline(always)]
    fn winner_after(&self, board: &Board, seat: Seat) -> Option<u8> {
        if self.is_searched && self.rules.search_wins == SearchWins::Both {
            return [0, 1].into_iter().find(|&side| board.has_won(side)).map(|side| side as u8);
        }
        board.has_won(seat).then_some(seat as u8)
    }

    /// The position with its winner as the pieces say: who has moved last and has three large pieces in a line or eight
    /// on the board; or who is to move and has those eight, as no move leaves a position.
    fn settled(self) -> Self {
        let (mover, last) = (self.seat(), 1 - self.seat());
        let has_eight = self.board.is_pool_empty(mover) && self.board.has_won(mover);
        let winner = self.winner_after(&self.board, last).or(has_eight.then_some(mover as u8));
        Boop { winner, ..self }
    }
}

/// The start under the rules of the game.
impl Default for Boop {
    fn default() -> Self {
        Boop::new(Rules::default())
    }
}

impl Game for Boop {
    type Move = Move;
    type Moves = MoveSet;

    fn facts(&self) -> Facts {
        Facts {
            name: GAME,
            title: "boop.",
            players: 2,
            chance: false,
            // Far above what any position has: both sizes on every square, each with every graduation.
            moves_max: 2 * 36 * graduation::CHOICES_MAX,
            plies_max: self.rules.plies_max.into(),
            score_unit: "large pieces",
            columns: &record::COLUMNS,
        }
    }

    #[inline]
    fn mover(&self) -> Turn {
        Turn::Player(self.seat())
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.is_over() { Turn::Over } else { self.mover() }
    }

    fn moves(&self) -> MoveSet {
        if self.is_over() { MoveSet::NONE } else { MoveSet::of(self) }
    }

    #[inline]
    fn play(&mut self, chosen: Move) {
        let seat = self.seat();
        self.board.place(seat, chosen.size(), chosen.square());
        self.winner = self.winner_after(&self.board, seat);
        if let Some(choice) = chosen.choice() {
            self.board.graduate(seat, choice.removed());
        }
        self.plies = self.plies.saturating_add(1);
    }

    /// An unfinished game is a draw.
    fn points(&self) -> [f64; 2] {
        match self.winner {
            None => [0.5; 2],
            Some(0) => [1.0, 0.0],
            Some(_) => [0.0, 1.0],
        }
    }

    /// Large pieces that the first player owns, on the board and in the pool, less the second's.
    fn score_difference(&self) -> i64 {
        let [first, second] = self.board.large.map(i64::from);
        first - second
    }

    /// The state score of the paper's program, from -400 to 400. Those of two seats are not negatives. Where a move has
    /// won, it is the score after the graduation that would follow, as there.
    fn evaluate(&self, seat: Seat) -> f64 {
        score::score(&self.valued(), seat).clamp(-score::WON, score::WON).into()
    }

    fn evaluation_scale(&self) -> Option<f64> {
        Some(score::WON.into())
    }

    fn outlooks(&self, outlooks: &mut Vec<Outlook>) {
        self.look_ahead(outlooks);
    }

    /// As the paper's program draws: a piece of the pool, a free square, and one of the graduation options.
    fn weight(&self, chosen: Move) -> f64 {
        let seat = self.seat();
        let pieces = f64::from(self.board.pool(seat)[chosen.size()]);
        if chosen.choice().is_none() {
            return pieces;
        }
        let mut board = self.board;
        board.place(seat, chosen.size(), chosen.square());
        pieces / f64::from(self.choices(&board, seat).count())
    }

    /// The number of free squares, as in the paper's program, though there may be two placements on each; six less
    /// before ply 6 where its searches mask the border.
    fn width(&self, moves: usize) -> usize {
        let free = self.board.free().count_ones() as usize;
        let spared = if self.is_masking() && self.plies < MASKED_PLIES { usize::from(MASKED_PLIES) } else { 0 };
        free.saturating_sub(spared).clamp(1, moves)
    }

    fn searched(&self) -> Option<Self> {
        let differs = self.rules.search_wins != SearchWins::Mover || self.rules.search_border != SearchBorder::Free;
        differs.then_some(Boop { is_searched: true, ..*self })
    }

    fn is_masked(&self, chosen: Move) -> bool {
        self.is_masking() && self.plies < MASKED_PLIES && 1 << chosen.square() & BORDER != 0
    }

    /// Plies are as many as tell the side to move.
    fn with_mover(&self, seat: Seat) -> Option<Self> {
        Some(Boop { plies: seat as u16, ..*self }.settled())
    }

    #[inline]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout::random(self, rng);
        self.points()
    }

    fn playout_plies_max(&self) -> u32 {
        self.rules.playout_plies.into()
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 { 1 } else { leaves::count(self, depth) }
    }

    fn recorder(&self) -> Option<Box<dyn Recorder<Self>>> {
        Some(Box::new(record::Record::default()))
    }

    fn move_text(&self, chosen: Move) -> String {
        text::of_move(chosen)
    }

    fn parse_move(&self, text: &str) -> Result<Move, TextError> {
        text::parse_move(self, text)
    }

    fn position_text(&self) -> String {
        text::of_position(self)
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        text::position(self, text)
    }

    fn board_text(&self) -> String {
        show::board(self)
    }

    fn picture(&self) -> Option<String> {
        Some(picture::svg(self))
    }
}

impl Boop {
    #[inline]
    fn is_masking(&self) -> bool {
        self.is_searched && self.rules.search_border == SearchBorder::Masked
    }
}
