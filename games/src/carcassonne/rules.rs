//! What the options of the game change.

use super::tile::{START, TILES, TYPES};

/// Most tiles of a game, the start tile among them.
pub(super) const TILES_MAX: usize = 72;

/// The games of the thesis (table 4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// For two, with 7 meeples each and all tiles.
    Base,
    /// For one with 1 meeple and one tile of each type, drawn at random.
    OneStochastic,
    /// The same with 3 meeples.
    ThreeStochastic,
    /// For one with 1 meeple and one tile of each type in an order that is drawn before the first turn, and known.
    OneDeterministic,
    /// The same with 3 meeples.
    ThreeDeterministic,
}

impl Variant {
    /// Names in specs, in the order of [`Variant::ALL`].
    pub const NAMES: [&'static str; 5] = ["base", "1s", "3s", "1d", "3d"];

    /// All variants.
    pub const ALL: [Variant; 5] = [
        Variant::Base,
        Variant::OneStochastic,
        Variant::ThreeStochastic,
        Variant::OneDeterministic,
        Variant::ThreeDeterministic,
    ];
}

/// The tiles of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deck {
    /// As printed: 2 tiles O and 3 tiles P.
    Printed,
    /// As in the thesis' program: 3 tiles O and 2 tiles P, and so 11 pennants instead of 10. Its greatest score by
    /// equation 4.7 is the 593 of the thesis; that of the printed deck is 591.
    Thesis,
    /// One tile of each type, the start tile among them.
    OneOfEach,
}

/// What a finished game for two is worth to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reward {
    /// The difference of the scores by their upper bound (R2 of the thesis), from -1 to 1.
    Difference,
    /// 1 for a win, 0 for a draw, -1 for a loss (R1).
    Result,
}

impl Reward {
    /// Names in specs, in the order of [`Reward::ALL`].
    pub const NAMES: [&'static str; 2] = ["difference", "result"];

    /// Both rewards.
    pub const ALL: [Reward; 2] = [Reward::Difference, Reward::Result];
}

/// The rules of a game. [`Rules::of`] gives those of a variant, from which the last three may differ as in the
/// thesis' program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Players, 1 or 2.
    pub players: u8,
    /// Meeples of each player, from 1 to 7.
    pub meeples: u8,
    /// The tiles.
    pub deck: Deck,
    /// Whether the order of the tiles is drawn before the first turn and known.
    pub ordered: bool,
    /// What searches maximise in a game for two.
    pub reward: Reward,
    /// Whether a tile with two segments in a city or a road counts twice there.
    pub segments_twice: bool,
    /// Whether a field remembers the numbers that its cities had when its tiles were laid. Where two cities became
    /// one, the number of one of them is stale, and a field that met only that one gets nothing for the city.
    pub stale_cities: bool,
    /// Whether a tile that fits nowhere stays in the stack, and another is drawn; the game is over when no tile fits.
    /// Else such a tile leaves the game.
    pub unplaceable_stays: bool,
}

impl Rules {
    /// The official rules of a variant.
    pub fn of(variant: Variant) -> Self {
        let (players, meeples, ordered) = match variant {
            Variant::Base => (2, 7, false),
            Variant::OneStochastic => (1, 1, false),
            Variant::ThreeStochastic => (1, 3, false),
            Variant::OneDeterministic => (1, 1, true),
            Variant::ThreeDeterministic => (1, 3, true),
        };
        Rules {
            players,
            meeples,
            deck: if variant == Variant::Base { Deck::Printed } else { Deck::OneOfEach },
            ordered,
            reward: Reward::Difference,
            segments_twice: false,
            stale_cities: false,
            unplaceable_stays: false,
        }
    }

    /// `[type]`: tiles without the start tile.
    pub fn copies(&self) -> [u8; TYPES] {
        let mut copies: [u8; TYPES] = std::array::from_fn(|kind| match self.deck {
            Deck::OneOfEach => 1,
            Deck::Printed | Deck::Thesis => TILES[kind].copies,
        });
        if self.deck == Deck::Thesis {
            // O and P.
            (copies[14], copies[15]) = (3, 2);
        }
        copies[usize::from(START)] -= 1;
        copies
    }

    /// Upper bound of a score by equation 4.7 of the thesis, by which rewards are divided: 593 in the base game, 135
    /// and 105 in the games for one with 3 meeples and 1. Cities, roads and cloisters are all finished, and every
    /// meeple ends on a field that touches every city. The printed deck, whose bound is 591, is divided by 593 as
    /// well.
    pub fn score_max(&self) -> u16 {
        let (features, finished_cities) = match self.deck {
            Deck::Printed | Deck::Thesis => (120 + 62 + 54, 17),
            Deck::OneOfEach => (52 + 20 + 18, 5),
        };
        features + 3 * finished_cities * u16::from(self.meeples)
    }
}
