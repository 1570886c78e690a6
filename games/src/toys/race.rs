//! A game with nature: a loaded die is thrown, and a player keeps the eyes or gives them away.

use spec::{Default, Entry, Kind, Param, Spec};

use super::MoveList;
use crate::{
    Facts, Game, Rng, TextError, Turn, below,
    columns::{ColumnKind, ColumnScope, ColumnValue, GameColumn, Recorder},
    listed::{CHECKED, Listed},
};

/// Faces of the die, and of how many sixths each has.
const FACES: [(u8, u32); 3] = [(1, 3), (2, 2), (3, 1)];

/// Columns of the results: two by seat, two by game, one of each kind at least.
const COLUMNS: [GameColumn; 4] = [
    GameColumn { name: "kept", kind: ColumnKind::Int, scope: ColumnScope::Seat },
    GameColumn { name: "eyes", kind: ColumnKind::Int, scope: ColumnScope::Game },
    GameColumn { name: "eyes_mean", kind: ColumnKind::Real, scope: ColumnScope::Game },
    GameColumn { name: "score_by_turn", kind: ColumnKind::List, scope: ColumnScope::Seat },
];

/// Nature throws a die; the player whose turn it is keeps its eyes or gives them to the other. The greater score wins
/// after a number of throws. Moves of nature are the eyes, those of players 0 (give) and 1 (keep).
///
/// A single player has no one to give eyes to, and is rewarded with the share of the eyes that the die could have at most.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Race {
    players: u16,
    throws: u16,
    thrown: u16,
    /// Eyes that the player decides about.
    eyes: Option<u8>,
    scores: [u32; 2],
}

impl Race {
    /// The start of a game of `throws` throws for two.
    pub fn new(throws: u16) -> Self {
        Race { players: 2, throws, thrown: 0, eyes: None, scores: [0; 2] }
    }

    /// The same game for one.
    #[must_use]
    pub fn alone(self) -> Self {
        Race { players: 1, ..self }
    }

    /// Who decides about the eyes that were thrown last.
    fn decider(&self) -> usize {
        usize::from((self.thrown - 1) % self.players)
    }

    fn read(text: &str) -> Option<(u16, Option<u8>, [u32; 2])> {
        let fields: Vec<&str> = text.split('/').collect();
        let [thrown, eyes, first, second] = fields[..] else { return None };
        let eyes = if eyes == "-" { None } else { Some(eyes.parse().ok()?) };
        Some((thrown.parse().ok()?, eyes, [first.parse().ok()?, second.parse().ok()?]))
    }
}

impl Listed for Race {
    const ENTRY: Entry = Entry {
        name: "toy-race",
        doc: "a loaded die is thrown, and a player keeps the eyes or gives them away",
        params: &[&[
            Param {
                name: "throws",
                kind: Kind::Int(1, 1_000),
                default: Default::Int(12),
                doc: "throws of the die, after which the game is over",
            },
            Param { name: "players", kind: Kind::Int(1, 2), default: Default::Int(2), doc: "players" },
        ]],
        one_of: &[],
    };

    fn start(spec: &Spec) -> Self {
        let start = Race::new(spec.int("throws").and_then(|throws| throws.try_into().ok()).expect(CHECKED));
        if spec.int("players") == Some(1) { start.alone() } else { start }
    }
}

impl Game for Race {
    type Move = u8;
    type Moves = MoveList<u8>;

    fn facts(&self) -> Facts {
        Facts {
            name: "toy-race",
            title: "Toy race",
            players: self.players.into(),
            chance: true,
            moves_max: FACES.len(),
            plies_max: 2 * u32::from(self.throws),
            score_unit: "eyes",
            columns: &COLUMNS,
        }
    }

    fn mover(&self) -> Turn {
        match self.eyes {
            Some(_) => Turn::Player(self.decider()),
            None if self.thrown < self.throws => Turn::Chance,
            None => Turn::Over,
        }
    }

    fn moves(&self) -> MoveList<u8> {
        MoveList(match self.mover() {
            Turn::Player(_) => vec![0, 1],
            Turn::Chance => FACES.iter().map(|face| face.0).collect(),
            Turn::Over => Vec::new(),
        })
    }

    fn play(&mut self, chosen: u8) {
        if let Some(eyes) = self.eyes.take() {
            let mover = self.decider();
            let seat = if chosen == 1 { mover } else { 1 - mover };
            if seat < usize::from(self.players) {
                self.scores[seat] += u32::from(eyes);
            }
        } else {
            self.thrown += 1;
            self.eyes = Some(chosen);
        }
    }

    fn chance(&self, rng: &mut Rng) -> u8 {
        let draw = below(rng, FACES.iter().map(|face| face.1).sum());
        let mut sixths = 0;
        let drawn = FACES.iter().find(|face| {
            sixths += face.1;
            draw < sixths
        });
        drawn.expect("the faces have all sixths").0
    }

    fn probability(&self, drawn: u8) -> f64 {
        let face = FACES.iter().find(|face| face.0 == drawn);
        f64::from(face.expect("a face of the die").1) / f64::from(FACES.iter().map(|face| face.1).sum::<u32>())
    }

    fn points(&self) -> [f64; 2] {
        if self.players == 1 {
            return [f64::from(self.scores[0]) / (3.0 * f64::from(self.throws)), 0.0];
        }
        let first = (self.score_difference().signum() + 1) as f64 / 2.0;
        [first, 1.0 - first]
    }

    fn score_difference(&self) -> i64 {
        i64::from(self.scores[0]) - i64::from(self.scores[1])
    }

    fn score_if_ended(&self) -> Option<i64> {
        // Eyes that are not given away yet would be kept.
        let pending = self.eyes.map_or(0, i64::from);
        let sign = if self.eyes.is_some() && self.decider() == 1 { -1 } else { 1 };
        Some(self.score_difference() + sign * pending)
    }

    fn score_bounds(&self) -> Option<(i64, i64)> {
        let greatest_face = FACES.iter().map(|face| i64::from(face.0)).max()?;
        let to_come = greatest_face * i64::from(self.throws - self.thrown) + self.eyes.map_or(0, i64::from);
        let score = self.score_difference();
        Some((if self.players == 1 { score } else { score - to_come }, score + to_come))
    }

    fn recorder(&self) -> Option<Box<dyn Recorder<Self>>> {
        Some(Box::new(RaceRecorder { players: self.players.into(), ..RaceRecorder::default() }))
    }

    fn move_text(&self, chosen: u8) -> String {
        match (self.eyes, chosen) {
            (None, eyes) => eyes.to_string(),
            (Some(_), 0) => "give".to_owned(),
            (Some(_), _) => "keep".to_owned(),
        }
    }

    fn position_text(&self) -> String {
        let eyes = self.eyes.map_or("-".to_owned(), |eyes| eyes.to_string());
        format!("{}/{eyes}/{}/{}", self.thrown, self.scores[0], self.scores[1])
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let error = |reason| TextError::position("toy-race", text, reason);
        let (thrown, eyes, scores) =
            Race::read(text).ok_or_else(|| error("not throws, eyes and scores such as `3/2/4/1`"))?;
        if eyes.is_some_and(|eyes| thrown == 0 || FACES.iter().all(|face| face.0 != eyes)) {
            return Err(error("not eyes of a die that was thrown"));
        }
        if thrown > self.throws {
            return Err(error("more throws than the game has"));
        }
        Ok(Race { thrown, eyes, scores, ..self.clone() })
    }
}

/// Counts what players keep and what nature throws.
#[derive(Default)]
struct RaceRecorder {
    players: usize,
    kept: [i64; 2],
    throws: u32,
    eyes: i64,
    /// By seat: its score after each of its own turns.
    scores: [Vec<i64>; 2],
}

impl Recorder<Race> for RaceRecorder {
    fn observe(&mut self, before: &Race, played: u8) {
        match before.mover() {
            Turn::Player(seat) => {
                let mut after = before.clone();
                after.play(played);
                self.kept[seat] += i64::from(played);
                self.scores[seat].push(after.scores[seat].into());
            }
            _ => {
                self.throws += 1;
                self.eyes += i64::from(played);
            }
        }
    }

    fn finish(&mut self, _end: &Race) -> Vec<ColumnValue> {
        let mut values: Vec<ColumnValue> =
            self.kept[..self.players].iter().map(|&kept| ColumnValue::Int(kept)).collect();
        values.push(ColumnValue::Int(self.eyes));
        values.push(ColumnValue::Real(self.eyes as f64 / f64::from(self.throws.max(1))));
        values.extend(self.scores[..self.players].iter().map(|scores| ColumnValue::List(scores.clone())));
        values
    }
}
