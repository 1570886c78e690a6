//! Bradley-Terry ratings of a grid, within each group of players that games tell apart.

use std::collections::BTreeMap;

use crate::{
    Cell, Table,
    kinds::grid::{Grid, rated::Rated},
    statistics::{
        CONFIDENCE, Reason,
        rating::{GAP_CONFIDENCE, Standings},
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
    let rated = Rated::of(grid);
    let standings = &rated.standings;
    let groups = Groups::of(standings);
    for &player in &rated.order {
        let standing = standings.players[player];
        let rating = standing.rating.ok_or(Reason::OneSided);
        table.push(vec![
            Cell::text(rated.names[player]),
            Cell::Count(standing.pool as u64 + 1),
            Cell::Count(standing.group as u64 + 1),
            Cell::real(rating.map(|rating| rating.elo), 0),
            Cell::interval(rating.map(|rating| rating.interval(CONFIDENCE)), 0),
            match standings.gaps.get(&(standing.pool, standing.group)) {
                None => Cell::Missing,
                Some(gap) => Cell::real(gap.ok_or(Reason::NoGames), 0),
            },
            Cell::Count(rated.played[player] as u64),
            Cell::real(rated.shares[player], 4),
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
