//! The papers' tables as data: a file each under `papers/`, and how its rows name pairs of players.

use serde::Deserialize;

/// A paper's table and how a match grid's pairs are found in it.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// `evomcts/table-5`
    pub key: &'static str,
    source: &'static str,
    /// (player, opponent): names with `{column}` in place of a row's figures.
    names: (&'static str, &'static str),
    /// The same for the players' specs, where a grid names its players otherwise: kind and the parameters that count.
    specs: (&'static str, &'static str),
    /// The column with the first player's share of the points.
    share: &'static str,
}

/// Every table, by key.
pub const ALL: &[Paper] = &[Paper {
    key: "evomcts/table-5",
    source: include_str!("../papers/evomcts/table-5.toml"),
    names: ("mcts-{first_playouts}", "mcts-{second_playouts}"),
    specs: ("mcts:playouts={first_playouts}", "mcts:playouts={second_playouts}"),
    share: "first_win_ratio",
}];

/// One row of a paper's table.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperRow {
    /// Name of the player whose share is given.
    pub player: String,
    /// Name of the other.
    pub opponent: String,
    /// What their specs have in common with the paper's players: `mcts:playouts=100`.
    pub specs: [String; 2],
    /// Its share of the points.
    pub share: f64,
    /// Games behind it.
    pub games: u64,
}

#[derive(Deserialize)]
struct File {
    title: String,
    source: Source,
    reading: Reading,
    rows: Vec<toml::Table>,
}

#[derive(Deserialize)]
struct Source {
    place: String,
}

#[derive(Deserialize)]
struct Reading {
    sample_size: u64,
}

impl Paper {
    /// The table of that key.
    pub fn find(key: &str) -> Option<&'static Paper> {
        ALL.iter().find(|paper| paper.key == key)
    }

    /// Title and place in the paper.
    ///
    /// # Panics
    /// If the file in this crate is not of the form that `papers/README` describes; a test reads them all.
    pub fn title(&self) -> String {
        let file = self.file();
        format!("{} ({})", file.title, file.source.place)
    }

    /// Its rows, in the paper's order.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn rows(&self) -> Vec<PaperRow> {
        let file = self.file();
        let row = |row: &toml::Table| PaperRow {
            player: fill(self.names.0, row),
            opponent: fill(self.names.1, row),
            specs: [fill(self.specs.0, row), fill(self.specs.1, row)],
            share: row[self.share].as_float().expect("a share is a number"),
            games: row
                .get("games")
                .and_then(toml::Value::as_integer)
                .map_or(file.reading.sample_size, i64::unsigned_abs),
        };
        file.rows.iter().map(row).collect()
    }

    fn file(&self) -> File {
        toml::from_str(self.source).unwrap_or_else(|error| panic!("papers/{}.toml: {error}", self.key))
    }
}

fn fill(pattern: &str, row: &toml::Table) -> String {
    let mut name = pattern.to_owned();
    for (key, value) in row {
        name = name.replace(&format!("{{{key}}}"), &value.to_string());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_can_be_read() {
        for paper in ALL {
            let rows = paper.rows();
            assert!(!rows.is_empty(), "{}", paper.key);
            assert!(rows.iter().all(|row| !row.player.contains('{') && (0.0..=1.0).contains(&row.share)));
        }
    }

    #[test]
    fn table_5_is_the_papers() {
        let rows = Paper::find("evomcts/table-5").expect("there").rows();
        let last = PaperRow {
            player: "mcts-2000".into(),
            opponent: "mcts-1000".into(),
            specs: ["mcts:playouts=2000".into(), "mcts:playouts=1000".into()],
            share: 0.6279,
            games: 10_000,
        };
        assert_eq!((rows.len(), rows.last()), (6, Some(&last)));
    }
}
