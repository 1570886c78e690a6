//! Guided playouts (EvoMCTS algorithm 4) in games of any width.

use games::{
    Game as _, Rng, Seed,
    features::{Guide, Guiding, LANES, View, Views},
    toys::Wide,
};
use rand::Rng as _;

const PLIES: u32 = 40;

/// Values a position by its first number.
struct FirstNumber(Views);

impl Guide for FirstNumber {
    fn wanted(&self) -> u32 {
        1
    }

    fn views(&mut self) -> &mut Views {
        &mut self.0
    }

    fn values(&mut self) -> [f64; LANES] {
        self.0.numbers[0]
    }
}

/// The moves of a playout, drawn one by one: each output of the generator gives two draws, its upper half first, and a
/// half `h` is the move `h * moves / 2^32`.
fn expected(rng: &mut Rng, moves: u16, candidates: u32) -> Vec<u16> {
    let step = |ply| {
        let words: Vec<u64> = (0..candidates.div_ceil(2)).map(|_| rng.next_u64()).collect();
        let halves = words.iter().flat_map(|word| [word >> 32, word & 0xffff_ffff]);
        let drawn = halves.take(candidates as usize).map(|half| ((half * u64::from(moves)) >> 32) as u16);
        drawn.max_by_key(|&chosen| Wide::worth(ply, chosen)).expect("a candidate")
    };
    (0..PLIES as usize).map(step).collect()
}

#[test]
fn the_best_of_the_drawn_moves_is_played_however_many_moves_there_are() {
    for moves in [2, 5, 127, 128, 129, 255, 256, 257, 372, 600] {
        for candidates in [1, 2, 3, 4, 7, 16] {
            for index in 0..20 {
                let seed = Seed::derive(1, 0, index, "guided playout");
                let mut game = Wide::new(moves, PLIES);
                let guiding = Guiding { candidates, view: View::Mover };
                game.guided_playout(&mut seed.rng(), &mut FirstNumber(Views::new()), guiding);
                let expected = expected(&mut seed.rng(), moves, candidates);
                assert_eq!(game.history(), expected, "{moves} moves, {candidates} candidates, seed {index}");
            }
        }
    }
}
