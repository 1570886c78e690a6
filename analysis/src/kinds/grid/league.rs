//! A league of a grid's players, by the rule of the SIEA-MCTS thesis (section 6.3, table 6.5): every ordered pair of
//! players is a match, the first of them always in the first seat.

use super::{Grid, Side};
use crate::statistics::moments::Moments;

/// Points of a match that is won, and of one that is drawn; one that is lost gives none.
const WIN: u64 = 4;
const DRAW: u64 = 2;
/// The winner of a match has a point more if it won this many times the games that it lost, or lost none.
const BONUS_WIN: u64 = 3;
/// The loser has a point if it won a game and lost at most so many for every two that it won.
const BONUS_LOSS_OF_TWO: u64 = 3;

/// How many of something a player has.
type Count = fn(&Points) -> u64;

/// The games of two players with fixed seats.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Match {
    /// Who sits first, and who second.
    pub(crate) players: [String; 2],
    pub(crate) games: u64,
    /// Games that the first won.
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    /// The first's score beyond the second's.
    pub(crate) margin: Moments,
}

/// What a player has of one match or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Points {
    pub(crate) points: u64,
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
    pub(crate) bonus_wins: u64,
    pub(crate) bonus_losses: u64,
}

/// The counts of [`Points`] by the names that papers' figures have.
const COUNTS: [(&str, Count); 6] = [
    ("league-points", |of| of.points),
    ("match-wins", |of| of.wins),
    ("match-draws", |of| of.draws),
    ("match-losses", |of| of.losses),
    ("bonus-wins", |of| of.bonus_wins),
    ("bonus-losses", |of| of.bonus_losses),
];

impl Points {
    /// Of a match in which the player won and lost so many games.
    fn of(won: u64, lost: u64) -> Self {
        if won == lost {
            return Points { points: DRAW, draws: 1, ..Points::default() };
        }
        if won > lost {
            let bonus = u64::from(won >= BONUS_WIN * lost);
            return Points { points: WIN + bonus, wins: 1, bonus_wins: bonus, ..Points::default() };
        }
        let bonus = u64::from(won > 0 && 2 * lost <= BONUS_LOSS_OF_TWO * won);
        Points { points: bonus, losses: 1, bonus_losses: bonus, ..Points::default() }
    }

    fn add(&mut self, other: &Points) {
        self.points += other.points;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.bonus_wins += other.bonus_wins;
        self.bonus_losses += other.bonus_losses;
    }
}

/// A figure, and its variance over the chance of the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    pub(crate) variance: f64,
}

/// A player's place in the league.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) player: String,
    pub(crate) total: Points,
    /// Sum over its matches of its mean score beyond the opponent's.
    pub(crate) margins: Figure,
    /// Games won, drawn and lost of each of its matches.
    played: Vec<[u64; 3]>,
}

impl Standing {
    pub(crate) fn matches(&self) -> u64 {
        self.total.wins + self.total.draws + self.total.losses
    }

    /// A figure by its name: `league-points`, `margins`. The variance of counts is that if the games of each match were
    /// drawn anew, with the shares of outcomes that they had.
    pub(crate) fn figure(&self, name: &str) -> Option<Figure> {
        if name == "margins" {
            return Some(self.margins);
        }
        let (_, count) = COUNTS.iter().find(|(known, _)| *known == name)?;
        let variance = self.played.iter().map(|outcomes| variance(*outcomes, *count)).sum();
        Some(Figure { value: count(&self.total) as f64, variance })
    }

    fn add(&mut self, played: &Match, is_first: bool) {
        let losses = played.games - played.wins - played.draws;
        let (won, lost) = if is_first { (played.wins, losses) } else { (losses, played.wins) };
        self.played.push([won, played.draws, lost]);
        self.total.add(&Points::of(won, lost));
        let margin = played.margin.mean().unwrap_or(0.0);
        self.margins.value += if is_first { margin } else { -margin };
        self.margins.variance += played.margin.error().map_or(0.0, |error| error * error);
    }
}

/// The matches of a grid, in its order: with the first player of a pair in the first seat, then with the second.
pub(crate) fn matches(grid: &Grid) -> Vec<Match> {
    let sides = grid.pairs.iter().flat_map(|pair| [true, false].map(|is_a| Side::of(pair, is_a, 0)));
    let played = sides.filter(|side| side.games.games() > 0);
    let of = |side: Side<'_>| Match {
        players: [side.player, side.opponent].map(str::to_owned),
        games: side.games.games(),
        wins: side.wins(),
        draws: side.games.draws,
        margin: side.margins(),
    };
    played.map(of).collect()
}

/// The players of the matches: by points, then by the sum of their mean margins.
pub(crate) fn standings(matches: &[Match]) -> Vec<Standing> {
    let mut standings: Vec<Standing> = Vec::new();
    for played in matches {
        for (player, is_first) in played.players.iter().zip([true, false]) {
            let place = standings.iter().position(|standing| standing.player == *player).unwrap_or_else(|| {
                let margins = Figure { value: 0.0, variance: 0.0 };
                let (player, total) = (player.clone(), Points::default());
                standings.push(Standing { player, total, margins, played: Vec::new() });
                standings.len() - 1
            });
            standings[place].add(played, is_first);
        }
    }
    let order = |a: &Standing, b: &Standing| {
        b.total.points.cmp(&a.total.points).then(b.margins.value.total_cmp(&a.margins.value))
    };
    standings.sort_by(order);
    standings
}

/// Variance of a count if the games of a match were drawn anew, with the shares of wins, draws and losses that it had.
fn variance(outcomes: [u64; 3], count: Count) -> f64 {
    let games: u64 = outcomes.iter().sum();
    let shares = outcomes.map(|count| count as f64 / games as f64);
    // Counts further from their mean have no weight.
    let likely = |share: f64, most: u64| {
        let (mean, reach) = (share * games as f64, 1.0 + 10.0 * (share * (1.0 - share) * games as f64).sqrt());
        (mean - reach).max(0.0) as u64..=((mean + reach) as u64).min(most)
    };
    let (mut mean, mut squares) = (0.0, 0.0);
    for wins in likely(shares[0], games) {
        for losses in likely(shares[2], games - wins) {
            let chance = multinomial([wins, games - wins - losses, losses], shares);
            let count = count(&Points::of(wins, losses)) as f64;
            mean += chance * count;
            squares += chance * count * count;
        }
    }
    (squares - mean * mean).max(0.0)
}

/// Probability of these counts of outcomes with these shares.
fn multinomial(counts: [u64; 3], shares: [f64; 3]) -> f64 {
    let factorial = |count: u64| libm::lgamma(count as f64 + 1.0);
    let mut log = factorial(counts.iter().sum());
    for (count, share) in counts.into_iter().zip(shares).filter(|(count, _)| *count > 0) {
        log += count as f64 * share.ln() - factorial(count);
    }
    log.exp()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Both tables of matches of the thesis (6.4 and 6.8) and what their league tables must be by the rule, worked out
    /// by another program.
    fn oracle() -> Value {
        serde_json::from_str(include_str!("../../../tests/oracles/league.json")).expect("JSON")
    }

    fn printed(name: &str) -> Vec<Match> {
        let text = |value: &Value| value.as_str().expect("a name").to_owned();
        let matches = oracle()[name]["matches"].as_array().expect("matches").clone();
        let of = |row: &Value| {
            let count = |key: &str| row[key].as_u64().expect("a count");
            let (wins, draws) = (count("wins"), count("draws"));
            let games = wins + draws + count("losses");
            // The deviations are not of interest here.
            let margin = Moments::of_parts(games, row["margin"].as_f64().expect("a mean"), 0.0);
            Match { players: [text(&row["first"]), text(&row["second"])], games, wins, draws, margin }
        };
        matches.iter().map(of).collect()
    }

    #[test]
    fn points_are_those_of_the_rule() {
        for name in ["table-6-4", "table-6-8"] {
            let found = standings(&printed(name));
            let wanted = oracle()[name]["standings"].clone();
            assert_eq!(found.len(), wanted.as_object().expect("players").len());
            for standing in found {
                let wanted = &wanted[&standing.player];
                let Points { points, wins, draws, losses, bonus_wins, bonus_losses } = standing.total;
                let counts = [points, wins, draws, losses, bonus_wins, bonus_losses];
                let keys = ["LP", "W", "D", "L", "BWP", "BLP"];
                assert_eq!(keys.map(|key| wanted[key].as_u64().expect("a count")), counts, "{}", standing.player);
                let margins = wanted["DFS"].as_f64().expect("a sum");
                assert!(
                    (standing.margins.value - margins).abs() < 1e-9,
                    "{} {}",
                    standing.player,
                    standing.margins.value
                );
            }
        }
    }

    #[test]
    fn a_bonus_has_its_edges() {
        let points = |won, lost| Points::of(won, lost).points;
        assert_eq!([points(9, 3), points(8, 3), points(5, 0), points(0, 0), points(3, 3)], [5, 4, 5, 2, 2]);
        // 3 lost for 2 won is 1.5; a loser without a game won has none.
        assert_eq!([points(2, 3), points(4, 6), points(4, 7), points(0, 1)], [1, 1, 0, 0]);
    }

    /// Two games, each won or lost with 1/2: 5 points with 1/4 (two wins), 2 with 1/2, 0 with 1/4.
    #[test]
    fn variances_are_those_of_all_outcomes() {
        let (mean, squares) = (5.0 / 4.0 + 1.0, 25.0 / 4.0 + 2.0);
        let check = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found} is not {wanted}");
        check(variance([1, 0, 1], |of| of.points), squares - mean * mean);
        check(variance([1, 0, 1], |of| of.wins), 3.0 / 16.0);
        check(variance([1, 0, 1], |of| of.draws), 1.0 / 4.0);
        assert_eq!(variance([20, 0, 0], |of| of.points), 0.0);
        // A match of many games won by half of them is a coin's toss, and a drawn one is rare.
        let many = variance([5_000, 0, 5_000], |of| of.wins);
        assert!((many - 0.25).abs() < 0.01, "{many}");
    }

    #[test]
    fn players_stand_in_the_order_of_their_points() {
        let names: Vec<String> = standings(&printed("table-6-8")).into_iter().map(|standing| standing.player).collect();
        assert_eq!(names, ["M05", "M1", "EA", "SIEA", "E2vs", "E2s", "Rnd"]);
    }
}
