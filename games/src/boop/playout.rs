//! Random playouts, compiled for each kind of processor. The version is chosen at run time, outside the loop; results
//! are the same.

use super::{
    Boop,
    board::{LARGE, SMALL},
    graduation::Choices,
};
use crate::{Rng, below};

crate::processor::random_playout!(Boop, random_on);

/// Every ply draws a piece of the pool, then a free square, then one of the graduation options if there are several: as
/// the paper's program draws moves. `nth_bit` gives the k-th set bit of a set, counted from 0, alone in a word.
#[inline(always)]
fn random_on(game: &mut Boop, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    // A local generator stays in registers.
    let mut local = rng.clone();
    let mut board = game.board;
    let most = game.plies_left().min(game.rules.playout_plies);
    let (mut seat, mut left, mut winner) = (game.seat(), most, game.winner);
    while left > 0 && winner.is_none() {
        let [small, large] = board.pool(seat);
        let size = if below(&mut local, small + large) < small { SMALL } else { LARGE };
        let free = board.free();
        let square = nth_bit(free, below(&mut local, free.count_ones())).trailing_zeros();
        board.place(seat, size, square);
        winner = game.winner_after(&board, seat);
        if !board.has_won(seat) {
            let choices = Choices::offered(&board, seat, game.rules.graduation);
            let count = choices.count();
            if count > 0 {
                let index = if count == 1 { 0 } else { below(&mut local, count) };
                board.graduate(seat, choices.nth(index, &nth_bit).removed());
            }
        }
        seat = 1 - seat;
        left -= 1;
    }
    *rng = local;
    *game = Boop { board, winner, plies: game.plies + (most - left), ..*game };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Seed,
        boop::{Graduation, Rules, SearchWins},
        processor::Processor,
    };

    #[test]
    fn every_kind_of_processor_plays_the_same() {
        for index in 0..400 {
            let rules = Rules {
                graduation: Graduation::ALL[index as usize % 2],
                search_wins: SearchWins::ALL[index as usize / 2 % 2],
                playout_plies: 20 + index as u16,
                ..Rules::default()
            };
            let seed = Seed::derive(1, 0, index, "processors");
            let mut ends = Processor::all().map(|processor| {
                let (mut game, mut rng) = (Boop { is_searched: index % 3 == 0, ..Boop::new(rules) }, seed.rng());
                // SAFETY: the processor can run this kind.
                unsafe { random_for(processor, &mut game, &mut rng) };
                (game, below(&mut rng, 1 << 30))
            });
            let wanted = ends.next().expect("any processor is plain");
            assert!(ends.all(|end| end == wanted), "{index}");
        }
    }
}
