//! Rates of a game's playouts and of plain search in it, for `redqueen bench` and for forecasts.

use games::{Game, GameSpec, Moves as _, Rng, Seed, Turn, Visitor};

use crate::{
    Player, PlayerSpec, TrialRng,
    artifacts::HeldArtifacts,
    evomcts,
    mcts::{Budget, FinalMove, Options, Reward, Rewarded, Search, TreeLimit, Ucb1, Uct, UniformPlayout},
};

/// One measured rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// What was done.
    pub what: String,
    /// Unit of work.
    pub unit: &'static str,
    /// Units a second of the clock that was given: median over the repetitions.
    pub median: f64,
    /// Slowest.
    pub min: f64,
    /// Fastest.
    pub max: f64,
}

/// Measures a game. `clock` gives seconds, best of CPU time; each cell runs `repetitions` times, in turn with the
/// others, for about `seconds` each.
pub fn measure(game: &GameSpec, clock: &dyn Fn() -> f64, repetitions: usize, seconds: f64) -> Vec<Rate> {
    games::visit(game, Bench { game, clock, repetitions: repetitions.max(1), seconds })
}

/// Nodes of an evolved function that is measured.
const NODES: usize = 20;
/// Functions that are measured: half of them ask for the number named last, which costs most to find.
const TREES: usize = 16;
/// That number.
const DEAR: &str = "Mobility";

/// Functions to measure a game with: random ones of [`NODES`] nodes. None for a game without features.
fn trees(game: &GameSpec) -> Vec<String> {
    let Some(language) = evomcts::language(game) else { return Vec::new() };
    let dear = |text: &str| text.contains(DEAR);
    let mut trees: Vec<String> = Vec::new();
    let mut draws = TrialRng(Seed::derive(0, 0, 0, "measured trees").rng());
    while trees.len() < TREES {
        let tree = gp::grow(gp::Type::Float, 7, &language, &mut draws);
        let text = tree.to_text(&language);
        let alike = trees.iter().filter(|known| dear(known) == dear(&text)).count();
        if tree.size() == NODES && alike < TREES / 2 {
            trees.push(text);
        }
    }
    trees
}

struct Bench<'a> {
    game: &'a GameSpec,
    clock: &'a dyn Fn() -> f64,
    repetitions: usize,
    seconds: f64,
}

type Work<'a> = Box<dyn FnMut() -> u64 + 'a>;

impl Visitor for Bench<'_> {
    type Output = Vec<Rate>;

    fn visit<G: Game>(self, start: G) -> Vec<Rate> {
        let none = HeldArtifacts::default();
        let seed = |purpose| Seed::derive(0, 0, 0, purpose);
        let mut rng = seed("playouts").rng();
        let from = start.clone();
        let playouts: Work<'_> = Box::new(move || {
            for _ in 0..256 {
                std::hint::black_box(from.clone().playout(&mut rng));
            }
            256
        });
        let mut cells: Vec<(String, &'static str, Work<'_>)> =
            vec![("random playouts from the start".to_owned(), "playouts", playouts)];
        let decided = decided(&start, &mut seed("nature").rng());
        let mut player = uct::<G>(1_000);
        player.start(&seed("search"));
        let from = decided.clone();
        let search: Work<'_> = Box::new(move || {
            player.observe(&from, from.moves().get(0));
            player.decide(&from).iterations
        });
        cells.push(("mcts from the start, 1,000 a search".to_owned(), "playouts", search));
        let mut player = uct::<G>(100);
        player.start(&seed("game"));
        let (from, mut nature) = (start.clone(), seed("nature").rng());
        let whole: Work<'_> = Box::new(move || {
            let (mut position, mut done) = (from.clone(), 0);
            loop {
                let chosen = match position.turn() {
                    Turn::Over => return done,
                    Turn::Chance => position.chance(&mut nature),
                    Turn::Player(_) => {
                        let decision = player.decide(&position);
                        done += decision.iterations;
                        decision.chosen
                    }
                };
                player.observe(&position, chosen);
                position.play(chosen);
            }
        });
        cells.push(("mcts over a game, 100 a move".to_owned(), "playouts", whole));
        // As the SIEA-MCTS thesis searches: 5,000 iterations, ties drawn.
        for (what, spec) in [
            ("mcts from the start, 5,000 a search", "mcts:playouts=5000,c=1,ties=random,keep-tree=false"),
            ("siea-mcts from the start, 5,000 a search", "siea-mcts:playouts=5000"),
        ] {
            let mut player = crate::registry::build(&spec.parse().expect("a fixed spec is right"), &start, &none)
                .expect("plain searches play everything");
            player.start(&seed("study"));
            let from = decided.clone();
            let study: Work<'_> = Box::new(move || {
                player.observe(&from, from.moves().get(0));
                player.decide(&from).iterations
            });
            cells.push((what.to_owned(), "iterations", study));
        }
        let evolved = |tree: &String| {
            let spec: PlayerSpec = format!("evomcts:playouts=100,tree={tree}").parse().expect("a tree is a text");
            crate::registry::build(&spec, &start, &none).expect("the tree is of the game's language")
        };
        let mut players: Vec<Box<dyn Player<G>>> = trees(self.game).iter().map(evolved).collect();
        if !players.is_empty() {
            let (from, mut games) = (start.clone(), 0u64);
            let fitness: Work<'_> = Box::new(move || {
                let pair = 2 * (games as usize % (TREES / 2));
                games += 1;
                fitness_game(&from, &mut players[pair..pair + 2], games);
                1
            });
            cells.push(("evomcts against evomcts, 100 a move".to_owned(), "games", fitness));
        }
        self.run(cells)
    }
}

/// The first position where a player moves.
fn decided<G: Game>(start: &G, nature: &mut Rng) -> G {
    let mut position = start.clone();
    while position.turn() == Turn::Chance {
        position.play(position.chance(nature));
    }
    position
}

impl Bench<'_> {
    fn run(&self, mut cells: Vec<(String, &'static str, Work<'_>)>) -> Vec<Rate> {
        let mut rates: Vec<Vec<f64>> = vec![Vec::new(); cells.len()];
        for repetition in 0..=self.repetitions {
            for ((_, _, work), rates) in cells.iter_mut().zip(&mut rates) {
                let (start, mut units) = ((self.clock)(), 0);
                let mut spent = 0.0;
                while spent < self.seconds {
                    units += work();
                    spent = (self.clock)() - start;
                }
                // The first pass warms up.
                if repetition > 0 {
                    rates.push(units as f64 / spent);
                }
            }
        }
        let rate = |((what, unit, _), mut rates): ((String, &'static str, Work<'_>), Vec<f64>)| {
            rates.sort_by(f64::total_cmp);
            Rate { what, unit, median: rates[rates.len() / 2], min: rates[0], max: rates[rates.len() - 1] }
        };
        cells.into_iter().zip(rates).map(rate).collect()
    }
}

/// A game as coevolution plays it, between the two `players`.
fn fitness_game<G: Game>(start: &G, players: &mut [Box<dyn Player<G>>], number: u64) {
    let mut position = start.clone();
    for (player, purpose) in players.iter_mut().zip(["first", "second"]) {
        player.start(&Seed::derive(0, 0, number, purpose));
    }
    while let Turn::Player(seat) = position.turn() {
        let chosen = players[seat].decide(&position).chosen;
        for player in players.iter_mut() {
            player.observe(&position, chosen);
        }
        position.play(chosen);
    }
}

/// A plain search without a kept tree.
fn uct<G: Game>(playouts: u64) -> Uct<G, Ucb1, Rewarded<UniformPlayout>> {
    let options = Options {
        budget: Budget::Playouts(playouts),
        final_move: FinalMove::HighestMean,
        keep_tree: false,
        search_forced: true,
        batch: 1,
    };
    let playout = Rewarded::new(UniformPlayout, Reward::Game);
    Uct::new(Search::new(Ucb1::new(0.7, 1.0, f64::INFINITY), playout, TreeLimit::NONE), options)
}
