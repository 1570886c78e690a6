//! Exact play near the end of a game, by what the game has for it ([`Game::endings`]): the player `solver`, and the parameter
//! `solve-from` of searches.

use games::{Game, Moves as _, Rng, Seed, Turn, below, endings::Endings, purpose};
use spec::{Default, Entry, Fault, Kind, Param, Spec, Value};

use crate::{
    Decision, Player, PlayerSpec,
    artifacts::Artifacts,
    figures::Figure,
    game_rng::GameRng,
    listed::{BuildError, CHECKED, Listed},
    mcts::Settled,
    readout::Readout,
    registry,
};

// Not a default that is written out: specs of candidates are in digests of tunings.
pub(crate) const SOLVE_FROM: Param = Param {
    name: "solve-from",
    kind: Kind::Int(0, 1_000),
    default: Default::None,
    doc: "decisions at most so far from the end (free edges in Dots and Boxes) are solved exactly, by the score; none if not given",
};

/// The same inside a search.
pub(crate) const LEAF_SOLVE_FROM: Param = Param {
    name: "leaf-solve-from",
    kind: Kind::Int(0, 1_000),
    default: Default::None,
    doc: "positions of the search at most so far from the end are valued exactly, by who wins, and searched no further; none if not \
          given",
};

/// Parameters of `solver`.
const FROM: &str = "from";
const BEFORE: &str = "before";

/// The kind `solver`.
pub(crate) struct SolverKind;

impl Listed for SolverKind {
    const ENTRY: Entry = Entry {
        name: "solver",
        doc: "plays the ends of a game exactly, and before them as another player",
        params: &[&[
            Param {
                name: FROM,
                kind: Kind::Int(0, 1_000),
                default: Default::Int(32),
                doc: "how far from the end exact play begins, in the game's unit (free edges in Dots and Boxes): of equally good moves \
                      one at random",
            },
            Param {
                name: BEFORE,
                kind: Kind::Text("a player in brackets, such as (mcts:playouts=500)"),
                default: Default::Text("(mcts:playouts=1000)"),
                doc: "the player in brackets that plays until then",
            },
        ]],
        one_of: &[],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let before = parse(spec.text(BEFORE).expect(CHECKED))?;
        spec.set(BEFORE, Value::Text(format!("({before})")));
        Ok(())
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        solvable(start, FROM)?;
        before(spec).iter().try_for_each(|player| registry::check_game(player, start))
    }

    fn figures(spec: &Spec) -> Vec<Figure> {
        before(spec).iter().flat_map(PlayerSpec::figures).collect()
    }

    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        let before = before(spec).expect(CHECKED);
        let player = registry::build(&before, start, artifacts)?;
        Ok(Box::new(Solving::new(player, solvable(start, FROM)?, spec.int(FROM).expect(CHECKED))))
    }
}

/// The player of a checked spec of `solver` before the end; `None` of another kind.
pub(crate) fn before(spec: &Spec) -> Option<PlayerSpec> {
    let Some(Value::Text(text)) = spec.find(BEFORE) else { return None };
    Some(parse(text).expect("the check keeps only what can be read"))
}

/// Reads a player in brackets.
fn parse(text: &str) -> Result<PlayerSpec, Fault> {
    let fault = |reason: String| Fault::Conflict { key: BEFORE.to_owned(), reason };
    let inside = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let inside = inside.ok_or_else(|| fault(format!("`{text}` is not a player in brackets; write `(PLAYER)`")))?;
    let reasons = |faults: Vec<Fault>| faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ");
    let player: PlayerSpec = inside.trim().parse().map_err(|faults| fault(reasons(faults)))?;
    if player.has_players() {
        return Err(fault("the player before the end cannot be made of players".to_owned()));
    }
    Ok(player)
}

/// What solves the endings of a game.
///
/// # Errors
/// Nothing does, so that the parameter `key` means nothing.
fn solvable<G: Game>(start: &G, key: &str) -> Result<Box<dyn Endings<G>>, Fault> {
    start.endings().ok_or_else(|| {
        let reason = format!("nothing solves endings of {}; Dots and Boxes has a solver", start.facts().name);
        Fault::Conflict { key: key.to_owned(), reason }
    })
}

/// Checks that decisions in the game of `start` can be solved, if the spec asks for it.
///
/// # Errors
/// They cannot.
pub(crate) fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
    let keys = [SOLVE_FROM.name, LEAF_SOLVE_FROM.name];
    keys.into_iter().filter(|key| spec.find(key).is_some()).try_for_each(|key| solvable(start, key).map(|_| ()))
}

/// An evaluator that values positions exactly from where a spec with [`LEAF_SOLVE_FROM`] asks for it, and else as `evaluator`;
/// `None` with the evaluator where the spec does not ask.
///
/// # Errors
/// Nothing solves endings of the game.
pub(crate) fn settled<G: Game, E>(spec: &Spec, start: &G, evaluator: E) -> Result<Settling<G, E>, Fault> {
    let Some(from) = spec.int(LEAF_SOLVE_FROM.name) else { return Ok(Settling::Without(evaluator)) };
    let endings = solvable(start, LEAF_SOLVE_FROM.name)?;
    Ok(Settling::With(Settled::new(evaluator, endings, u32::try_from(from).unwrap_or(0))))
}

/// An evaluator, with or without exact values near the end.
pub(crate) enum Settling<G, E> {
    /// With them.
    With(Settled<G, E>),
    /// Without.
    Without(E),
}

/// The player, with exact play from where the spec asks for it.
///
/// # Errors
/// As [`check_game`].
pub(crate) fn with_endings<G: Game>(
    spec: &Spec,
    start: &G,
    player: Box<dyn Player<G>>,
) -> Result<Box<dyn Player<G>>, Fault> {
    match spec.find(SOLVE_FROM.name) {
        Some(&Value::Int(from)) => Ok(Box::new(Solving::new(player, solvable(start, SOLVE_FROM.name)?, from))),
        _ => Ok(player),
    }
}

/// A player that plays exactly near the end. Seeds and moves before are those of the player alone.
struct Solving<G: Game> {
    player: Box<dyn Player<G>>,
    endings: Box<dyn Endings<G>>,
    /// Distance from which on it solves.
    from: u32,
    rng: GameRng,
    /// Whether the last decision was solved.
    is_solved: bool,
}

impl<G: Game> Solving<G> {
    fn new(player: Box<dyn Player<G>>, endings: Box<dyn Endings<G>>, from: i64) -> Self {
        let from = u32::try_from(from).unwrap_or(0);
        Solving { player, endings, from, rng: GameRng::default(), is_solved: false }
    }
}

/// One of the moves with the best score at the end for the side to move, each as likely as another.
fn best<G: Game>(endings: &mut dyn Endings<G>, position: &G, rng: &mut Rng) -> G::Move {
    let moves = position.moves();
    if moves.len() == 1 {
        return moves.get(0);
    }
    let value = endings.value(position);
    let is_first = position.mover() == Turn::Player(0);
    let mut left: Vec<usize> = (0..moves.len()).collect();
    // The first best one in a random order: only moves before it are looked at.
    while left.len() > 1 {
        let chosen = moves.get(left.swap_remove(below(rng, left.len() as u32) as usize));
        let mut after = position.clone();
        after.play(chosen);
        let is_best =
            if is_first { endings.is_at_least(&after, value) } else { !endings.is_at_least(&after, value + 1) };
        if is_best {
            return chosen;
        }
    }
    moves.get(left[0])
}

impl<G: Game> Player<G> for Solving<G> {
    fn start(&mut self, seed: &Seed) {
        self.player.start(seed);
        self.rng.start(&seed.part(purpose::ENDINGS));
    }

    fn draw_parameters(&mut self, shared: &Seed) {
        self.player.draw_parameters(shared);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        self.is_solved = self.endings.distance(position) <= self.from;
        if self.is_solved {
            let chosen = best(&mut *self.endings, position, self.rng.get());
            return Decision { chosen, iterations: 0 };
        }
        self.player.decide(position)
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        if self.is_solved { None } else { self.player.readout(bins) }
    }

    fn figures(&self, values: &mut Vec<f64>) {
        self.player.figures(values);
    }

    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        if !self.is_solved {
            self.player.root_visits(visits);
        }
    }

    fn observe(&mut self, before: &G, played: G::Move) {
        self.player.observe(before, played);
    }
}
