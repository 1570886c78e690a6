//! Games of a player against itself, and the positions in them that a network is trained on.

mod codec;
mod samples;

use std::time::Instant;

use games::{Game, GameSpec, Moves as _, Turn, Visitor, below, endings::Endings};

use crate::{
    Player, PlayerSpec,
    artifacts::Artifacts,
    play::{GameSetup, Log, PlayError, check_for_two},
    registry,
};
use codec::{Label, Played, Ply, Sample};
pub use samples::{SamplesError, check_architecture, completed, distances, read_samples};

/// What positions are labelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    /// How the game ends. A game that is as near to its end as this, in the unit of [`Endings::distance`], is solved and not
    /// played on; 0: all are played.
    Outcome(u32),
    /// Their own exact values; only positions as near to the end as this are samples.
    Exact(u32),
    /// The values that searches found ([`Player::searched`]), of all positions that they valued by others behind. Games end
    /// early as with outcomes.
    Searched(u32),
}

/// A game of a player against itself.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlayRecord {
    /// Points of the first seat: 1 for a win, 0.5 for a draw, 0 for a loss; exact where the end was solved.
    pub first_points: f64,
    /// Plies played.
    pub plies: u32,
    /// Fingerprint of the moves, as of other games.
    pub moves_hash: u64,
    /// Iterations spent on all decisions.
    pub iterations: u64,
    /// Microseconds spent deciding. Depends on the machine.
    pub micros: u64,
    /// Positions that are samples.
    pub positions: u32,
    /// Whether the end was solved and not played.
    pub solved: bool,
    /// The game with its samples; the record of several games is theirs, one behind the other.
    pub bytes: Vec<u8>,
}

/// Plays one game after another against itself. Each is the same as with fresh players; only memory is reused.
pub trait SelfPlay: Send {
    /// Plays a game. Its opening has at most [`GameSetup::opening_plies`] random plies: how many is drawn from
    /// [`GameSetup::opening_seed`].
    fn play(&mut self, setup: &GameSetup) -> SelfPlayRecord;
}

/// Builds a player for games against itself, with the artifacts that its spec names.
///
/// # Errors
/// The game is not for two, the player cannot play it, an artifact cannot be used, or the game has no exact values where labels
/// are to be exact.
pub fn prepare(
    game: &GameSpec,
    player: &PlayerSpec,
    labels: Labels,
    artifacts: &dyn Artifacts,
) -> Result<Box<dyn SelfPlay>, PlayError> {
    check_for_two(game)?;
    struct Prepare<'a>(&'a PlayerSpec, Labels, &'a dyn Artifacts);
    impl Visitor for Prepare<'_> {
        type Output = Result<Box<dyn SelfPlay>, PlayError>;
        fn visit<G: Game>(self, start: G) -> Self::Output {
            let Prepare(player, labels, artifacts) = self;
            let players = [registry::build(player, &start, artifacts)?, registry::build(player, &start, artifacts)?];
            let endings = if labels == Labels::Outcome(0) { None } else { start.endings() };
            Ok(Box::new(Games { start, players, labels, endings }))
        }
    }
    games::visit(game, Prepare(player, labels, artifacts))
}

/// Whether positions of the game have exact values near its end ([`Game::endings`]).
pub fn is_solvable(game: &GameSpec) -> bool {
    struct Ask;
    impl Visitor for Ask {
        type Output = bool;
        fn visit<G: Game>(self, start: G) -> bool {
            start.endings().is_some()
        }
    }
    games::visit(game, Ask)
}

struct Games<G: Game> {
    start: G,
    players: [Box<dyn Player<G>>; 2],
    labels: Labels,
    endings: Option<Box<dyn Endings<G>>>,
}

impl<G: Game> SelfPlay for Games<G> {
    #[expect(clippy::disallowed_methods, reason = "time per decision is measured beside the result, not part of it")]
    fn play(&mut self, setup: &GameSetup) -> SelfPlayRecord {
        let mut nature = setup.opening_seed.rng();
        for (player, seed) in self.players.iter_mut().zip(&setup.player_seeds) {
            player.start(seed);
            player.draw_parameters(&setup.opening_seed);
        }
        let opening = below(&mut nature, setup.opening_plies.saturating_add(1));
        let mut position = self.start.clone();
        let mut log = Log::new(&position);
        let mut plies: Vec<Ply> = Vec::new();
        let (mut iterations, mut micros, mut positions, mut visits) = (0, 0, 0, Vec::new());
        let mut solved = None;
        loop {
            let moves = position.moves();
            let (chosen, sample) = match position.turn() {
                Turn::Over => break,
                Turn::Chance => (position.chance(&mut nature), None),
                Turn::Player(_) if plies.len() < opening as usize => {
                    (moves.get(below(&mut nature, moves.len() as u32) as usize), None)
                }
                Turn::Player(seat) => {
                    let exact = self.exact(&position);
                    if let (Labels::Outcome(_) | Labels::Searched(_), Some(label)) = (self.labels, exact) {
                        solved = Some(label);
                        break;
                    }
                    let start = Instant::now();
                    let decision = self.players[seat].decide(&position);
                    micros += u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
                    iterations += decision.iterations;
                    visits.clear();
                    let mut searched = Vec::new();
                    if decision.iterations > 0 {
                        self.players[seat].root_visits(&mut visits);
                        if matches!(self.labels, Labels::Searched(_)) {
                            self.players[seat].searched(&mut searched);
                        }
                    }
                    let wanted = match self.labels {
                        Labels::Outcome(_) => true,
                        Labels::Exact(_) => exact.is_some(),
                        Labels::Searched(_) => !searched.is_empty(),
                    };
                    let sample = (wanted && moves.len() > 1).then(|| Sample {
                        label: exact,
                        visits: visits.iter().filter_map(|&(m, count)| Some((place(&moves, m)?, count))).collect(),
                        searched,
                    });
                    positions += sample.as_ref().map_or(0, Sample::positions);
                    (decision.chosen, sample)
                }
            };
            log.add(&position, chosen);
            for player in &mut self.players {
                player.observe(&position, chosen);
            }
            plies.push(Ply { place: place(&moves, chosen).expect("a legal move"), sample });
            position.play(chosen);
        }
        let end = solved.unwrap_or_else(|| Label::of_points(position.points()[0]));
        let (played, mut bytes) = (plies.len(), Vec::new());
        Played { plies, end }.write(&mut bytes);
        SelfPlayRecord {
            first_points: end.points(),
            plies: played as u32,
            moves_hash: log.moves_hash(),
            iterations,
            micros,
            positions,
            solved: solved.is_some(),
            bytes,
        }
    }
}

impl<G: Game> Games<G> {
    /// The exact value of a position that is near enough to the end.
    fn exact(&mut self, position: &G) -> Option<Label> {
        let (Labels::Outcome(from) | Labels::Exact(from) | Labels::Searched(from)) = self.labels;
        let endings = self.endings.as_mut().filter(|endings| endings.distance(position) <= from)?;
        Some(Label::of_difference(endings.value(position)))
    }
}

/// Place of a move among the legal ones.
fn place<M: Copy + PartialEq>(moves: &impl games::Moves<M>, wanted: M) -> Option<u32> {
    (0..moves.len()).find(|&at| moves.get(at) == wanted).map(|at| at as u32)
}
