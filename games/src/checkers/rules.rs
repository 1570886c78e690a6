//! The rule sets.

/// What is legal, and what is a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// The report's: captures are free, a chain of jumps may stop after any of them, a king may turn. A draw when only
    /// kings are left and the last so many plies took nothing.
    Project,
    /// The report's program as released: as [`Rules::Project`], but a chain keeps its vertical direction, takes only the
    /// last two pieces it jumped over, reaches the top row only by its first jump, and of a piece's chains to a square
    /// only the last one found counts. A draw after so many plies in a row of kings that took nothing.
    Code,
    /// English draughts: captures are compulsory, chains must be finished, ways to the same end are several moves. A
    /// draw after so many plies in a row of kings that took nothing (the 40-move rule, which nobody need claim here).
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

    /// Plies without progress after which a game is a draw if nobody says otherwise: the report's 20 moves are counted
    /// as its program counts them, for both sides together; English draughts has 40 moves of each side.
    pub fn draw_plies(self) -> u16 {
        match self {
            Rules::Project | Rules::Code => 20,
            Rules::English => 80,
        }
    }
}
