//! The kind `puct`: search by a network's values and priors, as AlphaZero's (Silver et al. 2018).

use games::{Game, Rng, Seed, unit};
use spec::{Default, Entry, Fault, Kind, OneOf, Param, Spec};

use super::{ARITHMETIC, BATCH, NET, NetPriors, check_game, noise::dirichlet, reader};
use crate::{
    Decision, Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    game_rng::GameRng,
    listed::{BuildError, CHECKED, Listed},
    mcts::{Evaluator, FinalMove, Options, Puct, Search, Uct, Untried, recommend},
    params::{
        KEEP_TREE, MEMORY_MIB_MAX, NODES_MAX, PLAYOUTS, SEARCH_FORCED, TIME_MS, options, playouts_or_time, tree_limit,
    },
    readout::Readout,
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

/// UCT with noise at the root, whose first moves are drawn.
struct PuctPlayer<G: Game, E: Evaluator<G, Prior = f32>> {
    uct: Uct<G, Puct, E>,
    /// Share of noise at the root, and its concentration.
    noise: [f64; 2],
    temperature: f64,
    /// Own turns whose moves are drawn.
    drawn_turns: usize,
    /// Own turns so far.
    turn: usize,
}

impl<G: Game, E: Evaluator<G, Prior = f32>> PuctPlayer<G, E> {
    /// The player of a checked spec.
    fn new(spec: &Spec, selection: Puct, evaluator: E) -> Self {
        let real = |key| spec.real(key).expect(CHECKED);
        let whole = |key| usize::try_from(spec.int(key).expect(CHECKED)).expect(CHECKED);
        let options = Options { batch: whole(BATCH.name), ..options(spec, FinalMove::MostVisited) };
        PuctPlayer {
            uct: Uct::new(Search::new(selection, evaluator, tree_limit(spec)), options),
            noise: [real("noise"), real("noise-alpha")],
            temperature: real("temperature"),
            drawn_turns: whole("temperature-turns"),
            turn: 0,
        }
    }
}

/// Mixes noise into the priors of the root: a share of it, drawn with a concentration.
fn add_noise<G: Game, E: Evaluator<G, Prior = f32>>(
    search: &mut Search<G, Puct, E>,
    [share, alpha]: [f64; 2],
    rng: &mut GameRng,
) {
    if share > 0.0 {
        search.change_root_priors(rng.get(), |priors, rng| {
            let drawn = dirichlet(alpha, priors.len(), rng);
            for (prior, noise) in priors.iter_mut().zip(drawn) {
                *prior = ((1.0 - share) * f64::from(*prior) + share * noise) as f32;
            }
        });
    }
}

/// A root move with a probability that follows its visits.
fn draw<G: Game, E: Evaluator<G, Prior = f32>>(
    search: &Search<G, Puct, E>,
    temperature: f64,
    rng: &mut Rng,
) -> G::Move {
    let edges: Vec<(G::Move, u32)> = search.tree().children().map(|edge| (edge.chosen, edge.visits)).collect();
    let most = edges.iter().map(|edge| edge.1).max().unwrap_or(1).max(1);
    let weight = |visits: u32| match temperature {
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
    recommend(search, FinalMove::MostVisited, rng)
}

impl<G: Game, E: Evaluator<G, Prior = f32>> Player<G> for PuctPlayer<G, E> {
    fn start(&mut self, seed: &Seed) {
        self.uct.start(seed);
        self.turn = 0;
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let (noise, temperature, is_drawn) = (self.noise, self.temperature, self.turn < self.drawn_turns);
        self.turn += 1;
        self.uct.decide_by(
            position,
            |search, rng| add_noise(search, noise, rng),
            |search, rng| match is_drawn {
                true => draw(search, temperature, rng),
                false => recommend(search, FinalMove::MostVisited, rng),
            },
        )
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        self.uct.readout(bins)
    }

    fn figures(&self, values: &mut Vec<f64>) {
        self.uct.figures(values);
    }

    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        self.uct.root_visits(visits);
    }

    fn observe(&mut self, before: &G, played: G::Move) {
        self.uct.observe(before, played);
    }
}
