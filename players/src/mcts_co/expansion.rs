//! Expansion by the optimiser, or at random as a game weighs its moves (Richoux 2024, section III).

use games::{Game, Moves as _, Rng, unit};

use crate::{mcts::Expansion, one_ply::OnePly};

/// Orders the moves of a node once: by falling value, equal ones at random, or at random by their weights. As many become
/// children as the game's width says.
#[derive(Debug)]
pub(super) struct Optimised {
    /// Nothing: at random.
    optimiser: Option<OnePly>,
    /// (key, place of the move), the least key first.
    keys: Vec<(f64, f64, u32)>,
    order: Vec<u32>,
}

impl Optimised {
    /// Best moves first.
    pub(super) fn best(optimiser: OnePly) -> Self {
        Optimised { optimiser: Some(optimiser), keys: Vec::new(), order: Vec::new() }
    }

    /// Moves drawn one after another.
    pub(super) fn random() -> Self {
        Optimised { optimiser: None, keys: Vec::new(), order: Vec::new() }
    }
}

impl<G: Game> Expansion<G> for Optimised {
    const ORDERS: bool = true;

    fn order(&mut self, position: &G, moves: &G::Moves, rng: &mut Rng) -> &[u32] {
        self.keys.clear();
        match &mut self.optimiser {
            Some(optimiser) => {
                let values = optimiser.values(position).iter().enumerate();
                self.keys.extend(values.map(|(place, &value)| (-value, unit(rng), place as u32)));
            }
            // Draws without replacement: the least of exponential variables with the weights as rates comes first (Efraimidis
            // and Spirakis 2006).
            None => {
                let key = |place| -libm::log(1.0 - unit(rng)) / position.weight(moves.get(place));
                let keys: Vec<f64> = (0..moves.len()).map(key).collect();
                self.keys.extend(keys.iter().enumerate().map(|(place, &key)| (key, 0.0, place as u32)));
            }
        }
        self.keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        self.order.clear();
        let width = position.width(moves.len()).max(1);
        self.order.extend(self.keys.iter().take(width).map(|key| key.2));
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use games::{Seed, boop::Boop};

    use super::*;
    use crate::one_ply::Ends;

    /// A pool of six small pieces and two large ones on an empty board: a large one comes first with probability 1/4, on any of
    /// the squares; and as many children are added as squares are free.
    #[test]
    fn random_children_are_drawn_by_the_game_s_weights() {
        const DRAWS: u32 = 4_000;
        let text = "....../....../....../....../....../...... a 6,2 8,0";
        let position = Boop::default().parse_position(text).expect("a position");
        let moves = position.moves();
        let mut rng = Seed::derive(4, 0, 0, "draws").rng();
        let mut expansion = Optimised::random();
        let (mut large, mut corners) = (0, 0);
        for _ in 0..DRAWS {
            let order = expansion.order(&position, &moves, &mut rng);
            assert_eq!(order.len(), 36);
            let first = position.move_text(moves.get(order[0] as usize));
            large += u32::from(first.starts_with('l'));
            corners += u32::from(["a1", "a6", "f1", "f6"].iter().any(|corner| first.ends_with(corner)));
        }
        // 1000 and 444 expected, with deviations of 27 and 20.
        assert!((890..=1_110).contains(&large), "{large}");
        assert!((364..=524).contains(&corners), "{corners}");
        // Of the optimiser's best there are as many.
        assert_eq!(Optimised::best(OnePly::new(Ends::Result)).order(&position, &moves, &mut rng).len(), 36);
    }
}
