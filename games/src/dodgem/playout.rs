//! Playouts, compiled for processors that count bits in one instruction and for any. Results are the same.

use super::{
    Dodgem,
    board::{Board, Steps},
};
use crate::{
    Rng, below,
    features::{self, Guide, Guiding},
    processor::Processor,
};

/// Plays `game` on at random to its end; gives the points.
#[inline]
pub(super) fn random(game: &mut Dodgem, rng: &mut Rng) -> [f64; 2] {
    // SAFETY: this is the processor at hand.
    unsafe { random_for(Processor::this(), game, rng) }
}

/// # Safety
/// The processor at hand must be of the kind, or of a later one.
#[inline]
unsafe fn random_for(processor: Processor, game: &mut Dodgem, rng: &mut Rng) -> [f64; 2] {
    match processor {
        Processor::Plain => random_on(game, rng),
        // SAFETY: the processor counts bits.
        #[cfg(target_arch = "x86_64")]
        _ => unsafe { random_counting(game, rng) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn random_counting(game: &mut Dodgem, rng: &mut Rng) -> [f64; 2] {
    random_on(game, rng)
}

/// As [`crate::Game::playout`], with the sides' moves in turn and nothing asked twice.
#[inline(always)]
fn random_on(game: &mut Dodgem, rng: &mut Rng) -> [f64; 2] {
    let board = Board::of(game.size);
    let mut cars = game.cars;
    // The generator lives in registers meanwhile.
    let mut local = rng.clone();
    let plies = u32::from(game.playout_plies).min(u32::from(game.plies_max.saturating_sub(game.plies)));
    let mut played = 0;
    let first = usize::from(game.seat);
    'game: while played < plies {
        for seat in [first, 1 - first] {
            let steps = board.steps(cars[seat], cars[1 - seat], seat);
            if !step(board, &steps, &mut cars[seat], seat, &mut local) {
                break 'game;
            }
            played += 1;
            if played == plies {
                break;
            }
        }
    }
    *rng = local;
    game.cars = cars;
    game.seat ^= (played & 1) as u8;
    game.plies += played as u16;
    crate::Game::points(game)
}

/// A random step of a side; false if there is none.
#[inline(always)]
fn step(board: &Board, steps: &Steps, own: &mut u32, seat: usize, rng: &mut Rng) -> bool {
    let count = steps.count();
    if count == 0 {
        return false;
    }
    // A single move takes no draw.
    let (from, kind) = steps.nth(if count == 1 { 0 } else { below(rng, count) });
    let from = 1 << from;
    *own = *own & !from | board.target(from, kind, seat);
    true
}

/// Plays `game` on to its end as `guide` chooses; gives the points.
#[inline]
pub(super) fn guided<E: Guide>(game: &mut Dodgem, rng: &mut Rng, guide: &mut E, guiding: Guiding) -> [f64; 2] {
    // SAFETY: this is the processor at hand.
    unsafe { guided_for(Processor::this(), game, rng, guide, guiding) }
}

/// # Safety
/// As [`random_for`].
#[inline]
unsafe fn guided_for<E: Guide>(
    processor: Processor,
    game: &mut Dodgem,
    rng: &mut Rng,
    guide: &mut E,
    guiding: Guiding,
) -> [f64; 2] {
    match processor {
        Processor::Plain => features::guided(game, rng, guide, guiding),
        // SAFETY: the processor counts bits.
        #[cfg(target_arch = "x86_64")]
        _ => unsafe { guided_counting(game, rng, guide, guiding) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn guided_counting<E: Guide>(game: &mut Dodgem, rng: &mut Rng, guide: &mut E, guiding: Guiding) -> [f64; 2] {
    features::guided(game, rng, guide, guiding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Game as _, Moves as _, Seed, Turn,
        features::{LANES, View, Views},
    };

    /// The trait's own loop.
    fn slow(game: &mut Dodgem, rng: &mut Rng) -> [f64; 2] {
        for _ in 0..game.playout_plies {
            if game.turn() == Turn::Over {
                return game.points();
            }
            let moves = game.moves();
            let index = if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize };
            game.play(moves.get(index));
        }
        if game.turn() == Turn::Over { game.points() } else { [0.5; 2] }
    }

    #[test]
    fn every_loop_plays_the_same_game() {
        for index in 0..400 {
            for start in [Dodgem::new(5, 200, 100), Dodgem::new(4, 60, 100), Dodgem::new(3, 200, 7)] {
                let seed = Seed::derive(5, 0, index, "dodgem");
                let (mut plain, mut plain_rng) = (start, seed.rng());
                let points = slow(&mut plain, &mut plain_rng);
                for processor in Processor::all() {
                    let (mut game, mut rng) = (start, seed.rng());
                    // SAFETY: the processor at hand is of each of these kinds.
                    assert_eq!(unsafe { random_for(processor, &mut game, &mut rng) }, points);
                    assert_eq!((game, rng), (plain, plain_rng.clone()));
                }
            }
        }
    }

    /// Steps and mobility, weighted.
    #[derive(Default)]
    struct Steps(Views);

    impl Guide for Steps {
        fn wanted(&self) -> u32 {
            1 << 6 | 1 << 3
        }

        fn views(&mut self) -> &mut Views {
            &mut self.0
        }

        fn values(&mut self) -> [f64; LANES] {
            std::array::from_fn(|i| 0.3 * self.0.numbers[3][i] - self.0.numbers[6][i])
        }
    }

    #[test]
    fn every_guided_loop_plays_the_same_game() {
        for index in 0..200 {
            for (candidates, view) in [(4, View::Mover), (3, View::Next)] {
                let guiding = Guiding { candidates, view };
                let seed = Seed::derive(5, 0, index, "guided dodgem");
                let start = Dodgem::new(5, 200, 100);
                let (mut plain, mut plain_rng) = (start, seed.rng());
                let points = features::guided(&mut plain, &mut plain_rng, &mut Steps::default(), guiding);
                for processor in Processor::all() {
                    let (mut game, mut rng) = (start, seed.rng());
                    // SAFETY: the processor at hand is of each of these kinds.
                    let found = unsafe { guided_for(processor, &mut game, &mut rng, &mut Steps::default(), guiding) };
                    assert_eq!((found, game, rng), (points, plain, plain_rng.clone()));
                }
            }
        }
    }
}
