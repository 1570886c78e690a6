//! What an evaluation may ask of a position.

use super::{
    Checkers,
    board::{BACK, Board, on_all_squares},
    moves::MoveSet,
};
use crate::{
    Seat,
    features::{Features, Views},
};

/// The numbers of a position, by their index.
mod number {
    pub(super) const ENEMY_MAN: usize = 0;
    pub(super) const FRIENDLY_MAN: usize = 1;
    pub(super) const MAN: usize = 2;
    pub(super) const MOBILITY: usize = 3;
    pub(super) const FRIENDLY_KING: usize = 4;
    pub(super) const ENEMY_KING: usize = 5;
    pub(super) const KING: usize = 6;
    pub(super) const BACK_ROW: usize = 7;
}

pub(super) static FEATURES: Features = Features::new(
    &[
        "EnemyManCount",
        "FriendlyManCount",
        "ManCount",
        "Mobility",
        "FriendlyKingCount",
        "EnemyKingCount",
        "KingCount",
        "BackRowCount",
    ],
    8,
    8,
);

/// Writes the position as `friendly` sees it.
#[inline]
pub(super) fn look(game: &Checkers, friendly: Seat, wanted: u32, lane: usize, views: &mut Views) {
    let Board { pieces, kings } = game.board;
    let sides = [friendly, 1 - friendly];
    [views.friendly[lane], views.enemy[lane]] = sides.map(|seat| on_all_squares(pieces[seat]));
    if wanted >> number::MOBILITY & 1 == 1 {
        let count = MoveSet::count(&game.board, game.rules, friendly);
        views.numbers[number::MOBILITY][lane] = f64::from(count);
    }
    // Counting is cheaper than testing which count is wanted.
    let mut write = |[own, enemy, both]: [usize; 3], count: &dyn Fn(Seat) -> u64| {
        let [ours, theirs] = sides.map(|seat| f64::from(count(seat).count_ones()));
        views.numbers[own][lane] = ours;
        views.numbers[enemy][lane] = theirs;
        views.numbers[both][lane] = ours - theirs;
    };
    write([number::FRIENDLY_MAN, number::ENEMY_MAN, number::MAN], &|seat| pieces[seat] & !kings);
    write([number::FRIENDLY_KING, number::ENEMY_KING, number::KING], &|seat| pieces[seat] & kings);
    let [ours, theirs] = sides.map(|seat| f64::from((pieces[seat] & BACK[seat]).count_ones()));
    views.numbers[number::BACK_ROW][lane] = ours - theirs;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game as _;

    #[test]
    fn what_positions_tell() {
        // White: men on 3 and 18, a king on 1, which stands on the first row, too. Red: a man on 22, kings on 32 and
        // 10.
        let start = Checkers::default();
        let position = start.parse_position("W:WK1,3,18:R22,K32,K10").expect("a position");
        let numbers = |friendly| {
            let mut views = Views::new();
            position.look(friendly, u32::MAX, 3, &mut views);
            (views.numbers.map(|lanes| lanes[3]), views.friendly[3], views.enemy[3])
        };
        // Squares 1, 3, 10, 18, 22 and 32 by row and column: (0,1), (0,5), (2,3), (4,3), (5,2), (7,6).
        let set = |squares: &[(u32, u32)]| squares.iter().map(|(row, column)| 1u64 << (8 * row + column)).sum::<u64>();
        let (white, red) = (set(&[(0, 1), (0, 5), (4, 3)]), set(&[(2, 3), (5, 2), (7, 6)]));
        // White: the king steps to 5 and 6, the man on 3 to 7 and 8, that on 18 to 23 and over 22 to 25.
        assert_eq!(numbers(0), ([1.0, 2.0, 1.0, 6.0, 1.0, 2.0, -1.0, 1.0], white, red));
        // Red: the man on 22 steps to 17 and jumps over 18 to 15, the king on 32 has 27 and 28, that on 10 has 6, 7,
        // 14, 15.
        assert_eq!(numbers(1), ([2.0, 1.0, -1.0, 8.0, 2.0, 1.0, 1.0, -1.0], red, white));
    }
}
