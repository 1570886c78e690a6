//! The player `qdab`, a stand-in for the program QDab (Zhuang, Li, Peters and Zhang, CIG 2015), which Cotarelo et al. (2021) play
//! against. docs/papers/dots-and-boxes.md says what it has of the program and what is left out.

mod candidates;
mod selection;

use std::{any::Any, time::Duration};

use games::{
    Game, Moves as _, Seed, below,
    dots_and_boxes::{DotsAndBoxes, Move},
};
use spec::{Default, Entry, Fault, Kind, Param, Spec};

use crate::{
    Decision, Player,
    artifacts::Artifacts,
    game_rng::GameRng,
    listed::{BuildError, CHECKED, Listed},
    mcts::{Budget, Meter, Search, TreeLimit, of_tree},
    params::{MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, TIME_MS, playouts_or_time, search_budget, tree_limit},
    readout::{Growth, Readout},
};
use candidates::{Candidates, CategoryPlayout, edges};
use selection::Tuned;

/// Completed turns before which the search explores more.
const EXPLORING_TURNS: u32 = 10;
/// Most free edges of a position that is solved: on larger boards than the program's, exact play begins later.
const SOLVED_EDGES: u32 = 36;
/// The longest search after exact play begins, where time is the budget.
const LATE_MOST: Duration = Duration::from_secs(5);

const PARAMS: &[Param] = &[
    Param { doc: "iterations of a decision that is searched; this or `time-ms`", ..PLAYOUTS },
    TIME_MS,
    Param {
        name: "solve-turns",
        kind: Kind::Int(0, 200),
        default: Default::Int(24),
        doc: "completed turns from which on who wins is solved exactly, with 36 free edges at most; 24 in the program",
    },
    NODES_MAX,
    MEMORY_MIB_MAX,
];

/// The kind `qdab`.
pub(crate) struct QdabKind;

impl Listed for QdabKind {
    const ENTRY: Entry = Entry {
        name: "qdab",
        doc: "a stand-in for the program QDab on Dots and Boxes: exact wins from 24 completed turns on, before that UCB1-tuned",
        params: &[PARAMS],
        one_of: &[playouts_or_time(10_000)],
    };

    fn check_game<G: Game>(_: &Spec, start: &G) -> Result<(), Fault> {
        if (start as &dyn Any).is::<DotsAndBoxes>() {
            return Ok(());
        }
        let reason = format!("`qdab` plays Dots and Boxes alone, not {}", start.facts().name);
        Err(Fault::Conflict { key: "name".to_owned(), reason })
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        let player: Box<dyn Player<DotsAndBoxes>> = Box::new(Qdab::new(spec));
        let player: Box<dyn Any> = Box::new(player);
        Ok(*player.downcast::<Box<dyn Player<G>>>().expect("the game was checked to be Dots and Boxes"))
    }
}

/// The stand-in.
struct Qdab {
    search: Search<DotsAndBoxes, Tuned, CategoryPlayout, Candidates>,
    budget: Budget,
    solve_turns: u32,
    rng: GameRng,
    growth: Growth,
}

impl Qdab {
    fn new(spec: &Spec) -> Self {
        let limit: TreeLimit = tree_limit(spec);
        Qdab {
            search: Search::expanding(Tuned { c: 1.0 }, CategoryPlayout::new(), Candidates::default(), limit),
            budget: search_budget(spec),
            solve_turns: spec.int("solve-turns").and_then(|turns| u32::try_from(turns).ok()).expect(CHECKED),
            rng: GameRng::default(),
            growth: Growth::default(),
        }
    }

    /// The first move found after which the side to move wins.
    fn winning(&mut self, position: &DotsAndBoxes) -> Option<Move> {
        let games::Turn::Player(seat) = position.turn() else { return None };
        let categories = position.categories();
        let rests = categories.distinct(2);
        let mut moves: Box<dyn Iterator<Item = Move>> = if rests.is_empty() {
            Box::new(edges(categories.distinct(1)).chain(edges(categories.distinct(3))))
        } else {
            Box::new(edges(rests))
        };
        moves.find(|&edge| {
            let mut after = *position;
            after.play(edge);
            self.search.evaluator_mut().solved(&after)[seat] == 1.0
        })
    }

    /// The most visited move of a search, one of equals at random.
    fn searched(&mut self, position: &DotsAndBoxes, turns: u32) -> Move {
        self.search.selection_mut().c = if turns < EXPLORING_TURNS { 2.0 } else { 1.0 };
        self.search.clear();
        self.search.root(position);
        let budget = match self.budget {
            Budget::Time(time) if turns > self.solve_turns => Budget::Time(time.min(LATE_MOST)),
            budget => budget,
        };
        let mut meter = Meter::new(budget);
        while meter.next(self.search.tree().len()) {
            self.search.iterate(self.rng.get());
        }
        self.growth = meter.growth(self.search.tree().len());
        let most = self.search.root_stats().map(|stats| stats.visits).max();
        let best: Vec<Move> =
            self.search.root_stats().filter(|stats| Some(stats.visits) == most).map(|s| s.chosen).collect();
        best[below(self.rng.get(), best.len() as u32) as usize]
    }
}

impl Player<DotsAndBoxes> for Qdab {
    fn start(&mut self, seed: &Seed) {
        self.search.clear();
        self.rng.start(seed);
    }

    fn decide(&mut self, position: &DotsAndBoxes) -> Decision<Move> {
        self.growth = Growth::default();
        let at_once = |chosen| Decision { chosen, iterations: 0 };
        let moves = position.moves();
        if moves.len() == 1 {
            return at_once(moves.get(0));
        }
        if let Some(taking) = edges(position.categories().distinct(0)).next() {
            return at_once(taking);
        }
        let boxes = u32::from(position.rows()) * u32::from(position.columns());
        if position.completed().into_iter().any(|completed| 2 * completed > boxes) {
            return at_once(moves.get(below(self.rng.get(), moves.len() as u32) as usize));
        }
        let turns = position.completed_turns();
        if turns >= self.solve_turns
            && position.free_edges() <= SOLVED_EDGES
            && let Some(winning) = self.winning(position)
        {
            return at_once(winning);
        }
        let chosen = self.searched(position, turns);
        Decision { chosen, iterations: self.growth.iterations }
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        let searched = self.growth.iterations > 0 && !self.search.tree().is_empty();
        searched.then(|| of_tree(self.search.tree(), self.search.seat(), &self.growth, bins))
    }
}
