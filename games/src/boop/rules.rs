//! What differs between the rules of games and those of searches.

/// Which graduation options a placement leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Graduation {
    /// All, as in the rules.
    Any,
    /// Those that the promotion heuristic of the paper's program scores highest, as all its agents play.
    Heuristic,
}

impl Graduation {
    /// All, in the order of their names.
    pub const ALL: [Graduation; 2] = [Graduation::Any, Graduation::Heuristic];
    /// Names in specs.
    pub const NAMES: [&str; 2] = ["any", "heuristic"];
}

/// Whose win a search sees after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchWins {
    /// The mover's, as in the rules.
    Mover,
    /// Either side's, the first player's before the second's, as in searches of the paper's program.
    Both,
}

impl SearchWins {
    /// All, in the order of their names.
    pub const ALL: [SearchWins; 2] = [SearchWins::Mover, SearchWins::Both];
    /// Names in specs.
    pub const NAMES: [&str; 2] = ["mover", "both"];
}

/// Which first moves of a game a search may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchBorder {
    /// All.
    Free,
    /// Not those on the border up to ply 6, as in searches of the paper's program.
    Masked,
}

impl SearchBorder {
    /// All, in the order of their names.
    pub const ALL: [SearchBorder; 2] = [SearchBorder::Free, SearchBorder::Masked];
    /// Names in specs.
    pub const NAMES: [&str; 2] = ["free", "masked"];
}

/// The options of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Plies after which a game is unfinished, 1 to 60,000.
    pub plies_max: u16,
    /// Plies after which a playout counts as a draw, 1 to 60,000.
    pub playout_plies: u16,
    /// Which graduation options a placement leaves open.
    pub graduation: Graduation,
    /// Whose win a search sees.
    pub search_wins: SearchWins,
    /// Which first moves a search may choose.
    pub search_border: SearchBorder,
}

/// The rules of the game, with caps of 300 plies.
impl Default for Rules {
    fn default() -> Self {
        Rules {
            plies_max: 300,
            playout_plies: 300,
            graduation: Graduation::Any,
            search_wins: SearchWins::Mover,
            search_border: SearchBorder::Free,
        }
    }
}
