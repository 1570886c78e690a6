//! Random playouts.
//!
//! A game is an order of its free edges, whichever player draws which. So a playout shuffles the free edges, finds the turn
//! at which each box is completed as the latest of its edges' turns, and the movers from the turns at which none was: no
//! turn waits for the one before it. Plain play in the same order of edges gives the same end
//! (`a_playout_is_plain_play_in_the_order_of_its_edges`).

use rand::Rng as _;

use super::{DotsAndBoxes, Move};
use crate::{Rng, bits};

/// Edges of the largest board.
const EDGES_MAX: usize = 112;
/// Indices of edges ([`Move::index`]).
const INDICES: usize = 128;
/// Places that one 64-bit draw decides: of at most 112 edges each, so that the bias of their joint choice is below
/// 112^5 / 2^64, a billionth.
const PLACES: usize = 5;

/// The free edges of a game in an order.
pub(super) struct Order {
    edges: [u8; EDGES_MAX],
    len: usize,
}

impl Order {
    /// The free edges in the order of moves, shuffled from the back (Fisher and Yates). A draw decides [`PLACES`] places by
    /// repeated multiplication, in which each leaves what it did not use to the next (Brackett-Rozinsky and Lemire 2024).
    #[inline(always)]
    pub(super) fn draw(game: &DotsAndBoxes, rng: &mut Rng) -> Self {
        let mut order = Order { edges: [0; EDGES_MAX], len: 0 };
        let mut add = |mut set: u64, kind: fn(u32) -> Move| {
            while set != 0 {
                order.edges[order.len] = kind(bits::pop_lowest(&mut set)).index() as u8;
                order.len += 1;
            }
        };
        add(game.free.horizontal, Move::horizontal);
        add(game.free.vertical, Move::vertical);
        // A local generator stays in registers.
        let mut local = rng.clone();
        let mut left = order.len;
        while left > 1 {
            let mut word = local.next_u64();
            for _ in 0..PLACES.min(left - 1) {
                let product = u128::from(word) * left as u128;
                word = product as u64;
                left -= 1;
                order.edges.swap(left, (product >> 64) as usize);
            }
        }
        *rng = local;
        order
    }

    /// The edges, the first drawn first.
    #[inline(always)]
    pub(super) fn edges(&self) -> impl Iterator<Item = Move> {
        self.edges[..self.len].iter().map(|&index| Move::of_index(index))
    }
}

/// Plays `game` to its end at random.
#[inline]
pub(super) fn random(game: &mut DotsAndBoxes, rng: &mut Rng) {
    let order = Order::draw(game, rng);
    finish(game, &order);
}

/// Draws all free edges in an order.
#[inline(always)]
fn finish(game: &mut DotsAndBoxes, order: &Order) {
    // By an edge's index, the turn at which it is drawn, from 1; 0 for drawn edges and for those beyond the board.
    let mut turns = [0u8; INDICES];
    for (turn, edge) in (1..).zip(order.edges()) {
        turns[edge.index()] = turn;
    }
    let (horizontal, vertical) = turns.split_at(64);
    // By a box's place, the turn at which it is completed.
    let completed: [u8; 56] = std::array::from_fn(|place| {
        horizontal[place].max(horizontal[place + 8]).max(vertical[place].max(vertical[place + 1]))
    });
    let open = game.open();
    // By turn, 1 if a box is completed at it, and at the first place, which is of no turn.
    let mut completing = [0u8; INDICES];
    completing[0] = 1;
    let mut boxes = open;
    while boxes != 0 {
        completing[usize::from(completed[bits::pop_lowest(&mut boxes) as usize]) & (INDICES - 1)] = 1;
    }
    let movers = movers(&completing, order.len, game.seat);
    let (mut boxes, mut of_second) = (open, 0);
    while boxes != 0 {
        let place = bits::pop_lowest(&mut boxes);
        let mover = movers[usize::from(completed[place as usize]) & (INDICES - 1)];
        of_second |= u64::from(mover) << place;
    }
    game.boxes = [game.boxes[0] | (open & !of_second), game.boxes[1] | of_second];
    game.free = super::Edges::NONE;
    // The last edge completes a box.
    game.seat = movers[order.len & (INDICES - 1)];
}

/// By turn up to `last`, the seat that moves: the first turn's is `seat`, and it changes behind every turn that completes
/// nothing. Eight turns at a time, each word the exclusive sums of its bytes modulo 2.
#[inline(always)]
fn movers(completing: &[u8; INDICES], last: usize, seat: u8) -> [u8; INDICES] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut movers = [0; INDICES];
    let mut before = u64::from(seat) * ONES;
    let (words, _) = completing.as_chunks();
    let (found, _) = movers.as_chunks_mut();
    for (word, found) in words.iter().zip(found).take(last / 8 + 1) {
        let passing = u64::from_le_bytes(*word) ^ ONES;
        let mut sums = passing ^ passing << 8;
        sums ^= sums << 16;
        sums ^= sums << 32;
        *found = (before ^ sums ^ passing).to_le_bytes();
        before ^= (sums >> 56) * ONES;
    }
    movers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game as _, Moves as _, Seed, Turn, below};

    /// Positions of all sizes, after some random plies.
    fn positions() -> impl Iterator<Item = (DotsAndBoxes, Rng)> {
        (0..49u64 * 40).map(|index| {
            let mut rng = Seed::derive(7, 0, index, "playout").rng();
            let mut game = DotsAndBoxes::new((index % 7) as u8 + 1, (index / 7 % 7) as u8 + 1);
            for _ in 0..below(&mut rng, game.edges() + 1) {
                let moves = game.moves();
                game.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            }
            (game, rng)
        })
    }

    #[test]
    fn a_playout_is_plain_play_in_the_order_of_its_edges() {
        for (start, rng) in positions() {
            let (mut plain, mut plain_rng) = (start, rng.clone());
            for edge in Order::draw(&start, &mut plain_rng).edges() {
                plain.play(edge);
            }
            let (mut fast, mut fast_rng) = (start, rng);
            let points = fast.playout(&mut fast_rng);
            assert_eq!((fast, points, fast.turn()), (plain, plain.points(), Turn::Over), "{}", start.position_text());
            assert_eq!(fast_rng, plain_rng);
        }
    }

    /// Orders of three edges, each a sixth of the draws; 24.3 is what chi-square with 5 degrees exceeds with a probability of
    /// 0.0002.
    #[test]
    fn all_orders_are_equally_likely() {
        let mut game = DotsAndBoxes::new(1, 1);
        game.play(Move::horizontal(0));
        let mut rng = Seed::derive(7, 0, 0, "orders").rng();
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            let order: Vec<usize> = Order::draw(&game, &mut rng).edges().map(Move::index).collect();
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        let part = |&count: &i32| f64::from((count - 10_000) * (count - 10_000)) / 10_000.0;
        let chi_square: f64 = counts.values().map(part).sum();
        assert!(chi_square < 24.3, "{counts:?}");
    }
}
