//! Random games without lists of moves: the draws and moves of the plain playout, one for one.

use super::{Carcassonne, moves::Ends, tile::NONE};
use crate::{Rng, below};

/// Plays on to the end, every legal move as likely as another.
pub(super) fn random(game: &mut Carcassonne, rng: &mut Rng) {
    let mut ends = Ends::new();
    loop {
        if game.drawn == NONE {
            if game.stack.bag() == 0 {
                return;
            }
            let kind = game.draw_kind(rng);
            game.draw(kind);
            continue;
        }
        let count = game.count_lays(&mut ends);
        // A single move takes no draw.
        let index = if count == 1 { 0 } else { below(rng, count) };
        let (open, rotation, claim) = game.nth_lay(index, &ends);
        game.lay(open, rotation, claim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Game as _, Moves as _, Seed, Turn,
        carcassonne::{Reward, Rules, Variant},
    };

    #[test]
    fn draws_and_plays_what_the_plain_playout_does() {
        for (index, variant) in Variant::ALL.into_iter().enumerate() {
            for switches in 0..16u8 {
                let switch = |bit: u8| switches >> bit & 1 == 1;
                let rules = Rules {
                    reward: Reward::ALL[usize::from(switch(0))],
                    segments_twice: switch(1),
                    stale_cities: switch(2),
                    unplaceable_stays: switch(3),
                    ..Rules::of(variant)
                };
                for game in 0..8 {
                    let seed = Seed::derive(index as u64, switches.into(), game, "carcassonne playouts");
                    let mut start = Carcassonne::new(rules);
                    let mut rng = seed.rng();
                    // From somewhere in the game.
                    for _ in 0..5 * game {
                        match start.turn() {
                            Turn::Over => break,
                            Turn::Chance => start.play(start.chance(&mut rng)),
                            Turn::Player(_) => {
                                let moves = start.moves();
                                start.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
                            }
                        }
                    }
                    let (mut fast, mut plain) = (start.clone(), start);
                    let rewards = [fast.playout(&mut rng.clone()), crate::game::playout(&mut plain, &mut rng.clone())];
                    assert_eq!(fast, plain);
                    assert_eq!(rewards[0], rewards[1]);
                }
            }
        }
    }
}
