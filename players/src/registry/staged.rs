//! A player made of players: one plays the first turns, another goes on (the conclusion of the Checkers project: minimax
//! early, MCTS late, with a budget that changes by the turn). It stands with the registry because the registry reads and
//! builds its stages.

use games::{Game, Seed, purpose};
use spec::{Default, Entry, Fault, Kind, Param, Spec, Value};

use super::PlayerSpec;
use crate::{
    Decision, Player, Searched,
    artifacts::Artifacts,
    figures::{Figure, union},
    listed::{BuildError, Listed},
    readout::Readout,
};

/// The kind `staged`.
pub(crate) struct StagedKind;

impl Listed for StagedKind {
    const ENTRY: Entry = Entry {
        name: "staged",
        doc: "one player after another, by the turn of the game",
        params: &[&[Param {
            name: STAGES,
            kind: Kind::Text("stages such as (0 minimax:depth=3) (12 mcts:playouts=500)"),
            default: Default::None,
            doc: "players in brackets, each behind the turn from which it plays, counted from 0 by this player's own turns",
        }]],
        one_of: &[],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let stages = parse(spec.text(STAGES).unwrap_or_default())?;
        spec.set(STAGES, Value::Text(text(&stages)));
        Ok(())
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        stages(spec).iter().try_for_each(|(_, player)| super::check_game(player, start))
    }

    /// Those of all stages.
    fn figures(spec: &Spec) -> Vec<Figure> {
        union(stages(spec).iter().map(|(_, player)| player.figures()))
    }

    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        let all = Self::figures(spec);
        let stage = |(from, spec): (u32, PlayerSpec)| {
            let places = spec.figures().iter().map(|own| place(&all, own)).collect();
            Ok(Stage { from, player: super::build(&spec, start, artifacts)?, places })
        };
        let stages = stages(spec).into_iter().map(stage).collect::<Result<_, BuildError>>()?;
        Ok(Box::new(Staged { stages, figures: all.len(), turn: 0, last: 0 }))
    }
}

/// The parameter that holds the stages.
const STAGES: &str = "stages";

/// The players of a checked spec of this kind, each with the turn from which it plays; none of another kind.
pub(crate) fn stages(spec: &Spec) -> Vec<(u32, PlayerSpec)> {
    let Some(Value::Text(text)) = spec.find(STAGES) else { return Vec::new() };
    parse(text).expect("the check keeps only what can be read")
}

/// Reads stages.
///
/// # Errors
/// The text has another form, turns do not rise from 0, or a player is none.
fn parse(text: &str) -> Result<Vec<(u32, PlayerSpec)>, Fault> {
    let fault = |reason: String| Fault::Conflict { key: "stages".to_owned(), reason };
    let form = || fault(format!("`{text}` is no list of stages; write `(0 PLAYER) (12 PLAYER)`, turns before players"));
    let mut stages: Vec<(u32, PlayerSpec)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let inside = rest.strip_prefix('(').ok_or_else(form)?;
        let end = closing(inside).ok_or_else(form)?;
        let (turn, player) = inside[..end].trim().split_once(char::is_whitespace).ok_or_else(form)?;
        let turn: u32 = turn.parse().map_err(|_| form())?;
        let wrong = |faults: Vec<Fault>| {
            let reasons = faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ");
            fault(format!("the player from turn {turn} on: {reasons}"))
        };
        let player: PlayerSpec = player.trim().parse().map_err(wrong)?;
        if player.has_players() {
            return Err(fault("a stage cannot have stages of its own, or a solver with its player".to_owned()));
        }
        match stages.last() {
            None if turn != 0 => return Err(fault(format!("the first stage begins at turn 0, not {turn}"))),
            Some((before, _)) if *before >= turn => {
                return Err(fault(format!("turns rise: {turn} cannot stand behind {before}")));
            }
            _ => stages.push((turn, player)),
        }
        rest = inside[end + 1..].trim_start();
    }
    if stages.is_empty() { Err(form()) } else { Ok(stages) }
}

/// Place of the bracket that closes one opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.bytes().position(|c| {
        open += i32::from(c == b'(') - i32::from(c == b')');
        open == 0
    })
}

/// Stages as text, with every parameter of every player.
fn text(stages: &[(u32, PlayerSpec)]) -> String {
    stages.iter().map(|(turn, player)| format!("({turn} {player})")).collect::<Vec<_>>().join(" ")
}

/// Place of a figure among all of them.
fn place(all: &[Figure], own: &Figure) -> usize {
    all.iter().position(|figure| figure.name == own.name).expect("all figures have those of each stage")
}

/// A player with its place in the game.
struct Stage<G: Game> {
    /// The own turn from which it plays.
    from: u32,
    player: Box<dyn Player<G>>,
    /// Places of its figures among those of all stages.
    places: Vec<usize>,
}

/// One player after another.
struct Staged<G: Game> {
    /// By the turn from which each plays, ascending from 0.
    stages: Vec<Stage<G>>,
    /// Number of the figures of all stages.
    figures: usize,
    /// Own turns so far.
    turn: u32,
    /// Who decided last.
    last: usize,
}

impl<G: Game> Player<G> for Staged<G> {
    fn start(&mut self, seed: &Seed) {
        self.turn = 0;
        for (place, stage) in self.stages.iter_mut().enumerate() {
            stage.player.start(&seed.part(&purpose::stage(place)));
        }
    }

    fn draw_parameters(&mut self, shared: &Seed) {
        for stage in &mut self.stages {
            stage.player.draw_parameters(shared);
        }
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let later = |stage: &Stage<G>| stage.from > self.turn;
        self.last = self.stages.iter().position(later).unwrap_or(self.stages.len()) - 1;
        self.turn += 1;
        self.stages[self.last].player.decide(position)
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        self.stages[self.last].player.readout(bins)
    }

    fn figures(&self, values: &mut Vec<f64>) {
        let stage = &self.stages[self.last];
        let mut own = Vec::new();
        stage.player.figures(&mut own);
        let first = values.len();
        values.resize(first + self.figures, f64::NAN);
        for (&place, value) in stage.places.iter().zip(own) {
            values[first + place] = value;
        }
    }

    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        self.stages[self.last].player.root_visits(visits);
    }

    fn searched(&self, found: &mut Vec<Searched>) {
        self.stages[self.last].player.searched(found);
    }

    fn observe(&mut self, before: &G, played: G::Move) {
        for stage in &mut self.stages {
            stage.player.observe(before, played);
        }
    }
}
