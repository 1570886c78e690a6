//! The trial of a study: a player at one decision of any game, or through a whole game for one.

use std::time::Instant;

use games::{Game, GameSpec, Seat, Seed, Turn, Visitor, columns::ColumnValue};

use crate::{
    PlayError, Player, PlayerSpec,
    artifacts::Artifacts,
    figures::ByTurn,
    play::{Log, Watcher},
    readout::Metrics,
    registry,
};

/// What a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// One decision at the position.
    Decision,
    /// A whole game for one player, from the position on.
    Game,
}

/// What a trial depends on, besides its game and player.
#[derive(Clone, Debug, PartialEq)]
pub struct SoloSetup {
    /// Text of the position where it begins; `None` for the start of the game.
    pub position: Option<String>,
    /// What the trial is.
    pub measure: Measure,
    /// Bins of the tree's histogram; 0 for none.
    pub bins: usize,
    /// Seed of nature, and of parameters that players draw.
    pub nature_seed: Seed,
    /// Seed of the player.
    pub player_seed: Seed,
}

/// The result of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoloRecord {
    /// Points of the seat that decided first, at the end of the game or, of a decision, at the position after the chosen
    /// move as if the game ended there.
    pub points: f64,
    /// The game's own score at that position ([`Game::score_difference`]).
    pub score: i64,
    /// Moves played, including nature's.
    pub plies: u32,
    /// Fingerprint of the moves, as [`crate::GameRecord::moves_hash`].
    pub moves_hash: u64,
    /// Decisions that took a search.
    pub decisions: u32,
    /// Iterations of all decisions.
    pub iterations: u64,
    /// Microseconds spent deciding. Depends on the machine.
    pub micros: u64,
    /// Means over the decisions that took a search.
    pub metrics: Metrics,
    /// `move:visits` of the root's children at the last decision, most visited first, separated by blanks.
    pub root_visits: String,
    /// The histogram at the last decision ([`crate::readout::Readout`]): three lists separated by semicolons, their counts
    /// by commas.
    pub histogram: String,
    /// The final formula of the last decision.
    pub formula: String,
    /// The figures that the player declares, of each decision that took a search.
    pub figures: ByTurn,
    /// Values of the game's own columns, in the order of [`games::columns::fields`]; none for a single decision.
    pub columns: Vec<ColumnValue>,
}

/// A player that runs one trial after another. Each trial is the same as with a fresh player; only memory is reused.
pub trait Solo: Send {
    /// Runs one trial.
    ///
    /// # Panics
    /// [`check`] refuses the setup.
    fn play(&mut self, setup: &SoloSetup) -> SoloRecord {
        self.play_watched(setup, None)
    }

    /// Runs one trial and calls `watcher` at each ply.
    ///
    /// # Panics
    /// As [`Solo::play`].
    fn play_watched(&mut self, setup: &SoloSetup, watcher: Option<&mut Watcher<'_>>) -> SoloRecord;
}

/// Builds a player for a game, with the artifacts that its spec names.
///
/// # Errors
/// The player cannot play the game, or an artifact cannot be used.
pub fn prepare(game: &GameSpec, player: &PlayerSpec, artifacts: &dyn Artifacts) -> Result<Box<dyn Solo>, PlayError> {
    struct Prepare<'a>(&'a PlayerSpec, &'a dyn Artifacts);
    impl Visitor for Prepare<'_> {
        type Output = Result<Box<dyn Solo>, PlayError>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            Ok(Box::new(SoloGame { player: registry::build(self.0, &start, self.1)?, start, own_turns: 0 }))
        }
    }
    games::visit(game, Prepare(player, artifacts))
}

/// Checks that trials of `game` can begin at `position`.
///
/// # Errors
/// A whole game is wanted and the game is for more than one, the text does not name a position of the game, or no player
/// moves there.
pub fn check(game: &GameSpec, measure: Measure, position: Option<&str>) -> Result<(), PlayError> {
    struct Check<'a>(Measure, Option<&'a str>);
    impl Visitor for Check<'_> {
        type Output = Result<(), PlayError>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let Check(measure, position) = self;
            let facts = start.facts();
            if measure == Measure::Game && facts.players != 1 {
                return Err(PlayError::NotAlone { game: facts.name, players: facts.players });
            }
            let at = position.map_or(Ok(start.clone()), |text| start.parse_position(text))?;
            match at.turn() {
                Turn::Over => Err(PlayError::NoDecision { game: facts.name, reason: "the game is over there" }),
                Turn::Chance if measure == Measure::Decision => {
                    Err(PlayError::NoDecision { game: facts.name, reason: "it is nature's turn there" })
                }
                _ => Ok(()),
            }
        }
    }
    games::visit(game, Check(measure, position))
}

/// A game and the player of the trial.
struct SoloGame<G: Game> {
    start: G,
    player: Box<dyn Player<G>>,
    /// Turns of the player in this trial so far.
    own_turns: u32,
}

impl<G: Game> SoloGame<G> {
    #[expect(clippy::disallowed_methods, reason = "time per decision is measured beside the result, not part of it")]
    fn decide(&mut self, position: &G, bins: usize, record: &mut SoloRecord) -> G::Move {
        let start = Instant::now();
        let decision = self.player.decide(position);
        let micros = start.elapsed().as_micros();
        if decision.iterations > 0 {
            record.decisions += 1;
            record.iterations += decision.iterations;
            record.micros += u64::try_from(micros).unwrap_or(u64::MAX);
            record.figures.add(self.own_turns, |values| self.player.figures(values));
            if let Some(readout) = self.player.readout(bins) {
                record.metrics.add(&readout.metrics);
                let visits = readout.root_visits.iter().map(|(chosen, visits)| format!("{chosen}:{visits}"));
                record.root_visits = visits.collect::<Vec<_>>().join(" ");
                record.histogram = histogram_text(&readout.histogram);
                record.formula = readout.formula;
            }
        }
        self.own_turns += 1;
        decision.chosen
    }
}

impl<G: Game> Solo for SoloGame<G> {
    fn play_watched(&mut self, setup: &SoloSetup, mut watcher: Option<&mut Watcher<'_>>) -> SoloRecord {
        let mut nature = setup.nature_seed.rng();
        self.player.start(&setup.player_seed);
        self.player.draw_parameters(&setup.nature_seed);
        self.own_turns = 0;
        let mut position = match &setup.position {
            Some(text) => self.start.parse_position(text).expect("the text was checked"),
            None => self.start.clone(),
        };
        let (mut record, mut log, mut first) = (SoloRecord::default(), Log::new(&position), None::<Seat>);
        loop {
            let (seat, chosen) = match position.turn() {
                Turn::Over => break,
                Turn::Chance => (None, position.chance(&mut nature)),
                Turn::Player(seat) => (Some(seat), self.decide(&position, setup.bins, &mut record)),
            };
            if let Some(watcher) = &mut watcher {
                watcher(&position.board_text(), seat, &position.move_text(chosen));
            }
            log.add(&position, chosen);
            self.player.observe(&position, chosen);
            position.play(chosen);
            record.plies += 1;
            first = first.or(seat);
            if setup.measure == Measure::Decision && seat.is_some() {
                break;
            }
        }
        if let Some(watcher) = &mut watcher {
            watcher(&position.board_text(), None, "");
        }
        record.moves_hash = log.moves_hash();
        if setup.measure == Measure::Game {
            record.columns = log.columns(&position);
        }
        record.points = position.points()[first.unwrap_or(0)];
        record.score = position.score_difference();
        if record.decisions > 0 {
            record.metrics.divide(f64::from(record.decisions));
        }
        record
    }
}

fn histogram_text(histogram: &[Vec<u32>; 3]) -> String {
    if histogram[0].is_empty() {
        return String::new();
    }
    let list = |counts: &Vec<u32>| counts.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    histogram.each_ref().map(list).join(";")
}
