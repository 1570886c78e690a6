//! The file of an evolved function: what `redqueen champion` writes and any experiment or `play` reads.
//!
//! TOML. The tree is in the language of the game; its hash, BLAKE3 of its text, tells whether the file is whole.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use games::GameSpec;
use gp::{Tree, Type};
use serde::{Deserialize, Serialize};

/// Format of files that this version reads and writes.
const FORMAT: u32 = 1;

/// Where a champion comes from; for people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Lineage {
    /// Name of the experiment.
    pub experiment: String,
    /// Its seed.
    pub seed: u64,
    /// Id of the run.
    pub run: String,
    /// Generation, from 0.
    pub generation: u32,
    /// Index in its population.
    pub individual: u32,
    /// Points it took in its generation.
    pub fitness: f64,
    /// Games it took them in.
    pub games: u32,
}

/// An evolved function with what it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Champion {
    format: u32,
    /// The game's spec.
    pub game: String,
    /// The function, in the language of the game.
    pub tree: String,
    /// BLAKE3 of the tree's text.
    hash: String,
    /// Moves drawn at each step of a playout.
    pub candidates: u32,
    /// Which side looks at a candidate: `mover` or `next`.
    pub view: String,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Lineage>,
}

/// Why a champion's file cannot be used.
#[derive(Debug)]
pub struct ChampionError {
    path: PathBuf,
    reason: String,
}

impl fmt::Display for ChampionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "champion `{}`: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for ChampionError {}

/// Name of the hash of a tree's text.
pub fn hash(tree: &str) -> String {
    blake3::hash(tree.as_bytes()).to_hex().to_string()
}

impl Champion {
    /// A champion of a game.
    pub fn new(game: &GameSpec, tree: &str, candidates: u32, view: &str, lineage: Option<Lineage>) -> Self {
        let (game, view, tree) = (game.to_string(), view.to_owned(), tree.to_owned());
        Champion { format: FORMAT, game, hash: hash(&tree), tree, candidates, view, lineage }
    }

    /// Hash of its tree.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Its file.
    pub fn to_toml(&self) -> String {
        let body = toml::to_string(self).expect("texts and numbers are TOML");
        format!("# An evolved function. Use it as a player: `evomcts:champion=FILE`.\n{body}")
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is not a champion's file, or is not whole.
    pub fn read(path: &Path) -> Result<Self, ChampionError> {
        let wrong = |reason: String| ChampionError { path: path.to_owned(), reason };
        let text = crate::text::read(path).map_err(&wrong)?;
        Champion::parse(&text).map_err(wrong)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let champion: Champion = toml::from_str(text)
            .map_err(|error| format!("is not a champion's file: {}", error.to_string().trim_end()))?;
        if champion.format != FORMAT {
            return Err(format!("has format {}, and this version reads format {FORMAT}", champion.format));
        }
        let game: GameSpec = champion.game.parse().map_err(|faults: Vec<spec::Fault>| {
            format!("names no game: {}", faults.first().map_or_else(String::new, ToString::to_string))
        })?;
        let found = hash(&champion.tree);
        if found != champion.hash {
            return Err(format!(
                "its tree does not have the hash that the file says ({} instead of {}): the file was changed or is not \
                 whole; write it again with `redqueen champion`",
                &found[..12],
                champion.hash.get(..12).unwrap_or(&champion.hash)
            ));
        }
        let Some(language) = players::evomcts::language(&game) else {
            return Err(format!("{game} has no evolved functions"));
        };
        Tree::parse(&champion.tree, Type::Float, &language)
            .map_err(|error| format!("its tree is none of the language of {game}: {error}"))?;
        Ok(champion)
    }

    /// Gives a player's spec this function in place of the path to it. What the spec says of candidates and view stays.
    fn amend(&self, given: &mut spec::Given) {
        given.params.retain(|(param, _)| param != "champion");
        let text = |text: &str| spec::Value::Text(text.to_owned());
        let mut add = |param: &str, value: spec::Value| {
            if !given.params.iter().any(|(known, _)| known == param) {
                given.params.push((param.to_owned(), value));
            }
        };
        add("tree", text(&self.tree));
        add("candidates", spec::Value::Int(self.candidates.into()));
        add("view", text(&self.view));
    }

    /// As `amend`, for a player at every one of `games`.
    pub(crate) fn put_into(
        &self,
        path: &Path,
        given: &mut spec::Given,
        games: &[GameSpec],
    ) -> Result<(), ChampionError> {
        if let Some(game) = games.iter().find(|game| !same_game(&self.game, game)) {
            let reason = format!("it plays {}, and the game here is {game}", self.game);
            return Err(ChampionError { path: path.to_owned(), reason });
        }
        self.amend(given);
        Ok(())
    }
}

/// Whether a function for one game is one for another: the name and the board must be the same, caps need not.
fn same_game(champion: &str, game: &GameSpec) -> bool {
    let Ok(own) = champion.parse::<GameSpec>() else { return false };
    own.facts().name == game.facts().name && players::evomcts::language(&own) == players::evomcts::language(game)
}

/// Puts the function of the file that a spec's `champion` names in its place. Relative paths start at `from`.
pub(crate) fn read_into(given: &mut spec::Given, from: &Path, games: &[GameSpec]) -> Result<(), ChampionError> {
    let Some((_, path)) = given.params.iter().find(|(param, _)| param == "champion") else { return Ok(()) };
    let path = from.join(path.to_string());
    Champion::read(&path)?.put_into(&path, given, games)
}
