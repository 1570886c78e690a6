//! The papers' tables as data: a file each under `papers/`, which also says how its rows name pairs of players, or agents
//! and problems. A table is added as a file and a line in [`ALL`].

mod claims;
mod layout;
mod league;
mod printed;
mod seats;
mod study;

use serde::Deserialize;

pub use claims::{Claim, Quantity};
pub use league::LeagueFigure;
pub use printed::{Printed, Spread};
pub use seats::SeatFigure;
pub use study::{Contrast, Figure};

use crate::statistics::moments::Moments;
use layout::{Layout, fill, games};

/// A paper's table and how its figures are found in a run.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// `evomcts/table-5`: the file's path under `papers/`, without its extension.
    pub key: &'static str,
    /// The file.
    source: &'static str,
}

/// Every table, by paper and number.
pub const ALL: &[Paper] = &[
    Paper { key: "boop/table-1", source: include_str!("../../papers/boop/table-1.toml") },
    Paper { key: "boop/table-2", source: include_str!("../../papers/boop/table-2.toml") },
    Paper { key: "checkers/benchmark", source: include_str!("../../papers/checkers/benchmark.toml") },
    Paper { key: "dots-and-boxes/table-3", source: include_str!("../../papers/dots-and-boxes/table-3.toml") },
    Paper { key: "dots-and-boxes/table-4", source: include_str!("../../papers/dots-and-boxes/table-4.toml") },
    Paper { key: "dots-and-boxes/table-5", source: include_str!("../../papers/dots-and-boxes/table-5.toml") },
    Paper { key: "dots-and-boxes/table-6", source: include_str!("../../papers/dots-and-boxes/table-6.toml") },
    Paper { key: "evomcts/table-5", source: include_str!("../../papers/evomcts/table-5.toml") },
    Paper { key: "evomcts/table-6", source: include_str!("../../papers/evomcts/table-6.toml") },
    Paper { key: "evomcts/table-7", source: include_str!("../../papers/evomcts/table-7.toml") },
    Paper { key: "evomcts/table-8", source: include_str!("../../papers/evomcts/table-8.toml") },
    Paper { key: "evomcts/table-10", source: include_str!("../../papers/evomcts/table-10.toml") },
    Paper { key: "evomcts/table-11", source: include_str!("../../papers/evomcts/table-11.toml") },
    Paper { key: "evomcts/table-12", source: include_str!("../../papers/evomcts/table-12.toml") },
    Paper { key: "siea-mcts/table-5-4", source: include_str!("../../papers/siea-mcts/table-5-4.toml") },
    Paper { key: "siea-mcts/table-5-5", source: include_str!("../../papers/siea-mcts/table-5-5.toml") },
    Paper { key: "siea-mcts/table-5-6", source: include_str!("../../papers/siea-mcts/table-5-6.toml") },
    Paper { key: "siea-mcts/table-5-7", source: include_str!("../../papers/siea-mcts/table-5-7.toml") },
    Paper { key: "siea-mcts/table-5-8", source: include_str!("../../papers/siea-mcts/table-5-8.toml") },
    Paper { key: "siea-mcts/table-5-10", source: include_str!("../../papers/siea-mcts/table-5-10.toml") },
    Paper { key: "siea-mcts/table-5-11", source: include_str!("../../papers/siea-mcts/table-5-11.toml") },
    Paper { key: "siea-mcts/table-6-2", source: include_str!("../../papers/siea-mcts/table-6-2.toml") },
    Paper { key: "siea-mcts/table-6-3", source: include_str!("../../papers/siea-mcts/table-6-3.toml") },
    Paper { key: "siea-mcts/table-6-4", source: include_str!("../../papers/siea-mcts/table-6-4.toml") },
    Paper { key: "siea-mcts/table-6-6", source: include_str!("../../papers/siea-mcts/table-6-6.toml") },
    Paper { key: "siea-mcts/table-6-8", source: include_str!("../../papers/siea-mcts/table-6-8.toml") },
    Paper { key: "siea-mcts/table-6-9", source: include_str!("../../papers/siea-mcts/table-6-9.toml") },
    Paper {
        key: "siea-mcts/formula-size-by-turn",
        source: include_str!("../../papers/siea-mcts/formula-size-by-turn.toml"),
    },
    Paper { key: "siea-mcts/score-shares", source: include_str!("../../papers/siea-mcts/score-shares.toml") },
    Paper { key: "siea-mcts/visit-share", source: include_str!("../../papers/siea-mcts/visit-share.toml") },
    Paper {
        key: "siea-mcts/single-player-significance",
        source: include_str!("../../papers/siea-mcts/single-player-significance.toml"),
    },
    Paper { key: "siea-mcts/fop-significance", source: include_str!("../../papers/siea-mcts/fop-significance.toml") },
    Paper { key: "siea-mcts/fop", source: include_str!("../../papers/siea-mcts/fop.toml") },
    Paper { key: "siea-mcts/single-player", source: include_str!("../../papers/siea-mcts/single-player.toml") },
    Paper { key: "siea-mcts/round-robin", source: include_str!("../../papers/siea-mcts/round-robin.toml") },
    Paper { key: "siea-mcts/tournament", source: include_str!("../../papers/siea-mcts/tournament.toml") },
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
    #[serde(default)]
    reading: Reading,
    layout: Layout,
    /// What the paper says otherwise in another place, a sentence each.
    #[serde(default)]
    contradictions: Vec<String>,
    #[serde(default)]
    rows: Vec<toml::Table>,
}

#[derive(Deserialize)]
struct Source {
    place: String,
}

#[derive(Default, Deserialize)]
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
        let File { title, source, layout, .. } = self.file();
        match layout {
            Layout::Several { .. } => title,
            _ => format!("{title} ({})", source.place),
        }
    }

    /// Whether it lists evolutionary runs, each with a champion of its own.
    pub fn is_of_runs(&self) -> bool {
        matches!(self.file().layout, Layout::Runs { .. })
    }

    /// Whether it makes statements about all games of a grid.
    pub fn is_of_claims(&self) -> bool {
        matches!(self.file().layout, Layout::Claims)
    }

    /// Whether it is of games between players; otherwise it is of a study's agents on problems.
    pub fn is_of_games(&self) -> bool {
        match self.file().layout {
            Layout::Pairs { .. } | Layout::Runs { .. } | Layout::Claims | Layout::Seats(_) | Layout::League(_) => true,
            Layout::Agents(_) | Layout::Trees | Layout::Formulas | Layout::Contrasts => false,
            Layout::Several { tables } => tables.iter().filter_map(|key| Paper::find(key)).all(Paper::is_of_games),
        }
    }

    /// Whether it, or a table that it is made of, gives points of a league.
    pub fn has_league(&self) -> bool {
        self.tables().iter().any(|part| matches!(part.file().layout, Layout::League(_)))
    }

    /// What the paper says otherwise in another place, a sentence each.
    pub fn contradictions(&self) -> Vec<String> {
        self.file().contradictions
    }

    /// The tables that it is made of: itself, or those that it lists.
    pub fn tables(&self) -> Vec<&'static Paper> {
        match self.file().layout {
            Layout::Several { tables } => tables.iter().filter_map(|key| Paper::find(key)).collect(),
            _ => Paper::find(self.key).into_iter().collect(),
        }
    }

    /// Its figures agent by agent, in the paper's order; none of another layout.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn figures(&self) -> Vec<Figure> {
        let File { layout, reading, rows, .. } = self.file();
        match layout {
            Layout::Trees => study::trees(rows, reading.sample_size.expect("a table of trees says its runs")),
            Layout::Formulas => study::formulas(&rows),
            Layout::Agents(layout) => {
                study::agents(&layout, &rows, reading.sample_size.expect("a table of agents says its runs"))
            }
            _ => Vec::new(),
        }
    }

    /// Its figures by seat, in the paper's order; none of another layout.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn seat_figures(&self) -> Vec<SeatFigure> {
        let File { layout, reading, rows, .. } = self.file();
        if let Layout::Seats(layout) = layout {
            seats::figures(&layout, &rows, reading.sample_size)
        } else {
            Vec::new()
        }
    }

    /// Its figures of a league, in the paper's order; none of another layout.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn league_figures(&self) -> Vec<LeagueFigure> {
        let File { layout, rows, .. } = self.file();
        if let Layout::League(layout) = layout { league::figures(&layout, &rows) } else { Vec::new() }
    }

    /// Which agents it found different, in the paper's order; nothing of another layout.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn contrasts(&self) -> Vec<Contrast> {
        let File { layout, rows, .. } = self.file();
        if matches!(layout, Layout::Contrasts) { study::contrasts(rows) } else { Vec::new() }
    }

    /// What it says of a whole grid, in the file's order; nothing of another layout.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn claims(&self) -> Vec<Claim> {
        let File { layout, rows, .. } = self.file();
        if !matches!(layout, Layout::Claims) {
            return Vec::new();
        }
        let claim =
            |row: toml::Table| row.try_into().unwrap_or_else(|error| panic!("papers/{}.toml: {error}", self.key));
        rows.into_iter().map(claim).collect()
    }

    /// Its shares of points pair by pair, in the paper's order; nothing of another layout.
    ///
    /// # Panics
    /// As [`Paper::title`].
    pub fn rows(&self) -> Vec<PaperRow> {
        let File { layout, reading, rows, .. } = self.file();
        let sample_size = || reading.sample_size.expect("a table of games says how many");
        let number = |row: &toml::Table, column: &str| row[column].as_float().expect("points are a number");
        match layout {
            Layout::Pairs { player, opponent, column, out_of } => {
                let row = |row: &toml::Table| PaperRow {
                    player: fill(&player.name, row),
                    opponent: fill(&opponent.name, row),
                    specs: [fill(&player.spec, row), fill(&opponent.spec, row)],
                    shares: vec![number(row, &column) / out_of],
                    games: games(row, "games").unwrap_or_else(sample_size),
                };
                rows.iter().map(row).collect()
            }
            Layout::Runs { player, opponents, out_of } => {
                let row = |opponent: &layout::Opponent| PaperRow {
                    player: player.name.clone(),
                    opponent: opponent.name.clone(),
                    specs: [player.spec.clone(), opponent.spec.clone()],
                    shares: rows.iter().map(|row| number(row, &opponent.column) / out_of).collect(),
                    games: rows.first().and_then(|row| games(row, "games_each")).unwrap_or_else(sample_size),
                };
                opponents.iter().map(row).collect()
            }
            _ => Vec::new(),
        }
    }

    fn file(&self) -> File {
        toml::from_str(self.source).unwrap_or_else(|error| panic!("papers/{}.toml: {error}", self.key))
    }
}

/// Whether the spec of a run's player has the name and the parameters of a paper's, among others.
pub(crate) fn covers(spec: &str, wanted: &str) -> bool {
    let (Ok(spec), Ok(wanted)) = (spec::parse(spec), spec::parse(wanted)) else { return false };
    spec.covers(&wanted)
}

#[cfg(test)]
mod tests;
