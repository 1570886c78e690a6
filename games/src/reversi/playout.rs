//! Loops that play a whole game or tree in a board's registers, compiled for each kind of processor. The version is
//! chosen at run time, outside the loop; results are the same.

#[cfg(target_arch = "x86_64")]
use super::lanes::{eight::Eight, four::Four};
use super::{
    Reversi,
    kernel::{Board, Words},
};
use crate::{
    Rng, below, bits,
    features::{self, Guide, Guiding, LANES, View},
    processor::Processor,
};

/// Plays `game` on at random to its end.
#[inline]
pub(super) fn random(game: &mut Reversi, rng: &mut Rng) {
    // SAFETY: this is the processor at hand.
    unsafe { random_for(Processor::this(), game, rng) }
}

/// # Safety
/// The processor at hand must be of the kind, or of a later one.
#[inline]
unsafe fn random_for(processor: Processor, game: &mut Reversi, rng: &mut Rng) {
    match processor {
        Processor::Plain => random_on::<Words>(game, rng, |set, k| 1 << bits::nth_set(set, k)),
        // SAFETY: the processor has the features each function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Processor::Wide => unsafe { random_wide(game, rng) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Deposit => unsafe { random_deposit(game, rng) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Widest => unsafe { random_widest(game, rng) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn random_wide(game: &mut Reversi, rng: &mut Rng) {
    random_on::<Four>(game, rng, |set, k| 1 << bits::nth_set(set, k));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn random_deposit(game: &mut Reversi, rng: &mut Rng) {
    random_on::<Four>(game, rng, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn random_widest(game: &mut Reversi, rng: &mut Rng) {
    random_on::<Eight>(game, rng, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
}

/// `nth_bit` gives the k-th set bit of a set, counted from 0, alone in a word.
#[inline(always)]
fn random_on<B: Board>(game: &mut Reversi, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    let (mut board, mut seat) = (B::new(game.own, game.other), game.seat);
    // A local generator stays in registers.
    let mut local = rng.clone();
    loop {
        let mut moves = board.moves();
        if moves == 0 {
            board = board.pass();
            seat ^= 1;
            moves = board.moves();
            if moves == 0 {
                break;
            }
        }
        let count = moves.count_ones();
        // A single move takes no draw, as in `Game::playout`.
        let disc = if count == 1 { moves } else { nth_bit(moves, below(&mut local, count)) };
        board = board.play(disc);
        seat ^= 1;
    }
    *rng = local;
    let (own, other) = board.discs();
    *game = Reversi { own, other, seat };
}

/// Plays `game` on to its end as `guide` chooses.
#[inline]
pub(super) fn guided<E: Guide>(game: &mut Reversi, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
    // SAFETY: this is the processor at hand.
    unsafe { guided_for(Processor::this(), game, rng, guide, guiding) }
}

/// # Safety
/// As [`random_for`].
#[inline]
unsafe fn guided_for<E: Guide>(
    processor: Processor,
    game: &mut Reversi,
    rng: &mut Rng,
    guide: &mut E,
    guiding: Guiding,
) {
    match processor {
        Processor::Plain => guided_on::<Words, E>(game, rng, guide, guiding, |set, k| 1 << bits::nth_set(set, k)),
        // SAFETY: the processor has the features each function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Processor::Wide => unsafe { guided_wide(game, rng, guide, guiding) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Deposit => unsafe { guided_deposit(game, rng, guide, guiding) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Widest => unsafe { guided_widest(game, rng, guide, guiding) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn guided_wide<E: Guide>(game: &mut Reversi, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
    guided_on::<Four, E>(game, rng, guide, guiding, |set, k| 1 << bits::nth_set(set, k));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn guided_deposit<E: Guide>(game: &mut Reversi, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
    guided_on::<Four, E>(game, rng, guide, guiding, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn guided_widest<E: Guide>(game: &mut Reversi, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
    guided_on::<Eight, E>(game, rng, guide, guiding, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
}

/// As [`features::guided`], on one board.
#[inline(always)]
fn guided_on<B: Board, E: Guide>(
    game: &mut Reversi,
    rng: &mut Rng,
    guide: &mut E,
    guiding: Guiding,
    nth_bit: impl Fn(u64, u32) -> u64,
) {
    let (mut board, mut seat) = (B::new(game.own, game.other), game.seat);
    let wanted = guide.wanted();
    let mut local = rng.clone();
    loop {
        let mut moves = board.moves();
        if moves == 0 {
            board = board.pass();
            seat ^= 1;
            moves = board.moves();
            if moves == 0 {
                break;
            }
        }
        seat ^= 1;
        let count = moves.count_ones();
        if count == 1 {
            board = board.play(moves);
            continue;
        }
        let (picks, kept) = features::draw(&mut local, guiding.candidates, count as usize);
        let mut best_value = f64::NEG_INFINITY;
        let mut chosen = board.play(nth_bit(moves, u32::from(picks[0])));
        if kept > 1 {
            for lanes in picks[..kept].chunks(LANES) {
                let mut candidates = [chosen; LANES];
                for (lane, &pick) in lanes.iter().enumerate() {
                    let after = board.play(nth_bit(moves, u32::from(pick)));
                    candidates[lane] = after;
                    let friendly = if guiding.view == View::Mover { after.pass() } else { after };
                    let (own, other) = friendly.discs();
                    super::write(own, other, || friendly.moves().count_ones(), wanted, lane, guide.views());
                }
                if let Some(lane) = features::better(&guide.values(), lanes.len(), &mut best_value) {
                    chosen = candidates[lane];
                }
            }
        }
        board = chosen;
    }
    *rng = local;
    let (own, other) = board.discs();
    *game = Reversi { own, other, seat };
}

/// Perft with the last ply counted in bulk.
pub(super) fn perft(own: u64, other: u64, depth: u32) -> u64 {
    // SAFETY: this is the processor at hand.
    if depth == 0 { 1 } else { unsafe { perft_for(Processor::this(), own, other, depth) } }
}

/// # Safety
/// As [`random_for`].
unsafe fn perft_for(processor: Processor, own: u64, other: u64, depth: u32) -> u64 {
    match processor {
        Processor::Plain => perft_plain(Words::new(own, other), depth),
        // SAFETY: the processor has the features each function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Processor::Wide | Processor::Deposit => unsafe { perft_wide(own, other, depth) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Widest => unsafe { perft_widest(own, other, depth) },
    }
}

fn perft_plain(board: Words, depth: u32) -> u64 {
    perft_on(board, board.moves(), depth, perft_plain)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn perft_wide(own: u64, other: u64, depth: u32) -> u64 {
    let board = Four::new(own, other);
    perft_on(board, board.moves(), depth, |board, depth| {
        let (own, other) = board.discs();
        perft_wide(own, other, depth)
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,bmi1,lzcnt,popcnt")]
fn perft_widest(own: u64, other: u64, depth: u32) -> u64 {
    let board = Eight::new(own, other);
    perft_on(board, board.moves(), depth, |board, depth| {
        let (own, other) = board.discs();
        perft_widest(own, other, depth)
    })
}

/// Leaves `depth` plies, at least 1, below a board whose legal squares are `moves`; `deeper` counts below a child.
#[inline(always)]
fn perft_on<B: Board>(board: B, mut moves: u64, depth: u32, deeper: impl Fn(B, u32) -> u64) -> u64 {
    if moves == 0 {
        let passed = board.pass();
        // The game is over, or the pass is the last ply: one leaf.
        return if depth == 1 || passed.moves() == 0 { 1 } else { deeper(passed, depth - 1) };
    }
    if depth == 1 {
        return u64::from(moves.count_ones());
    }
    let mut leaves = 0;
    while moves != 0 {
        let disc = moves & moves.wrapping_neg();
        moves ^= disc;
        let after = board.play(disc);
        // One ply above the last, a child's moves are its leaves, or its pass or end is one: no call.
        leaves += if depth == 2 { u64::from(after.moves().count_ones().max(1)) } else { deeper(after, depth - 1) };
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Seed};

    /// The plain loop over legal moves, as the trait's default has it.
    fn slow(mut game: Reversi, rng: &mut Rng) -> Reversi {
        use crate::{Moves as _, Turn};
        while game.turn() != Turn::Over {
            let moves = game.moves();
            let index = if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize };
            game.play(moves.get(index));
        }
        game
    }

    #[test]
    fn every_loop_plays_the_same_game() {
        for index in 0..500 {
            let seed = Seed::derive(7, 0, index, "playout");
            let mut rng = seed.rng();
            // From the start and after 1 to 63 random plies, so that some begin at an end or a pass.
            let mut start = Reversi::new();
            for _ in 0..index % 64 {
                let moves = start.moves();
                if !crate::Moves::is_empty(&moves) {
                    start.play(crate::Moves::get(&moves, below(&mut rng, crate::Moves::len(&moves) as u32) as usize));
                }
            }
            let mut plain_rng = rng.clone();
            let plain = slow(start, &mut plain_rng);
            for processor in Processor::all() {
                let (mut end, mut own_rng) = (start, rng.clone());
                // SAFETY: `all` gives what this processor can run.
                unsafe { random_for(processor, &mut end, &mut own_rng) };
                assert_eq!(end.discs(), plain.discs(), "{processor:?}");
                // Both leave the generator in the same state.
                assert_eq!(own_rng, plain_rng, "{processor:?}");
            }
            let mut end = start;
            assert_eq!(end.playout(&mut rng), plain.points());
        }
    }

    /// Mobility and corners: a function written by hand.
    #[derive(Default)]
    struct Corners(features::Views);

    impl Guide for Corners {
        fn wanted(&self) -> u32 {
            1 << super::super::number::MOBILITY | 1 << super::super::number::CORNER
        }

        fn views(&mut self) -> &mut features::Views {
            &mut self.0
        }

        fn values(&mut self) -> [f64; LANES] {
            use super::super::number::{CORNER, MOBILITY};
            std::array::from_fn(|i| self.0.numbers[MOBILITY][i] + 5.0 * self.0.numbers[CORNER][i])
        }
    }

    #[test]
    fn every_guided_loop_plays_the_same_game() {
        for index in 0..200 {
            for (candidates, view) in [(4, View::Mover), (4, View::Next), (1, View::Mover), (7, View::Mover)] {
                let guiding = Guiding { candidates, view };
                let seed = Seed::derive(7, 0, index, "guided playout");
                let (mut plain, mut plain_rng) = (Reversi::new(), seed.rng());
                let points = features::guided(&mut plain, &mut plain_rng, &mut Corners::default(), guiding);
                for processor in Processor::all() {
                    let (mut game, mut rng) = (Reversi::new(), seed.rng());
                    // SAFETY: `all` gives what this processor can run.
                    unsafe { guided_for(processor, &mut game, &mut rng, &mut Corners::default(), guiding) };
                    assert_eq!(game.discs(), plain.discs(), "{processor:?}");
                    assert_eq!(game.points(), points);
                    assert_eq!(rng, plain_rng);
                }
            }
        }
    }

    #[test]
    fn every_loop_counts_the_same_leaves() {
        // A pass at the root and in the tree: the oracle's first position is a forced pass near the end.
        let near_end = Reversi { own: 0xfed6_6b60_5008_007f, other: 0x0028_949f_aff7_ff80, seat: 0 };
        for start in [Reversi::new(), near_end] {
            for depth in 1..8 {
                let leaves = crate::perft::plain(&start, depth);
                for processor in Processor::all() {
                    // SAFETY: `all` gives what this processor can run.
                    let found = unsafe { perft_for(processor, start.own, start.other, depth) };
                    assert_eq!(found, leaves, "{processor:?} depth {depth}");
                }
            }
        }
    }
}
