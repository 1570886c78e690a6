//! The kind `puct`: search by a network's values and priors, as AlphaZero's (Silver et al. 2018).

use games::{Game, Moves as _, Rng, Seed, unit};
use spec::{Default, Entry, Fault, Kind, OneOf, Param, Spec};

use super::{ARITHMETIC, BATCH, NET, NetPriors, check_game, noise::dirichlet, reader};
use crate::{
    Decision, Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    game_rng::GameRng,
    listed::{BuildError, CHECKED, Listed},
    mcts::{Evaluator, FinalMove, Meter, Options, Puct, Search, Untried, of_tree, recommend},
    params::{
        KEEP_TREE, MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, SEARCH_FORCED, TIME_MS, options, playouts_or_time, tree_limit,
    },
    readout::{Growth, Readout},
    solving::{LEAF_SOLVE_FROM, SOLVE_FROM, Settling, settled},
};

/// The kind `puct`.
pub(crate) struct PuctKind;

const PARAMS: &[Param] = &[
    NET,
    PLAYOUTS,
    TIME_MS,
    Param {
        name: "c",
        kind: Kind::Real(0.0, 1e6),
        default: Default::Real(1.0),
        doc: "C of W/n + C P sqrt(N) / (1 + n), P the network's prior of the move",
    },
    Param {
        name: "fpu",
        kind: Kind::Real(0.0, 1.0),
        default: Default::None,
        doc: "value of a move not tried yet, from 0 for a loss to 1 for a win; this or `fpu-reduction`",
    },
    Param {
        name: "fpu-reduction",
        kind: Kind::Real(0.0, 1.0),
        default: Default::None,
        doc: "the value of a move not tried yet lies this far below the mean of those tried",
    },
    Param {
        name: "noise",
        kind: Kind::Real(0.0, 1.0),
        default: Default::Real(0.0),
        doc: "share of random noise in the priors at the root, for self-play",
    },
    Param {
        name: "noise-alpha",
        kind: Kind::Real(1e-3, 1e3),
        default: Default::Real(0.3),
        doc: "concentration of that noise, which is drawn from a Dirichlet distribution",
    },
    Param {
        name: "temperature",
        kind: Kind::Real(0.01, 100.0),
        default: Default::Real(1.0),
        doc: "in the first turns moves are drawn by their visits to the power of 1 over this",
    },
    Param {
        name: "temperature-turns",
        kind: Kind::Int(0, 1_000_000),
        default: Default::Int(0),
        doc: "own turns, from the first on, whose moves are drawn; then the most visited is played",
    },
    ARITHMETIC,
    BATCH,
    KEEP_TREE,
    SEARCH_FORCED,
    NODES_MAX,
    MEMORY_MIB_MAX,
    SOLVE_FROM,
    LEAF_SOLVE_FROM,
];

impl Listed for PuctKind {
    const ENTRY: Entry = Entry {
        name: "puct",
        doc: "tree search by a network's values and priors (PUCT), as AlphaZero has it",
        params: &[PARAMS],
        one_of: &[
            playouts_or_time(100),
            OneOf {
                params: &["fpu", "fpu-reduction"],
                what: "values of moves not tried yet",
                default: Some(("fpu-reduction", Default::Real(0.1))),
            },
        ],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        super::check(spec)
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        check_game(spec, start)?;
        if start.policy_size().is_some() {
            return Ok(());
        }
        let reason = format!("`puct` cannot play {}: its moves have no places in a policy", start.facts().name);
        Err(Fault::Conflict { key: NET.name.to_owned(), reason })
    }

    fn figures(_: &Spec) -> Vec<Figure> {
        vec![ROOT_SHARE]
    }

    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        let reader = reader(spec, start, artifacts)?;
        let has = reader.architecture();
        if has.policy().is_none() || (has.value().is_none() && has.outcome().is_none()) {
            let reason = "`puct` takes a network with a `policy`, and with a `value` or an `outcome`".to_owned();
            return Err(Fault::Conflict { key: NET.name.to_owned(), reason }.into());
        }
        let real = |key| spec.real(key).expect(CHECKED);
        let untried = match spec.real("fpu") {
            Some(value) => Untried::Fixed(value),
            None => Untried::BelowMean(real("fpu-reduction")),
        };
        let selection = Puct { c: real("c"), untried };
        Ok(match settled(spec, start, NetPriors(reader))? {
            Settling::With(evaluator) => Box::new(PuctPlayer::new(spec, selection, evaluator)),
            Settling::Without(evaluator) => Box::new(PuctPlayer::new(spec, selection, evaluator)),
        })
    }
}

/// Searches, then plays.
struct PuctPlayer<G: Game, E: Evaluator<G, Prior = f32>> {
    search: Search<G, Puct, E>,
    options: Options,
    /// Share of noise at the root, and its concentration.
    noise: [f64; 2],
    temperature: f64,
    /// Own turns whose moves are drawn.
    drawn_turns: usize,
    /// Own turns so far.
    turn: usize,
    rng: GameRng,
    /// Growth of the tree in the last decision.
    growth: Growth,
}

impl<G: Game, E: Evaluator<G, Prior = f32>> PuctPlayer<G, E> {
    /// The player of a checked spec.
    fn new(spec: &Spec, selection: Puct, evaluator: E) -> Self {
        let real = |key| spec.real(key).expect(CHECKED);
        let whole = |key| usize::try_from(spec.int(key).expect(CHECKED)).expect(CHECKED);
        PuctPlayer {
            search: Search::new(selection, evaluator, tree_limit(spec)),
            options: Options { batch: whole(BATCH.name), ..options(spec, FinalMove::MostVisited) },
            noise: [real("noise"), real("noise-alpha")],
            temperature: real("temperature"),
            drawn_turns: whole("temperature-turns"),
            turn: 0,
            rng: GameRng::default(),
            growth: Growth::default(),
        }
    }

    /// A root move with a probability that follows its visits.
    fn draw(&mut self) -> G::Move {
        let rng: &mut Rng = self.rng.get();
        let edges: Vec<(G::Move, u32)> = self.search.tree().children().map(|edge| (edge.chosen, edge.visits)).collect();
        let most = edges.iter().map(|edge| edge.1).max().unwrap_or(1).max(1);
        let weight = |visits: u32| match self.temperature {
            1.0 => f64::from(visits),
            // Of the greatest, so that powers stay finite.
            temperature => libm::pow(f64::from(visits) / f64::from(most), 1.0 / temperature),
        };
        let weights: Vec<f64> = edges.iter().map(|edge| weight(edge.1)).collect();
        let mut left = unit(rng) * weights.iter().sum::<f64>();
        for (edge, weight) in edges.iter().zip(weights) {
            if left < weight {
                return edge.0;
            }
            left -= weight;
        }
        recommend(&self.search, FinalMove::MostVisited, rng)
    }
}

impl<G: Game, E: Evaluator<G, Prior = f32>> Player<G> for PuctPlayer<G, E> {
    fn start(&mut self, seed: &Seed) {
        self.search.clear();
        self.rng.start(seed);
        self.turn = 0;
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let turn = self.turn;
        self.turn += 1;
        if !self.options.search_forced {
            let moves = position.moves();
            if moves.len() == 1 {
                return Decision { chosen: moves.get(0), iterations: 0 };
            }
        }
        self.search.root(position);
        let [share, alpha] = self.noise;
        if share > 0.0 {
            let rng = self.rng.get();
            self.search.change_root_priors(rng, |priors, rng| {
                let drawn = dirichlet(alpha, priors.len(), rng);
                for (prior, noise) in priors.iter_mut().zip(drawn) {
                    *prior = ((1.0 - share) * f64::from(*prior) + share * noise) as f32;
                }
            });
        }
        let mut meter = Meter::new(self.options.budget);
        loop {
            let more = || meter.next(self.search.tree().len());
            let count = std::iter::repeat_with(more).take(self.options.batch).take_while(|&more| more).count();
            if count == 0 {
                break;
            }
            self.search.iterate_together(count, self.rng.get());
        }
        self.growth = meter.growth(self.search.tree().len());
        let chosen = if turn < self.drawn_turns {
            self.draw()
        } else {
            recommend(&self.search, self.options.final_move, self.rng.get())
        };
        Decision { chosen, iterations: self.growth.iterations }
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        (!self.search.tree().is_empty()).then(|| of_tree(self.search.tree(), self.search.seat(), &self.growth, bins))
    }

    fn figures(&self, values: &mut Vec<f64>) {
        values.push(self.search.tree().root_share());
    }

    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        visits.extend(self.search.tree().children().map(|edge| (edge.chosen, edge.visits)));
    }

    fn observe(&mut self, _before: &G, played: G::Move) {
        if self.options.keep_tree {
            self.search.descend(played);
        } else {
            self.search.clear();
        }
    }
}
