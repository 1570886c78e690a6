//! Alpha-beta over any game for two without chance (Knuth and Moore 1975): the value is the one of plain minimax,
//! whatever is pruned, ordered or remembered.

use games::{Game, Moves as _, Seat, Turn};

use super::table::{Bound, Entry, Table};
use crate::{
    budget::Budget,
    effort::{Effort, Spent},
};

/// What ends of the game are worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ends {
    /// To the winner; the loser has its negative, and a draw is 0.
    pub(crate) win: f64,
    /// What an end is worth less for each ply that it is away: sooner is better.
    pub(crate) ply: f64,
}

/// Moves remembered at each ply because they refuted another position there.
const KILLERS: usize = 2;

/// A search and what it remembers within one decision.
pub(crate) struct AlphaBeta<G: Game> {
    pub(crate) ends: Ends,
    /// All plies are moves of the side at the root (the defect of the Checkers project's minimax).
    pub(crate) same_side: bool,
    pub(crate) table: Option<Table<G>>,
    /// Whether moves are tried in an order that is likely to prune; else in the game's own.
    pub(crate) orders: bool,
    effort: Effort,
    /// Who moves at the root.
    root: Seat,
    killers: Vec<[Option<G::Move>; KILLERS]>,
}

impl<G: Game> AlphaBeta<G> {
    pub(crate) fn new(ends: Ends, same_side: bool, table: Option<Table<G>>, orders: bool) -> Self {
        let effort = Effort::new(Budget::Depth(0));
        AlphaBeta { ends, same_side, table, orders, effort, root: 0, killers: Vec::new() }
    }

    /// Begins a decision.
    pub(crate) fn start(&mut self, effort: Effort) {
        self.effort = effort;
        self.killers.clear();
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    /// Positions looked at since the start of the decision.
    pub(crate) fn nodes(&self) -> u64 {
        self.effort.nodes()
    }

    /// Value of each move of `position`, `depth` plies deep, for the side to move, in the order of `moves`. Values
    /// are exact for the best and for all that equal it; others may be too high, but are below.
    pub(crate) fn root(&mut self, position: &G, moves: &[G::Move], depth: u32, seat: Seat) -> Result<Vec<f64>, Spent> {
        self.root = seat;
        let mut values = Vec::with_capacity(moves.len());
        let mut best = f64::NEG_INFINITY;
        for &chosen in moves {
            let mut child = position.clone();
            child.play(chosen);
            // A value that equals the best one must come out as it is: the window begins just below.
            let value = self.child(&child, depth - 1, 1, best.next_down(), f64::INFINITY, seat)?;
            best = best.max(value);
            values.push(value);
        }
        Ok(values)
    }

    /// Value of a child for `seat`, who moved to it.
    fn child(&mut self, child: &G, depth: u32, ply: u32, alpha: f64, beta: f64, seat: Seat) -> Result<f64, Spent> {
        if self.same_side {
            return self.alone(child, depth, ply, alpha, beta, seat);
        }
        match child.mover() {
            Turn::Player(mover) if mover != seat => {
                self.search(child, depth, ply, -beta, -alpha, mover).map(|value| -value)
            }
            _ => self.search(child, depth, ply, alpha, beta, seat),
        }
    }

    /// The same as in the Checkers project's program: `seat` moves on, a game that the other side has lost is worth
    /// its evaluation like any other position, and draws are not seen.
    fn alone(&mut self, child: &G, depth: u32, ply: u32, alpha: f64, beta: f64, seat: Seat) -> Result<f64, Spent> {
        let (Some(other), Some(own)) = (child.with_mover(1 - seat), child.with_mover(seat)) else {
            unreachable!("the registry lets only such games be searched so");
        };
        if other.turn() == Turn::Over {
            self.effort.count();
            return Ok(child.evaluate(seat));
        }
        self.search(&own, depth, ply, alpha, beta, seat)
    }

    /// Value of a position for `seat`, who moves there: exact between alpha and beta, else a bound (fail-soft).
    fn search(&mut self, position: &G, depth: u32, ply: u32, alpha: f64, beta: f64, seat: Seat) -> Result<f64, Spent> {
        self.effort.node()?;
        let moves = position.moves();
        if moves.is_empty() {
            return Ok(self.end(position, ply, seat));
        }
        if depth == 0 {
            return Ok(self.leaf(position, seat));
        }
        let known = self.table.as_ref().and_then(|table| table.get(position));
        // A deeper value is another one, and ends of the game count their plies from the root: only what was found at
        // this very place is what a plain search would find.
        if let Some(&Entry { value, bound, .. }) = known.filter(|entry| entry.depth == depth && entry.ply == ply) {
            let decides = match bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if decides {
                return Ok(value);
            }
        }
        let hint = known.map(|entry| entry.best);
        let (mut low, mut best, mut best_move) = (alpha, f64::NEG_INFINITY, None);
        for (chosen, child) in self.ordered(position, &moves, hint, depth, ply, seat) {
            let value = self.child(&child, depth - 1, ply + 1, low, beta, seat)?;
            if value > best {
                (best, best_move) = (value, Some(chosen));
            }
            low = low.max(value);
            if low >= beta {
                self.refuted(ply, chosen);
                break;
            }
        }
        if let (Some(table), Some(chosen)) = (&mut self.table, best_move) {
            let bound = match best {
                best if best >= beta => Bound::Lower,
                best if best <= alpha => Bound::Upper,
                _ => Bound::Exact,
            };
            table.put(Entry { position: position.clone(), depth, ply, value: best, bound, best: chosen });
        }
        Ok(best)
    }

    /// The evaluation of a position for `seat`, always from the root's side: those of two seats need not be negatives.
    fn leaf(&self, position: &G, seat: Seat) -> f64 {
        let value = position.evaluate(self.root);
        // A difference, since the negative of 0 would be another 0.
        if seat == self.root { value } else { 0.0 - value }
    }

    /// What the end of the game at `position` is worth to `seat`.
    fn end(&self, position: &G, ply: u32, seat: Seat) -> f64 {
        (2.0 * position.points()[seat] - 1.0) * (self.ends.win - self.ends.ply * f64::from(ply))
    }

    /// Moves and the positions behind them: the move that was best before, those that refuted another position at this
    /// ply, then by a quick look at what comes of them.
    fn ordered(
        &self,
        position: &G,
        moves: &G::Moves,
        hint: Option<G::Move>,
        depth: u32,
        ply: u32,
        seat: Seat,
    ) -> Vec<(G::Move, G)> {
        let behind = |index: usize| {
            let chosen = moves.get(index);
            let mut child = position.clone();
            child.play(chosen);
            (chosen, child)
        };
        let mut all: Vec<(G::Move, G)> = (0..moves.len()).map(behind).collect();
        if !self.orders {
            return all;
        }
        let killers = self.killers.get(ply as usize).copied().unwrap_or([None; KILLERS]);
        let rank = |(chosen, child): &(G::Move, G)| {
            if hint == Some(*chosen) {
                f64::INFINITY
            } else if killers.contains(&Some(*chosen)) {
                f64::MAX
            } else if depth > 1 {
                child.evaluate(seat)
            } else {
                0.0
            }
        };
        // Stable: equal ones stay in the game's order.
        all.sort_by_cached_key(|pair| Descending(rank(pair)));
        all
    }

    fn refuted(&mut self, ply: u32, chosen: G::Move) {
        let ply = ply as usize;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; KILLERS]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(chosen) {
            *killers = [Some(chosen), killers[0]];
        }
    }
}

/// Orders numbers from the greatest down.
#[derive(PartialEq)]
struct Descending(f64);

impl Eq for Descending {}

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0)
    }
}
