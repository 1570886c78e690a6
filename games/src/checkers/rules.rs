//! The rule sets.

/// Which moves are legal, and when a game is a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Those of the project: captures are optional, a chain may stop after any jump, a king may turn. A draw if only kings
    /// are left and the last plies, as many as the limit, took nothing.
    Project,
    /// Those of the project's program as released: as [`Rules::Project`], but a chain keeps its vertical direction, takes
    /// only the last two pieces it jumped over, reaches the top row only by its first jump, and of a piece's chains to a
    /// square only the last one found counts. A draw if kings made the last plies and took nothing.
    Code,
    /// English draughts: captures are compulsory, chains must be finished, and each way to the same end is a move. A draw
    /// if kings made the last plies and took nothing (the 40-move rule, which need not be claimed here).
    English,
}

impl Rules {
    /// All of them.
    pub const ALL: [Rules; 3] = [Rules::Project, Rules::Code, Rules::English];
    /// Their names in specs.
    pub(crate) const NAMES: [&str; 3] = ["project", "code", "english"];

    /// The rule set of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Rules::ALL.into_iter().find(|&rules| Rules::NAMES[rules as usize] == name)
    }

    /// Default number of plies without progress after which a game is a draw. The project's 20 moves are counted as its
    /// program counts them, for both sides together; English draughts has 40 moves of each side.
    pub fn draw_plies(self) -> u16 {
        match self {
            Rules::Project | Rules::Code => 20,
            Rules::English => 80,
        }
    }
}
