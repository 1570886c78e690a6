//! What the game itself counts, by player: all of a player's games in a seat together, against all its opponents. Seats have a
//! panel each, because the two games of a unit share their luck.

use crate::{
    forms::figure::{Bars, Chart},
    kinds::{
        grid::{Grid, PairGames, SEATS, Side},
        own::{self, OwnFigures},
    },
    statistics::running::Running,
};

/// Points by source.
pub(crate) fn by_source(grid: &Grid) -> Option<Bars> {
    let columns = grid.own.by_seat().numbers;
    let numbers = |figures: &OwnFigures, seat: usize| -> Vec<Running> {
        columns.iter().map(|(_, places)| figures.numbers[places[seat]]).collect()
    };
    let names = columns.iter().map(|(name, _)| name.as_str());
    own::by_source(&grid.meta.header.experiment, names, panels(&grid.pairs, numbers))
}

/// Lists turn by turn, a figure a list.
pub(crate) fn by_turn(grid: &Grid) -> Vec<Chart> {
    let chart = |(list, places): &(String, [usize; 2])| {
        let turns = |figures: &OwnFigures, seat: usize| figures.turns[places[seat]].clone();
        own::by_turn(list, panels(&grid.pairs, turns))
    };
    grid.own.by_seat().lists.iter().map(chart).collect()
}

/// By seat, what `of` takes from the figures of each player's games there; players in the order in which they first occur.
fn panels(
    pairs: &[PairGames],
    of: impl Fn(&OwnFigures, usize) -> Vec<Running>,
) -> impl Iterator<Item = (String, Vec<(String, Vec<Running>)>)> {
    let panel = move |(seat, name): (usize, &&str)| {
        let mut players: Vec<(String, Vec<Running>)> = Vec::new();
        let sides = pairs.iter().flat_map(|pair| [true, false].map(|is_a| Side::of(pair, is_a, seat)));
        for side in sides.filter(|side| side.games.games() > 0) {
            let found = of(&side.games.own, seat);
            match players.iter_mut().find(|(known, _)| known == side.player) {
                Some((_, sums)) => add(sums, &found),
                None => players.push((side.player.to_owned(), found)),
            }
        }
        (format!("in the {name} seat"), players)
    };
    SEATS.iter().enumerate().map(panel).filter(|(_, players)| !players.is_empty())
}

/// Adds values to those in the same places.
fn add(sums: &mut Vec<Running>, values: &[Running]) {
    sums.resize(sums.len().max(values.len()), Running::default());
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = sum.with(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(values: &[f64]) -> Running {
        let mut running = Running::default();
        values.iter().for_each(|value| running.add(*value));
        running
    }

    /// A pair whose games in each seat of its first player gave `numbers`: columns of the first seat and the second.
    fn pair(a: &str, b: &str, numbers: [[&[f64]; 2]; 2]) -> PairGames {
        let mut pair = PairGames { a: a.to_owned(), b: b.to_owned(), ..PairGames::default() };
        for (seat, [first, second]) in pair.seats.iter_mut().zip(numbers) {
            first.iter().for_each(|_| seat.margins.add(0, 1));
            seat.own.numbers = vec![running(first), running(second)];
        }
        pair
    }

    #[test]
    fn a_player_s_games_against_all_opponents_are_one_sample() {
        // x sits first and has 1 and 3, then o and has 5; against p it has 8 in the first seat alone.
        let pairs = [
            pair("x", "o", [[&[1.0, 3.0], &[2.0, 4.0]], [&[5.0], &[6.0]]]),
            pair("p", "x", [[&[], &[]], [&[8.0], &[9.0]]]),
        ];
        let found: Vec<_> = panels(&pairs, |figures, seat| vec![figures.numbers[seat]]).collect();
        let titles: Vec<&str> = found.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["in the first seat", "in the second seat"]);
        let is = |seat: usize, place: usize, name: &str, values: &[f64]| {
            let (player, numbers) = &found[seat].1[place];
            let (found, wanted) = (numbers[0].moments(), running(values).moments());
            assert_eq!((player.as_str(), found.n, found.mean()), (name, wanted.n, wanted.mean()));
            assert_eq!(found.deviation(), wanted.deviation(), "{name}");
        };
        is(0, 0, "x", &[1.0, 3.0, 8.0]);
        is(0, 1, "o", &[5.0]);
        is(1, 0, "x", &[6.0]);
        is(1, 1, "o", &[2.0, 4.0]);
        is(1, 2, "p", &[9.0]);
        assert_eq!(found.iter().map(|(_, players)| players.len()).collect::<Vec<_>>(), [2, 3]);
    }
}
