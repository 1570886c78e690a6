//! The papers' tables as data: a file each under `papers/`, and how its rows name pairs of players.

use serde::Deserialize;

use crate::statistics::moments::Moments;

/// A paper's table and how its figures are found in a grid of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// `evomcts/table-5`
    pub key: &'static str,
    source: &'static str,
    form: Form,
    /// What a figure is out of: 1 for a share, 1000 for points of 1000.
    of: f64,
}

/// How a table is laid out. Names and specs have `{column}` in place of a row's figures; a spec has the kind and the
/// parameters that count, for grids that name their players otherwise.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// A row is a pair.
    Pairs { players: [Side; 2], share: &'static str },
    /// A row is an evolutionary run, whose best player meets an opponent a column.
    Runs { player: Side, opponents: &'static [(&'static str, Side)] },
}

/// A player of a table: name and spec.
type Side = (&'static str, &'static str);

/// Two plain searches by their playouts.
const SEARCHES: Form = Form::Pairs {
    players: [
        ("mcts-{first_playouts}", "mcts:playouts={first_playouts}"),
        ("mcts-{second_playouts}", "mcts:playouts={second_playouts}"),
    ],
    share: "first_win_ratio",
};

/// An evolved player against a plain search, by their playouts.
const BUDGETS: Form = Form::Pairs {
    players: [
        ("evomcts-{evomcts_playouts}", "evomcts:playouts={evomcts_playouts}"),
        ("mcts-{mcts_playouts}", "mcts:playouts={mcts_playouts}"),
    ],
    share: "score",
};

/// The best players of evolutionary runs.
const CHAMPIONS: Form = Form::Runs {
    player: ("evomcts-100", "evomcts:playouts=100"),
    opponents: &[
        ("score_vs_mcts100", ("mcts-100", "mcts:playouts=100")),
        ("score_vs_mcts200", ("mcts-200", "mcts:playouts=200")),
    ],
};

/// A table of EvoMCTS.
macro_rules! evomcts {
    ($table:literal, $form:expr, $of:expr) => {
        Paper {
            key: concat!("evomcts/", $table),
            source: include_str!(concat!("../papers/evomcts/", $table, ".toml")),
            form: $form,
            of: $of,
        }
    };
}

/// Every table, by number.
pub const ALL: &[Paper] = &[
    evomcts!("table-5", SEARCHES, 1.0),
    evomcts!("table-6", CHAMPIONS, 1000.0),
    evomcts!("table-7", BUDGETS, 1000.0),
    evomcts!("table-8", BUDGETS, 1000.0),
    evomcts!("table-10", SEARCHES, 1.0),
    evomcts!("table-11", CHAMPIONS, 1000.0),
    evomcts!("table-12", BUDGETS, 1000.0),
];

/// What a paper gives for one pair of players.
#[derive(Clone, Debug, PartialEq)]
pub struct PaperRow {
    /// Name of the player whose share is given.
    pub player: String,
    /// Name of the other.
    pub opponent: String,
    /// What their specs have in common with the paper's players: `mcts:playouts=100`.
    pub specs: [String; 2],
    /// Its shares of the points: one, or one for each of the paper's runs.
    pub shares: Vec<f64>,
    /// Games behind each.
    pub games: u64,
}

impl PaperRow {
    /// The share, or the mean of the runs'.
    pub fn share(&self) -> f64 {
        Moments::of(&self.shares).mean
    }

    /// The lowest and the highest.
    pub fn range(&self) -> (f64, f64) {
        let fold = |(low, high): (f64, f64), share: &f64| (low.min(*share), high.max(*share));
        self.shares.iter().fold((f64::INFINITY, f64::NEG_INFINITY), fold)
    }
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

    /// Whether it lists evolutionary runs, each with a champion of its own.
    pub fn is_of_runs(&self) -> bool {
        matches!(self.form, Form::Runs { .. })
    }

    /// What it gives pair by pair, in the paper's order.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn rows(&self) -> Vec<PaperRow> {
        let file = self.file();
        let number = |row: &toml::Table, column: &str| row[column].as_float().expect("a score is a number") / self.of;
        match self.form {
            Form::Pairs { players: [player, opponent], share } => {
                let row = |row: &toml::Table| PaperRow {
                    player: fill(player.0, row),
                    opponent: fill(opponent.0, row),
                    specs: [fill(player.1, row), fill(opponent.1, row)],
                    shares: vec![number(row, share)],
                    games: games(row, "games").unwrap_or(file.reading.sample_size),
                };
                file.rows.iter().map(row).collect()
            }
            Form::Runs { player, opponents } => {
                let row = |(column, opponent): &(&str, Side)| PaperRow {
                    player: player.0.to_owned(),
                    opponent: opponent.0.to_owned(),
                    specs: [player.1.to_owned(), opponent.1.to_owned()],
                    shares: file.rows.iter().map(|row| number(row, column)).collect(),
                    games: file
                        .rows
                        .first()
                        .and_then(|row| games(row, "games_each"))
                        .unwrap_or(file.reading.sample_size),
                };
                opponents.iter().map(row).collect()
            }
        }
    }

    fn file(&self) -> File {
        toml::from_str(self.source).unwrap_or_else(|error| panic!("papers/{}.toml: {error}", self.key))
    }
}

fn games(row: &toml::Table, column: &str) -> Option<u64> {
    row.get(column).and_then(toml::Value::as_integer).map(i64::unsigned_abs)
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
            let texts =
                |row: &PaperRow| [row.player.clone(), row.opponent.clone()].into_iter().chain(row.specs.clone());
            assert!(rows.iter().flat_map(texts).all(|text| !text.contains('{')), "{}", paper.key);
            assert!(rows.iter().flat_map(|row| &row.shares).all(|share| (0.3..=1.0).contains(share)), "{}", paper.key);
            assert!(paper.title().contains("Table "), "{}", paper.title());
        }
    }

    #[track_caller]
    fn check(key: &str, row: usize, players: [&str; 2], specs: [&str; 2], shares: &[f64], games: u64) {
        let found = &Paper::find(key).expect("there").rows()[row];
        let [player, opponent] = players.map(str::to_owned);
        let specs = specs.map(str::to_owned);
        assert_eq!(*found, PaperRow { player, opponent, specs, shares: shares.to_vec(), games });
    }

    #[test]
    fn rows_are_the_papers() {
        let plain = ["mcts:playouts=2000", "mcts:playouts=1000"];
        check("evomcts/table-5", 5, ["mcts-2000", "mcts-1000"], plain, &[0.6279], 10_000);
        let evolved = ["evomcts:playouts=400", "mcts:playouts=800"];
        check("evomcts/table-8", 5, ["evomcts-400", "mcts-800"], evolved, &[0.647], 1_000);
        let runs = [0.731, 0.822, 0.745, 0.821, 0.634, 0.773];
        let champion = ["evomcts:playouts=100", "mcts:playouts=200"];
        check("evomcts/table-11", 1, ["evomcts-100", "mcts-200"], champion, &runs, 1_000);
    }

    #[test]
    fn runs_have_a_mean_and_a_range() {
        let row = &Paper::find("evomcts/table-6").expect("there").rows()[0];
        // 759 + 701.5 + 717 + 730 + 727 + 719 = 4353.5
        assert!((row.share() - 4.3535 / 6.0).abs() < 1e-15);
        assert_eq!(row.range(), (0.7015, 0.759));
    }
}
