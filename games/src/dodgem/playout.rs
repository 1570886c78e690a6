//! Loops that play a whole game in registers, compiled for each size and kind of processor. The version is chosen at run
//! time, outside the loop; results are the same.

use super::{Dodgem, lines::Lines, number};
use crate::{
    Rng, below, bits,
    features::{self, Guide, Guiding, LANES, View, Views},
    processor::Processor,
};

crate::processor::random_playout!(Dodgem, random_sized);

#[inline(always)]
fn random_sized(game: &mut Dodgem, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    match game.size {
        3 => random_on::<3>(game, rng, nth_bit),
        4 => random_on::<4>(game, rng, nth_bit),
        _ => random_on::<5>(game, rng, nth_bit),
    }
}

/// `nth_bit` gives the k-th set bit of a set, counted from 0, alone in a word.
#[inline(always)]
fn random_on<const SIZE: u32>(game: &mut Dodgem, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    // A local generator stays in registers.
    let mut local = rng.clone();
    alternate::<SIZE>(game, |lines, _, own, other| {
        let moves = lines.moves(own, other);
        // A single move takes no draw, as in `Game::playout`.
        let step = match moves.count_ones() {
            0 => return None,
            1 => moves,
            count => nth_bit(moves, below(&mut local, count)),
        };
        Some(lines.play(own, step))
    });
    *rng = local;
}

/// Plays `game` on until the side to move has no move or a cap is reached. `step` gives the cars of the side to move
/// after its move, from the constants and the cars of both sides.
///
/// The loop has a ply of each side, so that the constants of both are immediate operands.
#[inline(always)]
fn alternate<const SIZE: u32>(game: &mut Dodgem, mut step: impl FnMut(&Lines, &Lines, u32, u32) -> Option<u32>) {
    let (black_lines, white_lines) = const { (&Lines::new(SIZE, 0), &Lines::new(SIZE, 1)) };
    let [mut black, mut white] = game.cars;
    let plies_most = u32::from(game.playout_plies.min(game.plies_max - game.plies));
    let mut left = plies_most;
    let mut whites_turn = game.seat == 1;
    let seat = loop {
        if !whites_turn {
            if left == 0 {
                break 0;
            }
            let Some(after) = step(black_lines, white_lines, black, white) else { break 0 };
            black = after;
            left -= 1;
        }
        whites_turn = false;
        if left == 0 {
            break 1;
        }
        let Some(after) = step(white_lines, black_lines, white, black) else { break 1 };
        white = after;
        left -= 1;
    };
    *game = Dodgem { cars: [black, white], plies: game.plies + (plies_most - left) as u16, seat, ..*game };
}

/// Plays `game` on as `guide` chooses until it ends or reaches a cap.
#[inline]
pub(super) fn guided<E: Guide>(game: &mut Dodgem, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
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
) {
    match processor {
        Processor::Plain => guided_sized(game, rng, guide, guiding, |set, k| 1 << bits::nth_set(set, k)),
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
fn guided_wide<E: Guide>(game: &mut Dodgem, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
    guided_sized(game, rng, guide, guiding, |set, k| 1 << bits::nth_set(set, k));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn guided_deposit<E: Guide>(game: &mut Dodgem, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
    guided_sized(game, rng, guide, guiding, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
}

/// Wider registers do not help the board, but an evaluation compiled into the loop.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn guided_widest<E: Guide>(game: &mut Dodgem, rng: &mut Rng, guide: &mut E, guiding: Guiding) {
    guided_sized(game, rng, guide, guiding, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
}

#[inline(always)]
fn guided_sized<E: Guide>(
    game: &mut Dodgem,
    rng: &mut Rng,
    guide: &mut E,
    guiding: Guiding,
    nth_bit: impl Fn(u64, u32) -> u64,
) {
    match game.size {
        3 => guided_on::<3, E>(game, rng, guide, guiding, nth_bit),
        4 => guided_on::<4, E>(game, rng, guide, guiding, nth_bit),
        _ => guided_on::<5, E>(game, rng, guide, guiding, nth_bit),
    }
}

/// As [`features::guided`], on two sets of cars.
#[inline(always)]
fn guided_on<const SIZE: u32, E: Guide>(
    game: &mut Dodgem,
    rng: &mut Rng,
    guide: &mut E,
    guiding: Guiding,
    nth_bit: impl Fn(u64, u32) -> u64,
) {
    let wanted = guide.wanted();
    let mut local = rng.clone();
    alternate::<SIZE>(game, |lines, other_lines, own, other| {
        let moves = lines.moves(own, other);
        let count = moves.count_ones();
        if count <= 1 {
            return (count == 1).then(|| lines.play(own, moves));
        }
        let (picks, kept) = features::draw(&mut local, guiding.candidates, count as usize);
        let first = nth_bit(moves, u32::from(picks[0]));
        let mut chosen = lines.play(own, first);
        if kept == 1 {
            return Some(chosen);
        }
        let mut best_value = f64::NEG_INFINITY;
        for from in (0..kept).step_by(LANES) {
            // All lanes are filled, so that no branch depends on how many draws differ: the rest hold the first candidate
            // again, which cannot beat itself.
            let steps: [u64; LANES] = std::array::from_fn(|lane| {
                let step = nth_bit(moves, u32::from(picks[from + lane]));
                if from + lane < kept { step } else { first }
            });
            let candidates = steps.map(|step| lines.play(own, step));
            let needed = || {
                let before = lines.steps(own);
                (steps.map(|step| before - u32::from(step as u32 != 0)), other_lines.steps(other))
            };
            let mobility = || match guiding.view {
                View::Mover => candidates.map(|after| lines.moves(after, other).count_ones()),
                View::Next => candidates.map(|after| other_lines.moves(other, after).count_ones()),
            };
            write_all(&candidates, other, needed, mobility, guiding.view, wanted, guide.views());
            if let Some(lane) = features::better(&guide.values(), LANES, &mut best_value) {
                chosen = candidates[lane];
            }
        }
        Some(chosen)
    });
    *rng = local;
}

/// As [`super::write`] in every lane, a number at a time: the side that moved has the cars `moved`, and the other side's
/// are the same in all lanes. `needed` gives the steps that each side needs, in the order of the cars.
#[inline(always)]
fn write_all(
    moved: &[u32; LANES],
    other: u32,
    needed: impl FnOnce() -> ([u32; LANES], u32),
    mobility: impl FnOnce() -> [u32; LANES],
    view: View,
    wanted: u32,
    views: &mut Views,
) {
    // The friendly side is the same in the whole playout: the branch is predicted.
    let by_view = |moved: [f64; LANES], other: f64| match view {
        View::Mover => (moved, [other; LANES]),
        View::Next => ([other; LANES], moved),
    };
    let minus = |a: &[f64; LANES], b: &[f64; LANES]| std::array::from_fn(|lane| a[lane] - b[lane]);
    (views.friendly, views.enemy) = match view {
        View::Mover => (moved.map(u64::from), [u64::from(other); LANES]),
        View::Next => ([u64::from(other); LANES], moved.map(u64::from)),
    };
    if wanted >> number::MOBILITY & 1 == 1 {
        views.numbers[number::MOBILITY] = mobility().map(f64::from);
    }
    if wanted & number::STEPS != 0 {
        let (moved, other) = needed();
        let (own, enemy) = by_view(moved.map(f64::from), f64::from(other));
        views.numbers[number::POS] = minus(&own, &enemy);
        views.numbers[number::FRIENDLY_POS] = own;
        views.numbers[number::ENEMY_POS] = enemy;
    }
    if wanted & number::MEN != 0 {
        let (own, enemy) = by_view(moved.map(|cars| f64::from(cars.count_ones())), f64::from(other.count_ones()));
        views.numbers[number::MAN] = minus(&own, &enemy);
        views.numbers[number::FRIENDLY_MAN] = own;
        views.numbers[number::ENEMY_MAN] = enemy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Moves as _, Seed, Turn};

    /// The plain loop over legal moves, as the trait's default has it.
    fn slow(mut game: Dodgem, rng: &mut Rng) -> (Dodgem, [f64; 2]) {
        for _ in 0..game.playout_plies_max() {
            if game.turn() == Turn::Over {
                return (game, game.points());
            }
            let moves = game.moves();
            let index = if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize };
            game.play(moves.get(index));
        }
        (game, if game.turn() == Turn::Over { game.points() } else { [0.5; 2] })
    }

    /// Starts of all sizes, with caps that no game, some and nearly all games reach.
    fn rules(index: u64) -> Dodgem {
        let caps = [(200, 100), (60_000, 60_000), (40, 30), (30, 40), (5, 7), (1, 1)];
        let (plies_max, playout_plies) = caps[(index / 3 % 6) as usize];
        Dodgem::new(3 + (index % 3) as u8, plies_max, playout_plies)
    }

    #[test]
    fn every_loop_plays_the_same_game() {
        for index in 0..1_800 {
            let mut rng = Seed::derive(7, 0, index, "playout").rng();
            // After 0 to 69 random plies, so that either side begins, and some games are over already.
            let mut start = rules(index);
            for _ in 0..index % 70 {
                let moves = start.moves();
                if !moves.is_empty() {
                    start.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
                }
            }
            let mut plain_rng = rng.clone();
            let (plain, points) = slow(start, &mut plain_rng);
            for processor in Processor::all() {
                let (mut end, mut own_rng) = (start, rng.clone());
                // SAFETY: `all` gives what this processor can run.
                unsafe { random_for(processor, &mut end, &mut own_rng) };
                assert_eq!(end, plain, "{processor:?}");
                // Both leave the generator in the same state.
                assert_eq!(own_rng, plain_rng, "{processor:?}");
            }
            assert_eq!(start.playout(&mut rng), points);
        }
    }

    /// Values all the numbers of a game, each with a weight of its own, or some of them.
    struct Weighing {
        views: features::Views,
        wanted: u32,
    }

    impl Guide for Weighing {
        fn wanted(&self) -> u32 {
            self.wanted
        }

        fn views(&mut self) -> &mut features::Views {
            &mut self.views
        }

        fn values(&mut self) -> [f64; LANES] {
            const WEIGHTS: [f64; 7] = [-0.7, 1.3, 0.2, 0.45, -1.1, 0.6, -0.35];
            std::array::from_fn(|lane| {
                let numbers = (0..7).filter(|i| self.wanted >> i & 1 == 1);
                let sum: f64 = numbers.map(|i| WEIGHTS[i] * self.views.numbers[i][lane]).sum();
                let corner = (self.views.friendly[lane] & 1) as f64 - 0.4 * (self.views.enemy[lane] >> 2 & 1) as f64;
                sum + 0.25 * corner
            })
        }
    }

    #[test]
    fn every_guided_loop_plays_the_same_game() {
        for index in 0..180 {
            for (candidates, view) in [(4, View::Mover), (4, View::Next), (1, View::Mover), (7, View::Mover)] {
                let guiding = Guiding { candidates, view };
                let wanted = [0x7f, 1 << super::super::number::MOBILITY, 1 << super::super::number::POS];
                let guide = || Weighing { views: features::Views::new(), wanted: wanted[(index / 18 % 3) as usize] };
                let seed = Seed::derive(7, 0, index, "guided playout");
                let (mut plain, mut plain_rng) = (rules(index), seed.rng());
                let points = features::guided(&mut plain, &mut plain_rng, &mut guide(), guiding);
                for processor in Processor::all() {
                    let (mut game, mut rng) = (rules(index), seed.rng());
                    // SAFETY: `all` gives what this processor can run.
                    unsafe { guided_for(processor, &mut game, &mut rng, &mut guide(), guiding) };
                    assert_eq!(game, plain, "{processor:?}");
                    assert_eq!(game.points(), points);
                    assert_eq!(rng, plain_rng);
                }
            }
        }
    }
}
