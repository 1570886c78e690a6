//! Bradley-Terry ratings of a grid, within each group of players that games tell apart.

use std::collections::BTreeMap;

use crate::{
    Cell, Table,
    kinds::grid::Grid,
    statistics::{
        CONFIDENCE, Reason,
        rating::{GAP_CONFIDENCE, Score, Standings, rate},
    },
};

/// A row a player, by pool and group, the strongest first.
pub(crate) fn ratings(grid: &Grid) -> Table {
    let mut table = Table::new(
        "ratings",
        format!("{}: ratings (Bradley-Terry, mean 0)", grid.meta.header.experiment),
        &[
            ("player", "player"),
            ("pool", "pool"),
            ("group", "group"),
            ("elo", "Elo"),
            ("elo_95", "95 %"),
            ("above_next", "above next, ≥"),
            ("games", "games"),
            ("share", "share"),
        ],
    );
    let mut names: Vec<&str> = grid.pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
    names.sort_unstable();
    names.dedup();
    let scores = scores(grid, &names);
    let standings = rate(names.len(), &scores);
    let (mut points, mut played) = (vec![0.0; names.len()], vec![0.0; names.len()]);
    for score in &scores {
        points[score.a] += score.points;
        points[score.b] += score.games - score.points;
        played[score.a] += score.games;
        played[score.b] += score.games;
    }
    let share = |player: usize| (played[player] > 0.0).then(|| points[player] / played[player]);
    let place = |&player: &usize| {
        let standing = &standings.players[player];
        let height = standing.rating.map(|rating| rating.elo).or(share(player)).unwrap_or(0.0);
        (standing.pool, standing.group, height)
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|a, b| {
        let ((pool, group, height), (other_pool, other_group, other)) = (place(a), place(b));
        (pool, group).cmp(&(other_pool, other_group)).then(other.total_cmp(&height))
    });
    let groups = Groups::of(&standings);
    for player in order {
        let standing = standings.players[player];
        let rating = standing.rating.ok_or(Reason::OneSided);
        table.push(vec![
            Cell::text(names[player]),
            Cell::Count(standing.pool as u64 + 1),
            Cell::Count(standing.group as u64 + 1),
            Cell::real(rating.map(|rating| rating.elo), 0),
            Cell::interval(rating.map(|rating| rating.interval(CONFIDENCE)), 0),
            match standings.gaps.get(&(standing.pool, standing.group)) {
                None => Cell::Missing,
                Some(gap) => Cell::real(gap.ok_or(Reason::NoGames), 0),
            },
            Cell::Count(played[player] as u64),
            Cell::real(share(player), 4),
        ]);
    }
    table.notes.extend(groups.notes());
    table.notes.push(
        "Elo: 400 points are odds of ten to one. The interval covers the games' chance, the two games of a unit as one \
         observation (Student's quantile)."
            .to_owned(),
    );
    table
}

/// How many pools and groups there are.
struct Groups {
    pools: usize,
    /// Most groups of one pool.
    most: usize,
    alone: bool,
}

impl Groups {
    fn of(standings: &Standings) -> Self {
        let mut by_pool: BTreeMap<usize, usize> = BTreeMap::new();
        for standing in &standings.players {
            let groups = by_pool.entry(standing.pool).or_default();
            *groups = (*groups).max(standing.group + 1);
        }
        let most = by_pool.values().copied().max().unwrap_or(0);
        Groups { pools: by_pool.len(), most, alone: standings.players.len() < 2 }
    }

    /// What a reader must know before comparing two ratings.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.alone {
            notes.push("No ratings: they need two players that met.".to_owned());
            return notes;
        }
        if self.pools > 1 {
            notes.push(format!(
                "The players are in {} pools that never met, directly or through others: ratings of different pools cannot be \
                 compared, and have mean 0 in each.",
                self.pools
            ));
        }
        if self.most > 1 {
            notes.push(format!(
                "A group took every point from the groups below it, so that no finite ratings fit both: each group has ratings \
                 of its own, with mean 0 in it, which cannot be compared with another's. above next: Elo points that the group \
                 is at least above the next, as a mean over their games, with {:.0} % confidence.",
                100.0 * GAP_CONFIDENCE
            ));
        }
        notes
    }
}

/// Points of the grid's pairs, with their variance from the spread over units. A player's games against itself say
/// nothing of its strength.
fn scores(grid: &Grid, names: &[&str]) -> Vec<Score> {
    let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let between_two = grid.pairs.iter().filter(|pair| pair.a != pair.b);
    between_two
        .map(|pair| {
            let games = pair.games as f64;
            let units = pair.units();
            Score {
                a: index[pair.a.as_str()],
                b: index[pair.b.as_str()],
                games,
                points: pair.points(),
                units: units.n,
                variance: units.error().map(|error| games * games * error * error),
            }
        })
        .collect()
}
