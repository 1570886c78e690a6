//! A random playout that never leaves registers but where a piece may jump twice, compiled for each rule set and kind of
//! processor. The choice is made at run time, outside the loop; results are the same.
//!
//! Sources of steps and jumps lie in two words, those forward and those backward: a square and a direction are a bit, so
//! that the k-th move is the k-th bit. Its order is another than that of [`super::MoveSet`], and a single move takes a
//! draw, too: branches that nobody can foretell cost more.

use super::{
    Checkers, Rules,
    board::{Board, OFFSETS, shift},
    jumps::PieceMoves,
    moves::Parts,
};
use crate::{Rng, Seat, below, bits, processor::Processor};

/// Plays `game` on at random until it is over or a cap cuts it.
#[inline]
pub(super) fn random(game: &mut Checkers, rng: &mut Rng) {
    // SAFETY: this is the processor at hand.
    unsafe { random_for(Processor::this(), game, rng) }
}

/// # Safety
/// The processor at hand must be of the kind, or of a later one.
#[inline]
unsafe fn random_for(processor: Processor, game: &mut Checkers, rng: &mut Rng) {
    match processor {
        Processor::Plain => random_under(game, rng, |set, k| 1 << bits::nth_set(set, k)),
        // SAFETY: the processor has the features each function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Processor::Wide => unsafe { random_wide(game, rng) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Deposit | Processor::Widest => unsafe { random_deposit(game, rng) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
fn random_wide(game: &mut Checkers, rng: &mut Rng) {
    random_under(game, rng, |set, k| 1 << bits::nth_set(set, k));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn random_deposit(game: &mut Checkers, rng: &mut Rng) {
    random_under(game, rng, |set, k| std::arch::x86_64::_pdep_u64(1 << k, set));
}

#[inline(always)]
fn random_under(game: &mut Checkers, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    match game.rules {
        Rules::Report => random_on::<{ Rules::Report as u8 }>(game, rng, nth_bit),
        Rules::Code => random_on::<{ Rules::Code as u8 }>(game, rng, nth_bit),
        Rules::English => random_on::<{ Rules::English as u8 }>(game, rng, nth_bit),
    }
}

/// `nth_bit` gives the k-th set bit of a set, from 0, alone.
#[inline(always)]
fn random_on<const RULES: u8>(game: &mut Checkers, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    // The generator lives in registers meanwhile.
    let mut local = rng.clone();
    let mut draw = |count| below(&mut local, count);
    let most = u32::from(game.playout_plies.min(game.plies_max - game.plies));
    let mut at =
        State { board: game.board, quiet: u32::from(game.quiet), limit: u32::from(game.draw_plies), left: most };
    // The sides' plies stand one behind the other, so that all that differs between them is constant.
    let mut reds_turn = game.seat() == 1;
    loop {
        if !reds_turn && !at.ply::<0, RULES>(&mut draw, &nth_bit) {
            break;
        }
        reds_turn = false;
        if !at.ply::<1, RULES>(&mut draw, &nth_bit) {
            break;
        }
    }
    *rng = local;
    game.board = at.board;
    game.quiet = at.quiet.min(at.limit) as u16;
    game.plies += (most - at.left) as u16;
}

/// What changes in a playout.
#[derive(Clone, Copy)]
struct State {
    board: Board,
    /// As in [`Checkers`], but it may exceed the limit.
    quiet: u32,
    limit: u32,
    /// Plies until a cap.
    left: u32,
}

/// Sources with an offset of 4 and with one of 5 in one word. Nothing moves off its last row, so 31 bits hold them.
#[inline(always)]
const fn pack(down: bool, by4: u64, by5: u64) -> u64 {
    if down { by4 | by5 << 32 } else { by4 >> 4 | by5 << 28 }
}

/// Of a bit of such a word: the square left, the next one and the one behind that.
#[inline(always)]
const fn unpack(down: bool, bit: u64) -> [u64; 3] {
    let (by4, by5) = (bit & 0xffff_ffff, bit >> 32);
    if down {
        [by4 | by5, by4 << 4 | by5 << 5, by4 << 8 | by5 << 10]
    } else {
        [(by4 | by5) << 4, by4 | by5 >> 1, by4 >> 4 | by5 >> 6]
    }
}

/// From a piece's square and the next two in a direction: the square left, the one reached, and what is captured.
#[inline(always)]
fn single([from, next, behind]: [u64; 3], other: u64) -> [u64; 3] {
    let captured = next & other;
    [from, if captured == 0 { next } else { behind }, captured]
}

impl State {
    /// A random move of `SEAT`; false if the game is over or cut.
    #[inline(always)]
    fn ply<const SEAT: usize, const RULES: u8>(
        &mut self,
        draw: &mut impl FnMut(u32) -> u32,
        nth_bit: &impl Fn(u64, u32) -> u64,
    ) -> bool {
        let down = SEAT == 0;
        let is = |rules: Rules| RULES == rules as u8;
        let Board { pieces, kings } = self.board;
        let (own, other) = (pieces[SEAT], pieces[1 - SEAT]);
        if self.left == 0 || self.quiet >= self.limit && (!is(Rules::Report) || (own | other) & !kings == 0) {
            return false;
        }
        let empty = self.board.empty();
        let by = |offset: i32| if down { offset } else { -offset };
        let step = |by: i32| shift(empty, -by);
        let jump = |by: i32| shift(other, -by) & shift(empty, -2 * by);
        let own_kings = own & kings;
        let [jump4, jump5] = [jump(by(4)), jump(by(5))];
        let jumps = [own & jump4, own & jump5];
        let steps = [own & step(by(4)), own & step(by(5))];
        let landed = shift(jumps[0], 2 * by(4)) | shift(jumps[1], 2 * by(5));
        let mut goes_on = landed & (jump4 | jump5);
        let english = is(Rules::English);
        let either = |steps: [u64; 2], jumps: [u64; 2], jumps_only: bool| {
            // Where captures are free, no piece steps and jumps in the same direction.
            std::array::from_fn(|i| {
                if !english {
                    steps[i] | jumps[i]
                } else if jumps_only {
                    jumps[i]
                } else {
                    steps[i]
                }
            })
        };
        let (from, to, captured);
        if own_kings == 0 {
            let [by4, by5] = either(steps, jumps, jumps[0] | jumps[1] != 0);
            let forward = pack(down, by4, by5);
            let count = forward.count_ones();
            if goes_on != 0 {
                [from, to, captured] = self.among_chains(RULES, SEAT, draw);
            } else if count == 0 {
                return false;
            } else {
                [from, to, captured] = single(unpack(down, nth_bit(forward, draw(count))), other);
            }
        } else {
            let [back4, back5] = [jump(by(-4)), jump(by(-5))];
            let back_jumps = [own_kings & back4, own_kings & back5];
            let back_steps = [own_kings & step(by(-4)), own_kings & step(by(-5))];
            let back_landed = shift(back_jumps[0], 2 * by(-4)) | shift(back_jumps[1], 2 * by(-5));
            let king_landed = shift(jumps[0] & kings, 2 * by(4)) | shift(jumps[1] & kings, 2 * by(5));
            goes_on |= back_landed & (jump4 | jump5) | (back_landed | king_landed) & (back4 | back5);
            let jumps_only = jumps[0] | jumps[1] | back_jumps[0] | back_jumps[1] != 0;
            let [by4, by5] = either(steps, jumps, jumps_only);
            let forward = pack(down, by4, by5);
            let [by4, by5] = either(back_steps, back_jumps, jumps_only);
            let back = pack(!down, by4, by5);
            let first = forward.count_ones();
            let count = first + back.count_ones();
            if goes_on != 0 {
                [from, to, captured] = self.among_chains(RULES, SEAT, draw);
            } else if count == 0 {
                return false;
            } else {
                // Which way it goes, nobody can foretell: both are looked at and no branch chooses.
                let k = draw(count);
                let back_mask = 0u64.wrapping_sub(u64::from(k >= first));
                let pick = |forward: u64, back: u64| forward ^ (forward ^ back) & back_mask;
                let bit = nth_bit(pick(forward, back), k - (first & back_mask as u32));
                let [ahead, behind] = [unpack(down, bit), unpack(!down, bit)];
                [from, to, captured] = single(std::array::from_fn(|i| pick(ahead[i], behind[i])), other);
            }
        }
        let is_king = kings & from != 0;
        self.board.play(SEAT, from, to, captured);
        let stirs = captured != 0 || !is(Rules::Report) && !is_king;
        self.quiet = if stirs { 0 } else { self.quiet + 1 };
        self.left -= 1;
        true
    }

    /// As [`single`], of any move of the side, where some are chains of jumps.
    #[cold]
    #[inline(never)]
    fn among_chains(&self, rules: u8, seat: Seat, draw: &mut impl FnMut(u32) -> u32) -> [u64; 3] {
        let rules = [Rules::Report, Rules::Code, Rules::English][usize::from(rules)];
        let Parts { singles, goers } = Parts::of(&self.board, rules, seat);
        let single_count: u32 = singles.iter().map(|set| set.count_ones()).sum();
        let movers = goers[0] | goers[1] | goers[2] | goers[3];
        let mut long = PieceMoves::new();
        let mut rest = movers;
        let mut count = single_count;
        while rest != 0 {
            long.fill_long(&self.board, rules, seat, bits::pop_lowest(&mut rest), &goers);
            count += long.as_slice().len() as u32;
        }
        let mut k = draw(count);
        for (set, offset) in singles.into_iter().zip(OFFSETS) {
            match k.checked_sub(set.count_ones()) {
                None => {
                    let from = 1 << bits::nth_set(set, k);
                    let [next, behind] = [offset, 2 * offset].map(|by| shift(from, by));
                    return single([from, next, behind], self.board.pieces[1 - seat]);
                }
                Some(left) => k = left,
            }
        }
        rest = movers;
        loop {
            let square = bits::pop_lowest(&mut rest);
            // The only piece was the last one looked at.
            if movers != 1 << square {
                long.fill_long(&self.board, rules, seat, square, &goers);
            }
            match long.as_slice().get(k as usize) {
                Some(&chosen) => return [1 << chosen.from(), 1 << chosen.to(), chosen.captured()],
                None => k -= long.as_slice().len() as u32,
            }
        }
    }
}
