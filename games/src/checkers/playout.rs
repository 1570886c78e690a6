//! A random playout that stays in registers unless a piece may jump twice, compiled for each rule set and kind of
//! processor. The version is chosen at run time, outside the loop; results are the same.
//!
//! Steps and jumps are in two words, one forward and one backward: a bit stands for a square and a direction, so that
//! the k-th move is the k-th bit. The order differs from that of [`super::MoveSet`], and a single move takes a draw as
//! well: an unpredictable branch would cost more.

use super::{
    Checkers, Rules,
    board::{Board, shift},
    jumps::LongChains,
};
use crate::{Rng, below};

crate::processor::random_playout!(Checkers, random_under);

#[inline(always)]
fn random_under(game: &mut Checkers, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    match game.rules {
        Rules::Project => random_on::<{ Rules::Project as u8 }>(game, rng, nth_bit),
        Rules::Code => random_on::<{ Rules::Code as u8 }>(game, rng, nth_bit),
        Rules::English => random_on::<{ Rules::English as u8 }>(game, rng, nth_bit),
    }
}

/// `nth_bit` gives the k-th set bit of a set, counted from 0, alone in a word.
#[inline(always)]
fn random_on<const RULES: u8>(game: &mut Checkers, rng: &mut Rng, nth_bit: impl Fn(u64, u32) -> u64) {
    // A local generator stays in registers.
    let mut local = rng.clone();
    let mut draw = |count| below(&mut local, count);
    let most = u32::from(game.playout_plies.min(game.plies_max - game.plies));
    let mut at =
        State { board: game.board, quiet: u32::from(game.quiet), limit: u32::from(game.draw_plies), left: most };
    // The loop has a ply of each side, so that everything that differs between them is constant.
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

/// The state of a playout.
#[derive(Clone, Copy)]
struct State {
    board: Board,
    /// As in [`Checkers`], but it may exceed the limit.
    quiet: u32,
    limit: u32,
    /// Plies until a cap.
    left: u32,
}

/// Two sets of squares, for the directions with offsets 4 and 5.
type Pair = [u64; 2];

#[inline(always)]
fn both<const N: usize>(one: [u64; N], other: [u64; N], f: impl Fn(u64, u64) -> u64) -> [u64; N] {
    std::array::from_fn(|i| f(one[i], other[i]))
}

/// The moves of a side in one vertical direction.
struct Half {
    down: bool,
    steps: Pair,
    jumps: Pair,
    /// The jumps that another jump may follow.
    goers: Pair,
}

impl Half {
    const fn offsets(down: bool) -> [i32; 2] {
        if down { [4, 5] } else { [-4, -5] }
    }

    /// Squares from which a piece of `other` can be jumped over.
    #[inline(always)]
    fn reach(down: bool, other: u64, empty: u64) -> Pair {
        Half::offsets(down).map(|by| shift(other, -by) & shift(empty, -2 * by))
    }

    /// The moves of `movers`; after a jump those among `kings` may change direction. `onward` and `turned` are squares from
    /// which a jump can follow.
    #[inline(always)]
    fn of(down: bool, movers: u64, kings: u64, empty: u64, reach: Pair, onward: u64, turned: u64) -> Self {
        let offsets = Half::offsets(down);
        let steps = offsets.map(|by| movers & shift(empty, -by));
        let jumps = reach.map(|reach| movers & reach);
        let goes_on = |by: i32| shift(onward, -2 * by) | shift(turned, -2 * by) & kings;
        let goers = both(jumps, offsets.map(goes_on), |jumps, on| jumps & on);
        Half { down, steps, jumps, goers }
    }

    /// Single steps and jumps in one word: nothing moves from its last row, so 31 bits hold the squares of a direction.
    #[inline(always)]
    fn singles(&self, english: bool, forced: bool) -> u64 {
        let [by4, by5] = match (english, forced) {
            // A piece cannot both step and jump in one direction.
            (false, _) => both(self.steps, self.jumps, |steps, jumps| steps | jumps),
            (true, false) => self.steps,
            // Chains must be finished: one that can go on does not end with its first jump.
            (true, true) => both(self.jumps, self.goers, |jumps, goers| jumps & !goers),
        };
        if self.down { by4 | by5 << 32 } else { by4 >> 4 | by5 << 28 }
    }

    /// For a bit of such a word: the starting square, the next square in its direction, and the one after that.
    #[inline(always)]
    fn way(&self, bit: u64) -> [u64; 3] {
        let (by4, by5) = (bit & 0xffff_ffff, bit >> 32);
        if self.down {
            [by4 | by5, by4 << 4 | by5 << 5, by4 << 8 | by5 << 10]
        } else {
            [(by4 | by5) << 4, by4 | by5 >> 1, by4 >> 4 | by5 >> 6]
        }
    }
}

impl State {
    /// Plays a random move of `SEAT`; false if the game is over or has reached a cap.
    #[inline(always)]
    fn ply<const SEAT: usize, const RULES: u8>(
        &mut self,
        draw: &mut impl FnMut(u32) -> u32,
        nth_bit: &impl Fn(u64, u32) -> u64,
    ) -> bool {
        let rules = const { Rules::ALL[RULES as usize] };
        let Board { pieces, kings } = self.board;
        let only_kings = (pieces[0] | pieces[1]) & !kings == 0;
        if self.left == 0 || self.quiet >= self.limit && (rules != Rules::Project || only_kings) {
            return false;
        }
        // There are no kings for half a game.
        let chosen = if pieces[SEAT] & kings == 0 {
            self.choose::<SEAT, RULES, false>(draw, nth_bit)
        } else {
            self.choose::<SEAT, RULES, true>(draw, nth_bit)
        };
        let Some([from, to, captured]) = chosen else { return false };
        let is_king = kings & from != 0;
        self.board.play(SEAT, from, to, captured);
        let progress = captured != 0 || rules != Rules::Project && !is_king;
        self.quiet = if progress { 0 } else { self.quiet + 1 };
        self.left -= 1;
        true
    }

    /// The starting square, the end square and the pieces taken; `None` if there is no move. `KINGS`: whether the side has
    /// kings.
    #[inline(always)]
    fn choose<const SEAT: usize, const RULES: u8, const KINGS: bool>(
        &self,
        draw: &mut impl FnMut(u32) -> u32,
        nth_bit: &impl Fn(u64, u32) -> u64,
    ) -> Option<[u64; 3]> {
        let rules = const { Rules::ALL[RULES as usize] };
        let english = rules == Rules::English;
        let Board { pieces, kings } = self.board;
        let (own, other, empty) = (pieces[SEAT], pieces[1 - SEAT], self.board.empty());
        let down = SEAT == 0;
        let (reach, mut back_reach) = (Half::reach(down, other, empty), [0; 2]);
        if KINGS {
            back_reach = Half::reach(!down, other, empty);
        }
        let (onward, turned) = (reach[0] | reach[1], back_reach[0] | back_reach[1]);
        let ahead = Half::of(down, own, kings, empty, reach, onward, turned);
        let back = Half::of(!down, if KINGS { own & kings } else { 0 }, kings, empty, back_reach, turned, onward);
        let any = |pair: fn(&Half) -> Pair| pair(&ahead)[0] | pair(&ahead)[1] | pair(&back)[0] | pair(&back)[1] != 0;
        let forced = english && any(|half| half.jumps);
        let words = [&ahead, &back].map(|half| half.singles(english, forced));
        let first = words[0].count_ones();
        let count = if KINGS { first + words[1].count_ones() } else { first };
        let k = if any(|half| half.goers) {
            let ([up4, up5], [down4, down5]) = if down { (back.goers, ahead.goers) } else { (ahead.goers, back.goers) };
            let goers = [up5, up4, down4, down5];
            let mut long = LongChains::of(&self.board, rules, SEAT, &goers);
            let k = draw(count + long.len);
            if k >= count {
                let chosen = long.get(k - count);
                return Some([1 << chosen.from(), 1 << chosen.to(), chosen.captured()]);
            }
            k
        } else if count == 0 {
            return None;
        } else {
            draw(count)
        };
        let [from, next, behind] = if KINGS {
            // The direction is unpredictable, so both are computed and selected without a branch.
            let turn = 0u64.wrapping_sub(u64::from(k >= first));
            let pick = |forward: u64, back: u64| forward ^ (forward ^ back) & turn;
            let bit = nth_bit(pick(words[0], words[1]), k - (first & turn as u32));
            both(ahead.way(bit), back.way(bit), pick)
        } else {
            ahead.way(nth_bit(words[0], k))
        };
        let captured = next & other;
        Some([from, if captured == 0 { next } else { behind }, captured])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Moves as _, Seed, bits, checkers::scattered, processor::Processor};

    /// The position after the loop's `k`-th move, and its number of moves; `None` if the game is over.
    fn step(game: &Checkers, k: u32) -> Option<(Checkers, u32)> {
        let limit = u32::from(game.draw_plies);
        let mut at = State { board: game.board, quiet: u32::from(game.quiet), limit, left: 1 };
        let mut counted = 0;
        let mut draw = |count| {
            counted = count;
            k
        };
        let nth_bit = |set, k| 1 << bits::nth_set(set, k);
        const PROJECT: u8 = Rules::Project as u8;
        const CODE: u8 = Rules::Code as u8;
        const ENGLISH: u8 = Rules::English as u8;
        let moved = match (game.seat(), game.rules) {
            (0, Rules::Project) => at.ply::<0, PROJECT>(&mut draw, &nth_bit),
            (_, Rules::Project) => at.ply::<1, PROJECT>(&mut draw, &nth_bit),
            (0, Rules::Code) => at.ply::<0, CODE>(&mut draw, &nth_bit),
            (_, Rules::Code) => at.ply::<1, CODE>(&mut draw, &nth_bit),
            (0, Rules::English) => at.ply::<0, ENGLISH>(&mut draw, &nth_bit),
            (_, Rules::English) => at.ply::<1, ENGLISH>(&mut draw, &nth_bit),
        };
        let quiet = at.quiet.min(limit) as u16;
        moved.then(|| (Checkers { board: at.board, quiet, plies: game.plies + 1, ..*game }, counted))
    }

    /// The loop draws among exactly the legal moves, each once.
    #[track_caller]
    fn check(game: &Checkers) {
        let moves = game.moves();
        let mut wanted: Vec<String> = Vec::new();
        let mut found = Vec::new();
        for i in 0..moves.len() {
            let mut after = *game;
            after.play(moves.get(i));
            wanted.push(after.position_text());
            let (after, counted) = step(game, i as u32).unwrap_or_else(|| panic!("over: {}", game.position_text()));
            assert_eq!(counted as usize, moves.len(), "{:?} {}", game.rules, game.position_text());
            found.push(after.position_text());
        }
        wanted.sort();
        found.sort();
        assert_eq!(found, wanted, "{:?} {}", game.rules, game.position_text());
        assert_eq!(step(game, 0).is_none(), moves.is_empty());
    }

    #[test]
    fn every_legal_move_is_as_likely_as_another() {
        let mut rng = Seed::derive(7, 0, 0, "moves of a playout").rng();
        for rules in Rules::ALL {
            for _ in 0..100 {
                let mut game = Checkers::under(rules);
                while game.turn() != crate::Turn::Over {
                    check(&game);
                    let moves = game.moves();
                    game.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
                }
                check(&game);
            }
            // Games seldom have kings among many pieces, and so long chains.
            for _ in 0..20_000 {
                check(&scattered(rules, &mut rng));
            }
        }
    }

    #[test]
    fn every_loop_plays_the_same_game() {
        for index in 0..900 {
            let mut rng = Seed::derive(7, 0, index, "playout").rng();
            let rules = Rules::ALL[(index % 3) as usize];
            let caps = [(400, 400, 20), (60_000, 60_000, 80), (60, 50, 9), (50, 60, 3), (5, 7, 1), (1, 1, 1)];
            let (plies_max, playout_plies, draw_plies) = caps[(index / 3 % 6) as usize];
            let mut start = Checkers::new(rules, plies_max, playout_plies, draw_plies);
            if index % 4 == 3 {
                start = Checkers { board: scattered(rules, &mut rng).board, ..start };
            }
            let (mut plain, mut plain_rng) = (start, rng.clone());
            for _ in 0..playout_plies {
                if plain.turn() == crate::Turn::Over {
                    break;
                }
                let k = below(&mut plain_rng, plain.moves().len() as u32);
                (plain, _) = step(&plain, k).expect("a move");
            }
            for processor in Processor::all() {
                let (mut end, mut own_rng) = (start, rng.clone());
                // SAFETY: `all` gives what this processor can run.
                unsafe { random_for(processor, &mut end, &mut own_rng) };
                assert_eq!(end, plain, "{processor:?}");
                // Both leave the generator in the same state.
                assert_eq!(own_rng, plain_rng, "{processor:?}");
            }
            assert_eq!(start.playout(&mut rng), plain.points());
        }
    }
}
