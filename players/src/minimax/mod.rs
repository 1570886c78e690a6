//! Minimax and alpha-beta, for games for two without chance.
//!
//! [`Minimax`] with the parameters of `minimax` is the opponent of the Checkers report (dossier checkers, section 2.1);
//! with those of `alpha-beta` it deepens until a budget is spent, remembers positions and orders moves, and finds the
//! same values.

mod search;
mod table;

use games::{Game, Moves as _, Rng, Seed, Turn, below};
use spec::{Default, Fault, Kind, Param, Spec};

use crate::{
    Decision, Player,
    registry::{self, CHECKED},
};
use search::{AlphaBeta, Ends, Limit, Spent};
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

/// Parameters of the report's minimax.
pub(crate) const MINIMAX_PARAMS: [Param; 4] = [
    Param { name: "depth", kind: Kind::Int(1, 64), default: Default::Int(3), doc: "plies that are searched" },
    Param { default: Default::Text("last"), ..TIES },
    Param {
        name: SAME_SIDE,
        kind: Kind::Bool,
        default: Default::Bool(false),
        doc: "all plies are moves of the side that searches, a lost other side is worth its evaluation and draws are not seen, as in \
              the report's program",
    },
    Param {
        name: "win",
        kind: Kind::Real(0.0, 1e9),
        default: Default::Real(1_000.0),
        doc: "value of a won end of the game in units of the evaluation; of a lost one its negative",
    },
];

/// Parameters of alpha-beta.
pub(crate) const ALPHA_BETA_PARAMS: [Param; 5] = [
    Param {
        name: "depth",
        kind: Kind::Int(1, 64),
        default: Default::None,
        doc: "plies that are searched; this, `nodes` or `time-ms`, 6 plies if none is given",
    },
    Param {
        name: "nodes",
        kind: Kind::Int(1, 1_000_000_000_000),
        default: Default::None,
        doc: "positions that are looked at for each decision, ply by ply deeper; the deepest whole search counts",
    },
    registry::TIME_MS,
    TIES,
    Param {
        name: "table",
        kind: Kind::Int(0, 1 << 28),
        default: Default::Int(1 << 16),
        doc: "positions that are remembered, rounded up to a power of two; 0 for none",
    },
];

/// Name of the kind that deepens.
pub(crate) const ALPHA_BETA: &str = "alpha-beta";

/// Plies of an alpha-beta search whose spec names no budget.
pub(crate) const DEPTH: i64 = 6;

/// Deepest search where the budget is nodes or time.
const DEEPEST: u32 = 200;

/// Won ends of alpha-beta: far above any evaluation, and worth more the sooner they come.
const WIN: Ends = Ends { win: 1e6, ply: 1.0 };

/// Budgets of alpha-beta: at most one may be given.
pub(crate) const BUDGETS: [&str; 3] = ["depth", "nodes", "time-ms"];

/// Searches by minimax.
pub(crate) struct Minimax<G: Game> {
    search: AlphaBeta<G>,
    budget: Budget,
    deepens: bool,
    ties: Ties,
    rng: Rng,
}

#[derive(Clone, Copy, Debug)]
enum Budget {
    Depth(u32),
    Nodes(u64),
    Time(std::time::Duration),
}

impl<G: Game> Minimax<G> {
    /// The player of a checked spec, of either kind.
    pub(crate) fn of(spec: &Spec) -> Self {
        let ties = match spec.text("ties") {
            Some("first") => Ties::First,
            Some("last") => Ties::Last,
            _ => Ties::Random,
        };
        let depth = |default: i64| u32::try_from(spec.int("depth").unwrap_or(default)).expect(CHECKED);
        let rng = Seed::derive(0, 0, 0, "never used: start() comes first").rng();
        if spec.name() != ALPHA_BETA {
            let ends = Ends { win: spec.real("win").expect(CHECKED), ply: 0.0 };
            let search = AlphaBeta::new(ends, spec.bool(SAME_SIDE).expect(CHECKED), None, false);
            return Minimax { search, budget: Budget::Depth(depth(3)), deepens: false, ties, rng };
        }
        let budget = match (spec.int("nodes"), spec.int("time-ms")) {
            (Some(nodes), _) => Budget::Nodes(nodes.unsigned_abs()),
            (None, Some(millis)) => Budget::Time(std::time::Duration::from_millis(millis.unsigned_abs())),
            (None, None) => Budget::Depth(depth(DEPTH)),
        };
        let size = usize::try_from(spec.int("table").expect(CHECKED)).expect(CHECKED);
        let table = (size > 0).then(|| Table::new(size));
        Minimax { search: AlphaBeta::new(WIN, false, table, true), budget, deepens: true, ties, rng }
    }

    #[expect(clippy::disallowed_methods, reason = "a time budget needs the clock; it marks its run not reproducible")]
    fn limit(&self) -> (Limit, u32) {
        match self.budget {
            Budget::Depth(depth) => (Limit::Depth, depth),
            Budget::Nodes(nodes) => (Limit::Nodes(nodes), DEEPEST),
            Budget::Time(time) => (Limit::Until(std::time::Instant::now(), time), DEEPEST),
        }
    }

    /// Values of the moves of a position for who moves there, by the deepest whole search within the budget.
    fn values(&mut self, position: &G, moves: &[G::Move], seat: usize) -> Vec<f64> {
        let (limit, depth) = self.limit();
        self.search.start(limit);
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
        self.rng = seed.rng();
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
                let pick = if equals.len() > 1 { below(&mut self.rng, equals.len() as u32) as usize } else { 0 };
                equals.get(pick).copied()
            }
        };
        let chosen = moves[chosen.expect("a position with a player to move has moves")];
        Decision { chosen, iterations: self.search.nodes().max(1) }
    }
}

/// Checks that a player of either kind can play from `start`: a game for two, without chance; and, where all plies are
/// to be of one side, one that says what such a position is.
///
/// # Errors
/// Why not.
pub(crate) fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
    let (kind, facts) = (spec.name(), start.facts());
    if facts.players == 2 && !facts.chance {
        if kind != ALPHA_BETA && spec.bool(SAME_SIDE) == Some(true) && start.with_mover(1).is_none() {
            let reason =
                format!("in {} it is never one side's turn twice, as `{SAME_SIDE}` needs; leave it out", facts.name);
            return Err(Fault::Conflict { key: SAME_SIDE.to_owned(), reason });
        }
        return Ok(());
    }
    let why = if facts.chance { "nature moves there".to_owned() } else { format!("it is for {}", facts.players) };
    let reason = format!("`{kind}` plays games for two without chance, and not {}: {why}", facts.name);
    Err(Fault::Conflict { key: "kind".to_owned(), reason })
}
