//! Minimax and alpha-beta, for games for two without chance.
//!
//! `minimax` is the opponent in the Checkers project (Abdul Sater et al. 2022; docs/papers/checkers.md, "Its minimax");
//! `alpha-beta` deepens until a budget is spent, remembers positions and orders moves, and finds the same values.

mod search;
mod table;

use games::{Facts, Game, Moves as _, Seed, Turn, below};
use spec::{Default, Entry, Fault, Kind, Param, Spec};

use crate::{
    Decision, Player,
    artifacts::Artifacts,
    budget::Budget,
    effort::{Effort, Spent},
    game_rng::GameRng,
    listed::{BuildError, CHECKED, Listed},
    params::{NODES, TIME_MS, depth_nodes_or_time},
    solving::SOLVE_FROM,
};
use search::{AlphaBeta, Ends};
use table::Table;

/// Which of equally good root moves is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ties {
    First,
    Last,
    Random,
}

const TIES: Param = Param {
    name: "ties",
    kind: Kind::Choice(&["first", "last", "random"]),
    default: Default::Text("random"),
    doc: "which of equally good moves is played, in the order of the game's moves",
};

/// Whether all plies are moves of one side.
const SAME_SIDE: &str = "same-side-search";

/// Parameters of the project's minimax.
const MINIMAX_PARAMS: &[Param] = &[
    Param { name: "depth", kind: Kind::Int(1, 64), default: Default::Int(3), doc: "plies that are searched" },
    Param { default: Default::Text("last"), ..TIES },
    Param {
        name: SAME_SIDE,
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "all plies are moves of the side that searches, a lost other side is worth its evaluation and draws are not seen, as in \
              the project's program",
    },
    Param {
        name: "win",
        kind: Kind::Real(0.0, 1e9),
        default: Default::Real(1_000.0),
        doc: "value of a won end of the game in units of the evaluation; of a lost one its negative",
    },
];

/// Parameters of alpha-beta.
const ALPHA_BETA_PARAMS: &[Param] = &[
    Param {
        name: "depth",
        kind: Kind::Int(1, 64),
        default: Default::None,
        doc: "plies that are searched; this, `nodes` or `time-ms`",
    },
    NODES,
    TIME_MS,
    TIES,
    Param {
        name: "table",
        kind: Kind::Int(0, 1 << 28),
        default: Default::Int(1 << 16),
        doc: "positions that are remembered, rounded up to a power of two; 0 for none",
    },
    SOLVE_FROM,
];

/// Won ends of alpha-beta: far above any evaluation, and worth more the sooner they come.
const WIN: Ends = Ends { win: 1e6, ply: 1.0 };

/// The kind `minimax`.
pub(crate) struct MinimaxKind;

impl Listed for MinimaxKind {
    const ENTRY: Entry = Entry {
        name: "minimax",
        doc: "minimax to a fixed depth, as the opponent in a student project on Checkers",
        params: &[MINIMAX_PARAMS],
        one_of: &[],
    };

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        let facts = check_for_two(spec, start)?;
        if spec.bool(SAME_SIDE) == Some(true) && start.with_mover(1).is_none() {
            let reason =
                format!("in {} it is never one side's turn twice, as `{SAME_SIDE}` needs; leave it out", facts.name);
            return Err(Fault::Conflict { key: SAME_SIDE.to_owned(), reason });
        }
        Ok(())
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        let ends = Ends { win: spec.real("win").expect(CHECKED), ply: 0.0 };
        let search = AlphaBeta::new(ends, spec.bool(SAME_SIDE).expect(CHECKED), None, false);
        Ok(Box::new(Minimax::new(spec, search, false)))
    }
}

/// The kind `alpha-beta`.
pub(crate) struct AlphaBetaKind;

impl Listed for AlphaBetaKind {
    const ENTRY: Entry = Entry {
        name: "alpha-beta",
        doc: "alpha-beta with iterative deepening and a table of positions",
        params: &[ALPHA_BETA_PARAMS],
        one_of: &[depth_nodes_or_time(6)],
    };

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        check_for_two(spec, start).map(drop)
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        let size = usize::try_from(spec.int("table").expect(CHECKED)).expect(CHECKED);
        let table = (size > 0).then(|| Table::new(size));
        Ok(Box::new(Minimax::new(spec, AlphaBeta::new(WIN, false, table, true), true)))
    }
}

/// Checks that the game is one for two without chance; gives its facts.
fn check_for_two<G: Game>(spec: &Spec, start: &G) -> Result<Facts, Fault> {
    let facts = start.facts();
    if facts.players == 2 && !facts.chance {
        return Ok(facts);
    }
    let why = if facts.chance { "nature moves there".to_owned() } else { format!("it is for {}", facts.players) };
    let reason = format!("`{}` plays games for two without chance, and not {}: {why}", spec.name(), facts.name);
    Err(Fault::Conflict { key: "name".to_owned(), reason })
}

/// Searches by minimax.
pub(crate) struct Minimax<G: Game> {
    search: AlphaBeta<G>,
    budget: Budget,
    deepens: bool,
    ties: Ties,
    rng: GameRng,
}

impl<G: Game> Minimax<G> {
    /// The player of a checked spec that searches with `search`, ply by ply deeper if it `deepens`.
    fn new(spec: &Spec, search: AlphaBeta<G>, deepens: bool) -> Self {
        let ties = match spec.text("ties") {
            Some("first") => Ties::First,
            Some("last") => Ties::Last,
            _ => Ties::Random,
        };
        Minimax { search, budget: Budget::of(spec).expect(CHECKED), deepens, ties, rng: GameRng::default() }
    }

    /// Values of the moves of a position for who moves there, by the deepest whole search within the budget.
    fn values(&mut self, position: &G, moves: &[G::Move], seat: usize) -> Vec<f64> {
        let effort = Effort::new(self.budget);
        let depth = effort.depth();
        self.search.start(effort);
        // The order in which moves are searched; values stay in the order of the moves.
        let mut order: Vec<usize> = (0..moves.len()).collect();
        let mut values = vec![0.0; moves.len()];
        let first = if self.deepens { 1 } else { depth };
        for depth in first..=depth {
            let ordered: Vec<G::Move> = order.iter().map(|&index| moves[index]).collect();
            match self.search.root(position, &ordered, depth, seat) {
                Ok(found) => order.iter().zip(found).for_each(|(&index, value)| values[index] = value),
                Err(Spent) => break,
            }
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            // A forced end is as far as any search sees.
            if values[order[0]].abs() > self.search.ends.win - self.search.ends.ply * f64::from(depth + 1) {
                break;
            }
        }
        values
    }
}

impl<G: Game> Player<G> for Minimax<G> {
    fn start(&mut self, seed: &Seed) {
        self.rng.start(seed);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let moves = position.moves();
        let moves: Vec<G::Move> = (0..moves.len()).map(|index| moves.get(index)).collect();
        if moves.len() == 1 {
            return Decision { chosen: moves[0], iterations: 0 };
        }
        let Turn::Player(seat) = position.mover() else { unreachable!("a player decides") };
        let values = self.values(position, &moves, seat);
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut equals = (0..moves.len()).filter(|&index| values[index] == best);
        let chosen = match self.ties {
            Ties::First => equals.next(),
            Ties::Last => equals.next_back(),
            Ties::Random => {
                let equals: Vec<usize> = equals.collect();
                let pick = if equals.len() > 1 { below(self.rng.get(), equals.len() as u32) as usize } else { 0 };
                equals.get(pick).copied()
            }
        };
        let chosen = moves[chosen.expect("a position with a player to move has moves")];
        Decision { chosen, iterations: self.search.nodes().max(1) }
    }
}
