//! What a search maximises: what its game rewards, or who wins.

use games::{Game, Rng};

use super::{Evaluator, Leaf};

/// What a search maximises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reward {
    /// [`Game::reward`].
    Game,
    /// 1, 0 and -1 for a win, a draw and a loss: the sign of the difference of the seats' rewards.
    Result,
}

/// An evaluator whose values are rewards of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Rewarded<E> {
    evaluator: E,
    reward: Reward,
}

impl<E> Rewarded<E> {
    /// The values of `evaluator`, which are the game's rewards, as `reward`.
    pub fn new(evaluator: E, reward: Reward) -> Self {
        Rewarded { evaluator, reward }
    }

    /// What gives the values.
    pub fn evaluator(&self) -> &E {
        &self.evaluator
    }

    #[inline(always)]
    fn of(&self, game: [f64; 2]) -> [f64; 2] {
        match self.reward {
            Reward::Game => game,
            // A playout that was cut is a draw in any game.
            Reward::Result => {
                let first = f64::from(i8::from(game[0] > game[1]) - i8::from(game[0] < game[1]));
                [first, -first]
            }
        }
    }
}

impl<G: Game, E: Evaluator<G>> Evaluator<G> for Rewarded<E> {
    type Prior = E::Prior;

    #[inline]
    fn evaluate(&mut self, leaf: &mut Leaf<G, E::Prior>, rng: &mut Rng) {
        self.evaluator.evaluate(leaf, rng);
        leaf.points = self.of(leaf.points);
    }

    fn evaluate_all(&mut self, leaves: &mut [Leaf<G, E::Prior>], rng: &mut Rng) {
        self.evaluator.evaluate_all(leaves, rng);
        for leaf in leaves {
            leaf.points = self.of(leaf.points);
        }
    }

    #[inline]
    fn end(&mut self, position: &G, rng: &mut Rng) -> [f64; 2] {
        let points = self.evaluator.end(position, rng);
        self.of(points)
    }

    #[inline(always)]
    fn settles(&self, position: &G) -> bool {
        self.evaluator.settles(position)
    }

    fn mean(&self, position: &G) -> [f64; 2] {
        self.of(self.evaluator.mean(position))
    }
}

#[cfg(test)]
mod tests {
    use games::{GameSpec, Moves as _, Seed, Turn, Visitor, below};

    use super::*;
    use crate::mcts::UniformPlayout;

    /// The result of a game that is over, by its points.
    fn result<G: Game>(end: &G) -> [f64; 2] {
        let [first, _] = end.points();
        [2.0 * first - 1.0, 1.0 - 2.0 * first]
    }

    /// Values leaves of random games; gives how often the first won, neither did, and the second won.
    struct Values;

    impl Visitor for Values {
        type Output = [u32; 3];

        fn visit<G: Game>(self, start: G) -> [u32; 3] {
            let mut by_result = Rewarded::new(UniformPlayout, Reward::Result);
            let mut by_game = Rewarded::new(UniformPlayout, Reward::Game);
            let mut counts = [0; 3];
            for index in 0..200 {
                let mut rng = Seed::derive(3, 0, index, "rewards").rng();
                let mut position = start.clone();
                for _ in 0..index % 20 {
                    let moves = position.moves();
                    match position.turn() {
                        Turn::Over => break,
                        Turn::Chance => position.play(position.chance(&mut rng)),
                        Turn::Player(_) => position.play(moves.get(below(&mut rng, moves.len() as u32) as usize)),
                    }
                }
                let leaf = Leaf { position, points: [0.0; 2], priors: Vec::new() };
                let mut leaves = [leaf.clone(), leaf.clone(), leaf];
                by_game.evaluate(&mut leaves[0], &mut rng.clone());
                by_result.evaluate(&mut leaves[1], &mut rng.clone());
                by_result.evaluate_all(&mut leaves[2..], &mut rng);
                let end = &leaves[1].position;
                if end.turn() == Turn::Over {
                    assert_eq!(leaves[0].points, end.reward());
                    assert_eq!(leaves[1].points, result(end));
                    assert_eq!(by_result.end(end, &mut rng), result(end));
                    assert_eq!([by_result.mean(end), by_game.mean(end)], [result(end), end.reward()]);
                } else {
                    assert_eq!([leaves[0].points, leaves[1].points], [[0.5; 2], [0.0; 2]], "a cut is a draw");
                }
                assert_eq!(leaves[2].points, leaves[1].points);
                counts[(1.0 - leaves[1].points[0]) as usize] += 1;
            }
            counts
        }
    }

    #[test]
    fn results_are_those_of_the_games_points() {
        let counts = |game: &str| games::visit(&game.parse::<GameSpec>().expect("a spec"), Values);
        // Points, a difference of scores, a result.
        for game in ["reversi", "carcassonne", "carcassonne:reward=result"] {
            let counts = counts(game);
            assert!(counts.iter().all(|&count| count > 0), "{game}: {counts:?}");
        }
        let [_, drawn, _] = counts("checkers:playout-plies=60");
        assert!(drawn > 150, "{drawn} playouts were cut");
    }
}
