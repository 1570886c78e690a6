//! One game between players: the trial of a match.

use std::time::Instant;

use games::{
    Game, GameSpec, Moves as _, Rng, Seed, TextError, Turn, Visitor, below,
    columns::{ColumnValue, Recorder},
};
use spec::Fault;

use crate::{
    Player, PlayerSpec,
    artifacts::{ArtifactError, Artifacts, HeldArtifacts},
    figures::ByTurn,
    listed::BuildError,
    registry,
};

/// What a game depends on, besides its rules and players.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSetup {
    /// Random plies before the players take over. Fewer if the game would end sooner.
    pub opening_plies: u32,
    /// Seed of the opening, of nature, and of parameters that both players draw.
    pub opening_seed: Seed,
    /// Seeds of the players, by seat.
    pub player_seeds: [Seed; 2],
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// By seat: 1 win, 0.5 draw, 0 loss.
    pub points: [f64; 2],
    /// The first seat's score minus the second's at the end.
    pub score_difference: i64,
    /// Moves played, including passes, the opening and nature's moves.
    pub plies: u32,
    /// Fingerprint of the moves: the first 8 bytes of BLAKE3 over their texts, each behind a space.
    pub moves_hash: u64,
    /// By seat: decisions that took a search.
    pub decisions: [u32; 2],
    /// By seat: iterations spent.
    pub iterations: [u64; 2],
    /// By seat: microseconds spent deciding. Depends on the machine.
    pub micros: [u64; 2],
    /// By seat, for each decision that took a search: the plies before it, and its microseconds.
    pub turns: [Vec<(u32, u64)>; 2],
    /// By seat: the figures that its player declares, of each decision that took a search.
    pub figures: [ByTurn; 2],
    /// Values of the game's own columns, in the order of [`games::columns::fields`].
    pub columns: Vec<ColumnValue>,
}

/// Why a game cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The game is for one player, and two are to play it.
    #[error("`{game}` is a game for one player, and this needs one for two, such as `reversi`")]
    Alone {
        /// The game.
        game: &'static str,
    },
    /// One player is to play a whole game, and the game is for more.
    #[error("`{game}` is a game for {players}: a whole game of one player is for games for one")]
    NotAlone {
        /// The game.
        game: &'static str,
        /// The number of its players.
        players: usize,
    },
    /// No player moves at a position where a decision is wanted.
    #[error("no player moves at this position of `{game}`: {reason}")]
    NoDecision {
        /// The game.
        game: &'static str,
        /// Who moves instead.
        reason: &'static str,
    },
    /// A text does not name a position of the game.
    #[error(transparent)]
    Position(#[from] TextError),
    /// A player cannot play the game.
    #[error(transparent)]
    Player(#[from] Fault),
    /// A player lacks an artifact.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

impl From<BuildError> for PlayError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Spec(fault) => PlayError::Player(fault),
            BuildError::Artifact(error) => PlayError::Artifact(error),
        }
    }
}

/// Called at each ply with the board before it, the seat (`None` for nature and the opening) and the move.
pub type Watcher<'a> = dyn FnMut(&str, Option<usize>, &str) + 'a;

/// Two players who play one game after another. Each game is the same as with fresh players; only memory is reused.
pub trait Match: Send {
    /// Plays one game.
    fn play(&mut self, setup: &GameSetup) -> GameRecord {
        self.play_watched(setup, None)
    }

    /// Plays one game and calls `watcher` at each ply.
    fn play_watched(&mut self, setup: &GameSetup, watcher: Option<&mut Watcher<'_>>) -> GameRecord;
}

/// Checks that `game` is for two players.
///
/// # Errors
/// It is for one.
pub fn check_for_two(game: &GameSpec) -> Result<(), PlayError> {
    let facts = game.facts();
    if facts.players == 2 { Ok(()) } else { Err(PlayError::Alone { game: facts.name }) }
}

/// Builds two players, by seat, for a game, with the artifacts that their specs name.
///
/// # Errors
/// The game is not for two, a player cannot play it, or an artifact cannot be used.
pub fn prepare(
    game: &GameSpec,
    seats: [&PlayerSpec; 2],
    artifacts: &dyn Artifacts,
) -> Result<Box<dyn Match>, PlayError> {
    check_for_two(game)?;
    struct Prepare<'a>([&'a PlayerSpec; 2], &'a dyn Artifacts);
    impl Visitor for Prepare<'_> {
        type Output = Result<Box<dyn Match>, PlayError>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let Prepare([first, second], artifacts) = self;
            let players = [registry::build(first, &start, artifacts)?, registry::build(second, &start, artifacts)?];
            Ok(Box::new(MatchGame { players, start, own_turns: [0; 2] }))
        }
    }
    games::visit(game, Prepare(seats, artifacts))
}

/// Plays one game between fresh players that need no artifact.
///
/// # Errors
/// The game is not for two, a player cannot play it, or it needs an artifact.
pub fn play_game(game: &GameSpec, seats: [&PlayerSpec; 2], setup: &GameSetup) -> Result<GameRecord, PlayError> {
    Ok(prepare(game, seats, &HeldArtifacts::default())?.play(setup))
}

/// What is written down while a game is played.
pub(crate) struct Log<G: Game> {
    moves: blake3::Hasher,
    recorder: Option<Box<dyn Recorder<G>>>,
}

impl<G: Game> Log<G> {
    pub(crate) fn new(start: &G) -> Self {
        Log { moves: blake3::Hasher::new(), recorder: start.recorder() }
    }

    /// Adds a move that is about to be played at `before`.
    pub(crate) fn add(&mut self, before: &G, played: G::Move) {
        self.moves.update(b" ").update(before.move_text(played).as_bytes());
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(before, played);
        }
    }

    /// Fingerprint of the moves.
    pub(crate) fn moves_hash(&self) -> u64 {
        u64::from_le_bytes(self.moves.finalize().as_bytes()[..8].try_into().expect("a hash has 32 bytes"))
    }

    /// Values of the game's own columns when it has ended.
    pub(crate) fn columns(&mut self, end: &G) -> Vec<ColumnValue> {
        self.recorder.as_mut().map_or(Vec::new(), |recorder| recorder.finish(end))
    }
}

/// A game and its two players.
struct MatchGame<G: Game> {
    start: G,
    players: [Box<dyn Player<G>>; 2],
    /// By seat: its turns in this game so far.
    own_turns: [u32; 2],
}

impl<G: Game> MatchGame<G> {
    fn ply(&mut self, position: &mut G, chosen: G::Move, record: &mut GameRecord, log: &mut Log<G>) {
        log.add(position, chosen);
        for player in &mut self.players {
            player.observe(position, chosen);
        }
        position.play(chosen);
        record.plies += 1;
    }

    #[expect(clippy::disallowed_methods, reason = "time per decision is measured beside the result, not part of it")]
    fn decide(&mut self, position: &G, seat: usize, record: &mut GameRecord) -> G::Move {
        let start = Instant::now();
        let decision = self.players[seat].decide(position);
        let micros = start.elapsed().as_micros();
        if decision.iterations > 0 {
            record.decisions[seat] += 1;
            record.iterations[seat] += decision.iterations;
            let micros = u64::try_from(micros).unwrap_or(u64::MAX);
            record.micros[seat] += micros;
            record.turns[seat].push((record.plies, micros));
            record.figures[seat].add(self.own_turns[seat], |values| self.players[seat].figures(values));
        }
        self.own_turns[seat] += 1;
        decision.chosen
    }
}

impl<G: Game> Match for MatchGame<G> {
    fn play_watched(&mut self, setup: &GameSetup, mut watcher: Option<&mut Watcher<'_>>) -> GameRecord {
        let mut nature = setup.opening_seed.rng();
        for (player, seed) in self.players.iter_mut().zip(&setup.player_seeds) {
            player.start(seed);
            player.draw_parameters(&setup.opening_seed);
        }
        self.own_turns = [0; 2];
        let mut position = self.start.clone();
        let mut record = GameRecord {
            points: [0.0; 2],
            score_difference: 0,
            plies: 0,
            moves_hash: 0,
            decisions: [0; 2],
            iterations: [0; 2],
            micros: [0; 2],
            turns: [Vec::new(), Vec::new()],
            figures: [ByTurn::default(), ByTurn::default()],
            columns: Vec::new(),
        };
        let mut log = Log::new(&position);
        loop {
            let (seat, chosen) = match position.turn() {
                Turn::Over => break,
                Turn::Chance => (None, position.chance(&mut nature)),
                Turn::Player(_) if record.plies < setup.opening_plies => (None, random_move(&position, &mut nature)),
                Turn::Player(seat) => (Some(seat), self.decide(&position, seat, &mut record)),
            };
            if let Some(watcher) = &mut watcher {
                watcher(&position.board_text(), seat, &position.move_text(chosen));
            }
            self.ply(&mut position, chosen, &mut record, &mut log);
        }
        if let Some(watcher) = &mut watcher {
            watcher(&position.board_text(), None, "");
        }
        record.moves_hash = log.moves_hash();
        record.columns = log.columns(&position);
        record.points = position.points();
        record.score_difference = position.score_difference();
        record
    }
}

fn random_move<G: Game>(position: &G, rng: &mut Rng) -> G::Move {
    let moves = position.moves();
    moves.get(if moves.len() == 1 { 0 } else { below(rng, moves.len() as u32) as usize })
}
