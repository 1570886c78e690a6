//! Expectimax over any game: its values, with or without what Star1 and Star2 leave out (Ballard 1983; Hauk, Buro and
//! Schaeffer 2004).

use games::{Game, Moves as _, Seat, Turn};

use crate::effort::{Effort, Spent};

/// What a position is worth where the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafValue {
    /// [`Game::score_difference`]
    Score,
    /// [`Game::score_if_ended`]
    Virtual,
}

/// What is left out because it cannot change a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pruning {
    /// Nothing.
    Nothing,
    /// Alpha-beta, and outcomes of nature that cannot bring a value back into the window, by the bounds that the game gives.
    Star1,
    /// The same; and one move behind each of nature's outcomes is valued first, which bounds what that outcome is worth.
    Star2,
}

/// Values this close, as a share of the greater one or of 1, are equal: they differ by the order in which nature's
/// outcomes were summed up. What is pruned is farther than that from every value that counts.
const ROUNDING: f64 = 1e-9;

/// The distance within which values are taken for `value`.
pub(crate) fn rounding(value: f64) -> f64 {
    ROUNDING * value.abs().max(1.0)
}

/// A search within one decision. Values are those of the seat that decides.
pub(crate) struct Expectimax {
    pub(crate) leaf: LeafValue,
    pub(crate) pruning: Pruning,
    pub(crate) effort: Effort,
    seat: Seat,
    /// Whether a search ended at a position where the game goes on, so that a deeper one may differ.
    pub(crate) is_cut: bool,
}

/// An outcome of nature.
struct Outcome<G> {
    probability: f64,
    position: G,
    /// Bounds of its value.
    low: f64,
    high: f64,
}

impl Expectimax {
    /// A search for `seat` with nothing found yet.
    pub(crate) fn new(leaf: LeafValue, pruning: Pruning, effort: Effort, seat: Seat) -> Self {
        Expectimax { leaf, pruning, effort, seat, is_cut: false }
    }

    /// Value of each move of `position`, where the seat decides, by a search of `depth` decisions, in the order of
    /// `moves`. Values are exact for the best and for all that equal it but for rounding; others may be too high, but are
    /// below.
    ///
    /// # Errors
    /// The budget is spent.
    pub(crate) fn root<G: Game>(&mut self, position: &G, moves: &[G::Move], depth: u32) -> Result<Vec<f64>, Spent> {
        let mut values = vec![f64::NEG_INFINITY; moves.len()];
        let mut best = f64::NEG_INFINITY;
        let prunes = self.pruning != Pruning::Nothing;
        for index in self.order(position, moves, depth) {
            // Values that equal the best one must come out as they are: the window begins below them.
            let alpha = if prunes { best - 2.0 * rounding(best) } else { f64::NEG_INFINITY };
            let value = self.value(&behind(position, moves[index]), depth - 1, alpha, f64::INFINITY)?;
            values[index] = value;
            best = best.max(value);
        }
        Ok(values)
    }

    /// Places of the moves in the order in which they are searched: where there is pruning, those first whose positions
    /// look best to who decides.
    fn order<G: Game>(&self, position: &G, moves: &[G::Move], depth: u32) -> Vec<usize> {
        let mut order: Vec<usize> = (0..moves.len()).collect();
        if self.pruning != Pruning::Nothing && depth > 1 {
            let sign = if position.mover() == Turn::Player(self.seat) { -1.0 } else { 1.0 };
            let keys: Vec<f64> = moves.iter().map(|&chosen| sign * self.leaf(&behind(position, chosen))).collect();
            // Stable: equal ones stay in the game's order.
            order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        }
        order
    }

    /// Value of a position with `depth` decisions left: exact between alpha and beta, else a bound on that side (fail-soft).
    fn value<G: Game>(&mut self, position: &G, depth: u32, alpha: f64, beta: f64) -> Result<f64, Spent> {
        self.effort.node()?;
        if depth == 0 {
            self.is_cut = self.is_cut || position.turn() != Turn::Over;
            return Ok(self.leaf(position));
        }
        let moves = position.moves();
        if moves.is_empty() {
            return Ok(self.leaf(position));
        }
        match position.mover() {
            Turn::Chance => self.chance(position, &moves, depth, alpha, beta),
            mover => self.decision(position, &moves, depth, mover == Turn::Player(self.seat), alpha, beta),
        }
    }

    /// Value of a position where a player decides: the greatest of its moves for the seat itself, the least for another.
    fn decision<G: Game>(
        &mut self,
        position: &G,
        moves: &G::Moves,
        depth: u32,
        own: bool,
        alpha: f64,
        beta: f64,
    ) -> Result<f64, Spent> {
        let prunes = self.pruning != Pruning::Nothing;
        let moves: Vec<G::Move> = (0..moves.len()).map(|index| moves.get(index)).collect();
        let (mut alpha, mut beta) = (alpha, beta);
        let mut best = if own { f64::NEG_INFINITY } else { f64::INFINITY };
        for index in self.order(position, &moves, depth) {
            let value = self.value(&behind(position, moves[index]), depth - 1, alpha, beta)?;
            best = if own { best.max(value) } else { best.min(value) };
            if prunes {
                if own {
                    alpha = alpha.max(value);
                } else {
                    beta = beta.min(value);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Value of a position where nature moves: the mean of its outcomes by their probabilities.
    fn chance<G: Game>(
        &mut self,
        position: &G,
        moves: &G::Moves,
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> Result<f64, Spent> {
        let mut outcomes = self.outcomes(position, moves);
        if self.pruning == Pruning::Star2
            && let Some(bound) = self.probe(&mut outcomes, depth, alpha, beta)?
        {
            return Ok(bound);
        }
        let mut sum = 0.0;
        for (place, Outcome { probability, position, low, high }) in outcomes.iter().enumerate() {
            let others = Share::of(&outcomes[place + 1..]).plus(sum);
            let (alpha, beta) = others.window(*probability, alpha, beta);
            let value = match () {
                () if *high <= alpha => *high,
                () if *low >= beta => *low,
                () => self.value(position, depth, alpha, beta)?,
            };
            if value <= alpha {
                return Ok(others.high + probability * value);
            }
            if value >= beta {
                return Ok(others.low + probability * value);
            }
            sum += probability * value;
        }
        Ok(sum)
    }

    /// Nature's possible outcomes, in the game's order. Those after which it draws once more ([`Game::is_redrawn`]) are left
    /// out; if there are no others, one of them stands for all.
    fn outcomes<G: Game>(&self, position: &G, moves: &G::Moves) -> Vec<Outcome<G>> {
        let mut drawn: Vec<(G::Move, f64)> = (0..moves.len())
            .map(|index| (moves.get(index), position.probability(moves.get(index))))
            .filter(|&(_, probability)| probability > 0.0)
            .collect();
        if drawn.iter().any(|&(drawn, _)| position.is_redrawn(drawn)) {
            let kept: Vec<_> = drawn.iter().copied().filter(|&(drawn, _)| !position.is_redrawn(drawn)).collect();
            if kept.is_empty() {
                drawn.truncate(1);
            } else {
                drawn = kept;
            }
            let sum: f64 = drawn.iter().map(|&(_, probability)| probability).sum();
            drawn.iter_mut().for_each(|(_, probability)| *probability /= sum);
        }
        let outcome = |(drawn, probability)| {
            let position = behind(position, drawn);
            let (low, high) = if self.pruning == Pruning::Nothing { UNBOUNDED } else { self.bounds(&position) };
            Outcome { probability, position, low, high }
        };
        drawn.into_iter().map(outcome).collect()
    }

    /// Values one move behind each outcome and tightens the outcome's bounds by it: where the seat itself decides the outcome
    /// is worth that at least, where another does at most. Gives a bound of the mean if it lies outside of the window.
    fn probe<G: Game>(
        &mut self,
        outcomes: &mut [Outcome<G>],
        depth: u32,
        alpha: f64,
        beta: f64,
    ) -> Result<Option<f64>, Spent> {
        for probed in 0..outcomes.len() {
            if let Some(bound) = Share::of(outcomes).outside(alpha, beta) {
                return Ok(Some(bound));
            }
            let outcome = &outcomes[probed];
            let moves = outcome.position.moves();
            let Turn::Player(mover) = outcome.position.mover() else { continue };
            if moves.is_empty() {
                continue;
            }
            let others = Share::of(&outcomes[..probed]).and(Share::of(&outcomes[probed + 1..]));
            let (below, above) = others.window(outcome.probability, alpha, beta);
            let child = behind(&outcome.position, moves.get(0));
            let (low, high) = (outcome.low, outcome.high);
            // A value that tightens nothing need not be exact.
            if mover == self.seat {
                outcomes[probed].low = low.max(self.value(&child, depth - 1, low, above)?);
            } else {
                outcomes[probed].high = high.min(self.value(&child, depth - 1, below, high)?);
            }
        }
        Ok(Share::of(outcomes).outside(alpha, beta))
    }

    /// Value of a position where the search ends.
    fn leaf<G: Game>(&self, position: &G) -> f64 {
        let score = match self.leaf {
            LeafValue::Score => position.score_difference(),
            LeafValue::Virtual => position.score_if_ended().unwrap_or_default(),
        };
        (if self.seat == 0 { score } else { -score }) as f64
    }

    /// Bounds of the leaves below a position; infinite where the game gives none.
    fn bounds<G: Game>(&self, position: &G) -> (f64, f64) {
        position.score_bounds().map_or(UNBOUNDED, |(least, greatest)| {
            let (low, high) = if self.seat == 0 { (least, greatest) } else { (-greatest, -least) };
            (low as f64, high as f64)
        })
    }
}

/// No bounds.
const UNBOUNDED: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// The position behind a move.
fn behind<G: Game>(position: &G, chosen: G::Move) -> G {
    let mut behind = position.clone();
    behind.play(chosen);
    behind
}

/// Bounds of what some outcomes add to the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    low: f64,
    high: f64,
}

impl Share {
    fn of<G>(outcomes: &[Outcome<G>]) -> Self {
        let sum = |bound: fn(&Outcome<G>) -> f64| outcomes.iter().map(|o| o.probability * bound(o)).sum();
        Share { low: sum(|outcome| outcome.low), high: sum(|outcome| outcome.high) }
    }

    /// With others.
    fn and(self, other: Share) -> Self {
        Share { low: self.low + other.low, high: self.high + other.high }
    }

    /// With others whose values are known.
    fn plus(self, known: f64) -> Self {
        self.and(Share { low: known, high: known })
    }

    /// A bound of what they add that lies outside of the window from alpha to beta, by more than sums are rounded.
    fn outside(self, alpha: f64, beta: f64) -> Option<f64> {
        let Share { low, high } = self;
        match () {
            () if low - rounding(low) >= beta => Some(low),
            () if high + rounding(high) <= alpha => Some(high),
            () => None,
        }
    }

    /// The window for a further outcome of this probability, where the mean of all has the window from alpha to beta: a value
    /// outside of it takes the mean out of its window by more than sums are rounded, whatever these others are worth.
    fn window(self, probability: f64, alpha: f64, beta: f64) -> (f64, f64) {
        let below = alpha - self.high - rounding(alpha).max(rounding(self.high));
        let above = beta - self.low + rounding(beta).max(rounding(self.low));
        (below / probability, above / probability)
    }
}

#[cfg(test)]
mod tests {
    use games::{
        GameSpec, Seed, Visitor, below,
        toys::{Race, Wild},
    };

    use super::*;
    use crate::budget::Budget;

    /// Value for `seat` by the definition.
    fn plain<G: Game>(position: &G, depth: u32, seat: Seat, leaf: LeafValue) -> f64 {
        let moves = position.moves();
        let child = |index| {
            let mut child = position.clone();
            child.play(moves.get(index));
            child
        };
        if depth == 0 || moves.is_empty() {
            let score = match leaf {
                LeafValue::Score => position.score_difference(),
                LeafValue::Virtual => position.score_if_ended().expect("a score as of an end"),
            };
            return if seat == 0 { score as f64 } else { -score as f64 };
        }
        match position.mover() {
            Turn::Chance => {
                let term = |i| position.probability(moves.get(i)) * plain(&child(i), depth, seat, leaf);
                (0..moves.len()).map(term).sum()
            }
            Turn::Player(mover) => {
                let values = (0..moves.len()).map(|index| plain(&child(index), depth - 1, seat, leaf));
                if mover == seat {
                    values.fold(f64::NEG_INFINITY, f64::max)
                } else {
                    values.fold(f64::INFINITY, f64::min)
                }
            }
            Turn::Over => unreachable!("a finished game has no moves"),
        }
    }

    /// Compared decisions, and positions looked at by each pruning.
    #[derive(Default)]
    struct Compared {
        decisions: u64,
        nodes: [u64; 3],
        /// Whether the plain search sums up what the others leave out.
        sums_otherwise: bool,
    }

    impl Compared {
        /// Compares all searches at every decision of random games from `start`.
        fn games<G: Game>(&mut self, start: &G, games: u64, depths: std::ops::RangeInclusive<u32>) {
            for game in 0..games {
                let mut rng = Seed::derive(7, 0, game, "positions").rng();
                let mut position = start.clone();
                loop {
                    let moves = position.moves();
                    let chosen = match position.turn() {
                        Turn::Over => break,
                        Turn::Chance => position.chance(&mut rng),
                        Turn::Player(seat) => {
                            depths.clone().for_each(|depth| self.position(&position, depth, seat));
                            moves.get(below(&mut rng, moves.len() as u32) as usize)
                        }
                    };
                    position.play(chosen);
                }
            }
        }

        fn position<G: Game>(&mut self, position: &G, depth: u32, seat: Seat) {
            let moves = position.moves();
            let moves: Vec<G::Move> = (0..moves.len()).map(|index| moves.get(index)).collect();
            for leaf in [LeafValue::Score, LeafValue::Virtual] {
                let truth: Vec<f64> =
                    moves.iter().map(|&chosen| plain(&behind(position, chosen), depth - 1, seat, leaf)).collect();
                let best = truth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                for (place, pruning) in [Pruning::Nothing, Pruning::Star1, Pruning::Star2].into_iter().enumerate() {
                    let effort = Effort::new(Budget::Depth(depth));
                    let mut search = Expectimax::new(leaf, pruning, effort, seat);
                    let found = search.root(position, &moves, depth).expect("a depth is never spent");
                    let at = format!("{pruning:?} of {leaf:?}, {depth} deep, at {}", position.position_text());
                    for (&found, &truth) in found.iter().zip(&truth) {
                        let is_best = truth >= best - rounding(best);
                        if pruning == Pruning::Nothing || is_best {
                            let far = if self.sums_otherwise { rounding(truth) } else { 0.0 };
                            assert!((found - truth).abs() <= far, "{at}: {found}, not {truth}");
                        } else {
                            let is_bound = truth <= found + rounding(truth) && found < best - rounding(best);
                            assert!(is_bound, "{at}: {found} for {truth}");
                        }
                    }
                    self.nodes[place] += search.effort.nodes();
                }
                self.decisions += 1;
            }
        }
    }

    #[test]
    fn values_are_those_of_plain_expectimax() {
        let mut compared = Compared::default();
        for seed in 0..200 {
            for players in [1, 2] {
                compared.games(&Wild::new(seed, players), 3, 1..=4);
            }
        }
        for race in [Race::new(9), Race::new(5).alone()] {
            compared.games(&race, 10, 1..=4);
        }
        // With few moves the one that Star2 tries first is expensive.
        let Compared { decisions, nodes: [all, star1, _], .. } = compared;
        assert!(decisions > 10_000, "{decisions} decisions");
        assert!(star1 < all, "{all} positions, {star1} with pruning");
    }

    /// Tiles of Carcassonne that fit nowhere: which of them are put aside, and in which order, changes no value two deep as
    /// long as the next tile is not the last.
    #[test]
    fn what_nature_puts_aside_changes_no_value() {
        let start: GameSpec = "carcassonne:variant=3s".parse().expect("a game");
        games::visit(&start, PutAside);
    }

    struct PutAside;

    impl Visitor for PutAside {
        type Output = ();

        /// Plays random games until some of their last decisions lead to tiles that fit nowhere.
        fn visit<G: Game>(self, start: G) {
            let mut compared = Compared { sums_otherwise: true, ..Compared::default() };
            // Nature's draws there, and how many of them are put aside.
            let draws = |position: &G| {
                let drawn = position.moves();
                let aside = (0..drawn.len()).filter(|&index| position.is_redrawn(drawn.get(index))).count();
                (drawn.len(), aside)
            };
            let mut rng = Seed::derive(8, 0, 0, "positions").rng();
            while compared.decisions < 30 {
                let mut position = start.clone();
                let mut decisions = 0;
                loop {
                    let moves = position.moves();
                    let chosen = match position.turn() {
                        Turn::Over => break,
                        Turn::Chance => position.chance(&mut rng),
                        Turn::Player(seat) => {
                            decisions += 1;
                            let all = (0..moves.len()).map(|index| behind(&position, moves.get(index)));
                            let after: Vec<_> =
                                all.filter(|after| after.turn() == Turn::Chance).map(|p| draws(&p)).collect();
                            // Of 23 tiles at most five are left, or the plain search would not end.
                            if decisions >= 18
                                && after.iter().any(|&(_, aside)| aside > 0)
                                && after.iter().all(|&(all, aside)| all - aside != 1)
                            {
                                compared.position(&position, 2, seat);
                            }
                            moves.get(below(&mut rng, moves.len() as u32) as usize)
                        }
                    };
                    position.play(chosen);
                }
            }
        }
    }
}
