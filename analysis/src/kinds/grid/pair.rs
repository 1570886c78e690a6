//! What the games of a pair gave.

use super::{games::Game, turns::Turns};
use crate::{
    kinds::own::OwnFigures,
    statistics::{CONFIDENCE, counts::Counts, interval, moments::Moments},
};

/// What the games of one pair gave; `a` is the first player of the pair, `b` the second.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PairGames {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) games: u64,
    /// Games that a won.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    /// Different games by their moves.
    pub(crate) distinct: u64,
    pub(crate) plies: u64,
    /// Sum of their squares over games.
    pub(crate) plies_squares: u64,
    /// Games with a in the first seat, games with b there.
    pub(crate) seats: [SeatGames; 2],
    /// a's points in whole units, counted in halves: 0 to 4.
    pub(crate) unit_half_points: Counts,
    /// a's margin summed over the two games of whole units.
    pub(crate) unit_margins: Counts,
    /// What a and b spent.
    pub(crate) cost: [Cost; 2],
    /// The same decision by decision, if the grid's rows have it.
    pub(crate) turns: [Turns; 2],
}

/// The games with one of a pair's players in the first seat.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SeatGames {
    /// Games that the first seat won.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    /// Margins of the first seat.
    pub(crate) margins: Counts,
    /// Figures of the game's own columns.
    pub(crate) own: OwnFigures,
}

/// The names of the seats, in their order.
pub(crate) const SEATS: [&str; 2] = ["first", "second"];

/// A player of a pair in one of the seats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) player: &'a str,
    pub(crate) opponent: &'a str,
    /// 0 or 1.
    pub(crate) seat: usize,
    /// The games in which the player has it.
    pub(crate) games: &'a SeatGames,
}

impl<'a> Side<'a> {
    /// The pair's first player if `is_a`, else its second, in that seat.
    pub(crate) fn of(pair: &'a PairGames, is_a: bool, seat: usize) -> Self {
        let (player, opponent) = if is_a { (&pair.a, &pair.b) } else { (&pair.b, &pair.a) };
        Side { player, opponent, seat, games: &pair.seats[usize::from(is_a != (seat == 0))] }
    }

    /// Games that it won.
    pub(crate) fn wins(&self) -> u64 {
        let SeatGames { wins, draws, .. } = self.games;
        if self.seat == 0 { *wins } else { self.games.games() - wins - draws }
    }

    /// Its margins.
    pub(crate) fn margins(&self) -> Moments {
        let of_first = self.games.margins.moments();
        if self.seat == 0 { of_first } else { of_first.scaled(-1.0) }
    }
}

/// What a player's decisions took in all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    pub(crate) decisions: u64,
    pub(crate) iterations: u64,
    pub(crate) us: u64,
}

impl Cost {
    /// What all of them took.
    pub(crate) fn sum<'a>(of: impl IntoIterator<Item = &'a Cost>) -> Self {
        let mut sum = Cost::default();
        for Cost { decisions, iterations, us } in of {
            sum.decisions += decisions;
            sum.iterations += iterations;
            sum.us += us;
        }
        sum
    }

    /// Mean of `total` a decision.
    pub(crate) fn per_decision(&self, total: u64) -> Option<f64> {
        (self.decisions > 0).then(|| total as f64 / self.decisions as f64)
    }
}

impl SeatGames {
    pub(crate) fn games(&self) -> u64 {
        self.margins.total()
    }

    /// Points of the first seat.
    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }
}

impl PairGames {
    /// Adds a game, but for its unit.
    pub(super) fn add(&mut self, game: &Game) {
        let (win, draw) = (game.first_half_points == 2, game.first_half_points == 1);
        let a_won = if game.swapped { !win && !draw } else { win };
        self.games += 1;
        self.wins += u64::from(a_won);
        self.draws += u64::from(draw);
        self.plies += game.plies;
        self.plies_squares += game.plies * game.plies;
        let seat = &mut self.seats[usize::from(game.swapped)];
        seat.wins += u64::from(win);
        seat.draws += u64::from(draw);
        seat.margins.add(game.first_margin, 1);
        for (player, cost) in self.cost.iter_mut().enumerate() {
            cost.decisions += game.decisions[player];
            cost.iterations += game.iterations[player];
            cost.us += game.us[player];
        }
    }

    /// a's points.
    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// a's share of the points over whole units: mean and spread.
    pub(crate) fn units(&self) -> Moments {
        self.unit_half_points.moments().scaled(0.25)
    }

    /// a's share of the points.
    pub(crate) fn share(&self) -> f64 {
        self.points() / self.games as f64
    }

    /// Interval of the share over whole units; without one, Wilson's over games.
    pub(crate) fn share_interval(&self) -> Option<(f64, f64)> {
        self.units_interval().or_else(|| interval::wilson(self.points(), self.games, CONFIDENCE))
    }

    /// Interval of the share over whole units.
    pub(crate) fn units_interval(&self) -> Option<(f64, f64)> {
        let units = self.units();
        // Where seats are kept a unit is a game.
        let games = if self.games >= 2 * units.n { 2 } else { 1 };
        interval::of_units(&units, games, CONFIDENCE)
    }

    /// a's margin over games: its game score minus b's.
    pub(crate) fn margin(&self) -> Moments {
        self.seats[0].margins.clone().with(&self.seats[1].margins.negated()).moments()
    }
}
