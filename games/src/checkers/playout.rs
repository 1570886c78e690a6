//! A random playout that never leaves registers but where a piece may jump twice, compiled for each rule set and kind of
//! processor. The choice is made at run time, outside the loop; results are the same.
//!
//! Sources of steps and jumps lie in two words, those forward and those backward: a square and a direction are a bit, so
//! that the k-th move is the k-th bit. Its order is another than that of [`super::MoveSet`], and a single move takes a
//! draw, too: branches that nobody can foretell cost more.

use super::{
    Checkers, Rules,
    board::{Board, shift},
    jumps::LongChains,
};
use crate::{Rng, below, bits, processor::Processor};

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
        let rules = [Rules::Report, Rules::Code, Rules::English][RULES as usize];
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
        // In pairs, those with an offset of 4 and of 5.
        let reach = [jump(by(4)), jump(by(5))];
        let reach_any = reach[0] | reach[1];
        let mut jumps = [own & reach[0], own & reach[1]];
        let steps = [own & step(by(4)), own & step(by(5))];
        let on = |[by4, by5]: [u64; 2], [from4, from5]: [i32; 2], landed: u64| {
            [by4 & shift(landed, -2 * from4), by5 & shift(landed, -2 * from5)]
        };
        let (ahead, behind) = ([by(4), by(5)], [by(-4), by(-5)]);
        let mut goers = on(jumps, ahead, reach_any);
        let (mut back_jumps, mut back_goers, mut back_steps) = ([0; 2], [0; 2], [0; 2]);
        if own_kings != 0 {
            let back_reach = [jump(by(-4)), jump(by(-5))];
            let back_any = back_reach[0] | back_reach[1];
            back_jumps = [own_kings & back_reach[0], own_kings & back_reach[1]];
            back_steps = [own_kings & step(by(-4)), own_kings & step(by(-5))];
            let turning = on([jumps[0] & kings, jumps[1] & kings], ahead, back_any);
            goers = [goers[0] | turning[0], goers[1] | turning[1]];
            back_goers = on(back_jumps, behind, reach_any | back_any);
        }
        let any_goes_on = goers[0] | goers[1] | back_goers[0] | back_goers[1] != 0;
        let forced = is(Rules::English) && jumps[0] | jumps[1] | back_jumps[0] | back_jumps[1] != 0;
        if is(Rules::English) {
            // Chains are finished: what goes on does not end with its first jump.
            jumps = [jumps[0] & !goers[0], jumps[1] & !goers[1]];
            back_jumps = [back_jumps[0] & !back_goers[0], back_jumps[1] & !back_goers[1]];
        }
        // Where captures are free, no piece steps and jumps in the same direction.
        let either = |steps: [u64; 2], jumps: [u64; 2]| {
            let steps = if forced { [0; 2] } else { steps };
            [steps[0] | jumps[0], steps[1] | jumps[1]]
        };
        let [by4, by5] = either(steps, jumps);
        let forward = pack(down, by4, by5);
        let ways = if own_kings != 0 {
            let [by4, by5] = either(back_steps, back_jumps);
            let back = pack(!down, by4, by5);
            let first = forward.count_ones();
            let count = first + back.count_ones();
            if !any_goes_on {
                if count == 0 {
                    return false;
                }
                // Which way it goes, nobody can foretell: both are looked at and no branch chooses.
                let k = draw(count);
                let back_mask = 0u64.wrapping_sub(u64::from(k >= first));
                let pick = |forward: u64, back: u64| forward ^ (forward ^ back) & back_mask;
                let bit = nth_bit(pick(forward, back), k - (first & back_mask as u32));
                let [ahead, behind] = [unpack(down, bit), unpack(!down, bit)];
                single(std::array::from_fn(|i| pick(ahead[i], behind[i])), other)
            } else {
                let goers = if down {
                    [back_goers[1], back_goers[0], goers[0], goers[1]]
                } else {
                    [goers[1], goers[0], back_goers[0], back_goers[1]]
                };
                let mut long = LongChains::of(&self.board, rules, SEAT, &goers);
                let k = draw(count + long.len);
                match k.checked_sub(count) {
                    Some(k) => {
                        let chosen = long.get(k);
                        [1 << chosen.from(), 1 << chosen.to(), chosen.captured()]
                    }
                    None if k >= first => single(unpack(!down, nth_bit(back, k - first)), other),
                    None => single(unpack(down, nth_bit(forward, k)), other),
                }
            }
        } else {
            let count = forward.count_ones();
            if !any_goes_on {
                if count == 0 {
                    return false;
                }
                single(unpack(down, nth_bit(forward, draw(count))), other)
            } else {
                let goers = if down { [0, 0, goers[0], goers[1]] } else { [goers[1], goers[0], 0, 0] };
                let mut long = LongChains::of(&self.board, rules, SEAT, &goers);
                let k = draw(count + long.len);
                match k.checked_sub(count) {
                    Some(k) => {
                        let chosen = long.get(k);
                        [1 << chosen.from(), 1 << chosen.to(), chosen.captured()]
                    }
                    None => single(unpack(down, nth_bit(forward, k)), other),
                }
            }
        };
        let [from, to, captured] = ways;
        let is_king = kings & from != 0;
        self.board.play(SEAT, from, to, captured);
        let stirs = captured != 0 || !is(Rules::Report) && !is_king;
        self.quiet = if stirs { 0 } else { self.quiet + 1 };
        self.left -= 1;
        true
    }
}
