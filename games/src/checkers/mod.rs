//! Checkers under three rule sets: those of a student project (Abdul Sater et al. 2022; docs/papers/checkers.md,
//! "Rules"), those of its program, and English draughts.
//!
//! Two players, no chance, perfect information, constant sum. White begins from the top, Red moves up. Men step and
//! jump forward, kings (men that reached the last row) both ways, one square at a time. The side
//! to move loses if it has no move; or, as in the project's program, it passes if it has pieces ([`Checkers::passing`]).
//!
//! [`Rules`] says what differs. A game without progress is a draw, as is one that reaches its cap of plies, unless the
//! side to move has no move.
//!
//! Squares are numbered from 1 to 32 as in PDN, moves are written as there (`11-15`, `22x15x8` with every square a
//! chain touches), positions as FEN; `text.rs` has the details.

mod board;
mod jumps;
mod look;
mod moves;
mod options;
mod playout;
mod rules;
mod text;

use board::Board;
pub use moves::{Move, MoveSet};
pub use rules::Rules;

use crate::{
    Facts, Game, Moves as _, Rng, Seat, TextError, Turn,
    features::{Features, Views},
};

/// Upper bound of the options that are a number of plies.
const PLIES_MAX: u16 = 60_000;

/// A position of Checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Checkers {
    board: Board,
    /// Plies since the start; White's turn when even.
    plies: u16,
    /// Plies in a row without progress, at most `draw_plies`: without a capture under the project's rules, else moves of
    /// kings without a capture.
    quiet: u16,
    /// Plies after which the game is a draw.
    plies_max: u16,
    /// Plies after which a playout is a draw.
    playout_plies: u16,
    /// Plies without progress after which the game may be a draw.
    draw_plies: u16,
    rules: Rules,
    /// Whether a side with pieces and no move passes.
    passes: bool,
    /// By seat, how often a piece arrived at the first or last row; only if evaluations count arrivals.
    arrivals: Option<[u16; 2]>,
}

impl Checkers {
    /// The start. A game is a draw after `plies_max` plies, or after `draw_plies` without progress as the rules have
    /// it; a playout counts as one after `playout_plies`.
    ///
    /// # Panics
    /// A number of plies is not from 1 to 60,000.
    pub fn new(rules: Rules, plies_max: u16, playout_plies: u16, draw_plies: u16) -> Self {
        for plies in [plies_max, playout_plies, draw_plies] {
            assert!((1..=PLIES_MAX).contains(&plies), "{plies} plies are no cap");
        }
        let (board, passes, arrivals) = (Board::START, false, None);
        Checkers { board, plies: 0, quiet: 0, plies_max, playout_plies, draw_plies, rules, passes, arrivals }
    }

    /// The same game, in which a side with pieces and no move passes if the other side has a move, as the MCTS of the
    /// project's program does (its minimax crashes). A pass is a ply but not a move.
    #[must_use]
    pub fn passing(self) -> Self {
        Checkers { passes: true, ..self }
    }

    /// The same game with the evaluation of the project's program, whose counts of kings grow by one whenever a piece
    /// arrives at the first or last row, even a king that was there before, and never shrink.
    #[must_use]
    pub fn counting_arrivals(self) -> Self {
        Checkers { arrivals: Some(self.kings().map(|kings| kings as u16)), ..self }
    }

    /// The start under `rules` with the default caps: 400 plies of a game and of a playout, and the rules' own limit
    /// without progress.
    pub fn under(rules: Rules) -> Self {
        Checkers::new(rules, 400, 400, rules.draw_plies())
    }

    /// Men of White and of Red.
    pub fn men(&self) -> [u32; 2] {
        self.board.pieces.map(|pieces| (pieces & !self.board.kings).count_ones())
    }

    /// Kings of White and of Red.
    pub fn kings(&self) -> [u32; 2] {
        self.board.pieces.map(|pieces| (pieces & self.board.kings).count_ones())
    }

    /// Plies since the start.
    pub fn plies(&self) -> u32 {
        u32::from(self.plies)
    }

    /// Plies in a row without progress, which is a capture under the project's rules, else a capture or a man's move. The
    /// count stops where the game is a draw.
    pub fn quiet_plies(&self) -> u32 {
        u32::from(self.quiet)
    }

    #[inline]
    fn seat(&self) -> Seat {
        usize::from(self.plies & 1)
    }

    /// Whether there has been no progress for so long that the game is a draw.
    #[inline]
    fn is_stale(&self) -> bool {
        let only_kings = (self.board.pieces[0] | self.board.pieces[1]) & !self.board.kings == 0;
        self.quiet >= self.draw_plies && (only_kings || self.rules != Rules::Project)
    }

    #[inline]
    fn is_cut(&self) -> bool {
        self.plies >= self.plies_max || self.is_stale()
    }

    /// Men and how far they have come, and kings, of one side, for [`Game::prospect`].
    fn own_worth(&self, seat: Seat) -> f64 {
        let pieces = self.board.pieces[seat];
        let kings = pieces & self.board.kings;
        let mut men = pieces & !kings;
        let mut worth = 15 * kings.count_ones();
        while men != 0 {
            let row = board::row(men.trailing_zeros());
            worth += 5 + if seat == 0 { row } else { 8 - row };
            men &= men - 1;
        }
        f64::from(worth)
    }

    /// Whether the side to move has no move.
    #[inline]
    fn is_blocked(&self) -> bool {
        self.cannot_move(self.seat())
    }

    #[inline]
    fn cannot_move(&self, seat: Seat) -> bool {
        let any = |sets: [u64; 4]| sets != [0; 4];
        !any(self.board.steps(seat)) && !any(self.board.jumps(seat))
    }

    /// The turn of a side that has pieces and no move goes to the other, if that has one.
    #[inline]
    fn pass_if_blocked(&mut self) {
        let seat = self.seat();
        if self.passes
            && self.board.pieces[seat] != 0
            && !self.is_cut()
            && self.cannot_move(seat)
            && !self.cannot_move(1 - seat)
        {
            self.plies += 1;
        }
    }
}

/// The project's rules.
impl Default for Checkers {
    fn default() -> Self {
        Self::under(Rules::Project)
    }
}

impl Game for Checkers {
    type Move = Move;
    type Moves = MoveSet;

    fn facts(&self) -> Facts {
        Facts {
            name: "checkers",
            title: match self.rules {
                Rules::Project => "Checkers",
                Rules::Code => "Checkers as programmed",
                Rules::English => "English draughts",
            },
            players: 2,
            chance: false,
            // Far above what any position has: twelve kings, each with all the chains of a lone king.
            moves_max: text::PIECES_MAX as usize * jumps::PIECE_MOVES_MAX,
            plies_max: u32::from(self.plies_max),
            score_unit: "pieces",
            columns: &[],
        }
    }

    #[inline]
    fn mover(&self) -> Turn {
        Turn::Player(self.seat())
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.is_cut() || self.is_blocked() { Turn::Over } else { self.mover() }
    }

    #[inline]
    fn moves(&self) -> MoveSet {
        if self.is_cut() { MoveSet::NONE } else { MoveSet::of(&self.board, self.rules, self.seat()) }
    }

    #[inline]
    fn play(&mut self, chosen: Move) {
        let from = 1 << chosen.from();
        let is_king = self.board.kings & from != 0;
        self.board.play(self.seat(), from, 1 << chosen.to(), chosen.captured());
        if let Some(arrivals) = &mut self.arrivals {
            let at_an_end = 1 << chosen.to() & (board::CROWNING[0] | board::CROWNING[1]) != 0;
            arrivals[usize::from(self.plies & 1)] += u16::from(at_an_end);
        }
        let progress = chosen.captured() != 0 || self.rules != Rules::Project && !is_king;
        // A higher count would make positions unequal that go on alike.
        self.quiet = if progress { 0 } else { (self.quiet + 1).min(self.draw_plies) };
        self.plies += 1;
        self.pass_if_blocked();
    }

    fn points(&self) -> [f64; 2] {
        match (self.is_blocked(), self.seat()) {
            (false, _) => [0.5; 2],
            (true, 0) => [0.0, 1.0],
            (true, _) => [1.0, 0.0],
        }
    }

    /// White's men and kings, less Red's.
    fn score_difference(&self) -> i64 {
        let [white, red] = self.board.pieces.map(|pieces| i64::from(pieces.count_ones()));
        white - red
    }

    /// Pieces, a king as one and a half, less those of the other side (docs/papers/checkers.md, "Its minimax"). Kings are
    /// those on the board or as [`Checkers::counting_arrivals`] says.
    #[inline]
    fn evaluate(&self, seat: Seat) -> f64 {
        let [own, other] = [seat, 1 - seat].map(|seat| {
            let pieces = self.board.pieces[seat];
            let kings = match self.arrivals {
                Some(arrivals) => arrivals[seat].into(),
                None => (pieces & self.board.kings).count_ones(),
            };
            f64::from(pieces.count_ones()) + 0.5 * f64::from(kings)
        });
        own - other
    }

    /// Twelve kings against none.
    fn evaluation_scale(&self) -> Option<f64> {
        Some(18.0)
    }

    /// What the move adds to the own side, a man counting 5 plus the rows it has advanced and a king 15, and 1 for each
    /// piece that it captures: the heuristic playouts of the project (Abdul Sater et al. 2022, section 3.5), whose weight
    /// of pieces on the edge is 0.
    fn prospect(&self, chosen: Move) -> f64 {
        let seat = self.seat();
        let mut after = *self;
        after.play(chosen);
        after.own_worth(seat) - self.own_worth(seat) + f64::from(chosen.captures())
    }

    /// Counters of plies are 0.
    fn with_mover(&self, seat: Seat) -> Option<Self> {
        Some(Checkers { plies: seat as u16, quiet: 0, ..*self })
    }

    #[inline]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        if self.passes {
            return crate::game::playout(self, rng);
        }
        playout::random(self, rng);
        self.points()
    }

    fn playout_plies_max(&self) -> u32 {
        u32::from(self.playout_plies)
    }

    fn features(&self) -> Option<&'static Features> {
        Some(&look::FEATURES)
    }

    /// Men and kings are counted separately. Mobility is the number of moves if it were the friendly side's turn, without
    /// regard to caps and draws; BackRowCount counts pieces on the side's own first row.
    #[inline]
    fn look(&self, friendly: Seat, wanted: u32, lane: usize, views: &mut Views) {
        look::look(self, friendly, wanted, lane, views);
    }

    /// The last ply is counted, not played.
    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 || self.is_cut() {
            return 1;
        }
        if depth == 1 {
            return u64::from(MoveSet::count(&self.board, self.rules, self.seat()).max(1));
        }
        let moves = self.moves();
        let below = |i: usize| {
            let mut next = *self;
            next.play(moves.get(i));
            next.perft(depth - 1)
        };
        // The game is over: one leaf.
        if moves.is_empty() { 1 } else { (0..moves.len()).map(below).sum() }
    }

    fn move_text(&self, chosen: Move) -> String {
        text::of_move(self, chosen)
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
        text::board(self)
    }
}

/// A position with pieces anywhere, a third of them kings at least, White or Red to move.
#[cfg(test)]
fn scattered(rules: Rules, rng: &mut Rng) -> Checkers {
    use board::{CROWNING, SQUARES};

    let mut board = Board { pieces: [0; 2], kings: 0 };
    // From few pieces to many.
    let density = 3 + crate::below(rng, 7);
    for square in (0..35).map(|i| 1u64 << i).filter(|square| SQUARES & square != 0) {
        let seat = crate::below(rng, 2) as usize;
        if crate::below(rng, 12) < density && board.pieces[seat].count_ones() < text::PIECES_MAX {
            board.pieces[seat] |= square;
            if crate::below(rng, 3) == 0 || CROWNING[seat] & square != 0 {
                board.kings |= square;
            }
        }
    }
    let quiet = crate::below(rng, u32::from(rules.draw_plies())) as u16;
    Checkers { board, plies: crate::below(rng, 2) as u16, quiet, ..Checkers::under(rules) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn leaves_counted_are_leaves_played() {
        let mut rng = Seed::derive(7, 0, 0, "leaves").rng();
        for index in 0..3_000 {
            // Some of them are close to a draw or to the cap.
            let rules = Rules::ALL[index % 3];
            let caps =
                Checkers { draw_plies: 1 + index as u16 % 5, plies_max: 2 + index as u16 % 4, ..Default::default() };
            let mut position = scattered(rules, &mut rng);
            if index % 2 == 0 {
                let Checkers { draw_plies, plies_max, .. } = caps;
                position = Checkers { draw_plies, plies_max, quiet: position.quiet.min(draw_plies), ..position };
            }
            for depth in 0..=3 {
                assert_eq!(
                    position.perft(depth),
                    crate::perft::plain(&position, depth),
                    "{}",
                    position.position_text()
                );
            }
        }
    }
}
