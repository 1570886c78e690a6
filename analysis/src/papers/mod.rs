//! The papers' tables as data: a file each under `papers/`, and how its rows name pairs of players, or agents and
//! problems.

mod claims;
mod study;

use serde::Deserialize;

pub use claims::{Claim, Quantity};
pub use study::{Contrast, Figure, Spread};

use crate::statistics::moments::Moments;

/// A paper's table and how its figures are found in a run.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// `evomcts/table-5`
    pub key: &'static str,
    /// The file; empty of several tables together.
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
    /// A row is an agent on a problem, with figures of its trees.
    Trees,
    /// A row is a problem, with figures of the formulas of two agents.
    Formulas,
    /// A row is a pair of agents on a problem and whether they differ.
    Contrasts,
    /// A row is a statement about all games of a grid.
    Claims,
    /// Other tables, by key.
    Several { title: &'static str, keys: &'static [&'static str] },
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
            source: include_str!(concat!("../../papers/evomcts/", $table, ".toml")),
            form: $form,
            of: $of,
        }
    };
}

/// A table of SIEA-MCTS.
macro_rules! siea_mcts {
    ($table:literal, $form:expr) => {
        Paper {
            key: concat!("siea-mcts/", $table),
            source: include_str!(concat!("../../papers/siea-mcts/", $table, ".toml")),
            form: $form,
            of: 1.0,
        }
    };
}

/// What the Checkers report says of its benchmark.
const CHECKERS: Paper = Paper {
    key: "checkers/benchmark",
    source: include_str!("../../papers/checkers/benchmark.toml"),
    form: Form::Claims,
    of: 1.0,
};

/// All that the SIEA-MCTS thesis gives of the function optimisation problem.
const FOP: Form = Form::Several {
    title: "The function optimisation problem of the SIEA-MCTS thesis",
    keys: &[
        "siea-mcts/table-5-4",
        "siea-mcts/table-5-5",
        "siea-mcts/table-5-6",
        "siea-mcts/table-5-7",
        "siea-mcts/table-5-8",
        "siea-mcts/table-5-11",
        "siea-mcts/fop-significance",
    ],
};

/// Every table, by paper and number.
pub const ALL: &[Paper] = &[
    CHECKERS,
    evomcts!("table-5", SEARCHES, 1.0),
    evomcts!("table-6", CHAMPIONS, 1000.0),
    evomcts!("table-7", BUDGETS, 1000.0),
    evomcts!("table-8", BUDGETS, 1000.0),
    evomcts!("table-10", SEARCHES, 1.0),
    evomcts!("table-11", CHAMPIONS, 1000.0),
    evomcts!("table-12", BUDGETS, 1000.0),
    siea_mcts!("table-5-4", Form::Trees),
    siea_mcts!("table-5-5", Form::Trees),
    siea_mcts!("table-5-6", Form::Trees),
    siea_mcts!("table-5-7", Form::Trees),
    siea_mcts!("table-5-8", Form::Trees),
    siea_mcts!("table-5-11", Form::Formulas),
    siea_mcts!("fop-significance", Form::Contrasts),
    Paper { key: "siea-mcts/fop", source: "", form: FOP, of: 1.0 },
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
        Moments::of(&self.shares).mean().unwrap_or(f64::NAN)
    }

    /// Names of player and opponent.
    pub(crate) fn names(&self) -> [&str; 2] {
        [&self.player, &self.opponent]
    }

    /// Their specs.
    pub(crate) fn specs(&self) -> [&str; 2] {
        self.specs.each_ref().map(String::as_str)
    }

    /// The lowest and the highest share.
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
    sample_size: Option<u64>,
}

impl Paper {
    /// The table of that key.
    pub fn find(key: &str) -> Option<&'static Paper> {
        ALL.iter().find(|paper| paper.key == key)
    }

    /// Title and place in the paper.
    ///
    /// # Panics
    /// If the file in this crate is not of its form; a test reads them all.
    pub fn title(&self) -> String {
        if let Form::Several { title, .. } = self.form {
            return title.to_owned();
        }
        let file = self.file();
        format!("{} ({})", file.title, file.source.place)
    }

    /// Whether it lists evolutionary runs, each with a champion of its own.
    pub fn is_of_runs(&self) -> bool {
        matches!(self.form, Form::Runs { .. })
    }

    /// Whether it makes statements about all games of a grid.
    pub fn is_of_claims(&self) -> bool {
        matches!(self.form, Form::Claims)
    }

    /// Whether it is of games between players; else it is of a study's agents on problems.
    pub fn is_of_games(&self) -> bool {
        matches!(self.form, Form::Pairs { .. } | Form::Runs { .. } | Form::Claims)
    }

    /// The tables it is made of: itself, or those it stands for.
    pub fn tables(&self) -> Vec<&'static Paper> {
        let keys = match self.form {
            Form::Several { keys, .. } => keys,
            _ => &[self.key],
        };
        keys.iter().filter_map(|key| Paper::find(key)).collect()
    }

    /// What it gives agent by agent, in the paper's order; nothing of another form.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn figures(&self) -> Vec<Figure> {
        match self.form {
            Form::Trees => {
                let file = self.file();
                study::trees(file.rows, file.reading.sample_size.expect("a table of trees says its runs"))
            }
            Form::Formulas => study::formulas(&self.file().rows),
            _ => Vec::new(),
        }
    }

    /// Which agents it found different, in the paper's order; nothing of another form.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn contrasts(&self) -> Vec<Contrast> {
        match self.form {
            Form::Contrasts => study::contrasts(self.file().rows),
            _ => Vec::new(),
        }
    }

    /// What it says of a whole grid, in the file's order; nothing of another form.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn claims(&self) -> Vec<Claim> {
        if !self.is_of_claims() {
            return Vec::new();
        }
        let claim =
            |row: toml::Table| row.try_into().unwrap_or_else(|error| panic!("papers/{}.toml: {error}", self.key));
        self.file().rows.into_iter().map(claim).collect()
    }

    /// What it gives pair by pair, in the paper's order; nothing of another form.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn rows(&self) -> Vec<PaperRow> {
        if !matches!(self.form, Form::Pairs { .. } | Form::Runs { .. }) {
            return Vec::new();
        }
        let file = self.file();
        let sample_size = file.reading.sample_size.expect("a table of games says how many");
        let number = |row: &toml::Table, column: &str| row[column].as_float().expect("a score is a number") / self.of;
        match self.form {
            Form::Pairs { players: [player, opponent], share } => {
                let row = |row: &toml::Table| PaperRow {
                    player: fill(player.0, row),
                    opponent: fill(opponent.0, row),
                    specs: [fill(player.1, row), fill(opponent.1, row)],
                    shares: vec![number(row, share)],
                    games: games(row, "games").unwrap_or(sample_size),
                };
                file.rows.iter().map(row).collect()
            }
            Form::Runs { player, opponents } => {
                let row = |(column, opponent): &(&str, Side)| PaperRow {
                    player: player.0.to_owned(),
                    opponent: opponent.0.to_owned(),
                    specs: [player.1.to_owned(), opponent.1.to_owned()],
                    shares: file.rows.iter().map(|row| number(row, column)).collect(),
                    games: file.rows.first().and_then(|row| games(row, "games_each")).unwrap_or(sample_size),
                };
                opponents.iter().map(row).collect()
            }
            Form::Trees | Form::Formulas | Form::Contrasts | Form::Claims | Form::Several { .. } => Vec::new(),
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

/// Whether the spec of a run's player has the name and the parameters of a paper's, among others.
pub(crate) fn covers(spec: &str, wanted: &str) -> bool {
    let (Ok(spec), Ok(wanted)) = (spec::parse(spec), spec::parse(wanted)) else { return false };
    spec.covers(&wanted)
}

#[cfg(test)]
mod tests;
