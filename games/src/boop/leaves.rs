//! Leaves of the tree, compiled for each kind of processor. The last ply is counted: of its placements only the mover's
//! pieces are made.

use super::{
    Boop, Move,
    board::{self, AXES, LARGE, PIECES, SMALL, threes},
    graduation::Choices,
    rules::Graduation,
};
use crate::{Game as _, processor::Processor};

/// [`Game::perft`](crate::Game::perft) of a depth above 0.
pub(super) fn count(game: &Boop, depth: u32) -> u64 {
    let processor = Processor::this();
    // SAFETY: this is the processor at hand.
    unsafe { leaves_for(processor, processor, game, depth) }
}

crate::processor::compiled!(leaves_for, leaves, (processor: Processor, game: &Boop, depth: u32) -> u64);

/// `processor` is the kind that the function is compiled for.
#[inline(always)]
fn leaves(processor: Processor, game: &Boop, depth: u32) -> u64 {
    if game.is_over() {
        return 1;
    }
    if depth == 1 {
        return last_ply(game);
    }
    let mut leaves = 0;
    game.placements(|size, square, board, seat| {
        let mut add = |choice| {
            let mut next = *game;
            next.play(Move::new(size, square, choice));
            // SAFETY: this function runs already.
            leaves += unsafe { leaves_for(processor, processor, &next, depth - 1) };
        };
        let choices = game.choices(board, seat);
        if choices.is_empty() {
            add(None);
        } else {
            choices.iter().for_each(|choice| add(Some(choice)));
        }
    });
    leaves
}

/// The moves of a position.
#[inline(always)]
fn last_ply(game: &Boop) -> u64 {
    let (seat, free) = (game.seat(), game.board.free());
    let own = game.board.pieces[seat];
    // Too few for a line of three.
    let is_bare = (own[SMALL] | own[LARGE]).count_ones() < 2;
    let may_win = game.board.large[seat] >= 3;
    let pool = game.board.pool(seat);
    let mut moves = 0;
    for size in [SMALL, LARGE].into_iter().filter(|&size| pool[size] > 0) {
        if is_bare {
            moves += u64::from(free.count_ones());
            continue;
        }
        for square in board::squares(free) {
            let pushed = game.board.pushed(size, square);
            let mut after = own.map(|set| board::after_push(set, square, pushed));
            after[size] |= 1 << square;
            let all = after[SMALL] | after[LARGE];
            let lines = AXES.iter().fold(0, |lines, &axis| lines | threes(all, axis));
            if lines == 0 && all.count_ones() < PIECES {
                moves += 1;
                continue;
            }
            let mut board = game.board;
            board.pieces[seat] = after;
            moves += if may_win && board.has_won(seat) {
                1
            } else if game.rules.graduation == Graduation::Any {
                u64::from(Choices::of(&board, seat).count().max(1))
            } else {
                // The heuristic looks at the other side's pieces as well.
                let mut board = game.board;
                board.place(seat, size, square);
                u64::from(game.choices(&board, seat).count().max(1))
            };
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seed, boop::Rules, perft::plain};

    #[test]
    fn leaves_counted_are_leaves_played() {
        for index in 0..300 {
            // Some of them are close to the cap, or over.
            let rules = Rules {
                graduation: Graduation::ALL[index as usize % 2],
                plies_max: 30 + index as u16 / 2 % 40,
                playout_plies: 1 + index as u16 % 60,
                ..Rules::default()
            };
            let mut game = Boop::new(rules);
            game.playout(&mut Seed::derive(1, 0, index, "leaves").rng());
            for depth in 1..=2 {
                let wanted = plain(&game, depth);
                for processor in Processor::all() {
                    // SAFETY: the processor can run this kind.
                    let found = unsafe { leaves_for(processor, processor, &game, depth) };
                    assert_eq!(found, wanted, "{processor:?}: {}", game.position_text());
                }
            }
        }
    }
}
