//! Playouts of the optimiser's best moves with discounted evaluations, and random ones (Richoux 2024, section III, equation 1).

use games::{Game, Moves as _, Rng, Seat, Turn, below, unit};

use crate::{
    mcts::{Evaluator, Leaf},
    one_ply::{OnePly, of_evaluation, of_points},
};

/// How playouts move and what they are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// The optimiser's best, at most so many; the mean of discounted evaluations and of the result.
    Best {
        /// k, at least 1.
        most: usize,
    },
    /// Random moves to the end; the result.
    Random,
    /// Random moves to the end; the mean of discounted evaluations and of the result.
    RandomEvaluated,
}

/// Which side a playout that ends counts as won for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FinalSign {
    /// The side whose evaluations it sums up.
    Own,
    /// The second seat, whichever side's evaluations are summed up: the sign of the paper's program.
    SecondSeat,
}

/// Values leaves from -1 to 1 for the side to move there, and the negative for the other.
#[derive(Debug)]
pub(super) struct Discounted {
    moves: Moves,
    discount: f64,
    sign: FinalSign,
    optimiser: OnePly,
}

impl Discounted {
    pub(super) fn new(moves: Moves, discount: f64, sign: FinalSign, optimiser: OnePly) -> Self {
        Discounted { moves, discount, sign, optimiser }
    }

    /// The result of a finished game for `side`, with the sign of playouts.
    fn result<G: Game>(&self, position: &G, side: Seat) -> f64 {
        let points = position.points();
        match self.sign {
            FinalSign::Own => of_points(points[side]),
            FinalSign::SecondSeat => -of_points(points[0]),
        }
    }

    /// Value of a playout for `side`.
    fn play<G: Game>(&mut self, position: &mut G, side: Seat, rng: &mut Rng) -> f64 {
        if self.moves == Moves::Random {
            position.playout(rng);
            // A playout that its cap ends is a draw.
            return if position.turn() == Turn::Over { self.result(position, side) } else { 0.0 };
        }
        let scale = position.evaluation_scale();
        let most = if let Moves::Best { most } = self.moves { most } else { usize::MAX };
        let (mut sum, mut weight, mut count) = (0.0, 1.0, 0);
        for ply in 0.. {
            let moves = position.moves();
            if moves.is_empty() {
                sum += weight * self.result(position, side);
                break;
            }
            let chosen = if position.mover() == Turn::Chance {
                position.chance(rng)
            } else {
                // What the last move has led to, after nature's moves.
                if count > 0 {
                    sum += weight * of_evaluation(position.evaluate(side), scale);
                    weight *= self.discount;
                }
                if count == most || ply >= position.playout_plies_max() {
                    break;
                }
                count += 1;
                moves.get(match self.moves {
                    Moves::Best { .. } => self.optimiser.best(position, rng),
                    _ => drawn(position, &moves, rng),
                })
            };
            position.play(chosen);
        }
        sum / count.max(1) as f64
    }
}

/// A move drawn by the game's weights, by its place.
fn drawn<G: Game>(position: &G, moves: &G::Moves, rng: &mut Rng) -> usize {
    let weights = || (0..moves.len()).map(|place| position.weight(moves.get(place)));
    let sum: f64 = weights().sum();
    if sum == moves.len() as f64 {
        return below(rng, moves.len() as u32) as usize;
    }
    let mut left = unit(rng) * sum;
    let passed = weights().position(|weight| {
        left -= weight;
        left < 0.0
    });
    // Rounding may leave a rest behind the last.
    passed.unwrap_or(moves.len() - 1)
}

impl<G: Game> Evaluator<G> for Discounted {
    type Prior = ();

    fn evaluate(&mut self, leaf: &mut Leaf<G, ()>, rng: &mut Rng) {
        leaf.points = match leaf.position.turn() {
            Turn::Over => self.end(&leaf.position, rng),
            Turn::Player(side) => {
                let value = self.play(&mut leaf.position, side, rng);
                if side == 0 { [value, -value] } else { [-value, value] }
            }
            Turn::Chance => unreachable!("a leaf is a position where a player moves"),
        };
    }

    fn end(&mut self, position: &G, _: &mut Rng) -> [f64; 2] {
        let value = of_points(position.points()[0]);
        [value, -value]
    }
}

#[cfg(test)]
mod tests {
    use games::{Seed, reversi::Reversi, toys::Wild};

    use super::*;
    use crate::one_ply::Ends;

    const DISCOUNT: f64 = 0.9;

    fn playouts(moves: Moves, sign: FinalSign) -> Discounted {
        Discounted::new(moves, DISCOUNT, sign, OnePly::new(Ends::Result))
    }

    /// A leaf without a value.
    fn leaf<G: Game>(position: &G) -> Leaf<G, ()> {
        Leaf { position: position.clone(), points: [0.0; 2], priors: Vec::new() }
    }

    /// Positions of random games where a player moves.
    fn positions<G: Game>(start: impl Fn(u64) -> G, games: u64, mut see: impl FnMut(&G, Seat, &mut Rng)) {
        for game in 0..games {
            let mut rng = Seed::derive(3, 0, game, "positions").rng();
            let mut position = start(game);
            loop {
                let moves = position.moves();
                match position.turn() {
                    Turn::Over => break,
                    Turn::Chance => {}
                    Turn::Player(seat) => see(&position, seat, &mut rng),
                }
                position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            }
        }
    }

    /// The best successor's position, by the definition, if there is one best move.
    fn best(position: &Reversi, seat: Seat) -> Option<Reversi> {
        let moves = position.moves();
        let after = (0..moves.len()).map(|place| {
            let mut after = *position;
            after.play(moves.get(place));
            let discs = after.score_difference() as f64 * if seat == 0 { 1.0 } else { -1.0 };
            let value = match after.turn() {
                Turn::Over => discs.partial_cmp(&0.0).map_or(0.0, |order| f64::from(order as i8)),
                _ => discs / 64.0,
            };
            (value, after)
        });
        let after: Vec<(f64, Reversi)> = after.collect();
        let top = after.iter().map(|after| after.0).fold(f64::NEG_INFINITY, f64::max);
        let mut best = after.into_iter().filter(|after| after.0 == top).map(|after| after.1);
        best.next().filter(|_| best.next().is_none())
    }

    /// `(f(1) + d f(2) + ... + d^(n-1) f(n)) / n` by the positions that the best moves lead to, where there are no ties.
    #[test]
    fn best_moves_are_worth_the_mean_of_their_discounted_evaluations() {
        let (mut compared, mut ended) = (0, 0);
        positions(
            |_| Reversi::new(),
            60,
            |position, seat, rng| {
                let most = 6;
                let mut terms = Vec::new();
                let mut at = *position;
                while terms.len() < most {
                    let Turn::Player(mover) = at.turn() else { break };
                    let Some(after) = best(&at, mover) else { return };
                    at = after;
                    let discs = at.score_difference() as f64 * if seat == 0 { 1.0 } else { -1.0 };
                    let over = at.turn() == Turn::Over;
                    terms.push(if over {
                        discs.partial_cmp(&0.0).map_or(0.0, |o| f64::from(o as i8))
                    } else {
                        discs / 64.0
                    });
                }
                ended += u32::from(at.turn() == Turn::Over);
                let weighted = terms.iter().enumerate().map(|(i, term)| libm::pow(DISCOUNT, i as f64) * term);
                let truth = weighted.sum::<f64>() / terms.len() as f64;
                let mut leaf = leaf(position);
                playouts(Moves::Best { most }, FinalSign::Own).evaluate(&mut leaf, rng);
                assert!((leaf.points[seat] - truth).abs() < 1e-12, "{} for {truth}", leaf.points[seat]);
                assert_eq!(leaf.points[0], -leaf.points[1]);
                compared += 1;
            },
        );
        assert!(compared > 200 && ended > 30, "{compared} compared, {ended} to their end");
    }

    /// A random playout is a win, a draw or a loss; with the program's sign the first seat's win counts against whichever side
    /// the playout is for.
    #[test]
    fn random_playouts_are_results_and_their_sign_may_be_the_second_seat_s() {
        let mut seen = [0; 3];
        positions(
            |_| Reversi::new(),
            20,
            |position, seat, rng| {
                let value = |sign| {
                    let mut leaf = leaf(position);
                    playouts(Moves::Random, sign).evaluate(&mut leaf, &mut rng.clone());
                    leaf.points
                };
                let own = value(FinalSign::Own);
                seen[(own[0] + 1.0) as usize] += 1;
                let wrong = if seat == 0 { own.map(|points| -points) } else { own };
                assert_eq!(value(FinalSign::SecondSeat), wrong);
            },
        );
        assert!(seen[0] > 50 && seen[2] > 50, "{seen:?}");
    }

    /// In games with nature, too, values are between -1 and 1 and those of two seats cancel out.
    #[test]
    fn values_are_bounded() {
        for moves in [Moves::Best { most: 3 }, Moves::Random, Moves::RandomEvaluated] {
            positions(
                |seed| Wild::new(seed, 2),
                200,
                |position, _, rng| {
                    let mut leaf = leaf(position);
                    playouts(moves, FinalSign::Own).evaluate(&mut leaf, rng);
                    assert!(leaf.points[0].abs() <= 1.0 && leaf.points[0] == -leaf.points[1], "{:?}", leaf.points);
                },
            );
        }
    }
}
